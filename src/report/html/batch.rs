//! A batch as a page: the count, a table of all cells that sorts, and a section for every cell that moved.

use maud::{Markup, html};

use crate::report::batch::{
    Line, headline, lines, moved, name, next, several_candidates, warnings,
};
use crate::report::html::icon;
use crate::report::html::page::{banner, repeats, unmatched};
use crate::report::html::prose::{label, sentence};
use crate::report::html::section::{Depth, Place, glance, heading, parts};
use crate::report::html::table::boxed;
use crate::report::words;
use crate::report::{BatchRow, Report};
use crate::verdict::Headline;

/// Sections of cells that moved; the others are in the table.
const MOST_SECTIONS: usize = 100;

/// Sections up to which all metrics have plots.
const FEW: usize = 12;

/// Warnings below the table.
const MOST_WARNINGS: usize = 3;

/// The first line, as in the other forms of the report.
pub(super) fn said(report: &Report, batch: &BatchRow) -> String {
    headline(batch, report)
}

/// What stands between the head of the page and its inputs.
pub(super) fn batch(report: &Report, batch: &BatchRow) -> Markup {
    let worst = report.comparisons.first().map_or(Headline::NoVerdict, |worst| worst.headline);
    let sections: Vec<usize> = (0..report.comparisons.len())
        .filter(|&index| moved(&report.comparisons[index]))
        .take(MOST_SECTIONS)
        .collect();
    let depth = if sections.len() > FEW { Depth::Brief } else { Depth::Part };
    html! {
        section class="verdict" aria-labelledby="verdict" {
            p class="kicker" { "beyondnoise: every cell, the worst first" }
            (banner(worst, &said(report, batch), 1, "verdict"))
            (repeats(report))
            p class="next" { strong { "Next: " } (sentence(&next(report, batch))) }
            (unmatched(report))
        }
        section {
            (heading(2, None, "Cells"))
            (table(report, batch, &sections))
            @let warnings = warnings(report);
            @if !warnings.is_empty() {
                @let (class, sign, word) = icon::of_severity(crate::checks::Severity::Warn);
                ul class="warnings" {
                    @for warning in warnings.iter().take(MOST_WARNINGS) {
                        li { span class={ "word " (class) } { (sign) (word) ": " } (sentence(warning)) }
                    }
                }
            }
        }
        @for &index in &sections {
            @let comparison = &report.comparisons[index];
            @let place = Place { number: index + 1, level: 3, depth, settings: &report.settings };
            @let id = format!("c{}", index + 1);
            @let title = format!("{}: {}", name(comparison, batch), comparison.summary);
            section class="comparison" aria-labelledby=(id) {
                (banner(comparison.headline, &title, 2, &id))
                (glance(comparison))
                (parts(comparison, &place))
                p class="back" { a href="#verdict" { "Back to the overview" } }
            }
        }
    }
}

fn table(report: &Report, batch: &BatchRow, sections: &[usize]) -> Markup {
    let several = several_candidates(report);
    let level = report.comparisons.first().map(words::level).unwrap_or_default();
    let change = |line: &Line| {
        let row = line.comparison.deciding().find(|row| row.row_label == line.metric);
        row.and_then(|row| row.delta.relative)
    };
    let cells = html! {
        table data-sort {
            thead { tr {
                @for name in &batch.by { th scope="col" { (label(name)) } }
                @if several { th scope="col" { "candidate" } }
                th scope="col" { "metric" }
                th scope="col" class="number" { "change" }
                th scope="col" class="number" { (level) }
                th scope="col" { "verdict" }
            } }
            tbody {
                @for (index, line) in lines(report, batch, true).iter().enumerate() {
                    @let (class, sign) = icon::of_headline(line.comparison.headline);
                    @let link = sections.contains(&index).then(|| format!("#c{}", index + 1));
                    tr {
                        @for (column, value) in line.cell.iter().enumerate() {
                            @if column == 0 {
                                th scope="row" { @if let Some(link) = &link { a href=(link) { (label(value)) } } @else { (label(value)) } }
                            } @else { td { (label(value)) } }
                        }
                        @if several { td { (label(&line.comparison.candidate.name)) " against " (label(&line.comparison.baseline.name)) } }
                        td { (label(line.metric)) }
                        td class="number" data-key=[change(line)] { span class="strong" { (line.change) } }
                        td class="number" { (line.interval) }
                        td { span class={ "word " (class) } { (sign) (line.verdict) } }
                    }
                }
            }
        }
    };
    boxed("all cells", &cells)
}
