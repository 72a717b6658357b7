//! pytest-benchmark: `--benchmark-json=FILE` and the files of `--benchmark-autosave`.
//!
//! Replicate: a file, which is one process. Rounds are iterations of that process; the tool's own mean,
//! median and minimum over them are taken.

use crate::error::Error;
use crate::read::llm::run_builder::RunBuilder;
use crate::read::runners::{expected, json_with, numbers, time, trees};
use crate::read::{Content, Found, Options, Reader};
use crate::runs::Skipped;

pub(super) const JSON: Reader = Reader {
    name: "pytest-benchmark json",
    recognised_by: "keys machine_info, benchmarks, fullname and stats",
    one_run: "a file, which is one process: statistics of its rounds",
    metrics: &["time_per_op_ns", "median_time_per_op_ns", "min_time_per_op_ns"],
    recognise: |content, _| {
        json_with(content, &["machine_info", "benchmarks", "fullname", "stats"])
    },
    read,
};

fn read(content: &Content, options: &Options) -> Result<Found, Error> {
    let mut found = Found::default();
    for root in trees(content)? {
        for (index, benchmark) in root.items("benchmarks").iter().enumerate() {
            let place = format!("benchmarks[{index}]");
            let Some(name) = benchmark.text("fullname").or_else(|| benchmark.text("name")) else {
                let place = format!("{place}.fullname");
                return Err(expected(content, &place, "a name", benchmark.at("fullname")));
            };
            if !benchmark.has("stats") {
                let why = format!("{name} was not measured");
                found.skipped.push(Skipped { place, why });
                continue;
            }
            if benchmark.number("stats/mean").is_none() {
                let place = format!("{place}.stats.mean");
                return Err(expected(content, &place, "a number", benchmark.at("stats/mean")));
            }
            let mut builder = RunBuilder::new(content, "pytest-benchmark", index + 1, "benchmark");
            builder.run.workload.label = Some(name.to_owned());
            builder.run.info.started = root.shown("datetime");
            builder.metadata("commit", root.shown("commit_info/id"));
            for key in ["node", "python_version"] {
                builder.metadata(key, root.shown(&format!("machine_info/{key}")));
            }
            let data = benchmark.items("stats/data");
            if options.iterations && !data.is_empty() {
                for seconds in numbers(content, &format!("{place}.stats.data"), data)? {
                    let mut one = builder.clone();
                    one.iteration(found.runs.len() + 1);
                    time(&mut one, "time_per_op_ns", Some(seconds), 1e9);
                    one.finish(&mut found, options)?;
                }
                continue;
            }
            for (statistic, metric) in [
                ("mean", "time_per_op_ns"),
                ("median", "median_time_per_op_ns"),
                ("min", "min_time_per_op_ns"),
            ] {
                let seconds = benchmark.number(&format!("stats/{statistic}"));
                time(&mut builder, metric, seconds, 1e9);
            }
            let rounds = benchmark.count_at("stats/rounds").and_then(|n| usize::try_from(n).ok());
            if let Some(rounds) = rounds.filter(|rounds| *rounds > 1) {
                if data.is_empty() {
                    builder.iterations(rounds);
                } else {
                    builder.iterations_with_values(rounds);
                }
            }
            builder.finish(&mut found, options)?;
        }
    }
    Ok(found)
}
