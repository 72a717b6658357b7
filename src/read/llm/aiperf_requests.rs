//! `AIPerf`'s `profile_export.jsonl` (a line a request) and its tables for people.
//!
//! Replicate: a file. Its lines are requests of one run and become that run; warm-up requests are left out.
//! Beside `profile_export_aiperf.json` these files repeat the run and are not read.

use crate::error::Error;
use crate::read::detail::Detail;
use crate::read::llm::genai_perf::summary_beside;
use crate::read::llm::json_with;
use crate::read::llm::run_builder::{MS, RunBuilder, to_ms};
use crate::read::llm::tree::{Node, objects};
use crate::read::{Content, Found, Options, Reader, SERVING};
use crate::runs::Skipped;

pub(super) const REQUESTS: Reader = Reader {
    name: "aiperf request rows",
    recognised_by: "lines with metadata, metrics and request_start_ns",
    one_run: "a file; its lines are requests of one run",
    metrics: SERVING,
    recognise: |content, _| {
        json_with(content, &["metadata", "metrics", "request_start_ns", "benchmark_phase"])
    },
    read,
};

/// A table whose exact form is the JSON file.
pub(super) const TABLE: Reader = Reader {
    name: "aiperf csv",
    recognised_by: "a header Metric,avg,min,max beside the json file",
    one_run: "none: it repeats the json file beside it",
    metrics: &[],
    recognise: |content, _| {
        content.bytes().starts_with(b"Metric,avg,min,max,") && summary_beside(content)
    },
    read: |_, _| {
        let why = "repeats the json file beside it".to_owned();
        Ok(Found { skipped: vec![Skipped { place: "file".to_owned(), why }], ..Found::default() })
    },
};

fn read(content: &Content, options: &Options) -> Result<Found, Error> {
    let mut found = Found::default();
    if summary_beside(content) {
        let why = "the requests of the run in the json file beside it".to_owned();
        found.skipped.push(Skipped { place: "file".to_owned(), why });
        return Ok(found);
    }
    let mut builder = RunBuilder::new(content, "aiperf", 1, "");
    let mut requests = Detail::default();
    let (mut completed, mut failed, mut warm_up) = (0, 0, 0);
    let (mut first, mut last) = (f64::INFINITY, f64::NEG_INFINITY);
    let (mut input, mut output) = (0, 0);
    for tree in objects(content.path, content.bytes(), &["payload", "responses"])? {
        let row = &tree.root;
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
        if row.has("error") || row.text("metadata/was_cancelled") == Some("true") {
            failed += 1;
            continue;
        }
        completed += 1;
        requests.ttft_ms.extend(ms(row, "time_to_first_token"));
        requests.tpot_ms.extend(ms(row, "inter_token_latency"));
        requests.e2el_ms.extend(ms(row, "request_latency"));
        let factor = row.text("metrics/inter_chunk_latency/unit").and_then(to_ms).unwrap_or(MS);
        let gaps = row.numbers("metrics/inter_chunk_latency/value");
        requests.itl_ms.extend(gaps.iter().map(|gap| gap * factor));
        input += row.count_at("metrics/input_sequence_length/value").unwrap_or(0);
        output += row.count_at("metrics/output_sequence_length/value").unwrap_or(0);
    }
    if warm_up > 0 {
        builder.note(format!("{warm_up} warm-up requests are not counted"));
    }
    (builder.run.info.completed, builder.run.info.failed) = (Some(completed), Some(failed));
    builder.run.workload.input_tokens = (input > 0).then_some(input);
    builder.run.info.output_tokens = (output > 0).then_some(output);
    if last > first {
        builder.scaled("duration", Some(last - first), 1e-9);
    }
    builder.requests(requests);
    builder.finish(&mut found, options)?;
    Ok(found)
}

fn ms(row: &Node, metric: &str) -> Option<f64> {
    let factor = row.text(&format!("metrics/{metric}/unit")).and_then(to_ms).unwrap_or(MS);
    row.number(&format!("metrics/{metric}/value")).map(|value| value * factor)
}
