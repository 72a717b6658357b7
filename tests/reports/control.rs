//! Changes relative to a control: a metric of the run, or a cell that shares it.

use std::fmt::Write as _;
use std::process::{Command, Output};

use serde_json::Value;

/// Runs whose speed drifts by ±2 % with that of a reference; `load_ms` does not.
const RUNS: [(&str, [[f64; 5]; 3]); 2] = [
    (
        "main",
        [
            [101.0, 98.8, 103.4, 96.1, 99.7],
            [50.1, 49.2, 51.6, 47.9, 49.9],
            [20.1, 20.3, 19.9, 20.2, 20.0],
        ],
    ),
    (
        "pr",
        [
            [95.2, 99.4, 92.9, 97.7, 96.3],
            [49.1, 51.2, 47.8, 50.2, 49.5],
            [20.2, 20.1, 19.9, 20.3, 20.1],
        ],
    ),
];

/// scipy 1.17, Welch's interval on the log scale with the relative variances of both sides: alone, and of each value times the
/// geometric mean of the references of main over the reference of its run.
const KERNEL: [[f64; 3]; 2] = [
    [-0.035_070_140_280_561_2, -0.071_440_144_444_223_2, 0.002_724_410_932_976_3],
    [-0.031_572_469_098_789_3, -0.035_439_411_933_628_5, -0.027_690_023_612_200_8],
];
const LOAD: [[f64; 3]; 2] = [
    [0.000_995_024_875_621_6, -0.010_080_434_517_862_2, 0.012_194_399_186_088_6],
    [0.004_338_754_997_365_2, -0.037_601_110_340_374_0, 0.048_106_295_245_629_2],
];

fn wide() -> String {
    let mut text = "variant,run,kernel_ms,reference_ms,load_ms\n".to_owned();
    for (variant, [kernel, reference, load]) in RUNS {
        for run in 0..5 {
            let row = [kernel[run], reference[run], load[run]].map(|value| value.to_string());
            writeln!(text, "{variant},{run},{}", row.join(",")).expect("a text");
        }
    }
    text
}

/// The same with a row for each of three benchmarks of a run.
fn cells(run_of: impl Fn(usize, usize) -> String) -> String {
    let mut text = "variant,run,bench,time_ms\n".to_owned();
    for (variant, values) in RUNS {
        for (at, name) in ["kernel", "reference", "load"].into_iter().enumerate() {
            for (run, value) in values[at].iter().enumerate() {
                let named = run_of(at, run);
                writeln!(text, "{variant},{named},{name},{value}").expect("a text");
            }
        }
    }
    text
}

fn asked(text: &str, arguments: &[&str]) -> Output {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("runs.csv");
    std::fs::write(&path, text).expect("a file");
    let (command, rest) = arguments.split_first().expect("a command");
    Command::new(env!("CARGO_BIN_EXE_beyondnoise"))
        .arg(command)
        .arg(&path)
        .args(["--no-config", "--base", "main"])
        .args(rest)
        .env("NO_COLOR", "1")
        .output()
        .expect("the executable runs")
}

fn json(text: &str, arguments: &[&str]) -> Value {
    let done = asked(text, &[arguments, &["--method", "welch", "--format", "json"]].concat());
    serde_json::from_slice(&done.stdout)
        .unwrap_or_else(|_| panic!("{}", String::from_utf8_lossy(&done.stderr)))
}

fn words(text: &str, arguments: &[&str]) -> String {
    let done = asked(text, arguments);
    let both = [done.stdout, done.stderr].concat();
    String::from_utf8(both).expect("UTF-8").split_whitespace().collect::<Vec<_>>().join(" ")
}

fn close(found: &Value, expected: f64) {
    let found = found.as_f64().expect("a number");
    assert!((found - expected).abs() < 1e-10, "{found}, expected {expected}");
}

/// `row` shows the change of one way, and the control the other. In a batch the noise of the list widens the intervals of rows.
fn is(row: &Value, used: bool, [alone, relative]: [[f64; 3]; 2], batch: bool) {
    let (shown, other) = if used { (relative, alone) } else { (alone, relative) };
    close(&row["delta"]["relative"], shown[0]);
    if !batch {
        close(&row["delta"]["relative_ci"][0], shown[1]);
        close(&row["delta"]["relative_ci"][1], shown[2]);
    }
    assert_eq!(row["control"]["used"], used);
    close(&row["control"]["relative"], other[0]);
    close(&row["control"]["relative_ci"][0], other[1]);
    close(&row["control"]["relative_ci"][1], other[2]);
}

fn row<'a>(comparison: &'a Value, metric: &str) -> &'a Value {
    let rows = comparison["metrics"].as_array().expect("metrics");
    rows.iter().find(|row| row["metric"] == metric).expect(metric)
}

#[test]
fn a_change_is_relative_to_a_metric_where_that_is_narrower() {
    let report = json(&wide(), &["compare", "--control", "reference_ms"]);
    let comparison = &report["comparisons"][0];
    is(row(comparison, "kernel_ms"), true, KERNEL, false);
    is(row(comparison, "load_ms"), false, LOAD, false);
    // The control decides nothing and is not relative to itself.
    let control = row(comparison, "reference_ms");
    assert_eq!((&control["deciding"], &control["guard"]), (&false.into(), &false.into()));
    assert!(control["control"].is_null());
}

#[test]
fn a_change_is_relative_to_a_cell_of_the_same_runs() {
    let text = cells(|_, run| format!("r{run}"));
    for named in ["reference", "bench=reference"] {
        let report = json(&text, &["batch", "--by", "bench", "--noise", "own", "--control", named]);
        let comparisons = report["comparisons"].as_array().expect("comparisons");
        let of = |bench: &str| {
            let cell = comparisons.iter().find(|one| one["cell"]["bench"] == bench).expect(bench);
            row(cell, "time_ms")
        };
        is(of("kernel"), true, KERNEL, true);
        is(of("load"), false, LOAD, true);
        assert!(of("reference")["control"].is_null());
        // S5: what the cells share is that of the two others.
        assert_eq!(report["batch"]["shared"][0]["cells"], 2);
    }
}

/// Runs with names of their own in each cell share nothing.
#[test]
fn a_cell_of_other_runs_is_no_control() {
    let text = cells(|at, run| format!("{at}-{run}"));
    let report =
        json(&text, &["batch", "--by", "bench", "--noise", "own", "--control", "reference"]);
    let rows = report["comparisons"].as_array().expect("comparisons");
    assert!(rows.iter().all(|one| row(one, "time_ms")["control"].is_null()));
}

#[test]
fn both_ways_are_said() {
    let said = words(&wide(), &["compare", "--control", "reference_ms"]);
    for part in [
        "improved, kernel_ms −3.16 %",
        "relative to reference_ms)",
        "Relative to the control reference_ms, which narrows the interval: kernel_ms −3.16 %",
        ", alone −3.5 % (",
        "The control reference_ms is not used for load_ms: the interval would be wider.",
        "Changes are relative to the control reference_ms in 1 of 2 rows",
    ] {
        assert!(said.contains(part), "{part}: {said}");
    }
    assert!(!words(&wide(), &["compare"]).contains("control"));
}

#[test]
fn a_control_that_is_nowhere_is_an_error() {
    let said = words(&wide(), &["compare", "--control", "referenze_ms"]);
    assert!(said.contains("expected a metric or a cell for --control, found \"referenze_ms\""));
    assert!(said.contains("did you mean reference_ms?"), "{said}");
}
