//! `calibrate`: error rates of the intervals on the user's own runs.

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};

use beyondnoise::calibrate::{Design, OwnSettings, Procedure, own_runs};
use beyondnoise::error::Error;
use beyondnoise::job::Source;
use beyondnoise::policy::{METHODS, Policy, Settings, parse_across, parse_method};
use beyondnoise::render::{calibrate_csv, json};
use beyondnoise::report::calibrate::own_runs_document;
use beyondnoise::stats::{Across, Method};

use crate::cli::inputs::InputArgs;
use crate::cli::job::{Job, Outcome};
use crate::cli::output::{Format, OutputArgs, Outputs, show};
use crate::cli::progress;
use crate::cli::settings::{Named, SettingFlags};

/// Common calls, below the help.
const EXAMPLES: &str = "\
Examples:
  beyondnoise calibrate runs/main  # 6 runs of one build or more
  beyondnoise calibrate runs/main --runs 3,5 --effect 5%";

#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
#[command(mut_arg("inputs", |arg| arg.help(
    "Repeated runs of one build or more, to split at random: files, folders, globs or -"
)))]
#[command(mut_arg("pair-column", |arg| arg.hide(true)))]
#[command(mut_arg("metric", |arg| arg.help(
    "Split the runs of this metric, not of those that decide a comparison; may be repeated"
)))]
#[command(mut_arg("verbose", |arg| arg.help("Also show every group of runs")))]
pub(in crate::cli) struct CalibrateArgs {
    #[command(flatten)]
    input: InputArgs,

    /// How intervals are made; several with commas [default: that of the policy, calibrated]
    #[arg(long, value_parser = method(), value_delimiter = ',')]
    method: Vec<Method>,

    /// Statistic over the runs of a variant; several with commas [default: that of the policy, mean]
    #[arg(long, value_parser = across(), value_delimiter = ',', value_name = "STATISTIC")]
    across: Vec<Across>,

    /// Runs of the two halves, such as 3,5,3v10 [default: 3, 5 and 10, as far as there are runs]
    #[arg(long, value_delimiter = ',', value_name = "RUNS")]
    runs: Vec<Design>,

    /// Slow-downs whose detection is counted, such as 2%,5% [default: 1%,2%,3%,5%]
    #[arg(long, value_delimiter = ',', value_name = "PERCENT", allow_hyphen_values = true, value_parser = effect)]
    effect: Vec<f64>,

    /// Splits of each group of runs
    #[arg(long, value_name = "N", default_value_t = 1_000, value_parser = clap::value_parser!(u64).range(10..=100_000_000))]
    repetitions: u64,

    #[command(flatten)]
    settings: SettingFlags<Self>,

    /// Resamples drawn where there are too many to enumerate (beyond 6 + 6 runs)
    #[arg(long, default_value_t = 2_000, value_parser = clap::value_parser!(u32).range(100..=10_000_000))]
    resamples: u32,

    #[command(flatten)]
    output: OutputArgs<Self>,
}

impl Named for CalibrateArgs {
    const NAME: &'static str = "calibrate";
}

impl Outputs for CalibrateArgs {
    const FORMATS: &'static [Format] =
        &[Format::Text, Format::Markdown, Format::Html, Format::Json, Format::Csv];
    const FLAGS: &'static [&'static str] = &["verbose"];
    const SEVERAL: bool = true;
}

pub(super) fn run(args: &CalibrateArgs) -> Result<Outcome, Error> {
    args.output.check_beside(&args.input.inputs)?;
    let flags = args.settings.given();
    let job = Job::new(&args.input, &args.output.files, flags, Settings::default())?;
    let loaded = job.load(&job.options_of_repeats())?;
    let policy = job.policy_of(&loaded);
    let settings = args.settings_under(&policy);
    let progress = progress::count(0);
    let (all, done) = (|all| progress.set_length(all), |n| progress.inc(n));
    let found = own_runs(&loaded.dataset, &policy, &settings, (&all, &done))?;
    progress.finish_and_clear();
    let report = own_runs_document(&settings, found);
    args.output.write(|format, options| match format {
        Format::Json => json(&report).into(),
        Format::Csv => calibrate_csv(&report).into(),
        _ => show(&report, format, options),
    })?;
    Ok(Outcome::Clean)
}

impl CalibrateArgs {
    fn settings_under(&self, policy: &Policy) -> OwnSettings {
        let of_policy = ([policy.method], [policy.across]);
        let methods = if self.method.is_empty() { &of_policy.0[..] } else { &self.method };
        let across = if self.across.is_empty() { &of_policy.1[..] } else { &self.across };
        let usual = &[0.01, 0.02, 0.03, 0.05][..];
        OwnSettings {
            procedures: Procedure::all_of(methods, across),
            designs: once(&self.runs),
            effects: once(if self.effect.is_empty() { usual } else { &self.effect }),
            repetitions: self.repetitions,
            confidence: policy.confidence,
            resamples: usize::try_from(self.resamples).unwrap_or(usize::MAX),
            seed: policy.resampling.seed,
        }
    }
}

/// Each value once, in the order of its first.
fn once<T: PartialEq + Clone>(values: &[T]) -> Vec<T> {
    let mut kept: Vec<T> = Vec::new();
    for value in values {
        if !kept.contains(value) {
            kept.push(value.clone());
        }
    }
    kept
}

/// Reads a change with its unit.
fn effect(text: &str) -> Result<f64, &'static str> {
    let number =
        text.trim().strip_suffix('%').and_then(|digits| digits.trim_end().parse::<f64>().ok());
    number
        .map(|percent| percent / 100.0)
        .filter(|value| *value > -1.0 && *value <= 10.0 && *value != 0.0)
        .ok_or("expected a change with its unit, above -100% and up to 1000%, such as 5% or -3%")
}

/// Reads one of the methods.
fn method() -> impl TypedValueParser<Value = Method> {
    let values = METHODS.iter().map(|(word, meaning)| PossibleValue::new(*word).help(*meaning));
    PossibleValuesParser::new(values).try_map(|word| parse_method(&word))
}

/// Reads one of the statistics that have a name.
fn across() -> impl TypedValueParser<Value = Across> {
    let named =
        |(across, meaning): (Across, &'static str)| PossibleValue::new(across.word()).help(meaning);
    PossibleValuesParser::new(Across::named().map(named)).try_map(|word| parse_across(&word))
}
