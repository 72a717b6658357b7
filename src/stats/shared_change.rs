//! The change that several comparisons share, and whether it differs between groups of them.

use crate::curve::{Curve, Shape};
use crate::distribution::f_tail;
use crate::sample::Sample;
use crate::standard_error::StandardError;
use crate::statistic::{mean, standard_deviation};
use crate::terms::Undefined;

/// The confidence curve of the change that several comparisons (cells) share: the mean of their log ratios, with
/// Student's t over cells.
///
/// The cell is the unit: what its own runs scatter is part of how cells scatter, and cells that truly differ widen the
/// interval, which is then that of the mean of the cells that could have been measured. Every cell weighs the same,
/// also one of a single run. With two cells there is one degree of freedom: the interval is 12.7 standard errors to each
/// side at 95 %.
///
/// It knows nothing of what all cells have in common beside the variant, such as the session in which they were measured.
///
/// # Errors
///
/// [`Undefined::TooFewRuns`] for fewer than two cells; [`Undefined::NoVariance`] where all changed by the same;
/// [`Undefined::OutOfRange`] for values that are not finite.
///
/// # Examples
///
/// ```
/// use beyondnoise_stats::shared_change;
///
/// // scipy.stats.ttest_1samp([0.02, 0.03, 0.025, 0.01], 0).confidence_interval()
/// let interval = shared_change(&[0.02, 0.03, 0.025, 0.01]).unwrap().interval(0.95);
/// assert!((interval.low - 0.007662).abs() < 1e-6 && (interval.high - 0.034838).abs() < 1e-6);
/// ```
///
/// # References
///
/// J. P. T. Higgins, S. G. Thompson, D. J. Spiegelhalter. A re-evaluation of random-effects meta-analysis. *J. R.
/// Statist. Soc. A* 172, 2009: the mean over studies, with equal weights and t.
pub fn shared_change(log_ratios: &[f64]) -> Result<Curve, Undefined> {
    let n = log_ratios.len();
    if n < 2 {
        return Err(Undefined::TooFewRuns);
    }
    let sample = Sample::new(log_ratios.to_vec()).map_err(|_| Undefined::OutOfRange)?;
    let error = sample.standard_deviation().map_or(0.0, |sd| sd / (n as f64).sqrt());
    // Equal values may differ by the rounding of their mean.
    if error <= f64::EPSILON * sample.mean().abs() {
        return Err(Undefined::NoVariance);
    }
    let error = StandardError { value: error, df: n as f64 - 1.0, own: 1.0 };
    Ok(Curve::new(sample.mean(), error, Shape::Student))
}

/// P-value of equal means in all groups: the larger one of the F test and of Welch's, which allows for groups that
/// scatter differently.
///
/// The larger of the two keeps the error rate of either: F holds few values a group at equal scatter, Welch's unequal
/// scatter. `None` with fewer than two groups, a group of fewer than two values, values that are not finite, or a group that
/// does not scatter.
///
/// # Examples
///
/// ```
/// use beyondnoise_stats::unequal_groups_p_value;
///
/// // scipy.stats.f_oneway: 0.000906; with equal_var=False: 0.005917
/// let p = unequal_groups_p_value(&[&[1.0, 1.2, 1.1], &[1.3, 1.4, 1.2], &[1.8, 1.7, 1.6]]).unwrap();
/// assert!((p - 0.005917).abs() < 1e-6);
/// ```
///
/// # References
///
/// B. L. Welch. On the comparison of several mean values: an alternative approach. *Biometrika* 38, 1951.
pub fn unequal_groups_p_value(groups: &[&[f64]]) -> Option<f64> {
    if groups.len() < 2 {
        return None;
    }
    let parts = groups.iter().map(|group| {
        let sd = standard_deviation(group).filter(|sd| *sd > 0.0 && sd.is_finite())?;
        Some((group.len() as f64, mean(group), sd * sd))
    });
    let parts: Vec<(f64, f64, f64)> = parts.collect::<Option<_>>()?;
    let between = parts.len() as f64 - 1.0;
    let total: f64 = parts.iter().map(|(n, ..)| n).sum();
    let centre = parts.iter().map(|(n, mean, _)| n * mean).sum::<f64>() / total;
    let inside: f64 = parts.iter().map(|(n, _, variance)| (n - 1.0) * variance).sum();
    let apart: f64 = parts.iter().map(|(n, mean, _)| n * (mean - centre).powi(2)).sum();
    let df = total - between - 1.0;
    let pooled = f_tail((apart / between) / (inside / df), between, df);
    let weights: f64 = parts.iter().map(|(n, _, variance)| n / variance).sum();
    let centre = parts.iter().map(|(n, mean, variance)| n / variance * mean).sum::<f64>() / weights;
    let part = |(n, mean, variance): &(f64, f64, f64)| {
        let weight = n / variance;
        (weight * (mean - centre).powi(2), (1.0 - weight / weights).powi(2) / (n - 1.0))
    };
    let (apart, loss) =
        parts.iter().map(part).fold((0.0, 0.0), |sum, one| (sum.0 + one.0, sum.1 + one.1));
    let k = parts.len() as f64;
    let statistic = (apart / between) / (1.0 + 2.0 * (k - 2.0) / (k * k - 1.0) * loss);
    let welch = f_tail(statistic, between, (k * k - 1.0) / (3.0 * loss));
    let p = pooled.max(welch);
    p.is_finite().then_some(p)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `scipy.stats.f_oneway`: 0.014983 and, with `equal_var=False`, 0.028405.
    #[test]
    fn unequal_groups_have_the_larger_p_value() {
        let groups: [&[f64]; 3] = [&[1.0, 1.2, 1.1], &[1.3, 1.9], &[1.8, 1.75, 1.6, 1.7]];
        let p = unequal_groups_p_value(&groups).expect("groups that scatter");
        assert!((p - 0.028_404_681_407_267_787).abs() < 1e-12, "{p}");
    }

    #[test]
    fn without_scatter_or_a_second_cell_there_is_none() {
        assert_eq!(unequal_groups_p_value(&[&[1.0, 2.0], &[3.0]]), None);
        assert_eq!(unequal_groups_p_value(&[&[1.0, 2.0], &[3.0, 3.0]]), None);
        assert_eq!(shared_change(&[0.01]).err(), Some(Undefined::TooFewRuns));
        assert_eq!(shared_change(&[0.1, 0.1, 0.1]).err(), Some(Undefined::NoVariance));
        // Two cells: one degree of freedom, 12.7 standard errors to each side.
        let wide = shared_change(&[0.01, 0.03]).expect("two cells").interval(0.95);
        assert!((wide.high - 0.02 - 12.706_204_736_174_7 * 0.01).abs() < 1e-9);
    }
}
