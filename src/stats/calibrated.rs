//! The calibrated interval of a delta, its p-value and its confidence distribution.
//!
//! A plain bootstrap of three runs is far too narrow: it covers 80 % at a nominal 95 %. Here its
//! quantiles keep their shape but are rescaled twice: to the standard error that small samples
//! need, and by the ratio of Student's t to the normal quantile at the same level. Interval, p-value
//! and probabilities are all read from the one curve, so that they cannot disagree.

use std::borrow::Cow;
use std::fmt;

use crate::stats::Resampling;
use crate::stats::bca::acceleration;
use crate::stats::bootstrap::Resamples;
use crate::stats::curve::{Curve, Shape};
use crate::stats::distribution::normal_quantile;
use crate::stats::sample::Sample;
use crate::stats::statistic::Across;

/// Runs of each variant from which the plain percentile interval of a median covers its level.
const MEDIAN_PERCENTILE_RUNS: usize = 5;

/// Spread of the resamples, as a share of the standard error, below which it is rounding and no shape:
/// all runs print the same value, and only its last digit leaves noise.
const ROUNDING: f64 = 1e-9;

/// How the interval of a delta is made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Method {
    /// The run-level bootstrap, rescaled to cover its level from 3 runs on.
    #[default]
    Calibrated,
    /// The plain percentile bootstrap: far too narrow with few runs, for comparison only.
    Percentile,
    /// Bias-corrected and accelerated bootstrap: too narrow with few runs, for comparison only.
    Bca,
    /// Welch's t interval.
    Welch,
}

/// The scale on which a delta is worked out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scale {
    /// `ln(candidate / baseline)`; every value must be positive.
    Log,
    /// `candidate - baseline`, in the unit of the values.
    Linear,
}

/// Why there is no interval.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Undefined {
    /// A variant has fewer than two runs.
    TooFewRuns,
    /// A value is zero or negative, so that ratios do not exist.
    NotPositive,
    /// The runs of both variants are exactly equal and their precision is not known.
    NoVariance,
    /// The values are so large or so small that their differences are no numbers.
    OutOfRange,
    /// A quantile over the runs needs this many runs of each variant.
    QuantileNeedsRuns(usize),
}

impl fmt::Display for Undefined {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooFewRuns => f.write_str("a variant has fewer than 2 runs"),
            Self::NotPositive => f.write_str("a value is zero or negative"),
            Self::OutOfRange => f.write_str("the values are too large or too small to compare"),
            Self::NoVariance => f.write_str("all runs are exactly equal"),
            Self::QuantileNeedsRuns(n) => {
                write!(f, "this quantile over the runs needs {n} runs of each variant")
            }
        }
    }
}

/// The confidence curve of the delta of `candidate` against `baseline`.
///
/// The estimate is `across` of each variant's runs, on `scale`. With at most 250,000 pairs of
/// distinct resamples (6 + 6 runs) all of them are enumerated and `how` is not used; beyond, `how`
/// says how many are drawn from which seed. The standard error is `s^2 / (n m^2)` summed over the
/// variants (`s^2 / n` on the linear scale), its degrees of freedom Welch and Satterthwaite's, or the
/// smaller number of runs less one where a variant has 2. For a statistic other than the mean the
/// variance of a variant is its bootstrap variance times `n / (n - 1)`; with [`Method::Calibrated`]
/// the median of 5 or more runs each and any other quantile use the percentile interval.
///
/// # Errors
///
/// [`Undefined`], naming what is missing.
///
/// # Examples
///
/// ```
/// use beyondnoise::stats::{Across, Method, Resampling, Sample, Scale, delta};
///
/// let before = Sample::new(vec![24.32, 24.11, 24.29]).unwrap();
/// let after = Sample::new(vec![24.52, 24.59, 24.74]).unwrap();
/// let how = Resampling::default();
/// let curve = delta(&before, &after, Across::Mean, Scale::Log, Method::Calibrated, how).unwrap();
/// let ratio = curve.interval(0.95).map(f64::exp_m1);
/// assert!((ratio.low - 0.00525).abs() < 5e-6 && (ratio.high - 0.02593).abs() < 5e-6);
/// ```
///
/// # References
///
/// T. C. Hesterberg. What teachers should know about the bootstrap. *The American Statistician* 69,
/// 2015 (small-sample corrections); B. Efron, R. J. Tibshirani. *An Introduction to the Bootstrap*,
/// 1993 (percentile, `BCa`).
pub fn delta(
    baseline: &Sample,
    candidate: &Sample,
    across: Across,
    scale: Scale,
    method: Method,
    how: Resampling,
) -> Result<Curve, Undefined> {
    let (baseline, candidate, unit) = tamed(baseline, candidate);
    let resamples = resamples_for(method, &baseline, &candidate, across, how);
    curve(&resamples, &baseline, &candidate, across, scale, method, how)
        .map(|curve| if scale == Scale::Log { curve } else { curve.times(unit) })
}

/// The curves of both scales from the same resamples: [`Scale::Log`], then [`Scale::Linear`].
///
/// # Errors
///
/// As [`delta`], for each of the two.
///
/// # Examples
///
/// ```
/// use beyondnoise::stats::{Across, Method, Resampling, Sample, deltas};
///
/// let sample = |values: &[f64]| Sample::new(values.to_vec()).unwrap();
/// let (before, after) = (sample(&[2.0, 4.0]), sample(&[3.0, 9.0]));
/// let how = Resampling::default();
/// let [log, linear] = deltas(&before, &after, Across::Mean, Method::Welch, how);
/// assert!((log.unwrap().estimate().exp() - 2.0).abs() < 1e-12); // 6 against 3
/// assert_eq!(linear.unwrap().estimate(), 3.0);
/// ```
pub fn deltas(
    baseline: &Sample,
    candidate: &Sample,
    across: Across,
    method: Method,
    how: Resampling,
) -> [Result<Curve, Undefined>; 2] {
    let (baseline, candidate, unit) = tamed(baseline, candidate);
    let resamples = resamples_for(method, &baseline, &candidate, across, how);
    [(Scale::Log, 1.0), (Scale::Linear, unit)].map(|(scale, unit)| {
        curve(&resamples, &baseline, &candidate, across, scale, method, how).map(|c| c.times(unit))
    })
}

/// Both samples divided by a common power of two where their squares would over- or underflow.
fn tamed<'a>(
    baseline: &'a Sample,
    candidate: &'a Sample,
) -> (Cow<'a, Sample>, Cow<'a, Sample>, f64) {
    let ends =
        [baseline, candidate].into_iter().flat_map(|s| [s.sorted().first(), s.sorted().last()]);
    let largest = ends.flatten().map(|end| end.abs()).fold(0.0, f64::max);
    if largest == 0.0 || (1e-100..=1e100).contains(&largest) {
        return (Cow::Borrowed(baseline), Cow::Borrowed(candidate), 1.0);
    }
    let unit = largest.log2().floor().exp2();
    (Cow::Owned(baseline.over(unit)), Cow::Owned(candidate.over(unit)), unit)
}

/// Resamples for a method; Welch's interval needs none.
fn resamples_for(
    method: Method,
    baseline: &Sample,
    candidate: &Sample,
    across: Across,
    how: Resampling,
) -> Resamples {
    if method == Method::Welch {
        return Resamples::All;
    }
    Resamples::of(baseline, candidate, across, how)
}

fn curve(
    resamples: &Resamples,
    baseline: &Sample,
    candidate: &Sample,
    across: Across,
    scale: Scale,
    method: Method,
    how: Resampling,
) -> Result<Curve, Undefined> {
    let fewest = baseline.runs().min(candidate.runs());
    if fewest < across.runs_needed() {
        return Err(Undefined::QuantileNeedsRuns(across.runs_needed()));
    }
    if fewest < 2 {
        return Err(Undefined::TooFewRuns);
    }
    if scale == Scale::Log && !(baseline.is_positive() && candidate.is_positive()) {
        return Err(Undefined::NotPositive);
    }
    let transform = scale.transform();
    let at = |sample: &Sample| transform(across.of(sample.sorted()));
    let estimate = at(candidate) - at(baseline);

    let a = standard_error(baseline, across, scale, how);
    let b = standard_error(candidate, across, scale, how);
    let error = a.hypot(b);
    if error == 0.0 {
        return Err(Undefined::NoVariance);
    }
    let part = |own: f64, sample: &Sample| (own / error).powi(4) / (sample.runs() - 1) as f64;
    let welch = 1.0 / (part(a, baseline) + part(b, candidate));
    let degrees_of_freedom = if fewest == 2 { 1.0 } else { welch };
    if !(estimate.is_finite() && error.is_finite() && degrees_of_freedom.is_finite()) {
        return Err(Undefined::OutOfRange);
    }

    let law_of_delta = || resamples.law(baseline, candidate, across, transform);
    let form = match method {
        Method::Welch => Shape::Student,
        Method::Percentile => Shape::Percentile { law: law_of_delta() },
        Method::Bca => {
            let law = law_of_delta();
            let half_ties =
                f64::midpoint(law.at_most(estimate, false), 1.0 - law.at_most(-estimate, true));
            Shape::Bca {
                bias: normal_quantile(half_ties.clamp(1e-12, 1.0 - 1e-12)),
                acceleration: acceleration(baseline, candidate, across, transform),
                law,
            }
        }
        Method::Calibrated => {
            let law = law_of_delta();
            let percentile = match across {
                Across::Mean => false,
                Across::Median => fewest >= MEDIAN_PERCENTILE_RUNS,
                Across::Quantile(_) => true,
            };
            let spread = law.standard_deviation();
            if percentile {
                Shape::Percentile { law }
            } else if spread > ROUNDING * error {
                Shape::Calibrated { law, spread }
            } else {
                Shape::Student
            }
        }
    };
    Ok(Curve { unit: 1.0, estimate, standard_error: error, degrees_of_freedom, shape: form })
}

impl Scale {
    fn transform(self) -> fn(f64) -> f64 {
        match self {
            Self::Log => f64::ln,
            Self::Linear => |x| x,
        }
    }
}

/// Standard error of the statistic of one variant on the scale; at least what the printed digits leave.
fn standard_error(sample: &Sample, across: Across, scale: Scale, how: Resampling) -> f64 {
    let n = sample.runs() as f64;
    let on_scale = |error: f64| match scale {
        Scale::Log => error / across.of(sample.sorted()),
        Scale::Linear => error,
    };
    if across == Across::Mean {
        return on_scale(sample.standard_deviation().map_or(0.0, |s| s / n.sqrt()));
    }
    // The law of the variant against a constant is the law of the variant.
    let fixed = Sample::new(vec![across.of(sample.sorted())]).expect("a finite statistic");
    let law = Resamples::of(&fixed, sample, across, how);
    let spread = law.law(&fixed, sample, across, scale.transform()).standard_deviation();
    let least = on_scale(sample.resolution() / n.sqrt());
    (spread * (n / (n - 1.0)).sqrt()).max(least)
}
