//! Averages that state their standard deviation: Welch's interval without the single values.

use crate::change::curve::{Curve, Curves, Shape};
use crate::change::standard_error::StandardError;
use crate::change::terms::{Scale, Undefined};

/// The mean of several runs with their standard deviation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Average {
    /// Mean of the runs behind it, in the unit of the metric.
    pub mean: f64,
    /// Standard deviation of single runs, not of the mean.
    pub sd: f64,
    /// Number of runs.
    pub runs: usize,
}

impl Average {
    /// Run-to-run CV as a fraction.
    pub fn cv(&self) -> f64 {
        self.sd / self.mean.abs()
    }

    /// Squared standard error of the mean, on the logarithmic scale by the delta method.
    fn squared_error(&self, scale: Scale) -> f64 {
        let unit = if scale == Scale::Log { self.mean } else { 1.0 };
        (self.sd / unit).powi(2) / self.runs as f64
    }
}

impl Average {
    /// The confidence curves of the delta of two averages by Welch's t: [`Scale::Log`], then [`Scale::Linear`].
    ///
    /// # Errors
    ///
    /// [`Undefined::TooFewRuns`] for an average of fewer than two runs, [`Undefined::NotPositive`] on the logarithmic scale,
    /// [`Undefined::NoVariance`] where both standard deviations are 0, [`Undefined::OutOfRange`].
    ///
    /// # Examples
    ///
    /// ```
    /// use beyondnoise_stats::{Average, };
    ///
    /// let before = Average { mean: 10.0, sd: 0.2, runs: 5 };
    /// let after = Average { mean: 10.5, sd: 0.3, runs: 5 };
    /// let [_, linear] = Average::deltas(before, after);
    /// // scipy.stats.ttest_ind_from_stats(10.5, .3, 5, 10, .2, 5, equal_var=False)
    /// assert!((linear.unwrap().p_value(0.0) - 0.017_398_6).abs() < 1e-6);
    /// ```
    pub fn deltas(baseline: Average, candidate: Average) -> Curves {
        [Scale::Log, Scale::Linear].map(|scale| {
            let both = [baseline, candidate];
            if both.iter().any(|average| average.runs < 2) {
                return Err(Undefined::TooFewRuns);
            }
            if scale == Scale::Log && both.iter().any(|average| average.mean <= 0.0) {
                return Err(Undefined::NotPositive);
            }
            let estimate = match scale {
                Scale::Log => (candidate.mean / baseline.mean).ln(),
                Scale::Linear => candidate.mean - baseline.mean,
            };
            let parts = both.map(|average| average.squared_error(scale));
            let sum = parts[0] + parts[1];
            if sum == 0.0 {
                return Err(Undefined::NoVariance);
            }
            let squares = parts[0].powi(2) / (baseline.runs as f64 - 1.0)
                + parts[1].powi(2) / (candidate.runs as f64 - 1.0);
            let error = StandardError { value: sum.sqrt(), df: sum.powi(2) / squares, own: 1.0 };
            if !(estimate.is_finite() && error.value.is_finite() && error.df.is_finite()) {
                return Err(Undefined::OutOfRange);
            }
            Ok(Curve::new(estimate, error, Shape::Student))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BEFORE: Average = Average { mean: 10.0, sd: 0.2, runs: 5 };
    const AFTER: Average = Average { mean: 10.5, sd: 0.3, runs: 4 };

    #[test]
    fn what_has_no_interval_says_why() {
        let one = Average { runs: 1, ..BEFORE };
        let exact = Average { sd: 0.0, ..BEFORE };
        let negative = Average { mean: -1.0, ..AFTER };
        let huge = Average { sd: 1e200, ..AFTER };
        let of = |a, b| Average::deltas(a, b).map(Result::err);
        assert_eq!(of(one, AFTER), [Some(Undefined::TooFewRuns); 2]);
        assert_eq!(of(exact, exact), [Some(Undefined::NoVariance); 2]);
        assert_eq!(of(BEFORE, negative), [Some(Undefined::NotPositive), None]);
        assert_eq!(of(BEFORE, huge), [Some(Undefined::OutOfRange); 2]);
    }
}
