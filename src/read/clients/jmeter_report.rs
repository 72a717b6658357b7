//! Apache `JMeter`: the tables of its listeners Aggregate Report and Summary Report, saved as CSV.
//!
//! Replicate: a file, which is one test; each label is its own cell. The row `TOTAL` covers all labels and is read
//! only if it is alone. Times include those of failed requests.

use crate::kit::prelude::*;

pub(crate) const TABLE: Reader = Reader {
    name: "jmeter report csv",
    marks: Marks::Header(&["# Samples", "Average", "Error %"]),
    recognised_by: "Label as its first column",
    one_run: "a file, which is one test; each label is a cell",
    metrics: &["request_throughput", "mean_e2el_ms", "median_e2el_ms", "p99_e2el_ms"],
    recognise: |content, _| content.bytes().trim_ascii_start().starts_with(b"Label"),
    read: |content, options| Reading::of(content, options, read),
    ..Reader::EMPTY
};

/// Columns of times, and what each is.
const TIMES: &[(&str, &str)] = &[
    ("Average", "mean"),
    ("Median", "median"),
    ("90% Line", "p90"),
    ("95% Line", "p95"),
    ("99% Line", "p99"),
    ("Std. Dev.", "std"),
    ("Maximum|Max", "max"),
];

fn read(file: &mut Reading) -> Result<(), Error> {
    let rows = file.csv_rows()?.collect::<Result<Vec<_>, Error>>()?;
    let is_total = |label: &str| label.trim().eq_ignore_ascii_case("total");
    let parts = rows.iter().any(|row| !is_total(row.cell("Label")));
    for row in &rows {
        let label = row.cell("Label");
        if parts && is_total(label) {
            file.skip(row.place(), "TOTAL: a sum over all labels, which are read one by one");
            continue;
        }
        let samples = row.count("# Samples")?;
        let wrong = row.number("Error %")?.map_or(0.0, |number| number.value);
        if samples == 0 || wrong >= 100.0 {
            let why = format!("{}: no successful request, no value", short(label));
            file.skip(row.place(), why);
            continue;
        }
        let mut builder = file.run("jmeter", row.line, "line");
        builder.timed();
        builder.run.workload.label = Some(label.to_owned()).filter(|label| !is_total(label));
        let failed = whole(samples as f64 * wrong / 100.0);
        builder.counts(Some(samples - failed.min(samples)), Some(failed));
        let rate = row.cell("Throughput");
        if !is_no_value(rate) {
            let per_second =
                per_second(rate).ok_or_else(|| row.wrong("a number", "Throughput", rate));
            builder.put("request_throughput", per_second?);
        }
        for (column, statistic) in TIMES {
            if let Some(time) = row.number(column)? {
                builder.latency(statistic, "e2el", time);
            }
        }
        file.add(builder)?;
    }
    let problem = "expected a label with successful requests, found none";
    file.needs_runs(problem, "check the test, or remove the file")
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
    Some(number(digits)?.times(factor))
}
