//! What the user decides: confidence, method, margins, tolerance, metrics, thresholds of checks.
//!
//! Noise comes from the data and has no default here; what is *relevant* is policy and stands here.

mod file;
mod in_force;
mod places;
mod thresholds;
mod values;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::metrics::Family;
use crate::metrics::Metric;
use crate::metrics::Statistic;
use crate::stats::{Across, Method, Resampling};
use crate::units::Better;

pub use file::{BatchFile, ColumnsFile, FILE_NAME, GateFile, MetricFile, PolicyFile, Unfit};
pub use thresholds::Thresholds;
pub use values::{Share, parse_across, parse_confidence, parse_method, parse_percentage};

/// The settings of a comparison.
#[derive(Clone, Debug, PartialEq)]
pub struct Policy {
    /// Nominal coverage of the intervals, in (0, 1); at 0.5 or less nothing can be shown to be equal.
    pub confidence: f64,
    /// How intervals are made.
    pub method: Method,
    /// How resamples are drawn where there are too many to enumerate.
    pub resampling: Resampling,
    /// Statistic over the runs of a variant.
    pub across: Across,
    /// How much worse a gate lets a metric be, as a fraction.
    pub tolerance: f64,
    /// Metrics that the user named; they alone are reported and decide. Empty: all.
    pub selected: Vec<Selected>,
    /// Where noise may be borrowed from.
    pub noise: NoiseFrom,
    /// Whether the kth runs of both variants belong together, by their pair or by the time of their start.
    pub paired: bool,
    /// Which of several planned looks at growing runs this is; `confidence` is then that of the look.
    pub look: Option<PlannedLook>,
    /// What the gate says where there is no verdict, or something that one side lacks.
    pub no_verdict: GateAnswer,
    /// What the gate says where nothing can be compared.
    pub not_comparable: GateAnswer,
    /// Metrics that decide, the most important first; empty: what the load says.
    pub deciding: Vec<String>,
    /// Metrics that do not decide and must not become worse.
    pub guards: Vec<String>,
    /// What the user decided for single metrics, by name.
    pub metrics: BTreeMap<String, MetricPolicy>,
    /// When checks fire.
    pub thresholds: Thresholds,
}

/// What the user decided for one metric; `None` leaves the default.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct MetricPolicy {
    /// Direction of improvement.
    pub better: Option<Better>,
    /// Largest relative change that does not matter; the absolute floor is then 0 unless given.
    pub margin: Option<f64>,
    /// Largest difference that does not matter, in the unit of the metric.
    pub margin_absolute: Option<f64>,
    /// How much worse the gate lets it be, as a fraction.
    pub tolerance: Option<f64>,
    /// Whether, as a deciding metric or a guard, it must be shown to be no worse than the tolerance.
    pub non_inferior: bool,
}

/// What the gate says where there is nothing to judge.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum GateAnswer {
    /// That it does not know: exit code 3.
    #[default]
    Unknown,
    /// Pass.
    Pass,
    /// Fail.
    Fail,
}

/// Where the noise of a comparison may come from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum NoiseFrom {
    /// The runs compared, steadied by earlier runs where there are any, or by the other comparisons of the
    /// job from three variances on. Single runs borrow only from earlier runs.
    #[default]
    Auto,
    /// The same, and single runs borrow from the other comparisons of the job too.
    Batch,
    /// The runs compared, alone.
    Own,
    /// For single runs: the other variants of the workload, on the assumption that most change nothing.
    Variants,
}

/// One of several looks that were planned before the first run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PlannedLook {
    /// Which one, from 1.
    pub number: usize,
    /// How many were planned.
    pub of: usize,
    /// Confidence over all looks together.
    pub overall: f64,
}

/// A metric that the user named, with its direction if given.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Selected {
    /// Canonical name.
    pub name: String,
    /// Direction given by the user; replaces the registry's.
    pub better: Option<Better>,
}

/// Largest effect that does not matter.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Margin {
    /// As a fraction of the baseline.
    pub relative: f64,
    /// In the unit of the metric; the larger of the two counts.
    pub absolute: f64,
}

impl Default for Policy {
    fn default() -> Self {
        Self {
            confidence: 0.95,
            method: Method::default(),
            resampling: Resampling::default(),
            across: Across::Mean,
            tolerance: 0.02,
            selected: Vec::new(),
            noise: NoiseFrom::Auto,
            paired: false,
            look: None,
            no_verdict: GateAnswer::default(),
            not_comparable: GateAnswer::default(),
            deciding: Vec::new(),
            guards: Vec::new(),
            metrics: BTreeMap::new(),
            thresholds: Thresholds::default(),
        }
    }
}

impl Policy {
    /// The margin of a metric: 5 % for quantiles in the tail, 2 % for time to first token and
    /// end-to-end latency, 1 % for the rest; at least 1 ms for the former and 0.1 ms per token. What the
    /// user decided for the metric comes first.
    pub fn margin(&self, metric: &Metric) -> Margin {
        let usual = Self::usual_margin(metric);
        let wish = self.metrics.get(&metric.name).copied().unwrap_or_default();
        let floor = if wish.margin.is_some() { 0.0 } else { usual.absolute };
        Margin {
            relative: wish.margin.unwrap_or(usual.relative),
            absolute: wish.margin_absolute.unwrap_or(floor),
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
        let said = self.selected(name).and_then(|selected| selected.better);
        let decided = self.metrics.get(&metric.name).and_then(|wish| wish.better);
        metric.better = said.or(decided).or(metric.better);
        metric
    }

    /// How much worse the gate lets the metric of this name be, as a fraction.
    pub fn tolerance_of(&self, name: &str) -> f64 {
        self.metrics.get(name).and_then(|wish| wish.tolerance).unwrap_or(self.tolerance)
    }

    /// The user's wish for this metric, if there is one.
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
