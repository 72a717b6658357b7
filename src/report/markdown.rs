//! The report as markdown for a pull request: the verdict first, at most three rows, the rest folded.

use std::fmt::Write;

use crate::checks::Severity;
use crate::report::escape::{code, escape, html};
use crate::report::row_text;

use crate::report::levels;
use crate::report::overview::{Overview, at_a_glance, legend};
use crate::report::text::glued;
use crate::report::units;
use crate::report::words;
use crate::report::{Check, Comparison, Report, Row};
use crate::verdict::Headline;

/// Hidden mark by which a bot finds its own comment.
pub(super) const MARKER: &str = "<!-- beyondnoise -->";

/// A comment on GitHub holds 65,536 characters.
pub(super) const MOST_CHARACTERS: usize = 60_000;

/// Entries of a list of what was left out.
const MOST_IN_A_LIST: usize = 20;

/// Deciding rows, and warnings that could not turn the verdict, before the fold.
const BEFORE_FOLD: usize = 3;

/// Checks that say what the noise is made of, which is never folded.
const OF_NOISE: &[&str] = &["iterations-as-runs", "from-averages"];

/// How many of these warnings stand before the fold: three, and all that could turn the verdict or contradict a claim.
pub(super) fn before_fold(warnings: &[&Check]) -> usize {
    let last = warnings.iter().rposition(|check| check.must_show()).map_or(0, |at| at + 1);
    last.max(BEFORE_FOLD).min(warnings.len())
}

/// The report as markdown, under 60,000 characters whatever its size.
pub fn markdown(report: &Report) -> String {
    let mut out = match &report.comparisons[..] {
        [only] => {
            let head = format!(
                "### {} beyondnoise: {}\n",
                words::icon(only.headline),
                escape(&only.summary)
            );
            let body = section(only, Some(report));
            let fits = body.chars().count() <= MOST_CHARACTERS - 4_000;
            let shown = body.split_once("<details>").map_or("", |(shown, _)| shown);
            head + if fits { &body } else { shown }
        }
        _ => several(report),
    };
    if report.comparisons.len() == 1 {
        repeats(&mut out, report);
    }
    list(&mut out, &unmatched(report));
    line(&mut out, format_args!("\n{MARKER}"));
    out
}

/// What makes runs repeats, as a list.
fn repeats(out: &mut String, report: &Report) {
    list(out, &report.repeats.iter().map(|text| escape(text)).collect::<Vec<_>>());
}

/// One table per workload, and every comparison folded below.
fn several(report: &Report) -> String {
    let mut out = String::new();
    let icon = report.comparisons.first().map_or("❔", |worst| words::icon(worst.headline));
    line(&mut out, format_args!("### {icon} beyondnoise: {}\n", words::overview(report)));
    repeats(&mut out, report);
    if !report.repeats.is_empty() {
        out.push('\n');
    }
    let mut left_out = 0;
    let (shown, rest) = at_a_glance(report);
    for overview in shown {
        let mut block = glance(&overview);
        if let Some(legend) = legend(&overview) {
            line(&mut block, format_args!("<sub>{}</sub>\n", escape(legend)));
        }
        left_out += add(&mut out, &block);
    }
    if let Some(rest) = rest {
        line(&mut out, format_args!("{rest}\n"));
    }
    for comparison in &report.comparisons {
        let title = html(&words::title(comparison));
        let body = section(comparison, None);
        left_out += add(
            &mut out,
            &format!("<details><summary>{title}</summary>\n\n{body}\n</details>\n\n"),
        );
    }
    if left_out > 0 {
        line(
            &mut out,
            format_args!("{left_out} parts are left out here; all stands in `--format json`.\n"),
        );
    }
    list(&mut out, &skipped(report).iter().map(|text| escape(text)).collect::<Vec<_>>());
    out.push('\n');
    line(&mut out, format_args!("<sub>{}</sub>\n", words::method(report)));
    out
}

/// Adds `part` where there is room for it; the number of parts left out.
fn add(out: &mut String, part: &str) -> usize {
    let room = (MOST_CHARACTERS - 4_000).saturating_sub(out.chars().count());
    if part.chars().count() > room {
        return 1;
    }
    out.push_str(part);
    0
}

/// The table of one workload with its warnings and the next step.
fn glance(overview: &Overview) -> String {
    let mut out = String::new();
    let (workload, baseline) = (escape(&overview.workload), escape(&overview.baseline));
    line(&mut out, format_args!("**{workload}**, against {baseline}:\n"));
    let heads: Vec<String> = overview.columns.iter().map(|name| escape(name)).collect();
    let rules = "--:|".repeat(heads.len());
    line(&mut out, format_args!("| candidate | {} | verdict |", heads.join(" | ")));
    line(&mut out, format_args!("|---|{rules}---|"));
    for row in &overview.rows {
        let verdict = words::headline(row.comparison.headline);
        let cells: Vec<String> = row.cells.iter().map(|cell| cell.join(" ")).collect();
        let cells = cells.join(" | ");
        line(&mut out, format_args!("| {} | {cells} | {verdict} |", escape(&row.name)));
    }
    out.push('\n');
    for warning in &overview.warnings[..overview.shown] {
        line(&mut out, format_args!("- ⚠️ {}", escape(warning)));
    }
    if !overview.warnings.is_empty() {
        out.push('\n');
    }
    line(&mut out, format_args!("**Next:** {}\n", escape(&overview.next)));
    out
}

/// A list that says how much of it is left out.
fn list(out: &mut String, texts: &[String]) {
    for text in texts.iter().take(MOST_IN_A_LIST) {
        line(out, format_args!("- {text}"));
    }
    if texts.len() > MOST_IN_A_LIST {
        line(out, format_args!("- and {} more", texts.len() - MOST_IN_A_LIST));
    }
}

fn line(out: &mut String, text: std::fmt::Arguments) {
    writeln!(out, "{text}").expect("writing to a String cannot fail");
}

/// One comparison below its title; with the report, its details hold inputs and method too.
fn section(comparison: &Comparison, report: Option<&Report>) -> String {
    let mut out = String::new();
    let single = words::single(comparison);
    let opening: Vec<String> = comparison
        .checks
        .iter()
        .filter(|check| single && check.id == "too-few-runs")
        .map(|check| escape(&check.message))
        .chain(
            single
                .then(|| words::what_was_seen(comparison))
                .flatten()
                .map(|(seen, change)| format!("{} (**{change}**).", escape(&seen))),
        )
        .collect();
    if !opening.is_empty() {
        line(&mut out, format_args!("{}\n", opening.join(" ")));
    }
    let deciding = leading_rows(comparison);
    if !deciding.is_empty() {
        table(&mut out, comparison, &deciding, single);
        out.push('\n');
    }
    if comparison.headline == Headline::NoChange {
        // Nothing happened: the heading says so, and the rest is folded but for what the noise is not of.
        let shown = comparison.checks.iter().filter(|check| OF_NOISE.contains(&check.id));
        for check in shown.filter(|check| check.severity < Severity::Note) {
            line(&mut out, format_args!("- ⚠️ {}\n", escape(&check.message)));
        }
        details(&mut out, report, comparison, single);
        return out;
    }
    bullets(&mut out, comparison, single);
    if let Some(floor) = words::noise_floor(comparison) {
        let runs = levels::runs(comparison).replace(" + ", "+");
        let runs =
            words::lent(comparison).map_or(runs.clone(), |lent| format!("{runs} and {lent}"));
        let separation = words::separation(comparison).unwrap_or_default();
        line(
            &mut out,
            format_args!(
                "**Noise floor ({runs}):** {}",
                escape(format!("{floor}. {separation}").trim_end())
            ),
        );
        out.push('\n');
    }
    line(&mut out, format_args!("**Next:** {}\n", escape(&comparison.next_step)));
    details(&mut out, report, comparison, single);
    out
}

/// The deciding rows, or the first ones where none decides; none where nothing happened.
fn leading_rows(comparison: &Comparison) -> Vec<&Row> {
    if comparison.headline == Headline::NoChange {
        return Vec::new();
    }
    let leading = comparison.leading(BEFORE_FOLD);
    if leading.is_empty() { comparison.metrics.iter().take(BEFORE_FOLD).collect() } else { leading }
}

/// Warnings before the fold, and what is one fact here.
fn bullets(out: &mut String, comparison: &Comparison, single: bool) {
    let warnings = words_of_warning(comparison, single);
    for check in &warnings[..before_fold(&warnings)] {
        line(out, format_args!("- ⚠️ {}", escape(&check.message)));
    }
    let dependent = comparison.checks.iter().find(|check| check.id == "dependent-metrics");
    let account = words::per_request(comparison);
    let fact = dependent.filter(|_| single).map(|check| escape(&check.message));
    let parts: Vec<String> = fact.into_iter().chain(account).collect();
    if !parts.is_empty() {
        line(out, format_args!("- ℹ️ {}", parts.join(" ")));
    }
    if out.ends_with("\n\n") {
        return;
    }
    out.push('\n');
}

/// Findings to be read before the fold: those that block or warn and are not in the opening.
pub(super) fn words_of_warning(comparison: &Comparison, single: bool) -> Vec<&Check> {
    let mut found: Vec<&Check> = comparison
        .checks
        .iter()
        .filter(|check| check.severity < Severity::Note)
        .filter(|check| !(single && check.id == "too-few-runs"))
        .filter(|check| {
            // The summary of a refused comparison holds it already.
            !(comparison.headline == Headline::NotComparable
                && check.severity == Severity::Block
                && comparison
                    .summary
                    .contains(check.message.trim_end_matches('.').get(1..).unwrap_or("")))
        })
        .collect();
    found.sort_by_key(|check| !check.must_show());
    found
}

/// Rows in one of the two layouts: one run each, or several.
fn table(out: &mut String, comparison: &Comparison, rows: &[&Row], single: bool) {
    let (a, b) = (&comparison.baseline, &comparison.candidate);
    if single {
        let (a, b) = (
            format!("{} (n={})", escape(&a.name), a.runs),
            format!("{} (n={})", escape(&b.name), b.runs),
        );
        line(
            out,
            format_args!(
                "| metric | {a} | {b} | change | beyond noise only if run-to-run CV is below |"
            ),
        );
        line(out, format_args!("|---|--:|--:|--:|--:|"));
    } else {
        line(
            out,
            format_args!(
                "| metric | {} | {} | change | {} | verdict |",
                escape(&a.name),
                escape(&b.name),
                words::level(comparison)
            ),
        );
        line(out, format_args!("|---|--:|--:|--:|:-:|---|"));
    }
    for row in rows {
        let name = format!("{}{}", escape(units::row_label(row)), words::direction(row.better));
        let (before, after) = row_text::estimates(row);
        let (before, after) = (glued(&before), glued(&after));
        if single {
            let change = glued(&words::change_and_way(row));
            let below = glued(&words::break_even(row));
            line(out, format_args!("| {name} | {before} | {after} | {change} | {below} |"));
        } else {
            let (change, interval) =
                (glued(&row_text::change_and_factor(row)), row_text::interval(row));
            let verdict = words::verdict(row);
            line(
                out,
                format_args!("| {name} | {before} | {after} | {change} | {interval} | {verdict} |"),
            );
        }
    }
}

fn details(out: &mut String, report: Option<&Report>, comparison: &Comparison, single: bool) {
    let leading = leading_rows(comparison);
    let shown = |row: &Row| leading.iter().any(|shown| shown.metric == row.metric);
    let rest: Vec<&Row> = comparison.metrics.iter().filter(|row| !shown(row)).collect();
    let shown = words_of_warning(comparison, single);
    let told = if comparison.headline == Headline::NoChange { 0 } else { before_fold(&shown) };
    let notes: Vec<&Check> = shown
        .into_iter()
        .skip(told)
        .chain(comparison.checks.iter().filter(|check| check.severity == Severity::Note))
        .collect();
    let mut parts = Vec::new();
    if !rest.is_empty() {
        parts.push(format!("{} more metric{}", rest.len(), plural(rest.len())));
    }
    if !notes.is_empty() {
        parts.push(format!("{} note{}", notes.len(), plural(notes.len())));
    }
    if report.is_some() {
        parts.push("method".to_owned());
    }
    if !comparison.claims.is_empty() {
        parts.push(format!("{} claim{}", comparison.claims.len(), plural(comparison.claims.len())));
    }
    if parts.is_empty() {
        return;
    }
    line(out, format_args!("<details><summary>{}</summary>\n", parts.join(" · ")));
    if !rest.is_empty() {
        table(out, comparison, &rest, single);
        out.push('\n');
    }
    for note in notes {
        line(out, format_args!("- {}", escape(&note.message)));
    }
    for text in words::borrowing(comparison) {
        line(out, format_args!("- {}", escape(&text)));
    }
    for claim in &comparison.claims {
        let (variant, text, place) = (code(&claim.variant), code(&claim.text), code(&claim.place));
        let message = escape(&claim.message);
        line(out, format_args!("- written beside {variant}: {text} ({place}) {message}"));
    }
    if let Some(report) = report {
        list(out, &skipped(report).iter().map(|text| escape(text)).collect::<Vec<_>>());
        line(out, format_args!("- {}", words::method(report)));
    }
    line(out, format_args!("\n</details>"));
}

fn plural(count: usize) -> &'static str {
    if count == 1 { "" } else { "s" }
}

/// What was left out of the inputs, a line each.
pub(super) fn skipped(report: &Report) -> Vec<String> {
    report
        .inputs
        .iter()
        .flat_map(|input| {
            input.skipped.iter().map(|skipped| {
                format!("left out of {}, {}: {}", input.path, skipped.place, skipped.why)
            })
        })
        .collect()
}

/// What had nothing to be compared with, a line each.
pub(super) fn unmatched(report: &Report) -> Vec<String> {
    report
        .unmatched
        .iter()
        .map(|row| {
            let cell = row.cell.iter().map(|(name, value)| format!("{name} {value}"));
            let cell = cell.collect::<Vec<String>>().join(", ");
            let cell = if cell.is_empty() { cell } else { format!(" of {}", escape(&cell)) };
            format!(
                "not compared: {}{cell} ({} run{}; {}): {}",
                code(&row.variant),
                row.runs,
                plural(row.runs),
                escape(&row.workload.describe()),
                escape(&row.why)
            )
        })
        .collect()
}
