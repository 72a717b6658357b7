//! Run-to-run noise: the standard deviation between runs of one variant, on the log scale.

use statrs::distribution::{ChiSquared, ContinuousCDF, FisherSnedecor};

use crate::numerics::distribution::normal_quantile;
use crate::runs::sample::Sample;
use crate::runs::statistic::standard_deviation;

/// Standard deviation of the logarithms of `sample`, read as a CV; `None` for a single run or a
/// value that is not positive. Never below what the resolution of the values implies.
///
/// # Examples
///
/// ```
/// use beyondnoise_stats::{Sample, log_sd};
///
/// let sample = Sample::new(vec![1.0, std::f64::consts::E]).unwrap();
/// assert!((log_sd(&sample).unwrap() - 0.5f64.sqrt()).abs() < 1e-12);
/// assert_eq!(log_sd(&Sample::new(vec![1.0]).unwrap()), None);
/// ```
pub fn log_sd(sample: &Sample) -> Option<f64> {
    if !sample.is_positive() {
        return None;
    }
    let logs: Vec<f64> = sample.sorted().iter().map(|value| value.ln()).collect();
    standard_deviation(&logs).map(|s| s.max(sample.resolution() / sample.mean()))
}

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
        .filter_map(|sample| Some((log_sd(sample)?, sample.runs() - 1)))
        .collect();
    let df: usize = parts.iter().map(|(_, df)| df).sum();
    let squares: f64 = parts.iter().map(|(sd, df)| sd * sd * *df as f64).sum();
    (df > 0).then(|| ((squares / df as f64).sqrt(), df))
}

/// Two-sided p-value of two normal samples having one variance: twice the tail of the F distribution beyond
/// the ratio of the standard deviations `a` and `b` squared, with the degrees of freedom `dfs`, all above 0.
///
/// It assumes normal values: with long tails a small p-value is weak evidence.
///
/// # Examples
///
/// ```
/// // 2 * scipy.stats.f.sf(9, 2, 2)
/// let p = beyondnoise_stats::equal_noise_p_value((3.0, 1.0), (2.0, 2.0));
/// assert!((p - 0.2).abs() < 1e-12);
/// ```
pub fn equal_noise_p_value((a, b): (f64, f64), dfs: (f64, f64)) -> f64 {
    let (ratio, (above, below)) = if a >= b { (a / b, dfs) } else { (b / a, (dfs.1, dfs.0)) };
    FisherSnedecor::new(above, below)
        .map_or(1.0, |distribution| (2.0 * distribution.sf(ratio * ratio)).min(1.0))
}

/// Probability that normal values with a noise of `limit` show one of `cv` or more with `df` degrees of freedom, all
/// above 0: the upper tail of the chi-square distribution.
///
/// # Examples
///
/// ```
/// // scipy.stats.chi2.sf(4 * 2**2, 4)
/// let p = beyondnoise_stats::noise_above_p_value(0.10, 4.0, 0.05);
/// assert!((p - 0.003_019_163_651).abs() < 1e-11);
/// ```
pub fn noise_above_p_value(cv: f64, df: f64, limit: f64) -> f64 {
    let ratio = cv / limit;
    ChiSquared::new(df).map_or(1.0, |distribution| distribution.sf(df * ratio * ratio))
}

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
