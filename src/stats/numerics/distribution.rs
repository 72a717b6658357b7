//! Quantiles of the normal and of Student's t distribution, to the accuracy that small samples need.
//!
//! With 3 runs a side the calibration rests on the t distribution at about 4 degrees of freedom and
//! in its tails, where a quantile that is off by a percent is a bound that is off by a percent.

use std::cell::RefCell;
use std::f64::consts::PI;
use std::ops::Range;

use statrs::distribution::{Continuous, ContinuousCDF, FisherSnedecor, Normal, StudentsT};

/// Student's t distribution; with infinitely many degrees of freedom the standard normal one.
///
/// # Examples
///
/// ```
/// use beyondnoise_stats::Student;
///
/// // scipy.stats.t.ppf(0.975, 4), scipy.stats.norm.ppf(0.975)
/// assert!((Student { df: 4.0 }.quantile(0.975) - 2.7764451051977934).abs() < 1e-9);
/// assert!((Student::NORMAL.quantile(0.975) - 1.959963984540054).abs() < 1e-12);
/// assert!((Student { df: 3.0 }.cdf(0.0) - 0.5).abs() < 1e-15);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Student {
    /// Degrees of freedom, above 0.
    pub df: f64,
}

impl Student {
    /// The standard normal distribution.
    pub const NORMAL: Self = Self { df: f64::INFINITY };

    /// Probability of a value up to `x`; NaN for NaN.
    pub fn cdf(self, x: f64) -> f64 {
        t_cdf(x, self.df)
    }

    /// Quantile at level `u` in (0, 1).
    pub fn quantile(self, u: f64) -> f64 {
        if self.df.is_infinite() { normal_quantile(u) } else { t_quantile(u, self.df) }
    }
}

/// Quantile of the standard normal distribution at level `u` in (0, 1).
pub(crate) fn normal_quantile(u: f64) -> f64 {
    let normal = Normal::standard();
    if u > 0.5 {
        return -normal_quantile(1.0 - u);
    }
    normal.inverse_cdf(u)
}

/// Distribution function of Student's t at `x` for `df` > 0 degrees of freedom; NaN for NaN.
pub(crate) fn t_cdf(x: f64, df: f64) -> f64 {
    if x.is_nan() { x } else { student(df).cdf(x) }
}

/// Quantile of Student's t at level `u` in (0, 1) for `df` > 0 degrees of freedom.
///
/// `statrs`' own inverse is off in the second digit in places (df 2 at 0.8), so the root of its
/// distribution function is found here.
pub(crate) fn t_quantile(u: f64, df: f64) -> f64 {
    if u > 0.5 {
        return -t_quantile(1.0 - u, df);
    }
    if u >= 0.5 {
        return 0.0;
    }
    KNOWN.with_borrow_mut(|known| {
        let mixed =
            (u.to_bits() ^ df.to_bits().rotate_left(21)).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        let slot = &mut known[(mixed >> 58) as usize];
        if (slot.0.to_bits(), slot.1.to_bits()) != (u.to_bits(), df.to_bits()) {
            *slot = (u, df, found_quantile(u, df));
        }
        slot.2
    })
}

thread_local! {
    /// Quantiles found last, with their level and degrees of freedom: the rows of a list ask for the same few. Keeping them
    /// changes no result.
    static KNOWN: RefCell<[(f64, f64, f64); 64]> = const { RefCell::new([(2.0, 0.0, 0.0); 64]) };
}

/// [`t_quantile`] for u < 1/2.
fn found_quantile(u: f64, df: f64) -> f64 {
    let student = student(df);
    if EXPANDED.contains(&df) {
        // Halley's steps triple the digits of the expansion.
        let mut x = by_expansion(u, df);
        for _ in 0..if x.is_finite() { 6 } else { 0 } {
            let newton = (student.cdf(x) - u) / student.pdf(x);
            let step = newton / (1.0 + newton * (df + 1.0) * x / (2.0 * (df + x * x)));
            // In the far tail the density is zero.
            if !step.is_finite() {
                break;
            }
            x -= step;
            if step.abs() <= 1e-6 * x.abs() {
                return x;
            }
        }
    }
    bracketed(u, &student)
}

/// [`t_quantile`] for u < 1/2 to 0.2 %, fast.
pub(crate) fn t_quantile_roughly(u: f64, df: f64) -> f64 {
    if EXPANDED.contains(&df) { by_expansion(u, df) } else { t_quantile(u, df) }
}

/// Distance of a level from 1/2 below which the ratio of two quantiles is its limit there.
pub(crate) const NEAR_HALF: f64 = 1e-5;

/// Degrees of freedom for which the expansion holds.
const EXPANDED: Range<f64> = 2.0..1e8;

/// Hill's expansion of the quantile at level `u` < 1/2 for `df` >= 2: to 0.2 %, or to five digits from 3 on.
///
/// G. W. Hill. Algorithm 396: Student's t-quantiles. *Communications of the ACM* 13, 1970.
#[expect(clippy::many_single_char_names, reason = "the letters of the algorithm")]
fn by_expansion(u: f64, df: f64) -> f64 {
    let a = 1.0 / (df - 0.5);
    let b = 48.0 / (a * a);
    let mut c = ((20_700.0 * a / b - 98.0) * a - 16.0) * a + 96.36;
    let d = ((94.5 / (b + c) - 3.0) / b + 1.0) * (a * PI / 2.0).sqrt() * df;
    let y = (2.0 * d * u).powf(2.0 / df);
    let square = if y > a + 0.05 {
        let x = normal_quantile(u);
        if df < 5.0 {
            c += 0.3 * (df - 4.5) * (x + 0.6);
        }
        c += (((0.05 * d * x - 5.0) * x - 7.0) * x - 2.0) * x + b;
        let y = x * x;
        let y = (((((0.4 * y + 6.3) * y + 36.0) * y + 94.5) / c - y - 3.0) / b + 1.0) * x;
        (a * y * y).exp_m1()
    } else {
        let tail = 1.0 / (((df + 6.0) / (df * y) - 0.089 * d - 0.822) * (df + 2.0) * 3.0);
        ((tail + 0.5 / (df + 4.0)) * y - 1.0) * (df + 1.0) / (df + 2.0) + 1.0 / y
    };
    -(df * square).sqrt()
}

/// The root of the distribution function at level `u` < 1/2 by Newton steps inside a bracket.
fn bracketed(u: f64, student: &StudentsT) -> f64 {
    let mut low = -1.0;
    while student.cdf(low) > u && low > -1e300 {
        low *= 4.0;
    }
    let (mut high, mut x) = (if low < -1.0 { low / 4.0 } else { 0.0 }, normal_quantile(u).max(low));
    for _ in 0..200 {
        let error = student.cdf(x) - u;
        let step = error / student.pdf(x);
        if step.abs() <= 1e-14 * x.abs() {
            break;
        }
        if error > 0.0 {
            high = x;
        } else {
            low = x;
        }
        let next = x - step;
        x = if next > low && next < high { next } else { f64::midpoint(low, high) };
        if high - low <= 1e-15 * x.abs() {
            break;
        }
    }
    x
}

/// `t / normal_quantile(u)` for the quantile `t` of Student's t at `u`, the factor by which few degrees of
/// freedom widen a bound; at `u` = 1/2 its limit, the ratio of the two densities at zero.
pub(crate) fn widening(u: f64, t: f64, df: f64) -> f64 {
    if (u - 0.5).abs() < NEAR_HALF {
        Normal::standard().pdf(0.0) / student(df).pdf(0.0)
    } else {
        t / normal_quantile(u)
    }
}

/// Probability that F exceeds `x` with these degrees of freedom; NaN where it is not defined.
pub(crate) fn f_tail(x: f64, between: f64, inside: f64) -> f64 {
    let law = FisherSnedecor::new(between, inside);
    if x.is_nan() { x } else { law.map_or(f64::NAN, |law| law.sf(x)) }
}

fn student(df: f64) -> StudentsT {
    StudentsT::new(0.0, 1.0, df.max(f64::MIN_POSITIVE)).expect("degrees of freedom are positive")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_number_has_no_level() {
        for df in [0.1, 2.0, 1e7, f64::INFINITY] {
            assert!(t_cdf(f64::NAN, df).is_nan());
            let ends = [f64::NEG_INFINITY, f64::INFINITY].map(|x| t_cdf(x, df).to_bits());
            assert_eq!(ends, [0.0f64, 1.0].map(f64::to_bits));
        }
    }

    #[test]
    fn the_far_tail_has_a_quantile() {
        for df in [0.1, 1.0, 2.0, 2.5, 5.0, 30.0, 1e7, f64::INFINITY] {
            for u in [1e-320, 1e-300, 1e-100, 1e-20, 0.499_999_999_999] {
                let (exact, rough) = (t_quantile(u, df), t_quantile_roughly(u, df));
                assert!(exact <= 0.0 && !rough.is_nan(), "{u} {df}: {exact} {rough}");
            }
        }
    }

    /// `scipy.stats.t.ppf`, scipy 1.17.1.
    #[test]
    fn quantiles_of_t_have_all_digits() {
        let table = [
            (0.025, 1.5, -6.016_663_104_427_933),
            (0.0005, 2.0, -31.599_054_576_443_62),
            (0.2, 2.5, -1.010_163_874_722_250_6),
            (0.3, 3.0, -0.584_389_727_439_818_8),
            (0.025, 8.0, -2.306_004_135_204_166),
            (1e-9, 4.0, -234.027_610_406_118_92),
            (0.05, 1000.0, -1.646_378_817_285_464_8),
        ];
        for (u, df, expected) in table {
            assert!(
                (t_quantile(u, df) / expected - 1.0).abs() < 1e-12,
                "{u} {df}: {}",
                t_quantile(u, df)
            );
            assert!((t_quantile_roughly(u, df) / expected - 1.0).abs() < 2e-3, "{u} {df}");
        }
    }
}
