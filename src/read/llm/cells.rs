//! What CSV files of all clients have in common: the words for a broken row.

use crate::error::Error;

/// The error for a row that is none, at its line.
pub(super) fn malformed(path: &str, error: &csv::Error) -> Error {
    let line = error.position().map_or(1, csv::Position::line);
    let problem = match error.kind() {
        csv::ErrorKind::UnequalLengths { expected_len, len, .. } => {
            format!("expected {expected_len} columns as in the header, found {len}")
        }
        _ => format!("expected a row of the table, found something else: {error}"),
    };
    let line = usize::try_from(line).unwrap_or(usize::MAX);
    Error::at_line(path, line, problem, "correct the row, or leave the file out")
}

/// The error for a table without rows.
pub(super) fn no_rows(path: &str) -> Error {
    let problem = "expected at least one row under the header, found none";
    Error::file(path, problem, "measure again, or leave the file out")
}
