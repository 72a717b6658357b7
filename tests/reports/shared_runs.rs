//! What cells share: runs that span them, copies of a run, blocks of runs made by turns.

use std::fmt::Write as _;
use std::fs;
use std::process::Command;

use serde_json::Value;

/// The standard output of a command on a table; the schema holds.
fn said(command: &str, table: &str, arguments: &[&str]) -> String {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("t.csv"), table).expect("a file");
    let out = Command::new(env!("CARGO_BIN_EXE_beyondnoise"))
        .args([command, "t.csv"])
        .args(arguments)
        .current_dir(folder.path())
        .env("NO_COLOR", "1")
        .output()
        .expect("the executable");
    let complaint = String::from_utf8_lossy(&out.stderr).into_owned();
    assert!(matches!(out.status.code(), Some(0 | 1 | 3)), "{complaint}");
    String::from_utf8(out.stdout).expect("text")
}

fn report(command: &str, table: &str, arguments: &[&str]) -> Value {
    let json = said(command, table, &[arguments, &["--format", "json"]].concat());
    let report: Value = serde_json::from_str(&json).expect("JSON");
    let schema: Value = serde_json::from_str(include_str!("../../data/schema/report.schema.json"))
        .expect("a schema");
    let validator = jsonschema::validator_for(&schema).expect("a schema");
    if let Err(error) = validator.validate(&report) {
        panic!("{error}");
    }
    report
}

fn on_one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Normal numbers of a fixed sequence: Knuth's MMIX generator, twelve uniform numbers a normal one.
struct Normal(u64);

impl Normal {
    fn next(&mut self) -> f64 {
        let mut uniform = || {
            self.0 = self
                .0
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            (self.0 >> 11) as f64 / (1_u64 << 53) as f64
        };
        (0..12).map(|_| uniform()).sum::<f64>() - 6.0
    }
}

/// Eight loads, five runs; each run shifts all its loads by so many times the noise of 0.5 % within.
fn sweep(seed: u64, effect: f64, change: f64) -> String {
    let mut normal = Normal(seed);
    let mut table = "variant,run,concurrency,output_throughput\n".to_owned();
    for (build, change) in [("base", 0.0), ("pr", change)] {
        for run in 1..=5 {
            let shift = effect * 0.005 * normal.next() + change;
            for load in [1, 2, 4, 8, 16, 32, 64, 128] {
                let rate = 3000.0 * f64::from(load) / f64::from(load + 24);
                let value = rate * (shift + 0.005 * normal.next()).exp();
                writeln!(table, "{build},{run},{load},{value:.4}").expect("text");
            }
        }
    }
    table
}

/// S5: equal builds whose runs span eight loads, run effect and noise within of 0.5 %. Student's t over cells claims a change
/// in 24 of 40.
#[test]
fn a_run_that_spans_cells_is_no_repeat_in_each() {
    let claims = (1..=12).filter(|seed| {
        let report =
            report("batch", &sweep(*seed, 1.0, 0.0), &["--by", "concurrency", "--base", "base"]);
        let shared = &report["batch"]["shared"][0];
        assert_eq!(shared["runs"], serde_json::json!([5, 5]));
        let ends = &shared["relative_ci"];
        ends[0].as_f64() > Some(0.0) || ends[1].as_f64() < Some(0.0)
    });
    assert!(claims.count() <= 2);
}

/// S5: a sweep says the change that all its loads share.
#[test]
fn a_sweep_has_the_change_of_all_its_loads() {
    let table = sweep(3, 0.2, 0.03);
    let report = report("compare", &table, &["--base", "base"]);
    let shared = &report["sweeps"][0]["shared"][0];
    assert_eq!(shared["verdict"], "better");
    let low = shared["relative_ci_adjusted"][0].as_f64().expect("an end");
    let high = shared["relative_ci_adjusted"][1].as_f64().expect("an end");
    assert!(low < 0.0305 && 0.0305 < high, "{low} {high}");
    let text = on_one_line(&said("compare", &table, &["--base", "base"]));
    assert!(
        text.contains("8 loads together (5 + 5 runs span them), on average: output throughput +"),
        "{text}"
    );
}

/// With two runs of each the interval is given, and no verdict: two modes of a start would make 1 in 10 such calls false.
#[test]
fn two_runs_that_span_cells_give_an_interval_and_no_verdict() {
    let table: String = sweep(4, 0.2, 0.05)
        .lines()
        .filter(|line| !matches!(line.split(',').nth(1), Some("3" | "4" | "5")))
        .fold(String::new(), |all, line| all + line + "\n");
    let report = report("batch", &table, &["--by", "concurrency", "--base", "base"]);
    let shared = &report["batch"]["shared"][0];
    assert_eq!(shared["verdict"], "not_judged");
    assert!(shared["relative_ci"][0].is_number());
}

/// S5: all benchmarks are 21 % slower on a slow runner, one of them 37 %.
#[test]
fn a_cell_beyond_a_shared_change_is_named() {
    let mut normal = Normal(7);
    let mut table = "variant,bench,time_ms\n".to_owned();
    for (build, slower) in [("base", 1.0), ("pr", 1.21)] {
        for bench in 1..=12 {
            for _ in 0..5 {
                let own = if bench == 7 && build == "pr" { 1.37 / 1.21 } else { 1.0 };
                let value = 10.0 * f64::from(bench) * slower * own * (0.01 * normal.next()).exp();
                writeln!(table, "{build},b{bench:02},{value:.5}").expect("text");
            }
        }
    }
    let arguments = ["--by", "bench", "--base", "base"];
    let report = report("batch", &table, &arguments);
    let beyond = report["batch"]["shared"][0]["beyond"].as_array().expect("a list").clone();
    assert_eq!(beyond.len(), 1, "{beyond:?}");
    assert_eq!(beyond[0]["cell"], "b07");
    let excess = beyond[0]["beyond"].as_f64().expect("a number");
    assert!((excess - 0.132).abs() < 0.02, "{excess}");
    let text = on_one_line(&said("batch", &table, &arguments));
    assert!(text.contains("Beyond what the others share in time_ms: b07 +1"), "{text}");
}

/// T6: repetitions 6 to 10 are exact copies of 1 to 5 in all measured columns, under other run numbers.
#[test]
fn rows_that_equal_others_in_all_digits_count_once_whatever_their_run() {
    let mut normal = Normal(5);
    let mut rows: Vec<(usize, String)> = Vec::new();
    for build in ["main", "pr"] {
        for run in 1..=5 {
            let (rate, energy) =
                (100.0 * (0.02 * normal.next()).exp(), 40.0 * (0.02 * normal.next()).exp());
            for run in [run, run + 5] {
                rows.push((run, format!("{build},{run},{rate},{energy}\n")));
            }
        }
    }
    let table =
        rows.iter().fold("build,run,tok_per_s,energy_j\n".to_owned(), |all, (_, row)| all + row);
    let found = report("compare", &table, &[]);
    let comparison = &found["comparisons"][0];
    assert_eq!(
        (&comparison["baseline"]["runs"], &comparison["candidate"]["runs"]),
        (&5.into(), &5.into())
    );
    let checks = comparison["checks"].as_array().expect("checks");
    assert!(checks.iter().any(|check| check["id"] == "duplicate-run"), "{checks:?}");
    // Equal coarse values are no copies.
    let coarse = "build,run,tok_per_s,energy_j\nmain,1,100,40\nmain,2,100,40\nmain,3,101,41\npr,1,100,40\npr,2,102,40\npr,3,101,41\n";
    let found = report("compare", coarse, &[]);
    assert_eq!(found["comparisons"][0]["baseline"]["runs"], 3);
}

/// Runs of both builds a minute apart, in the order of these letters.
fn in_order(order: &str) -> String {
    let mut normal = Normal(11);
    let mut table = "build,timestamp,time_ms\n".to_owned();
    for (minute, letter) in order.chars().enumerate() {
        let build = if letter == 'A' { "main" } else { "pr" };
        let value = 100.0 * (0.01 * normal.next()).exp();
        writeln!(table, "{build},2026-01-01T10:{minute:02}:00,{value:.6}").expect("text");
    }
    table
}

/// T2: in the order A B B A neighbouring differences correlate: the block of four is the unit.
#[test]
fn pairs_in_the_order_abba_are_compared_by_blocks_of_four() {
    let report_of =
        |order: &str| report("compare", &in_order(order), &["--paired", "--base", "main"]);
    let four = report_of(&"ABBA".repeat(4));
    let comparison = &four["comparisons"][0];
    assert_eq!(comparison["levels"]["blocks"], 4);
    assert_eq!(comparison["metrics"][0]["noise"]["df"], 3.0);
    let checks = |report: &Value| report["comparisons"][0]["checks"].to_string();
    // Under four whole blocks the runs are compared without pairs.
    let three = report_of(&"ABBA".repeat(3));
    assert!(checks(&three).contains("3 whole of at least 4"), "{}", checks(&three));
    assert_eq!(three["comparisons"][0]["metrics"][0]["noise"]["df"], 10.0);
    let text = on_one_line(&said("compare", &in_order(&"ABBA".repeat(3)), &["--paired", "-v"]));
    assert!(!text.contains("pairs of runs") && !text.contains("pair by pair"), "{text}");
    // A column of pairs asks for them as --paired does.
    let column =
        "build,pair,time_ms\nmain,1,10.1\npr,1,9.1\nmain,2,10.3\npr,2,9.2\nmain,3,10.2\npr,3,9.3\n";
    let text = on_one_line(&said("compare", column, &["--pair-column", "pair", "-v"]));
    assert!(text.contains("pairs of runs") && text.contains("pair by pair"), "{text}");
    // A pair too many is left out by name.
    let more = report_of(&("ABBA".repeat(4) + "AB"));
    assert_eq!(more["comparisons"][0]["levels"]["blocks"], 4);
    assert!(checks(&more).contains("is not whole"), "{}", checks(&more));
    // By turns in one direction a pair stays a pair.
    let turns = report_of(&"AB".repeat(8));
    assert_eq!(turns["comparisons"][0]["metrics"][0]["noise"]["df"], 7.0);
}

/// T2: the interval over blocks of four is Student's, wider by the most that neighbouring blocks of one order can share; p-value,
/// interval and method agree. scipy 1.16: `ttest_rel` of the logarithms of the blocks' means, the standard error times
/// sqrt(1.08) where all blocks have the same order.
#[test]
fn blocks_of_four_have_students_interval() {
    let values = [100, 102, 103, 101, 99, 103, 101, 100, 101, 102, 104, 100, 100, 101, 103, 99];
    let report_of = |order: &str| {
        let mut table = "build,timestamp,time_ms\n".to_owned();
        for ((minute, letter), value) in order.chars().enumerate().zip(values) {
            let build = if letter == 'A' { "main" } else { "pr" };
            writeln!(table, "{build},2026-01-01T10:{minute:02}:00,{value}.00").expect("text");
        }
        report("compare", &table, &["--paired", "--base", "main"])
    };
    let near = |found: &Value, expected: f64| {
        let found = found.as_f64().expect("a number");
        assert!((found - expected).abs() < 1e-9, "{found} instead of {expected}");
    };
    let same = report_of(&"ABBA".repeat(4));
    let row = &same["comparisons"][0]["metrics"][0];
    near(&row["delta"]["relative"], 0.023_754_413_730_714_304);
    near(&row["delta"]["relative_ci"][0], 0.019_502_124_470_537_64);
    near(&row["delta"]["relative_ci"][1], 0.028_024_439_063_742_804);
    near(&row["delta"]["absolute_ci"][0], 1.961_588_098_016_657_1);
    near(&row["p_value"], 0.000_377_084_370_321_475_2);
    assert_eq!(same["settings"]["resampled"], Value::Array(Vec::new()));
    let mirrored = report_of(&"ABBABAAB".repeat(2));
    let row = &mirrored["comparisons"][0]["metrics"][0];
    near(&row["delta"]["relative_ci"][0], -0.043_610_366_384_033_566);
    near(&row["delta"]["relative_ci"][1], 0.042_803_624_912_064_36);
    near(&row["p_value"], 0.927_757_114_045_704_8);
}
