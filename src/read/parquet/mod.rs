//! Parquet tables: read piece by piece and only the columns that are used, so that a file may be larger than
//! memory.

mod cells;
mod file;
mod write;

use std::collections::BTreeMap;
use std::path::Path;

use crate::error::Error;
use crate::read::delimited::{decimal_comma, normalise};
use crate::read::records::{Row, Table};
use crate::read::reduce::{Column, Columnar, Form, Input, Limits, Source, reduce};
use crate::read::request_rows::{Rows, judge};
use crate::read::rows::Reading;
use crate::read::table::SAMPLE;
use crate::read::{Found, Options, Reader};
use file::{Bytes, Parquet};

pub use write::{Cells, write_parquet};

pub(super) const READER: Reader = Reader {
    name: "parquet table",
    recognised_by: "the bytes PAR1 at its start",
    one_run: "a row, or the rows of one run in the long layout; rows of requests as in a csv table",
    metrics: &[],
    recognise: |content, _| content.bytes.starts_with(b"PAR1"),
    read: |content, options| {
        let table = Parquet::open(content.path, Bytes::of(content.bytes.to_vec()))?;
        runs_of(&table, Limits::default(), options)
    },
};

/// Rows that are read before they become runs.
const ROWS: usize = 1 << 14;

/// The runs of a file, which is not read as a whole.
///
/// # Errors
///
/// [`Error::Input`] if it is no table of runs or requests; [`Error::Io`].
pub(super) fn runs_of_file(file: &Path, path: &str, options: &Options) -> Result<Found, Error> {
    runs_of(&Parquet::open(path, Bytes::File(file))?, Limits::default(), options)
}

fn runs_of(parquet: &Parquet, limits: Limits, options: &Options) -> Result<Found, Error> {
    let mut table = empty(parquet);
    for piece in parquet.pieces(ROWS) {
        let room = SAMPLE - table.rows.len();
        let rows = piece.rows.start..piece.rows.end.min(piece.rows.start + room);
        add_rows(parquet, &mut table, &[file::Piece { rows, ..piece }])?;
        if table.rows.len() == SAMPLE {
            break;
        }
    }
    table.comma = decimal_comma(&table, b',')?;
    let (rows, mut notes) = judge(&table, options);
    notes.splice(0..0, parquet.left_out());
    let mut found = match rows {
        Rows::Requests(plan) => {
            let path = parquet.path;
            let source = Source::Columns(parquet);
            let input = Input { path, source, delimiter: b',', returns: false, header: (0, 0) };
            reduce(input, &plan, limits, options)?
        }
        Rows::Runs => {
            notes.extend(normalise(&mut table, options));
            let mut reading = Reading::new(&table, options)?;
            table.rows = Vec::new();
            for piece in parquet.pieces(ROWS.min(limits.block)) {
                table.rows.clear();
                add_rows(parquet, &mut table, &[piece])?;
                // What has to be said of the columns was said of the start.
                normalise(&mut table, options);
                reading.rows(&table)?;
            }
            reading.finish(&table)?
        }
    };
    found.skipped.splice(0..0, notes);
    Ok(found)
}

/// The columns without rows.
fn empty<'a>(parquet: &Parquet<'a>) -> Table<'a> {
    Table { path: parquet.path, headers: parquet.headers(), counts: "row", ..Table::default() }
}

/// Adds rows as text.
fn add_rows(parquet: &Parquet, table: &mut Table, pieces: &[file::Piece]) -> Result<(), Error> {
    let wanted: BTreeMap<usize, Form> =
        (0..table.headers.len()).map(|column| (column, Form::Text)).collect();
    for (piece, block) in pieces.iter().zip(parquet.blocks(pieces, &wanted)?) {
        let before = parquet.rows_before(piece);
        for row in 0..block.rows {
            let cell = |column: &Column| match column {
                Column::Texts { texts, of_row } => {
                    String::from_utf8_lossy(&texts[of_row[row] as usize]).into_owned()
                }
                Column::Numbers(_) | Column::Unread => String::new(),
            };
            let cells = block.columns.iter().map(cell).collect();
            table.rows.push(Row { number: before + row + 1, cells });
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests;
