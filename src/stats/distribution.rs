//! Quantiles of the normal and of Student's t distribution, to the accuracy that small samples need.
//!
//! With 3 runs a side the calibration rests on the t distribution at about 4 degrees of freedom and
//! in its tails, where a quantile that is off by a percent is a bound that is off by a percent.

use statrs::distribution::{Continuous, ContinuousCDF, Normal, StudentsT};

/// Quantile of the standard normal distribution at level `u` in (0, 1).
///
/// # Examples
///
/// ```
/// assert!((beyondnoise::stats::normal_quantile(0.975) - 1.959963984540054).abs() < 1e-12);
/// ```
pub fn normal_quantile(u: f64) -> f64 {
    let normal = Normal::standard();
    if u > 0.5 {
        return -normal_quantile(1.0 - u);
    }
    normal.inverse_cdf(u)
}

/// Distribution function of Student's t at `x` for `df` > 0 degrees of freedom.
///
/// # Examples
///
/// ```
/// assert!((beyondnoise::stats::t_cdf(0.0, 3.0) - 0.5).abs() < 1e-15);
/// ```
pub fn t_cdf(x: f64, df: f64) -> f64 {
    student(df).cdf(x)
}

/// Quantile of Student's t at level `u` in (0, 1) for `df` > 0 degrees of freedom.
///
/// `statrs`' own inverse is off in the second digit in places (df 2 at 0.8), so the root of its
/// distribution function is found here by Newton steps inside a bracket.
///
/// # Examples
///
/// ```
/// // scipy.stats.t.ppf(0.975, 4)
/// assert!((beyondnoise::stats::t_quantile(0.975, 4.0) - 2.7764451051977934).abs() < 1e-9);
/// ```
pub fn t_quantile(u: f64, df: f64) -> f64 {
    if u > 0.5 {
        return -t_quantile(1.0 - u, df);
    }
    if u >= 0.5 {
        return 0.0;
    }
    let student = student(df);
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

/// `t_quantile(u, df) / normal_quantile(u)`, the factor by which few degrees of freedom widen a
/// bound; at `u` = 1/2 its limit, the ratio of the two densities at zero.
pub(crate) fn widening(u: f64, df: f64) -> f64 {
    if (u - 0.5).abs() < 1e-5 {
        Normal::standard().pdf(0.0) / student(df).pdf(0.0)
    } else {
        t_quantile(u, df) / normal_quantile(u)
    }
}

fn student(df: f64) -> StudentsT {
    StudentsT::new(0.0, 1.0, df.max(f64::MIN_POSITIVE)).expect("degrees of freedom are positive")
}
