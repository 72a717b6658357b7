//! Triton's `perf_analyzer -f`: a CSV with a row per concurrency or request rate.
//!
//! Replicate: a file; rows of one file are different loads. Latencies are in microseconds.

use crate::error::Error;
use crate::read::fields;
use crate::read::llm::csv_error::{malformed, no_rows};
use crate::read::llm::run_builder::{RunBuilder, US, statistic};
use crate::read::table::delimited::line_at;
use crate::read::{Content, Found, Options, Reader};

pub(super) const CSV: Reader = Reader {
    name: "perf_analyzer csv",
    recognised_by: "a header Concurrency or Request Rate, Inferences/Second",
    one_run: "a file; its rows are different loads",
    metrics: &["request_throughput", "mean_e2el_ms", "median_e2el_ms", "p99_e2el_ms"],
    recognise: |content, _| {
        let start = content.bytes();
        start.starts_with(b"Concurrency,Inferences/Second,")
            || start.starts_with(b"Request Rate,Inferences/Second,")
    },
    read,
};

fn read(content: &Content, options: &Options) -> Result<Found, Error> {
    let mut found = Found::default();
    let mut reader = csv::Reader::from_reader(content.bytes());
    let bad = |error: csv::Error| malformed(content.path, content.bytes(), &error);
    let headers = reader.headers().map_err(bad)?.clone();
    for row in reader.records() {
        let row = row.map_err(bad)?;
        let line = row.position().map_or(1, |at| line_at(content.bytes(), at));
        let mut builder = RunBuilder::new(content, "perf_analyzer", line, "line");
        for (name, cell) in headers.iter().zip(&row) {
            let Some(number) = fields::number(cell) else { continue };
            match name {
                "Concurrency" => builder.concurrency(Some(number.value)),
                "Request Rate" => builder.rate(Some(number.value)),
                "Inferences/Second" => builder.put("request_throughput", number),
                _ => {
                    if let Some(prefix) =
                        name.to_lowercase().strip_suffix(" latency").and_then(statistic)
                    {
                        builder.scaled(&format!("{prefix}_e2el_ms"), Some(number.value), US);
                    }
                }
            }
        }
        builder.timed();
        builder.finish(&mut found, options)?;
    }
    if found.runs.is_empty() && found.skipped.is_empty() {
        return Err(no_rows(content.path));
    }
    Ok(found)
}
