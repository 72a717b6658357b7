//! Several comparisons at a glance: a table per workload, the worst first, with links to the sections.

use maud::{Markup, html};

use crate::report::html::icon;
use crate::report::html::prose::{label, sentence};
use crate::report::html::section::heading;
use crate::report::html::table::{axis, boxed, paragraph, small_interval};
use crate::report::overview::{Overview, legend, overviews};
use crate::report::words;
use crate::report::{Comparison, Report, Row};

/// A table per workload.
pub(super) fn overview(report: &Report) -> Markup {
    html! {
        section {
            (heading(2, None, "Overview"))
            @for overview in overviews(report) { (workload(&overview, report)) }
        }
    }
}

fn workload(overview: &Overview, report: &Report) -> Markup {
    let row = |comparison: &'_ Comparison, metric: &str| -> Option<usize> {
        comparison.metrics.iter().position(|row| row.metric == metric && row.deciding)
    };
    let rows_of = |metric: &str| -> Vec<&Row> {
        let found = overview.rows.iter().filter_map(|member| {
            row(member.comparison, metric).map(|index| &member.comparison.metrics[index])
        });
        found.collect()
    };
    let axes: Vec<_> = overview.metrics.iter().map(|metric| axis(&rows_of(metric))).collect();
    let table = html! {
        table data-sort {
            thead { tr {
                th scope="col" { "candidate" }
                @for name in &overview.columns { th scope="col" class="number" { (label(name)) } }
                th scope="col" class="wide" { "verdict" }
            } }
            tbody {
                @for member in &overview.rows {
                    @let (class, sign) = icon::of_headline(member.comparison.headline);
                    @let said = html! { span class={ "word " (class) } { (sign) (words::headline(member.comparison.headline)) } };
                    tr {
                        th scope="row" { a href={ "#c" (number(report, member.comparison)) } { (label(&member.comparison.candidate.name)) " (n=" (member.comparison.candidate.runs) ")" } span class="narrow" { (said) } }
                        @for ((metric, axis), [change, word]) in overview.metrics.iter().zip(&axes).zip(&member.cells) {
                            @let found = row(member.comparison, metric).map(|index| &member.comparison.metrics[index]);
                            td class="number" data-key=[found.and_then(|row| row.delta.relative)] {
                                span class="strong" { (change) } " " span class="small" { (word) }
                                @if let (Some(row), Some(axis)) = (found, axis) { (small_interval(row, axis)) }
                            }
                        }
                        td class="wide" { (said) }
                    }
                }
            }
        }
    };
    html! {
        section class="load" {
            (heading(3, None, sentence(&overview.workload)))
            @if let Some(first) = overview.rows.first() {
                p { "Against " (label(&first.comparison.baseline.name)) " (n=" (first.comparison.baseline.runs) ")." }
            }
            (boxed("candidates of this workload", &table))
            @if let Some(legend) = legend(overview) { (paragraph("small", legend)) }
            @if !overview.warnings.is_empty() {
                @let (class, sign, word) = icon::of_severity(crate::checks::Severity::Warn);
                ul class="warnings" {
                    @for warning in &overview.warnings[..overview.shown] {
                        li { span class={ "word " (class) } { (sign) (word) ": " } (sentence(warning)) }
                    }
                }
            }
            p class="next" { strong { "Next: " } (sentence(&overview.next)) }
        }
    }
}

/// Number of a comparison in the report, from 1.
fn number(report: &Report, comparison: &Comparison) -> usize {
    let place = report.comparisons.iter().position(|other| std::ptr::eq(other, comparison));
    place.map_or(0, |place| place + 1)
}
