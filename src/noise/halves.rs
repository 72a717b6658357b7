//! Comparisons of a build with itself: its runs are split into two random halves.

use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;

use crate::policy::Policy;
use crate::report::noise::SplitHalves;
use crate::stats::{Across, Method, Resampling, Sample, Scale, TwoSample, Undefined};

/// Fewest runs for halves: 3 in each half give a usable interval.
const FEWEST: usize = 6;

const MOST_SPLITS: usize = 1_000;

/// Most runs for halves: with more, the splits cost more than they show.
const MOST_RUNS: usize = 200;

/// Resamples for each split of many runs. A p-value of 0.05 is then known to 0.007; the share of splits averages that out.
const RESAMPLES: usize = 1_000;

/// Factor between Welch's p-value and alpha from which on the default method is skipped, since it would agree. It did for all
/// of 22,500 splits of 13 to 40 values in five shapes (normal, skewed, spiky, with two modes).
const CLEAR: f64 = 4.0;

/// Smallest alpha in that test.
const LEAST_ALPHA: f64 = 0.01;

/// Compares halves of `values` by the default method.
///
/// `None` for fewer than 6 or more than 200 values, and for equal values.
pub(super) fn halves(values: &[f64], resolution: f64, policy: &Policy) -> Option<SplitHalves> {
    let n = values.len();
    let vary = values.iter().any(|value| value.total_cmp(&values[0]).is_ne());
    if !(FEWEST..=MOST_RUNS).contains(&n) || !vary {
        return None;
    }
    let scale = if values.iter().all(|value| *value > 0.0) { Scale::Log } else { Scale::Linear };
    let how = Resampling { count: RESAMPLES, seed: policy.resampling.seed };
    let alpha = policy.alpha();
    let every = all_splits(n);
    let all = every.is_some();
    let flagged = |first: &Vec<bool>| -> Option<bool> {
        let half = |side: bool| {
            let of_side = values.iter().zip(first).filter(|(_, first)| **first == side);
            let of_side = of_side.map(|(value, _)| *value).collect();
            Sample::rounded(of_side, resolution).expect("finite values in both halves")
        };
        let (a, b) = (half(true), half(false));
        let p_value = |method| {
            TwoSample::new(&a, &b, Across::MEAN, how)
                .curve(scale, method)
                .map(|curve| curve.p_value(0.0))
        };
        if !all && alpha >= LEAST_ALPHA {
            let rough = p_value(Method::Welch).unwrap_or(alpha);
            if rough > CLEAR * alpha || rough < alpha / CLEAR {
                return Some(rough < alpha);
            }
        }
        match p_value(Method::Calibrated) {
            Ok(p) => Some(p < alpha),
            // Each half has equal values, and the halves differ: nothing could be clearer.
            Err(Undefined::NoVariance) => Some(a.mean().total_cmp(&b.mean()).is_ne()),
            Err(_) => None,
        }
    };
    let splits = every.unwrap_or_else(|| drawn_splits(n, policy.resampling.seed));
    let answers: Option<Vec<bool>> = splits.par_iter().map(flagged).collect();
    let flagged = answers?.into_iter().filter(|flagged| *flagged).count();
    let splits = splits.len();
    Some(SplitHalves { splits, all, flagged, share: flagged as f64 / splits as f64 })
}

/// Every split of `n` runs into halves as equal as possible, if there are at most [`MOST_SPLITS`].
fn all_splits(n: usize) -> Option<Vec<Vec<bool>>> {
    let mut splits = Vec::new();
    for bits in 0..1u32.checked_shl(u32::try_from(n).ok()?)? {
        // With equal halves the first half contains the first run, so that no split occurs twice.
        if usize::try_from(bits.count_ones()) != Ok(n / 2) || (n.is_multiple_of(2) && bits & 1 == 0)
        {
            continue;
        }
        if splits.len() == MOST_SPLITS {
            return None;
        }
        splits.push((0..n).map(|run| bits >> run & 1 == 1).collect());
    }
    Some(splits)
}

/// [`MOST_SPLITS`] random splits, each from its own stream.
fn drawn_splits(n: usize, seed: u64) -> Vec<Vec<bool>> {
    let draw = |stream| {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        rng.set_stream(stream);
        let mut split: Vec<bool> = (0..n).map(|run| run < n / 2).collect();
        split.shuffle(&mut rng);
        split
    };
    (0..MOST_SPLITS as u64).map(draw).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// By hand: C(6, 3) / 2, C(7, 3), C(10, 5) / 2, C(12, 6) / 2; C(13, 6) = 1716.
    #[test]
    fn every_split_comes_once() {
        for (n, ways) in [(6, 10), (7, 35), (10, 126), (12, 462)] {
            let mut splits = all_splits(n).unwrap();
            assert_eq!(splits.len(), ways, "{n}");
            splits.sort();
            splits.dedup();
            assert_eq!(splits.len(), ways, "{n}");
        }
        assert_eq!(all_splits(13), None);
        assert_eq!(all_splits(40), None);
    }

    #[test]
    fn drawn_halves_are_halves() {
        for split in drawn_splits(13, 7) {
            assert_eq!(split.iter().filter(|first| **first).count(), 6);
        }
    }

    #[test]
    fn two_levels_differ_only_when_they_are_apart() {
        // 1 1 1 against 2 2 2 is one of ten splits; in all others both halves contain both levels.
        let found =
            halves(&[1.0, 1.0, 1.0, 2.0, 2.0, 2.0], 0.0, &Policy::default()).expect("six runs");
        assert_eq!((found.splits, found.flagged, found.all), (10, 1, true));
        assert_eq!(halves(&[1.0; 5], 0.0, &Policy::default()), None);
    }

    #[test]
    fn the_same_seed_gives_the_same_share() {
        let values: Vec<f64> = (0..20).map(|i| 100.0 + f64::from(i * 7 % 20)).collect();
        let policy = Policy::default();
        assert_eq!(halves(&values, 0.5, &policy), halves(&values, 0.5, &policy));
    }
}
