//! SGLang's `bench_one_batch`, `bench_one_batch_server` and `bench_offline_throughput`: a line a setting.
//!
//! Replicate: a line, which is one batch or one call of the client; files are appended to. Lines of one invocation
//! share a server process. Values below 0 mean no data.

use crate::error::Error;
use crate::read::llm::run_builder::{RunBuilder, S};
use crate::read::llm::tree::{Node, objects};
use crate::read::llm::{json_with, near};
use crate::read::{Content, Found, Options, Reader};

pub(super) const ONE_BATCH: Reader = Reader {
    name: "sglang one_batch jsonl",
    recognised_by: "keys run_name, batch_size and prefill_latency or overall_throughput",
    one_run: "a line, which is one batch",
    metrics: &["output_throughput"],
    recognise: |content, _| {
        json_with(content, &["run_name", "batch_size"])
            && (near(content, "\"prefill_latency\"") || near(content, "\"overall_throughput\""))
    },
    read: |content, options| read(content, options, one_batch),
};

pub(super) const OFFLINE: Reader = Reader {
    name: "sglang offline jsonl",
    recognised_by: "keys backend, successful_requests and total_latency",
    one_run: "a line, which is one call of the client",
    metrics: &["duration", "request_throughput", "output_throughput", "total_token_throughput"],
    recognise: |content, _| {
        json_with(content, &["backend", "successful_requests", "total_latency"])
    },
    read: |content, options| read(content, options, offline),
};

fn read(
    content: &Content,
    options: &Options,
    fill: fn(&Content, usize, &Node) -> RunBuilder,
) -> Result<Found, Error> {
    let mut found = Found::default();
    for tree in objects(content.path, content.bytes(), &["server_info"])? {
        fill(content, tree.index, &tree.root).finish(&mut found, options)?;
    }
    Ok(found)
}

fn one_batch(content: &Content, index: usize, root: &Node) -> RunBuilder {
    let mut builder = RunBuilder::new(content, "sglang one_batch", index, "object");
    let positive = |key: &str| root.number(key).filter(|value| *value >= 0.0);
    builder.metric("duration", positive("total_latency").or_else(|| positive("latency")));
    builder.metric("total_token_throughput", positive("overall_throughput"));
    builder.metric("input_throughput", positive("input_throughput"));
    builder.metric("output_throughput", positive("output_throughput"));
    builder.metric("last_gen_throughput", positive("last_gen_throughput"));
    builder.metric("prefill_throughput", positive("prefill_throughput"));
    builder.metric("median_decode_throughput", positive("median_decode_throughput"));
    // All requests of a batch share its prefill, and every step gives each a token.
    builder.scaled("mean_ttft_ms", positive("prefill_latency"), S);
    builder.scaled("median_tpot_ms", positive("median_decode_latency"), S);
    builder.scaled("max_ttft_ms", positive("last_ttft"), S);
    builder.metric("spec_decode_acceptance_length", positive("acc_length"));
    builder.run.info.output_tokens = root.count_at("total_output_tokens");
    for key in ["batch_size", "input_len", "output_len"] {
        builder.load(key, root.shown(key));
    }
    let name = root.text("run_name").filter(|name| *name != "default");
    name.unwrap_or("").clone_into(&mut builder.run.variant);
    builder
}

fn offline(content: &Content, index: usize, root: &Node) -> RunBuilder {
    let mut builder = RunBuilder::new(content, "sglang offline", index, "object");
    let positive = |key: &str| root.number(key).filter(|value| *value >= 0.0);
    builder.metric("duration", positive("total_latency"));
    for (name, key) in [
        ("request_throughput", "request_throughput"),
        ("input_throughput", "input_throughput"),
        ("output_throughput", "output_throughput"),
        ("total_token_throughput", "total_throughput"),
        ("last_gen_throughput", "last_gen_throughput"),
    ] {
        builder.metric(name, positive(key));
    }
    builder.run.info.completed = root.count_at("successful_requests");
    builder.run.workload.input_tokens = root.count_at("total_input_tokens");
    builder.run.info.output_tokens = root.count_at("total_output_tokens");
    builder.metadata("backend", root.shown("backend"));
    builder
}
