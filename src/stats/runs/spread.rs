//! How well a spread is known, and how much of it comes from within the runs.
//!
//! The requests of one run share a queue and are not repeats: they give only a lower bound of the noise between runs.

use statrs::distribution::{ChiSquared, Continuous, ContinuousCDF};

use crate::runs::rank_weights::rank_weights;
use crate::runs::sample::Interval;
use crate::runs::statistic::{mean, quantile, standard_deviation};

/// Part of the error of one side that the upper end of the interval of a noise has, and by what its kurtosis is enlarged.
const UPPER_TAIL: f64 = 0.125;
const UPPER_KURTOSIS: f64 = 1.5;

/// Levels of the ends of the share within the runs.
const SHARE_LEVELS: [f64; 3] = [0.05, 0.5, 0.95];

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
    /// The rest, which only more runs reduce.
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
pub(crate) fn sum(values: &[f64], f: impl Fn(f64) -> f64) -> f64 {
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

impl Interval {
    /// Interval of the standard deviation of the logarithms of `values`, the noise read as a CV.
    ///
    /// s^2 has the relative variance `2 / (n - 1) + g / n`, g being the excess kurtosis, and so as many degrees of freedom as a
    /// chi-square has of that: the interval is `s sqrt(d / chi2(1 - a, d))` to `s sqrt(d / chi2(a, d))`. g is estimated
    /// without bias from 4 values on, 0 where it is negative. Few values of skewed noise show too small a kurtosis and a
    /// noise that is too small, so that the upper end has an eighth of the error and one and a half times g.
    ///
    /// Simulated coverage of a nominal 95 %, 3 to 80 values: normal and lognormal 0.97 to 0.98; half fixed and half
    /// exponential 0.97 to 0.98, exponential noise of 2 % 0.92 to 0.95; gamma(2) 0.95 to 0.96; Student's t with 5 degrees of
    /// freedom 0.95 to 0.97. With 3 degrees of freedom there is no kurtosis, and it falls from 0.96 at 3 values over 0.93 at
    /// 10 to 0.89 at 40: no interval of this kind holds for it. The ends are a factor of 35, 8.5, 4.4, 2.7 and 1.8 apart at
    /// 3, 5, 8, 15 and 40 normal values.
    ///
    /// `None` for fewer than 2 values, one that is not positive, values that are all equal, or a `confidence` outside (0, 1).
    ///
    /// # Examples
    ///
    /// ```
    /// let values = [24.32, 24.11, 24.29, 24.52, 24.59, 24.74];
    /// let noise = beyondnoise_stats::Interval::of_log_sd(&values, 0.95).unwrap();
    /// assert!(noise.low < 0.0095 && noise.high > 0.0095); // seen: 0.95 %
    /// ```
    ///
    /// # References
    ///
    /// G. E. P. Box. Non-normality and tests on variances. *Biometrika* 40, 1953 (degrees of freedom by the kurtosis).
    /// D. N. Joanes, C. A. Gill. Comparing measures of sample skewness and kurtosis. *The Statistician* 47, 1998.
    pub fn of_log_sd(values: &[f64], confidence: f64) -> Option<Interval> {
        let inside = confidence > 0.0 && confidence < 1.0;
        if !inside || values.iter().any(|value| *value <= 0.0) {
            return None;
        }
        let mut logs: Vec<f64> = values.iter().map(|value| value.ln()).collect();
        logs.sort_by(f64::total_cmp);
        let s = standard_deviation(&logs).filter(|s| *s > 0.0)?;
        let (n, tail) = (logs.len() as f64, (1.0 - confidence) / 2.0);
        let kurtosis = excess_kurtosis(&logs).unwrap_or(0.0).max(0.0);
        let end = |kurtosis: f64, level: f64| -> Option<f64> {
            let df = 2.0 / (2.0 / (n - 1.0) + kurtosis / n);
            Some(s * (df / chi_square_quantile(df, level)?).sqrt())
        };
        let low = end(kurtosis, 1.0 - tail)?;
        let high = end(UPPER_KURTOSIS * kurtosis, UPPER_TAIL * tail)?;
        (low.is_finite() && high.is_finite()).then_some(Interval { low, high, confidence })
    }
}

/// Quantile of the chi-square distribution: the result of statrs, which has seven digits, refined by two Newton steps.
fn chi_square_quantile(df: f64, level: f64) -> Option<f64> {
    let distribution = ChiSquared::new(df).ok()?;
    let mut x = distribution.inverse_cdf(level);
    for _ in 0..2 {
        let next = x - (distribution.cdf(x) - level) / distribution.pdf(x);
        if next > 0.0 && next.is_finite() {
            x = next;
        }
    }
    Some(x)
}

/// Excess kurtosis without bias for normal values, G2 of Joanes and Gill; `None` for fewer than 4.
fn excess_kurtosis(values: &[f64]) -> Option<f64> {
    let n = values.len() as f64;
    let deviations = deviations(values);
    let squares = sum(&deviations, |d| d * d);
    if values.len() < 4 || squares <= 0.0 {
        return None;
    }
    let biased = n * sum(&deviations, |d| d.powi(4)) / (squares * squares) - 3.0;
    Some(((n + 1.0) * biased + 6.0) * (n - 1.0) / ((n - 2.0) * (n - 3.0)))
}

/// Standard error of the mean of one run's requests, in the order of time.
///
/// Requests that share a queue resemble their neighbours, so s / sqrt(n) alone is too small. The
/// batch-means estimate takes its place where it is larger beyond chance, its square by two standard errors: the requests
/// are cut into [`BATCHES`] batches of equal length, and the batch means are taken as independent. It is a lower bound of
/// the noise between runs, since what changes from one start of the server to the next is not in
/// it, and still too small where the memory is as long as a batch. Fewer values than that have no batches.
///
/// In the unit of the values. `None` for fewer than 2. The values are finite.
///
/// # Examples
///
/// ```
/// use beyondnoise_stats::mean_standard_error;
///
/// // 100 requests, five by five: as good as 20 values 1 3 1 3 ...
/// let values = [[1.0; 5], [3.0; 5]].concat().repeat(10);
/// assert!((mean_standard_error(&values).unwrap() - 1.0 / 19f64.sqrt()).abs() < 1e-12);
/// ```
///
/// # References
///
/// A. M. Law. *Simulation Modeling and Analysis*, 5th ed., section 9.5.3. McGraw-Hill, 2015.
/// B. Schmeiser. Batch size effects in the analysis of simulation output. *Operations Research* 30, 1982 (10 to 30 batches).
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
    // The first value whose place times the number of batches is that of the batch.
    let start = |batch: usize| (batch * values.len()).div_ceil(BATCHES);
    let batch = |at: usize| &values[start(at)..start(at + 1)];
    let enough = values.len() >= BATCHES;
    let means = (0..BATCHES).filter(|_| enough).map(batch);
    let means: Vec<f64> = means.map(|batch| sum(batch, step) / batch.len() as f64).collect();
    Some(or_of_batches(single, &means) * unit)
}

/// Number of batches of [`mean_standard_error`].
pub const BATCHES: usize = 20;

/// [`mean_standard_error`] where the values themselves are not at hand: from their number, their standard deviation with
/// divisor n, and the means of their [`BATCHES`] batches, value `t` of `n` from 0 being in batch `floor(20 t / n)`.
///
/// Without batch means, `single / sqrt(n)` alone. `None` for fewer than 2 values. In their unit.
///
/// # Examples
///
/// ```
/// use beyondnoise_stats::reduced_mean_standard_error;
///
/// let means = [[1.0], [3.0]].concat().repeat(10);
/// let error = reduced_mean_standard_error(100, 1.0, &means).unwrap();
/// assert!((error - 1.0 / 19f64.sqrt()).abs() < 1e-12);
/// ```
pub fn reduced_mean_standard_error(n: usize, deviation: f64, means: &[f64]) -> Option<f64> {
    (n >= 2).then(|| or_of_batches(deviation / (n as f64 - 1.0).sqrt(), means))
}

/// The standard error from single values, or from batch means if it is larger beyond chance.
fn or_of_batches(single: f64, means: &[f64]) -> f64 {
    let count = means.len() as f64;
    let of_batches = standard_deviation(means).map(|s| s / count.sqrt());
    // The relative variance of a squared standard deviation is 2 / (count - 1).
    let beyond = single * (1.0 + 2.0 * (2.0 / (count - 1.0)).sqrt()).sqrt();
    of_batches.filter(|error| *error > beyond).unwrap_or(single)
}

/// Standard error of the `q`-quantile of independent values, by the method of Maritz and Jarrett.
///
/// The type 7 quantile lies at rank h = (n - 1) q + 1, and an order statistic of that rank has the
/// distribution of the values at Beta(h, n + 1 - h); the standard deviation of that distribution, with the ascending
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
/// use beyondnoise_stats::quantile_standard_error;
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

impl Components {
    /// Splits the variance of a per-run statistic into what the standard errors within the runs explain
    /// and what is left between them.
    ///
    /// `values` has one value a run, `within_se` its standard error, in the same unit and order. `None`
    /// for fewer than 2 runs, unequal lengths, or where there is no spread of either kind.
    ///
    /// # Examples
    ///
    /// ```
    /// let parts = beyondnoise_stats::Components::of(&[9.0, 10.0, 11.0], &[0.6, 0.6, 0.6]).unwrap();
    /// assert!((parts.between - 0.8).abs() < 1e-12);
    /// assert!((parts.within_share - 0.36).abs() < 1e-12);
    /// ```
    ///
    /// # References
    ///
    /// T. Kalibera, R. Jones. Rigorous benchmarking in reasonable time. *ISMM*, 2013.
    pub fn of(values: &[f64], within_se: &[f64]) -> Option<Components> {
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

    /// Share of the variance between runs that variation within the runs explains: its 5 %, 50 % and 95 % points, each
    /// at most 1.
    ///
    /// `within^2 / total^2` of [`Components::of`] alone is too large on the average and in most cases, since the variance of few
    /// runs is more often seen too small than too large. Here it is multiplied by the quantiles of the chi-square distribution
    /// over its degrees of freedom, the number of runs less one; the standard errors are taken as known.
    ///
    /// # Examples
    ///
    /// ```
    /// // within^2 / total^2 = 0.36, times scipy.stats.chi2.ppf([0.05, 0.5, 0.95], 2) / 2
    /// let [low, middle, high] = beyondnoise_stats::Components::within_share(&[9.0, 10.0, 11.0], &[0.6; 3]).unwrap();
    /// assert!((low - 0.018_465_6).abs() < 1e-6 && (middle - 0.249_533_0).abs() < 1e-6 && high == 1.0);
    /// ```
    pub fn within_share(values: &[f64], within_se: &[f64]) -> Option<[f64; 3]> {
        let parts = Components::of(values, within_se)?;
        let df = values.len() as f64 - 1.0;
        // Without a spread between the runs all of it is within.
        let ratio = if parts.total > 0.0 { parts.within / parts.total } else { f64::INFINITY };
        let share = |level: f64| {
            Some((ratio * ratio * chi_square_quantile(df, level)? / df).min(1.0))
                .filter(|s| !s.is_nan())
        };
        let [low, middle, high] = SHARE_LEVELS.map(share);
        Some([low?, middle?, high?])
    }
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
        assert_eq!(Interval::of_log_sd(&[1.0], 0.95), None);
        assert_eq!(Interval::of_log_sd(&[1.0, 0.0, 2.0], 0.95), None);
        assert_eq!(Interval::of_log_sd(&[3.0; 6], 0.95), None);
        assert_eq!(Interval::of_log_sd(&[1.0, 2.0], 1.0), None);
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
        let parts = Components::of(&[1.0, 1.0], &[0.5, 0.5]).unwrap();
        assert!(parts.between.abs() < 1e-300 && (parts.within_share - 1.0).abs() < 1e-300);
        assert_eq!(Components::of(&[1.0, 1.0], &[0.0, 0.0]), None);
        assert_eq!(Components::of(&[1.0], &[0.5]), None);
        assert_eq!(Components::of(&[1.0, 2.0], &[0.5]), None);
    }
}
