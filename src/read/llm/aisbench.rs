//! `AISBench` performance results: `<data set>.json` (totals) beside `<data set>.csv` (latencies), and both
//! as the tables that the client prints.
//!
//! Replicate: a file pair or a pair of tables, which is one call of the client. Cells are numbers with their
//! unit. The stages `total` and `stable` (steady state only) are different quantities and never compared.

use std::collections::BTreeMap;
use std::path::Path;

use crate::error::Error;
use crate::read::fields::{self, Number};
use crate::read::llm::csv_error::{malformed, no_rows};
use crate::read::llm::run_builder::{RunBuilder, statistic, to_ms};
use crate::read::llm::siblings::{folder, time_stamp, twin};
use crate::read::llm::tree::objects;
use crate::read::llm::{json_with, near, varying};
use crate::read::runners::label_of;
use crate::read::{Content, Found, Options, Reader, SERVING};
use crate::runs::Skipped;

pub(super) const JSON: Reader = Reader {
    name: "aisbench json",
    recognised_by: "keys Benchmark Duration and Total Requests over stages",
    one_run: "a file with the csv beside it, which is one call of the client",
    metrics: SERVING,
    recognise: |content, _| json_with(content, &["Benchmark Duration", "Total Requests"]),
    read: read_json,
};

pub(super) const CSV: Reader = Reader {
    name: "aisbench csv",
    recognised_by: "a header Performance Parameters,Stage",
    one_run: "a file, which is one call of the client",
    metrics: SERVING,
    recognise: |content, _| content.bytes().starts_with(b"Performance Parameters,Stage,"),
    read: read_csv,
};

pub(super) const PRINTED: Reader = Reader {
    name: "aisbench tables",
    recognised_by: "printed tables Performance Parameters and Common Metric",
    one_run: "a pair of tables, which is one call of the client",
    metrics: SERVING,
    recognise: |content, _| {
        (near(content, "│ Performance Parameters") && near(content, "│ Common Metric"))
            || (near(content, "| Performance Parameters") && near(content, "| Common Metric"))
    },
    read: read_printed,
};

const LATENCIES: &[(&str, &str)] =
    &[("TTFT", "ttft"), ("TPOT", "tpot"), ("ITL", "itl"), ("E2EL", "e2el")];

const TOTALS: &[(&str, &str)] = &[
    ("Request Throughput", "request_throughput"),
    ("Output Token Throughput", "output_throughput"),
    ("Total Token Throughput", "total_token_throughput"),
    ("Input Token Throughput", "input_throughput"),
    ("Prefill Token Throughput", "prefill_throughput"),
];

/// The figures of one call of the client, by stage.
#[derive(Default)]
struct Call {
    /// Totals: stage, name, cell.
    totals: Vec<(String, String, String)>,
    /// Latencies: stage, name, statistic, cell.
    latencies: Vec<(String, String, String, String)>,
}

impl Call {
    /// One run per stage.
    fn runs(
        &self,
        content: &Content,
        position: usize,
        counts: &'static str,
        describe: impl Fn(&mut RunBuilder),
        (found, options): (&mut Found, &Options),
    ) -> Result<(), Error> {
        let mut stages: BTreeMap<&str, RunBuilder> = BTreeMap::new();
        let of_stage = |stage: &str| {
            let mut builder = RunBuilder::new(content, "aisbench", position, counts);
            if stage != "total" {
                builder.load("stage", Some(stage.to_owned()));
            }
            describe(&mut builder);
            builder.rounded();
            builder
        };
        for (stage, name, cell) in &self.totals {
            let builder = stages.entry(stage).or_insert_with(|| of_stage(stage));
            total(builder, name, cell);
        }
        for (stage, name, word, cell) in &self.latencies {
            let builder = stages.entry(stage).or_insert_with(|| of_stage(stage));
            let Some((_, stem)) = LATENCIES.iter().find(|(known, _)| known == name) else {
                continue;
            };
            let Some((number, unit)) = quantity(cell) else { continue };
            if let (Some(prefix), Some(factor)) = (statistic(word), to_ms(unit)) {
                let Number { value, resolution } = number;
                let number = Number { value: value * factor, resolution: resolution * factor };
                builder.put(&format!("{prefix}_{stem}_ms"), number);
            }
        }
        stages.into_values().try_for_each(|builder| builder.finish(found, options))
    }

    fn latency_row(&mut self, headers: &[String], cells: &[String]) {
        let [name, stage, ..] = cells else { return };
        for (word, cell) in headers.iter().zip(cells).skip(2) {
            self.latencies.push((stage.clone(), name.clone(), word.clone(), cell.clone()));
        }
    }
}

/// Number and unit of a cell: `12300.2 ms`, `0.0813 req/s`, `8`.
fn quantity(cell: &str) -> Option<(Number, &str)> {
    let cell = cell.trim();
    let (number, unit) = cell.split_once(' ').unwrap_or((cell, ""));
    Some((fields::number(number)?, unit.trim()))
}

fn total(builder: &mut RunBuilder, name: &str, cell: &str) {
    let Some((number, unit)) = quantity(cell) else { return };
    if let Some((_, metric)) = TOTALS.iter().find(|(known, _)| *known == name) {
        builder.put(metric, number);
        return;
    }
    let mut count = |field| {
        fields::set(&mut builder.run, field, name, &number.value.to_string());
    };
    match name {
        "Benchmark Duration" => {
            let factor = to_ms(unit).unwrap_or(1.0) / 1e3;
            let Number { value, resolution } = number;
            builder
                .put("duration", Number { value: value * factor, resolution: resolution * factor });
        }
        "Total Requests" => count(fields::RunField::Requests),
        "Success Requests" => count(fields::RunField::Completed),
        "Failed Requests" => count(fields::RunField::Failed),
        "Max Concurrency" => count(fields::RunField::MaxConcurrency),
        "Total Input Tokens" => count(fields::RunField::InputTokens),
        "Total Output Tokens" | "Total Generated Tokens" => count(fields::RunField::OutputTokens),
        // The reached value, not the setting.
        "Concurrency" => builder.put("concurrency", number),
        _ => {}
    }
}

/// The folder names the model, the file the data set, a folder above the time.
fn from_path(content: &Content, builder: &mut RunBuilder) {
    let stem = Path::new(content.path).file_stem();
    let workload = &mut builder.run.workload;
    workload.dataset = stem.map(|stem| stem.to_string_lossy().into_owned());
    builder.run.info.started = time_stamp(content);
    // Below a time stamp is the model; elsewhere the folder may be called anything.
    if builder.run.info.started.is_some() {
        builder.run.workload.model = folder(content);
    }
}

fn read_json(content: &Content, options: &Options) -> Result<Found, Error> {
    let mut found = Found::default();
    let table = twin(content, "csv").and_then(|path| std::fs::read(path).ok()).unwrap_or_default();
    for tree in objects(content.path, content.bytes(), &[])? {
        let mut call = Call::default();
        for (name, stages) in tree.root.entries() {
            for (stage, _) in stages.entries() {
                if let Some(cell) = stages.shown(stage) {
                    call.totals.push((stage.clone(), name.clone(), cell));
                }
            }
        }
        csv_into(&mut call, content.path, &table)?;
        let describe = |builder: &mut RunBuilder| from_path(content, builder);
        call.runs(content, tree.index, "object", describe, (&mut found, options))?;
    }
    Ok(found)
}

fn read_csv(content: &Content, options: &Options) -> Result<Found, Error> {
    let mut found = Found::default();
    if twin(content, "json").is_some() {
        let why = "read with the json file beside it".to_owned();
        found.skipped.push(Skipped { place: "file".to_owned(), why });
        return Ok(found);
    }
    let mut call = Call::default();
    csv_into(&mut call, content.path, content.bytes())?;
    let describe = |builder: &mut RunBuilder| from_path(content, builder);
    call.runs(content, 1, "", describe, (&mut found, options))?;
    if found.runs.is_empty() && found.skipped.is_empty() {
        return Err(no_rows(content.path));
    }
    Ok(found)
}

fn csv_into(call: &mut Call, path: &str, bytes: &[u8]) -> Result<(), Error> {
    let mut reader = csv::ReaderBuilder::new().flexible(true).from_reader(bytes);
    let bad = |error: csv::Error| malformed(path, bytes, &error);
    let owned = |row: &csv::StringRecord| row.iter().map(|cell| cell.trim().to_owned()).collect();
    let headers: Vec<String> = owned(reader.headers().map_err(bad)?);
    for row in reader.records() {
        let cells: Vec<String> = owned(&row.map_err(bad)?);
        call.latency_row(&headers, &cells);
    }
    Ok(())
}

/// Tables drawn with lines. A second table `Performance Parameters` starts the next run.
fn read_printed(content: &Content, options: &Options) -> Result<Found, Error> {
    let mut found = Found::default();
    let mut blocks: Vec<(usize, String, String, Call)> = Vec::new();
    let (mut headers, mut task, mut heading) = (Vec::new(), String::new(), String::new());
    for (index, line) in content.text().lines().enumerate() {
        if let Some((_, name)) = line.split_once("Performance Results of task:") {
            name.trim().trim_end_matches(':').clone_into(&mut task);
        }
        let line = line.replace('│', "|");
        let Some(inner) = line.trim().strip_prefix('|').and_then(|l| l.strip_suffix('|')) else {
            heading = label_of(&line, index + 1).unwrap_or(heading);
            continue;
        };
        let cells: Vec<String> = inner.split('|').map(|cell| cell.trim().to_owned()).collect();
        match cells[0].as_str() {
            "Performance Parameters" => {
                let (task, heading) = (std::mem::take(&mut task), heading.clone());
                blocks.push((index + 1, task, heading, Call::default()));
                headers = cells;
            }
            "Common Metric" => headers = cells,
            name => {
                let Some((.., last)) = blocks.last_mut() else { continue };
                if headers.first().is_some_and(|header| header == "Common Metric") {
                    if let [_, stage, cell, ..] = &cells[..] {
                        last.totals.push((stage.clone(), name.to_owned(), cell.clone()));
                    }
                } else {
                    last.latency_row(&headers, &cells);
                }
            }
        }
    }
    let tasks = blocks.iter().map(|(_, task, heading, _)| (task.clone(), heading.clone()));
    let headed = varying::recurs(tasks);
    for (line, task, heading, call) in &blocks {
        let describe = |builder: &mut RunBuilder| {
            let (model, dataset) = task.split_once('/').unwrap_or((task, ""));
            let word = |text: &str| Some(text.to_owned()).filter(|text| !text.is_empty());
            builder.run.workload.model = word(model);
            builder.run.workload.dataset = word(dataset);
            if headed {
                builder.run.variant.clone_from(heading);
            }
        };
        call.runs(content, *line, "line", describe, (&mut found, options))?;
    }
    Ok(found)
}
