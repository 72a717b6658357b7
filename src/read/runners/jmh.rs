//! JMH: `-rf json`.
//!
//! Replicate: a fork, which is one process: the mean of its iterations. The parameters, the mode and the
//! threads of a benchmark are part of its workload.

use crate::error::Error;
use crate::read::llm::run_builder::RunBuilder;
use crate::read::llm::tree::Node;
use crate::read::runners::{
    as_number, expected, json_with, mean, nanoseconds, numbers, time, trees,
};
use crate::read::{Content, Found, Options, Reader};

pub(super) const JSON: Reader = Reader {
    name: "jmh json",
    recognised_by: "keys benchmark, mode, primaryMetric and scoreUnit",
    one_run: "a fork: the mean of its iterations",
    metrics: &["ops_per_s", "time_per_op_ns", "bytes_per_op"],
    recognise: |content, _| {
        json_with(content, &["benchmark", "mode", "primaryMetric", "scoreUnit"])
    },
    read,
};

fn read(content: &Content, options: &Options) -> Result<Found, Error> {
    let mut found = Found::default();
    let mut position = 0;
    for (index, result) in trees(content)?.iter().enumerate() {
        let place = format!("[{index}]");
        let Some(name) = result.text("benchmark") else {
            let place = format!("{place}.benchmark");
            return Err(expected(content, &place, "a name", result.at("benchmark")));
        };
        let forks = forks(content, &format!("{place}.primaryMetric"), result)?;
        for (fork, values) in forks.iter().enumerate() {
            position += 1;
            let mut builder = RunBuilder::new(content, "jmh", position, "fork");
            builder.run.workload.label = Some(name.to_owned());
            for key in ["mode", "threads"] {
                builder.load(key, result.shown(key));
            }
            for (parameter, _) in result.at("params").map_or(&[][..], Node::entries) {
                builder.load(parameter, result.at("params").and_then(|all| all.shown(parameter)));
            }
            for key in ["jmhVersion", "jdkVersion", "vmName", "vmVersion"] {
                builder.metadata(key, result.shown(key));
            }
            // Without a process of its own for each fork there are only iterations.
            if forks.len() == 1 && values.len() > 1 && !options.iterations {
                builder.iterations_with_values(values.len());
            }
            let unit = result.text("primaryMetric/scoreUnit").unwrap_or_default();
            if options.iterations {
                for value in values {
                    let mut one = builder.clone();
                    one.iteration(found.runs.len() + 1);
                    score(content, &mut one, &place, unit, Some(*value))?;
                    one.finish(&mut found, options)?;
                }
                continue;
            }
            score(content, &mut builder, &place, unit, mean(values))?;
            for (name, metric) in result.at("secondaryMetrics").map_or(&[][..], Node::entries) {
                let Some(Node::List(iterations)) = metric.at(&format!("rawData/{fork}")) else {
                    continue;
                };
                let values: Vec<f64> = iterations.iter().filter_map(as_number).collect();
                // The allocation profiler marks its names with a dot.
                let bare = name.trim_start_matches('·');
                let known = bare == "gc.alloc.rate.norm";
                builder.metric(if known { "bytes_per_op" } else { bare }, mean(&values));
            }
            builder.finish(&mut found, options)?;
        }
    }
    Ok(found)
}

/// The values of each fork: its iterations, or in the sampling mode their means.
fn forks(content: &Content, place: &str, result: &Node) -> Result<Vec<Vec<f64>>, Error> {
    if let Some(Node::List(forks)) = result.at("primaryMetric/rawData") {
        let values = |(fork, iterations): (usize, &Node)| {
            let place = format!("{place}.rawData[{fork}]");
            match iterations {
                Node::List(items) if !items.is_empty() => numbers(content, &place, items),
                other => Err(expected(content, &place, "a list of numbers", Some(other))),
            }
        };
        return forks.iter().enumerate().map(values).collect();
    }
    if let Some(Node::List(forks)) = result.at("primaryMetric/rawDataHistogram") {
        let of_fork = |fork: &Node| match fork {
            Node::List(iterations) => iterations.iter().filter_map(weighted_mean).collect(),
            _ => Vec::new(),
        };
        return Ok(forks.iter().map(of_fork).filter(|fork: &Vec<f64>| !fork.is_empty()).collect());
    }
    let place = format!("{place}.rawData");
    Err(expected(content, &place, "the values of each fork", result.at("primaryMetric/rawData")))
}

/// Mean of pairs of a value and how often it was seen.
fn weighted_mean(histogram: &Node) -> Option<f64> {
    let Node::List(pairs) = histogram else { return None };
    let (mut sum, mut count) = (0.0, 0.0);
    for pair in pairs {
        let (value, times) = (pair.number("0")?, pair.number("1")?);
        sum += value * times;
        count += times;
    }
    (count > 0.0).then(|| sum / count)
}

/// The score in the unit that JMH gives: `ops/ms`, `us/op`.
fn score(
    content: &Content,
    builder: &mut RunBuilder,
    place: &str,
    unit: &str,
    value: Option<f64>,
) -> Result<(), Error> {
    match unit.split_once('/') {
        Some(("ops", per)) if nanoseconds(per).is_some() => {
            let factor = nanoseconds(per).map_or(1.0, |unit| 1e9 / unit);
            builder.scaled("ops_per_s", value, factor);
        }
        Some((of, "op")) if nanoseconds(of).is_some() => {
            time(builder, "time_per_op_ns", value, nanoseconds(of).unwrap_or(1.0));
        }
        _ => {
            let unit = Node::Text(unit.to_owned());
            let place = format!("{place}.primaryMetric.scoreUnit");
            return Err(expected(content, &place, "a unit such as ops/s or ns/op", Some(&unit)));
        }
    }
    Ok(())
}
