//! Rank sums: the exact distribution of Mann and Whitney's count, and the interval that inverts its test.

use crate::change::across::Across;
use crate::change::bootstrap::BootstrapDistribution;
use crate::numerics::distribution::normal_quantile;
use statrs::distribution::{ContinuousCDF, Normal};

/// Product of the numbers of runs up to which the distribution is counted exactly.
const MAX_PAIRS: usize = 2_500;

/// Distribution of the number of pairs of runs, one of each variant, whose delta is below the true delta.
#[derive(Clone, Debug)]
pub(crate) struct RankSums {
    /// Pairs of runs.
    pairs: usize,
    distribution: CountLaw,
}

#[derive(Clone, Debug)]
enum CountLaw {
    /// Probability of at most as many pairs as the index.
    Exact(Vec<f64>),
    /// Normal, for many runs.
    Normal { mean: f64, sd: f64 },
}

impl RankSums {
    pub(crate) fn new(baseline_runs: usize, candidate_runs: usize) -> Self {
        let pairs = baseline_runs * candidate_runs;
        let distribution = if pairs <= MAX_PAIRS {
            CountLaw::Exact(cumulative(baseline_runs, candidate_runs))
        } else {
            let mean = pairs as f64 / 2.0;
            let sd = (pairs as f64 * (baseline_runs + candidate_runs + 1) as f64 / 12.0).sqrt();
            CountLaw::Normal { mean, sd }
        };
        Self { pairs, distribution }
    }

    /// Median of the deltas of all pairs, whose distribution is `deltas`.
    pub(crate) fn centre(
        deltas: &BootstrapDistribution,
        baseline_runs: usize,
        candidate_runs: usize,
    ) -> f64 {
        let pairs = baseline_runs * candidate_runs;
        // The rank k lies in the middle of its step, where rounding cannot miss it.
        let ranked = |k: usize| deltas.quantile((k as f64 - 0.5) / pairs as f64, false);
        // From both ends, so that swapping the variants negates it exactly.
        let mirrored = |k: usize| -deltas.quantile((k as f64 - 0.5) / pairs as f64, true);
        let half = pairs.div_ceil(2);
        f64::midpoint(ranked(half), mirrored(half))
    }

    /// Level of the distribution of the pairs for the lower bound of level `u` <= 1/2; `None` where so few runs have
    /// no bound at that level.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "clamped to a rank of a pair"
    )]
    pub(crate) fn bound(&self, u: f64) -> Option<f64> {
        let rank = match &self.distribution {
            CountLaw::Exact(cumulative) => cumulative.partition_point(|p| *p <= u * (1.0 + 1e-12)),
            CountLaw::Normal { mean, sd } => {
                (mean + sd * normal_quantile(u) + 0.5).floor().clamp(0.0, self.pairs as f64)
                    as usize
            }
        };
        let rank = rank.min(self.pairs);
        (rank > 0).then(|| (rank as f64 - 0.5) / self.pairs as f64)
    }

    /// Level u <= 1/2 at which the lower bound leaves a value that a `share` of the pairs do not exceed.
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a count of pairs")]
    pub(crate) fn level(&self, share: f64) -> f64 {
        let count = (share * self.pairs as f64).round() as usize;
        let level = match &self.distribution {
            CountLaw::Exact(cumulative) => cumulative[count.min(self.pairs)],
            CountLaw::Normal { mean, sd } => {
                Normal::standard().cdf((count as f64 + 0.5 - mean) / sd)
            }
        };
        level.min(0.5)
    }
}

/// Two-sided p-value of Mann and Whitney's test with these numbers of values: exact up to 2,500 pairs, else normal.
/// `share` is the share of pairs in which the value of one given side is smaller; equal values count half.
///
/// `share` is that of the pairs in which the value of one given side is the smaller one, equal ones counted half.
///
/// # Examples
///
/// ```
/// // Of the 70 orders of 4 + 4 values 2 are the most extreme: scipy.stats.mannwhitneyu([1, 2, 3, 4], [5, 6, 7, 8]).
/// let p = beyondnoise_stats::rank_sum_p_value(4, 4, 0.0);
/// assert!((p - 2.0 / 70.0).abs() < 1e-12);
/// ```
pub fn rank_sum_p_value(a: usize, b: usize, share: f64) -> f64 {
    if a == 0 || b == 0 {
        return 1.0;
    }
    (2.0 * RankSums::new(a, b).level(share.min(1.0 - share).clamp(0.0, 0.5))).min(1.0)
}

/// Probability of at most k pairs, for k from 0 to the number of pairs.
fn cumulative(a: usize, b: usize) -> Vec<f64> {
    // Counts of partitions as coefficients of a Gaussian binomial: each factor (1 - q^(a+i)) / (1 - q^i).
    let pairs = a * b;
    let mut counts = vec![0.0; pairs + 1];
    counts[0] = 1.0;
    for i in 1..=b {
        for k in (a + i..=pairs).rev() {
            counts[k] -= counts[k - a - i];
        }
        for k in i..=pairs {
            counts[k] += counts[k - i];
        }
    }
    let total: f64 = counts.iter().sum();
    counts
        .iter()
        .scan(0.0, |sum, count| {
            *sum += count / total;
            Some(*sum)
        })
        .collect()
}

impl Across {
    /// Fewest runs each with which the rank interval has two ends at `confidence` in (0, 1).
    ///
    /// # Examples
    ///
    /// ```
    /// // 2 of the 70 orders of 4 + 4 runs are the most extreme: 2.9 %; of 3 + 3 runs 10 %.
    /// assert_eq!(beyondnoise_stats::Across::runs_for_ranks(0.95), 4);
    /// ```
    pub fn runs_for_ranks(confidence: f64) -> usize {
        let tail = (1.0 - confidence) / 2.0;
        let mut orders = 1.0;
        let mut n = 0;
        while 1.0 / orders > tail * (1.0 + 1e-12) && n < 1000 {
            n += 1;
            orders *= (4 * n - 2) as f64 / n as f64;
        }
        n
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_counts_are_those_of_the_orders() {
        // 3 + 3 runs: 1, 1, 2, 3, 3, 3, 3, 2, 1, 1 of 20 orders.
        let expected = [1.0, 2.0, 4.0, 7.0, 10.0, 13.0, 16.0, 18.0, 19.0, 20.0];
        for (p, expected) in cumulative(3, 3).iter().zip(expected) {
            assert!((p - expected / 20.0).abs() < 1e-15);
        }
        assert_eq!(cumulative(2, 5).len(), 11);
    }

    #[test]
    fn the_normal_law_takes_over_without_a_seam() {
        let exact = RankSums::new(50, 50);
        let normal = RankSums::new(50, 51);
        for share in [0.35, 0.4, 0.45, 0.5] {
            assert!((exact.level(share) - normal.level(share)).abs() < 3e-3, "{share}");
        }
    }
}
