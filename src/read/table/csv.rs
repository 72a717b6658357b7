//! Text tables: CSV and TSV.

use crate::kit::csv_rows::delimiter;
use crate::kit::{fields, json};
use crate::reader::{Content, Found, Options, Reader};
use crate::table::chunks::{LARGE, RowSource, SAMPLE, SIZE_UNIT, chunk_bytes, whole_lines};
use crate::table::delimited::{
    Dialect, Text, decimal_comma, end_of_table, normalise, with_line_feeds,
};
use crate::table::found::{bad_rows, found_in};
use crate::table::json_lines;
use crate::table::layout::{Arranged, Caption, arrange};
use crate::table::records::{Table, first_rows};
use crate::table::roles::Roles;
use beyondnoise_model::error::Error;
use beyondnoise_model::runs::Skipped;

pub(crate) const CSV: Reader = Reader {
    name: "csv table",
    recognised_by: "a header of names over rows of the same width",
    one_run: "a row, or the rows of one run in the long layout",
    recognise: is_csv,
    read: read_csv,
    ..Reader::EMPTY
};

/// Rows looked at to recognise a table.
pub(crate) const LOOK: usize = 20;

/// Bytes and chunks of the start of a large table.
pub(crate) const START: (usize, usize) = (16 * SIZE_UNIT, 4);

/// Whether the name of a file is that of a text table.
pub(crate) fn is_called_table(path: &str) -> bool {
    let ending = path.rsplit('.').next().unwrap_or("").to_lowercase();
    matches!(ending.as_str(), "csv" | "tsv")
}

/// A header of short unique words over rows of the same width with at least one number.
pub(crate) fn is_csv(content: &Content, named: bool) -> bool {
    if named && is_called_table(content.path) {
        return true;
    }
    let bytes = content.bytes();
    let end = bytes.len().min(1 << 16);
    let Ok(start) = std::str::from_utf8(&bytes[..end])
        .or_else(|error| std::str::from_utf8(&bytes[..error.valid_up_to()]))
    else {
        return false;
    };
    let Some(header) = start.lines().next().filter(|header| header.len() < 4096) else {
        return false;
    };
    // A quote is a part of a text, with the marks of the quote before each row.
    if header.starts_with("> ") {
        return false;
    }
    let mut reader =
        csv::ReaderBuilder::new().delimiter(delimiter(header)).from_reader(start.as_bytes());
    let Ok(headers) = reader.headers().cloned() else { return false };
    let words = headers.iter().all(|name| name.len() <= 64 && fields::number(name).is_none());
    let rows: Vec<csv::StringRecord> = reader.records().take(LOOK).map_while(Result::ok).collect();
    // `* main: 61.2, 61.5` is a line of text.
    let labelled = |cell: &str| {
        let parts = cell.split_once(": ");
        parts.is_some_and(|(_, value)| fields::number(value.trim()).is_some())
    };
    if !is_called_table(content.path) && rows.iter().any(|row| row.iter().any(labelled)) {
        return false;
    }
    let numbers = |row: &csv::StringRecord| row.iter().all(|cell| fields::number(cell).is_some());
    // A word over numbers may be anything in a folder.
    let single = named && !header.trim().is_empty() && rows.len() > 1 && rows.iter().all(numbers);
    words
        && (headers.len() > 1 || single)
        && !rows.is_empty()
        && rows.iter().any(|row| row.iter().any(|cell| fields::number(cell).is_some()))
}

/// A table of more bytes is recognised by its first so many bytes.
const RECOGNISED: usize = SIZE_UNIT;

/// The start of a large table, by which it is recognised; `None` for what is looked at as a whole.
pub(crate) fn start_of<'a>(content: &Content<'a>) -> Option<&'a [u8]> {
    let bytes = content.bytes();
    // A log with commas may hold results further down.
    let small = bytes.len() <= RECOGNISED;
    if small || json::looks_like_json(bytes) || !is_called_table(content.path) {
        return json_lines::start_of(content);
    }
    let start = whole_lines(bytes, RECOGNISED)?;
    // A line that does not end there is looked at as a whole, since it may be none of a table.
    let full = |line: &&[u8]| !line.trim_ascii().is_empty();
    start.split(|&byte| byte == b'\n').filter(full).nth(2)?;
    Some(start)
}

pub(crate) fn read_csv(content: &Content, options: &Options) -> Result<Found, Error> {
    let path = content.path;
    let bytes = &*with_line_feeds(content.bytes());
    let dialect = Dialect::detect(path, bytes)?;
    let is_value = |name: &&String| name.contains('.') && fields::number(name).is_some();
    if let Some(value) = dialect.headers.iter().find(is_value) {
        let problem = format!("expected the names of the columns, found the number \"{value}\"");
        return Err(Error::at_line(path, 1, problem, "give the table a header line"));
    }
    let large = bytes.len() > LARGE;
    let end = if large { None } else { end_of_table(bytes, &dialect) };
    let bytes = &bytes[..end.map_or(bytes.len(), |(end, _)| end)];
    let text = Text::new(bytes, &dialect, (chunk_bytes(), content.alone));
    let headers = dialect.headers.clone();
    let mut table = Table { path, headers, counts: "line", ..Table::default() };
    let chunks = if large { START.1 } else { usize::MAX };
    let mut bad = first_rows(&text, (chunks, SAMPLE), &mut table)?;
    table.comma = decimal_comma(&table, dialect.delimiter)?;
    // People write no larger tables.
    let whole = !large && table.rows.len() + bad.len() < SAMPLE;
    let mut arranged =
        if whole { arrange(&mut table, Caption::default(), 0)? } else { Arranged::default() };
    let notes = std::mem::take(&mut arranged.notes);
    let as_written = notes.is_empty() && !arranged.changed && dialect.headers == table.headers;
    let text: Option<&dyn RowSource> = if as_written { Some(&text) } else { None };
    let prepare = |table: &mut Table, roles: &Roles| {
        if let Some(text) = text.filter(|_| !whole && !large) {
            table.rows.clear();
            bad = first_rows(text, (usize::MAX, usize::MAX), table)?;
            table.comma = decimal_comma(table, dialect.delimiter)?;
        }
        let mut notes = bad_rows(&mut bad, options)?;
        notes.extend(normalise(table, roles));
        Ok(notes)
    };
    let mut found = found_in(&mut table, (text, large), options, prepare)?;
    arranged.apply(&mut found.runs);
    arranged.describe(&mut found.tables);
    found.skipped.splice(0..0, notes);
    if let Some((_, line)) = end {
        let why = "another part below the table: not read; put it in a file of its own".to_owned();
        found.skipped.push(Skipped { place: format!("line {line}"), why });
    }
    Ok(found)
}
