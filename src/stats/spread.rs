//! How well a spread is known, and how much of it comes from within the runs.
//!
//! The requests of one run share a queue and are no repeats: what they tell about the noise between
//! runs is a lower bound.

use statrs::distribution::{ChiSquared, ContinuousCDF};

use crate::stats::distribution::normal_quantile;
use crate::stats::rank_weights::rank_weights;
use crate::stats::sample::Interval;
use crate::stats::statistic::{mean, quantile, standard_deviation};

/// Fewest values for an interval that allows for tails unlike the normal's.
const FEWEST_FOR_KURTOSIS: usize = 5;

/// The spread of a per-run statistic, split into what the requests of a run explain and the rest.
///
/// Standard deviations in the unit of the values; `total^2 = within^2 + between^2`, except that
/// `between` is 0 where `within` exceeds `total`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Components {
    /// Standard deviation between the runs, as seen.
    pub total: f64,
    /// Root mean square of the standard errors within the runs: longer runs lower it.
    pub within: f64,
    /// What is left: more runs are the only help.
    pub between: f64,
    /// Share of `within^2` in `total^2`, in [0, 1].
    pub within_share: f64,
}

/// Values in a unit, a power of two, in which the largest is near 1, and that unit: no square of
/// one over- or underflows, and the change of unit rounds nothing of weight.
pub(crate) fn in_unit(values: &[f64]) -> (Vec<f64>, f64) {
    let unit = unit_of(values);
    (values.iter().map(|value| value / unit).collect(), unit)
}

/// The power of two of [`in_unit`].
fn unit_of(values: &[f64]) -> f64 {
    const EXPONENT: u64 = 0x7FF0_0000_0000_0000;
    // Without their signs the bits of finite values are in the order of their sizes.
    let largest = values.iter().map(|value| value.abs().to_bits()).max().unwrap_or(0);
    f64::from_bits(largest & EXPONENT).max(f64::MIN_POSITIVE)
}

/// Sum of `f` of the values, in eight sums side by side: as exact as one after the other, and several
/// times as fast.
pub(super) fn sum(values: &[f64], f: impl Fn(f64) -> f64) -> f64 {
    let mut sums = [0.0; 8];
    let (eights, rest) = values.as_chunks::<8>();
    for eight in eights {
        for (sum, value) in sums.iter_mut().zip(eight) {
            *sum += f(*value);
        }
    }
    sums.iter().sum::<f64>() + rest.iter().map(|value| f(*value)).sum::<f64>()
}

/// Deviations of `values` from their mean, in a unit of their own: they may be far smaller than the
/// values. Empty for no values.
pub(crate) fn deviations(values: &[f64]) -> Vec<f64> {
    // From the first value and then from the mean of those: what nearly equal values differ by is
    // kept.
    let Some(first) = values.first() else { return Vec::new() };
    let steps: Vec<f64> = values.iter().map(|value| value - first).collect();
    let (steps, _) = in_unit(&steps);
    let centre = mean(&steps);
    let centred: Vec<f64> = steps.iter().map(|step| step - centre).collect();
    in_unit(&centred).0
}

/// Interval of the standard deviation of the logarithms of `values`, the noise read as a CV.
///
/// From 5 values on it is Bonett's, which allows for the kurtosis seen: `ln(c s^2) +- z c sqrt((k -
/// (n-3)/n) / (n-1))`, c = n / (n - z), k the kurtosis with the fourth moment about a trimmed mean.
/// With 2 to 4 values no kurtosis can be told, and it is the chi-square interval of the normal
/// distribution.
///
/// Simulated coverage of a nominal 95 %: normal 0.95 at 2 to 4 values, 0.99 at 5, 0.96 at 10, 0.94
/// at 30; Student t with 5 degrees of freedom 0.92, 0.99, 0.94, 0.91 at 4, 5, 10, 30.
///
/// `None` for fewer than 2 values, one that is not positive, values that are all equal, a
/// `confidence` outside (0, 1) or one so high that z reaches n.
///
/// # Examples
///
/// ```
/// let values = [24.32, 24.11, 24.29, 24.52, 24.59, 24.74];
/// let noise = beyondnoise::stats::log_sd_interval(&values, 0.95).unwrap();
/// assert!(noise.low < 0.0095 && noise.high > 0.0095); // seen: 0.95 %
/// ```
///
/// # References
///
/// D. G. Bonett. Approximate confidence interval for standard deviation of nonnormal distributions.
/// *Computational Statistics & Data Analysis* 50, 2006.
pub fn log_sd_interval(values: &[f64], confidence: f64) -> Option<Interval> {
    let inside = confidence > 0.0 && confidence < 1.0;
    if !inside || values.iter().any(|value| *value <= 0.0) {
        return None;
    }
    let mut logs: Vec<f64> = values.iter().map(|value| value.ln()).collect();
    let s = standard_deviation(&logs).filter(|s| *s > 0.0)?;
    let (n, tail) = (logs.len() as f64, (1.0 - confidence) / 2.0);
    let (low, high) = if logs.len() < FEWEST_FOR_KURTOSIS {
        let law = ChiSquared::new(n - 1.0).ok()?;
        let end = |level| s * ((n - 1.0) / law.inverse_cdf(level)).sqrt();
        (end(1.0 - tail), end(tail))
    } else {
        logs.sort_by(f64::total_cmp);
        let centre = trimmed_mean(&logs);
        let fourths: f64 = logs.iter().map(|log| ((log - centre) / s).powi(4)).sum();
        let kurtosis = n * fourths / (n - 1.0).powi(2);
        let z = -normal_quantile(tail);
        let c = n / (n - z);
        let error = c * ((kurtosis - (n - 3.0) / n) / (n - 1.0)).sqrt();
        let end = |z: f64| s * f64::midpoint(c.ln(), z * error).exp();
        (end(-z), end(z))
    };
    (low.is_finite() && high.is_finite()).then_some(Interval { low, high, confidence })
}

/// Mean of ascending values without the part 1 / (2 sqrt(n - 4)) at either end; n is at least 5.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "at most half of the number of values"
)]
fn trimmed_mean(sorted: &[f64]) -> f64 {
    let n = sorted.len();
    let cut = (n as f64 / (2.0 * ((n - 4) as f64).sqrt())) as usize;
    mean(&sorted[cut..n - cut])
}

/// Standard error of the mean of one run's requests, which stand in the order of time.
///
/// Requests that share a queue resemble their neighbours, so s / sqrt(n) alone is too small. This
/// is the larger of it and of the batch-means estimate: the requests are cut into about sqrt(n)
/// batches of equal length, and the batch means are taken as independent. It is a lower bound of
/// the noise between runs, since what changes from one start of the server to the next is not in
/// it, and still too small where the memory is as long as a batch. Without any memory it is 5 to 10
/// % too large.
///
/// In the unit of the values. `None` for fewer than 2. The values are finite.
///
/// # Examples
///
/// ```
/// use beyondnoise::stats::mean_standard_error;
///
/// // 16 requests, four by four: as good as 4 values 1 3 1 3.
/// let values = [1.0, 1.0, 1.0, 1.0, 3.0, 3.0, 3.0, 3.0].repeat(2);
/// assert!((mean_standard_error(&values).unwrap() - (1.0f64 / 3.0).sqrt()).abs() < 1e-12);
/// ```
///
/// # References
///
/// A. M. Law. *Simulation Modeling and Analysis*, 5th ed., section 9.5.3. McGraw-Hill, 2015.
pub fn mean_standard_error(values: &[f64]) -> Option<f64> {
    if values.len() < 2 {
        return None;
    }
    // In a unit of their own and from the first value on, see `deviations`, but without a copy: a run may
    // have millions of values.
    let (n, unit) = (values.len() as f64, unit_of(values));
    let step = |value: f64| value / unit - values[0] / unit;
    let centre = sum(values, step) / n;
    let squares = sum(values, |value| (step(value) - centre).powi(2));
    let single = (squares / (n - 1.0) / n).sqrt();
    let length = values.len() / values.len().isqrt();
    let mean_step = |batch: &[f64]| sum(batch, step) / length as f64;
    let batches: Vec<f64> = values.chunks_exact(length).map(mean_step).collect();
    let of_batches = standard_deviation(&batches).map(|s| s / (batches.len() as f64).sqrt());
    Some(of_batches.map_or(single, |error| single.max(error)) * unit)
}

/// Standard error of the `q`-quantile of independent values, by the method of Maritz and Jarrett.
///
/// The type 7 quantile lies at rank h = (n - 1) q + 1, and an order statistic of that rank has the
/// law of the values at Beta(h, n + 1 - h); the standard deviation of that law, with the ascending
/// values `sorted` in place of the unknown distribution, is the result, in their unit.
///
/// `None` where fewer than one value is expected beyond the quantile, `n min(q, 1 - q) < 1`. Near
/// that limit it is rough: at P99 of 100 exponential values 0.8 of the true one in the median.
/// `scipy.stats.mstats.mjci` takes Beta(m - 1, n - m) with m = floor(n q + 1/2), one less in each
/// parameter than the order statistic has, and comes out up to a quarter larger in the tails.
///
/// # Examples
///
/// ```
/// use beyondnoise::stats::quantile_standard_error;
///
/// let sorted: Vec<f64> = (1..=1000).map(f64::from).collect();
/// // Of the median of uniform values: width / (2 sqrt(n + 2)).
/// let error = quantile_standard_error(&sorted, 0.5).unwrap();
/// assert!((error - 15.8).abs() < 0.05);
/// assert_eq!(quantile_standard_error(&sorted, 0.9999), None);
/// ```
///
/// # References
///
/// J. S. Maritz, R. G. Jarrett. A note on estimating the variance of the sample median. *Journal of
/// the American Statistical Association* 73, 1978.
pub fn quantile_standard_error(sorted: &[f64], q: f64) -> Option<f64> {
    let n = sorted.len() as f64;
    // The small term keeps 10 values at 0.9, where 1 - q is a little less than 0.1.
    let enough = n * q.min(1.0 - q) >= 1.0 - 1e-9;
    if !enough {
        return None;
    }
    let kept = rank_weights(sorted.len(), q);
    let (first, weights) = (kept.first, &kept.weights);
    let (near, unit) = in_unit(&sorted[first..first + weights.len()]);
    let all: f64 = weights.iter().sum();
    let weighted = |f: &dyn Fn(f64) -> f64| {
        near.iter().zip(weights).map(|(value, weight)| weight / all * f(*value)).sum::<f64>()
    };
    let origin = quantile(&near, 0.5);
    let shift = weighted(&|value| value - origin);
    Some(weighted(&|value| (value - origin - shift).powi(2)).sqrt() * unit)
}

/// Splits the variance of a per-run statistic into what the standard errors within the runs explain
/// and what is left between them.
///
/// `values` has one value a run, `within_se` its standard error, in the same unit and order. `None`
/// for fewer than 2 runs, unequal lengths, or where there is no spread of either kind.
///
/// # Examples
///
/// ```
/// let parts = beyondnoise::stats::components(&[9.0, 10.0, 11.0], &[0.6, 0.6, 0.6]).unwrap();
/// assert!((parts.between - 0.8).abs() < 1e-12);
/// assert!((parts.within_share - 0.36).abs() < 1e-12);
/// ```
///
/// # References
///
/// T. Kalibera, R. Jones. Rigorous benchmarking in reasonable time. *ISMM*, 2013.
pub fn components(values: &[f64], within_se: &[f64]) -> Option<Components> {
    if values.len() != within_se.len() {
        return None;
    }
    let runs = values.len();
    let (scaled, unit) = in_unit(&[values, within_se].concat());
    let total = standard_deviation(&scaled[..runs])?;
    let squares: f64 = scaled[runs..].iter().map(|error| error * error).sum();
    let within = (squares / runs as f64).sqrt();
    let between =
        if total > within { total * (1.0 - (within / total).powi(2)).sqrt() } else { 0.0 };
    let within_share = if total > within { (within / total).powi(2) } else { 1.0 };
    let back = |sd: f64| (sd * unit).min(f64::MAX);
    (total > 0.0 || within > 0.0).then(|| Components {
        total: back(total),
        within: back(within),
        between: back(between),
        within_share,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_unit_is_a_power_of_two_and_loses_nothing() {
        for largest in [f64::MAX, 1.0, 3e-300, 5e-324] {
            let (scaled, unit) = in_unit(&[largest, -largest]);
            assert_eq!((scaled[0] * unit).to_bits(), largest.to_bits());
            assert!(scaled[0] < 2.0 && scaled[0] >= f64::EPSILON);
        }
        assert_eq!(in_unit(&[0.0, -0.0]).0, [0.0, 0.0]);
    }

    #[test]
    fn no_interval_of_a_noise_that_cannot_be_seen() {
        assert_eq!(log_sd_interval(&[1.0], 0.95), None);
        assert_eq!(log_sd_interval(&[1.0, 0.0, 2.0], 0.95), None);
        assert_eq!(log_sd_interval(&[3.0; 6], 0.95), None);
        assert_eq!(log_sd_interval(&[1.0, 2.0], 1.0), None);
        assert_eq!(log_sd_interval(&[1.0, 2.0, 3.0, 4.0, 5.0], 1.0 - 1e-9), None);
    }

    #[test]
    fn requests_without_memory_have_the_plain_standard_error() {
        assert_eq!(mean_standard_error(&[1.0]), None);
        assert_eq!(mean_standard_error(&[1.0, 3.0]), Some(1.0));
        // In turns, so that the batch means are all alike.
        let turns = [1.0, 3.0].repeat(32);
        let plain = standard_deviation(&turns).unwrap() / 8.0;
        assert_eq!(mean_standard_error(&turns), Some(plain));
    }

    #[test]
    fn a_quantile_at_the_edge_of_the_values_is_refused_or_finite() {
        let sorted: Vec<f64> = (0..10).map(f64::from).collect();
        assert!(quantile_standard_error(&sorted, 0.9).is_some());
        assert_eq!(quantile_standard_error(&sorted, 0.91), None);
        assert_eq!(quantile_standard_error(&sorted, f64::NAN), None);
        assert_eq!(quantile_standard_error(&[], 0.5), None);
        assert_eq!(quantile_standard_error(&[7.0; 4], 0.5), Some(0.0));
    }

    #[test]
    fn few_of_many_weights_are_looked_at() {
        let kept = rank_weights(100_000, 0.99);
        let (first, weights) = (kept.first, &kept.weights);
        assert!(weights.len() < 1_000 && first > 98_000);
    }

    #[test]
    fn noise_within_the_runs_can_explain_all_of_it() {
        let parts = components(&[1.0, 1.0], &[0.5, 0.5]).unwrap();
        assert!(parts.between.abs() < 1e-300 && (parts.within_share - 1.0).abs() < 1e-300);
        assert_eq!(components(&[1.0, 1.0], &[0.0, 0.0]), None);
        assert_eq!(components(&[1.0], &[0.5]), None);
        assert_eq!(components(&[1.0, 2.0], &[0.5]), None);
    }
}
