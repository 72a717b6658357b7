//! The flags of `calibrate`, and the study that they describe.

use std::path::PathBuf;

use clap::ValueEnum;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};

use beyondnoise::calibrate::{Design, Procedure, Shape};
use beyondnoise::error::Error;
use beyondnoise::policy::{METHODS, parse_confidence, parse_method};
use beyondnoise::stats::{Across, Method};

use crate::cli::inputs::InputArgs;
use crate::cli::output::{Format, OutputArgs, Outputs};

#[derive(Debug, clap::Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of its own")]
#[command(mut_arg("inputs", |arg| arg.required(false).help(
    "Repeated runs of one build or more, to split at random: files, folders, globs or -; without them the runs are simulated"
)))]
#[command(mut_arg("variant-column", |arg| arg.requires("inputs")))]
#[command(mut_arg("run-column", |arg| arg.requires("inputs")))]
#[command(mut_arg("pair-column", |arg| arg.requires("inputs").hide(true)))]
#[command(mut_arg("lenient", |arg| arg.requires("inputs")))]
#[command(mut_arg("metric", |arg| arg.requires("inputs").help(
    "Split the runs of this metric, not of those that decide a comparison; may be repeated"
)))]
#[command(mut_arg("verbose", |arg| arg.help("Also show the shapes of noise, or every group of runs")))]
pub(in crate::cli) struct CalibrateArgs {
    #[command(flatten)]
    pub(super) input: InputArgs,

    /// How intervals are made; several with commas [default: calibrated]
    #[arg(long, value_parser = method(), value_delimiter = ',', conflicts_with = "borrowed")]
    pub(super) method: Vec<Method>,

    /// Statistic over the runs of a variant; several with commas [default: mean]
    #[arg(
        long,
        value_enum,
        value_delimiter = ',',
        value_name = "STATISTIC",
        conflicts_with = "borrowed"
    )]
    pub(super) across: Vec<AcrossArg>,

    /// Shapes of noise, such as normal-2,spikes; reference: the eight that must keep the bands [default: all]
    #[arg(long, value_delimiter = ',', value_name = "SHAPE", conflicts_with_all = ["inputs", "borrowed"])]
    pub(super) shape: Vec<String>,

    /// Runs of each variant, such as 3,5,3v10 [default: 2 to 40, 3v10 and 5v20]
    #[arg(long, value_delimiter = ',', value_name = "RUNS")]
    pub(super) runs: Vec<Design>,

    /// Changes whose detection is counted, such as 2%,5% [default: 5%; of own runs 1%,2%,3%,5%]
    #[arg(long, value_delimiter = ',', value_name = "PERCENT", allow_hyphen_values = true, value_parser = effect)]
    pub(super) effect: Vec<f64>,

    /// Comparisons a cell, or splits of each group of runs [default: 1000; borrowed: 20000]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(10..=100_000_000))]
    pub(super) repetitions: Option<u64>,

    /// Nominal coverage of the intervals, as a fraction (0.95) or a percentage (95%)
    #[arg(long, default_value = "0.95", value_parser = parse_confidence)]
    pub(super) confidence: f64,

    /// Resamples drawn where there are too many to enumerate (beyond 6 + 6 runs)
    #[arg(long, default_value_t = 2_000, value_parser = clap::value_parser!(u32).range(100..=10_000_000))]
    pub(super) resamples: u32,

    /// Seed of the simulated runs, the splits and the resamples
    #[arg(long, default_value_t = 0)]
    pub(super) seed: u64,

    /// Simulate a noise prior from the other comparisons of the same inputs
    #[arg(long, conflicts_with = "inputs")]
    pub(super) borrowed: bool,

    /// Simulate how often the checks warn, where nothing is wrong and where something is
    #[arg(long, conflicts_with_all = ["inputs", "borrowed", "method", "across", "shape", "effect", "plot"])]
    pub(super) warnings: bool,

    /// The whole study: every method, statistic, shape and number of runs, 20,000 comparisons a cell
    #[arg(long, conflicts_with = "inputs")]
    pub(super) study: bool,

    /// Exit with 1 if a simulated figure is outside its band: of the methods named, or of the default
    #[arg(long, conflicts_with = "inputs")]
    pub(super) check: bool,

    /// Draw the coverage against the number of runs into this SVG file
    #[arg(long, value_name = "FILE", conflicts_with_all = ["inputs", "borrowed"])]
    pub(super) plot: Option<PathBuf>,

    #[command(flatten)]
    pub(super) output: OutputArgs<Self>,
}

impl Outputs for CalibrateArgs {
    const FORMATS: &'static [Format] =
        &[Format::Text, Format::Markdown, Format::Html, Format::Json, Format::Csv];
    const FLAGS: &'static [&'static str] = &["verbose"];
    const SEVERAL: bool = true;
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum AcrossArg {
    /// Arithmetic mean
    Mean,
    /// Median
    Median,
    /// Hodges and Lehmann's centre, with the interval of the rank sum test
    HodgesLehmann,
}

/// Runs of each variant that are simulated: all of the same number, and two of different ones.
const DESIGNS: [&str; 10] = ["2", "3", "4", "5", "8", "12", "20", "40", "3v10", "5v20"];

pub(super) fn procedures(args: &CalibrateArgs) -> Vec<Procedure> {
    if args.study && args.method.is_empty() && args.across.is_empty() {
        // Of the robust centres only what the other commands use.
        let methods = [Method::Calibrated, Method::Percentile, Method::Bca, Method::Welch];
        let mut all = Procedure::all_of(&methods, &[Across::Mean]);
        let robust = [Across::Median, Across::HodgesLehmann];
        all.extend(Procedure::all_of(&[Method::Calibrated], &robust));
        return all;
    }
    named(args)
}

/// The methods and statistics named, or the default: only these are compared with the bands.
pub(super) fn named(args: &CalibrateArgs) -> Vec<Procedure> {
    let across: Vec<Across> = args
        .across
        .iter()
        .map(|across| match across {
            AcrossArg::Mean => Across::Mean,
            AcrossArg::Median => Across::Median,
            AcrossArg::HodgesLehmann => Across::HodgesLehmann,
        })
        .collect();
    Procedure::all_of(
        if args.method.is_empty() { &[Method::Calibrated] } else { &args.method },
        if across.is_empty() { &[Across::Mean] } else { &across },
    )
}

pub(super) fn shapes(args: &CalibrateArgs) -> Result<Vec<&'static Shape>, Error> {
    let mut shapes: Vec<&'static Shape> = Vec::new();
    for name in &args.shape {
        match name.as_str() {
            "all" => shapes.extend(Shape::all()),
            "reference" => shapes.extend(Shape::all().iter().filter(|shape| shape.reference)),
            name => shapes.push(Shape::named(name).ok_or_else(|| no_such_shape(name))?),
        }
    }
    if shapes.is_empty() {
        shapes.extend(Shape::all());
    }
    let wanted = |shape: &&Shape| shapes.iter().any(|other| other.key == shape.key);
    Ok(Shape::all().iter().filter(wanted).collect())
}

fn no_such_shape(name: &str) -> Error {
    let known: Vec<&str> = Shape::all().iter().map(|shape| shape.key).collect();
    Error::usage(
        format!("expected a shape of noise, found {name}"),
        format!("give one of {}, or reference or all", known.join(", ")),
    )
}

pub(super) fn designs(args: &CalibrateArgs) -> Result<Vec<Design>, Error> {
    if let Some(single) = args.runs.iter().find(|design| design.fewest() < 2) {
        return Err(Error::usage(
            format!(
                "expected --runs of 2 or more, found {single}: one run has no noise of its own"
            ),
            "ask for more runs, or for a noise prior with --borrowed",
        ));
    }
    if args.runs.is_empty() {
        let design = |text: &&str| text.parse().expect("a design of this file");
        return Ok(DESIGNS.iter().map(design).collect());
    }
    Ok(once(args.runs.clone()))
}

pub(super) fn effects(args: &CalibrateArgs, usual: &[f64]) -> Vec<f64> {
    if args.effect.is_empty() { usual.to_vec() } else { once(args.effect.clone()) }
}

pub(super) fn resamples(args: &CalibrateArgs) -> usize {
    usize::try_from(args.resamples).unwrap_or(usize::MAX)
}

/// Each value once, in the order of its first.
pub(super) fn once<T: PartialEq + Clone>(values: Vec<T>) -> Vec<T> {
    let mut kept: Vec<T> = Vec::new();
    for value in values {
        if !kept.contains(&value) {
            kept.push(value);
        }
    }
    kept
}

pub(super) fn effect(text: &str) -> Result<f64, &'static str> {
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
