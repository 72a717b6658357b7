//! Locust: `*_stats.csv`, a row an endpoint. The other tables of `--csv` hold no run.
//!
//! Replicate: a file, which is one test; each of its rows is its own cell. The row `Aggregated` covers all endpoints
//! and is read only if it is alone. Times include those of failed requests. Locust rounds percentiles to two digits,
//! or to whole milliseconds below 100.

use crate::error::Error;
use crate::metrics::Metric;
use crate::read::fields::{Number, number};
use crate::read::llm::csv_error::malformed;
use crate::read::llm::run_builder::RunBuilder;
use crate::read::runners::{nothing, whole};
use crate::read::table::delimited::line_at;
use crate::read::{Content, Found, Options, Reader, contains, short};
use crate::runs::Skipped;

pub(super) const STATS: Reader = Reader {
    name: "locust stats csv",
    recognised_by: "a header with Name, Request Count, Failure Count and Requests/s",
    one_run: "a file, which is one test; each endpoint is a cell",
    metrics: &["request_throughput", "mean_e2el_ms", "median_e2el_ms", "p99_e2el_ms"],
    recognise: |content, _| {
        ["request count", "# requests"].iter().any(|count| header_has(content, &["name", count]))
            && header_has(content, &["average response time", "requests/s"])
            && !header_has(content, &["user count"])
    },
    read,
};

pub(super) const OTHER: Reader = Reader {
    name: "locust csv without a result",
    recognised_by: "a header Timestamp,User Count or Method,Name,Error,Occurrences or Count,Message,Traceback",
    one_run: "none: a time series, failures or exceptions of a test",
    metrics: &[],
    recognise: |content, _| why(content).is_some(),
    read: |content, _| Ok(nothing(why(content).unwrap_or_default())),
};

/// Description of the other tables of a test.
fn why(content: &Content) -> Option<&'static str> {
    if header_has(content, &["timestamp", "user count"]) {
        Some(
            "a time series of one test: its rows are not runs; the result is in *_stats.csv beside it",
        )
    } else if header_has(content, &["error", "occurrences"]) {
        Some("the failures of one test, without times; the result is in *_stats.csv beside it")
    } else if header_has(content, &["name", "# requests", "50%", "100%"])
        && !header_has(content, &["average response time"])
    {
        Some("percentiles of one test, without means; the result is in *_requests.csv beside it")
    } else if header_has(content, &["count", "message", "traceback"]) {
        Some("the exceptions of one test, without times; the result is in *_stats.csv beside it")
    } else {
        None
    }
}

/// Whether the first line is a header of more columns than one, and has these in any letter case.
fn header_has(content: &Content, columns: &[&str]) -> bool {
    let header = content.first_line(1 << 12);
    if !contains(header, b",") {
        return false;
    }
    let header = String::from_utf8_lossy(header).to_lowercase();
    let named =
        |column: &&str| header.split(',').any(|cell| cell.trim().trim_matches('"') == *column);
    columns.iter().all(named)
}

/// The row that sums up the others.
fn is_total(kind: &str, name: &str) -> bool {
    matches!(kind, "" | "None") && matches!(name, "Aggregated" | "Total")
}

/// A row of the table.
struct Row {
    line: usize,
    cells: Vec<String>,
}

/// The columns of the table, in lower case.
struct Columns(Vec<String>);

impl Columns {
    fn cell<'a>(&self, row: &'a Row, names: &[&str]) -> &'a str {
        let at = self.0.iter().position(|header| names.contains(&header.as_str()));
        at.and_then(|at| row.cells.get(at)).map_or("", String::as_str)
    }

    /// Kind and name of an endpoint.
    fn endpoint<'a>(&self, row: &'a Row) -> (&'a str, &'a str) {
        (self.cell(row, &["type", "method"]), self.cell(row, &["name"]))
    }
}

fn read(content: &Content, options: &Options) -> Result<Found, Error> {
    let mut found = Found::default();
    let (columns, mut rows) = table(content)?;
    let is_sum = |row: &Row| {
        let (kind, name) = columns.endpoint(row);
        is_total(kind, name)
    };
    if rows.iter().any(|row| !is_sum(row)) {
        rows.retain(|row| {
            let sum = is_sum(row);
            if sum {
                let why = "a sum over all endpoints, which are read one by one";
                found.skipped.push(at(row, format!("row {}: {why}", columns.endpoint(row).1)));
            }
            !sum
        });
    }
    for row in &rows {
        run_of(content, options, &columns, row, &mut found)?;
    }
    if found.runs.is_empty() && !options.lenient {
        let problem = if rows.is_empty() {
            "expected a row per endpoint under the header, found none: the test made no request"
        } else {
            "expected successful requests, found none of any endpoint"
        };
        return Err(Error::file(content.path, problem, "check the test, or remove the file"));
    }
    Ok(found)
}

fn at(row: &Row, why: String) -> Skipped {
    Skipped { place: format!("line {}", row.line), why }
}

fn table(content: &Content) -> Result<(Columns, Vec<Row>), Error> {
    let mut reader = csv::Reader::from_reader(content.bytes());
    let bad = |error: csv::Error| malformed(content.path, content.bytes(), &error);
    let headers = reader.headers().map_err(bad)?;
    let columns = Columns(headers.iter().map(|name| name.trim().to_lowercase()).collect());
    let mut rows = Vec::new();
    for record in reader.records() {
        let record = record.map_err(bad)?;
        let line = record.position().map_or(1, |at| line_at(content.bytes(), at));
        rows.push(Row { line, cells: record.iter().map(|cell| cell.trim().to_owned()).collect() });
    }
    Ok((columns, rows))
}

fn run_of(
    content: &Content,
    options: &Options,
    columns: &Columns,
    row: &Row,
    found: &mut Found,
) -> Result<(), Error> {
    let value = |names: &[&str]| -> Result<Option<Number>, Error> {
        let cell = columns.cell(row, names);
        if matches!(cell, "" | "N/A" | "None") {
            return Ok(None);
        }
        number(cell).map(Some).ok_or_else(|| {
            let problem =
                format!("expected a number in \"{}\", found \"{}\"", names[0], short(cell));
            Error::at_line(content.path, row.line, problem, "fix the row, or remove the file")
        })
    };
    let count =
        |names: &[&str]| Ok::<_, Error>(value(names)?.map_or(0, |number| whole(number.value)));
    let all = count(&["request count", "# requests"])?;
    let failed = count(&["failure count", "# failures"])?;
    let (kind, name) = columns.endpoint(row);
    let endpoint = format!("{kind} {name}").trim().to_owned();
    if all <= failed {
        let why = if all == 0 { "made no request" } else { "had no successful request" };
        found.skipped.push(at(row, format!("{endpoint} {why}: no value")));
        return Ok(());
    }
    let mut builder = RunBuilder::new(content, "locust", row.line, "line");
    builder.timed();
    builder.run.workload.label = Some(endpoint).filter(|_| !is_total(kind, name));
    (builder.run.info.completed, builder.run.info.failed) = (Some(all - failed), Some(failed));
    if let Some(rate) = value(&["requests/s"])? {
        builder.put("request_throughput", rate);
    }
    let stem = stem(name);
    for (prefix, column) in [
        ("mean", "average response time"),
        ("median", "median response time"),
        ("max", "max response time"),
    ] {
        if let Some(time) = value(&[column])? {
            let time = if prefix == "median" { rounded(time) } else { time };
            builder.put(&format!("{prefix}_{stem}_ms"), time);
        }
    }
    for header in &columns.0 {
        let level = header.strip_suffix('%').and_then(|digits| digits.parse::<f64>().ok());
        let Some(level) = level.filter(|level| (50.0..100.0).contains(level) && *level > 50.0)
        else {
            continue;
        };
        if let Some(time) = value(&[header])? {
            builder.put(&format!("p{level}_{stem}_ms"), rounded(time));
        }
    }
    builder.finish(found, options)
}

/// Precision of a percentile.
fn rounded(time: Number) -> Number {
    let resolution = match time.value {
        below if below < 100.0 => 0.5,
        below if below < 1e3 => 5.0,
        below if below < 1e4 => 50.0,
        _ => 500.0,
    };
    Number { resolution, ..time }
}

/// The latency that an endpoint is, where its name is one: scripts report the parts of a request as endpoints.
fn stem(name: &str) -> String {
    let name = name.trim().to_lowercase();
    let known = Metric::known(&format!("mean_{name}_ms")).is_some_and(|metric| metric.is_latency());
    if known { name } else { "e2el".to_owned() }
}
