//! Resamples drawn at random, where there are too many to enumerate.

use std::sync::{Arc, Mutex, PoisonError};

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::change::across::Across;
use crate::change::terms::Resampling;
use crate::runs::sample::Sample;
use crate::runs::statistic::mean;

/// Most picks of a table that is kept for the next metric of as many runs.
const MAX_KEPT: usize = 1 << 20;

/// Picks kept in all: 16 MB of them at most.
const MAX_IN_ALL: usize = 1 << 23;

/// Sums in a table: few beside the resamples, and in the nearest cache.
const MAX_SUMS: usize = 1024;

/// Key of a table of picks: runs, resamples, seed, stream.
type Key = (u16, usize, u64, u64);

/// The picks drawn last, for all threads. They depend on nothing but the key, so keeping them changes no result.
static KEPT: Mutex<Vec<(Key, Arc<Picks>)>> = Mutex::new(Vec::new());

/// The statistic of each drawn resample of `sorted`.
///
/// The same seed and stream pick the same positions whatever the values are.
pub(crate) fn draw(sorted: &[f64], across: Across, how: Resampling, stream: u64) -> Vec<f64> {
    let is_mean = across == Across::MEAN;
    if is_mean && let Some(picks) = kept(sorted.len(), how, stream) {
        return picks.means(sorted);
    }
    let mut resample = vec![0.0; sorted.len()];
    let mut rng = generator(how, stream);
    // Half the random bits of a wider index, and as many runs as there will ever be.
    let n = u32::try_from(sorted.len()).unwrap_or(u32::MAX);
    (0..how.count)
        .map(|_| {
            for slot in &mut resample {
                *slot = sorted[rng.random_range(0..n) as usize];
            }
            if !is_mean {
                resample.sort_unstable_by(f64::total_cmp);
            }
            across.compute(&resample)
        })
        .collect()
}

/// The positions of all resamples. Several of one resample are one number, their digits in base `runs`: its mean then
/// takes a few look-ups in a table of sums.
struct Picks {
    runs: usize,
    /// Positions in a code.
    together: usize,
    /// Codes of one resample after the other; the last code of each holds what is left.
    codes: Vec<u16>,
    /// Resamples that hold one position only, with it.
    alike: Vec<(usize, usize)>,
}

impl Picks {
    fn draw(runs: u16, how: Resampling, stream: u64) -> Self {
        let n = usize::from(runs);
        let mut together = 1;
        let mut sums = n;
        while together < n && sums * n <= MAX_SUMS {
            (together, sums) = (together + 1, sums * n);
        }
        let mut picks = Self {
            runs: n,
            together,
            codes: Vec::with_capacity(how.count * n.div_ceil(together)),
            alike: Vec::new(),
        };
        let mut rng = generator(how, stream);
        let mut resample = vec![0_u16; n];
        for index in 0..how.count {
            for pick in &mut resample {
                let drawn = rng.random_range(0..u32::from(runs));
                *pick = u16::try_from(drawn).expect("below a number of 16 bits");
            }
            let code = |group: &[u16]| group.iter().fold(0, |code, pick| code * runs + pick);
            picks.codes.extend(resample.chunks(together).map(code));
            if resample.iter().all(|pick| *pick == resample[0]) {
                picks.alike.push((index, usize::from(resample[0])));
            }
        }
        picks
    }

    /// Mean of each resample of `sorted`, which has `runs` values.
    fn means(&self, sorted: &[f64]) -> Vec<f64> {
        let codes = self.runs.div_ceil(self.together);
        let resamples = self.codes.chunks_exact(codes);
        // Equal values have that value as their mean, to the last bit.
        if sorted.windows(2).any(|pair| pair[0] >= pair[1]) {
            let mut resample = vec![0.0; self.runs];
            return resamples.map(|codes| self.mean_of(codes, sorted, &mut resample)).collect();
        }
        let sums = sums_of(sorted, self.together);
        let left = sums_of(sorted, (self.runs - 1) % self.together + 1);
        let n = sorted.len() as f64;
        let mean = |codes: &[u16]| {
            let Some((last, first)) = codes.split_last() else { return 0.0 };
            let sum: f64 = first.iter().map(|code| sums[usize::from(*code)]).sum();
            (sum + left[usize::from(*last)]) / n
        };
        // Of 7 to 10 runs the loop over the codes is compiled for their number.
        let mut means: Vec<f64> = match codes {
            3 => self.codes.as_chunks::<3>().0.iter().map(|codes| mean(codes)).collect(),
            4 => self.codes.as_chunks::<4>().0.iter().map(|codes| mean(codes)).collect(),
            _ => resamples.clone().map(mean).collect(),
        };
        if !means.iter().all(|mean| mean.is_finite()) {
            let mut resample = vec![0.0; self.runs];
            for (mean, codes) in
                means.iter_mut().zip(resamples).filter(|(mean, _)| !mean.is_finite())
            {
                *mean = self.mean_of(codes, sorted, &mut resample);
            }
        }
        for &(index, position) in &self.alike {
            means[index] = sorted[position];
        }
        means
    }

    /// [`mean`] of the values of one resample.
    fn mean_of(&self, codes: &[u16], sorted: &[f64], resample: &mut [f64]) -> f64 {
        for (group, &code) in resample.chunks_mut(self.together).zip(codes) {
            let mut code = usize::from(code);
            for slot in group.iter_mut().rev() {
                *slot = sorted[code % self.runs];
                code /= self.runs;
            }
        }
        mean(resample)
    }
}

/// Sums of so many of the values, by the positions that are the digits of a code.
fn sums_of(sorted: &[f64], together: usize) -> Vec<f64> {
    let with_each = |sums: Vec<f64>, _| -> Vec<f64> {
        sums.iter().flat_map(|sum| sorted.iter().map(move |value| sum + value)).collect()
    };
    (1..together).fold(sorted.to_vec(), with_each)
}

/// The picks of all resamples, if they are few enough to keep.
fn kept(runs: usize, how: Resampling, stream: u64) -> Option<Arc<Picks>> {
    let n = u16::try_from(runs).ok()?;
    how.count.checked_mul(runs).filter(|all| *all <= MAX_KEPT)?;
    let key = (n, how.count, how.seed, stream);
    // Drawn under the lock: the other threads mostly wait for the same table.
    let mut tables = KEPT.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some((_, picks)) = tables.iter().find(|(known, _)| *known == key) {
        return Some(Arc::clone(picks));
    }
    let picks = Arc::new(Picks::draw(n, how, stream));
    let all = |tables: &[(Key, Arc<Picks>)]| -> usize {
        tables.iter().map(|(_, picks)| picks.codes.len()).sum()
    };
    while all(&tables) + picks.codes.len() > MAX_IN_ALL {
        tables.remove(0);
    }
    tables.push((key, Arc::clone(&picks)));
    Some(picks)
}

pub(crate) fn generator(how: Resampling, stream: u64) -> ChaCha8Rng {
    let mut rng = ChaCha8Rng::seed_from_u64(how.seed);
    rng.set_stream(stream);
    rng
}

/// A choice between two samples that neither swapping nor a common scale or shift changes.
pub(crate) fn baseline_first(baseline: &Sample, candidate: &Sample) -> bool {
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

    /// The picks one by one are the other way to the same means.
    #[test]
    fn sums_in_tables_are_the_means_of_the_picks() {
        let how = Resampling { count: 500, seed: 7 };
        // Groups of five, three, two and one, and what is left over; values that are equal, that overflow a sum.
        for n in [2_u32, 3, 7, 10, 12, 33, 50] {
            let shapes: [fn(f64) -> f64; 4] =
                [|x| x * x + 0.1, |x| (x / 3.0).floor() + 0.1, |_| 0.1, |x| f64::MAX / (x + 1.0)];
            for shape in shapes {
                let mut values: Vec<f64> = (0..n).map(|i| shape(f64::from(i))).collect();
                values.sort_by(f64::total_cmp);
                let mut rng = generator(how, 1);
                let mut fresh = || {
                    let picked = |_| values[rng.random_range(0..n) as usize];
                    mean(&(0..n).map(picked).collect::<Vec<f64>>())
                };
                let expected: Vec<f64> = (0..500).map(|_| fresh()).collect();
                // Twice: then from the table that is kept.
                for _ in 0..2 {
                    let means = draw(&values, Across::MEAN, how, 1);
                    for (mean, expected) in means.iter().zip(&expected) {
                        assert!(
                            (mean - expected).abs() <= 1e-14 * expected,
                            "{n}: {mean} {expected}"
                        );
                        // Equal values: that value.
                        assert!(
                            values[0] < values[1]
                                || values[0] < *expected
                                || mean.to_bits() == expected.to_bits()
                        );
                    }
                    assert_eq!(means.len(), expected.len());
                }
            }
        }
    }
}
