//! JSON lines that are larger than memory may be: flat objects, one a line, in blocks.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use crate::error::Error;
use crate::read::json;
use crate::read::reduce::{Input, Limits, Objects, Source, reduce, text_of};
use crate::read::table::records::{Row, Table};
use crate::read::table::request_rows::{Rows, SERIES_REMEDY, classify_rows};
use crate::read::table::roles::Roles;
use crate::read::table::rows::Reading;
use crate::read::table::{ANY_JSON, FLAT_JSON, REQUESTS, table_of, whole_lines};
use crate::read::{Content, Found, Options, reader_of};
use crate::runs::Skipped;

/// Bytes at the start from which the kind of the objects is decided.
const START: usize = 4 << 20;

/// The format of a file of flat objects, one a line, as its start shows.
pub(super) fn format_of(file: &Path, named: bool) -> Option<&'static str> {
    let start = start_of(file).ok()?;
    let path = file.display().to_string();
    let mut lines = start.split(|&byte| byte == b'\n').filter(|line| !line.trim_ascii().is_empty());
    // A result file of one object, or of a few with arrays, is read as a whole.
    let first = json::records(&path, lines.next()?).ok()?;
    let records = json::records(&path, &start).ok()?;
    if first.len() != 1 || records.len() != lines.count() + 1 {
        return None;
    }
    let content = Content::new(&path, &start);
    let reader = reader_of(&content, named)?;
    [REQUESTS, FLAT_JSON, ANY_JSON]
        .iter()
        .any(|table| table.name == reader.name)
        .then_some(reader.name)
}

/// The first lines of a file; nothing if they are longer than any of a table.
fn start_of(file: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    File::open(file)?.take(START as u64).read_to_end(&mut bytes)?;
    let whole = whole_lines(&bytes, bytes.len()).len();
    bytes.truncate(if bytes.len() == START && !bytes.contains(&b'\n') { 0 } else { whole });
    Ok(bytes)
}

/// The runs of a file of flat objects, one a line; its start decides the roles of its columns and the meaning of a
/// row.
///
/// # Errors
///
/// As for a small file, [`Error::Io`] besides.
pub(super) fn runs_of(
    file: &Path,
    path: &str,
    limits: Limits,
    options: &Options,
) -> Result<Found, Error> {
    let start = start_of(file).map_err(|source| failed(path, source))?;
    let mut records = json::records(path, &start)?;
    loop {
        let mut table = table_of(path, &records);
        let headers = table.headers.clone();
        let objects = Objects::new(file, &headers);
        let roles = Roles::assign(&table, options)?;
        let (rows, notes) = classify_rows(&table, &roles, options);
        let mut found = match rows {
            Rows::Series(why) => return Err(table.no_result(why, SERIES_REMEDY)),
            Rows::Requests(plan) => {
                let source = Source::Objects(&objects);
                let input = Input { path, source, delimiter: b',', returns: false, header: (0, 0) };
                reduce(input, &plan, limits, options)?
            }
            Rows::Runs => runs_of_rows(&objects, (&mut table, &roles), limits, options)?,
        };
        let more = objects.unknown();
        if more.is_empty() {
            found.skipped.splice(0..0, notes);
            found.columns = roles.described(&table);
            return Ok(found);
        }
        // Keys that the start lacks, such as the error of the first request that failed: all is read again.
        for line in more {
            records.extend(json::records(path, &line)?);
        }
    }
}

/// Runs of objects that are each a run, or a value in the long layout; `table` holds the first ones.
fn runs_of_rows(
    objects: &Objects,
    (table, roles): (&mut Table, &Roles),
    limits: Limits,
    options: &Options,
) -> Result<Found, Error> {
    let mut reading = Reading::new(table, roles, options)?;
    let path = table.path;
    let mut bad = Vec::new();
    let mut number = 0;
    let mut blocks = objects.blocks(limits).map_err(|source| failed(path, source))?;
    loop {
        let block = blocks.batch(1).map_err(|source| failed(path, source))?;
        let Some(lines) = block.first() else { break };
        table.rows.clear();
        objects.each(lines, |cells| {
            number += 1;
            match cells {
                Ok(cells) => {
                    let cells = cells.iter().map(|cell| text_of(cell).into_owned()).collect();
                    table.rows.push(Row { number, cells });
                }
                Err(error) => bad.push((number, error)),
            }
        });
        reading.rows(table)?;
        if !options.lenient && !bad.is_empty() {
            break;
        }
    }
    let mut left_out = Vec::new();
    for (number, error) in bad {
        let Error::Input { problem, .. } = error else { return Err(error) };
        let error = table.at(number, problem, "fix or remove the line");
        if !options.lenient {
            return Err(error);
        }
        left_out.push(Skipped { place: format!("object {number}"), why: error.to_string() });
    }
    let mut found = reading.finish(table)?;
    found.skipped.splice(0..0, left_out);
    Ok(found)
}

fn failed(path: &str, source: io::Error) -> Error {
    Error::Io { path: path.to_owned(), doing: "read", source }
}

#[cfg(test)]
mod tests;
