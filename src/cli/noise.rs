//! `noise`: how much repeated runs of one build differ, and what that hides.

use std::path::{Path, PathBuf};

use clap::ValueEnum;

use beyondnoise::error::Error;
use beyondnoise::noise::{NoiseReport, noise};
use beyondnoise::policy::Policy;
use beyondnoise::report::{TextOptions, noise_json, noise_markdown, noise_text};
use beyondnoise::stats::Resampling;

use crate::cli::Outcome;
use crate::cli::args::{Colour, InputArgs, confidence};
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

    /// Coverage of the intervals, as a fraction (0.95) or a percentage (95%)
    #[arg(long, default_value = "0.95", value_parser = confidence)]
    confidence: f64,

    /// Seed of what is drawn
    #[arg(long, default_value_t = 0)]
    seed: u64,
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
    let format = format_of(args)?;
    let file = args.output.as_deref();
    output::guard(&args.input.inputs, file)?;
    let loaded = reading::load(&args.input, args.quiet)?;
    let report = noise(&loaded.dataset, &policy(args))?;
    output::write(render(&report, format, args).as_bytes(), file)?;
    Ok(Outcome::Clean)
}

fn policy(args: &NoiseArgs) -> Policy {
    Policy {
        confidence: args.confidence,
        resampling: Resampling { seed: args.seed, ..Resampling::default() },
        selected: args.input.selected(),
        ..Policy::default()
    }
}

/// The format asked for, or the one of the file's ending.
fn format_of(args: &NoiseArgs) -> Result<NoiseFormat, Error> {
    if let Some(format) = args.format {
        return Ok(format);
    }
    let ending = args.output.as_deref().and_then(Path::extension);
    let ending = ending.map_or_else(String::new, |ending| ending.to_string_lossy().to_lowercase());
    match ending.as_str() {
        "md" | "markdown" => Ok(NoiseFormat::Markdown),
        "json" => Ok(NoiseFormat::Json),
        "txt" | "" => Ok(NoiseFormat::Text),
        other => Err(Error::usage(
            format!("expected a report ending in md, json or txt, found .{other}"),
            "give another ending to -o, or the form with --format",
        )),
    }
}

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
            },
        ),
        NoiseFormat::Markdown => noise_markdown(report),
        NoiseFormat::Json => noise_json(report),
    }
}
