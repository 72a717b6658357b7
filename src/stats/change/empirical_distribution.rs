//! The distribution of drawn deltas: what is asked of it are a few quantiles and levels, for which no full order is needed.

use crate::runs::spread::sum;

/// Deltas in a bucket on average: few enough to look through, many enough that the buckets stay in the cache.
const IN_A_BUCKET: usize = 8;

/// Beside it a number below `2^32` has no fraction.
const WHOLE: f64 = (1_u64 << 52) as f64;

/// Deltas of the same weight, in buckets of equal width.
#[derive(Clone, Debug)]
pub(crate) struct EmpiricalDistribution {
    /// Bucket after bucket, ascending; in no order inside one.
    deltas: Vec<f64>,
    /// Where each bucket begins, and the number of deltas at the end.
    starts: Vec<usize>,
    lowest: f64,
    /// Buckets in a unit of the deltas.
    per_unit: f64,
    mean: f64,
    standard_deviation: f64,
}

impl EmpiricalDistribution {
    /// The distribution of these deltas, at least one.
    pub(crate) fn from_draws(drawn: &[f64]) -> Self {
        let n = drawn.len() as f64;
        // In the order drawn: swapping the variants negates each value in place, and must not change the rounding.
        let mean = sum(drawn, |delta| delta) / n;
        let standard_deviation = (sum(drawn, |delta| (delta - mean).powi(2)) / n).sqrt();
        let (lowest, highest) = range_of(drawn);
        let buckets = (drawn.len() / IN_A_BUCKET).max(1);
        let per_unit = Some(buckets as f64 / (highest - lowest)).filter(|scale| scale.is_finite());
        let mut distribution = Self {
            deltas: vec![0.0; drawn.len()],
            starts: vec![0; buckets + 1],
            lowest,
            per_unit: per_unit.unwrap_or(0.0),
            mean,
            standard_deviation,
        };
        let of: Vec<u32> = drawn.iter().map(|delta| distribution.bucket(*delta)).collect();
        for bucket in &of {
            distribution.starts[*bucket as usize + 1] += 1;
        }
        for bucket in 0..buckets {
            distribution.starts[bucket + 1] += distribution.starts[bucket];
        }
        let mut next = distribution.starts.clone();
        for (&delta, bucket) in drawn.iter().zip(of) {
            let place = &mut next[bucket as usize];
            distribution.deltas[*place] = delta;
            *place += 1;
        }
        distribution
    }

    /// The bucket of a number: it never falls as the number rises.
    #[expect(
        clippy::cast_possible_truncation,
        reason = "the last bits of a mantissa hold the number that is meant"
    )]
    fn bucket(&self, x: f64) -> u32 {
        let last = (self.starts.len() - 2) as f64;
        let place = ((x - self.lowest) * self.per_unit).max(0.0).min(last);
        // Rounds to a whole number in the last bits of the mantissa: cheaper than a saturating cast.
        (place + WHOLE).to_bits() as u32
    }

    fn range(&self, bucket: usize) -> std::ops::Range<usize> {
        self.starts[bucket]..self.starts[bucket + 1]
    }

    /// Number of deltas.
    pub(crate) fn len(&self) -> usize {
        self.deltas.len()
    }

    /// Number of deltas in a bucket before that of `x`, and of those in it that are `counted`.
    fn up_to(&self, x: f64, counted: impl Fn(&&f64) -> bool) -> usize {
        let range = self.range(self.bucket(x) as usize);
        range.start + self.deltas[range].iter().filter(counted).count()
    }

    /// Number of deltas of at most `x`.
    pub(crate) fn at_most(&self, x: f64) -> usize {
        self.up_to(x, |delta| **delta <= x)
    }

    /// Number of deltas below `x`.
    pub(crate) fn below(&self, x: f64) -> usize {
        self.up_to(x, |delta| **delta < x)
    }

    /// The delta with `index` others before it in ascending order.
    pub(crate) fn ranked(&self, index: usize) -> f64 {
        let bucket = self.starts.partition_point(|start| *start <= index) - 1;
        let range = self.range(bucket);
        let within = index - range.start;
        let mut inside = self.deltas[range].to_vec();
        *inside.select_nth_unstable_by(within, f64::total_cmp).1
    }

    pub(crate) fn mean(&self) -> f64 {
        self.mean
    }

    /// Standard deviation about the mean.
    pub(crate) fn standard_deviation(&self) -> f64 {
        self.standard_deviation
    }

    /// The distribution of the negated deltas.
    pub(crate) fn negated(&self) -> Self {
        let negated: Vec<f64> = self.deltas.iter().map(|delta| -delta).collect();
        let Self { mean, standard_deviation, .. } = *self;
        Self { mean: -mean, standard_deviation, ..Self::from_draws(&negated) }
    }
}

/// The lowest and the highest of the values, in eight lanes side by side; plain comparisons, which the processor has as one
/// instruction for several lanes.
fn range_of(values: &[f64]) -> (f64, f64) {
    let lower = |a: f64, b: f64| if b < a { b } else { a };
    let higher = |a: f64, b: f64| if b > a { b } else { a };
    let (mut lowest, mut highest) = ([f64::INFINITY; 8], [f64::NEG_INFINITY; 8]);
    let (eights, rest) = values.as_chunks::<8>();
    for eight in eights {
        for lane in 0..8 {
            lowest[lane] = lower(lowest[lane], eight[lane]);
            highest[lane] = higher(highest[lane], eight[lane]);
        }
    }
    (
        lowest.iter().chain(rest).copied().fold(f64::INFINITY, lower),
        highest.iter().chain(rest).copied().fold(f64::NEG_INFINITY, higher),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A full sort is the other way to the same numbers.
    #[test]
    fn buckets_give_what_a_full_order_gives() {
        let scattered = |i: u32| f64::from(i.wrapping_mul(2_654_435_761) >> 20);
        let shapes: [fn(f64) -> f64; 4] =
            [|x| x, |x| x.powi(9) - 1e30, |_| 7.5, |x| if x < 2000.0 { -x } else { 1e12 + x }];
        for n in [1_u32, 2, 7, 100, 5_000] {
            for shape in shapes {
                let drawn: Vec<f64> = (0..n).map(|i| shape(scattered(i))).collect();
                let distribution = EmpiricalDistribution::from_draws(&drawn);
                let mut sorted = drawn;
                sorted.sort_by(f64::total_cmp);
                for (index, value) in sorted.iter().enumerate() {
                    assert_eq!(distribution.ranked(index).to_bits(), value.to_bits());
                }
                let around = |x: &f64| [x.next_down(), *x, x.next_up()];
                let ends = [f64::NEG_INFINITY, f64::MIN, f64::MAX, f64::INFINITY];
                for x in sorted.iter().step_by(37).flat_map(around).chain(ends) {
                    assert_eq!(
                        distribution.at_most(x),
                        sorted.partition_point(|delta| *delta <= x)
                    );
                    assert_eq!(distribution.below(x), sorted.partition_point(|delta| *delta < x));
                }
            }
        }
    }
}
