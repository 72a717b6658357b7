//! Rows that are kept column by column: numbers come as numbers and not by way of text, and columns that are not
//! used are not read.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ops::Range;

use rayon::prelude::*;

use crate::error::Error;
use crate::read::cell_value::{self, CellValue};

use super::Limits;
use super::part::{Part, Scratch};
use super::plan::Plan;
use super::row_cells::RowCells;

/// Bytes per row, for the number of rows in a block.
const ROW: usize = 32;

/// How the cells of a column are wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::read) enum Form {
    Text,
    /// As numbers, where the column holds numbers.
    Number,
}

/// Rows of a table that are read at once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::read) struct Piece {
    /// Their part of the file.
    pub(in crate::read) group: usize,
    /// Which of its rows they are.
    pub(in crate::read) rows: Range<usize>,
}

/// Cells of a column.
pub(in crate::read) enum Column {
    /// Not wanted.
    Unread,
    /// A number a row; NaN where there is none.
    Numbers(Vec<f64>),
    /// Texts, and the position of the text of each row.
    Texts { texts: Vec<Vec<u8>>, of_row: Vec<u32> },
}

/// Some rows with all columns of their table.
pub(in crate::read) struct Block {
    pub(in crate::read) rows: usize,
    pub(in crate::read) columns: Vec<Column>,
}

/// A table that is kept column by column.
pub(in crate::read) trait Columnar: Sync {
    /// Whether its blocks are worth to be read side by side.
    fn is_large(&self) -> bool;

    /// All rows in their order, at most so many at once.
    fn pieces(&self, most: usize) -> Box<dyn Iterator<Item = Piece> + '_>;

    /// The cells of the wanted columns in some rows.
    ///
    /// # Errors
    ///
    /// [`Error::Input`] if they cannot be read; [`Error::Io`].
    fn blocks(&self, pieces: &[Piece], wanted: &BTreeMap<usize, Form>)
    -> Result<Vec<Block>, Error>;
}

/// Goes through all rows once and hands over their parts in order.
pub(super) fn walk(
    table: &dyn Columnar,
    plan: &Plan,
    limits: Limits,
    each: &mut dyn FnMut(Vec<Part>) -> Result<(), Error>,
) -> Result<(), Error> {
    let wanted = plan.wanted();
    let mut pieces = table.pieces((limits.block / ROW).max(1));
    loop {
        let batch: Vec<Piece> = pieces.by_ref().take(limits.batch).collect();
        if batch.is_empty() {
            return Ok(());
        }
        let blocks = table.blocks(&batch, &wanted)?;
        let part = |block| Part::of_block(plan, block);
        each(if table.is_large() {
            blocks.par_iter().map(part).collect()
        } else {
            blocks.iter().map(part).collect()
        })?;
    }
}

impl Part {
    /// Takes a block of rows.
    fn of_block(plan: &Plan, block: &Block) -> Self {
        let mut part = Self::default();
        let mut scratch = Scratch::default();
        for row in 0..block.rows {
            part.lines = row + 1;
            part.add(plan, &RowOf { block, row }, &mut scratch);
        }
        part.finish()
    }
}

/// One row of a block.
struct RowOf<'a> {
    block: &'a Block,
    row: usize,
}

impl RowCells for RowOf<'_> {
    fn count(&self) -> usize {
        self.block.columns.len()
    }

    fn text(&self, column: usize) -> Cow<'_, [u8]> {
        match &self.block.columns[column] {
            Column::Numbers(values) if !values[self.row].is_nan() => {
                Cow::Owned(values[self.row].to_string().into_bytes())
            }
            Column::Texts { texts, of_row } => Cow::Borrowed(&texts[of_row[self.row] as usize]),
            Column::Numbers(_) | Column::Unread => Cow::Borrowed(&[]),
        }
    }

    fn number(&self, column: usize) -> Option<f64> {
        match &self.block.columns[column] {
            Column::Numbers(values) => Some(values[self.row]).filter(|value| value.is_finite()),
            _ => None,
        }
    }

    fn read(&self, plan: &Plan, column: usize) -> CellValue {
        match &self.block.columns[column] {
            Column::Numbers(values) if values[self.row].is_nan() => CellValue::Empty,
            Column::Numbers(values) => CellValue::Number(values[self.row]),
            _ => cell_value::read(&self.text(column), &plan.headers[column], plan.comma),
        }
    }
}
