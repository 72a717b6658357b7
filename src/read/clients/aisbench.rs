//! `AISBench` performance results: `<data set>.json` (totals) beside `<data set>.csv` (latencies), and both
//! as the tables that the client prints.
//!
//! Replicate: a file pair or a pair of tables, which is one call of the client. Cells are numbers with their
//! unit. The stages `total` and `stable` (steady state only) are different quantities and never compared.

use std::collections::BTreeMap;
use std::path::Path;

use crate::kit::prelude::*;
use crate::kit::siblings::{folder, time_stamp, twin};
use crate::kit::varying;
use crate::text::labels::Labels;
use beyondnoise_model::runs::Definitions;

pub(crate) const JSON: Reader = Reader {
    name: "aisbench json",
    marks: Marks::Json(&["Benchmark Duration", "Total Requests"]),
    one_run: "a file with the csv beside it, which is one call of the client",
    metrics: SERVING,
    definitions: &[("aisbench", Definitions::EXACT)],
    read: |content, options| Reading::of(content, options, read_json),
    ..Reader::EMPTY
};

pub(crate) const CSV: Reader = Reader {
    name: "aisbench csv",
    marks: Marks::Starts(&["Performance Parameters,Stage,"]),
    one_run: "a file, which is one call of the client",
    metrics: SERVING,
    read: |content, options| Reading::of(content, options, read_csv),
    ..Reader::EMPTY
};

pub(crate) const PRINTED: Reader = Reader {
    name: "aisbench tables",
    recognised_by: "printed tables Performance Parameters and Common Metric",
    one_run: "a pair of tables, which is one call of the client",
    metrics: SERVING,
    recognise: |content, _| {
        ["│", "|"].iter().any(|line| {
            near(content, &format!("{line} Performance Parameters"))
                && near(content, &format!("{line} Common Metric"))
        })
    },
    read: |content, options| Reading::of(content, options, read_printed),
    ..Reader::EMPTY
};

const LATENCIES: &[(&str, &str)] =
    &[("TTFT", "ttft"), ("TPOT", "tpot"), ("ITL", "itl"), ("E2EL", "e2el")];

/// The reached concurrency is a result, not the setting.
const TOTALS: &[(&str, &str)] = &[
    ("Request Throughput", "request_throughput"),
    ("Output Token Throughput", "output_throughput"),
    ("Total Token Throughput", "total_token_throughput"),
    ("Input Token Throughput", "input_throughput"),
    ("Prefill Token Throughput", "prefill_throughput"),
    ("Concurrency", "concurrency"),
];

/// A figure of one call of the client.
struct Figure {
    stage: String,
    /// Of a total or a latency.
    name: String,
    /// The statistic of a latency; none of a total.
    statistic: Option<String>,
    cell: String,
}

/// Adds the figures of a row of latencies: name, stage, then a cell for each statistic.
fn latency_row<'a>(into: &mut Vec<Figure>, cells: impl Iterator<Item = (&'a str, &'a str)>) {
    let cells: Vec<(&str, &str)> = cells.collect();
    let [(_, name), (_, stage), statistics @ ..] = &cells[..] else { return };
    into.extend(statistics.iter().map(|(statistic, cell)| Figure {
        stage: (*stage).to_owned(),
        name: (*name).to_owned(),
        statistic: Some((*statistic).to_owned()),
        cell: (*cell).to_owned(),
    }));
}

/// One run per stage.
fn runs(
    file: &mut Reading,
    (position, counts): (usize, &'static str),
    figures: &[Figure],
    describe: impl Fn(&mut RunBuilder),
) -> Result<(), Error> {
    let mut stages: BTreeMap<&str, RunBuilder> = BTreeMap::new();
    for Figure { stage, name, statistic, cell } in figures {
        let builder = stages.entry(stage).or_insert_with(|| {
            let mut builder = file.run("aisbench", position, counts);
            if stage != "total" {
                builder.load("stage", Some(stage.clone()));
            }
            describe(&mut builder);
            builder.rounded();
            builder
        });
        // A number and its unit: `12300.2 ms`, `0.0813 req/s`, `8`.
        let (digits, unit) = cell.split_once(' ').unwrap_or((cell, ""));
        let Some(value) = number(digits) else { continue };
        let Some(statistic) = statistic else {
            total(builder, name, value, unit);
            continue;
        };
        let latency = LATENCIES.iter().find(|(known, _)| known == name);
        if let (Some((_, stem)), Some(factor)) = (latency, to_ms(unit)) {
            builder.latency(statistic, stem, value.times(factor));
        }
    }
    stages.into_values().try_for_each(|builder| file.add(builder))
}

fn total(builder: &mut RunBuilder, name: &str, value: Number, unit: &str) {
    if let Some((_, metric)) = TOTALS.iter().find(|(known, _)| *known == name) {
        builder.put(metric, value);
        return;
    }
    let count = Some(value.value).filter(|count| *count >= 0.0 && count.fract() == 0.0).map(whole);
    match name {
        "Benchmark Duration" => {
            builder.put("duration", value.times(to_ms(unit).unwrap_or(1.0) / S));
        }
        "Total Requests" => builder.run.workload.requests = count,
        "Success Requests" => builder.run.info.completed = count,
        "Failed Requests" => builder.run.info.failed = count,
        "Max Concurrency" => builder.concurrency(Some(value.value)),
        "Total Input Tokens" => builder.run.workload.input_tokens = count,
        "Total Output Tokens" | "Total Generated Tokens" => builder.run.info.output_tokens = count,
        _ => {}
    }
}

/// The folder names the model, the file the data set, a folder above the time.
fn from_path(content: &Content, builder: &mut RunBuilder) {
    let stem = Path::new(content.path).file_stem();
    builder.run.workload.dataset = stem.map(|stem| stem.to_string_lossy().into_owned());
    builder.run.info.started = time_stamp(content);
    // Below a time stamp is the model; elsewhere the folder may be called anything.
    if builder.run.info.started.is_some() {
        builder.run.workload.model = folder(content);
    }
}

fn read_json(file: &mut Reading) -> Result<(), Error> {
    let store = file.content.store;
    let table = twin(file.content, "csv").and_then(|path| store.read(&path).ok());
    let table = table.unwrap_or_default();
    for (index, root) in file.trees()?.iter().enumerate() {
        let mut figures = Vec::new();
        for (name, stages) in root.entries("") {
            for (stage, cell) in stages.entries("") {
                let (name, stage) = (name.to_string(), stage.to_string());
                let figure = |cell| Figure { stage, name, statistic: None, cell };
                figures.extend(cell.shown("").map(figure));
            }
        }
        figures.extend(latencies(file.content, &table)?);
        let describe = |builder: &mut RunBuilder| from_path(file.content, builder);
        runs(file, (index + 1, "object"), &figures, describe)?;
    }
    Ok(())
}

fn read_csv(file: &mut Reading) -> Result<(), Error> {
    if twin(file.content, "json").is_some() {
        return file.nothing("read with the json file beside it");
    }
    let describe = |builder: &mut RunBuilder| from_path(file.content, builder);
    let figures = latencies(file.content, file.content.bytes())?;
    runs(file, (1, ""), &figures, describe)?;
    file.needs_rows()
}

/// The figures of the CSV.
fn latencies(content: &Content, bytes: &[u8]) -> Result<Vec<Figure>, Error> {
    let mut figures = Vec::new();
    for row in ragged_rows(content.path, bytes)? {
        latency_row(&mut figures, row?.cells());
    }
    Ok(figures)
}

/// The tables of one call of the client, as printed.
#[derive(Default)]
struct Printed {
    line: usize,
    task: String,
    heading: String,
    figures: Vec<Figure>,
}

/// Tables drawn with lines. A second table `Performance Parameters` starts the next run.
fn printed(text: &str) -> Vec<Printed> {
    let labels = Labels::of(text);
    let mut all: Vec<Printed> = Vec::new();
    let (mut headers, mut task, mut heading) = (Vec::new(), String::new(), String::new());
    for (index, line) in text.lines().enumerate() {
        if let Some((_, name)) = line.split_once("Performance Results of task:") {
            name.trim().trim_end_matches(':').clone_into(&mut task);
        }
        let line = line.replace('│', "|");
        let Some(inner) = line.trim().strip_prefix('|').and_then(|l| l.strip_suffix('|')) else {
            heading = labels.at(index).unwrap_or(heading);
            continue;
        };
        let cells: Vec<String> = inner.split('|').map(|cell| cell.trim().to_owned()).collect();
        match cells[0].as_str() {
            "Performance Parameters" => {
                let (task, heading) = (std::mem::take(&mut task), heading.clone());
                all.push(Printed { line: index + 1, task, heading, ..Printed::default() });
                headers = cells;
            }
            "Common Metric" => headers = cells,
            name => {
                let Some(Printed { figures, .. }) = all.last_mut() else { continue };
                if headers.first().is_none_or(|header| header != "Common Metric") {
                    let headers = headers.iter().map(String::as_str);
                    latency_row(figures, headers.zip(cells.iter().map(String::as_str)));
                } else if let [_, stage, cell, ..] = &cells[..] {
                    let (name, stage, cell) = (name.to_owned(), stage.clone(), cell.clone());
                    figures.push(Figure { stage, name, statistic: None, cell });
                }
            }
        }
    }
    all
}

fn read_printed(file: &mut Reading) -> Result<(), Error> {
    let all = printed(&file.content.text());
    let headed = varying::recurs(all.iter().map(|one| (one.task.clone(), one.heading.clone())));
    for Printed { line, task, heading, figures } in &all {
        let describe = |builder: &mut RunBuilder| {
            let (model, dataset) = task.split_once('/').unwrap_or((task, ""));
            let word = |text: &str| Some(text.to_owned()).filter(|text| !text.is_empty());
            builder.run.workload.model = word(model);
            builder.run.workload.dataset = word(dataset);
            if headed {
                builder.run.variant.clone_from(heading);
            }
        };
        runs(file, (*line, "line"), figures, describe)?;
    }
    Ok(())
}
