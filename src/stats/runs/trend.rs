//! Whether the order of the runs left a mark on their values: a drift, or a memory of the run
//! before.
//!
//! Both tests ask what would be seen if the values came in any order. Neither knows the clock: a
//! pause between two runs does not count.

use statrs::distribution::{ContinuousCDF, Normal};

use crate::runs::spread::{deviations, in_unit};

/// Most values for which the distribution of Kendall's S is computed exactly.
const MAX_EXACT: usize = 50;

/// Fewest values for a lag-1 autocorrelation.
const MIN_FOR_LAG: usize = 10;

/// Rank correlation of value and order.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Trend {
    /// Kendall's S: pairs in which the later value is larger, less those in which it is smaller.
    pub s: i64,
    /// Kendall's tau-b, in [-1, 1]; positive where the values grow with the order.
    pub tau: f64,
    /// Two-sided p-value of no trend, in (0, 1].
    pub p_value: f64,
}

/// Correlation of each value with the one before it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Autocorrelation {
    /// Lag-1 autocorrelation, in (-1, 1).
    pub r: f64,
    /// Two-sided p-value of no autocorrelation, in [0, 1].
    pub p_value: f64,
}

impl Trend {
    /// Mann-Kendall test for a drift of `values`, in the order of the runs.
    ///
    /// Up to 50 values the p-value is exact: the share of all orders of these values, ties included,
    /// whose S is as far from zero. Beyond, it is the normal approximation with the variance corrected
    /// for ties and with continuity correction. `None` for fewer than 4 values or where all are equal.
    ///
    /// The values are finite.
    ///
    /// # Examples
    ///
    /// ```
    /// use beyondnoise_stats::Trend;
    ///
    /// let trend = Trend::of(&[9.1, 9.4, 9.6, 9.5, 9.9]).unwrap();
    /// assert_eq!((trend.s, trend.tau), (8, 0.8));
    /// assert!((trend.p_value - 10.0 / 120.0).abs() < 1e-12); // 5 of 120 orders at either end
    /// assert_eq!(Trend::of(&[9.1, 9.4, 9.6]), None);
    /// ```
    ///
    /// # References
    ///
    /// H. B. Mann. Nonparametric tests against trend. *Econometrica* 13, 1945.
    /// M. G. Kendall. *Rank Correlation Methods*, 4th ed., chapters 3 to 5. Griffin, 1970.
    pub fn of(values: &[f64]) -> Option<Trend> {
        Trend::of_blocks(&[values])
    }

    /// [`Trend::of`] of several series that share a drift about levels of their own, such as the runs of two builds
    /// made alternately: only values of the same series are compared, and S is the sum over them.
    ///
    /// Of series in which all values are equal, and of those of fewer than 2, nothing is taken. `None` where the others
    /// have fewer than 4 values together. The p-value is exact where no series has more than 50.
    ///
    /// # Examples
    ///
    /// ```
    /// use beyondnoise_stats::Trend;
    ///
    /// let trend = Trend::of_blocks(&[&[1.0, 2.0, 3.0], &[7.0, 8.0, 9.0]]).unwrap();
    /// assert_eq!((trend.s, trend.tau), (6, 1.0));
    /// assert!((trend.p_value - 2.0 / 36.0).abs() < 1e-12); // both rise or both fall: 2 of 6 * 6 orders
    /// ```
    ///
    /// # References
    ///
    /// R. M. Hirsch, J. R. Slack, R. A. Smith. Techniques of trend analysis for monthly water quality data. *Water
    /// Resources Research* 18, 1982 (the seasonal Kendall test).
    pub fn of_blocks(series: &[&[f64]]) -> Option<Trend> {
        let varying: Vec<(&[f64], Vec<usize>)> = series
            .iter()
            .map(|values| (*values, tie_groups(values)))
            .filter(|(_, ties)| ties.len() > 1)
            .collect();
        if varying.iter().map(|(values, _)| values.len()).sum::<usize>() < 4 {
            return None;
        }
        let pairs = |n: usize| n * (n - 1) / 2;
        let signed = |count: usize| i64::try_from(count).unwrap_or(i64::MAX);
        let (mut s, mut untied, mut all, mut falls) = (0, 0, 0, 0);
        for (values, ties) in &varying {
            let equal: usize = ties.iter().copied().map(pairs).sum();
            let falling = falling_pairs(values);
            let rising = pairs(values.len()) - equal - falling;
            s += signed(rising) - signed(falling);
            (untied, all) = (untied + rising + falling, all + pairs(values.len()));
            falls += falling;
        }
        let tau = s as f64 / (untied as f64 * all as f64).sqrt();
        let p_value = if varying.iter().all(|(values, _)| values.len() <= MAX_EXACT) {
            exact(varying.iter().map(|(_, ties)| &ties[..]), falls.min(untied - falls))
        } else {
            normal(&varying, s)
        };
        Some(Trend { s, tau: tau.clamp(-1.0, 1.0), p_value: p_value.clamp(f64::MIN_POSITIVE, 1.0) })
    }
}

/// Pairs in which the later value is the smaller one, counted while the values are merged into order.
fn falling_pairs(values: &[f64]) -> usize {
    let (mut from, mut to) = (values.to_vec(), vec![0.0; values.len()]);
    let (mut falls, mut width) = (0, 1);
    while width < from.len() {
        for (both, merged) in from.chunks(2 * width).zip(to.chunks_mut(2 * width)) {
            let (mut earlier, mut later) = both.split_at(width.min(both.len()));
            for slot in merged {
                let (next, rest) = match (earlier, later) {
                    ([x, ..], [y, rest @ ..]) if y < x => {
                        falls += earlier.len();
                        (y, (earlier, rest))
                    }
                    ([x, rest @ ..], _) => (x, (rest, later)),
                    ([], [y, rest @ ..]) => (y, (earlier, rest)),
                    ([], []) => break,
                };
                *slot = *next;
                (earlier, later) = rest;
            }
        }
        std::mem::swap(&mut from, &mut to);
        width *= 2;
    }
    falls
}

/// Two-sided p-value: twice the probability of at most `fewer` falling pairs, over all orders of each series.
fn exact<'a>(series: impl Iterator<Item = &'a [usize]>, fewer: usize) -> f64 {
    let distribution =
        series.fold(vec![1.0], |distribution, ties| sum_law(&distribution, &falls_law(ties)));
    2.0 * distribution[..=fewer].iter().sum::<f64>()
}

/// Two-sided p-value of Kendall's S, normal, with the variance of series that have these ties.
fn normal(series: &[(&[f64], Vec<usize>)], s: i64) -> f64 {
    let term = |t: usize| (t * (t - 1)) as f64 * (2 * t + 5) as f64;
    let of_one = |(values, ties): &(&[f64], Vec<usize>)| {
        term(values.len()) - ties.iter().copied().map(term).sum::<f64>()
    };
    let variance = series.iter().map(of_one).sum::<f64>() / 18.0;
    let beyond = (s.unsigned_abs() as f64 - 1.0).max(0.0) / variance.sqrt();
    2.0 * Normal::standard().sf(beyond)
}

/// Distribution of the sum of two independent counts.
fn sum_law(a: &[f64], b: &[f64]) -> Vec<f64> {
    let mut sum = vec![0.0; a.len() + b.len() - 1];
    for (i, p) in a.iter().enumerate() {
        for (slot, q) in sum[i..].iter_mut().zip(b) {
            *slot += p * q;
        }
    }
    sum
}

/// Sizes of the groups of equal values; they sum to the number of values.
fn tie_groups(values: &[f64]) -> Vec<usize> {
    // Adding zero makes one of the two zeros.
    let mut sorted: Vec<f64> = values.iter().map(|value| value + 0.0).collect();
    sorted.sort_by(f64::total_cmp);
    sorted.chunk_by(|x, y| x.total_cmp(y).is_eq()).map(<[f64]>::len).collect()
}

/// Probability of each number of falling pairs if values with these groups of ties come in random order.
///
/// Group after group is mixed into those before it, which are all smaller, and each time the
/// falling pairs follow the distribution of Mann and Whitney's U.
fn falls_law(ties: &[usize]) -> Vec<f64> {
    let (mut distribution, mut placed) = (vec![1.0], 0);
    for &group in ties {
        (distribution, placed) =
            (sum_law(&distribution, &mixing_law(placed, group)), placed + group);
    }
    distribution
}

/// Distribution of the pairs in which one of `a` values comes after one of `b` others, in a random order of
/// all: either the last is one of the `a`, after all `b`, or it is one of the `b`.
fn mixing_law(a: usize, b: usize) -> Vec<f64> {
    // Entry i: the distribution for i values against as many others as were looked at so far.
    let mut laws = vec![vec![1.0]; a + 1];
    for others in 1..=b {
        for i in 1..=a {
            let all = (i + others) as f64;
            let mut distribution = vec![0.0; i * others + 1];
            for (slot, p) in distribution[others..].iter_mut().zip(&laws[i - 1]) {
                *slot += p * i as f64 / all;
            }
            for (slot, p) in distribution.iter_mut().zip(&laws[i]) {
                *slot += p * others as f64 / all;
            }
            laws[i] = distribution;
        }
    }
    laws.swap_remove(a)
}

impl Autocorrelation {
    /// Lag-1 autocorrelation of `values`, in the order of the runs, with a two-sided p-value.
    ///
    /// `r = sum of d[i] d[i+1] / sum of d[i]^2`, d being deviations from the mean. The p-value takes r
    /// as normal with the mean and variance that it has over all orders of these very values: the mean
    /// -1/n, and a variance near 1/n that falls where a few outliers carry most of the sum of squares.
    /// `None` for fewer than 10 values or where all are equal. The values are finite.
    ///
    /// # Examples
    ///
    /// ```
    /// use beyondnoise_stats::Autocorrelation;
    ///
    /// let saw = [1.0, 2.0, 1.0, 2.0, 1.0, 2.0, 1.0, 2.0, 1.0, 2.0];
    /// let found = Autocorrelation::of(&saw).unwrap();
    /// assert!((found.r + 0.9).abs() < 1e-12 && found.p_value < 0.01);
    /// assert_eq!(Autocorrelation::of(&saw[..9]), None);
    /// ```
    ///
    /// # References
    ///
    /// J.-M. Dufour, R. Roy. Some robust exact results on sample autocorrelations and tests of
    /// randomness. *Journal of Econometrics* 29, 1985.
    pub fn of(values: &[f64]) -> Option<Autocorrelation> {
        if values.len() < MIN_FOR_LAG || tie_groups(values).len() < 2 {
            return None;
        }
        let deviations = deviations(&in_unit(values).0);
        let squares: f64 = deviations.iter().map(|d| d * d).sum();
        let r = deviations.windows(2).map(|pair| pair[0] * pair[1]).sum::<f64>() / squares;
        let fourths = deviations.iter().map(|d| d.powi(4)).sum::<f64>() / (squares * squares);
        let n = values.len() as f64;
        let variance =
            (1.0 - fourths) / n + (1.0 - 2.0 * fourths) / (n * (n - 1.0)) - 1.0 / (n * n);
        let beyond = (r + 1.0 / n).abs() / variance.sqrt();
        Some(Autocorrelation { r, p_value: (2.0 * Normal::standard().sf(beyond)).min(1.0) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All orders of `values`, and in how many S is as far from zero as in the given one.
    fn by_listing(values: &[f64]) -> f64 {
        fn visit(values: &mut Vec<f64>, from: usize, seen: &mut dyn FnMut(&[f64])) {
            if from == values.len() {
                return seen(values);
            }
            for i in from..values.len() {
                values.swap(from, i);
                visit(values, from + 1, seen);
                values.swap(from, i);
            }
        }
        let s = Trend::of(values).unwrap().s.abs();
        let (mut all, mut beyond) = (0.0, 0.0);
        visit(&mut values.to_vec(), 0, &mut |order| {
            all += 1.0;
            beyond += f64::from(u8::from(Trend::of(order).unwrap().s.abs() >= s));
        });
        beyond / all
    }

    #[test]
    fn falling_pairs_are_those_of_every_pair() {
        for n in [4_u32, 5, 31, 64, 65, 200] {
            let values: Vec<f64> = (0..n).map(|i| f64::from(i * 7919 % 61)).collect();
            let pairs = (0..n as usize).flat_map(|i| (i + 1..n as usize).map(move |j| (i, j)));
            let by_pairs = pairs.filter(|(i, j)| values[*j] < values[*i]).count();
            assert_eq!(falling_pairs(&values), by_pairs, "{n} values");
        }
    }

    #[test]
    fn the_exact_p_value_is_a_share_of_all_orders() {
        for values in [
            &[3.0, 1.0, 4.0, 5.0, 9.0, 2.0][..],
            &[1.0, 1.0, 2.0, 3.0],
            &[1.0, 2.0, 1.0, 3.0, 3.0, 3.0],
            &[0.0, -0.0, 1.0, 1.0, 2.0, 1.0, 5.0],
        ] {
            let found = Trend::of(values).unwrap().p_value;
            assert!((found - by_listing(values)).abs() < 1e-13, "{values:?}");
        }
    }

    #[test]
    fn the_exact_and_the_normal_p_value_meet_at_50_values() {
        for (ties, pairs) in [(vec![1; 50], 1225), (vec![10, 1, 1, 20, 18], 1225 - 45 - 190 - 153)]
        {
            assert!((falls_law(&ties).iter().sum::<f64>() - 1.0).abs() < 1e-12);
            for fewer in [pairs / 2 - 20, pairs / 2 - 100, pairs / 2 - 130] {
                let s = i64::try_from(pairs - 2 * fewer).expect("small");
                let values = [0.0; 50];
                let p = exact(std::iter::once(&ties[..]), fewer);
                let q = normal(&[(&values[..], ties.clone())], s);
                assert!((p - q).abs() < 0.002, "{fewer}: {p} {q}");
            }
        }
    }

    #[test]
    fn what_does_not_vary_has_no_trend_and_no_memory() {
        assert_eq!(Trend::of(&[2.0; 8]), None);
        assert_eq!(Autocorrelation::of(&[0.0, -0.0].repeat(8)), None);
    }
}
