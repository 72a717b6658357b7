//! pytest-benchmark: `--benchmark-json=FILE` and the files of `--benchmark-autosave`.
//!
//! Replicate: a file, which is one process. Rounds are iterations of that process; the tool's own mean,
//! median and minimum over them are taken.

use crate::kit::prelude::*;

pub(crate) const JSON: Reader = Reader {
    name: "pytest-benchmark json",
    marks: Marks::JsonPart(&["machine_info", "benchmarks", "fullname", "stats"]),
    one_run: "a file, which is one process: statistics of its rounds",
    metrics: &["time_per_op_ns", "median_time_per_op_ns", "min_time_per_op_ns"],
    read: |content, options| Reading::of(content, options, read),
    ..Reader::EMPTY
};

const STATISTICS: &[(&str, &str)] = &[
    ("stats/mean", "time_per_op_ns"),
    ("stats/median", "median_time_per_op_ns"),
    ("stats/min", "min_time_per_op_ns"),
];

fn read(file: &mut Reading) -> Result<(), Error> {
    for root in file.trees()? {
        for (index, benchmark) in root.items("benchmarks").iter().enumerate() {
            let place = format!("benchmarks[{index}]");
            let Some(name) = benchmark.word("fullname|name") else {
                let place = format!("{place}.fullname");
                return Err(file.expected(&place, "a name", benchmark.at("fullname")));
            };
            if !benchmark.has("stats") {
                file.skip(place, format!("{name} was not measured"));
                continue;
            }
            if benchmark.number("stats/mean").is_none() {
                let place = format!("{place}.stats.mean");
                return Err(file.expected(&place, "a number", benchmark.at("stats/mean")));
            }
            let mut builder = file.run("pytest-benchmark", index + 1, "benchmark");
            builder.run.workload.label = Some(name);
            builder.run.info.started = root.shown("datetime");
            builder.metadata("commit", root.shown("commit_info/id"));
            builder.properties(&root, &["machine_info/node", "machine_info/python_version"]);
            let data = benchmark.items("stats/data");
            if file.options.iterations && !data.is_empty() {
                let values = file.numbers(&format!("{place}.stats.data"), data)?;
                file.unfold(&builder, &values, |one, seconds| {
                    one.time("time_per_op_ns", Some(seconds), 1e9);
                })?;
                continue;
            }
            for (path, metric) in STATISTICS {
                builder.time(metric, benchmark.number(path), 1e9);
            }
            match benchmark.count("stats/rounds").and_then(|n| usize::try_from(n).ok()) {
                Some(rounds @ 2..) if data.is_empty() => builder.iterations(rounds),
                Some(rounds @ 2..) => builder.iterations_with_values(rounds),
                _ => {}
            }
            file.add(builder)?;
        }
    }
    Ok(())
}
