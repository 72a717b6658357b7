//! The order of the runs: blocks, each a permutation of the variants drawn by a seed, and then its mirror image.

use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;

/// The variant of each run with its number among that variant's runs, from 1; without end.
///
/// After every permutation all variants have as many runs, and after every block the same mean place, so that a steady
/// drift changes all alike.
pub(super) struct Order {
    rng: ChaCha8Rng,
    permutation: Vec<usize>,
    /// Runs so far.
    made: usize,
}

impl Order {
    /// The order of this number of variants, at least one.
    pub(super) fn new(variants: usize, seed: u64) -> Self {
        let rng = ChaCha8Rng::seed_from_u64(seed);
        Self { rng, permutation: (0..variants.max(1)).collect(), made: 0 }
    }
}

impl Iterator for Order {
    type Item = (usize, usize);

    fn next(&mut self) -> Option<Self::Item> {
        let all = self.permutation.len();
        let (round, at) = (self.made / all, self.made % all);
        if at == 0 && round % 2 == 0 {
            self.permutation.sort_unstable();
            self.permutation.shuffle(&mut self.rng);
        }
        self.made += 1;
        let mirrored = round % 2 == 1;
        Some((self.permutation[if mirrored { all - 1 - at } else { at }], round + 1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_are_permutations_and_their_mirror_images() {
        for (variants, seed) in [(2, 0), (2, 1), (3, 0), (5, 7)] {
            let order: Vec<(usize, usize)> =
                Order::new(variants, seed).take(8 * variants).collect();
            for (at, half) in order.chunks(variants).enumerate() {
                let mut all: Vec<usize> = half.iter().map(|(variant, _)| *variant).collect();
                all.sort_unstable();
                assert_eq!(all, (0..variants).collect::<Vec<_>>());
                assert!(half.iter().all(|(_, round)| *round == at + 1));
            }
            for block in order.chunks(2 * variants) {
                let places: Vec<usize> = block.iter().map(|(variant, _)| *variant).collect();
                let mirrored: Vec<usize> = places.iter().rev().copied().collect();
                assert_eq!(places, mirrored);
            }
        }
    }

    #[test]
    fn the_seed_draws_which_variant_comes_first() {
        let first =
            |seed| Order::new(2, seed).step_by(4).take(16).map(|(v, _)| v).collect::<Vec<_>>();
        assert!(first(1).contains(&0) && first(1).contains(&1));
        assert_ne!(first(1), first(2));
        assert_eq!(first(3), first(3));
    }
}
