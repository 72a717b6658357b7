//! `GuideLLM`'s `benchmarks.csv`: three rows of headings (group, metric, statistic), then a row per load point.
//!
//! Replicate: a file; rows of one file are different loads. The JSON file of the same benchmark has the same figures,
//! and equal runs count once.

use std::collections::BTreeMap;

use crate::error::Error;
use crate::read::fields;
use crate::read::llm::csv_error::{malformed, no_rows};
use crate::read::llm::guidellm::{load, percentiles_of_cell};
use crate::read::llm::run_builder::{MS, RunBuilder, S, statistic};
use crate::read::llm::siblings::twin;
use crate::read::llm::tree::{Node, objects};
use crate::read::{Content, Found, Options, Reader, SERVING};

pub(super) const CSV: Reader = Reader {
    name: "guidellm csv",
    recognised_by: "three rows of headings that start with Run Info",
    one_run: "a file; its rows are different loads",
    metrics: SERVING,
    recognise: |content, _| {
        let start = &content.bytes()[..content.bytes().len().min(1 << 14)];
        start.starts_with(b"Run Info,") && crate::read::contains(start, b"Server Throughput")
            || start.starts_with(b"Run Info,") && crate::read::contains(start, b"Request Latency")
    },
    read,
};

/// Group and metric of the column, name of the latency, factor to milliseconds.
const LATENCIES: &[(&str, &str, f64)] = &[
    ("Time to First Token/Successful ms", "ttft", MS),
    ("Inter Token Latency/Successful ms", "tpot", MS),
    ("Request Latency/Successful Sec", "e2el", S),
];

const RATES: &[(&str, &str)] = &[
    ("Server Throughput/Successful Requests/Sec/Mean", "request_throughput"),
    ("Token Throughput/Successful Output Tokens/Sec/Mean", "output_throughput"),
    ("Token Throughput/Successful Total Tokens/Sec/Mean", "total_token_throughput"),
    ("Token Throughput/Successful Input Tokens/Sec/Mean", "input_throughput"),
    ("Timings/Duration/Sec", "duration"),
];

fn read(content: &Content, options: &Options) -> Result<Found, Error> {
    let text = content.text();
    let mut reader =
        csv::ReaderBuilder::new().has_headers(false).flexible(true).from_reader(text.as_bytes());
    let mut rows: Vec<csv::StringRecord> = Vec::new();
    for row in reader.records() {
        rows.push(row.map_err(|error| malformed(content.path, text.as_bytes(), &error))?);
    }
    let [groups, metrics, statistics, values @ ..] = &rows[..] else {
        let problem = format!("expected three rows of headings, found {}", rows.len());
        return Err(Error::file(content.path, problem, "give the whole file, or the json file"));
    };
    if values.is_empty() {
        return Err(no_rows(content.path));
    }
    let mut columns: BTreeMap<String, usize> = BTreeMap::new();
    for (index, group) in groups.iter().enumerate() {
        let parts = [Some(group), metrics.get(index), statistics.get(index)];
        let name: Vec<&str> = parts.into_iter().flatten().filter(|part| !part.is_empty()).collect();
        columns.entry(name.join("/")).or_insert(index);
    }
    let mut found = Found::default();
    for (index, row) in values.iter().enumerate() {
        let cell = |name: &str| row.get(*columns.get(name)?).filter(|cell| !cell.is_empty());
        let mut builder = RunBuilder::new(content, "guidellm", index + 4, "row");
        fill(&mut builder, &columns, cell);
        // The json file gives the time in another form, which would make this another run.
        if twin(content, "json").is_some() {
            builder.run.info.started = None;
        }
        builder.finish(&mut found, options)?;
    }
    Ok(found)
}

fn fill<'a>(
    builder: &mut RunBuilder,
    columns: &BTreeMap<String, usize>,
    cell: impl Fn(&str) -> Option<&'a str>,
) {
    let number = |name: &str| cell(name).and_then(fields::number).map(|number| number.value);
    for (column, stem, factor) in LATENCIES {
        for name in columns.keys().filter(|name| name.starts_with(column)) {
            let word = &name[column.len()..].trim_start_matches('/').replace(' ', "_");
            if let Some(prefix) = statistic(word) {
                builder.scaled(&format!("{prefix}_{stem}_ms"), number(name), *factor);
            }
        }
        if let Some(list) = cell(&format!("{column}/Percentiles")) {
            percentiles_of_cell(builder, stem, list, *factor);
        }
    }
    for (column, name) in RATES {
        builder.metric(name, number(column));
    }
    let count = |name: &str| {
        let mut slot = builder.run.clone();
        cell(name)
            .filter(|text| fields::set(&mut slot, fields::RunField::Completed, name, text))
            .and(slot.info.completed)
    };
    let (completed, failed) = (count("Request Counts/Successful"), count("Request Counts/Errored"));
    (builder.run.info.completed, builder.run.info.failed) = (completed, failed);
    let json = |name: &str| {
        let text = cell(name)?;
        objects("", text.as_bytes(), &[]).ok()?.pop().map(|tree| tree.root)
    };
    // `concurrent@2`, `constant@2.0`, `synchronous`.
    let strategy = cell("Benchmark/Strategy").unwrap_or_default();
    let (kind, level) = strategy.split_once('@').unwrap_or((strategy, ""));
    let level = fields::number(level).map(|number| number.value);
    load(builder, kind, level, None, level);
    if !json("Benchmark/Constraints").is_some_and(|limits| limits.has("max_requests")) {
        builder.timed();
    }
    let model = json("Run Info/Backend");
    builder.run.workload.model =
        model.as_ref().and_then(|backend: &Node| backend.text("model")).map(str::to_owned);
    builder.run.info.started = cell("Timings/Start Time").map(str::to_owned);
}
