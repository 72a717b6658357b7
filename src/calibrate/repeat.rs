//! Many seeded repetitions in parallel.

use std::ops::Range;

use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;

use crate::stats::Resampling;

/// Repetitions with resamples from the same seed. With one seed for all, its luck would affect the whole cell: with 2,000
/// resamples it moves a coverage by half a percent.
pub const BLOCK: u64 = 64;

/// Repetitions that run one after another.
pub struct Block {
    /// Position of the repeated job.
    pub job: usize,
    /// Their numbers among those of the job, from 0.
    pub repetitions: Range<u64>,
    /// How its resamples are drawn.
    pub how: Resampling,
}

/// Runs `repetitions` of each job, in blocks of `length` on all threads. The results are in order, so they do not depend on the
/// threads.
pub fn in_blocks<T: Send>(
    repetitions: &[u64],
    length: u64,
    first: Resampling,
    one: impl Fn(&Block) -> T + Sync,
) -> Vec<(usize, T)> {
    let of_job = |(job, all): (usize, &u64)| {
        let all = *all;
        (0..all.div_ceil(length)).map(move |block| Block {
            job,
            repetitions: block * length..all.min((block + 1) * length),
            how: Resampling { seed: first.seed.wrapping_add(block), ..first },
        })
    };
    let blocks: Vec<Block> = repetitions.iter().enumerate().flat_map(of_job).collect();
    blocks.par_iter().map(|block| (block.job, one(block))).collect()
}

/// The generator of one repetition.
pub fn generator(seed: u64, stream: u64) -> ChaCha8Rng {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    rng.set_stream(stream);
    rng
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_repetition_is_made_once_and_in_order() {
        let blocks = in_blocks(&[150, 10], 64, Resampling { count: 100, seed: 7 }, |block| {
            (block.repetitions.clone().collect::<Vec<u64>>(), block.how.seed)
        });
        let of = |job: usize| -> Vec<u64> {
            blocks.iter().filter(|(j, _)| *j == job).flat_map(|(_, (all, _))| all.clone()).collect()
        };
        assert_eq!(of(0), (0..150).collect::<Vec<u64>>());
        assert_eq!(of(1), (0..10).collect::<Vec<u64>>());
        let seeds: Vec<u64> = blocks.iter().map(|(_, (_, seed))| *seed).collect();
        assert_eq!(seeds, [7, 8, 9, 7]);
    }
}
