//! Two clusters of runs: a mean that no run is near.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::runs::spread::{deviations, in_unit};
use crate::runs::statistic::mean;

/// Fewest values in which two clusters are looked for.
const MIN_VALUES: usize = 8;

/// Uniform samples drawn for a p-value: one of 0.001 is then known to 0.0003.
const DRAWS: usize = 10_000;

/// Draws for more values than `MANY`, which take longer; a split of so many values is clear or does not exist.
const DRAWS_OF_MANY: usize = 1_000;
const MANY: usize = 100;

/// Shares of uniform samples by their size and seed, ascending; the same for every caller.
static UNIFORM_SHARES: Mutex<BySizeAndSeed> = Mutex::new(BTreeMap::new());

type BySizeAndSeed = BTreeMap<(usize, u64), Arc<[f64]>>;

/// The split of a sample into two clusters that explains most of its spread.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Modes {
    /// Means of the lower and of the upper cluster, in the unit of the values.
    pub centres: [f64; 2],
    /// Number of values in the lower and in the upper cluster.
    pub counts: [usize; 2],
    /// Share of the sum of squares that lies between the clusters, in (0, 1].
    pub share: f64,
    /// Gap between the clusters over the widest gap inside one; `None` where none is inside.
    pub gap: Option<f64>,
    /// Probability that a uniform sample of the same size splits as well, in (0, 1].
    pub p_value: f64,
}

impl Modes {
    /// Best split of `values` into a lower and an upper cluster, and whether it is better than chance.
    ///
    /// Each cluster holds at least 2 values and a fifth of all. The split has the largest ratio of the
    /// sum of squares between clusters to that within, of the logarithms where all values are positive; the p-value is
    /// `(count + 1) / 10001` over 10,000 uniform samples of the same size (1,000 beyond 100 values), split likewise and
    /// drawn with `seed`. Values printed so coarsely that only two of them occur always split well.
    ///
    /// The uniform distribution has no modes and splits better than normal, lognormal, exponential and Student's t values
    /// do, so that a p-value holds for all of these. It costs power where the modes are close: at a level of 0.01, half of
    /// the values 6 standard deviations away from the other half are found in 19 % at 8 values, 41 % at 12 and 76 % at 20;
    /// 10 deviations away in 76 %, 99 % and all.
    ///
    /// `None` for fewer than 8 values, or where no split between unequal values leaves both clusters
    /// large enough. The values are finite, in any order.
    ///
    /// # Examples
    ///
    /// ```
    /// use beyondnoise_stats::Modes;
    ///
    /// let values = [10.1, 12.9, 10.0, 13.0, 9.9, 13.1, 10.2, 10.0];
    /// let modes = Modes::of(&values, 0).unwrap();
    /// assert_eq!(modes.counts, [5, 3]);
    /// assert!((modes.centres[1] - 13.0).abs() < 1e-12 && modes.p_value < 0.01);
    /// assert_eq!(Modes::of(&[1.0; 8], 0), None);
    /// ```
    ///
    /// # References
    ///
    /// L. Engelman, J. A. Hartigan. Percentage points of a test for clusters. *Journal of the American
    /// Statistical Association* 64, 1969.
    pub fn of(values: &[f64], seed: u64) -> Option<Modes> {
        modes_if(values, seed, |_, _| true)
    }

    /// [`Modes::of`] if they are not chance: the p-value is below `level`, the gap between the clusters more than `gap`
    /// times any inside them, and the distance of their centres more than `least`, in the unit of the values.
    pub fn clear(values: &[f64], seed: u64, (level, gap, least): (f64, f64, f64)) -> Option<Modes> {
        // The p-value last: it takes longest.
        let apart = |[low, high]: [f64; 2], seen: Option<f64>| {
            high - low > least && seen.is_none_or(|s| s > gap)
        };
        modes_if(values, seed, apart).filter(|modes| modes.p_value < level)
    }
}

/// The split, if its centres and its gap are as wanted.
fn modes_if(
    values: &[f64],
    seed: u64,
    wanted: impl Fn([f64; 2], Option<f64>) -> bool,
) -> Option<Modes> {
    let n = values.len();
    if n < MIN_VALUES {
        return None;
    }
    let (mut sorted, unit) = in_unit(values);
    sorted.sort_by(f64::total_cmp);
    let split =
        if sorted[0] > 0.0 { sorted.iter().map(|v| v.ln()).collect() } else { sorted.clone() };
    let (share, lower) = best_split(&split)?;
    let (low, high) = split.split_at(lower);
    let widest =
        |cluster: &[f64]| cluster.windows(2).map(|pair| pair[1] - pair[0]).fold(0.0, f64::max);
    let inside = widest(low).max(widest(high));
    let gap = Some((high[0] - low[lower - 1]) / inside).filter(|gap| gap.is_finite());
    let centres = [&sorted[..lower], &sorted[lower..]].map(|cluster| mean(cluster) * unit);
    if !wanted(centres, gap) {
        return None;
    }
    let drawn = uniform_shares(n, seed);
    let as_good = drawn.len() - drawn.partition_point(|drawn| *drawn < share);
    let p_value = (as_good + 1) as f64 / (drawn.len() + 1) as f64;
    Some(Modes { centres, counts: [lower, n - lower], share, gap, p_value })
}

/// Largest share of the sum of squares between two clusters of ascending values, and the size of
/// the lower one; the first of equal ones.
fn best_split(sorted: &[f64]) -> Option<(f64, usize)> {
    let n = sorted.len();
    let least = n.div_ceil(5).max(2);
    let deviations = deviations(sorted);
    let all: f64 = deviations.iter().map(|d| d * d).sum();
    let (mut below, mut best) = (0.0, None);
    for lower in 1..=n - least {
        below += deviations[lower - 1];
        if lower < least || sorted[lower - 1] >= sorted[lower] {
            continue;
        }
        // The deviations sum to zero, so the two clusters lie `below / lower` and its counterpart
        // away.
        let between = below * below * n as f64 / (lower * (n - lower)) as f64;
        let share = (between / all).min(1.0);
        if best.is_none_or(|(largest, _)| share > largest) {
            best = Some((share, lower));
        }
    }
    best
}

/// Shares of uniform samples of `n` values, ascending.
fn uniform_shares(n: usize, seed: u64) -> Arc<[f64]> {
    let known = || UNIFORM_SHARES.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(shares) = known().get(&(n, seed)) {
        return Arc::clone(shares);
    }
    // Drawn without the lock: two threads may do it at once, and get the same.
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut sample = vec![0.0; n];
    let mut shares: Vec<f64> = (0..if n > MANY { DRAWS_OF_MANY } else { DRAWS })
        .map(|_| {
            sample.fill_with(|| rng.random::<f64>());
            sample.sort_unstable_by(f64::total_cmp);
            best_split(&sample).map_or(0.0, |(share, _)| share)
        })
        .collect();
    shares.sort_unstable_by(f64::total_cmp);
    let shares: Arc<[f64]> = shares.into();
    known().insert((n, seed), Arc::clone(&shares));
    shares
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cluster_holds_a_fifth_of_the_values() {
        // One value far away is an outlier, not a mode: the split keeps 2 of 8 and 3 of 11.
        let far = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 900.0];
        assert_eq!(Modes::of(&far, 1).unwrap().counts, [6, 2]);
        let far: Vec<f64> = (1..=10).map(f64::from).chain([900.0]).collect();
        assert_eq!(Modes::of(&far, 1).unwrap().counts, [8, 3]);
        // Equal values stay together, and one alone is too few.
        assert_eq!(Modes::of(&[1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 9.0], 1), None);
    }

    #[test]
    fn two_values_only_are_two_modes_without_a_spread() {
        let modes = Modes::of(&[0.1, 0.1, 0.1, 0.1, 0.2, 0.2, 0.2, 0.2], 3).unwrap();
        assert!((modes.share - 1.0).abs() < 1e-12);
        assert!((modes.p_value - 1.0 / 10001.0).abs() < 1e-12);
    }

    #[test]
    fn uniform_values_split_by_chance_at_the_stated_rate() {
        let mut rng = ChaCha8Rng::seed_from_u64(99);
        let low = (0..2_000).filter(|_| {
            let values: Vec<f64> = (0..12).map(|_| 50.0 + rng.random::<f64>()).collect();
            Modes::of(&values, 5).unwrap().p_value <= 0.05
        });
        // Binomial(2000, 0.05) has standard deviation 9.7, and the null of 10,000 draws half as much again.
        let low = low.count();
        assert!((45..=155).contains(&low), "{low} of 2000");
    }
}
