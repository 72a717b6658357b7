//! Outliers: a run unlike the others, a first run before the server was warm.

use crate::numerics::distribution::t_cdf;
use crate::runs::selection::sort_near;
use crate::runs::spread::in_unit;
use crate::runs::statistic::{mean, quantile, standard_deviation};

/// Standard deviations of a normal distribution per median absolute deviation.
const SD_PER_MAD: f64 = 1.4826;

/// Standard deviations of a normal distribution per mean absolute deviation.
const SD_PER_MEAN_DEVIATION: f64 = 1.253_314;

/// Degrees of freedom of the longest tails that a p-value of an outlier allows for.
const TAIL_DF: f64 = 3.0;

/// Least factor of a studentized residual: with 2 or 3 degrees of freedom of the spread.
const LEAST_FACTOR: f64 = 0.8;

/// Fewest values among which one can be called an outlier.
const MIN_FOR_OUTLIERS: usize = 5;

/// By how much the first of a series has to be worse to count as a slow start.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SlowLimits {
    /// Scaled median absolute deviations by which it is worse than every later value.
    pub deviations: f64,
    /// Part of the median of the later values by which it is worse where they have no spread.
    pub share: f64,
    /// Least spread that the values are taken to have, in their unit: half of the last printed digit.
    pub least: f64,
}

impl Default for SlowLimits {
    /// 3 deviations, a tenth, exact values.
    fn default() -> Self {
        Self { deviations: 3.0, share: 0.1, least: 0.0 }
    }
}

/// A first value that is worse than all later ones.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SlowStart {
    /// Median of the later values, in their unit.
    pub median: f64,
    /// How much worse than that median the first value is, as a fraction of it; positive.
    pub excess: f64,
}

/// Modified z-score of each value, signed: `0.6745 (x - median) / MAD`.
///
/// MAD is the median absolute deviation from the median. Where more than half of the values are equal it is 0, and
/// the mean absolute deviation from the median, times 1.253314, replaces MAD / 0.6745: a single last digit that
/// differs among equal values then counts as much as a real outlier. `None` for fewer than 3 values or where all are
/// equal. The values are finite.
///
/// # Examples
///
/// ```
/// let z = beyondnoise_stats::modified_z(&[9.0, 10.0, 11.0, 10.0, 16.0, 10.0, 12.0]).unwrap();
/// assert!((z[4] - 0.6745 * 6.0).abs() < 1e-12);
/// assert_eq!(beyondnoise_stats::modified_z(&[5.0; 4]), None);
/// ```
///
/// # References
///
/// B. Iglewicz, D. C. Hoaglin. *How to Detect and Handle Outliers*, section 3.3. ASQC, 1993.
pub fn modified_z(values: &[f64]) -> Option<Vec<f64>> {
    if values.len() < 3 {
        return None;
    }
    let scaled = in_unit(values).0;
    let centre = median(&scaled);
    let distances: Vec<f64> = scaled.iter().map(|value| (value - centre).abs()).collect();
    let mad = median(&distances);
    let spread = if mad > 0.0 { mad / 0.6745 } else { SD_PER_MEAN_DEVIATION * mean(&distances) };
    let score = |value: &f64| ((value - centre) / spread).clamp(-f64::MAX, f64::MAX);
    (spread > 0.0).then(|| scaled.iter().map(score).collect())
}

/// Positions, from 0, of the values whose modified z-score is beyond `threshold` on either side.
///
/// 3.5 is the usual threshold. Empty for fewer than 5 values, which are too few. With few values the MAD is rough: 21
/// % of normal samples of 5 hold a value beyond 3.5, 13 % of 10 and 10 % of 20.
///
/// # Examples
///
/// ```
/// use beyondnoise_stats::outliers;
///
/// assert_eq!(outliers(&[9.0, 10.0, 11.0, 10.0, 16.0, 10.0, 12.0], 3.5), [4]);
/// assert!(outliers(&[9.0, 10.0, 11.0, 99.0], 3.5).is_empty());
/// ```
///
/// # References
///
/// As [`modified_z`].
pub fn outliers(values: &[f64], threshold: f64) -> Vec<usize> {
    if values.len() < MIN_FOR_OUTLIERS {
        return Vec::new();
    }
    let scores = modified_z(values).unwrap_or_default();
    let beyond = |(position, z): (usize, &f64)| (z.abs() > threshold).then_some(position);
    scores.iter().enumerate().filter_map(beyond).collect()
}

impl SlowLimits {
    /// Whether the first of `values`, in the order of the runs, is worse than every later one by a clear distance: 3
    /// scaled median absolute deviations (1.4826 MAD) of the later values from 4 values on; with 3 values, or where that
    /// MAD is 0, 10 % of the median of the later values.
    ///
    /// `None` if it is not, for fewer than 3 values, and where the median of the later values is 0. The
    /// values are finite. Of normal values without a slow start 8 % are called one at 4 values, 3.5 %
    /// at 5 and 0.4 % at 10: few later values can lie close together by chance.
    ///
    /// # Examples
    ///
    /// ```
    /// use beyondnoise_stats::SlowLimits;
    ///
    /// let slow_start = |values: &[f64], larger| SlowLimits::default().slow_start(values, larger);
    ///
    /// let found = slow_start(&[130.0, 101.0, 100.0, 99.0, 100.5], true).unwrap();
    /// assert!((found.excess - 0.2968).abs() < 1e-4);
    /// assert_eq!(slow_start(&[130.0, 101.0, 100.0, 99.0, 100.5], false), None);
    /// assert_eq!(slow_start(&[109.0, 100.0, 99.0], true), None);
    /// ```
    ///
    /// # References
    ///
    /// F. R. Hampel. The influence curve and its role in robust estimation. *Journal of the American
    /// Statistical Association* 69, 1974: the MAD as a measure of spread. The distances are
    /// conventions.
    pub fn slow_start(self, values: &[f64], larger_is_worse: bool) -> Option<SlowStart> {
        let (scaled, unit) = in_unit(values);
        let (first, later) = scaled.split_first()?;
        if later.len() < 2 {
            return None;
        }
        let sign = if larger_is_worse { 1.0 } else { -1.0 };
        let worst = later.iter().map(|value| sign * value).fold(f64::NEG_INFINITY, f64::max);
        let centre = median(later);
        let distances: Vec<f64> = later.iter().map(|value| (value - centre).abs()).collect();
        let mad = median(&distances).max(self.least / unit);
        let clear = if later.len() == 2 || mad == 0.0 {
            self.share * centre.abs()
        } else {
            self.deviations * SD_PER_MAD * mad
        };
        let excess = sign * (first - centre) / centre.abs();
        (sign * first - worst > clear && excess.is_finite())
            .then_some(SlowStart { median: centre * unit, excess })
    }
}

/// Two-sided p-value of the hypothesis that the `named` values and all other `values` have one distribution. Its tails
/// may be as long as those of Student's t with 3 degrees of freedom. The result is the largest p-value over the named
/// values.
///
/// The statistic is the externally studentized residual, `t = (x - mean) / (s sqrt(1 + 1/m))` with the mean of the
/// m others. s is their standard deviation, or that of the others and of `beside` pooled where it is larger: values
/// of the same noise about a mean of their own, which keep few others that lie close together by chance from making
/// an outlier. With d degrees of freedom of both together, t times `sqrt(3) (1 - d^-0.58)`, at least 0.8, is held
/// against Student's t with d degrees of freedom, 3 at most. The factor is fitted to simulated t3 noise: of 3 to 40
/// values, with as many beside them, p-values up to 0.05 come out at 0.8 to 1.1 times their share. With normal noise
/// they are far too large, which is the price.
///
/// `named` are positions from 0 that were chosen before the values were seen, such as that of the first run;
/// where the values themselves named them, [`outlier_p_value`] allows for the choice. `least` is the least
/// standard deviation that is assumed, half of the last printed digit or 0.
///
/// `None` where none or no others are left, or where nothing varies and `least` is 0. The values are finite; where
/// all are positive their logarithms are the better choice.
///
/// # Examples
///
/// ```
/// // t = 5 / (1 * (1 + 1/3)**0.5) = 4.330, d = 2, factor 0.8: 2 * scipy.stats.t.sf(0.8 * 4.330, 2)
/// let p = beyondnoise_stats::deleted_t_p_value(&[15.0, 9.0, 10.0, 11.0], &[0], &[], 0.0).unwrap();
/// assert!((p - 0.074_179_9).abs() < 1e-6);
/// ```
///
/// # References
///
/// R. D. Cook, S. Weisberg. *Residuals and Influence in Regression*, section 2.2. Chapman and Hall, 1982
/// (externally studentized residuals).
pub fn deleted_t_p_value(
    values: &[f64],
    named: &[usize],
    beside: &[f64],
    least: f64,
) -> Option<f64> {
    deleted_t_p_values(values, named, beside, least)?.first().copied()
}

/// The same of each named value, the largest first.
fn deleted_t_p_values(
    values: &[f64],
    named: &[usize],
    beside: &[f64],
    least: f64,
) -> Option<Vec<f64>> {
    let (scaled, unit) = in_unit(&[values, beside].concat());
    let (scaled, beside) = scaled.split_at(values.len());
    let mut is_named = vec![false; scaled.len()];
    for position in named {
        if let Some(named) = is_named.get_mut(*position) {
            *named = true;
        }
    }
    let (chosen, rest): (Vec<usize>, Vec<usize>) =
        (0..scaled.len()).partition(|position| is_named[*position]);
    if chosen.is_empty() || rest.is_empty() {
        return None;
    }
    let rest: Vec<f64> = rest.into_iter().map(|position| scaled[position]).collect();
    let centre = mean(&rest);
    let spreads = [&rest[..], beside]
        .map(|values| standard_deviation(values).map(|s| (s, values.len() as f64 - 1.0)));
    let df: f64 = spreads.iter().flatten().map(|(_, df)| df).sum();
    let pooled =
        (spreads.iter().flatten().map(|(s, df)| s * s * df).sum::<f64>() / df.max(1.0)).sqrt();
    let spread = spreads[0].map_or(0.0, |(own, _)| own).max(pooled).max(least / unit);
    if spread <= 0.0 || df < 1.0 {
        return None;
    }
    let factor = (3.0_f64.sqrt() * (1.0 - df.powf(-0.58))).max(LEAST_FACTOR);
    let scale = factor / (spread * (1.0 + 1.0 / rest.len() as f64).sqrt());
    let p = |position: &usize| {
        2.0 * t_cdf(-(scaled[*position] - centre).abs() * scale, df.min(TAIL_DF))
    };
    let mut all: Vec<f64> = chosen.iter().map(p).collect();
    all.sort_by(|a, b| b.total_cmp(a));
    all.iter().all(|p| p.is_finite()).then_some(all)
}

/// Probability that some k of n values are as far from all others as the k `named` ones: the number of ways to choose
/// k of n times [`deleted_t_p_value`], and from four on times that of the next nearest one of each further pair.
///
/// For one value it is Grubbs' test, made for long tails. Half of several are not counted, since all share a spread that
/// may be small by chance.
///
/// # Examples
///
/// ```
/// use beyondnoise_stats::{deleted_t_p_value, outlier_p_value};
///
/// let values = [9.0, 10.0, 11.0, 10.0, 99.0, 10.0, 12.0];
/// let any = outlier_p_value(&values, &[4], &[], 0.0).unwrap();
/// let known = deleted_t_p_value(&values, &[4], &[], 0.0).unwrap();
/// assert!((any - 7.0 * known).abs() < 1e-12);
/// ```
///
/// # References
///
/// F. E. Grubbs. Sample criteria for testing outlying observations. *Annals of Mathematical Statistics* 21,
/// 1950.
pub fn outlier_p_value(values: &[f64], named: &[usize], beside: &[f64], least: f64) -> Option<f64> {
    let (n, k) = (values.len() as f64, named.len());
    let ways = (0..k).map(|i| (n - i as f64) / (i as f64 + 1.0)).product::<f64>();
    let nearest = deleted_t_p_values(values, named, beside, least)?;
    Some((ways * nearest.iter().take((k / 2).max(1)).product::<f64>()).min(1.0))
}

fn median(values: &[f64]) -> f64 {
    let mut near = values.to_vec();
    sort_near(&mut near, &[0.5]);
    quantile(&near, 0.5)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn slow_start(values: &[f64], larger_is_worse: bool) -> Option<SlowStart> {
        SlowLimits::default().slow_start(values, larger_is_worse)
    }

    #[test]
    fn without_a_mad_the_mean_deviation_takes_its_place() {
        // Distances 0 0 0 0 5: mean 1.
        let z = modified_z(&[2.0, 2.0, 2.0, 2.0, 7.0]).unwrap();
        assert!((z[4] - 5.0 / 1.253_314).abs() < 1e-12);
        assert_eq!(outliers(&[2.0, 2.0, 2.0, 2.0, 7.0], 3.5), [4]);
    }

    /// scipy 1.17: 2 * scipy.stats.t.sf(k * |x - mean| / (s * (1 + 1/m)**0.5), min(df, 3)) with numpy's std(ddof=1) and
    /// k = max(0.8, 3**0.5 * (1 - df**-0.58)).
    #[test]
    fn values_apart_have_the_p_values_of_students_test() {
        let values = [94.5, 99.0, 101.0, 100.0, 102.0];
        let p = deleted_t_p_value(&values, &[0], &[], 0.0).unwrap();
        assert!((p - 0.042_685_810_061_473_64).abs() < 1e-9, "{p}");
        assert!((outlier_p_value(&values, &[0], &[], 0.0).unwrap() - 5.0 * p).abs() < 1e-12);
        // Quieter values beside them change the degrees of freedom alone, noisier ones the spread too.
        let p = deleted_t_p_value(&values, &[0], &[50.0, 50.1, 50.2], 0.0).unwrap();
        assert!((p - 0.022_177_600_377_723_44).abs() < 1e-9, "{p}");
        let p = deleted_t_p_value(&values, &[0], &[40.0, 50.0, 60.0], 0.0).unwrap();
        assert!((p - 0.443_240_188_052_218_8).abs() < 1e-9, "{p}");
        // Of two named ones the nearer counts: 5! / (2! 3!) ways.
        assert_eq!(outlier_p_value(&values, &[0, 4], &[], 0.0), Some(1.0));
        assert_eq!(deleted_t_p_value(&values, &[], &[], 0.0), None);
        assert_eq!(deleted_t_p_value(&[1.0, 2.0], &[0], &[], 0.0), None);
        assert!(deleted_t_p_value(&[1.0, 2.0], &[0], &[7.0, 8.0], 0.0).is_some());
        assert_eq!(deleted_t_p_value(&[1.0, 2.0, 2.0], &[0], &[], 0.0), None);
        assert!(deleted_t_p_value(&[1.0, 2.0, 2.0], &[0], &[], 0.05).is_some());
    }

    #[test]
    fn a_slow_start_is_clear_of_the_worst_later_value() {
        // Later values 1 2 3 9: median 2.5, MAD 1, so it takes more than 9 + 3 * 1.4826.
        assert_eq!(slow_start(&[13.4, 1.0, 2.0, 3.0, 9.0], true), None);
        assert!(slow_start(&[13.5, 1.0, 2.0, 3.0, 9.0], true).is_some());
        // A throughput: lower is worse.
        let start = slow_start(&[80.0, 100.0, 101.0, 99.0, 100.0], false).unwrap();
        assert!((start.excess - 0.2).abs() < 1e-12);
    }

    #[test]
    fn without_a_spread_a_slow_start_takes_a_tenth() {
        assert_eq!(slow_start(&[109.0, 100.0, 100.0, 100.0], true), None);
        assert!(slow_start(&[111.0, 100.0, 100.0, 100.0], true).is_some());
        assert!(slow_start(&[113.0, 100.0, 102.0], true).is_some());
        assert_eq!(slow_start(&[1.0, 0.0, 0.0], true), None);
    }
}
