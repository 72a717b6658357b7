//! The calibrated interval of a delta, its p-value and its confidence distribution.
//!
//! A plain bootstrap of three runs is far too narrow: it covers 80 % at a nominal 95 %. Here its
//! quantiles keep their shape but are rescaled twice: to the standard error that small samples
//! need, and by the ratio of Student's t to the normal quantile at the same level. Interval, p-value
//! and probabilities are all read from the one curve, so that they cannot disagree.

use std::fmt;

use crate::stats::Resampling;
use crate::stats::bca::acceleration;
use crate::stats::bootstrap::{Law, Resamples, smallest};
use crate::stats::distribution::{normal_quantile, t_cdf, t_quantile, widening};
use crate::stats::sample::{Interval, Sample};
use crate::stats::statistic::Across;
use statrs::distribution::{ContinuousCDF, Normal};

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

/// The confidence curve of a delta: for every level u in (0, 1) the bound that lies above the true
/// delta with confidence u.
#[derive(Clone, Debug)]
pub struct Curve {
    estimate: f64,
    standard_error: f64,
    degrees_of_freedom: f64,
    shape: Shape,
}

#[derive(Clone, Debug)]
enum Shape {
    /// Standardised resamples, widened by t.
    Calibrated {
        law: Law,
        spread: f64,
    },
    Percentile {
        law: Law,
    },
    Bca {
        law: Law,
        bias: f64,
        acceleration: f64,
    },
    Student,
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
    let resamples = Resamples::of(baseline, candidate, across, how);
    curve(&resamples, baseline, candidate, across, scale, method, how)
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
    let resamples = Resamples::of(baseline, candidate, across, how);
    [Scale::Log, Scale::Linear]
        .map(|scale| curve(&resamples, baseline, candidate, across, scale, method, how))
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
    let share = (a / error).powi(2);
    let df = |sample: &Sample| (sample.runs() - 1) as f64;
    let welch = 1.0 / (share.powi(2) / df(baseline) + (1.0 - share).powi(2) / df(candidate));
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
    Ok(Curve { estimate, standard_error: error, degrees_of_freedom, shape: form })
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

impl Curve {
    /// The delta on the scale of the curve.
    pub fn estimate(&self) -> f64 {
        self.estimate
    }

    /// Standard error of the delta.
    pub fn standard_error(&self) -> f64 {
        self.standard_error
    }

    /// Degrees of freedom of the standard error, at least 1.
    pub fn degrees_of_freedom(&self) -> f64 {
        self.degrees_of_freedom
    }

    /// Two-sided interval of the delta at `confidence` in (0, 1), on the scale of the curve.
    ///
    /// # Panics
    ///
    /// If `confidence` is outside (0, 1).
    pub fn interval(&self, confidence: f64) -> Interval {
        assert!(confidence > 0.0 && confidence < 1.0, "confidence {confidence} is outside (0, 1)");
        let tail = (1.0 - confidence) / 2.0;
        Interval { low: self.bound(tail, false), high: -self.bound(tail, true), confidence }
    }

    /// Two-sided p-value of the hypothesis that the delta is `null`: the level at which an end of
    /// the interval touches it.
    pub fn p_value(&self, null: f64) -> f64 {
        (2.0 * self.touching(null, false).min(self.touching(-null, true))).min(1.0)
    }

    /// Confidence that the delta exceeds `x`, in [0, 1]: the curve read as a distribution.
    pub fn probability_above(&self, x: f64) -> f64 {
        let (below, above) = (self.touching(x, false), self.touching(-x, true));
        if below < 0.5 {
            1.0 - below
        } else if above < 0.5 {
            above
        } else {
            0.5
        }
    }

    /// The curve at level `u` <= 1/2, or with `mirrored` the curve of the negated delta.
    fn bound(&self, u: f64, mirrored: bool) -> f64 {
        let (centre, df) = (self.centre(mirrored), self.degrees_of_freedom);
        match &self.shape {
            Shape::Student => centre + self.standard_error * t_quantile(u, df),
            Shape::Percentile { law } => law.quantile(u, mirrored),
            Shape::Calibrated { law, spread } => {
                let standardised = (law.quantile(u, mirrored) - centre) / spread;
                centre + self.standard_error * standardised * widening(u, df)
            }
            Shape::Bca { law, bias, acceleration } => {
                let (bias, acceleration) =
                    if mirrored { (-bias, -acceleration) } else { (*bias, *acceleration) };
                let z = bias + normal_quantile(u);
                let adjusted = Normal::standard().cdf(bias + z / (1.0 - acceleration * z));
                law.quantile(adjusted, mirrored)
            }
        }
    }

    /// Largest level u <= 1/2 whose bound is not above `x`: where the lower end touches it.
    fn touching(&self, x: f64, mirrored: bool) -> f64 {
        let (centre, df) = (self.centre(mirrored), self.degrees_of_freedom);
        match &self.shape {
            Shape::Student => t_cdf((x - centre) / self.standard_error, df).min(0.5),
            Shape::Percentile { law } => law.at_most(x, mirrored).min(0.5),
            Shape::Bca { .. } => crossing(0.0, 0.5, |u| self.bound(u, mirrored) > x),
            Shape::Calibrated { law, spread } => {
                let scale = self.standard_error / spread;
                let value = |atom: f64, u: f64| centre + scale * (atom - centre) * widening(u, df);
                // First the atom at which the curve passes x, then the level within that atom's step.
                let (low, high) = law.range(mirrored);
                let level = |atom: f64| law.at_most(atom, mirrored).min(0.5);
                let passes = |atom: f64| {
                    let u = level(atom);
                    u > 0.0 && value(atom, u) > x
                };
                if high < centre || !passes(high) {
                    return 0.5;
                }
                let atom = smallest(low, high, passes);
                let under = if atom > low { level(atom.next_down()) } else { 0.0 };
                crossing(under, level(atom), |u| value(atom, u) > x)
            }
        }
    }

    fn centre(&self, mirrored: bool) -> f64 {
        if mirrored { -self.estimate } else { self.estimate }
    }
}

/// The level in [low, high] above which `holds`, found to the last digit that matters.
fn crossing(low: f64, high: f64, holds: impl Fn(f64) -> bool) -> f64 {
    let (mut below, mut above) = (low, high);
    while above - below > 1e-15 + 1e-12 * above {
        let middle = f64::midpoint(below, above);
        if holds(middle) { above = middle } else { below = middle }
    }
    f64::midpoint(below, above)
}
