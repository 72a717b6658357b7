//! Output of vLLM's `benchmark_serving.py` until January 2024, before its block had a title.
//!
//! Replicate: the lines from `Total time:` on, which are one call of the client. Latency per output token is that of the
//! whole request over its answer, first token included: it is not TPOT. Figures have two decimals of a second.

use crate::kit::prelude::*;
use crate::text::labels::Labels;
use beyondnoise_model::runs::Setting;

pub(crate) const TEXT: Reader = Reader {
    name: "vllm serving text of 2023",
    marks: Marks::Text(&[
        "Total time:",
        "requests/s",
        "Average latency:",
        "Average latency per token:|Average latency per output token:",
    ]),
    one_run: "the lines from Total time: on, which are one call of the client",
    metrics: &["duration", "request_throughput", "mean_e2el_ms"],
    read: |content, options| Reading::of(content, options, read),
    ..Reader::EMPTY
};

/// Label and metric; all but the first two are times with the unit after the number.
const LINES: &[(&str, &str)] = &[
    ("Total time", "duration"),
    ("Throughput", "request_throughput"),
    ("Average latency", "mean_e2el_ms"),
    ("Average latency per token", "mean_latency_per_prompt_and_output_token_ms"),
    ("Average latency per output token", "mean_normalized_tpot_ms"),
    ("Average time to first token", "mean_ttft_ms"),
    ("Average inter-token latency", "mean_tpot_ms"),
];

fn read(file: &mut Reading) -> Result<(), Error> {
    let (mut label, mut arguments) = (String::new(), String::new());
    let mut open: Option<(RunBuilder, Vec<&str>)> = None;
    let text = file.content.text();
    let labels = Labels::of(&text);
    for (index, line) in text.lines().enumerate() {
        let bare = line.trim().trim_start_matches(['>', '#', '|', ' ']).trim();
        if bare.contains("Namespace(") {
            bare.clone_into(&mut arguments);
            continue;
        }
        let known = bare.split_once(':').and_then(|(name, value)| {
            let (name, metric) = LINES.iter().find(|(known, _)| *known == name.trim())?;
            Some((*name, *metric, value.trim()))
        });
        let Some((name, metric, value)) = known else {
            if let Some(heading) = labels.at(index) {
                label = heading;
                arguments.clear();
            }
            continue;
        };
        let unit = value.split_whitespace().nth(1).unwrap_or("");
        // A wrapper prints the tokens per second under the same label.
        let tokens = metric == "request_throughput" && unit == "tokens/s";
        let (name, metric) =
            if tokens { ("Token throughput", "token_throughput") } else { (name, metric) };
        let again = open.as_ref().is_some_and(|(_, names)| names.contains(&name));
        if let Some((builder, _)) = open.take_if(|_| name == "Total time" || again) {
            file.add(builder)?;
        }
        let (builder, names) = open.get_or_insert_with(|| {
            let mut builder = file.run("vllm", index + 1, "line");
            builder.run.variant.clone_from(&label);
            settings(&mut builder, &arguments);
            (builder, Vec::new())
        });
        names.push(name);
        let factor = match (metric, unit) {
            ("request_throughput", "requests/s") | ("token_throughput", _) => Some(1.0),
            ("request_throughput", _) => None,
            ("duration", unit) => to_ms(unit).map(|to_ms| to_ms * 1e-3),
            (_, unit) => to_ms(unit),
        };
        let read = value.split_whitespace().next().and_then(number).zip(factor);
        let Some((number, factor)) = read else {
            let what = format!("a number with its unit after \"{name}:\"");
            return Err(file.wrong_line(index + 1, (&what, value), "fix or remove the line"));
        };
        builder.put(metric, number.times(factor));
    }
    if let Some((builder, _)) = open {
        file.add(builder)?;
    }
    Ok(())
}

/// Settings of the line `Namespace(backend='vllm', ..., request_rate=40.0)`, as far as they are there.
fn settings(builder: &mut RunBuilder, arguments: &str) {
    let value = |key: &str| {
        let (_, rest) = arguments.split_once(&format!("{key}="))?;
        let rest = rest.split([',', ')']).next()?.trim().trim_matches(['\'', '"']);
        Some(rest.to_owned()).filter(|value| !value.is_empty() && value != "None")
    };
    let workload = &mut builder.run.workload;
    workload.requests = value("num_prompts").and_then(|n| number(&n)).map(|n| whole(n.value));
    if let Some(rate) = value("request_rate") {
        workload.request_rate = Setting::parse(&rate);
    }
    workload.model = value(" model").or_else(|| value("tokenizer"));
    workload.dataset = value("dataset");
    builder.metadata("backend", value("backend"));
}
