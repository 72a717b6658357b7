//! `GuideLLM`'s `benchmarks.json` or `.yaml`: a report with an element per load point.
//!
//! Replicate: a file. Elements of one file are different loads, never repeats. Of each only the successful
//! requests are read. Its `inter_token_latency_ms` is TPOT; what it calls `time_per_output_token_ms`
//! includes the first token and is left out.

use crate::clients::llm_d::reports;
use crate::kit::prelude::*;
use beyondnoise_model::runs::{Definitions, ONE_OF_THE_VALUES, Setting};

pub(crate) const JSON: Reader = Reader {
    name: "guidellm report",
    marks: Marks::Any(&[
        Marks::Json(&["benchmarks", "scheduler_metrics|requests_per_second"]),
        Marks::Near(&["benchmarks:\n", "inter_token_latency_ms:\n"]),
    ]),
    one_run: "a file; its elements are different loads",
    metrics: SERVING,
    definitions: &[(
        "guidellm",
        Definitions { percentiles: Some(ONE_OF_THE_VALUES), ..Definitions::UNKNOWN },
    )],
    read: |content, options| Reading::of(content, options, read),
    ..Reader::EMPTY
};

/// Metric of the client, name of its latency, factor to milliseconds.
const LATENCIES: &[(&str, &str, f64)] = &[
    ("time_to_first_token_ms", "ttft", MS),
    ("inter_token_latency_ms", "tpot", MS),
    ("request_latency", "e2el", S),
];

/// Rates over time; only the mean is meaningful.
const RATES: &[(&str, &str)] = &[
    ("metrics/requests_per_second/successful/mean", "request_throughput"),
    ("metrics/output_tokens_per_second/successful/mean", "output_throughput"),
    ("metrics/tokens_per_second/successful/mean", "total_token_throughput"),
    ("metrics/prompt_tokens_per_second/successful/mean", "input_throughput"),
    ("metrics/request_goodput/successful/mean", "request_goodput"),
    ("duration", "duration"),
];

/// Where the versions hold the counts of requests.
const COUNTS: &[&str] = &[
    "metrics/request_totals",
    "request_totals",
    "scheduler_metrics/requests_made",
    "run_stats/requests_made",
];

fn read(file: &mut Reading) -> Result<(), Error> {
    for root in reports(file)? {
        for (index, benchmark) in root.items("benchmarks").iter().enumerate() {
            let mut builder = file.run("guidellm", index + 1, "benchmark");
            metrics(&mut builder, benchmark);
            settings(&mut builder, benchmark);
            file.add(builder)?;
        }
    }
    if file.found.runs.is_empty() && file.found.skipped.is_empty() {
        let problem = "expected at least one element in \"benchmarks\", found none";
        let remedy = "run the benchmark again, or remove the file";
        return Err(file.error(problem, remedy));
    }
    Ok(())
}

fn metrics(builder: &mut RunBuilder, benchmark: &Node) {
    for (key, stem, factor) in LATENCIES {
        let Some(values) = benchmark.at(&format!("metrics/{key}/successful")) else { continue };
        builder.latencies(stem, Some(values), *factor);
        for (word, value) in values.entries("percentiles") {
            if let Some(value) = value.number("") {
                percentile(builder, stem, word, Number::binary(value).times(*factor));
            }
        }
    }
    builder.metrics(benchmark, RATES);
    let count = |word: &str| COUNTS.iter().find_map(|at| benchmark.count(&format!("{at}/{word}")));
    let completed = count("successful");
    builder.counts(completed, count("errored"));
    if let Some(incomplete @ 1..) = count("incomplete") {
        builder.note(format!("{incomplete} requests were cut off at the end and are not counted"));
    }
    let sum = |key: &str| benchmark.count(&format!("metrics/{key}/successful/total_sum"));
    builder.tokens(sum("prompt_token_count"), sum("output_token_count"));
    let rows = benchmark.items("requests/successful");
    // A list that was cut to a sample is not the run.
    if completed == Some(rows.len() as u64) && !rows.is_empty() {
        let [ttft_ms, tpot_ms, e2el_ms] = [0, 1, 2].map(|at: usize| {
            let (key, _, factor) = LATENCIES[at];
            rows.iter().filter_map(|row| row.number(key)).map(|value| value * factor).collect()
        });
        builder.detail(Detail { ttft_ms, tpot_ms, e2el_ms, itl_ms: Vec::new() });
    }
}

fn settings(builder: &mut RunBuilder, benchmark: &Node) {
    if let Some(strategy) = benchmark.at("config/strategy|args/strategy|scheduler/strategy") {
        let kind = strategy.text("type_").unwrap_or_default();
        let [streams, most, rate] =
            ["streams", "max_concurrency", "rate"].map(|key| strategy.number(key));
        load(builder, kind, streams, most, rate);
    }
    let limited = ["config/constraints", "args", "scheduler/constraints"]
        .iter()
        .any(|at| benchmark.has(&format!("{at}/max_requests|{at}/max_number")));
    if !limited {
        builder.timed();
    }
    builder.run.workload.model = benchmark
        .word("config/backend/model|args/backend_model|worker/backend_model|backend/model");
    builder.run.info.started = benchmark.shown("start_time");
}

/// The load of a strategy; a limit that the client does not set is unlimited.
pub(crate) fn load(
    builder: &mut RunBuilder,
    kind: &str,
    streams: Option<f64>,
    most: Option<f64>,
    rate: Option<f64>,
) {
    builder.load("strategy", Some(kind.to_owned()));
    match kind {
        "synchronous" => builder.concurrency(Some(1.0)),
        "concurrent" => builder.concurrency(streams.or(most)),
        "throughput" => {
            builder.concurrency(most);
            builder.run.workload.request_rate = Setting::Unlimited;
        }
        _ => {
            builder.rate(rate);
            builder.concurrency(most);
        }
    }
}

/// Notes a percentile: `p999` is 99.9 and `p001` is 0.1; two digits are a whole percentile.
pub(crate) fn percentile(builder: &mut RunBuilder, stem: &str, word: &str, value: Number) {
    match word {
        "p999" => builder.latency("p99.9", stem, value),
        _ if word.len() == 3 => builder.latency(word, stem, value),
        _ => {}
    }
}
