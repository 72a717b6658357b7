//! `summary.csv` of `vllm bench sweep serve`: all runs of a sweep as one table.
//!
//! Replicate: a row with the same settings; the runs of one setting share a server process. Beside the
//! folders with `run=*.json` it repeats these and is not read.

use crate::clients::serving_json::add_run;
use crate::kit::json_records::{Record, Scalar};
use crate::kit::prelude::*;
use crate::kit::siblings::holds_runs_below;
use crate::kit::varying;
use beyondnoise_model::runs::Source;

pub(crate) const CSV: Reader = Reader {
    name: "vllm sweep csv",
    marks: Marks::Header(&[",model_id,", ",request_throughput,", ",run_number"]),
    one_run: "a row; rows with the same settings are repeats",
    metrics: SERVING,
    read: |content, options| Reading::of(content, options, read),
    ..Reader::EMPTY
};

/// Longest cell that is a setting; longer ones list the requests.
const MAX_SETTING_BYTES: usize = 200;

fn read(file: &mut Reading) -> Result<(), Error> {
    if holds_runs_below(file.content) {
        return file.nothing("repeats the runs in the folders beside it");
    }
    for row in file.csv_rows()? {
        let row = row?;
        let mut record = Record { index: row.line, line: row.line, ..Record::default() };
        for (name, cell) in row.cells() {
            // The index of the data frame has no name.
            if name.is_empty() || cell.len() > MAX_SETTING_BYTES || cell.starts_with(['[', '{']) {
                continue;
            }
            let scalar = match number(cell) {
                Some(number) => Scalar::Number(number.value),
                None if cell.is_empty() => Scalar::Null,
                None => Scalar::Text(cell.to_owned()),
            };
            record.scalars.insert(name.to_owned(), scalar);
        }
        let (path, position) = (file.content.path.into(), row.line);
        let source = Source { path, position, counts: "line" };
        add_run(file, "vllm", record, (source, row.place()))?;
    }
    // The varied settings have their own columns.
    let settings: Vec<Vec<(String, String)>> =
        file.found.runs.iter().map(|run| (*run.metadata).clone().into_iter().collect()).collect();
    for (run, name) in file.found.runs.iter_mut().zip(varying::names(&settings)) {
        if !name.is_empty() {
            run.metadata.insert(COMMAND.to_owned(), name.clone());
            run.variant = name;
        }
    }
    file.needs_rows()
}
