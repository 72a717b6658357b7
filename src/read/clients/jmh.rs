//! JMH: `-rf json`.
//!
//! Replicate: a fork, which is one process: the mean of its iterations. The parameters, the mode and the
//! threads of a benchmark are part of its workload.

use crate::read::kit::prelude::*;

pub(crate) const JSON: Reader = Reader {
    name: "jmh json",
    recognised_by: "keys benchmark, mode, primaryMetric and scoreUnit",
    one_run: "a fork: the mean of its iterations",
    metrics: &["ops_per_s", "time_per_op_ns", "bytes_per_op"],
    recognise: |content, _| {
        json_part_with(content, &["benchmark", "mode", "primaryMetric", "scoreUnit"])
    },
    read: |content, options| Reading::of(content, options, read),
    ..Reader::EMPTY
};

fn read(file: &mut Reading) -> Result<(), Error> {
    let mut position = 0;
    for (index, result) in file.trees()?.iter().enumerate() {
        let place = format!("[{index}]");
        let Some(name) = result.word("benchmark") else {
            let place = format!("{place}.benchmark");
            return Err(file.expected(&place, "a name", result.at("benchmark")));
        };
        let forks = forks(file, &format!("{place}.primaryMetric"), result)?;
        for (fork, values) in forks.iter().enumerate() {
            position += 1;
            let mut builder = file.run("jmh", position, "fork");
            builder.run.workload.label = Some(name.clone());
            builder.loads(result, &[("mode", "mode"), ("threads", "threads")]);
            for (parameter, value) in result.entries("params") {
                builder.load(parameter, value.shown(""));
            }
            builder.properties(result, &["jmhVersion", "jdkVersion", "vmName", "vmVersion"]);
            let score = score_of(file, &place, result)?;
            if file.options.iterations {
                file.unfold(&builder, values, |one, value| {
                    score.put(one, Some(value));
                })?;
                continue;
            }
            // Without a process of its own for each fork there are only iterations.
            if forks.len() == 1 && values.len() > 1 {
                builder.iterations_with_values(values.len());
            }
            score.put(&mut builder, mean(values));
            for (name, metric) in result.entries("secondaryMetrics") {
                // The allocation profiler marks its names with a dot.
                let bare = name.trim_start_matches('·');
                let known = bare == "gc.alloc.rate.norm";
                let values = metric.numbers(&format!("rawData/{fork}"));
                builder.metric(if known { "bytes_per_op" } else { bare }, mean(&values));
            }
            file.add(builder)?;
        }
    }
    Ok(())
}

/// The values of each fork: its iterations, or in the sampling mode their means.
fn forks(file: &Reading, place: &str, result: &Node) -> Result<Vec<Vec<f64>>, Error> {
    if let Some(Node::Array(forks)) = result.at("primaryMetric/rawData") {
        let values = |(fork, iterations): (usize, &Node)| {
            let place = format!("{place}.rawData[{fork}]");
            match iterations.items("") {
                [] => Err(file.expected(&place, "a list of numbers", Some(iterations))),
                items => file.numbers(&place, items),
            }
        };
        return forks.iter().enumerate().map(values).collect();
    }
    if let Some(Node::Array(forks)) = result.at("primaryMetric/rawDataHistogram") {
        let of_fork = |fork: &Node| fork.items("").iter().filter_map(weighted_mean).collect();
        return Ok(forks.iter().map(of_fork).filter(|fork: &Vec<f64>| !fork.is_empty()).collect());
    }
    let place = format!("{place}.rawData");
    Err(file.expected(&place, "the values of each fork", result.at("primaryMetric/rawData")))
}

/// Mean of pairs of a value and how often it was seen.
fn weighted_mean(histogram: &Node) -> Option<f64> {
    let (mut sum, mut count) = (0.0, 0.0);
    for pair in histogram.items("") {
        let (value, times) = (pair.number("0")?, pair.number("1")?);
        sum += value * times;
        count += times;
    }
    (count > 0.0).then(|| sum / count)
}

/// A metric, and the factor to its unit.
enum Score {
    Rate(f64),
    Time(f64),
}

impl Score {
    fn put(&self, builder: &mut RunBuilder, value: Option<f64>) {
        match self {
            Self::Rate(factor) => builder.scaled("ops_per_s", value, *factor),
            Self::Time(factor) => builder.time("time_per_op_ns", value, *factor),
        }
    }
}

/// The score by the unit that JMH gives: `ops/ms`, `us/op`.
fn score_of(file: &Reading, place: &str, result: &Node) -> Result<Score, Error> {
    let unit = result.text("primaryMetric/scoreUnit").unwrap_or_default();
    let score = match unit.split_once('/') {
        Some(("ops", per)) => nanoseconds(per).map(|unit| Score::Rate(1e9 / unit)),
        Some((of, "op")) => nanoseconds(of).map(Score::Time),
        _ => None,
    };
    score.ok_or_else(|| {
        let place = format!("{place}.primaryMetric.scoreUnit");
        let found = Node::Str(unit.to_owned().into());
        file.expected(&place, "a unit such as ops/s or ns/op", Some(&found))
    })
}
