//! Rows that are JSON objects, one a line.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::io;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use crate::error::Error;
use crate::read::cell_value::{self, CellValue};
use crate::read::json::{self, Record, Scalar};

use super::Limits;
use super::blocks::Blocks;
use super::part::{Part, Scratch};
use super::plan::Plan;
use super::row_cells::{Problem, RowCells};

/// Keys that are noted beyond those that are known.
const MAX_KEYS: usize = 1000;

/// A file of objects with known keys; unknown ones are noted.
pub(in crate::read) struct Objects<'a> {
    path: &'a Path,
    /// Position of each key among the columns.
    columns: BTreeMap<&'a str, usize>,
    /// Keys that are no column, each with the first line that was seen to have it.
    unknown: Mutex<BTreeMap<String, Vec<u8>>>,
}

impl<'a> Objects<'a> {
    pub(in crate::read) fn new(path: &'a Path, headers: &'a [String]) -> Self {
        let columns = headers.iter().enumerate().map(|(at, name)| (name.as_str(), at)).collect();
        Self { path, columns, unknown: Mutex::default() }
    }

    /// The lines that have further keys.
    pub(in crate::read) fn unknown(self) -> Vec<Vec<u8>> {
        let unknown = self.unknown.into_inner().unwrap_or_else(PoisonError::into_inner);
        let mut lines: Vec<Vec<u8>> = unknown.into_values().collect();
        lines.dedup();
        lines
    }

    /// The file in blocks of whole lines.
    pub(in crate::read) fn blocks(&self, limits: Limits) -> io::Result<Blocks<'static>> {
        let file = Box::new(std::fs::File::open(self.path)?);
        // A line feed inside of quotes is escaped.
        Ok(Blocks::new(file, limits.block, (b',', false, false)))
    }

    /// The objects of whole lines, as cells, to `take`; what is no object goes to it as an error.
    pub(in crate::read) fn each(
        &self,
        lines: &[u8],
        mut take: impl FnMut(Result<Vec<Scalar>, Error>),
    ) {
        for line in lines.split(|&byte| byte == b'\n') {
            let records = match json::records("", line) {
                Ok(records) => records,
                Err(error) => {
                    take(Err(error));
                    continue;
                }
            };
            for record in records {
                take(Ok(self.cells(record, line)));
            }
        }
    }

    fn cells(&self, record: Record, line: &[u8]) -> Vec<Scalar> {
        let mut cells = vec![Scalar::Null; self.columns.len()];
        for (key, value) in record.scalars {
            if let Some(&at) = self.columns.get(key.as_str()) {
                cells[at] = value;
            } else {
                let mut unknown = self.unknown.lock().unwrap_or_else(PoisonError::into_inner);
                if unknown.len() < MAX_KEYS {
                    // The smallest line and not the first seen, which depends on the threads.
                    let known = unknown.entry(key).or_insert_with(|| line.to_vec());
                    if line < known.as_slice() {
                        line.clone_into(known);
                    }
                }
            }
        }
        cells
    }

    /// Takes whole lines.
    pub(super) fn part(&self, plan: &Plan, lines: &[u8]) -> Part {
        let mut part = Part::default();
        let mut scratch = Scratch::default();
        self.each(lines, |cells| {
            part.lines += 1;
            match cells {
                Ok(cells) => part.add(plan, cells.as_slice(), &mut scratch),
                Err(Error::Input { problem, .. }) => {
                    part.bad(Problem { problem, remedy: "fix or remove the line" });
                }
                Err(other) => {
                    let problem = other.to_string();
                    part.bad(Problem { problem, remedy: "fix or remove the line" });
                }
            }
        });
        part.finish()
    }
}

/// Text of a scalar, as a cell.
pub(in crate::read) fn text_of(scalar: &Scalar) -> Cow<'_, str> {
    match scalar {
        Scalar::Number(value) => Cow::Owned(value.to_string()),
        Scalar::Text(text) => Cow::Borrowed(text),
        Scalar::Null => Cow::Borrowed(""),
    }
}

impl RowCells for [Scalar] {
    fn count(&self) -> usize {
        self.len()
    }

    fn text(&self, column: usize) -> Cow<'_, [u8]> {
        match text_of(&self[column]) {
            Cow::Owned(text) => Cow::Owned(text.into_bytes()),
            Cow::Borrowed(text) => Cow::Borrowed(text.as_bytes()),
        }
    }

    fn read(&self, plan: &Plan, column: usize) -> CellValue {
        match &self[column] {
            Scalar::Null => CellValue::Empty,
            Scalar::Number(value) if value.is_nan() => CellValue::Empty,
            Scalar::Number(value) => CellValue::Number(*value),
            Scalar::Text(text) => {
                cell_value::read(text.as_bytes(), &plan.headers[column], plan.comma)
            }
        }
    }
}
