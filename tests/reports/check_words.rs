//! Every check in a design that makes it speak: its weight, its words and its numbers. The designs stand in
//! `fixtures/checks.txt`, what is said of them in `snapshots/`. The numbers are worked out by hand in the other tests of
//! the checks; here nothing of what they say changes unseen.

use std::collections::BTreeSet;
use std::fmt::Write;

use beyondnoise::analysis::analyse;
use beyondnoise::checks::{CHECKS, Scope};
use beyondnoise::policy::{NoiseFrom, Policy};
use beyondnoise::read::{File, Options, load_bytes};
use beyondnoise::report::{Check, Comparison};
use serde_json::Value;

/// Checks that stand beside nearly every verdict: shown once.
const USUAL: [&str; 5] =
    ["speed-only", "runs-to-plan", "low-resolution", "too-few-runs", "dependent-metrics"];

/// A number with six digits.
fn rounded(value: &Value) -> Value {
    match value {
        Value::Number(number) if number.is_f64() => {
            let number = number.as_f64().unwrap_or(f64::NAN);
            format!("{number:.5e}").parse::<f64>().map_or(Value::Null, Value::from)
        }
        Value::Array(all) => all.iter().map(rounded).collect(),
        Value::Object(all) => {
            all.iter().map(|(key, value)| (key.clone(), rounded(value))).collect()
        }
        other => other.clone(),
    }
}

fn shown(check: &Check) -> String {
    let flips = if check.could_flip { ", could flip" } else { "" };
    let mut text =
        format!("{} {:?}{flips}: {}\n", check.id.as_str(), check.severity, check.message);
    for (key, value) in &check.evidence {
        writeln!(text, "    {key} = {}", rounded(value)).expect("a String");
    }
    text
}

/// `main` against the first other variant of a table, as the word in brackets asks.
fn compared(asked: &str, table: &str) -> Comparison {
    let file = File { variant: None, name: "runs.csv", bytes: table.as_bytes() };
    let nested = ["machine", "start"].map(str::to_owned).to_vec();
    let run_column = if asked == "nested" { nested } else { Vec::new() };
    let pool = asked.strip_prefix("pool ").map(str::to_owned).into_iter().collect();
    let options = Options { run_column, pool, ..Options::default() };
    let loaded = load_bytes(&[file], &options).expect(table);
    let noise = match asked {
        "batch" => NoiseFrom::Batch,
        "variants" => NoiseFrom::Variants,
        _ => NoiseFrom::Auto,
    };
    let policy = Policy { paired: asked == "paired", noise, ..Policy::default() };
    let report = analyse(&loaded.dataset, Some("main"), None, &policy).expect(table);
    report.comparisons.into_iter().next().expect(table)
}

#[test]
fn what_each_check_says() {
    let (mut all, mut told) = (String::new(), BTreeSet::new());
    for design in include_str!("../fixtures/checks.txt").split("== ").skip(1) {
        let (title, table) = design.split_once('\n').expect("a title");
        let asked = title.split_once('[').map_or("", |(_, asked)| asked.trim_end_matches(']'));
        writeln!(all, "== {title}").expect("a String");
        for check in compared(asked, table).checks {
            if told.insert(check.id.as_str())
                || !USUAL.contains(&check.id.as_str())
                || title.contains("run")
            {
                all += &shown(&check);
            }
        }
        all.push('\n');
    }
    insta::assert_snapshot!("checks", all);
    // That of claims speaks of the notes of engineers: tests/reports/checks_measured.rs.
    told.insert("claim-check");
    // Those of iterations and averages speak of other files than tables: tests/reports/levels.rs.
    told.extend(["iterations-as-runs", "from-averages"]);
    // That of the machine speaks of runs that `run` made: tests/reports/checks_numbers.rs.
    told.insert("machine-state");
    // That of a history needs one: tests/reports/history.rs.
    told.insert("machine-changed");
    let of_comparisons = CHECKS.iter().filter(|check| check.scope != Scope::Noise);
    let silent: Vec<&str> =
        of_comparisons.map(|check| check.id.as_str()).filter(|id| !told.contains(id)).collect();
    assert!(silent.is_empty(), "no design makes them speak: {silent:?}");
}
