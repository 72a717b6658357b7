//! A row of any table as cells.

use std::borrow::Cow;

use crate::read::cell_value::{self, CellValue};

use super::plan::Plan;

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
