//! Flags as typed: names, ranges, help.

use std::path::PathBuf;

use clap::{Parser, Subcommand, ValueEnum};

use crate::cli::calibrate::CalibrateArgs;
use crate::cli::formats::FormatsArgs;
use crate::cli::history::HistoryCommand;
use crate::cli::judge::JudgeArgs;
use crate::cli::manual::{CompletionsArgs, ManArgs};
use crate::cli::noise::NoiseArgs;
use crate::cli::plan::PlanArgs;
use crate::cli::settings::ConfigArgs;
use beyondnoise::metrics::Metric;
use beyondnoise::policy::{PlannedLook, Policy, PolicyFile, Selected};
use beyondnoise::read::Options;
use beyondnoise::sanitize::printable;
use beyondnoise::stats::looks;
use beyondnoise::units::Better;

/// Says whether a benchmark change exceeds run-to-run noise
#[derive(Debug, Parser)]
#[command(version, max_term_width = 100)]
pub(super) struct Args {
    #[command(subcommand)]
    pub(super) command: Command,
}

#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// Verdict between variants: which metrics moved beyond noise
    Compare(CompareArgs),
    /// The same for every cell of an export: model, configuration, concurrency, ...
    Batch(BatchArgs),
    /// What was read: workloads, variants, runs, metrics, and from where
    Show(ShowArgs),
    /// Every format that can be read: how it is recognised, what one run is, units and directions
    Formats(FormatsArgs),
    /// One tidy table of all runs: a row per run and metric
    Convert(ConvertArgs),
    /// How many runs of each variant find a change, and the order to make them in
    Plan(PlanArgs),
    /// How much repeated runs of one build differ, and which changes that hides
    Noise(NoiseArgs),
    /// Coverage, false alarms and power of the intervals, simulated or on your own repeated runs
    Calibrate(CalibrateArgs),
    /// Earlier runs whose noise later comparisons borrow
    #[command(subcommand)]
    History(HistoryCommand),
    /// The policy in force, each value with the place that says it
    Config(ConfigArgs),
    /// Completions of commands and flags for a shell, to be saved where it looks for them
    Completions(CompletionsArgs),
    /// The manual: one page, or a folder with a page per command
    Man(ManArgs),
}

/// Where the runs come from; the same for every command
#[derive(Debug, clap::Args)]
pub(super) struct InputArgs {
    /// Files, folders, globs or - for standard input; NAME=PATH gives all runs in PATH to NAME
    #[arg(required = true, value_name = "INPUT")]
    pub(super) inputs: Vec<String>,

    /// Columns, tags or settings whose values together name the variant
    #[arg(long, value_name = "COLUMNS", value_delimiter = ',')]
    pub(super) variant_column: Vec<String>,

    /// Columns that name the run, from the outer level of repeats to the inner: machine,start
    #[arg(long, value_name = "COLUMNS", value_delimiter = ',')]
    pub(super) run_column: Vec<String>,

    /// Columns, tags or folders in which repeats may differ; without it other values are other settings
    #[arg(long, value_name = "COLUMNS", value_delimiter = ',')]
    pub(super) pool: Vec<String>,

    /// Settings in which the variants differ on purpose, such as model
    #[arg(long, value_name = "SETTINGS", value_delimiter = ',')]
    pub(super) across_setting: Vec<String>,

    /// The repeat: a whole run, or an iteration inside one process [default: run]
    #[arg(long, value_enum, value_name = "UNIT")]
    pub(super) unit: Option<UnitArg>,

    /// Column of a table that names the pair of a run, for --paired
    #[arg(long, value_name = "COLUMN")]
    pub(super) pair_column: Option<String>,

    /// Judge this metric only, optionally with its direction; may be repeated
    #[arg(long, alias = "metrics", value_name = "NAME[:lower|:higher]", value_parser = selected)]
    pub(super) metric: Vec<Selected>,

    /// Go on without what cannot be read, and say so in the report
    #[arg(long)]
    pub(super) lenient: bool,

    #[command(flatten)]
    pub(super) config: ConfigArgs,
}

#[derive(Debug, clap::Args)]
pub(super) struct CompareArgs {
    #[command(flatten)]
    pub(super) input: InputArgs,

    /// Label of the baseline; without it the label that says so (main, before, baseline, 优化前, ...)
    #[arg(long, alias = "baseline", value_name = "NAME")]
    pub(super) base: Option<String>,

    #[command(flatten)]
    pub(super) output: OutputArgs,

    #[command(flatten)]
    pub(super) judge: JudgeArgs,

    /// Compare pair by pair: runs that share a pair column, or that were made by turns
    #[arg(long, conflicts_with_all = ["noise", "history"])]
    pub(super) paired: bool,

    /// Which of several looks this is, as planned with `plan --looks`: 2/3
    #[arg(long, value_name = "K/OF", value_parser = look)]
    pub(super) look: Option<(usize, usize)>,
}

#[derive(Debug, clap::Args)]
pub(super) struct BatchArgs {
    #[command(flatten)]
    pub(super) input: InputArgs,

    /// Columns, or settings such as `model` and `max_concurrency`, whose values together name a cell; without
    /// it every workload is a cell
    #[arg(long, value_name = "COLUMNS", value_delimiter = ',')]
    pub(super) by: Vec<String>,

    /// Label of the baseline, or `previous` for the variant before in the order of --order-by
    #[arg(long, alias = "baseline", value_name = "NAME")]
    pub(super) base: Option<String>,

    /// Column or setting that puts the variants in order, for --base previous
    #[arg(long, value_name = "COLUMN")]
    pub(super) order_by: Option<String>,

    /// Show a line for every cell, not only for those that moved
    #[arg(long)]
    pub(super) all: bool,

    /// Form of the report; without it the ending of -o, or else text
    #[arg(long, value_enum)]
    pub(super) format: Option<Format>,

    /// A file whose ending is the form, or a folder that gets summary.md, index.html, results.csv,
    /// results.json and results.parquet
    #[arg(short, long, value_name = "PATH")]
    pub(super) output: Option<PathBuf>,

    /// Show every cell, all warnings, and the method
    #[arg(short, long, conflicts_with = "quiet")]
    pub(super) verbose: bool,

    /// Only the first line
    #[arg(short, long)]
    pub(super) quiet: bool,

    /// Colour the text
    #[arg(long, value_enum, default_value_t = Colour::Auto)]
    pub(super) color: Colour,

    #[command(flatten)]
    pub(super) judge: JudgeArgs,
}

#[derive(Debug, clap::Args)]
pub(super) struct ShowArgs {
    #[command(flatten)]
    pub(super) input: InputArgs,

    /// Form of the listing
    #[arg(long, value_enum, default_value_t = ShowFormat::Text)]
    pub(super) format: ShowFormat,

    /// Write to this file instead of standard output
    #[arg(short, long, value_name = "FILE")]
    pub(super) output: Option<PathBuf>,

    /// Show every metric of every run
    #[arg(short, long)]
    pub(super) verbose: bool,
}

#[derive(Debug, clap::Args)]
pub(super) struct ConvertArgs {
    #[command(flatten)]
    pub(super) input: InputArgs,

    /// File to write; its ending (csv, parquet, ndjson) is the format
    #[arg(short, long, value_name = "FILE")]
    pub(super) output: PathBuf,
}

/// What the report looks like and where it goes
#[derive(Debug, clap::Args)]
pub(super) struct OutputArgs {
    /// Form of the report; without it the ending of -o, or else text
    #[arg(long, value_enum)]
    pub(super) format: Option<Format>,

    /// Write to this file instead of standard output; may be repeated for several forms
    #[arg(short, long, value_name = "FILE")]
    pub(super) output: Vec<PathBuf>,

    /// Show all metrics, notes and the method
    #[arg(short, long, conflicts_with = "quiet")]
    pub(super) verbose: bool,

    /// One line per comparison
    #[arg(short, long)]
    pub(super) quiet: bool,

    /// Draw the intervals below the table, in text; a page of --format html has plots anyway
    #[arg(long, conflicts_with = "quiet")]
    pub(super) plot: bool,

    /// Colour the text
    #[arg(long, value_enum, default_value_t = Colour::Auto)]
    pub(super) color: Colour,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Format {
    /// For the terminal
    Text,
    /// For a pull request
    Markdown,
    /// A page with plots, in one file
    Html,
    /// The document beyondnoise/1
    Json,
    /// One line per metric
    Csv,
}

impl Format {
    /// Its name as typed.
    pub(super) fn name(self) -> String {
        self.to_possible_value().map_or_else(String::new, |value| value.get_name().to_owned())
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum ShowFormat {
    /// For the terminal
    Text,
    /// One document
    Json,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Colour {
    /// On a terminal that can, unless `NO_COLOR` is set
    Auto,
    /// Always
    Always,
    /// Never
    Never,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum UnitArg {
    /// A whole run: its process, server or start is new
    Run,
    /// An iteration of one process; what differs between processes is then not in the noise
    Iteration,
}

impl InputArgs {
    /// How the inputs are read: as the flags say, or else the policy file.
    pub(super) fn options(&self, file: &PolicyFile) -> Options {
        let columns = &file.columns;
        let or = |flag: &[String], file: &Option<String>| match flag {
            [] => file.iter().cloned().collect(),
            flag => flag.to_vec(),
        };
        Options {
            variant_column: or(&self.variant_column, &columns.variant),
            run_column: or(&self.run_column, &columns.run),
            pair_column: self.pair_column.clone().or_else(|| columns.pair.clone()),
            base: None,
            pool: self.pool.clone(),
            across_setting: self.across_setting.clone(),
            iterations: self.unit == Some(UnitArg::Iteration),
            metrics: self.metric.iter().map(|metric| metric.name.clone()).collect(),
            guards: file
                .guard
                .iter()
                .flatten()
                .map(|name| Metric::of_column(name).0.name)
                .collect(),
            by: Vec::new(),
            order_by: None,
            lenient: self.lenient,
        }
    }
}

impl InputArgs {
    /// The metrics named, each once; of several directions the last one counts.
    pub(super) fn selected(&self) -> Vec<Selected> {
        let mut selected: Vec<Selected> = Vec::new();
        for metric in &self.metric {
            let name = Metric::of_column(&metric.name).0.name;
            match selected.iter_mut().find(|known| known.name == name) {
                Some(known) => known.better = metric.better.or(known.better),
                None => selected.push(Selected { name, better: metric.better }),
            }
        }
        selected
    }
}

impl CompareArgs {
    /// The policy of the flags, over `usual`.
    pub(super) fn policy(&self, usual: Policy) -> Policy {
        let policy = self.judge.policy(usual, self.input.selected());
        let overall = policy.confidence;
        let level = |(number, of): (usize, usize)| looks(overall, of)[number - 1].level;
        Policy {
            // An early look may spend less than a confidence below 1 can say.
            confidence: self.look.map_or(overall, |look| (1.0 - level(look)).min(MOST_SURE)),
            look: self.look.map(|(number, of)| PlannedLook { number, of, overall }),
            paired: self.paired,
            ..policy
        }
    }
}

fn selected(text: &str) -> Result<Selected, String> {
    let (name, better) = match text.rsplit_once(':') {
        // `request_goodput:` is a key of old result files.
        None | Some((_, "")) => (text, None),
        Some((name, "lower")) => (name, Some(Better::Lower)),
        Some((name, "higher")) => (name, Some(Better::Higher)),
        Some((_, other)) => {
            return Err(format!("expected lower or higher after the colon, not {other}"));
        }
    };
    // As the names in a file are.
    let name = printable(name).into_owned();
    if name.is_empty() {
        return Err("expected the name of a metric".to_owned());
    }
    Ok(Selected { name, better })
}

/// Largest confidence of a planned look.
const MOST_SURE: f64 = 1.0 - 1e-9;

fn look(text: &str) -> Result<(usize, usize), &'static str> {
    let of = |text: &str| text.trim().parse::<usize>().ok();
    text.split_once('/')
        .and_then(|(number, all)| Some((of(number)?, of(all)?)))
        .filter(|(number, all)| (1..=*all).contains(number) && *all <= 10)
        .ok_or("expected a look and how many were planned, at most 10, such as 2/3")
}
