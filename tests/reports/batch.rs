//! Batches through the executable: cells, baselines, one list of p-values, every form of output.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use beyondnoise::analysis::batch;
use beyondnoise::policy::{Base, Policy};
use beyondnoise::read::{Options, load};
use beyondnoise::render::{TextOptions, text};
use beyondnoise::report::Report;
use serde_json::Value;
use textwrap::core::display_width;

/// Four cells of model and concurrency with 3 + 3 runs each: one clearly worse, one clearly better, one that hardly
/// varies and does not move, one whose noise hides everything.
fn export() -> String {
    let cells = [
        ("llama", "16", [100.0, 100.5, 99.5], [90.0, 90.5, 89.5]),
        ("llama", "64", [200.0, 201.0, 199.0], [212.0, 213.0, 211.0]),
        ("qwen", "16", [300.0, 300.1, 299.9], [300.0, 300.2, 299.9]),
        ("qwen", "64", [400.0, 440.0, 360.0], [390.0, 450.0, 360.0]),
    ];
    let mut text = "model,concurrency,version,round,output_throughput\n".to_owned();
    for (model, concurrency, before, after) in cells {
        for (version, values) in [("v0.9.0", before), ("v0.10.0", after)] {
            for (round, value) in values.iter().enumerate() {
                writeln!(text, "{model},{concurrency},{version},{round},{value}").expect("text");
            }
        }
    }
    text
}

struct Place(tempfile::TempDir);

impl Place {
    fn with(text: &str) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        fs::write(folder.path().join("export.csv"), text).expect("a file");
        Self(folder)
    }

    fn run(&self, arguments: &[&str]) -> Output {
        Command::new(env!("CARGO_BIN_EXE_beyondnoise"))
            .arg("batch")
            .args(arguments)
            .current_dir(self.0.path())
            .env("NO_COLOR", "1")
            .output()
            .expect("the executable runs")
    }

    #[track_caller]
    fn text(&self, arguments: &[&str]) -> String {
        let out = self.run(arguments);
        assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
        String::from_utf8(out.stdout).expect("text")
    }

    #[track_caller]
    fn report(&self, arguments: &[&str]) -> Value {
        let all: Vec<&str> = arguments.iter().copied().chain(["--format", "json"]).collect();
        serde_json::from_str(&self.text(&all)).expect("JSON")
    }

    #[track_caller]
    fn complaint(&self, arguments: &[&str]) -> String {
        let out = self.run(arguments);
        assert_eq!(out.status.code(), Some(2), "{}", String::from_utf8_lossy(&out.stdout));
        String::from_utf8_lossy(&out.stderr).into_owned()
    }
}

const BY: [&str; 5] = ["export.csv", "--by", "model,concurrency", "--base", "v0.9.0"];

fn cells(report: &Value) -> Vec<String> {
    let comparisons = report["comparisons"].as_array().expect("comparisons");
    let cell = |c: &Value| {
        let cell = &c["cell"];
        format!("{} {} {}", cell["model"], cell["concurrency"], c["headline"]).replace('"', "")
    };
    comparisons.iter().map(cell).collect()
}

#[test]
fn every_cell_is_judged_and_the_worst_comes_first() {
    let report = Place::with(&export()).report(&BY);
    assert_eq!(
        cells(&report),
        ["llama 16 regressed", "llama 64 improved", "qwen 64 within_noise", "qwen 16 no_change"]
    );
    let counts = serde_json::json!({
        "worse": 1, "trade_off": 0, "better": 1, "no_change": 1, "within_noise": 1, "not_judged": 0,
        "slightly_worse": 0, "slightly_better": 0
    });
    assert_eq!(report["batch"]["counts"], counts);
    assert_eq!(report["batch"]["by"], serde_json::json!(["model", "concurrency"]));
}

#[test]
fn the_first_line_counts_and_the_table_shows_what_moved() {
    let text = Place::with(&export()).text(&BY);
    let first = text.lines().next().expect("a line");
    assert_eq!(first, "beyondnoise: 4 cells: 1 worse, 1 better, 1 no change, 1 within noise");
    assert!(text.contains("−10.0 %") && text.contains("+6.0 %"), "{text}");
    assert!(!text.contains("qwen   16"), "{text}");
    let all = Place::with(&export()).text(&[&BY[..], &["--all"]].concat());
    assert_eq!(all.matches("qwen").count(), 2, "{all}");
    assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
}

/// Benjamini and Hochberg 1995, step up: the smallest `p_(j) m / j` over all `j` from the rank of p on.
fn step_up(p: &[f64]) -> Vec<f64> {
    let rank = |x: f64| p.iter().filter(|y| **y <= x).count();
    let adjusted = |x: f64| {
        let later = p.iter().filter(|y| **y >= x);
        later.map(|&y| y * p.len() as f64 / rank(y) as f64).fold(1.0, f64::min)
    };
    p.iter().map(|&x| adjusted(x)).collect()
}

#[test]
fn the_deciding_metrics_of_all_cells_are_one_list() {
    let report = Place::with(&export()).report(&BY);
    let rows: Vec<&Value> = report["comparisons"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|c| &c["metrics"][0])
        .collect();
    let number = |row: &Value, name: &str| row[name].as_f64().expect("a number");
    let raw: Vec<f64> = rows.iter().map(|row| number(row, "p_value")).collect();
    for (row, expected) in rows.iter().zip(step_up(&raw)) {
        assert!((number(row, "p_adjusted") - expected).abs() < 1e-12, "{row}");
        // Four cells of which one is noisier lend each other nothing.
        assert_eq!(row["noise"]["source"], "own");
    }
}

#[test]
fn the_variant_before_is_found_by_a_column_in_natural_order() {
    let mut text = export();
    for (round, value) in [120.0, 120.5, 119.5].iter().enumerate() {
        writeln!(text, "llama,16,v0.11.0,{round},{value}").expect("text");
    }
    let by =
        ["export.csv", "--by", "model,concurrency", "--base", "previous", "--order-by", "version"];
    let report = Place::with(&text).report(&by);
    let pairs: Vec<String> = report["comparisons"]
        .as_array()
        .expect("a list")
        .iter()
        .filter(|c| c["cell"]["model"] == "llama" && c["cell"]["concurrency"] == "16")
        .map(|c| format!("{} {}", c["baseline"]["name"], c["candidate"]["name"]).replace('"', ""))
        .collect();
    assert_eq!(pairs, ["v0.9.0 v0.10.0", "v0.10.0 v0.11.0"]);
}

#[test]
fn what_cannot_be_judged_is_counted_with_its_reason() {
    let mut text = export();
    text.push_str("phi,16,v0.9.0,0,50\nphi,16,v0.10.0,0,40\nphi,64,v0.9.0,0,50\n");
    let place = Place::with(&text);
    let report = place.report(&BY);
    assert_eq!(report["batch"]["cells"], 6);
    assert_eq!(report["batch"]["counts"]["not_judged"], 2);
    let reasons = serde_json::json!({"nothing to compare with": 1, "too few runs": 1});
    assert_eq!(report["batch"]["not_judged"], reasons);
    let text = place.text(&BY).replace('\n', " ");
    assert!(text.contains("2 not judged (1 nothing to compare with, 1 too few runs)"), "{text}");
}

#[test]
fn a_cell_without_the_baseline_stops_the_gate_and_not_the_batch() {
    let mut text = export();
    for round in 0..3 {
        writeln!(text, "phi,16,v0.10.0,{round},5{round}").expect("text");
    }
    let place = Place::with(&text);
    let better = ["--metric", "output_throughput", "--tolerance", "50%", "--gate", "-q"];
    let report = place.report(&BY);
    assert_eq!(report["batch"]["cells"], 5);
    assert_eq!(report["batch"]["counts"]["not_judged"], 1);
    let gated = place.run(&[&BY[..], &better].concat());
    assert_eq!(gated.status.code(), Some(3));
    let reason = String::from_utf8_lossy(&gated.stderr).into_owned();
    assert!(reason.contains("concurrency 16, model phi, only v0.10.0 has runs"), "{reason}");
    let passes = place.run(&[&BY[..], &better, &["--on-no-verdict", "pass"]].concat());
    assert_eq!(passes.status.code(), Some(0));
    let text = place.text(&BY).split_whitespace().collect::<Vec<_>>().join(" ");
    let alone = "v0.10.0 (only v0.10.0 has runs): model phi, concurrency 16 (3 runs)";
    assert!(text.contains(alone), "{text}");
}

#[test]
fn columns_without_a_direction_are_asked_for() {
    let text = export().replace("output_throughput", "answers");
    let place = Place::with(&text);
    let shown = place.text(&BY).replace('\n', " ");
    assert!(shown.contains("4 not judged (4 no direction known)"), "{shown}");
    assert!(shown.contains("--metric answers:lower"), "{shown}");
}

#[test]
fn several_workloads_of_a_cell_are_told_apart() {
    let mut text = "model,requests,variant,output_throughput\n".to_owned();
    for (requests, base) in [(100, 10.0), (200, 20.0)] {
        for (variant, factor) in [("main", 1.0), ("patch", 0.9)] {
            for round in [0.0, 0.01, 0.02] {
                let value = (base + round) * factor;
                writeln!(text, "a,{requests},{variant},{value}").expect("text");
            }
        }
    }
    let report = Place::with(&text).report(&["export.csv", "--by", "model"]);
    assert_eq!(report["batch"]["by"], serde_json::json!(["model", "requests"]));
    assert_eq!(report["batch"]["cells"], 1);
    assert_eq!(report["comparisons"][1]["cell"]["model"], "a");
    assert_ne!(
        report["comparisons"][0]["cell"]["requests"],
        report["comparisons"][1]["cell"]["requests"]
    );
}

#[test]
fn usage_that_makes_no_batch_says_what_to_do() {
    let place = Place::with(&export());
    let wrong = place.complaint(&["export.csv", "--by", "modle", "--base", "v0.9.0"]);
    assert!(wrong.contains("expected a column or setting \"modle\" for --by, found "), "{wrong}");
    assert!(wrong.contains("model"), "{wrong}");
    let wrong = place.complaint(&["export.csv", "--by", "model,concurrency"]);
    assert!(wrong.contains("which variant is the baseline? add --base"), "{wrong}");
    let wrong = place.complaint(&[
        "export.csv",
        "--by",
        "model",
        "--base",
        "previous",
        "--order-by",
        "when",
    ]);
    assert!(wrong.contains("expected a column or setting \"when\" for --order-by"), "{wrong}");
}

#[test]
fn a_folder_gets_every_form() {
    let place = Place::with(&export());
    place.text(&[&BY[..], &["-o", "out/today"]].concat());
    let file = |name: &str| fs::read_to_string(place.0.path().join("out/today").join(name));
    let summary = file("summary.md").expect("a summary");
    assert!(summary.starts_with("### 🔻 beyondnoise: 4 cells: 1 worse, 1 better"), "{summary}");
    let results = file("results.csv").expect("results");
    assert!(
        results.starts_with("model,concurrency,workload,baseline,candidate,headline,"),
        "{results}"
    );
    assert_eq!(results.lines().count(), 5, "{results}");
    let json: Value = serde_json::from_str(&file("results.json").expect("JSON")).expect("JSON");
    assert_eq!(json["batch"]["cells"], 4);
    assert_eq!(place.0.path().join("out/today/results.parquet").exists(), cfg!(feature = "tables"));
    let page = file("index.html").expect("a page");
    assert!(page.contains("4 cells: 1 worse, 1 better") && page.contains("id=\"c1\""), "{page}");
    assert_eq!(
        page.matches("class=\"comparison\"").count(),
        2,
        "a section for each cell that moved"
    );
    place.text(&[&BY[..], &["-o", "one.md"]].concat());
    assert_eq!(fs::read_to_string(place.0.path().join("one.md")).expect("a file"), summary);
}

#[test]
fn without_columns_every_workload_is_a_cell() {
    let serving = Path::new(env!("CARGO_MANIFEST_DIR")).join("data/serving");
    let report = Place::with("").report(&[&serving.display().to_string()]);
    assert_eq!(report["batch"]["cells"], 1);
    assert_eq!(report["comparisons"][0]["headline"], "improved");
}

#[test]
fn packed_exports_are_read_as_they_are() {
    use std::io::Write;
    let place = Place::with(&export());
    let plain = place.report(&BY);
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(export().as_bytes()).expect("memory");
    let gzip = encoder.finish().expect("memory");
    let zst = ruzstd::encoding::compress_to_vec(
        export().as_bytes(),
        ruzstd::encoding::CompressionLevel::Fastest,
    );
    for (name, bytes) in [("export.csv.gz", &gzip), ("export.csv.zst", &zst)] {
        fs::write(place.0.path().join(name), bytes).expect("a file");
        let report = place.report(&[&[name], &BY[1..]].concat());
        assert_eq!(
            report["comparisons"][0]["metrics"], plain["comparisons"][0]["metrics"],
            "{name}"
        );
        fs::write(place.0.path().join(name), &bytes[..bytes.len() / 2]).expect("a file");
        let cut = place.complaint(&[&[name], &BY[1..]].concat());
        assert!(cut.contains(name), "{cut}");
    }
}

#[test]
fn numeric_columns_that_name_a_cell_are_no_metrics() {
    let mut text = "tp,variant,output_throughput\n".to_owned();
    for (tp, values) in
        [(1, [10.0, 10.1, 9.9, 10.0, 10.2, 9.8]), (2, [20.0, 20.1, 19.9, 20.0, 20.2, 19.8])]
    {
        for (index, value) in values.iter().enumerate() {
            let variant = if index < 3 { "main" } else { "patch" };
            writeln!(text, "{tp},{variant},{value}").expect("text");
        }
    }
    let report = Place::with(&text).report(&["export.csv", "--by", "tp"]);
    assert_eq!(report["batch"]["cells"], 2);
    assert_eq!(report["comparisons"][0]["metrics"].as_array().expect("a list").len(), 1);
}

#[test]
fn the_gate_fails_for_the_worst_cell_and_policy_files_name_the_columns() {
    let place = Place::with(&export());
    let gated = place.run(&[&BY[..], &["--gate", "-q"]].concat());
    assert_eq!(gated.status.code(), Some(1));
    fs::write(
        place.0.path().join("beyondnoise.toml"),
        "[batch]\nby = [\"model\", \"concurrency\"]\nbase = \"previous\"\norder_by = \"version\"\n",
    )
    .expect("a file");
    assert_eq!(cells(&place.report(&["export.csv"])), cells(&place.report(&BY)));
}

const BY_FOUR: [&str; 4] = ["model", "quantisation", "task", "concurrency"];

/// Cells named by four columns, 3 + 3 runs each: of two loads, one 10 % worse and one without a change.
fn four_columns(models: &[&str], tasks: &[&str]) -> Report {
    let mut text = format!("{},version,round,output_throughput\n", BY_FOUR.join(","));
    for model in models {
        for task in tasks {
            for (load, factor) in [("16", 0.9), ("128", 1.0)] {
                for (version, factor) in [("v1", 1.0), ("v2", factor)] {
                    for round in 0..3 {
                        let value = factor * (1000.0 + f64::from(round));
                        writeln!(text, "{model},int4,{task},{load},{version},{round},{value:.1}")
                            .expect("text");
                    }
                }
            }
        }
    }
    let place = Place::with(&text);
    let file = place.0.path().join("export.csv").display().to_string();
    let by = BY_FOUR.map(str::to_owned);
    let options = Options { by: by.to_vec(), ..Options::default() };
    let loaded = load(&[file], &options).expect("a table");
    let base = Base::Label("v1".to_owned());
    batch(&loaded.dataset, None, &by, Some(&base), &Policy::default()).expect("a batch")
}

#[test]
fn a_table_of_many_columns_keeps_to_the_width_and_breaks_no_word() {
    let long = four_columns(
        &["meta-llama/Llama-3.1-8B-Instruct", "Qwen/Qwen2.5-32B"],
        &["chat with long system prompts", "summarisation"],
    );
    let short = four_columns(&["model-a"], &["chat"]);
    for (report, longest) in [(&long, "meta-llama/Llama-3.1-8B-Instruct"), (&short, "model-a")] {
        for width in [60, 80, 120] {
            let shown = text(
                beyondnoise::report::batch::batch(report, true),
                TextOptions { width, ..TextOptions::default() },
            );
            for line in shown.lines() {
                assert!(display_width(line) <= usize::from(width), "{width}\n{shown}");
                assert!(!line.trim_start().starts_with('%'), "{width}\n{shown}");
            }
            for whole in [longest, "int4", "−10.00 %", "no change", "(±1 %)"] {
                assert!(shown.contains(whole), "{width}: {whole}\n{shown}");
            }
        }
    }
    let at = |report, width| {
        text(
            beyondnoise::report::batch::batch(report, true),
            TextOptions { width, ..TextOptions::default() },
        )
    };
    assert!(at(&short, 120).contains("\n model    quantisation  task  concurrency  metric "));
    assert!(at(&long, 80).contains("\n cell "));
    let block = "\nQwen/Qwen2.5-32B, int4, summarisation, 16\n  metric output tok/s\n  change −10.00 %\n  95 % CI ";
    assert!(at(&long, 60).contains(block));
}

/// 3 + 3 runs are enumerated and 8 + 8 drawn.
#[test]
fn a_batch_is_the_same_on_any_number_of_threads() {
    let mut text = "model,version,round,output_throughput,mean_ttft_ms\n".to_owned();
    for model in 0..24_u32 {
        for (version, shift) in [("v1", 0), ("v2", model % 5)] {
            for round in 0..if model % 2 == 0 { 3 } else { 8 } {
                let scatter = (round * 7 + model * 3 + shift) % 11;
                writeln!(
                    text,
                    "m{model},{version},{round},{}.5,{}.25",
                    900 + scatter,
                    40 + scatter
                )
                .expect("text");
            }
        }
    }
    let place = Place::with(&text);
    let on = |threads: &str| {
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_beyondnoise"));
        command.current_dir(place.0.path()).env("RAYON_NUM_THREADS", threads);
        let output = command
            .args(["batch", "--by", "model", "--base", "v1", "--format", "json", "export.csv"])
            .output()
            .expect("the program runs");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        output.stdout
    };
    let one = on("1");
    assert!(!one.is_empty());
    for threads in ["2", "3", "7"] {
        assert!(one == on(threads), "{threads} threads");
    }
}

/// Columns that --by names are settings of a run, not of its requests, whatever they are called.
#[test]
fn cells_that_are_named_are_not_taken_for_requests() {
    let mut text = "gpu,tp,engine_version,rep,ttft_ms,tpot_ms\n".to_owned();
    for (gpu, tp) in [("a", 1), ("a", 4), ("b", 1), ("b", 4)] {
        for (version, scale) in [("v1", 1.0), ("v2", 1.02)] {
            for rep in 1..=3 {
                let value = scale * (20.0 + f64::from(rep) / 10.0);
                writeln!(text, "{gpu},{tp},{version},{rep},{value},{}", value / 2.0).expect("text");
            }
        }
    }
    let place = Place::with(&text);
    let shown = place.text(&[
        "export.csv",
        "--by",
        "gpu,tp",
        "--base",
        "v1",
        "--metric",
        "ttft_ms:lower",
        "--metric",
        "tpot_ms:lower",
        "-q",
    ]);
    // The three repetitions span all cells, which share the change.
    assert!(
        shown.starts_with("beyondnoise: 4 cells: ") && shown.contains("; 4 worse on their own"),
        "{shown}"
    );
}

/// A run of each version per cell, whose change is this ratio; cells are named by two columns.
fn single_runs(ratios: &[(&str, f64)]) -> Place {
    let mut text = "gpu,model,version,output_throughput\n".to_owned();
    for (model, (gpu, ratio)) in ratios.iter().enumerate() {
        for (version, value) in [("v1", 1_000.0), ("v2", 1_000.0 * ratio)] {
            writeln!(text, "{gpu},m{model},{version},{value}").expect("text");
        }
    }
    Place::with(&text)
}

const BY_GPU: [&str; 5] = ["export.csv", "--by", "gpu,model", "--base", "v1"];

fn close(found: &Value, expected: f64) {
    let found = found.as_f64().expect("a number");
    assert!((found - expected).abs() <= 1e-9 * expected.abs().max(1e-3), "{found} {expected}");
}

/// The figures are those of `scipy.stats.ttest_1samp` of the logarithms of the four ratios.
#[test]
fn the_change_that_all_cells_share_comes_first_and_fails_the_gate() {
    let place = single_runs(&[("a", 0.97), ("b", 0.98), ("c", 0.99), ("d", 0.96)]);
    let report = place.report(&BY_GPU);
    let shared = &report["batch"]["shared"][0];
    close(&shared["relative"], -0.025_064_107_369_304_68);
    close(&shared["relative_ci"][0], -0.045_392_133_360_038_62);
    close(&shared["relative_ci"][1], -0.004_303_203_486_903_621);
    close(&shared["p_value"], 0.031_280_532_426_157_93);
    assert_eq!((&shared["verdict"], &shared["cells"]), (&"worse".into(), &4.into()));
    let first = "beyondnoise: 4 cells: output throughput −2.5 % on average (95 % CI −4.5 … −0.4); 4 not judged on their \
                 own (4 too few runs)\n";
    assert_eq!(place.text(&[&BY_GPU[..], &["-q"]].concat()), first);
    let text = place.text(&BY_GPU);
    assert!(text.contains("With one cell for each gpu, only the cells'"), "{text}");
    for format in ["markdown", "html"] {
        let text = place.text(&[&BY_GPU[..], &["--format", format]].concat());
        assert!(text.contains("output throughput −2.5 % on average"), "{text}");
    }
    let gated = place.run(&[&BY_GPU[..], &["--gate", "-q"]].concat());
    assert_eq!(gated.status.code(), Some(1));
    let reason = String::from_utf8_lossy(&gated.stderr).into_owned();
    let expected =
        "on average over 4 cells, v2: output throughput is worse by 2.5 %, 2.0 % is tolerated";
    assert!(reason.contains(expected), "{reason}");
}

/// The larger one of `scipy.stats.f_oneway` and the same with `equal_var=False`, of the logarithms.
#[test]
fn the_value_on_which_the_change_is_is_named() {
    let on_a = [0.95, 0.955, 0.945, 0.95].map(|ratio| ("a", ratio));
    let on_b = [1.001, 0.999, 1.002, 0.998].map(|ratio| ("b", ratio));
    let place = single_runs(&[on_a, on_b].concat());
    let report = place.report(&BY_GPU);
    let factor = &report["batch"]["shared"][0]["factors"][0];
    close(&factor["p_value"], 2.301_242_256_307_463_2e-5);
    assert_eq!((&factor["differs"]["value"], &factor["explains"]), (&"a".into(), &true.into()));
    close(&factor["values"][0]["relative_ci"][0], -0.056_480_586_335_085_08);
    let first = place.text(&[&BY_GPU[..], &["-q"]].concat());
    let expected = "output throughput −5.0 % on gpu a (95 % CI −5.8 … −4.1, corrected for 2 tests), 0.00 % on b (";
    assert!(first.contains(expected), "{first}");
    assert!(place.text(&BY_GPU).contains("Next: output throughput is worse on gpu a"), "{first}");
}

/// The p-value is that of `scipy.stats.ttest_rel` of the logarithms of the rounds.
#[test]
fn cells_are_compared_pair_by_pair_and_refuse_what_compare_does() {
    let place = Place::with(&export());
    let paired = [&BY[..], &["--paired", "--pair-column", "round"]].concat();
    let report = place.report(&paired);
    assert_eq!(report["settings"]["paired"], true);
    let comparisons = report["comparisons"].as_array().expect("a list");
    let wide = comparisons
        .iter()
        .find(|one| one["cell"]["model"] == "qwen" && one["cell"]["concurrency"] == "64");
    close(&wide.expect("the cell")["metrics"][0]["p_value"], 0.951_480_299_169_971_8);
    place.complaint(&[&paired[..], &["--noise", "batch"]].concat());
    assert!(place.complaint(&[&BY[..], &["--paired"]].concat()).contains("expected a pair"));
}
