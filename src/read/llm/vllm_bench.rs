//! `vllm bench throughput` and `vllm bench latency`, and the `*.pytorch.json` twins that both leave.
//!
//! Replicate: a file, which is one process. The `latencies` of the latency benchmark are iterations inside
//! that process and make one run.

use crate::error::Error;
use crate::read::detail::Detail;
use crate::read::llm::json_with;
use crate::read::llm::run_builder::{RunBuilder, S, statistic};
use crate::read::llm::tree::{Node, objects};
use crate::read::{Content, Found, Options, Reader};
use crate::runs::Skipped;

pub(super) const THROUGHPUT: Reader = Reader {
    name: "vllm throughput json",
    recognised_by: "keys elapsed_time, requests_per_second and tokens_per_second",
    one_run: "a file, which is one process",
    metrics: &["duration", "request_throughput", "total_token_throughput"],
    recognise: |content, _| {
        json_with(content, &["elapsed_time", "requests_per_second", "tokens_per_second"])
    },
    read: throughput,
};

pub(super) const LATENCY: Reader = Reader {
    name: "vllm latency json",
    recognised_by: "keys avg_latency, latencies and percentiles",
    one_run: "a file; its latencies are iterations of one process",
    metrics: &["mean_e2el_ms", "median_e2el_ms", "p99_e2el_ms"],
    recognise: |content, _| json_with(content, &["avg_latency", "latencies", "percentiles"]),
    read: latency,
};

pub(super) const TWIN: Reader = Reader {
    name: "pytorch benchmark json",
    recognised_by: "keys benchmark, metric and benchmark_values",
    one_run: "none: it repeats the result beside it",
    metrics: &[],
    recognise: |content, _| json_with(content, &["benchmark", "metric", "benchmark_values"]),
    read: |_, _| {
        let why = "repeats the result file beside it, which is the one to give".to_owned();
        Ok(Found { skipped: vec![Skipped { place: "file".to_owned(), why }], ..Found::default() })
    },
};

fn throughput(content: &Content, options: &Options) -> Result<Found, Error> {
    let mut found = Found::default();
    for tree in objects(content.path, content.bytes(), &[])? {
        let root = &tree.root;
        let mut builder = RunBuilder::new(content, "vllm bench throughput", tree.index, "object");
        builder.metric("duration", root.number("elapsed_time"));
        builder.metric("request_throughput", root.number("requests_per_second"));
        builder.metric("total_token_throughput", root.number("tokens_per_second"));
        builder.run.workload.requests = root.count_at("num_requests");
        builder.run.workload.model = root.text("model_id").map(str::to_owned);
        // Prompt and generated tokens together: the file has no other count.
        builder.metadata("total_num_tokens", root.shown("total_num_tokens"));
        builder.finish(&mut found, options)?;
    }
    Ok(found)
}

fn latency(content: &Content, options: &Options) -> Result<Found, Error> {
    let mut found = Found::default();
    for tree in objects(content.path, content.bytes(), &[])? {
        let root = &tree.root;
        let mut builder = RunBuilder::new(content, "vllm bench latency", tree.index, "object");
        builder.scaled("mean_e2el_ms", root.number("avg_latency"), S);
        // Keys are bare: "10", "50", "99".
        for (percent, value) in root.at("percentiles").map(Node::entries).unwrap_or_default() {
            if let (Some(prefix), Node::Number(value)) = (statistic(&format!("p{percent}")), value)
            {
                builder.scaled(&format!("{prefix}_e2el_ms"), Some(*value), S);
            }
        }
        let iterations: Vec<f64> = root.numbers("latencies").iter().map(|s| s * S).collect();
        builder.iterations(iterations.len());
        builder.requests(Detail { e2el_ms: iterations, ..Detail::default() });
        builder.finish(&mut found, options)?;
    }
    Ok(found)
}
