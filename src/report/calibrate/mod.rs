//! A calibration as text, markdown, JSON, CSV and picture: the answer first, then the tables.
//!
//! Text and markdown are made of the same parts, so that they cannot disagree.

mod borrowed;
mod csv;
mod own_runs;
mod plot;
mod study;
mod warnings;
mod words;

use std::fmt::Write;

use comfy_table::{Cell, CellAlignment, ColumnConstraint, ContentArrangement, Table};

use crate::calibrate::{Check, Document, Results, Violation};
use crate::report::escape::{clipped, escape};
use crate::report::text::paragraph;

use words::{plural, rate};

pub use csv::calibrate_csv;
pub use plot::calibrate_plot;

/// A piece of the printed calibration.
enum Part {
    /// The answer.
    Title(String),
    Paragraph(String),
    /// Sentences that stand under each other.
    List(Vec<String>),
    /// A table under its heading.
    Grid {
        heading: String,
        head: Vec<String>,
        rows: Vec<Vec<String>>,
        /// Leading columns that hold words.
        words: usize,
    },
}

/// The calibration as plain text of `width` columns; with `verbose` also its details.
pub fn calibrate_text(document: &Document, width: u16, verbose: bool) -> String {
    let mut out = String::new();
    for part in parts(document, verbose) {
        if !out.is_empty() {
            out.push('\n');
        }
        match part {
            Part::Title(text) => paragraph(&mut out, &format!("beyondnoise: {text}"), width, ""),
            Part::Paragraph(text) => paragraph(&mut out, &text, width, ""),
            Part::List(items) => {
                for item in items {
                    paragraph(&mut out, &item, width, "  ");
                }
            }
            Part::Grid { heading, head, rows, words } => {
                paragraph(&mut out, &heading, width, "");
                out.push_str(&grid(head, rows, words, width));
                out.push('\n');
            }
        }
    }
    out
}

/// The calibration as markdown, with its details.
pub fn calibrate_markdown(document: &Document) -> String {
    let mut out = String::new();
    let mut line = |text: &str| writeln!(out, "{text}").expect("writing to a String cannot fail");
    for part in parts(document, true) {
        match part {
            Part::Title(text) => line(&format!("### beyondnoise: {}\n", escape(&text))),
            Part::Paragraph(text) => line(&format!("{}\n", escape(&text))),
            Part::List(items) => {
                for item in items {
                    line(&format!("- {}", escape(&item)));
                }
                line("");
            }
            Part::Grid { heading, head, rows, words } => {
                let row = |cells: &[String]| {
                    let cells: Vec<String> = cells.iter().map(|cell| escape(cell)).collect();
                    format!("| {} |", cells.join(" | "))
                };
                line(&format!("**{}**\n", escape(&heading)));
                line(&row(&head));
                let numbers = head.len() - words;
                line(&format!("|{}{}", "---|".repeat(words), "--:|".repeat(numbers)));
                for cells in &rows {
                    line(&row(cells));
                }
                line("");
            }
        }
    }
    out
}

/// The document `beyondnoise-calibrate/1` as indented JSON, with a final line break.
///
/// # Panics
///
/// Never: the structs of a calibration have no maps with other keys than text.
pub fn calibrate_json(document: &Document) -> String {
    let mut text =
        serde_json::to_string_pretty(document).expect("a calibration has only text keys");
    text.push('\n');
    text
}

fn grid(head: Vec<String>, rows: Vec<Vec<String>>, words: usize, width: u16) -> String {
    let mut table = Table::new();
    table.load_style(comfy_table::presets::NOTHING);
    table.set_content_arrangement(ContentArrangement::Dynamic);
    table.set_width(width);
    let cells = |texts: Vec<String>| {
        texts.into_iter().enumerate().map(|(index, text)| {
            let cell = Cell::new(clipped(&text));
            if index < words { cell } else { cell.set_alignment(CellAlignment::Right) }
        })
    };
    table.set_header(cells(head));
    for row in rows {
        table.add_row(cells(row));
    }
    for (index, column) in table.column_iter_mut().enumerate() {
        column.set_padding((1, 0));
        if index >= words {
            // A number is never broken; names may be.
            column.set_constraint(ColumnConstraint::ContentWidth);
        }
    }
    table.trim_fmt()
}

fn parts(document: &Document, verbose: bool) -> Vec<Part> {
    let settings = &document.settings;
    let mut parts = match &document.results {
        Results::Simulated { shapes, study } => study::parts(settings, shapes, study, verbose),
        Results::Borrowed { rows, .. } => borrowed::parts(settings, rows),
        Results::Warnings { warnings } => warnings::parts(settings, warnings),
        Results::OwnRuns(found) => own_runs::parts(settings, found, verbose),
    };
    if let Some(check) = &document.check {
        // Before the tables, which are long.
        let tables = parts.iter().position(|part| matches!(part, Part::Grid { .. }));
        let place = tables.unwrap_or(parts.len());
        parts.splice(place..place, check_parts(check));
    }
    parts
}

fn check_parts(check: &Check) -> Vec<Part> {
    let all = plural(check.checked, "figure", "figures");
    if check.violations.is_empty() {
        return vec![Part::Paragraph(format!("Check: {all}, none outside its band."))];
    }
    let outside = plural(check.violations.len(), "is", "are");
    vec![
        Part::Paragraph(format!("Check: of {all} {outside} outside the band:")),
        Part::List(check.violations.iter().map(violation).collect()),
    ]
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
