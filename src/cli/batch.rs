//! `batch`: every cell of an export.

use std::path::{Path, PathBuf};

use beyondnoise::error::Error;
use beyondnoise::job::Case;
use beyondnoise::render::{csv, html, json, markdown};
use beyondnoise::report::Report;
use beyondnoise::report::batch::batch;
use beyondnoise::write::replace_all;

use crate::cli::inputs::InputArgs;
use crate::cli::job::{Job, Outcome};
use crate::cli::judge::{GateArgs, called, gate};
use crate::cli::output::{Format, Output, OutputArgs, Outputs, show, verdicts};
use crate::cli::settings::{Named, STATISTICS, SettingFlags};

/// Common calls, below the help.
const EXAMPLES: &str = "\
Examples:
  beyondnoise batch export.csv --by model,concurrency --base v1
  beyondnoise batch export.csv -o results/ -o summary.md  # a folder with every format, and a file
  beyondnoise batch export.csv --gate --format github     # annotations of a workflow";

#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
#[command(mut_arg("base", |arg| arg.alias("baseline").allow_hyphen_values(true)))]
#[command(mut_arg("output", |arg| arg.value_name("PATH").help(
    "A file whose ending is the format, or a folder that gets summary.md, index.html, results.csv, \
     results.json and results.parquet; may be repeated"
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
    settings: SettingFlags<Self>,

    #[command(flatten)]
    output: OutputArgs<Self>,

    #[command(flatten)]
    gate: GateArgs,

    /// Compare pair by pair inside each cell: runs with the same pair column, or runs that alternate in time
    #[arg(long, conflicts_with_all = ["noise", "history"], help_heading = STATISTICS)]
    paired: bool,
}

impl Named for BatchArgs {
    const NAME: &'static str = "batch";
}

impl Outputs for BatchArgs {
    const FORMATS: &'static [Format] = &Format::OF_VERDICTS;
    const FLAGS: &'static [&'static str] = &["verbose", "quiet", "plot", "color"];
    const SEVERAL: bool = true;
}

pub(super) fn run(args: &BatchArgs) -> Result<Outcome, Error> {
    let (folders, output) = folders_and_files(&args.output);
    output.check_beside(&args.input.inputs)?;
    let inside = folders.iter().flat_map(|folder| FILES.map(|name| folder.join(name)));
    let files: Vec<PathBuf> = args.output.files.iter().cloned().chain(inside).collect();
    let usual = Case::usual_of_batch();
    let job = Job::new(&args.input, &files, args.settings.given(), usual)?.quiet(args.output.quiet);
    let case = job.batch(args.paired, &job)?;
    let mut report = case.report()?;
    called(&mut report);
    let all = args.all || args.output.verbose;
    for folder in &folders {
        write_all(&report, folder)?;
    }
    output.write(|format, options| match format {
        // The other formats have every cell in a fold.
        Format::Text => show(batch(&report, all), format, options),
        _ => verdicts(&report, format, options),
    })?;
    let outcome = gate(&args.gate, args.settings.given(), &report);
    // The process ends here: freeing so many values one by one takes longer than printing the report.
    std::mem::forget((case, report));
    Ok(outcome)
}

/// The folders to write every format into: outputs without an ending, unless `--format` is given. The other files stay
/// outputs; without any the report goes to standard output.
fn folders_and_files(output: &Output) -> (Vec<PathBuf>, Output) {
    let is_folder =
        |path: &PathBuf| !output.has_format() && (path.is_dir() || path.extension().is_none());
    let (folders, files) = output.files.iter().cloned().partition(is_folder);
    (folders, output.with_files(files))
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
