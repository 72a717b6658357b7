//! Power of the two-sample t test, and its inverses: runs needed, change detectable.

use crate::numerics::bisection::smallest;
use crate::numerics::distribution::{normal_quantile, t_quantile};
use statrs::distribution::{ChiSquared, Continuous, ContinuousCDF, Normal};
use statrs::function::gamma::{gamma_lr, ln_gamma};
use std::f64::consts::PI;

/// Most runs of each variant that [`runs_needed`] looks at.
pub const MAX_PLANNED_RUNS: usize = 100_000;

/// Largest effect that [`detectable`] looks at, in multiples of the noise.
const MAX_DETECTABLE: f64 = 1_048_576.0;

/// Probability that a two-sided t test at level `alpha` sees a true effect.
///
/// `effect` and `noise` are in the same unit (a log ratio and a CV); `baseline_runs` and
/// `candidate_runs` are at least 1 and together at least 3. Computed from the noncentral t
/// distribution, as a sum of beta distributions.
///
/// # Panics
///
/// If there are fewer than three runs in all.
///
/// # Examples
///
/// ```
/// // statsmodels: TTestIndPower().power(effect_size=2, nobs1=5, alpha=0.05, ratio=1) = 0.790542
/// let power = beyondnoise_stats::power(0.02, 0.01, 5, 5, 0.05);
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

/// [`power`] for a noise known to `df` > 0 degrees of freedom, where these are not `runs.0 + runs.1 - 2`: more with a
/// noise prior, fewer where a variant has two runs.
///
/// # Examples
///
/// ```
/// use beyondnoise_stats::{power, power_with};
///
/// // Two runs each see more with the noise of twenty other runs.
/// assert!(power_with(0.03, 0.01, (2, 2), 22.0, 0.05) > power(0.03, 0.01, 2, 2, 0.05) + 0.3);
/// ```
pub fn power_with(effect: f64, noise: f64, runs: (usize, usize), df: f64, alpha: f64) -> f64 {
    if noise <= 0.0 {
        return if effect == 0.0 { alpha } else { 1.0 };
    }
    Test::new(df, alpha).power(effect.abs() / (noise * spread_of(runs))).0.clamp(0.0, 1.0)
}

/// Standard deviation of a delta as a multiple of the noise of one run.
fn spread_of(runs: (usize, usize)) -> f64 {
    (1.0 / runs.0 as f64 + 1.0 / runs.1 as f64).sqrt()
}

/// Share that changes no digit of a power.
const NEGLIGIBLE: f64 = 1e-17;

/// Shift from which on the power is averaged over a normal distribution: the weights of the series underflow.
const FAR: f64 = 37.0;

/// A two-sided t test: what its power depends on besides the shift.
struct Test {
    /// Half of the degrees of freedom.
    half: f64,
    /// Level of the test.
    alpha: f64,
    /// Value of t from which on a change is called.
    critical: f64,
    /// `critical^2 / (critical^2 + df)`.
    x: f64,
    /// How much further the beta distribution with 1 1/2 reaches beyond `x` than the one with 1/2.
    first: f64,
}

impl Test {
    fn new(df: f64, alpha: f64) -> Self {
        let (half, critical) = (df / 2.0, t_quantile(1.0 - alpha / 2.0, df));
        let square = critical * critical / df;
        let x = 1.0 / (1.0 + 1.0 / square);
        let log_beyond = -half * square.ln_1p();
        let first = 2.0 * x.sqrt() * log_beyond.exp() * gamma_ratio(half) / PI.sqrt();
        Self { half, alpha, critical, x, first }
    }

    /// Probability of a t beyond the critical values where the true effect is `shift` >= 0 standard errors,
    /// and its derivative.
    ///
    /// t squared has the noncentral F distribution: beta distributions of 1/2 + j, weighted by a Poisson distribution of j.
    fn power(&self, shift: f64) -> (f64, f64) {
        if shift.is_nan() {
            return (shift, shift);
        }
        let normal = Normal::standard();
        if self.half.is_infinite() {
            let beyond = normal.cdf(shift - self.critical) + normal.cdf(-self.critical - shift);
            let slope = normal.pdf(shift - self.critical) - normal.pdf(self.critical + shift);
            return (beyond, slope);
        }
        if shift > FAR {
            return self.power_far_away(shift);
        }
        let rate = shift * shift / 2.0;
        let (mut weight, mut beyond, mut step) = ((-rate).exp(), self.alpha, self.first);
        let (mut power, mut slope, mut j) = (0.0, 0.0, 0.0);
        loop {
            power += weight * beyond;
            slope += weight * step;
            if j > rate && weight < NEGLIGIBLE {
                return (power, shift * slope);
            }
            beyond += step;
            step *= self.x * (j + 0.5 + self.half) / (j + 1.5);
            j += 1.0;
            weight *= rate / j;
        }
    }

    /// [`Self::power`] for a large shift, where the distribution of the standard deviation is smooth across the normal
    /// distribution of the delta.
    fn power_far_away(&self, shift: f64) -> (f64, f64) {
        // The trapezoidal rule has all digits at this step.
        const STEP: f64 = 0.5;
        let (mut power, mut slope) = (0.0, 0.0);
        for node in -18..=18 {
            let z = STEP * f64::from(node);
            let edge = (shift + z) / self.critical;
            let weight = STEP * Normal::standard().pdf(z);
            let square = (self.half * edge * edge).clamp(f64::MIN_POSITIVE, f64::MAX);
            let beyond = weight * gamma_lr(self.half, square);
            power += beyond;
            slope += z * beyond;
        }
        (power, slope)
    }

    /// The shift at which the power is `wanted`, at most `most`; 0 where chance alone finds that many.
    fn shift(&self, wanted: f64, most: f64) -> f64 {
        let target = normal_quantile(wanted);
        let (mut low, mut high) = (0.0, most);
        let mut shift = (self.critical + target).max(low).min(high);
        // Newton's steps on the probit scale, where the power is nearly a line.
        for _ in 0..200 {
            let (power, slope) = self.power(shift);
            if power >= wanted {
                high = shift;
            } else {
                low = shift;
            }
            let probit = normal_quantile(power.clamp(f64::MIN_POSITIVE, 1.0 - f64::EPSILON));
            let next = shift - (probit - target) * Normal::standard().pdf(probit) / slope;
            // They converge quadratically: after so small a step no digit is left to gain.
            if (next - shift).abs() <= 1e-8 * shift {
                return next;
            }
            if high - low <= 1e-15 * high {
                return high;
            }
            shift = if next > low && next < high { next } else { f64::midpoint(low, high) };
        }
        high
    }
}

/// Gamma(b + 1/2) / Gamma(b) for b > 0.
fn gamma_ratio(b: f64) -> f64 {
    // Where the logarithms would cancel, Stirling's series of the ratio.
    const SERIES: [f64; 7] = [
        1.0,
        -1.0 / 8.0,
        1.0 / 128.0,
        5.0 / 1024.0,
        -21.0 / 32_768.0,
        -399.0 / 262_144.0,
        869.0 / 4_194_304.0,
    ];
    if b < 30.0 {
        return (ln_gamma(b + 0.5) - ln_gamma(b)).exp();
    }
    b.sqrt() * SERIES.iter().rev().fold(0.0, |sum, term| sum / b + term)
}

/// Runs of each variant needed to see `effect` with probability `wanted` at level `alpha`; `None`
/// beyond 100,000.
///
/// # Examples
///
/// ```
/// // A 3 % change under 1.6 % noise at 80 % power: 6 runs each.
/// assert_eq!(beyondnoise_stats::runs_needed(0.03, 0.016, 0.8, 0.05), Some(6));
/// ```
pub fn runs_needed(effect: f64, noise: f64, wanted: f64, alpha: f64) -> Option<usize> {
    runs_needed_with(effect, noise, 0.0, wanted, alpha)
}

/// [`runs_needed`] with a noise prior of `prior_df` degrees of freedom: the noise of n runs each is then known to `2
/// (n - 1) + prior_df`. At least 2 with a `prior_df` of 0, else 1.
///
/// # Examples
///
/// ```
/// use beyondnoise_stats::runs_needed_with;
///
/// assert_eq!(runs_needed_with(0.03, 0.016, 0.0, 0.8, 0.05), Some(6));
/// assert_eq!(runs_needed_with(0.03, 0.016, 10.0, 0.8, 0.05), Some(5));
/// ```
///
/// # References
///
/// G. K. Smyth, as for [`Prior::fit`](crate::Prior::fit) (degrees of freedom).
pub fn runs_needed_with(
    effect: f64,
    noise: f64,
    prior_df: f64,
    wanted: f64,
    alpha: f64,
) -> Option<usize> {
    let df = |runs: usize| 2.0 * (runs as f64 - 1.0) + prior_df;
    fewest_runs((effect, noise), prior_df, df, (wanted, alpha))
}

/// [`runs_needed_with`] where n runs know the noise to `df(n)` degrees of freedom, which grow with n.
pub(crate) fn fewest_runs(
    (effect, noise): (f64, f64),
    prior_df: f64,
    df: impl Fn(usize) -> f64,
    (wanted, alpha): (f64, f64),
) -> Option<usize> {
    let enough = |runs: usize| power_with(effect, noise, (runs, runs), df(runs), alpha) >= wanted;
    if effect == 0.0 {
        return None;
    }
    let fewest = if prior_df > 0.0 { 1 } else { 2 };
    let guess = guessed_runs(effect / noise, prior_df, wanted, alpha).max(fewest);
    // From the guess outwards in growing steps until the answer is enclosed.
    let (mut low, mut high) = (fewest - 1, MAX_PLANNED_RUNS + 1);
    let (mut next, mut step) = (guess.min(MAX_PLANNED_RUNS), 1);
    while high - low > 1 {
        if enough(next) {
            high = next;
            next = high.saturating_sub(step).max(low + 1);
        } else {
            low = next;
            next = (low + step).min(high - 1);
        }
        step *= 2;
        if low >= fewest && high <= MAX_PLANNED_RUNS {
            next = usize::midpoint(low, high);
        }
    }
    Some(high).filter(|runs| *runs <= MAX_PLANNED_RUNS)
}

/// Runs needed by the normal approximation, with a term for the noise being estimated from them.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a count, saturating")]
fn guessed_runs(effect_per_noise: f64, prior_df: f64, wanted: f64, alpha: f64) -> usize {
    let level = normal_quantile(1.0 - alpha / 2.0);
    let by_normal = 2.0 * ((level + normal_quantile(wanted)) / effect_per_noise).powi(2);
    let estimated = level.powi(2) / 4.0 * 2.0 * by_normal / (2.0 * by_normal + prior_df);
    (by_normal + estimated).ceil() as usize
}

/// Smallest true effect, in the unit of `noise`, that these runs reveal with probability `wanted`;
/// `None` with fewer than three runs in all.
///
/// # Examples
///
/// ```
/// let effect = beyondnoise_stats::detectable(0.01, 5, 5, 0.8, 0.05).unwrap();
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
/// use beyondnoise_stats::{detectable, detectable_with};
///
/// let borrowed = detectable_with(0.01, (3, 3), 12.0, 0.8, 0.05);
/// assert!(borrowed < detectable(0.01, 3, 3, 0.8, 0.05).unwrap());
/// ```
pub fn detectable_with(noise: f64, runs: (usize, usize), df: f64, wanted: f64, alpha: f64) -> f64 {
    // The power depends on the effect in standard errors only.
    let unit = noise * spread_of(runs);
    unit * Test::new(df, alpha).shift(wanted, MAX_DETECTABLE / spread_of(runs))
}

/// Noise that runs of `noise` seen to `df` degrees of freedom do not rule out: the upper end of its two-sided
/// interval, `noise * sqrt(df / q)` with q the chi-square quantile at `(1 - confidence) / 2`.
///
/// `df` is above 0 and need not be whole; `confidence` lies in (0, 1). The result is in the unit of `noise`.
///
/// # Panics
///
/// If `df` is not a positive number.
///
/// # Examples
///
/// ```
/// // Three runs of one build: sqrt(2 / scipy.stats.chi2.ppf(0.1, 2))
/// assert!((beyondnoise_stats::noise_at_most(1.0, 2.0, 0.8) - 3.080783).abs() < 1e-6);
/// ```
///
/// # References
///
/// G. W. Snedecor, W. G. Cochran. *Statistical Methods*, 8th ed., section 5.11, 1989.
pub fn noise_at_most(noise: f64, df: f64, confidence: f64) -> f64 {
    let distribution = ChiSquared::new(df).expect("degrees of freedom are positive");
    let tail = (1.0 - confidence) / 2.0;
    // The median lies below the mean, and the tail below the median.
    let quantile = smallest(0.0, df, |x| distribution.cdf(x) >= tail);
    noise * (df / quantile).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `1 - scipy.stats.nct.cdf(c, df, shift) + scipy.stats.nct.cdf(-c, df, shift)` at the critical value c,
    /// scipy 1.17.1.
    #[test]
    fn the_power_is_that_of_the_noncentral_t() {
        let table = [
            (12.0, 1.0, 0.05, 0.653_555_996_874),
            (40.0, 1.0, 0.01, 0.470_187_782_166),
            (3.0, 2.5, 0.05, 0.469_153_828_629),
            (3.2, 8.0, 0.05, 0.799_777_979_701),
            (2.5, 300.0, 0.01, 0.464_283_317_207),
        ];
        for (shift, df, alpha, expected) in table {
            let power = Test::new(df, alpha).power(shift).0;
            assert!((power - expected).abs() < 2e-12, "{shift} {df}: {power}");
        }
    }

    #[test]
    fn the_slope_is_that_of_the_power() {
        for (df, shift) in [(1.0, 20.0), (1.0, 45.0), (8.0, 3.0), (f64::INFINITY, 2.0)] {
            let test = Test::new(df, 0.05);
            let ahead = test.power(shift + 1e-5).0 - test.power(shift - 1e-5).0;
            assert!((test.power(shift).1 - ahead / 2e-5).abs() < 1e-8, "{df} {shift}");
        }
    }

    #[test]
    fn no_effect_and_no_noise_is_too_large_or_small() {
        let extreme = [0.0, 5e-324, 1e-200, 1.0, 1e200, f64::MAX, f64::INFINITY];
        for (effect, noise) in extreme.iter().flat_map(|a| extreme.iter().map(move |b| (*a, *b))) {
            for df in [0.1, 1.0, 8.0, f64::INFINITY] {
                let found = power_with(effect, noise, (5, 5), df, 0.05);
                let unknown = effect.is_infinite() && noise.is_infinite();
                assert!(if unknown { found.is_nan() } else { found > 0.04 }, "{effect} {noise}");
                assert!(!detectable_with(noise, (5, 5), df, 0.8, 0.05).is_nan());
            }
            let runs = runs_needed(effect, noise, 0.8, 0.05);
            assert!(runs.is_none_or(|runs| (2..=MAX_PLANNED_RUNS).contains(&runs)));
        }
    }

    #[test]
    fn the_shift_has_the_power_wanted() {
        for df in [0.5, 1.0, 3.0, 8.0, 40.0, f64::INFINITY] {
            for wanted in [0.06, 0.5, 0.8, 0.99] {
                let test = Test::new(df, 0.05);
                let found = test.power(test.shift(wanted, 1e6)).0;
                assert!((found - wanted).abs() < 1e-12, "{df} {wanted}: {found}");
            }
        }
        assert!(Test::new(8.0, 0.05).shift(0.04, 1e6) < 1e-9);
        assert!((Test::new(0.1, 0.05).shift(0.8, 10.0) - 10.0).abs() < 1e-12);
    }
}
