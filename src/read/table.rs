//! Tables with a record per run or per value: CSV, TSV, flat JSON lines, Parquet.
//!
//! Two layouts are understood. *Long*: a column that names the metric and one with its value. *Wide*: a
//! row is a run and every numeric column that is not a setting is a metric. Columns are found by name
//! or given by the user; nothing is skipped, since a dropped row would bias the comparison.

use std::collections::BTreeMap;

use crate::error::Error;
use crate::metrics::Metric;
use crate::read::fields::{self, Number};
use crate::read::json::{self, Record, Scalar};
use crate::read::{Content, Found, Options, Reader};
use crate::runs::{Run, Skipped, Source, Value};

pub(super) const CSV: Reader = Reader { name: "csv table", recognise: is_csv, read: read_csv };

pub(super) const FLAT_JSON: Reader =
    Reader { name: "json records", recognise: is_flat_json, read: read_flat_json };

const VARIANT: &[&str] = &[
    "variant",
    "version",
    "build",
    "branch",
    "commit",
    "arm",
    "candidate",
    "treatment",
    "label",
    "config",
    "configuration",
    "变体",
    "版本",
    "方案",
];
const RUN: &[&str] = &[
    "run",
    "run_id",
    "rep",
    "repeat",
    "repetition",
    "iteration",
    "trial",
    "round",
    "replicate",
    "轮次",
];
const METRIC: &[&str] = &["metric", "measure", "measurement", "指标"];
const VALUE: &[&str] = &["value", "val", "result", "数值"];

/// Columns of the tidy table that say something of a value rather than of the run.
const OF_VALUE: &[&str] = &["unit", "resolution", "source", "workload", "row"];

/// Rows looked at to recognise a table.
const LOOK: usize = 20;

/// A table as text.
#[derive(Default)]
pub(super) struct Table {
    pub(super) headers: Vec<String>,
    pub(super) rows: Vec<Row>,
    /// What the number of a row counts: `line`, `object`, `row`.
    pub(super) counts: &'static str,
}

pub(super) struct Row {
    pub(super) number: usize,
    /// One cell per header; empty where the row has none.
    pub(super) cells: Vec<String>,
}

fn delimiter(header: &str) -> u8 {
    let count = |c: char| header.matches(c).count();
    [(b'\t', count('\t')), (b';', count(';')), (b',', count(','))]
        .into_iter()
        .max_by_key(|(_, n)| *n)
        .map_or(b',', |(delimiter, _)| delimiter)
}

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

fn read_csv(content: &Content, options: &Options) -> Result<Found, Error> {
    let path = content.path;
    let text = content.text();
    let Some(header) = text.lines().find(|line| !line.trim().is_empty()) else {
        let remedy = "give a table with a header and a row per run or per value";
        return Err(Error::file(path, "expected a header line, found an empty file", remedy));
    };
    let mut reader =
        csv::ReaderBuilder::new().delimiter(delimiter(header)).from_reader(text.as_bytes());
    let malformed = |error: csv::Error| {
        let line = error.position().map_or(1, csv::Position::line);
        let problem = match error.kind() {
            csv::ErrorKind::UnequalLengths { expected_len, len, .. } => {
                format!("expected {expected_len} columns as in the header, found {len}")
            }
            _ => format!("expected a row of the table, found something else: {error}"),
        };
        Error::at_line(
            path,
            usize::try_from(line).unwrap_or(usize::MAX),
            problem,
            "correct the row",
        )
    };
    let mut table = Table { counts: "line", ..Table::default() };
    let headers = reader.headers().map_err(malformed)?;
    table.headers = headers.iter().map(|name| name.trim().to_owned()).collect();
    let mut skipped = Vec::new();
    for record in reader.records() {
        match record.map_err(malformed) {
            Ok(record) => table.rows.push(Row {
                number: record.position().map_or(1, |at| usize::try_from(at.line()).unwrap_or(0)),
                cells: record.iter().map(|cell| cell.trim().to_owned()).collect(),
            }),
            Err(error) if options.lenient => {
                skipped.push(Skipped { place: "row".to_owned(), why: error.to_string() });
            }
            Err(error) => return Err(error),
        }
    }
    let mut found = runs_of(path, &table, options)?;
    found.skipped.splice(0..0, skipped);
    Ok(found)
}

fn is_flat_json(content: &Content, _: bool) -> bool {
    let bytes = content.bytes();
    let near = &bytes[..bytes.len().min(1 << 16)];
    json::looks_like_json(bytes)
        && (crate::read::contains(near, b"\"variant\"")
            || (crate::read::contains(near, b"\"metric\"")
                && crate::read::contains(near, b"\"value\"")))
}

fn read_flat_json(content: &Content, options: &Options) -> Result<Found, Error> {
    let records = json::records(content.path, content.bytes(), &[], &[])?;
    let mut table = Table { counts: "object", ..Table::default() };
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
    runs_of(content.path, &table, options)
}

fn cell(record: &Record, key: &str) -> String {
    match record.scalars.get(key) {
        Some(Scalar::Number(value)) => value.to_string(),
        Some(Scalar::Text(text)) => text.clone(),
        Some(Scalar::Null) | None => String::new(),
    }
}

/// Which column is what.
struct Columns {
    variant: Option<usize>,
    run: Option<usize>,
    /// Position of metric and value in the long layout.
    long: Option<(usize, usize)>,
    /// Position and name of each metric in the wide layout.
    wide: Vec<(usize, String)>,
    /// Columns that say something of the run: fact, name.
    rest: Vec<usize>,
}

impl Columns {
    fn of(path: &str, table: &Table, options: &Options) -> Result<Self, Error> {
        let headers = &table.headers;
        let given = |name: &str| {
            headers.iter().position(|header| header == name).ok_or_else(|| {
                let found = headers.join(", ");
                let problem = format!("expected a column \"{name}\", found {found}");
                Error::at_line(path, 1, problem, "name a column that exists")
            })
        };
        let find = |names: &[&str]| {
            names
                .iter()
                .find_map(|name| headers.iter().position(|header| header.to_lowercase() == *name))
        };
        let by = |wanted: &Option<String>, names: &[&str]| {
            wanted.as_deref().map_or_else(|| Ok(find(names)), |name| given(name).map(Some))
        };
        let variant = by(&options.variant_column, VARIANT)?;
        let run = by(&options.run_column, RUN)?;
        let long = find(METRIC).zip(find(VALUE));
        let taken = |index: usize| {
            Some(index) == variant
                || Some(index) == run
                || long.is_some_and(|(a, b)| index == a || index == b)
        };
        let mut wide = Vec::new();
        if long.is_none() && !options.metrics.is_empty() {
            for name in &options.metrics {
                wide.push((given(name)?, name.clone()));
            }
        } else if long.is_none() {
            for (index, name) in headers.iter().enumerate() {
                let setting =
                    fields::fact_of_key(name).is_some() || OF_VALUE.contains(&name.as_str());
                if !taken(index)
                    && !setting
                    && (is_numeric(table, index) || Metric::known(name).is_some())
                {
                    wide.push((index, name.clone()));
                }
            }
        }
        if long.is_none() && wide.is_empty() {
            let problem = format!(
                "expected columns \"metric\" and \"value\", or a column of numbers per metric, found {}",
                headers.join(", ")
            );
            return Err(Error::at_line(path, 1, problem, "name the columns with --metric"));
        }
        let rest = (0..headers.len())
            .filter(|&index| !taken(index) && !wide.iter().any(|(metric, _)| *metric == index))
            .collect();
        Ok(Self { variant, run, long, wide, rest })
    }
}

fn is_numeric(table: &Table, index: usize) -> bool {
    let mut cells =
        table.rows.iter().map(|row| row.cells[index].as_str()).filter(|cell| !cell.is_empty());
    let mut any = false;
    let all = cells.all(|cell| {
        any = true;
        fields::number(cell).is_some()
    });
    any && all
}

/// What the rows of the long layout have shown so far.
#[derive(Default)]
struct Known {
    /// Position of a run by its settings, variant and name.
    runs: BTreeMap<Vec<String>, usize>,
    /// Number of values seen by settings, variant and metric.
    values: BTreeMap<Vec<String>, usize>,
}

/// Runs of a table in either layout.
pub(super) fn runs_of(path: &str, table: &Table, options: &Options) -> Result<Found, Error> {
    let columns = Columns::of(path, table, options)?;
    let mut found = Found::default();
    let mut known = Known::default();
    for row in &table.rows {
        let result = match columns.long {
            Some((metric, value)) => {
                long_row(path, table, &columns, row, (metric, value), &mut known, &mut found.runs)
            }
            None => wide_row(path, table, &columns, row, &mut found.runs),
        };
        match result {
            Err(error) if options.lenient => found.skipped.push(Skipped {
                place: format!("{} {}", table.counts, row.number),
                why: error.to_string(),
            }),
            other => other?,
        }
    }
    if found.runs.is_empty() && found.skipped.is_empty() {
        let problem = "expected at least one row under the header, found none";
        return Err(Error::at_line(
            path,
            1,
            problem,
            "give a table with a row per run or per value",
        ));
    }
    let mut finished = Vec::new();
    for mut run in std::mem::take(&mut found.runs) {
        let place = format!("{} {}", run.source.counts, run.source.position);
        match fields::finish(&mut run) {
            Ok(empty) => {
                found.skipped.extend(empty.into_iter().map(|name| Skipped {
                    place: place.clone(),
                    why: format!("{name} is 0, which stands for no data"),
                }));
                finished.push(run);
            }
            Err(bad) if options.lenient => found.skipped.push(Skipped { place, why: bad.problem }),
            Err(bad) => {
                let (problem, remedy) = (bad.problem, bad.remedy.to_owned());
                return Err(Error::Input { path: path.to_owned(), place, problem, remedy });
            }
        }
    }
    found.runs = finished;
    Ok(found)
}

fn wide_row(
    path: &str,
    table: &Table,
    columns: &Columns,
    row: &Row,
    runs: &mut Vec<Run>,
) -> Result<(), Error> {
    let mut run = start(path, table, columns, row)?;
    for (index, name) in &columns.wide {
        let text = &row.cells[*index];
        if !text.is_empty() {
            put(path, table, row, &mut run, name, text, None)?;
        }
    }
    runs.push(run);
    Ok(())
}

fn long_row(
    path: &str,
    table: &Table,
    columns: &Columns,
    row: &Row,
    (metric, value): (usize, usize),
    known: &mut Known,
    runs: &mut Vec<Run>,
) -> Result<(), Error> {
    let name = &row.cells[metric];
    if name.is_empty() {
        let problem = format!(
            "expected the name of a metric in \"{}\", found nothing",
            table.headers[metric]
        );
        return Err(Error::at_line(path, row.number, problem, "correct the row"));
    }
    let text = &row.cells[value];
    let resolution = table.headers.iter().position(|header| header == "resolution");
    let resolution =
        resolution.and_then(|index| fields::number(&row.cells[index])).map(|n| n.value);
    let mut key: Vec<String> = columns
        .rest
        .iter()
        .filter(|&&index| !OF_VALUE.contains(&table.headers[index].as_str()))
        .chain(&columns.variant)
        .map(|&index| row.cells[index].clone())
        .collect();
    if let Some(index) = columns.run {
        key.push(row.cells[index].clone());
    } else {
        // Without a column for the run, the k-th value of a metric belongs to the k-th run.
        let of_metric = [key.clone(), vec![name.clone()]].concat();
        let nth = known.values.entry(of_metric).or_insert(0);
        *nth += 1;
        key.push(nth.to_string());
    }
    let index = match known.runs.get(&key) {
        Some(&index) => index,
        None => {
            runs.push(start(path, table, columns, row)?);
            known.runs.insert(key, runs.len() - 1);
            runs.len() - 1
        }
    };
    let run = &mut runs[index];
    let canonical = Metric::named(name).name;
    if run.metrics.contains_key(&canonical) {
        let problem = format!("expected one value of {name} for this run, found a second one");
        let remedy = "give every run a name of its own in the run column";
        return Err(Error::at_line(path, row.number, problem, remedy));
    }
    if text.is_empty() {
        return Ok(());
    }
    put(path, table, row, run, name, text, resolution)
}

/// A run with what the row says of it beside its metrics.
fn start(path: &str, table: &Table, columns: &Columns, row: &Row) -> Result<Run, Error> {
    let mut run = Run {
        source: Source { path: path.to_owned(), position: row.number, counts: table.counts },
        variant: columns.variant.map(|index| row.cells[index].clone()).unwrap_or_default(),
        name: columns.run.map(|index| row.cells[index].clone()),
        ..Run::default()
    };
    if let Some(index) = columns.variant.filter(|_| run.variant.is_empty()) {
        let problem = format!("expected a variant in \"{}\", found nothing", table.headers[index]);
        return Err(Error::at_line(path, row.number, problem, "fill in the cell"));
    }
    for &index in &columns.rest {
        let (name, text) = (&table.headers[index], &row.cells[index]);
        if text.is_empty() || OF_VALUE.contains(&name.as_str()) {
            continue;
        }
        match fields::fact_of_key(name) {
            Some(fact) => {
                if !fields::set(&mut run, fact, name, text) {
                    let problem = format!("expected a count in \"{name}\", found \"{text}\"");
                    return Err(Error::at_line(path, row.number, problem, "correct the cell"));
                }
            }
            None => {
                run.metadata.insert(name.clone(), text.clone());
            }
        }
    }
    Ok(run)
}

/// Notes one value; a fact such as the number of failed requests may stand among the metrics.
fn put(
    path: &str,
    table: &Table,
    row: &Row,
    run: &mut Run,
    name: &str,
    text: &str,
    resolution: Option<f64>,
) -> Result<(), Error> {
    let wrong = |what: &str| {
        let problem = format!("expected {what} for \"{name}\", found \"{text}\"");
        Error::Input {
            path: path.to_owned(),
            place: format!("{} {}", table.counts, row.number),
            problem,
            remedy: "correct the cell, or empty it where nothing was measured".to_owned(),
        }
    };
    if let Some(fact) = fields::fact_of_key(name).filter(|_| name != "concurrency") {
        return if fields::set(run, fact, name, text) { Ok(()) } else { Err(wrong("a count")) };
    }
    let Some(Number { value, resolution: printed }) = fields::number(text) else {
        return Err(wrong("a number"));
    };
    if !value.is_finite() {
        return Err(wrong("a finite number"));
    }
    let resolution = resolution.unwrap_or(printed);
    run.metrics.insert(Metric::named(name).name, Value { value, resolution });
    Ok(())
}
