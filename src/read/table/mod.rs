//! Tables with a record per run or per value: CSV, TSV, flat JSON lines, Parquet.
//!
//! Two layouts are understood. *Long*: a column that names the metric and one with its value. *Wide*: a
//! row is a run and every numeric column that is not a setting is a metric. Rows may also be requests inside
//! runs ([`judge`] has the rule); they are reduced to their run. Columns are found by name or given by the
//! user; nothing is skipped, since a dropped row would bias the comparison.

pub(in crate::read) mod averages;
pub(in crate::read) mod column_names;
pub(in crate::read) mod column_rules;
pub(in crate::read) mod delimited;
pub(in crate::read) mod layout;
pub(in crate::read) mod long_rows;
pub(in crate::read) mod named;
pub(in crate::read) mod records;
pub(in crate::read) mod request_columns;
pub(in crate::read) mod request_rows;
pub(in crate::read) mod role_words;
pub(in crate::read) mod roles;
pub(in crate::read) mod row_settings;
pub(in crate::read) mod rows;
pub(in crate::read) mod spreads;
pub(in crate::read) mod values;

use std::collections::BTreeMap;

use crate::error::Error;
use crate::read::fields;
use crate::read::json::{self, Record, Scalar};
use crate::read::reduce::{Input, Limits, Source, reduce};
use crate::read::request_names::is_of_request;
use crate::read::table::column_names::METRIC;
use crate::read::table::delimited::{Dialect, decimal_comma, delimiter, with_line_feeds};
use crate::read::table::layout::{Arranged, arrange};
use crate::read::table::records::Table;
use crate::read::table::request_rows::{Rows, SERIES_REMEDY, classify_rows};
use crate::read::table::role_words::is_list_of_runs;
use crate::read::table::roles::Roles;
use crate::read::table::rows::runs_of;
use crate::read::{Content, Found, Options, Reader, short};
use crate::runs::Skipped;

pub(in crate::read) const REQUESTS: Reader = Reader {
    name: "request rows",
    recognised_by: "a table or flat JSON in which a column numbers the requests (request_id, req, prompt_idx, ...), \
                    or several rows share a run in the column run (2 with columns such as ttft_ms or latency, \
                    else 10), or, without that column, a variant has more than 100 rows with columns such as \
                    ttft_ms; columns of statistics (mean_ttft_ms) mean a row per run, unless requests are numbered",
    one_run: "all rows of one variant, run and load; all of one variant and load without a column run",
    metrics: &["mean_ttft_ms", "mean_tpot_ms", "mean_itl_ms", "mean_e2el_ms", "duration"],
    recognise: is_requests,
    read: |content, options| {
        if json::looks_like_json(content.bytes()) {
            read_flat_json(content, options)
        } else {
            read_csv(content, options)
        }
    },
};

pub(in crate::read) const CSV: Reader = Reader {
    name: "csv table",
    recognised_by: "a header of names over rows of the same width",
    one_run: "a row, or the rows of one run in the long layout",
    metrics: &[],
    recognise: is_csv,
    read: read_csv,
};

pub(in crate::read) const FLAT_JSON: Reader = Reader {
    name: "json records",
    recognised_by: "flat objects with a key variant, or metric and value",
    one_run: "an object, or the objects of one run in the long layout",
    metrics: &[],
    recognise: is_flat_json,
    read: read_flat_json,
};

pub(in crate::read) const ANY_JSON: Reader = Reader {
    name: "flat json",
    recognised_by: "objects with the name of a known metric as a key, in a file that is named",
    one_run: "an object",
    metrics: &[],
    recognise: |content, named| named && has_metric(content),
    read: read_flat_json,
};

/// Rows looked at to recognise a table.
const LOOK: usize = 20;

/// Whether the name of a file is that of a text table.
pub(in crate::read) fn is_called_table(path: &str) -> bool {
    let ending = path.rsplit('.').next().unwrap_or("").to_lowercase();
    matches!(ending.as_str(), "csv" | "tsv")
}

/// A header of short unique words over rows of the same width with at least one number.
fn is_csv(content: &Content, named: bool) -> bool {
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
    let mut reader =
        csv::ReaderBuilder::new().delimiter(delimiter(header)).from_reader(start.as_bytes());
    let Ok(headers) = reader.headers().cloned() else { return false };
    let words = headers.iter().all(|name| name.len() <= 64 && fields::number(name).is_none());
    let rows: Vec<csv::StringRecord> = reader.records().take(LOOK).map_while(Result::ok).collect();
    let numbers = |row: &csv::StringRecord| row.iter().all(|cell| fields::number(cell).is_some());
    // A word over numbers may be anything in a folder.
    let single = named && !header.trim().is_empty() && rows.len() > 1 && rows.iter().all(numbers);
    words
        && (headers.len() > 1 || single)
        && !rows.is_empty()
        && rows.iter().any(|row| row.iter().any(|cell| fields::number(cell).is_some()))
}

/// Rows from which the layout of a table is decided.
pub(in crate::read) const SAMPLE: usize = 20_000;

/// Bytes of JSON lines for the same.
const LINES: usize = 4 << 20;

/// The start of a table, parsed.
pub(in crate::read) struct Start<'a> {
    pub(in crate::read) dialect: Dialect,
    /// The rows of the start.
    pub(in crate::read) table: Table<'a>,
    /// Malformed rows of the start.
    pub(in crate::read) bad: Vec<Error>,
}

/// Reads the start of a table, without a byte order mark and with line feeds, which may be `cut` off in a row.
pub(in crate::read) fn start_of_csv<'a>(
    path: &'a str,
    bytes: &[u8],
    cut: bool,
) -> Result<Start<'a>, Error> {
    let dialect = Dialect::detect(path, bytes)?;
    let is_value = |name: &&String| name.contains('.') && fields::number(name).is_some();
    if let Some(value) = dialect.headers.iter().find(is_value) {
        let problem = format!("expected the names of the columns, found the number \"{value}\"");
        return Err(Error::at_line(path, 1, problem, "give the table a header line"));
    }
    let (mut table, bad) = delimited::rows(path, bytes, &dialect, (SAMPLE, cut));
    table.comma = decimal_comma(&table, dialect.delimiter)?;
    Ok(Start { dialect, table, bad })
}

fn read_csv(content: &Content, options: &Options) -> Result<Found, Error> {
    let path = content.path;
    let bytes = &*with_line_feeds(content.bytes());
    let start = content.start.take().map_or_else(|| start_of_csv(path, bytes, false), Ok)?;
    let Start { dialect, mut table, mut bad } = start;
    // People write no larger tables.
    let whole = table.rows.len() + bad.len() < SAMPLE;
    let columns = table.headers.clone();
    let arranged = if whole { Some(arrange(&mut table, None, 0)?) } else { None };
    let (arranged, averages) = arranged.map(|done| (done.notes, done.averages)).unwrap_or_default();
    let as_written = arranged.is_empty() && columns == table.headers;
    let roles = Roles::assign(&table, options)?;
    let (rows, mut notes) = classify_rows(&table, &roles, options);
    notes.splice(0..0, arranged);
    if let Rows::Series(why) = rows {
        return Err(table.no_result(why, SERIES_REMEDY));
    }
    if let Rows::Requests(plan) = rows {
        let Dialect { delimiter, header, .. } = dialect;
        let source = if as_written { Source::Bytes(bytes) } else { Source::Rows(&table.rows) };
        let input = Input { path, source, delimiter, returns: false, header };
        let mut found = reduce(input, &plan, Limits::default(), options)?;
        found.skipped.splice(0..0, notes);
        found.columns = roles.described(&table);
        return Ok(found);
    }
    if table.rows.len() + bad.len() == SAMPLE {
        (table, bad) = delimited::rows(path, bytes, &dialect, (usize::MAX, false));
        table.comma = decimal_comma(&table, dialect.delimiter)?;
    }
    let left_out = |error: &Error| Skipped { place: "row".to_owned(), why: error.to_string() };
    if !options.lenient && !bad.is_empty() {
        return Err(bad.swap_remove(0));
    }
    notes.extend(bad.iter().map(left_out));
    notes.extend(delimited::normalise(&mut table, &roles));
    let mut found = runs_of(&table, &roles, options)?;
    averages.apply(&mut found.runs);
    found.skipped.splice(0..0, notes);
    Ok(found)
}

/// The start of a text up to a line end.
pub(in crate::read) fn whole_lines(bytes: &[u8], most: usize) -> &[u8] {
    let end = bytes.get(..most).and_then(|start| memchr::memrchr(b'\n', start));
    end.map_or(bytes, |end| &bytes[..=end])
}

/// Whether a table or flat JSON has rows of requests.
fn is_requests(content: &Content, named: bool) -> bool {
    let options = Options::default();
    let requests = |table: &Table| {
        let roles = Roles::assign(table, &options);
        roles.is_ok_and(|roles| {
            matches!(classify_rows(table, &roles, &options).0, Rows::Requests(_))
        })
    };
    if json::looks_like_json(content.bytes()) {
        let flat = is_request_lines(content) || is_flat_json(content, named) || named;
        let near = whole_lines(content.bytes(), LINES);
        let near = Some(near).filter(|near| flat && near.len() <= LINES);
        let records = near.and_then(|near| json::records(content.path, near).ok());
        return records.is_some_and(|records| requests(&table_of(content.path, &records)));
    }
    let start = || start_of_csv(content.path, &with_line_feeds(content.bytes()), false).ok();
    let Some(start) = is_csv(content, named).then(start).flatten() else { return false };
    let found = requests(&start.table);
    content.start.set(Some(start));
    found
}

fn is_flat_json(content: &Content, _: bool) -> bool {
    let bytes = content.bytes();
    let near = &bytes[..bytes.len().min(1 << 16)];
    json::looks_like_json(bytes)
        && (crate::read::contains(near, b"\"variant\"")
            || (crate::read::contains(near, b"\"metric\"")
                && crate::read::contains(near, b"\"value\"")))
}

/// Whether the file begins with lines of flat objects that have a latency of one request in common.
fn is_request_lines(content: &Content) -> bool {
    let bytes = content.bytes();
    let near = whole_lines(bytes, 1 << 16);
    if !bytes.starts_with(b"{") || near.len() > 1 << 16 {
        return false;
    }
    let Ok(records) = json::records(content.path, near) else { return false };
    let latency = |record: &Record| {
        let number = |(key, value): (&String, &Scalar)| {
            matches!(value, Scalar::Number(_)) && is_of_request(key)
        };
        record.scalars.iter().any(number)
    };
    records.len() > 1 && records.iter().filter(|record| latency(record)).count() * 2 > records.len()
}

/// Whether objects of the file hold a metric that is known, at their top.
fn has_metric(content: &Content) -> bool {
    let number = |(key, value): (&String, &Scalar)| {
        matches!(value, Scalar::Number(_))
            && (fields::metric_of_column(key).better.is_some() || is_of_request(key))
    };
    // A column per variant: `{"metric": "duration", "before": 5.5, "after": 5.25}`.
    let named = |record: &Record| {
        let metric = |known: &&str| match record.scalars.get(*known) {
            Some(Scalar::Text(text)) => fields::metric_of_column(text).better.is_some(),
            _ => false,
        };
        METRIC.iter().any(metric)
    };
    json::looks_like_json(content.bytes())
        && json::records(content.path, content.bytes()).is_ok_and(|records| {
            records.iter().any(|record| named(record) || record.scalars.iter().any(number))
        })
}

fn read_flat_json(content: &Content, options: &Options) -> Result<Found, Error> {
    let records = json::records(content.path, content.bytes())?;
    if let [Record { lists, .. }] = &records[..]
        && let Some(list) = lists.iter().find(|name| is_list_of_runs(name))
    {
        let problem = format!(
            "expected one number for each metric, found the list \"{}\": its values are runs, and the numbers beside it are their averages",
            short(list)
        );
        let remedy = "give it as a table with a row for each value (variant, run, value)";
        return Err(Error::file(content.path, problem, remedy));
    }
    let mut table = table_of(content.path, &records);
    let Arranged { notes, averages } = arrange(&mut table, None, 0)?;
    let mut found = rows_of(&table, options)?;
    averages.apply(&mut found.runs);
    found.skipped.splice(0..0, notes);
    if found.runs.iter().all(|run| run.requests.is_none()) {
        found.skipped.extend(lists_of_metrics(&records));
    }
    Ok(found)
}

/// Lists where a run has one number, each key once.
fn lists_of_metrics(records: &[Record]) -> impl Iterator<Item = Skipped> {
    let mut lists: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for record in records {
        for key in &record.lists {
            lists.entry(key).or_default().push(record.index);
        }
    }
    let of_metric =
        |key: &str| fields::metric_of_column(key).better.is_some() || is_of_request(key);
    lists.into_iter().filter(move |(key, _)| of_metric(key)).map(|(key, objects)| Skipped {
        place: format!("object {}", objects[0]),
        why: format!(
            "\"{}\" is a list (in {} of {} objects) and is not read: a run has one number per metric",
            short(key),
            objects.len(),
            records.len()
        ),
    })
}

/// Objects as rows, with all their keys as columns.
pub(in crate::read) fn table_of<'a>(path: &'a str, records: &[Record]) -> Table<'a> {
    let mut table = Table { path, counts: "object", ..Table::default() };
    for record in records {
        for key in record.scalars.keys() {
            if !table.headers.contains(key) {
                table.headers.push(key.clone());
            }
        }
    }
    for record in records {
        let cells = table.headers.iter().map(|key| cell(record, key));
        table.rows.add(record.index, cells);
    }
    table
}

/// Runs of parsed rows, whether these are runs or requests.
pub(in crate::read) fn rows_of(table: &Table, options: &Options) -> Result<Found, Error> {
    let roles = Roles::assign(table, options)?;
    let (rows, notes) = classify_rows(table, &roles, options);
    let mut found = match rows {
        Rows::Runs => runs_of(table, &roles, options)?,
        Rows::Series(why) => return Err(table.no_result(why, SERIES_REMEDY)),
        Rows::Requests(plan) => {
            let source = Source::Rows(&table.rows);
            let input =
                Input { path: table.path, source, delimiter: b',', returns: false, header: (0, 0) };
            reduce(input, &plan, Limits::default(), options)?
        }
    };
    found.skipped.splice(0..0, notes);
    found.columns = roles.described(table);
    Ok(found)
}

fn cell(record: &Record, key: &str) -> String {
    match record.scalars.get(key) {
        Some(Scalar::Number(value)) => value.to_string(),
        Some(Scalar::Text(text)) => text.clone(),
        Some(Scalar::Null) | None => String::new(),
    }
}
