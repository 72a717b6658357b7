//! Result files of LLM benchmark clients, a file a client.
//!
//! To add one: copy a file that is like it (`llmperf.rs` is short), recognise the format by keys that only it has,
//! fill a [`run_builder::RunBuilder`] per run in the names and units of `crate::metrics`, and add the reader to the
//! list below. The header of each file defines a replicate in that format. Requests and iterations inside one process
//! never are: they become one run, with their number in its metadata.
//!
//! Of latencies, mean, median, deviation, maximum and the percentiles above the median are read.

mod aiperf_requests;
mod aisbench;
pub(super) mod csv_error;
mod evalscope;
mod evalscope_db;
mod genai_bench;
mod genai_perf;
mod guidellm;
mod guidellm_csv;
mod inference_perf;
mod inferencex;
mod llama_bench;
mod llama_bench_md;
mod llm_d;
mod llmperf;
mod lmdeploy;
mod mlperf;
mod perf_analyzer;
mod printed;
pub(super) mod run_builder;
mod sglang_batch;
mod sglang_batch_text;
mod siblings;
mod sqlite;
pub(super) mod tree;
mod trtllm;
mod trtllm_text;
mod varying;
mod vllm_2023;
mod vllm_bench;
mod vllm_sweep;
mod yaml;

use crate::read::json::looks_like_json;
use crate::read::{Content, Reader, contains};

/// Formats of one client each, the most telling marks first.
pub(super) const READERS: &[Reader] = &[
    vllm_bench::THROUGHPUT,
    vllm_bench::LATENCY,
    vllm_bench::TWIN,
    vllm_sweep::CSV,
    sglang_batch::ONE_BATCH,
    sglang_batch::OFFLINE,
    genai_perf::AGGREGATE,
    aiperf_requests::REQUESTS,
    aiperf_requests::TABLE,
    genai_perf::JSON,
    guidellm::JSON,
    guidellm_csv::CSV,
    evalscope::SUMMARY,
    evalscope::PARTS,
    evalscope_db::DATABASE,
    aisbench::JSON,
    aisbench::CSV,
    aisbench::PRINTED,
    trtllm::REPORT,
    llama_bench::JSON,
    llama_bench::CSV,
    llama_bench_md::READER,
    inferencex::AGGREGATE,
    inferencex::RAW,
    lmdeploy::CSV,
    llmperf::SUMMARY,
    llmperf::ROWS,
    genai_bench::RUN,
    genai_bench::METADATA,
    inference_perf::JSON,
    mlperf::SUMMARY,
    llm_d::REPORT,
    perf_analyzer::CSV,
    trtllm_text::TEXT,
    sglang_batch_text::TEXT,
    vllm_2023::TEXT,
    printed::SUMMARY,
];

/// Bytes at either end of a file in which marks are looked for.
const NEAR: usize = 1 << 16;

/// Whether `needle` occurs near the start or the end.
fn near(content: &Content, needle: &str) -> bool {
    let bytes = content.bytes();
    let ends = [&bytes[..bytes.len().min(NEAR)], &bytes[bytes.len().saturating_sub(NEAR)..]];
    ends.iter().any(|part| contains(part, needle.as_bytes()))
}

/// Whether the file is JSON with all these keys near its start or end.
fn json_with(content: &Content, keys: &[&str]) -> bool {
    looks_like_json(content.bytes()) && keys.iter().all(|key| near(content, &format!("\"{key}\"")))
}
