//! genai-bench: a file per scenario and concurrency, and `experiment_metadata.json`, which holds the unit.
//!
//! Replicate: a file, which is one load of one call of the client. Latencies are in seconds unless the metadata in
//! the file has milliseconds. Tests end after a time or a number of requests, so the number of requests is not a
//! setting.

use crate::error::Error;
use crate::read::detail::Detail;
use crate::read::llm::json_with;
use crate::read::llm::run_builder::{MS, RunBuilder, S};
use crate::read::llm::siblings::json_beside;
use crate::read::llm::tree::objects;
use crate::read::{Content, Found, Options, Reader, SERVING};
use crate::runs::Skipped;

pub(super) const RUN: Reader = Reader {
    name: "genai-bench json",
    recognised_by: "keys aggregated_metrics, scenario and stats",
    one_run: "a file, which is one load of one call of the client",
    metrics: SERVING,
    recognise: |content, _| json_with(content, &["aggregated_metrics", "scenario", "stats"]),
    read,
};

pub(super) const METADATA: Reader = Reader {
    name: "genai-bench metadata",
    recognised_by: "keys experiment_folder_name and traffic_scenario",
    one_run: "none: settings of the results beside it",
    metrics: &[],
    recognise: |content, _| json_with(content, &["experiment_folder_name", "traffic_scenario"]),
    read: |_, _| {
        let why = "settings of the results beside it".to_owned();
        Ok(Found { skipped: vec![Skipped { place: "file".to_owned(), why }], ..Found::default() })
    },
};

const TOTALS: &[(&str, &str)] = &[
    ("run_duration", "duration"),
    ("requests_per_second", "request_throughput"),
    ("mean_output_throughput_tokens_per_s", "output_throughput"),
    ("mean_input_throughput_tokens_per_s", "input_throughput"),
    ("mean_total_tokens_throughput_tokens_per_s", "total_token_throughput"),
    ("stats/output_inference_speed/mean", "user_throughput"),
];

fn read(content: &Content, options: &Options) -> Result<Found, Error> {
    let mut found = Found::default();
    let metadata = json_beside(content, "experiment_metadata.json").pop();
    let says = |key: &str| metadata.as_ref().and_then(|metadata| metadata.text(key));
    let factor = if says("metrics_time_unit") == Some("ms") { MS } else { S };
    for tree in objects(content.path, content.bytes(), &["generated_text"])? {
        let Some(sums) = tree.root.at("aggregated_metrics") else { continue };
        let mut builder = RunBuilder::new(content, "genai-bench", tree.index, "object");
        for (key, stem) in [("ttft", "ttft"), ("tpot", "tpot"), ("e2e_latency", "e2el")] {
            builder.latency(stem, sums.at(&format!("stats/{key}")), factor);
        }
        for (key, name) in TOTALS {
            builder.metric(name, sums.number(key));
        }
        builder.scaled("request_throughput", sums.number("requests_per_minute"), 1.0 / 60.0);
        let rows = tree.root.items("individual_request_metrics");
        let all = |key: &str| -> Vec<f64> {
            let good =
                rows.iter().filter(|row| row.count_at("error_code").is_none_or(|code| code == 200));
            good.filter_map(|row| row.number(key)).map(|value| value * factor).collect()
        };
        if sums.count_at("num_completed_requests") == Some(rows.len() as u64) {
            let (ttft_ms, tpot_ms, e2el_ms) = (all("ttft"), all("tpot"), all("e2e_latency"));
            builder.detail(Detail { ttft_ms, tpot_ms, e2el_ms, itl_ms: Vec::new() });
        }
        builder.run.info.completed = sums.count_at("num_completed_requests");
        builder.run.info.failed = sums.count_at("num_error_requests");
        builder.run.info.output_tokens = sums.count_at("stats/num_output_tokens/sum");
        builder.concurrency(sums.number("num_concurrency"));
        builder.load("scenario", sums.shown("scenario"));
        builder.timed();
        builder.run.workload.model = says("model").map(str::to_owned);
        for key in ["server_engine", "server_version", "server_gpu_type", "server_gpu_count"] {
            builder.metadata(key, says(key).map(str::to_owned));
        }
        builder.finish(&mut found, options)?;
    }
    Ok(found)
}
