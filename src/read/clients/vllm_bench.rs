//! `vllm bench throughput` and `vllm bench latency`, and the `*.pytorch.json` twins that both leave.
//!
//! Replicate: a file, which is one process. The `latencies` of the latency benchmark are iterations inside
//! that process and make one run.

use crate::kit::prelude::*;

pub(crate) const THROUGHPUT: Reader = Reader {
    name: "vllm throughput json",
    marks: Marks::Json(&["elapsed_time", "requests_per_second", "tokens_per_second"]),
    one_run: "a file, which is one process",
    metrics: &["duration", "request_throughput", "total_token_throughput"],
    read: |content, options| {
        Reading::each_object(content, options, "vllm bench throughput", throughput)
    },
    ..Reader::EMPTY
};

pub(crate) const LATENCY: Reader = Reader {
    name: "vllm latency json",
    marks: Marks::Json(&["avg_latency", "latencies", "percentiles"]),
    one_run: "a file; its latencies are iterations of one process",
    metrics: &["mean_e2el_ms", "median_e2el_ms", "p99_e2el_ms"],
    read: |content, options| Reading::each_object(content, options, "vllm bench latency", latency),
    ..Reader::EMPTY
};

pub(crate) const TWIN: Reader = Reader {
    name: "pytorch benchmark json",
    marks: Marks::Json(&["benchmark", "metric", "benchmark_values"]),
    one_run: "none: it repeats the result beside it",
    read: |_, _| Ok(Found::nothing("repeats the result file beside it, which is the one to give")),
    ..Reader::EMPTY
};

fn throughput(builder: &mut RunBuilder, root: &Node) {
    let totals = [
        ("elapsed_time", "duration"),
        ("requests_per_second", "request_throughput"),
        ("tokens_per_second", "total_token_throughput"),
    ];
    builder.metrics(root, &totals);
    builder.run.workload.requests = root.count("num_requests");
    builder.run.workload.model = root.word("model_id");
    // Prompt and generated tokens together: the file has no other count.
    builder.properties(root, &["total_num_tokens"]);
}

fn latency(builder: &mut RunBuilder, root: &Node) {
    builder.scaled("mean_e2el_ms", root.number("avg_latency"), S);
    // Keys are bare: "10", "50", "99".
    for (percent, value) in root.entries("percentiles") {
        if let Some(value) = value.number("") {
            builder.latency(&format!("{percent}%"), "e2el", Number::binary(value).times(S));
        }
    }
    let iterations: Vec<f64> = root.numbers("latencies").iter().map(|s| s * S).collect();
    builder.iterations(iterations.len());
    builder.requests(Detail { e2el_ms: iterations, ..Detail::default() });
}
