//! Parquet tables: read piece by piece and only the columns that are used, so that a file may be larger than
//! memory.

mod arrays;
mod file;
mod guard;
mod write;

use std::path::Path;

use crate::error::Error;
use crate::read::reduce::{Columnar, Input, Limits, Piece, Source, reduce};
use crate::read::table::SAMPLE;
use crate::read::table::column_names::names_runs;
use crate::read::table::delimited::{decimal_comma, normalise};
use crate::read::table::records::Table;
use crate::read::table::request_rows::{Rows, SERIES_REMEDY, classify_rows};
use crate::read::table::roles::Roles;
use crate::read::table::rows::Reading;
use crate::read::{Found, Options, Reader, own_reports};
use file::{Bytes, Parquet};

pub use write::{Cells, write_parquet};

pub(super) const READER: Reader = Reader {
    name: "parquet table",
    recognised_by: "the bytes PAR1 at its start",
    one_run: "a row, or the rows of one run in the long layout; rows of requests as in a csv table",
    metrics: &[],
    recognise: |content, _| content.bytes.starts_with(b"PAR1"),
    read: |content, options| {
        let table = Parquet::open(content.path, Bytes::from_vec(content.bytes.to_vec()))?;
        runs_of(&table, Limits::default(), options)
    },
};

/// Rows that are read before they become runs.
const ROWS: usize = 1 << 14;

/// Rows of the sample that decides the roles of columns, if none names variants, runs or settings.
const FEW: usize = 2_000;

/// The runs of a file, which is not read as a whole.
///
/// # Errors
///
/// [`Error::Input`] if it is no table of runs or requests; [`Error::Io`].
pub(super) fn runs_of_file(file: &Path, path: &str, options: &Options) -> Result<Found, Error> {
    let io = |source| Error::Io { path: path.to_owned(), doing: "read", source };
    let bytes = Bytes::of_file(file).map_err(io)?;
    runs_of(&Parquet::open(path, bytes)?, Limits::default(), options)
}

fn runs_of(parquet: &Parquet, limits: Limits, options: &Options) -> Result<Found, Error> {
    let headers = parquet.headers();
    if own_reports::has_columns(&headers) {
        return Ok(own_reports::skip());
    }
    let most = if names_runs(&headers, options) { SAMPLE } else { FEW };
    let mut table = Table { path: parquet.path, headers, counts: "row", ..Table::default() };
    for (group, rows) in parquet.sample(most, SAMPLE) {
        table.rows.extend(parquet.rows(group, &rows)?);
    }
    table.comma = decimal_comma(&table, b',')?;
    let roles = Roles::assign(&table, options)?;
    let (rows, mut notes) = classify_rows(&table, &roles, options);
    notes.splice(0..0, parquet.skipped_columns());
    let mut found = match rows {
        Rows::Series(why) => return Err(table.no_result(why, SERIES_REMEDY)),
        Rows::Requests(plan) => {
            let path = parquet.path;
            let source = Source::Columns(parquet);
            let input = Input { path, source, delimiter: b',', returns: false, header: (0, 0) };
            reduce(input, &plan, limits, options)?
        }
        Rows::Runs => {
            notes.extend(normalise(&mut table, &roles));
            let mut reading = Reading::new(&table, &roles, options)?;
            for Piece { group, rows } in parquet.pieces(ROWS.min(limits.block)) {
                table.rows.clear();
                table.rows.extend(parquet.rows(group, &[rows])?);
                // Notes on the columns were already made for the start.
                normalise(&mut table, &roles);
                reading.rows(&table)?;
            }
            reading.finish(&table)?
        }
    };
    found.skipped.splice(0..0, notes);
    found.columns = roles.described(&table);
    Ok(found)
}

#[cfg(test)]
mod tests;
