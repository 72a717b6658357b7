//! Ray's llmperf: `*_summary.json`, flat and in seconds, and `*_individual_responses.json`, a list of requests.
//!
//! Replicate: a summary, which is one call of the client; a file may collect several under keys. The list of requests
//! makes one run where no summary lies beside it. Its `inter_token_latency_s` is the end-to-end latency over the tokens
//! of a request, first token included: it is neither TPOT nor ITL and keeps a name of its own.

use std::path::Path;

use crate::kit::prelude::*;
use crate::kit::siblings::beside;
use beyondnoise_model::runs::{Definitions, MEAN_OF_EACH};

/// A key that every summary has.
const MARK: &str = "results_ttft_s_mean";

pub(crate) const SUMMARY: Reader = Reader {
    name: "llmperf summary json",
    marks: Marks::Json(&[MARK]),
    one_run: "a summary, which is one call of the client",
    metrics: SERVING,
    definitions: &[("llmperf", Definitions { itl: Some(MEAN_OF_EACH), ..Definitions::UNKNOWN })],
    read: |content, options| Reading::of(content, options, summary),
    ..Reader::EMPTY
};

pub(crate) const ROWS: Reader = Reader {
    name: "llmperf request rows",
    marks: Marks::Json(&["error_code", "ttft_s", "end_to_end_latency_s"]),
    one_run: "a file; its elements are requests of one run",
    metrics: SERVING,
    read: |content, options| Reading::of(content, options, rows),
    ..Reader::EMPTY
};

/// Start of the keys of a quantity, name of the latency.
const LATENCIES: &[(&str, &str)] = &[
    ("results_ttft_s_", "ttft"),
    ("results_end_to_end_latency_s_", "e2el"),
    ("results_inter_token_latency_s_", "normalized_tpot"),
];

const TOTALS: &[(&str, &str)] = &[
    ("results_mean_output_throughput_token_per_s", "output_throughput"),
    ("results_request_output_throughput_token_per_s_mean", "user_throughput"),
];

fn summary(file: &mut Reading) -> Result<(), Error> {
    let trees = file.trees()?;
    let summaries: Vec<(Option<&str>, &Node)> = trees.iter().flat_map(summaries).collect();
    // Other keys than the number in flight are settings of all.
    let in_flight = |root: &Node| root.shown("num_concurrent_requests");
    let other = |(key, root): &(Option<&str>, &Node)| in_flight(root).as_deref() != *key;
    let keyed = summaries.iter().any(other);
    for (index, (key, root)) in summaries.into_iter().enumerate() {
        let mut builder = file.run("llmperf", index + 1, "object");
        for (start, stem) in LATENCIES {
            for (key, value) in root.entries("") {
                if let (Some(word), Some(value)) = (key.strip_prefix(start), value.number("")) {
                    let word = word.strip_prefix("quantiles_").unwrap_or(word);
                    builder.latency(word, stem, Number::binary(value).times(S));
                }
            }
        }
        builder.metrics(root, TOTALS);
        let per_minute = root.number("results_num_completed_requests_per_min");
        builder.scaled("request_throughput", per_minute, 1.0 / 60.0);
        builder.counts(
            root.count("results_num_completed_requests"),
            root.count("results_number_errors"),
        );
        builder.run.workload.requests = root.count("results_num_requests_started");
        builder.run.workload.model = root.word("model");
        builder.run.info.started = root.shown("timestamp");
        builder.concurrency(root.number("num_concurrent_requests"));
        builder.load("key", key.filter(|_| keyed).map(str::to_owned));
        for part in ["input", "output"] {
            for key in [format!("mean_{part}_tokens"), format!("stddev_{part}_tokens")] {
                builder.load(&key, root.shown(&key));
            }
        }
        builder.properties(root, &["framework"]);
        file.add(builder)?;
    }
    Ok(())
}

/// The summaries of an object: the object itself, or if people collected several under keys such as the number in
/// flight, each of these with its key.
fn summaries(root: &Node) -> Vec<(Option<&str>, &Node)> {
    if root.has(MARK) {
        return vec![(None, root)];
    }
    let mut collected = Vec::new();
    for (key, node) in root.entries("") {
        let marked = node.listed().iter().filter(|item| item.has(MARK));
        collected.extend(marked.map(|item| (Some(&**key), item)));
    }
    if collected.is_empty() { vec![(None, root)] } else { collected }
}

fn rows(file: &mut Reading) -> Result<(), Error> {
    let name = Path::new(file.content.path).file_name().unwrap_or_default().to_string_lossy();
    if beside(file.content, &name.replace("individual_responses", "summary")).is_some() {
        return file.nothing("the requests of the run in the summary beside it");
    }
    let mut sums = RequestSums::default();
    for row in file.trees()? {
        // The latencies of a failed request are zero or meaningless.
        if row.has("error_code") {
            sums.failed += 1;
            continue;
        }
        sums.completed += 1;
        sums.requests.ttft_ms.extend(row.number("ttft_s").map(|value| value * S));
        sums.requests.e2el_ms.extend(row.number("end_to_end_latency_s").map(|value| value * S));
        sums.input += row.count("number_input_tokens").unwrap_or(0);
        sums.output += row.count("number_output_tokens").unwrap_or(0);
    }
    let mut builder = file.run("llmperf", 1, "");
    builder.sums(sums);
    file.add(builder)
}
