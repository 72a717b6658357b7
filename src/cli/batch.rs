//! `batch`: every cell of an export.

use std::path::{Path, PathBuf};

use beyondnoise::document;
use beyondnoise::error::Error;
use beyondnoise::job::Case;
use beyondnoise::render::{csv, html, json, markdown};
use beyondnoise::report::Report;
use beyondnoise::write::replace_all;

use crate::cli::inputs::InputArgs;
use crate::cli::job::{Job, Outcome};
use crate::cli::judge::{GateArgs, called, gate};
use crate::cli::output::{Format, OutputArgs, Outputs, show};
use crate::cli::settings::{Named, SettingFlags};

#[derive(Debug, clap::Args)]
#[command(mut_arg("base", |arg| arg.alias("baseline")))]
#[command(mut_arg("output", |arg| arg.value_name("PATH").help(
    "A file whose ending is the format, or a folder that gets summary.md, index.html, results.csv, \
     results.json and results.parquet"
)))]
#[command(mut_arg("verbose", |arg| arg.help("Show every cell, all warnings, and the method")))]
#[command(mut_arg("quiet", |arg| arg.help("Print only the first line")))]
pub(super) struct BatchArgs {
    #[command(flatten)]
    input: InputArgs,

    /// Show a line for every cell, not only for those that changed
    #[arg(long)]
    all: bool,

    #[command(flatten)]
    output: OutputArgs<Self>,

    #[command(flatten)]
    settings: SettingFlags<Self>,

    #[command(flatten)]
    gate: GateArgs,

    /// Compare pair by pair inside each cell: runs with the same pair column, or runs that alternate in time
    #[arg(long, conflicts_with_all = ["noise", "history"])]
    paired: bool,
}

impl Named for BatchArgs {
    const NAME: &'static str = "batch";
}

impl Outputs for BatchArgs {
    const FORMATS: &'static [Format] = &Format::OF_VERDICTS;
    const FLAGS: &'static [&'static str] = &["verbose", "quiet", "plot", "color"];
}

pub(super) fn run(args: &BatchArgs) -> Result<Outcome, Error> {
    let folder = folder(args);
    if folder.is_none() {
        args.output.check()?;
    }
    let inside = folder.map_or_else(Vec::new, |folder| FILES.map(|name| folder.join(name)).into());
    let files = [&args.output.files[..], &inside].concat();
    let usual = Case::usual_of_batch();
    let job = Job::new(&args.input, &files, args.settings.given(), usual)?.quiet(args.output.quiet);
    let case = job.batch(args.paired, &job)?;
    let mut report = case.report()?;
    called(&mut report);
    let all = args.all || args.output.verbose;
    let render = |format, options| match format {
        Format::Json => json(&report).into(),
        Format::Csv => csv(&report).into(),
        // Every cell stands in a fold of the others.
        Format::Text => show(document::batch(&report, all), format, options),
        _ => show(&report, format, options),
    };
    match folder {
        Some(folder) => {
            write_all(&report, folder)?;
            args.output.to_standard_output().write(render)?;
        }
        None => args.output.write(render)?,
    }
    let outcome = gate(&args.gate, args.settings.given(), &report);
    // The process ends here: freeing so many values one by one takes longer than printing the report.
    std::mem::forget((case, report));
    Ok(outcome)
}

/// The folder to write every format into: an output without an ending, unless `--format` is given.
fn folder(args: &BatchArgs) -> Option<&Path> {
    let path = args.output.files.first().filter(|_| !args.output.has_format())?;
    (path.is_dir() || path.extension().is_none()).then_some(path)
}

/// Files of a folder of results; the last only if this build writes Parquet.
const FILES: [&str; 5] =
    ["summary.md", "results.csv", "results.json", "index.html", "results.parquet"];

/// Writes the report in every format into a folder, which is created if need be.
fn write_all(report: &Report, folder: &Path) -> Result<(), Error> {
    std::fs::create_dir_all(folder).map_err(|source| Error::Io {
        path: folder.display().to_string(),
        doing: "create",
        source,
    })?;
    let contents = [
        markdown(report).into_bytes(),
        csv(report).into_bytes(),
        json(report).into_bytes(),
        html(report).into_bytes(),
        #[cfg(feature = "tables")]
        parquet(report)?,
    ];
    let files =
        FILES.iter().zip(&contents).map(|(name, bytes)| (folder.join(name), bytes.as_slice()));
    let files: Vec<(PathBuf, &[u8])> = files.collect();
    replace_all(&files)
}

/// The table of `--format csv` as Parquet.
#[cfg(feature = "tables")]
fn parquet(report: &Report) -> Result<Vec<u8>, Error> {
    use beyondnoise::read::{Cells, write_parquet};
    use beyondnoise::render::{ResultColumn, columns};
    let cells = |column| match column {
        ResultColumn::Text(values) => Cells::Text(values),
        ResultColumn::Number(values) => Cells::Number(values),
    };
    let columns = columns(report).into_iter();
    write_parquet(columns.map(|(name, column)| (name, cells(column))).collect())
}
