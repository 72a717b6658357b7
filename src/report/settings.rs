//! The settings in force, as the report shows them.

use std::collections::BTreeMap;

use serde::{Serialize, Serializer};

use crate::policy::{NoiseFrom, Require, Thresholds};
use crate::stats::{Across, Method, Resampled};

/// The settings in force.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct Settings {
    /// Nominal coverage of the intervals, a fraction.
    pub confidence: f64,
    /// How intervals are made.
    #[serde(serialize_with = "method_word")]
    pub method: Method,
    /// Resamples drawn where there are too many to enumerate.
    pub resamples: usize,
    /// How the resamples of this report were made: `all`, `closed_form` or `drawn`; none of an interval that needs
    /// none.
    #[serde(serialize_with = "resampled_words")]
    pub resampled: Vec<Resampled>,
    /// Seed of the generator.
    pub seed: u64,
    /// Statistic over the runs.
    #[serde(serialize_with = "across_word")]
    pub across: Across,
    /// Where noise may be borrowed.
    pub noise: NoiseFrom,
    /// Whether published noise was used for one and two runs each.
    pub atlas: bool,
    /// Whether runs are compared pair by pair, or in the order A B B A block by block.
    pub paired: bool,
    /// Which of several planned looks this is; null for the only one.
    pub look: Option<LookRow>,
    /// The order of the variants if each is compared with the one before it; empty with a common baseline.
    pub order: Vec<String>,
    /// How that order is known; null where one variant is the baseline.
    pub order_by: Option<OrderedBy>,
    /// Margins of the metrics of this report, by name.
    pub margins: BTreeMap<String, MarginRow>,
    /// How much worse a gate lets a metric be, a fraction.
    pub tolerance: f64,
    /// The change that the gate requires.
    pub require: Require,
    /// When checks fire, by the name of each threshold.
    pub checks: Thresholds,
}

/// How the order of variants is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum OrderedBy {
    /// The user gave it: by a column, or by inputs that have names.
    Given,
    /// By the start times of the runs.
    Started,
    /// By the names, numbers in them by size.
    Names,
}

/// One of several planned looks at growing runs.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct LookRow {
    /// Which one, from 1.
    pub number: usize,
    /// How many were planned.
    pub of: usize,
    /// Confidence over all looks together, a fraction.
    pub overall_confidence: f64,
    /// Runs of each variant at all of the looks, where the program makes the runs; empty for looks in equal steps.
    pub runs: Vec<usize>,
    /// Confidence of the interval that shows no change if it is inside the margin, a fraction.
    pub equality_confidence: f64,
}

/// A margin in force.
#[derive(Clone, Copy, Debug, Serialize)]
#[non_exhaustive]
pub struct MarginRow {
    /// Fraction of the baseline.
    pub relative: f64,
    /// In the unit of the metric.
    pub absolute: f64,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes references")]
fn method_word<S: Serializer>(method: &Method, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(match method {
        Method::Calibrated => "calibrated",
        Method::Percentile => "percentile",
        Method::Bca => "bca",
        Method::Welch => "welch",
    })
}

fn resampled_words<S: Serializer>(ways: &[Resampled], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(ways.iter().map(|way| match way {
        Resampled::All => "all",
        Resampled::ClosedForm => "closed_form",
        Resampled::Drawn => "drawn",
    }))
}

fn across_word<S: Serializer>(across: &Across, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(&across.name())
}
