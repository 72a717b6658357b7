//! `EvalScope` perf: a folder per load point with `benchmark_summary.json`, `benchmark_percentile.json`,
//! `benchmark_args.json` and a database of requests, which is not read.
//!
//! Replicate: a folder, which is one call of the client; repeats are below other time stamps. The summary is the run;
//! its neighbours are read with it. Units are in the keys and changed with the versions.

use crate::kit::prelude::*;
use crate::kit::siblings::{beside, json_beside, time_stamp};
use beyondnoise_model::runs::{Definitions, ONE_OF_THE_VALUES};

pub(crate) const SUMMARY: Reader = Reader {
    name: "evalscope summary json",
    recognised_by: "the JSON key Test Duration (s) or Time taken for tests (s)",
    one_run: "a folder, which is one call of the client",
    metrics: SERVING,
    definitions: &[(
        "evalscope",
        Definitions { percentiles: Some(ONE_OF_THE_VALUES), ..Definitions::EXACT },
    )],
    recognise: |content, _| {
        json_with(content, &[])
            && (near(content, "\"Test Duration (s)\"") || near(content, "\"Time taken for tests ("))
    },
    read: |content, options| {
        Reading::each_object(content, options, "evalscope", |builder, root| {
            summary(builder, root);
            for rows in json_beside(content, "benchmark_percentile.json") {
                percentiles(builder, &rows);
            }
            if let [args] = &json_beside(content, "benchmark_args.json")[..] {
                arguments(builder, args);
            }
            builder.run.info.started = time_stamp(content);
            builder.rounded();
        })
    },
    ..Reader::EMPTY
};

/// The neighbours of the summary.
pub(crate) const PARTS: Reader = Reader {
    name: "evalscope part",
    recognised_by: "the neighbours of benchmark_summary.json, among them its database",
    one_run: "none: the summary is the run",
    recognise: |content, _| {
        is_database(content) || PARTS_BY_KEYS.iter().any(|keys| json_with(content, keys))
    },
    read: |content, _| {
        let database = is_database(content);
        let start =
            if database { "a database of requests: the result is in" } else { "belongs to" };
        let end = match beside(content, "benchmark_summary.json") {
            Some(_) => " beside it",
            None => ", which is not beside it",
        };
        Ok(Found::nothing(&format!("{start} benchmark_summary.json{end}")))
    },
    ..Reader::EMPTY
};

const PARTS_BY_KEYS: &[&[&str]] = &[
    &["sla_num_runs", "parallel"],
    &["Percentiles"],
    &["n_samples", "wall_time_s", "rows"],
    &["wall_start", "points"],
];

fn is_database(content: &Content) -> bool {
    let start = &content.bytes()[..content.bytes().len().min(1 << 14)];
    start.starts_with(b"SQLite format 3\0")
        && (contains(start, b"inter_token_latencies") || contains(start, b"chunk_times"))
}

/// Key without its unit, lower case; name of the latency.
const LATENCIES: &[(&[&str], &str)] = &[
    (&["avg ttft", "ttft", "average time to first token"], "ttft"),
    (&["avg tpot", "tpot", "average time per output token"], "tpot"),
    (&["avg itl", "itl", "average inter-token latency", "average package latency"], "itl"),
    (&["avg latency", "latency", "average latency"], "e2el"),
];

/// Key without its unit, lower case; name of the total.
const TOTALS: &[(&[&str], &str)] = &[
    (&["test duration", "time taken for tests"], "duration"),
    (&["req throughput", "request throughput", "average qps"], "request_throughput"),
    (&["output throughput", "output token throughput", "throughput"], "output_throughput"),
    (&["total throughput", "total token throughput"], "total_token_throughput"),
    (&["input throughput", "input token throughput"], "input_throughput"),
];

/// The name of a key, and the factor of a time to milliseconds: `Avg TTFT (ms)`.
fn named(
    names: &[(&[&str], &'static str)],
    key: &str,
) -> (String, Option<&'static str>, Option<f64>) {
    let (bare, unit) = key.split_once('(').unwrap_or((key, ""));
    let bare = bare.trim().to_lowercase();
    let known = names.iter().find(|(all, _)| all.contains(&bare.as_str()));
    (bare, known.map(|(_, name)| *name), to_ms(unit.trim_end_matches(')')))
}

fn summary(builder: &mut RunBuilder, root: &Node) {
    let (mut input, mut output, mut unknown) = (None, None, Vec::new());
    for (key, value) in root.entries("") {
        let Some(number) = value.number("") else { continue };
        let count = value.count("");
        if let (_, Some(stem), factor) = named(LATENCIES, key) {
            if let Some(factor) = factor {
                builder.scaled(&format!("mean_{stem}_ms"), Some(number), factor);
            }
            continue;
        }
        let (bare, total, _) = named(TOTALS, key);
        if let Some(name) = total {
            builder.metric(name, Some(number));
            continue;
        }
        match bare.as_str() {
            "concurrency" | "number of concurrency" => builder.concurrency(Some(number)),
            "request rate" => builder.rate(Some(number)),
            "success requests" | "succeed requests" => builder.run.info.completed = count,
            "failed requests" => builder.run.info.failed = count,
            "total requests" => builder.run.workload.requests = count,
            "avg input tokens" | "average input tokens per request" => input = Some(number),
            "avg output tokens" | "average output tokens per request" => output = Some(number),
            "stream requests" | "non-stream requests" => {}
            _ => unknown.push(&**key),
        }
    }
    let completed = builder.run.info.completed.unwrap_or(0) as f64;
    let total = |mean: Option<f64>| mean.map(|mean| whole(mean * completed)).filter(|n| *n > 0);
    builder.tokens(total(input), total(output));
    if !unknown.is_empty() {
        builder.note(format!("not read: {}", unknown.join(", ")));
    }
}

/// A list of rows `{"Percentiles": "99%", "TTFT (ms)": 38.76}`, or in older versions an object of lists;
/// one row at a time comes here.
fn percentiles(builder: &mut RunBuilder, rows: &Node) {
    let Some(words) = rows.at("Percentiles") else { return };
    for (key, value) in rows.entries("") {
        let (_, Some(stem), Some(factor)) = named(LATENCIES, key) else { continue };
        for (word, value) in words.listed().iter().zip(value.listed()) {
            if let Some(value) = value.number("") {
                let word = word.shown("").unwrap_or_default();
                builder.latency(&word, stem, Number::binary(value).times(factor));
            }
        }
    }
}

fn arguments(builder: &mut RunBuilder, args: &Node) {
    builder.run.workload.model = args.word("model");
    builder.run.workload.dataset = args.word("dataset");
    for key in
        ["max_prompt_length", "min_prompt_length", "max_tokens", "min_tokens", "prefix_length"]
    {
        builder.load(key, args.shown(key));
    }
    if args.has("duration") {
        builder.timed();
        builder.load("duration", args.shown("duration"));
    }
}
