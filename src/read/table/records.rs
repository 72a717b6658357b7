//! A table as rows of text cells, before it is known what they are.

use std::ops::Index;

use crate::error::Error;
use crate::read::fields;
use crate::read::short;

/// Columns listed in a message.
const MAX_LIST: usize = 20;

/// A table as text.
#[derive(Default)]
pub(in crate::read) struct Table<'a> {
    pub(in crate::read) path: &'a str,
    pub(in crate::read) headers: Vec<String>,
    pub(in crate::read) rows: Rows,
    /// Unit of the row number: `line`, `object`, `row`.
    pub(in crate::read) counts: &'static str,
    /// Numbers are written with a decimal comma.
    pub(in crate::read) comma: bool,
}

/// A row as it is read.
pub(in crate::read) struct Row {
    pub(in crate::read) number: usize,
    /// One cell per header; empty where the row has none.
    pub(in crate::read) cells: Vec<String>,
}

/// The rows of a table, all their cells one after the other in one text.
#[derive(Default)]
pub(in crate::read) struct Rows {
    text: String,
    /// Ends of the cells in the text.
    ends: Vec<usize>,
    /// Number of each row, and of its first cell.
    starts: Vec<(usize, usize)>,
}

/// A row of a table.
#[derive(Clone, Copy)]
pub(in crate::read) struct Line<'a> {
    pub(in crate::read) number: usize,
    pub(in crate::read) cells: Cells<'a>,
}

/// The cells of a row.
#[derive(Clone, Copy)]
pub(in crate::read) struct Cells<'a> {
    text: &'a str,
    start: usize,
    ends: &'a [usize],
}

impl<'a> Cells<'a> {
    /// The cell of a column; there is one per header.
    pub(in crate::read) fn get(self, column: usize) -> &'a str {
        let start = if column == 0 { self.start } else { self.ends[column - 1] };
        &self.text[start..self.ends[column]]
    }

    pub(in crate::read) fn iter(self) -> impl Iterator<Item = &'a str> {
        (0..self.ends.len()).map(move |column| self.get(column))
    }

    /// All cells as one text: rows of equal cells have equal ones.
    fn all(self) -> &'a str {
        &self.text[self.start..self.ends.last().copied().unwrap_or(self.start)]
    }
}

impl PartialEq for Cells<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.all() == other.all() && self.iter().eq(other.iter())
    }
}

impl Index<usize> for Cells<'_> {
    type Output = str;

    fn index(&self, column: usize) -> &str {
        self.get(column)
    }
}

impl Rows {
    pub(in crate::read) fn push(&mut self, row: Row) {
        self.add(row.number, row.cells);
    }

    /// Adds a row cell by cell.
    pub(in crate::read) fn add(
        &mut self,
        number: usize,
        cells: impl IntoIterator<Item: AsRef<str>>,
    ) {
        self.starts.push((number, self.ends.len()));
        for cell in cells {
            self.text.push_str(cell.as_ref());
            self.ends.push(self.text.len());
        }
    }

    /// Makes room for so many more rows of so many cells, in so many bytes of text.
    pub(in crate::read) fn reserve(&mut self, rows: usize, cells: usize, text: usize) {
        self.starts.reserve_exact(rows);
        self.ends.reserve_exact(rows.saturating_mul(cells));
        self.text.reserve_exact(text);
    }

    pub(in crate::read) fn len(&self) -> usize {
        self.starts.len()
    }

    pub(in crate::read) fn is_empty(&self) -> bool {
        self.starts.is_empty()
    }

    pub(in crate::read) fn clear(&mut self) {
        self.text.clear();
        self.ends.clear();
        self.starts.clear();
    }

    /// Whether the text of any cell has such a character.
    pub(in crate::read) fn contains(&self, character: char) -> bool {
        self.text.contains(character)
    }

    pub(in crate::read) fn get(&self, at: usize) -> Line<'_> {
        let (number, first) = self.starts[at];
        let end = self.starts.get(at + 1).map_or(self.ends.len(), |(_, next)| *next);
        let start = if first == 0 { 0 } else { self.ends[first - 1] };
        Line { number, cells: Cells { text: &self.text, start, ends: &self.ends[first..end] } }
    }

    pub(in crate::read) fn iter(&self) -> impl Iterator<Item = Line<'_>> {
        (0..self.len()).map(|at| self.get(at))
    }
}

#[cfg(feature = "tables")]
impl Extend<Row> for Rows {
    fn extend<T: IntoIterator<Item = Row>>(&mut self, rows: T) {
        rows.into_iter().for_each(|row| self.push(row));
    }
}

impl Table<'_> {
    /// An error at a row.
    pub(in crate::read) fn at(&self, number: usize, problem: String, remedy: &str) -> Error {
        Error::Input {
            path: self.path.to_owned(),
            place: format!("{} {number}", self.counts),
            problem,
            remedy: remedy.to_owned(),
        }
    }

    /// An error about the columns as such.
    pub(in crate::read) fn header(&self, problem: String, remedy: &str) -> Error {
        Error::Input {
            path: self.path.to_owned(),
            place: "header".to_owned(),
            problem,
            remedy: remedy.to_owned(),
        }
    }

    /// An error about a table in which nothing is measured.
    pub(in crate::read) fn no_result(&self, problem: String, remedy: &str) -> Error {
        Error::NoResult {
            path: self.path.to_owned(),
            place: "header".to_owned(),
            problem,
            remedy: remedy.to_owned(),
        }
    }

    /// The headers for a message.
    pub(in crate::read) fn listed(&self) -> String {
        let shown = |header: &String| {
            if header.is_empty() { "(a column without a name)".to_owned() } else { short(header) }
        };
        let start: Vec<String> = self.headers.iter().take(MAX_LIST).map(shown).collect();
        let more = if self.headers.len() > MAX_LIST { ", …" } else { "" };
        format!("{}{more}", start.join(", "))
    }

    pub(in crate::read) fn filled(&self, column: usize) -> impl Iterator<Item = &str> {
        self.rows.iter().map(move |row| row.cells.get(column)).filter(|cell| !cell.is_empty())
    }

    /// Whether most of what a column holds is such.
    pub(in crate::read) fn mostly(&self, column: usize, such: impl Fn(&str) -> bool) -> bool {
        let (mut good, mut all) = (0, 0);
        for cell in self.filled(column) {
            all += 1;
            good += usize::from(such(cell));
        }
        2 * good > all
    }

    /// Whether most of what a column holds are numbers: then the rest is an error, not text.
    pub(in crate::read) fn is_numeric(&self, column: usize) -> bool {
        self.mostly(column, |cell| fields::number(cell).is_some())
    }
}
