//! `benchmark_data.db` of `EvalScope`: a row per request.
//!
//! Replicate: a file, whose rows are requests of one run. Beside `benchmark_summary.json` it is the detail of
//! that run; alone it makes the run. The column of pickled answers is passed over.

use std::path::Path;

use crate::error::Error;
use crate::read::detail::Detail;
use crate::read::llm::run_builder::{RunBuilder, S};
use crate::read::llm::siblings::{beside, time_stamp};
use crate::read::llm::sqlite::{Rows, SqlValue, table};
use crate::read::llm::tree::objects;
use crate::read::{Content, Found, Options, Reader, SERVING, contains};
use crate::runs::Skipped;

pub(super) const DATABASE: Reader = Reader {
    name: "evalscope database",
    recognised_by: "an SQLite file with a table result of requests",
    one_run: "a file; its rows are requests of one run",
    metrics: SERVING,
    recognise: |content, _| {
        let start = &content.bytes()[..content.bytes().len().min(1 << 14)];
        start.starts_with(b"SQLite format 3\0")
            && (contains(start, b"inter_token_latencies") || contains(start, b"chunk_times"))
    },
    read,
};

/// Name of the summary of the same run.
const SUMMARY: &str = "benchmark_summary.json";

/// Figures of the run from its rows.
#[derive(Default)]
struct Sums {
    requests: Detail,
    completed: u64,
    failed: u64,
    input: u64,
    output: u64,
    first: f64,
    last: f64,
}

fn read(content: &Content, options: &Options) -> Result<Found, Error> {
    let mut found = Found::default();
    if beside(content, SUMMARY).is_some() {
        let why = format!("belongs to {SUMMARY} beside it");
        found.skipped.push(Skipped { place: "file".to_owned(), why });
        return Ok(found);
    }
    let Some(sums) = table(content.bytes(), "result").map(|rows| sums(&rows)) else {
        let problem = "expected a table `result` of requests, found a damaged database";
        return Err(Error::file(content.path, problem, "copy it again, or remove the file"));
    };
    let mut builder = RunBuilder::new(content, "evalscope", 1, "");
    (builder.run.info.completed, builder.run.info.failed) =
        (Some(sums.completed), Some(sums.failed));
    builder.run.workload.input_tokens = (sums.input > 0).then_some(sums.input);
    builder.run.info.output_tokens = (sums.output > 0).then_some(sums.output);
    builder.run.info.started = time_stamp(content);
    if sums.last > sums.first {
        builder.metric("duration", Some(sums.last - sums.first));
    }
    builder.requests(sums.requests);
    builder.finish(&mut found, options)?;
    Ok(found)
}

/// Request detail of the run whose summary this is.
pub(super) fn detail(content: &Content) -> Option<Detail> {
    let path = beside(content, "benchmark_data.db")?;
    let bytes = std::fs::read(Path::new(&path)).ok()?;
    table(&bytes, "result").map(|rows| sums(&rows).requests)
}

fn sums(Rows { columns, rows }: &Rows) -> Sums {
    let mut sums = Sums { first: f64::INFINITY, last: f64::NEG_INFINITY, ..Sums::default() };
    let column = |name: &str| columns.iter().position(|known| known == name);
    for row in rows {
        let number = |name: &str| match row.get(column(name)?) {
            Some(SqlValue::Number(value)) if value.is_finite() => Some(*value),
            _ => None,
        };
        // Success is 0 or 1.
        if number("success").is_none_or(|success| success < 0.5) {
            sums.failed += 1;
            continue;
        }
        sums.completed += 1;
        let requests = &mut sums.requests;
        requests.e2el_ms.extend(number("latency").map(|value| value * S));
        requests.ttft_ms.extend(number("first_chunk_latency").map(|value| value * S));
        requests.tpot_ms.extend(number("time_per_output_token").map(|value| value * S));
        if let Some(Some(SqlValue::Text(list))) =
            column("inter_token_latencies").map(|at| row.get(at))
        {
            requests.itl_ms.extend(gaps(list));
        }
        if let Some(start) = number("start_time") {
            sums.first = sums.first.min(start);
            let end = number("completed_time").unwrap_or(start);
            sums.last = sums.last.max(end);
        }
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "counts of tokens, and saturating"
        )]
        let count = |name: &str| number(name).map_or(0, |value| value as u64);
        sums.input = sums.input.saturating_add(count("prompt_tokens"));
        sums.output = sums.output.saturating_add(count("completion_tokens"));
    }
    sums
}

/// A JSON list of seconds, in milliseconds.
fn gaps(list: &str) -> Vec<f64> {
    let wrapped = format!("{{\"x\": {list}}}");
    let root = objects("", wrapped.as_bytes(), &[]).ok().and_then(|mut all| all.pop());
    let values = root.map(|tree| tree.root.numbers("x")).unwrap_or_default();
    values.into_iter().map(|value| value * S).collect()
}
