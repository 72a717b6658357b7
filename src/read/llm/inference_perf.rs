//! Kubernetes' inference-perf: `stage_<N>_lifecycle_metrics.json` and `summary_lifecycle_metrics.json`.
//!
//! Replicate: a report folder, which is one call of the client. A stage is one load; the summary mixes all stages and
//! is read only if there is no stage beside it. Seconds throughout. The number of requests follows from rate and time
//! and is not a setting. `*_prometheus_metrics.json` holds the server's counts of the same load, and is read only if
//! the client's own file is not beside it.

use std::path::Path;

use crate::error::Error;
use crate::read::llm::json_with;
use crate::read::llm::run_builder::{RunBuilder, S};
use crate::read::llm::siblings::beside;
use crate::read::llm::tree::{Node, objects};
use crate::read::{Content, Found, Options, Reader, SERVING};
use crate::runs::Skipped;

pub(super) const JSON: Reader = Reader {
    name: "inference-perf json",
    recognised_by: "keys load_summary, successes and failures",
    one_run: "a stage of a report, which is one load of one call of the client",
    metrics: SERVING,
    recognise: |content, _| json_with(content, &["load_summary", "successes", "failures"]),
    read,
};

const LATENCIES: &[(&str, &str)] = &[
    ("time_to_first_token", "ttft"),
    ("time_per_output_token", "tpot"),
    ("inter_token_latency", "itl"),
    ("request_latency", "e2el"),
    ("normalized_time_per_output_token", "normalized_tpot"),
];

const TOTALS: &[(&str, &str)] = &[
    ("requests_per_sec", "request_throughput"),
    ("output_tokens_per_sec", "output_throughput"),
    ("total_tokens_per_sec", "total_token_throughput"),
    ("input_tokens_per_sec", "input_throughput"),
];

fn read(content: &Content, options: &Options) -> Result<Found, Error> {
    let mut found = Found::default();
    let name = Path::new(content.path).file_name().map(|name| name.to_string_lossy().into_owned());
    let name = name.unwrap_or_default();
    if name.starts_with("summary_")
        && beside(content, &name.replace("summary_", "stage_0_")).is_some()
    {
        let why = "mixes the stages that lie beside it".to_owned();
        found.skipped.push(Skipped { place: "file".to_owned(), why });
        return Ok(found);
    }
    for tree in objects(content.path, content.bytes(), &[])? {
        let root = &tree.root;
        if of_server(root) {
            let lifecycle = name.replace("prometheus", "lifecycle");
            if beside(content, &lifecycle).is_some() {
                let why = format!("the server's counts for the load in {lifecycle} beside it");
                found.skipped.push(Skipped { place: "file".to_owned(), why });
            } else {
                server(content, options, (tree.index, root), &name, &mut found)?;
            }
            continue;
        }
        let mut builder = RunBuilder::new(content, "inference-perf", tree.index, "object");
        for (key, stem) in LATENCIES {
            builder.latency(stem, root.at(&format!("successes/latency/{key}")), S);
        }
        for (key, name) in TOTALS {
            builder.metric(name, root.number(&format!("successes/throughput/{key}")));
        }
        builder.run.info.completed = root.count_at("successes/count");
        builder.run.info.failed = root.count_at("failures/count");
        builder.rate(root.number("load_summary/requested_rate"));
        builder.load("stage", stage(&name));
        builder.timed();
        builder.finish(&mut found, options)?;
    }
    Ok(found)
}

/// The number of the stage in the name of a file.
fn stage(name: &str) -> Option<String> {
    let stage = name.strip_prefix("stage_").and_then(|rest| rest.split('_').next());
    stage.map(str::to_owned)
}

/// Whether a report holds the server's metrics from Prometheus: its load is empty, its latencies are beside the
/// count.
fn of_server(root: &Node) -> bool {
    let latencies = ["request_latency", "time_to_first_token", "time_per_output_token"];
    !root.has("successes/latency")
        && latencies.iter().any(|key| root.has(&format!("successes/{key}/mean")))
}

/// The run of `*_prometheus_metrics.json`: estimates of the server over the buckets of its histograms.
fn server(
    content: &Content,
    options: &Options,
    (index, root): (usize, &Node),
    name: &str,
    found: &mut Found,
) -> Result<(), Error> {
    let mut builder = RunBuilder::new(content, "inference-perf, server", index, "object");
    for (key, stem) in LATENCIES {
        builder.latency(stem, root.at(&format!("successes/{key}")), S);
    }
    builder.metric("request_throughput", root.number("successes/rate"));
    builder.metric("output_throughput", root.number("successes/output_len/rate"));
    builder.metric("input_throughput", root.number("successes/prompt_len/rate"));
    builder.run.info.completed = root.count_at("successes/count");
    builder.load("stage", stage(name));
    builder.timed();
    builder
        .note("figures of the server: percentiles are estimates from the buckets of a histogram");
    builder.finish(found, options)
}
