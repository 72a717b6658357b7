//! The settings in force, as the report shows them.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Serialize, Serializer};

use crate::policy::{Margin, NoiseFrom, Require, Thresholds};
use crate::stats::{Across, Method, Resampled};

/// The settings in force.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct Settings {
    /// Nominal coverage of the intervals, a fraction; that of the look where several are planned.
    #[schemars(extend("exclusiveMinimum" = 0, "exclusiveMaximum" = 1))]
    pub confidence: f64,
    /// How intervals are made. `percentile` and `bca` are too narrow with few runs.
    #[serde(with = "MethodWord")]
    pub method: Method,
    /// Resamples drawn where there are too many to enumerate.
    pub resamples: usize,
    /// How the resamples of this report were made; empty where no interval needs any.
    #[serde(serialize_with = "resampled_words")]
    #[schemars(with = "Vec<ResampledWord>")]
    pub resampled: Vec<Resampled>,
    /// Seed of the generator, up to 2^64 - 1: read it as a 64-bit integer.
    pub seed: u64,
    /// Centre of the runs of a variant: `mean`, `median`, `hodges-lehmann` or a quantile such as `p99`.
    #[serde(serialize_with = "across_word")]
    #[schemars(
        with = "String",
        regex(pattern = r"^(mean|median|hodges-lehmann|p[0-9]+(\.[0-9]+)?)$")
    )]
    pub across: Across,
    /// Where noise may be borrowed.
    pub noise: NoiseFrom,
    /// Whether published noise was used for one and two runs each.
    pub atlas: bool,
    /// Whether runs are compared pair by pair; in the order A B B A block by block, with Student's interval where `method` is
    /// `calibrated`.
    pub paired: bool,
    /// Which of several looks at growing runs this is, as planned before the first; null for the only one.
    pub look: Option<LookRow>,
    /// The order of the variants if each is compared with the previous one; empty with a common baseline.
    pub order: Vec<String>,
    /// How that order is known; null where one variant is the baseline.
    pub order_by: Option<OrderedBy>,
    /// Margins of the metrics of this report, by the metric's name.
    pub margins: BTreeMap<String, Margin>,
    /// How much worse a gate lets a metric be, a fraction of the baseline.
    #[schemars(range(min = 0))]
    pub tolerance: f64,
    /// The change that the gate requires.
    pub require: Require,
    /// When checks fire, by the name of each threshold; shares are fractions.
    pub checks: Thresholds,
}

/// How the order of variants is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
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
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct LookRow {
    /// Which one, from 1.
    #[schemars(range(min = 1))]
    pub number: usize,
    /// How many were planned.
    #[schemars(range(min = 1, max = 10))]
    pub of: usize,
    /// Confidence over all looks together, a fraction.
    #[schemars(extend("exclusiveMinimum" = 0, "exclusiveMaximum" = 1))]
    pub overall_confidence: f64,
    /// Runs of each variant at each look, if the program makes the runs; empty for looks in equal steps.
    #[schemars(inner(range(min = 1)))]
    pub runs: Vec<usize>,
    /// Confidence of the interval that shows no change if it is inside the margin, a fraction.
    #[schemars(range(min = 0), extend("exclusiveMaximum" = 1))]
    pub equality_confidence: f64,
}

/// How the interval of a change is made.
#[derive(Serialize, JsonSchema)]
#[serde(remote = "Method", rename_all = "snake_case")]
#[schemars(rename = "Method")]
enum MethodWord {
    /// The run-level bootstrap, rescaled to cover its level from 3 runs on.
    Calibrated,
    /// The plain percentile bootstrap: far too narrow with few runs, for comparison only.
    Percentile,
    /// The bias-corrected and accelerated bootstrap: too narrow with few runs, for comparison only.
    Bca,
    /// Welch's t interval.
    Welch,
}

/// How the distribution of the resampled change is found.
#[derive(Serialize, JsonSchema)]
#[serde(remote = "Resampled", rename_all = "snake_case")]
#[schemars(rename = "Resampled")]
enum ResampledWord {
    /// From every resample.
    All,
    /// In closed form: of order statistics, and of the means of thousands of values.
    ClosedForm,
    /// From drawn resamples.
    Drawn,
}

fn resampled_words<S: Serializer>(ways: &[Resampled], serializer: S) -> Result<S::Ok, S::Error> {
    #[derive(Serialize)]
    struct Word(#[serde(with = "ResampledWord")] Resampled);
    serializer.collect_seq(ways.iter().map(|way| Word(*way)))
}

fn across_word<S: Serializer>(across: &Across, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(&across.name())
}
