//! Tables with a record per run or per value: CSV, TSV, flat JSON lines, Parquet.
//!
//! Two layouts are understood. *Long*: a column that names the metric and one with its value. *Wide*: a
//! row is a run and every numeric column that is not a setting is a metric. Columns are found by name
//! or given by the user; nothing is skipped, since a dropped row would bias the comparison.

use crate::error::Error;
use crate::read::delimited::{self, Dialect, decimal_comma, delimiter, with_line_feeds};
use crate::read::fields;
use crate::read::json::{self, Record, Scalar};
use crate::read::reduce::{Input, Limits, Source, reduce};
use crate::read::request_rows::{Rows, judge};
use crate::read::rows::{Row, Table, runs_of};
use crate::read::{Content, Found, Options, Reader};
use crate::runs::Skipped;

pub(super) const CSV: Reader = Reader {
    name: "csv table",
    recognised_by: "a header of names over rows of the same width",
    one_run: "a row, or the rows of one run in the long layout",
    metrics: &[],
    recognise: is_csv,
    read: read_csv,
};

pub(super) const FLAT_JSON: Reader = Reader {
    name: "json records",
    recognised_by: "flat objects with a key variant, or metric and value",
    one_run: "an object, or the objects of one run in the long layout",
    metrics: &[],
    recognise: is_flat_json,
    read: read_flat_json,
};

pub(super) const ANY_JSON: Reader = Reader {
    name: "flat json",
    recognised_by: "objects with the name of a known metric as a key, in a file that is named",
    one_run: "an object",
    metrics: &[],
    recognise: |content, named| named && has_metric(content),
    read: read_flat_json,
};

/// Rows looked at to recognise a table.
const LOOK: usize = 20;

/// A header of short unique words over rows of the same width with at least one number.
fn is_csv(content: &Content, named: bool) -> bool {
    let ending = content.path.rsplit('.').next().unwrap_or("").to_lowercase();
    if named && matches!(ending.as_str(), "csv" | "tsv") {
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
    let mut reader =
        csv::ReaderBuilder::new().delimiter(delimiter(header)).from_reader(start.as_bytes());
    let Ok(headers) = reader.headers().cloned() else { return false };
    let words = headers.len() > 1
        && headers.iter().all(|name| name.len() <= 64 && fields::number(name).is_none());
    let rows: Vec<csv::StringRecord> = reader.records().take(LOOK).map_while(Result::ok).collect();
    words
        && !rows.is_empty()
        && rows.iter().any(|row| row.iter().any(|cell| fields::number(cell).is_some()))
}

/// Bytes of a table from which it is told what its rows are.
const SAMPLE: usize = 4 << 20;

fn read_csv(content: &Content, options: &Options) -> Result<Found, Error> {
    let path = content.path;
    let bytes = &*with_line_feeds(content.bytes());
    let dialect = Dialect::of(path, bytes)?;
    let start = whole_lines(bytes, SAMPLE);
    let (mut table, mut bad) = delimited::rows(path, start, &dialect);
    table.comma = decimal_comma(&table, dialect.delimiter)?;
    let (rows, mut notes) = judge(&table, options);
    if let Rows::Requests(plan) = rows {
        let Dialect { delimiter, header, .. } = dialect;
        let source = Source::Bytes(bytes);
        let input = Input { path, source, delimiter, returns: false, header };
        let mut found = reduce(input, &plan, Limits::default(), options)?;
        found.skipped.splice(0..0, notes);
        return Ok(found);
    }
    if start.len() < bytes.len() {
        (table, bad) = delimited::rows(path, bytes, &dialect);
        table.comma = decimal_comma(&table, dialect.delimiter)?;
    }
    let left_out = |error: &Error| Skipped { place: "row".to_owned(), why: error.to_string() };
    if !options.lenient && !bad.is_empty() {
        return Err(bad.swap_remove(0));
    }
    notes.extend(bad.iter().map(left_out));
    notes.extend(delimited::normalise(&mut table, options));
    let mut found = runs_of(&table, options)?;
    found.skipped.splice(0..0, notes);
    Ok(found)
}

/// The start of a text up to a line end.
fn whole_lines(bytes: &[u8], most: usize) -> &[u8] {
    let end = bytes.get(..most).and_then(|start| memchr::memrchr(b'\n', start));
    end.map_or(bytes, |end| &bytes[..=end])
}

fn is_flat_json(content: &Content, _: bool) -> bool {
    let bytes = content.bytes();
    let near = &bytes[..bytes.len().min(1 << 16)];
    json::looks_like_json(bytes)
        && (crate::read::contains(near, b"\"variant\"")
            || (crate::read::contains(near, b"\"metric\"")
                && crate::read::contains(near, b"\"value\"")))
}

/// Whether objects of the file hold a metric that is known, at their top.
fn has_metric(content: &Content) -> bool {
    let number = |(key, value): (&String, &Scalar)| {
        matches!(value, Scalar::Number(_)) && fields::metric_of_column(key).better.is_some()
    };
    json::looks_like_json(content.bytes())
        && json::records(content.path, content.bytes(), &[], &[])
            .is_ok_and(|records| records.iter().any(|record| record.scalars.iter().any(number)))
}

fn read_flat_json(content: &Content, options: &Options) -> Result<Found, Error> {
    let records = json::records(content.path, content.bytes(), &[], &[])?;
    let mut table = Table { path: content.path, counts: "object", ..Table::default() };
    for record in &records {
        for key in record.scalars.keys() {
            if !table.headers.contains(key) {
                table.headers.push(key.clone());
            }
        }
    }
    for record in records {
        let cells = table.headers.iter().map(|key| cell(&record, key)).collect();
        table.rows.push(Row { number: record.index, cells });
    }
    rows_of(&table, options)
}

/// Runs of rows that are taken apart, whether they are runs or requests.
pub(super) fn rows_of(table: &Table, options: &Options) -> Result<Found, Error> {
    let (rows, notes) = judge(table, options);
    let mut found = match rows {
        Rows::Runs => runs_of(table, options)?,
        Rows::Requests(plan) => {
            let source = Source::Rows(&table.rows);
            let input =
                Input { path: table.path, source, delimiter: b',', returns: false, header: (0, 0) };
            reduce(input, &plan, Limits::default(), options)?
        }
    };
    found.skipped.splice(0..0, notes);
    Ok(found)
}

fn cell(record: &Record, key: &str) -> String {
    match record.scalars.get(key) {
        Some(Scalar::Number(value)) => value.to_string(),
        Some(Scalar::Text(text)) => text.clone(),
        Some(Scalar::Null) | None => String::new(),
    }
}
