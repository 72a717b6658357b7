//! SGLang's `bench_one_batch`, `bench_one_batch_server` and `bench_offline_throughput`: a line a setting.
//!
//! Replicate: a line, which is one batch or one call of the client; files are appended to. Lines of one invocation
//! share a server process. Values below 0 mean no data.

use crate::kit::prelude::*;
use beyondnoise_model::runs::Definitions;

pub(crate) const ONE_BATCH: Reader = Reader {
    name: "sglang one_batch jsonl",
    marks: Marks::Json(&["run_name", "batch_size", "prefill_latency|overall_throughput"]),
    one_run: "a line, which is one batch",
    metrics: &["output_throughput"],
    read: |content, options| Reading::each_object(content, options, "sglang one_batch", one_batch),
    ..Reader::EMPTY
};

pub(crate) const OFFLINE: Reader = Reader {
    name: "sglang offline jsonl",
    marks: Marks::Json(&["backend", "successful_requests", "total_latency"]),
    one_run: "a line, which is one call of the client",
    metrics: &["duration", "request_throughput", "output_throughput", "total_token_throughput"],
    definitions: &[("sglang offline", Definitions::EXACT)],
    read: |content, options| Reading::each_object(content, options, "sglang offline", offline),
    ..Reader::EMPTY
};

/// Metric, key, factor. All requests of a batch share its prefill, and every step gives each a token.
const OF_BATCH: &[(&str, &str, f64)] = &[
    ("duration", "total_latency|latency", 1.0),
    ("total_token_throughput", "overall_throughput", 1.0),
    ("input_throughput", "input_throughput", 1.0),
    ("output_throughput", "output_throughput", 1.0),
    ("last_gen_throughput", "last_gen_throughput", 1.0),
    ("prefill_throughput", "prefill_throughput", 1.0),
    ("median_decode_throughput", "median_decode_throughput", 1.0),
    ("mean_ttft_ms", "prefill_latency", S),
    ("median_tpot_ms", "median_decode_latency", S),
    ("max_ttft_ms", "last_ttft", S),
    ("spec_decode_acceptance_length", "acc_length", 1.0),
];

const OFFLINE_TOTALS: &[(&str, &str, f64)] = &[
    ("duration", "total_latency", 1.0),
    ("request_throughput", "request_throughput", 1.0),
    ("input_throughput", "input_throughput", 1.0),
    ("output_throughput", "output_throughput", 1.0),
    ("total_token_throughput", "total_throughput", 1.0),
    ("last_gen_throughput", "last_gen_throughput", 1.0),
];

fn metrics(builder: &mut RunBuilder, root: &Node, named: &[(&str, &str, f64)]) {
    let known = |node: &Node| node.number("").filter(|value| *value >= 0.0);
    for (metric, keys, factor) in named {
        builder.scaled(metric, root.first(keys, known), *factor);
    }
}

fn one_batch(builder: &mut RunBuilder, root: &Node) {
    metrics(builder, root, OF_BATCH);
    builder.run.info.output_tokens = root.count("total_output_tokens");
    for key in ["batch_size", "input_len", "output_len"] {
        builder.load(key, root.shown(key));
    }
    let name = root.text("run_name").filter(|name| *name != "default");
    name.unwrap_or("").clone_into(&mut builder.run.variant);
}

fn offline(builder: &mut RunBuilder, root: &Node) {
    metrics(builder, root, OFFLINE_TOTALS);
    builder.run.info.completed = root.count("successful_requests");
    builder.tokens(root.count("total_input_tokens"), root.count("total_output_tokens"));
    builder.properties(root, &["backend"]);
}
