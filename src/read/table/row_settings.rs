//! The settings of a run in a row of a table.

use crate::kit::{fields, short};
use crate::table::columns::Columns;
use crate::table::records::{Line, Table, add_to_key};
use beyondnoise_model::error::Error;
use beyondnoise_model::runs::{Origin, Run, Source};

/// The value of a setting in a row whose cell is empty.
pub(crate) const EMPTY: &str = "(empty)";

/// A run with the settings of the last row: rows of equal settings share them.
#[derive(Default)]
pub(crate) struct RowSettings {
    /// The cells with the settings; empty before the first row.
    key: Vec<u8>,
    run: Run,
}

/// A run with the settings of the row, without its metrics.
pub(crate) fn start(
    table: &Table,
    columns: &Columns,
    row: Line,
    settings: &mut RowSettings,
) -> Result<Run, Error> {
    let cell = |column: Option<usize>| column.map(|index| row.cells[index].to_owned());
    let variant = cell(columns.variant).unwrap_or_default();
    if let Some(index) = columns.variant.filter(|_| variant.is_empty()) {
        let problem = format!("expected a variant in \"{}\", found nothing", table.headers[index]);
        return Err(table.at(row.number, problem, "fill in the cell"));
    }
    let mut key = vec![0];
    let said = columns.rest.iter().map(|(index, _)| *index).chain(columns.order);
    said.for_each(|index| add_to_key(&mut key, &row.cells[index]));
    if settings.key != key {
        *settings = RowSettings { key, run: info(table, columns, row)? };
    }
    let mut run = settings.run.clone();
    run.source.position = row.number;
    let stated = columns.origin.map(|index| &row.cells[index]).filter(|text| !text.is_empty());
    run.origin = stated.map(|text| Box::new(Origin::Stated(text.into())));
    run.variant = variant;
    let names: Vec<&str> = columns.run.iter().map(|&at| &row.cells[at]).collect();
    run.name = (!names.is_empty()).then(|| names.join(" "));
    if let Some(pair) = cell(columns.pair).filter(|pair| !pair.is_empty()) {
        run.info.pair = Some(pair);
    }
    if columns.run.len() > 1 {
        let level = |&at: &usize| (table.headers[at].clone(), row.cells[at].to_owned());
        run.info.levels = columns.run.iter().map(level).collect();
    }
    Ok(run)
}

/// The settings in the columns beside variant, run and metrics.
fn info(table: &Table, columns: &Columns, row: Line) -> Result<Run, Error> {
    let path = columns.path.clone();
    let source = Source { path, position: row.number, counts: table.counts };
    let mut run = Run { source, ..Run::default() };
    run.info.of_table = true;
    let place = columns.order.map(|index| row.cells[index].to_owned());
    run.info.place = place.filter(|place| !place.is_empty());
    for &(index, field) in &columns.rest {
        let (name, text) = (&table.headers[index], &row.cells[index]);
        if text.is_empty() {
            // Rows with a value and rows without are not the same setting; `convert` leaves out what is not known.
            if field.is_none() && columns.resolution.is_none() {
                run.metadata.insert(name.clone(), EMPTY.to_owned());
            }
            continue;
        }
        if let Some(field) = field {
            // `2 (out of context)`
            let bare = text.split(['(', '（']).next().unwrap_or_default().trim();
            let counted = matches!(field, fields::RunField::Failed | fields::RunField::Completed)
                && bare.len() < text.len()
                && bare.parse::<u64>().is_ok();
            let text = if counted { bare } else { text };
            if !fields::set(&mut run, field, name, text) {
                let found = short(text);
                let problem = format!("expected a count in \"{name}\", found \"{found}\"");
                return Err(table.at(row.number, problem, "fix the cell"));
            }
        } else {
            run.metadata.insert(name.clone(), text.to_owned());
        }
    }
    Ok(run)
}
