//! lmdeploy's `profile_restful_api.py`: a CSV table, often in a file that is named `.jsonl`.
//!
//! Replicate: a row, which is one call of the client; files are appended to, so rows with other settings
//! are other workloads. Failures are not recorded.

use crate::error::Error;
use crate::read::fields::{self, RunField};
use crate::read::llm::csv_error::{malformed, no_rows};
use crate::read::llm::run_builder::RunBuilder;
use crate::read::table::delimited::line_at;
use crate::read::{Content, Found, Options, Reader, SERVING, short};

pub(super) const CSV: Reader = Reader {
    name: "lmdeploy csv",
    recognised_by: "a header that starts with backend,dataset_name,sharegpt_output_len",
    one_run: "a row, which is one call of the client",
    metrics: SERVING,
    recognise: |content, _| {
        content.bytes().starts_with(b"backend,dataset_name,sharegpt_output_len,")
    },
    read,
};

fn read(content: &Content, options: &Options) -> Result<Found, Error> {
    let mut found = Found::default();
    let mut reader = csv::Reader::from_reader(content.bytes());
    let bad = |error: csv::Error| malformed(content.path, content.bytes(), &error);
    let headers = reader.headers().map_err(bad)?.clone();
    for row in reader.records() {
        let row = row.map_err(bad)?;
        let line = row.position().map_or(1, |at| line_at(content.bytes(), at));
        let mut builder = RunBuilder::new(content, "lmdeploy", line, "line");
        for (name, cell) in headers.iter().zip(&row) {
            let good = match fields::field_of_key(name) {
                // The client writes None for open settings.
                Some(RunField::Load) if cell == "None" => true,
                Some(field) => fields::set(&mut builder.run, field, name, cell),
                None if name == "backend" => {
                    builder.metadata(name, Some(cell.to_owned()));
                    true
                }
                None => fields::number(cell).map(|number| builder.put(name, number)).is_some(),
            };
            if !good && !matches!(cell, "" | "-" | "None") {
                let problem = format!("expected a number in \"{name}\", found \"{}\"", short(cell));
                return Err(Error::at_line(content.path, line, problem, "fix the row"));
            }
        }
        builder.finish(&mut found, options)?;
    }
    if found.runs.is_empty() && found.skipped.is_empty() {
        return Err(no_rows(content.path));
    }
    Ok(found)
}
