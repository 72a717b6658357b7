//! Text of a table into rows of cells: separator, line ends, encoding, decimal commas.

use std::borrow::Cow;
use std::cell::Cell;
use std::fmt::Display;

use crate::error::Error;
use crate::read::cell_value;
use crate::read::fields;
use crate::read::limits::{Limited, ROW_REMEDY, is_too_long, too_long_a_row};
use crate::read::quotes::{self, lines_before_open};
use crate::read::short;
use crate::read::table::column_names::{METRIC, PAIR, UNIT, VARIANT};
use crate::read::table::records::{Cells, Line, Row, Rows, Table};
use crate::read::table::role_words::RUN;
use crate::read::table::roles::{Role, Roles};
use crate::runs::Skipped;
use crate::sanitize::cleaned;

/// The header of a table and how its lines are written.
pub(in crate::read) struct Dialect {
    pub(in crate::read) delimiter: u8,
    pub(in crate::read) headers: Vec<String>,
    /// Bytes and lines up to the first row.
    pub(in crate::read) header: (usize, usize),
}

/// Bytes in which line ends are looked for.
const NEAR: usize = 1 << 16;

/// The most frequent separator of a header.
pub(in crate::read) fn delimiter(header: &str) -> u8 {
    let count = |c: char| header.matches(c).count();
    [(b'\t', count('\t')), (b';', count(';')), (b',', count(','))]
        .into_iter()
        .max_by_key(|(_, n)| *n)
        .map_or(b',', |(delimiter, _)| delimiter)
}

/// Text with line feeds at the ends of lines; old Macs wrote carriage returns.
pub(in crate::read) fn with_line_feeds(bytes: &[u8]) -> Cow<'_, [u8]> {
    let near = &bytes[..bytes.len().min(NEAR)];
    if !near.contains(&b'\r') || near.contains(&b'\n') {
        return Cow::Borrowed(bytes);
    }
    let line_feed = |&byte: &u8| if byte == b'\r' { b'\n' } else { byte };
    Cow::Owned(bytes.iter().map(line_feed).collect())
}

impl Dialect {
    /// Reads the header of a table; `bytes` are its start, without a byte order mark and with line feeds.
    ///
    /// # Errors
    ///
    /// [`Error::Input`] if there is no header, or it is not UTF-8.
    pub(in crate::read) fn detect(path: &str, bytes: &[u8]) -> Result<Self, Error> {
        let blank = |line: &&[u8]| !line.trim_ascii().is_empty();
        let Some(line) = bytes.split(|&byte| byte == b'\n').find(blank) else {
            let remedy = "give a table with a header and a row per run or per value";
            return Err(Error::file(path, "expected a header line, found an empty file", remedy));
        };
        let delimiter = delimiter(&String::from_utf8_lossy(line));
        let taken = Cell::new(0);
        let mut reader = reader(bytes, delimiter, &taken);
        let mut headers = Vec::new();
        let record = reader.byte_headers().map_err(|error| malformed(path, 1, &error))?;
        for name in record {
            let name = text_of(name).map_err(|found| not_utf8(path, 1, &found))?;
            // A name is typed as it is seen.
            headers.push(cleaned(&name));
        }
        let at = reader.position();
        let count = |n: u64| usize::try_from(n).unwrap_or(usize::MAX);
        let (bytes_before, lines) = (count(at.byte()), line_at(bytes, at).saturating_sub(1));
        let pending = usize::from(bytes.get(bytes_before) == Some(&b'\n'));
        let header = (bytes_before + pending, lines);
        Ok(Self { delimiter, headers, header })
    }
}

/// The line of a record, which the reader begins with the line feed of a `\r\n` before it and with empty lines.
pub(in crate::read) fn line_at(bytes: &[u8], at: &csv::Position) -> usize {
    let count = |n: u64| usize::try_from(n).unwrap_or(usize::MAX);
    let rest = bytes.get(count(at.byte())..).unwrap_or_default();
    let ends = rest.iter().take_while(|byte| matches!(byte, b'\r' | b'\n'));
    count(at.line()).saturating_add(ends.filter(|byte| **byte == b'\n').count())
}

/// A reader that fails in a row for which more than may be was taken: `taken` is set back after each.
fn reader<'a>(
    bytes: &'a [u8],
    delimiter: u8,
    taken: &'a Cell<usize>,
) -> csv::Reader<Limited<'a, &'a [u8]>> {
    csv::ReaderBuilder::new().delimiter(delimiter).from_reader(Limited { input: bytes, taken })
}

/// The text of a cell, or what of it can be shown where it is not UTF-8.
fn text_of(cell: &[u8]) -> Result<String, String> {
    let text = std::str::from_utf8(cell).map_err(|_| short(&String::from_utf8_lossy(cell)))?;
    Ok(text.trim().to_owned())
}

fn not_utf8(path: &str, line: usize, found: &str) -> Error {
    let problem = format!("expected UTF-8, found \"{found}\" in another encoding");
    Error::at_line(path, line, problem, "save the table as UTF-8")
}

fn malformed(path: &str, line: usize, error: &csv::Error) -> Error {
    if is_too_long(error) {
        return too_long_a_row(path, line);
    }
    let problem = format!("expected a row of the table, found something else: {error}");
    Error::at_line(path, line, problem, "fix the row")
}

fn ragged(path: &str, line: usize, expected: impl Display, found: impl Display) -> Error {
    let problem = format!("expected {expected} columns as in the header, found {found}");
    Error::at_line(path, line, problem, "fix the row")
}

/// Up to so many rows of `bytes`, which begin with the header and may be `cut` off in a row, and an error for each
/// malformed row.
pub(in crate::read) fn rows<'a>(
    path: &'a str,
    bytes: &[u8],
    dialect: &Dialect,
    (most, cut): (usize, bool),
) -> (Table<'a>, Vec<Error>) {
    let headers = dialect.headers.clone();
    let mut table = Table { path, headers, counts: "line", ..Table::default() };
    let (header, lines) = dialect.header;
    let rows = bytes.get(header..).unwrap_or_default();
    let bad = add_rows(rows, lines, dialect.delimiter, (most, cut), &mut table);
    (table, bad)
}

/// Adds up to so many rows to a table, the first after so many `lines`; returns an error for each malformed one.
pub(in crate::read) fn add_rows(
    bytes: &[u8],
    before: usize,
    delimiter: u8,
    (most, cut): (usize, bool),
    table: &mut Table,
) -> Vec<Error> {
    let mut bad = Vec::new();
    if memchr::memchr2(b'"', b'\r', bytes).is_none() {
        let ends = memchr::memchr_iter(b'\n', bytes).count();
        if ends <= most {
            table.rows.reserve(ends + 1, table.headers.len(), bytes.len());
        }
        let lines = lines(bytes).filter(|(_, line)| !line.is_empty());
        for (number, line) in lines.take(most) {
            bad.extend(plain_row(line, before + number, delimiter, table).err());
        }
        return bad;
    }
    let taken = Cell::new(0);
    let mut records = csv::ReaderBuilder::new()
        .delimiter(delimiter)
        .has_headers(false)
        .flexible(true)
        .from_reader(Limited { input: bytes, taken: &taken })
        .into_byte_records();
    for _ in 0..most {
        taken.set(0);
        let start = records.reader().position().clone();
        let Some(record) = records.next() else { break };
        let line = |at: Option<&csv::Position>| before + line_at(bytes, at.unwrap_or(&start));
        let end = usize::try_from(records.reader().position().byte()).unwrap_or(usize::MAX);
        if !cut
            && record.is_ok()
            && end >= bytes.len()
            && let Some(lines) = lines_before_open(bytes, delimiter)
        {
            let line = before + lines + 1;
            bad.push(Error::at_line(table.path, line, quotes::OPEN.to_owned(), ROW_REMEDY));
            break;
        }
        match row(table.path, record, line) {
            Ok(Row { number, cells }) if cells.len() != table.headers.len() => {
                bad.push(ragged(table.path, number, table.headers.len(), cells.len()));
            }
            Ok(row) => table.rows.push(row),
            Err(error) => bad.push(error),
        }
    }
    bad
}

/// The lines of a text, with their numbers.
fn lines(bytes: &[u8]) -> impl Iterator<Item = (usize, &[u8])> {
    let mut start = 0;
    let ends = memchr::memchr_iter(b'\n', bytes).chain(std::iter::once(bytes.len()));
    ends.enumerate().map(move |(index, end)| {
        let line = &bytes[start..end];
        start = end + 1;
        (index + 1, line)
    })
}

/// Adds a row without quotes to a table.
fn plain_row(line: &[u8], number: usize, delimiter: u8, table: &mut Table) -> Result<(), Error> {
    let cells = memchr::memchr_iter(delimiter, line).count() + 1;
    if cells != table.headers.len() {
        return Err(ragged(table.path, number, table.headers.len(), cells));
    }
    let Ok(text) = std::str::from_utf8(line) else {
        let bad = line.split(|&byte| byte == delimiter).find_map(|cell| text_of(cell).err());
        return Err(not_utf8(table.path, number, &bad.unwrap_or_default()));
    };
    let mut start = 0;
    let ends = memchr::memchr_iter(delimiter, line).chain(std::iter::once(line.len()));
    let cells = ends.map(|end| {
        let cell = &text[start..end];
        start = end + 1;
        // Most cells have nothing around them.
        let visible = |byte: Option<&u8>| byte.is_none_or(u8::is_ascii_graphic);
        let bare = visible(cell.as_bytes().first()) && visible(cell.as_bytes().last());
        if bare { cell } else { cell.trim() }
    });
    table.rows.add(number, cells);
    Ok(())
}

/// Splits a row; `line` computes its number, also if it has no position.
///
/// # Errors
///
/// [`Error::Input`] with its line, if it is ragged or not UTF-8.
pub(in crate::read) fn row(
    path: &str,
    record: Result<csv::ByteRecord, csv::Error>,
    line: impl Fn(Option<&csv::Position>) -> usize,
) -> Result<Row, Error> {
    let record = record.map_err(|error| malformed(path, line(error.position()), &error))?;
    let number = line(record.position());
    let cells: Result<_, String> = record.iter().map(text_of).collect();
    Ok(Row { number, cells: cells.map_err(|found| not_utf8(path, number, &found))? })
}

/// How the numbers of a table use commas, with the place of a number that shows it.
#[derive(Default)]
struct Commas {
    /// `12,5` or `1.234,5`.
    decimal: Option<(usize, String)>,
    /// `1,234.5` or `1,234,567`.
    thousands: Option<(usize, String)>,
    /// `1,234`.
    either: Option<(usize, String)>,
    /// `12.5`, anywhere.
    points: bool,
}

/// Whether a table writes decimal commas.
///
/// # Errors
///
/// [`Error::Input`] if it writes both, or only numbers that can be read either way.
pub(in crate::read) fn decimal_comma(table: &Table, delimiter: u8) -> Result<bool, Error> {
    let mut commas = Commas::default();
    if !table.rows.contains(',') {
        return Ok(false);
    }
    for (index, header) in table.headers.iter().enumerate() {
        if is_label(header, table) {
            continue;
        }
        for row in table.rows.iter() {
            commas.see(row.number, &row.cells[index]);
        }
    }
    let remedy = "write all numbers with a decimal point and without separators";
    let error = |(line, cell): &(usize, String), problem: String| {
        Err(Error::at_line(
            table.path,
            *line,
            format!("{problem}, found \"{}\"", short(cell)),
            remedy,
        ))
    };
    match (&commas.decimal, &commas.thousands, &commas.either) {
        (Some(decimal), Some((line, cell)), _) => error(
            decimal,
            format!("expected commas between thousands as in \"{cell}\" on line {line}"),
        ),
        (Some(decimal), None, _) if commas.points => {
            error(decimal, "expected a decimal point as in other cells".to_owned())
        }
        (Some(_), None, _) => Ok(true),
        (None, None, Some(either)) if delimiter != b',' && !commas.points => error(
            either,
            "expected a number whose comma is clearly a decimal or a thousands comma".to_owned(),
        ),
        _ => Ok(false),
    }
}

/// Whether a column names something.
fn is_label(header: &str, table: &Table) -> bool {
    let lower = header.to_lowercase();
    let named = [VARIANT, RUN, PAIR, METRIC].iter().any(|names| names.contains(&lower.as_str()));
    let field = fields::field_of_column(header).is_some_and(|field| {
        use fields::RunField::{Client, Dataset, Model, Section, Started};
        matches!(field, Model | Dataset | Client | Section | Started)
    });
    named || field || table.headers.is_empty()
}

impl Commas {
    fn see(&mut self, line: usize, cell: &str) {
        if !cell.contains(',') {
            let decimal =
                || fields::number(cell).is_some() && !cell_value::has_thousands_points(cell);
            self.points = self.points || cell.contains('.') && decimal();
            return;
        }
        if !cell_value::is_number_with_commas(cell) {
            return;
        }
        let number = cell.trim_end_matches(|c: char| !c.is_ascii_digit());
        let found = || Some((line, cell.to_owned()));
        let single = number.matches(',').count() == 1;
        let after = number.rfind(',') > number.rfind('.');
        let whole = number.trim_start_matches(['-', '+']);
        let grouped = fields::number(number).is_some() && !whole.starts_with('0');
        match (number.contains('.'), after) {
            (true, false) if fields::number(number).is_some() => {
                self.thousands = self.thousands.take().or_else(found);
            }
            (false, _) if grouped && single => self.either = self.either.take().or_else(found),
            (false, _) if grouped => self.thousands = self.thousands.take().or_else(found),
            (point, after) if single && point <= after => {
                self.decimal = self.decimal.take().or_else(found);
            }
            _ => {}
        }
    }
}

/// Writes the numbers of a table with a decimal point and in the unit of their column; returns notes on columns with
/// an unknown unit.
pub(in crate::read) fn normalise(table: &mut Table, roles: &Roles) -> Vec<Skipped> {
    let at = |names: &[&str]| {
        table.headers.iter().position(|header| names.contains(&header.to_lowercase().as_str()))
    };
    let long = roles.long;
    let names = |at: usize| match roles.role(at) {
        Role::Variant | Role::Run | Role::Pair | Role::Metric => true,
        _ => is_label(&table.headers[at], table),
    };
    let is_number: Vec<bool> = (0..table.headers.len()).map(|at| !names(at)).collect();
    let unit = at(UNIT).filter(|_| long.is_some());
    let normal = |cells: Cells<'_>, index: usize| {
        let cell = cells.get(index);
        let beside = unit.map(|unit| cells.get(unit)).filter(|unit| !unit.is_empty());
        let value_of = long.filter(|(_, value)| *value == index).map(|(metric, _)| metric);
        let normal = || match (value_of, beside) {
            (Some(_), Some(unit)) => cell_value::normal_beside(cell, unit, table.comma),
            (Some(metric), None) => cell_value::normal(cell, cells.get(metric), table.comma),
            (None, _) => cell_value::normal(cell, &table.headers[index], table.comma),
        };
        // Owned where it is changed.
        is_number[index].then(normal).and_then(|normal| match normal {
            Cow::Owned(text) => Some(text),
            Cow::Borrowed(_) => None,
        })
    };
    let columns = 0..table.headers.len();
    let changes = |line: Line<'_>| columns.clone().any(|index| normal(line.cells, index).is_some());
    if table.rows.iter().any(changes) {
        let mut rows = Rows::default();
        for Line { number, cells } in table.rows.iter() {
            let normal =
                |index| normal(cells, index).map_or(Cow::Borrowed(cells.get(index)), Cow::Owned);
            rows.add(number, columns.clone().map(normal));
        }
        table.rows = rows;
    }
    let mut notes = Vec::new();
    for (index, header) in table.headers.iter().enumerate().filter(|(index, _)| is_number[*index]) {
        let with_unit = |cell: &str| {
            let parts = cell.split_once(' ').filter(|(_, unit)| !unit.contains(' '));
            parts.is_some_and(|(number, unit)| {
                fields::number(number).is_some() && fields::number(unit).is_none()
            })
        };
        if long.is_none_or(|(_, value)| value != index) && table.mostly(index, with_unit) {
            let example = table.filled(index).find(|cell| with_unit(cell)).unwrap_or_default();
            let why = format!(
                "holds numbers with a unit that the column does not have, such as \"{}\": not read as a metric",
                short(example)
            );
            notes.push(Skipped { place: format!("column {header}"), why });
        }
    }
    notes
}
