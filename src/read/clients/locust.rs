//! Locust: `*_stats.csv`, a row an endpoint. The other tables of `--csv` hold no run.
//!
//! Replicate: a file, which is one test; each of its rows is its own cell. The row `Aggregated` covers all endpoints
//! and is read only if it is alone. Times include those of failed requests. Locust rounds percentiles to two digits,
//! or to whole milliseconds below 100.

use crate::kit::csv_rows::CsvRow;
use crate::kit::prelude::*;
use beyondnoise_model::metrics::Metric;

pub(crate) const STATS: Reader = Reader {
    name: "locust stats csv",
    recognised_by: "a header with Name, Request Count or # Requests, Average Response Time and Requests/s",
    one_run: "a file, which is one test; each endpoint is a cell",
    metrics: &["request_throughput", "mean_e2el_ms", "median_e2el_ms", "p99_e2el_ms"],
    recognise: |content, _| {
        ["request count", "# requests"].iter().any(|count| columns_are(content, &["name", count]))
            && columns_are(content, &["average response time", "requests/s"])
            && !columns_are(content, &["user count"])
    },
    read: |content, options| Reading::of(content, options, read),
    ..Reader::EMPTY
};

pub(crate) const OTHER: Reader = Reader {
    name: "locust csv without a result",
    recognised_by: "a header with Timestamp,User Count, Error,Occurrences, Count,Message,Traceback or percentiles alone",
    one_run: "none: a time series, failures or exceptions of a test",
    recognise: |content, _| why(content).is_some(),
    read: |content, _| Ok(Found::nothing(why(content).unwrap_or_default())),
    ..Reader::EMPTY
};

/// Columns of the other tables of a test, and what each table is.
const OTHERS: &[(&[&str], &str)] = &[
    (
        &["timestamp", "user count"],
        "a time series of one test: its rows are not runs; the result is in *_stats.csv beside it",
    ),
    (
        &["error", "occurrences"],
        "the failures of one test, without times; the result is in *_stats.csv beside it",
    ),
    (
        &["name", "# requests", "50%", "100%"],
        "percentiles of one test, without means; the result is in *_requests.csv beside it",
    ),
    (
        &["count", "message", "traceback"],
        "the exceptions of one test, without times; the result is in *_stats.csv beside it",
    ),
];

fn why(content: &Content) -> Option<&'static str> {
    let (columns, why) = OTHERS.iter().find(|(columns, _)| columns_are(content, columns))?;
    let with_means = columns.contains(&"50%") && columns_are(content, &["average response time"]);
    (!with_means).then_some(why)
}

/// Whether the first line is a header of more columns than one, and has these in any letter case.
fn columns_are(content: &Content, columns: &[&str]) -> bool {
    let header = String::from_utf8_lossy(content.first_line(1 << 12)).to_lowercase();
    let named =
        |column: &&str| header.split(',').any(|cell| cell.trim().trim_matches('"') == *column);
    header.contains(',') && columns.iter().all(named)
}

/// Kind and name of the endpoint of a row.
fn endpoint<'a>(row: &'a CsvRow) -> (&'a str, &'a str) {
    (row.cell("Type|Method"), row.cell("Name"))
}

/// Whether the row sums up the others.
fn is_total(row: &CsvRow) -> bool {
    let (kind, name) = endpoint(row);
    matches!(kind, "" | "None") && matches!(name, "Aggregated" | "Total")
}

fn read(file: &mut Reading) -> Result<(), Error> {
    let rows = file.csv_rows()?.collect::<Result<Vec<_>, Error>>()?;
    let parts = rows.iter().any(|row| !is_total(row));
    for row in &rows {
        if parts && is_total(row) {
            let why = "a sum over all endpoints, which are read one by one";
            file.skip(row.place(), format!("row {}: {why}", endpoint(row).1));
        } else {
            run_of(file, row)?;
        }
    }
    let problem = if rows.is_empty() {
        "expected a row per endpoint under the header, found none: the test made no request"
    } else {
        "expected successful requests, found none of any endpoint"
    };
    file.needs_runs(problem, "check the test, or remove the file")
}

fn run_of(file: &mut Reading, row: &CsvRow) -> Result<(), Error> {
    let all = row.count("Request Count|# requests")?;
    let failed = row.count("Failure Count|# failures")?;
    let (kind, name) = endpoint(row);
    let endpoint = format!("{kind} {name}").trim().to_owned();
    if all <= failed {
        let why = if all == 0 { "made no request" } else { "had no successful request" };
        file.skip(row.place(), format!("{endpoint} {why}: no value"));
        return Ok(());
    }
    let mut builder = file.run("locust", row.line, "line");
    builder.timed();
    builder.run.workload.label = Some(endpoint).filter(|_| !is_total(row));
    builder.counts(Some(all - failed), Some(failed));
    if let Some(rate) = row.number("Requests/s")? {
        builder.put("request_throughput", rate);
    }
    let stem = stem(name);
    for (column, statistic) in [("Average Response Time", "mean"), ("Max Response Time", "max")] {
        if let Some(time) = row.number(column)? {
            builder.latency(statistic, &stem, time);
        }
    }
    if let Some(time) = row.number("Median Response Time")? {
        builder.latency("median", &stem, rounded(time));
    }
    // The 50 % is the median once more.
    for (header, _) in row.cells().filter(|(header, _)| header.ends_with('%') && *header != "50%") {
        if let Some(time) = row.number(header)? {
            builder.latency(header, &stem, rounded(time));
        }
    }
    file.add(builder)
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
