//! The confidence curve of a delta: interval, p-value and probabilities, all read from the one curve.

use std::sync::Arc;

use crate::stats::bisection::smallest;
use crate::stats::bootstrap::Law;
use crate::stats::distribution::{normal_quantile, t_cdf, t_quantile, widening};
use crate::stats::rank::RankSums;
use crate::stats::sample::Interval;
use crate::stats::standard_error::StandardError;
use statrs::distribution::{ContinuousCDF, Normal};

/// The confidence curve of a delta: for every level u in (0, 1) the bound that lies above the true
/// delta with confidence u.
#[derive(Clone, Debug)]
pub struct Curve {
    /// What the numbers below are multiples of: 1, or a power of two where the values are extreme.
    unit: f64,
    estimate: f64,
    standard_error: f64,
    degrees_of_freedom: f64,
    shape: Shape,
}

#[derive(Clone, Debug)]
pub(super) enum Shape {
    /// Standardised resamples as far as the noise is the runs' own, normal for the rest; widened by t.
    Calibrated {
        law: Arc<Law>,
        spread: f64,
        own: f64,
    },
    Percentile {
        law: Arc<Law>,
    },
    Bca {
        law: Arc<Law>,
        bias: f64,
        acceleration: f64,
    },
    Student,
    /// Deltas of all pairs of runs, ranked.
    Ranks {
        law: Arc<Law>,
        sums: RankSums,
    },
}

impl Curve {
    pub(super) fn of(estimate: f64, error: StandardError, shape: Shape) -> Self {
        let (standard_error, degrees_of_freedom) = (error.value, error.df);
        Self { unit: 1.0, estimate, standard_error, degrees_of_freedom, shape }
    }

    /// The delta on the scale of the curve.
    pub fn estimate(&self) -> f64 {
        self.estimate * self.unit
    }

    /// Standard error of the delta.
    pub fn standard_error(&self) -> f64 {
        self.standard_error * self.unit
    }

    /// Degrees of freedom of the standard error, greater than 0.
    pub fn degrees_of_freedom(&self) -> f64 {
        self.degrees_of_freedom
    }

    /// Two-sided interval of the delta at `confidence` in (0, 1), on the scale of the curve.
    ///
    /// # Panics
    ///
    /// If `confidence` is outside (0, 1).
    pub fn interval(&self, confidence: f64) -> Interval {
        assert!(confidence > 0.0 && confidence < 1.0, "confidence {confidence} is outside (0, 1)");
        let tail = (1.0 - confidence) / 2.0;
        let (low, high) = (self.bound(tail, false), -self.bound(tail, true));
        Interval { low: low * self.unit, high: high * self.unit, confidence }
    }

    /// Two-sided p-value of the hypothesis that the delta is `null`: the level at which an end of
    /// the interval touches it.
    pub fn p_value(&self, null: f64) -> f64 {
        let null = null / self.unit;
        (2.0 * self.touching(null, false).min(self.touching(-null, true))).min(1.0)
    }

    /// Confidence that the delta exceeds `x`, in [0, 1]: the curve read as a distribution.
    pub fn probability_above(&self, x: f64) -> f64 {
        let x = x / self.unit;
        let (below, above) = (self.touching(x, false), self.touching(-x, true));
        if below < 0.5 {
            1.0 - below
        } else if above < 0.5 {
            above
        } else {
            0.5
        }
    }

    /// The curve of the negated delta.
    pub(super) fn negated(self) -> Self {
        let turned = |law: Arc<Law>| Arc::new(Arc::unwrap_or_clone(law).negated());
        let shape = match self.shape {
            Shape::Calibrated { law, spread, own } => {
                Shape::Calibrated { law: turned(law), spread, own }
            }
            Shape::Percentile { law } => Shape::Percentile { law: turned(law) },
            Shape::Bca { law, bias, acceleration } => {
                Shape::Bca { law: turned(law), bias: -bias, acceleration: -acceleration }
            }
            Shape::Student => Shape::Student,
            Shape::Ranks { law, sums } => Shape::Ranks { law: turned(law), sums },
        };
        Self { estimate: -self.estimate, shape, ..self }
    }

    /// The same curve of values that were divided by `unit`.
    pub(super) fn times(self, unit: f64) -> Self {
        Self { unit, ..self }
    }

    /// The curve at level `u` <= 1/2, or with `mirrored` the curve of the negated delta.
    fn bound(&self, u: f64, mirrored: bool) -> f64 {
        let (centre, df) = (self.centre(mirrored), self.degrees_of_freedom);
        match &self.shape {
            Shape::Student => centre + self.standard_error * t_quantile(u, df),
            Shape::Percentile { law } => law.quantile(u, mirrored),
            Shape::Calibrated { law, spread, own } => {
                self.calibrated(law.quantile(u, mirrored), u, mirrored, (*spread, *own))
            }
            Shape::Bca { law, bias, acceleration } => {
                let (bias, acceleration) =
                    if mirrored { (-bias, -acceleration) } else { (*bias, *acceleration) };
                let z = bias + normal_quantile(u);
                let adjusted = Normal::standard().cdf(bias + z / (1.0 - acceleration * z));
                law.quantile(adjusted, mirrored)
            }
            Shape::Ranks { law, sums } => {
                sums.bound(u).map_or(f64::NEG_INFINITY, |level| law.quantile(level, mirrored))
            }
        }
    }

    /// The bound at level `u` that a resampled delta gives.
    fn calibrated(&self, atom: f64, u: f64, mirrored: bool, (spread, own): (f64, f64)) -> f64 {
        let centre = self.centre(mirrored);
        let resampled = own * (atom - centre) / spread * widening(u, self.degrees_of_freedom);
        let normal =
            if own < 1.0 { (1.0 - own) * t_quantile(u, self.degrees_of_freedom) } else { 0.0 };
        centre + self.standard_error * (resampled + normal)
    }

    /// Largest level u <= 1/2 whose bound is not above `x`: where the lower end touches it.
    fn touching(&self, x: f64, mirrored: bool) -> f64 {
        let (centre, df) = (self.centre(mirrored), self.degrees_of_freedom);
        match &self.shape {
            Shape::Student => t_cdf((x - centre) / self.standard_error, df).min(0.5),
            Shape::Percentile { law } => law.at_most(x, mirrored).min(0.5),
            Shape::Bca { .. } if self.bound(0.5, mirrored) <= x => 0.5,
            Shape::Bca { .. } => crossing(0.0, 0.5, |u| self.bound(u, mirrored) > x),
            Shape::Ranks { law, sums } => sums.level(law.at_most(x, mirrored)),
            Shape::Calibrated { law, spread, own } => {
                let value = |atom: f64, u: f64| self.calibrated(atom, u, mirrored, (*spread, *own));
                // First the atom at which the curve passes x, then the level within that atom's step.
                let (low, high) = law.range(mirrored);
                let level = |atom: f64| law.at_most(atom, mirrored).min(0.5);
                let passes = |atom: f64| {
                    let u = level(atom);
                    u > 0.0 && value(atom, u) > x
                };
                if high < centre || !passes(high) {
                    return 0.5;
                }
                let atom = smallest(low, high, passes);
                let under = if atom > low { level(atom.next_down()) } else { 0.0 };
                crossing(under, level(atom), |u| value(atom, u) > x)
            }
        }
    }

    fn centre(&self, mirrored: bool) -> f64 {
        if mirrored { -self.estimate } else { self.estimate }
    }
}

/// The level in [low, high] above which `holds`, found to the last digit that matters.
fn crossing(low: f64, high: f64, holds: impl Fn(f64) -> bool) -> f64 {
    let (mut below, mut above) = (low, high);
    while above - below > 1e-15 + 1e-12 * above {
        let middle = f64::midpoint(below, above);
        if holds(middle) { above = middle } else { below = middle }
    }
    f64::midpoint(below, above)
}
