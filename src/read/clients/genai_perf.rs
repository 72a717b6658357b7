//! NVIDIA's genai-perf and its successor `AIPerf`: `profile_export_aiperf.json`, `*_genai_perf.json`.
//!
//! Replicate: an export, which is one call of the client: `profile_runs/run_0001`, `run_0002`, ... An average over
//! runs (`*_aggregate.json`) is not a run. Their `inter_token_latency` is TPOT, and their `inter_chunk_latency` is
//! ITL. The unit is beside each value.

use std::path::Path;

use crate::kit::prelude::*;
use crate::kit::siblings;
use beyondnoise_model::runs::{BY_INTERPOLATION, Definitions};

pub(crate) const AGGREGATE: Reader = Reader {
    name: "aiperf aggregate",
    marks: Marks::Any(&[
        Marks::Json(&["aggregation_type", "num_profile_runs", "metrics"]),
        Marks::Starts(&["metric,mean,std,min,max,cv,se,ci_low,ci_high"]),
    ]),
    one_run: "none: it holds averages over runs",
    read: |_, _| Ok(Found::nothing("averages over the runs beside it, not a run")),
    ..Reader::EMPTY
};

pub(crate) const JSON: Reader = Reader {
    name: "aiperf json",
    marks: Marks::Json(&[
        "request_throughput",
        "request_latency",
        "unit",
        "avg",
        "input_config|aiperf_version",
    ]),
    recognised_by: "a unit near the start",
    one_run: "a file, which is one call of the client",
    metrics: SERVING,
    definitions: &[(
        "aiperf",
        Definitions { percentiles: Some(BY_INTERPOLATION), ..Definitions::UNKNOWN },
    )],
    recognise: |content, _| {
        contains(&content.bytes()[..content.bytes().len().min(1 << 12)], b"\"unit\"")
    },
    read: |content, options| Reading::of(content, options, read),
};

/// Metric of the client, name of its latency.
pub(crate) const LATENCIES: &[(&str, &str)] = &[
    ("time_to_first_token", "ttft"),
    ("inter_token_latency", "tpot"),
    ("inter_chunk_latency", "itl"),
    ("request_latency", "e2el"),
];

/// Paths of other metrics.
pub(crate) const TOTALS: &[(&str, &str)] = &[
    ("request_throughput/avg", "request_throughput"),
    ("output_token_throughput/avg", "output_throughput"),
    ("total_token_throughput/avg", "total_token_throughput"),
    ("input_token_throughput/avg", "input_throughput"),
    ("goodput/avg", "request_goodput"),
    ("output_token_throughput_per_user/avg", "user_throughput"),
];

fn read(file: &mut Reading) -> Result<(), Error> {
    for (index, root) in file.trees()?.iter().enumerate() {
        if root.flag("was_cancelled") == Some(true) || root.flag("is_complete") == Some(false) {
            let problem = "expected a complete benchmark, found one that was cancelled";
            let remedy = "run the benchmark again, or remove the file";
            let error = file.error(problem, remedy);
            file.refuse("file", error)?;
            continue;
        }
        let aiperf = root.has("aiperf_version|benchmark_duration");
        let client = if aiperf { "aiperf" } else { "genai-perf" };
        let mut builder = file.run(client, index + 1, "object");
        metrics(&mut builder, root);
        settings(&mut builder, root);
        file.add(builder)?;
    }
    Ok(())
}

fn metrics(builder: &mut RunBuilder, root: &Node) {
    for (key, stem) in LATENCIES {
        let unit = root.text(&format!("{key}/unit")).unwrap_or("ms");
        match to_ms(unit) {
            Some(factor) => builder.latencies(stem, root.at(key), factor),
            None => builder.note(format!("{key} is in {unit}, which is no unit of time")),
        }
    }
    builder.metrics(root, TOTALS);
    let unit = root.text("benchmark_duration/unit").and_then(to_ms).unwrap_or(S);
    builder.scaled("duration", root.number("benchmark_duration/avg"), unit / S);
    let listed = || {
        let errors = root.items("error_summary").iter().filter_map(|error| error.count("count"));
        root.has("error_summary").then(|| errors.sum())
    };
    builder.counts(
        root.count("request_count/avg"),
        root.count("error_request_count/avg").or_else(listed),
    );
    builder.tokens(
        root.count("total_isl/avg|input_sequence_length/sum"),
        root.count("total_osl/avg|output_sequence_length/sum|total_output_tokens/avg"),
    );
}

/// Settings of the load: a section `loadgen` in earlier versions, a list of phases in later ones.
fn settings(builder: &mut RunBuilder, root: &Node) {
    let Some(input) = root.at("input_config") else { return };
    let profiling = |phase: &&Node| phase.text("kind").is_none_or(|kind| kind == "profiling");
    let phase = input.items("phases").iter().find(profiling).or_else(|| input.at("loadgen"));
    let number = |keys: &str| {
        let places = [phase, input.at("perf_analyzer/stimulus")];
        places.into_iter().flatten().find_map(|place| place.number(keys))
    };
    builder.concurrency(number("concurrency"));
    builder.rate(number("request_rate|rate"));
    let duration = number("benchmark_duration|duration");
    let limited = phase.is_some_and(|phase| phase.has("request_count|requests"));
    if !limited && duration.is_some() {
        builder.timed();
        builder.load("benchmark duration s", duration.map(|seconds| seconds.to_string()));
    }
    builder.run.workload.model =
        input.word("endpoint/model_names/0|models/items/0/name|model_names/0|endpoint/model");
    builder.loads(
        input,
        &[
            ("input_len", "input/prompt/input_tokens/mean|datasets/0/prompts/isl/mean"),
            ("output_len", "input/prompt/output_tokens/mean|datasets/0/prompts/osl/mean"),
        ],
    );
    builder.run.info.started = root.word("start_time");
    builder.run.name = root.word("run_info/run_label");
    builder.properties(root, &["aiperf_version"]);
}

/// Whether the summary of the same benchmark lies beside a file of its requests.
pub(crate) fn summary_beside(content: &Content) -> bool {
    let stem = Path::new(content.path).file_stem().unwrap_or_default().to_string_lossy();
    [format!("{stem}.json"), format!("{stem}_aiperf.json")]
        .iter()
        .any(|name| siblings::beside(content, name).is_some())
}
