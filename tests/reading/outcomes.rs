//! How runs ended, as tables and JSON of any tool say it: a run that failed is no run, and failed requests are checked.

use std::fmt::Write;

use beyondnoise::analysis::analyse;
use beyondnoise::checks::{CheckId, Severity};
use beyondnoise::policy::Policy;
use beyondnoise::read::{File, Options, load_bytes};
use beyondnoise::render::{TextOptions, text};
use beyondnoise::report::{Comparison, Report};
use beyondnoise::verdict::Headline;

const MAIN: [f64; 6] = [997.2, 1001.3, 995.6, 999.8, 1000.9, 996.4];
const PR: [f64; 6] = [1046.1, 1570.4, 1049.5, 1571.9, 1569.2, 1047.7];

fn judged(name: &str, text: &str) -> Report {
    let files = [File { variant: None, name, bytes: text.as_bytes() }];
    let loaded = load_bytes(&files, &Options::default()).unwrap_or_else(|e| panic!("{e}\n{text}"));
    analyse(&loaded.dataset, Some("main"), None, &Policy::default()).expect("a report")
}

/// A table in which the 2nd, 4th and 5th run of pr have `bad` in a column, and are 50 % faster.
fn table(column: &str, good: &str, bad: &str) -> String {
    let mut text = format!("build,{column},tok_per_s\n");
    for value in MAIN {
        writeln!(text, "main,{good},{value}").expect("a text");
    }
    for value in PR {
        writeln!(text, "pr,{},{value}", if value > 1500.0 { bad } else { good }).expect("a text");
    }
    text
}

fn only(report: &Report) -> &Comparison {
    assert_eq!(report.comparisons.len(), 1, "{:?}", report.unmatched);
    &report.comparisons[0]
}

/// S2: "improved +31.3 %, for the PR title" where 3 of 6 runs failed under every one of these names.
#[test]
fn a_run_that_failed_is_named_and_not_counted() {
    for (column, good, bad) in [
        ("status", "ok", "failed"),
        ("Status", "Success", "Error"),
        ("result", "PASS", "FAIL"),
        ("状态", "✅", "❌"),
        ("success", "true", "false"),
        ("ok", "yes", "no"),
        ("succeeded", "1", "0"),
        ("exit_code", "0", "137"),
        ("returncode", "0", "1"),
        ("http_status", "200", "503"),
        ("error", "", "server closed"),
        ("error_message", "", "connection reset"),
        ("fail", "0", "1"),
        ("is_timeout", "False", "True"),
    ] {
        let report = judged("runs.csv", &table(column, good, bad));
        let one = only(&report);
        let failed = one.checks.iter().find(|check| check.id == CheckId::FailedRuns);
        let failed = failed.unwrap_or_else(|| panic!("{column}: {:?}", one.checks));
        assert_eq!(failed.severity, Severity::Block, "{column}");
        assert_eq!(one.headline, Headline::NotComparable, "{column}");
        assert_eq!((one.candidate.runs, one.candidate.failed), (3, 3), "{column}");
        assert_eq!(one.may_claim, None, "{column}");
        assert!(text(&report, TextOptions::default()).contains("3 of 6 in pr"), "{column}");
    }
}

/// S2: counts and shares of failed requests, under any name, reach the check of failed requests.
#[test]
fn failed_requests_are_checked_under_any_name() {
    for (column, good, bad) in [
        ("errors", "0", "57"),
        ("num_errors", "0", "57"),
        ("failed_requests", "0", "57"),
        ("n_failed", "0", "57"),
        ("failures", "0", "57"),
        ("timeouts", "0", "57"),
        ("失败请求数", "0", "57"),
        ("error_rate", "0.0", "0.42"),
        ("error_rate_pct", "0.0", "42.0"),
        ("success_rate", "1.0", "0.58"),
        ("Success Rate / 成功率", "100", "58.2"),
        ("successful_requests", "500", "287"),
        ("successful", "100", "52"),
        ("succeeded", "500", "287"),
    ] {
        let report = judged("runs.csv", &table(column, good, bad));
        let one = only(&report);
        let found = one.checks.iter().find(|check| check.id == CheckId::FailedRequests);
        let found = found.unwrap_or_else(|| panic!("{column}: {:?}", one.checks));
        assert!(found.severity < Severity::Note, "{column}");
        assert_eq!(one.may_claim, None, "{column}");
        // All runs count: requests failed, not runs.
        assert_eq!(one.candidate.runs, 6, "{column}");
    }
}

/// A column of outcomes that are all well changes nothing; a count of successes may differ by one.
#[test]
fn outcomes_that_are_all_well_change_nothing() {
    for (column, good, other) in [
        ("status", "ok", "ok"),
        ("error", "", ""),
        ("failed", "0", "0"),
        ("success_rate", "1.0", "1.0"),
        ("completed_requests", "500", "499"),
        ("exit", "0", "0"),
    ] {
        let mut text = format!("build,{column},tok_per_s\n");
        for (at, value) in MAIN.iter().enumerate() {
            let cell = if at == 2 { other } else { good };
            writeln!(text, "main,{cell},{value}\npr,{good},{}", value * 1.05).expect("a text");
        }
        let report = judged("runs.csv", &text);
        let one = only(&report);
        assert_eq!(one.headline, Headline::Improved, "{column}: {:?}", one.checks);
        assert_eq!((one.baseline.runs, one.candidate.runs), (6, 6), "{column}");
        assert!(one.may_claim.is_some(), "{column}: {:?}", one.checks);
    }
}

/// A cell of a measurement that says how the run ended: out of memory, a crash, an infinite value.
#[test]
fn a_measured_cell_without_a_number_for_a_failure_is_a_failed_run() {
    for bad in ["OOM", "timeout", "CUDA error", "inf"] {
        let mut text = "build,tok_per_s,peak_mem_mb\n".to_owned();
        for value in MAIN {
            writeln!(text, "main,{value},512.5\npr,{},512.5", value * 1.05).expect("a text");
        }
        writeln!(text, "pr,{bad},900.5").expect("a text");
        let report = judged("runs.csv", &text);
        let one = only(&report);
        assert_eq!((one.candidate.runs, one.candidate.failed), (6, 1), "{bad}");
    }
}

/// The same words as keys of somebody's own JSON.
#[test]
fn outcomes_are_read_as_keys_of_json() {
    let mut lines = String::new();
    for (build, values) in [("main", MAIN), ("pr", PR)] {
        for (run, value) in values.iter().enumerate() {
            let ok = *value < 1500.0;
            writeln!(
                lines,
                "{{\"build\":\"{build}\",\"run\":{run},\"success\":{ok},\"tok_per_s\":{value}}}"
            )
            .expect("a text");
        }
    }
    for name in ["runs.jsonl", "runs.json"] {
        let text = if name == "runs.json" {
            format!("[{}]", lines.trim_end().replace('\n', ","))
        } else {
            lines.clone()
        };
        let report = judged(name, &text);
        assert_eq!(only(&report).candidate.failed, 3, "{name}");
    }
}

/// S2 as a property: over random tables no row that is marked as failed is counted, wherever it stands and under whatever
/// name; the estimate is the mean of the good rows, by hand.
#[test]
fn no_row_that_is_marked_as_failed_is_counted() {
    let mut seed = 7_u64;
    let mut next = |below: u64| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) % below
    };
    let markers = [
        ("status", "ok", "failed"),
        ("run_ok", "true", "false"),
        ("exit_code", "0", "1"),
        ("error_type", "", "Timeout"),
        ("成功", "是", "否"),
        ("fehler", "", "Verbindung getrennt"),
    ];
    for _ in 0..200 {
        let (column, good, bad) = markers[usize::try_from(next(6)).expect("small")];
        let first = next(2) == 0;
        let mut text = if first {
            format!("build,{column},run,decode_tps\n")
        } else {
            format!("build,run,decode_tps,{column}\n")
        };
        let (mut sums, mut counts) = ([0.0; 2], [0_usize; 2]);
        for run in 1..=6 {
            for (side, build) in ["main", "pr"].into_iter().enumerate() {
                let failed = next(4) == 0 && run > 2;
                let value = if failed { 9000.0 } else { 1000.0 } + next(1000) as f64 / 100.0;
                let mark = if failed { bad } else { good };
                let row = if first {
                    format!("{build},{mark},{run},{value:.2}\n")
                } else {
                    format!("{build},{run},{value:.2},{mark}\n")
                };
                text += &row;
                if !failed {
                    sums[side] += (value * 100.0).round() / 100.0;
                    counts[side] += 1;
                }
            }
        }
        let report = judged("runs.csv", &text);
        let one = only(&report);
        let row = &one.metrics[0];
        for (side, found) in [&row.baseline, &row.candidate].into_iter().enumerate() {
            let mean = sums[side] / counts[side] as f64;
            assert_eq!(found.n, counts[side], "{text}");
            assert!((found.estimate - mean).abs() < 1e-6, "{} {mean}\n{text}", found.estimate);
        }
    }
}
