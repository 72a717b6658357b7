//! hyperfine: `--export-json`; its CSV and markdown tables hold means only.
//!
//! Replicate: one start of the command, an element of `times`. A command is a variant where nothing else
//! names the variants, and a workload where files or folders do.

use crate::error::Error;
use crate::read::llm::run_builder::RunBuilder;
use crate::read::llm::tree::Node;
use crate::read::runners::{expected, json_with, nothing, numbers, trees};
use crate::read::{COMMAND, Content, Found, Options, Reader, contains};

pub(super) const JSON: Reader = Reader {
    name: "hyperfine json",
    recognised_by: "key results with command and times",
    one_run: "a start of the command",
    metrics: &["wall_time_s", "memory_bytes"],
    recognise: |content, _| json_with(content, &["results", "command", "times"]),
    read,
};

pub(super) const TABLE: Reader = Reader {
    name: "hyperfine table",
    recognised_by: "a header command,mean,stddev or | Command | Mean [",
    one_run: "none: means over runs only",
    metrics: &[],
    recognise: |content, _| {
        let bytes = content.bytes();
        bytes.starts_with(b"command,mean,stddev,median,user,system")
            || contains(&bytes[..bytes.len().min(1 << 12)], b"| Command | Mean [")
    },
    read: |_, _| {
        Ok(nothing("means over runs only; the times of the single runs are in --export-json"))
    },
};

fn read(content: &Content, options: &Options) -> Result<Found, Error> {
    let mut found = Found::default();
    let mut position = 0;
    for root in trees(content)? {
        for (index, result) in root.items("results").iter().enumerate() {
            let place = format!("results[{index}]");
            let Some(command) = result.text("command") else {
                let place = format!("{place}.command");
                return Err(expected(content, &place, "a command", result.at("command")));
            };
            if !matches!(result.at("times"), Some(Node::List(times)) if !times.is_empty()) {
                let place = format!("{place}.times");
                return Err(expected(content, &place, "the time of each run", result.at("times")));
            }
            let times = numbers(content, &format!("{place}.times"), result.items("times"))?;
            let memory = result.numbers("memory_usage_byte");
            for (run, seconds) in times.iter().enumerate() {
                position += 1;
                let mut builder = RunBuilder::new(content, "hyperfine", position, "process");
                command.clone_into(&mut builder.run.variant);
                builder.metadata(COMMAND, Some(command.to_owned()));
                builder.metadata("exit_code", result.shown(&format!("exit_codes/{run}")));
                if let Some(Node::Object(parameters)) = result.at("parameters") {
                    for (name, _) in parameters {
                        let value = result.shown(&format!("parameters/{name}"));
                        builder.metadata(&format!("parameter {name}"), value);
                    }
                }
                if *seconds <= 0.0 {
                    let place = format!("{place}.times[{run}]");
                    let time = Node::Number(*seconds);
                    return Err(expected(content, &place, "a time above 0 s", Some(&time)));
                }
                builder.metric("wall_time_s", Some(*seconds));
                if memory.len() == times.len() {
                    builder.metric("memory_bytes", Some(memory[run]));
                }
                builder.finish(&mut found, options)?;
            }
        }
    }
    Ok(found)
}
