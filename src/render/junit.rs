//! The report as JUnit XML: a suite per comparison, a test case per metric.
//!
//! A test fails where the gate does. A metric that was not judged, or whose answer is open, is a skipped test.

use maud::{Markup, PreEscaped, html};

use crate::render::escape::legal;
use crate::report::comparison::{verdicts, words};
use crate::report::{Comparison, Report, Row};
use crate::verdict::{Decision, Gate, Verdict};

/// How a test ended.
enum Outcome {
    /// Its words.
    Passed(String),
    /// A word for the kind of failure, and why.
    Failed(&'static str, String),
    /// Why.
    Skipped(String),
}

struct Test {
    name: String,
    outcome: Outcome,
}

struct Suite {
    name: String,
    properties: Vec<(&'static str, String)>,
    tests: Vec<Test>,
    said: String,
}

/// The report as JUnit XML, for the tools that show the results of tests: its gate, then each comparison.
pub fn junit(report: &Report) -> String {
    let suites: Vec<Suite> =
        std::iter::once(whole(report)).chain(report.comparisons.iter().map(suite)).collect();
    let [tests, failures, _] = suites.iter().map(counts).fold([0; 3], |mut sum, one| {
        sum.iter_mut().zip(one).for_each(|(sum, one)| *sum += one);
        sum
    });
    let markup = html! {
        (PreEscaped("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"))
        testsuites name="beyondnoise" tests=(tests) failures=(failures) errors="0" {
            @for suite in &suites { "\n" (suite_markup(suite)) }
            "\n"
        }
        "\n"
    };
    markup.into_string()
}

/// The number of tests, of those that failed, and of those that were skipped.
fn counts(suite: &Suite) -> [usize; 3] {
    let of = |wanted: fn(&Outcome) -> bool| {
        suite.tests.iter().filter(|test| wanted(&test.outcome)).count()
    };
    let failed = of(|outcome| matches!(outcome, Outcome::Failed(..)));
    [suite.tests.len(), failed, of(|outcome| matches!(outcome, Outcome::Skipped(_)))]
}

fn suite_markup(suite: &Suite) -> Markup {
    let [tests, failures, skipped] = counts(suite);
    let name = legal(&suite.name);
    html! {
        testsuite name=(name) tests=(tests) failures=(failures) errors="0" skipped=(skipped) {
            @if !suite.properties.is_empty() {
                "\n" properties {
                    @for (key, value) in &suite.properties { property name=(key) value=(legal(value)) {} }
                }
            }
            @for test in &suite.tests {
                "\n" testcase name=(legal(&test.name)) classname=(name) {
                    @match &test.outcome {
                        Outcome::Passed(said) => { @if !said.is_empty() { system-out { (legal(said)) } } }
                        Outcome::Failed(kind, why) => { failure type=(kind) message=(legal(why)) {} }
                        Outcome::Skipped(why) => { skipped message=(legal(why)) {} }
                    }
                }
            }
            @if !suite.said.is_empty() { "\n" system-out { (legal(&suite.said)) } }
            "\n"
        }
    }
}

/// The gate, and the decision where it was asked for.
fn whole(report: &Report) -> Suite {
    let gate = match report.gate {
        Gate::Pass => Outcome::Passed(report.gate_reason.clone()),
        Gate::Fail => Outcome::Failed("gate", report.gate_reason.clone()),
        Gate::None => Outcome::Skipped(report.gate_reason.clone()),
    };
    let decision = words::decision(report).map(|word| {
        let why = format!("{word}: {}", report.decision_reason);
        let outcome = match report.decision {
            Decision::Promote => Outcome::Passed(why),
            Decision::Reject => Outcome::Failed("reject", why),
            Decision::MoreData | Decision::Stale => Outcome::Skipped(why),
        };
        Test { name: "improved".to_owned(), outcome }
    });
    let gate = Test { name: "gate".to_owned(), outcome: gate };
    Suite {
        name: "beyondnoise".to_owned(),
        properties: Vec::new(),
        tests: std::iter::once(gate).chain(decision).collect(),
        said: String::new(),
    }
}

fn suite(comparison: &Comparison) -> Suite {
    let headline = words::headline(comparison.headline).to_owned();
    let next = &comparison.next_step;
    Suite {
        name: words::pair_and_cell(comparison),
        properties: vec![("headline", headline), ("workload", comparison.workload.describe())],
        tests: comparison.metrics.iter().map(|row| test(comparison, row)).collect(),
        said: format!("{}\nNext: {next}", comparison.summary),
    }
}

fn test(comparison: &Comparison, row: &Row) -> Test {
    let said = || format!("{}: {}", words::with_interval(comparison, row), verdicts::verdict(row));
    let outcome = match row.gate {
        Some(Gate::Fail) => Outcome::Failed("worse", said()),
        Some(Gate::None) if row.verdict != Verdict::NotJudged => Outcome::Skipped(said()),
        _ if row.verdict == Verdict::NotJudged => Outcome::Skipped(verdicts::verdict(row)),
        _ => Outcome::Passed(said()),
    };
    Test { name: row.row_label.clone(), outcome }
}
