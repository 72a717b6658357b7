//! Resampling of runs, exact where the runs are few.
//!
//! The resampled unit is the *run*: values within one run share a server, a queue and a warm
//! cache, so resampling them singly would understate the noise. The two variants are resampled
//! independently, so the law of the delta follows from the two laws of the arms and its resamples
//! need never be listed: a count of pairs below `x` takes one sweep with two pointers.

use crate::stats::Resampling;
use crate::stats::arm::Arm;
use crate::stats::bisection::smallest;
use crate::stats::draw::{baseline_first, draw};
use crate::stats::sample::Sample;
use crate::stats::statistic::Across;

/// Pairs of resamples up to which all of them are enumerated.
const MOST_PAIRS: u64 = 250_000;

/// Cumulative weights are sums of many rounded terms; a level is met when it is met to within this.
const TIE: f64 = 1e-12;

/// Law of the resampled delta, `candidate - baseline` on the scale of the arms.
#[derive(Clone, Debug)]
pub(crate) enum Law {
    /// Every resample of both variants, with its probability.
    Exact(Box<[Arms; 2]>),
    /// Drawn deltas, ascending, each of the same weight.
    Drawn(Vec<f64>),
}

/// One direction of an exact law: the difference `to - from`.
#[derive(Clone, Debug)]
pub(crate) struct Arms {
    from: Arm,
    to: Arm,
}

/// Resamples of two variants, before any scale: what laws on several scales share.
pub(crate) enum Resamples {
    /// Few enough to enumerate.
    All,
    /// The mean of each drawn resample of the baseline and of the candidate.
    Drawn { baseline: Vec<f64>, candidate: Vec<f64> },
}

impl Resamples {
    /// Draws resamples of both variants where there are too many to enumerate.
    pub(crate) fn of(
        baseline: &Sample,
        candidate: &Sample,
        across: Across,
        how: Resampling,
    ) -> Self {
        let pairs = resamples(baseline.runs()).saturating_mul(resamples(candidate.runs()));
        // The law of an order statistic is known whatever the number of runs.
        if pairs <= MOST_PAIRS || across != Across::Mean {
            return Self::All;
        }
        // Each variant has a stream of its own, given by its values and not by its role: swapping the
        // variants then mirrors every drawn delta, and scaling both changes none.
        let first = baseline_first(baseline, candidate);
        let (stream_a, stream_b) = if first { (0, 1) } else { (1, 0) };
        Self::Drawn {
            baseline: draw(baseline.sorted(), how, stream_a),
            candidate: draw(candidate.sorted(), how, stream_b),
        }
    }

    /// Law of `transform(across(candidate*)) - transform(across(baseline*))`.
    ///
    /// `transform` is increasing (the logarithm for a relative delta, the identity for an absolute one).
    pub(crate) fn law(
        &self,
        baseline: &Sample,
        candidate: &Sample,
        across: Across,
        transform: fn(f64) -> f64,
    ) -> Law {
        match self {
            Self::All => Law::between(
                Arm::exact(baseline.sorted(), across, transform),
                Arm::exact(candidate.sorted(), across, transform),
            ),
            Self::Drawn { baseline, candidate } => {
                let pairs = baseline.iter().zip(candidate);
                let mut deltas: Vec<f64> =
                    pairs.map(|(a, b)| transform(*b) - transform(*a)).collect();
                deltas.sort_unstable_by(f64::total_cmp);
                Law::Drawn(deltas)
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

impl Arms {
    /// Probability that `to - from` is at most `x`.
    fn at_most(&self, x: f64) -> f64 {
        let mut below = 0;
        let mut sum = 0.0;
        let all = self.from.atoms.len();
        // `to - from <= x` means `from >= to - x`: as `to` grows, fewer `from` atoms qualify.
        for (to, weight) in self.to.atoms.iter().zip(&self.to.weights) {
            while below < all && to - self.from.atoms[below] > x {
                below += 1;
            }
            if below == all {
                break;
            }
            let under = if below == 0 { 0.0 } else { self.from.cumulative[below - 1] };
            sum += weight * (1.0 - under);
        }
        sum
    }

    /// Smallest atom of `to - from` whose cumulative probability reaches `u`.
    fn quantile(&self, u: f64) -> f64 {
        let (low, high) = self.range();
        smallest(low, high, |x| self.at_most(x) >= u - TIE)
    }

    /// Smallest and largest atom of `to - from`.
    fn range(&self) -> (f64, f64) {
        let last = |arm: &Arm| arm.atoms[arm.atoms.len() - 1];
        (self.to.atoms[0] - last(&self.from), last(&self.to) - self.from.atoms[0])
    }
}

impl Law {
    /// Law of `to - from`, the two independent.
    pub(super) fn between(from: Arm, to: Arm) -> Self {
        let forward = Arms { from: from.clone(), to: to.clone() };
        Self::Exact(Box::new([forward, Arms { from: to, to: from }]))
    }

    /// Law of the negated delta.
    pub(super) fn negated(self) -> Self {
        match self {
            Self::Exact(mut arms) => {
                arms.reverse();
                Self::Exact(arms)
            }
            Self::Drawn(deltas) => {
                Self::Drawn(deltas.into_iter().rev().map(|delta| -delta).collect())
            }
        }
    }

    /// Mean of the resampled deltas.
    pub(crate) fn mean(&self) -> f64 {
        match self {
            Self::Exact(arms) => arms[0].to.mean() - arms[0].from.mean(),
            Self::Drawn(deltas) => paired_sum(deltas, |delta| delta) / deltas.len() as f64,
        }
    }

    /// Standard deviation of the resampled deltas about their mean.
    pub(crate) fn standard_deviation(&self) -> f64 {
        match self {
            Self::Exact(arms) => (arms[0].to.variance() + arms[0].from.variance()).sqrt(),
            Self::Drawn(deltas) => {
                let mean = self.mean();
                let squares = paired_sum(deltas, |delta| (delta - mean).powi(2));
                (squares / deltas.len() as f64).sqrt()
            }
        }
    }

    /// Probability that the delta, or with `mirrored` its negative, is at most `x`.
    pub(crate) fn at_most(&self, x: f64, mirrored: bool) -> f64 {
        match self {
            Self::Exact(arms) => arms[usize::from(mirrored)].at_most(x),
            Self::Drawn(deltas) => {
                let n = deltas.len();
                let count = if mirrored {
                    n - deltas.partition_point(|&delta| -delta > x)
                } else {
                    deltas.partition_point(|&delta| delta <= x)
                };
                count as f64 / n as f64
            }
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
            Self::Exact(arms) => arms[usize::from(mirrored)].quantile(u),
            Self::Drawn(deltas) => {
                let n = deltas.len();
                let rank = ((u - TIE) * n as f64).ceil().clamp(1.0, n as f64) as usize;
                if mirrored { -deltas[n - rank] } else { deltas[rank - 1] }
            }
        }
    }

    /// Smallest and largest atom of the delta, or with `mirrored` of its negative.
    pub(crate) fn range(&self, mirrored: bool) -> (f64, f64) {
        match self {
            Self::Exact(arms) => arms[usize::from(mirrored)].range(),
            Self::Drawn(deltas) => {
                let (low, high) = (deltas[0], deltas[deltas.len() - 1]);
                if mirrored { (-high, -low) } else { (low, high) }
            }
        }
    }
}

/// Sum of `f` over ascending values, from both ends inwards: swapping the variants reverses and negates
/// the values, and must not change the rounding.
fn paired_sum(sorted: &[f64], f: impl Fn(f64) -> f64) -> f64 {
    let n = sorted.len();
    let pairs: f64 = (0..n / 2).map(|i| f(sorted[i]) + f(sorted[n - 1 - i])).sum();
    if n % 2 == 1 { pairs + f(sorted[n / 2]) } else { pairs }
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
        let law = |a: &Sample, b: &Sample| {
            Resamples::of(a, b, Across::Mean, Resampling::default()).law(
                a,
                b,
                Across::Mean,
                f64::ln,
            )
        };
        let (a, b) = (sample(&[1.0, 2.0, 4.0]), sample(&[1.5, 3.0]));
        let (forward, swapped) = (law(&a, &b), law(&b, &a));
        for u in [0.01, 0.1, 0.3, 0.5, 0.9] {
            let (x, y) = (forward.quantile(u, true), swapped.quantile(u, false));
            assert_eq!(x.to_bits(), y.to_bits());
        }
    }
}
