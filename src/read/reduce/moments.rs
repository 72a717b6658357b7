//! Mean and standard deviation of values that arrive in blocks.
//!
//! Each block is summed up on its own and the blocks are joined in the order of the file, so that the figures
//! do not depend on which thread read which block.

use super::order::value_of;

/// Count, sum and squared deviations of some values.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Moments {
    count: u64,
    /// Sum as a number and what its rounding left out.
    sum: f64,
    rest: f64,
    /// Sum of squared deviations from the mean.
    squares: f64,
    least: f64,
    largest: f64,
}

/// Sum of two numbers, and what its rounding left out (Knuth's two-sum).
fn two_sum(a: f64, b: f64) -> (f64, f64) {
    let sum = a + b;
    let b_part = sum - a;
    (sum, (a - (sum - b_part)) + (b - b_part))
}

impl Moments {
    /// Moments of one block, not empty ones.
    pub(super) fn from_keys(keys: &[u64]) -> Self {
        let mut all = Self { least: f64::INFINITY, largest: f64::NEG_INFINITY, ..Self::default() };
        for value in keys.iter().map(|&key| value_of(key)) {
            let (sum, rest) = two_sum(all.sum, value);
            (all.sum, all.rest) = (sum, all.rest + rest);
            all.least = all.least.min(value);
            all.largest = all.largest.max(value);
        }
        all.count = keys.len() as u64;
        let mean = all.mean().unwrap_or_default();
        all.squares = keys.iter().map(|&key| (value_of(key) - mean).powi(2)).sum();
        all
    }

    /// Joins the moments of the block that follows.
    pub(super) fn join(&mut self, next: &Self) {
        if self.count == 0 {
            *self = *next;
            return;
        }
        let Some((a, b)) = self.mean().zip(next.mean()) else { return };
        let (n, m) = (self.count as f64, next.count as f64);
        self.squares += next.squares + (b - a).powi(2) * n * m / (n + m);
        let (sum, rest) = two_sum(self.sum, next.sum);
        (self.sum, self.rest) = (sum, self.rest + next.rest + rest);
        self.count += next.count;
        self.least = self.least.min(next.least);
        self.largest = self.largest.max(next.largest);
    }

    /// Sum of the values.
    pub(super) fn sum(&self) -> f64 {
        self.sum + self.rest
    }

    /// Mean; `None` for no values.
    pub(super) fn mean(&self) -> Option<f64> {
        // The mean of equal values is that value, whatever the rounding.
        let mean = self.sum() / self.count as f64;
        (self.count > 0).then(|| mean.clamp(self.least, self.largest))
    }

    /// Standard deviation with divisor n, as the clients print it; `None` for no values.
    pub(super) fn deviation(&self) -> Option<f64> {
        (self.count > 0).then(|| (self.squares / self.count as f64).sqrt())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read::reduce::order::key_of;

    fn moments_of(values: &[f64], block: usize) -> Moments {
        let keys: Vec<u64> = values.iter().map(|&value| key_of(value)).collect();
        let mut all = Moments::default();
        keys.chunks(block).for_each(|keys| all.join(&Moments::from_keys(keys)));
        all
    }

    /// By hand: the sum of 1, 1e16, 1, -1e16 is 2, which plain addition loses; the squared deviations of
    /// 2, 4, 4, 4, 5, 5, 7, 9 from 5 add up to 32, over 8 that is 4.
    #[test]
    fn sums_keep_what_rounding_drops() {
        for block in [1, 2, 4] {
            assert_eq!(moments_of(&[1.0, 1e16, 1.0, -1e16], block).sum().to_bits(), 2f64.to_bits());
        }
        for block in [1, 3, 8] {
            let all = moments_of(&[2.0, 4.0, 4.0, 4.0, 5.0, 5.0, 7.0, 9.0], block);
            assert!((all.mean().unwrap() - 5.0).abs() < 1e-15);
            assert!((all.deviation().unwrap() - 2.0).abs() < 1e-15);
        }
        assert_eq!(moments_of(&[], 1).mean(), None);
    }

    #[test]
    fn equal_values_have_themselves_as_mean() {
        let all = moments_of(&[0.1; 1000], 7);
        assert_eq!(all.mean().unwrap().to_bits(), 0.1f64.to_bits());
    }
}
