//! Power of the two-sample t test, and its inverses: runs needed, change detectable.

use crate::numerics::distribution::{normal_quantile, t_quantile};
use statrs::distribution::{Continuous, ContinuousCDF, Normal};
use statrs::function::gamma::{gamma_lr, ln_gamma};
use std::f64::consts::PI;

/// Largest effect that [`PlannedTest::detectable`] looks at, in multiples of the noise.
const MAX_DETECTABLE: f64 = 1_048_576.0;

/// A planned two-sided test of a change: the noise of its runs and its level.
///
/// Effects and noise are in the same unit: a log ratio and a CV. `runs` are those of the baseline and of the candidate; the
/// noise is known to `df` > 0 degrees of freedom: `runs.0 + runs.1 - 2` in a t test, [`Self::df`] in a comparison.
///
/// # Examples
///
/// ```
/// use beyondnoise_stats::PlannedTest;
///
/// // A change of 5 % under 2 % noise, at 80 % power: 5 runs each.
/// let test = PlannedTest { noise: 0.02, alpha: 0.05 };
/// assert_eq!(test.runs_needed(0.05, 0.0, 0.8), Some(5));
/// assert!(test.power(0.05, (5, 5), PlannedTest::df((5, 5), 0.0)) > 0.8);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PlannedTest {
    /// Standard deviation of a run.
    pub noise: f64,
    /// Level of the test, in (0, 1).
    pub alpha: f64,
}

impl PlannedTest {
    /// Most runs of each variant that are looked at.
    pub const MOST_RUNS: usize = 100_000;

    /// Probability that the test sees a true effect, from the noncentral t distribution.
    ///
    /// # Examples
    ///
    /// ```
    /// use beyondnoise_stats::PlannedTest;
    ///
    /// let test = PlannedTest { noise: 0.01, alpha: 0.05 };
    /// // statsmodels: TTestIndPower().power(effect_size=2, nobs1=5, alpha=0.05, ratio=1) = 0.790542
    /// assert!((test.power(0.02, (5, 5), 8.0) - 0.790542).abs() < 1e-6);
    /// // Two runs each see more with the noise of twenty other runs.
    /// assert!(test.power(0.03, (2, 2), 22.0) > test.power(0.03, (2, 2), 2.0) + 0.3);
    /// ```
    pub fn power(self, effect: f64, runs: (usize, usize), df: f64) -> f64 {
        let Self { noise, alpha } = self;
        if noise <= 0.0 {
            return if effect == 0.0 { alpha } else { 1.0 };
        }
        Test::new(df, alpha).power(effect.abs() / (noise * spread_of(runs))).0.clamp(0.0, 1.0)
    }

    /// Smallest true effect that these runs reveal with probability `wanted`.
    ///
    /// # Examples
    ///
    /// ```
    /// use beyondnoise_stats::PlannedTest;
    ///
    /// let test = PlannedTest { noise: 0.01, alpha: 0.05 };
    /// // statsmodels: effect size 2.024
    /// assert!((test.detectable((5, 5), 8.0, 0.8) - 0.02024).abs() < 1e-4);
    /// assert!(test.detectable((3, 3), 12.0, 0.8) < test.detectable((3, 3), 4.0, 0.8));
    /// ```
    pub fn detectable(self, runs: (usize, usize), df: f64, wanted: f64) -> f64 {
        // The power depends on the effect in standard errors only.
        let unit = self.noise * spread_of(runs);
        unit * Test::new(df, self.alpha).shift(wanted, MAX_DETECTABLE / spread_of(runs))
    }

    /// Runs of each variant with which a t test sees `effect` with probability `wanted`; `None` beyond [`Self::MOST_RUNS`].
    ///
    /// With a noise prior of `prior_df` degrees of freedom the noise of n runs each is known to `2 (n - 1) + prior_df`. At least
    /// 2 with a `prior_df` of 0, else 1.
    ///
    /// # Examples
    ///
    /// ```
    /// use beyondnoise_stats::PlannedTest;
    ///
    /// // A change of 3 % under 1.6 % noise.
    /// let test = PlannedTest { noise: 0.016, alpha: 0.05 };
    /// assert_eq!(test.t_test_runs_needed(0.03, 0.0, 0.8), Some(6));
    /// assert_eq!(test.t_test_runs_needed(0.03, 10.0, 0.8), Some(5));
    /// ```
    ///
    /// # References
    ///
    /// G. K. Smyth, as for [`Prior::fit`](crate::Prior::fit) (degrees of freedom).
    pub fn t_test_runs_needed(self, effect: f64, prior_df: f64, wanted: f64) -> Option<usize> {
        let df = |runs: usize| 2.0 * (runs as f64 - 1.0) + prior_df;
        self.fewest_runs(effect, prior_df, df, wanted)
    }

    /// [`Self::t_test_runs_needed`] where n runs know the noise to `df(n)` degrees of freedom, which grow with n.
    pub(super) fn fewest_runs(
        self,
        effect: f64,
        prior_df: f64,
        df: impl Fn(usize) -> f64,
        wanted: f64,
    ) -> Option<usize> {
        let Self { noise, alpha } = self;
        let enough = |runs: usize| self.power(effect, (runs, runs), df(runs)) >= wanted;
        if effect == 0.0 {
            return None;
        }
        let fewest = if prior_df > 0.0 { 1 } else { 2 };
        let guess = guessed_runs(effect / noise, prior_df, wanted, alpha).max(fewest);
        // From the guess outwards in growing steps until the answer is enclosed.
        let (mut low, mut high) = (fewest - 1, Self::MOST_RUNS + 1);
        let (mut next, mut step) = (guess.min(Self::MOST_RUNS), 1);
        while high - low > 1 {
            if enough(next) {
                high = next;
                next = high.saturating_sub(step).max(low + 1);
            } else {
                low = next;
                next = (low + step).min(high - 1);
            }
            step *= 2;
            if low >= fewest && high <= Self::MOST_RUNS {
                next = usize::midpoint(low, high);
            }
        }
        Some(high).filter(|runs| *runs <= Self::MOST_RUNS)
    }
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
    /// Difference of two probabilities beyond `x`: of the beta distribution with 1 1/2 and of the one with 1/2.
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

/// Runs needed by the normal approximation, with a term for the noise being estimated from them.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a count, saturating")]
fn guessed_runs(effect_per_noise: f64, prior_df: f64, wanted: f64, alpha: f64) -> usize {
    let level = normal_quantile(1.0 - alpha / 2.0);
    let by_normal = 2.0 * ((level + normal_quantile(wanted)) / effect_per_noise).powi(2);
    let estimated = level.powi(2) / 4.0 * 2.0 * by_normal / (2.0 * by_normal + prior_df);
    (by_normal + estimated).ceil() as usize
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
                let test = PlannedTest { noise, alpha: 0.05 };
                let found = test.power(effect, (5, 5), df);
                let unknown = effect.is_infinite() && noise.is_infinite();
                assert!(if unknown { found.is_nan() } else { found > 0.04 }, "{effect} {noise}");
                assert!(!test.detectable((5, 5), df, 0.8).is_nan());
            }
            let runs = PlannedTest { noise, alpha: 0.05 }.t_test_runs_needed(effect, 0.0, 0.8);
            assert!(runs.is_none_or(|runs| (2..=PlannedTest::MOST_RUNS).contains(&runs)));
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
