//! The document of a calibration: the answer first, then the tables.

mod borrowed;
mod own_runs;
mod phrases;
mod study;
mod warnings;

use crate::calibrate::{CalibrationReport, Check, Results, Violation};
use crate::document::blocks::{Block, Cell, Column, Document, Kind, Role, Table, Tone};
use crate::document::text::Text;
use crate::format::counted;

use phrases::{plural, rate};

/// The title and the blocks of one kind of calibration.
#[derive(Default)]
struct Parts {
    /// The answer.
    title: String,
    blocks: Vec<Block<'static>>,
}

/// The blocks of a calibration.
pub(super) fn calibrate(report: &CalibrationReport) -> Document<'_> {
    let settings = &report.settings;
    let Parts { title, mut blocks } = match &report.results {
        Results::Simulated { shapes, study } => study::parts(settings, shapes, study),
        Results::Borrowed { rows, .. } => borrowed::parts(settings, rows),
        Results::Warnings { warnings } => warnings::parts(settings, warnings),
        Results::OwnRuns(found) => own_runs::parts(settings, found),
    };
    if let Some(check) = &report.check {
        // Before the tables, which are long.
        let place = blocks.iter().position(|block| !matches!(block, Block::Text(..)));
        let place = place.unwrap_or(blocks.len());
        blocks.splice(place..place, outside_bands(check));
    }
    Document {
        program: "beyondnoise",
        marker: None,
        tone: Tone::Calm,
        title: Text::from(title),
        quiet: Vec::new(),
        blocks,
    }
}

fn outside_bands(check: &Check) -> Vec<Block<'static>> {
    let all = counted(check.checked, "figure");
    if check.violations.is_empty() {
        return vec![Block::text(Role::Lead, format!("Check: {all}, none outside its band."))];
    }
    let outside = plural(check.violations.len(), "is", "are");
    let head = format!("Check: of {all} {outside} outside the band:");
    let each = check.violations.iter().map(|one| Block::text(Role::Item, violation(one)));
    std::iter::once(Block::text(Role::Lead, head)).chain(each).collect()
}

fn violation(violation: &Violation) -> String {
    let Violation { cell, figure, found, low, high, allowance } = violation;
    let found = found.map_or_else(|| "none".to_owned(), rate);
    let band = if *low > 0.0 {
        format!("{} to {}", rate(*low), rate(*high))
    } else {
        format!("at most {}", rate(*high))
    };
    format!("{cell}: {figure} {found}, expected {band} (± {} of simulation)", rate(*allowance))
}

/// A table under its heading, with so many leading columns of words.
fn grid(
    heading: String,
    head: Vec<String>,
    rows: Vec<Vec<String>>,
    words: usize,
) -> Vec<Block<'static>> {
    let kind = |index| if index < words { Kind::Words } else { Kind::Numbers };
    let columns = head.into_iter().enumerate();
    let table = Table {
        label: heading.clone(),
        columns: columns.map(|(index, head)| Column { head, kind: kind(index) }).collect(),
        names: words.max(1),
        rows: rows.into_iter().map(|row| row.into_iter().map(Cell::from).collect()).collect(),
        before_fold: None,
    };
    vec![Block::heading(3, heading), Block::Table(table)]
}
