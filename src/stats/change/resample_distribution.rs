//! The exact distribution of a statistic of one resampled variant.

use std::sync::{Arc, OnceLock};

use statrs::function::beta::beta_reg;
use statrs::function::gamma::ln_gamma;

use crate::change::across::Across;
use crate::runs::rank_weights::rank_weights;
use crate::runs::selection::{LEAST, REACH};
use crate::runs::statistic::{position_of, quantile};

/// Most runs whose resamples are all listed: 92,378 of them.
pub(crate) const MAX_ENUMERATED: usize = 10;

/// Weight below which an outcome of a resample changes no digit of a level.
const NEGLIGIBLE: f64 = 1e-18;

/// Variance of the rank of a resampled quantile from which on the rank may be a fraction.
const MANY_RANKS: f64 = 400.0;

/// Distribution of a statistic of one resampled variant, on some scale.
#[derive(Clone, Debug)]
pub(crate) struct ResampleDistribution {
    /// Ascending values that the statistic takes.
    atoms: Vec<f64>,
    /// Their probabilities, which no scale changes.
    steps: Arc<Steps>,
    mean: f64,
    variance: f64,
}

/// Probabilities of ascending values.
#[derive(Debug)]
struct Steps {
    /// Of each value.
    weights: Vec<f64>,
    /// Of a value up to and with this one.
    cumulative: Vec<f64>,
}

impl ResampleDistribution {
    /// Every resample of `sorted` with its probability.
    pub(crate) fn exact(sorted: &[f64], across: Across) -> Self {
        match across.quantile_level() {
            Some(q) => Self::quantiles(sorted, q),
            // A single run of each variant is resampled there.
            None if across.has_rank_interval() => Self::values(sorted),
            None => Self::enumerated(sorted, across),
        }
    }

    /// A single value drawn from `sorted`.
    pub(crate) fn values(sorted: &[f64]) -> Self {
        let each = 1.0 / sorted.len() as f64;
        Self::from_atoms(sorted.iter().map(|value| (*value, each)).collect())
    }

    /// The statistic of all resamples, with their multinomial weights.
    fn enumerated(sorted: &[f64], across: Across) -> Self {
        let n = sorted.len();
        let multisets = Multisets::shared(n);
        let mut resample = vec![0.0; n];
        let atoms =
            multisets.picks.chunks_exact(n).zip(&multisets.weights).map(|(picks, weight)| {
                for (value, &pick) in resample.iter_mut().zip(picks) {
                    *value = sorted[usize::from(pick)];
                }
                (across.compute(&resample), *weight)
            });
        Self::from_atoms(atoms.collect())
    }

    /// Quantiles at level `q` of all resamples, in closed form for any number of runs.
    fn quantiles(sorted: &[f64], q: f64) -> Self {
        let n = sorted.len() as f64;
        if n * q * (1.0 - q) < MANY_RANKS {
            Self::between_two_ranks(sorted, q)
        } else {
            Self::at_a_fractional_rank(sorted, q)
        }
    }

    /// The distribution for many runs. It takes a quantile between two ranks as the order statistic of the rank between
    /// them, which has the distribution of the values at Beta(h, n + 1 - h), h = (n - 1) q + 1.
    ///
    /// The two distributions differ by what lies inside one rank, where the quantile moves over 20 and more: the standard
    /// deviations by less than one in 1,000.
    fn at_a_fractional_rank(sorted: &[f64], q: f64) -> Self {
        let kept = rank_weights(sorted.len(), q);
        let (first, weights) = (kept.first, &kept.weights);
        Self::from_atoms(sorted[first..].iter().copied().zip(weights.iter().copied()).collect())
    }

    /// The joint distribution of the two order statistics between which a quantile lies.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a number of ranks between 0 and n"
    )]
    fn between_two_ranks(sorted: &[f64], q: f64) -> Self {
        let n = sorted.len();
        let size = n as f64;
        let (below, fraction) = position_of(q, n);
        // The (k)th smallest of a resample, counted from 1, and the one after it.
        let k = below + 1;
        let level = |count: usize| count as f64 / size;
        // Probability that the kth smallest is at most the ith value.
        let at_most = |rank: usize, i: usize| binomial_at_least(n, level(i), rank);
        let ways = log_choose(n, k);
        // Beyond these ranks there is no weight that counts.
        let reach = (REACH * (size * q * (1.0 - q)).sqrt()) as usize + LEAST;
        let mut atoms = Vec::new();
        for i in k.saturating_sub(reach).max(1)..=(k + reach).min(n) {
            let mut rest = at_most(k, i) - at_most(k, i - 1);
            if rest <= NEGLIGIBLE {
                continue;
            }
            let mut later = Vec::new();
            if fraction > 0.0 && k < n {
                let lower = power_step(level(i), level(i - 1), k);
                for j in i + 1..=n {
                    let upper = power_step(level(n + 1 - j), level(n - j), n - k);
                    let weight = (ways + lower + upper).exp();
                    if weight <= NEGLIGIBLE {
                        // It falls with j.
                        break;
                    }
                    later.push((j, weight));
                    rest -= weight;
                }
            }
            let value = |j: usize| {
                let pair = [sorted[i - 1], sorted[j - 1]];
                quantile(&pair, fraction)
            };
            atoms.push((sorted[i - 1], rest.max(0.0)));
            atoms.extend(later.into_iter().map(|(j, weight)| (value(j), weight)));
        }
        Self::from_atoms(atoms)
    }

    fn from_atoms(mut atoms: Vec<(f64, f64)>) -> Self {
        atoms.sort_by(|a, b| a.0.total_cmp(&b.0));
        let total: f64 = atoms.iter().map(|(_, weight)| weight).sum();
        let (atoms, weights): (Vec<f64>, Vec<f64>) =
            atoms.into_iter().map(|(atom, weight)| (atom, weight / total)).unzip();
        let running = |sum: &mut f64, weight: &f64| {
            *sum += weight;
            Some(*sum)
        };
        let cumulative = weights.iter().scan(0.0, running).collect();
        Self::from_steps(atoms, Arc::new(Steps { weights, cumulative }))
    }

    fn from_steps(atoms: Vec<f64>, steps: Arc<Steps>) -> Self {
        let weighted = || atoms.iter().zip(&steps.weights);
        let mean: f64 = weighted().map(|(atom, weight)| atom * weight).sum();
        let variance = weighted().map(|(atom, weight)| weight * (atom - mean).powi(2)).sum();
        Self { atoms, steps, mean, variance }
    }

    /// The same distribution on another scale: `transform` is increasing.
    pub(crate) fn on(&self, transform: fn(f64) -> f64) -> Self {
        let atoms = self.atoms.iter().map(|atom| transform(*atom)).collect();
        Self::from_steps(atoms, Arc::clone(&self.steps))
    }

    /// Ascending values that the statistic takes, at least one.
    pub(crate) fn atoms(&self) -> &[f64] {
        &self.atoms
    }

    /// Probability of each atom.
    pub(crate) fn weights(&self) -> &[f64] {
        &self.steps.weights
    }

    /// Probability of an atom up to and with this one.
    pub(crate) fn cumulative(&self) -> &[f64] {
        &self.steps.cumulative
    }

    pub(crate) fn mean(&self) -> f64 {
        self.mean
    }

    pub(crate) fn variance(&self) -> f64 {
        self.variance
    }
}

/// All resamples of n runs, without their order.
struct Multisets {
    /// The runs drawn, n after n, each n ascending.
    picks: Vec<u8>,
    /// Probability of each.
    weights: Vec<f64>,
}

impl Multisets {
    /// All resamples of `n` runs, computed once: they depend on `n` alone.
    ///
    /// # Panics
    ///
    /// If `n` is more than anybody enumerates.
    fn shared(n: usize) -> &'static Self {
        static KEPT: [OnceLock<Multisets>; MAX_ENUMERATED + 1] =
            [const { OnceLock::new() }; MAX_ENUMERATED + 1];
        KEPT[n].get_or_init(|| Self::enumerate(n))
    }

    fn enumerate(n: usize) -> Self {
        let log_factorial: Vec<f64> = std::iter::once(0.0)
            .chain((1..=n).scan(0.0, |sum, k| {
                *sum += (k as f64).ln();
                Some(*sum)
            }))
            .collect();
        let all = log_factorial[n] - n as f64 * (n as f64).ln();
        let (mut picks, mut weights) = (Vec::new(), Vec::new());
        let mut counts = vec![0; n];
        counts[0] = n;
        loop {
            for (pick, &count) in (0..).zip(&counts) {
                picks.extend(std::iter::repeat_n(pick, count));
            }
            let log_weight = counts.iter().map(|&count| log_factorial[count]).sum::<f64>();
            weights.push((all - log_weight).exp());
            if !next_composition(&mut counts) {
                return Self { picks, weights };
            }
        }
    }
}

/// Logarithm of `high^m - low^m` for 0 <= low < high <= 1.
fn power_step(high: f64, low: f64, m: usize) -> f64 {
    let m = m as f64;
    m * high.ln() + (-(m * (low / high).ln()).exp()).ln_1p()
}

fn log_choose(n: usize, k: usize) -> f64 {
    let log_factorial = |n: usize| ln_gamma(n as f64 + 1.0);
    log_factorial(n) - log_factorial(k) - log_factorial(n - k)
}

/// Probability of at least `k` >= 1 successes in `n` trials of probability `p`.
fn binomial_at_least(n: usize, p: f64, k: usize) -> f64 {
    if p <= 0.0 {
        0.0
    } else if p >= 1.0 {
        1.0
    } else {
        beta_reg(k as f64, (n - k) as f64 + 1.0, p)
    }
}

/// The next composition of the same total in colexicographic order; false after the last one.
fn next_composition(counts: &mut [usize]) -> bool {
    let Some(first) = counts.iter().position(|&count| count > 0) else { return false };
    if first + 1 == counts.len() {
        return false;
    }
    let moved = counts[first];
    counts[first] = 0;
    counts[0] = moved - 1;
    counts[first + 1] += 1;
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_compositions_are_visited_once() {
        let mut counts = vec![3, 0, 0];
        let mut seen = vec![counts.clone()];
        while next_composition(&mut counts) {
            seen.push(counts.clone());
        }
        seen.sort();
        seen.dedup();
        assert_eq!(seen.len(), 10);
    }

    /// At the number of runs where one takes over from the other.
    #[test]
    fn a_fractional_rank_has_the_law_of_the_two_beside_it() {
        for (n, q) in [(1_600, 0.5), (1_601, 0.5), (4_450, 0.9), (40_405, 0.99)] {
            // Exponential values, the most usual skewed ones.
            let size = f64::from(n);
            let values: Vec<f64> =
                (0..n).map(|i| -(-(f64::from(i) + 0.5) / size).ln_1p()).collect();
            let (pairs, ranks) = (
                ResampleDistribution::between_two_ranks(&values, q),
                ResampleDistribution::at_a_fractional_rank(&values, q),
            );
            let sd = pairs.variance().sqrt();
            assert!((ranks.mean() - pairs.mean()).abs() < 2e-3 * sd, "{n} {q}");
            assert!((ranks.variance().sqrt() / sd - 1.0).abs() < 1e-3, "{n} {q}");
            let quantile = |arm: &ResampleDistribution, u: f64| {
                arm.atoms()[arm.cumulative().partition_point(|level| *level < u)]
            };
            for u in [0.005, 0.025, 0.25, 0.5, 0.75, 0.975, 0.995] {
                // An atom is as wide as a rank, 0.05 standard deviations.
                let apart = quantile(&ranks, u) - quantile(&pairs, u);
                assert!(apart.abs() < 0.06 * sd, "{n} {q} {u}: {}", apart / sd);
            }
        }
    }

    /// The closed form against all compositions of a small sample.
    #[test]
    fn the_law_of_a_quantile_is_that_of_all_resamples() {
        let values = [1.0, 2.0, 4.0, 8.0, 16.0, 32.0];
        for n in 1..=6 {
            for q in [0.1, 0.25, 0.5, 0.9] {
                let distribution = ResampleDistribution::quantiles(&values[..n], q);
                let (mut counts, mut mean, mut square, mut below) = (vec![0; n], 0.0, 0.0, 0.0);
                counts[0] = n;
                loop {
                    let resample: Vec<f64> =
                        (0..n).flat_map(|i| std::iter::repeat_n(values[i], counts[i])).collect();
                    let ways: f64 = (1..=n).map(|k| (k as f64).ln()).sum::<f64>()
                        - counts
                            .iter()
                            .flat_map(|&c| (1..=c).map(|k| (k as f64).ln()))
                            .sum::<f64>();
                    let weight = (ways - n as f64 * (n as f64).ln()).exp();
                    let value = quantile(&resample, q);
                    mean += weight * value;
                    square += weight * value * value;
                    below += if value <= 3.0 { weight } else { 0.0 };
                    if !next_composition(&mut counts) {
                        break;
                    }
                }
                assert!((distribution.mean() - mean).abs() < 1e-12 * mean, "{n} {q}");
                assert!(
                    (distribution.variance() - (square - mean * mean)).abs() < 1e-10 * square,
                    "{n} {q}"
                );
                let reached: f64 = distribution
                    .atoms()
                    .iter()
                    .zip(distribution.weights())
                    .filter(|(a, _)| **a <= 3.0)
                    .map(|(_, w)| w)
                    .sum();
                assert!((reached - below).abs() < 1e-12, "{n} {q}");
            }
        }
    }
}
