//! Files of our own. Those made by hand hold round numbers, so that the expected values are the ones
//! written in them, converted by hand: 0.25 s is 250 ms.

use super::{Expected, check, own};

/// Of one benchmark, in its report and in its table.
const GUIDELLM: &[(usize, &str, f64)] = &[
    (0, "mean_ttft_ms", 25.0),
    (0, "mean_tpot_ms", 12.0),
    (0, "mean_e2el_ms", 400.0),
    (0, "p99.9_ttft_ms", 50.0),
    (1, "mean_ttft_ms", 35.0),
    (1, "output_throughput", 80.0),
];

const FILES: &[Expected] = &[
    Expected {
        file: "vllm/throughput.json",
        format: "vllm throughput json",
        runs: 1,
        values: &[
            (0, "duration", 12.5),
            (0, "request_throughput", 8.0),
            (0, "total_token_throughput", 4096.0),
        ],
    },
    Expected {
        file: "vllm/latency.json",
        format: "vllm latency json",
        runs: 1,
        values: &[
            (0, "mean_e2el_ms", 250.0),
            (0, "median_e2el_ms", 250.0),
            (0, "p75_e2el_ms", 252.5),
            (0, "p99_e2el_ms", 259.7),
        ],
    },
    Expected {
        file: "sglang/one_batch.jsonl",
        format: "sglang one_batch jsonl",
        runs: 3,
        values: &[
            (0, "mean_ttft_ms", 16.0),
            (0, "median_tpot_ms", 4.0),
            (1, "duration", 0.112),
            (1, "prefill_throughput", 64000.0),
            (2, "total_token_throughput", 3200.0),
        ],
    },
    Expected {
        file: "sglang/one_batch_server.jsonl",
        format: "sglang one_batch jsonl",
        runs: 1,
        values: &[
            (0, "duration", 0.5),
            (0, "total_token_throughput", 1280.0),
            (0, "max_ttft_ms", 100.0),
        ],
    },
    Expected {
        file: "sglang/offline.jsonl",
        format: "sglang offline jsonl",
        runs: 1,
        values: &[
            (0, "duration", 20.0),
            (0, "output_throughput", 250.0),
            (0, "total_token_throughput", 750.0),
        ],
    },
    Expected {
        file: "aiperf/profile_runs/run_0001/profile_export_aiperf.json",
        format: "aiperf json",
        runs: 1,
        values: &[
            (0, "mean_ttft_ms", 50.0),
            (0, "p99_ttft_ms", 100.0),
            (0, "mean_tpot_ms", 16.0),
            // 15000 us.
            (0, "mean_itl_ms", 15.0),
            (0, "output_throughput", 160.0),
            (0, "duration", 5.0),
        ],
    },
    Expected {
        file: "aiperf/requests-only/profile_export.jsonl",
        format: "aiperf request rows",
        runs: 1,
        // Three good requests: TTFT 20, 30, 40; E2E 40, 60, 50; all within 2 s.
        values: &[
            (0, "mean_ttft_ms", 30.0),
            (0, "median_e2el_ms", 50.0),
            (0, "mean_tpot_ms", 10.0),
            (0, "duration", 2.0),
            (0, "request_throughput", 1.5),
        ],
    },
    Expected {
        file: "genai-perf/chat_genai_perf.json",
        format: "aiperf json",
        runs: 1,
        values: &[
            (0, "mean_ttft_ms", 12.0),
            (0, "request_throughput", 8.0),
            (0, "p95_e2el_ms", 700.0),
        ],
    },
    Expected {
        file: "perf_analyzer/loads.csv",
        format: "perf_analyzer csv",
        runs: 2,
        values: &[
            (0, "request_throughput", 69.2),
            (0, "p99_e2el_ms", 21.018),
            (1, "median_e2el_ms", 21.874),
        ],
    },
    Expected {
        file: "guidellm/hand-made.json",
        format: "guidellm report",
        runs: 2,
        values: GUIDELLM,
    },
    Expected { file: "guidellm/hand-made.csv", format: "guidellm csv", runs: 2, values: GUIDELLM },
    Expected {
        file: "evalscope/20261121_120000/tiny-model/parallel_2_number_20/benchmark_summary.json",
        format: "evalscope summary json",
        runs: 1,
        values: &[
            (0, "duration", 4.0),
            (0, "mean_ttft_ms", 25.0),
            (0, "mean_e2el_ms", 400.0),
            // From the percentiles beside it.
            (0, "median_ttft_ms", 24.0),
            (0, "p99_e2el_ms", 600.0),
            (0, "max_itl_ms", 30.0),
        ],
    },
    Expected {
        file: "evalscope/0.8/benchmark_summary.json",
        format: "evalscope summary json",
        runs: 1,
        values: &[
            (0, "duration", 10.0),
            // Seconds in this version.
            (0, "mean_ttft_ms", 50.0),
            (0, "mean_tpot_ms", 10.0),
            (0, "mean_itl_ms", 12.5),
            (0, "output_throughput", 400.0),
        ],
    },
    Expected {
        file: "aisbench/20261121_120000/performances/vllm-api-stream-chat/gsm8k.json",
        format: "aisbench json",
        runs: 1,
        values: &[
            // Milliseconds in the file.
            (0, "duration", 98.4094916),
            (0, "mean_ttft_ms", 2006.0),
            (0, "p99_e2el_ms", 12305.1),
            (0, "median_itl_ms", 20.1),
            // 4096 tokens in 98.4094916 s; the file has 41.6220.
            (0, "output_throughput", 4096.0 / 98.4094916),
        ],
    },
    Expected {
        file: "aisbench/printed.txt",
        format: "aisbench tables",
        runs: 1,
        values: &[
            (0, "duration", 98.4094916),
            (0, "mean_ttft_ms", 2006.0),
            (0, "p99_e2el_ms", 12305.1),
        ],
    },
    Expected {
        file: "trtllm/report.json",
        format: "trtllm-bench report",
        runs: 1,
        values: &[
            (0, "duration", 4.0),
            (0, "output_throughput", 400.0),
            (0, "mean_ttft_ms", 45.0),
            (0, "p99_e2el_ms", 390.0),
            (0, "user_throughput", 53.3),
        ],
    },
    Expected {
        file: "trtllm/serving.json",
        format: "tensorrt-llm serving json",
        runs: 1,
        values: &[
            (0, "duration", 0.5),
            (0, "user_throughput", 42.5),
            (0, "mean_ttft_ms", 30.0),
            // From e2els: 45, 55 and 65 ms.
            (0, "mean_e2el_ms", 55.0),
        ],
    },
    Expected {
        file: "llama-bench/tests.json",
        format: "llama-bench json",
        runs: 4,
        values: &[
            (0, "input_throughput", 7100.0),
            (1, "output_throughput", 119.0),
            (3, "input_throughput", 7110.5),
        ],
    },
    Expected {
        file: "llama-bench/tests.csv",
        format: "llama-bench csv",
        runs: 2,
        values: &[
            (0, "input_throughput", 7100.0),
            (1, "output_throughput", 119.0),
            (1, "output_throughput", 119.0),
        ],
    },
    Expected {
        file: "llama-bench/table.md",
        format: "llama-bench markdown",
        runs: 3,
        values: &[
            (0, "input_throughput", 7340.2),
            (1, "output_throughput", 120.6),
            (2, "input_throughput", 6425.91),
        ],
    },
    Expected {
        file: "inferencex/agg_bmk.json",
        format: "inferencex json",
        runs: 3,
        values: &[
            (0, "mean_ttft_ms", 250.0),
            (0, "p99_tpot_ms", 40.0),
            (1, "mean_ttft_ms", 500.0),
            (2, "mean_e2el_ms", 20500.0),
            (2, "output_tput_per_gpu", 500.0),
        ],
    },
    Expected {
        file: "inferencex/raw.json",
        format: "inferencex raw json",
        runs: 1,
        values: &[
            (0, "median_ttft_ms", 6000.0),
            (0, "p99_tpot_ms", 103.5),
            (0, "output_throughput", 200.0),
        ],
    },
    Expected {
        file: "lmdeploy/api_1121_100_512_128.jsonl",
        format: "lmdeploy csv",
        runs: 3,
        values: &[
            (0, "duration", 20.0),
            (1, "mean_ttft_ms", 260.0),
            (2, "mean_e2el_ms", 900.0),
            (2, "input_throughput", 2048.0),
        ],
    },
    Expected {
        file: "llmperf/tiny_32_16_summary.json",
        format: "llmperf summary json",
        runs: 1,
        values: &[
            (0, "mean_ttft_ms", 225.0),
            (0, "p99_e2el_ms", 3250.0),
            // 78 a minute.
            (0, "request_throughput", 1.3),
            (0, "output_throughput", 198.25),
        ],
    },
    Expected {
        file: "llmperf/requests-only/tiny_individual_responses.json",
        format: "llmperf request rows",
        runs: 1,
        values: &[
            (0, "mean_ttft_ms", 300.0),
            (0, "median_e2el_ms", 2500.0),
            (0, "mean_e2el_ms", 2500.0),
        ],
    },
    Expected {
        file: "genai-bench/seconds/D100_100_text-to-text_num_concurrency_4_time_60s.json",
        format: "genai-bench json",
        runs: 1,
        values: &[
            (0, "mean_ttft_ms", 50.0),
            (0, "p99_e2el_ms", 3330.0),
            (0, "request_throughput", 0.5),
        ],
    },
    Expected {
        file: "genai-bench/milliseconds/D100_100_text-to-text_num_concurrency_4_time_60s.json",
        format: "genai-bench json",
        runs: 1,
        values: &[(0, "mean_ttft_ms", 50.0), (0, "mean_tpot_ms", 18.0), (0, "p99_e2el_ms", 3330.0)],
    },
    Expected {
        file: "inference-perf/stage_1_lifecycle_metrics.json",
        format: "inference-perf json",
        runs: 1,
        values: &[
            (0, "mean_ttft_ms", 40.0),
            (0, "median_e2el_ms", 450.0),
            (0, "p99.9_itl_ms", 9.0),
            (0, "total_token_throughput", 262.0),
        ],
    },
    Expected {
        file: "llm-d/report-0.1.yaml",
        format: "llm-d report",
        runs: 1,
        values: &[
            (0, "duration", 16.5),
            (0, "mean_ttft_ms", 80.5),
            (0, "median_tpot_ms", 6.5),
            (0, "request_throughput", 1.9375),
        ],
    },
    Expected {
        file: "llm-d/report-0.2.json",
        format: "llm-d report",
        runs: 1,
        values: &[
            (0, "duration", 50.0),
            (0, "mean_ttft_ms", 36.0),
            (0, "p99.9_ttft_ms", 55.0),
            (0, "output_throughput", 9500.0),
        ],
    },
    Expected {
        file: "mlperf/valid/run_1/mlperf_log_summary.txt",
        format: "mlperf summary",
        runs: 1,
        values: &[
            (0, "request_throughput", 99.86),
            (0, "output_throughput", 29522.56),
            (0, "mean_ttft_ms", 963.332124),
            (0, "p99_e2el_ms", 121801.757289),
        ],
    },
];

/// What clients print, and files in which people or early versions collect several runs.
const COLLECTED: &[Expected] = &[
    Expected {
        file: "inferencex/agg_2025.json",
        format: "inferencex json",
        runs: 3,
        // Seconds: 0.085 s are 85 ms.
        values: &[
            (0, "mean_ttft_ms", 85.0),
            (0, "p99_tpot_ms", 6.25),
            (1, "mean_e2el_ms", 4500.0),
            (2, "tput_per_gpu", 300.5),
        ],
    },
    Expected {
        file: "llmperf/by_concurrency.json",
        format: "llmperf summary json",
        runs: 2,
        values: &[
            (0, "mean_ttft_ms", 125.0),
            (1, "mean_ttft_ms", 500.0),
            (1, "output_throughput", 180.5),
            (1, "request_throughput", 1.2),
        ],
    },
    Expected {
        file: "inference-perf-server/stage_1_prometheus_metrics.json",
        format: "inference-perf json",
        runs: 1,
        values: &[
            (0, "mean_ttft_ms", 2000.0),
            (0, "p90_e2el_ms", 31_500.0),
            (0, "mean_tpot_ms", 62.5),
            (0, "output_throughput", 1250.0),
        ],
    },
    Expected {
        file: "llama-bench/wrapped.json",
        format: "llama-bench json",
        runs: 2,
        values: &[
            (0, "input_throughput", 7100.0),
            (1, "output_throughput", 119.0),
            (1, "output_throughput", 119.0),
        ],
    },
    Expected {
        file: "llama-bench/wrapped-text.json",
        format: "llama-bench json",
        runs: 2,
        values: &[
            (0, "input_throughput", 7100.0),
            (1, "output_throughput", 119.0),
            (1, "output_throughput", 119.0),
        ],
    },
    Expected {
        file: "trtllm/printed.txt",
        format: "trtllm-bench text",
        runs: 1,
        values: &[
            (0, "duration", 102.4005),
            (0, "mean_e2el_ms", 51_200.25),
            (0, "median_e2el_ms", 51_000.5),
            (0, "p99_tpot_ms", 8.25),
            (0, "mean_ttft_ms", 162.5),
            (0, "output_tput_per_gpu", 320.0),
        ],
    },
    Expected {
        file: "trtllm/columns.md",
        format: "trtllm-bench text",
        runs: 2,
        values: &[
            (0, "output_throughput", 15_999.5),
            (1, "output_throughput", 16_075.5),
            (1, "duration", 260.9075),
        ],
    },
    Expected {
        file: "sglang/one_batch.txt",
        format: "sglang one_batch text",
        runs: 4,
        // Neither the warm-up of 22.5 ms nor single steps.
        values: &[
            (0, "mean_ttft_ms", 20.0),
            (0, "median_tpot_ms", 5.0),
            (1, "mean_ttft_ms", 40.0),
            (2, "median_decode_throughput", 1000.0),
            (3, "duration", 0.112),
        ],
    },
    Expected {
        file: "vllm-2023/serving.txt",
        format: "vllm serving text of 2023",
        runs: 2,
        values: &[
            (0, "duration", 165.5),
            (0, "request_throughput", 6.04),
            (0, "mean_e2el_ms", 77_680.0),
            (0, "mean_normalized_tpot_ms", 1030.0),
            (1, "mean_normalized_tpot_ms", 950.0),
        ],
    },
];

#[test]
fn files_have_the_values_written_in_them() {
    for expected in FILES.iter().chain(COLLECTED) {
        check(&own(expected.file), expected);
    }
}
