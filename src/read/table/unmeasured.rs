//! Tables of runs that are planned, or were made without a measurement: rows of settings and no value.

use crate::kit::short;
use crate::table::records::Table;

/// Columns in which experiment runners record whether a run was made, lower case.
const DONE: &[&str] = &["__done", "done", "status", "state"];

/// Names that are listed in a sentence.
const MAX_NAMES: usize = 5;

/// That columns of a table are empty in all its rows, and what to do; none where every column has a cell.
pub(crate) fn not_measured(table: &Table) -> Option<(String, &'static str)> {
    let empty = |at: &usize| !table.headers[*at].is_empty() && table.filled(*at).next().is_none();
    let columns: Vec<usize> = (0..table.headers.len()).filter(empty).collect();
    if columns.is_empty() {
        return None;
    }
    let names: Vec<String> =
        columns.iter().take(MAX_NAMES).map(|&at| short(&table.headers[at])).collect();
    let more = if columns.len() > MAX_NAMES { ", …" } else { "" };
    let rows = table.rows.len();
    let (row, empty) = if rows == 1 { ("row", "in it") } else { ("rows", "in all of them") };
    let are = if columns.len() == 1 { "is" } else { "are" };
    Some((
        format!(
            "expected measured values, found {rows} {row} and no measurement: {}{more} {are} empty {empty}{}",
            names.join(", "),
            done(table).unwrap_or_default()
        ),
        "give the table once it is filled in",
    ))
}

/// The content of the column that records whether runs were made.
fn done(table: &Table) -> Option<String> {
    let named = |header: &String| DONE.contains(&header.to_lowercase().as_str());
    let at = table.headers.iter().position(named)?;
    let mut cells = table.filled(at);
    let first = cells.next()?;
    let all = if cells.all(|cell| cell == first) { "" } else { " in the first row" };
    Some(format!("; {} is {}{all}", table.headers[at], short(first)))
}
