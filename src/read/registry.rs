//! All formats, in the order in which they are asked.

use crate::clients::{
    aiperf_requests, aisbench, artillery, asv, bencher, cargo_bench, criterion, divan,
    dotnet_benchmark, evalscope, genai_bench, genai_perf, github_action, go_bench,
    google_benchmark, guidellm, guidellm_csv, hyperfine, inference_perf, inferencex, jmeter,
    jmeter_report, jmh, k6, k6_points, llama_bench, llama_bench_md, llm_d, llmperf, lmdeploy,
    locust, mlperf, oha, perf_analyzer, printed, pyperf, pytest_benchmark, serving_json,
    sglang_batch, sglang_batch_text, trtllm, trtllm_text, vegeta, vllm_2023, vllm_bench,
    vllm_sweep, wrk,
};
use crate::reader::{Content, Reader};
#[cfg(not(feature = "tables"))]
use crate::table::no_parquet;
#[cfg(feature = "tables")]
use crate::table::parquet;
use crate::table::tidy::{self, Tidy};
use crate::table::{csv, flat_json, found, nested_json, own_reports, pasted};
use crate::text::notes;
use beyondnoise_model::metrics::Metric;
use beyondnoise_model::runs::Definitions;

/// Formats of one program each, the most telling marks first.
const PROGRAMS: &[Reader] = &[
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
    dotnet_benchmark::JSON,
    evalscope::SUMMARY,
    evalscope::PARTS,
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
    printed::BOXES,
    hyperfine::JSON,
    hyperfine::TABLE,
    hyperfine::MEANS,
    pyperf::JSON,
    google_benchmark::JSON,
    jmh::JSON,
    jmh::CSV,
    jmh::TEXT,
    dotnet_benchmark::CSV,
    dotnet_benchmark::TABLE,
    pytest_benchmark::JSON,
    criterion::SAMPLE,
    criterion::RAW,
    criterion::ESTIMATES,
    criterion::REST,
    k6::SUMMARY,
    k6_points::LINES,
    oha::JSON,
    vegeta::JSON,
    vegeta::TEXT,
    wrk::TEXT,
    artillery::JSON,
    locust::STATS,
    locust::OTHER,
    jmeter::ROWS,
    jmeter::STATISTICS,
    jmeter::XML,
    jmeter_report::TABLE,
    asv::JSON,
    github_action::HISTORY,
    github_action::RESULT,
    bencher::BMF,
    go_bench::TEXT,
    divan::TEXT,
    cargo_bench::TEXT,
];

/// Formats that many programs write, the most telling marks first.
const GENERAL: &[Reader] = &[
    #[cfg(feature = "tables")]
    parquet::READER,
    #[cfg(not(feature = "tables"))]
    no_parquet::READER,
    serving_json::VLLM,
    serving_json::SGLANG,
    serving_json::TENSORRT,
    found::REQUESTS,
    nested_json::READER,
    flat_json::FLAT_JSON,
    flat_json::ANY_JSON,
    notes::READER,
    pasted::TABLES,
    csv::CSV,
    pasted::LINES,
];

/// Formats of one program each.
pub(crate) fn programs() -> impl Iterator<Item = &'static Reader> {
    PROGRAMS.iter()
}

/// All formats, in the order in which they are asked.
fn readers() -> impl Iterator<Item = &'static Reader> {
    PROGRAMS.iter().chain(GENERAL)
}

/// How a client counts, as its reader says.
pub(crate) fn definitions_of(client: &str) -> Definitions {
    let all = readers().flat_map(|reader| reader.definitions);
    all.filter(|(name, _)| *name == client).map(|(_, known)| *known).next().unwrap_or_default()
}

/// The reader of a file.
pub(crate) fn reader_of(content: &Content, named: bool) -> Option<&'static Reader> {
    if own_reports::READER.recognises(content, named) {
        return Some(&own_reports::READER);
    }
    match tidy::form_of(content.bytes()) {
        Some(Tidy::Csv) => Some(&csv::CSV),
        Some(Tidy::NdJson) => Some(&flat_json::FLAT_JSON),
        _ => {
            let reader = |content: &Content| readers().find(|one| one.recognises(content, named));
            let near = csv::start_of(content).map(|start| Content {
                bytes: start,
                alone: false,
                ..*content
            });
            let table = near.as_ref().and_then(reader).filter(|one| TABLES.contains(&one.name));
            table.or_else(|| reader(content))
        }
    }
}

/// Formats of tables that may be large: these are recognised by their start.
const TABLES: [&str; 3] = [csv::CSV.name, flat_json::FLAT_JSON.name, flat_json::ANY_JSON.name];

/// A format as it is described to its users.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Format {
    /// Its name, as `show` prints it.
    pub name: &'static str,
    /// How its files are recognised.
    pub recognised_by: String,
    /// The unit that counts as one run.
    pub one_run: &'static str,
    /// Metrics that its files usually give; they may hold others, which keep their names.
    pub metrics: Vec<Metric>,
}

/// All formats that can be read, in the order in which they are asked.
pub fn formats() -> impl Iterator<Item = Format> {
    readers().map(|reader| Format {
        name: reader.name,
        recognised_by: reader.recognised_by(),
        one_run: reader.one_run,
        metrics: reader.metrics.iter().map(|name| Metric::named(name)).collect(),
    })
}
