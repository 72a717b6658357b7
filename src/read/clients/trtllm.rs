//! `trtllm-bench --report_json`. Results of TensorRT-LLM's `benchmark_serving.py` are like vLLM's and read
//! with them.
//!
//! Replicate: a file, which is one process. A report of one request has percentiles that are all the same.

use crate::kit::prelude::*;

pub(crate) const REPORT: Reader = Reader {
    name: "trtllm-bench report",
    marks: Marks::Json(&["performance", "system_output_throughput_tok_s"]),
    one_run: "a file, which is one process",
    metrics: SERVING,
    read: |content, options| Reading::each_object(content, options, "trtllm-bench", fill),
    ..Reader::EMPTY
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

fn fill(builder: &mut RunBuilder, root: &Node) {
    builder.scaled("duration", root.number("performance/total_latency_ms"), 1e-3);
    builder.metrics(root, TOTALS);
    for (path, stem) in PERCENTILES {
        builder.latencies(stem, root.at(path), MS);
    }
    builder.run.workload.model = root.word("engine/model");
    builder.run.workload.requests = root.count("request_info/num_requests");
    builder.loads(
        root,
        &[
            ("input_len", "request_info/avg_input_length"),
            ("output_len", "request_info/avg_output_length"),
        ],
    );
    for part in ["engine", "world_info", "machine"] {
        for (key, value) in root.entries(part) {
            let name = match (part, &**key) {
                (_, "model" | "model_path") => continue,
                // The machine is named after its accelerator.
                ("machine", "name") => "gpu_name",
                (_, key) => key,
            };
            builder.metadata(name, value.shown(""));
        }
    }
}
