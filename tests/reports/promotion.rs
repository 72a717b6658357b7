//! A change is promoted only if it is shown to be better, and every form of the report has the same decision.

use std::fmt::Write as _;
use std::fs;
use std::process::Command;

use beyondnoise::analysis::analyse;
use beyondnoise::policy::Policy;
use beyondnoise::runs::{Dataset, Run};
use beyondnoise::verdict::Decision;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde_json::Value;

/// How a call ended.
struct Called {
    status: Option<i32>,
    text: String,
    said: String,
}

/// Calls the executable beside the table `t.csv`, and a policy file where one is given.
fn call(table: &str, policy: &str, arguments: &[&str]) -> Called {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("t.csv"), table).expect("a file");
    fs::write(folder.path().join("beyondnoise.toml"), policy).expect("a file");
    let out = Command::new(env!("CARGO_BIN_EXE_beyondnoise"))
        .args(arguments)
        .current_dir(folder.path())
        .env("NO_COLOR", "1")
        .output()
        .expect("the executable");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    Called { status: out.status.code(), text: text(&out.stdout), said: text(&out.stderr) }
}

/// The exit status and the reason of `--require improved`; JSON has the same decision, with a schema, without being asked.
#[track_caller]
fn required(table: &str, arguments: &[&str]) -> (&'static str, String) {
    let all = [&["compare", "t.csv", "--require", "improved"], arguments].concat();
    let called = call(table, "", &all);
    let (decision, word) = match called.status {
        Some(0) => ("promote", "promote"),
        Some(1) => ("reject", "reject"),
        Some(3) => ("more_data", "more data"),
        other => panic!("{other:?} {}", called.said),
    };
    let reason = called.said.strip_prefix(&format!("beyondnoise: {word}: "));
    let reason = reason.unwrap_or_else(|| panic!("{}", called.said)).trim_end().to_owned();
    let line = called.text.split("\n\n").nth(1).unwrap_or_default().replace('\n', " ");
    assert!(line.starts_with(&format!("Decision: {word}: ")), "{}", called.text);
    let json = call(table, "", &[&["compare", "t.csv", "--format", "json"], arguments].concat());
    let report: Value = serde_json::from_str(&json.text).expect("JSON");
    assert_eq!(report["decision"], decision);
    assert_eq!(report["decision_reason"], *reason);
    let schema = include_str!("../../data/schema/report.schema.json");
    let schema: Value = serde_json::from_str(schema).expect("JSON");
    let schema = jsonschema::validator_for(&schema).expect("a schema");
    let errors: Vec<String> = schema.iter_errors(&report).map(|error| error.to_string()).collect();
    assert!(errors.is_empty(), "{errors:#?}");
    (decision, reason)
}

/// Runs of both builds by turns, each a line with these metrics.
fn table(metrics: &str, main: &[&str], pr: &[&str]) -> String {
    let mut table = format!("build,run,{metrics}\n");
    for (at, (a, b)) in main.iter().zip(pr).enumerate() {
        writeln!(table, "main,{at},{a}\npr,{at},{b}").expect("a String");
    }
    table
}

const MAIN: [&str; 4] = ["100.0", "101.0", "99.5", "100.2"];

/// METHODS 14, S11: 0 where it is better beyond the margin of 1 %; 1 where it is worse, or such an improvement is excluded; else 3.
#[test]
fn a_change_is_promoted_rejected_or_needs_more_data() {
    let judged = |pr: &[&str]| required(&table("output_throughput", &MAIN, pr), &[]);
    let (decision, reason) = judged(&["105.0", "106.0", "104.8", "105.3"]);
    assert_eq!(decision, "promote");
    assert!(reason.starts_with("output throughput +5.1 %"), "{reason}");
    assert!(reason.ends_with("is better beyond the margin"), "{reason}");
    let (decision, reason) = judged(&["95.0", "96.0", "94.8", "95.3"]);
    assert_eq!(decision, "reject");
    assert!(
        reason.starts_with("output throughput is worse by 4.9 %, 2.0 % is tolerated"),
        "{reason}"
    );
    // Within the tolerance of the gate, and beyond the margin: worse all the same.
    let slower = ["98.5", "98.6", "98.4", "98.5"];
    let (decision, reason) = judged(&slower);
    assert!(decision == "reject" && reason.ends_with("is worse"), "{reason}");
    let gate = ["compare", "t.csv", "--gate"];
    assert_eq!(call(&table("output_throughput", &MAIN, &slower), "", &gate).status, Some(0));

    // No change, and a slight one.
    let quiet = ["100.0", "100.1", "99.9", "100.05"];
    let still = table("output_throughput", &quiet, &["100.02", "100.1", "99.95", "100.0"]);
    let (decision, reason) = required(&still, &[]);
    assert_eq!(decision, "reject");
    assert!(reason.starts_with("an improvement beyond the margin is excluded"), "{reason}");
    let slight = table("output_throughput", &quiet, &["100.5", "100.6", "100.4", "100.55"]);
    assert_eq!(required(&slight, &[]).0, "reject");
    // Within noise, by Welch −0.72 ± 0.76 % with 90 %: neither no change nor a gain of 1 %.
    let (decision, reason) = judged(&["98.9", "99.6", "99.3", "100.0"]);
    assert_eq!(decision, "reject");
    assert!(reason.contains("−0.7 % (at best 0.0 %; 1 % matters)"), "{reason}");

    // Within noise, and one run each.
    let noisy = ["103.0", "98.0", "107.0", "100.0"];
    let (decision, reason) =
        required(&table("output_throughput", &["100", "105", "95", "101"], &noisy), &[]);
    assert_eq!((decision, &reason[..12]), ("more_data", "within noise"), "{reason}");
    let (decision, reason) = required(&table("output_throughput", &["100"], &["105"]), &[]);
    assert_eq!((decision, &reason[..10]), ("more_data", "no verdict"), "{reason}");
}

/// METHODS 14: a trade-off is rejected, and so is a change that makes a guard worse; what decides nothing is named.
#[test]
fn nothing_that_decides_or_guards_may_be_worse() {
    let (before, after) = (
        "100.0,80.0 100.5,80.2 99.6,79.9 100.1,80.1",
        "105.0,90.0 105.5,90.2 104.6,89.9 105.1,90.1",
    );
    let rows = |text: &'static str| text.split(' ').collect::<Vec<&str>>();
    let both = table("tok_per_s,step_ms", &rows(before), &rows(after));
    let (decision, reason) = required(&both, &[]);
    assert_eq!(decision, "reject");
    assert!(reason.contains("step_ms is worse by 12.5 %"), "{reason}");

    let before = "1000,80,20,30 1003,80.2,20.1,30.1 998,79.9,19.9,29.9 1001,80.1,20,30";
    let after = "1050,76,19,45 1053,76.2,19.1,45.2 1048,75.9,18.9,44.8 1051,76.1,19,45";
    let names = "output_throughput,mean_ttft_ms,mean_tpot_ms,p99_itl_ms";
    let hidden = table(names, &rows(before), &rows(after));
    let (decision, reason) = required(&hidden, &[]);
    assert_eq!(decision, "promote");
    assert!(reason.contains("also worse, not deciding: P99 ITL +50"), "{reason}");
    let (decision, reason) = required(&hidden, &["--guard", "p99_itl_ms"]);
    assert_eq!(decision, "reject");
    assert!(reason.contains("guard P99 ITL is worse by 50"), "{reason}");
    // A guard that was not measured: nobody knows.
    let (decision, reason) = required(&hidden, &["--guard", "p99_e2el_ms"]);
    assert_eq!(decision, "more_data");
    assert!(reason.contains("P99 E2EL was not measured"), "{reason}");
}

/// METHODS 5 and 14, T2: where all runs of one build came first, a drift looks like the change.
#[test]
fn a_confounded_order_promotes_and_rejects_nothing() {
    let rows = |main: f64, pr: f64| {
        let mut table = String::from("build,started,output_throughput\n");
        for at in 0..10 {
            let (build, value) = if at < 5 { ("main", main) } else { ("pr", pr) };
            let value = value * (1.0 + 0.001 * f64::from(at * 7 % 5));
            writeln!(table, "{build},2026-11-01T10:{at:02}:00Z,{value}").expect("a String");
        }
        table
    };
    let (decision, reason) = required(&rows(100.0, 105.0), &[]);
    assert_eq!(decision, "more_data");
    assert!(reason.starts_with("in doubt: make the runs again in the order"), "{reason}");
    let (decision, reason) = required(&rows(105.0, 100.0), &[]);
    assert_eq!(decision, "more_data");
    assert!(reason.contains("or a drift looks like it"), "{reason}");
}

fn batch(cells: &[(&str, [f64; 2])], arguments: &[&str]) -> Called {
    let mut table = String::from("build,run,model,output_throughput\n");
    for (at, (cell, values)) in cells.iter().enumerate() {
        for run in 0..4 {
            for (build, value) in ["main", "pr"].iter().zip(values) {
                // A standard deviation of 0.3 %, another in each cell.
                let noise =
                    1.0 + 0.001 * f64::from((run * 5 + i32::try_from(at).expect("few")) % 7 - 3);
                let noise = if *build == "pr" { 2.0 - noise } else { noise };
                writeln!(table, "{build},{run},{cell},{}", value * noise).expect("a String");
            }
        }
    }
    let all = ["batch", "t.csv", "--by", "model", "--require", "improved"];
    call(&table, "", &[&all, arguments].concat())
}

/// A batch is promoted if some cell is better and none worse, like a comparison with its metrics.
#[test]
fn a_batch_is_promoted_if_some_cells_are_better_and_none_is_worse() {
    let [better, same, worse] = [[100.0, 105.0], [100.0, 100.0], [100.0, 95.0]];
    let cells = |values: [[f64; 2]; 3]| [("a", values[0]), ("b", values[1]), ("c", values[2])];
    let called = batch(&cells([better, same, same]), &[]);
    assert_eq!(called.status, Some(0), "{}", called.said);
    assert!(
        called.said.starts_with("beyondnoise: promote: model a, output throughput +5"),
        "{}",
        called.said
    );
    assert!(called.text.contains("\n\nDecision: promote: "), "{}", called.text);
    let called = batch(&cells([better, same, worse]), &[]);
    assert_eq!(called.status, Some(1), "{}", called.said);
    let called = batch(&cells([same, same, same]), &[]);
    assert_eq!(called.status, Some(1), "{}", called.said);
    assert!(called.said.contains("in all 3 comparisons, "), "{}", called.said);
}

/// Each candidate is judged alone, and the strictest answer counts.
#[test]
fn of_several_candidates_the_strictest_answer_counts() {
    let mut rows = table("output_throughput", &MAIN, &["105.0", "106.0", "104.8", "105.3"]);
    let (decision, reason) = required(&rows, &[]);
    assert_eq!(decision, "promote", "{reason}");
    for (at, value) in ["100", "97", "103", "101"].iter().enumerate() {
        writeln!(rows, "pr2,{at},{value}").expect("a String");
    }
    let (decision, reason) = required(&rows, &[]);
    assert_eq!(decision, "more_data");
    assert!(reason.starts_with("pr2: "), "{reason}");
}

/// The key of the policy file says what `--gate` asks for; it is no gate of its own.
#[test]
fn the_policy_file_makes_the_gate_ask_for_an_improvement() {
    let still = table("output_throughput", &MAIN, &["100.1", "100.9", "99.6", "100.1"]);
    let policy = "[gate]\nrequire = \"improved\"\n";
    let status = |policy: &str, arguments: &[&str]| {
        call(&still, policy, &[&["compare", "t.csv"], arguments].concat()).status
    };
    assert_eq!(status("", &["--gate"]), Some(0));
    assert_eq!(status(policy, &["--gate"]), Some(1));
    assert_eq!(status(policy, &[]), Some(0));
    assert_eq!(status(policy, &["--require", "not_worse"]), Some(0));
    let plain = call(&still, "", &["compare", "t.csv", "--gate"]).text;
    assert!(!plain.contains("Decision"), "{plain}");
    for (format, line) in
        [("markdown", "Decision: **reject**: "), ("html", "reject</strong>: an improvement")]
    {
        let page = call(&still, policy, &["compare", "t.csv", "--format", format]).text;
        assert!(page.contains(line), "{page}");
    }
}

/// A standard normal variate, by Box and Muller.
fn normal(rng: &mut ChaCha8Rng) -> f64 {
    let (u, v): (f64, f64) = (rng.random(), rng.random());
    (-2.0 * (1.0 - u).ln()).sqrt() * (std::f64::consts::TAU * v).cos()
}

/// Share of comparisons of 4 + 4 runs with 2 % noise that are promoted, at this true change.
fn promoted(gain: f64, of: u32) -> f64 {
    let mut rng = ChaCha8Rng::seed_from_u64(14);
    let policy = Policy::default();
    let mut promoted = 0;
    for _ in 0..of {
        let runs = (0..8).map(|at: u32| {
            let (variant, mean) =
                if at.is_multiple_of(2) { ("main", 100.0) } else { ("pr", 100.0 * (1.0 + gain)) };
            let value = mean * (0.02 * normal(&mut rng)).exp();
            Run::new(variant, [("output_throughput", value)])
        });
        let dataset = Dataset::assemble(runs.collect(), Vec::new());
        let report = analyse(&dataset, Some("main"), None, &policy).expect("a report");
        promoted += u32::from(report.decision == Decision::Promote);
    }
    f64::from(promoted) / f64::from(of)
}

/// S11: a no-op is kept in at most the 2.5 % of one tail; 1,000 of them have a standard deviation of 0.5 %. A gain of 10 % is
/// five standard errors (2 % / sqrt 2 = 1.4 %, times 5 = 7 %) and more.
#[test]
fn a_patch_that_changes_nothing_is_seldom_promoted() {
    assert!(promoted(0.0, 1_000) <= 0.045);
    assert!(promoted(0.1, 100) >= 0.95);
}
