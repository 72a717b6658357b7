//! Output of `trtllm-bench`, also pasted without its head or with several runs in columns after `|`.
//!
//! Replicate: a section `PERFORMANCE OVERVIEW`, or a column of it, which is one process. Sections before it that follow
//! the one of another run belong to it, and `DATASET DETAILS` to the one before. The average of the breakdown of
//! latencies is the one of the overview once more. Output speed per user is 1 / TPOT and is left out.

use crate::kit::prelude::*;
use crate::text::labels::Labels;

pub(crate) const TEXT: Reader = Reader {
    name: "trtllm-bench text",
    marks: Marks::Text(&[OVERVIEW, "Request Throughput (req/sec)", "(tokens/sec)"]),
    one_run: "a section PERFORMANCE OVERVIEW, or a column of it, which is one process",
    metrics: SERVING,
    read: |content, options| Reading::of(content, options, read),
    ..Reader::EMPTY
};

const OVERVIEW: &str = "PERFORMANCE OVERVIEW";

/// Titles of sections, the first of a report on top.
const TITLES: &[&str] = &["BACKEND", "ENGINE DETAILS", "REQUEST DETAILS", "WORLD + RUNTIME"];

/// Label in lower case, metric, and what takes its values to the unit.
const TOTALS: &[(&str, &str, f64)] = &[
    ("request throughput (req/sec)", "request_throughput", 1.0),
    ("total output throughput (tokens/sec)", "output_throughput", 1.0),
    ("total token throughput (tokens/sec)", "total_token_throughput", 1.0),
    ("total latency (ms)", "duration", 1e-3),
    ("average request latency (ms)", "mean_e2el_ms", 1.0),
    ("per user output throughput [w/ ctx] (tps/user)", "user_throughput", 1.0),
    ("per user output throughput (tokens/sec/user)", "user_throughput", 1.0),
    ("per gpu output throughput (tps/gpu)", "output_tput_per_gpu", 1.0),
    ("per gpu output throughput (tokens/sec/gpu)", "output_tput_per_gpu", 1.0),
    ("average time-to-first-token [ttft] (ms)", "mean_ttft_ms", 1.0),
    ("average time-per-output-token [tpot] (ms)", "mean_tpot_ms", 1.0),
];

/// Marks of the breakdowns, and the latency that each is.
const BREAKDOWNS: &[(&str, &str)] =
    &[("[latency]", "e2el"), ("[ttft]", "ttft"), ("[tpot]", "tpot")];

/// Label in lower case, and the name that `--report_json` gives the setting.
const SETTINGS: &[(&str, &str)] = &[
    ("tensorrt llm version", "version"),
    ("tensorrt-llm version", "version"),
    ("dtype", "dtype"),
    ("kv cache dtype", "kv_cache_dtype"),
    ("quantization", "quantization"),
    ("tp size", "tp_size"),
    ("pp size", "pp_size"),
    ("ep size", "ep_size"),
    ("max runtime batch size", "max_batch_size"),
    ("max runtime tokens", "max_num_tokens"),
    ("scheduling policy", "scheduling_policy"),
    ("kv memory percentage", "kv_cache_percentage"),
];

/// A report that has not ended yet.
#[derive(Default)]
struct Open {
    /// Line of the overview; none before it.
    line: Option<usize>,
    /// Names of the columns, where the overview has several.
    columns: Vec<String>,
    label: String,
    lines: Vec<(usize, String, String)>,
}

fn read(file: &mut Reading) -> Result<(), Error> {
    let text = file.content.text();
    let labels = Labels::of(&text);
    let mut open = Open::default();
    for (index, line) in text.lines().enumerate() {
        let bare = line.trim().trim_start_matches(['>', '=', ' ']).trim();
        let above = bare.trim_end_matches(['=', ' ']);
        let overview = above.strip_prefix(OVERVIEW);
        let title = overview.is_some() || TITLES.iter().any(|title| above.contains(title));
        if title && above == above.to_uppercase() || overview.is_some() {
            if open.line.is_some() {
                let label = open.label.clone();
                std::mem::take(&mut open).runs(file)?;
                open.label = label;
            }
            if let Some(names) = overview {
                open.line = Some(index + 1);
                let names = names.trim().trim_start_matches('(').trim_end_matches(')');
                open.columns = names.split(" / ").map(|name| name.trim().to_owned()).collect();
            }
            continue;
        }
        if let Some((label, value)) =
            bare.split_once(':').filter(|(_, value)| !value.trim().is_empty())
        {
            let label = label.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase();
            open.lines.push((index + 1, label, value.trim().to_owned()));
        } else if let Some(label) = labels.at(index) {
            if open.line.is_some() {
                std::mem::take(&mut open).runs(file)?;
            }
            open.label = label;
        }
    }
    if open.line.is_some() {
        open.runs(file)?;
    }
    Ok(())
}

impl Open {
    /// The run of each column.
    fn runs(mut self, file: &mut Reading) -> Result<(), Error> {
        let line = self.line.unwrap_or(1);
        let cells = |value: &str| -> Vec<String> {
            let cells = value.split('|').map(|cell| cell.trim().to_owned());
            cells.filter(|cell| !cell.is_empty()).collect()
        };
        let totals = self.lines.iter().filter(|(_, label, _)| total(label).is_some());
        let most = totals.map(|(_, _, value)| cells(value).len()).max().unwrap_or(1);
        self.columns.retain(|name| !name.is_empty());
        if most > 1 && self.columns.len() != most {
            let problem = format!(
                "expected the names of {most} columns in brackets after {OVERVIEW}, found {}",
                self.columns.len()
            );
            let remedy = "write the names as (main / branch), or put each run into its own file";
            return Err(file.error_at(line, problem, remedy));
        }
        for column in 0..most {
            let mut builder = file.run("trtllm-bench", line, "line");
            if most > 1 {
                builder.run.source.position = line + column;
                builder.run.variant.clone_from(&self.columns[column]);
            } else {
                builder.run.variant.clone_from(&self.label);
            }
            for (line, label, value) in &self.lines {
                let all = cells(value);
                let cell = if all.len() > 1 { all.get(column) } else { all.first() };
                let cell = cell.map_or("", String::as_str);
                let read = take(&mut builder, label, cell);
                read.map_err(|problem| file.error_at(*line, problem, "fix the line"))?;
            }
            file.add(builder)?;
        }
        Ok(())
    }
}

fn total(label: &str) -> Option<(&'static str, f64)> {
    let known = TOTALS.iter().find(|(known, ..)| *known == label);
    known.map(|(_, metric, factor)| (*metric, *factor))
}

/// Takes a line of the report; what is wrong with it where it is a result and no number.
fn take(builder: &mut RunBuilder, label: &str, cell: &str) -> Result<(), String> {
    let value = || {
        let found = number(cell).ok_or_else(|| {
            format!("expected a number after \"{label}:\", found \"{}\"", short(cell))
        });
        found.map(Some)
    };
    let value = || if matches!(cell, "N/A" | "None" | "nan") { Ok(None) } else { value() };
    if let Some((metric, factor)) = total(label) {
        if let Some(number) = value()? {
            builder.put(metric, number.times(factor));
        }
        return Ok(());
    }
    let breakdown = label.split_once(' ').and_then(|(mark, word)| {
        let stem = BREAKDOWNS.iter().find(|(known, _)| *known == mark)?.1;
        statistic(word).map(|_| (stem, word))
    });
    if let Some((stem, word)) = breakdown {
        if let Some(value) = value()? {
            builder.latency(word, stem, value);
        }
        return Ok(());
    }
    let word = Some(cell.to_owned()).filter(|word| !matches!(word.as_str(), "" | "N/A" | "None"));
    match label {
        "model" => builder.run.workload.model = word,
        "dataset path" => builder.run.workload.dataset = word,
        "number of requests" | "number of sequences" => {
            builder.run.workload.requests = number(cell).map(|number| whole(number.value));
        }
        "average input length (tokens)" => builder.load("input_len", word.map(|w| plain(&w))),
        "average output length (tokens)" => builder.load("output_len", word.map(|w| plain(&w))),
        _ => {
            if let Some((_, name)) = SETTINGS.iter().find(|(known, _)| *known == label) {
                builder.metadata(name, word);
            }
        }
    }
    Ok(())
}

/// A number as `--report_json` has it: `8192` for `8192.0000`.
fn plain(text: &str) -> String {
    number(text).map_or_else(|| text.to_owned(), |number| number.value.to_string())
}
