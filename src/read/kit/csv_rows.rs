//! Tables of clients as CSV: rows whose cells are read by the names of their columns.

use std::sync::Arc;

use crate::kit::arithmetic::whole;
use crate::kit::fields::{Number, number};
use crate::kit::short;
use crate::reader::Content;
use beyondnoise_model::error::Error;

/// Texts that clients write where there is no value.
const NO_VALUE: &[&str] = &["", "-", "N/A", "NaN", "None"];

/// A row of a table.
pub(crate) struct CsvRow<'a> {
    path: &'a str,
    pub(crate) line: usize,
    headers: Arc<[String]>,
    cells: csv::StringRecord,
}

/// The rows of a table, each with as many cells as its header, or an error for the row.
///
/// # Errors
///
/// [`Error::Input`] if there is no header.
pub(crate) fn csv_rows<'a>(
    content: &Content<'a>,
) -> Result<impl Iterator<Item = Result<CsvRow<'a>, Error>> + use<'a>, Error> {
    let header = String::from_utf8_lossy(content.first_line(1 << 14));
    rows_of(content.path, content.bytes(), csv::ReaderBuilder::new().delimiter(delimiter(&header)))
}

/// The rows of a table that may be longer or shorter than its header.
///
/// # Errors
///
/// [`Error::Input`] if there is no header.
pub(crate) fn ragged_rows<'a>(
    path: &'a str,
    bytes: &'a [u8],
) -> Result<impl Iterator<Item = Result<CsvRow<'a>, Error>> + use<'a>, Error> {
    rows_of(path, bytes, csv::ReaderBuilder::new().flexible(true))
}

fn rows_of<'a>(
    path: &'a str,
    bytes: &'a [u8],
    builder: &csv::ReaderBuilder,
) -> Result<impl Iterator<Item = Result<CsvRow<'a>, Error>> + use<'a>, Error> {
    let mut reader = builder.from_reader(bytes);
    let headers = reader.headers().map_err(|error| malformed(path, bytes, &error))?;
    let headers: Arc<[String]> = headers.iter().map(|name| name.trim().to_owned()).collect();
    Ok(reader.into_records().map(move |cells| {
        let cells = cells.map_err(|error| malformed(path, bytes, &error))?;
        let line = cells.position().map_or(1, |at| line_at(bytes, at));
        Ok(CsvRow { path, line, headers: Arc::clone(&headers), cells })
    }))
}

impl CsvRow<'_> {
    /// The cell under a name, or under the first of several separated by `|` that the header has; empty if there is none.
    pub(crate) fn cell(&self, names: &str) -> &str {
        let at = |name: &str| self.headers.iter().position(|h| h.eq_ignore_ascii_case(name));
        let cell = names.split('|').find_map(at).and_then(|at| self.cells.get(at));
        cell.unwrap_or("").trim()
    }

    /// Names of the columns with their cells.
    pub(crate) fn cells(&self) -> impl Iterator<Item = (&str, &str)> {
        self.headers.iter().map(String::as_str).zip(self.cells.iter().map(str::trim))
    }

    /// A number, where the cell has a value.
    ///
    /// # Errors
    ///
    /// [`Error::Input`] for a cell with other text.
    pub(crate) fn number(&self, names: &str) -> Result<Option<Number>, Error> {
        let cell = self.cell(names);
        if is_no_value(cell) {
            return Ok(None);
        }
        let name = names.split('|').next().unwrap_or_default();
        number(cell).map(Some).ok_or_else(|| self.wrong("a number", name, cell))
    }

    /// A count, 0 if there is none.
    ///
    /// # Errors
    ///
    /// [`Error::Input`] for a cell with other text.
    pub(crate) fn count(&self, names: &str) -> Result<u64, Error> {
        Ok(self.number(names)?.map_or(0, |number| whole(number.value)))
    }

    /// The error for a cell of another kind than expected.
    pub(crate) fn wrong(&self, expected: &str, name: &str, cell: &str) -> Error {
        let problem = format!("expected {expected} in \"{name}\", found \"{}\"", short(cell));
        Error::at_line(self.path, self.line, problem, "fix the row, or remove the file")
    }

    pub(crate) fn place(&self) -> String {
        format!("line {}", self.line)
    }
}

/// Whether a cell says that there is no value.
pub(crate) fn is_no_value(cell: &str) -> bool {
    NO_VALUE.contains(&cell)
}

/// The error for a malformed row of `bytes`, at its line.
pub(crate) fn malformed(path: &str, bytes: &[u8], error: &csv::Error) -> Error {
    let line = error.position().map_or(1, |at| line_at(bytes, at));
    let problem = match error.kind() {
        csv::ErrorKind::UnequalLengths { expected_len, len, .. } => {
            format!("expected {expected_len} columns as in the header, found {len}")
        }
        _ => format!("expected a row of the table, found something else: {error}"),
    };
    Error::at_line(path, line, problem, "fix the row, or remove the file")
}

/// The most frequent separator of a header.
pub(crate) fn delimiter(header: &str) -> u8 {
    let count = |c: char| header.matches(c).count();
    [(b'\t', count('\t')), (b';', count(';')), (b',', count(','))]
        .into_iter()
        .max_by_key(|(_, n)| *n)
        .map_or(b',', |(delimiter, _)| delimiter)
}

/// The line of a record, which the reader begins with the line feed of a `\r\n` before it and with empty lines.
pub(crate) fn line_at(bytes: &[u8], at: &csv::Position) -> usize {
    let count = |n: u64| usize::try_from(n).unwrap_or(usize::MAX);
    let rest = bytes.get(count(at.byte())..).unwrap_or_default();
    let ends = rest.iter().take_while(|byte| matches!(byte, b'\r' | b'\n'));
    count(at.line()).saturating_add(ends.filter(|byte| **byte == b'\n').count())
}
