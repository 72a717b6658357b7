//! Two variants, and the curves that their runs give by one method or another.

use std::borrow::Cow;
use std::cell::OnceCell;
use std::sync::Arc;

use crate::stats::Resampling;
use crate::stats::bca::acceleration;
use crate::stats::bootstrap::{BootstrapDistribution, Resamples};
use crate::stats::calibrated::{Curves, Method, Scale, Undefined};
use crate::stats::curve::{Curve, Shape};
use crate::stats::distribution::normal_quantile;
use crate::stats::empirical_bayes::Prior;
use crate::stats::rank::RankSums;
use crate::stats::resample_distribution::ResampleDistribution;
use crate::stats::sample::Sample;
use crate::stats::standard_error::{StandardError, of_means, of_moderated_means, of_quantiles};
use crate::stats::statistic::Across;

/// Runs of each variant from which the plain percentile interval of a median covers its level.
const MEDIAN_PERCENTILE_RUNS: usize = 5;

/// How many times as many runs the one variant may have as the other, for a quantile of few of them.
const NEARLY_EQUAL: f64 = 1.5;

/// Factor on the runs that a quantile needs with unequal numbers of runs. The interval then covers 0.93; without it a
/// 90th percentile of 10 against 40 runs would cover 0.87.
const UNEQUAL_QUANTILE: usize = 3;

/// Relative size of rounding errors: of the spread of the resamples in standard errors, where all runs print the same
/// value and only its last digit leaves noise; and of a difference in spreads.
const ROUNDING: f64 = 1e-9;

/// Both samples divided by a common power of two where their squares would over- or underflow.
pub(super) fn rescale_extremes<'a>(
    baseline: &'a Sample,
    candidate: &'a Sample,
) -> (Cow<'a, Sample>, Cow<'a, Sample>, f64) {
    let Some(unit) = unit_of([baseline, candidate]) else {
        return (Cow::Borrowed(baseline), Cow::Borrowed(candidate), 1.0);
    };
    (Cow::Owned(baseline.over(unit)), Cow::Owned(candidate.over(unit)), unit)
}

/// The power of two to divide extreme values by, so that no square over- or underflows; `None` for all others.
pub(super) fn unit_of<const N: usize>(samples: [&Sample; N]) -> Option<f64> {
    let ends = samples.into_iter().flat_map(|s| [s.sorted().first(), s.sorted().last()]);
    let largest = ends.flatten().map(|end| end.abs()).fold(0.0, f64::max);
    let usual = largest == 0.0 || (1e-100..=1e100).contains(&largest);
    (!usual).then(|| largest.log2().floor().exp2())
}

/// Whether the plain percentile interval of the statistic covers its level with so many runs.
pub(super) fn percentile_covers(across: Across, runs: usize) -> bool {
    match across {
        Across::Median => runs >= MEDIAN_PERCENTILE_RUNS,
        Across::Quantile(_) => true,
        Across::Mean | Across::HodgesLehmann => false,
    }
}

/// Two variants and how they are compared.
pub(super) struct Compared<'a> {
    baseline: &'a Sample,
    candidate: &'a Sample,
    across: Across,
    how: Resampling,
    /// Computed once a curve needs it: the resamples, and their distribution on either scale.
    resamples: OnceCell<Resamples>,
    log: OnceCell<Arc<BootstrapDistribution>>,
    linear: OnceCell<Arc<BootstrapDistribution>>,
}

impl<'a> Compared<'a> {
    pub(super) fn new(
        baseline: &'a Sample,
        candidate: &'a Sample,
        across: Across,
        how: Resampling,
    ) -> Self {
        let (resamples, log, linear) = (OnceCell::new(), OnceCell::new(), OnceCell::new());
        Self { baseline, candidate, across, how, resamples, log, linear }
    }

    /// The curves of both scales; the values were divided by `unit`.
    pub(super) fn both(&self, method: Method, prior: Option<&Prior>, unit: f64) -> Curves {
        [(Scale::Log, 1.0), (Scale::Linear, unit)]
            .map(|(scale, unit)| self.curve(scale, method, prior).map(|curve| curve.times(unit)))
    }

    fn distribution(&self, scale: Scale) -> Arc<BootstrapDistribution> {
        let Self { baseline, candidate, across, how, .. } = *self;
        let resamples =
            self.resamples.get_or_init(|| Resamples::new(baseline, candidate, across, how));
        let distribution = match scale {
            Scale::Log => &self.log,
            Scale::Linear => &self.linear,
        };
        Arc::clone(distribution.get_or_init(|| Arc::new(resamples.distribution(scale))))
    }

    /// Refuses runs that are too few, too unequal in number or not positive.
    fn refused(&self, scale: Scale, prior: Option<&Prior>) -> Result<(), Undefined> {
        let Self { baseline, candidate, across, .. } = *self;
        let fewest = baseline.runs().min(candidate.runs());
        if fewest < across.runs_needed() {
            return Err(Undefined::QuantileNeedsRuns(across.runs_needed()));
        }
        let most = baseline.runs().max(candidate.runs()) as f64;
        let needed = across.runs_needed().saturating_mul(UNEQUAL_QUANTILE);
        let extreme = matches!(across, Across::Quantile(q) if q.min(1.0 - q) < 0.5);
        if extreme && fewest < needed && most > NEARLY_EQUAL * fewest as f64 {
            return Err(Undefined::QuantileOfUnequalRuns(needed));
        }
        if fewest < 2 && prior.is_none() {
            return Err(Undefined::TooFewRuns);
        }
        let positive = baseline.is_positive() && candidate.is_positive();
        if !positive && (scale == Scale::Log || prior.is_some()) {
            return Err(Undefined::NotPositive);
        }
        Ok(())
    }

    /// The curve of a method.
    pub(super) fn curve(
        &self,
        scale: Scale,
        method: Method,
        prior: Option<&Prior>,
    ) -> Result<Curve, Undefined> {
        let Self { baseline, candidate, across, .. } = *self;
        self.refused(scale, prior)?;
        let fewest = baseline.runs().min(candidate.runs());
        let transform = scale.transform();
        let at = |sample: &Sample| transform(across.compute(sample.sorted()));
        let ranks = (across == Across::HodgesLehmann).then(|| {
            let values =
                |sample: &Sample| ResampleDistribution::values(sample.sorted()).on(transform);
            BootstrapDistribution::between(values(baseline), values(candidate))
        });
        let estimate = match &ranks {
            Some(pairs) => RankSums::centre(pairs, baseline.runs(), candidate.runs()),
            None => at(candidate) - at(baseline),
        };
        let error = match (prior, across) {
            (Some(prior), _) => of_moderated_means(baseline, candidate, scale, prior),
            (None, Across::Median | Across::Quantile(_)) => {
                // The distribution of an order statistic is known whatever the number of runs.
                let spreads = self.distribution(scale).spreads().unwrap_or_default();
                of_quantiles(baseline, candidate, across, scale, spreads)
            }
            (None, Across::Mean | Across::HodgesLehmann) => {
                of_means(baseline, candidate, across, scale, method)
            }
        };
        if error.value == 0.0 {
            return Err(Undefined::NoVariance);
        }
        if !(estimate.is_finite() && error.value.is_finite() && error.df.is_finite()) {
            return Err(Undefined::OutOfRange);
        }
        let distribution = || self.distribution(scale);
        let shape = match (ranks, method) {
            (Some(pairs), _) => {
                let sums = RankSums::new(baseline.runs(), candidate.runs());
                Shape::Ranks { distribution: Arc::new(pairs), sums }
            }
            (_, Method::Welch) => Shape::Student,
            // One run has no shape of its own, and two show as good as none.
            _ if fewest <= 2 && prior.is_some() => Shape::Student,
            (_, Method::Percentile) => Shape::Percentile { distribution: distribution() },
            (_, Method::Bca) => {
                bca(distribution(), estimate, acceleration(baseline, candidate, across, transform))
            }
            (_, Method::Calibrated) if percentile_covers(across, fewest) => {
                Shape::Percentile { distribution: distribution() }
            }
            (_, Method::Calibrated) => calibrated(distribution(), error),
        };
        Ok(Curve::new(estimate, error, shape))
    }
}

pub(super) fn bca(
    distribution: Arc<BootstrapDistribution>,
    estimate: f64,
    acceleration: f64,
) -> Shape {
    // Resamples that tie with the estimate may differ from it by the rounding of their sums.
    let slack = ROUNDING * distribution.standard_deviation();
    let (up_to, from) = (
        distribution.at_most(estimate + slack, false),
        distribution.at_most(-estimate + slack, true),
    );
    // Half of the ties on each side. The smaller of the two levels decides, so that swapping the variants only flips
    // the sign.
    let (below, above) = (f64::midpoint(up_to, 1.0 - from), f64::midpoint(from, 1.0 - up_to));
    let bias = |level: f64| normal_quantile(level.max(1e-12));
    let bias = if below <= above { bias(below) } else { -bias(above) };
    Shape::Bca { bias, acceleration, distribution }
}

pub(super) fn calibrated(distribution: Arc<BootstrapDistribution>, error: StandardError) -> Shape {
    let spread = distribution.standard_deviation();
    if spread > ROUNDING * error.value {
        Shape::Calibrated { distribution, spread, own: error.own }
    } else {
        Shape::Student
    }
}
