//! Google Benchmark: `--benchmark_out=FILE` or `--benchmark_format=json`.
//!
//! Replicate: a file, which is one process. Repetitions are iterations of that process; the run is their mean. Rows
//! of aggregates are never runs; their mean is used only if the file holds nothing else
//! (`--benchmark_report_aggregates_only`).

use crate::kit::prelude::*;

pub(crate) const JSON: Reader = Reader {
    name: "google-benchmark json",
    marks: Marks::JsonPart(&["context", "benchmarks", "real_time", "time_unit"]),
    one_run: "a file, which is one process: the mean of its repetitions",
    metrics: &["time_per_op_ns", "cpu_time_per_op_ns", "items_per_s", "mb_per_s"],
    read: |content, options| Reading::of(content, options, read),
    ..Reader::EMPTY
};

/// Properties of the machine and the build.
const ABOUT_FILE: &[&str] =
    &["context/host_name", "context/library_build_type", "context/library_version"];

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

/// The rows of one benchmark, each with its place in the list.
struct Rows<'a> {
    name: &'a str,
    repetitions: Vec<(usize, &'a Node)>,
    mean: Option<(usize, &'a Node)>,
}

fn read(file: &mut Reading) -> Result<(), Error> {
    let mut position = 0;
    for root in file.trees()? {
        for Rows { name, repetitions, mean } in rows(file, &root)? {
            position += 1;
            let rows = if repetitions.is_empty() { Vec::from_iter(mean) } else { repetitions };
            if rows.is_empty() {
                file.skip(name, "aggregates only, no mean among them");
                continue;
            }
            let mut builder = file.run("google-benchmark", position, "benchmark");
            builder.run.workload.label = Some(name.to_owned());
            builder.run.info.started = root.shown("context/date");
            builder.properties(&root, ABOUT_FILE);
            if file.options.iterations && rows.len() > 1 {
                for row in rows.chunks(1) {
                    let mut one = builder.clone();
                    one.iteration(file.found.runs.len() + 1);
                    fill(file, &mut one, row)?;
                    file.add(one)?;
                }
                continue;
            }
            fill(file, &mut builder, &rows)?;
            file.add(builder)?;
        }
    }
    Ok(())
}

/// The rows of each benchmark, in the order of the file.
fn rows<'a>(file: &mut Reading, root: &'a Node) -> Result<Vec<Rows<'a>>, Error> {
    let all = root.items("benchmarks");
    let mut groups: Vec<Rows> = Vec::new();
    for (index, row) in all.iter().enumerate() {
        let place = format!("benchmarks[{index}]");
        let name = row.text("run_name|name");
        let Some(full) = row.text("name|run_name") else {
            let place = format!("{place}.name");
            return Err(file.expected(&place, "the name of a benchmark", row.at("name")));
        };
        if row.flag("error_occurred") == Some(true) {
            let why = row.text("error_message").unwrap_or("no reason given");
            file.skip(place, format!("{full} failed: {why}"));
            continue;
        }
        // Old files have no run_type.
        let of = AGGREGATES.iter().find_map(|ending| {
            let base = full.strip_suffix(ending)?;
            all.iter().any(|other| other.text("name") == Some(base)).then_some(base)
        });
        let said = row.text("run_type");
        let aggregate = said.map_or(of.is_some(), |kind| kind == "aggregate");
        let name = match of {
            Some(base) if aggregate && row.text("run_name").is_none() => base,
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

fn fill(file: &Reading, builder: &mut RunBuilder, rows: &[(usize, &Node)]) -> Result<(), Error> {
    for (key, metric) in [("real_time", "time_per_op_ns"), ("cpu_time", "cpu_time_per_op_ns")] {
        let mut values = Vec::new();
        for (index, row) in rows {
            let bad = |key: &str, what: &str| {
                file.expected(&format!("benchmarks[{index}].{key}"), what, row.at(key))
            };
            let factor = nanoseconds(row.text("time_unit").unwrap_or("ns"));
            let factor = factor.ok_or_else(|| bad("time_unit", "ns, us, ms or s"))?;
            let value = row.number(key).ok_or_else(|| bad(key, "a number"))?;
            values.push((value, factor));
        }
        // One unit for all keeps the digits as they are printed.
        let factor = values[0].1;
        let values: Vec<f64> = values.iter().map(|(value, own)| value * (own / factor)).collect();
        builder.time(metric, mean(&values), factor);
    }
    let of_all = |key: &str| {
        let values: Vec<f64> = rows.iter().filter_map(|(_, row)| row.number(key)).collect();
        if values.len() == rows.len() { mean(&values) } else { None }
    };
    builder.metric("items_per_s", of_all("items_per_second"));
    builder.scaled("mb_per_s", of_all("bytes_per_second"), 1e-6);
    let first = rows[0].1;
    for (key, value) in first.entries("") {
        if value.number("").is_some() && !ABOUT.contains(&&**key) {
            builder.metric(key, of_all(key));
        }
    }
    builder.properties(first, &["label"]);
    let stated = first.count("repetitions").filter(|_| first.has("aggregate_name"));
    let stated = stated.and_then(|count| usize::try_from(count).ok());
    if rows.len() > 1 {
        builder.iterations_with_values(rows.len().max(stated.unwrap_or(1)));
    } else if let Some(repetitions @ 2..) = stated {
        builder.iterations(repetitions);
    }
    Ok(())
}
