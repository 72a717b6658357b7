//! Google Benchmark: `--benchmark_out=FILE` or `--benchmark_format=json`.
//!
//! Replicate: a file, which is one process. Repetitions are iterations of that process; the run is their mean. Rows
//! of aggregates are never runs; their mean is used only if the file holds nothing else
//! (`--benchmark_report_aggregates_only`).

use crate::error::Error;
use crate::read::llm::run_builder::RunBuilder;
use crate::read::llm::tree::Node;
use crate::read::runners::{expected, json_with, mean, nanoseconds, time, trees};
use crate::read::{Content, Found, Options, Reader};
use crate::runs::Skipped;

pub(super) const JSON: Reader = Reader {
    name: "google-benchmark json",
    recognised_by: "keys context, benchmarks, real_time and time_unit",
    one_run: "a file, which is one process: the mean of its repetitions",
    metrics: &["time_per_op_ns", "cpu_time_per_op_ns", "items_per_s", "mb_per_s"],
    recognise: |content, _| {
        json_with(content, &["context", "benchmarks", "real_time", "time_unit"])
    },
    read,
};

/// Numbers of a row that describe it; all others are counters of the benchmark.
const ABOUT: &[&str] = &[
    "family_index",
    "per_family_instance_index",
    "repetitions",
    "repetition_index",
    "threads",
    "iterations",
    "real_time",
    "cpu_time",
    "items_per_second",
    "bytes_per_second",
    "cpu_coefficient",
    "real_coefficient",
    "rms",
];

/// Endings of the names of aggregates in files that do not mark these rows.
const AGGREGATES: &[&str] = &["_mean", "_median", "_stddev", "_cv", "_BigO", "_RMS"];

/// The rows of one benchmark.
struct Rows<'a> {
    name: &'a str,
    repetitions: Vec<(usize, &'a Node)>,
    mean: Option<(usize, &'a Node)>,
}

fn read(content: &Content, options: &Options) -> Result<Found, Error> {
    let mut found = Found::default();
    let mut position = 0;
    for root in trees(content)? {
        for Rows { name, repetitions, mean } in rows(content, &root, &mut found.skipped)? {
            position += 1;
            let rows = if repetitions.is_empty() { Vec::from_iter(mean) } else { repetitions };
            if rows.is_empty() {
                let why = "aggregates only, no mean among them".to_owned();
                found.skipped.push(Skipped { place: name.to_owned(), why });
                continue;
            }
            let mut builder = RunBuilder::new(content, "google-benchmark", position, "benchmark");
            builder.run.workload.label = Some(name.to_owned());
            builder.run.info.started = root.shown("context/date");
            for key in ["host_name", "library_build_type", "library_version"] {
                builder.metadata(key, root.shown(&format!("context/{key}")));
            }
            if options.iterations && rows.len() > 1 {
                for row in rows.chunks(1) {
                    let mut one = builder.clone();
                    one.iteration(found.runs.len() + 1);
                    fill(content, &mut one, row)?;
                    one.finish(&mut found, options)?;
                }
                continue;
            }
            fill(content, &mut builder, &rows)?;
            builder.finish(&mut found, options)?;
        }
    }
    Ok(found)
}

/// The rows of each benchmark, in the order of the file.
fn rows<'a>(
    content: &Content,
    root: &'a Node,
    skipped: &mut Vec<Skipped>,
) -> Result<Vec<Rows<'a>>, Error> {
    let all = root.items("benchmarks");
    let mut groups: Vec<Rows> = Vec::new();
    for (index, row) in all.iter().enumerate() {
        let place = format!("benchmarks[{index}]");
        let name = row.text("run_name").or_else(|| row.text("name"));
        let Some(full) = row.text("name").or(name) else {
            let place = format!("{place}.name");
            return Err(expected(content, &place, "the name of a benchmark", row.at("name")));
        };
        if row.text("error_occurred") == Some("true") {
            let why = row.text("error_message").unwrap_or("no reason given");
            let why = format!("{full} failed: {why}");
            skipped.push(Skipped { place, why });
            continue;
        }
        // Old files have no run_type.
        let of = AGGREGATES.iter().find_map(|ending| {
            let base = full.strip_suffix(ending)?;
            all.iter().any(|other| other.text("name") == Some(base)).then_some((base, *ending))
        });
        let said = row.text("run_type");
        let aggregate = said.map_or(of.is_some(), |kind| kind == "aggregate");
        let name = match of {
            Some((base, _)) if aggregate && row.text("run_name").is_none() => base,
            _ => name.unwrap_or(full),
        };
        let known = groups.iter().position(|group| group.name == name);
        let at = known.unwrap_or_else(|| {
            groups.push(Rows { name, repetitions: Vec::new(), mean: None });
            groups.len() - 1
        });
        if !aggregate {
            groups[at].repetitions.push((index, row));
        } else if row.text("aggregate_name") == Some("mean") {
            groups[at].mean = Some((index, row));
        }
    }
    Ok(groups)
}

fn fill(content: &Content, builder: &mut RunBuilder, rows: &[(usize, &Node)]) -> Result<(), Error> {
    for (key, metric) in [("real_time", "time_per_op_ns"), ("cpu_time", "cpu_time_per_op_ns")] {
        let mut values = Vec::new();
        for (index, row) in rows {
            let unit = row.text("time_unit").unwrap_or("ns");
            let Some(factor) = nanoseconds(unit) else {
                let place = format!("benchmarks[{index}].time_unit");
                return Err(expected(content, &place, "ns, us, ms or s", row.at("time_unit")));
            };
            let Some(value) = row.number(key) else {
                let place = format!("benchmarks[{index}].{key}");
                return Err(expected(content, &place, "a number", row.at(key)));
            };
            values.push((value, factor));
        }
        // One unit for all keeps the digits as they are printed.
        let factor = values[0].1;
        let values: Vec<f64> = values.iter().map(|(value, own)| value * (own / factor)).collect();
        time(builder, metric, mean(&values), factor);
    }
    let of_all = |key: &str| {
        let values: Vec<f64> = rows.iter().filter_map(|(_, row)| row.number(key)).collect();
        if values.len() == rows.len() { mean(&values) } else { None }
    };
    builder.metric("items_per_s", of_all("items_per_second"));
    builder.scaled("mb_per_s", of_all("bytes_per_second"), 1e-6);
    for (key, value) in rows[0].1.entries() {
        if matches!(value, Node::Number(_)) && !ABOUT.contains(&key.as_str()) {
            builder.metric(key, of_all(key));
        }
    }
    builder.metadata("label", rows[0].1.shown("label"));
    let repetitions = rows.len().max(
        rows[0]
            .1
            .count_at("repetitions")
            .filter(|_| rows[0].1.has("aggregate_name"))
            .and_then(|count| usize::try_from(count).ok())
            .unwrap_or(1),
    );
    if rows.len() > 1 {
        builder.iterations_with_values(repetitions);
    } else if repetitions > 1 {
        builder.iterations(repetitions);
    }
    Ok(())
}
