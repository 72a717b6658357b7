//! Text of `cargo bench`: criterion's `time: [low estimate high]` and libtest's `bench: 3,161 ns/iter`.
//!
//! Replicate: a call of the program. A benchmark that comes twice in a text was run by two processes.

use crate::kit::prelude::*;
use crate::text::labels::Labels;

pub(crate) const TEXT: Reader = Reader {
    name: "cargo bench text",
    marks: Marks::Text(&["time:|bench:"]),
    recognised_by: "a line with time: [low estimate high] or bench: 3,161 ns/iter (+/- 975)",
    one_run: "a printed result, which is one process",
    metrics: &["time_per_op_ns", "median_time_per_op_ns"],
    recognise: |content, _| {
        content.text().lines().any(|line| libtest(line).or_else(|| estimate(line)).is_some())
    },
    read: |content, options| Reading::of(content, options, read),
    ..Reader::EMPTY
};

/// Lines of the programs themselves that end with a colon and name nothing.
const PRINTED: &[&str] = &["change:", "time:", "thrpt:", "failures:", "successes:"];

fn read(file: &mut Reading) -> Result<(), Error> {
    let text = file.content.text();
    let labels = Labels::of(&text);
    let (mut variant, mut above) = (String::new(), "");
    for (index, line) in text.lines().enumerate() {
        let line = line.trim();
        let Some((name, metric, value)) = libtest(line).or_else(|| estimate(line)) else {
            if let Some(label) = labels.at(index).filter(|_| !PRINTED.contains(&line)) {
                variant = label;
            }
            if !line.is_empty() {
                above = line;
            }
            continue;
        };
        let mut builder = file.run("cargo bench", index + 1, "line");
        builder.run.variant.clone_from(&variant);
        // A long name is on its own line.
        let name = if name.is_empty() { above } else { name };
        // With a colon it is a label above the result.
        let label = name.trim_end().ends_with(':') && !variant.is_empty();
        builder.run.workload.label = Some(name.to_owned()).filter(|_| !label);
        if value.value > 0.0 {
            builder.put(metric, value);
        } else {
            builder.note(format!("{metric} is {}, which means no data", value.value));
        }
        file.add(builder)?;
    }
    Ok(())
}

/// Name, metric and median of a line of libtest, in nanoseconds.
fn libtest(line: &str) -> Option<(&str, &'static str, Number)> {
    let (name, result) = line.trim().strip_prefix("test ")?.split_once(" ... bench:")?;
    let mut words = result.split_whitespace();
    let value = number(words.next()?)?;
    let factor = nanoseconds(words.next()?.strip_suffix("/iter")?)?;
    Some((name.trim(), "median_time_per_op_ns", value.times(factor)))
}

/// Name, metric and estimate of a line of criterion, in nanoseconds.
fn estimate(line: &str) -> Option<(&str, &'static str, Number)> {
    let (name, result) = line.split_once("time:")?;
    let words: Vec<&str> =
        result.trim().strip_prefix('[')?.split_once(']')?.0.split_whitespace().collect();
    let [_, _, value, unit, _, _] = words[..] else { return None };
    Some((name.trim(), "time_per_op_ns", number(value)?.times(nanoseconds(unit)?)))
}
