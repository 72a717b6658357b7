//! hyperfine: `--export-json`; its CSV and markdown tables hold means only.
//!
//! Replicate: one start of the command, an element of `times`. A command is a variant where nothing else
//! names the variants, and a workload where files or folders do.

use crate::read::kit::prelude::*;

pub(crate) const JSON: Reader = Reader {
    name: "hyperfine json",
    recognised_by: "key results with command and times",
    one_run: "a start of the command",
    metrics: &["wall_time_s", "memory_bytes"],
    recognise: |content, _| json_part_with(content, &["results", "command", "times"]),
    read: |content, options| Reading::of(content, options, read),
    ..Reader::EMPTY
};

pub(crate) const TABLE: Reader = Reader {
    name: "hyperfine table",
    recognised_by: "a header command,mean,stddev or | Command | Mean [",
    one_run: "none: means over runs only",
    recognise: |content, _| {
        let bytes = content.bytes();
        bytes.starts_with(b"command,mean,stddev,median,user,system")
            || contains(&bytes[..bytes.len().min(1 << 12)], b"| Command | Mean [")
    },
    read: |_, _| {
        let why = "means over runs only; the times of the single runs are in --export-json";
        Ok(Found::nothing(why))
    },
    ..Reader::EMPTY
};

fn read(file: &mut Reading) -> Result<(), Error> {
    let mut position = 0;
    for root in file.trees()? {
        for (index, result) in root.items("results").iter().enumerate() {
            let place = |key: &str| format!("results[{index}].{key}");
            let Some(command) = result.word("command") else {
                let found = result.at("command");
                return Err(file.expected(&place("command"), "a command", found));
            };
            let times = result.items("times");
            if times.is_empty() {
                let found = result.at("times");
                return Err(file.expected(&place("times"), "the time of each run", found));
            }
            let times = file.numbers(&place("times"), times)?;
            let memory = result.numbers("memory_usage_byte");
            for (run, seconds) in times.iter().enumerate() {
                position += 1;
                let mut builder = file.run("hyperfine", position, "process");
                builder.run.variant.clone_from(&command);
                builder.metadata(COMMAND, Some(command.clone()));
                builder.metadata("exit_code", result.shown(&format!("exit_codes/{run}")));
                for (name, value) in result.entries("parameters") {
                    builder.metadata(&format!("parameter {name}"), value.shown(""));
                }
                if *seconds <= 0.0 {
                    let place = place(&format!("times[{run}]"));
                    let time = Node::Float(*seconds);
                    return Err(file.expected(&place, "a time above 0 s", Some(&time)));
                }
                builder.metric("wall_time_s", Some(*seconds));
                if memory.len() == times.len() {
                    builder.metric("memory_bytes", Some(memory[run]));
                }
                // Means over the runs, where there are several.
                if times.len() == 1 {
                    builder.metric("user_time_s", result.number("user"));
                    builder.metric("system_time_s", result.number("system"));
                }
                file.add(builder)?;
            }
        }
    }
    Ok(())
}
