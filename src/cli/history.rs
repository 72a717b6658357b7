//! `history`: earlier runs, from which later comparisons estimate their noise.

use std::collections::BTreeMap;
use std::fmt::Write;

use clap::Subcommand;
use comfy_table::{Cell, CellAlignment, ContentArrangement, Table};

use beyondnoise::error::Error;
use beyondnoise::format::clipped;
use beyondnoise::history::load;
use beyondnoise::metrics::{Metric, rank};
use beyondnoise::noise_prior::NoisePool;
use beyondnoise::runs::{Dataset, Skipped};
#[cfg(feature = "tables")]
use beyondnoise::sanitize::printable;

use crate::cli::inputs::InputArgs;
use crate::cli::output::print;
#[cfg(feature = "tables")]
use crate::cli::run::Job;
use crate::cli::run::Outcome;
use crate::cli::terminal::width;

#[derive(Debug, Subcommand)]
pub(super) enum HistoryCommand {
    /// Add runs: one Parquet file per call, named after its content
    Add(Box<AddArgs>),
    /// Print the noise of every metric in the history
    Show(ShowArgs),
}

#[derive(Debug, clap::Args)]
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

#[derive(Debug, clap::Args)]
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
            print(shown(&history).as_bytes())?;
            Ok(Outcome::Clean)
        }
    }
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
        format!("These {} were in the history already: {path}\n", count(added.runs, "run"))
    } else {
        format!("{} added to the history: {path}\n", count(added.runs, "run"))
    };
    if added.again > 0 && !added.known {
        let were = if added.again == 1 { "was" } else { "were" };
        writeln!(text, "{} {were} in it already.", count(added.again, "run"))
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

fn count(n: usize, what: &str) -> String {
    format!("{n} {what}{}", if n == 1 { "" } else { "s" })
}

/// A table per workload: the noise of each metric, and the noise prior that it makes.
fn shown(history: &Dataset) -> String {
    let mut out = String::new();
    let nothing = Dataset::default();
    let pool = NoisePool::collect(&nothing, Some(history), beyondnoise::policy::NoiseFrom::Auto);
    for group in &history.groups {
        let runs: usize = group.variants.iter().map(|variant| variant.runs.len()).sum();
        let variants = group.variants.iter().flat_map(|variant| &variant.runs);
        let mut names: BTreeMap<&str, usize> = BTreeMap::new();
        for name in variants.flat_map(|run| run.metrics.keys()) {
            *names.entry(name).or_default() += 1;
        }
        let mut names: Vec<&str> = names.into_keys().collect();
        names.sort_by_key(|name| (rank(name), *name));
        let mut table = Table::new();
        table.load_style(comfy_table::presets::NOTHING);
        table.set_content_arrangement(ContentArrangement::Dynamic);
        table.set_width(width(false));
        table.set_header(["", "run-to-run CV", "df", "noise prior, n = 1"]);
        for name in names {
            let Some(own) = pool.pooled(&group.workload, name) else { continue };
            let prior = pool.prior_for_workload(&group.workload, name);
            let prior = prior.map_or("none".to_owned(), |prior| {
                format!(
                    "{:.2} % (df {:.1})",
                    prior.prior.variance.value.sqrt() * 100.0,
                    prior.prior.variance.df
                )
            });
            let right = |text: String| Cell::new(text).set_alignment(CellAlignment::Right);
            table.add_row([
                Cell::new(clipped(&Metric::named(name).row_label())),
                right(format!("{:.2} %", own.value.sqrt() * 100.0)),
                right(own.df.to_string()),
                right(prior),
            ]);
        }
        let head = format!("{}: {}", group.workload.describe(), count(runs, "run"));
        let body =
            if table.is_empty() { "no variant with two runs".to_owned() } else { table.trim_fmt() };
        writeln!(out, "{head}\n{body}\n").expect("writing to a String cannot fail");
    }
    for input in &history.inputs {
        for Skipped { place, why } in &input.skipped {
            writeln!(out, "skipped: {}, {place}: {why}", input.path)
                .expect("writing to a String cannot fail");
        }
    }
    out
}
