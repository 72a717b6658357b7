//! Power of the two-sample t test, and its inverses: runs needed, change detectable.

use crate::stats::bisection::smallest;
use crate::stats::distribution::t_quantile;
use statrs::distribution::{ChiSquared, ContinuousCDF, Normal};
use statrs::function::gamma::ln_gamma;

/// Most runs of each variant that [`runs_needed`] looks at.
pub const MOST_RUNS: usize = 100_000;

/// Probability that a two-sided t test at level `alpha` sees a true effect.
///
/// `effect` and `noise` are in the same unit (a log ratio and a CV); `baseline_runs` and
/// `candidate_runs` are at least 1 and together at least 3. Computed from the noncentral t
/// distribution as a normal probability averaged over the law of the standard deviation.
///
/// # Panics
///
/// If there are fewer than three runs in all.
///
/// # Examples
///
/// ```
/// // statsmodels: TTestIndPower().power(effect_size=2, nobs1=5, alpha=0.05, ratio=1) = 0.790542
/// let power = beyondnoise::stats::power(0.02, 0.01, 5, 5, 0.05);
/// assert!((power - 0.790542).abs() < 1e-6);
/// ```
pub fn power(
    effect: f64,
    noise: f64,
    baseline_runs: usize,
    candidate_runs: usize,
    alpha: f64,
) -> f64 {
    assert!(baseline_runs + candidate_runs >= 3, "power needs three runs in all");
    let df = (baseline_runs + candidate_runs - 2) as f64;
    power_with(effect, noise, (baseline_runs, candidate_runs), df, alpha)
}

/// [`power`] for a noise known to `df` > 0 degrees of freedom, where these are not `runs.0 + runs.1 - 2`:
/// more with borrowed noise, fewer where a variant has two runs.
///
/// # Examples
///
/// ```
/// use beyondnoise::stats::{power, power_with};
///
/// // Two runs each see more with the noise of twenty other runs.
/// assert!(power_with(0.03, 0.01, (2, 2), 22.0, 0.05) > power(0.03, 0.01, 2, 2, 0.05) + 0.3);
/// ```
pub fn power_with(effect: f64, noise: f64, runs: (usize, usize), df: f64, alpha: f64) -> f64 {
    let (a, b) = (runs.0 as f64, runs.1 as f64);
    if noise <= 0.0 {
        return if effect == 0.0 { alpha } else { 1.0 };
    }
    let shift = effect.abs() / (noise * (1.0 / a + 1.0 / b).sqrt());
    let critical = t_quantile(1.0 - alpha / 2.0, df);
    let normal = Normal::standard();
    let beyond =
        |scale: f64| normal.sf(critical * scale - shift) + normal.cdf(-critical * scale - shift);
    average_over_chi(df, beyond).clamp(0.0, 1.0)
}

/// Mean of `f(s)` where s is distributed as the square root of chi-square(df) / df.
fn average_over_chi(df: f64, f: impl Fn(f64) -> f64) -> f64 {
    // In x = ln s the density is smooth for every df >= 1, and Simpson's rule converges fast.
    const STEPS: u32 = 400;
    let half = df / 2.0;
    let log_norm = std::f64::consts::LN_2 + half * half.ln() - ln_gamma(half);
    let density = |x: f64| (log_norm + df * x - half * (2.0 * x).exp()).exp();
    let spread = 1.0 / (2.0 * df).sqrt();
    let (low, high) = (-12.0 * spread - 20.0 / df, (9.0 * spread).min(2.0));
    let width = (high - low) / f64::from(STEPS);
    let sum: f64 = (0..=STEPS)
        .map(|step| {
            let x = low + width * f64::from(step);
            let weight =
                if step == 0 || step == STEPS { 1.0 } else { f64::from(2 + 2 * (step % 2)) };
            weight * density(x) * f(x.exp())
        })
        .sum();
    sum * width / 3.0
}

/// Runs of each variant needed to see `effect` with probability `wanted` at level `alpha`; `None`
/// beyond 100,000.
///
/// # Examples
///
/// ```
/// // A 3 % change under 1.6 % noise at 80 % power: 6 runs each.
/// assert_eq!(beyondnoise::stats::runs_needed(0.03, 0.016, 0.8, 0.05), Some(6));
/// ```
pub fn runs_needed(effect: f64, noise: f64, wanted: f64, alpha: f64) -> Option<usize> {
    runs_needed_with(effect, noise, 0.0, wanted, alpha)
}

/// [`runs_needed`] where noise of `prior_df` degrees of freedom is borrowed from other runs: the noise of n
/// runs each is then known to `2 (n - 1) + prior_df`. At least 2 with a `prior_df` of 0, else 1.
///
/// # Examples
///
/// ```
/// use beyondnoise::stats::runs_needed_with;
///
/// assert_eq!(runs_needed_with(0.03, 0.016, 0.0, 0.8, 0.05), Some(6));
/// assert_eq!(runs_needed_with(0.03, 0.016, 10.0, 0.8, 0.05), Some(5));
/// ```
///
/// # References
///
/// G. K. Smyth. Linear models and empirical Bayes methods for assessing differential expression in microarray
/// experiments. *Statistical Applications in Genetics and Molecular Biology* 3, 2004 (degrees of freedom).
pub fn runs_needed_with(
    effect: f64,
    noise: f64,
    prior_df: f64,
    wanted: f64,
    alpha: f64,
) -> Option<usize> {
    let enough = |runs: usize| {
        let df = 2.0 * (runs as f64 - 1.0) + prior_df;
        power_with(effect, noise, (runs, runs), df, alpha) >= wanted
    };
    if effect == 0.0 || !enough(MOST_RUNS) {
        return None;
    }
    let fewest = if prior_df > 0.0 { 1 } else { 2 };
    let (mut low, mut high) = (fewest - 1, fewest);
    while !enough(high) {
        (low, high) = (high, (high * 2).min(MOST_RUNS));
    }
    while high - low > 1 {
        let middle = usize::midpoint(low, high);
        if enough(middle) { high = middle } else { low = middle }
    }
    Some(high)
}

/// Smallest true effect, in the unit of `noise`, that these runs reveal with probability `wanted`;
/// `None` with fewer than three runs in all.
///
/// # Examples
///
/// ```
/// let effect = beyondnoise::stats::detectable(0.01, 5, 5, 0.8, 0.05).unwrap();
/// assert!((effect - 0.02024).abs() < 1e-4); // statsmodels: effect size 2.024
/// ```
pub fn detectable(
    noise: f64,
    baseline_runs: usize,
    candidate_runs: usize,
    wanted: f64,
    alpha: f64,
) -> Option<f64> {
    if baseline_runs + candidate_runs < 3 {
        return None;
    }
    let df = (baseline_runs + candidate_runs - 2) as f64;
    Some(detectable_with(noise, (baseline_runs, candidate_runs), df, wanted, alpha))
}

/// [`detectable`] for a noise known to `df` > 0 degrees of freedom; `runs` are those of the baseline and of
/// the candidate.
///
/// # Examples
///
/// ```
/// use beyondnoise::stats::{detectable, detectable_with};
///
/// let borrowed = detectable_with(0.01, (3, 3), 12.0, 0.8, 0.05);
/// assert!(borrowed < detectable(0.01, 3, 3, 0.8, 0.05).unwrap());
/// ```
pub fn detectable_with(noise: f64, runs: (usize, usize), df: f64, wanted: f64, alpha: f64) -> f64 {
    let seen = |effect| power_with(effect, noise, runs, df, alpha) >= wanted;
    let (mut low, mut high) = (0.0, noise);
    while !seen(high) && high < noise * 1e6 {
        high *= 2.0;
    }
    for _ in 0..60 {
        let middle = f64::midpoint(low, high);
        if seen(middle) {
            high = middle;
        } else {
            low = middle;
        }
    }
    high
}

/// Noise that runs of `noise` seen to `df` degrees of freedom do not rule out: the upper end of its two-sided
/// interval, `noise * sqrt(df / q)` with q the chi-square quantile at `(1 - confidence) / 2`.
///
/// `df` is at least 1; `confidence` lies in (0, 1). The result is in the unit of `noise`.
///
/// # Panics
///
/// If `df` is 0.
///
/// # Examples
///
/// ```
/// // Three runs of one build: sqrt(2 / scipy.stats.chi2.ppf(0.1, 2))
/// assert!((beyondnoise::stats::noise_at_most(1.0, 2, 0.8) - 3.080783).abs() < 1e-6);
/// ```
///
/// # References
///
/// G. W. Snedecor, W. G. Cochran. *Statistical Methods*, 8th ed., section 5.11, 1989.
pub fn noise_at_most(noise: f64, df: usize, confidence: f64) -> f64 {
    assert!(df > 0, "noise seen in no repeated run");
    let df = df as f64;
    let law = ChiSquared::new(df).expect("degrees of freedom are positive");
    let tail = (1.0 - confidence) / 2.0;
    // The median lies below the mean, and the tail below the median.
    let quantile = smallest(0.0, df, |x| law.cdf(x) >= tail);
    noise * (df / quantile).sqrt()
}
