//! Kubernetes' inference-perf: `stage_<N>_lifecycle_metrics.json` and `summary_lifecycle_metrics.json`.
//!
//! Replicate: a report folder, which is one call of the client. A stage is one load; the summary mixes all stages and
//! is read only if there is no stage beside it. Seconds throughout. The number of requests follows from rate and time
//! and is not a setting. `*_prometheus_metrics.json` holds the server's counts of the same load, and is read only if
//! the client's own file is not beside it.

use std::path::Path;

use crate::kit::prelude::*;
use crate::kit::siblings::beside;

pub(crate) const JSON: Reader = Reader {
    name: "inference-perf json",
    marks: Marks::Json(&["load_summary", "successes", "failures"]),
    one_run: "a stage of a report, which is one load of one call of the client",
    metrics: SERVING,
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

/// Path in the client's file, or in that of the server.
const TOTALS: &[(&str, &str)] = &[
    ("successes/throughput/requests_per_sec|successes/rate", "request_throughput"),
    ("successes/throughput/output_tokens_per_sec|successes/output_len/rate", "output_throughput"),
    ("successes/throughput/total_tokens_per_sec", "total_token_throughput"),
    ("successes/throughput/input_tokens_per_sec|successes/prompt_len/rate", "input_throughput"),
];

fn read(file: &mut Reading) -> Result<(), Error> {
    let name = Path::new(file.content.path).file_name().unwrap_or_default().to_string_lossy();
    let stage_beside = || beside(file.content, &name.replace("summary_", "stage_0_")).is_some();
    if name.starts_with("summary_") && stage_beside() {
        return file.nothing("mixes the stages that lie beside it");
    }
    for (index, root) in file.trees()?.iter().enumerate() {
        let server = of_server(root);
        let lifecycle = name.replace("prometheus", "lifecycle");
        if server && beside(file.content, &lifecycle).is_some() {
            let why = format!("the server's counts for the load in {lifecycle} beside it");
            file.skip("file", why);
            continue;
        }
        let client = if server { "inference-perf, server" } else { "inference-perf" };
        let mut builder = file.run(client, index + 1, "object");
        for (key, stem) in LATENCIES {
            let path = format!("successes/latency/{key}|successes/{key}");
            builder.latencies(stem, root.at(&path), S);
        }
        builder.metrics(root, TOTALS);
        builder.run.info.completed = root.count("successes/count");
        if server {
            builder.note(
                "figures of the server: percentiles are estimates from the buckets of a histogram",
            );
        } else {
            builder.run.info.failed = root.count("failures/count");
            builder.rate(root.number("load_summary/requested_rate"));
        }
        let stage = name.strip_prefix("stage_").and_then(|rest| rest.split('_').next());
        builder.load("stage", stage.map(str::to_owned));
        builder.timed();
        file.add(builder)?;
    }
    Ok(())
}

/// Whether a report holds the server's metrics from Prometheus: its load is empty, its latencies are beside the
/// count.
fn of_server(root: &Node) -> bool {
    let latencies = ["request_latency", "time_to_first_token", "time_per_output_token"];
    !root.has("successes/latency")
        && latencies.iter().any(|key| root.has(&format!("successes/{key}/mean")))
}
