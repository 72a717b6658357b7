//! Result files of `vllm bench serve --save-result` and of SGLang's `bench_serving`, every version, and of
//! TensorRT-LLM's `benchmark_serving.py`.
//!
//! One object is one run. With request detail (`--save-detailed`, `--output-details`) a missing mean, median or P99
//! is computed from the requests. A figure of the file that contradicts its requests is kept, with a note.

use crate::kit::detail::all_finite;
use crate::kit::fields::{self, RunField};
use crate::kit::finish::{Unusable, finish};
use crate::kit::json;
use crate::kit::json_records::{self, Keep, Record, Scalar};
use crate::kit::lone_surrogates::repair_surrogates;
use crate::kit::prelude::*;
use beyondnoise_model::metrics::{Metric, Statistic};
use beyondnoise_model::runs::{
    BY_INTERPOLATION, Definitions, Figure, OF_ALL_CHUNKS, Run, Setting, Source, Value,
};

/// The definitions of vLLM's script, and of those that grew out of it.
pub(crate) const STREAMED: Definitions =
    Definitions { exact: true, percentiles: Some(BY_INTERPOLATION), itl: Some(OF_ALL_CHUNKS) };

pub(crate) const VLLM: Reader = Reader {
    name: "vllm serve json",
    recognised_by: "keys model_id or tokenizer_id, and request_throughput or output_throughput",
    one_run: "an object, which is one call of the client",
    metrics: SERVING,
    definitions: &[("vllm", STREAMED)],
    recognise: |c, _| client(c) == Some("vllm"),
    read: |content, options| Reading::of(content, options, read),
    ..Reader::EMPTY
};

pub(crate) const SGLANG: Reader = Reader {
    name: "sglang serving jsonl",
    recognised_by: "keys backend and median_e2e_latency_ms or mean_e2e_latency_ms",
    one_run: "an object, which is one call of the client",
    metrics: SERVING,
    definitions: &[("sglang", STREAMED)],
    recognise: |c, _| client(c) == Some("sglang"),
    read: |content, options| Reading::of(content, options, read),
    ..Reader::EMPTY
};

/// The script of TensorRT-LLM, which grew out of vLLM's.
pub(crate) const TENSORRT: Reader = Reader {
    name: "tensorrt-llm serving json",
    recognised_by: "keys of vLLM and user_throughput or avg_decoded_tokens_per_iter",
    one_run: "an object, which is one call of the client",
    metrics: SERVING,
    definitions: &[("tensorrt-llm", Definitions::EXACT)],
    recognise: |c, _| client(c) == Some("tensorrt-llm"),
    read: |content, options| Reading::of(content, options, read),
    ..Reader::EMPTY
};

/// The values of single requests that are read; all others are skipped.
const KEPT: Keep =
    Keep { numeric: &["ttfts", "itls", "latencies", "e2els", "output_lens"], textual: &["errors"] };

/// Starts of keys that hold results which no other client reports.
const OUTCOMES: &[&str] = &[
    "spec_decode_",
    "diffusion_",
    "probe_",
    "slo_attainment",
    "cache_report",
    "steady_state",
    "avg_decoded_tokens_per_iter",
    "total_energy",
];

/// Computed and printed figures agree when they differ by less than this fraction.
const AGREES: f64 = 1e-3;

/// Most bytes before the first object.
const FURTHEST: usize = 4096;

/// Keys that only a serving result has; their text is looked for near the start and the end.
fn client(content: &Content) -> Option<&'static str> {
    let bytes = content.bytes();
    // A hand-made file may start with a line of prose.
    let start = bytes.iter().take(FURTHEST + 1).position(|&byte| byte == b'{')?;
    if !(json::looks_like_json(bytes) || json::looks_like_json(&bytes[start..])) {
        return None;
    }
    let end = bytes.len().min(start + (1 << 20));
    let tail = bytes.len().saturating_sub(1 << 16).max(start);
    let near = [&bytes[start..end], &bytes[tail..]];
    let has = |key: &str| {
        let quoted = format!("\"{key}\"");
        near.iter().any(|part| contains(part, quoted.as_bytes()))
    };
    if has("aggregated_repetitions") {
        return None;
    }
    if (has("model_id") || has("tokenizer_id"))
        && (has("request_throughput") || has("output_throughput"))
    {
        let tensorrt = has("user_throughput") || has("avg_decoded_tokens_per_iter");
        Some(if tensorrt { "tensorrt-llm" } else { "vllm" })
    } else if has("backend") && (has("median_e2e_latency_ms") || has("mean_e2e_latency_ms")) {
        Some("sglang")
    } else {
        None
    }
}

fn read(file: &mut Reading) -> Result<(), Error> {
    let client = client(file.content).unwrap_or("vllm");
    let path = file.content.path;
    repair_surrogates(file.content.bytes(), |bytes| {
        file.found = Found::default();
        json_records::each_record(path, bytes, KEPT, |record| {
            let (index, line) = (record.index, record.line);
            let source = Source { path: path.into(), position: index, counts: "object" };
            add_run(file, client, record, (source, format!("object {index} (line {line})")))
        })
    })
}

/// Adds the run of an object, with its source and the place of an error in it.
pub(crate) fn add_run(
    file: &mut Reading,
    client: &str,
    record: Record,
    (source, place): (Source, String),
) -> Result<(), Error> {
    let at = format!("{} {}", source.counts, source.position);
    if record.number("run_number").is_some_and(|number| number < 0.0) {
        file.skip(at, "a warm-up, not a run");
        return Ok(());
    }
    let mut run = Run { source, ..Run::default() };
    run.workload.client = Some(client.to_owned());
    let mut notes = Vec::new();
    let read = fill(&mut run, record, &mut |why| notes.push(why));
    for why in notes {
        file.skip(&at, why);
    }
    match read {
        Ok(()) => file.found.runs.push(run),
        Err(Unusable { problem, remedy }) => {
            let path = file.content.path.to_owned();
            let error = Error::Input { path, place, problem, remedy: remedy.to_owned() };
            file.refuse(at, error)?;
        }
    }
    Ok(())
}

/// Fills a run from an object.
fn fill(run: &mut Run, record: Record, note: &mut impl FnMut(String)) -> Result<(), Unusable> {
    let wrong = |what: &str, key: &str, found: &str| Unusable {
        problem: format!("expected {what} in \"{key}\", found {found}"),
        remedy: "fix the value, or remove the file",
    };
    let no_number = |key: &str, text: &str| wrong("a number", key, &format!("\"{}\"", short(text)));
    for (key, scalar) in &record.scalars {
        // SGLang's `concurrency` is the achieved one, not a setting.
        let field = fields::field_of_key(key).filter(|_| key != "concurrency");
        match (scalar, field) {
            (Scalar::Number(value), Some(field)) => {
                let shown = value.to_string();
                if !fields::set(run, field, key, &shown) {
                    return Err(wrong("a count", key, &shown));
                }
            }
            (Scalar::Text(text), Some(field)) => {
                let limit = matches!(field, RunField::RequestRate | RunField::MaxConcurrency);
                if !fields::set(run, field, key, text) && !limit {
                    return Err(no_number(key, text));
                }
            }
            (Scalar::Null, Some(RunField::MaxConcurrency)) => {
                run.workload.max_concurrency = Setting::Unlimited;
            }
            (Scalar::Number(value), None) => metric(run, key, *value, note),
            (Scalar::Text(text), None) if Metric::known(key).is_some() => {
                return Err(no_number(key, text));
            }
            (Scalar::Text(text), None) => {
                run.metadata.insert(key.clone(), text.clone());
            }
            (Scalar::Null, _) => {}
        }
    }
    let label = record.text("label").or_else(|| record.text("tag"));
    run.variant = label.map(str::to_owned).or_else(|| heading(&record)).unwrap_or_default();
    details(run, record, note);
    finish(run)?.into_iter().for_each(note);
    Ok(())
}

fn heading(record: &Record) -> Option<String> {
    let words = record.heading.as_deref()?.trim_start_matches(['#', ' ', '*']);
    let words = words.trim_end_matches([':', '：', '*', ' ']);
    (!words.is_empty()).then(|| words.to_owned())
}

/// Keeps a number that is a metric; other numbers are settings.
fn metric(run: &mut Run, key: &str, value: f64, note: &mut impl FnMut(String)) {
    let known = Metric::known(key);
    // Nested objects hold settings of the server, or repeat a result for a part of the run.
    let measured = OUTCOMES.iter().any(|start| key.starts_with(start))
        || ["_ms", "_throughput", "_per_s"].iter().any(|ending| key.ends_with(ending));
    if measured && key.contains('.') && known.is_none() {
        return;
    }
    let Some(metric) = known.or_else(|| measured.then(|| Metric::named(key))) else {
        run.metadata.insert(key.to_owned(), value.to_string());
        return;
    };
    if !value.is_finite() {
        note(format!("{key} is {value}: no value"));
        return;
    }
    // Medians that differ are compared later.
    if metric.statistic != Statistic::Median
        && let Some(other) = run.metrics.get(&metric.name).map(|other| other.value)
        && (value - other).abs() > AGREES * value.abs().max(other.abs())
    {
        note(format!("{key} is {value}; another key of the same metric is {other}, which is used"));
        return;
    }
    let Number { value, resolution } = Number::binary(value);
    fields::keep(run, metric.name, Value { value, resolution });
}

/// Adds missing figures from the successful requests and compares the existing ones.
///
/// The file's own count where both exist: without an array of latencies the request values miss what
/// comes after the last chunk.
fn details(run: &mut Run, mut record: Record, note: &mut impl FnMut(String)) {
    let Some(mut detail) = detail(run, &mut record) else { return };
    for (stem, values) in detail.latencies() {
        if !all_finite(values) {
            note(format!("the request values of {stem} hold a value that is not a number"));
            values.clear();
        } else if values.iter().all(|value| *value == 0.0) {
            values.clear();
        }
    }
    let requests = detail.reduce(&run.metrics);
    for (name, &Figure { value, .. }) in &requests.figures {
        let Some(printed) = run.metrics.get(name).copied() else {
            run.metrics.insert(name.as_str(), Value { value, resolution: 0.0 });
            continue;
        };
        if (printed.value - value).abs() > AGREES * printed.value.abs() + printed.resolution {
            note(format!(
                "{name} is {} in the file and {value} from its requests: the file's own is kept",
                printed.value
            ));
        }
    }
    run.requests = Some(Box::new(requests));
}

/// Request values of the successful requests, if the object has any.
fn detail(run: &mut Run, record: &mut Record) -> Option<Detail> {
    let ttfts = record.arrays.remove("ttfts").filter(|ttfts| !ttfts.is_empty())?;
    let n = ttfts.len();
    let errors = record.empty_texts.get("errors").filter(|errors| errors.len() == n);
    let good: Vec<bool> = (0..n)
        .map(|i| errors.map_or(ttfts[i] > 0.0, |empty| empty[i]) && ttfts[i].is_finite())
        .collect();
    if errors.is_some() && run.info.failed.is_none() {
        run.info.failed = Some(good.iter().filter(|good| !**good).count() as u64);
    }
    let chunks = record.lengths.remove("itls").filter(|lengths| lengths.len() == n);
    let mut gaps = record.arrays.remove("itls").filter(|_| chunks.is_some()).unwrap_or_default();
    let of_each = |name: &str| record.arrays.get(name).filter(|values| values.len() == n);
    let latencies = of_each("latencies").or_else(|| of_each("e2els"));
    let lengths = of_each("output_lens");

    let mut detail = Detail::default();
    // The gaps of successful requests move to the front: they are too many to be copied.
    let (mut at, mut kept) = (0, 0);
    for i in 0..n {
        let own = at..at + chunks.as_ref().map_or(0, |chunks| chunks[i]);
        at = own.end;
        if !good[i] {
            continue;
        }
        let streamed = chunks.as_ref().map(|_| ttfts[i] + gaps[own.clone()].iter().sum::<f64>());
        if own.start > kept {
            gaps.copy_within(own.clone(), kept);
        }
        kept += own.len();
        detail.ttft_ms.push(ttfts[i] * 1e3);
        let Some(latency) = latencies.map(|all| all[i]).or(streamed) else { continue };
        detail.e2el_ms.push(latency * 1e3);
        if let Some(tokens) = lengths.map(|all| all[i]).filter(|tokens| *tokens > 1.0) {
            detail.tpot_ms.push((latency - ttfts[i]) * 1e3 / (tokens - 1.0));
        }
    }
    gaps.truncate(kept);
    for gap in &mut gaps {
        *gap *= 1e3;
    }
    detail.itl_ms = gaps;
    Some(detail)
}
