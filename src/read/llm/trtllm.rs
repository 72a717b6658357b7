//! `trtllm-bench --report_json`. Results of TensorRT-LLM's `benchmark_serving.py` are like vLLM's and read
//! with them.
//!
//! Replicate: a file, which is one process. A report of one request has percentiles that are all the same.

use crate::error::Error;
use crate::read::llm::json_with;
use crate::read::llm::run_builder::{MS, RunBuilder};
use crate::read::llm::tree::{Node, objects};
use crate::read::{Content, Found, Options, Reader, SERVING};

pub(super) const REPORT: Reader = Reader {
    name: "trtllm-bench report",
    recognised_by: "keys performance and system_output_throughput_tok_s",
    one_run: "a file, which is one process",
    metrics: SERVING,
    recognise: |content, _| json_with(content, &["performance", "system_output_throughput_tok_s"]),
    read,
};

const TOTALS: &[(&str, &str)] = &[
    ("performance/request_throughput_req_s", "request_throughput"),
    ("performance/system_output_throughput_tok_s", "output_throughput"),
    ("performance/system_total_throughput_tok_s", "total_token_throughput"),
    ("performance/output_throughput_per_user_tok_s", "user_throughput"),
    ("performance/output_throughput_per_gpu_tok_s", "output_tput_per_gpu"),
    ("performance/avg_request_latency_ms", "mean_e2el_ms"),
    ("streaming_metrics/avg_ttft_ms", "mean_ttft_ms"),
    ("streaming_metrics/avg_tpot_ms", "mean_tpot_ms"),
];

const PERCENTILES: &[(&str, &str)] = &[
    ("performance/request_latency_percentiles_ms", "e2el"),
    ("streaming_metrics/ttft_percentiles", "ttft"),
    ("streaming_metrics/tpot_percentiles", "tpot"),
];

fn read(content: &Content, options: &Options) -> Result<Found, Error> {
    let mut found = Found::default();
    for tree in objects(content.path, content.bytes(), &[])? {
        let root = &tree.root;
        let mut builder = RunBuilder::new(content, "trtllm-bench", tree.index, "object");
        builder.scaled("duration", root.number("performance/total_latency_ms"), 1e-3);
        for (path, name) in TOTALS {
            builder.metric(name, root.number(path));
        }
        for (path, stem) in PERCENTILES {
            builder.latency(stem, root.at(path), MS);
        }
        settings(&mut builder, root);
        builder.finish(&mut found, options)?;
    }
    Ok(found)
}

fn settings(builder: &mut RunBuilder, root: &Node) {
    let workload = &mut builder.run.workload;
    workload.model = root.text("engine/model").map(str::to_owned);
    workload.requests = root.count_at("request_info/num_requests");
    builder.load("input_len", root.shown("request_info/avg_input_length"));
    builder.load("output_len", root.shown("request_info/avg_output_length"));
    for part in ["engine", "world_info", "machine"] {
        for (key, _) in root.at(part).map(Node::entries).unwrap_or_default() {
            if key != "model" && key != "model_path" {
                // The machine is named after its accelerator.
                let name = if part == "machine" && key == "name" { "gpu_name" } else { key };
                builder.metadata(name, root.shown(&format!("{part}/{key}")));
            }
        }
    }
}
