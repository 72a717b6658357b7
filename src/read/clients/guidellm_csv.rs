//! `GuideLLM`'s `benchmarks.csv`: three rows of headings (group, metric, statistic), then a row per load point.
//!
//! Replicate: a file; rows of one file are different loads. The JSON file of the same benchmark has the same figures,
//! and equal runs count once.

use std::collections::BTreeMap;

use crate::clients::guidellm::{load, percentile};
use crate::kit::csv_rows::malformed;
use crate::kit::prelude::*;
use crate::kit::siblings::twin;

pub(crate) const CSV: Reader = Reader {
    name: "guidellm csv",
    marks: Marks::Starts(&["Run Info,"]),
    recognised_by: "Server Throughput or Request Latency in the rows of headings",
    one_run: "a file; its rows are different loads",
    metrics: SERVING,
    recognise: |content, _| {
        let start = &content.bytes()[..content.bytes().len().min(1 << 14)];
        contains(start, b"Server Throughput") || contains(start, b"Request Latency")
    },
    read: |content, options| Reading::of(content, options, read),
    ..Reader::EMPTY
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

/// Names of the percentiles in a cell `Percentiles`, in their order.
const IN_A_CELL: [&str; 11] =
    ["p001", "p01", "p05", "p10", "p25", "p50", "p75", "p90", "p95", "p99", "p999"];

fn read(file: &mut Reading) -> Result<(), Error> {
    let text = file.content.text();
    let mut reader =
        csv::ReaderBuilder::new().has_headers(false).flexible(true).from_reader(text.as_bytes());
    let bad = |error: csv::Error| malformed(file.content.path, text.as_bytes(), &error);
    let rows: Vec<csv::StringRecord> =
        reader.records().map(|row| row.map_err(bad)).collect::<Result<_, _>>()?;
    let [groups, metrics, statistics, values @ ..] = &rows[..] else {
        let problem = format!("expected three rows of headings, found {}", rows.len());
        return Err(file.error(problem, "give the whole file, or the json file"));
    };
    let mut columns: BTreeMap<String, usize> = BTreeMap::new();
    for (index, group) in groups.iter().enumerate() {
        let parts = [Some(group), metrics.get(index), statistics.get(index)];
        let name: Vec<&str> = parts.into_iter().flatten().filter(|part| !part.is_empty()).collect();
        columns.entry(name.join("/")).or_insert(index);
    }
    for (index, row) in values.iter().enumerate() {
        let cell = |name: &str| row.get(*columns.get(name)?).filter(|cell| !cell.is_empty());
        let mut builder = file.run("guidellm", index + 4, "row");
        metrics_of(&mut builder, &columns, cell);
        settings(&mut builder, cell);
        // The json file gives the time in another form, which would make this another run.
        if twin(file.content, "json").is_some() {
            builder.run.info.started = None;
        }
        file.add(builder)?;
    }
    file.needs_rows()
}

fn metrics_of<'a>(
    builder: &mut RunBuilder,
    columns: &BTreeMap<String, usize>,
    cell: impl Fn(&str) -> Option<&'a str>,
) {
    let value = |name: &str| Some(number(cell(name)?)?.value);
    for (column, stem, factor) in LATENCIES {
        for name in columns.keys().filter(|name| name.starts_with(column)) {
            let word = name[column.len()..].trim_start_matches('/').replace(' ', "_");
            if let Some(value) = value(name) {
                builder.latency(&word, stem, Number::binary(value).times(*factor));
            }
        }
        let list = cell(&format!("{column}/Percentiles")).unwrap_or_default();
        let values: Vec<&str> = list.trim_matches(['[', ']']).split(',').map(str::trim).collect();
        if values.len() == IN_A_CELL.len() {
            for (word, Number { value, .. }) in
                IN_A_CELL.iter().zip(values).filter_map(|(word, text)| Some((word, number(text)?)))
            {
                percentile(builder, stem, word, Number::binary(value).times(*factor));
            }
        }
    }
    for (column, name) in RATES {
        builder.metric(name, value(column));
    }
    let count = |name: &str| {
        let value = value(name).filter(|value| *value >= 0.0 && value.fract() == 0.0);
        value.map(whole)
    };
    builder.counts(count("Request Counts/Successful"), count("Request Counts/Errored"));
}

fn settings<'a>(builder: &mut RunBuilder, cell: impl Fn(&str) -> Option<&'a str>) {
    let json = |name: &str| objects("", cell(name)?.as_bytes()).ok()?.pop();
    // `concurrent@2`, `constant@2.0`, `synchronous`.
    let strategy = cell("Benchmark/Strategy").unwrap_or_default();
    let (kind, level) = strategy.split_once('@').unwrap_or((strategy, ""));
    let level = number(level).map(|number| number.value);
    load(builder, kind, level, None, level);
    if !json("Benchmark/Constraints").is_some_and(|limits| limits.has("max_requests")) {
        builder.timed();
    }
    builder.run.workload.model = json("Run Info/Backend").and_then(|backend| backend.word("model"));
    builder.run.info.started = cell("Timings/Start Time").map(str::to_owned);
}
