//! llm-d's benchmark report, versions 0.1 and 0.2, as YAML or JSON.
//!
//! Replicate: a file, which is one stage of one run of the harness. The report wraps the results of other clients and
//! keeps their definitions: the client is named with it. The unit is beside each value and differs between harnesses.

use crate::kit::prelude::*;
use crate::kit::yaml::document;

pub(crate) const REPORT: Reader = Reader {
    name: "llm-d report",
    recognised_by: "key request_performance, or version, scenario, metrics and normalized_time_per_output_token",
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
    read: |content, options| Reading::of(content, options, read),
    ..Reader::EMPTY
};

const LATENCIES: &[(&str, &str)] = &[
    ("time_to_first_token", "ttft"),
    ("time_per_output_token", "tpot"),
    ("inter_token_latency", "itl"),
    ("request_latency", "e2el"),
    ("normalized_time_per_output_token", "normalized_tpot"),
];

/// Paths in versions 0.1 and 0.2, metric.
const TOTALS: &[(&str, &str)] = &[
    ("throughput/requests_per_sec|throughput/request_rate/mean", "request_throughput"),
    ("throughput/output_tokens_per_sec|throughput/output_token_rate/mean", "output_throughput"),
    ("throughput/total_tokens_per_sec|throughput/total_token_rate/mean", "total_token_throughput"),
    ("throughput/input_tokens_per_sec|throughput/input_token_rate/mean", "input_throughput"),
    ("time/duration", "duration"),
];

/// The objects of a report in either notation.
pub(crate) fn reports(file: &Reading) -> Result<Vec<Node>, Error> {
    if json_with(file.content, &[]) {
        file.trees()
    } else {
        Ok(vec![document(file.content.path, &file.content.text())?])
    }
}

fn read(file: &mut Reading) -> Result<(), Error> {
    for (index, root) in reports(file)?.iter().enumerate() {
        let Some(results) = root.at("results/request_performance/aggregate|metrics") else {
            let problem = "expected results.request_performance.aggregate, found none";
            let remedy = "run the benchmark again, or remove the file";
            return Err(file.error(problem, remedy));
        };
        let tool = root.text("scenario/load/standardized/tool|scenario/load/name");
        let client = format!("llm-d {}", tool.unwrap_or("unknown client"));
        let mut builder = file.run(&client, index + 1, "object");
        metrics(&mut builder, results);
        settings(&mut builder, root);
        file.add(builder)?;
    }
    Ok(())
}

fn metrics(builder: &mut RunBuilder, results: &Node) {
    for (key, stem) in LATENCIES {
        let Some(values) = results.at(&format!("latency/{key}")) else { continue };
        let unit = values.text("units").unwrap_or("");
        match to_ms(unit) {
            Some(factor) => builder.latencies(stem, Some(values), factor),
            None => builder.note(format!("{key} is in \"{unit}\", which is no unit of time")),
        }
    }
    builder.metrics(results, TOTALS);
    let total = results.count("requests/total");
    let failed = results.count("requests/failures");
    let lost = failed.unwrap_or(0) + results.count("requests/incomplete").unwrap_or(0);
    builder.counts(total.map(|total| total.saturating_sub(lost)), failed);
    builder.run.workload.requests = total;
}

fn settings(builder: &mut RunBuilder, root: &Node) {
    builder.rate(root.number("scenario/load/standardized/rate_qps"));
    builder.concurrency(root.number("scenario/load/standardized/concurrency"));
    builder.loads(
        root,
        &[
            ("stage", "scenario/load/standardized/stage"),
            ("input_len", "scenario/load/standardized/input_seq_len/value"),
            ("output_len", "scenario/load/standardized/output_seq_len/value"),
        ],
    );
    builder.run.workload.model =
        root.word("scenario/stack/0/standardized/model/name|scenario/model/name");
    builder.run.info.started = root.shown("run/time/start|metrics/time/start");
    builder.run.name = root.word("run/uid");
    // `PT49.97S`
    let duration = root.text("run/time/duration");
    let seconds = duration.and_then(|text| text.strip_prefix("PT")?.strip_suffix('S'));
    builder.metric("duration", seconds.and_then(|text| text.parse().ok()));
    builder.timed();
}
