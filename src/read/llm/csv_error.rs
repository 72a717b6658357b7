//! Errors for broken rows of CSV files, for all clients.

use crate::error::Error;
use crate::read::table::delimited::line_at;

/// The error for a malformed row of `bytes`, at its line.
pub(in crate::read) fn malformed(path: &str, bytes: &[u8], error: &csv::Error) -> Error {
    let line = error.position().map_or(1, |at| line_at(bytes, at));
    let problem = match error.kind() {
        csv::ErrorKind::UnequalLengths { expected_len, len, .. } => {
            format!("expected {expected_len} columns as in the header, found {len}")
        }
        _ => format!("expected a row of the table, found something else: {error}"),
    };
    Error::at_line(path, line, problem, "fix the row, or remove the file")
}

/// The error for a table without rows.
pub(super) fn no_rows(path: &str) -> Error {
    let problem = "expected at least one row under the header, found none";
    Error::file(path, problem, "remove the file, or pass one with results")
}
