//! Bencher: a report in Bencher Metric Format (BMF), `{"benchmark": {"latency": {"value": 1.0}}}`.
//!
//! Replicate: a file, which is one report; a benchmark is a cell, its measures are metrics. `lower_value` and `upper_value`
//! are bounds within that run. A report holds no time: the names of the files order them.

use crate::kit::prelude::*;

pub(crate) const BMF: Reader = Reader {
    name: "bencher bmf",
    recognised_by: "an object of benchmarks, each an object of measures with value, lower_value or upper_value",
    one_run: "a file, which is one report; a benchmark is a cell",
    metrics: &["time_per_op_ns", "ops_per_s"],
    recognise: |content, _| {
        let bytes = content.bytes();
        is_report(&bytes[..bytes.len().min(NEAR)])
    },
    read: |content, options| Reading::of(content, options, read),
    ..Reader::EMPTY
};

/// Bytes in which the first measure begins.
const NEAR: usize = 1 << 12;

/// Keys of a measure.
const KEYS: [&str; 3] = ["value", "lower_value", "upper_value"];

/// Measures that Bencher itself defines, with the metric and the conversion to its unit.
const MEASURES: [(&str, &str); 3] =
    [("latency", "time_per_op_ns"), ("throughput", "ops_per_s"), ("memory", "memory_bytes")];

/// Whether the first keys of an object are those of a benchmark, a measure and its value.
fn is_report(near: &[u8]) -> bool {
    let mut rest = near;
    for _ in 0..2 {
        let Some(after) = rest.trim_ascii_start().strip_prefix(b"{") else { return false };
        let Some(key) = after.trim_ascii_start().strip_prefix(b"\"") else { return false };
        let Some(end) = memchr::memchr(b'"', key) else { return false };
        let Some(value) = key[end + 1..].trim_ascii_start().strip_prefix(b":") else {
            return false;
        };
        rest = value;
    }
    let Some(inside) = rest.trim_ascii_start().strip_prefix(b"{") else { return false };
    let inside = inside.trim_ascii_start();
    KEYS.iter().any(|key| inside.starts_with(format!("\"{key}\"").as_bytes()))
}

fn read(file: &mut Reading) -> Result<(), Error> {
    let mut position = 0;
    for root in file.trees()? {
        for (name, measures) in root.entries("") {
            position += 1;
            let mut builder = file.run("bencher", position, "benchmark");
            builder.run.workload.label = Some(name.to_string());
            for (measure, values) in measures.entries("") {
                let Some(value) = values.number("value") else {
                    let place = format!("{name}.{measure}.value");
                    return Err(file.expected(&place, "a number", values.at("value")));
                };
                let own = measure.to_lowercase();
                let known = MEASURES.iter().find(|(known, _)| *known == own);
                builder.metric(known.map_or(&**measure, |(_, metric)| metric), Some(value));
            }
            file.add(builder)?;
        }
    }
    file.needs_runs(
        "expected a benchmark, found none",
        "run the benchmark again, or remove the file",
    )
}
