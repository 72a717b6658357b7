//! The files that were read, what was skipped of them, and the settings in force.

use crate::document::blocks::{Block, Cell, Kind, Role, Room, Table, number_columns, skipped};
use crate::document::tables::{column, number};
use crate::format::{self, counted};
use crate::report::Report;
use crate::runs::Skipped;

/// Skipped parts that are shown without unfolding.
const MAX_SHOWN: usize = 3;

/// The skipped parts with their reasons, the first three unfolded; for a page the files and the settings too.
pub(super) fn inputs(report: &Report) -> Vec<Block<'_>> {
    let several = report.inputs.len() > 1;
    let parts = report.inputs.iter().flat_map(|input| {
        input.skipped.iter().map(move |part| Skipped {
            place: match &*part.place {
                "file" => input.path.clone(),
                place if several => format!("{}, {place}", input.path),
                place => place.to_owned(),
            },
            why: part.why.clone(),
        })
    });
    let mut blocks = skipped(&parts.collect::<Vec<_>>(), MAX_SHOWN);
    let files = counted(report.inputs.len(), "file");
    blocks.extend(Block::fold(files, Room::Page, vec![Block::Table(files_table(report))]));
    blocks.extend(Block::fold("settings", Room::Page, settings(report)));
    blocks
}

fn files_table(report: &Report) -> Table<'_> {
    let row = |input: &crate::report::InputRow| {
        vec![
            Cell::from(&*input.path),
            Cell::from(input.format.unwrap_or("no results")),
            number(input.runs.to_string(), Some(input.runs as f64)),
            number(input.skipped.len().to_string(), Some(input.skipped.len() as f64)),
        ]
    };
    let columns = vec![
        column("file", Kind::Words),
        column("format", Kind::Words),
        column("runs", Kind::Numbers),
        column("skipped parts", Kind::Numbers),
    ];
    let rows = report.inputs.iter().map(row).collect();
    Table::new("the files that were read", columns, rows)
}

/// The meaning of the verdicts, and the margin of each metric.
fn settings(report: &Report) -> Vec<Block<'_>> {
    let settings = &report.settings;
    let meaning = format!(
        "A change is better or worse if its interval excludes no change, adjusted for the number of metrics, and it is at \
         least the margin that matters. Within noise means that neither a change nor its absence is shown; no change means \
         that the interval lies inside the margin. The gate lets a metric be worse by up to {}.",
        format::chosen(settings.tolerance)
    );
    let rows = settings.margins.iter().map(|(name, margin)| {
        let absolute = margin.absolute;
        let least = if absolute > 0.0 { absolute.to_string() } else { "none".to_owned() };
        vec![
            Cell::from(&**name),
            number(format::chosen(margin.relative), Some(margin.relative)),
            number(least, Some(absolute)),
        ]
    });
    let columns = number_columns(["metric", "margin", "at least, in its unit"]);
    let margins = Table::new("margins", columns, rows.collect());
    vec![Block::text(Role::Plain, meaning), Block::Table(margins)]
}
