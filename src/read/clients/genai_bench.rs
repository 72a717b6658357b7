//! genai-bench: a file per scenario and concurrency, and `experiment_metadata.json`, which holds the unit.
//!
//! Replicate: a file, which is one load of one call of the client. Latencies are in seconds unless the metadata in
//! the file has milliseconds. Tests end after a time or a number of requests, so the number of requests is not a
//! setting.

use crate::kit::prelude::*;
use crate::kit::siblings::json_beside;

pub(crate) const RUN: Reader = Reader {
    name: "genai-bench json",
    marks: Marks::Json(&["aggregated_metrics", "scenario", "stats"]),
    one_run: "a file, which is one load of one call of the client",
    metrics: SERVING,
    read: |content, options| Reading::of(content, options, read),
    ..Reader::EMPTY
};

pub(crate) const METADATA: Reader = Reader {
    name: "genai-bench metadata",
    marks: Marks::Json(&["experiment_folder_name", "traffic_scenario"]),
    one_run: "none: settings of the results beside it",
    read: |_, _| Ok(Found::nothing("settings of the results beside it")),
    ..Reader::EMPTY
};

const TOTALS: &[(&str, &str)] = &[
    ("run_duration", "duration"),
    ("requests_per_second", "request_throughput"),
    ("mean_output_throughput_tokens_per_s", "output_throughput"),
    ("mean_input_throughput_tokens_per_s", "input_throughput"),
    ("mean_total_tokens_throughput_tokens_per_s", "total_token_throughput"),
    ("stats/output_inference_speed/mean", "user_throughput"),
];

fn read(file: &mut Reading) -> Result<(), Error> {
    let metadata =
        json_beside(file.content, "experiment_metadata.json").pop().unwrap_or(Node::Null);
    let factor = if metadata.text("metrics_time_unit") == Some("ms") { MS } else { S };
    for (index, root) in file.trees()?.iter().enumerate() {
        let Some(sums) = root.at("aggregated_metrics") else { continue };
        let mut builder = file.run("genai-bench", index + 1, "object");
        for (key, stem) in [("ttft", "ttft"), ("tpot", "tpot"), ("e2e_latency", "e2el")] {
            builder.latencies(stem, sums.at(&format!("stats/{key}")), factor);
        }
        builder.metrics(sums, TOTALS);
        builder.scaled("request_throughput", sums.number("requests_per_minute"), 1.0 / 60.0);
        let completed = sums.count("num_completed_requests");
        let rows = root.items("individual_request_metrics");
        if completed == Some(rows.len() as u64) {
            let good = |row: &&Node| row.count("error_code").is_none_or(|code| code == 200);
            let all = |key: &str| -> Vec<f64> {
                let values = rows.iter().filter(good).filter_map(|row| row.number(key));
                values.map(|value| value * factor).collect()
            };
            let (ttft_ms, tpot_ms, e2el_ms) = (all("ttft"), all("tpot"), all("e2e_latency"));
            builder.detail(Detail { ttft_ms, tpot_ms, e2el_ms, itl_ms: Vec::new() });
        }
        builder.counts(completed, sums.count("num_error_requests"));
        builder.tokens(None, sums.count("stats/num_output_tokens/sum"));
        builder.concurrency(sums.number("num_concurrency"));
        builder.load("scenario", sums.shown("scenario"));
        builder.timed();
        builder.run.workload.model = metadata.word("model");
        for key in ["server_engine", "server_version", "server_gpu_type", "server_gpu_count"] {
            builder.metadata(key, metadata.word(key));
        }
        file.add(builder)?;
    }
    Ok(())
}
