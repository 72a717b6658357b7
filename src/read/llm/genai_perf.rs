//! NVIDIA's genai-perf and its successor `AIPerf`: `profile_export_aiperf.json`, `*_genai_perf.json`.
//!
//! Replicate: an export, which is one call of the client: `profile_runs/run_0001`, `run_0002`, ... An average over
//! runs (`*_aggregate.json`) is not a run. Their `inter_token_latency` is TPOT, and their `inter_chunk_latency` is
//! ITL. The unit is beside each value.

use crate::error::Error;
use crate::read::llm::json_with;
use crate::read::llm::run_builder::{RunBuilder, to_ms};
use crate::read::llm::siblings;
use crate::read::llm::tree::{Node, objects};
use crate::read::{Content, Found, Options, Reader, SERVING, contains};
use crate::runs::Skipped;

pub(super) const AGGREGATE: Reader = Reader {
    name: "aiperf aggregate",
    recognised_by: "keys aggregation_type and num_profile_runs",
    one_run: "none: it holds averages over runs",
    metrics: &[],
    recognise: |content, _| {
        json_with(content, &["aggregation_type", "num_profile_runs", "metrics"])
            || content.bytes().starts_with(b"metric,mean,std,min,max,cv,se,ci_low,ci_high")
    },
    read: |_, _| {
        let why = "averages over the runs beside it, not a run".to_owned();
        Ok(Found { skipped: vec![Skipped { place: "file".to_owned(), why }], ..Found::default() })
    },
};

pub(super) const JSON: Reader = Reader {
    name: "aiperf json",
    recognised_by: "an export of AIPerf or genai-perf: values with their unit",
    one_run: "a file, which is one call of the client",
    metrics: SERVING,
    recognise: |content, _| is_export(content),
    read,
};

/// Metric of the client, name of its latency.
pub(super) const LATENCIES: &[(&str, &str)] = &[
    ("time_to_first_token", "ttft"),
    ("inter_token_latency", "tpot"),
    ("inter_chunk_latency", "itl"),
    ("request_latency", "e2el"),
];

/// Metric of the client, name of the total.
const TOTALS: &[(&str, &str)] = &[
    ("request_throughput", "request_throughput"),
    ("output_token_throughput", "output_throughput"),
    ("total_token_throughput", "total_token_throughput"),
    ("input_token_throughput", "input_throughput"),
    ("goodput", "request_goodput"),
    ("output_token_throughput_per_user", "user_throughput"),
];

fn is_export(content: &Content) -> bool {
    let start = &content.bytes()[..content.bytes().len().min(1 << 12)];
    json_with(content, &["request_throughput", "request_latency", "unit", "avg"])
        && contains(start, b"\"unit\"")
        && (json_with(content, &["input_config"]) || json_with(content, &["aiperf_version"]))
}

fn read(content: &Content, options: &Options) -> Result<Found, Error> {
    let mut found = Found::default();
    for tree in objects(content.path, content.bytes(), &["telemetry_data", "telemetry_stats"])? {
        let root = &tree.root;
        let aiperf = root.has("aiperf_version") || root.has("benchmark_duration");
        let client = if aiperf { "aiperf" } else { "genai-perf" };
        let mut builder = RunBuilder::new(content, client, tree.index, "object");
        if root.text("was_cancelled") == Some("true") || root.text("is_complete") == Some("false") {
            let problem = "expected a complete benchmark, found one that was cancelled";
            let remedy = "run the benchmark again, or remove the file";
            let error = Error::file(content.path, problem, remedy);
            if !options.lenient {
                return Err(error);
            }
            found.skipped.push(Skipped { place: "file".to_owned(), why: error.to_string() });
            continue;
        }
        metrics(&mut builder, root);
        settings(&mut builder, root);
        builder.finish(&mut found, options)?;
    }
    Ok(found)
}

fn metrics(builder: &mut RunBuilder, root: &Node) {
    for (key, stem) in LATENCIES {
        let unit = root.text(&format!("{key}/unit")).unwrap_or("ms");
        match to_ms(unit) {
            Some(factor) => builder.latency(stem, root.at(key), factor),
            None => builder.note(format!("{key} is in {unit}, which is no unit of time")),
        }
    }
    for (key, name) in TOTALS {
        builder.metric(name, root.number(&format!("{key}/avg")));
    }
    let unit = root.text("benchmark_duration/unit").and_then(to_ms).unwrap_or(1e3);
    builder.scaled("duration", root.number("benchmark_duration/avg"), unit / 1e3);
    let run = &mut builder.run;
    run.info.completed = root.count_at("request_count/avg");
    run.info.failed = root.count_at("error_request_count/avg");
    if run.info.failed.is_none() && root.has("error_summary") {
        let errors = root.items("error_summary").iter();
        run.info.failed = Some(errors.filter_map(|error| error.count_at("count")).sum());
    }
    let total = |total: &str, per_request: &str| {
        root.count_at(&format!("{total}/avg"))
            .or_else(|| root.count_at(&format!("{per_request}/sum")))
    };
    run.workload.input_tokens = total("total_isl", "input_sequence_length");
    run.info.output_tokens = total("total_osl", "output_sequence_length")
        .or_else(|| root.count_at("total_output_tokens/avg"));
}

/// Settings of the load: a section `loadgen` in earlier versions, a list of phases in later ones.
fn settings(builder: &mut RunBuilder, root: &Node) {
    let Some(input) = root.at("input_config") else { return };
    let phases = input.items("phases");
    let profiling = |phase: &&Node| phase.text("kind").is_none_or(|kind| kind == "profiling");
    let phase = phases.iter().find(profiling).or_else(|| input.at("loadgen"));
    let stimulus = input.at("perf_analyzer/stimulus");
    let number = |keys: [&str; 2]| {
        let found = phase.and_then(|phase| keys.iter().find_map(|key| phase.number(key)));
        found.or_else(|| keys.iter().find_map(|key| stimulus?.number(key)))
    };
    let (concurrency, rate) =
        (number(["concurrency", "concurrency"]), number(["request_rate", "rate"]));
    builder.concurrency(concurrency);
    builder.rate(rate);
    let limited = phase.is_some_and(|phase| phase.has("request_count") || phase.has("requests"));
    if !limited && number(["benchmark_duration", "duration"]).is_some() {
        builder.timed();
        builder.load(
            "benchmark duration s",
            number(["benchmark_duration", "duration"]).map(|s| s.to_string()),
        );
    }
    let model =
        ["endpoint/model_names/0", "models/items/0/name", "model_names/0", "endpoint/model"];
    builder.run.workload.model = model.iter().find_map(|path| input.text(path)).map(str::to_owned);
    for (name, paths) in [
        ("input_len", ["input/prompt/input_tokens/mean", "datasets/0/prompts/isl/mean"]),
        ("output_len", ["input/prompt/output_tokens/mean", "datasets/0/prompts/osl/mean"]),
    ] {
        builder.load(name, paths.iter().find_map(|path| input.shown(path)));
    }
    builder.run.info.started = root.text("start_time").map(str::to_owned);
    builder.run.name = root.text("run_info/run_label").map(str::to_owned);
    builder.metadata("aiperf_version", root.shown("aiperf_version"));
}

/// Whether the summary of the same benchmark lies beside a file of its requests.
pub(super) fn summary_beside(content: &Content) -> bool {
    let stem =
        std::path::Path::new(content.path).file_stem().map(|s| s.to_string_lossy().into_owned());
    let stem = stem.unwrap_or_default();
    [format!("{stem}.json"), format!("{stem}_aiperf.json")]
        .iter()
        .any(|name| siblings::beside(content, name).is_some())
}
