//! A mixture of normal distributions around 0.

use std::f64::consts::SQRT_2;

use statrs::function::erf::erfc;

use crate::numerics::bisection::smallest;

/// Standard deviations above 0, each with its weight; the weights sum to 1.
#[derive(Clone, Debug)]
pub(crate) struct NormalMixture {
    parts: Vec<(f64, f64)>,
}

impl NormalMixture {
    /// A mixture of at least one standard deviation with its weight.
    pub(crate) fn new(parts: Vec<(f64, f64)>) -> Self {
        Self { parts }
    }

    pub(crate) fn standard_deviation(&self) -> f64 {
        self.parts.iter().map(|(sd, weight)| weight * sd * sd).sum::<f64>().sqrt()
    }

    /// Weight above `x`, 0 or more: at most 1/2.
    pub(crate) fn tail(&self, x: f64) -> f64 {
        let above = self.parts.iter().map(|(sd, weight)| weight * erfc(x / (sd * SQRT_2)));
        above.sum::<f64>() / 2.0
    }

    /// The number, 0 or more, above which the weight is `u`, in (0, 1/2].
    pub(crate) fn beyond(&self, u: f64) -> f64 {
        let mut high = self.parts.iter().map(|(sd, _)| *sd).fold(0.0, f64::max);
        while self.tail(high) > u && high < f64::MAX / 2.0 {
            high *= 2.0;
        }
        smallest(0.0, high, |x| self.tail(x) <= u)
    }
}
