//! The rows of a batch: figures over all its cells.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;

use crate::report::atlas::GradesRow;
use crate::report::shared::SharedRow;

/// Figures over all cells of a batch.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct BatchRow {
    /// Columns whose values name a cell, in the order in which the user named them.
    pub by: Vec<String>,
    /// Number of cells.
    pub cells: usize,
    /// Number of cells and candidates by what is said of them.
    pub counts: BatchCounts,
    /// Number of cells and candidates that are not judged, by reason.
    #[schemars(extend("additionalProperties" = {"type": "integer", "minimum": 1}))]
    pub not_judged: BTreeMap<String, usize>,
    /// Expected share of false alarms among the changes found, at most; a fraction.
    #[schemars(range(min = 0, max = 1))]
    pub false_discovery_rate: f64,
    /// The flag that makes cells comparable which are not, as a next step.
    #[serde(skip)]
    pub flag: Option<String>,
    /// The answer of published repeats for the cells with one run each; null where there is none with a metric of the atlas.
    pub atlas: Option<GradesRow>,
    /// The change that the cells share: per pair of variants and deciding metric, in that order, corrected as one list
    /// (Holm).
    pub shared: Vec<SharedRow>,
}

/// Number of cells and candidates by what is said of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct BatchCounts {
    /// Some deciding metric worse, none better.
    pub worse: usize,
    /// Some worse and some better.
    pub trade_off: usize,
    /// Some better, none worse.
    pub better: usize,
    /// Changes shown, all under their margins, the largest for the worse.
    pub slightly_worse: usize,
    /// Changes shown, all under their margins, the largest for the better.
    pub slightly_better: usize,
    /// Shown to lie within the margins.
    pub no_change: usize,
    /// Neither a change nor its absence was shown.
    pub within_noise: usize,
    /// Not judged, for reasons that are given.
    pub not_judged: usize,
}
