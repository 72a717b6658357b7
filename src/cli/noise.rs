//! `noise`: how much repeated runs of one build differ, and what that hides.

use std::path::{Path, PathBuf};

use clap::ValueEnum;

use beyondnoise::error::Error;
use beyondnoise::noise::{NoiseReport, noise};
use beyondnoise::policy::{Policy, parse_confidence};
use beyondnoise::report::{TextOptions, noise_json, noise_markdown, noise_text};
use beyondnoise::stats::Resampling;

use crate::cli::Outcome;
use crate::cli::args::{Colour, InputArgs};
use crate::cli::output;
use crate::cli::reading;

#[derive(Debug, clap::Args)]
#[command(mut_arg("metric", |arg| arg.help(
    "Look at this metric only, optionally with its direction; may be repeated"
)))]
#[command(mut_arg("pair_column", |arg| arg.hide(true)))]
pub(super) struct NoiseArgs {
    #[command(flatten)]
    input: InputArgs,

    /// Form of the report; without it the ending of -o, or else text
    #[arg(long, value_enum)]
    format: Option<NoiseFormat>,

    /// Write to this file instead of standard output
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,

    /// Show all metrics, notes and builds
    #[arg(short, long, conflicts_with = "quiet")]
    verbose: bool,

    /// One line per build
    #[arg(short, long)]
    quiet: bool,

    /// Colour the text
    #[arg(long, value_enum, default_value_t = Colour::Auto)]
    color: Colour,

    /// Coverage of the intervals, as a fraction (0.95) or a percentage (95%) [default: 0.95]
    #[arg(long, value_parser = parse_confidence)]
    confidence: Option<f64>,

    /// Seed of what is drawn [default: 0]
    #[arg(long)]
    seed: Option<u64>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum NoiseFormat {
    /// For the terminal
    Text,
    /// For an issue or a pull request
    Markdown,
    /// The document beyondnoise-noise/1
    Json,
}

pub(super) fn run(args: &NoiseArgs) -> Result<Outcome, Error> {
    let file = args.output.as_deref();
    let format = output::form(args.format, file, &ENDINGS)?;
    let outputs: Vec<&Path> = file.into_iter().collect();
    output::guard(&args.input, &outputs)?;
    let settings = args.input.config.settings()?;
    let policy = policy(args, settings.policy()?);
    let options = args.input.options(&settings.file);
    let loaded = reading::load(&args.input, &options, &outputs, args.quiet)?;
    let report = noise(&loaded.dataset, &policy)?;
    output::write(render(&report, format, args).as_bytes(), file)?;
    Ok(Outcome::Clean)
}

/// The policy of the flags, over `usual`.
fn policy(args: &NoiseArgs, usual: Policy) -> Policy {
    let seed = args.seed.unwrap_or(usual.resampling.seed);
    Policy {
        confidence: args.confidence.unwrap_or(usual.confidence),
        resampling: Resampling { seed, ..usual.resampling },
        selected: args.input.selected(),
        ..usual
    }
}

/// Endings of the files of each form.
const ENDINGS: [(&[&str], NoiseFormat); 3] = [
    (&["md", "markdown"], NoiseFormat::Markdown),
    (&["json"], NoiseFormat::Json),
    (&["txt", ""], NoiseFormat::Text),
];

fn render(report: &NoiseReport, format: NoiseFormat, args: &NoiseArgs) -> String {
    let to_file = args.output.is_some();
    match format {
        NoiseFormat::Text => noise_text(
            report,
            TextOptions {
                width: output::width(to_file),
                colour: output::coloured(args.color, to_file),
                verbose: args.verbose,
                quiet: args.quiet,
                plot: false,
            },
        ),
        NoiseFormat::Markdown => noise_markdown(report),
        NoiseFormat::Json => noise_json(report),
    }
}
