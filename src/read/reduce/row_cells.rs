//! A row of any table as cells.

use std::borrow::Cow;

use crate::read::cell_value::{self, CellValue};
use crate::read::short;

use super::plan::Plan;

/// The fault of a row.
#[derive(Clone, Debug)]
pub(super) struct Problem {
    pub(super) problem: String,
    pub(super) remedy: &'static str,
}

/// The cells of one row.
pub(super) trait RowCells {
    /// Number of cells.
    fn count(&self) -> usize;
    /// Text of a cell.
    fn text(&self, column: usize) -> Cow<'_, [u8]>;
    /// The finite number that a cell is kept as, if it is known without reading text.
    fn number(&self, _column: usize) -> Option<f64> {
        None
    }
    /// A cell of a column of numbers.
    fn read(&self, plan: &Plan, column: usize) -> CellValue {
        cell_value::read(&self.text(column), &plan.headers[column], plan.comma)
    }
}

impl RowCells for [&[u8]] {
    fn count(&self) -> usize {
        self.len()
    }

    fn text(&self, column: usize) -> Cow<'_, [u8]> {
        Cow::Borrowed(self[column])
    }

    fn read(&self, plan: &Plan, column: usize) -> CellValue {
        cell_value::read(self[column], &plan.headers[column], plan.comma)
    }
}

/// The number in a cell; `None` for an empty one.
pub(super) fn value(
    plan: &Plan,
    column: usize,
    cells: &(impl RowCells + ?Sized),
    latency: bool,
) -> Result<Option<f64>, Problem> {
    match cells.read(plan, column) {
        CellValue::Number(value) if latency && [0.0, -1.0].contains(&value) => Ok(None),
        CellValue::Number(value) if latency && value < 0.0 => {
            Err(wrong(plan, column, cells, "a time of 0 or more"))
        }
        CellValue::Number(value) if value.is_finite() => Ok(Some(value)),
        CellValue::Number(_) => Err(wrong(plan, column, cells, "a finite number")),
        CellValue::Empty => Ok(None),
        CellValue::Other => Err(wrong(plan, column, cells, "a number")),
    }
}

/// A time in seconds, with its column.
pub(super) fn time(
    plan: &Plan,
    cells: &(impl RowCells + ?Sized),
    from: Option<(usize, Option<f64>)>,
) -> Result<Option<(f64, usize)>, Problem> {
    let Some((column, factor)) = from else { return Ok(None) };
    match cells.read(plan, column) {
        CellValue::Empty => Ok(None),
        CellValue::Number(value) if value.is_finite() => {
            let factor = factor.unwrap_or_else(|| cell_value::epoch_factor(value));
            Ok(Some((value * factor, column)))
        }
        _ => match crate::runs::seconds(&String::from_utf8_lossy(&cells.text(column))) {
            Some(seconds) if seconds.is_finite() => Ok(Some((seconds, column))),
            _ => Err(wrong(plan, column, cells, "a time")),
        },
    }
}

/// The fault of a cell that holds something else.
pub(super) fn wrong(
    plan: &Plan,
    column: usize,
    cells: &(impl RowCells + ?Sized),
    what: &str,
) -> Problem {
    let found = short(&String::from_utf8_lossy(cells.text(column).trim_ascii()));
    let problem = format!("expected {what} in \"{}\", found \"{found}\"", plan.headers[column]);
    Problem { problem, remedy: "fix the cell, or leave it empty if nothing was measured" }
}
