//! Flags as typed: names, ranges, help.

use std::path::PathBuf;

use clap::{Parser, Subcommand, ValueEnum};

use crate::cli::calibrate::CalibrateArgs;
use crate::cli::formats::FormatsArgs;
use crate::cli::history::HistoryCommand;
use crate::cli::noise::NoiseArgs;
use crate::cli::plan::PlanArgs;
use beyondnoise::metrics::Metric;
use beyondnoise::policy::{NoiseFrom, PlannedLook, Policy, Selected};
use beyondnoise::read::Options;
use beyondnoise::stats::{Across, Method, Resampling, looks};
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
}

/// Where the runs come from; the same for every command
#[derive(Debug, clap::Args)]
pub(super) struct InputArgs {
    /// Files, folders, globs or - for standard input; NAME=PATH gives all runs in PATH to NAME
    #[arg(required = true, value_name = "INPUT")]
    pub(super) inputs: Vec<String>,

    /// Column of a table that names the variant
    #[arg(long, value_name = "COLUMN")]
    pub(super) variant_column: Option<String>,

    /// Column of a table that names the run
    #[arg(long, value_name = "COLUMN")]
    pub(super) run_column: Option<String>,

    /// Column of a table that names the pair of a run, for --paired
    #[arg(long, value_name = "COLUMN")]
    pub(super) pair_column: Option<String>,

    /// Judge this metric only, optionally with its direction; may be repeated
    #[arg(long, value_name = "NAME[:lower|:higher]", value_parser = selected)]
    pub(super) metric: Vec<Selected>,

    /// Go on without what cannot be read, and say so in the report
    #[arg(long)]
    pub(super) lenient: bool,
}

#[derive(Debug, clap::Args)]
pub(super) struct CompareArgs {
    #[command(flatten)]
    pub(super) input: InputArgs,

    /// Label of the baseline; without it the label that says so (main, before, baseline, 优化前, ...)
    #[arg(long, value_name = "NAME")]
    pub(super) base: Option<String>,

    #[command(flatten)]
    pub(super) output: OutputArgs,

    /// Coverage of the intervals, as a fraction (0.95) or a percentage (95%)
    #[arg(long, default_value = "0.95", value_parser = confidence)]
    pub(super) confidence: f64,

    /// How intervals are made
    #[arg(long, value_enum, default_value_t = MethodArg::Calibrated)]
    pub(super) method: MethodArg,

    /// Statistic over the runs of a variant: mean, median, hodges-lehmann or a quantile such as p99
    #[arg(long, default_value = "mean", value_name = "STATISTIC", value_parser = across)]
    pub(super) across: Across,

    /// Resamples drawn where there are too many to enumerate (beyond 6 + 6 runs)
    #[arg(long, default_value_t = 10_000, value_parser = clap::value_parser!(u32).range(100..=10_000_000))]
    pub(super) resamples: u32,

    /// Seed of the resamples
    #[arg(long, default_value_t = 0)]
    pub(super) seed: u64,

    /// Where the noise may come from beside the runs themselves
    #[arg(long, value_enum, default_value_t = NoiseArg::Auto)]
    pub(super) noise: NoiseArg,

    /// Earlier runs whose noise steadies that of these: a folder that `history add` fills
    #[arg(long, value_name = "DIR")]
    pub(super) history: Option<String>,

    /// Compare pair by pair: runs that share a pair column, or that were made by turns
    #[arg(long, conflicts_with_all = ["noise", "history"])]
    pub(super) paired: bool,

    /// Which of several looks this is, as planned with `plan --looks`: 2/3
    #[arg(long, value_name = "K/OF", value_parser = look)]
    pub(super) look: Option<(usize, usize)>,

    /// Exit with 1 if a deciding metric is worse beyond the tolerance, 3 if there is no verdict
    #[arg(long)]
    pub(super) gate: bool,

    /// How much worse the gate lets a metric be, in percent of the baseline
    #[arg(long, default_value = "2%", value_name = "PERCENT", value_parser = percentage)]
    pub(super) tolerance: f64,
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

    /// Write to this file instead of standard output
    #[arg(short, long, value_name = "FILE")]
    pub(super) output: Option<PathBuf>,

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
pub(super) enum MethodArg {
    /// Run-level bootstrap that covers its level from 3 runs on
    Calibrated,
    /// Plain percentile bootstrap, too narrow with few runs
    Percentile,
    /// Bias-corrected and accelerated bootstrap, too narrow with few runs
    Bca,
    /// Welch's t interval
    Welch,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum NoiseArg {
    /// Also the history, or the other comparisons of the job from three on
    Auto,
    /// Single runs too borrow from the other comparisons of the job
    Batch,
    /// Only the runs compared
    Own,
    /// Single runs: the other variants, most of which are taken to change nothing
    Variants,
}

impl InputArgs {
    pub(super) fn options(&self) -> Options {
        Options {
            variant_column: self.variant_column.clone(),
            run_column: self.run_column.clone(),
            pair_column: self.pair_column.clone(),
            metrics: self.metric.iter().map(|metric| metric.name.clone()).collect(),
            lenient: self.lenient,
        }
    }
}

impl InputArgs {
    /// The metrics named, each once; of several directions the last one counts.
    pub(super) fn selected(&self) -> Vec<Selected> {
        let mut selected: Vec<Selected> = Vec::new();
        for metric in &self.metric {
            let name = Metric::named(&metric.name).name;
            match selected.iter_mut().find(|known| known.name == name) {
                Some(known) => known.better = metric.better.or(known.better),
                None => selected.push(Selected { name, better: metric.better }),
            }
        }
        selected
    }
}

impl CompareArgs {
    pub(super) fn policy(&self) -> Policy {
        let level = |(number, of): (usize, usize)| looks(self.confidence, of)[number - 1].level;
        Policy {
            // An early look may spend less than a confidence below 1 can say.
            confidence: self
                .look
                .map_or(self.confidence, |look| (1.0 - level(look)).min(MOST_SURE)),
            look: self.look.map(|(number, of)| PlannedLook {
                number,
                of,
                overall: self.confidence,
            }),
            noise: match self.noise {
                NoiseArg::Auto => NoiseFrom::Auto,
                NoiseArg::Batch => NoiseFrom::Batch,
                NoiseArg::Own => NoiseFrom::Own,
                NoiseArg::Variants => NoiseFrom::Variants,
            },
            paired: self.paired,
            method: match self.method {
                MethodArg::Calibrated => Method::Calibrated,
                MethodArg::Percentile => Method::Percentile,
                MethodArg::Bca => Method::Bca,
                MethodArg::Welch => Method::Welch,
            },
            resampling: Resampling {
                count: usize::try_from(self.resamples).unwrap_or(usize::MAX),
                seed: self.seed,
            },
            across: self.across,
            tolerance: self.tolerance,
            selected: self.input.selected(),
            ..Policy::default()
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
    if name.is_empty() {
        return Err("expected the name of a metric".to_owned());
    }
    Ok(Selected { name: name.to_owned(), better })
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

fn fraction(text: &str) -> Option<f64> {
    match text.trim().strip_suffix('%') {
        Some(percent) => percent.trim().parse::<f64>().ok().map(|value| value / 100.0),
        None => text.trim().parse().ok(),
    }
}

pub(super) fn confidence(text: &str) -> Result<f64, &'static str> {
    let value = fraction(text).map(|value| if value > 1.0 { value / 100.0 } else { value });
    value
        .filter(|value| (0.6..=0.9999).contains(value))
        .ok_or("expected a confidence from 0.6 to 0.9999, or 60% to 99.99%")
}

pub(super) fn percentage(text: &str) -> Result<f64, &'static str> {
    let number = text.trim().trim_end_matches('%').trim_end().parse::<f64>().ok();
    let bare = !text.trim().ends_with('%');
    if number.is_some_and(|value| bare && value > 0.0 && value < 1.0) {
        return Err("expected a percentage with its sign: 0.05 could mean 5% or 0.05%");
    }
    number
        .filter(|value| value.is_finite() && *value >= 0.0)
        .map(|value| value / 100.0)
        .ok_or("expected a percentage of 0 or more, such as 2%")
}

fn across(text: &str) -> Result<Across, &'static str> {
    match text {
        "mean" => Ok(Across::Mean),
        "median" | "p50" => Ok(Across::Median),
        "hodges-lehmann" | "hl" => Ok(Across::HodgesLehmann),
        other => other
            .strip_prefix('p')
            .and_then(|digits| digits.parse::<f64>().ok())
            .filter(|percent| *percent > 0.0 && *percent < 100.0)
            .map(|percent| Across::Quantile(percent / 100.0))
            .ok_or("expected mean, median, hodges-lehmann or a quantile such as p99"),
    }
}
