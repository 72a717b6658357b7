//! Statistics of a list of values: mean, standard deviation, quantile; and what an entry of the list of them says.

/// A statistic over the runs of a variant: what it is called, how it is computed, where its interval comes from.
#[derive(Debug)]
pub(crate) struct Statistic {
    /// Its name on a command line and in documents.
    pub name: &'static str,
    /// Another name that is understood.
    pub alias: Option<&'static str>,
    /// Its name in a sentence.
    pub words: &'static str,
    /// Its meaning, for help.
    pub meaning: &'static str,
    /// Its value on ascending, finite, non-empty values, at a level.
    pub(crate) compute: fn(&[f64], f64) -> f64,
    pub(crate) basis: Basis,
}

/// The values that the interval of a statistic rests on.
#[derive(Clone, Copy, Debug, PartialEq)]
#[allow(dead_code, reason = "no statistic of the list is of the last kind yet")]
pub(crate) enum Basis {
    /// The mean: its standard error, and the resampled means in closed form where the runs are many.
    Mean,
    /// An order statistic: its resamples in closed form. Their percentile interval covers its level from so many runs on.
    Order(usize),
    /// The rank sums of the deltas of all pairs of runs.
    RankSums,
    /// Any statistic: its resamples, enumerated or drawn, and their spread.
    Resampled,
}

/// Arithmetic mean, or NaN for no values.
///
/// # Examples
///
/// ```
/// assert_eq!(beyondnoise_stats::mean(&[1.0, 2.0, 6.0]), 3.0);
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
/// assert_eq!(beyondnoise_stats::standard_deviation(&[1.0, 3.0]), Some(2f64.sqrt()));
/// assert_eq!(beyondnoise_stats::standard_deviation(&[1.0]), None);
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
/// assert_eq!(beyondnoise_stats::quantile(&[10.0, 20.0, 40.0], 0.75), 30.0);
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

/// The point at `fraction` of the way from `low` to `high`, as numpy computes it: exact at both ends and monotone in
/// `fraction`, which is in [0, 1].
pub(crate) fn between(low: f64, high: f64, fraction: f64) -> f64 {
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

/// Place of the quantile at level `q` in [0, 1] among `n` >= 1 ascending values: the index below it, and the fraction
/// of the way to the next value. For values that are not in one list.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a position between 0 and n - 1"
)]
pub(crate) fn position_of(q: f64, n: usize) -> (usize, f64) {
    let position = q * (n - 1) as f64;
    let below = position.floor() as usize;
    (below, position - below as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_by_hand() {
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
    }
}
