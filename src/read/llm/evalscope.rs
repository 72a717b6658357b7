//! `EvalScope` perf: a folder per load point with `benchmark_summary.json`, `benchmark_percentile.json`,
//! `benchmark_args.json` and a database of requests.
//!
//! Replicate: a folder, which is one call of the client; repeats are below other time stamps. The summary is the run;
//! its neighbours are read with it. Units are in the keys and changed with the versions.

use crate::error::Error;
use crate::read::detail::Detail;
use crate::read::fields::Number;
use crate::read::llm::evalscope_db::detail;
use crate::read::llm::run_builder::{RunBuilder, statistic, to_ms};
use crate::read::llm::siblings::{beside, json_beside, time_stamp};
use crate::read::llm::tree::{Node, objects};
use crate::read::llm::{json_with, near};
use crate::read::{Content, Found, Options, Reader, SERVING};
use crate::runs::Skipped;

pub(super) const SUMMARY: Reader = Reader {
    name: "evalscope summary json",
    recognised_by: "the key Test Duration (s) or Time taken for tests (s)",
    one_run: "a folder, which is one call of the client",
    metrics: SERVING,
    recognise: |content, _| {
        crate::read::json::looks_like_json(content.bytes())
            && (near(content, "\"Test Duration (s)\"") || near(content, "\"Time taken for tests ("))
    },
    read,
};

/// The neighbours of the summary.
pub(super) const PARTS: Reader = Reader {
    name: "evalscope part",
    recognised_by: "the neighbours of benchmark_summary.json",
    one_run: "none: read with the summary",
    metrics: &[],
    recognise: |content, _| {
        json_with(content, &["sla_num_runs", "parallel"])
            || json_with(content, &["Percentiles"])
            || json_with(content, &["n_samples", "wall_time_s", "rows"])
            || json_with(content, &["wall_start", "points"])
    },
    read: |content, _| {
        let why = if beside(content, "benchmark_summary.json").is_some() {
            "belongs to benchmark_summary.json beside it"
        } else {
            "belongs to benchmark_summary.json, which is not beside it"
        };
        let skipped = Skipped { place: "file".to_owned(), why: why.to_owned() };
        Ok(Found { skipped: vec![skipped], ..Found::default() })
    },
};

/// Key without its unit, lower case; name of the latency.
const LATENCIES: &[(&[&str], &str)] = &[
    (&["avg ttft", "ttft", "average time to first token"], "ttft"),
    (&["avg tpot", "tpot", "average time per output token"], "tpot"),
    (&["avg itl", "itl", "average inter-token latency", "average package latency"], "itl"),
    (&["avg latency", "latency", "average latency"], "e2el"),
];

/// Key without its unit, lower case; name of the total.
const TOTALS: &[(&[&str], &str)] = &[
    (&["test duration", "time taken for tests"], "duration"),
    (&["req throughput", "request throughput", "average qps"], "request_throughput"),
    (&["output throughput", "output token throughput", "throughput"], "output_throughput"),
    (&["total throughput", "total token throughput"], "total_token_throughput"),
    (&["input throughput", "input token throughput"], "input_throughput"),
];

fn read(content: &Content, options: &Options) -> Result<Found, Error> {
    let mut found = Found::default();
    for tree in objects(content.path, content.bytes(), &[])? {
        let mut builder = RunBuilder::new(content, "evalscope", tree.index, "object");
        summary(&mut builder, &tree.root);
        for rows in json_beside(content, "benchmark_percentile.json") {
            percentiles(&mut builder, &rows);
        }
        if let [args] = &json_beside(content, "benchmark_args.json")[..] {
            arguments(&mut builder, args);
        }
        let detail = detail(content);
        // A database that was cut off, or of another run, is no detail of this one.
        let whole =
            |detail: &Detail| Some(detail.e2el_ms.len() as u64) == builder.run.info.completed;
        if let Some(detail) = detail.filter(whole) {
            builder.detail(detail);
        }
        builder.run.info.started = time_stamp(content);
        builder.rounded();
        builder.finish(&mut found, options)?;
    }
    Ok(found)
}

/// `Avg TTFT` and `ms` from `Avg TTFT (ms)`.
fn key_and_unit(key: &str) -> (String, &str) {
    let (bare, unit) = key.split_once('(').unwrap_or((key, ""));
    (bare.trim().to_lowercase(), unit.trim_end_matches(')').trim())
}

fn summary(builder: &mut RunBuilder, root: &Node) {
    let (mut input, mut output, mut unknown) = (None, None, Vec::new());
    for (key, value) in root.entries() {
        let Node::Number(number) = value else { continue };
        let (bare, unit) = key_and_unit(key);
        let named = |(names, _): &&(&[&str], &'static str)| names.contains(&bare.as_str());
        if let Some((_, stem)) = LATENCIES.iter().find(named) {
            if let Some(factor) = to_ms(unit) {
                builder.scaled(&format!("mean_{stem}_ms"), Some(*number), factor);
            }
            continue;
        }
        if let Some((_, name)) = TOTALS.iter().find(named) {
            builder.metric(name, Some(*number));
            continue;
        }
        match bare.as_str() {
            "concurrency" | "number of concurrency" => builder.concurrency(Some(*number)),
            "request rate" => builder.rate(Some(*number)),
            "success requests" | "succeed requests" => {
                builder.run.info.completed = root.count_at(key);
            }
            "failed requests" => builder.run.info.failed = root.count_at(key),
            "total requests" => builder.run.workload.requests = root.count_at(key),
            "avg input tokens" | "average input tokens per request" => input = Some(*number),
            "avg output tokens" | "average output tokens per request" => output = Some(*number),
            "stream requests" | "non-stream requests" => {}
            _ => unknown.push(key.as_str()),
        }
    }
    let completed = builder.run.info.completed.unwrap_or(0) as f64;
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a product of small counts, and saturating"
    )]
    let total = |mean: Option<f64>| mean.map(|mean| (mean * completed).round() as u64);
    builder.run.workload.input_tokens = total(input).filter(|tokens| *tokens > 0);
    builder.run.info.output_tokens = total(output).filter(|tokens| *tokens > 0);
    if !unknown.is_empty() {
        builder.note(format!("not read: {}", unknown.join(", ")));
    }
}

/// A list of rows `{"Percentiles": "99%", "TTFT (ms)": 38.76}`, or in older versions an object of lists;
/// one row at a time comes here.
fn percentiles(builder: &mut RunBuilder, rows: &Node) {
    let words: Vec<String> = match rows.at("Percentiles") {
        Some(Node::List(words)) => (0..words.len())
            .map(|index| rows.shown(&format!("Percentiles/{index}")).unwrap_or_default())
            .collect(),
        Some(Node::Text(word)) => vec![word.clone()],
        _ => return,
    };
    for (key, value) in rows.entries() {
        let (bare, unit) = key_and_unit(key);
        let found = LATENCIES.iter().find(|(names, _)| names.contains(&bare.as_str()));
        let (Some((_, stem)), Some(factor)) = (found, to_ms(unit)) else { continue };
        let values = match value {
            Node::List(values) => values.as_slice(),
            single => std::slice::from_ref(single),
        };
        for (word, value) in words.iter().zip(values) {
            if let (Some(prefix), Node::Number(value)) = (statistic(word), value) {
                let number = Number::binary(*value);
                builder.scaled(&format!("{prefix}_{stem}_ms"), Some(number.value), factor);
            }
        }
    }
}

fn arguments(builder: &mut RunBuilder, args: &Node) {
    let workload = &mut builder.run.workload;
    workload.model = args.text("model").map(str::to_owned);
    workload.dataset = args.text("dataset").map(str::to_owned);
    for key in
        ["max_prompt_length", "min_prompt_length", "max_tokens", "min_tokens", "prefix_length"]
    {
        builder.load(key, args.shown(key));
    }
    if args.has("duration") {
        builder.timed();
        builder.load("duration", args.shown("duration"));
    }
}
