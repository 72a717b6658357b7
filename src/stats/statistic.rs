//! Statistics of a list of values: mean, standard deviation, quantile, robust centre.

use crate::stats::bisection::smallest;

/// The statistic taken over the runs of a variant.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Across {
    /// Arithmetic mean, the default.
    Mean,
    /// Median: one slow run cannot move it.
    Median,
    /// Quantile at this level in (0, 1); needs many runs, see [`Across::runs_needed`].
    Quantile(f64),
    /// Hodges and Lehmann's centre, see [`hodges_lehmann`]: nearly as precise as the mean where noise is
    /// normal, much more where some runs are wild.
    HodgesLehmann,
}

impl Across {
    /// Value of the statistic on ascending, finite, non-empty values.
    ///
    /// # Panics
    ///
    /// If `sorted` is empty.
    pub fn compute(self, sorted: &[f64]) -> f64 {
        match self {
            Self::Mean => mean(sorted),
            Self::Median => quantile(sorted, 0.5),
            Self::Quantile(q) => quantile(sorted, q),
            Self::HodgesLehmann => hodges_lehmann(sorted),
        }
    }

    /// Fewest runs at which the statistic can be estimated: `1 / (1 - q)` for an upper quantile
    /// and `1 / q` for a lower one, since below that it is an extreme value and nothing else.
    ///
    /// # Examples
    ///
    /// ```
    /// use beyondnoise::stats::Across;
    ///
    /// assert_eq!(Across::Quantile(0.99).runs_needed(), 100);
    /// assert_eq!(Across::Median.runs_needed(), 1);
    /// ```
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a level in (0, 1) gives a positive count; one beyond usize saturates"
    )]
    pub fn runs_needed(self) -> usize {
        match self {
            Self::Mean | Self::Median | Self::HodgesLehmann => 1,
            // The small term keeps 1 / (1 - 0.99) at 100 in spite of rounding.
            Self::Quantile(q) => (1.0 / q.min(1.0 - q) - 1e-9).ceil() as usize,
        }
    }
}

/// Arithmetic mean, or NaN for no values.
///
/// # Examples
///
/// ```
/// assert_eq!(beyondnoise::stats::mean(&[1.0, 2.0, 6.0]), 3.0);
/// ```
pub fn mean(values: &[f64]) -> f64 {
    // The mean of equal values is that value, whatever the rounding of their sum.
    if let Some((first, rest)) = values.split_first()
        && rest.iter().all(|value| value.total_cmp(first).is_eq())
    {
        return *first;
    }
    let n = values.len() as f64;
    let plain = values.iter().sum::<f64>() / n;
    if plain.is_finite() { plain } else { values.iter().map(|value| value / n).sum() }
}

/// Sample standard deviation (divisor n - 1); `None` for fewer than two values.
///
/// # Examples
///
/// ```
/// assert_eq!(beyondnoise::stats::standard_deviation(&[1.0, 3.0]), Some(2f64.sqrt()));
/// assert_eq!(beyondnoise::stats::standard_deviation(&[1.0]), None);
/// ```
pub fn standard_deviation(values: &[f64]) -> Option<f64> {
    if values.len() < 2 {
        return None;
    }
    let centre = mean(values);
    // Relative to the largest deviation, so that no square over- or underflows.
    let largest = values.iter().map(|value| (value - centre).abs()).fold(0.0, f64::max);
    if largest == 0.0 {
        return Some(0.0);
    }
    let squares: f64 = values.iter().map(|value| ((value - centre) / largest).powi(2)).sum();
    Some(largest * (squares / (values.len() - 1) as f64).sqrt())
}

/// Quantile at level `q` in [0, 1], linear between order statistics (type 7 of Hyndman and Fan, what
/// `numpy.percentile` does and the serving clients report).
///
/// `sorted` is ascending.
///
/// # Panics
///
/// If `sorted` is empty or `q` is outside [0, 1].
///
/// # Examples
///
/// ```
/// assert_eq!(beyondnoise::stats::quantile(&[10.0, 20.0, 40.0], 0.75), 30.0);
/// ```
///
/// # References
///
/// R. J. Hyndman, Y. Fan. Sample quantiles in statistical packages. *The American Statistician* 50, 1996.
pub fn quantile(sorted: &[f64], q: f64) -> f64 {
    assert!(!sorted.is_empty(), "quantile of no values");
    assert!((0.0..=1.0).contains(&q), "quantile level {q} is outside [0, 1]");
    let (below, fraction) = position_of(q, sorted.len());
    let above = (below + 1).min(sorted.len() - 1);
    between(sorted[below], sorted[above], fraction)
}

/// The point at `fraction` of the way from `low` to `high`, in the form of numpy: exact at both ends and
/// monotone in `fraction`, which lies in [0, 1].
///
/// # Examples
///
/// ```
/// assert_eq!(beyondnoise::stats::between(10.0, 20.0, 0.25), 12.5);
/// ```
pub fn between(low: f64, high: f64, fraction: f64) -> f64 {
    let step = high - low;
    if step.is_infinite() {
        // The difference overflows.
        low * (1.0 - fraction) + high * fraction
    } else if fraction >= 0.5 {
        high - step * (1.0 - fraction)
    } else {
        low + step * fraction
    }
}

/// Place of the quantile at level `q` in [0, 1] among `n` >= 1 ascending values: the index below it, and how far it
/// lies towards the next one. For values that are not in one list.
///
/// # Examples
///
/// ```
/// assert_eq!(beyondnoise::stats::position_of(0.75, 3), (1, 0.5));
/// ```
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a position between 0 and n - 1"
)]
pub fn position_of(q: f64, n: usize) -> (usize, f64) {
    let position = q * (n - 1) as f64;
    let below = position.floor() as usize;
    (below, position - below as f64)
}

/// Centre of Hodges and Lehmann: the median of the means of all pairs of values, each value also paired
/// with itself. Of positive values the means are geometric, so that it suits ratios.
///
/// `sorted` is ascending and not empty.
///
/// # Examples
///
/// ```
/// // Pairs of 1, 2, 4: 1, 1.41, 2, 2, 2.83, 4; one wild value in ten moves it little.
/// assert_eq!(beyondnoise::stats::hodges_lehmann(&[1.0, 2.0, 4.0]), 2.0);
/// ```
///
/// # Panics
///
/// If `sorted` is empty.
///
/// # References
///
/// J. L. Hodges, E. L. Lehmann. Estimates of location based on rank tests. *Ann. Math. Statist.* 34, 1963.
pub fn hodges_lehmann(sorted: &[f64]) -> f64 {
    assert!(!sorted.is_empty(), "centre of no values");
    let positive = sorted[0] > 0.0;
    let scaled: Vec<f64> =
        if positive { sorted.iter().map(|x| x.ln()).collect() } else { sorted.to_vec() };
    let n = scaled.len() as u64;
    // Sums of pairs i <= j that are at most x: two pointers, so that no pair is listed.
    let at_most = |x: f64| -> u64 {
        let mut count = 0;
        let mut first = 0;
        for j in (0..scaled.len()).rev() {
            while first <= j && scaled[first] + scaled[j] <= x {
                first += 1;
            }
            count += first.min(j + 1) as u64;
        }
        count
    };
    let (low, high) = (2.0 * scaled[0], 2.0 * scaled[scaled.len() - 1]);
    let ranked = |rank: u64| smallest(low, high, |x| at_most(x) >= rank) / 2.0;
    let pairs = n * (n + 1) / 2;
    let centre = if pairs % 2 == 1 {
        ranked(pairs / 2 + 1)
    } else {
        f64::midpoint(ranked(pairs / 2), ranked(pairs / 2 + 1))
    };
    // Rounding of the logarithm must not move a value that all runs share.
    let back = if positive { centre.exp() } else { centre };
    back.clamp(sorted[0], sorted[sorted.len() - 1])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_needed_are_those_that_have_a_run_beyond_the_level() {
        let needed = [0.5, 0.9, 0.1, 0.95, 0.99, 0.999].map(|q| Across::Quantile(q).runs_needed());
        assert_eq!(needed, [2, 10, 10, 20, 100, 1000]);
        assert_eq!(Across::Mean.runs_needed() + Across::HodgesLehmann.runs_needed(), 2);
    }

    #[test]
    fn places_and_centres_by_hand() {
        assert_eq!(
            [position_of(0.9, 11), position_of(0.0, 1), position_of(1.0, 4)],
            [(9, 0.0), (0, 0.0), (3, 0.0)]
        );
        let found = [between(2.0, 6.0, 0.75), between(2.0, 6.0, 0.25)];
        assert_eq!(found.map(f64::to_bits), [5.0_f64, 3.0].map(f64::to_bits));
        // The difference overflows.
        for (at, expected) in [(0.0, -1.0), (0.25, -0.5), (0.5, 0.0), (0.75, 0.5), (1.0, 1.0)] {
            assert!((between(f64::MIN, f64::MAX, at) / f64::MAX - expected).abs() < 1e-15);
        }
        // Halves of pairs of -1, 0, 4: -1, -0.5, 0, 1.5, 2, 4; the middle of 0 and 1.5.
        assert!((hodges_lehmann(&[-1.0, 0.0, 4.0]) - 0.75).abs() < 1e-12);
        // Of four, ten pairs: -2, -1, 0, 0, 1, 1.5, 2, 2.5, 3.5, 5; the middle of 1 and 1.5.
        assert!((hodges_lehmann(&[-2.0, 0.0, 2.0, 5.0]) - 1.25).abs() < 1e-12);
    }
}
