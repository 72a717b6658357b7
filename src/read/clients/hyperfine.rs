//! hyperfine: `--export-json`, `--export-csv` and `--export-markdown`.
//!
//! Replicate: one start of the command, an element of `times`, from version 2 on of `measurements`. A command is a variant
//! where nothing else names the variants, and a workload where files or folders do. The tables hold the average of each
//! command and do not say of how many starts.

use crate::kit::commands;
use crate::kit::prelude::*;

pub(crate) const JSON: Reader = Reader {
    name: "hyperfine json",
    marks: Marks::Any(&[
        Marks::JsonPart(&["results", "command", "times"]),
        Marks::JsonPart(&["results", "command", "measurements", WALL]),
    ]),
    one_run: "a start of the command",
    metrics: &["wall_time_s", "memory_bytes"],
    read: |content, options| Reading::of(content, options, |file| of_commands(file, read)),
    ..Reader::EMPTY
};

pub(crate) const TABLE: Reader = Reader {
    name: "hyperfine table",
    recognised_by: "a header command,mean,stddev, ... or | Command | Mean [ at the start of a file that is named",
    one_run: "a row: the average over the starts of the command",
    metrics: &["wall_time_s"],
    recognise: |content, named| {
        let mut tables = memchr::memmem::find_iter(content.bytes(), MARKDOWN_HEADER.as_bytes());
        // Several tables are those of a note.
        named && is_table(content) && tables.nth(1).is_none()
    },
    read: |content, options| {
        Reading::of(content, options, |file| {
            let start = file.content.bytes().trim_ascii_start();
            of_commands(file, if start.starts_with(CSV_HEADER.as_bytes()) { csv } else { markdown })
        })
    },
    ..Reader::EMPTY
};

/// In a folder the result may lie beside its averages.
pub(crate) const MEANS: Reader = Reader {
    name: "hyperfine averages",
    recognised_by: "the same in a folder",
    one_run: "none: means over runs only",
    recognise: |content, named| !named && is_table(content),
    read: |_, _| {
        let why = "means over runs only; the times of the single runs are in --export-json";
        Ok(Found::nothing(why))
    },
    ..Reader::EMPTY
};

/// Reads the runs of commands, of which each may name its variant inside of its work.
fn of_commands(
    file: &mut Reading,
    read: fn(&mut Reading) -> Result<(), Error>,
) -> Result<(), Error> {
    read(file)?;
    commands::split(&mut file.found.runs);
    Ok(())
}

fn is_table(content: &Content) -> bool {
    let start = content.bytes().trim_ascii_start();
    start.starts_with(CSV_HEADER.as_bytes()) || start.starts_with(MARKDOWN_HEADER.as_bytes())
}

const CSV_HEADER: &str = "command,mean,stddev,median,user,system,min,max";
const MARKDOWN_HEADER: &str = "| Command | Mean [";

/// Key of the time of a start, from version 2 on.
const WALL: &str = "time_wall_clock";

fn read(file: &mut Reading) -> Result<(), Error> {
    let mut position = 0;
    for root in file.trees()? {
        for (index, result) in root.items("results").iter().enumerate() {
            let place = |key: &str| format!("results[{index}].{key}");
            let Some(command) = result.word("command") else {
                let found = result.at("command");
                return Err(file.expected(&place("command"), "a command", found));
            };
            let starts = result.items("measurements");
            let (times, memory) = if starts.is_empty() {
                let times = result.items("times");
                if times.is_empty() {
                    let found = result.at("times");
                    return Err(file.expected(&place("times"), "the time of each run", found));
                }
                (file.numbers(&place("times"), times)?, result.numbers("memory_usage_byte"))
            } else {
                let time = |(at, start): (usize, &Node)| {
                    let value = quantity(start, WALL);
                    let place = || place(&format!("measurements[{at}].{WALL}"));
                    value.ok_or_else(|| file.expected(&place(), "a time", start.at(WALL)))
                };
                let memory = starts.iter().filter_map(|start| quantity(start, "peak_memory_usage"));
                let times = starts.iter().enumerate().map(time).collect::<Result<_, _>>()?;
                (times, memory.collect())
            };
            for (run, seconds) in times.iter().enumerate() {
                position += 1;
                let mut builder = builder(file, position, "process", &command);
                let exit = format!("exit_codes/{run}|measurements/{run}/exit_code");
                builder.metadata("exit_code", result.shown(&exit));
                for (name, value) in result.entries("parameters") {
                    builder.metadata(&format!("parameter {name}"), value.shown(""));
                }
                if *seconds <= 0.0 {
                    let list = if starts.is_empty() { "times" } else { "measurements" };
                    let place = place(&format!("{list}[{run}]"));
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

/// A run of a command.
fn builder(file: &Reading, position: usize, counts: &'static str, command: &str) -> RunBuilder {
    let mut builder = file.run("hyperfine", position, counts);
    command.clone_into(&mut builder.run.variant);
    builder.metadata(COMMAND, Some(command.to_owned()));
    builder
}

/// A number, alone or as `{"value": 0.4, "unit": "second"}`.
fn quantity(start: &Node, key: &str) -> Option<f64> {
    start.number(&format!("{key}/value|{key}"))
}

/// Notes that the number of starts behind an average is not known.
fn note_averages(file: &mut Reading) {
    let why = "averages over the starts of a command, whose number the table does not say; the times of the single \
               starts are in --export-json";
    file.skip("table", why);
}

fn csv(file: &mut Reading) -> Result<(), Error> {
    for row in file.csv_rows()? {
        let row = row?;
        let Some(mean) = row.number("mean")? else {
            return Err(row.wrong("a time", "mean", row.cell("mean")));
        };
        let mut builder = builder(file, row.line, "line", row.cell("command"));
        for (name, cell) in row.cells() {
            if let Some(parameter) = name.strip_prefix("parameter_") {
                builder.metadata(&format!("parameter {parameter}"), Some(cell.to_owned()));
            }
        }
        builder.put("wall_time_s", mean);
        builder.metric("user_time_s", row.number("user")?.map(|time| time.value));
        builder.metric("system_time_s", row.number("system")?.map(|time| time.value));
        file.add(builder)?;
    }
    file.needs_rows()?;
    note_averages(file);
    Ok(())
}

fn markdown(file: &mut Reading) -> Result<(), Error> {
    let text = file.content.text();
    let lines = text.lines().enumerate().skip_while(|(_, line)| line.trim().is_empty());
    let mut factor = None;
    let mut headers: Vec<String> = Vec::new();
    for (index, line) in lines {
        if !line.trim_start().starts_with('|') {
            break;
        }
        let cells = cells(line);
        if headers.is_empty() {
            let unit =
                |name: &String| name.strip_prefix("Mean [")?.strip_suffix(']').map(str::to_owned);
            factor = cells.iter().find_map(unit).and_then(|unit| nanoseconds(&unit));
            headers = cells;
            continue;
        }
        if cells.iter().all(|cell| cell.chars().all(|c| matches!(c, '-' | ':'))) {
            continue;
        }
        let wrong = |what: &str, cell: &str| {
            file.wrong_line(index + 1, (what, cell), "fix the row, or remove it")
        };
        let Some(factor) = factor else {
            return Err(file.wrong_line(
                1,
                ("Mean [ms] or Mean [s]", &headers.join(" | ")),
                "fix the header",
            ));
        };
        let mean = cells.get(1).map_or("", String::as_str);
        let Some(mean) = mean.split('±').next().and_then(number) else {
            return Err(wrong("a time such as 412.0 ± 4.0", mean));
        };
        let command = cells[0].trim_matches('`');
        let mut builder = builder(file, index + 1, "line", command);
        builder.put("wall_time_s", mean.times(factor * 1e-9));
        for (name, cell) in headers.iter().zip(&cells).skip(2) {
            if !["Min [", "Max ["].iter().any(|known| name.starts_with(known)) && name != "Relative"
            {
                builder.metadata(
                    &format!("parameter {name}"),
                    Some(cell.trim_matches('`').to_owned()),
                );
            }
        }
        file.add(builder)?;
    }
    file.needs_rows()?;
    note_averages(file);
    Ok(())
}

/// The cells of a line of a table; a pipe after a backslash is text.
fn cells(line: &str) -> Vec<String> {
    let line = line.trim().replace("\\|", "\u{0}");
    let inner = line.strip_prefix('|').unwrap_or(&line);
    let inner = inner.strip_suffix('|').unwrap_or(inner);
    inner.split('|').map(|cell| cell.trim().replace('\u{0}', "|")).collect()
}
