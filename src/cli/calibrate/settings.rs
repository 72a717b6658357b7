//! What the flags of `calibrate` mean.

use beyondnoise::calibrate::{Design, Procedure, Shape};
use beyondnoise::error::Error;
use beyondnoise::stats::{Across, Method};

use crate::cli::calibrate::{AcrossArg, CalibrateArgs};
use crate::cli::judge::MethodArg;

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

/// The methods and statistics named, or the default: what is held against the bands, without what the whole study
/// shows for comparison.
pub(super) fn named(args: &CalibrateArgs) -> Vec<Procedure> {
    let methods: Vec<Method> = args
        .method
        .iter()
        .map(|method| match method {
            MethodArg::Calibrated => Method::Calibrated,
            MethodArg::Percentile => Method::Percentile,
            MethodArg::Bca => Method::Bca,
            MethodArg::Welch => Method::Welch,
        })
        .collect();
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
        if methods.is_empty() { &[Method::Calibrated] } else { &methods },
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
            "ask for more runs, or for borrowed noise with --borrowed",
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
