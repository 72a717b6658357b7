//! One comparison: what it says, its plots, its checks, its runs.

use maud::{Markup, PreEscaped, Render, html};

use crate::checks::Severity;
use crate::format;
use crate::metrics::Metric;
use crate::report::row_text;

use crate::report::html::prose::{count, glued, label, sentence};
use crate::report::html::table::{boxed, legend, metrics, numbers, paragraph, runs, verdict};
use crate::report::html::{icon, plot};
use crate::report::markdown::{before_fold, words_of_warning};
use crate::report::units;
use crate::report::words;
use crate::report::{Check, Comparison, Row, Settings};
use crate::verdict::Gate;

/// Checks up to which their list is open.
const FEW_CHECKS: usize = 3;

/// How much of a comparison is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Depth {
    /// The only comparison: everything, with a plot for every metric.
    Whole,
    /// One of a few: plots of the deciding metrics.
    Part,
    /// One of many: plots of the deciding metrics are folded, and the runs are not listed.
    Brief,
    /// One of too many: tables only.
    Tables,
}

/// A place of a comparison in the page.
pub(super) struct Place<'a> {
    /// Its number in the report, from 1.
    pub(super) number: usize,
    /// Level of the headings of its parts.
    pub(super) level: u8,
    /// How much of it is shown.
    pub(super) depth: Depth,
    /// The settings in force.
    pub(super) settings: &'a Settings,
}

/// A heading of a level that is known at run time only.
pub(super) fn heading(level: u8, id: Option<&str>, content: impl Render) -> Markup {
    let id = id.map_or(String::new(), |id| format!(" id=\"{id}\""));
    html! {
        (PreEscaped(format!("<h{level}{id}>"))) (content) (PreEscaped(format!("</h{level}>")))
    }
}

/// A part of the page that is folded at first.
pub(super) fn folded(summary: &str, open: bool, content: &Markup) -> Markup {
    html! { details open[open] { summary { (summary) } div class="inside" { (content) } } }
}

/// The verdict, three rows, at most three warnings and the next step.
pub(super) fn glance(comparison: &Comparison) -> Markup {
    let single = words::single(comparison);
    let leading = comparison.leading(usize::MAX);
    let deciding: Vec<&Row> =
        if leading.is_empty() { comparison.metrics.iter().take(3).collect() } else { leading };
    let few = comparison.checks.iter().filter(|check| single && check.id == "too-few-runs");
    let seen = words::what_was_seen(comparison).filter(|_| single);
    let warnings = words_of_warning(comparison, single);
    html! {
        p class="workload" { (sentence(&comparison.workload.describe())) }
        @if single {
            p { @for check in few { (sentence(&check.message)) " " }
                @if let Some((seen, change)) = seen { (sentence(&seen)) " (" strong { (change) } ")." } }
        }
        @if !deciding.is_empty() { (metrics(comparison, &deciding, single, "the metrics that decide")) }
        @if !warnings.is_empty() {
            ul class="warnings" {
                @for check in &warnings[..before_fold(&warnings)] { (finding(check)) }
            }
        }
        @if let Some(account) = words::per_request(comparison) { (paragraph("account", &account)) }
        @if let Some(floor) = words::noise_floor(comparison) {
            @let lent = words::lent(comparison).map_or(String::new(), |lent| format!(" and {lent}"));
            p { strong { "Noise floor (" (comparison.baseline.runs) "+" (comparison.candidate.runs) " runs" (lent) "): " }
                (sentence(&floor)) ". " (sentence(&words::separation(comparison).unwrap_or_default())) }
        }
        p class="next" { strong { "Next: " } (sentence(&comparison.next_step)) }
    }
}

/// A finding with its weight.
fn finding(check: &Check) -> Markup {
    let (class, sign, word) = icon::of_severity(check.severity);
    html! { li { span class={ "word " (class) } { (sign) (word) ": " } (sentence(&check.message)) } }
}

/// Everything below the verdict.
pub(super) fn parts(comparison: &Comparison, place: &Place) -> Markup {
    let deciding: Vec<&Row> = comparison.deciding().collect();
    let others: Vec<&Row> = comparison.metrics.iter().filter(|row| !row.deciding).collect();
    let single = words::single(comparison);
    let level = place.level;
    let plots = |rows: &[&Row], from: usize| {
        html! { div class="cards" {
            @for (index, row) in rows.iter().enumerate() { (card(comparison, row, from + index + 1, place)) }
        } }
    };
    let many = matches!(place.depth, Depth::Brief | Depth::Tables);
    html! {
        @if !deciding.is_empty() && place.depth != Depth::Tables {
            section {
                (heading(level, None, "Deciding metrics, run by run"))
                @if many {
                    (folded(&format!("plots of {}", count(deciding.len(), "metric")), false, &html! { (legend(comparison)) (plots(&deciding, 0)) }))
                } @else { (legend(comparison)) (plots(&deciding, 0)) }
            }
        }
        (findings(comparison, place))
        @if !others.is_empty() {
            section {
                (heading(level, None, "Other metrics"))
                @let table = metrics(comparison, &others, single, "the other metrics");
                @let shown = html! { (table) @if place.depth == Depth::Whole { (plots(&others, deciding.len())) } };
                (folded(&count(others.len(), "more metric"), deciding.is_empty() && !many, &shown))
            }
        }
        @if !comparison.claims.is_empty() { (claims(comparison, level)) }
        @if !many && !comparison.metrics.is_empty() {
            section {
                (heading(level, None, "Numbers and runs"))
                (folded("the numbers behind the verdicts", false, &numbers(comparison)))
                (folded(&count(comparison.baseline.runs + comparison.candidate.runs, "run"), false, &runs(comparison)))
            }
        }
    }
}

/// One metric with its plots.
fn card(comparison: &Comparison, row: &Row, number: usize, place: &Place) -> Markup {
    let id = format!("c{}m{number}", place.number);
    let tips = place.depth == Depth::Whole || place.depth == Depth::Part;
    let dots = plot::dots(comparison, row, &format!("{id}d"), tips);
    let change = plot::interval(comparison, row, place.settings, &format!("{id}c"));
    let strip = (place.depth != Depth::Brief)
        .then(|| plot::strip(comparison, row, &format!("{id}s"), tips))
        .flatten();
    let ordered = plot::is_ordered(comparison);
    let runs = if ordered {
        "Every run, by variant"
    } else {
        "Every run, in the order of the files (no start times)"
    };
    html! {
        figure class="card" {
            figcaption {
                (heading(place.level + 1, None, html! {
                    (label(units::row_label(row))) span class="direction" { (words::direction(row.better)) }
                }))
                p class="says" { (verdict(row, &glued(&words::verdict(row)))) }
                p class="numbers" { (glued(&numbers_of(comparison, row))) }
                @if let Some(text) = words::borrowing_of(row) { (paragraph("small", &text)) }
            }
            div class="panels" {
                @if let Some(dots) = dots { div class="panel" { p { (runs) } (dots) } }
                @if let Some(change) = change { div class="panel" { p { "Change with its interval" } (change) } }
                @if let Some(strip) = strip { div class="panel" { p { "Both variants in the order of their start" } (strip) } }
            }
        }
    }
}

/// Both estimates and the change: `557.6 ±0.5 % → 578.9 ±0.5 %: +3.8 % (95 % CI +3.1 … +4.5)`.
fn numbers_of(comparison: &Comparison, row: &Row) -> String {
    let (before, after) = row_text::estimates(row);
    let change = row_text::change_and_factor(row);
    let rest = match (words::has_interval(row), row.noise.break_even_cv) {
        (true, _) => format!(" ({} {})", words::level(comparison), row_text::interval(row)),
        (false, Some(cv)) => {
            format!("; beyond noise only if the run-to-run CV is below {}", format::percent(cv))
        }
        (false, None) => String::new(),
    };
    format!("{before} → {after}: {change}{rest}")
}

/// All findings, in the order of the report.
fn findings(comparison: &Comparison, place: &Place) -> Markup {
    let weight =
        |severity| comparison.checks.iter().filter(|check| check.severity == severity).count();
    let counts: Vec<String> =
        [(Severity::Block, "stop"), (Severity::Warn, "warning"), (Severity::Note, "note")]
            .into_iter()
            .map(|(severity, word)| (weight(severity), word))
            .filter(|(n, _)| *n > 0)
            .map(|(n, word)| count(n, word))
            .collect();
    let told = weight(Severity::Block) + weight(Severity::Warn);
    let list = html! {
        ul class="findings" {
            @for check in &comparison.checks {
                li {
                    (paragraph_of(check))
                    @if !check.evidence.is_empty() {
                        p class="small" { code { (check.id) } @for (name, value) in &check.evidence {
                            " · " (name.replace('_', " ")) ": "
                            @if *name == "without" { (without(value)) } @else { (evidence(value)) }
                        } }
                    } @else { p class="small" { code { (check.id) } } }
                }
            }
        }
    };
    html! {
        section {
            (heading(place.level, None, "Checks"))
            @if comparison.checks.is_empty() { p { "The checks found nothing." } }
            @else { (folded(&counts.join(", "), told > FEW_CHECKS, &list)) }
            @if comparison.gate != Gate::None {
                p class="small" { "Gate: " (if comparison.gate == Gate::Pass { "pass" } else { "fail" })
                    ", where a deciding metric may be worse by up to " (format::chosen(place.settings.tolerance)) "." }
            }
        }
    }
}

fn paragraph_of(check: &Check) -> Markup {
    let (class, sign, word) = icon::of_severity(check.severity);
    html! { p { span class={ "word " (class) } { (sign) (word) ": " } (sentence(&check.message)) } }
}

/// What the comparison comes to without the runs that a check suspects.
fn without(value: &serde_json::Value) -> Markup {
    let words = |value: &serde_json::Value| value.as_str().unwrap_or_default().replace('_', " ");
    let items = |name: &str| value[name].as_array().map_or(&[][..], Vec::as_slice);
    let runs: Vec<String> =
        items("left_out").iter().filter_map(|run| run.as_str()).map(str::to_owned).collect();
    let figures = |row: &serde_json::Value| {
        let metric = Metric::named(row["metric"].as_str().unwrap_or_default());
        let change = match (row["relative"].as_f64(), row["absolute"].as_f64()) {
            (Some(relative), _) => format::change(relative, 1),
            (None, Some(absolute)) => format::difference(absolute),
            (None, None) => String::new(),
        };
        format!("; {} {change} ({})", metric.label, words(&row["verdict"]))
    };
    let rows: String = items("metrics").iter().map(figures).collect();
    sentence(&format!("{} ({} left out){rows}", words(&value["headline"]), runs.join(", ")))
}

/// A number or words that a check goes by.
fn evidence(value: &serde_json::Value) -> Markup {
    match value {
        serde_json::Value::String(text) => label(text),
        serde_json::Value::Array(items) => html! {
            @for (index, item) in items.iter().enumerate() { @if index > 0 { ", " } (evidence(item)) }
        },
        serde_json::Value::Object(fields) => html! {
            @for (index, (name, item)) in fields.iter().filter(|(_, item)| !item.is_null()).enumerate() { @if index > 0 { ", " } (name.replace('_', " ")) ": " (evidence(item)) }
        },
        serde_json::Value::Null => html! { "none" },
        other => html! { (other.to_string()) },
    }
}

/// What somebody wrote beside the runs.
fn claims(comparison: &Comparison, level: u8) -> Markup {
    let table = html! {
        table data-sort {
            thead { tr { th scope="col" { "beside" } th scope="col" { "written" } th scope="col" { "where" } } }
            tbody {
                @for claim in &comparison.claims {
                    tr { th scope="row" { (label(&claim.variant)) } td { (label(&claim.text)) } td { (label(&claim.place)) } }
                }
            }
        }
    };
    html! {
        section {
            (heading(level, None, "Claims"))
            (folded(&count(comparison.claims.len(), "percentage written beside the runs"), false, &boxed("claims", &table)))
        }
    }
}
