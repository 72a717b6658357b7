//! The page: the verdict first, then one section per comparison, then inputs and method.

use maud::{DOCTYPE, Markup, PreEscaped, html};

use crate::format;
use crate::report::html::batch;
use crate::report::html::icon;
use crate::report::html::overview::overview;
use crate::report::html::prose::{count, cut, label, sentence};
use crate::report::html::section::{Depth, Place, folded, glance, heading, parts};
use crate::report::html::table::{boxed, paragraph};
use crate::report::words;
use crate::report::{Comparison, Report};
use crate::verdict::Headline;

/// Comparisons up to which all plots are open.
const FEW: usize = 12;

/// Comparisons that have plots; the others, which come after worse ones, have tables.
const MOST_PLOTTED: usize = 100;

/// Nothing is fetched from anywhere, whatever a label says.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; \
                      img-src data:; base-uri 'none'; form-action 'none'";

const STYLE: &str = include_str!("style.css");
const SCRIPT: &str = include_str!("page.js");

/// The report as one HTML file that needs nothing beside itself.
///
/// Plots, tables that sort, light and dark, print. The same report gives the same bytes.
pub fn html(report: &Report) -> String {
    let only = match &report.comparisons[..] {
        [only] if report.batch.is_none() => Some(only),
        _ => None,
    };
    let said = match (&report.batch, only) {
        (Some(cells), _) => batch::said(report, cells),
        (None, Some(only)) => only.summary.clone(),
        (None, None) => words::overview(report),
    };
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta http-equiv="Content-Security-Policy" content=(POLICY);
                meta name="color-scheme" content="light dark";
                meta name="generator" content={ "beyondnoise " (report.version) };
                title { "beyondnoise: " (cut(&said, 200)) }
                link rel="icon" href="data:,";
                style { (PreEscaped(STYLE)) }
            }
            body {
                (icon::shapes())
                main {
                    @if let Some(cells) = &report.batch { (batch::batch(report, cells)) } @else if let Some(only) = only { (alone(only, report)) } @else { (several(report, &said)) }
                    @if only.is_some() { (repeats(report)) }
                    (inputs(report))
                    (method(report))
                }
                footer { p { "beyondnoise " (report.version) ". Only speed is judged: whether the answers are still right is not checked." } }
                script { (PreEscaped(SCRIPT)) }
            }
        }
    };
    page.into_string() + "\n"
}

/// What a headline says, with its sign.
pub(super) fn banner(headline: Headline, said: &str, level: u8, id: &str) -> Markup {
    let (class, sign) = icon::of_headline(headline);
    html! { div class={ "banner " (class) } { (sign) (heading(level, Some(id), sentence(said))) } }
}

fn alone(comparison: &Comparison, report: &Report) -> Markup {
    let place = Place { number: 1, level: 2, depth: Depth::Whole, settings: &report.settings };
    html! {
        section class="verdict" aria-labelledby="verdict" {
            p class="kicker" { "beyondnoise: " (label(&comparison.candidate.name)) " against " (label(&comparison.baseline.name)) }
            (banner(comparison.headline, &comparison.summary, 1, "verdict"))
            (glance(comparison))
            (unmatched(report))
        }
        (parts(comparison, &place))
    }
}

/// What makes runs repeats.
pub(super) fn repeats(report: &Report) -> Markup {
    html! { @for text in &report.repeats { p { (sentence(text)) } } }
}

fn several(report: &Report, said: &str) -> Markup {
    let worst = report.comparisons.first().map_or(Headline::NotComparable, |worst| worst.headline);
    let many = report.comparisons.len() > FEW;
    html! {
        section class="verdict" aria-labelledby="verdict" {
            p class="kicker" { "beyondnoise: the worst first" }
            (banner(worst, said, 1, "verdict"))
            (repeats(report))
            (unmatched(report))
        }
        (overview(report))
        @for (index, comparison) in report.comparisons.iter().enumerate() {
            @let depth = if index >= MOST_PLOTTED { Depth::Tables } else if many { Depth::Brief } else { Depth::Part };
            @let place = Place { number: index + 1, level: 3, depth, settings: &report.settings };
            @let id = format!("c{}", index + 1);
            section class="comparison" aria-labelledby=(id) {
                (banner(comparison.headline, &words::title(comparison), 2, &id))
                (glance(comparison))
                (parts(comparison, &place))
                p class="back" { a href="#verdict" { "Back to the overview" } }
            }
        }
    }
}

/// Runs that had nothing to be compared with.
pub(super) fn unmatched(report: &Report) -> Markup {
    html! {
        @if !report.unmatched.is_empty() {
            ul class="unmatched" {
                @for row in &report.unmatched {
                    li { "Not compared: " (label(&row.variant)) " (" (count(row.runs, "run")) "; " (sentence(&row.workload.describe())) "): " (sentence(&row.why)) }
                }
            }
        }
    }
}

/// The files that were read, and what was left out of them.
fn inputs(report: &Report) -> Markup {
    let left_out: usize = report.inputs.iter().map(|input| input.skipped.len()).sum();
    let files = html! {
        table data-sort {
            thead { tr { th scope="col" { "file" } th scope="col" { "format" } th scope="col" class="number" { "runs" } th scope="col" { "left out" } } }
            tbody {
                @for input in &report.inputs {
                    tr {
                        th scope="row" { (label(&input.path)) }
                        td { (input.format.unwrap_or("no results")) }
                        td class="number" { (input.runs) }
                        td class="words" {
                            @if input.skipped.is_empty() { "nothing" }
                            @for skipped in &input.skipped { p { (label(&skipped.place)) ": " (sentence(&skipped.why)) } }
                        }
                    }
                }
            }
        }
    };
    let summary = match left_out {
        0 => count(report.inputs.len(), "file"),
        n => format!("{}, {} left out", count(report.inputs.len(), "file"), count(n, "thing")),
    };
    html! {
        section {
            (heading(2, None, "Inputs"))
            (folded(&summary, left_out > 0 && left_out <= 20, &boxed("the files that were read", &files)))
        }
    }
}

/// How the numbers were made.
fn method(report: &Report) -> Markup {
    let settings = &report.settings;
    let margins = html! {
        table data-sort {
            thead { tr { th scope="col" { "metric" } th scope="col" class="number" { "margin" } th scope="col" class="number" { "at least, in its unit" } } }
            tbody {
                @for (name, margin) in &settings.margins {
                    tr {
                        th scope="row" { (label(name)) }
                        td class="number" data-key=(margin.relative) { (format::chosen(margin.relative)) }
                        td class="number" data-key=(margin.absolute) { (if margin.absolute > 0.0 { margin.absolute.to_string() } else { "none".to_owned() }) }
                    }
                }
            }
        }
    };
    html! {
        section {
            (heading(2, None, "Method"))
            (paragraph("", &words::method(report)))
            p { "A change is better or worse if its interval excludes no change, adjusted for the number of metrics, and it is \
                 at least the margin that matters. Within noise means that neither a change nor its absence is shown; no change \
                 means that the interval lies inside the margin. The gate lets a metric be worse by up to "
                 (format::chosen(settings.tolerance)) "." }
            (folded("margins", false, &boxed("margins", &margins)))
        }
    }
}
