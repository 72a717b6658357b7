//! Noise of unreplicated experiments: many variants, one run each.

use crate::noise::empirical_bayes::{Prior, Variance};
use crate::runs::statistic::quantile;

/// Fewest variants with one run each from which noise is estimated.
const MIN_VARIANTS: usize = 4;

impl Prior {
    /// Lenth's pseudo standard error of `contrasts`, which assumes that most of them are noise about zero.
    ///
    /// `None` for no contrasts or where most are exactly zero; the contrasts must be finite.
    ///
    /// # Examples
    ///
    /// ```
    /// // 1.5 times the median size, of those below 2.5 times 1.5 times the median of all: 20 is an effect.
    /// let error = beyondnoise_stats::Prior::pseudo_standard_error(&[1.0, -2.0, 1.5, -0.5, 20.0]);
    /// assert_eq!(error, Some(1.5 * 1.25));
    /// ```
    ///
    /// # References
    ///
    /// R. V. Lenth. Quick and easy analysis of unreplicated factorials. *Technometrics* 31, 1989.
    pub fn pseudo_standard_error(contrasts: &[f64]) -> Option<f64> {
        let mut sizes: Vec<f64> = contrasts.iter().map(|contrast| contrast.abs()).collect();
        sizes.sort_by(f64::total_cmp);
        if sizes.is_empty() {
            return None;
        }
        let first = 1.5 * quantile(&sizes, 0.5);
        let inert = sizes.partition_point(|size| *size < 2.5 * first);
        (inert > 0).then(|| 1.5 * quantile(&sizes[..inert], 0.5)).filter(|error| *error > 0.0)
    }

    /// Noise of variants with one run each under one workload, assuming that most of them change nothing: the pseudo
    /// standard error of the logarithms about their median. It has a third of the degrees of freedom.
    ///
    /// `values` holds a positive value per variant. `None` for fewer than four, a value that is not positive,
    /// or where most are equal. In simulation 4.4 to 5.5 % of comparisons of two unchanged variants among 4 to
    /// 24 are flagged at 5 %, fewer where some variants differ.
    ///
    /// # Examples
    ///
    /// ```
    /// let prior = beyondnoise_stats::Prior::unreplicated(&[100.0, 101.0, 99.0, 100.5, 130.0]).unwrap();
    /// assert!(prior.variance.value.sqrt() < 0.02 && prior.variance.df == 4.0 / 3.0);
    /// ```
    pub fn unreplicated(values: &[f64]) -> Option<Prior> {
        if values.len() < MIN_VARIANTS
            || values.iter().any(|value| *value <= 0.0 || !value.is_finite())
        {
            return None;
        }
        let mut logs: Vec<f64> = values.iter().map(|value| value.ln()).collect();
        logs.sort_by(f64::total_cmp);
        let centre = quantile(&logs, 0.5);
        let contrasts: Vec<f64> = logs.iter().map(|log| log - centre).collect();
        let error = Prior::pseudo_standard_error(&contrasts)?;
        let df = (values.len() - 1) as f64 / 3.0;
        Some(Prior { variance: Variance { value: error * error, df }, pooled_df: df })
    }
}
