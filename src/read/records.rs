//! A table as rows of text cells, before it is known what they are.

use crate::error::Error;
use crate::read::fields;
use crate::read::short;

/// Columns listed in a message.
const LONGEST_LIST: usize = 20;

/// A table as text.
#[derive(Default)]
pub(super) struct Table<'a> {
    pub(super) path: &'a str,
    pub(super) headers: Vec<String>,
    pub(super) rows: Vec<Row>,
    /// What the number of a row counts: `line`, `object`, `row`.
    pub(super) counts: &'static str,
    /// Numbers are written with a decimal comma.
    pub(super) comma: bool,
}

pub(super) struct Row {
    pub(super) number: usize,
    /// One cell per header; empty where the row has none.
    pub(super) cells: Vec<String>,
}

impl Table<'_> {
    /// An error at a row.
    pub(super) fn at(&self, number: usize, problem: String, remedy: &str) -> Error {
        Error::Input {
            path: self.path.to_owned(),
            place: format!("{} {number}", self.counts),
            problem,
            remedy: remedy.to_owned(),
        }
    }

    /// An error about the columns as such.
    pub(super) fn header(&self, problem: String, remedy: &str) -> Error {
        Error::Input {
            path: self.path.to_owned(),
            place: "header".to_owned(),
            problem,
            remedy: remedy.to_owned(),
        }
    }

    /// The headers for a message.
    pub(super) fn listed(&self) -> String {
        let start: Vec<String> = self.headers.iter().take(LONGEST_LIST).map(|h| short(h)).collect();
        let more = if self.headers.len() > LONGEST_LIST { ", …" } else { "" };
        format!("{}{more}", start.join(", "))
    }

    pub(super) fn filled(&self, column: usize) -> impl Iterator<Item = &str> {
        self.rows.iter().map(move |row| row.cells[column].as_str()).filter(|cell| !cell.is_empty())
    }

    /// Whether most of what a column holds is such.
    pub(super) fn mostly(&self, column: usize, such: impl Fn(&str) -> bool) -> bool {
        let (mut good, mut all) = (0, 0);
        for cell in self.filled(column) {
            all += 1;
            good += usize::from(such(cell));
        }
        2 * good > all
    }

    /// Whether most of what a column holds are numbers: then the rest is an error, not text.
    pub(super) fn is_numeric(&self, column: usize) -> bool {
        self.mostly(column, |cell| fields::number(cell).is_some())
    }
}
