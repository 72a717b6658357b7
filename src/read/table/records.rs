//! A table as rows of text cells, before it is known what they are.

use crate::table::chunks::{Problem, not_utf8};
use std::borrow::Cow;
use std::ops::Index;
use std::sync::OnceLock;

use crate::kit::{fields, short};
use crate::table::chunks::{RowCells, RowSource, Take};
use beyondnoise_model::error::Error;

/// Columns listed in a message.
const MAX_LIST: usize = 20;

/// A table as text.
#[derive(Default)]
pub(crate) struct Table<'a> {
    pub(crate) path: &'a str,
    pub(crate) headers: Vec<String>,
    pub(crate) rows: Rows,
    /// Unit of the row number: `line`, `object`, `row`.
    pub(crate) counts: &'static str,
    /// Numbers are written with a decimal comma.
    pub(crate) comma: bool,
    /// Names of the columns whose cells were averages with a spread.
    pub(crate) averaged: Vec<String>,
}

/// A row as it is read.
pub(crate) struct Row {
    pub(crate) number: usize,
    /// One cell per header; empty where the row has none.
    pub(crate) cells: Vec<String>,
}

/// The rows of a table, all their cells one after the other in one text.
#[derive(Default)]
pub(crate) struct Rows {
    text: String,
    /// Ends of the cells in the text.
    ends: Vec<usize>,
    /// Number of each row, and of its first cell.
    starts: Vec<(usize, usize)>,
    /// The codes of each column that was asked for.
    codes: OnceLock<Vec<OnceLock<Codes>>>,
}

/// The different cells of a column, numbered by their first row.
struct Codes {
    of_rows: Vec<usize>,
    count: usize,
}

/// A row of a table.
#[derive(Clone, Copy)]
pub(crate) struct Line<'a> {
    pub(crate) number: usize,
    pub(crate) cells: Cells<'a>,
}

/// The cells of a row.
#[derive(Clone, Copy)]
pub(crate) struct Cells<'a> {
    text: &'a str,
    start: usize,
    ends: &'a [usize],
}

impl<'a> Cells<'a> {
    /// The cell of a column; there is one per header, and none in a table whose columns are all left out.
    pub(crate) fn get(self, column: usize) -> &'a str {
        let Some(&end) = self.ends.get(column) else { return "" };
        let start = if column == 0 { self.start } else { self.ends[column - 1] };
        &self.text[start..end]
    }

    pub(crate) fn iter(self) -> impl Iterator<Item = &'a str> {
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
    pub(crate) fn push(&mut self, row: Row) {
        self.add(row.number, row.cells);
    }

    /// Adds a row cell by cell.
    pub(crate) fn add(&mut self, number: usize, cells: impl IntoIterator<Item: AsRef<str>>) {
        self.codes.take();
        self.starts.push((number, self.ends.len()));
        for cell in cells {
            self.text.push_str(cell.as_ref());
            self.ends.push(self.text.len());
        }
    }

    /// Adds the lines before them to the numbers of the rows from the `first` on.
    pub(crate) fn shift(&mut self, first: usize, lines: usize) {
        self.starts[first..].iter_mut().for_each(|(number, _)| *number += lines);
    }

    pub(crate) fn len(&self) -> usize {
        self.starts.len()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.starts.is_empty()
    }

    pub(crate) fn clear(&mut self) {
        self.text.clear();
        self.ends.clear();
        self.starts.clear();
        self.codes.take();
    }

    /// The codes of a column, which are the same in rows with equal cells; none beyond the last column.
    #[expect(clippy::disallowed_types, reason = "nothing goes through it in its order")]
    fn codes(&self, column: usize) -> Option<&Codes> {
        let width = || self.iter().map(|row| row.cells.ends.len()).max().unwrap_or(0);
        let columns = self.codes.get_or_init(|| (0..width()).map(|_| OnceLock::new()).collect());
        let find = || {
            let mut known = std::collections::HashMap::<&str, usize>::new();
            let mut of_rows = Vec::with_capacity(self.len());
            // Rows of one run mostly follow each other.
            let mut last = None;
            for cell in self.iter().map(|row| row.cells.get(column)) {
                let next = known.len();
                let code = match last {
                    Some((before, code)) if before == cell => code,
                    _ => *known.entry(cell).or_insert(next),
                };
                last = Some((cell, code));
                of_rows.push(code);
            }
            Codes { of_rows, count: known.len() }
        };
        Some(columns.get(column)?.get_or_init(find))
    }

    /// Whether the text of any cell has such a character.
    pub(crate) fn contains(&self, character: char) -> bool {
        self.text.contains(character)
    }

    pub(crate) fn get(&self, at: usize) -> Line<'_> {
        let (number, first) = self.starts[at];
        let end = self.starts.get(at + 1).map_or(self.ends.len(), |(_, next)| *next);
        let start = if first == 0 { 0 } else { self.ends[first - 1] };
        Line { number, cells: Cells { text: &self.text, start, ends: &self.ends[first..end] } }
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = Line<'_>> {
        (0..self.len()).map(|at| self.get(at))
    }
}

/// Rows that were split before are one chunk.
impl RowSource for Rows {
    fn chunks(&self) -> usize {
        1
    }

    fn side_by_side(&self) -> bool {
        false
    }

    fn each(&self, _: usize, take: &mut Take) -> Result<usize, Error> {
        let _ = self.iter().all(|Line { number, cells }| take(number, Ok(&cells)));
        Ok(0)
    }
}

impl RowCells for Cells<'_> {
    fn count(&self) -> usize {
        self.ends.len()
    }

    fn text(&self, column: usize) -> Cow<'_, [u8]> {
        Cow::Borrowed(self.get(column).as_bytes())
    }
}

impl Table<'_> {
    /// An error at a row.
    pub(crate) fn at(&self, number: usize, problem: String, remedy: &str) -> Error {
        Error::Input {
            path: self.path.to_owned(),
            place: format!("{} {number}", self.counts),
            problem,
            remedy: remedy.to_owned(),
        }
    }

    /// The errors of rows that cannot be read, whose numbers count from after so many lines.
    pub(crate) fn errors(&self, before: usize, bad: Vec<(usize, Problem)>) -> Vec<Error> {
        let error = |(number, Problem { problem, remedy }): (usize, Problem)| {
            self.at(before + number, problem, remedy)
        };
        bad.into_iter().map(error).collect()
    }

    /// Its rows, taken out of it.
    pub(crate) fn take_rows(&mut self) -> Vec<Row> {
        let row = |line: Line| Row {
            number: line.number,
            cells: line.cells.iter().map(str::to_owned).collect(),
        };
        let rows = self.rows.iter().map(row).collect();
        self.rows.clear();
        rows
    }

    /// Puts rows into a table that has none.
    pub(crate) fn put_rows(&mut self, rows: Vec<Row>) {
        for row in rows {
            self.rows.push(row);
        }
    }

    /// Numbers rows that came from one line, so that every run has a place of its own.
    pub(crate) fn number_rows(&mut self) {
        let mut rows = self.take_rows();
        for (index, row) in rows.iter_mut().enumerate() {
            row.number = index + 1;
        }
        self.counts = "row";
        self.put_rows(rows);
    }

    /// Leaves columns out.
    pub(crate) fn drop_columns(&mut self, dropped: &[usize]) {
        let mut rows = self.take_rows();
        let keep = |at: &usize| !dropped.contains(at);
        for row in &mut rows {
            let cells = std::mem::take(&mut row.cells).into_iter().enumerate();
            row.cells = cells.filter(|(at, _)| keep(at)).map(|(_, cell)| cell).collect();
        }
        let headers = std::mem::take(&mut self.headers).into_iter().enumerate();
        self.headers = headers.filter(|(at, _)| keep(at)).map(|(_, header)| header).collect();
        self.put_rows(rows);
    }

    /// An error about the columns as such.
    pub(crate) fn header(&self, problem: String, remedy: &str) -> Error {
        Error::Input {
            path: self.path.to_owned(),
            place: "header".to_owned(),
            problem,
            remedy: remedy.to_owned(),
        }
    }

    /// An error about a table in which nothing is measured.
    pub(crate) fn no_result(&self, problem: String, remedy: &str) -> Error {
        Error::NoResult {
            path: self.path.to_owned(),
            place: "header".to_owned(),
            problem,
            remedy: remedy.to_owned(),
        }
    }

    /// The headers for a message.
    pub(crate) fn listed(&self) -> String {
        let shown = |header: &String| {
            if header.is_empty() { "(a column without a name)".to_owned() } else { short(header) }
        };
        let start: Vec<String> = self.headers.iter().take(MAX_LIST).map(shown).collect();
        let more = if self.headers.len() > MAX_LIST { ", …" } else { "" };
        format!("{}{more}", start.join(", "))
    }

    pub(crate) fn filled(&self, column: usize) -> impl Iterator<Item = &str> {
        self.rows.iter().map(move |row| row.cells.get(column)).filter(|cell| !cell.is_empty())
    }

    /// Whether most of what a column holds is such.
    pub(crate) fn mostly(&self, column: usize, such: impl Fn(&str) -> bool) -> bool {
        let (mut good, mut all) = (0, 0);
        for cell in self.filled(column) {
            all += 1;
            good += usize::from(such(cell));
        }
        2 * good > all
    }

    /// Whether most of what a column holds are numbers: then the rest is an error, not text.
    pub(crate) fn is_numeric(&self, column: usize) -> bool {
        self.mostly(column, |cell| fields::number(cell).is_some())
    }
}

/// The group of each row, numbered by first row, and the number of groups. Rows of a group agree in `columns`.
#[expect(clippy::disallowed_types, reason = "nothing goes through it in its order")]
pub(crate) fn groups_by(table: &Table, columns: &[usize]) -> (Vec<usize>, usize) {
    let rows = table.rows.len();
    let (mut groups, mut count) = (vec![0; rows], rows.min(1));
    let columns = columns.iter().take_while(|_| rows > 1);
    for Codes { of_rows, count: codes } in columns.filter_map(|&at| table.rows.codes(at)) {
        let pairs = groups.iter_mut().zip(of_rows);
        let mut next = 0;
        let mut new = || {
            next += 1;
            next - 1
        };
        if count * codes <= MOST_PAIRS * rows {
            let mut known = vec![None; count * codes];
            for (group, code) in pairs {
                *group = *known[*group * codes + code].get_or_insert_with(&mut new);
            }
        } else {
            let mut known = std::collections::HashMap::new();
            for (group, code) in pairs {
                *group = *known.entry((*group, *code)).or_insert_with(&mut new);
            }
        }
        count = next;
        if count == rows {
            break;
        }
    }
    (groups, count)
}

/// Pairs of a group and a code for each row up to which all of them have a place.
const MOST_PAIRS: usize = 4;

/// The column that the user calls by its name, in any letter case where that is one column.
pub(crate) fn position(headers: &[String], name: &str) -> Option<usize> {
    let exact = headers.iter().position(|header| header == name);
    exact.or_else(|| {
        let wanted = name.to_lowercase();
        let mut alike = (0..headers.len()).filter(|&at| headers[at].to_lowercase() == wanted);
        alike.next().filter(|_| alike.next().is_none())
    })
}

/// The column that the user calls by its name.
///
/// # Errors
///
/// [`Error::Input`] if no column has it.
pub(crate) fn given(table: &Table, name: &str) -> Result<usize, Error> {
    position(&table.headers, name).ok_or_else(|| {
        let problem = format!("expected a column \"{name}\", found {}", table.listed());
        table.header(problem, "name a column that exists")
    })
}

/// Adds a cell to a key; with its length, so that other cells give another key.
pub(crate) fn add_to_key(key: &mut Vec<u8>, cell: &str) {
    key.extend(cell.len().to_le_bytes());
    key.extend(cell.as_bytes());
}

/// Adds up to `most` rows of a chunk to a table, with their numbers there; returns the lines of the chunk.
///
/// Rows that cannot be read are added to `bad`.
///
/// # Errors
///
/// Those of [`RowSource::each`].
pub(crate) fn add_rows(
    source: &dyn RowSource,
    (chunk, most): (usize, usize),
    table: &mut Table,
    bad: &mut Vec<(usize, Problem)>,
) -> Result<usize, Error> {
    let mut left = most;
    source.each(chunk, &mut |number, row| {
        if left == 0 {
            return false;
        }
        left -= 1;
        let added = row.and_then(|cells| add(cells, number, table));
        bad.extend(added.err().map(|problem| (number, problem)));
        left > 0
    })
}

/// Adds up to `most` rows of the first `chunks` to a table; returns an error for each that cannot be read.
///
/// # Errors
///
/// Those of [`RowSource::each`].
pub(crate) fn first_rows(
    source: &dyn RowSource,
    (chunks, most): (usize, usize),
    table: &mut Table,
) -> Result<Vec<Error>, Error> {
    let (mut errors, mut before) = (Vec::new(), source.before());
    for chunk in 0..source.chunks().min(chunks) {
        let left = most - table.rows.len() - errors.len();
        if left == 0 {
            break;
        }
        let (mut bad, first) = (Vec::new(), table.rows.len());
        let lines = add_rows(source, (chunk, left), table, &mut bad)?;
        table.rows.shift(first, before);
        errors.extend(table.errors(before, bad));
        before += lines;
    }
    Ok(errors)
}

/// Adds a row to a table.
pub(crate) fn add(cells: &dyn RowCells, number: usize, table: &mut Table) -> Result<(), Problem> {
    let text = |column: usize| match cells.text(column) {
        Cow::Borrowed(bytes) => std::str::from_utf8(bytes).map(Cow::Borrowed).ok(),
        Cow::Owned(bytes) => String::from_utf8(bytes).map(Cow::Owned).ok(),
    };
    if let Some(bad) = (0..cells.count()).find(|&column| text(column).is_none()) {
        return Err(not_utf8("expected UTF-8", &cells.text(bad)));
    }
    table.rows.add(number, (0..cells.count()).filter_map(text));
    Ok(())
}
