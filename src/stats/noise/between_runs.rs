//! Run-to-run noise: the standard deviation between runs of one variant, on the log scale.

use statrs::distribution::{ChiSquared, Continuous, ContinuousCDF, FisherSnedecor};
use statrs::function::gamma::ln_gamma;

use crate::noise::empirical_bayes::Variance;
use crate::numerics::distribution::normal_quantile;
use crate::runs::sample::Sample;

/// Own noise of two variants together: their log standard deviations pooled by degrees of freedom,
/// with the degrees of freedom. `None` where neither has two runs.
///
/// # Examples
///
/// ```
/// use beyondnoise_stats::{Sample, pooled_cv};
///
/// let one = |values: &[f64]| Sample::new(values.to_vec()).unwrap();
/// let (cv, df) = pooled_cv(&one(&[99.0, 101.0]), &one(&[49.5, 50.5])).unwrap();
/// assert!((cv - (101f64 / 99.0).ln() / 2f64.sqrt()).abs() < 1e-12);
/// assert_eq!(df, 2);
/// ```
pub fn pooled_cv(baseline: &Sample, candidate: &Sample) -> Option<(f64, usize)> {
    let parts: Vec<(f64, usize)> = [baseline, candidate]
        .into_iter()
        .filter_map(|sample| Some((sample.log_sd()?, sample.runs() - 1)))
        .collect();
    let df: usize = parts.iter().map(|(_, df)| df).sum();
    let squares: f64 = parts.iter().map(|(sd, df)| sd * sd * *df as f64).sum();
    (df > 0).then(|| ((squares / df as f64).sqrt(), df))
}

impl Variance {
    /// Two-sided p-value of two samples of normal values having one variance: twice the tail of the F distribution beyond the
    /// ratio of the two.
    ///
    /// It assumes normal values: with long tails a small p-value is weak evidence.
    ///
    /// # Examples
    ///
    /// ```
    /// use beyondnoise_stats::Variance;
    ///
    /// // 2 * scipy.stats.f.sf(9, 2, 2)
    /// let [a, b] = [9.0, 1.0].map(|value| Variance { value, df: 2.0 });
    /// assert!((a.equal_p_value(b) - 0.2).abs() < 1e-12);
    /// ```
    pub fn equal_p_value(self, other: Self) -> f64 {
        let (above, below) = if self.value >= other.value { (self, other) } else { (other, self) };
        let ratio = above.value.sqrt() / below.value.sqrt();
        FisherSnedecor::new(above.df, below.df)
            .map_or(1.0, |distribution| (2.0 * distribution.sf(ratio * ratio)).min(1.0))
    }

    /// Probability that normal values whose standard deviation is `limit` show this variance or more: the upper tail of the
    /// chi-square distribution.
    ///
    /// # Examples
    ///
    /// ```
    /// use beyondnoise_stats::Variance;
    ///
    /// // scipy.stats.chi2.sf(4 * 2**2, 4)
    /// let p = Variance { value: 0.1 * 0.1, df: 4.0 }.above_p_value(0.05);
    /// assert!((p - 0.003_019_163_651).abs() < 1e-11);
    /// ```
    pub fn above_p_value(self, limit: f64) -> f64 {
        let ratio = self.value.sqrt() / limit;
        ChiSquared::new(self.df)
            .map_or(1.0, |distribution| distribution.sf(self.df * ratio * ratio))
    }

    /// Largest standard deviation that this variance allows: the upper end of its two-sided interval, `sqrt(value * df
    /// / q)` with q the chi-square quantile at `(1 - confidence) / 2`.
    ///
    /// `df` need not be whole; `confidence` lies in (0, 1).
    ///
    /// # Panics
    ///
    /// If `df` is not a positive number.
    ///
    /// # Examples
    ///
    /// ```
    /// use beyondnoise_stats::Variance;
    ///
    /// // Three runs of one build: sqrt(2 / scipy.stats.chi2.ppf(0.1, 2))
    /// assert!((Variance { value: 1.0, df: 2.0 }.sd_at_most(0.8) - 3.080783).abs() < 1e-6);
    /// ```
    ///
    /// # References
    ///
    /// G. W. Snedecor, W. G. Cochran. *Statistical Methods*, 8th ed., section 5.11, 1989.
    pub fn sd_at_most(self, confidence: f64) -> f64 {
        let Self { value, df } = self;
        let distribution = ChiSquared::new(df).expect("degrees of freedom are positive");
        let tail = (1.0 - confidence) / 2.0;
        value.sqrt() * (df / lower_quantile(distribution, df, tail)).sqrt()
    }
}

/// The value below which a chi-square variable lies with the probability `tail`, below 0.5: Newton's steps from the approximation
/// of Wilson and Hilferty, on logarithms, where the distribution is concave.
fn lower_quantile(distribution: ChiSquared, df: f64, tail: f64) -> f64 {
    let spread = 2.0 / (9.0 * df);
    let near = df * (1.0 - spread + normal_quantile(tail) * spread.sqrt()).powi(3);
    // With few degrees of freedom the first term of the series is nearer.
    let series = 2.0 * ((tail.ln() + ln_gamma(df / 2.0 + 1.0)) * 2.0 / df).exp();
    let mut x = near.max(series).max(f64::MIN_POSITIVE);
    for _ in 0..MAX_STEPS {
        let below = distribution.cdf(x);
        let step = (below / tail).ln() * below / (x * distribution.ln_pdf(x).exp());
        if !step.is_finite() {
            break;
        }
        x *= (-step).exp();
        if step.abs() < 1e-13 {
            break;
        }
    }
    x
}

/// Steps after which a quantile is as near as its digits allow.
const MAX_STEPS: usize = 40;

/// Most printed steps between two values that count as neighbours.
const NEAR: f64 = 2.0;

/// Neighbouring printed values differ by one step, up to rounding.
const SAME: f64 = 1.000_001;

/// Number of different values, if so few that printing and not noise separates them: one, or among 3 or more values
/// two that are at most two printed steps from each other. `None` otherwise, and for fewer than 2 values.
///
/// `resolution` is half of the last printed digit, 0 for exact values.
///
/// # Examples
///
/// ```
/// use beyondnoise_stats::coarse_levels;
///
/// assert_eq!(coarse_levels(&[9.7, 9.8, 9.7], 0.05), Some(2));
/// assert_eq!(coarse_levels(&[9.7, 10.0, 9.7], 0.05), None);
/// assert_eq!(coarse_levels(&[9.7, 9.7], 0.0), Some(1));
/// ```
pub fn coarse_levels(values: &[f64], resolution: f64) -> Option<usize> {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let spanned = sorted.last()? - sorted[0];
    sorted.dedup();
    let near = spanned <= NEAR * 2.0 * resolution * SAME;
    let coarse = sorted.len() == 1 || sorted.len() == 2 && values.len() > 2 && near;
    (coarse && values.len() > 1).then_some(sorted.len())
}

/// Run-to-run CV below which a change seen in `baseline_runs` against `candidate_runs` runs would
/// be beyond noise: `|ln ratio| / (z * sqrt(1/n_A + 1/n_B))`, with z for `confidence`.
///
/// `log_ratio` is ln(candidate / baseline); the result is a fraction.
///
/// # Examples
///
/// ```
/// // 305.88 against 287.36, one run each: 0.0624 / 2.77
/// let cv = beyondnoise_stats::break_even_cv((287.36f64 / 305.88).ln(), 1, 1, 0.95);
/// assert!((cv - 0.0225).abs() < 5e-5);
/// ```
pub fn break_even_cv(
    log_ratio: f64,
    baseline_runs: usize,
    candidate_runs: usize,
    confidence: f64,
) -> f64 {
    let z = normal_quantile(f64::midpoint(1.0, confidence));
    log_ratio.abs() / (z * (1.0 / baseline_runs as f64 + 1.0 / candidate_runs as f64).sqrt())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_limit_of_the_noise_rests_on_the_quantile_of_chi_square() {
        // scipy.stats.chi2.ppf(tail, df)
        for (tail, df, expected) in [
            (0.1, 0.5, 0.000_135_001_247_712_679_46),
            (0.1, 1.0, 0.015_790_774_093_431_22),
            (0.1, 3.7, 0.911_506_179_003_708_3),
            (0.1, 200.0, 174.835_272_999_187_3),
            (0.1, 300.0, 269.067_860_779_964_5),
            (0.025, 2.0, 0.050_635_615_968_579_75),
            (0.005, 0.5, 8.437_122_369_237_09e-10),
            (0.005, 8.0, 1.344_413_087_014_809_9),
            (0.005, 2000.0, 1_840.848_092_326_718_4),
        ] {
            let found = lower_quantile(ChiSquared::new(df).unwrap(), df, tail);
            assert!((found / expected - 1.0).abs() < 1e-11, "{tail} {df}: {found}");
        }
    }
}
