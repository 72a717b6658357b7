//! The report of a batch: how many cells of each kind, and those that moved, the worst first.

mod markdown;
mod text;

use std::collections::BTreeMap;

use crate::checks::Severity;
use crate::format;
use crate::report::escape::argument;
use crate::report::row_text;

use crate::report::words;
use crate::report::{BatchRow, Comparison, Report, Row};
use crate::verdict::{Headline, Verdict};

pub use markdown::batch_markdown;
pub use text::batch_text;

/// Why nothing is judged where no metric is known to be better one way.
const NO_DIRECTION: &str = "no direction known";

/// Cells shown unless all are asked for.
const MOST_SHOWN: usize = 20;

/// Warnings shown.
const MOST_WARNINGS: usize = 3;

/// A cell and candidate in one line of a table.
pub(super) struct Line<'a> {
    pub(super) comparison: &'a Comparison,
    /// Values of the columns that name the cell, in their order.
    pub(super) cell: Vec<&'a str>,
    /// The metric that says most, its change, its interval and what is said of it.
    pub(super) metric: &'a str,
    pub(super) change: String,
    pub(super) interval: String,
    pub(super) verdict: String,
}

/// The first line: `120 cells: 3 worse, 5 better, 78 within noise, 12 not judged (7 too few runs)`.
pub(super) fn headline(batch: &BatchRow, report: &Report) -> String {
    let counts = batch.counts;
    let all = [
        (counts.worse, "worse"),
        (counts.trade_off, "trade-off"),
        (counts.slightly_worse, "slightly worse"),
        (counts.better, "better"),
        (counts.slightly_better, "slightly better"),
        (counts.no_change, "no change"),
        (counts.within_noise, "within noise"),
        (counts.not_judged, "not judged"),
    ];
    let parts: Vec<String> =
        all.iter().filter(|(n, _)| *n > 0).map(|(n, word)| format!("{n} {word}")).collect();
    let mut reasons: Vec<(&String, &usize)> = batch.not_judged.iter().collect();
    reasons.sort_by_key(|(reason, n)| (std::cmp::Reverse(**n), *reason));
    let words: Vec<String> = reasons.iter().map(|(reason, n)| format!("{n} {reason}")).collect();
    let why = if words.is_empty() { String::new() } else { format!(" ({})", words.join(", ")) };
    let judged: usize = all.iter().map(|(n, _)| n).sum();
    let cells = format!("{} cell{}", batch.cells, if batch.cells == 1 { "" } else { "s" });
    let subject = if judged == batch.cells || report.comparisons.is_empty() {
        cells
    } else {
        format!("{judged} comparisons in {cells}")
    };
    format!("{subject}: {}{why}", parts.join(", "))
}

/// The comparisons to show: those that moved, or all; where none could be judged those with a change.
pub(super) fn lines<'a>(report: &'a Report, batch: &'a BatchRow, all: bool) -> Vec<Line<'a>> {
    let none = none_judged(report);
    let wanted = |comparison: &&Comparison| {
        all || moved(comparison) || none && telling(comparison).is_some()
    };
    let shown = report.comparisons.iter().filter(wanted);
    shown.map(|comparison| line(comparison, batch)).collect()
}

/// Whether there is no verdict for any comparison.
pub(super) fn none_judged(report: &Report) -> bool {
    report.comparisons.iter().all(|one| one.headline == Headline::NoVerdict)
}

/// Whether a deciding metric moved beyond noise.
pub(super) fn moved(comparison: &Comparison) -> bool {
    comparison.headline.is_change()
}

fn line<'a>(comparison: &'a Comparison, batch: &'a BatchRow) -> Line<'a> {
    let value = |name: &String| comparison.cell.get(name).map_or("", String::as_str);
    let cell = batch.by.iter().map(value).collect();
    let Some(row) = telling(comparison) else {
        let why = comparison.checks.iter().find(|check| check.severity == Severity::Block);
        let why = why.map_or("", |check| check.id).replace('-', " ");
        let verdict = format!("{}: {why}", words::headline(comparison.headline));
        let (change, interval) = (String::new(), String::new());
        return Line { comparison, cell, metric: "", change, interval, verdict };
    };
    Line {
        comparison,
        cell,
        metric: &row.row_label,
        change: row_text::change_and_factor(row),
        interval: row_text::interval(row),
        verdict: verdict(comparison, row),
    }
}

/// The words of a row's verdict; of a trade-off also what gained.
fn verdict(comparison: &Comparison, row: &Row) -> String {
    let word = words::short_verdict(row);
    let gained = comparison.deciding().find(|row| row.verdict == Verdict::Better);
    match gained.filter(|_| comparison.headline == Headline::TradeOff) {
        Some(other) => format!("{word}; {} {} better", other.label, row_text::change(other)),
        None => word,
    }
}

/// Cells that are named of those that were not judged for one reason.
const MOST_CELLS: usize = 3;

/// The cells that were not judged, a sentence for each reason, with their names: a few, or `all`.
pub(super) fn not_judged(report: &Report, batch: &BatchRow, all: bool) -> Vec<String> {
    let mut reasons: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let several = several_candidates(report);
    for comparison in &report.comparisons {
        if !matches!(comparison.headline, Headline::NoVerdict | Headline::NotComparable) {
            continue;
        }
        let candidate = &comparison.candidate.name;
        let cell = name(comparison, batch);
        let cell =
            if several && cell != *candidate { format!("{cell}, {candidate}") } else { cell };
        reasons.entry(format!("not judged ({})", why(comparison))).or_default().push(cell);
    }
    for row in &report.unmatched {
        let cell = cell_words(&row.cell, batch);
        let cell = if cell.is_empty() { row.workload.describe() } else { cell };
        let runs = if row.runs == 1 { "1 run".to_owned() } else { format!("{} runs", row.runs) };
        let reason = format!("not compared: {} ({})", row.variant, row.why);
        reasons.entry(reason).or_default().push(format!("{cell} ({runs})"));
    }
    let sentence = |(reason, cells): (String, Vec<String>)| {
        let most = if all { cells.len() } else { MOST_CELLS };
        let more = cells.len().saturating_sub(most);
        let more = if more > 0 { format!("; and {more} more (--all)") } else { String::new() };
        let count =
            if cells.len() > 1 { format!(" in {} cells", cells.len()) } else { String::new() };
        format!("{reason}{count}: {}{more}", cells[..cells.len().min(most)].join("; "))
    };
    reasons.into_iter().map(sentence).collect()
}

/// Why a comparison is not judged, in a few words.
pub(crate) fn why(comparison: &Comparison) -> String {
    let stopped = comparison.deciding().find(|row| row.verdict == Verdict::NotJudged);
    let of_row = stopped.map(|row| row.reason.clone()).filter(|reason| !reason.is_empty());
    let block = comparison.checks.iter().find(|check| check.severity == Severity::Block);
    let block = || block.map(|check| check.id.replace('-', " "));
    let reason = of_row.or_else(block);
    let undirected =
        !comparison.metrics.is_empty() && comparison.metrics.iter().all(|row| row.better.is_none());
    let other = if undirected { NO_DIRECTION } else { "nothing that decides" };
    reason.unwrap_or_else(|| other.to_owned())
}

/// The deciding row that the headline rests on: the largest change of its kind.
fn telling(comparison: &Comparison) -> Option<&Row> {
    let wanted = comparison.headline.made_by().first();
    let size = |row: &Row| row.delta.relative.map_or(0.0, f64::abs);
    comparison
        .deciding()
        .filter(|row| Some(&row.verdict) == wanted)
        .reduce(|a, b| if size(b) > size(a) { b } else { a })
}

/// What warns in the most cells, a sentence each.
pub(super) fn warnings(report: &Report) -> Vec<String> {
    let mut found: BTreeMap<&str, (usize, &str)> = BTreeMap::new();
    for comparison in &report.comparisons {
        for check in comparison.checks.iter().filter(|check| check.severity == Severity::Warn) {
            found.entry(check.id).or_insert((0, &check.message)).0 += 1;
        }
    }
    let mut found: Vec<(&str, (usize, &str))> = found.into_iter().collect();
    found.sort_by_key(|(id, (count, _))| (std::cmp::Reverse(*count), *id));
    let all = report.comparisons.len();
    found
        .into_iter()
        .map(|(id, (count, message))| match (count, all) {
            (1, 1) => message.to_owned(),
            _ => format!("{id} in {count} of {all}; one of them: {message}"),
        })
        .collect()
}

/// The one thing to do next.
pub(super) fn next(report: &Report, batch: &BatchRow) -> String {
    let counts = batch.counts;
    if let Some(row) = undirected(report).filter(|_| batch.not_judged.contains_key(NO_DIRECTION)) {
        let either = ["lower", "higher"].map(|way| argument(&format!("{}:{way}", row.metric)));
        return format!(
            "say which way is better, for example --metric {}.",
            either.join(" or --metric ")
        );
    }
    if let Some(first) = report.comparisons.first()
        && counts.worse + counts.trade_off > 0
    {
        return format!("look at {} first: {}", name(first, batch), first.next_step);
    }
    let mut more: Vec<usize> = report
        .comparisons
        .iter()
        .filter(|comparison| comparison.headline == Headline::WithinNoise)
        .filter_map(|comparison| comparison.deciding().filter_map(words::more).min())
        .collect();
    more.sort_unstable();
    if let Some(&middle) = more.get(more.len() / 2)
        && counts.within_noise >= counts.no_change + counts.better
    {
        let runs = if middle == 1 { "run" } else { "runs" };
        let settled = more.iter().filter(|&&n| n <= middle).count();
        return format!(
            "about {middle} more {runs} of each would settle {settled} of the {} within noise (80 % power).",
            counts.within_noise
        );
    }
    if counts.not_judged > counts.better + counts.no_change + counts.within_noise {
        return "make at least 3 runs of every variant in every cell, and judge again.".to_owned();
    }
    if counts.not_judged > 0 {
        let noun = if counts.not_judged == 1 { "cell was" } else { "cells were" };
        return format!(
            "nothing became worse beyond noise, but {} {noun} not judged: --all shows which.",
            counts.not_judged
        );
    }
    if counts.better > 0 {
        return "nothing became worse beyond noise; the cells that gained stand in the table."
            .to_owned();
    }
    "nothing moved beyond noise.".to_owned()
}

/// A metric of which nobody has said which way is better.
fn undirected(report: &Report) -> Option<&Row> {
    let rows = report.comparisons.iter().flat_map(|comparison| &comparison.metrics);
    rows.into_iter().find(|row| row.better.is_none())
}

/// A cell in words: `llama-8b, 16`.
pub(super) fn name(comparison: &Comparison, batch: &BatchRow) -> String {
    let cell = cell_words(&comparison.cell, batch);
    if cell.is_empty() { comparison.candidate.name.clone() } else { cell }
}

fn cell_words(cell: &BTreeMap<String, String>, batch: &BatchRow) -> String {
    let value = |name: &String| {
        let value = cell.get(name)?;
        Some(if value.is_empty() { format!("no {name}") } else { format!("{name} {value}") })
    };
    batch.by.iter().filter_map(value).collect::<Vec<_>>().join(", ")
}

/// Whether the comparisons have more than one baseline or candidate, so that a table must name them.
pub(super) fn several_candidates(report: &Report) -> bool {
    let mut pairs = report
        .comparisons
        .iter()
        .map(|comparison| (&comparison.baseline.name, &comparison.candidate.name));
    let first = pairs.next();
    pairs.any(|pair| Some(pair) != first)
}

/// How the list was judged, in a sentence.
fn method(report: &Report, batch: &BatchRow) -> String {
    // Few runs have no far tail to resample, and a long list is decided there.
    let unless = match report.settings.method {
        "welch" => "",
        _ => " (more with few runs and this method: welch keeps to it)",
    };
    format!(
        "All cells are judged as one list (Benjamini-Hochberg): at most {} of the changes found are false \
         alarms on average{unless}. {}",
        format::chosen(batch.false_discovery_rate),
        words::method(report)
    )
}
