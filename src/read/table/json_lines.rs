//! JSON lines that are a large table: flat objects, one a line, read in chunks.

use crate::table::records::Table;
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use crate::kit::cell_value::{self, CellValue};
use crate::kit::json::looks_like_json;
use crate::kit::json_records::{self, Record, Scalar};
use crate::reader::{Content, Found, Options};
use crate::table::chunks::{
    LARGE, Problem, RowCells, RowSource, SIZE_UNIT, Take, cut, whole_lines,
};
use crate::table::found::found_in;
use beyondnoise_model::error::Error;

/// Bytes at the start from which the kind of the objects is decided.
pub(crate) const START: usize = 4 * SIZE_UNIT;

/// Keys that are noted beyond those that are known.
const MAX_KEYS: usize = 1000;

/// The remedy for a line that is no object.
const REMEDY: &str = "fix or remove the line";

/// The first lines of a large file of objects, one a line.
pub(crate) fn start_of<'a>(content: &Content<'a>) -> Option<&'a [u8]> {
    let bytes = content.bytes();
    if bytes.len() <= LARGE || !looks_like_json(bytes) {
        return None;
    }
    let start = whole_lines(bytes, START)?;
    let mut lines = start.split(|&byte| byte == b'\n').filter(|line| !line.trim_ascii().is_empty());
    // A result file of one object, or of a few with arrays, is read as a whole.
    let first = json_records::records(content.path, lines.next()?).ok()?;
    let records = json_records::records(content.path, start).ok()?;
    (first.len() == 1 && records.len() == lines.count() + 1).then_some(start)
}

/// The content of lines in chunks of about so many bytes; their `start` decides the roles of the columns and the meaning
/// of a row.
///
/// # Errors
///
/// As for a small file.
pub(crate) fn read(
    content: &Content,
    (start, size): (&[u8], usize),
    options: &Options,
) -> Result<Found, Error> {
    let mut records = json_records::records(content.path, start)?;
    loop {
        let mut table = table_of(content.path, &records);
        let headers = table.headers.clone();
        let objects = Objects::new(content, size, &headers);
        let found = found_in(&mut table, (Some(&objects), true), options, |_, _| Ok(Vec::new()))?;
        let more = objects.unknown();
        if more.is_empty() {
            return Ok(found);
        }
        // Keys that the start lacks, such as the error of the first request that failed: all is read again.
        for line in more {
            records.extend(json_records::records(content.path, line)?);
        }
    }
}

/// Lines of objects with known keys; unknown ones are noted.
struct Objects<'a> {
    chunks: Vec<&'a [u8]>,
    alone: bool,
    /// Position of each key among the columns.
    columns: BTreeMap<&'a str, usize>,
    /// Keys that are no column, each with the first line that has it.
    unknown: Mutex<BTreeMap<String, &'a [u8]>>,
}

impl<'a> Objects<'a> {
    fn new(content: &Content<'a>, size: usize, headers: &'a [String]) -> Self {
        let columns = headers.iter().enumerate().map(|(at, name)| (name.as_str(), at)).collect();
        // A line feed inside of quotes is escaped.
        let chunks = cut(content.bytes(), size, None);
        Self { chunks, alone: content.alone, columns, unknown: Mutex::default() }
    }

    /// The lines that have further keys.
    fn unknown(self) -> Vec<&'a [u8]> {
        let unknown = self.unknown.into_inner().unwrap_or_else(PoisonError::into_inner);
        let mut lines: Vec<&[u8]> = unknown.into_values().collect();
        lines.dedup();
        lines
    }

    fn cells(&self, record: Record, line: &'a [u8]) -> Vec<Scalar> {
        let mut cells = vec![Scalar::Null; self.columns.len()];
        for (key, value) in record.scalars {
            if let Some(&at) = self.columns.get(key.as_str()) {
                cells[at] = value;
            } else {
                let mut unknown = self.unknown.lock().unwrap_or_else(PoisonError::into_inner);
                if unknown.len() < MAX_KEYS {
                    // The first in the file and not the first seen, which depends on the threads.
                    let known = unknown.entry(key).or_insert(line);
                    *known = if line.as_ptr() < known.as_ptr() { line } else { known };
                }
            }
        }
        cells
    }
}

impl RowSource for Objects<'_> {
    fn chunks(&self) -> usize {
        self.chunks.len()
    }

    fn side_by_side(&self) -> bool {
        self.alone
    }

    fn is_text(&self) -> bool {
        false
    }

    fn each(&self, chunk: usize, take: &mut Take) -> Result<usize, Error> {
        let mut number = 0;
        for line in self.chunks[chunk].split(|&byte| byte == b'\n') {
            let records = match json_records::records("", line) {
                Ok(records) => records.into_iter().map(Ok).collect(),
                Err(Error::Input { problem, .. }) => vec![Err(problem)],
                Err(other) => vec![Err(other.to_string())],
            };
            for record in records {
                number += 1;
                let cells = match record {
                    Ok(record) => self.cells(record, line),
                    Err(problem) => {
                        take(number, Err(Problem { problem, remedy: REMEDY }));
                        continue;
                    }
                };
                if !take(number, Ok(&Object(cells))) {
                    return Ok(number);
                }
            }
        }
        Ok(number)
    }
}

/// The values of one object, one a column.
struct Object(Vec<Scalar>);

impl RowCells for Object {
    fn count(&self) -> usize {
        self.0.len()
    }

    fn text(&self, column: usize) -> Cow<'_, [u8]> {
        match &self.0[column] {
            Scalar::Number(value) => Cow::Owned(value.to_string().into_bytes()),
            Scalar::Text(text) => Cow::Borrowed(text.trim().as_bytes()),
            Scalar::Null => Cow::Borrowed(b""),
        }
    }

    fn read(&self, column: usize, header: &str, comma: bool) -> CellValue {
        match &self.0[column] {
            Scalar::Null => CellValue::Empty,
            Scalar::Number(value) if value.is_nan() => CellValue::Empty,
            Scalar::Number(value) => CellValue::Number(*value),
            Scalar::Text(text) => cell_value::read(text.as_bytes(), header, comma),
        }
    }
}

/// Objects as rows, with all their keys as columns.
pub(crate) fn table_of<'a>(path: &'a str, records: &[Record]) -> Table<'a> {
    let mut table = Table { path, counts: "object", ..Table::default() };
    for record in records {
        for key in record.scalars.keys() {
            if !table.headers.contains(key) {
                table.headers.push(key.clone());
            }
        }
    }
    for record in records {
        let cells = table.headers.iter().map(|key| cell(record, key));
        table.rows.add(record.index, cells);
    }
    table
}

fn cell(record: &Record, key: &str) -> String {
    match record.scalars.get(key) {
        Some(Scalar::Number(value)) => value.to_string(),
        Some(Scalar::Text(text)) => text.clone(),
        Some(Scalar::Null) | None => String::new(),
    }
}

#[cfg(test)]
mod tests;
