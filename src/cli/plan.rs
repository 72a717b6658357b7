//! `plan`: how many runs of each variant, and the order to make them in.

use beyondnoise::error::Error;
use beyondnoise::job::{parse_effect, parse_noise, parse_power, parse_prior_df};
use beyondnoise::plan::{Cost, Request};
use beyondnoise::policy::Settings;
use beyondnoise::render::json;
use beyondnoise_model::sanitize::printable;

use crate::cli::inputs::InputArgs;
use crate::cli::job::{Job, Outcome};
use crate::cli::output::{Format, OutputArgs, Outputs, show};
use crate::cli::settings::{Named, SettingFlags};

/// Common calls, below the help.
const EXAMPLES: &str = "\
Examples:
  beyondnoise plan --effect 3% --cv 1.6%              # before the first run
  beyondnoise plan --effect 2% runs/main --cost 7min  # with the noise of these runs
  beyondnoise plan --runs 5 runs/main                 # which change 5 runs of each find";

#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
#[command(mut_arg("inputs", |arg| arg.required(false).help(
    "Repeated runs of one build or more, to take the noise from: files, folders, globs or -"
)))]
#[command(mut_arg("metric", |arg| arg.help(
    "Plan for this metric, not for those that decide a comparison; may be repeated"
)))]
pub(super) struct PlanArgs {
    #[command(flatten)]
    input: InputArgs,

    /// Change to find, in percent of the baseline, such as 3%; may be repeated or a list 2%,3%,5%
    #[arg(long, value_name = "PERCENT", value_delimiter = ',', allow_hyphen_values = true, value_parser = parse_effect)]
    effect: Vec<f64>,

    /// Run-to-run noise to plan with, as a CV in percent, where no runs are given
    #[arg(long, value_name = "PERCENT", value_parser = parse_noise)]
    cv: Option<f64>,

    /// Runs of each variant that you can make: the changes that they find
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=100_000))]
    runs: Option<u32>,

    /// Probability of finding the change, as a fraction (0.8) or a percentage (80%)
    #[arg(long, default_value = "80%", value_parser = parse_power)]
    power: f64,

    #[command(flatten)]
    settings: SettingFlags<Self>,

    /// Planned looks at the runs made so far; a comparison may stop at each
    #[arg(long, value_name = "K", default_value_t = 1, value_parser = clap::value_parser!(u8).range(1..=10))]
    looks: u8,

    /// Cost of one run, such as 7min, 0.5h or 12USD
    #[arg(long, value_name = "COST", value_parser = cost)]
    cost: Option<Cost>,

    /// Degrees of freedom of a noise prior from other runs, added to 2 (runs - 1)
    #[arg(long, value_name = "DF", default_value_t = 0.0, value_parser = parse_prior_df)]
    prior_df: f64,

    #[command(flatten)]
    output: OutputArgs<Self>,
}

impl Named for PlanArgs {
    const NAME: &'static str = "plan";
}

impl Outputs for PlanArgs {
    const FORMATS: &'static [Format] =
        &[Format::Text, Format::Markdown, Format::Html, Format::Json];
    const FLAGS: &'static [&'static str] = &["verbose", "quiet", "color"];
}

pub(super) fn run(args: &PlanArgs) -> Result<Outcome, Error> {
    args.output.check_beside(&args.input.inputs)?;
    let flags = args.settings.given();
    let job = Job::new(&args.input, &args.output.files, flags, Settings::default())?;
    let report = job.plan(args.request(), args.cv, &job)?;
    args.output.write(|format, options| match format {
        Format::Json => json(&report).into(),
        _ => show(&report, format, options),
    })?;
    Ok(Outcome::Clean)
}

impl PlanArgs {
    fn request(&self) -> Request {
        Request {
            effects: self.effect.clone(),
            runs: self.runs.map(|runs| runs as usize),
            power: self.power,
            looks: self.looks.into(),
            cost: self.cost.clone(),
            prior_df: self.prior_df,
            ..Request::default()
        }
    }
}

fn cost(text: &str) -> Result<Cost, &'static str> {
    printable(text).parse()
}
