//! criterion.rs: `target/criterion/<benchmark>/<saved as>/{sample,estimates}.json` and `raw.csv`.
//!
//! Replicate: a saved baseline, which is one process; its samples are iterations of that process. `new` and the names
//! given to `--save-baseline` are variants; `base` is a copy of the last of them and is skipped if it equals `new`.
//! One run is in several files: `sample.json` counts, the others only if it is missing.

use std::path::Path;

use crate::kit::prelude::*;
use crate::kit::siblings::{beside, json_beside};
use beyondnoise_stats::quantile;

const METRICS: &[&str] = &["time_per_op_ns", "median_time_per_op_ns"];

pub(crate) const SAMPLE: Reader = Reader {
    name: "criterion sample",
    recognised_by: "keys sampling_mode, iters and times, or two lists in a file sample.json",
    one_run: "a saved baseline, which is one process: mean and median of its samples",
    metrics: METRICS,
    recognise: |content, _| {
        json_part_with(content, &["sampling_mode", "iters", "times"])
            || (content.path.ends_with("sample.json") && is_two_lists(content))
    },
    read: |content, options| Reading::of(content, options, sample),
    ..Reader::EMPTY
};

pub(crate) const RAW: Reader = Reader {
    name: "criterion raw csv",
    marks: Marks::Header(&["iteration_count", "sample_time_nanos|sample_measured_value"]),
    one_run: "a benchmark: mean and median of its rows",
    metrics: METRICS,
    read: |content, options| Reading::of(content, options, raw),
    ..Reader::EMPTY
};

pub(crate) const ESTIMATES: Reader = Reader {
    name: "criterion estimates",
    marks: Marks::JsonPart(&["point_estimate", "standard_error", "confidence_interval"]),
    one_run: "a file, which is one process",
    metrics: METRICS,
    read: |content, options| Reading::of(content, options, estimates),
    ..Reader::EMPTY
};

pub(crate) const REST: Reader = Reader {
    name: "criterion other files",
    recognised_by: "keys group_id, function_id and directory_name, or a file tukey.json",
    one_run: "none: the name of the benchmark, limits of outliers",
    recognise: |content, _| {
        json_part_with(content, &["group_id", "function_id", "directory_name"])
            || content.path.ends_with("tukey.json")
    },
    read: |_, _| Ok(Found::nothing("no measurement; the samples are in sample.json")),
    ..Reader::EMPTY
};

/// Older versions wrote a list of iterations and one of times.
fn is_two_lists(content: &Content) -> bool {
    content.bytes().trim_ascii_start().starts_with(b"[[")
}

/// A run named after the files beside it and the folders above.
fn builder(file: &Reading) -> RunBuilder {
    let mut builder = file.run("criterion", 0, "");
    let folder = Path::new(file.content.path).parent();
    let described = json_beside(file.content, "benchmark.json");
    let folders = || {
        let above: Vec<String> =
            folder?.parent()?.iter().map(|part| part.to_string_lossy().into_owned()).collect();
        let start = above.iter().rposition(|part| part == "criterion")? + 1;
        above.get(start..).filter(|id| !id.is_empty()).map(|id| id.join("/"))
    };
    builder.run.workload.label =
        described.first().and_then(|root| root.word("full_id")).or_else(folders);
    if let Some(saved) = folder.and_then(Path::file_name)
        && builder.run.workload.label.is_some()
    {
        builder.run.variant = saved.to_string_lossy().into_owned();
        builder.metadata(SAVED_AS, Some(builder.run.variant.clone()));
    }
    builder
}

/// Whether the file lies in `base` and equals its twin in `new`.
fn copied(content: &Content) -> bool {
    let twin = || {
        let path = Path::new(content.path);
        let folder = path.parent().filter(|folder| folder.ends_with("base"))?;
        content.store.read(&folder.with_file_name("new").join(path.file_name()?)).ok()
    };
    twin().is_some_and(|twin| twin == content.bytes)
}

/// Mean and median of times per iteration in nanoseconds.
fn finish(
    file: &mut Reading,
    mut builder: RunBuilder,
    pairs: impl Iterator<Item = (f64, f64)>,
) -> Result<(), Error> {
    let mut each: Vec<f64> = pairs
        .filter(|(iterations, _)| *iterations > 0.0)
        .map(|(iterations, nanoseconds)| nanoseconds / iterations)
        .filter(|value| value.is_finite())
        .collect();
    if each.is_empty() {
        let what = "a time and a number of iterations above 0";
        return Err(file.expected("", what, None));
    }
    if file.options.iterations {
        return file.unfold(&builder, &each, |one, value| {
            one.time("time_per_op_ns", Some(value), 1.0);
        });
    }
    each.sort_by(f64::total_cmp);
    builder.time("time_per_op_ns", mean(&each), 1.0);
    builder.time("median_time_per_op_ns", Some(quantile(&each, 0.5)), 1.0);
    builder.iterations_with_values(each.len());
    file.add(builder)
}

fn sample(file: &mut Reading) -> Result<(), Error> {
    if copied(file.content) {
        return file.nothing("a copy of the run in new");
    }
    let [iterations, times] = if is_two_lists(file.content) {
        serde_json::from_slice::<[Vec<f64>; 2]>(file.content.bytes()).map_err(|error| {
            Error::Input {
                path: file.content.path.to_owned(),
                place: format!("line {} column {}", error.line(), error.column()),
                problem: format!("expected a list of iterations and one of times, found {error}"),
                remedy: "copy it again, or remove the file".to_owned(),
            }
        })?
    } else {
        let roots = file.trees()?;
        ["iters", "times"]
            .map(|key| roots.first().map(|root| root.numbers(key)).unwrap_or_default())
    };
    if iterations.len() != times.len() {
        let what = format!("{} times as there are numbers of iterations", iterations.len());
        let found = Node::Float(times.len() as f64);
        return Err(file.expected("times", &what, Some(&found)));
    }
    let pairs = iterations.into_iter().zip(times);
    finish(file, builder(file), pairs)
}

fn raw(file: &mut Reading) -> Result<(), Error> {
    if beside(file.content, "sample.json").is_some() {
        return file.nothing("repeats sample.json beside it");
    }
    let mut benchmarks: Vec<(String, Vec<(f64, f64)>)> = Vec::new();
    for row in ragged_rows(file.content.path, file.content.bytes())? {
        let row = row?;
        let unit = row.cell("unit");
        if !matches!(unit, "" | "ns") {
            return Err(row.wrong("the unit ns", "unit", unit));
        }
        let read = |names: &str| {
            let value = row.number(names)?.map(|number| number.value);
            value.ok_or_else(|| row.wrong("a number", names, ""))
        };
        let pair = (read("iteration_count")?, read("sample_time_nanos|sample_measured_value")?);
        let parts = ["group", "function", "value"].map(|name| row.cell(name));
        let parts: Vec<&str> = parts.into_iter().filter(|part| !part.is_empty()).collect();
        let name = parts.join("/");
        match benchmarks.iter_mut().find(|(known, _)| *known == name) {
            Some((_, pairs)) => pairs.push(pair),
            None => benchmarks.push((name, vec![pair])),
        }
    }
    for (index, (name, pairs)) in benchmarks.into_iter().enumerate() {
        let mut builder = file.run("criterion", index + 1, "benchmark");
        builder.run.workload.label = Some(name);
        finish(file, builder, pairs.into_iter())?;
    }
    Ok(())
}

fn estimates(file: &mut Reading) -> Result<(), Error> {
    if beside(file.content, "sample.json").is_some() {
        return file.nothing("repeats sample.json beside it");
    }
    let path = Path::new(file.content.path);
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    if name.starts_with("change") || path.parent().is_some_and(|folder| folder.ends_with("change"))
    {
        return file.nothing("a change from one run to the next, not a run");
    }
    let roots = file.trees()?;
    let root = roots.first().unwrap_or(&Node::Null);
    if !root.has(MEAN) && !root.has(MEDIAN) {
        return Err(file.expected("mean.point_estimate", "a number", root.at("mean|Mean")));
    }
    let mut builder = builder(file);
    builder.time("time_per_op_ns", root.number(MEAN), 1.0);
    builder.time("median_time_per_op_ns", root.number(MEDIAN), 1.0);
    file.add(builder)
}

const MEAN: &str = "mean/point_estimate|Mean/point_estimate";
const MEDIAN: &str = "median/point_estimate|Median/point_estimate";
