//! Ray's llmperf: `*_summary.json`, flat and in seconds, and `*_individual_responses.json`, a list of requests.
//!
//! Replicate: a summary, which is one call of the client; a file may collect several under keys. The list of requests makes one run where no
//! summary lies beside it. Its `inter_token_latency_s` is the end-to-end latency over the tokens of a
//! request, first token included: it is neither TPOT nor ITL and keeps a name of its own.

use crate::error::Error;
use crate::read::detail::Detail;
use crate::read::llm::json_with;
use crate::read::llm::run_builder::{RunBuilder, S, statistic};
use crate::read::llm::siblings::beside;
use crate::read::llm::tree::{Node, objects};
use crate::read::{Content, Found, Options, Reader, SERVING};
use crate::runs::Skipped;

/// A key that every summary has.
const MARK: &str = "results_ttft_s_mean";

pub(super) const SUMMARY: Reader = Reader {
    name: "llmperf summary json",
    recognised_by: "the key results_ttft_s_mean",
    one_run: "a summary, which is one call of the client",
    metrics: SERVING,
    recognise: |content, _| json_with(content, &[MARK]),
    read: summary,
};

pub(super) const ROWS: Reader = Reader {
    name: "llmperf request rows",
    recognised_by: "a list of objects with error_code, ttft_s and end_to_end_latency_s",
    one_run: "a file; its elements are requests of one run",
    metrics: SERVING,
    recognise: |content, _| json_with(content, &["error_code", "ttft_s", "end_to_end_latency_s"]),
    read: rows,
};

/// Quantity of the client, name of the latency.
const LATENCIES: &[(&str, &str)] = &[
    ("ttft_s", "ttft"),
    ("end_to_end_latency_s", "e2el"),
    ("inter_token_latency_s", "normalized_tpot"),
];

fn summary(content: &Content, options: &Options) -> Result<Found, Error> {
    let mut found = Found::default();
    let trees = objects(content.path, content.bytes(), &[])?;
    let summaries: Vec<(Option<&str>, &Node)> =
        trees.iter().flat_map(|tree| summaries(&tree.root)).collect();
    // Other keys than the number in flight are settings of all.
    let in_flight = |root: &Node| root.shown("num_concurrent_requests");
    let other = |(key, root): &(Option<&str>, &Node)| in_flight(root).as_deref() != *key;
    let keyed = summaries.iter().any(other);
    for (index, (key, root)) in summaries.into_iter().enumerate() {
        let mut builder = RunBuilder::new(content, "llmperf", index + 1, "object");
        for (quantity, stem) in LATENCIES {
            let start = format!("results_{quantity}_");
            for (key, _) in root.entries() {
                let Some(word) = key.strip_prefix(&start) else { continue };
                let word = word.strip_prefix("quantiles_").unwrap_or(word);
                if let Some(prefix) = statistic(word) {
                    builder.scaled(&format!("{prefix}_{stem}_ms"), root.number(key), S);
                }
            }
        }
        builder
            .metric("output_throughput", root.number("results_mean_output_throughput_token_per_s"));
        let per_minute = root.number("results_num_completed_requests_per_min");
        builder.scaled("request_throughput", per_minute, 1.0 / 60.0);
        let per_user = root.number("results_request_output_throughput_token_per_s_mean");
        builder.metric("user_throughput", per_user);
        builder.run.info.completed = root.count_at("results_num_completed_requests");
        builder.run.info.failed = root.count_at("results_number_errors");
        builder.run.workload.requests = root.count_at("results_num_requests_started");
        builder.run.workload.model = root.text("model").map(str::to_owned);
        builder.run.info.started = root.shown("timestamp");
        builder.concurrency(root.number("num_concurrent_requests"));
        builder.load("key", key.filter(|_| keyed).map(str::to_owned));
        for key in [
            "mean_input_tokens",
            "stddev_input_tokens",
            "mean_output_tokens",
            "stddev_output_tokens",
        ] {
            builder.load(key, root.shown(key));
        }
        builder.metadata("framework", root.shown("framework"));
        builder.finish(&mut found, options)?;
    }
    Ok(found)
}

/// The summaries of an object: itself, or where people collect several under keys such as the number in flight, each
/// of them with its key.
fn summaries(root: &Node) -> Vec<(Option<&str>, &Node)> {
    if root.has(MARK) {
        return vec![(None, root)];
    }
    let collected: Vec<_> =
        root.entries().iter().flat_map(|(key, node)| of_key(key, node)).collect();
    if collected.is_empty() { vec![(None, root)] } else { collected }
}

fn of_key<'a>(key: &'a str, node: &'a Node) -> Vec<(Option<&'a str>, &'a Node)> {
    let items = match node {
        Node::List(items) => items.as_slice(),
        node => std::slice::from_ref(node),
    };
    items.iter().filter(|item| item.has(MARK)).map(|item| (Some(key), item)).collect()
}

fn rows(content: &Content, options: &Options) -> Result<Found, Error> {
    let mut found = Found::default();
    let name = std::path::Path::new(content.path).file_name().map(|name| name.to_string_lossy());
    let summary = name.map(|name| name.replace("individual_responses", "summary"));
    if summary.is_some_and(|name| beside(content, &name).is_some()) {
        let why = "the requests of the run in the summary beside it".to_owned();
        found.skipped.push(Skipped { place: "file".to_owned(), why });
        return Ok(found);
    }
    let mut builder = RunBuilder::new(content, "llmperf", 1, "");
    let mut requests = Detail::default();
    let (mut completed, mut failed, mut input, mut output) = (0, 0, 0, 0);
    for tree in objects(content.path, content.bytes(), &[])? {
        let row = &tree.root;
        // The latencies of a failed request are zero or meaningless.
        if row.has("error_code") {
            failed += 1;
            continue;
        }
        completed += 1;
        requests.ttft_ms.extend(row.number("ttft_s").map(|value| value * S));
        requests.e2el_ms.extend(row.number("end_to_end_latency_s").map(|value| value * S));
        input += row.count_at("number_input_tokens").unwrap_or(0);
        output += row.count_at("number_output_tokens").unwrap_or(0);
    }
    (builder.run.info.completed, builder.run.info.failed) = (Some(completed), Some(failed));
    builder.run.workload.input_tokens = (input > 0).then_some(input);
    builder.run.info.output_tokens = (output > 0).then_some(output);
    builder.requests(requests);
    builder.finish(&mut found, options)?;
    Ok(found)
}
