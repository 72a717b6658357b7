//! `beyondnoise calibrate`, end to end: threads, random halves, errors.

use std::fmt::Write;
use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use serde_json::Value;

fn beyondnoise(arguments: &[&str], threads: &str) -> Output {
    Command::new(env!("CARGO_BIN_EXE_beyondnoise"))
        .arg("calibrate")
        .args(arguments)
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .env("RAYON_NUM_THREADS", threads)
        .output()
        .expect("the executable runs")
}

#[track_caller]
fn output(arguments: &[&str]) -> String {
    let out = beyondnoise(arguments, "2");
    let (text, errors) = (string(&out.stdout), string(&out.stderr));
    assert_eq!(out.status.code(), Some(0), "{arguments:?}\n{text}\n{errors}");
    // No progress bar where nobody watches.
    assert_eq!(errors, "");
    text
}

#[track_caller]
fn complaint(arguments: &[&str], status: i32) -> String {
    let out = beyondnoise(arguments, "2");
    let errors = string(&out.stderr);
    assert_eq!(out.status.code(), Some(status), "{arguments:?}\n{errors}");
    assert!(!errors.contains("panicked"), "{errors}");
    errors.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn string(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).expect("UTF-8")
}

#[track_caller]
fn json(arguments: &[&str]) -> Value {
    let all: Vec<&str> = arguments.iter().copied().chain(["--format", "json"]).collect();
    valid(&output(&all))
}

#[track_caller]
fn valid(text: &str) -> Value {
    let document: Value = serde_json::from_str(text).expect("JSON");
    let schema = include_str!("../../data/schema/calibrate.schema.json");
    let schema: Value = serde_json::from_str(schema).expect("JSON");
    let schema = jsonschema::validator_for(&schema).expect("a schema");
    let errors: Vec<String> = schema.iter_errors(&document).map(|e| e.to_string()).collect();
    assert!(errors.is_empty(), "{errors:#?}");
    document
}

/// A file in a folder of its own.
fn file(name: &str, text: &str) -> (tempfile::TempDir, String) {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join(name);
    fs::write(&path, text).expect("a file");
    let path = path.display().to_string();
    (folder, path)
}

/// Repeated runs of `groups` builds: values that differ by a few percent without a pattern.
fn table(groups: usize, runs: usize) -> String {
    let mut text = "variant,duration,output_throughput\n".to_owned();
    let mut state = 1_u64;
    for group in 0..groups {
        for _ in 0..runs {
            let mut noise = || {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                f64::from(u32::try_from(state >> 40).expect("24 bits")) / 16_777_216.0
            };
            let (a, b) = (noise(), noise());
            let (duration, rate) = (20.0 + a, 300.0 + 10.0 * b);
            writeln!(text, "g{group},{duration},{rate}").expect("writing to a String cannot fail");
        }
    }
    text
}

/// A public series of repeated runs, where it was put beside the project.
fn published(name: &str) -> Option<String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/real").join(name);
    let found = path.exists().then(|| path.display().to_string());
    #[expect(clippy::print_stderr, reason = "a test that did not run says so")]
    if found.is_none() {
        eprintln!("skipped: {} is not there", path.display());
    }
    found
}

#[test]
fn threads_change_nothing() {
    let all = ["data/serving", "--repetitions", "30", "--format", "json"];
    let [one, two] = ["1", "2"].map(|threads| beyondnoise(&all, threads));
    assert_eq!(one.status.code(), Some(0), "{}", string(&one.stderr));
    assert_eq!(string(&one.stdout), string(&two.stdout));
}

#[test]
fn own_runs_are_split_at_random() {
    let (_folder, path) = file("runs.csv", &table(4, 12));
    let document = json(&[&path, "--repetitions", "50", "--effect", "2%,8%"]);
    assert_eq!(document["kind"], "own_runs");
    assert_eq!(document["groups"].as_array().map(Vec::len), Some(4));
    // 3 and 5 a half; 10 would take 20 runs.
    let rows = document["rows"].as_array().expect("rows");
    let of = |noise: &str, runs: u64| {
        rows.iter()
            .find(|row| row["noise"] == noise && row["baseline_runs"] == runs)
            .expect("a row")
    };
    assert_eq!(of("own", 3)["comparisons"], 200);
    assert_eq!(of("borrowed", 5)["groups"], 4);
    assert!(rows.iter().all(|row| row["baseline_runs"] != 10));
    assert!(of("own", 5)["power"][1]["power"].as_f64() > Some(0.9));
    // One fact in two metrics: output throughput alone decides.
    assert!(rows.iter().all(|row| row["metric"] == "output_throughput"));
    let text = output(&[&path, "--repetitions", "20", "--metric", "duration", "-v"]);
    assert!(text.starts_with("beyondnoise: random halves of the same runs are called"), "{text}");
    assert!(text.contains("With noise borrowed from the other groups"), "{text}");
    assert!(text.contains("group by group") && text.contains(" g3 "), "{text}");
    let unequal = json(&[&path, "--repetitions", "20", "--runs", "2v9"]);
    assert_eq!(unequal["rows"][0]["candidate_runs"], 9);
}

#[test]
fn two_groups_borrow_nothing_and_short_ones_are_left_out() {
    // The last of twenty groups, whose values no other has.
    let short: Vec<String> = table(20, 5).lines().rev().take(5).map(str::to_owned).collect();
    let (_folder, path) = file("runs.csv", &(table(2, 8) + &short.join("\n")));
    let document = json(&[&path, "--repetitions", "20"]);
    let rows = document["rows"].as_array().expect("rows");
    assert!(rows.iter().all(|row| row["noise"] == "own"));
    assert_eq!(document["left_out"][0]["why"], "5 runs; it takes 6");
    let text = output(&[&path, "--repetitions", "20"]);
    assert!(text.contains("skipped: g19") && text.contains("5 runs; it takes 6"), "{text}");
}

/// numpy 2.4.6 and scipy 1.17.1 on the same file, 2,000 splits by `rng.permutation(30)` of each of 30 groups, Welch's
/// interval of the log ratio: 2.4 and 1.9 % at 3 a half, 2.8 and 2.4 % at 5, 4.5 and 4.0 % at 10 (duration, tokens a
/// second), each known to 0.3 %; a slow-down of 2 % seen in 63.2 and 85.4 %, 68.8 and 94.8 %, 77.8 and 98.9 %.
#[test]
fn halves_of_published_runs_are_flagged_as_numpy_flags_them() {
    let Some(path) = published("vllm_llama_30rep/runs.csv") else { return };
    let document = json(&[
        &path,
        "--variant-column",
        "group",
        "--metric",
        "duration_ms:lower",
        "--metric",
        "tok_per_s:higher",
        "--method",
        "welch,calibrated",
        "--effect",
        "2%",
        "--repetitions",
        "40",
        "--resamples",
        "300",
    ]);
    let rows = document["rows"].as_array().expect("rows");
    let expected = [
        ("duration", 3, 0.0242, 0.632),
        ("duration", 5, 0.0283, 0.688),
        ("duration", 10, 0.0447, 0.778),
        ("tok_per_s", 3, 0.0192, 0.854),
        ("tok_per_s", 5, 0.0237, 0.948),
        ("tok_per_s", 10, 0.0404, 0.989),
    ];
    for (metric, runs, flagged, seen) in expected {
        let of = |method: &str, noise: &str| {
            let wanted = |row: &&Value| {
                (&row["metric"], &row["method"], &row["noise"])
                    == (&metric.into(), &method.into(), &noise.into())
                    && row["baseline_runs"] == runs
            };
            let row = rows.iter().find(wanted).expect("a row");
            let number = |value: &Value| value.as_f64().expect("a number");
            (number(&row["flagged"]), number(&row["power"][0]["power"]))
        };
        let (own, power) = of("welch", "own");
        assert!((own - flagged).abs() < 0.02, "{metric}, {runs}: {own}");
        assert!((power - seen).abs() < 0.04, "{metric}, {runs}: {power}");
        for noise in ["own", "borrowed"] {
            let (calibrated, _) = of("calibrated", noise);
            assert!(
                (0.01..=0.065).contains(&calibrated),
                "{metric}, {runs}, {noise}: {calibrated}"
            );
        }
    }
}

#[test]
fn mistakes_are_named_with_what_to_do() {
    let short = file("short.csv", &table(2, 4));
    let unknown = file("unknown.csv", "variant,mystery\na,1\na,2\na,3\na,4\na,5\na,6\n");
    let cases: [(&[&str], &str); 9] = [
        (&["data/serving", "--runs", "3x10"], "expected runs of each variant from 1 to 1000"),
        (&["data/serving", "--effect", "5"], "expected a change with its unit"),
        (&["data/serving", "--effect", "0%"], "expected a change with its unit"),
        (&["data/serving", "--effect", "-100%"], "expected a change with its unit"),
        (
            &["data/serving", "-o", "table.svg"],
            "expected a file ending in md, html, json, csv or txt, found .svg",
        ),
        (
            &["data/serving", "--runs", "10"],
            "expected a variant with 20 runs for --runs, found at most 6",
        ),
        (&[&short.1], "expected 6 runs or more of one build, found at most 4"),
        (&[&unknown.1], "expected a metric whose direction is known, found mystery"),
        (&["data/serving", "--metric", "speed"], "expected a metric \"speed\", found"),
    ];
    for (arguments, expected) in cases {
        let errors = complaint(arguments, 2);
        assert!(errors.contains(expected), "{arguments:?}\n{errors}");
    }
    // The study on simulated noise is a program of its own.
    complaint(&[], 2);
    complaint(&["data/serving", "--study"], 2);
}

#[test]
fn an_input_is_never_replaced() {
    let (_folder, path) = file("runs.csv", &table(1, 6));
    let errors = complaint(&[&path, "-o", &path], 2);
    assert!(errors.contains("expected an output of its own"), "{errors}");
    assert!(fs::read_to_string(&path).expect("the file").starts_with("variant,"));
}
