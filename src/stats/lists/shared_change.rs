//! The change that several comparisons share, and whether it differs between groups of them.

use std::collections::BTreeMap;

use crate::change::curve::{Curve, Shape};
use crate::change::standard_error::StandardError;
use crate::change::terms::Undefined;
use crate::numerics::distribution::f_tail;
use crate::runs::sample::Sample;
use crate::runs::statistic::{mean, standard_deviation};

impl Curve {
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
    /// use beyondnoise_stats::Curve;
    ///
    /// // scipy.stats.ttest_1samp([0.02, 0.03, 0.025, 0.01], 0).confidence_interval()
    /// let interval = Curve::shared(&[0.02, 0.03, 0.025, 0.01]).unwrap().interval(0.95);
    /// assert!((interval.low - 0.007662).abs() < 1e-6 && (interval.high - 0.034838).abs() < 1e-6);
    /// ```
    ///
    /// # References
    ///
    /// J. P. T. Higgins, S. G. Thompson, D. J. Spiegelhalter. A re-evaluation of random-effects meta-analysis. *J. R.
    /// Statist. Soc. A* 172, 2009: the mean over studies, with equal weights and t.
    pub fn shared(log_ratios: &[f64]) -> Result<Curve, Undefined> {
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
}

/// One arm of cells that share runs: for every cell the runs, numbered from 0 over all cells, with the logarithms of their
/// values.
type SpanningRuns = Vec<Vec<(usize, f64)>>;

impl Curve {
    /// The confidence curve of the change that cells share if runs span the cells: one start serves several cells. A
    /// shift of that start is in all of them, so cells are no independent repeats.
    ///
    /// `changes` has the log ratio of every cell, `arms` the runs behind them: two arms, baseline and candidate, or one arm of
    /// log ratios of pairs. The estimate is the mean of the changes. Its variance is a sum, `Sr + H`. `Sr` is that of run means
    /// after Welch, a run's mean being that over its cells after the middle of both variants in the cell. `H = max(0, Sc - N0)`
    /// is how much cells differ beyond noise: `Sc` the variance of the mean over cells, `N0` what the residuals of cell and run
    /// account for. Degrees of freedom by Satterthwaite, at least 1; 2 + 2 runs are pooled.
    ///
    /// Simulated with equal builds, 3 to 10 runs, 4 to 60 cells, cells missing, run effects of 0 to 4 times the noise within:
    /// a change is claimed at 5 % in at most 6.1 %. Student's t over cells claims one in up to 90 %.
    ///
    /// # Errors
    ///
    /// [`Undefined::TooFewRuns`] for fewer than two cells or for fewer than two runs of an arm; [`Undefined::NoVariance`] where
    /// nothing differs; [`Undefined::OutOfRange`] for values that are not finite.
    ///
    /// # Examples
    ///
    /// ```
    /// use beyondnoise_stats::Curve;
    ///
    /// // Two cells, three runs of each; the second run is slow in both cells.
    /// let before = vec![vec![(0, 0.00), (1, -0.05), (2, 0.01)], vec![(0, 0.00), (1, -0.05), (2, 0.01)]];
    /// let after = vec![vec![(0, 0.02), (1, 0.03), (2, 0.01)], vec![(0, 0.02), (1, 0.03), (2, 0.01)]];
    /// let curve = Curve::spanning(&[0.1 / 3.0, 0.1 / 3.0], &[before, after]).unwrap();
    /// // The cells add nothing: Welch's interval of the run means, scipy.stats.ttest_ind(equal_var=False).
    /// let interval = curve.interval(0.95);
    /// assert!((interval.low + 0.038_636_3).abs() < 1e-6 && (interval.high - 0.105_303_0).abs() < 1e-6);
    /// ```
    ///
    /// # References
    ///
    /// F. E. Satterthwaite. An approximate distribution of estimates of variance components. *Biometrics Bulletin* 2, 1946.
    pub fn spanning(changes: &[f64], arms: &[Vec<Vec<(usize, f64)>>]) -> Result<Curve, Undefined> {
        let cells = changes.len();
        if cells < 2 || arms.is_empty() || arms.iter().any(|arm| arm.len() != cells) {
            return Err(Undefined::TooFewRuns);
        }
        let values = || arms.iter().flatten().flatten().map(|(_, value)| *value);
        if !changes.iter().copied().chain(values()).all(f64::is_finite) {
            return Err(Undefined::OutOfRange);
        }
        let k = cells as f64;
        let mean_of = |cell: &[(usize, f64)]| {
            cell.iter().map(|(_, value)| value).sum::<f64>() / cell.len().max(1) as f64
        };
        let centre = |cell: usize| {
            arms.iter().map(|arm| mean_of(&arm[cell])).sum::<f64>() / arms.len() as f64
        };
        let centres: Vec<f64> = (0..cells).map(centre).collect();
        let (mut runs, mut squares) = (0.0, 0.0);
        let (mut residual, mut residual_df) = (0.0, -(k * arms.len() as f64));
        let mut all_of_two = arms.len() == 2;
        for arm in arms {
            let means = run_means(arm, &centres);
            let n = means.len() as f64;
            let sd = standard_deviation(&means).ok_or(Undefined::TooFewRuns)?;
            all_of_two &= means.len() == 2;
            let part = sd * sd / n;
            runs += part;
            squares += part * part / (n - 1.0);
            residual += residual_squares(arm);
            residual_df += arm.iter().map(Vec::len).sum::<usize>() as f64 - n + 1.0;
        }
        let runs_df = if all_of_two { 2.0 } else { runs * runs / squares };
        let over_cells = standard_deviation(changes).unwrap_or(0.0).powi(2) / k;
        let of_cell =
            |cell: usize| arms.iter().map(|arm| 1.0 / arm[cell].len().max(1) as f64).sum::<f64>();
        let by_noise = if residual_df > 0.0 {
            residual / residual_df * (0..cells).map(of_cell).sum::<f64>() / k / k
        } else {
            0.0
        };
        let differ = (over_cells - by_noise).max(0.0);
        let variance = runs + differ;
        let estimate = mean(changes);
        // Equal values may differ by the rounding of their means.
        if variance.sqrt() <= f64::EPSILON * estimate.abs().max(f64::MIN_POSITIVE) {
            return Err(Undefined::NoVariance);
        }
        let mut spread = if runs > 0.0 { runs * runs / runs_df } else { 0.0 };
        if differ > 0.0 {
            spread += over_cells * over_cells / (k - 1.0);
            spread += if residual_df > 0.0 { by_noise * by_noise / residual_df } else { 0.0 };
        }
        let df = (variance * variance / spread).max(1.0);
        let error = StandardError { value: variance.sqrt(), df, own: 1.0 };
        Ok(Curve::new(estimate, error, Shape::Student))
    }
}

/// The mean of every run over its cells, after the centre of each cell.
fn run_means(arm: &SpanningRuns, centres: &[f64]) -> Vec<f64> {
    let mut sums: BTreeMap<usize, (f64, f64)> = BTreeMap::new();
    for (cell, centre) in arm.iter().zip(centres) {
        for (run, value) in cell {
            let sum = sums.entry(*run).or_default();
            *sum = (sum.0 + value - centre, sum.1 + 1.0);
        }
    }
    sums.values().map(|(sum, n)| sum / n).collect()
}

/// Sum of the squares that remain once the mean of every cell and of every run is taken out, by least squares.
fn residual_squares(arm: &SpanningRuns) -> f64 {
    /// Rounds of taking out the means alternately: one where no cell is missing.
    const ROUNDS: usize = 30;
    let mut rest = arm.clone();
    let mut before = f64::INFINITY;
    for _ in 0..ROUNDS {
        for cell in &mut rest {
            let mean = cell.iter().map(|(_, value)| value).sum::<f64>() / cell.len().max(1) as f64;
            for (_, value) in cell {
                *value -= mean;
            }
        }
        let mut sums: BTreeMap<usize, (f64, f64)> = BTreeMap::new();
        for (run, value) in rest.iter().flatten() {
            let sum = sums.entry(*run).or_default();
            *sum = (sum.0 + value, sum.1 + 1.0);
        }
        for (run, value) in rest.iter_mut().flatten() {
            let (sum, n) = sums[run];
            *value -= sum / n;
        }
        let now = rest.iter().flatten().map(|(_, value)| value * value).sum::<f64>();
        if before - now <= 1e-12 * now {
            return now;
        }
        before = now;
    }
    before
}

/// P-value of equal means in all groups: the larger of the F test and Welch's test, which allows unequal variances.
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

    /// numpy 2 and scipy 1.17: run and cell means by `numpy.linalg.lstsq`, the sum of the variances and its degrees of freedom
    /// as in the documentation, Student's quantile by `scipy.stats.t.ppf`.
    #[test]
    fn runs_that_span_cells_of_which_some_are_missing_are_those_of_numpy() {
        let before = vec![
            vec![(0, 0.010), (1, 0.030), (2, -0.010)],
            vec![(0, 0.020), (1, 0.041)],
            vec![(0, 0.000), (1, 0.018), (2, -0.022)],
            vec![(1, 0.035), (2, -0.005)],
        ];
        let after = vec![
            vec![(0, 0.031), (1, 0.044), (2, 0.012)],
            vec![(0, 0.012), (2, 0.001)],
            vec![(0, 0.062), (1, 0.078), (2, 0.055)],
            vec![(0, 0.025), (1, 0.047), (2, 0.011)],
        ];
        let mean_of = |cell: &Vec<(usize, f64)>| {
            cell.iter().map(|(_, value)| value).sum::<f64>() / cell.len() as f64
        };
        let changes: Vec<f64> =
            before.iter().zip(&after).map(|(a, b)| mean_of(b) - mean_of(a)).collect();
        let curve = Curve::spanning(&changes, &[before, after]).expect("a curve");
        assert!((curve.estimate() - 0.0185).abs() < 1e-12);
        assert!((curve.standard_error() - 0.024_800_990_381_264_685).abs() < 1e-9);
        assert!((curve.degrees_of_freedom() - 6.414_095_306_445_476).abs() < 1e-6);
        let interval = curve.interval(0.95);
        assert!((interval.low + 0.041_248_663_893_272_77).abs() < 1e-9, "{interval:?}");
    }

    #[test]
    fn one_run_of_a_variant_has_no_noise_that_cells_share() {
        let one = vec![vec![(0, 0.0)], vec![(0, 0.1)]];
        let two = vec![vec![(0, 0.0), (1, 0.2)], vec![(0, 0.1), (1, 0.1)]];
        let found = Curve::spanning(&[0.1, 0.2], &[one, two]).err();
        assert_eq!(found, Some(Undefined::TooFewRuns));
    }

    #[test]
    fn without_scatter_or_a_second_cell_there_is_none() {
        assert_eq!(unequal_groups_p_value(&[&[1.0, 2.0], &[3.0]]), None);
        assert_eq!(unequal_groups_p_value(&[&[1.0, 2.0], &[3.0, 3.0]]), None);
        assert_eq!(Curve::shared(&[0.01]).err(), Some(Undefined::TooFewRuns));
        assert_eq!(Curve::shared(&[0.1, 0.1, 0.1]).err(), Some(Undefined::NoVariance));
        // Two cells: one degree of freedom, 12.7 standard errors to each side.
        let wide = Curve::shared(&[0.01, 0.03]).expect("two cells").interval(0.95);
        assert!((wide.high - 0.02 - 12.706_204_736_174_7 * 0.01).abs() < 1e-9);
    }
}
