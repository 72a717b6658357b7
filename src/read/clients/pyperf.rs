//! pyperf: files of `python -m pyperf` and of benchmark suites built on it.
//!
//! Replicate: a worker process, an element of `runs` with `values`; the values inside one process are
//! summed up by their mean. Processes without values only found out how many loops to make.

use crate::kit::prelude::*;

pub(crate) const JSON: Reader = Reader {
    name: "pyperf json",
    marks: Marks::JsonPart(&[
        "benchmarks",
        "runs",
        "values",
        "metadata",
        "version",
        "!scheduler_metrics",
    ]),
    one_run: "a worker process: the mean of its values",
    metrics: &["time_per_op_ns", "memory_bytes"],
    read: |content, options| Reading::of(content, options, read),
    ..Reader::EMPTY
};

/// Metadata that describe the build or the machine.
const KEPT: &[&str] = &["python_version", "hostname", "cpu_model_name", "platform", "loops"];

fn read(file: &mut Reading) -> Result<(), Error> {
    let mut position = 0;
    for root in file.trees()? {
        for (index, benchmark) in root.items("benchmarks").iter().enumerate() {
            let place = format!("benchmarks[{index}]");
            let runs = benchmark.items("runs");
            let measured = runs.iter().filter(|run| run.has("values")).count();
            if measured < runs.len() {
                let calibration = runs.len() - measured;
                file.skip(&place, format!("{calibration} processes for calibration, no values"));
            }
            for (nth, run) in runs.iter().enumerate().filter(|(_, run)| run.has("values")) {
                let values =
                    file.numbers(&format!("{place}.runs[{nth}].values"), run.items("values"))?;
                position += 1;
                let mut builder = file.run("pyperf", position, "process");
                let about = |key: &str| {
                    let path = format!("metadata/{key}");
                    [run, benchmark, &root].into_iter().find_map(|node| node.shown(&path))
                };
                builder.run.workload.label = about("name");
                builder.run.info.started = about("date");
                for key in KEPT {
                    builder.metadata(key, about(key));
                }
                let unit = about("unit");
                let Some(metric) = metric_of(unit.as_deref()) else {
                    let place = format!("{place}.metadata.unit");
                    let found = unit.map(|unit| Node::Str(unit.into()));
                    let what = "second, byte or integer";
                    return Err(file.expected(&place, what, found.as_ref()));
                };
                if file.options.iterations {
                    file.unfold(&builder, &values, |one, value| put(one, metric, Some(value)))?;
                    continue;
                }
                if measured == 1 && values.len() > 1 {
                    builder.iterations_with_values(values.len());
                }
                put(&mut builder, metric, mean(&values));
                file.add(builder)?;
            }
        }
    }
    Ok(())
}

/// The metric of a unit; without one it is seconds.
fn metric_of(unit: Option<&str>) -> Option<&'static str> {
    match unit {
        None | Some("second") => Some("time_per_op_ns"),
        Some("byte") => Some("memory_bytes"),
        Some("integer") => Some("value"),
        Some(_) => None,
    }
}

fn put(builder: &mut RunBuilder, metric: &str, value: Option<f64>) {
    if metric == "time_per_op_ns" {
        builder.time(metric, value, 1e9);
    } else {
        builder.metric(metric, value);
    }
}
