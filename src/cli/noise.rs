//! `noise`: how much repeated runs of one build differ, and the smallest change that they can show.

use beyondnoise::error::Error;
use beyondnoise::job::Source;
use beyondnoise::noise::noise;
use beyondnoise::policy::Settings;
use beyondnoise::render::json;

use crate::cli::inputs::InputArgs;
use crate::cli::job::{Job, Outcome};
use crate::cli::output::{Format, OutputArgs, Outputs, show};
use crate::cli::settings::{Named, SettingFlags};

/// Common calls, below the help.
const EXAMPLES: &str = "\
Examples:
  beyondnoise noise runs/main  # repeated runs of one build
  beyondnoise noise runs/main --metric p99_ttft_ms";

#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
#[command(mut_arg("metric", |arg| arg.help(
    "Look at this metric only, optionally with its direction; may be repeated"
)))]
#[command(mut_arg("pair-column", |arg| arg.hide(true)))]
#[command(mut_arg("verbose", |arg| arg.help("Show all metrics, notes and builds")))]
#[command(mut_arg("quiet", |arg| arg.help("Print one line per build")))]
pub(super) struct NoiseArgs {
    #[command(flatten)]
    input: InputArgs,

    #[command(flatten)]
    output: OutputArgs<Self>,

    #[command(flatten)]
    settings: SettingFlags<Self>,
}

impl Named for NoiseArgs {
    const NAME: &'static str = "noise";
}

impl Outputs for NoiseArgs {
    const FORMATS: &'static [Format] =
        &[Format::Text, Format::Markdown, Format::Html, Format::Json];
    const FLAGS: &'static [&'static str] = &["verbose", "quiet", "color"];
}

pub(super) fn run(args: &NoiseArgs) -> Result<Outcome, Error> {
    args.output.check_beside(&args.input.inputs)?;
    let flags = args.settings.given();
    let job = Job::new(&args.input, &args.output.files, flags, Settings::default())?
        .quiet(args.output.quiet);
    let loaded = job.load(&job.options_of_repeats())?;
    let report = noise(&loaded.dataset, &job.policy_of(&loaded))?;
    args.output.write(|format, options| match format {
        Format::Json => json(&report).into(),
        _ => show(&report, format, options),
    })?;
    Ok(Outcome::Clean)
}
