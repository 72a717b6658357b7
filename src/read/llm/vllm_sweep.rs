//! `summary.csv` of `vllm bench sweep serve`: all runs of a sweep as one table.
//!
//! Replicate: a row with the same settings; the runs of one setting share a server process. Beside the
//! folders with `run=*.json` it repeats these and is not read.

use crate::error::Error;
use crate::read::fields;
use crate::read::json::{Record, Scalar};
use crate::read::llm::csv_error::{malformed, no_rows};
use crate::read::llm::siblings::holds_runs_below;
use crate::read::llm::varying;
use crate::read::serving_json::run_of;
use crate::read::table::delimited::line_at;
use crate::read::{COMMAND, Content, Found, Options, Reader, SERVING, contains};
use crate::runs::Skipped;

pub(super) const CSV: Reader = Reader {
    name: "vllm sweep csv",
    recognised_by: "a header with model_id, request_throughput and run_number",
    one_run: "a row; rows with the same settings are repeats",
    metrics: SERVING,
    recognise: |content, _| {
        let header = content.first_line(1 << 14);
        [",model_id,", ",request_throughput,", ",run_number"]
            .iter()
            .all(|name| contains(header, name.as_bytes()))
    },
    read,
};

/// Longest cell that is a setting; longer ones list the requests.
const MAX_SETTING_BYTES: usize = 200;

fn read(content: &Content, options: &Options) -> Result<Found, Error> {
    let mut found = Found::default();
    if holds_runs_below(content) {
        let why = "repeats the runs in the folders beside it".to_owned();
        found.skipped.push(Skipped { place: "file".to_owned(), why });
        return Ok(found);
    }
    let mut reader = csv::Reader::from_reader(content.bytes());
    let bad = |error: csv::Error| malformed(content.path, content.bytes(), &error);
    let headers = reader.headers().map_err(bad)?.clone();
    for row in reader.records() {
        let row = row.map_err(bad)?;
        let line = row.position().map_or(1, |at| line_at(content.bytes(), at));
        let mut record = Record { index: line, line, ..Record::default() };
        for (name, cell) in headers.iter().zip(&row) {
            // The index of the data frame has no name.
            if name.is_empty() || cell.len() > MAX_SETTING_BYTES || cell.starts_with(['[', '{']) {
                continue;
            }
            let number = fields::number(cell).map(|number| Scalar::Number(number.value));
            let text =
                || if cell.is_empty() { Scalar::Null } else { Scalar::Text(cell.to_owned()) };
            record.scalars.insert(name.to_owned(), number.unwrap_or_else(text));
        }
        if record.number("run_number").is_some_and(|number| number < 0.0) {
            let place = format!("line {line}");
            found.skipped.push(Skipped { place, why: "a warm-up, not a run".to_owned() });
            continue;
        }
        match run_of(content.path, "vllm", record, &mut found.skipped) {
            Ok(mut run) => {
                run.source.counts = "line";
                found.runs.push(run);
            }
            Err(error) if options.lenient => {
                let place = format!("line {line}");
                found.skipped.push(Skipped { place, why: error.to_string() });
            }
            Err(error) => return Err(error),
        }
    }
    if found.runs.is_empty() && found.skipped.is_empty() {
        return Err(no_rows(content.path));
    }
    // The varied settings have their own columns.
    let settings: Vec<Vec<(String, String)>> =
        found.runs.iter().map(|run| (*run.metadata).clone().into_iter().collect()).collect();
    for (run, name) in found.runs.iter_mut().zip(varying::names(&settings)) {
        if !name.is_empty() {
            run.metadata.insert(COMMAND.to_owned(), name.clone());
            run.variant = name;
        }
    }
    Ok(found)
}
