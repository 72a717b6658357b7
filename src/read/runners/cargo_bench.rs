//! Text of `cargo bench`: criterion's `time: [low estimate high]` and libtest's `bench: 3,161 ns/iter`.
//!
//! Replicate: a call of the program. A benchmark that comes twice in a text was run by two processes.

use crate::error::Error;
use crate::read::fields::{Number, number};
use crate::read::llm::run_builder::RunBuilder;
use crate::read::runners::{label_of, nanoseconds, text_with};
use crate::read::{Content, Found, Options, Reader};

pub(super) const TEXT: Reader = Reader {
    name: "cargo bench text",
    recognised_by: "lines with time: [low estimate high] or bench: 3,161 ns/iter (+/- 975)",
    one_run: "a printed result, which is one process",
    metrics: &["time_per_op_ns", "median_time_per_op_ns"],
    recognise: |content, _| {
        (text_with(content, &["time:"]) || text_with(content, &["bench:"]))
            && content
                .text()
                .lines()
                .any(|line| libtest(line).is_some() || estimate(line).is_some())
    },
    read,
};

/// Lines of the programs themselves that end with a colon and name nothing.
const PRINTED: &[&str] = &["change:", "time:", "thrpt:", "failures:", "successes:"];

fn read(content: &Content, options: &Options) -> Result<Found, Error> {
    let mut found = Found::default();
    let text = content.text();
    let (mut variant, mut above) = (String::new(), "");
    for (index, line) in text.lines().enumerate() {
        let line = line.trim();
        let (name, metric, value) = if let Some((name, value)) = libtest(line) {
            (name, "median_time_per_op_ns", value)
        } else if let Some((name, value)) = estimate(line) {
            // A long name is on its own line.
            (if name.is_empty() { above } else { name }, "time_per_op_ns", value)
        } else {
            if let Some(label) = label_of(line, index + 1).filter(|_| !PRINTED.contains(&line)) {
                variant = label;
            }
            if !line.is_empty() {
                above = line;
            }
            continue;
        };
        let mut builder = RunBuilder::new(content, "cargo bench", index + 1, "line");
        builder.run.variant.clone_from(&variant);
        builder.run.workload.label = Some(name.to_owned());
        if value.value > 0.0 {
            builder.put(metric, value);
        } else {
            builder.note(format!("{metric} is {}, which means no data", value.value));
        }
        builder.finish(&mut found, options)?;
    }
    Ok(found)
}

/// Name and median of a line of libtest, in nanoseconds.
fn libtest(line: &str) -> Option<(&str, Number)> {
    let (name, result) = line.trim().strip_prefix("test ")?.split_once(" ... bench:")?;
    let mut words = result.split_whitespace();
    let value = number(words.next()?)?;
    let factor = nanoseconds(words.next()?.strip_suffix("/iter")?)?;
    Some((name.trim(), scaled(value, factor)))
}

/// Name and estimate of a line of criterion, in nanoseconds.
fn estimate(line: &str) -> Option<(&str, Number)> {
    let (name, result) = line.split_once("time:")?;
    let words: Vec<&str> =
        result.trim().strip_prefix('[')?.split_once(']')?.0.split_whitespace().collect();
    let [_, _, value, unit, _, _] = words[..] else { return None };
    Some((name.trim(), scaled(number(value)?, nanoseconds(unit)?)))
}

fn scaled(Number { value, resolution }: Number, factor: f64) -> Number {
    Number { value: value * factor, resolution: resolution * factor }
}
