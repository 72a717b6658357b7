//! `convert`: one tidy table of all runs, a row per run and metric, which every command reads back.

use beyondnoise::error::Error;
use beyondnoise::read::{Tidy, tidy};

use crate::cli::Outcome;
use crate::cli::args::ConvertArgs;
use crate::cli::output;
use crate::cli::reading;

pub(super) fn run(args: &ConvertArgs) -> Result<Outcome, Error> {
    let ending =
        args.output.extension().map_or_else(String::new, |e| e.to_string_lossy().to_lowercase());
    let form = match ending.as_str() {
        "csv" => Tidy::Csv,
        "ndjson" | "jsonl" => Tidy::NdJson,
        #[cfg(feature = "tables")]
        "parquet" => Tidy::Parquet,
        other => {
            return Err(Error::usage(
                format!("expected an output ending in {}, found .{other}", Tidy::ENDINGS),
                "give another ending to -o",
            ));
        }
    };
    output::guard(&args.input, &[&args.output])?;
    let options = args.input.options(&args.input.config.settings()?.file);
    let dataset = reading::load(&args.input, &options, &[&args.output], false)?.dataset;
    output::write(&tidy(&dataset, form)?, Some(&args.output))?;
    Ok(Outcome::Clean)
}
