//! lmdeploy's `profile_restful_api.py`: a CSV table, often in a file that is named `.jsonl`.
//!
//! Replicate: a row, which is one call of the client; files are appended to, so rows with other settings
//! are other workloads. Failures are not recorded.

use crate::kit::fields::{RunField, field_of_key, set};
use crate::kit::prelude::*;
use beyondnoise_model::runs::Definitions;

pub(crate) const CSV: Reader = Reader {
    name: "lmdeploy csv",
    marks: Marks::Starts(&["backend,dataset_name,sharegpt_output_len,"]),
    one_run: "a row, which is one call of the client",
    metrics: SERVING,
    definitions: &[("lmdeploy", Definitions::EXACT)],
    read: |content, options| Reading::of(content, options, read),
    ..Reader::EMPTY
};

fn read(file: &mut Reading) -> Result<(), Error> {
    for row in file.csv_rows()? {
        let row = row?;
        let mut builder = file.run("lmdeploy", row.line, "line");
        for (name, cell) in row.cells() {
            let good = match field_of_key(name) {
                // The client writes None for open settings.
                Some(RunField::Load) if cell == "None" => true,
                Some(field) => set(&mut builder.run, field, name, cell),
                None if name == "backend" => {
                    builder.metadata(name, Some(cell.to_owned()));
                    true
                }
                None => number(cell).map(|number| builder.put(name, number)).is_some(),
            };
            if !good && !is_no_value(cell) {
                return Err(row.wrong("a number", name, cell));
            }
        }
        file.add(builder)?;
    }
    file.needs_rows()
}
