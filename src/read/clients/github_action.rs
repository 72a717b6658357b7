//! github-action-benchmark: `data.js`, its history, and the JSON that a run hands to it.
//!
//! Replicate: an entry of `benches`, which is one result of one commit. Each benchmark is a cell. A commit is a variant,
//! and the time at which it was measured orders them. Other numbers of an entry (`range`, `extra`) are no repeats.

use crate::kit::prelude::*;
use beyondnoise_model::runs::date_of;

pub(crate) const HISTORY: Reader = Reader {
    name: "github-action-benchmark data.js",
    recognised_by: "keys entries, benches, commit and tool, after window.BENCHMARK_DATA = or alone",
    one_run: "a result of one commit; a benchmark is a cell",
    metrics: &["time_per_op_ns", "ops_per_s"],
    recognise: |content, _| {
        let object = object_of(content.bytes());
        let known = |key: &str| contains(object, format!("\"{key}\"").as_bytes());
        object.starts_with(b"{") && ["entries", "benches", "commit", "tool"].into_iter().all(known)
    },
    read: |content, options| Reading::of(content, options, history),
    ..Reader::EMPTY
};

pub(crate) const RESULT: Reader = Reader {
    name: "github-action-benchmark input",
    recognised_by: "a list of objects, the first with name, unit and value",
    one_run: "a file; a benchmark is a cell",
    metrics: &["time_per_op_ns", "ops_per_s"],
    recognise: |content, _| {
        let bytes = content.bytes().trim_ascii_start();
        let Some(first) = bytes.strip_prefix(b"[").map(<[u8]>::trim_ascii_start) else {
            return false;
        };
        // The first object, which is short.
        let near = &first[..first.len().min(1 << 12)];
        let end = memchr::memchr(b'}', near).unwrap_or(near.len());
        let keys = ["name", "unit", "value"];
        first.starts_with(b"{")
            && keys.into_iter().all(|key| contains(&near[..end], format!("\"{key}\"").as_bytes()))
    },
    read: |content, options| Reading::of(content, options, result),
    ..Reader::EMPTY
};

/// Digits of a commit that name a variant.
const SHORT: usize = 12;

/// The object of a file of JavaScript that assigns one, or of a file of JSON.
fn object_of(bytes: &[u8]) -> &[u8] {
    let bytes = bytes.trim_ascii();
    let Some(assigned) = bytes.strip_prefix(b"window.BENCHMARK_DATA") else { return bytes };
    let assigned = assigned.trim_ascii_start();
    let object = assigned.strip_prefix(b"=").unwrap_or(assigned).trim_ascii();
    object.strip_suffix(b";").unwrap_or(object).trim_ascii_end()
}

fn history(file: &mut Reading) -> Result<(), Error> {
    let roots = objects(file.content.path, object_of(file.content.bytes()))?;
    let mut position = 0;
    for root in &roots {
        let suites = root.entries("entries");
        for (suite, entries) in suites {
            let suite = (suites.len() > 1).then(|| suite.to_string());
            for (index, entry) in entries.items("").iter().enumerate() {
                let place = format!("entries.{}[{index}]", suite.as_deref().unwrap_or("*"));
                let tool = entry.text("tool").unwrap_or_default();
                let commit = entry.word("commit/id").or_else(|| entry.word("commit"));
                // Milliseconds since 1970.
                let measured = entry.shown("date");
                let date = measured.as_deref().and_then(date_of);
                let started = date.and(measured).or_else(|| entry.shown("commit/timestamp"));
                for bench in entry.items("benches") {
                    position += 1;
                    let mut builder = file.run("github-action-benchmark", position, "result");
                    builder.run.variant =
                        commit.as_deref().unwrap_or_default().chars().take(SHORT).collect();
                    builder.metadata(SAVED_AS, commit.clone());
                    builder.run.info.started.clone_from(&started);
                    // An equal value on another night is another result.
                    builder.run.info.of_table = true;
                    builder.load("suite", suite.clone());
                    fill(file, &mut builder, bench, (tool, &place))?;
                    file.add(builder)?;
                }
            }
        }
    }
    let problem = "expected a result of at least one commit, found none";
    file.needs_runs(problem, "remove the file, or give the data.js of a branch with results")
}

fn result(file: &mut Reading) -> Result<(), Error> {
    let mut position = 0;
    for bench in &file.trees()? {
        position += 1;
        let mut builder = file.run("github-action-benchmark", position, "result");
        fill(file, &mut builder, bench, ("", "file"))?;
        file.add(builder)?;
    }
    file.needs_runs("expected a result, found none", "remove the file, or run the benchmark again")
}

/// Fills in the name and the value of a result.
fn fill(
    file: &Reading,
    builder: &mut RunBuilder,
    bench: &Node,
    (tool, place): (&str, &str),
) -> Result<(), Error> {
    let Some(name) = bench.word("name") else {
        return Err(file.expected(&format!("{place}.name"), "a name", bench.at("name")));
    };
    let Some(value) = bench.number("value") else {
        let place = format!("{place}.{name}.value");
        return Err(file.expected(&place, "a number", bench.at("value")));
    };
    builder.run.workload.label = Some(name);
    let unit = bench.text("unit").unwrap_or_default().trim();
    let (first, per) = unit.split_once('/').unwrap_or((unit, ""));
    let first = first.trim().to_lowercase();
    let time = nanoseconds(&first);
    let rate = matches!(per.trim().to_lowercase().as_str(), "s" | "sec" | "second");
    match time {
        Some(factor) => builder.scaled("time_per_op_ns", Some(value), factor),
        None if rate && matches!(first.as_str(), "ops" | "iter" | "items") => {
            builder.metric("ops_per_s", Some(value));
        }
        None if first == "bytes" || first == "b" && per.is_empty() => {
            builder.metric("memory_bytes", Some(value));
        }
        // Of another unit the tool alone knows which way is better.
        None if tool == "customBiggerIsBetter" || rate => {
            builder.metric("throughput", Some(value));
        }
        None => builder.metric("value", Some(value)),
    }
    builder.metadata("unit", Some(unit.to_owned()));
    Ok(())
}
