//! Apache `JMeter`: the tables of its listeners Aggregate Report and Summary Report, saved as CSV.
//!
//! Replicate: a file, which is one test; each label is its own cell. The row `TOTAL` covers all labels and is read
//! only if it is alone. Times include those of failed requests.

use crate::error::Error;
use crate::read::fields::{Number, number};
use crate::read::llm::csv_error::malformed;
use crate::read::llm::run_builder::RunBuilder;
use crate::read::runners::whole;
use crate::read::table::delimited::{delimiter, line_at};
use crate::read::{Content, Found, Options, Reader, contains, short};
use crate::runs::Skipped;

pub(super) const TABLE: Reader = Reader {
    name: "jmeter report csv",
    recognised_by: "a header with Label, # Samples, Average and Error %",
    one_run: "a file, which is one test; each label is a cell",
    metrics: &["request_throughput", "mean_e2el_ms", "median_e2el_ms", "p99_e2el_ms"],
    recognise: |content, _| {
        let header = content.first_line(1 << 12);
        header.trim_ascii_start().starts_with(b"Label")
            && ["# Samples", "Average", "Error %"]
                .iter()
                .all(|name| contains(header, name.as_bytes()))
    },
    read,
};

/// Prefixes of the metrics of latency, and the columns that hold them.
const TIMES: [(&str, &str); 8] = [
    ("mean", "Average"),
    ("median", "Median"),
    ("p90", "90% Line"),
    ("p95", "95% Line"),
    ("p99", "99% Line"),
    ("std", "Std. Dev."),
    ("max", "Maximum"),
    ("max", "Max"),
];

fn read(content: &Content, options: &Options) -> Result<Found, Error> {
    let mut found = Found::default();
    let header = String::from_utf8_lossy(content.first_line(1 << 12)).into_owned();
    let (headers, rows) = rows(content, delimiter(&header))?;
    let at = |line: usize, problem: String| {
        Error::at_line(content.path, line, problem, "fix the row, or remove the file")
    };
    let is_total = |label: &str| label.trim().eq_ignore_ascii_case("total");
    let parts = rows.iter().any(|(_, row)| !is_total(&row[0]));
    for (line, row) in &rows {
        let place = format!("line {line}");
        if parts && is_total(&row[0]) {
            let why = "TOTAL: a sum over all labels, which are read one by one".to_owned();
            found.skipped.push(Skipped { place, why });
            continue;
        }
        let value = |name: &str| -> Result<Option<Number>, Error> {
            let column = headers.iter().position(|header| header == name);
            let cell = column.and_then(|at| row.get(at)).unwrap_or("").trim();
            if matches!(cell, "" | "N/A" | "NaN") {
                return Ok(None);
            }
            per_second(cell).map(Some).ok_or_else(|| {
                let found = short(cell);
                at(*line, format!("expected a number in \"{name}\", found \"{found}\""))
            })
        };
        let samples = value("# Samples")?.map_or(0, |number| whole(number.value));
        let wrong = value("Error %")?.map_or(0.0, |number| number.value);
        if samples == 0 || wrong >= 100.0 {
            let why = format!("{}: no successful request, no value", short(&row[0]));
            found.skipped.push(Skipped { place, why });
            continue;
        }
        let mut builder = RunBuilder::new(content, "jmeter", *line, "line");
        builder.timed();
        builder.run.workload.label =
            Some(row[0].trim().to_owned()).filter(|label| !is_total(label));
        let failed = whole(samples as f64 * wrong / 100.0);
        builder.run.info.completed = Some(samples - failed.min(samples));
        builder.run.info.failed = Some(failed);
        if let Some(rate) = value("Throughput")? {
            builder.put("request_throughput", rate);
        }
        for (prefix, name) in TIMES {
            if let Some(time) = value(name)? {
                builder.put(&format!("{prefix}_e2el_ms"), time);
            }
        }
        builder.finish(&mut found, options)?;
    }
    if found.runs.is_empty() && !options.lenient {
        let problem = "expected a label with successful requests, found none";
        return Err(Error::file(content.path, problem, "check the test, or remove the file"));
    }
    Ok(found)
}

/// Rows with their lines.
type Rows = Vec<(usize, csv::StringRecord)>;

/// The names of the columns, and the rows.
fn rows(content: &Content, delimiter: u8) -> Result<(Vec<String>, Rows), Error> {
    let mut reader = csv::ReaderBuilder::new().delimiter(delimiter).from_reader(content.bytes());
    let bad = |error: csv::Error| malformed(content.path, content.bytes(), &error);
    let headers: Vec<String> =
        reader.headers().map_err(bad)?.iter().map(|name| name.trim().to_owned()).collect();
    let mut rows = Vec::new();
    for record in reader.records() {
        let record = record.map_err(bad)?;
        let line = record.position().map_or(1, |at| line_at(content.bytes(), at));
        rows.push((line, record));
    }
    Ok((headers, rows))
}

/// A number, or a rate such as `12.8/sec` or `30.5/min`.
fn per_second(cell: &str) -> Option<Number> {
    let (digits, per) = cell.split_once('/').unwrap_or((cell, "sec"));
    let factor = match per.trim() {
        "sec" | "s" => 1.0,
        "min" => 1.0 / 60.0,
        "hour" => 1.0 / 3600.0,
        _ => return None,
    };
    let Number { value, resolution } = number(digits)?;
    Some(Number { value: value * factor, resolution: resolution * factor })
}
