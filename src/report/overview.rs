//! Several comparisons at a glance: for each workload one table with a row per candidate.

use crate::checks::{CLAIM_CHECK, Severity};
use crate::format;
use crate::report::batch::moved;
use crate::report::row_text;

use crate::report::next::streams;
use crate::report::words;
use crate::report::{Comparison, Report, Row};
use crate::verdict::{Headline, Verdict};

/// Comparisons of one workload with one baseline.
pub(super) struct Overview<'a> {
    /// The workload in words.
    pub(super) workload: String,
    /// The baseline with its number of runs.
    pub(super) baseline: String,
    /// The deciding metrics.
    pub(super) metrics: Vec<String>,
    /// Their names in a table.
    pub(super) columns: Vec<String>,
    /// A row per candidate, the worst first.
    pub(super) rows: Vec<OverviewRow<'a>>,
    /// What blocks or warns, each said once.
    pub(super) warnings: Vec<String>,
    /// How many of them are shown at a glance: a few, and all that could turn a verdict or contradict a claim.
    pub(super) shown: usize,
    /// The one thing to do next.
    pub(super) next: String,
}

/// One candidate.
pub(super) struct OverviewRow<'a> {
    /// The comparison behind it.
    pub(super) comparison: &'a Comparison,
    /// The candidate with its number of runs.
    pub(super) name: String,
    /// A cell per deciding metric: the change, and its verdict or the noise below which it would be one.
    pub(super) cells: Vec<[String; 2]>,
}

/// Comparisons that are all shown at a glance; of more, only those that moved.
const MOST_COMPARISONS: usize = 12;

/// The comparisons of `report` by workload and baseline, in the order of the worst of each.
pub(super) fn overviews(report: &Report) -> Vec<Overview<'_>> {
    grouped(report.comparisons.iter())
}

/// The same as far as it is one screen, and what is said of the rest.
pub(super) fn at_a_glance(report: &Report) -> (Vec<Overview<'_>>, Option<String>) {
    let all = report.comparisons.len();
    if all <= MOST_COMPARISONS {
        return (overviews(report), None);
    }
    let moved: Vec<&Comparison> = report.comparisons.iter().filter(|one| moved(one)).collect();
    let open =
        |one: &&Comparison| matches!(one.headline, Headline::NoVerdict | Headline::NotComparable);
    let unjudged = report.comparisons.iter().filter(open).count();
    if moved.is_empty() && unjudged == all {
        // They come in the order of their changes.
        let largest = report.comparisons.iter().take(MOST_COMPARISONS);
        let rest = format!(
            "None of the {all} comparisons could be judged: these are the {MOST_COMPARISONS} largest changes."
        );
        return (grouped(largest), Some(rest));
    }
    let judged = match unjudged {
        0 => String::new(),
        n => format!("; {n} could not be judged"),
    };
    let rest = match moved.len() {
        0 => format!(
            "None of the {} comparisons that could be judged moved beyond noise",
            all - unjudged
        ),
        n if n == all => format!("All {all} comparisons moved beyond noise"),
        n => format!("{} of {all} comparisons did not move beyond noise", all - n - unjudged),
    };
    let why = "`beyondnoise batch` shows all of them as one table.";
    (grouped(moved.into_iter()), Some(format!("{rest}{judged}. {why}")))
}

fn grouped<'a>(comparisons: impl Iterator<Item = &'a Comparison>) -> Vec<Overview<'a>> {
    let mut groups: Vec<Vec<&Comparison>> = Vec::new();
    for comparison in comparisons {
        let same = |members: &Vec<&Comparison>| {
            members[0].workload == comparison.workload
                && members[0].baseline.name == comparison.baseline.name
        };
        match groups.iter_mut().find(|members| same(members)) {
            Some(members) => members.push(comparison),
            None => groups.push(vec![comparison]),
        }
    }
    groups.into_iter().map(|members| overview(&members)).collect()
}

fn overview<'a>(members: &[&'a Comparison]) -> Overview<'a> {
    let mut deciding: Vec<&Row> = Vec::new();
    for row in members.iter().flat_map(|comparison| comparison.deciding()) {
        if !deciding.iter().any(|known| known.metric == row.metric) {
            deciding.push(row);
        }
    }
    deciding.truncate(3);
    let cell = |comparison: &Comparison, metric: &str| {
        let row = comparison.metrics.iter().find(|row| row.metric == metric && row.deciding);
        row.map_or_else(|| ["n/a".to_owned(), String::new()], change)
    };
    let rows = members
        .iter()
        .map(|comparison| OverviewRow {
            comparison,
            name: with_runs(
                &comparison.candidate.name,
                comparison.candidate.runs,
                averaged(comparison)[1],
            ),
            cells: deciding.iter().map(|row| cell(comparison, &row.metric)).collect(),
        })
        .collect();
    let first = members[0];
    let (warnings, shown) = warnings(members);
    Overview {
        shown,
        workload: first.workload.describe(),
        baseline: with_runs(&first.baseline.name, first.baseline.runs, averaged(first)[0]),
        metrics: deciding.iter().map(|row| row.metric.clone()).collect(),
        columns: deciding.iter().map(|row| row.row_label.clone()).collect(),
        rows,
        warnings,
        next: next(members),
    }
}

fn with_runs(name: &str, runs: usize, averaged: Option<usize>) -> String {
    match averaged {
        Some(behind) => format!("{name} (average of {behind})"),
        None => format!("{name} (n={runs})"),
    }
}

/// Runs behind the averages of both variants, where the deciding metrics are such.
fn averaged(comparison: &Comparison) -> [Option<usize>; 2] {
    let mut both = comparison.deciding().map(|row| [row.baseline.averaged, row.candidate.averaged]);
    both.find(|both| both[0].is_some()).unwrap_or_default()
}

/// A change, and its verdict or the noise below which it would be one.
fn change(row: &Row) -> [String; 2] {
    let word = match (row.verdict, row.noise.break_even_cv) {
        (Verdict::Better, _) => "better".to_owned(),
        (Verdict::Worse, _) => "worse".to_owned(),
        (Verdict::TinyBetter, _) => format!("better, under {}", format::chosen(row.margin)),
        (Verdict::TinyWorse, _) => format!("worse, under {}", format::chosen(row.margin)),
        (Verdict::NoChange, _) => "no change".to_owned(),
        (Verdict::WithinNoise, _) => "within noise".to_owned(),
        (Verdict::NotJudged, Some(cv)) if row.delta.relative_ci_adjusted.is_none() => {
            let equal = row.delta.absolute == 0.0;
            if equal { "(equal)".to_owned() } else { format!("(CV < {})", format::percent(cv)) }
        }
        (Verdict::NotJudged, _) => "not judged".to_owned(),
    };
    [row_text::change_and_factor(row), word]
}

/// Warnings of one workload that are shown though they could not turn a verdict.
const BEFORE_FOLD: usize = 3;

/// Blocking and warning findings, one sentence per check, those first that could turn a verdict.
fn warnings(members: &[&Comparison]) -> (Vec<String>, usize) {
    let mut ids: Vec<&str> = Vec::new();
    let mut found: Vec<((bool, Severity), String)> = Vec::new();
    for comparison in members {
        for check in comparison.checks.iter().filter(|check| check.severity < Severity::Note) {
            // Every claim is of its own kind: none stands for the others.
            if check.id == CLAIM_CHECK {
                let text = format!("{}: {}", comparison.candidate.name, check.message);
                found.push(((!check.must_show(), check.severity), text));
                continue;
            }
            if ids.contains(&check.id) {
                continue;
            }
            ids.push(check.id);
            let others = members
                .iter()
                .filter(|other| !std::ptr::eq(**other, *comparison))
                .flat_map(|other| &other.checks)
                .filter(|other| other.id == check.id);
            let (same, different): (Vec<_>, Vec<_>) =
                others.partition(|other| other.message == check.message);
            let all = same.len() + 1 == members.len();
            let whose = if all || !same.is_empty() || !different.is_empty() {
                String::new()
            } else {
                format!("{}: ", comparison.candidate.name)
            };
            let also = match different.len() {
                0 => String::new(),
                n => format!(" (Likewise {n} more.)"),
            };
            let weight = (!check.must_show(), check.severity);
            found.push((weight, format!("{whose}{}{also}", check.message)));
        }
    }
    found.sort_by_key(|(weight, _)| *weight);
    let essential = found.iter().filter(|((folded, _), _)| !folded).count();
    let shown = essential.max(BEFORE_FOLD).min(found.len());
    (found.into_iter().map(|(_, text)| text).collect(), shown)
}

/// The next step of the worst comparison, or the one that serves them all.
fn next(members: &[&Comparison]) -> String {
    if members.iter().all(|comparison| words::single(comparison)) {
        let serving = members.iter().any(|comparison| streams(comparison));
        let how = if serving { ", same seed, prefix cache reset" } else { "" };
        return format!(
            "4 more runs of every variant, forward and then backward through the list (A B C, C B A, \
             ...){how}."
        );
    }
    let worst = members[0];
    if members.len() == 1 {
        worst.next_step.clone()
    } else {
        format!("{}: {}", worst.candidate.name, worst.next_step)
    }
}

/// The explanation of the cells, where they need one.
pub(super) fn legend(overview: &Overview) -> Option<&'static str> {
    let single =
        overview.rows.iter().flat_map(|row| &row.cells).any(|[_, word]| word.starts_with("(CV <"));
    single.then_some("(CV < x): beyond noise only if the run-to-run CV is below x.")
}
