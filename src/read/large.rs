//! Tables that are larger than memory may be: read in blocks, never as a whole.

use std::borrow::Cow;
use std::cell::Cell;
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use crate::error::Error;
use crate::read::delimited::{self, Dialect, with_line_feeds};
use crate::read::json;
use crate::read::lines;
use crate::read::longest::Limited;
#[cfg(feature = "tables")]
use crate::read::parquet;
use crate::read::records::Table;
use crate::read::reduce::{Input, Limits, Source, reduce};
use crate::read::request_rows::{Rows, judge};
use crate::read::rows::Reading;
use crate::read::table::{CSV, REQUESTS, Start, start_of_csv, whole_lines};
use crate::read::{Content, Found, Options, readers};
use crate::runs::Skipped;

/// Files above this size are read in blocks if they are tables. Below it a file is one of many that are read
/// side by side.
const LARGE: u64 = 32 << 20;

/// Bytes that are looked at to tell what a file is.
const START: usize = 16 << 20;

/// Rows that are read before they become runs.
const ROWS: usize = 1 << 14;

/// Whether a file is so large that it is read by itself.
pub(super) fn is_large(file: &Path) -> bool {
    std::fs::metadata(file).is_ok_and(|meta| meta.is_file() && meta.len() > LARGE)
}

/// The format of a file that is a table that need not be read as a whole, as its start shows: a Parquet table, or
/// a large one of text.
pub(super) fn format_of(file: &Path, named: bool) -> Option<&'static str> {
    if !file.is_file() {
        return None;
    }
    #[cfg(feature = "tables")]
    if is_parquet(file) {
        return Some(parquet::READER.name);
    }
    if !is_large(file) {
        return None;
    }
    let mut near = [0; 1 << 10];
    let length = File::open(file).and_then(|mut file| file.read(&mut near)).ok()?;
    if json::looks_like_json(&near[..length]) {
        return lines::format_of(file, named);
    }
    // UTF-16 and what is no text are read as a whole.
    if near[..length].contains(&0) {
        return None;
    }
    let bytes = start_of(file).ok()?;
    // A line that does not end there is looked at as a whole, since it may be none of a table.
    let full = |line: &&[u8]| !line.trim_ascii().is_empty();
    with_line_feeds(&bytes).split(|&byte| byte == b'\n').filter(full).nth(2)?;
    let path = file.display().to_string();
    let content = Content::new(&path, whole_lines(&bytes, bytes.len()));
    let reader = readers().find(|reader| (reader.recognise)(&content, named))?;
    // A log with commas may hold results further down: without rows of requests the name must say table.
    let ending = file.extension().map(|ending| ending.to_string_lossy().to_lowercase());
    let table = ending.is_some_and(|ending| matches!(ending.as_str(), "csv" | "tsv"));
    (reader.name == REQUESTS.name || table && reader.name == CSV.name).then_some(reader.name)
}

/// Whether a file begins as Parquet does.
#[cfg(feature = "tables")]
fn is_parquet(file: &Path) -> bool {
    let mut mark = [0; 4];
    File::open(file).and_then(|mut file| file.read_exact(&mut mark)).is_ok() && mark == *b"PAR1"
}

/// The first bytes of a file.
fn start_of(file: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    File::open(file)?.take(START as u64).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// The runs of a table that is not read as a whole: its start tells what its columns are and what a row is.
///
/// # Errors
///
/// As for a small table, [`Error::Io`] besides.
pub(super) fn runs_of(file: &Path, path: &str, options: &Options) -> Result<Found, Error> {
    #[cfg(feature = "tables")]
    if is_parquet(file) {
        return parquet::runs_of_file(file, path, options);
    }
    let failed = |source| Error::Io { path: path.to_owned(), doing: "read", source };
    let bytes = start_of(file).map_err(failed)?;
    if json::looks_like_json(&bytes) {
        return lines::runs_of(file, path, Limits::default(), options);
    }
    let content = Content::new(path, &bytes);
    let mark = bytes.len() - content.bytes().len();
    // The last line may be cut off.
    let text = with_line_feeds(content.bytes());
    let Start { dialect, mut table, .. } = start_of_csv(path, whole_lines(&text, text.len()))?;
    let returns = matches!(text, Cow::Owned(_));
    let (rows, mut notes) = judge(&table, options);
    let Dialect { delimiter, header: (header, lines), .. } = dialect;
    let mut found = match rows {
        Rows::Requests(plan) => {
            let source = Source::File(file);
            let input = Input { path, source, delimiter, returns, header: (mark + header, lines) };
            reduce(input, &plan, Limits::default(), options)?
        }
        Rows::Runs => {
            notes.extend(delimited::normalise(&mut table, options));
            let mut input = File::open(file).map_err(failed)?;
            io::copy(&mut input.by_ref().take(mark as u64), &mut io::sink()).map_err(failed)?;
            // The reader counts the line feed of a `\r\n` with the next row.
            let late = usize::from(delimited::has_returns(&text));
            runs_of_rows(input, table, (delimiter, late), options)?
        }
    };
    found.skipped.splice(0..0, notes);
    Ok(found)
}

/// Runs of a table with a row per run or value, of which `table` is the start.
fn runs_of_rows(
    input: File,
    mut table: Table,
    (delimiter, late): (u8, usize),
    options: &Options,
) -> Result<Found, Error> {
    let mut reading = Reading::new(&table, options)?;
    table.rows.clear();
    let mut bad = Vec::new();
    let taken = Cell::new(0);
    let mut reader = csv::ReaderBuilder::new()
        .delimiter(delimiter)
        .buffer_capacity(1 << 20)
        .from_reader(Limited { input, taken: &taken });
    reader.byte_headers().map_err(|error| delimited::malformed(table.path, 1, &error))?;
    let mut records = reader.into_byte_records();
    loop {
        taken.set(0);
        let start = records.reader().position().clone();
        let record = records.next();
        let finished = record.is_none();
        let line = |at: Option<&csv::Position>| {
            let line = usize::try_from(at.unwrap_or(&start).line());
            line.map_or(usize::MAX, |line| line + late)
        };
        match record.map(|record| delimited::row(table.path, record, line)) {
            Some(Ok(row)) => table.rows.push(row),
            Some(Err(error)) if options.lenient => bad.push(error),
            Some(Err(error)) => return Err(error),
            None => {}
        }
        if table.rows.len() == ROWS || finished {
            // What has to be said of the columns was said of the start.
            delimited::normalise(&mut table, options);
            reading.rows(&table)?;
            table.rows.clear();
        }
        if finished {
            let mut found = reading.finish(&table)?;
            let left_out =
                |error: &Error| Skipped { place: "row".to_owned(), why: error.to_string() };
            found.skipped.splice(0..0, bad.iter().map(left_out));
            return Ok(found);
        }
    }
}
