//! `history`: earlier runs, from which later comparisons estimate their noise, and the verdict on a series of nights.

#[cfg(feature = "tables")]
use std::fmt::Write;

use clap::Subcommand;

use beyondnoise::error::Error;
use beyondnoise::history::{Wanted, load, verdict};
use beyondnoise::job::Source;
use beyondnoise::policy::Settings;
use beyondnoise::render::{TextOptions, history_csv, json, text};
use beyondnoise::report::history::noise_of_each_metric;
use beyondnoise::runs::Dataset;
#[cfg(feature = "tables")]
use beyondnoise_model::format::{argument, counted};
#[cfg(feature = "tables")]
use beyondnoise_model::sanitize::printable;

use crate::cli::inputs::InputArgs;
use crate::cli::job::{Job, Outcome};
use crate::cli::judge::gated;
use crate::cli::output::{Format, OutputArgs, Outputs, print, show};
use crate::cli::settings::{Named, SettingFlags};
use crate::cli::terminal::width;

#[derive(Debug, Subcommand)]
pub(super) enum HistoryCommand {
    /// Add runs: one Parquet file per call, named after its content
    Add(Box<AddArgs>),
    /// Print the noise of every metric in the history
    Show(ShowArgs),
    /// What changed over many nights, since when, and how sure that is
    Verdict(Box<VerdictArgs>),
}

/// Common calls, below the help.
const JUDGING: &str = "\
Examples:
  beyondnoise history verdict nights/  # what changed, and when
  beyondnoise history verdict nights.csv --gate --since 2026-11-01";

#[derive(Debug, clap::Args)]
#[command(after_help = JUDGING)]
#[command(mut_arg("metric", |arg| arg.help(
    "Look at this metric only, optionally with its direction; may be repeated"
)))]
#[command(mut_arg("verbose", |arg| arg.help("Show all series, notes and the method")))]
#[command(mut_arg("quiet", |arg| arg.help("Print one line")))]
pub(super) struct VerdictArgs {
    #[command(flatten)]
    input: InputArgs,

    /// Report only what changed from this night on: its name, a build or a date
    #[arg(long, value_name = "NIGHT")]
    since: Option<String>,

    /// Look at the cells with this setting only; may be repeated
    #[arg(long, value_name = "NAME=VALUE", value_parser = setting)]
    cell: Vec<(String, String)>,

    /// Exit with 1 for a confirmed change for the worse that is still in force, 3 if there are too few nights
    #[arg(long)]
    gate: bool,

    #[command(flatten)]
    output: OutputArgs<Self>,

    #[command(flatten)]
    settings: SettingFlags<Self>,
}

impl Named for VerdictArgs {
    const NAME: &'static str = "history verdict";
}

impl Outputs for VerdictArgs {
    const FORMATS: &'static [Format] = &Format::OF_HISTORIES;
    const FLAGS: &'static [&'static str] = &["verbose", "quiet", "color"];
    const SEVERAL: bool = true;
}

/// A setting of a cell: `model=llama`.
fn setting(text: &str) -> Result<(String, String), &'static str> {
    let pair = text.split_once('=').map(|(name, value)| (name.trim(), value.trim()));
    let pair = pair.filter(|(name, _)| !name.is_empty());
    let (name, value) = pair.ok_or("expected a setting and its value, such as model=llama")?;
    Ok((name.to_owned(), value.to_owned()))
}

/// Common calls, below the help.
const ADDING: &str = "\
Examples:
  beyondnoise history add --history bench-history --build 4f2c1a runs/main";

#[derive(Debug, clap::Args)]
#[command(after_help = ADDING)]
pub(super) struct AddArgs {
    #[command(flatten)]
    input: InputArgs,

    /// Folder of the history; created if it does not exist
    #[arg(long, value_name = "DIR")]
    history: std::path::PathBuf,

    /// Identifier of the build, such as a commit: runs of the same variant and build are repeats
    #[arg(long, value_name = "ID")]
    build: Option<String>,
}

/// Common calls, below the help.
const SHOWING: &str = "\
Examples:
  beyondnoise history show --history bench-history";

#[derive(Debug, clap::Args)]
#[command(after_help = SHOWING)]
pub(super) struct ShowArgs {
    /// Folder of the history
    #[arg(long, value_name = "DIR")]
    history: String,

    /// Skip files that cannot be read, and list them
    #[arg(long)]
    lenient: bool,
}

pub(super) fn run(command: &HistoryCommand) -> Result<Outcome, Error> {
    match command {
        HistoryCommand::Add(args) => add(args),
        HistoryCommand::Show(args) => {
            let history = load(&args.history, &Dataset::default(), args.lenient)?;
            let options = TextOptions { width: width(false), ..TextOptions::default() };
            print(text(noise_of_each_metric(&history), options).as_bytes())?;
            Ok(Outcome::Clean)
        }
        HistoryCommand::Verdict(args) => judge(args),
    }
}

fn judge(args: &VerdictArgs) -> Result<Outcome, Error> {
    args.output.check_beside(&args.input.inputs)?;
    let flags = args.settings.given();
    let job = Job::new(&args.input, &args.output.files, flags, Settings::default())?
        .quiet(args.output.quiet);
    let loaded = job.load(&job.options_of_repeats())?;
    let wanted = Wanted { since: args.since.clone(), cells: args.cell.clone() };
    let report = verdict(&loaded.dataset, &wanted, &job.policy_of(&loaded))?;
    args.output.write(|format, options| match format {
        Format::Json => json(&report).into(),
        Format::Csv => history_csv(&report).into(),
        _ => show(&report, format, options),
    })?;
    Ok(if args.gate { gated(report.gate, &report.gate_reason) } else { Outcome::Clean })
}

#[cfg(feature = "tables")]
fn add(args: &AddArgs) -> Result<Outcome, Error> {
    if args.history.starts_with("s3:/") {
        let problem = format!("expected a folder to write to, found {}", args.history.display());
        return Err(Error::usage(problem, "add to a folder, and copy its files to the bucket"));
    }
    let dataset = Job::plain(&args.input, &[])?.dataset()?;
    let added = beyondnoise::history::add(&dataset, &args.history, args.build.as_deref())?;
    let path = added.path.display().to_string();
    let path = printable(&path);
    let mut text = if added.known {
        format!("These {} were in the history already: {path}\n", counted(added.runs, "run"))
    } else {
        format!("{} added to the history: {path}\n", counted(added.runs, "run"))
    };
    if added.again > 0 && !added.known {
        let were = if added.again == 1 { "was" } else { "were" };
        writeln!(text, "{} {were} in it already.", counted(added.again, "run"))
            .expect("writing to a String cannot fail");
    }
    for why in &added.unread {
        writeln!(text, "Skipped in the history: {why}").expect("writing to a String cannot fail");
    }
    if added.repeated == 0 && !added.known && args.build.is_none() {
        text.push_str(
            "No variant has two runs, so these runs alone do not show the noise. To add repeats of the same \
             build another day, give --build ID.\n",
        );
    }
    let folder = argument(&args.history.display().to_string());
    writeln!(
        text,
        "Next: beyondnoise history show --history {folder}, or give compare, batch or run --history {folder}."
    )
    .expect("writing to a String cannot fail");
    print(text.as_bytes())?;
    Ok(Outcome::Clean)
}

#[cfg(not(feature = "tables"))]
fn add(args: &AddArgs) -> Result<Outcome, Error> {
    let AddArgs { input: _, history, build: _ } = args;
    Err(Error::usage(
        format!(
            "cannot write Parquet to {}: this beyondnoise was built without tables",
            history.display()
        ),
        "build it with its default features",
    ))
}
