//! Resamples drawn at random, where there are too many to enumerate.

use std::sync::{Arc, Mutex, PoisonError};

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::stats::Resampling;
use crate::stats::sample::Sample;
use crate::stats::statistic::mean;

/// Most picks of a table that is kept for the next metric of as many runs.
const MOST_KEPT: usize = 1 << 20;

/// Picks kept in all: 16 MB of them.
const MOST_IN_ALL: usize = 1 << 23;

/// What a table of picks depends on: runs, resamples, seed, stream.
type Key = (u16, usize, u64, u64);

/// The picks drawn last, for all threads. They depend on nothing but the key, so keeping them changes no result.
static KEPT: Mutex<Vec<(Key, Arc<[u16]>)>> = Mutex::new(Vec::new());

/// Mean of each drawn resample of `sorted`.
///
/// The same seed and stream pick the same positions whatever the values are.
pub(super) fn draw(sorted: &[f64], how: Resampling, stream: u64) -> Vec<f64> {
    let mut resample = vec![0.0; sorted.len()];
    if let Some(picks) = kept(sorted.len(), how, stream) {
        return picks.chunks_exact(sorted.len()).map(|picks| mean_of(sorted, picks)).collect();
    }
    let mut rng = generator(how, stream);
    // Half the random bits of a wider index, and as many runs as there will ever be.
    let n = u32::try_from(sorted.len()).unwrap_or(u32::MAX);
    (0..how.count)
        .map(|_| {
            for slot in &mut resample {
                *slot = sorted[rng.random_range(0..n) as usize];
            }
            mean(&resample)
        })
        .collect()
}

/// [`mean`] of the values at these positions, to the last bit, without a copy of them.
fn mean_of(sorted: &[f64], picks: &[u16]) -> f64 {
    let value = |pick: &u16| sorted[usize::from(*pick)];
    let first = value(&picks[0]);
    if picks[1..].iter().all(|pick| value(pick).total_cmp(&first).is_eq()) {
        return first;
    }
    let n = picks.len() as f64;
    let plain = picks.iter().map(value).sum::<f64>() / n;
    if plain.is_finite() { plain } else { picks.iter().map(|pick| value(pick) / n).sum() }
}

/// The picks of all resamples, one after the other, if they are few enough to keep.
fn kept(runs: usize, how: Resampling, stream: u64) -> Option<Arc<[u16]>> {
    let n = u16::try_from(runs).ok()?;
    let all = how.count.checked_mul(runs).filter(|all| *all <= MOST_KEPT)?;
    let key = (n, how.count, how.seed, stream);
    // Drawn under the lock: the other threads mostly wait for the same table.
    let mut tables = KEPT.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some((_, picks)) = tables.iter().find(|(known, _)| *known == key) {
        return Some(Arc::clone(picks));
    }
    let mut rng = generator(how, stream);
    let pick = |_| {
        let pick = rng.random_range(0..u32::from(n));
        u16::try_from(pick).expect("below a number of 16 bits")
    };
    let picks: Arc<[u16]> = (0..all).map(pick).collect();
    while tables.iter().map(|(_, picks)| picks.len()).sum::<usize>() + all > MOST_IN_ALL {
        tables.remove(0);
    }
    tables.push((key, Arc::clone(&picks)));
    Some(picks)
}

fn generator(how: Resampling, stream: u64) -> ChaCha8Rng {
    let mut rng = ChaCha8Rng::seed_from_u64(how.seed);
    rng.set_stream(stream);
    rng
}

/// A choice between two samples that neither swapping nor a common scale or shift changes.
pub(super) fn baseline_first(baseline: &Sample, candidate: &Sample) -> bool {
    if baseline.runs() != candidate.runs() {
        return baseline.runs() < candidate.runs();
    }
    let standardised = |sample: &Sample| -> Vec<f64> {
        let (mean, sd) = (sample.mean(), sample.standard_deviation().unwrap_or(0.0));
        let sd = if sd > 0.0 { sd } else { 1.0 };
        sample.sorted().iter().map(|value| (value - mean) / sd).collect()
    };
    let (a, b) = (standardised(baseline), standardised(candidate));
    // Beyond rounding, so that a change of unit cannot change the answer.
    let differing = a.iter().zip(&b).find(|(x, y)| (*x - *y).abs() > 1e-9);
    differing.map_or(baseline.mean() <= candidate.mean(), |(x, y)| x < y)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kept_picks_are_the_picks_that_would_be_drawn() {
        let values: Vec<f64> = (0..9).map(f64::from).collect();
        let how = Resampling { count: 500, seed: 7 };
        let mut rng = generator(how, 1);
        let mut fresh = || {
            mean(&std::array::from_fn::<f64, 9, _>(|_| values[rng.random_range(0..9u32) as usize]))
        };
        let expected: Vec<f64> = (0..500).map(|_| fresh()).collect();
        assert_eq!(draw(&values, how, 1), expected);
        // Again, from the table.
        assert_eq!(draw(&values, how, 1), expected);
    }
}
