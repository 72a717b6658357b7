//! Text of a table into rows of cells: separator, line ends, encoding, decimal commas.

use std::borrow::Cow;
use std::ops::Range;

use crate::kit::cell_value::{self, CellValue};
use crate::kit::csv_rows::{delimiter, line_at};
use crate::kit::limits::{MAX_LINE_BYTES, ROW_REMEDY, long_row};
use crate::kit::quotes::{self, lines_before_open};
use crate::kit::{fields, short};
use crate::table::chunks::{Problem, RowCells, RowSource, Take, cut, not_utf8};
use crate::table::column_names::{METRIC, PAIR, UNIT, VARIANT};
use crate::table::records::{Cells, Line, Rows, Table};
use crate::table::role::Role;
use crate::table::role_words::RUN;
use crate::table::roles::Roles;
use beyondnoise_model::error::Error;
use beyondnoise_model::runs::Skipped;
use beyondnoise_model::sanitize::cleaned;

/// The header of a table and how its lines are written.
pub(crate) struct Dialect {
    pub(crate) delimiter: u8,
    pub(crate) headers: Vec<String>,
    /// Bytes and lines up to the first row.
    pub(crate) header: (usize, usize),
}

/// Bytes that are split into rows at once.
const BUFFER: usize = 1 << 16;

/// Bytes in which line ends are looked for.
const NEAR: usize = 1 << 16;

/// Text with line feeds at the ends of lines; old Macs wrote carriage returns.
pub(crate) fn with_line_feeds(bytes: &[u8]) -> Cow<'_, [u8]> {
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
    pub(crate) fn detect(path: &str, bytes: &[u8]) -> Result<Self, Error> {
        let blank = |line: &&[u8]| !line.trim_ascii().is_empty();
        if bytes.iter().all(u8::is_ascii_whitespace) {
            let remedy = "give a table with a header and a row per run or per value";
            return Err(Error::file(path, "expected a header line, found an empty file", remedy));
        }
        let titles = titles(bytes);
        let rest = &bytes[titles..];
        let line = rest.split(|&byte| byte == b'\n').find(blank).unwrap_or_default();
        let delimiter = delimiter(&String::from_utf8_lossy(line));
        let most = &rest[..rest.len().min(MAX_LINE_BYTES + 1)];
        let mut reader = csv::ReaderBuilder::new().delimiter(delimiter).from_reader(most);
        let mut headers = Vec::new();
        let record = reader.byte_headers().map_err(|error| {
            let problem = format!("expected a row of the table, found something else: {error}");
            Error::at_line(path, 1, problem, "fix the row")
        })?;
        for name in record {
            let at_header = |Problem { problem, remedy }| Error::at_line(path, 1, problem, remedy);
            let name = std::str::from_utf8(name)
                .map_err(|_| at_header(not_utf8("expected UTF-8", name)))?;
            // A name is typed as it is seen.
            headers.push(cleaned(name.trim()));
        }
        let at = reader.position();
        let end = count(at.byte());
        if end > MAX_LINE_BYTES {
            return Err(Error::at_line(path, 1, long_row(), ROW_REMEDY));
        }
        let ends = |byte: &&u8| matches!(byte, b'\r' | b'\n');
        let pending = rest[end..].iter().take_while(ends).count();
        let above = memchr::memchr_iter(b'\n', &bytes[..titles]).count();
        let header = (titles + end + pending, above + line_at(rest, at).saturating_sub(1));
        Ok(Self { delimiter, headers, header })
    }
}

/// Bytes of the lines above a header: comments, and titles, which have fewer cells than the lines below.
fn titles(bytes: &[u8]) -> usize {
    let comments = comments(bytes);
    comments + short_titles(&bytes[comments..])
}

/// Bytes of the leading lines that begin with `#`, if a line of names follows them; otherwise the last of these lines
/// is the header.
fn comments(bytes: &[u8]) -> usize {
    let lines = bytes.split_inclusive(|&byte| byte == b'\n');
    let comments: usize = lines.take_while(|line| line.starts_with(b"#")).map(<[u8]>::len).sum();
    let next = bytes[comments..].split(|&byte| byte == b'\n').next().unwrap_or_default();
    let next = String::from_utf8_lossy(next);
    let mut cells = next.trim_end().split(char::from(delimiter(&next)));
    let named =
        cells.clone().count() > 1 && cells.all(|cell| fields::number(cell.trim()).is_none());
    if named { comments } else { 0 }
}

/// Bytes of the titles, below which all lines have as many cells.
fn short_titles(bytes: &[u8]) -> usize {
    const MOST: usize = 5;
    let near = &bytes[..bytes.len().min(BUFFER)];
    let Ok(text) = std::str::from_utf8(near)
        .or_else(|error| std::str::from_utf8(&near[..error.valid_up_to()]))
    else {
        return 0;
    };
    let lines: Vec<&str> = text.split_inclusive('\n').take(3 * MOST).collect();
    let filled: Vec<usize> = (0..lines.len()).filter(|&at| !lines[at].trim().is_empty()).collect();
    let Some(mark) = filled.iter().rev().map(|&at| delimiter(lines[at])).next() else { return 0 };
    let cells = |at: usize| lines[at].matches(char::from(mark)).count();
    for (place, &at) in filled.iter().enumerate().take(MOST) {
        let below = &filled[place + 1..];
        // The last line may be cut off.
        let below = &below[..below.len().min(MOST)];
        let alike = below.len() > 1
            && cells(at) > 0
            && below.iter().all(|&other| cells(other) == cells(at));
        if alike {
            let named = lines[at]
                .trim_end()
                .split(char::from(mark))
                .all(|cell| fields::number(cell.trim()).is_none());
            let fewer = filled[..place].iter().all(|&other| cells(other) < cells(at));
            let quoted = filled[..place].iter().any(|&other| lines[other].contains('"'));
            return if fewer && !quoted && named {
                lines[..at].iter().map(|line| line.len()).sum()
            } else {
                0
            };
        }
    }
    0
}

/// Bytes up to the end of the table under the header, and the line of what follows it: below a blank line, or from a line
/// that is a comment, lines of another width belong to something else.
pub(crate) fn end_of_table(bytes: &[u8], dialect: &Dialect) -> Option<(usize, usize)> {
    // Cells in quotes may hold lines.
    if memchr::memchr(b'"', bytes).is_some() {
        return None;
    }
    let (mut at, mut number) = dialect.header;
    let below = bytes.get(at..)?;
    let special = |first: Option<&u8>| {
        first.is_some_and(|first| first.is_ascii_whitespace() || *first == b'#')
    };
    // Most large tables have none of these anywhere.
    let any = memchr::memmem::find(below, b"\n\n").is_some()
        || memchr::memchr3(b' ', b'\t', b'\r', below).is_some()
        || memchr::memchr2(b'#', b'\x0c', below).is_some();
    let begins = |end: usize| special(below.get(end + 1));
    if !(special(below.first()) || any && memchr::memchr_iter(b'\n', below).any(begins)) {
        return None;
    }
    let cells = |line: &[u8]| memchr::memchr_iter(dialect.delimiter, line).count() + 1;
    let (mut rows, mut gap) = (0, None);
    for line in below.split_inclusive(|&byte| byte == b'\n') {
        number += 1;
        let text = line.trim_ascii();
        if text.is_empty() {
            gap = gap.or(Some(at)).filter(|_| rows > 0);
        } else {
            let other = cells(text) != dialect.headers.len();
            if other && rows > 1 && (gap.is_some() || text.starts_with(b"#")) {
                return Some((gap.unwrap_or(at), number));
            }
            gap = None;
            rows += 1;
        }
        at += line.len();
    }
    None
}

fn count(n: u64) -> usize {
    usize::try_from(n).unwrap_or(usize::MAX)
}

/// The rows of a text, in chunks.
pub(crate) struct Text<'a> {
    chunks: Vec<&'a [u8]>,
    delimiter: u8,
    columns: usize,
    before: usize,
    alone: bool,
}

impl<'a> Text<'a> {
    /// The rows under the header of `bytes`, in chunks of about so many bytes; `alone`: no other file is read beside it.
    pub(crate) fn new(bytes: &'a [u8], dialect: &Dialect, (size, alone): (usize, bool)) -> Self {
        let Dialect { delimiter, ref headers, header: (header, before) } = *dialect;
        let rows = bytes.get(header..).unwrap_or_default();
        let chunks = cut(rows, size, Some(delimiter));
        Self { chunks, delimiter, columns: headers.len(), before, alone }
    }
}

impl RowSource for Text<'_> {
    fn chunks(&self) -> usize {
        self.chunks.len()
    }

    fn before(&self) -> usize {
        self.before
    }

    fn side_by_side(&self) -> bool {
        self.alone
    }

    fn each(&self, chunk: usize, take: &mut Take) -> Result<usize, Error> {
        let chunk = self.chunks[chunk];
        let lines = memchr::memchr_iter(b'\n', chunk).count()
            + usize::from(chunk.last().is_some_and(|byte| *byte != b'\n'));
        if chunk.len() > MAX_LINE_BYTES {
            take(1, Err(Problem { problem: long_row(), remedy: ROW_REMEDY }));
            return Ok(lines);
        }
        if memchr::memchr2(b'"', b'\r', chunk).is_none() {
            self.plain_rows(chunk, take);
            return Ok(lines);
        }
        let mut reader = csv::ReaderBuilder::new()
            .delimiter(self.delimiter)
            .has_headers(false)
            .flexible(true)
            .buffer_capacity(BUFFER)
            .from_reader(chunk);
        let mut record = csv::ByteRecord::new();
        // Reading from memory cannot fail, and rows of any width are taken.
        while reader.read_byte_record(&mut record).unwrap_or(false) {
            if count(reader.position().byte()) >= chunk.len()
                && let Some(lines) = lines_before_open(chunk, self.delimiter)
            {
                let problem = quotes::OPEN.to_owned();
                take(lines + 1, Err(Problem { problem, remedy: ROW_REMEDY }));
                break;
            }
            if record.len() == 1 && record[0].trim_ascii().is_empty() {
                continue;
            }
            let number = record.position().map_or(1, |at| line_at(chunk, at));
            if !take(number, self.of_all_columns(&record)) {
                break;
            }
        }
        Ok(lines)
    }
}

impl Text<'_> {
    /// Gives the rows of a chunk without quotes and carriage returns. A cell is the text between two separators, which
    /// takes half the time of a CSV reader.
    fn plain_rows(&self, chunk: &[u8], take: &mut Take) {
        let (mut cells, mut start, mut number) = (Plain { chunk, cells: Vec::new() }, 0, 0);
        let ends = memchr::memchr2_iter(self.delimiter, b'\n', chunk).chain([chunk.len()]);
        for end in ends {
            cells.cells.push(start..end);
            start = end + 1;
            if chunk.get(end) == Some(&self.delimiter) {
                continue;
            }
            number += 1;
            let blank = cells.count() == 1 && cells.cell(0).trim_ascii().is_empty();
            if !blank && !take(number, self.of_all_columns(&cells)) {
                return;
            }
            cells.cells.clear();
        }
    }

    /// A row, if it has a cell for each column.
    fn of_all_columns<'r>(&self, row: &'r dyn RowCells) -> Result<&'r dyn RowCells, Problem> {
        let (expected, found) = (self.columns, row.count());
        if expected == found {
            return Ok(row);
        }
        let problem = format!("expected {expected} columns as in the header, found {found}");
        Err(Problem { problem, remedy: "fix the row" })
    }
}

/// A cell without the spaces around it.
fn trimmed(cell: &[u8]) -> Cow<'_, [u8]> {
    // Most cells have nothing around them.
    let visible = |byte: Option<&u8>| byte.is_none_or(u8::is_ascii_graphic);
    if visible(cell.first()) && visible(cell.last()) {
        return Cow::Borrowed(cell);
    }
    Cow::Borrowed(std::str::from_utf8(cell).map_or(cell, |text| text.trim().as_bytes()))
}

/// The cells of a row without quotes, as places in a chunk.
struct Plain<'a> {
    chunk: &'a [u8],
    cells: Vec<Range<usize>>,
}

impl Plain<'_> {
    fn cell(&self, column: usize) -> &[u8] {
        &self.chunk[self.cells[column].clone()]
    }
}

impl RowCells for Plain<'_> {
    fn count(&self) -> usize {
        self.cells.len()
    }

    fn text(&self, column: usize) -> Cow<'_, [u8]> {
        trimmed(self.cell(column))
    }

    fn read(&self, column: usize, header: &str, comma: bool) -> CellValue {
        let Range { start, end } = self.cells[column];
        // Digits are read eight bytes at a time, also beyond the cell.
        match cell_value::plain(&self.chunk[start..], end - start) {
            Some(value) if !comma => CellValue::Number(value),
            _ => cell_value::read(&self.text(column), header, comma),
        }
    }
}

impl RowCells for csv::ByteRecord {
    fn count(&self) -> usize {
        self.len()
    }

    fn text(&self, column: usize) -> Cow<'_, [u8]> {
        trimmed(&self[column])
    }
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
pub(crate) fn decimal_comma(table: &Table, delimiter: u8) -> Result<bool, Error> {
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
pub(crate) fn normalise(table: &mut Table, roles: &Roles) -> Vec<Skipped> {
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
