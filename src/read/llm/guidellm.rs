//! `GuideLLM`'s `benchmarks.json` or `.yaml`: a report with an element per load point.
//!
//! Replicate: a file. Elements of one file are different loads, never repeats. Of each only the successful
//! requests are read. Its `inter_token_latency_ms` is TPOT; what it calls `time_per_output_token_ms`
//! includes the first token and is left out.

use crate::error::Error;
use crate::read::detail::Detail;
use crate::read::fields::Number;
use crate::read::llm::llm_d::reports;
use crate::read::llm::run_builder::{MS, RunBuilder, S, statistic};
use crate::read::llm::tree::Node;
use crate::read::llm::{json_with, near};
use crate::read::{Content, Found, Options, Reader, SERVING};
use crate::runs::Setting;

pub(super) const JSON: Reader = Reader {
    name: "guidellm report",
    recognised_by: "a list benchmarks with scheduler_metrics or requests_per_second",
    one_run: "a file; its elements are different loads",
    metrics: SERVING,
    recognise: |content, _| {
        let report = json_with(content, &["benchmarks"]);
        let marked = ["\"scheduler_metrics\"", "\"requests_per_second\""];
        let yaml = ["benchmarks:\n", "inter_token_latency_ms:\n"];
        report && marked.iter().any(|key| near(content, key))
            || yaml.iter().all(|key| near(content, key))
    },
    read,
};

/// Metric of the client, name of its latency, factor to milliseconds.
const LATENCIES: &[(&str, &str, f64)] = &[
    ("time_to_first_token_ms", "ttft", MS),
    ("inter_token_latency_ms", "tpot", MS),
    ("request_latency", "e2el", S),
];

/// Rates over time; only the mean is meaningful.
const RATES: &[(&str, &str)] = &[
    ("requests_per_second", "request_throughput"),
    ("output_tokens_per_second", "output_throughput"),
    ("tokens_per_second", "total_token_throughput"),
    ("prompt_tokens_per_second", "input_throughput"),
    ("request_goodput", "request_goodput"),
];

/// Fields of requests that are not numbers.
const UNWANTED: &[&str] = &["request_args", "output", "pdf", "traceback", "info", "conclusions"];

fn read(content: &Content, options: &Options) -> Result<Found, Error> {
    let mut found = Found::default();
    for tree in reports(content, UNWANTED)? {
        for (index, benchmark) in tree.root.items("benchmarks").iter().enumerate() {
            let mut builder = RunBuilder::new(content, "guidellm", index + 1, "benchmark");
            metrics(&mut builder, benchmark);
            settings(&mut builder, benchmark);
            builder.finish(&mut found, options)?;
        }
    }
    if found.runs.is_empty() && found.skipped.is_empty() {
        let problem = "expected at least one element in \"benchmarks\", found none";
        return Err(Error::file(
            content.path,
            problem,
            "run the benchmark again, or remove the file",
        ));
    }
    Ok(found)
}

fn metrics(builder: &mut RunBuilder, benchmark: &Node) {
    for (key, stem, factor) in LATENCIES {
        let Some(values) = benchmark.at(&format!("metrics/{key}/successful")) else { continue };
        builder.latency(stem, Some(values), *factor);
        for (word, value) in values.at("percentiles").map(Node::entries).unwrap_or_default() {
            if let (Some(prefix), Node::Number(value)) = (percentile(word), value) {
                builder.scaled(&format!("{prefix}_{stem}_ms"), Some(*value), *factor);
            }
        }
    }
    for (key, name) in RATES {
        builder.metric(name, benchmark.number(&format!("metrics/{key}/successful/mean")));
    }
    builder.metric("duration", benchmark.number("duration"));
    let totals = [
        "metrics/request_totals",
        "request_totals",
        "scheduler_metrics/requests_made",
        "run_stats/requests_made",
    ];
    let count =
        |word: &str| totals.iter().find_map(|at| benchmark.count_at(&format!("{at}/{word}")));
    let incomplete = count("incomplete").unwrap_or(0);
    builder.run.info.completed = count("successful");
    builder.run.info.failed = count("errored");
    if incomplete > 0 {
        builder.note(format!("{incomplete} requests were cut off at the end and are not counted"));
    }
    let sum = |key: &str| benchmark.count_at(&format!("metrics/{key}/successful/total_sum"));
    builder.run.workload.input_tokens = sum("prompt_token_count");
    builder.run.info.output_tokens = sum("output_token_count");
    let rows = benchmark.items("requests/successful");
    // A list that was cut to a sample is not the run.
    if builder.run.info.completed == Some(rows.len() as u64) && !rows.is_empty() {
        let all = |key: &str, factor: f64| {
            rows.iter().filter_map(|row| row.number(key)).map(|value| value * factor).collect()
        };
        builder.detail(Detail {
            ttft_ms: all("time_to_first_token_ms", MS),
            tpot_ms: all("inter_token_latency_ms", MS),
            e2el_ms: all("request_latency", S),
            itl_ms: Vec::new(),
        });
    }
}

fn settings(builder: &mut RunBuilder, benchmark: &Node) {
    let first = |paths: &[&str]| paths.iter().find_map(|path| benchmark.at(path));
    if let Some(strategy) = first(&["config/strategy", "args/strategy", "scheduler/strategy"]) {
        let kind = strategy.text("type_").unwrap_or_default();
        load(
            builder,
            kind,
            strategy.number("streams"),
            strategy.number("max_concurrency"),
            strategy.number("rate"),
        );
    }
    let constraints = ["config/constraints", "args", "scheduler/constraints"];
    let limited = constraints.iter().any(|at| {
        benchmark.has(&format!("{at}/max_requests")) || benchmark.has(&format!("{at}/max_number"))
    });
    if !limited {
        builder.timed();
    }
    let model =
        ["config/backend/model", "args/backend_model", "worker/backend_model", "backend/model"];
    builder.run.workload.model =
        model.iter().find_map(|path| benchmark.text(path)).map(str::to_owned);
    builder.run.info.started = benchmark.shown("start_time");
}

/// The load of a strategy; a limit that the client does not set is unlimited.
pub(super) fn load(
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

/// `p999` is 99.9 and `p001` is 0.1; two digits are a whole percentile.
fn percentile(word: &str) -> Option<String> {
    if word == "p999" {
        Some("p99.9".to_owned())
    } else {
        statistic(word).filter(|_| word.len() == 3)
    }
}

/// Names of the eleven percentiles of a cell, in their order.
const IN_A_CELL: [&str; 11] =
    ["p001", "p01", "p05", "p10", "p25", "p50", "p75", "p90", "p95", "p99", "p999"];

/// Notes the percentiles that a cell of the CSV lists.
pub(super) fn percentiles_of_cell(builder: &mut RunBuilder, stem: &str, cell: &str, factor: f64) {
    let values = cell.trim_matches(['[', ']']).split(',').map(str::trim);
    let numbers: Vec<Option<Number>> = values.map(crate::read::fields::number).collect();
    if numbers.len() != IN_A_CELL.len() {
        return;
    }
    for (word, number) in IN_A_CELL.iter().zip(numbers) {
        if let (Some(prefix), Some(number)) = (percentile(word), number) {
            builder.scaled(&format!("{prefix}_{stem}_ms"), Some(number.value), factor);
        }
    }
}
