//! llm-d's benchmark report, versions 0.1 and 0.2, as YAML or JSON.
//!
//! Replicate: a file, which is one stage of one run of the harness. The report wraps the results of other clients and
//! keeps their definitions: the client is named with it. The unit is beside each value and differs between harnesses.

use crate::error::Error;
use crate::read::json::looks_like_json;
use crate::read::llm::near;
use crate::read::llm::run_builder::{RunBuilder, to_ms};
use crate::read::llm::tree::{Node, Tree, objects};
use crate::read::llm::yaml::document;
use crate::read::{Content, Found, Options, Reader, SERVING};

pub(super) const REPORT: Reader = Reader {
    name: "llm-d report",
    recognised_by: "request_performance, or scenario and metrics with time_to_first_token",
    one_run: "a file, which is one stage of one run of the harness",
    metrics: SERVING,
    recognise: |content, _| {
        let marked =
            |key: &str| near(content, &format!("\"{key}\"")) || near(content, &format!("{key}:"));
        marked("request_performance")
            || ["version", "scenario", "metrics", "normalized_time_per_output_token"]
                .iter()
                .all(|key| marked(key))
    },
    read,
};

const LATENCIES: &[(&str, &str)] = &[
    ("time_to_first_token", "ttft"),
    ("time_per_output_token", "tpot"),
    ("inter_token_latency", "itl"),
    ("request_latency", "e2el"),
    ("normalized_time_per_output_token", "normalized_tpot"),
];

/// Name in version 0.1, name in version 0.2, metric.
const TOTALS: &[(&str, &str, &str)] = &[
    ("requests_per_sec", "request_rate", "request_throughput"),
    ("output_tokens_per_sec", "output_token_rate", "output_throughput"),
    ("total_tokens_per_sec", "total_token_rate", "total_token_throughput"),
    ("input_tokens_per_sec", "input_token_rate", "input_throughput"),
];

/// The objects of a report in either notation.
pub(super) fn reports(content: &Content, unwanted: &[&str]) -> Result<Vec<Tree>, Error> {
    if looks_like_json(content.bytes()) {
        return objects(content.path, content.bytes(), unwanted);
    }
    let root = document(content.path, &content.text())?;
    Ok(vec![Tree { index: 1, root }])
}

fn read(content: &Content, options: &Options) -> Result<Found, Error> {
    let mut found = Found::default();
    for tree in reports(content, &["observability", "time_series"])? {
        let root = &tree.root;
        let results =
            root.at("results/request_performance/aggregate").or_else(|| root.at("metrics"));
        let Some(results) = results else {
            let problem = "expected results.request_performance.aggregate, found none";
            let remedy = "run the benchmark again, or remove the file";
            return Err(Error::file(content.path, problem, remedy));
        };
        let tool = ["scenario/load/standardized/tool", "scenario/load/name"];
        let tool = tool.iter().find_map(|path| root.text(path)).unwrap_or("unknown client");
        let mut builder = RunBuilder::new(content, &format!("llm-d {tool}"), tree.index, "object");
        metrics(&mut builder, results);
        settings(&mut builder, root);
        builder.finish(&mut found, options)?;
    }
    Ok(found)
}

fn metrics(builder: &mut RunBuilder, results: &Node) {
    for (key, stem) in LATENCIES {
        let Some(values) = results.at(&format!("latency/{key}")) else { continue };
        let unit = values.text("units").unwrap_or("");
        match to_ms(unit) {
            Some(factor) => builder.latency(stem, Some(values), factor),
            None => builder.note(format!("{key} is in \"{unit}\", which is no unit of time")),
        }
    }
    for (old, new, name) in TOTALS {
        let value = results.number(&format!("throughput/{old}"));
        builder.metric(name, value.or_else(|| results.number(&format!("throughput/{new}/mean"))));
    }
    builder.metric("duration", results.number("time/duration"));
    let total = results.count_at("requests/total");
    builder.run.info.failed = results.count_at("requests/failures");
    let lost =
        builder.run.info.failed.unwrap_or(0) + results.count_at("requests/incomplete").unwrap_or(0);
    builder.run.info.completed = total.map(|total| total.saturating_sub(lost));
    builder.run.workload.requests = total;
}

fn settings(builder: &mut RunBuilder, root: &Node) {
    let load = "scenario/load/standardized";
    builder.rate(root.number(&format!("{load}/rate_qps")));
    if let Some(Node::Number(limit)) = root.at(&format!("{load}/concurrency")) {
        builder.concurrency(Some(*limit));
    }
    for (name, path) in [
        ("stage", "stage"),
        ("input_len", "input_seq_len/value"),
        ("output_len", "output_seq_len/value"),
    ] {
        builder.load(name, root.shown(&format!("{load}/{path}")));
    }
    let model = ["scenario/stack/0/standardized/model/name", "scenario/model/name"];
    builder.run.workload.model = model.iter().find_map(|path| root.text(path)).map(str::to_owned);
    let started = ["run/time/start", "metrics/time/start"];
    builder.run.info.started = started.iter().find_map(|path| root.shown(path));
    builder.run.name = root.text("run/uid").map(str::to_owned);
    // `PT49.97S`
    let duration = root
        .text("run/time/duration")
        .and_then(|text| text.strip_prefix("PT")?.strip_suffix('S')?.parse().ok());
    builder.metric("duration", duration);
    builder.timed();
}
