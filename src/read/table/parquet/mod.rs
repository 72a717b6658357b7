//! Parquet tables and frames: read in chunks of rows, and of requests only the columns that are used.

mod cells;
mod file;
mod write;

use polars::prelude::DataFrame;

use crate::reader::{Content, Found, Options, Reader};
use crate::table::chunks::SAMPLE;
use crate::table::column_names::names_runs;
use crate::table::delimited::{decimal_comma, normalise};
use crate::table::found::found_in;
use crate::table::own_reports;
use crate::table::parquet::file::ColumnarTable;
use crate::table::records::{Table, add};
use beyondnoise_model::error::Error;

pub use crate::table::parquet::file::is_read;
pub use crate::table::parquet::write::{Cells, write_parquet};

pub(crate) const READER: Reader = Reader {
    name: "parquet table",
    recognised_by: "the bytes PAR1 at its start",
    one_run: "a row, or the rows of one run in the long layout; rows of requests as in a csv table",
    recognise: |content, _| content.bytes.starts_with(b"PAR1"),
    read,
    ..Reader::EMPTY
};

/// Rows of the sample that decides the roles of columns, if none names variants, runs or settings.
const FEW: usize = 2_000;

fn read(content: &Content, options: &Options) -> Result<Found, Error> {
    found_in_table(&ColumnarTable::open(content.path, content.bytes, content.alone)?, options)
}

/// The runs of a frame that messages call `name`; `nested` are the names of its columns of lists and the like.
pub(crate) fn read_frame(
    name: &str,
    (frame, nested): (&DataFrame, &[String]),
    options: &Options,
) -> Result<Found, Error> {
    found_in_table(&ColumnarTable::of_frame(name, frame, nested), options)
}

/// Some rows of a table, which show the roles of its columns.
pub(crate) fn start_of<'a>(content: &Content<'a>) -> Result<Table<'a>, Error> {
    start(&ColumnarTable::open(content.path, content.bytes, true)?, SAMPLE)
}

fn start<'a>(stored: &ColumnarTable<'a>, most: usize) -> Result<Table<'a>, Error> {
    let headers = stored.headers();
    let mut table = Table { path: stored.path, headers, counts: "row", ..Table::default() };
    let sample = sample(stored.rows(), most, SAMPLE);
    for rows in sample {
        let before = rows.start;
        stored.each_of(rows, &mut |number, cells| {
            // Bytes that are not text are left out as cells.
            cells.and_then(|cells| add(cells, before + number, &mut table)).is_ok()
        })?;
    }
    Ok(table)
}

fn found_in_table(stored: &ColumnarTable, options: &Options) -> Result<Found, Error> {
    let headers = stored.headers();
    if own_reports::has_columns(&headers) {
        return Ok(own_reports::skip());
    }
    let most = if names_runs(&headers, options) { SAMPLE } else { FEW };
    let mut table = start(stored, most)?;
    let whole = table.rows.len() == stored.rows();
    table.comma = decimal_comma(&table, b',')?;
    let prepare = |table: &mut Table, roles: &_| Ok(normalise(table, roles));
    let mut found = found_in(&mut table, (Some(stored), !whole), options, prepare)?;
    found.format = None;
    found.skipped.splice(0..0, stored.skipped_columns());
    Ok(found)
}

/// Rows that show the layout of a table: the first `most`. Of more than `few` rows, half are from the start and the
/// rest from four places up to the end.
fn sample(all: usize, most: usize, few: usize) -> Vec<std::ops::Range<usize>> {
    if all <= few || most >= few {
        return std::iter::once(0..all.min(most.max(few))).collect();
    }
    let (first, next) = (most / 2, most / 8);
    let place = |part: usize| first + (all - first - next) / 4 * part;
    let places = (1..=4).map(|part| place(part)..place(part) + next);
    std::iter::once(0..first).chain(places).collect()
}

#[cfg(test)]
mod tests;
