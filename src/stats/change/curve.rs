//! The confidence curve of a delta: interval, p-value and probabilities, all read from the one curve.

use std::sync::Arc;

use crate::change::bootstrap::BootstrapDistribution;
use crate::change::rank::RankSums;
use crate::change::standard_error::StandardError;
use crate::change::terms::Undefined;
use crate::numerics::distribution::{
    NEAR_HALF, normal_quantile, t_cdf, t_quantile, t_quantile_roughly, widening,
};
use crate::numerics::normal_mixture::NormalMixture;
use crate::runs::sample::Interval;
use statrs::distribution::{ContinuousCDF, Normal};

/// Error of a rough quantile of Student's t, as a share of it, and more.
const ROUGH: f64 = 0.01;

/// Relative size of rounding errors: of the spread of the resamples in standard errors, where all runs print the same
/// value and only its last digit leaves noise; and of a difference in spreads.
const ROUNDING: f64 = 1e-9;

/// Curves of both scales: [`Scale::Log`](crate::Scale::Log), then [`Scale::Linear`](crate::Scale::Linear).
pub type Curves = [Result<Curve, Undefined>; 2];

/// The confidence curve of a delta. For every level u in (0, 1) it gives the bound that exceeds the true delta with
/// confidence u.
#[derive(Clone, Debug)]
pub struct Curve {
    /// Unit of the numbers below: 1, or a power of two where the values are extreme.
    unit: f64,
    estimate: f64,
    standard_error: f64,
    degrees_of_freedom: f64,
    shape: Shape,
    /// Standard error and degrees of freedom of Student's interval of the same estimate, where the wider of both counts.
    student: Option<StandardError>,
}

#[derive(Clone, Debug)]
pub(crate) enum Shape {
    /// Standardised resamples for the runs' own part of the noise, normal for the rest; widened by t.
    Calibrated {
        distribution: Arc<BootstrapDistribution>,
        spread: f64,
        own: f64,
    },
    Percentile {
        distribution: Arc<BootstrapDistribution>,
    },
    Bca {
        distribution: Arc<BootstrapDistribution>,
        bias: f64,
        acceleration: f64,
    },
    Student,
    /// Normal distributions around the estimate, with weights.
    Mixture(Arc<NormalMixture>),
    /// Deltas of all pairs of runs, ranked.
    Ranks {
        distribution: Arc<BootstrapDistribution>,
        sums: RankSums,
    },
}

impl Shape {
    /// The bias-corrected and accelerated bootstrap of an `estimate`.
    pub(crate) fn bca(
        distribution: Arc<BootstrapDistribution>,
        estimate: f64,
        acceleration: f64,
    ) -> Self {
        // Resamples that tie with the estimate may differ from it by the rounding of their sums.
        let slack = ROUNDING * distribution.standard_deviation();
        let (up_to, from) = (
            distribution.at_most(estimate + slack, false),
            distribution.at_most(-estimate + slack, true),
        );
        // Half of the ties on each side. The smaller of the two levels decides, so that swapping the variants only flips
        // the sign.
        let (below, above) = (f64::midpoint(up_to, 1.0 - from), f64::midpoint(from, 1.0 - up_to));
        let bias = |level: f64| normal_quantile(level.max(1e-12));
        let bias = if below <= above { bias(below) } else { -bias(above) };
        Self::Bca { bias, acceleration, distribution }
    }

    /// The calibrated bootstrap, or Student's t where the resamples do not differ.
    pub(crate) fn calibrated(
        distribution: Arc<BootstrapDistribution>,
        error: StandardError,
    ) -> Self {
        let spread = distribution.standard_deviation();
        if spread > ROUNDING * error.value {
            Self::Calibrated { distribution, spread, own: error.own }
        } else {
            Self::Student
        }
    }
}

impl Curve {
    pub(crate) fn new(estimate: f64, error: StandardError, shape: Shape) -> Self {
        let (standard_error, degrees_of_freedom) = (error.value, error.df);
        Self { unit: 1.0, estimate, standard_error, degrees_of_freedom, shape, student: None }
    }

    /// The curve that is nowhere narrower than Student's with this error: its p-value is the larger one of both.
    pub(crate) fn or_student(self, error: StandardError) -> Self {
        Self { student: Some(error), ..self }
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
        let tail = self.tail((1.0 - confidence) / 2.0);
        let end = |mirrored: bool| {
            let bound = self.bound(tail, mirrored);
            let student = |error: StandardError| {
                self.centre(mirrored) + error.value * t_quantile(tail.u, error.df)
            };
            self.student.map_or(bound, |error| bound.min(student(error)))
        };
        let (low, high) = (end(false), -end(true));
        Interval { low: low * self.unit, high: high * self.unit, confidence }
    }

    /// Two-sided p-value of the hypothesis that the delta is `null`: the level at which an end of
    /// the interval touches it.
    pub fn p_value(&self, null: f64) -> f64 {
        self.tested(null).0
    }

    /// Confidence that the delta exceeds `x`, in [0, 1]: the curve read as a distribution.
    pub fn probability_above(&self, x: f64) -> f64 {
        self.tested(x).1
    }

    /// [`Self::p_value`] and [`Self::probability_above`] of the same number, for the price of one.
    pub fn tested(&self, null: f64) -> (f64, f64) {
        let x = null / self.unit;
        let level = |x: f64, mirrored: bool| {
            let touching = self.touching(x, mirrored);
            let student = |error: StandardError| {
                t_cdf((x - self.centre(mirrored)) / error.value, error.df).min(0.5)
            };
            self.student.map_or(touching, |error| touching.max(student(error)))
        };
        let (below, above) = (level(x, false), level(-x, true));
        let exceeds = if below < 0.5 {
            1.0 - below
        } else if above < 0.5 {
            above
        } else {
            0.5
        };
        ((2.0 * below.min(above)).min(1.0), exceeds)
    }

    /// The curve of the negated delta.
    pub(crate) fn negated(self) -> Self {
        let turned = |distribution: Arc<BootstrapDistribution>| {
            Arc::new(Arc::unwrap_or_clone(distribution).negated())
        };
        let shape = match self.shape {
            Shape::Calibrated { distribution, spread, own } => {
                Shape::Calibrated { distribution: turned(distribution), spread, own }
            }
            Shape::Percentile { distribution } => {
                Shape::Percentile { distribution: turned(distribution) }
            }
            Shape::Bca { distribution, bias, acceleration } => Shape::Bca {
                distribution: turned(distribution),
                bias: -bias,
                acceleration: -acceleration,
            },
            shape @ (Shape::Student | Shape::Mixture(_)) => shape,
            Shape::Ranks { distribution, sums } => {
                Shape::Ranks { distribution: turned(distribution), sums }
            }
        };
        Self { estimate: -self.estimate, shape, ..self }
    }

    /// The same curve with this many times the standard error.
    pub(crate) fn widened(self, factor: f64) -> Self {
        Self { standard_error: factor * self.standard_error, ..self }
    }

    /// The same curve of values that were divided by `unit`.
    pub(crate) fn times(self, unit: f64) -> Self {
        Self { unit, ..self }
    }

    /// Common factor of the two bounds of a level `u` <= 1/2.
    fn tail(&self, u: f64) -> Tail {
        let df = self.degrees_of_freedom;
        match self.shape {
            Shape::Student => Tail { u, t: t_quantile(u, df), widening: 1.0 },
            Shape::Calibrated { .. } => {
                let t = t_quantile(u, df);
                Tail { u, t, widening: widening(u, t, df) }
            }
            _ => Tail { u, t: 0.0, widening: 1.0 },
        }
    }

    /// The curve at a level, or with `mirrored` the curve of the negated delta.
    fn bound(&self, tail: Tail, mirrored: bool) -> f64 {
        let (centre, u) = (self.centre(mirrored), tail.u);
        match &self.shape {
            Shape::Student => centre + self.standard_error * tail.t,
            Shape::Mixture(around) => centre - around.beyond(u),
            Shape::Percentile { distribution } => distribution.quantile(u, mirrored),
            Shape::Calibrated { distribution, spread, own } => {
                // The resampled delta, with the normal distribution for the rest.
                let atom = distribution.quantile(u, mirrored);
                let resampled = own * (atom - centre) / spread * tail.widening;
                let normal = if *own < 1.0 { (1.0 - own) * tail.t } else { 0.0 };
                centre + self.standard_error * (resampled + normal)
            }
            Shape::Bca { distribution, bias, acceleration } => {
                let (bias, acceleration) =
                    if mirrored { (-bias, -acceleration) } else { (*bias, *acceleration) };
                let z = bias + normal_quantile(u);
                let adjusted = Normal::standard().cdf(bias + z / (1.0 - acceleration * z));
                distribution.quantile(adjusted, mirrored)
            }
            Shape::Ranks { distribution, sums } => sums
                .bound(u)
                .map_or(f64::NEG_INFINITY, |level| distribution.quantile(level, mirrored)),
        }
    }

    /// Largest level u <= 1/2 whose bound is not above `x`: where the lower end touches it.
    fn touching(&self, x: f64, mirrored: bool) -> f64 {
        let (centre, df) = (self.centre(mirrored), self.degrees_of_freedom);
        let bound = |u: f64| self.bound(self.tail(u), mirrored);
        match &self.shape {
            Shape::Student => t_cdf((x - centre) / self.standard_error, df).min(0.5),
            Shape::Mixture(around) if x < centre => around.tail(centre - x),
            Shape::Mixture(_) => 0.5,
            Shape::Percentile { distribution } => distribution.at_most(x, mirrored).min(0.5),
            Shape::Bca { .. } if bound(0.5) <= x => 0.5,
            Shape::Bca { .. } => crossing(0.0, 0.5, |u| bound(u) - x),
            Shape::Ranks { distribution, sums } => sums.level(distribution.at_most(x, mirrored)),
            Shape::Calibrated { distribution, spread, own } => {
                let steps =
                    Steps { distribution, mirrored, centre, spread: *spread, own: *own, df };
                steps.touching((x - centre) / self.standard_error)
            }
        }
    }

    fn centre(&self, mirrored: bool) -> f64 {
        if mirrored { -self.estimate } else { self.estimate }
    }
}

/// A level with the quantiles that belong to it.
#[derive(Clone, Copy)]
struct Tail {
    u: f64,
    /// Quantile of Student's t.
    t: f64,
    /// Factor by which few degrees of freedom widen a resampled bound.
    widening: f64,
}

/// One direction of a calibrated curve: a step for every resampled delta.
struct Steps<'a> {
    distribution: &'a BootstrapDistribution,
    mirrored: bool,
    centre: f64,
    spread: f64,
    own: f64,
    df: f64,
}

impl Steps<'_> {
    /// Largest level u <= 1/2 whose bound is not more than `x` standard errors above the centre.
    fn touching(&self, x: f64) -> f64 {
        let Self { distribution, mirrored, centre, spread, own, df } = *self;
        let at_most = |atom: f64| distribution.at_most(atom, mirrored);
        // The bound at 1/2 is that of the median atom, and passes x where that lies beyond this one.
        let at_half = self.at_half();
        if at_most(centre + x / at_half) >= 0.5 {
            return 0.5;
        }
        let passes = |atom: f64, level: f64| {
            if level >= 0.5 {
                return (true, at_half * (atom - centre) - x);
            }
            if level <= 0.0 {
                return (false, f64::NEG_INFINITY);
            }
            let (t, z) = (t_quantile_roughly(level, df), normal_quantile(level));
            let (resampled, normal) = (own * (atom - centre) / spread * t / z, (1.0 - own) * t);
            let excess = resampled + normal - x;
            let clear = excess.abs() > ROUGH * (resampled.abs() + normal.abs());
            (if clear { excess > 0.0 } else { self.excess(atom, level, x) > 0.0 }, excess)
        };
        // First the atom at which the curve passes x, then the level within that atom's step.
        let mean = if mirrored { -distribution.mean() } else { distribution.mean() };
        let start = mean + normal_quantile(t_cdf(x, df).clamp(1e-300, 0.5)) * spread;
        let atom = distribution.first(mirrored, start, passes);
        let (under, upto) = (at_most(atom.next_down()), at_most(atom).min(0.5));
        if under > 0.0 && self.excess(atom, under, x) > 0.0 {
            return under;
        }
        crossing(under, upto, |u| self.excess(atom, u, x))
    }

    /// Standard errors by which the bound at level 1/2 moves with its atom.
    fn at_half(&self) -> f64 {
        self.own * widening(0.5, 0.0, self.df) / self.spread
    }

    /// Distance from `x` up to the bound that an atom gives at level u < 1/2: a number of the same sign.
    fn excess(&self, atom: f64, u: f64, x: f64) -> f64 {
        if 0.5 - u < NEAR_HALF {
            let normal = (1.0 - self.own) * t_quantile(u, self.df);
            return self.at_half() * (atom - self.centre) + normal - x;
        }
        // The bound is t(u) times a factor without t in it, so that no quantile of t is needed.
        let z = normal_quantile(u);
        let factor = self.own * (atom - self.centre) / (self.spread * z) + (1.0 - self.own);
        let t = x / factor;
        if t.is_nan() {
            // Both are zero, and so is the bound.
            return 0.0;
        }
        let level = t_cdf(t, self.df).clamp(1e-300, 1.0 - 1e-16);
        let beyond = z - normal_quantile(level);
        if factor >= 0.0 { beyond } else { -beyond }
    }
}

/// The level in [low, high] above which `excess`, which rises, is positive: to the last digit that matters.
fn crossing(low: f64, high: f64, excess: impl Fn(f64) -> f64) -> f64 {
    let (mut below, mut above) = (low, high);
    // Regula falsi; the weight of an end that stays is halved, so that the other end moves too.
    let (mut at_below, mut at_above) = (f64::NAN, f64::NAN);
    let (mut moved_above, mut steps) = (None, 0);
    while above - below > 1e-30 + 1e-13 * above {
        steps += 1;
        let chord = below + (above - below) * at_below / (at_below - at_above);
        let inside = steps < 50 && chord > below && chord < above;
        let middle = if inside { chord } else { f64::midpoint(below, above) };
        let value = excess(middle);
        let positive = value > 0.0;
        if positive {
            (above, at_above) = (middle, value);
        } else {
            (below, at_below) = (middle, value);
        }
        if moved_above == Some(positive) {
            if positive { at_below /= 2.0 } else { at_above /= 2.0 }
        }
        moved_above = Some(positive);
    }
    f64::midpoint(below, above)
}
