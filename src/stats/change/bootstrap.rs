//! Resampling of runs, exact where the runs are few.
//!
//! The resampled unit is the *run*: values within one run share a server, a queue and a warm
//! cache, so resampling them singly would understate the noise. The two variants are resampled
//! independently, so the distribution of the delta follows from the two distributions of the arms and its resamples
//! need never be listed: a count of pairs below `x` takes one sweep with two pointers.

use std::sync::{Mutex, PoisonError};

use crate::change::across::Across;
use crate::change::cornish_fisher::{CornishFisher, Cumulants, MANY};
use crate::change::difference_distribution::DifferenceDistribution;
use crate::change::draw::{baseline_first, draw};
use crate::change::empirical_distribution::EmpiricalDistribution;
use crate::change::resample_distribution::{MAX_ENUMERATED, ResampleDistribution};
use crate::change::terms::{Resampling, Scale};
use crate::numerics::logarithm::log_ratios;
use crate::runs::sample::Sample;
use crate::runs::statistic::standard_deviation;

/// Pairs of resamples up to which all of them are enumerated.
const MAX_PAIRS: u64 = 250_000;

/// Quantiles that a distribution keeps.
const MAX_CACHED: usize = 8;

/// Cumulative weights are sums of many rounded terms; a level is met when it is met to within this.
const TIE: f64 = 1e-12;

/// Distribution of the resampled delta, `candidate - baseline` on the scale of the arms.
#[derive(Clone, Debug)]
pub(crate) enum BootstrapDistribution {
    /// Every resample of both variants, with its probability: the distribution of `to - from`.
    Exact {
        /// The baseline.
        from: ResampleDistribution,
        /// The candidate.
        to: ResampleDistribution,
        /// Quantiles worked out before.
        cache: QuantileCache,
    },
    /// Drawn deltas, each of the same weight.
    Drawn(EmpiricalDistribution),
    /// Thousands of values a variant: the distribution in closed form.
    Expanded(CornishFisher),
}

/// Quantiles of a distribution by level and direction: two curves of one distribution ask for the same few. Keeping them changes
/// no result.
#[derive(Debug, Default)]
pub(crate) struct QuantileCache(Mutex<Vec<(u64, bool, f64)>>);

impl Clone for QuantileCache {
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl QuantileCache {
    /// The quantile at level `u`, worked out by `quantile` if it was not asked for yet.
    fn get_or(&self, u: f64, mirrored: bool, quantile: impl FnOnce() -> f64) -> f64 {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let same = |entry: &&(u64, bool, f64)| (entry.0, entry.1) == (u.to_bits(), mirrored);
        if let Some((.., found)) = known.iter().find(same) {
            return *found;
        }
        let found = quantile();
        if known.len() < MAX_CACHED {
            known.push((u.to_bits(), mirrored, found));
        }
        found
    }
}

/// How the distribution of the resampled delta of two variants is found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Resampled {
    /// From every resample.
    All,
    /// In closed form: of order statistics, and of the means of thousands of values.
    ClosedForm,
    /// From drawn resamples.
    Drawn,
}

impl Resampled {
    /// How the distribution of the delta of `candidate` against `baseline` is found; the values are finite, in any order.
    ///
    /// # Examples
    ///
    /// ```
    /// use beyondnoise_stats::{Across, Resampled, };
    ///
    /// let runs = |n: u32| (0..n).map(f64::from).collect::<Vec<_>>();
    /// assert_eq!(Resampled::of(&runs(6), &runs(6), Across::MEAN), Resampled::All);
    /// assert_eq!(Resampled::of(&runs(7), &runs(7), Across::MEAN), Resampled::Drawn);
    /// assert_eq!(Resampled::of(&runs(7), &runs(7), Across::MEDIAN), Resampled::ClosedForm);
    /// ```
    pub fn of(baseline: &[f64], candidate: &[f64], across: Across) -> Resampled {
        let expanded = |values: &[f64]| {
            let equal = || values.iter().all(|value| value.total_cmp(&values[0]).is_eq());
            let sample = || Sample::new(values.to_vec()).ok();
            equal()
                || values.len() >= MANY
                    && sample().is_some_and(|all| Cumulants::of_mean(&all).is_some())
        };
        if are_few(baseline.len(), candidate.len()) {
            Resampled::All
        } else if across.has_closed_form()
            || across == Across::MEAN && expanded(baseline) && expanded(candidate)
        {
            Resampled::ClosedForm
        } else {
            Resampled::Drawn
        }
    }
}

/// Whether all resamples of so many runs of both variants are enumerated.
fn are_few(baseline: usize, candidate: usize) -> bool {
    resamples(baseline).saturating_mul(resamples(candidate)) <= MAX_PAIRS
        && baseline.max(candidate) <= MAX_ENUMERATED
}

/// Resamples of two variants, before any scale: what distributions on several scales share.
pub(crate) enum Resamples {
    /// Every possible resample, where there are few.
    All { baseline: ResampleDistribution, candidate: ResampleDistribution },
    /// The statistic of each drawn resample of the baseline and of the candidate.
    Drawn { baseline: Vec<f64>, candidate: Vec<f64> },
    /// The cumulants of all means.
    Expanded { baseline: Cumulants, candidate: Cumulants },
}

impl Resamples {
    /// Enumerates the resamples of both variants, or draws some where there are too many.
    pub(crate) fn new(
        baseline: &Sample,
        candidate: &Sample,
        across: Across,
        how: Resampling,
    ) -> Self {
        if are_few(baseline.runs(), candidate.runs()) || across.has_closed_form() {
            let arm = |sample: &Sample| ResampleDistribution::exact(sample.sorted(), across);
            return Self::All { baseline: arm(baseline), candidate: arm(candidate) };
        }
        if across == Across::MEAN
            && let Some((baseline, candidate)) =
                Cumulants::of_mean(baseline).zip(Cumulants::of_mean(candidate))
        {
            return Self::Expanded { baseline, candidate };
        }
        // Each variant has a stream of its own, given by its values and not by its role: swapping the
        // variants then mirrors every drawn delta, and scaling both changes none.
        let first = baseline_first(baseline, candidate);
        let (stream_a, stream_b) = if first { (0, 1) } else { (1, 0) };
        Self::Drawn {
            baseline: draw(baseline.sorted(), across, how, stream_a),
            candidate: draw(candidate.sorted(), across, how, stream_b),
        }
    }

    /// Standard deviations of the resampled statistic of the baseline and of the candidate.
    pub(crate) fn spreads(&self, scale: Scale) -> [f64; 2] {
        let transform = scale.transform();
        match self {
            Self::All { baseline, candidate } => {
                [baseline, candidate].map(|arm| arm.on(transform).variance().sqrt())
            }
            Self::Drawn { baseline, candidate } => [baseline, candidate].map(|drawn| {
                let values: Vec<f64> = drawn.iter().map(|value| transform(*value)).collect();
                standard_deviation(&values).unwrap_or_default()
            }),
            Self::Expanded { .. } => [0.0; 2],
        }
    }

    /// Distribution of `across(candidate*) - across(baseline*)`, or of the difference of their logarithms.
    pub(crate) fn distribution(&self, scale: Scale) -> BootstrapDistribution {
        match self {
            Self::All { baseline, candidate } => {
                let transform = scale.transform();
                BootstrapDistribution::between(baseline.on(transform), candidate.on(transform))
            }
            Self::Drawn { baseline, candidate } => {
                BootstrapDistribution::Drawn(EmpiricalDistribution::from_draws(&match scale {
                    Scale::Log => log_ratios(baseline, candidate),
                    Scale::Linear => baseline.iter().zip(candidate).map(|(a, b)| b - a).collect(),
                }))
            }
            Self::Expanded { baseline, candidate } => {
                let on_scale = |arm: &Cumulants| match scale {
                    Scale::Log => arm.of_logarithm(),
                    Scale::Linear => *arm,
                };
                BootstrapDistribution::Expanded(CornishFisher::between(
                    on_scale(baseline),
                    on_scale(candidate),
                ))
            }
        }
    }
}

/// Number of distinct resamples of `n` runs, C(2n - 1, n); saturates.
fn resamples(n: usize) -> u64 {
    let n = n as u64;
    let mut count: u64 = 1;
    for k in 1..n {
        // Exact at every step: the product of consecutive binomials.
        count = match count.checked_mul(n + k) {
            Some(product) => product / k,
            None => return u64::MAX,
        };
    }
    count
}

impl BootstrapDistribution {
    /// Distribution of `to - from`, the two independent.
    pub(crate) fn between(from: ResampleDistribution, to: ResampleDistribution) -> Self {
        Self::Exact { from, to, cache: QuantileCache::default() }
    }

    /// Distribution of the negated delta.
    pub(crate) fn negated(self) -> Self {
        match self {
            Self::Exact { from, to, .. } => Self::between(to, from),
            Self::Drawn(drawn) => Self::Drawn(drawn.negated()),
            Self::Expanded(distribution) => Self::Expanded(distribution.negated()),
        }
    }

    /// Mean of the resampled deltas.
    pub(crate) fn mean(&self) -> f64 {
        match self {
            Self::Exact { from, to, .. } => to.mean() - from.mean(),
            Self::Drawn(drawn) => drawn.mean(),
            Self::Expanded(distribution) => distribution.mean,
        }
    }

    /// Standard deviation of the resampled deltas about their mean.
    pub(crate) fn standard_deviation(&self) -> f64 {
        match self {
            Self::Exact { from, to, .. } => (to.variance() + from.variance()).sqrt(),
            Self::Drawn(drawn) => drawn.standard_deviation(),
            Self::Expanded(distribution) => distribution.standard_deviation,
        }
    }

    /// Probability that the delta, or with `mirrored` its negative, is at most `x`.
    pub(crate) fn at_most(&self, x: f64, mirrored: bool) -> f64 {
        match self {
            Self::Exact { from, to, .. } => {
                DifferenceDistribution::new(from, to, mirrored).at_most(x)
            }
            Self::Drawn(drawn) => {
                let n = drawn.len();
                let count = if mirrored { n - drawn.below(-x) } else { drawn.at_most(x) };
                count as f64 / n as f64
            }
            Self::Expanded(distribution) => turned(*distribution, mirrored).at_most(x),
        }
    }

    /// Smallest atom of the delta, or with `mirrored` of its negative, whose cumulative probability
    /// reaches `u` in (0, 1].
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a rank between 1 and the number of resamples"
    )]
    pub(crate) fn quantile(&self, u: f64, mirrored: bool) -> f64 {
        match self {
            Self::Exact { from, to, cache } => cache.get_or(u, mirrored, || {
                DifferenceDistribution::new(from, to, mirrored).quantile(u - TIE)
            }),
            Self::Drawn(drawn) => {
                let n = drawn.len();
                let rank = ((u - TIE) * n as f64).ceil().clamp(1.0, n as f64) as usize;
                if mirrored { -drawn.ranked(n - rank) } else { drawn.ranked(rank - 1) }
            }
            Self::Expanded(distribution) => turned(*distribution, mirrored).quantile(u),
        }
    }

    /// Smallest atom `x` of the delta (of its negative if `mirrored`) at which `passes(x, P(delta <= x))` is true.
    /// `passes` stays true above it and is true at the largest atom.
    ///
    /// Besides, `passes` gives a number that rises with `x` and passes zero there: it only guides the search,
    /// which begins at `start`.
    pub(crate) fn first(
        &self,
        mirrored: bool,
        start: f64,
        passes: impl Fn(f64, f64) -> (bool, f64),
    ) -> f64 {
        match self {
            Self::Exact { from, to, .. } => {
                DifferenceDistribution::new(from, to, mirrored).first(start, passes)
            }
            Self::Drawn(drawn) => {
                let n = drawn.len();
                let atom = |index: usize| {
                    if mirrored { -drawn.ranked(n - 1 - index) } else { drawn.ranked(index) }
                };
                let (mut low, mut high) = (0, n - 1);
                while low < high {
                    let middle = usize::midpoint(low, high);
                    let x = atom(middle);
                    if passes(x, self.at_most(x, mirrored)).0 {
                        high = middle;
                    } else {
                        low = middle + 1;
                    }
                }
                atom(high)
            }
            Self::Expanded(distribution) => {
                let distribution = turned(*distribution, mirrored);
                distribution.at(distribution.first(|z, x| passes(x, CornishFisher::level(z)).0))
            }
        }
    }
}

/// The distribution, or with `mirrored` that of the negated delta.
fn turned(distribution: CornishFisher, mirrored: bool) -> CornishFisher {
    if mirrored { distribution.negated() } else { distribution }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(values: &[f64]) -> Sample {
        Sample::new(values.to_vec()).unwrap()
    }

    #[test]
    fn the_number_of_resamples_is_the_binomial() {
        // C(2n - 1, n) by hand: 1, 3, 10, 35, 126, 462, and 24,310 for n = 9.
        assert_eq!([1, 2, 3, 4, 5, 6, 9].map(resamples), [1, 3, 10, 35, 126, 462, 24_310]);
        assert_eq!(resamples(200), u64::MAX);
    }

    #[test]
    fn mirrored_levels_are_exact_negatives() {
        let distribution = |a: &Sample, b: &Sample| {
            Resamples::new(a, b, Across::MEAN, Resampling::default()).distribution(Scale::Log)
        };
        let (a, b) = (sample(&[1.0, 2.0, 4.0]), sample(&[1.5, 3.0]));
        let (forward, swapped) = (distribution(&a, &b), distribution(&b, &a));
        for u in [0.01, 0.1, 0.3, 0.5, 0.9] {
            let (x, y) = (forward.quantile(u, true), swapped.quantile(u, false));
            assert_eq!(x.to_bits(), y.to_bits());
        }
    }

    #[test]
    fn the_law_of_a_difference_has_the_moments_of_both() {
        // Means 7/3 and 9/4; the variance of a resampled mean is that of the values over their number: 14/9 / 3 and
        // 9/16 / 2. By hand.
        let how = Resampling::default();
        let (a, b) = (sample(&[1.0, 2.0, 4.0]), sample(&[1.5, 3.0]));
        let resamples = Resamples::new(&a, &b, Across::MEAN, how);
        let distribution = resamples.distribution(Scale::Linear);
        assert!((distribution.mean() - (9.0 / 4.0 - 7.0 / 3.0)).abs() < 1e-12);
        assert!(
            (distribution.standard_deviation() - (14.0 / 27.0 + 9.0 / 32.0_f64).sqrt()).abs()
                < 1e-12
        );
        let [from, to] = resamples.spreads(Scale::Linear);
        assert!(
            (from.powi(2) - 14.0 / 27.0).abs() < 1e-12 && (to.powi(2) - 9.0 / 32.0).abs() < 1e-12
        );
        // Of 27 x 4 outcomes one has the least mean of b and the largest of a: 1.5 - 4.
        assert!((distribution.at_most(-2.5, false) - 1.0 / 108.0).abs() < 1e-15);
        assert!((distribution.at_most(2.5, true) - 1.0).abs() < 1e-15);
        assert!((distribution.quantile(1.0 / 108.0, false) + 2.5).abs() < 1e-12);
    }
}
