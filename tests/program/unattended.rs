//! `may_claim` and `next_command` of the JSON: the sentence that the data support, and the command that goes on. Each
//! command is run as it stands.
#![cfg(unix)]

use std::fmt::Write as _;
use std::fs;
use std::process::{Command, Output, Stdio};

use serde_json::Value;

/// A folder in which commands are typed.
struct Place(tempfile::TempDir);

impl Place {
    fn with(table: &str) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        fs::write(folder.path().join("my runs.csv"), table).expect("a file");
        Self(folder)
    }

    /// A command line as a shell runs it.
    fn types(&self, line: &str) -> Output {
        let programs = std::path::Path::new(env!("CARGO_BIN_EXE_beyondnoise")).parent();
        let path = std::env::var("PATH").unwrap_or_default();
        Command::new("sh")
            .args(["-c", line])
            .current_dir(self.0.path())
            .env("PATH", format!("{}:{path}", programs.expect("a folder").display()))
            .env("NO_COLOR", "1")
            .stdin(Stdio::null())
            .output()
            .expect("a shell")
    }

    /// The document of a command line.
    #[track_caller]
    fn document(&self, line: &str) -> Value {
        let out = self.types(line);
        assert!(out.status.success(), "{line}: {}", String::from_utf8_lossy(&out.stderr));
        serde_json::from_slice(&out.stdout).expect("JSON")
    }

    /// The first comparison of a command line with more words.
    #[track_caller]
    fn comparison(&self, more: &str) -> Value {
        let line = format!("beyondnoise compare 'my runs.csv' --format json {more}");
        self.document(&line)["comparisons"][0].clone()
    }
}

/// Two variants with these values of a metric of which less is better, without pairs.
fn unpaired(before: &[f64], after: &[f64]) -> String {
    let table = table(before, after);
    let line = |line: &str| -> String {
        let cells: Vec<&str> = line.split(',').collect();
        [cells[0], cells[1], cells[3]].join(",") + "\n"
    };
    table.lines().map(line).collect()
}

/// Two variants with these values of a metric of which less is better.
fn table(before: &[f64], after: &[f64]) -> String {
    let mut table = "variant,run,pair,build_s\n".to_owned();
    for (variant, values) in [("before", before), ("after", after)] {
        for (run, value) in values.iter().enumerate() {
            writeln!(table, "{variant},{run},{run},{value}").expect("text");
        }
    }
    table
}

#[track_caller]
fn line(comparison: &Value) -> String {
    comparison["next_command"].as_str().unwrap_or_else(|| panic!("{comparison}")).to_owned()
}

const LOWER: &str = "--metric build_s:lower";

/// The pairs differ by 2 % each, under a drift of 30 %.
#[test]
fn the_command_compares_in_pairs() {
    let before = [100.0, 110.0, 118.0, 125.0, 130.0];
    let after: Vec<f64> =
        before.iter().zip(0..).map(|(v, k)| v * (1.02 + 0.001 * f64::from(k))).collect();
    let place = Place::with(&table(&before, &after));
    let found = place.comparison(&format!("{LOWER} --noise auto"));
    assert!(found["next_step"].as_str().expect("a step").contains("--paired"), "{found}");
    let command = line(&found);
    assert_eq!(
        command,
        "beyondnoise compare --paired \"my runs.csv\" --format json --metric build_s:lower"
    );
    let again = &place.document(&command)["comparisons"][0];
    assert_eq!((&again["headline"], &again["next_command"]), (&"regressed".into(), &Value::Null));
}

/// The centre of Hodges and Lehmann has no interval at 95 % for 3 + 3 runs: the smallest two-sided level of the rank sum
/// test is 2 / C(6, 3) = 10 %.
#[test]
fn the_command_takes_the_mean_where_a_rank_interval_needs_more_runs() {
    let place = Place::with(&table(&[100.0, 101.0, 102.0], &[110.0, 111.0, 112.0]));
    for flag in ["--across hodges-lehmann", "--across=hodges-lehmann"] {
        let found = place.comparison(&format!("{flag} {LOWER}"));
        assert_eq!((&found["headline"], &found["may_claim"]), (&"no_verdict".into(), &Value::Null));
        let command = line(&found);
        assert_eq!(
            command,
            "beyondnoise compare --across mean \"my runs.csv\" --format json --metric build_s:lower"
        );
        assert_eq!(place.document(&command)["comparisons"][0]["headline"], "regressed");
    }
}

/// The plan of the runs that are there and those that the sentence names finds the change that the sentence names. The change
/// seen has no part in it: the other way round, and larger, the command is the same.
#[test]
fn the_command_plans_the_runs_that_the_sentence_names() {
    let before = [99.4, 100.0, 100.6, 100.1];
    let mut commands = Vec::new();
    for factor in [1.006, 0.994, 1.0075] {
        let after = before.map(|value| value * factor);
        let place = Place::with(&unpaired(&before, &after));
        let found = place.comparison(LOWER);
        assert_eq!(
            (&found["headline"], &found["may_claim"]),
            (&"within_noise".into(), &Value::Null)
        );
        let needed = found["metrics"][0]["runs_to_settle"].as_u64().expect("a number");
        let step = found["next_step"].as_str().expect("a step");
        assert!(step.starts_with(&format!("{} more runs of each", needed - 4)), "{step}");
        let command = line(&found);
        assert!(command.starts_with("beyondnoise plan --runs "), "{command}");
        let plan = place.document(&format!("{command} --format json"));
        assert_eq!(plan["plans"][0]["runs"], needed, "{command}");
        let finds = plan["plans"][0]["metrics"][0]["smallest"].as_f64().expect("a change");
        assert!(step.contains(&format!("find a change of {:.1} %", 100.0 * finds)), "{step}");
        commands.push(command);
    }
    assert!(commands.iter().all(|command| *command == commands[0]), "{commands:?}");
}

/// Cells with three metrics borrow noise from each other, and share the level.
#[test]
fn the_command_plans_with_borrowed_noise_in_a_batch() {
    let mut rows = "model,variant,run,output_throughput,mean_ttft_ms,mean_tpot_ms\n".to_owned();
    for cell in 0..6_u32 {
        for (variant, shift, first) in [("main", 0.0, 4), ("pr", 0.4, 2)] {
            for run in 0..3_u32 {
                let noise = |k: u32| f64::from((7 * cell + 5 * run + 3 * k + first) % 11) / 8.0;
                let values = [noise(0), noise(1), noise(2)].map(|noise| 100.0 + noise + shift);
                writeln!(rows, "m{cell},{variant},{run},{},{},{}", values[0], values[1], values[2])
                    .expect("text");
            }
        }
    }
    let place = Place::with(&rows);
    let report =
        place.document("beyondnoise batch 'my runs.csv' --by model --base main --format json");
    let mut planned = 0;
    for one in report["comparisons"].as_array().expect("comparisons") {
        let Some(command) = one["next_command"].as_str() else { continue };
        let rows = one["metrics"].as_array().expect("rows");
        let open = rows
            .iter()
            .find(|row| row["verdict"] == "within_noise" && row["runs_to_settle"].is_u64());
        let needed = &open.expect("an open metric")["runs_to_settle"];
        let plan = place.document(&format!("{command} --format json"));
        assert_eq!(&plan["plans"][0]["runs"], needed, "{command}");
        planned += 1;
    }
    assert!(planned > 0, "{report}");
}

/// The flags that a next step names, as they are typed.
fn flags(step: &str) -> String {
    let start = step.find(" --").expect("a flag");
    let end = step[start..].find([';', '.']).map_or(step.len(), |end| start + end);
    step[start..end].replace('`', "")
}

const VERDICTS: [&str; 3] = ["improved", "regressed", "within_noise"];

/// Two builds of three runs with a setting that only tells them apart.
fn with_setting(name: &str, [before, after]: [&str; 2]) -> String {
    let mut rows = format!("build,run,{name},output_throughput\n");
    for (build, setting, centre) in [("main", before, 100.0), ("pr", after, 110.0)] {
        for run in 1..=3_u32 {
            writeln!(rows, "{build},{run},{setting},{}", centre + 0.1 * f64::from(run))
                .expect("text");
        }
    }
    rows
}

/// S10: different model names, or numbers of requests, were told to make at least 3 runs. The flag is told from the table. Typed, it
/// gives the change of the means: 110.2 / 100.2.
#[test]
fn a_setting_that_tells_the_variants_apart_is_named_to_compare_across() {
    for (name, values) in [
        ("model", ["llama-bf16", "llama-fp8"]),
        ("requests", ["100", "200"]),
        ("max_concurrency", ["8", "16"]),
        ("request_rate", ["2", "4"]),
        ("dataset", ["sharegpt", "random"]),
    ] {
        let place = Place::with(&with_setting(name, values));
        let found = place.comparison("");
        assert_eq!(found["headline"], "not_comparable");
        let step = found["next_step"].as_str().expect("a step");
        assert!(step.contains(&format!("--across-setting {name};")), "{step}");
        // Whether it was meant is for the user to say.
        assert_eq!(found["next_command"], Value::Null);
        let solved = place.comparison(&flags(step));
        assert_eq!(solved["headline"], "improved", "{name}: {solved}");
        let change = solved["metrics"][0]["delta"]["relative"].as_f64().expect("a change");
        assert!((change - (110.2 / 100.2 - 1.0)).abs() < 1e-12, "{change}");
        let batch = String::from_utf8(place.types("beyondnoise batch 'my runs.csv'").stdout);
        let batch = batch.expect("UTF-8").replace('\n', " ");
        assert!(batch.contains(&format!("--across-setting {name};")), "{batch}");
        assert!(!batch.contains("at least 3 runs"), "{batch}");
    }
}

/// A setting with two values in one variant is no difference between the builds.
#[test]
fn a_setting_that_varies_inside_a_variant_is_not_compared_across() {
    let rows = with_setting("model", ["a", "c"]).replace("main,3,a", "main,3,b");
    let place = Place::with(&rows);
    let step = place.comparison("")["next_step"].to_string();
    assert!(!step.contains("--across-setting"), "{step}");
}

/// S10: the report said "no verdict for any of the 6". By hand: the log ratios of the six blocks are 1.7822, 1.7621, 1.6874,
/// 1.7884, 1.6247 and 1.8909 %, on average 1.7560 %, which is +1.7715 %.
#[test]
fn a_column_with_one_run_of_each_variant_in_every_value_is_named_for_pairs() {
    let blocks = [
        (100.1, 101.9),
        (90.0, 91.6),
        (99.9, 101.6),
        (105.3, 107.2),
        (109.9, 111.7),
        (110.0, 112.1),
    ];
    for column in ["block", "rack", "oven"] {
        let mut rows = format!("build,{column},output_throughput\n");
        for (at, (before, after)) in blocks.iter().enumerate() {
            writeln!(rows, "main,n{at},{before}\npr,n{at},{after}").expect("text");
        }
        let place = Place::with(&rows);
        let found = place.comparison("");
        assert_eq!(found["headline"], "no_verdict");
        let step = found["next_step"].as_str().expect("a step");
        assert!(step.contains(&format!("--pair-column {column} --paired")), "{step}");
        for again in [
            place.document(&line(&found))["comparisons"][0].clone(),
            place.comparison(&flags(step)),
        ] {
            assert_eq!(again["headline"], "improved", "{again}");
            let change = again["metrics"][0]["delta"]["relative"].as_f64().expect("a change");
            assert!((change - 0.017_715).abs() < 1e-5, "{change}");
        }
        let text = place.types("beyondnoise compare 'my runs.csv'").stdout;
        let text = String::from_utf8(text).expect("UTF-8").replace('\n', " ");
        assert!(!text.contains("Run each 3 times") && !text.contains("--run-column"), "{text}");
    }
}

/// S10: the hint was `--pool`. Three builds of each variant, with two runs in each.
#[test]
fn a_column_whose_values_belong_to_one_variant_each_is_named_as_a_level_of_repeats() {
    for column in ["build", "kernel"] {
        let mut rows = format!("variant,{column},run,output_throughput\n");
        for (variant, names, centre) in
            [("main", ["b1", "b2", "b5"], 100.0), ("pr", ["b3", "b4", "b6"], 103.5)]
        {
            for (at, name) in names.iter().enumerate() {
                for run in 1..=2_u32 {
                    let value = centre + 0.2 * at as f64 + 0.1 * f64::from(run);
                    writeln!(rows, "{variant},{name},{run},{value}").expect("text");
                }
            }
        }
        let place = Place::with(&rows);
        let found = place.comparison("");
        assert_eq!(found["headline"], "not_comparable");
        let step = found["next_step"].as_str().expect("a step");
        assert!(step.contains(&format!("--run-column {column},run")), "{step}");
        let again = &place.document(&line(&found))["comparisons"][0];
        assert!(VERDICTS.contains(&again["headline"].as_str().expect("a headline")), "{again}");
        assert_eq!(again["levels"]["unit"], column);
        let text = place.types("beyondnoise compare 'my runs.csv'").stdout;
        assert!(!String::from_utf8(text).expect("UTF-8").contains("--pool"));
    }
}

/// S10: a file per run of llama-bench, three of each of two builds, says by its fields which runs belong together.
#[test]
fn a_field_that_puts_the_runs_of_a_build_together_is_named_for_the_variants() {
    let place = Place::with("");
    let folder = place.0.path().join("results");
    fs::create_dir(&folder).expect("a folder");
    for run in 0..6_u32 {
        let build = if run < 3 { "8cf427ff" } else { "b1f3a6c0" };
        let speed = 7000.0 + 3.0 * f64::from(run) + if run < 3 { 0.0 } else { 350.0 };
        let nanoseconds = 512.0 / speed * 1e9;
        let object = serde_json::json!([{
            "build_commit": build, "build_number": 5163 + run / 3, "model_type": "qwen2 7B Q4_K - Medium",
            "n_prompt": 512, "n_gen": 0, "n_depth": 0, "test_time": format!("2026-01-0{}T08:00:00Z", run + 1),
            "avg_ns": nanoseconds, "stddev_ns": 0, "avg_ts": speed, "stddev_ts": 0.0,
            "samples_ns": [nanoseconds], "samples_ts": [speed],
        }]);
        fs::write(folder.join(format!("r{run}.json")), object.to_string()).expect("a file");
    }
    // A folder makes each file a variant, and a name one variant of all.
    for input in ["results", "all=results"] {
        let out = place.types(&format!("beyondnoise compare {input}"));
        let error = String::from_utf8(out.stderr).expect("UTF-8");
        assert!(error.contains("--variant-column build (2 values: 8cf427ff, b1f3a6c0)"), "{error}");
    }
    let solved = place.document(
        "beyondnoise compare results --variant-column build --base 8cf427ff --format json",
    );
    assert_eq!(solved["comparisons"][0]["headline"], "improved", "{solved}");
}

/// Iterations of one process are no runs, unless the user takes them as such.
#[test]
fn the_next_step_names_the_unit_where_there_is_one_process_each() {
    let place = Place::with("");
    for (name, centre) in [("main", 100.0), ("pr", 110.0)] {
        let mut text = "goos: linux\npkg: example.com/p\n".to_owned();
        for run in 0..6_u32 {
            writeln!(text, "BenchmarkEncode-8 \t 1000 \t {} ns/op", centre + 0.2 * f64::from(run))
                .expect("text");
        }
        fs::write(place.0.path().join(format!("{name}.txt")), text).expect("a file");
    }
    let call = "beyondnoise compare main=main.txt pr=pr.txt --format json";
    let found = &place.document(call)["comparisons"][0];
    assert_eq!(found["headline"], "no_verdict");
    let step = found["next_step"].as_str().expect("a step");
    assert!(step.contains("--unit iteration"), "{step}");
    let solved = place.document(&format!("{call} {}", flags(step)));
    assert_eq!(solved["comparisons"][0]["headline"], "regressed", "{solved}");
}

#[test]
fn there_is_no_command_where_the_call_cannot_be_repeated_or_runs_come_first() {
    let before = [100.0, 110.0, 118.0, 125.0, 130.0];
    let after = before.map(|value| value * 1.02 + 0.01 * (value - 100.0));
    let place = Place::with(&table(&before, &after));
    let piped = place
        .document("cat 'my runs.csv' | beyondnoise compare - --metric build_s:lower --format json");
    let piped = &piped["comparisons"][0];
    assert!(piped["next_step"].as_str().expect("a step").contains("--paired"), "{piped}");
    assert_eq!(piped["next_command"], Value::Null);
    let look = place.comparison(&format!("{LOWER} --look 1/2"));
    assert!(look["next_step"].as_str().expect("a step").contains("--look 2/2"), "{look}");
    assert_eq!(look["next_command"], Value::Null);
    let single = Place::with(&table(&[100.0], &[90.0])).comparison(LOWER);
    assert_eq!((&single["headline"], &single["may_claim"]), (&"no_verdict".into(), &Value::Null));
    assert_eq!(single["next_command"], Value::Null);
    // Which way is better is for the user to say.
    let undirected =
        Place::with(&table(&[1.0, 2.0, 3.0], &[2.0, 3.0, 4.0]).replace("build_s", "score"));
    assert_eq!(undirected.comparison("")["next_command"], Value::Null);
}

/// By hand: the changes of the means. 100 ± 0.1 is within 1 % of itself with any interval of three such runs.
#[test]
fn what_may_be_claimed_holds_change_interval_runs_and_load() {
    let cases: [(&[f64], &str); 4] = [
        (&[90.0, 90.1, 89.9], "after against before, better: build_s −10.00 % (95 % CI "),
        (&[110.0, 110.1, 109.9], "after against before, worse: build_s +10.00 % (95 % CI "),
        (
            &[100.5, 100.6, 100.4],
            "after against before, worse, but under the 1 % that matters: build_s +0.50 % (95 % CI ",
        ),
        (
            &[100.0, 100.1, 99.9],
            "after against before, no change (within ±1 %): build_s 0.00 % (90 % CI ",
        ),
    ];
    for (after, head) in cases {
        let place = Place::with(&table(&[100.0, 100.1, 99.9], after));
        let found = place.comparison(LOWER);
        let claim = found["may_claim"].as_str().unwrap_or_else(|| panic!("{found:#}"));
        assert!(claim.starts_with(head), "{claim}");
        assert!(claim.ends_with("); 3 + 3 runs; load: workload not recorded"), "{claim}");
        assert_eq!(found["next_command"], Value::Null);
    }
}

/// The noise comes with the claim: the interval of the README's example, its correction, and every metric that decides.
#[test]
fn a_claim_names_every_metric_that_decides_and_what_it_was_corrected_for() {
    let place = Place::with("");
    let serving = concat!(env!("CARGO_MANIFEST_DIR"), "/data/serving");
    let found = place.document(&format!("beyondnoise compare {serving} --format json"));
    let claim = found["comparisons"][0]["may_claim"].as_str().expect("a claim");
    for part in [
        "output throughput +3.8 % (95 % CI +2.9 … +4.7, corrected for 3 metrics)",
        "mean TTFT",
        "mean TPOT",
        "6 + 6 runs; load: 1000 requests, at most 8 in flight",
    ] {
        assert!(claim.contains(part), "{claim}");
    }
}

/// The sentence is withheld: 10 % fewer tokens came out.
#[test]
fn nothing_may_be_claimed_where_a_check_blocks_or_could_turn_the_headline() {
    let mut rows = "variant,run,output_throughput,total_output_tokens\n".to_owned();
    for (variant, centre, tokens) in [("before", 100.0, 100_000), ("after", 110.0, 90_000)] {
        for (run, off) in [0.0, 0.1, -0.1].into_iter().enumerate() {
            writeln!(rows, "{variant},{run},{},{tokens}", centre + off).expect("text");
        }
    }
    let place = Place::with(&rows);
    let found = place.comparison("");
    assert_eq!((&found["headline"], &found["may_claim"]), (&"improved".into(), &Value::Null));

    // All runs of one variant after all of the other: a drift of the machine would look the same.
    let mut rows = "variant,run,started,build_s\n".to_owned();
    for (variant, day, centre) in [("before", 1, 100.0), ("after", 2, 90.0)] {
        for run in 0..4 {
            let value = centre + 0.1 * f64::from(run % 2);
            writeln!(rows, "{variant},{run},2026-01-0{day}T1{run}:00:00Z,{value}").expect("text");
        }
    }
    let found = Place::with(&rows).comparison(LOWER);
    assert_eq!((&found["headline"], &found["may_claim"]), (&"improved".into(), &Value::Null));
    let mut checks = found["checks"].as_array().expect("checks").iter();
    assert!(checks.any(|check| check["id"] == "order-confounded" && check["could_flip"] == true));

    // Other workloads are not compared.
    let rows = "variant,run,num_prompts,output_throughput\nbefore,1,10,100\nbefore,2,10,101\nafter,1,20,90\nafter,2,20,91\n";
    let out = Place::with(rows).types("beyondnoise compare 'my runs.csv' --format json");
    let report: Value = serde_json::from_slice(&out.stdout).expect("JSON");
    for one in report["comparisons"].as_array().expect("comparisons") {
        assert_eq!((&one["may_claim"], &one["next_command"]), (&Value::Null, &Value::Null));
    }
}
