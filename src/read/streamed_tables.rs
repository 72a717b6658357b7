//! Tables that are larger than memory may be: read in blocks, never as a whole.

use std::borrow::Cow;
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use rayon::prelude::*;

use crate::error::Error;
use crate::read::json;
use crate::read::ndjson_blocks;
#[cfg(feature = "tables")]
use crate::read::parquet;
use crate::read::reduce::{Blocks, Input, Limits, Source, reduce};
use crate::read::table::delimited::{self, Dialect, with_line_feeds};
use crate::read::table::records::Table;
use crate::read::table::request_rows::{Rows, SERIES_REMEDY, classify_rows};
use crate::read::table::roles::Roles;
use crate::read::table::rows::Reading;
use crate::read::table::{CSV, REQUESTS, Start, start_of_csv, whole_lines};
use crate::read::{Content, Found, Options, reader_of};
use crate::runs::Skipped;

/// Files above this size are read in blocks if they are tables. Below it a file is one of many that are read
/// side by side.
const LARGE: u64 = 32 << 20;

/// Bytes at the start from which the format is decided.
const START: usize = 16 << 20;

/// Bytes of a block of rows, and blocks that are parsed in parallel.
const BLOCK: usize = 1 << 20;
const BATCH: usize = 8;

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
        return ndjson_blocks::format_of(file, named);
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
    let reader = reader_of(&content, named)?;
    // A log with commas may hold results further down: without rows of requests the name must end as a table's.
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

/// The runs of a table that is not read as a whole; its start decides the roles of its columns and the meaning of a
/// row.
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
        return ndjson_blocks::runs_of(file, path, Limits::default(), options);
    }
    let content = Content::new(path, &bytes);
    let mark = bytes.len() - content.bytes().len();
    // The last line may be cut off.
    let text = with_line_feeds(content.bytes());
    let Start { dialect, mut table, .. } =
        start_of_csv(path, whole_lines(&text, text.len()), true)?;
    let returns = matches!(text, Cow::Owned(_));
    let roles = Roles::assign(&table, options)?;
    let (rows, mut notes) = classify_rows(&table, &roles, options);
    let Dialect { delimiter, header: (header, lines), .. } = dialect;
    let mut found = match rows {
        Rows::Series(why) => return Err(table.no_result(why, SERIES_REMEDY)),
        Rows::Requests(plan) => {
            let source = Source::File(file);
            let input = Input { path, source, delimiter, returns, header: (mark + header, lines) };
            reduce(input, &plan, Limits::default(), options)?
        }
        Rows::Runs => {
            notes.extend(delimited::normalise(&mut table, &roles));
            let mut input = File::open(file).map_err(failed)?;
            let before = (mark + header) as u64;
            io::copy(&mut input.by_ref().take(before), &mut io::sink()).map_err(failed)?;
            let how = (delimiter, returns, true);
            let blocks = Blocks::new(Box::new(input), BLOCK, how).after(lines);
            runs_of_rows(blocks, (&table, &roles), delimiter, options)?
        }
    };
    found.skipped.splice(0..0, notes);
    found.columns = roles.described(&table);
    Ok(found)
}

/// Runs of a table with a row per run or value; `start` is its start and `blocks` are its rows.
fn runs_of_rows(
    mut blocks: Blocks,
    (start, roles): (&Table, &Roles),
    delimiter: u8,
    options: &Options,
) -> Result<Found, Error> {
    let failed = |source| Error::Io { path: start.path.to_owned(), doing: "read", source };
    let mut reading = Reading::new(start, roles, options)?;
    let mut skipped = Vec::new();
    loop {
        let lines = blocks.lines();
        let batch = blocks.batch(BATCH).map_err(failed)?;
        if batch.is_empty() {
            break;
        }
        let before: Vec<usize> = batch
            .iter()
            .scan(lines, |lines, block| {
                let before = *lines;
                *lines += memchr::memchr_iter(b'\n', block).count();
                Some(before)
            })
            .collect();
        let part = |(block, before): (Vec<u8>, usize)| {
            let (headers, comma) = (start.headers.clone(), start.comma);
            let mut table =
                Table { path: start.path, headers, counts: "line", comma, ..Table::default() };
            let bad =
                delimited::add_rows(&block, before, delimiter, (usize::MAX, false), &mut table);
            // Notes on the columns were already made for the start.
            delimited::normalise(&mut table, roles);
            (table, bad)
        };
        let parts: Vec<(Table, Vec<Error>)> =
            batch.into_par_iter().zip(before).with_max_len(1).map(part).collect();
        for (table, mut bad) in parts {
            if !options.lenient && !bad.is_empty() {
                return Err(bad.swap_remove(0));
            }
            let left_out = bad.iter().map(ToString::to_string);
            skipped.extend(left_out.map(|why| Skipped { place: "row".to_owned(), why }));
            reading.rows(&table)?;
        }
    }
    let mut found = reading.finish(start)?;
    found.skipped.splice(0..0, skipped);
    Ok(found)
}
