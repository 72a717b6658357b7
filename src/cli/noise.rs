//! `noise`: how much repeated runs of one build differ, and what that hides.

use beyondnoise::error::Error;
use beyondnoise::noise::noise;
use beyondnoise::policy::{Policy, parse_confidence};
use beyondnoise::render::json;
use beyondnoise::stats::Resampling;

use crate::cli::inputs::InputArgs;
use crate::cli::output::{Format, OutputArgs, Outputs, show};
use crate::cli::run::{Job, Outcome};

#[derive(Debug, clap::Args)]
#[command(mut_arg("metric", |arg| arg.help(
    "Look at this metric only, optionally with its direction; may be repeated"
)))]
#[command(mut_arg("pair_column", |arg| arg.hide(true)))]
#[command(mut_arg("verbose", |arg| arg.help("Show all metrics, notes and builds")))]
#[command(mut_arg("quiet", |arg| arg.help("Print one line per build")))]
pub(super) struct NoiseArgs {
    #[command(flatten)]
    input: InputArgs,

    #[command(flatten)]
    output: OutputArgs<Self>,

    /// Coverage of the intervals, as a fraction (0.95) or a percentage (95%) [default: 0.95]
    #[arg(long, value_parser = parse_confidence)]
    confidence: Option<f64>,

    /// Seed of the random numbers [default: 0]
    #[arg(long)]
    seed: Option<u64>,
}

impl Outputs for NoiseArgs {
    const FORMATS: &'static [Format] =
        &[Format::Text, Format::Markdown, Format::Html, Format::Json];
    const FLAGS: &'static [&'static str] = &["verbose", "quiet", "color"];
}

pub(super) fn run(args: &NoiseArgs) -> Result<Outcome, Error> {
    args.output.check()?;
    let job = Job::new(&args.input, &args.output.files)?;
    let policy = policy(args, job.settings.policy()?);
    let dataset = job.load(&job.options(), args.output.quiet)?.dataset;
    let report = noise(&dataset, &policy)?;
    args.output.write(|format, options| match format {
        Format::Json => json(&report),
        _ => show(&report, format, options),
    })?;
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
