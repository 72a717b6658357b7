//! The decisions of the user: confidence, method, margins, tolerance, metrics, thresholds of checks.
//!
//! Noise is estimated from the data and has no default; which change is *relevant* is a decision of the user.

mod file;
mod in_force;
mod kind;
mod places;
mod setting;
mod settings;
mod slo;
mod thresholds;
mod values;

use crate::metrics::{Family, Metric, Statistic};

pub use file::FILE_NAME;
pub use kind::{METHODS, Several, parse_method};
pub use setting::{Flag, Setting};
pub use settings::{Margin, MetricPolicy, PlannedLook, Policy, SETTINGS, Selected, Settings};
pub use slo::Slo;
pub use thresholds::Thresholds;
pub use values::{GateAnswer, NoiseFrom, parse_across, parse_confidence, parse_percentage};

impl Policy {
    /// The margin of a metric: 5 % for quantiles in the tail, 2 % for time to first token and
    /// end-to-end latency, 1 % for the rest; at least 1 ms for the former and 0.1 ms per token. The
    /// decision of the user for the metric comes first.
    pub fn margin(&self, metric: &Metric) -> Margin {
        let usual = Self::usual_margin(metric);
        let decided = self.metrics.get(&metric.name).copied().unwrap_or_default();
        let floor = if decided.margin.is_some() { 0.0 } else { usual.absolute };
        Margin {
            relative: decided.margin.unwrap_or(usual.relative),
            absolute: decided.margin_absolute.unwrap_or(floor),
        }
    }

    fn usual_margin(metric: &Metric) -> Margin {
        let relative = match (metric.statistic, metric.family) {
            (Statistic::Quantile(q), _) if q > 0.75 => 0.05,
            (_, Family::Ttft | Family::E2el) => 0.02,
            _ => 0.01,
        };
        let absolute = match metric.family {
            Family::Ttft => 1.0,
            Family::Tpot | Family::Itl => 0.1,
            _ => 0.0,
        };
        Margin { relative, absolute }
    }

    /// The metric of this name, with the direction that the user gave.
    pub fn metric(&self, name: &str) -> Metric {
        let mut metric = Metric::named(name);
        let given = self.selected(name).and_then(|selected| selected.better);
        let of_policy = self.metrics.get(&metric.name).and_then(|decided| decided.better);
        metric.better = given.or(of_policy).or(metric.better);
        metric
    }

    /// How much worse the gate lets the metric of this name be, as a fraction.
    pub fn tolerance_of(&self, name: &str) -> f64 {
        self.metrics.get(name).and_then(|decided| decided.tolerance).unwrap_or(self.tolerance)
    }

    /// The `--metric` of this name, if there is one.
    pub fn selected(&self, name: &str) -> Option<&Selected> {
        self.selected.iter().find(|selected| selected.name == name)
    }

    /// Whether the user asked for this metric by name: to be shown, to decide or as a guard.
    pub fn names(&self, name: &str) -> bool {
        let listed = |names: &[String]| names.iter().any(|known| known == name);
        self.selected(name).is_some() || listed(&self.deciding) || listed(&self.guards)
    }

    /// One minus the confidence.
    pub fn alpha(&self) -> f64 {
        1.0 - self.confidence
    }
}
