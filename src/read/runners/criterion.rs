//! criterion.rs: `target/criterion/<benchmark>/<saved as>/{sample,estimates}.json` and `raw.csv`.
//!
//! Replicate: a saved baseline, which is one process; its samples are iterations of that process. `new` and the names
//! given to `--save-baseline` are variants; `base` is a copy of the last of them and is skipped if it equals `new`.
//! One run is in several files: `sample.json` counts, the others only if it is missing.

use std::path::{Path, PathBuf};

use crate::error::Error;
use crate::read::fields::number;
use crate::read::llm::run_builder::RunBuilder;
use crate::read::llm::tree::Node;
use crate::read::runners::{as_number, expected, json_with, mean, nothing, time, trees};
use crate::read::{Content, Found, Options, Reader, SAVED_AS, contains};

const METRICS: &[&str] = &["time_per_op_ns", "median_time_per_op_ns"];

pub(super) const SAMPLE: Reader = Reader {
    name: "criterion sample",
    recognised_by: "keys sampling_mode, iters and times, or two lists in a file sample.json",
    one_run: "a saved baseline, which is one process: mean and median of its samples",
    metrics: METRICS,
    recognise: |content, _| {
        json_with(content, &["sampling_mode", "iters", "times"])
            || (content.path.ends_with("sample.json")
                && content.bytes().trim_ascii_start().starts_with(b"[["))
    },
    read: sample,
};

pub(super) const RAW: Reader = Reader {
    name: "criterion raw csv",
    recognised_by: "a header with iteration_count and sample_time_nanos or sample_measured_value",
    one_run: "a benchmark: mean and median of its rows",
    metrics: METRICS,
    recognise: |content, _| {
        let header = content.first_line(1 << 12);
        let has = |name: &[u8]| contains(header, name);
        has(b"iteration_count") && (has(b"sample_time_nanos") || has(b"sample_measured_value"))
    },
    read: raw,
};

pub(super) const ESTIMATES: Reader = Reader {
    name: "criterion estimates",
    recognised_by: "keys point_estimate, standard_error and confidence_interval, outside of change",
    one_run: "a file, which is one process",
    metrics: METRICS,
    recognise: |content, _| {
        json_with(content, &["point_estimate", "standard_error", "confidence_interval"])
    },
    read: estimates,
};

pub(super) const REST: Reader = Reader {
    name: "criterion other files",
    recognised_by: "benchmark.json and tukey.json",
    one_run: "none: the name of the benchmark, limits of outliers",
    metrics: &[],
    recognise: |content, _| {
        json_with(content, &["group_id", "function_id", "directory_name"])
            || content.path.ends_with("tukey.json")
    },
    read: |_, _| Ok(nothing("no measurement; the samples are in sample.json")),
};

/// A run named after the files beside it and the folders above.
fn builder(content: &Content) -> RunBuilder {
    let mut builder = RunBuilder::new(content, "criterion", 0, "");
    let folder = Path::new(content.path).parent();
    let name = |path: Option<&Path>| Some(path?.file_name()?.to_string_lossy().into_owned());
    let described = beside(content, "benchmark.json").and_then(|path| {
        let bytes = std::fs::read(&path).ok()?;
        let shown = path.display().to_string();
        let roots = trees(&Content::new(&shown, &bytes)).ok()?;
        roots.first()?.text("full_id").map(str::to_owned)
    });
    let folders = || {
        let above: Vec<String> =
            folder?.parent()?.iter().map(|part| part.to_string_lossy().into_owned()).collect();
        let start = above.iter().rposition(|part| part == "criterion")? + 1;
        above.get(start..).filter(|id| !id.is_empty()).map(|id| id.join("/"))
    };
    builder.run.workload.label = described.or_else(folders);
    if let Some(saved) = name(folder).filter(|_| builder.run.workload.label.is_some()) {
        builder.run.variant.clone_from(&saved);
        builder.metadata(SAVED_AS, Some(saved));
    }
    builder
}

/// A file beside this one.
fn beside(content: &Content, name: &str) -> Option<PathBuf> {
    let other = Path::new(content.path).with_file_name(name);
    (other != Path::new(content.path) && other.is_file()).then_some(other)
}

/// Whether the file lies in `base` and equals its twin in `new`.
fn copied(content: &Content) -> bool {
    let twin = || {
        let path = Path::new(content.path);
        let folder = path.parent().filter(|folder| folder.ends_with("base"))?;
        std::fs::read(folder.with_file_name("new").join(path.file_name()?)).ok()
    };
    twin().is_some_and(|twin| twin == content.bytes)
}

/// Mean and median of times per iteration in nanoseconds.
fn finish(
    content: &Content,
    mut builder: RunBuilder,
    pairs: &[(f64, f64)],
    options: &Options,
    found: &mut Found,
) -> Result<(), Error> {
    let mut each: Vec<f64> = pairs
        .iter()
        .filter(|(iterations, _)| *iterations > 0.0)
        .map(|(iterations, nanoseconds)| nanoseconds / iterations)
        .filter(|value| value.is_finite())
        .collect();
    if each.is_empty() {
        let what = "a time and a number of iterations above 0";
        return Err(expected(content, "", what, None));
    }
    if options.iterations {
        for value in each {
            let mut one = builder.clone();
            one.iteration(found.runs.len() + 1);
            time(&mut one, "time_per_op_ns", Some(value), 1.0);
            one.finish(found, options)?;
        }
        return Ok(());
    }
    each.sort_by(f64::total_cmp);
    time(&mut builder, "time_per_op_ns", mean(&each), 1.0);
    let median = crate::stats::quantile(&each, 0.5);
    time(&mut builder, "median_time_per_op_ns", Some(median), 1.0);
    builder.iterations_with_values(each.len());
    builder.finish(found, options)
}

fn sample(content: &Content, options: &Options) -> Result<Found, Error> {
    if copied(content) {
        return Ok(nothing("a copy of the run in new"));
    }
    let [iterations, times] = if content.bytes().trim_ascii_start().starts_with(b"[") {
        serde_json::from_slice::<[Vec<f64>; 2]>(content.bytes()).map_err(|error| Error::Input {
            path: content.path.to_owned(),
            place: format!("line {} column {}", error.line(), error.column()),
            problem: format!("expected a list of iterations and one of times, found {error}"),
            remedy: "copy it again, or remove the file".to_owned(),
        })?
    } else {
        let roots = trees(content)?;
        let root = roots.first().unwrap_or(&Node::Null);
        ["iters", "times"].map(|key| root.numbers(key))
    };
    if iterations.len() != times.len() {
        let what = format!("{} times as there are numbers of iterations", iterations.len());
        let found = Node::Number(times.len() as f64);
        return Err(expected(content, "times", &what, Some(&found)));
    }
    let pairs: Vec<(f64, f64)> = iterations.into_iter().zip(times).collect();
    let mut found = Found::default();
    finish(content, builder(content), &pairs, options, &mut found)?;
    Ok(found)
}

fn raw(content: &Content, options: &Options) -> Result<Found, Error> {
    if beside(content, "sample.json").is_some() {
        return Ok(nothing("repeats sample.json beside it"));
    }
    let text = content.text();
    let mut reader = csv::ReaderBuilder::new().flexible(true).from_reader(text.as_bytes());
    let headers = reader.headers().cloned().unwrap_or_default();
    let column = |name: &str| headers.iter().position(|header| header == name);
    let time = column("sample_time_nanos").or_else(|| column("sample_measured_value"));
    let mut benchmarks: Vec<(String, Vec<(f64, f64)>)> = Vec::new();
    for (index, row) in reader.records().enumerate() {
        let place = format!("line {}", index + 2);
        let row = row.map_err(|error| {
            let found = Node::Text(error.to_string());
            expected(content, &place, "a row of the table", Some(&found))
        })?;
        let cell = |column: Option<usize>| column.and_then(|column| row.get(column));
        if let Some(unit) = cell(column("unit")).filter(|unit| *unit != "ns") {
            let unit = Node::Text(unit.to_owned());
            return Err(expected(content, &place, "the unit ns", Some(&unit)));
        }
        let read = |column: Option<usize>| {
            let value = cell(column).and_then(number).map(|number| number.value);
            let shown = || cell(column).map(|text| Node::Text(text.to_owned()));
            value.ok_or_else(|| expected(content, &place, "a number", shown().as_ref()))
        };
        let pair = (read(column("iteration_count"))?, read(time)?);
        let name: Vec<&str> = ["group", "function", "value"]
            .iter()
            .filter_map(|name| cell(column(name)).filter(|part| !part.is_empty()))
            .collect();
        let name = name.join("/");
        match benchmarks.iter_mut().find(|(known, _)| *known == name) {
            Some((_, pairs)) => pairs.push(pair),
            None => benchmarks.push((name, vec![pair])),
        }
    }
    let mut found = Found::default();
    for (index, (name, pairs)) in benchmarks.into_iter().enumerate() {
        let mut builder = RunBuilder::new(content, "criterion", index + 1, "benchmark");
        builder.run.workload.label = Some(name);
        finish(content, builder, &pairs, options, &mut found)?;
    }
    Ok(found)
}

fn estimates(content: &Content, options: &Options) -> Result<Found, Error> {
    if beside(content, "sample.json").is_some() {
        return Ok(nothing("repeats sample.json beside it"));
    }
    let parent = Path::new(content.path).parent();
    let name = Path::new(content.path).file_name().unwrap_or_default().to_string_lossy();
    if parent.is_some_and(|folder| folder.ends_with("change")) || name.starts_with("change") {
        return Ok(nothing("a change from one run to the next, not a run"));
    }
    let roots = trees(content)?;
    let root = roots.first().unwrap_or(&Node::Null);
    let mut builder = builder(content);
    let mut seen = false;
    for (names, metric) in
        [(["mean", "Mean"], "time_per_op_ns"), (["median", "Median"], "median_time_per_op_ns")]
    {
        let estimate = names.iter().find_map(|name| root.at(&format!("{name}/point_estimate")));
        seen |= estimate.is_some();
        time(&mut builder, metric, estimate.and_then(as_number), 1.0);
    }
    if !seen {
        let found = root.at("mean").or_else(|| root.at("Mean"));
        return Err(expected(content, "mean.point_estimate", "a number", found));
    }
    let mut found = Found::default();
    builder.finish(&mut found, options)?;
    Ok(found)
}
