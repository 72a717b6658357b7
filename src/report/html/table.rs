//! Tables: metrics with their changes on one axis, and the numbers behind the verdicts.

use std::collections::BTreeMap;

use maud::{Markup, html};

use crate::format;
use crate::report::forest;
use crate::report::row_text;

use crate::report::html::icon;
use crate::report::html::plot::{MOST_RUNS, is_ordered, mark, px};
use crate::report::html::prose::{count, label, sentence};
use crate::report::scale::Scale;
use crate::report::units;
use crate::report::words;
use crate::report::{Comparison, Row};

/// Size of an interval in a cell.
const CELL: (f64, f64) = (150.0, 20.0);

/// A table in a box of its own, which scrolls where the page is narrow.
pub(super) fn boxed(name: &str, table: &Markup) -> Markup {
    html! { div class="scroll" role="group" tabindex="0" aria-label=(name) { (table) } }
}

/// The axis that the rows of a table share; `None` where no ratio exists.
pub(super) fn axis(rows: &[&Row]) -> Option<Scale> {
    forest::span(rows).map(|ends| Scale::between(ends, 6.0, CELL.0 - 6.0))
}

/// The interval of a row in a cell, on the axis of its table; the cells beside it say the numbers.
pub(super) fn small_interval(row: &Row, axis: &Scale) -> Markup {
    let Some(estimate) = row.delta.relative else { return html! {} };
    let (width, height) = CELL;
    let middle = px(height / 2.0);
    let zero = px(axis.at(0.0));
    let ends = row.delta.relative_ci_adjusted;
    html! {
        svg class="small" aria-hidden="true" viewBox={ "0 0 " (width) " " (height) } width=(width) height=(height) {
            rect class="margin" x=(px(axis.at(-row.margin))) y="1" width=(px(axis.at(row.margin) - axis.at(-row.margin))) height=(px(height - 2.0)) {}
            line class="zero" x1=(zero) x2=(zero) y1="0" y2=(px(height)) {}
            g class=(icon::of_verdict(row.verdict).0) {
                @if let Some([low, high]) = ends {
                    line class="interval" x1=(px(axis.at(low))) x2=(px(axis.at(high))) y1=(middle) y2=(middle) {}
                    @if !axis.holds(low) { path class="more" d={ "M5 " (px(height / 2.0 - 5.0)) "l-5 5 5 5z" } {} }
                    @if !axis.holds(high) { path class="more" d={ "M" (px(width - 5.0)) " " (px(height / 2.0 - 5.0)) "l5 5-5 5z" } {} }
                }
                @if axis.holds(estimate) {
                    circle class={ "estimate" @if ends.is_none() { " open" } } cx=(px(axis.at(estimate))) cy=(middle) r="4" {}
                }
            }
        }
    }
}

/// A verdict with its sign.
pub(super) fn verdict(row: &Row, words: &str) -> Markup {
    let (class, sign) = icon::of_verdict(row.verdict);
    html! { span class={ "word " (class) } { (sign) (words) } }
}

/// The key by which a cell is sorted; cells without one come last.
fn key(value: Option<f64>) -> Option<String> {
    value.map(|value| value.to_string())
}

/// Metrics with both estimates, the change and what is said of it.
pub(super) fn metrics(comparison: &Comparison, rows: &[&Row], single: bool, name: &str) -> Markup {
    let axis = axis(rows);
    let table = html! {
        table class="metrics" data-sort {
            thead { tr {
                th scope="col" { "metric" }
                th scope="col" class="number wide" { span class="key a" { (label(&comparison.baseline.name)) } }
                th scope="col" class="number wide" { span class="key b" { (label(&comparison.candidate.name)) } }
                th scope="col" class="number" { "change" }
                @if single {
                    th scope="col" class="number" { "beyond noise only if run-to-run CV is below" }
                } @else {
                    th scope="col" class="number" { (words::level(comparison)) }
                    @if axis.is_some() { th scope="col" class="drawn" data-plain { "change on one axis" } }
                    th scope="col" { "verdict" }
                }
            } }
            tbody {
                @for row in rows {
                    @let (before, after) = row_text::estimates(row);
                    tr {
                        th scope="row" {
                            (label(units::row_label(row))) span class="direction" { (words::direction(row.better)) }
                            span class="narrow" { (before) " → " (after) }
                        }
                        td class="number wide" data-key=[key(Some(row.baseline.estimate))] { (before) }
                        td class="number wide" data-key=[key(Some(row.candidate.estimate))] { (after) }
                        @if single {
                            td class="number" data-key=[key(row.delta.relative)] { (words::change_and_way(row)) }
                            td class="number" data-key=[key(row.noise.break_even_cv)] { (words::break_even(row)) }
                        } @else {
                            td class="number strong" data-key=[key(row.delta.relative)] { (row_text::change_and_factor(row)) }
                            td class="number" data-key=[key(row.delta.relative_ci_adjusted.map(|[low, _]| low))] { (row_text::interval(row)) }
                            @if let Some(axis) = &axis { td class="drawn" { (small_interval(row, axis)) } }
                            td class="words" { (verdict(row, &words::verdict(row))) }
                        }
                    }
                }
            }
        }
    };
    boxed(name, &table)
}

/// What stands behind the verdicts: p-values, noise, what could have been found.
pub(super) fn numbers(comparison: &Comparison) -> Markup {
    let rows = &comparison.metrics;
    let percent = |value: Option<f64>| value.map_or_else(|| "n/a".to_owned(), format::percent);
    let table = html! {
        table class="numbers" data-sort {
            thead { tr {
                @for head in ["metric", "of each run", "runs", "change in its unit", "its interval", "p", "p adjusted",
                    "confidence that it is better", "noise (CV)", "degrees of freedom", "noise from",
                    "smallest change found (80 % power)", "break-even CV", "runs to settle"] {
                    th scope="col" class=[(head != "metric").then_some("number")] { (head) }
                }
            } }
            tbody {
                @for row in rows {
                    tr {
                        th scope="row" { (label(&row.row_label)) }
                        td class="number" { (row.statistic) }
                        td class="number" data-key=(row.baseline.n + row.candidate.n) { (row.baseline.n) " + " (row.candidate.n) }
                        td class="number" data-key=(row.delta.absolute) { (format::difference(row.delta.absolute)) }
                        td class="number" data-key=[key(row.delta.absolute_ci_adjusted.map(|[low, _]| low))] { (absolute(row)) }
                        td class="number" data-key=[key(row.p_value)] { (cell(row.p_value, format::p_cell)) }
                        td class="number" data-key=[key(row.p_adjusted)] { (cell(row.p_adjusted, format::p_cell)) }
                        td class="number" data-key=[key(row.probability_better)] { (cell(row.probability_better, format::certainty)) }
                        td class="number" data-key=[key(row.noise.cv)] { (percent(row.noise.cv)) }
                        td class="number" data-key=[key(row.noise.df)] { (row.noise.df.map_or("n/a".to_owned(), format::tenth)) }
                        td class="number" { (row.noise.source) }
                        td class="number" data-key=[key(row.noise.detectable)] { (percent(row.noise.detectable)) }
                        td class="number" data-key=[key(row.noise.break_even_cv)] { (percent(row.noise.break_even_cv)) }
                        td class="number" data-key=[row.runs_to_settle] { (row.runs_to_settle.map_or("n/a".to_owned(), |n| n.to_string())) }
                    }
                }
            }
        }
    };
    boxed("the numbers behind the verdicts", &table)
}

fn absolute(row: &Row) -> String {
    row.delta.absolute_ci_adjusted.map_or_else(
        || "none".to_owned(),
        |[low, high]| format!("{} … {}", format::difference(low), format::difference(high)),
    )
}

/// A cell of a number that may not exist.
fn cell(value: Option<f64>, text: fn(f64) -> String) -> String {
    value.map_or_else(|| "n/a".to_owned(), text)
}

/// Every run with its file, its start and its values of the deciding metrics.
pub(super) fn runs(comparison: &Comparison) -> Markup {
    let ordered = is_ordered(comparison);
    let rows: Vec<&Row> = comparison.deciding().collect();
    let sides = [(&comparison.baseline, "a"), (&comparison.candidate, "b")];
    let started =
        sides.iter().any(|(side, _)| side.run_list.iter().any(|run| run.started.is_some()));
    // The value of each run, by the position of the run.
    let values: Vec<[BTreeMap<usize, f64>; 2]> = rows
        .iter()
        .map(|row| {
            [&row.baseline, &row.candidate]
                .map(|side| side.runs.iter().copied().zip(side.values.iter().copied()).collect())
        })
        .collect();
    let mut all: Vec<_> = sides
        .into_iter()
        .flat_map(|(side, class)| {
            side.run_list.iter().enumerate().map(move |(at, run)| (run.order, at, run, side, class))
        })
        .collect();
    if ordered {
        all.sort_by_key(|(order, ..)| *order);
    }
    let table = html! {
        table data-sort {
            thead { tr {
                th scope="col" { "run" }
                th scope="col" { "variant" }
                @if ordered { th scope="col" class="number" { "order" } }
                @if started { th scope="col" { "started" } }
                @for row in &rows { th scope="col" class="number" { (label(units::row_label(row))) } }
            } }
            tbody {
                @for (order, at, run, side, class) in all.into_iter().take(MOST_RUNS) {
                    tr {
                        th scope="row" { (label(&run.shown())) }
                        td { span class={ "key " (class) } { (label(&side.name)) } }
                        @if ordered { td class="number" { (order.map_or(String::new(), |n| n.to_string())) } }
                        @if started { td { (run.started.as_deref().unwrap_or("not known")) } }
                        @for (row, values) in rows.iter().zip(&values) {
                            @let value = values[usize::from(class == "b")].get(&at).copied();
                            td class="number" data-key=[key(value)] { (value.map_or("n/a".to_owned(), |v| row_text::value(row, v))) }
                        }
                    }
                }
            }
        }
    };
    let runs = comparison.baseline.runs + comparison.candidate.runs;
    html! {
        (boxed(&format!("the {}", count(runs, "run")), &table))
        @if runs > MOST_RUNS {
            (paragraph("small", &format!("{} more runs stand in the JSON report.", runs - MOST_RUNS)))
        }
    }
}

/// The mark of a variant before its label.
pub(super) fn legend(comparison: &Comparison) -> Markup {
    let sides = [("a", &comparison.baseline), ("b", &comparison.candidate)];
    html! {
        ul class="legend" {
            @for (class, side) in sides {
                li {
                    svg class={ "swatch " (class) } aria-hidden="true" viewBox="0 0 16 16" {
                        g class=(class) { (mark(class, (8.0, 8.0), 5.0, None)) }
                    }
                    (label(&side.name)) ", " (if class == "a" { "baseline" } else { "candidate" }) ", " (count(side.runs, "run"))
                }
            }
            li { svg class="swatch" aria-hidden="true" viewBox="0 0 16 16" { line class="centre" x1="1" x2="15" y1="8" y2="8" {} } "centre of the runs" }
            li { svg class="swatch" aria-hidden="true" viewBox="0 0 16 16" { rect class="margin" x="2" y="1" width="12" height="14" {} line class="edge" x1="2" x2="2" y1="1" y2="15" {} line class="edge" x1="14" x2="14" y1="1" y2="15" {} } "changes within the margin do not matter" }
            li { svg class="swatch" aria-hidden="true" viewBox="0 0 16 16" { line class="zero" x1="8" x2="8" y1="0" y2="16" {} } "no change" }
        }
    }
}

/// A paragraph of a sentence.
pub(super) fn paragraph(class: &str, text: &str) -> Markup {
    html! { p class=(class) { (sentence(text)) } }
}
