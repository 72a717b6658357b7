//! The calibrated interval of a delta, its p-value and its confidence distribution.
//!
//! A plain bootstrap of three runs is far too narrow: it covers 80 % at a nominal 95 %. Here its
//! quantiles keep their shape but are rescaled twice: to the standard error that small samples
//! need, and by the ratio of Student's t to the normal quantile at the same level. Interval, p-value
//! and probabilities are all read from the one curve, so that they cannot disagree.

use std::fmt;

use crate::stats::Resampling;
use crate::stats::compared::{Compared, rescale_extremes};
use crate::stats::curve::Curve;
use crate::stats::empirical_bayes::Prior;
use crate::stats::sample::Sample;
use crate::stats::statistic::Across;

/// How the interval of a delta is made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
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
#[non_exhaustive]
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
    /// Of different numbers of runs a quantile needs this many of each variant.
    QuantileOfUnequalRuns(usize),
    /// The rank interval of the Hodges-Lehmann centre needs this many runs of each variant.
    RanksNeedRuns(usize),
}

impl fmt::Display for Undefined {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooFewRuns => f.write_str("a variant has fewer than 2 runs"),
            Self::NotPositive => f.write_str("a value is zero or negative"),
            Self::OutOfRange => f.write_str("the values are too large or too small to compare"),
            Self::NoVariance => f.write_str("all runs are exactly equal"),
            Self::RanksNeedRuns(n) => {
                write!(f, "the Hodges-Lehmann interval needs {n} runs of each variant")
            }
            Self::QuantileNeedsRuns(n) => {
                write!(f, "this quantile over the runs needs {n} runs of each variant")
            }
            Self::QuantileOfUnequalRuns(n) => write!(
                f,
                "this quantile over different numbers of runs needs {n} of each variant, or equal numbers"
            ),
        }
    }
}

/// The confidence curve of the delta of `candidate` against `baseline`.
///
/// The estimate is `across` of each variant's runs, on `scale`. With at most 250,000 pairs of distinct resamples (6 +
/// 6 runs) all of them are enumerated and `how` is not used; beyond, `how` gives their number and the seed. From
/// 1,000 values a variant the distribution of the means is in closed form, if their standardised third, fourth and
/// fifth cumulants are at most 0.15, 0.05 and 0.02. That of quantiles always is. Neither depends on a seed. The
/// standard error is `s^2 / (n m^2)` summed over the variants (`s^2 / n` on the linear scale). Its degrees of freedom
/// are Welch and Satterthwaite's, or the smaller number of runs less one where a variant has 2. With different
/// numbers of runs, 3 or more each, the calibrated interval never takes the variant with fewer runs as quieter than
/// both together: three runs alone often miss a mode, a slow run or a tail that ten show. Its degrees of freedom grow
/// with the agreement of both noises.
///
/// For a quantile over the runs the variance of a variant is its bootstrap variance times `n / (n - 1)`;
/// with [`Method::Calibrated`] the median of 5 or more runs each and any other quantile use the percentile
/// interval. Of few runs a
/// quantile lies nearer to the middle than that of many: where one variant has over half as many runs again as the
/// other, a quantile needs three times [`Across::runs_needed`] of each. [`Across::HodgesLehmann`] has the interval of the rank sum test whatever the method: the delta
/// is the median of the deltas of all pairs of runs.
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
    let [log, linear] = both(baseline, candidate, across, method, how, None);
    if scale == Scale::Log { log } else { linear }
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
) -> Curves {
    both(baseline, candidate, across, method, how, None)
}

/// [`deltas`] of the means with a noise prior: `prior` is pooled with the runs' own variance, so one run each is
/// enough for an interval.
///
/// The shape of the interval is the resamples' as far as the degrees of freedom are the runs' own, and
/// normal for the rest; with one or two runs it is Student's.
///
/// # Errors
///
/// As [`delta`]; the linear curve exists only where the logarithmic one does, since the prior is on the logarithmic
/// scale.
///
/// # Examples
///
/// ```
/// use beyondnoise::stats::{Method, Prior, Resampling, Sample, Variance, moderated_deltas};
///
/// let one = |value| Sample::new(vec![value]).unwrap();
/// let prior = Prior { variance: Variance { value: 1e-4, df: 10.0 }, pooled_df: 40.0 };
/// let [log, _] =
///     moderated_deltas(&one(100.0), &one(105.0), &prior, Method::Calibrated, Resampling::default());
/// let interval = log.unwrap().interval(0.95); // ln 1.05 and 2.228 * 0.01 * sqrt 2
/// assert!((interval.low - 0.01728).abs() < 1e-5 && (interval.high - 0.08030).abs() < 1e-5);
/// ```
pub fn moderated_deltas(
    baseline: &Sample,
    candidate: &Sample,
    prior: &Prior,
    method: Method,
    how: Resampling,
) -> Curves {
    both(baseline, candidate, Across::Mean, method, how, Some(prior))
}

/// The curves of several methods, worked out from the same resamples.
///
/// # Errors
///
/// As [`delta`], for each.
///
/// # Examples
///
/// ```
/// use beyondnoise::stats::{Across, Method, Resampling, Sample, Scale, each_method};
///
/// let sample = |values: &[f64]| Sample::new(values.to_vec()).unwrap();
/// let (before, after) = (sample(&[99.0, 100.0, 101.0]), sample(&[99.5, 100.5, 101.5]));
/// let methods = [Method::Percentile, Method::Calibrated];
/// let how = Resampling::default();
/// let curves = each_method(&before, &after, Across::Mean, Scale::Log, &methods, how);
/// let width = |index: usize| curves[index].as_ref().unwrap().interval(0.95).half_width();
/// assert!(width(1) > 1.5 * width(0)); // what three runs need, and what a plain bootstrap gives
/// ```
pub fn each_method(
    baseline: &Sample,
    candidate: &Sample,
    across: Across,
    scale: Scale,
    methods: &[Method],
    how: Resampling,
) -> Vec<Result<Curve, Undefined>> {
    let (baseline, candidate, unit) = rescale_extremes(baseline, candidate);
    let unit = if scale == Scale::Log { 1.0 } else { unit };
    let compared = Compared::new(&baseline, &candidate, across, how);
    let curve = |method: &Method| compared.curve(scale, *method, None).map(|c| c.times(unit));
    methods.iter().map(curve).collect()
}

/// Curves of both scales: [`Scale::Log`], then [`Scale::Linear`].
pub type Curves = [Result<Curve, Undefined>; 2];

/// [`moderated_deltas`], and [`deltas`] of the means from the same resamples.
///
/// # Errors
///
/// As these two.
///
/// # Examples
///
/// ```
/// use beyondnoise::stats::{
///     Across, Method, Prior, Resampling, Sample, Variance, deltas, moderated_and_own_deltas,
/// };
///
/// let sample = |values: &[f64]| Sample::new(values.to_vec()).unwrap();
/// let (before, after) = (sample(&[99.0, 100.0, 101.0]), sample(&[99.5, 100.5, 101.5]));
/// let prior = Prior { variance: Variance { value: 1e-4, df: 10.0 }, pooled_df: 40.0 };
/// let (method, how) = (Method::Calibrated, Resampling::default());
/// let [_, [own, _]] = moderated_and_own_deltas(&before, &after, &prior, method, how);
/// let [alone, _] = deltas(&before, &after, Across::Mean, method, how);
/// assert_eq!(own.unwrap().interval(0.95), alone.unwrap().interval(0.95));
/// ```
pub fn moderated_and_own_deltas(
    baseline: &Sample,
    candidate: &Sample,
    prior: &Prior,
    method: Method,
    how: Resampling,
) -> [Curves; 2] {
    let (baseline, candidate, unit) = rescale_extremes(baseline, candidate);
    let compared = Compared::new(&baseline, &candidate, Across::Mean, how);
    [Some(prior), None].map(|prior| compared.both(method, prior, unit))
}

fn both(
    baseline: &Sample,
    candidate: &Sample,
    across: Across,
    method: Method,
    how: Resampling,
    prior: Option<&Prior>,
) -> Curves {
    let (baseline, candidate, unit) = rescale_extremes(baseline, candidate);
    Compared::new(&baseline, &candidate, across, how).both(method, prior, unit)
}

impl Scale {
    pub(super) fn transform(self) -> fn(f64) -> f64 {
        match self {
            Self::Log => f64::ln,
            Self::Linear => |x| x,
        }
    }
}
