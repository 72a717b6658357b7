//! `AIPerf`'s `profile_export.jsonl` (a line a request) and its tables for people.
//!
//! Replicate: a file. Its lines are requests of one run and become that run; warm-up requests are left out.
//! Beside `profile_export_aiperf.json` these files repeat the run and are not read.

use crate::clients::genai_perf::summary_beside;
use crate::kit::prelude::*;

pub(crate) const REQUESTS: Reader = Reader {
    name: "aiperf request rows",
    marks: Marks::Json(&["metadata", "metrics", "request_start_ns", "benchmark_phase"]),
    one_run: "a file; its lines are requests of one run",
    metrics: SERVING,
    read: |content, options| Reading::of(content, options, read),
    ..Reader::EMPTY
};

/// A table whose exact form is the JSON file.
pub(crate) const TABLE: Reader = Reader {
    name: "aiperf csv",
    marks: Marks::Starts(&["Metric,avg,min,max,"]),
    recognised_by: "the JSON file is beside it",
    one_run: "none: it repeats the json file beside it",
    recognise: |content, _| summary_beside(content),
    read: |_, _| Ok(Found::nothing("repeats the json file beside it")),
    ..Reader::EMPTY
};

fn read(file: &mut Reading) -> Result<(), Error> {
    if summary_beside(file.content) {
        return file.nothing("the requests of the run in the json file beside it");
    }
    let mut builder = file.run("aiperf", 1, "");
    let mut sums = RequestSums::default();
    let mut warm_up = 0;
    let (mut first, mut last) = (f64::INFINITY, f64::NEG_INFINITY);
    for row in file.trees()? {
        if row.text("metadata/benchmark_phase").is_some_and(|phase| phase != "profiling") {
            warm_up += 1;
            continue;
        }
        if let Some((start, end)) =
            row.number("metadata/request_start_ns").zip(row.number("metadata/request_end_ns"))
        {
            first = first.min(start);
            last = last.max(end);
        }
        if row.has("error") || row.flag("metadata/was_cancelled") == Some(true) {
            sums.failed += 1;
            continue;
        }
        sums.completed += 1;
        sums.requests.ttft_ms.extend(ms(&row, "time_to_first_token"));
        sums.requests.tpot_ms.extend(ms(&row, "inter_token_latency"));
        sums.requests.e2el_ms.extend(ms(&row, "request_latency"));
        sums.requests.itl_ms.extend(ms(&row, "inter_chunk_latency"));
        sums.input += row.count("metrics/input_sequence_length/value").unwrap_or(0);
        sums.output += row.count("metrics/output_sequence_length/value").unwrap_or(0);
    }
    if warm_up > 0 {
        builder.note(format!("{warm_up} warm-up requests are not counted"));
    }
    if last > first {
        builder.scaled("duration", Some(last - first), 1e-9);
    }
    builder.sums(sums);
    file.add(builder)
}

/// The value of a metric, or the values in its list.
fn ms(row: &Node, metric: &str) -> impl Iterator<Item = f64> {
    let factor = row.text(&format!("metrics/{metric}/unit")).and_then(to_ms).unwrap_or(MS);
    let path = format!("metrics/{metric}/value");
    row.number(&path).into_iter().chain(row.numbers(&path)).map(move |value| value * factor)
}
