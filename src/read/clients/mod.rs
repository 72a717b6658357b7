//! Result files of LLM benchmark clients, and of general benchmark runners and load generators: a file a tool.
//!
//! To add one: copy a file that is like it (`llmperf.rs` and `hyperfine.rs` are short), recognise the format by keys
//! that only it has, take the content from [`Reading`](crate::kit::reading::Reading), fill a
//! [`RunBuilder`](crate::kit::run_builder::RunBuilder) per run in the names and units of `beyondnoise_model::metrics`, and add
//! the reader to the list in `registry`. The header of each file defines a replicate in that
//! format: a process, a fork or a file. Requests and iterations inside one process never are: they become one run, with
//! their number in its metadata, unless the user counts each as a run (`--unit iteration`).
//!
//! Of latencies, mean, median, deviation, maximum and the percentiles above the median are read. The name of a
//! benchmark is its workload, so that benchmarks of one file are never compared with each other.

pub(crate) mod aiperf_requests;
pub(crate) mod aisbench;
pub(crate) mod artillery;
pub(crate) mod asv;
pub(crate) mod bencher;
pub(crate) mod cargo_bench;
pub(crate) mod criterion;
pub(crate) mod divan;
pub(crate) mod dotnet_benchmark;
pub(crate) mod evalscope;
pub(crate) mod genai_bench;
pub(crate) mod genai_perf;
pub(crate) mod github_action;
pub(crate) mod go_bench;
pub(crate) mod google_benchmark;
pub(crate) mod guidellm;
pub(crate) mod guidellm_csv;
pub(crate) mod hyperfine;
pub(crate) mod inference_perf;
pub(crate) mod inferencex;
pub(crate) mod jmeter;
pub(crate) mod jmeter_report;
pub(crate) mod jmh;
pub(crate) mod k6;
pub(crate) mod k6_points;
pub(crate) mod llama_bench;
pub(crate) mod llama_bench_md;
pub(crate) mod llm_d;
pub(crate) mod llmperf;
pub(crate) mod lmdeploy;
pub(crate) mod locust;
pub(crate) mod mlperf;
pub(crate) mod oha;
pub(crate) mod perf_analyzer;
pub(crate) mod printed;
pub(crate) mod pyperf;
pub(crate) mod pytest_benchmark;
pub(crate) mod serving_json;
pub(crate) mod sglang_batch;
pub(crate) mod sglang_batch_text;
pub(crate) mod trtllm;
pub(crate) mod trtllm_text;
pub(crate) mod vegeta;
pub(crate) mod vllm_2023;
pub(crate) mod vllm_bench;
pub(crate) mod vllm_sweep;
pub(crate) mod wrk;
