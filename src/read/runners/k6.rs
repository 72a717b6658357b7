//! k6: `--summary-export`, the data of `handleSummary` and the newer machine-readable summary.
//!
//! Replicate: a file, which is one test. How many requests a test makes follows from its duration, so their
//! number is a result and not a part of the workload.

use crate::error::Error;
use crate::read::llm::run_builder::{MS, RunBuilder};
use crate::read::llm::tree::Node;
use crate::read::runners::{expected, json_with, trees, whole};
use crate::read::{Content, Found, Options, Reader};

pub(super) const SUMMARY: Reader = Reader {
    name: "k6 summary json",
    recognised_by: "key metrics with http_reqs, iterations, vus or the key root_group",
    one_run: "a file, which is one test",
    metrics: &["request_throughput", "iterations_per_s", "mean_e2el_ms", "mean_ttfb_ms"],
    recognise: |content, _| {
        ["root_group", "http_reqs", "iteration_duration", "vus_max"]
            .iter()
            .any(|key| json_with(content, &["metrics", key]))
            && !json_with(content, &["benchmarks"])
    },
    read,
};

/// Trends of k6 and the latencies that they are.
pub(super) const TRENDS: &[(&str, &str)] = &[
    ("http_req_duration", "e2el"),
    ("http_req_waiting", "ttfb"),
    ("iteration_duration", "iteration"),
];

/// Parts of a request, which its duration sums up.
const PARTS: &str = "http_req_";

fn read(content: &Content, options: &Options) -> Result<Found, Error> {
    let mut found = Found::default();
    for (index, root) in trees(content)?.iter().enumerate() {
        let metrics = metrics(root);
        if metrics.is_empty() {
            return Err(expected(content, "metrics", "at least one metric", root.at("metrics")));
        }
        let value = |metric: &str, key: &str| {
            metrics.iter().find(|(name, _)| *name == metric).and_then(|(_, m)| m.number(key))
        };
        let mut builder = RunBuilder::new(content, "k6", index + 1, "object");
        builder.timed();
        builder.load("vus_max", value("vus_max", "max").map(|vus| vus.to_string()));
        builder.metric("request_throughput", value("http_reqs", "rate"));
        builder.metric("iterations_per_s", value("iterations", "rate"));
        let seconds = root.number("state/testRunDurationMs").map(|ms| ms / 1e3);
        builder.metadata("test_duration_s", seconds.map(|s| s.to_string()));
        let failed = value("http_req_failed", "passes");
        if let (Some(failed), Some(all)) = (failed, value("http_reqs", "count")) {
            (builder.run.info.failed, builder.run.info.completed) =
                (Some(whole(failed)), Some(whole(all - failed)));
        }
        let wrong = value("checks", "fails").filter(|fails| *fails > 0.0);
        builder.metadata("failed_checks", wrong.map(|fails| fails.to_string()));
        let mut parts = 0;
        for (name, values) in &metrics {
            if let Some((_, stem)) = TRENDS.iter().find(|(trend, _)| trend == name) {
                for (key, value) in values.entries() {
                    if let (Some(prefix), Node::Number(value)) = (statistic(key), value) {
                        builder.scaled(&format!("{prefix}_{stem}_ms"), Some(*value), MS);
                    }
                }
            } else if name.starts_with(PARTS) {
                parts += 1;
            } else if let Some(median) = values.number("med") {
                // A trend of the script: what it measures, and which way is better, only its author knows.
                builder.metric(&format!("mean_{name}"), values.number("avg"));
                builder.metric(&format!("median_{name}"), Some(median));
            }
        }
        if parts > 0 {
            builder.note(format!(
                "{parts} metrics of parts of a request, which its duration includes"
            ));
        }
        builder.finish(&mut found, options)?;
    }
    Ok(found)
}

/// Name and values of each metric, without those that count a part of the requests by their tags.
fn metrics(root: &Node) -> Vec<(&str, &Node)> {
    let listed = root.items("results/metrics").iter().chain(root.items("metrics"));
    let mut all: Vec<(&str, &Node)> =
        listed.filter_map(|metric| Some((metric.text("name")?, metric.at("values")?))).collect();
    for (name, metric) in root.at("metrics").map_or(&[][..], Node::entries) {
        all.push((name, metric.at("values").unwrap_or(metric)));
    }
    all.retain(|(name, _)| !name.contains('{'));
    all
}

/// The prefix of a metric for what k6 calls a statistic: `avg`, `med`, `p(95)`.
pub(super) fn statistic(key: &str) -> Option<String> {
    Some(match key {
        "avg" => "mean".to_owned(),
        "med" => "median".to_owned(),
        "max" => "max".to_owned(),
        _ => {
            let percent: f64 = key.strip_prefix("p(")?.strip_suffix(')')?.parse().ok()?;
            return (percent > 50.0 && percent < 100.0).then(|| format!("p{percent}"));
        }
    })
}
