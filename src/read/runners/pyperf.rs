//! pyperf: files of `python -m pyperf` and of benchmark suites built on it.
//!
//! Replicate: a worker process, an element of `runs` with `values`; the values inside one process are
//! summed up by their mean. Processes without values only found out how many loops to make.

use crate::error::Error;
use crate::read::llm::run_builder::RunBuilder;
use crate::read::llm::tree::Node;
use crate::read::runners::{expected, json_with, mean, numbers, time, trees};
use crate::read::{Content, Found, Options, Reader};
use crate::runs::Skipped;

pub(super) const JSON: Reader = Reader {
    name: "pyperf json",
    recognised_by: "keys benchmarks, runs, values, metadata and version",
    one_run: "a worker process: the mean of its values",
    metrics: &["time_per_op_ns", "memory_bytes"],
    recognise: |content, _| {
        json_with(content, &["benchmarks", "runs", "values", "metadata", "version"])
            && !json_with(content, &["scheduler_metrics"])
    },
    read,
};

/// Metadata that describe the build or the machine.
const KEPT: &[&str] = &["python_version", "hostname", "cpu_model_name", "platform", "loops"];

fn read(content: &Content, options: &Options) -> Result<Found, Error> {
    let mut found = Found::default();
    let mut position = 0;
    for root in trees(content)? {
        for (index, benchmark) in root.items("benchmarks").iter().enumerate() {
            let place = format!("benchmarks[{index}]");
            let runs = benchmark.items("runs");
            let measured = runs.iter().filter(|run| run.has("values")).count();
            if measured < runs.len() {
                let why = format!("{} processes for calibration, no values", runs.len() - measured);
                found.skipped.push(Skipped { place: place.clone(), why });
            }
            for (nth, run) in runs.iter().enumerate().filter(|(_, run)| run.has("values")) {
                let values =
                    numbers(content, &format!("{place}.runs[{nth}].values"), run.items("values"))?;
                position += 1;
                let mut builder = RunBuilder::new(content, "pyperf", position, "process");
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
                if options.iterations {
                    for value in values {
                        let mut one = builder.clone();
                        one.iteration(found.runs.len() + 1);
                        put(content, &mut one, &place, unit.as_deref(), Some(value))?;
                        one.finish(&mut found, options)?;
                    }
                    continue;
                }
                if measured == 1 && values.len() > 1 {
                    builder.iterations_with_values(values.len());
                }
                put(content, &mut builder, &place, unit.as_deref(), mean(&values))?;
                builder.finish(&mut found, options)?;
            }
        }
    }
    Ok(found)
}

/// Puts a value in the unit that pyperf names; without one it is seconds.
fn put(
    content: &Content,
    builder: &mut RunBuilder,
    place: &str,
    unit: Option<&str>,
    value: Option<f64>,
) -> Result<(), Error> {
    match unit {
        None | Some("second") => time(builder, "time_per_op_ns", value, 1e9),
        Some("byte") => builder.metric("memory_bytes", value),
        Some("integer") => builder.metric("value", value),
        Some(other) => {
            let unit = Node::Text(other.to_owned());
            let place = format!("{place}.metadata.unit");
            return Err(expected(content, &place, "second, byte or integer", Some(&unit)));
        }
    }
    Ok(())
}
