//! The pictures of a report, for pages and for files: one file for each kind.
//!
//! A [`Figure`] is a name, what it says in words, and the drawings. `html` puts it into a page, `svg` into a file.

mod change;
pub(super) mod drawing;
mod forest;
mod heat;
mod nights;
mod requests;
mod runs;
pub(super) mod scale;
mod sweep;

use crate::format::{self, counted};
use crate::report::comparison::{row_text, verdicts, words};
use crate::report::document::Plot;
use crate::report::{Comparison, Row, Settings};

pub(super) use drawing::{Figure, Panel, mark, px, text_width};

/// The rules of style of the drawings, with the colours as variables of the page.
pub(super) const STYLE: &str = include_str!("plot.css");

/// The figure of a plot; `None` for one without anything to draw.
pub(super) fn figure<'a>(plot: &Plot<'a>) -> Option<Figure<'a>> {
    match plot {
        Plot::Runs { comparison, row, settings, whole, .. } => {
            Some(of_metric(comparison, row, settings, *whole))
        }
        Plot::Forest { head, lines, level, .. } => {
            named(head, "", [forest::panel(head, lines, forest::MAX_LINES, level, None)])
        }
        Plot::Sweep { sweep, comparisons, metrics, .. } => {
            sweep::figure(sweep, comparisons, metrics)
        }
        Plot::TimeLine { report, row, .. } => nights::time_line(report, row),
        Plot::Strip { report, .. } => nights::strip(report),
        Plot::Cells { of, lines, most, level, shared, grid, .. } => {
            let name = row_text::row_label(of);
            let heat = grid.as_ref().and_then(|grid| heat::panel(grid, of));
            let mut intervals = forest::panel(name, lines, *most, level, *shared);
            // Beside a broad grid there is no room for them.
            if let (Some(heat), Some(intervals)) = (&heat, &mut intervals) {
                intervals.in_picture = !heat.is_broad();
            }
            named(name, &words::direction(of.better), [heat, intervals])
        }
    }
}

/// A figure without its own verdict; `None` without a drawing.
fn named<'a, const N: usize>(
    name: &str,
    direction: &str,
    panels: [Option<Panel>; N],
) -> Option<Figure<'a>> {
    let panels: Vec<Panel> = panels.into_iter().flatten().collect();
    (!panels.is_empty()).then(|| Figure {
        name: name.to_owned(),
        direction: direction.to_owned(),
        verdict: None,
        numbers: None,
        remark: None,
        panels,
        sides: None,
    })
}

/// A metric: every run, the change, the runs in the order of their start.
fn of_metric<'a>(
    comparison: &'a Comparison,
    row: &Row,
    settings: &Settings,
    whole: bool,
) -> Figure<'a> {
    let strip = whole.then(|| runs::strip(comparison, row, whole)).flatten();
    let [distribution, quantiles] = requests::panels(comparison, row);
    let (dots, interval) =
        (runs::dots(comparison, row, whole), change::interval(comparison, row, settings));
    let panels = [dots, interval, strip, distribution, quantiles];
    Figure {
        name: row_text::row_label(row).to_owned(),
        direction: words::direction(row.better),
        verdict: Some((row.verdict, verdicts::verdict(row))),
        numbers: Some(numbers(comparison, row)),
        remark: words::borrowing_of(row),
        panels: panels.into_iter().flatten().collect(),
        sides: Some(
            [&comparison.baseline, &comparison.candidate]
                .map(|side| (&*side.name, counted(side.runs, "run"))),
        ),
    }
}

/// Both estimates and the change: `557.6 ±0.5 % → 578.9 ±0.5 %: +3.8 % (95 % CI +3.1 … +4.5)`.
fn numbers(comparison: &Comparison, row: &Row) -> String {
    let (before, after) = row_text::estimates(row);
    let change = row_text::change_and_factor(row);
    let rest = match (words::has_interval(row), row.noise.break_even_cv) {
        (true, _) => {
            format!(" ({} {})", row_text::level_of(comparison, row), row_text::interval(row))
        }
        (false, Some(cv)) => {
            format!("; beyond noise only if the run-to-run CV is below {}", format::percent(cv))
        }
        (false, None) => String::new(),
    };
    format!("{before} → {after}: {change}{rest}")
}
