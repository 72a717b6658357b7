//! k6: `--summary-export`, the data of `handleSummary` and the newer machine-readable summary.
//!
//! Replicate: a file, which is one test. How many requests a test makes follows from its duration, so their
//! number is a result and not a part of the workload.

use crate::kit::prelude::*;

pub(crate) const SUMMARY: Reader = Reader {
    name: "k6 summary json",
    marks: Marks::JsonPart(&[
        "metrics",
        "root_group|http_reqs|iteration_duration|vus_max",
        "!benchmarks",
    ]),
    one_run: "a file, which is one test",
    metrics: &["request_throughput", "iterations_per_s", "mean_e2el_ms", "mean_ttfb_ms"],
    read: |content, options| Reading::of(content, options, read),
    ..Reader::EMPTY
};

/// Trends of k6 and the latencies that they are.
pub(crate) const TRENDS: &[(&str, &str)] = &[
    ("http_req_duration", "e2el"),
    ("http_req_waiting", "ttfb"),
    ("iteration_duration", "iteration"),
];

/// Parts of a request, which its duration sums up.
const PARTS: &str = "http_req_";

fn read(file: &mut Reading) -> Result<(), Error> {
    for (index, root) in file.trees()?.iter().enumerate() {
        let metrics = metrics(root);
        if metrics.is_empty() {
            return Err(file.expected("metrics", "at least one metric", root.at("metrics")));
        }
        let mut builder = file.run("k6", index + 1, "object");
        totals(&mut builder, root, &metrics);
        let mut parts = 0;
        for (name, values) in &metrics {
            if let Some((_, stem)) = TRENDS.iter().find(|(trend, _)| trend == name) {
                builder.latencies(stem, Some(values), MS);
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
        file.add(builder)?;
    }
    Ok(())
}

/// Rates, counts and settings of the test.
fn totals(builder: &mut RunBuilder, root: &Node, metrics: &[(&str, &Node)]) {
    let value = |metric: &str, key: &str| {
        metrics.iter().find(|(name, _)| *name == metric).and_then(|(_, m)| m.number(key))
    };
    let text = |value: Option<f64>| value.map(|value| value.to_string());
    builder.timed();
    builder.load("vus_max", text(value("vus_max", "max")));
    builder.metric("request_throughput", value("http_reqs", "rate"));
    builder.metric("iterations_per_s", value("iterations", "rate"));
    let seconds = root.number("state/testRunDurationMs").map(|ms| ms / 1e3);
    builder.metadata("test_duration_s", text(seconds));
    if let (Some(failed), Some(all)) =
        (value("http_req_failed", "passes"), value("http_reqs", "count"))
    {
        builder.counts(Some(whole(all - failed)), Some(whole(failed)));
    }
    builder.metadata("failed_checks", text(value("checks", "fails").filter(|fails| *fails > 0.0)));
}

/// Name and values of each metric, without metrics that count the requests with a tag.
fn metrics(root: &Node) -> Vec<(&str, &Node)> {
    let listed = root.items("results/metrics").iter().chain(root.items("metrics"));
    let mut all: Vec<(&str, &Node)> =
        listed.filter_map(|metric| Some((metric.text("name")?, metric.at("values")?))).collect();
    for (name, metric) in root.entries("metrics") {
        all.push((name, metric.at("values").unwrap_or(metric)));
    }
    all.retain(|(name, _)| !name.contains('{'));
    all
}
