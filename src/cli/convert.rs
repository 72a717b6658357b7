//! `convert`: one tidy table of all runs, a row per run and metric, which every command reads back.

use std::path::PathBuf;

use beyondnoise::error::Error;
use beyondnoise::read::{Tidy, tidy};

use crate::cli::inputs::InputArgs;
use crate::cli::job::{Job, Outcome};
use crate::cli::output::write;

/// Common calls, below the help.
const EXAMPLES: &str = "\
Examples:
  beyondnoise convert runs/ -o runs.csv
  beyondnoise convert main=runs/main pr=runs/pr -o runs.ndjson";

#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct ConvertArgs {
    #[command(flatten)]
    input: InputArgs,

    /// File to write; its ending (csv, parquet, ndjson) is the format
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
}

pub(super) fn run(args: &ConvertArgs) -> Result<Outcome, Error> {
    let ending =
        args.output.extension().map_or_else(String::new, |e| e.to_string_lossy().to_lowercase());
    let format = match ending.as_str() {
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
    let job = Job::plain(&args.input, std::slice::from_ref(&args.output))?;
    write(&tidy(&job.dataset()?, format)?, Some(&args.output))?;
    Ok(Outcome::Clean)
}
