//! Real files without a run of their own.

/// Files that hold no run of their own, with what the error says.
pub(crate) const REFUSED: &[(&str, &str)] = &[
    (
        "aiperf/multirun_v0.13.0_generated/aggregate/profile_export_aiperf_aggregate.csv",
        "not a run",
    ),
    (
        "aiperf/multirun_v0.13.0_generated/aggregate/profile_export_aiperf_aggregate.json",
        "not a run",
    ),
    ("aiperf/multirun_v0.13.0_generated/profile_runs/run_0001/profile_export.jsonl", "beside it"),
    (
        "aiperf/multirun_v0.13.0_generated/profile_runs/run_0001/profile_export_aiperf.csv",
        "beside it",
    ),
    (
        "aiperf/multirun_v0.13.0_generated/profile_runs/run_0001/profile_export_console.txt",
        "profile_export_aiperf.json",
    ),
    ("aiperf/multirun_v0.13.0_generated/profile_runs/run_0002/profile_export.jsonl", "beside it"),
    (
        "aiperf/multirun_v0.13.0_generated/profile_runs/run_0002/profile_export_aiperf.csv",
        "beside it",
    ),
    (
        "aiperf/multirun_v0.13.0_generated/profile_runs/run_0002/profile_export_console.txt",
        "profile_export_aiperf.json",
    ),
    ("aiperf/multirun_v0.13.0_generated/profile_runs/run_0003/profile_export.jsonl", "beside it"),
    (
        "aiperf/multirun_v0.13.0_generated/profile_runs/run_0003/profile_export_aiperf.csv",
        "beside it",
    ),
    (
        "aiperf/multirun_v0.13.0_generated/profile_runs/run_0003/profile_export_console.txt",
        "profile_export_aiperf.json",
    ),
    ("genai-perf/raw_profile_export_head_doc.txt", "found none"),
    // Edited after it was written, and no JSON any more.
    ("guidellm/benchmarks_v0.8.1_generated.json", "line 1 column 170692"),
    // The first part of a file, before any result.
    ("guidellm/benchmarks_v0.8.1_generated_head.yaml", "found none"),
    ("evalscope/v1.14.1_generated/benchmark.log", "found none"),
    ("evalscope/v1.14.1_generated/parallel_2_number_20/benchmark_args.json", "belongs to"),
    ("evalscope/v1.14.1_generated/parallel_2_number_20/benchmark_data.db", "the result is in"),
    ("evalscope/v1.14.1_generated/parallel_2_number_20/benchmark_percentile.json", "belongs to"),
    ("evalscope/v1.14.1_generated/parallel_2_number_20/workload_throughput.json", "belongs to"),
    ("evalscope/v1.14.1_generated/parallel_2_number_20/workload_timeline.json", "belongs to"),
    ("evalscope/v1.14.1_generated/parallel_4_number_40/benchmark_args.json", "belongs to"),
    ("evalscope/v1.14.1_generated/parallel_4_number_40/benchmark_data.db", "the result is in"),
    ("evalscope/v1.14.1_generated/parallel_4_number_40/benchmark_percentile.json", "belongs to"),
    ("evalscope/v1.14.1_generated/parallel_4_number_40/workload_throughput.json", "belongs to"),
    ("evalscope/v1.14.1_generated/parallel_4_number_40/workload_timeline.json", "belongs to"),
    ("lmdeploy/header_only_from_source.csv", "at least one row"),
    ("genai-bench/mock_experiment_data.json", "settings of the results"),
    ("inference-perf/summary_lifecycle_metrics.json", "mixes the stages"),
    // Its header names a column that the rows do not have.
    ("llama-bench/readme.csv", "expected 42 columns as in the header, found 41"),
];
