//! The validated input of every statistic, and the interval that comes out.

use std::fmt;

use crate::runs::statistic;

/// Values of one metric under one variant, one per run, ascending.
///
/// Holds at least one value and no NaN or infinity; functions that take a `Sample` need not check.
#[derive(Clone, Debug, PartialEq)]
pub struct Sample {
    sorted: Vec<f64>,
    resolution: f64,
}

/// Why values cannot be a [`Sample`].
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum InvalidSample {
    /// No values at all.
    Empty,
    /// NaN or an infinity, at this position of the input (from 0).
    NotFinite(usize),
    /// A resolution that is negative or not finite.
    Resolution,
}

impl fmt::Display for InvalidSample {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Empty => f.write_str("no values"),
            Self::NotFinite(index) => write!(f, "value {index} is not a finite number"),
            Self::Resolution => f.write_str("the resolution is not a finite number of 0 or more"),
        }
    }
}

impl std::error::Error for InvalidSample {}

impl Sample {
    /// Sorts and validates `values`, taken as exact.
    ///
    /// # Errors
    ///
    /// [`InvalidSample::Empty`], or [`InvalidSample::NotFinite`] for the first NaN or infinity.
    ///
    /// # Examples
    ///
    /// ```
    /// use beyondnoise_stats::Sample;
    ///
    /// assert_eq!(Sample::new(vec![3.0, 1.0]).unwrap().sorted(), [1.0, 3.0]);
    /// assert!(Sample::new(vec![f64::NAN]).is_err());
    /// ```
    pub fn new(values: Vec<f64>) -> Result<Self, InvalidSample> {
        Self::rounded(values, 0.0)
    }

    /// Like [`Sample::new`], for values that were printed to within `resolution` (half of the last
    /// printed digit, in the unit of the values): the standard deviation is never taken as less.
    ///
    /// # Errors
    ///
    /// As [`Sample::new`], and [`InvalidSample::Resolution`] if `resolution` is negative or not finite.
    pub fn rounded(mut values: Vec<f64>, resolution: f64) -> Result<Self, InvalidSample> {
        if values.is_empty() {
            return Err(InvalidSample::Empty);
        }
        if let Some(index) = values.iter().position(|value| !value.is_finite()) {
            return Err(InvalidSample::NotFinite(index));
        }
        if !(resolution.is_finite() && resolution >= 0.0) {
            return Err(InvalidSample::Resolution);
        }
        // Equal ones are the same to the last bit.
        values.sort_unstable_by(f64::total_cmp);
        Ok(Self { sorted: values, resolution })
    }

    /// The values in ascending order.
    pub fn sorted(&self) -> &[f64] {
        &self.sorted
    }

    /// Number of runs, at least 1.
    pub fn runs(&self) -> usize {
        self.sorted.len()
    }

    /// Arithmetic mean over the runs.
    pub fn mean(&self) -> f64 {
        statistic::mean(&self.sorted)
    }

    /// Sample standard deviation over the runs (divisor n - 1), never less than the resolution of
    /// the values. `None` for a single run.
    pub fn standard_deviation(&self) -> Option<f64> {
        statistic::standard_deviation(&self.sorted).map(|s| s.max(self.resolution))
    }

    /// Coefficient of variation between the runs, a fraction of the mean. `None` for a single run
    /// or a mean that is not positive.
    pub fn cv(&self) -> Option<f64> {
        let mean = self.mean();
        self.standard_deviation().filter(|_| mean > 0.0).map(|s| s / mean)
    }

    /// Standard deviation of the logarithms of the runs, read as a CV; `None` for a single run or a value that is not
    /// positive. Never below what the resolution of the values implies.
    ///
    /// # Examples
    ///
    /// ```
    /// use beyondnoise_stats::Sample;
    ///
    /// let sample = Sample::new(vec![1.0, std::f64::consts::E]).unwrap();
    /// assert!((sample.log_sd().unwrap() - 0.5f64.sqrt()).abs() < 1e-12);
    /// assert_eq!(Sample::new(vec![1.0]).unwrap().log_sd(), None);
    /// ```
    pub fn log_sd(&self) -> Option<f64> {
        if !self.is_positive() {
            return None;
        }
        let logs: Vec<f64> = self.sorted().iter().map(|value| value.ln()).collect();
        statistic::standard_deviation(&logs).map(|s| s.max(self.resolution() / self.mean()))
    }

    /// Whether every value is greater than zero, so that ratios and logarithms exist.
    pub fn is_positive(&self) -> bool {
        self.sorted[0] > 0.0
    }

    /// The sample in a larger or smaller unit, a power of two.
    pub(crate) fn over(&self, unit: f64) -> Self {
        let sorted = self.sorted.iter().map(|value| value / unit).collect();
        Self { sorted, resolution: self.resolution / unit }
    }

    /// The sample of the negated values.
    pub(crate) fn negated(&self) -> Self {
        let sorted = self.sorted.iter().rev().map(|value| -value).collect();
        Self { sorted, resolution: self.resolution }
    }

    /// Half of the last printed digit of the values; 0 for exact ones.
    pub fn resolution(&self) -> f64 {
        self.resolution
    }
}

/// The power of two to divide extreme values by, so that no square over- or underflows; `None` for all others.
pub(crate) fn unit_of<const N: usize>(samples: [&Sample; N]) -> Option<f64> {
    let ends = samples.into_iter().flat_map(|s| [s.sorted().first(), s.sorted().last()]);
    let largest = ends.flatten().map(|end| end.abs()).fold(0.0, f64::max);
    let usual = largest == 0.0 || (1e-100..=1e100).contains(&largest);
    (!usual).then(|| largest.log2().floor().exp2())
}

/// Confidence interval of an effect.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Interval {
    /// Lower end.
    pub low: f64,
    /// Upper end, not below `low`.
    pub high: f64,
    /// Nominal coverage, in (0, 1).
    pub confidence: f64,
}

impl Interval {
    /// Both ends through an increasing function.
    #[must_use]
    pub fn map(self, f: impl Fn(f64) -> f64) -> Self {
        Self { low: f(self.low), high: f(self.high), ..self }
    }

    /// The interval of the negated effect.
    #[must_use]
    pub fn negated(self) -> Self {
        Self { low: -self.high, high: -self.low, ..self }
    }

    /// Half of the distance between the ends.
    pub fn half_width(self) -> f64 {
        (self.high - self.low) / 2.0
    }

    /// Whether both ends lie strictly between `low` and `high`.
    pub fn inside(self, low: f64, high: f64) -> bool {
        self.low > low && self.high < high
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_printed_values_keep_half_a_digit_of_noise() {
        let printed = Sample::rounded(vec![9.7, 9.7, 9.7], 0.05).unwrap();
        assert_eq!(printed.standard_deviation(), Some(0.05));
        assert_eq!(Sample::new(vec![9.7]).unwrap().standard_deviation(), None);
    }

    #[test]
    fn bad_values_are_refused_with_their_place() {
        assert_eq!(Sample::new(vec![]), Err(InvalidSample::Empty));
        assert_eq!(Sample::new(vec![1.0, f64::INFINITY]), Err(InvalidSample::NotFinite(1)));
        assert_eq!(Sample::rounded(vec![1.0], -1.0), Err(InvalidSample::Resolution));
    }
}
