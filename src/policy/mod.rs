//! The decisions of the user: confidence, method, margins, tolerance, metrics, thresholds of checks.
//!
//! Noise is estimated from the data and has no default; which change is *relevant* is the user's decision.

mod file;
mod in_force;
mod kind;
mod places;
mod run;
mod run_kinds;
mod selected;
mod setting;
mod settings;
mod slo;
mod thresholds;
mod values;

use crate::metrics::{Family, Metric, Statistic};
use crate::stats::Look;
use crate::units::Unit;

pub use file::FILE_NAME;
pub use kind::{METHODS, Several, parse_method};
pub use run::RunSettings;
pub use setting::{Flag, Setting};
pub use settings::{Margin, MetricPolicy, PlannedLook, Policy, SETTINGS, Selected, Settings};
pub use slo::Slo;
pub use thresholds::Thresholds;
pub use values::{
    Base, GateAnswer, GateOrder, NoiseFrom, Require, parse_across, parse_confidence,
    parse_percentage,
};

impl Policy {
    /// The margin of a metric: 5 % for tail quantiles, 2 % for TTFT and end-to-end latency, 1 % for the rest. Without the
    /// user's decision it is at least 1 ms for TTFT and 0.1 ms for TPOT and ITL, if the unit is known. The user's margin for
    /// the metric comes first, then the one for all metrics.
    pub fn margin(&self, metric: &Metric) -> Margin {
        let usual = Self::usual_margin(metric);
        let decided = self.metrics.get(&metric.name).copied().unwrap_or_default();
        let margin = decided.margin.or(self.effect);
        let floor = if margin.is_some() { 0.0 } else { usual.absolute };
        Margin {
            relative: margin.unwrap_or(usual.relative),
            absolute: decided.margin_absolute.unwrap_or(floor),
        }
    }

    fn usual_margin(metric: &Metric) -> Margin {
        let relative = match (metric.statistic, metric.family) {
            (Statistic::Quantile(q), _) if q > 0.75 => 0.05,
            (_, Family::Ttft | Family::E2el) => 0.02,
            _ => 0.01,
        };
        let milliseconds = match metric.family {
            Family::Ttft => 1.0,
            Family::Tpot | Family::Itl => 0.1,
            _ => 0.0,
        };
        // Without a unit the time is unknown.
        let absolute = match metric.unit {
            Unit::Second => milliseconds / 1e3,
            Unit::Millisecond => milliseconds,
            Unit::Microsecond => milliseconds * 1e3,
            Unit::Nanosecond => milliseconds * 1e6,
            _ => 0.0,
        };
        Margin { relative, absolute }
    }

    /// The metric of this name, with the user's direction.
    pub fn metric(&self, name: &str) -> Metric {
        let mut metric = Metric::named(name);
        let given = self.selected(name).and_then(|selected| selected.better);
        let of_policy = self.metrics.get(&metric.name).and_then(|decided| decided.better);
        metric.better = given.or(of_policy).or(metric.better);
        metric
    }

    /// Largest worsening of this metric that the gate accepts, as a fraction.
    pub fn tolerance_of(&self, name: &str) -> f64 {
        self.metrics.get(name).and_then(|decided| decided.tolerance).unwrap_or(self.tolerance)
    }

    /// The metric of this name from `--metric`, if the user gave it.
    pub fn selected(&self, name: &str) -> Option<&Selected> {
        self.selected.iter().find(|selected| selected.name == name)
    }

    /// Whether the user named this metric: to show it, to decide or as a guard.
    pub fn names(&self, name: &str) -> bool {
        let listed = |names: &[String]| names.iter().any(|known| known == name);
        self.selected(name).is_some() || listed(&self.deciding) || listed(&self.guards)
    }

    /// One minus the confidence.
    pub fn alpha(&self) -> f64 {
        1.0 - self.confidence
    }

    /// Level of each of the two one-sided tests for no change, in (0, 1).
    pub fn equality_alpha(&self) -> f64 {
        self.look.as_ref().map_or_else(|| self.alpha(), |look| look.equality_alpha)
    }

    /// Confidence of the interval for these two tests, a fraction, rounded to 12 decimals.
    pub fn equality_confidence(&self) -> f64 {
        const DIGITS: f64 = 1e12;
        ((1.0 - 2.0 * self.equality_alpha()).max(0.0) * DIGITS).round() / DIGITS
    }

    /// The policy at look `number`, from 1, at runs that the program makes. `looks` are the runs of each variant at every look,
    /// and `confidence` covers all of them together.
    ///
    /// A change is judged at the level of [`Look::planned`]. No change is judged at every look by the interval of a single
    /// look: stopping there claims no effect.
    ///
    /// # Panics
    ///
    /// As [`Look::planned`], and if `looks` has no such number.
    #[must_use]
    pub fn at_look(self, looks: &[usize], number: usize, confidence: f64) -> Self {
        assert!((1..=looks.len()).contains(&number), "no look {number} of {}", looks.len());
        self.at_looks(looks, confidence).swap_remove(number - 1)
    }

    /// [`Self::at_look`] for each of the looks.
    ///
    /// # Panics
    ///
    /// As [`Look::planned`].
    #[must_use]
    pub fn at_looks(&self, looks: &[usize], confidence: f64) -> Vec<Self> {
        let at = |(at, planned): (usize, Look)| {
            let look = PlannedLook {
                number: at + 1,
                of: looks.len(),
                overall: confidence,
                equality_alpha: 1.0 - confidence,
                runs: looks.to_vec(),
            };
            Self { confidence: 1.0 - planned.level, look: Some(look), ..self.clone() }
        };
        Look::planned(confidence, looks).into_iter().enumerate().map(at).collect()
    }
}
