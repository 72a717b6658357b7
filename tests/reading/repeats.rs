//! What is a repeat, in tables made by hand: rows agree in every setting, or they are not repeats of each other.

#![expect(clippy::format_push_string, reason = "tables are written row by row")]

use std::collections::BTreeMap;

use beyondnoise::analysis::analyse;
use beyondnoise::error::chain;
use beyondnoise::policy::Policy;
use beyondnoise::read::{File, Options, Purpose, Tidy, load_bytes, tidy};
use beyondnoise::report::Comparison;
use beyondnoise::runs::{Dataset, Group};
use beyondnoise::verdict::Headline;

/// Reads a file that was typed in here.
fn read(name: &str, text: &str, options: &Options) -> Result<Dataset, String> {
    let files = [File { variant: None, name, bytes: text.as_bytes() }];
    load_bytes(&files, options).map(|loaded| loaded.dataset).map_err(|error| chain(&error))
}

fn table(text: &str) -> Dataset {
    read("runs.csv", text, &Options::default()).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

fn with(text: &str, options: &Options) -> Dataset {
    read("runs.csv", text, options).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

/// Runs of each variant of each group, the smallest first.
fn runs(dataset: &Dataset) -> Vec<usize> {
    let variants = dataset.groups.iter().flat_map(|group| &group.variants);
    let mut counts: Vec<usize> = variants.map(|variant| variant.runs.len()).collect();
    counts.sort_unstable();
    counts
}

/// The group whose setting has a value.
fn cell<'a>(dataset: &'a Dataset, name: &str, value: &str) -> &'a Group {
    let of = |group: &&Group| group.workload.other.get(name).is_some_and(|other| other == value);
    dataset.groups.iter().find(of).unwrap_or_else(|| panic!("no group with {name} {value}"))
}

/// Mean of a metric over the runs of a variant.
fn mean(group: &Group, variant: &str, metric: &str) -> f64 {
    let variant = group.variants.iter().find(|found| found.name == variant).expect("a variant");
    let sum: f64 = variant.runs.iter().map(|run| run.metrics.get(metric).expect("it").value).sum();
    sum / variant.runs.len() as f64
}

fn names(list: &[&str]) -> Vec<String> {
    list.iter().map(|name| (*name).to_owned()).collect()
}

fn near(found: f64, expected: f64) {
    assert!((found - expected).abs() <= 1e-9 * expected.abs(), "{found} is not {expected}");
}

/// What stands in the roles of a column.
fn role(dataset: &Dataset, column: &str) -> String {
    let columns = dataset.inputs[0].columns();
    let found = columns.iter().find(|found| found.name == column);
    found.map_or_else(String::new, |found| found.role.to_owned())
}

/// Two builds, four runs each under every value of a setting; the values rise by 1 from 100.
fn two_builds(setting: &str, values: &[&str]) -> String {
    let mut text = format!("build,{setting},run,step_ms\n");
    for build in ["main", "pr"] {
        for (at, value) in values.iter().enumerate() {
            for run in 0..4 {
                text += &format!("{build},{value},{run},{}.25\n", 100 + 10 * at + run);
            }
        }
    }
    text
}

/// 3 GPUs, 4 runs, 2 builds; one GPU is 4 % faster in both. Pooled, that would be 12 runs each.
#[test]
fn devices_are_not_repeats() {
    let mut text = "build,gpu,run,step_ms\n".to_owned();
    for build in ["main", "pr"] {
        for (gpu, base) in [("0", 100.0), ("1", 96.0), ("2", 100.0)] {
            for run in 0..4 {
                text += &format!("{build},{gpu},{run},{:.2}\n", base + 0.1 * f64::from(run));
            }
        }
    }
    let dataset = table(&text);
    assert_eq!((dataset.groups.len(), runs(&dataset)), (3, vec![4; 6]));
    // (96.0 + 96.1 + 96.2 + 96.3) / 4
    near(mean(cell(&dataset, "gpu", "1"), "pr", "step_ms"), 96.15);
    let pooled = with(&text, &Options { pool: names(&["gpu"]), ..Options::default() });
    assert_eq!((pooled.groups.len(), runs(&pooled)), (1, vec![12; 2]));
    assert!(pooled.said[0].contains("pooled over gpu (0, 1, 2), as --pool asks"));
}

#[test]
fn words_truth_and_numbers_that_come_back_are_settings() {
    for (setting, values) in [
        ("device", &["H100", "H200", "MI300X"][..]),
        ("cache_on", &["true", "false"]),
        ("chunked", &["True", "False"]),
        ("batch_size", &["8", "16", "64"]),
        ("bs", &["1", "4"]),
        ("alpha", &["0.1", "0.5", "0.9"]),
        ("seq", &["128", "512", "2048"]),
        ("index", &["btree", "hash"]),
        ("path", &["naive", "optimised"]),
        ("model_size", &["1.5B", "7B", "6.7B"]),
    ] {
        let dataset = table(&two_builds(setting, values));
        assert_eq!(dataset.groups.len(), values.len(), "{setting}");
        assert_eq!(runs(&dataset), vec![4; 2 * values.len()], "{setting}");
        assert_eq!(role(&dataset, setting), "factor", "{setting}");
    }
}

/// Rows without a cell are a setting of their own: 2 and 2, not 4.
#[test]
fn an_empty_cell_is_a_value_of_its_own() {
    for column in ["option", "max_concurrency", "model"] {
        let mut text = format!("variant,{column},step_ms\n");
        for variant in ["a", "b"] {
            for row in 0..4 {
                let value = if row % 2 == 0 { "8" } else { "" };
                text += &format!("{variant},{value},{}.5\n", 10 + row);
            }
        }
        let dataset = table(&text);
        assert_eq!((dataset.groups.len(), runs(&dataset)), (2, vec![2; 4]), "{column}");
    }
}

/// Columns that tell runs apart and set nothing.
#[test]
fn identities_remarks_and_measured_columns_split_nothing() {
    for (column, cells) in [
        ("run", ["1", "2", "3", "1", "2", "3"]),
        (
            "__run_id",
            [
                "run_0_repetition_0",
                "run_0_repetition_1",
                "run_0_repetition_2",
                "run_1_repetition_0",
                "run_1_repetition_1",
                "run_1_repetition_2",
            ],
        ),
        ("seed", ["42", "7", "2024", "42", "7", "2024"]),
        (
            "timestamp",
            [
                "2026-01-01T10:00:00",
                "2026-01-01T10:05:00",
                "2026-01-01T10:10:00",
                "2026-01-01T10:15:00",
                "2026-01-01T10:20:00",
                "2026-01-01T10:25:00",
            ],
        ),
        ("log_file", ["a/1.json", "a/2.json", "a/3.json", "b/1.json", "b/2.json", "b/3.json"]),
        ("notes", ["first", "", "fan was loud", "", "", "reran"]),
        (
            "what happened",
            [
                "the fan was very loud",
                "all went well this time",
                "another job was running then",
                "the night was cold again",
                "somebody used the machine too",
                "it was restarted before this",
            ],
        ),
        ("mem_gb", ["40.09", "40.10", "40.09", "40.11", "40.10", "40.09"]),
        ("energy", ["9877.39mJ", "8091.79mJ", "8614.29mJ", "8580.83mJ", "9932.27mJ", "9113.25mJ"]),
        ("repetição", ["1", "2", "3", "1", "2", "3"]),
        ("git_tag_of_run", ["3f2a91c", "9b1d4e7", "77ac0f2", "0d4b8aa", "5e6f1c3", "a81f9d2"]),
    ] {
        let mut text = format!("variant,{column},step_ms\n");
        for (row, cell) in cells.iter().enumerate() {
            let variant = if row < 3 { "before" } else { "after" };
            text += &format!("{variant},{cell},{}.125\n", 20 + row);
        }
        let dataset = table(&text);
        assert_eq!((dataset.groups.len(), runs(&dataset)), (1, vec![3, 3]), "{column}");
    }
}

/// Host names: each machine ran both builds, so it is a setting; a machine a run tells runs apart only by hand.
#[test]
fn machines_are_settings() {
    let dataset = table(&two_builds("host", &["node-a", "node-b"]));
    assert_eq!((dataset.groups.len(), runs(&dataset)), (2, vec![4; 4]));
}

#[test]
fn a_word_that_comes_back_under_run_is_a_setting() {
    let text = "variant,run,step_ms\na,cold,9.1\na,warm,5.1\na,cold,9.3\na,warm,5.2\n\
                b,cold,9.2\nb,warm,5.0\nb,cold,9.4\nb,warm,5.3\n";
    let dataset = table(text);
    assert_eq!((dataset.groups.len(), runs(&dataset)), (2, vec![2; 4]));
    near(mean(cell(&dataset, "run", "cold"), "b", "step_ms"), 9.3);
}

/// 3 run ids with 9 rows each are 3 runs, whose values are the means: (1 + ... + 9) / 9 = 5.
#[test]
fn rows_that_share_a_run_are_averaged() {
    let mut text = "variant,run,iter,x_ms\n".to_owned();
    for variant in ["a", "b"] {
        for run in 1..=3 {
            for iter in 1..=9 {
                text += &format!("{variant},{run},{iter},{}\n", 100 * run + iter);
            }
        }
    }
    let dataset = table(&text);
    assert_eq!((dataset.groups.len(), runs(&dataset)), (1, vec![3, 3]));
    let run = &dataset.groups[0].variants[0].runs[0];
    near(run.metrics.get("x_ms").expect("x_ms").value, 105.0);
}

/// Each row of a run is another setting: they are 3 runs of 4 settings, and no mean is taken over settings.
#[test]
fn rows_of_a_run_that_differ_in_a_setting_are_not_averaged() {
    let mut text = "run,db,op,latency_ms\n".to_owned();
    for run in 0..3 {
        for (at, (db, op)) in
            [("m", "get"), ("m", "put"), ("p", "get"), ("p", "put")].iter().enumerate()
        {
            text += &format!("{run},{db},{op},{}.5\n", 10 * (at + 1) + run);
        }
    }
    let dataset = table(&text);
    // The column db names the variants, and op the cases.
    assert_eq!((dataset.groups.len(), runs(&dataset)), (2, vec![3; 4]));
}

/// 120 settings with a row each are no requests of one run, though their column is called latency.
#[test]
fn a_large_sweep_is_not_one_run() {
    let mut text = "gpu,tp,batch,latency_ms\n".to_owned();
    for gpu in ["a100", "h100"] {
        for tp in [1, 2, 4, 8, 16, 32] {
            for batch in [1, 2, 4, 8, 16, 32, 64, 128, 256, 512] {
                text += &format!("{gpu},{tp},{batch},{}.375\n", tp * 3 + batch);
            }
        }
    }
    assert_eq!(runs(&table(&text)), vec![1; 120]);
}

#[test]
fn rows_of_requests_are_one_run_however_many() {
    for rows in [5, 60, 100, 101, 500] {
        let ids = |i: usize| format!("req_{i:06}");
        let mut numbered = "variant,id,ttft_ms\n".to_owned();
        let mut prompted = "variant,prompt,ttft_ms\n".to_owned();
        let mut counted = "variant,prompt_tokens,output_tokens,ttft_ms\n".to_owned();
        let mut started = "variant,start_time,ttft_ms\n".to_owned();
        for variant in ["a", "b"] {
            for i in 0..rows {
                let value = 50.0 + (i * 7919 % 101) as f64 / 8.0;
                numbered += &format!("{variant},{},{value}\n", ids(i));
                prompted += &format!("{variant},question number {i} of the set?,{value}\n");
                counted += &format!("{variant},{},{},{value}\n", 101 + i * 13, 57 + i * 17 % 991);
                started += &format!("{variant},{:.1},{value}\n", 1_700_000_000.0 + 0.3 * i as f64);
            }
        }
        for text in [numbered, prompted, counted, started] {
            assert_eq!(runs(&table(&text)), vec![1, 1], "{rows} rows of {}", &text[..40]);
        }
    }
}

/// A server that is down for a while is no setting: its failures belong to the run in which they follow each other.
#[test]
fn failures_that_follow_each_other_are_of_their_run() {
    for (status, good, bad) in [("status_code", "200", "503"), ("failed", "0", "1")] {
        let mut text = format!("variant,run,request_id,ttft_ms,{status}\n");
        for (variant, run) in [("a", 0), ("a", 1), ("b", 0), ("b", 1)] {
            for i in 0..12 {
                let said = if i < 5 { bad } else { good };
                text += &format!("{variant},{run},r{i},{}.5,{said}\n", 50 + i);
            }
        }
        let dataset = table(&text);
        assert_eq!(runs(&dataset), vec![2, 2], "{status}");
    }
}

#[test]
fn samples_over_time_and_logs_of_a_training_are_no_runs() {
    let mut telemetry = "timestamp,power_w,gpu_util\n".to_owned();
    let mut training = "step,loss,learning_rate,step_time_ms\n".to_owned();
    for i in 0..30 {
        telemetry += &format!("2026-05-01T10:00:{i:02},{}.5,{}\n", 300 + i % 7, 90 + i % 5);
        training +=
            &format!("{},{:.4},0.0003,{}.25\n", 10 * (i + 1), 9.0 / f64::from(i + 2), 80 + i % 3);
    }
    for text in [telemetry, training] {
        let error = read("log.csv", &text, &Options::default()).expect_err("no runs");
        assert!(error.contains("samples of a run over time"), "{error}");
        assert!(!error.contains("run the benchmark again"), "{error}");
    }
}

/// Rows that were planned and not run have no value: they are left out, and that is said.
#[test]
fn a_row_without_a_value_is_no_run() {
    let text = "__run_id,__done,variant,step_ms\nr0,DONE,a,1.5\nr1,TODO,a,\nr2,DONE,a,1.6\n\
                r3,DONE,b,1.4\nr4,DONE,b,1.7\nr5,TODO,b, \n";
    let dataset = table(text);
    assert_eq!(runs(&dataset), vec![2, 2]);
    let skipped = &dataset.inputs[0].skipped[0];
    assert!(skipped.place.contains('3') && skipped.why.contains("in 1 more"), "{skipped:?}");
}

#[test]
fn a_plan_without_a_value_is_refused() {
    let text = "__run_id,__done,generation,task\nr0,DONE,3.2,COPA\nr1,DONE,2,CB\nr2,DONE,3.2,COPA\n\
                r3,DONE,2,CB\nr4,DONE,3.2,COPA\nr5,DONE,2,CB\n";
    let error = read("plan.csv", text, &Options::default()).expect_err("no metric");
    assert!(error.contains("generation") && error.contains("--metric"), "{error}");
}

#[test]
fn several_columns_name_the_variant() {
    let mut text = "engine,quant,batch,tok_s\n".to_owned();
    for engine in ["x", "y"] {
        for quant in ["int4", "fp16"] {
            for row in 0..3 {
                text += &format!("{engine},{quant},8,{}.5\n", 500 + row);
            }
        }
    }
    let two = Options { variant_column: names(&["engine", "quant"]), ..Options::default() };
    let dataset = with(&text, &two);
    assert_eq!(runs(&dataset), vec![3; 4]);
    assert_eq!(dataset.groups[0].variants[0].name, "x, int4");
    let one = Options { variant_column: names(&["engine"]), ..Options::default() };
    let dataset = with(&text, &one);
    assert_eq!((dataset.groups.len(), runs(&dataset)), (2, vec![3; 4]));
}

#[test]
fn a_setting_may_differ_on_purpose() {
    let mut text = "variant,model,output_throughput\n".to_owned();
    for (variant, model) in [("before", "m-bf16"), ("after", "m-fp8")] {
        for row in 0..3 {
            text += &format!("{variant},{model},{}.5\n", 500 + row);
        }
    }
    let apart = table(&text);
    assert_eq!((apart.groups.len(), runs(&apart)), (2, vec![3, 3]));
    let across = with(&text, &Options { across_setting: names(&["model"]), ..Options::default() });
    assert_eq!((across.groups.len(), runs(&across)), (1, vec![3, 3]));
    assert!(across.said.iter().any(|said| said.contains("differ in model intentionally")));
}

#[test]
fn the_variant_is_found_by_its_baseline_label() {
    let mut text = "scheduler,batch,tok_s\n".to_owned();
    for scheduler in ["baseline", "greedy"] {
        for row in 0..3 {
            text += &format!("{scheduler},8,{}.5\n", 500 + row);
        }
    }
    let dataset = table(&text);
    assert_eq!((dataset.groups.len(), runs(&dataset)), (1, vec![3, 3]));
    let found: Vec<&str> = dataset.variant_names();
    assert_eq!(found, ["baseline", "greedy"]);
}

#[test]
fn where_nothing_is_repeated_there_is_no_verdict() {
    let text = "variant,batch,tok_s\na,1,10.5\na,2,19.5\na,4,33.5\nb,1,11.5\nb,2,20.5\nb,4,35.5\n";
    let dataset = table(text);
    assert_eq!(runs(&dataset), vec![1; 6]);
    // Where there are no repeats there is no noise, and no verdict.
    let report = analyse(&dataset, Some("a"), None, &Policy::default()).expect("a report");
    let none = |comparison: &Comparison| comparison.headline == Headline::NoVerdict;
    assert!(!report.comparisons.is_empty() && report.comparisons.iter().all(none));
}

#[test]
fn a_metric_is_found_in_any_letter_case() {
    let text = "variant,Widgets\na,10.5\na,11.5\nb,9.25\nb,9.75\n";
    let options = Options { metrics: names(&["widgets"]), ..Options::default() };
    assert_eq!(runs(&with(text, &options)), vec![2, 2]);
}

/// A client's result, with tags in its metadata.
fn served(tags: &[(&str, &str)], duration: f64) -> String {
    let mut object = serde_json::json!({
        "date": "20260501-101500", "backend": "vllm", "model_id": "m", "tokenizer_id": "m",
        "num_prompts": 100, "request_rate": "inf", "max_concurrency": 8, "duration": duration,
        "completed": 100, "total_input_tokens": 10_000, "total_output_tokens": 20_000,
        "request_throughput": 100.0 / duration, "output_throughput": 20_000.0 / duration,
        "total_token_throughput": 30_000.0 / duration, "mean_ttft_ms": 50.5 + duration,
        "median_ttft_ms": 50.25, "p99_ttft_ms": 80.5, "mean_tpot_ms": 9.5, "mean_itl_ms": 9.25,
    });
    for (key, value) in tags {
        object[*key] = serde_json::Value::from(*value);
    }
    object.to_string()
}

/// Files in memory, each of a variant.
fn files(all: &[(&str, String)]) -> Dataset {
    let named: Vec<(String, &str, &String)> = all
        .iter()
        .enumerate()
        .map(|(at, (variant, text))| (format!("{variant}-{at}.json"), *variant, text))
        .collect();
    let files: Vec<File> = named
        .iter()
        .map(|(name, variant, text)| File { variant: Some(variant), name, bytes: text.as_bytes() })
        .collect();
    load_bytes(&files, &Options::default()).expect("results").dataset
}

#[test]
fn tags_of_a_client_are_settings() {
    let mut all = Vec::new();
    for variant in ["main", "pr"] {
        for tp in ["1", "2"] {
            for _ in 0..3 {
                let duration = 60.0 + all.len() as f64;
                all.push((variant, served(&[("tensor_parallel", tp)], duration)));
            }
        }
    }
    let dataset = files(&all);
    assert_eq!((dataset.groups.len(), runs(&dataset)), (2, vec![3; 4]));
    // A tag that is another in every run tells them apart only.
    let each: Vec<(&str, String)> = (0..6)
        .map(|at| {
            let variant = if at < 3 { "main" } else { "pr" };
            let number = format!("job-{}", 4711 + at);
            (variant, served(&[("job", number.as_str())], 60.0 + f64::from(at)))
        })
        .collect();
    assert_eq!(runs(&files(&each)), vec![3, 3]);
}

/// `h100/main`, `h100/pr`, `h200/main`, `h200/pr`, two results each.
/// 200 and 800 output tokens a request: no client of these wrote the length down. 210 is 200 with other last words.
#[test]
fn outputs_of_another_length_are_another_load() {
    let of_length = |tokens: &str, duration: f64| {
        served(&[], duration)
            .replace("\"total_output_tokens\":20000", &format!("\"total_output_tokens\":{tokens}"))
    };
    let all: Vec<(&str, String)> = [("before", 1.0), ("after", 1.125)]
        .into_iter()
        .flat_map(|(variant, factor)| {
            [("20000", 5.0), ("21000", 5.25), ("80000", 20.5), ("80000", 20.25)]
                .map(|(tokens, duration)| (variant, of_length(tokens, duration * factor)))
        })
        .collect();
    assert_eq!(runs(&files(&all)), [2, 2, 2, 2]);
    // 20 % apart is no other length: 4 repeats.
    let near: Vec<(&str, String)> = ["20000", "24000", "22000", "20000"]
        .into_iter()
        .zip([5.0, 6.25, 5.5, 5.75])
        .map(|(tokens, duration)| ("before", of_length(tokens, duration)))
        .collect();
    assert_eq!(runs(&files(&near)), [4]);
}

#[test]
fn folders_are_settings() {
    let root = std::env::temp_dir().join(format!("beyondnoise-folders-{}", std::process::id()));
    for (at, folder) in ["h100/main", "h100/pr", "h200/main", "h200/pr"].iter().enumerate() {
        let folder = root.join(folder);
        std::fs::create_dir_all(&folder).expect("a folder");
        for run in 0..2 {
            let duration = 60.0 + 7.0 * at as f64 + f64::from(run);
            std::fs::write(folder.join(format!("{run}.json")), served(&[], duration))
                .expect("a file");
        }
    }
    let loaded = beyondnoise::read::load(&[root.display().to_string()], &Options::default());
    std::fs::remove_dir_all(&root).expect("taken away");
    let dataset = loaded.expect("results").dataset;
    assert_eq!((dataset.groups.len(), runs(&dataset)), (2, vec![2; 4]));
    assert_eq!(dataset.variant_names(), ["main", "pr"]);
}

/// A total beside its parts is another thing than they are, and never a repeat of them.
#[test]
fn a_total_beside_its_parts_is_not_their_repeat() {
    let mut text = "variant,endpoint,mean_ms\n".to_owned();
    for variant in ["a", "b"] {
        for (endpoint, value) in [("/get", 10), ("/put", 20), ("Aggregated", 15)] {
            for row in 0..2 {
                text += &format!("{variant},{endpoint},{value}.{row}5\n");
            }
        }
    }
    let dataset = table(&text);
    let mut of: BTreeMap<usize, usize> = BTreeMap::new();
    for count in runs(&dataset) {
        *of.entry(count).or_default() += 1;
    }
    assert_eq!(of, BTreeMap::from([(2, 6)]));
}

/// Tables of the variants `main` and `pr`, several files each.
fn tables(all: &[(&str, &str)]) -> Dataset {
    let named: Vec<String> = (0..all.len()).map(|at| format!("t{at}.csv")).collect();
    let files: Vec<File> = all
        .iter()
        .zip(&named)
        .map(|((variant, text), name)| File {
            variant: Some(variant),
            name,
            bytes: text.as_bytes(),
        })
        .collect();
    load_bytes(&files, &Options::default()).expect("readable").dataset
}

/// A column that some files of a variant lack is a setting that their runs do not have.
#[test]
fn a_setting_that_some_files_lack_is_a_setting() {
    let plain = "run,tok_s\n1,100.5\n2,101.5\n";
    let graphs = "run,graphs,tok_s\n1,on,130.5\n2,on,131.5\n";
    let other = "run,tok_s\n1,100.25\n2,101.75\n";
    let both = "run,graphs,tok_s\n1,on,130.25\n2,on,131.75\n";
    let read = tables(&[("main", plain), ("main", graphs), ("pr", other), ("pr", both)]);
    assert_eq!(runs(&read), [2, 2, 2, 2]);
}

/// A file for each value of a number under a name that says nothing: the same as in one table.
#[test]
fn numbers_that_are_one_in_each_file_are_settings() {
    let file = |gb: u32, at: usize| format!("mem_gb,tok_s\n{gb},{}.5\n", 100 + at);
    let made: Vec<(&str, String)> = [40, 40, 80, 80, 40, 40, 80, 80]
        .into_iter()
        .enumerate()
        .map(|(at, gb)| (if at < 4 { "main" } else { "pr" }, file(gb, at)))
        .collect();
    let all: Vec<(&str, &str)> =
        made.iter().map(|(variant, text)| (*variant, text.as_str())).collect();
    assert_eq!(runs(&tables(&all)), [2, 2, 2, 2]);
}

#[test]
fn flags_that_few_rows_have_and_shares_of_memory_are_settings() {
    let mut text = "build,flag,share,tok_s\n".to_owned();
    for (at, flag) in ["", "", "", "", "", "eager", "graph"].iter().enumerate() {
        text += &format!("main,{flag},0.9,{}.5\npr,{flag},0.9,{}.25\n", 100 + at, 110 + at);
    }
    assert_eq!(role(&table(&text), "flag"), "factor");
    let memory = two_builds("gpu_memory_utilization", &["0.5", "0.9"]);
    assert_eq!(role(&table(&memory), "gpu_memory_utilization"), "factor");
}

/// Iterations are inside a start, which is the repeat: 2 starts of 3 iterations, means 101 and 104 by hand.
#[test]
fn iterations_are_inside_what_was_started() {
    let mut text = "build,start,iteration,latency_ms\n".to_owned();
    for (build, first) in [("main", [100.0, 103.0]), ("pr", [103.0, 100.0])] {
        for (start, first) in first.iter().enumerate() {
            for iteration in 0..3 {
                text += &format!("{build},{start},{iteration},{}\n", first + f64::from(iteration));
            }
        }
    }
    let read = table(&text);
    assert_eq!(runs(&read), [2, 2]);
    near(mean(&read.groups[0], "main", "latency_ms"), 102.5);
}

/// What `convert` writes of levels and averages is read back as such: without the flag as settings, never pooled.
#[test]
fn levels_and_averages_stand_in_the_tidy_table() {
    let mut text = "machine,start,build,step_ms\n".to_owned();
    for machine in 0..2 {
        for start in 0..3 {
            text += &format!("{machine},{start},main,{}.5\n", 100 + 5 * machine + start);
            text += &format!("{machine},{start},pr,{}.25\n", 103 + 5 * machine + start);
        }
    }
    let levels = Options { run_column: names(&["machine", "start"]), ..Options::default() };
    let first = with(&text, &levels);
    let written = String::from_utf8(tidy(&first, Tidy::Csv).expect("a table")).expect("UTF-8");
    assert_eq!(runs(&with(&written, &levels)), [6, 6]);
    let of = |data: &Dataset| data.groups[0].variants[0].runs[0].info.levels.clone();
    assert_eq!(of(&with(&written, &levels)), of(&first));
    assert_eq!(runs(&table(&written)), [1; 12]);
    let averages = "build,latency_ms_mean,latency_ms_std,runs\nmain,2,0.02,5\npr,2.2,0.03,5\n";
    let written = tidy(&table(averages), Tidy::Csv).expect("a table");
    let again = table(&String::from_utf8(written).expect("UTF-8"));
    let spread = &again.groups[0].variants[1].runs[0].info.spreads;
    assert_eq!(spread.values().next().map(|spread| (spread.sd, spread.runs)), Some((0.03, 5)));
}

/// 1 s apart to the millisecond: a program wrote them down while something ran.
#[test]
fn samples_at_even_times_are_no_runs() {
    let mut text = "build,timestamp,tok_s\n".to_owned();
    for build in ["main", "pr"] {
        for second in 10..30 {
            text += &format!("{build},2026-01-01 10:00:{second},{}.5\n", 100 + second % 7);
        }
    }
    let refused = read("runs.csv", &text, &Options::default()).expect_err("samples");
    assert!(refused.contains("samples of a run over time"), "{refused}");
}

/// 2 and 2.2 with 0.02: the spread is what is printed, not half of the last digit of the mean. Two averages a build are no
/// runs.
#[test]
fn averages_keep_the_spread_that_they_state() {
    let head = "build,latency_ms_mean,latency_ms_std,runs\n";
    let compared = |rows: &str| {
        let policy = Policy { selected: Vec::new(), ..Policy::default() };
        let read = table(&format!("{head}{rows}"));
        let report = analyse(&read, Some("main"), None, &policy).expect("two builds");
        report.comparisons.into_iter().next().expect("one")
    };
    let one = compared("main,2,0.02,5\npr,2.2,0.02,5\n");
    assert_eq!(one.headline, Headline::Regressed);
    let two = compared("main,2,0.02,5\nmain,2.01,0.02,5\npr,2.2,0.02,5\npr,2.21,0.02,5\n");
    assert_eq!(two.headline, Headline::NoVerdict);
}

/// A log has the time of each row; no two rows share it, and none is a setting of its own.
#[test]
fn times_of_day_that_differ_in_every_row_are_no_setting() {
    let rows = "variant,step_ms,clock\na,10.1,12:00:00\na,10.2,12:10:00\na,10.3,12:20:05.5\n\
                b,9.1,12:30:00\nb,9.2,12:40:00\nb,9.3,12:50:00\n";
    let dataset = table(rows);
    assert_eq!(dataset.groups.len(), 1);
    assert_eq!(role(&dataset, "clock"), "identity");
}

/// Labels that differ in their digits alone number the runs, also from 0 on: the first one is a run, though it equals the
/// smallest of the others. A label of another kind beside the mean of the others, by hand, is none.
#[test]
fn a_run_called_zero_is_a_run_and_an_average_under_any_label_is_none() {
    for stem in ["r", "try-", "before-"] {
        let mut zero = "build,run,step_ms\n".to_owned();
        for (build, values) in [("main", [10, 10, 11]), ("pr", [12, 12, 13])] {
            for (run, value) in values.into_iter().enumerate() {
                zero += &format!("{build},{stem}{run},{value}.0\n");
            }
        }
        assert_eq!(runs(&table(&zero)), [3, 3], "{stem}");
    }
    // (10.1 + 10.3 + 11.2) / 3 = 10.53 and (12.1 + 12.5 + 13.2) / 3 = 12.6
    let average = "build,run,step_ms\nmain,1,10.1\nmain,2,10.3\nmain,3,11.2\nmain,moyenne,10.53\n\
                   pr,1,12.1\npr,2,12.5\npr,3,13.2\npr,moyenne,12.6\n";
    assert_eq!(runs(&table(average)), [3, 3]);
}

/// A column called like a place of a file that holds phrases names what is compared; so does one word a row, where nothing
/// else tells the rows apart. Sizes under one word do not.
#[test]
fn one_phrase_a_row_names_the_variants() {
    let variants = |text: &str| -> Vec<String> {
        let found = table(text);
        found.groups.iter().flat_map(|group| &group.variants).map(|one| one.name.clone()).collect()
    };
    let paths = "Path,Avg Latency\nproxy then server,0.369s\nserver alone,0.392s\n";
    assert_eq!(variants(paths), ["proxy then server", "server alone"]);
    let names = "Name,\"Time, ms\"\nfast.js,4.994\nslow.js,13.511\n";
    assert_eq!(variants(names), ["fast.js", "slow.js"]);
    let sizes = table("part,x_ms\nblock 8,4.994\nblock 64,3.511\n");
    assert_eq!((sizes.groups.len(), runs(&sizes)), (2, vec![1, 1]));
    let cases = table("Test,x_ms\nparse,4.994\nprint,3.511\n");
    assert_eq!((cases.groups.len(), runs(&cases)), (2, vec![1, 1]));
}

/// Rows that each have a change of their own are compared with something that is not in the table: a case of the name of a
/// baseline is none. A change is of the metric that its header names.
#[test]
fn changes_beside_every_row_are_of_another_table() {
    let found = table(
        "Test,Conn,RPS,CPU,Δ RPS\nbaseline,512,419736,6167%,+21.2%\nbaseline,4096,50060,6284%,-22.6%\njson,4096,383271,10513%,+39.2%\n",
    );
    assert_eq!((found.groups.len(), runs(&found)), (3, vec![1, 1, 1]));
    let claims = found.runs().flat_map(|(.., run)| &run.info.claims);
    let metrics: Vec<_> = claims.map(|claim| claim.metric.as_deref()).collect();
    assert_eq!(metrics, [Some("request_throughput"); 3]);
}

/// A count of the rows that a metric follows was varied; one that no metric follows counts the runs.
#[test]
fn a_count_that_the_results_follow_is_a_setting() {
    let rows = |p50: [f64; 4]| {
        let [a, b, c, d] = p50;
        format!("detectors,classifiers,p50_ms\n1,1,{a}\n2,1,{b}\n3,1,{c}\n4,1,{d}\n")
    };
    assert_eq!(runs(&table(&rows([787.1, 1588.2, 2364.3, 3191.4]))), [1, 1, 1, 1]);
    assert_eq!(runs(&table(&rows([787.1, 791.2, 779.3, 788.4]))), [4]);
}

/// Lines that begin with `#` above a header are comments, however many and however wide; a last one above numbers is the
/// header itself.
#[test]
fn comments_above_a_header_are_skipped() {
    let comments = "# key\tvalue\n".repeat(20);
    let found = table(&format!("{comments}tool\tx_ms\na\t1.5\na\t2.5\nb\t3.5\n"));
    assert_eq!(runs(&found), [1, 2]);
    assert!(table("# note\n#a,x_ms\n1.5,2.5\n1.25,3.5\n").runs().count() == 2);
}

/// A unit with a slash before the pair of sides is no pair.
#[test]
fn a_pair_of_sides_stands_behind_a_unit_with_a_slash() {
    let text = "| Device | Throughput (im/s) (Before/After) | Latency (s) (Before/After) |\n|---|---|---|\n| CPU | 0.42 / 1.10 | 2.41 / 0.92 |\n| iGPU | 0.61 / 1.31 | 1.72 / 0.80 |\n";
    let found = read("t.md", text, &Options::default()).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!((found.groups.len(), runs(&found)), (2, vec![1; 4]));
    near(mean(cell(&found, "Device", "iGPU"), "Before", "Latency (s)"), 1.72);
    near(mean(cell(&found, "Device", "CPU"), "After", "Throughput (im/s)"), 1.10);
}

/// Words that only a comparison takes for its variants are settings where builds are looked at by themselves: two kernels are
/// neither repeats of one build nor one series of nights.
#[test]
fn only_a_comparison_takes_words_for_its_variants() {
    let apart = Options { purpose: Purpose::Repeats, ..Options::default() };
    for rows in [
        "softmax,100.5\nlayernorm,201.7\n",
        "softmax,1.5\nsoftmax,1.6\nlayernorm,2.5\nlayernorm,2.6\n",
    ] {
        let text = format!("kernel,x_us\n{rows}");
        assert_eq!(table(&text).groups.len(), 1, "{text}");
        let kept = with(&text, &apart);
        assert_eq!(kept.groups.len(), 2, "{text}");
        assert!(cell(&kept, "kernel", "softmax").variants.len() == 1, "{text}");
    }
}

#[test]
fn labels_in_the_column_of_runs_are_variants_where_their_repeats_are_numbered() {
    let rows = |names: [&str; 2]| {
        let row = |name: &str, at: i32| {
            format!("{name},prose,{at},{}\n{name},code,{at},{}\n", 20 + at, 30 + at)
        };
        let rows: String =
            names.iter().flat_map(|name| (0..3).map(move |at| row(name, at))).collect();
        format!("run,case,rep,tok_s\n{rows}")
    };
    let read = table(&rows(["eager-base", "fused"]));
    assert_eq!((role(&read, "run"), runs(&read)), ("variant".to_owned(), vec![3; 4]));
    // Numbered names are starts of one build.
    let read = table(&rows(["start-1", "start-2"]));
    assert_eq!((role(&read, "run"), runs(&read)), ("identity".to_owned(), vec![2, 2]));
}

#[test]
fn what_differs_between_numbered_repeats_came_of_the_runs() {
    let mut text =
        "condition,repeat,answer,hits,passed,judge_solved,stagger (ms),seconds\n".to_owned();
    for (at, condition) in ["main", "pr"].into_iter().enumerate() {
        for repeat in 0..3 {
            let answer = [["yes", "no", "yes, mostly"], ["yes", "yes", "no"]][at][repeat];
            let hits = [[4, 4, 5], [4, 5, 5]][at][repeat];
            let seconds = 20.25 + (3 * at + repeat) as f64;
            text += &format!("{condition},{repeat},\"{answer}\",{hits},True,False,50,{seconds}\n");
        }
    }
    let read = table(&text);
    assert_eq!(runs(&read), [3, 3]);
    assert_eq!(role(&read, "answer"), "remark");
    // No row solved it, though all passed: a score, and no failed run.
    assert_eq!(role(&read, "judge_solved"), "factor");
    // The same in every row, beside times that vary.
    assert_eq!(role(&read, "stagger (ms)"), "factor");
    assert!(read.groups[0].variants[0].runs.iter().all(|run| run.info.failure.is_none()));
    // Without another word for success it is a failure.
    let lone = text.replace(",passed,", ",note,");
    let failed = table(&lone);
    let of = |dataset: &Dataset| dataset.groups[0].variants[0].failed.len();
    assert_eq!((of(&read), of(&failed)), (0, 3));
}

/// Runs that are numbered on over the cases do not make these repeats: every variant has the same.
#[test]
fn cases_below_numbered_runs_are_settings() {
    let mut text = "variant,run,query,time_ms\n".to_owned();
    for (at, variant) in ["base", "new"].into_iter().enumerate() {
        for run in 0..8 {
            let (query, time) = [("parse", 10.0), ("render", 50.0)][run % 2];
            let time = time - 0.5 * at as f64 + 0.01 * run as f64;
            text += &format!("{variant},{run},{query},{time:.2}\n");
        }
    }
    let read = table(&text);
    assert_eq!((role(&read, "query"), runs(&read)), ("factor".to_owned(), vec![4; 4]));
}

/// As a value of each repeat it would be one without noise.
#[test]
fn one_value_beside_a_list_of_repeats_is_none_of_them() {
    let read = table(
        "Algorithm,Size,Execution Times,Average Time\nA,100,11.5;10.5;12.5,11.5\nB,100,9.5;8.5;10.25,9.5\n\
         A,200,21.5;20.5;22.5,21.5\nB,200,19.5;18.5;20.25,19.5\n",
    );
    assert_eq!(runs(&read), [3; 4]);
    let metrics = read.groups[0].variants[0].runs[0].metrics.keys().count();
    assert_eq!(metrics, 1);
}

/// Their orders of magnitude differ: these are settings, and no builds.
#[test]
fn settings_beside_one_another_are_no_variants() {
    let read = table(
        "exp_id,policy,learning_rate,gamma,initial_eps,final_eps,buffer_size\n1,a,0.00008,0.985,1.0,0.02,100000\n\
         2,a,0.0006,0.925,1.0,0.03,50000\n3,a,0.00015,0.89,1.0,0.02,100000\n",
    );
    let variants = read.groups.iter().flat_map(|group| &group.variants);
    assert!(variants.clone().all(|variant| variant.name != "gamma"), "{read:?}");
}

#[test]
fn words_beside_values_that_name_metrics_name_them() {
    let read = table(
        "scheme,stat,value\nbase,p50_ms,5.25\nbase,p99_ms,28.5\nbase,cpu,Apple M5\nnew,p50_ms,4.25\nnew,p99_ms,24.5\n",
    );
    assert_eq!(role(&read, "stat"), "metric names");
    assert_eq!(runs(&read), [1, 1]);
}
