//! One workload at several loads is one table and one statement.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};

const SWEEP: &str = include_str!("../../data/sweep.csv");

/// The standard output of `compare` in a folder, and its standard error.
fn compare(folder: &Path, arguments: &[&str]) -> (String, String) {
    let out = Command::new(env!("CARGO_BIN_EXE_beyondnoise"))
        .arg("compare")
        .args(arguments)
        .current_dir(folder)
        .env("NO_COLOR", "1")
        .output()
        .expect("the executable");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (text(&out.stdout), text(&out.stderr))
}

fn table(table: &str, arguments: &[&str]) -> (String, String) {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("t.csv"), table).expect("a file");
    compare(folder.path(), &[&["t.csv"], arguments].concat())
}

fn document(text: &str, arguments: &[&str]) -> Value {
    let (json, complaint) = table(text, &[&["--format", "json"], arguments].concat());
    serde_json::from_str(&json).unwrap_or_else(|error| panic!("{error}: {complaint}"))
}

fn near(found: &Value, expected: f64) {
    let number = found.as_f64().unwrap_or(f64::NAN);
    assert!((number / expected - 1.0).abs() < 2e-5, "{found}, expected {expected}");
}

/// Expected p-values: Welch's test of the log ratio by scipy 1.16 (`stats.t.sf`, variances `s^2 / (n m^2)`), and Holm over the
/// 24 of 8 loads and 3 metrics.
#[test]
fn all_loads_and_metrics_are_corrected_as_one_list() {
    let report = document(SWEEP, &["--method", "welch", "--noise", "own"]);
    let sweep = &report["sweeps"][0];
    assert_eq!((&sweep["along"], &sweep["tests"]), (&json!("max_concurrency"), &json!(24)));
    let points = sweep["points"].as_array().expect("points");
    let loads: Vec<f64> = points.iter().filter_map(|point| point["load"].as_f64()).collect();
    assert_eq!(loads, [1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 128.0]);
    let row = |load: usize, metric: usize| {
        let at = points[load]["comparison"].as_u64().expect("a position");
        &report["comparisons"][usize::try_from(at).expect("small")]["metrics"][metric]
    };
    near(&row(4, 0)["p_value"], 0.000_178_67);
    near(&row(4, 0)["p_adjusted"], 0.003_752_07);
    near(&row(6, 0)["p_adjusted"], 0.039_247_7);
    near(&row(5, 2)["p_adjusted"], 0.074_150_5);
    near(&row(6, 1)["p_adjusted"], 0.003_740_8);
    // 32 in flight is lost for TPOT only.
    let said: Vec<&str> =
        (0..3).filter_map(|metric| sweep["metrics"][metric]["statement"].as_str()).collect();
    assert!(said[0].starts_with("better from 16 in flight on"), "{said:?}");
    assert!(said[1].starts_with("better at 64 in flight"), "{said:?}");
    assert!(said[2].starts_with("better at 16, 64 and 128 in flight"), "{said:?}");
}

/// S10: "(7 more like this)" did not say where.
#[test]
fn a_warning_of_several_loads_says_at_which() {
    let (text, _) = table(SWEEP, &[]);
    let line = text.replace("\n ", "").replace('\n', " ");
    assert!(line.contains("warning: at 1 in flight: With 3 + 3 runs"), "{text}");
    assert!(line.contains("(also at 2, 4, 8, 16, 32, 64 and 128 in flight)"), "{text}");
    assert!(!text.contains("like this"), "{text}");
}

/// One number for the whole sweep, and the loads that it settles.
#[test]
fn the_next_step_of_a_sweep_names_one_number_of_runs() {
    let (text, _) = table(SWEEP, &[]);
    let line = text.replace('\n', " ");
    assert_eq!(line.matches("more runs of each").count(), 1, "{text}");
    assert!(
        line.contains("8 more runs of each at 4 and 8 in flight would settle 2 of the 4"),
        "{text}"
    );
}

/// Expected bands: by scipy, `m exp(± t SE)` with Student's t of 2 degrees of freedom at the confidence `0.95^(1/4)`; the
/// noise of two loads is too little for a prior.
#[test]
fn bands_hold_both_curves_at_once() {
    let two = "build,max_concurrency,output_throughput\nmain,1,100\nmain,1,101\nmain,1,102\nmain,8,400\nmain,8,404\n\
        main,8,412\npr,1,103\npr,1,105\npr,1,106\npr,8,440\npr,8,441\npr,8,443\n";
    let report = document(two, &[]);
    let bands = &report["sweeps"][0]["metrics"][0]["bands"];
    for (found, expected) in
        [(&bands[0][0], [96.059_138, 106.194_999]), (&bands[1][1], [433.662_630, 449.139_717])]
    {
        near(&found[0], expected[0]);
        near(&found[1], expected[1]);
    }
}

#[test]
fn the_table_is_in_the_order_of_the_loads() {
    let (text, _) = table(SWEEP, &[]);
    // Rows of the table begin with a blank.
    let rows = text.lines().filter_map(|line| line.strip_prefix(' '));
    // Later lines of a paragraph with two.
    let rows = rows.filter(|row| !row.starts_with(' '));
    let loads: Vec<u32> =
        rows.filter_map(|row| row.split_whitespace().next()?.parse().ok()).collect();
    assert_eq!(loads, [1, 2, 4, 8, 16, 32, 64, 128], "{text}");
    assert!(
        text.starts_with("beyondnoise: output throughput better from 16 in flight on"),
        "{text}"
    );
    assert!(text.lines().count() < 47, "{text}");
    let (quiet, _) = table(SWEEP, &["-q"]);
    assert_eq!(quiet.lines().count(), 1, "{quiet}");
}

const STEPS: &str = "build,batch_size,step_ms\nmain,1,10.1\nmain,1,10.2\nmain,1,10.15\nmain,4,14.1\nmain,4,14.2\n\
    main,4,14.3\nmain,16,30.1\nmain,16,30.4\nmain,16,30.2\npr,1,10.5\npr,1,10.6\npr,1,10.55\npr,4,14.15\npr,4,14.2\n\
    pr,4,14.3\npr,16,28\npr,16,28.1\npr,16,28.2\n";

/// By hand: 10.55 / 10.15 - 1 = 3.94 %, 28.1 / 30.233 - 1 = -7.06 %.
#[test]
fn another_setting_is_named_and_a_turn_needs_both_signs() {
    let arguments = ["--metric", "step_ms:lower", "--along", "batch_size"];
    let (text, _) = table(STEPS, &arguments);
    let said = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let expected = "step_ms worse at batch_size 1, +3.9 %; better at batch_size 16, −7.1 %; it turns between 1 and 16";
    assert!(said.contains(expected), "{said}");
    let report = document(STEPS, &arguments);
    assert_eq!(report["sweeps"][0]["metrics"][0]["crossing"], json!([1.0, 16.0]));
    assert_eq!(report["sweeps"][0]["headline"], "trade_off");
    // Without its name it is a setting like any other.
    assert_eq!(document(STEPS, &arguments[..2])["sweeps"], json!([]));
    let (_, complaint) = table(STEPS, &["--metric", "step_ms:lower", "--along", "gpus"]);
    assert!(complaint.contains("numbers in gpus, found none"), "{complaint}");
    assert!(complaint.contains("batch_size"), "{complaint}");
}

/// A load at which requests failed is no part of any statement.
#[test]
fn a_load_that_is_not_judged_is_named() {
    let columns = |line: &str| match line.split(',').collect::<Vec<_>>()[..] {
        ["build", ..] => format!("{line},completed,failed\n"),
        ["pr", "128", ..] => format!("{line},900,100\n"),
        _ => format!("{line},1000,0\n"),
    };
    let failed: String = SWEEP.lines().map(columns).collect();
    let report = document(&failed, &[]);
    let said = report["sweeps"][0]["metrics"][0]["statement"].as_str().expect("a statement");
    assert!(said.starts_with("better from 16 to 64 in flight"), "{said}");
    assert!(said.ends_with("below, no change is shown; not judged at 128 in flight"), "{said}");
}

/// Rows without a cap are another workload; each workload has one cap in the document.
#[test]
fn a_cap_that_some_rows_lack_is_still_the_cap() {
    let mut gaps = "build,max_concurrency,step_ms\n".to_owned();
    for build in ["main", "pr"] {
        for cap in ["8", "16", ""] {
            for value in [100, 101, 103] {
                writeln!(gaps, "{build},{cap},{value}").expect("text");
            }
        }
    }
    let arguments = ["--metric", "step_ms:lower", "--format", "json"];
    let (json, complaint) = table(&gaps, &arguments);
    // Three comparisons, and what the loads of the sweep share.
    assert_eq!(json.matches("\"max_concurrency\": ").count(), 4, "{json} {complaint}");
    let report = document(&gaps, &arguments[..2]);
    assert_eq!(report["sweeps"][0]["points"].as_array().map(Vec::len), Some(2));
}

/// The server of the candidate died at the largest load: nothing is said of it, and the gate does not pass.
#[test]
fn a_load_of_one_variant_alone_is_named() {
    let rest: Vec<&str> = SWEEP.lines().filter(|line| !line.starts_with("pr,128")).collect();
    let (text, complaint) = table(&rest.join("\n"), &["--gate", "-q"]);
    assert!(text.contains("better from 16 to 64 in flight"), "{text}");
    assert!(text.contains("pr was not measured at 128 in flight"), "{text}");
    assert!(complaint.contains("pr was not measured at this load"), "{complaint}");
    let report = document(&rest.join("\n"), &[]);
    assert_eq!(report["sweeps"][0]["alone"], json!([{ "load": 128.0, "variant": "main" }]));
    assert_eq!(report["unmatched"][0]["why"], "pr was not measured at this load");
}

#[test]
fn of_single_runs_the_largest_change_comes_first() {
    let mut once = "build,max_concurrency,output_throughput\n".to_owned();
    for (load, change) in [(1, 1.01), (8, 1.2), (64, 0.93)] {
        write!(once, "main,{load},{}\npr,{load},{}\n", load * 100, f64::from(load * 100) * change)
            .expect("text");
    }
    let (text, _) = table(&once, &[]);
    let place = |change: &str| text.find(change).unwrap_or_else(|| panic!("{change}: {text}"));
    assert!(place("+20.0 %") < place("−7.0 %") && place("−7.0 %") < place("+1.0 %"), "{text}");
    assert!(
        text.contains("no verdict, 1 run per load") && text.contains("Next: 4 more runs"),
        "{text}"
    );
}

/// Two builds of `vllm bench sweep serve`, with the summary that it writes beside the runs.
#[test]
fn folders_of_a_vllm_sweep_are_one_table_and_their_summary_counts_once() {
    let text = include_str!("../fixtures/vllm/new-0.33.json");
    let run: Value = serde_json::from_str(text).expect("JSON");
    let folder = tempfile::tempdir().expect("a folder");
    for (build, faster) in [("main", 1.0), ("pr", 1.05)] {
        for cap in [2, 8, 32] {
            let name = format!("{build}/20261101_120000/BENCH--max_concurrency={cap}");
            let place = folder.path().join(name);
            fs::create_dir_all(&place).expect("a folder");
            let runs: Vec<Value> = (0..3)
                .map(|number| {
                    let mut run = run.clone();
                    let noise = 1.0 + 0.003 * f64::from((number * 7 + cap) % 5);
                    for (key, value) in run.as_object_mut().expect("an object") {
                        let Some(number) = value.as_f64() else { continue };
                        if key.ends_with("_throughput") {
                            *value = json!(number * faster * noise);
                        } else if key.ends_with("_ms") || key == "duration" {
                            *value = json!(number / faster / noise);
                        }
                    }
                    run["max_concurrency"] = json!(cap);
                    run["run_number"] = json!(number);
                    run["date"] = json!(format!("20261101-12{number:02}{cap:02}"));
                    fs::write(place.join(format!("run={number}.json")), run.to_string())
                        .expect("a file");
                    run
                })
                .collect();
            fs::write(place.join("summary.json"), Value::from(runs).to_string()).expect("a file");
        }
    }
    let arguments = ["main=main", "pr=pr"];
    let (json, complaint) =
        compare(folder.path(), &[&arguments[..], &["--format", "json"]].concat());
    let report: Value =
        serde_json::from_str(&json).unwrap_or_else(|error| panic!("{error}: {complaint}"));
    assert_eq!(report["sweeps"][0]["points"].as_array().map(Vec::len), Some(3));
    let runs =
        |one: &Value| [&one["baseline"]["runs"], &one["candidate"]["runs"]].map(Clone::clone);
    let comparisons = report["comparisons"].as_array().expect("comparisons");
    assert!(comparisons.iter().all(|one| runs(one) == [json!(3), json!(3)]));
    let (text, _) = compare(folder.path(), &arguments);
    assert!(!text.contains("twice") && !text.contains("duplicate"), "{text}");
}
