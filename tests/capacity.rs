//! Capacity at a service level objective, through the executable.

use std::fmt::Write as _;
use std::fs;
use std::process::{Command, Output};

use serde_json::{Value, json};

const SWEEP: &str = include_str!("../data/sweep.csv");

fn compare(table: &str, arguments: &[&str]) -> Output {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("t.csv"), table).expect("a file");
    Command::new(env!("CARGO_BIN_EXE_beyondnoise"))
        .args(["compare", "t.csv"])
        .args(arguments)
        .current_dir(folder.path())
        .env("NO_COLOR", "1")
        .output()
        .expect("the executable")
}

fn text(table: &str, arguments: &[&str]) -> String {
    let out = compare(table, arguments);
    let text = String::from_utf8(out.stdout).expect("text");
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn capacity(table: &str, arguments: &[&str]) -> Value {
    let out = compare(table, &[&["--format", "json"], arguments].concat());
    let complaint = String::from_utf8_lossy(&out.stderr);
    let mut report: Value =
        serde_json::from_slice(&out.stdout).unwrap_or_else(|error| panic!("{error}: {complaint}"));
    let schema: Value =
        serde_json::from_str(include_str!("../data/schema/report.schema.json")).expect("a schema");
    let validator = jsonschema::validator_for(&schema).expect("a schema");
    if let Err(error) = validator.validate(&report) {
        panic!("{error}");
    }
    report["sweeps"][0]["capacity"].take()
}

fn near(found: &Value, expected: f64, within: f64) {
    let number = found.as_f64().unwrap_or(f64::NAN);
    assert!((number - expected).abs() < within, "{found}, expected {expected}");
}

/// The same with the columns of `pr` times a factor.
fn faster(factor: f64) -> String {
    let row = |line: &str| {
        let cells: Vec<&str> = line.split(',').collect();
        if cells[0] != "pr" {
            return line.to_owned();
        }
        let value = |(at, cell): (usize, &&str)| match at {
            0..3 => (*cell).to_owned(),
            3 | 4 => (cell.parse::<f64>().expect("a number") * factor).to_string(),
            _ => (cell.parse::<f64>().expect("a number") / factor).to_string(),
        };
        cells.iter().enumerate().map(value).collect::<Vec<_>>().join(",")
    };
    SWEEP.lines().map(row).collect::<Vec<_>>().join("\n")
}

/// Expected values: numpy 2 and scipy 1, with an own PAVA, `numpy.interp` on logarithms, and 20,000 resamples of other
/// random numbers: their ends differ by 0.0015.
#[test]
fn capacities_and_their_change_are_those_of_numpy() {
    let one = capacity(SWEEP, &["--slo", "p99_ttft_ms<300"]);
    near(&one["baseline"]["load"], 27.048_393_27, 1e-6);
    near(&one["baseline"]["throughput"], 14.226_827_10, 1e-6);
    near(&one["candidate"]["load"], 28.450_787_95, 1e-6);
    near(&one["relative"], 0.059_960_15, 1e-8);
    near(&one["relative_ci_adjusted"][0], 0.0212, 0.003);
    near(&one["relative_ci_adjusted"][1], 0.0895, 0.003);
    assert_eq!(
        (&one["verdict"], &one["throughput"]),
        (&json!("better"), &json!("request_throughput"))
    );
    let two = capacity(SWEEP, &["--slo", "p99_ttft_ms<0.3s", "--slo", "mean TPOT<=8"]);
    near(&two["candidate"]["throughput"], 13.733_854_92, 1e-6);
    near(&two["relative"], 0.077_168_87, 1e-8);
    near(&two["relative_ci_adjusted"][0], 0.0697, 0.002);
    near(&two["relative_ci_adjusted"][1], 0.0854, 0.002);
    assert_eq!(two["baseline"]["binding"], "mean_tpot_ms");
}

#[test]
fn swapping_the_builds_mirrors_the_interval_and_threads_change_nothing() {
    let limit = ["--slo", "p99_ttft_ms<300"];
    let there = capacity(SWEEP, &limit);
    let back = capacity(SWEEP, &[&limit[..], &["--base", "pr"]].concat());
    for (a, b) in [(0, 1), (1, 0)] {
        let [a, b] = [&there["relative_ci_adjusted"][a], &back["relative_ci_adjusted"][b]];
        let product = (1.0 + a.as_f64().expect("an end")) * (1.0 + b.as_f64().expect("an end"));
        assert!((product - 1.0).abs() < 1e-12, "{a} {b}");
    }
    assert_eq!(back["verdict"], "worse");
    let mut rows: Vec<&str> = SWEEP.lines().skip(1).collect();
    rows.reverse();
    let header = SWEEP.lines().next().expect("a header");
    let turned = [&[header], &rows[..]].concat().join("\n");
    let again = capacity(&turned, &limit);
    assert_eq!(again["relative_ci_adjusted"], there["relative_ci_adjusted"]);
}

#[test]
fn nothing_is_claimed_beyond_the_measured_loads() {
    let both = capacity(SWEEP, &["--slo", "p99_ttft_ms<2000"]);
    assert_eq!((&both["relative"], &both["verdict"]), (&Value::Null, &json!("not_judged")));
    assert_eq!(both["baseline"]["reached"], "at_least");
    let said = text(SWEEP, &["--slo", "p99_ttft_ms<2000"]);
    assert!(said.contains("both meet the limits at every load"), "{said}");
    // Of 128 in flight pr needs 1142 / 1.3 ms.
    let one = capacity(&faster(1.3), &["--slo", "p99_ttft_ms<1000"]);
    assert_eq!(one["candidate"]["reached"], "at_least");
    assert!(one["relative_ci_adjusted"][0].as_f64() > Some(0.1));
    assert_eq!(one["relative_ci_adjusted"][1], Value::Null);
    let said = text(&faster(1.3), &["--slo", "p99_ttft_ms<1000"]);
    assert!(said.contains(": at least +") && said.contains(" on), better"), "{said}");
    let none = capacity(SWEEP, &["--slo", "p99_ttft_ms<1"]);
    assert_eq!(none["candidate"]["reached"], "at_most");
}

#[test]
fn a_limit_from_below_is_one_of_a_metric_that_falls() {
    let mut table = String::new();
    for (at, line) in SWEEP.lines().enumerate() {
        let tpot = line.rsplit(',').next().and_then(|cell| cell.parse::<f64>().ok());
        let rate =
            tpot.map_or("output_tok_s_per_user".to_owned(), |tpot| (1000.0 / tpot).to_string());
        assert_eq!(at == 0, tpot.is_none());
        writeln!(table, "{line},{rate}").expect("text");
    }
    // Nearly the same limit: the mean of reciprocals is not the reciprocal of the mean.
    let rate =
        capacity(&table, &["--slo", "output_tok_s_per_user>125", "--metric", "output_throughput"]);
    let tpot = capacity(&table, &["--slo", "mean_tpot_ms<8"]);
    near(&rate["relative"], tpot["relative"].as_f64().expect("a change"), 1e-3);
}

#[test]
fn the_gate_guards_the_capacity() {
    let status = |table: &str, arguments: &[&str]| {
        let out = compare(table, &[arguments, &["--gate", "--guard", "capacity", "-q"]].concat());
        (out.status.code(), String::from_utf8_lossy(&out.stderr).into_owned())
    };
    // Without deciding metrics that are worse.
    let limit = ["--slo", "p99_ttft_ms<300", "--metric", "mean_tpot_ms"];
    let slower: String = SWEEP
        .lines()
        .map(|line| {
            let mut cells: Vec<String> = line.split(',').map(str::to_owned).collect();
            if cells[0] == "pr" {
                cells[6] = (cells[6].parse::<f64>().expect("a number") * 1.3).to_string();
            }
            cells.join(",") + "\n"
        })
        .collect();
    let (code, why) = status(&slower, &limit);
    assert_eq!(code, Some(1), "{why}");
    assert!(why.contains("guard capacity is worse by"), "{why}");
    assert_eq!(status(SWEEP, &limit).0, Some(0));
    let (code, why) = status(SWEEP, &["--slo", "p99_ttft_ms<5000", "--metric", "mean_tpot_ms"]);
    assert_eq!(code, Some(3), "{why}");
    assert!(why.contains("measure higher loads"), "{why}");
}

#[test]
fn limits_that_cannot_be_meant_are_errors() {
    let complaint = |arguments: &[&str]| {
        let out = compare(SWEEP, arguments);
        assert_eq!(out.status.code(), Some(2));
        String::from_utf8_lossy(&out.stderr).into_owned()
    };
    assert!(complaint(&["--slo", "output_throughput<10"]).contains("expected >"));
    assert!(complaint(&["--slo", "p99_tttft_ms<10"]).contains("p99_tttft_ms"));
    assert!(complaint(&["--guard", "capacity"]).contains("capacity"));
}

/// Expected intervals: scipy 1, `m exp(± t.ppf(0.975, 2) s / (m sqrt 3))` of 137.8, 142.9, 145.4.
#[test]
fn at_one_load_the_report_says_which_runs_meet_the_limit() {
    let table = "build,max_concurrency,p99_ttft_ms,output_throughput\nmain,8,137.8,100\nmain,8,142.9,101\nmain,8,145.4,102\n\
        pr,8,130,103\npr,8,131,104\npr,8,142.9,105\n";
    let limit = ["--slo", "p99_ttft_ms<=142.9"];
    let out = compare(table, &[&limit[..], &["--format", "json"]].concat());
    let report: Value = serde_json::from_slice(&out.stdout).expect("JSON");
    let slo = &report["comparisons"][0]["slo"][0];
    assert_eq!((&slo["baseline"]["met"], &slo["candidate"]["met"]), (&json!(2), &json!(3)));
    near(&slo["baseline"]["interval"][0], 132.729_929_259_550_3, 1e-3);
    near(&slo["baseline"]["interval"][1], 151.988_838_465_580_93, 1e-3);
    let said = text(table, &limit);
    assert!(said.contains("P99 TTFT <= 142.9 ms: main 142 ms"), "{said}");
    let out = compare(table, &[&limit[..], &["--gate", "--guard", "capacity"]].concat());
    assert_eq!(out.status.code(), Some(3));
    assert!(String::from_utf8_lossy(&out.stderr).contains("--along"), "{out:?}");
}
