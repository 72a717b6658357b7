//! Variances from which many priors are fitted, each without a few of them.
//!
//! A fit needs sums over the logarithms of the variances. They are made once; leaving a variance out or adding one
//! changes a few terms, so a batch of n comparisons takes n steps instead of n squared.

use std::cmp::Ordering;

use statrs::function::gamma::digamma;

use crate::noise::empirical_bayes::{
    CAP, Prior, PriorRefusal, PriorSource, Variance, VarianceSpread,
};
use crate::numerics::trigamma::{trigamma, trigamma_inverse};

/// Fewest variances whose spread can be estimated.
const MIN_VARIANCES: usize = 3;

/// Degrees of freedom that fewer variances count for at most: how much noise differs from one comparison
/// to the next is then not known, and in practice it does.
const UNKNOWN_SPREAD_DF: f64 = 4.0;

/// Smallest variance that is taken as one, as a share of the median: equal values have no logarithm.
const FLOOR: f64 = 1e-5;

/// Variances of one metric in many places, each counted once.
#[derive(Clone, Debug)]
pub struct VariancePool {
    /// Ascending, so that the order in which they come changes no digit.
    sorted: Vec<Variance>,
    /// Origin of the logarithms below, so that their squares lose no digit.
    origin: f64,
    /// Sums over all of them.
    all: Sums,
    /// Sums of the biases of the first k, and of their squares.
    biases: Vec<[f64; 2]>,
    /// Sums of the logarithms of all but the first k, and of their squares.
    logs: Vec<[f64; 2]>,
}

/// Sums over variances that no floor changes.
#[derive(Clone, Copy, Debug, Default)]
struct Sums {
    df: f64,
    /// Of the variances, each times its degrees of freedom.
    weighted: f64,
    /// Of the squared scatter that the logarithms have by chance.
    by_chance: f64,
    /// Sum of the squared variances times their degrees of freedom, without the part that chance adds.
    squares: f64,
    /// Of the squared scatter that these have by chance.
    of_squares: f64,
}

impl Sums {
    fn add(&mut self, variance: Variance, sign: f64) {
        self.df += sign * variance.df;
        self.weighted += sign * variance.value * variance.df;
        self.by_chance += sign * trigamma(variance.df / 2.0).0;
        // A variance s^2 of d degrees of freedom: the mean of s^4 is (d + 2) / d times the square of the true one.
        let Variance { value, df } = variance;
        self.squares += sign * value * value * df * df / (df + 2.0);
        self.of_squares += sign * 8.0 * df / (df + 2.0);
    }

    /// Mean of the variances, and how they differ: the square of the CV of the true ones, and its standard error
    /// where there is only one.
    fn variance_spread(&self) -> VarianceSpread {
        let mean = self.weighted / self.df;
        let spread = self.squares / self.df / (mean * mean) - 1.0;
        VarianceSpread { mean, df: self.df, spread, error: self.of_squares.sqrt() / self.df }
    }
}

impl Default for VariancePool {
    fn default() -> Self {
        Self::new(Vec::new())
    }
}

impl VariancePool {
    /// Sorts the variances and sums them up.
    pub fn new(mut variances: Vec<Variance>) -> Self {
        variances.sort_by(ascending);
        let sorted = variances;
        let n = sorted.len();
        let logs: Vec<f64> = sorted.iter().map(|v| v.value.ln() + bias(v.df)).collect();
        let origin = logs.get(n / 2).copied().filter(|log| log.is_finite()).unwrap_or_default();
        let mut all = Sums::default();
        for variance in &sorted {
            all.add(*variance, 1.0);
        }
        let running = |terms: &mut dyn Iterator<Item = f64>| {
            let mut sums = [[0.0; 2]].to_vec();
            let (mut sum, mut squares) = (CompensatedSum::default(), CompensatedSum::default());
            for term in terms {
                sum.add(term);
                squares.add(term * term);
                sums.push([sum.value(), squares.value()]);
            }
            sums
        };
        let biases = running(&mut sorted.iter().map(|v| bias(v.df)));
        let mut logs = running(&mut logs.iter().rev().map(|log| log - origin));
        logs.reverse();
        Self { sorted, origin, all, biases, logs }
    }

    /// Number of variances.
    pub fn len(&self) -> usize {
        self.sorted.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.sorted.is_empty()
    }

    /// Fits the prior of [`Prior::fit`] to these variances but `without` some that are among them, together
    /// with `further` ones, and to the comparison's `own`.
    ///
    /// # Examples
    ///
    /// ```
    /// use beyondnoise_stats::{Prior, Variance, VariancePool};
    ///
    /// let all = [1.0, 2.0, 1.5, 0.8].map(|value| Variance { value, df: 4.0 });
    /// let prior = VariancePool::new(all.to_vec()).prior(&all[..1], &[], Some(all[0]));
    /// assert_eq!(prior, Prior::fit(&all[1..], Some(all[0])));
    /// ```
    pub fn prior(
        &self,
        without: &[Variance],
        further: &[Variance],
        own: Option<Variance>,
    ) -> Option<Prior> {
        let (without, further) = (&ordered(without), &ordered(further));
        let others = self.others(without, further);
        let pooled_df = others.df + own.map_or(0.0, |variance| variance.df);
        let count = self.len() + further.len() + usize::from(own.is_some()) - without.len();
        let variance = if count < MIN_VARIANCES {
            let df = (CAP * others.df).min(UNKNOWN_SPREAD_DF);
            Variance { value: others.weighted / others.df, df }
        } else {
            let added: Vec<Variance> = further.iter().copied().chain(own).collect();
            let mut sums = others;
            if let Some(own) = own {
                sums.add(own, 1.0);
            }
            let fitted = self.by_moments(without, &added, count, sums)?;
            Variance { df: fitted.df.min(CAP * others.df), ..fitted }
        };
        let sound = variance.df > 0.0 && variance.value > 0.0 && variance.value.is_finite();
        sound.then_some(Prior { variance, pooled_df })
    }

    /// The prior of [`Self::prior`], guarded as in [`Prior::guarded`].
    ///
    /// # Errors
    ///
    /// [`PriorRefusal`], where it may not.
    pub fn guarded(
        &self,
        without: &[Variance],
        further: &[Variance],
        own: Option<Variance>,
        source: PriorSource,
    ) -> Result<Prior, PriorRefusal> {
        let prior = self.prior(without, further, own).ok_or(PriorRefusal::TooFew)?;
        let others = self.others(&ordered(without), &ordered(further));
        let mut all = others;
        if let Some(own) = own {
            all.add(own, 1.0);
        }
        let count = self.len() + further.len() + usize::from(own.is_some()) - without.len();
        let all = (count >= MIN_VARIANCES).then(|| all.variance_spread());
        prior.limited((others.variance_spread(), all), own, source)
    }

    /// Sums over these variances but `without` some and with the `further` ones.
    fn others(&self, without: &[Variance], further: &[Variance]) -> Sums {
        let mut others = self.all;
        for (variances, sign) in [(without, -1.0), (further, 1.0)] {
            for variance in variances {
                others.add(*variance, sign);
            }
        }
        others
    }

    /// Scaled inverse chi-square distribution whose logarithm has the mean and the variance of the logarithms seen.
    fn by_moments(
        &self,
        without: &[Variance],
        added: &[Variance],
        count: usize,
        sums: Sums,
    ) -> Option<Variance> {
        let floor = FLOOR * self.ranked(without, added, count / 2);
        if floor <= 0.0 {
            return None;
        }
        let least = floor.ln() - self.origin;
        let floored = self.sorted.partition_point(|variance| variance.value < floor);
        let ([bias_sum, bias_squares], [mut sum, mut squares]) =
            (self.biases[floored], self.logs[floored]);
        let n = floored as f64;
        squares += n * least * least + 2.0 * least * bias_sum + bias_squares;
        sum += n * least + bias_sum;
        for (variances, sign) in [(without, -1.0), (added, 1.0)] {
            for variance in variances {
                let log = variance.value.max(floor).ln() - self.origin + bias(variance.df);
                sum += sign * log;
                squares += sign * log * log;
            }
        }
        let n = count as f64;
        let scatter = (squares - sum * sum / n) / (n - 1.0);
        let beyond = scatter - sums.by_chance / n;
        if beyond <= 0.0 {
            // No more scatter than chance gives: one variance for all, and pooled is its best estimate.
            return Some(Variance { value: sums.weighted / sums.df, df: f64::INFINITY });
        }
        let half = trigamma_inverse(beyond);
        let log = self.origin + sum / n + digamma(half) - half.ln();
        Some(Variance { value: log.exp(), df: 2.0 * half })
    }

    /// The variance of this rank, counted from 0, of these without some and with the `added`.
    fn ranked(&self, without: &[Variance], added: &[Variance], rank: usize) -> f64 {
        let among = |variances: &[Variance], value: f64| {
            variances.iter().filter(|variance| variance.value <= value).count()
        };
        // The smallest with more than `rank` values at most as large.
        let reached = |variance: &Variance| {
            let value = variance.value;
            let own = self.sorted.partition_point(|variance| variance.value <= value);
            own + among(added, value) - among(without, value) > rank
        };
        // It lies near its rank among all: no further down than some were added, no further up than some are missing.
        let low = rank.saturating_sub(added.len()).min(self.len());
        let high = (rank + without.len() + 1).min(self.len());
        let here = low + self.sorted[low..high].partition_point(|variance| !reached(variance));
        let here = self.sorted.get(here).map_or(f64::INFINITY, |variance| variance.value);
        added.iter().filter(|v| reached(v)).map(|v| v.value).fold(here, f64::min)
    }
}

fn ordered(variances: &[Variance]) -> Vec<Variance> {
    let mut ordered = variances.to_vec();
    ordered.sort_by(ascending);
    ordered
}

fn ascending(a: &Variance, b: &Variance) -> Ordering {
    a.value.total_cmp(&b.value).then(a.df.total_cmp(&b.df))
}

/// A sum that keeps what rounding takes away.
#[derive(Default)]
struct CompensatedSum {
    sum: f64,
    lost: f64,
}

impl CompensatedSum {
    fn add(&mut self, term: f64) {
        let sum = self.sum + term;
        let (large, small) =
            if self.sum.abs() >= term.abs() { (self.sum, term) } else { (term, self.sum) };
        self.lost += (large - sum) + small;
        self.sum = sum;
    }

    fn value(&self) -> f64 {
        self.sum + self.lost
    }
}

/// Mean of the log of the true variance minus the log of its estimate with `df` degrees of freedom.
fn bias(df: f64) -> f64 {
    (df / 2.0).ln() - digamma(df / 2.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The fit by its definition: every logarithm, floored at a share of the median, in two passes.
    fn in_two_passes(others: &[Variance], own: Option<Variance>) -> Option<(f64, f64)> {
        let others_df: f64 = others.iter().map(|variance| variance.df).sum();
        let all: Vec<Variance> = others.iter().copied().chain(own).collect();
        if all.len() < MIN_VARIANCES {
            let sum: f64 = others.iter().map(|v| v.value * v.df).sum();
            return Some((sum / others_df, (CAP * others_df).min(UNKNOWN_SPREAD_DF)));
        }
        let mut values: Vec<f64> = all.iter().map(|variance| variance.value).collect();
        values.sort_by(f64::total_cmp);
        let floor = FLOOR * values[values.len() / 2];
        if floor <= 0.0 {
            return None;
        }
        let n = all.len() as f64;
        let logs: Vec<f64> = all
            .iter()
            .map(|v| v.value.max(floor).ln() - digamma(v.df / 2.0) + (v.df / 2.0).ln())
            .collect();
        let mean = logs.iter().sum::<f64>() / n;
        let scatter = logs.iter().map(|log| (log - mean).powi(2)).sum::<f64>() / (n - 1.0);
        let beyond = scatter - all.iter().map(|v| trigamma(v.df / 2.0).0).sum::<f64>() / n;
        if beyond <= 0.0 {
            let df: f64 = all.iter().map(|v| v.df).sum();
            let sum: f64 = all.iter().map(|v| v.value * v.df).sum();
            return Some((sum / df, CAP * others_df));
        }
        let half = trigamma_inverse(beyond);
        Some(((mean + digamma(half) - half.ln()).exp(), (2.0 * half).min(CAP * others_df)))
    }

    #[test]
    fn leaving_some_out_is_the_fit_to_the_rest() {
        // A fixed sequence of numbers in (0, 1), Knuth's MMIX generator.
        let mut state = 1_u64;
        let mut random = move || {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            (state >> 11) as f64 / (1_u64 << 53) as f64
        };
        for case in 0..2_000 {
            let n = 2 + case % 40;
            let spread = [0.1, 1.0, 8.0, 40.0][case % 4];
            let mut variance = || {
                let value =
                    if random() < 0.1 { 0.0 } else { (spread * (random() - 0.5)).exp() * 1e-4 };
                Variance { value, df: 1.0 + (8.0 * random()).floor() }
            };
            let all: Vec<Variance> = (0..n).map(|_| variance()).collect();
            let further: Vec<Variance> = (0..case % 3).map(|_| variance()).collect();
            let out = case % 3;
            let own = (case % 5 > 0).then(&mut variance);
            let found = VariancePool::new(all.clone()).prior(&all[..out], &further, own);
            let rest: Vec<Variance> = all[out..].iter().chain(&further).copied().collect();
            let expected = in_two_passes(&rest, own)
                .filter(|(value, df)| *value > 0.0 && *df > 0.0 && value.is_finite());
            let found = found.map(|prior| (prior.variance.value, prior.variance.df));
            assert_eq!(found.is_some(), expected.is_some(), "{case}: {found:?} {expected:?}");
            if let Some(((value, df), (expected_value, expected_df))) = found.zip(expected) {
                assert!(
                    (value / expected_value - 1.0).abs() < 1e-11,
                    "{case}: {value} {expected_value}"
                );
                assert!((df / expected_df - 1.0).abs() < 1e-11, "{case}: {df} {expected_df}");
            }
        }
    }
}
