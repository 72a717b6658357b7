//! The structs of the JSON document `beyondnoise-noise/1`; its schema is `data/schema/noise.schema.json`.
//!
//! Changes, shares, confidences and CVs are fractions; values are in the unit of their metric and unrounded.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use crate::atlas::Published;
use crate::checks::{CheckId, Scope, Severity, ids};
use crate::report::VERSION_PATTERN;
use crate::runs::{Order, ReadAs, Skipped, Workload};
use crate::units::Better;

/// Identifier of the JSON document.
pub const SCHEMA: &str = "beyondnoise-noise/1";

/// The noise of everything that was repeated.
///
/// The document `beyondnoise-noise/1`. Fields may be added; none is renamed or re-scaled. Every field is always there,
/// null where undefined; NaN and infinity never appear. Changes, shares, confidences and CVs are fractions; values are in
/// the unit of their metric and unrounded.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(title = "Noise report of beyondnoise")]
#[non_exhaustive]
pub struct NoiseReport {
    /// Identifier of this document; the first key.
    #[schemars(extend("const" = SCHEMA))]
    pub schema: &'static str,
    /// Version of the program that wrote it.
    #[schemars(regex(pattern = VERSION_PATTERN))]
    pub version: &'static str,
    /// The answer in one sentence.
    pub summary: String,
    /// Next thing to do, one sentence with a command if there is one.
    pub next_step: String,
    /// The settings in force.
    pub settings: Settings,
    /// Builds with repeated runs, the noisiest first; at least one.
    #[schemars(length(min = 1))]
    pub repeats: Vec<Repeats>,
    /// The skipped parts of the input.
    pub skipped: Vec<Skipped>,
    /// How the tables of no known tool were read, an entry for each way: tables that were read alike share it. Empty
    /// where every input is of a known tool.
    pub read_as: Vec<ReadAs>,
    /// Number of files with runs.
    #[serde(skip)]
    pub(crate) files: usize,
}

/// The settings in force.
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct Settings {
    /// Coverage of the intervals, and of the comparisons whose smallest change is given.
    #[schemars(extend("exclusiveMinimum" = 0, "exclusiveMaximum" = 1))]
    pub confidence: f64,
    /// Probability with which a smallest change is found.
    #[schemars(extend("exclusiveMinimum" = 0, "exclusiveMaximum" = 1))]
    pub power: f64,
    /// Seed of the random numbers.
    pub seed: u64,
}

/// Repeated runs of one build under one workload.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct Repeats {
    /// Settings of the load that all runs of the build share.
    pub workload: Workload,
    /// The variant; null where single runs under several labels were taken as repeats of one build.
    pub variant: Option<String>,
    /// Labels of the runs that were taken as repeats of one build; empty where they share one.
    pub pooled: Vec<String>,
    /// How the order of the runs is known.
    pub order: Order,
    /// Names of the runs, in that order.
    #[schemars(length(min = 2))]
    pub runs: Vec<String>,
    /// The noise of this build in one sentence.
    pub summary: String,
    /// The one concrete thing to do next.
    pub next_step: String,
    /// Figures of each metric, the deciding ones first; at least one.
    #[schemars(length(min = 1))]
    pub metrics: Vec<MetricNoise>,
    /// Findings about the deciding metrics, the most severe first.
    pub findings: Vec<FindingRow>,
}

/// Run-to-run noise of one metric.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct MetricNoise {
    /// Canonical name.
    pub metric: String,
    /// Name in sentences.
    pub label: String,
    /// Name of its row in tables; holds the unit.
    #[serde(skip)]
    pub row_label: String,
    /// Symbol of the unit; empty for none.
    pub unit: &'static str,
    /// Direction of improvement; null where it is not known.
    pub better: Option<Better>,
    /// Whether it decides a comparison, or was named by the user.
    pub deciding: bool,
    /// Largest change that does not matter, a fraction.
    #[schemars(range(min = 0))]
    pub margin: f64,
    /// Runs that have the metric, 2 or more.
    #[schemars(range(min = 2))]
    pub n: usize,
    /// One value per run, in the order of the runs.
    #[schemars(length(min = 2))]
    pub values: Vec<f64>,
    /// Half of the last printed digit of the values.
    #[schemars(range(min = 0))]
    pub resolution: f64,
    /// Mean over the runs.
    pub mean: f64,
    /// Standard deviation over the runs, as seen; null where it is beyond all numbers.
    #[schemars(range(min = 0))]
    pub sd: Option<f64>,
    /// Standard deviation of the logarithms, at least half of the last printed digit; null where a value is 0
    /// or below, or where all are equal and exact.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub cv: Option<f64>,
    /// Whether the printed digits and not the values make the CV what it is.
    pub cv_from_printing: bool,
    /// Interval of the CV; null where it comes from the printing.
    pub cv_interval: Option<[f64; 2]>,
    /// Its place among published set-ups; null without a CV, and for metrics that the atlas does not have.
    pub published: Option<PublishedPlace>,
    /// The share of the noise within the runs; null without request detail.
    pub within: Option<Within>,
    /// How each level of nested repeats varies, from outer to inner; empty unless the user named levels.
    pub levels: Vec<LevelNoise>,
    /// Smallest change found with some usual numbers of runs; empty without a CV.
    pub detectable: Vec<Detectable>,
    /// Drift over the order of the runs; null for fewer than 4 runs, or where all values are equal.
    pub trend: Option<Drift>,
    /// Lag-1 autocorrelation; null for fewer than 10 runs, or where all values are equal.
    pub autocorrelation: Option<Autocorrelation>,
    /// The best split into two clusters; null for fewer than 8 runs, or where none is possible.
    pub modes: Option<TwoModes>,
    /// Halves of the runs compared with each other; only of deciding metrics with 6 to 200 runs that differ.
    pub halves: Option<SplitHalves>,
}

/// The place of a noise among published set-ups.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct PublishedPlace {
    /// Number of ten published set-ups that are noisier, 0 to 9.
    #[schemars(range(max = 9))]
    pub noisier_of_ten: usize,
    /// Quartiles of the published run-to-run CV, fractions.
    #[schemars(inner(range(min = 0)))]
    pub usual_cv: [f64; 2],
    /// Number of published sources behind it.
    #[schemars(range(min = 1))]
    pub sources: usize,
    /// Number of set-ups in these sources.
    #[schemars(range(min = 1))]
    pub setups: usize,
}

impl PublishedPlace {
    pub(crate) fn new(published: &Published, cv: f64) -> Self {
        Self {
            noisier_of_ten: published.noisier_of_ten(cv),
            usual_cv: published.usual(),
            sources: published.sources,
            setups: published.set_ups,
        }
    }
}

/// How one level of nested repeats varies.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct LevelNoise {
    /// Its column; null for the values inside a run.
    pub column: Option<String>,
    /// Number of units of the level, such as starts, over all outer units.
    #[schemars(range(min = 1))]
    pub units: usize,
    /// CV between its units beyond the part that the levels inside explain, by the method of moments, as a fraction.
    /// Null if no outer unit has two units, and for a mean of 0 or below.
    #[schemars(range(min = 0))]
    pub cv: Option<f64>,
    /// Its share of the variance of the mean of all; null where that is 0.
    #[schemars(range(min = 0, max = 1))]
    pub share: Option<f64>,
}

/// The share of the noise within the runs.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct Within {
    /// Runs with request detail.
    #[schemars(range(min = 2))]
    pub runs: usize,
    /// Standard error within a run, as a fraction of the mean; a lower bound.
    #[schemars(range(min = 0))]
    pub cv: Option<f64>,
    /// Its share of the variance between the runs, at most 1: as often too large as too small.
    #[schemars(range(min = 0, max = 1))]
    pub share: f64,
    /// Interval of the share at 90 %.
    #[schemars(inner(range(min = 0, max = 1)))]
    pub share_interval: [f64; 2],
    /// The remedy that lowers the noise of a mean over runs.
    pub help: WhatHelps,
}

/// The remedy that lowers the noise of a mean over runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum WhatHelps {
    /// Longer runs: more than half of the variance comes from within the runs (the interval of the share is above 0.5).
    LongerRuns,
    /// Both: the interval of the share is within 0.2 and 0.8.
    Both,
    /// More runs, not longer ones: less than half is shown to lie within them (below 0.5).
    MoreRuns,
    /// So few runs cannot tell.
    NotKnown,
}

/// Smallest change that so many runs of each of two builds find.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct Detectable {
    /// Number of runs of each variant in such a comparison.
    #[schemars(range(min = 2))]
    pub runs: usize,
    /// The change; null where it is beyond all reason.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub change: Option<f64>,
}

/// Drift over the order of the runs.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct Drift {
    /// Kendall's tau-b of value and order, from -1 to 1.
    #[schemars(range(min = -1, max = 1))]
    pub tau: f64,
    /// Two-sided p-value of Mann and Kendall's test.
    #[schemars(range(max = 1), extend("exclusiveMinimum" = 0))]
    pub p_value: f64,
    /// Mean of the last third of the runs divided by the mean of the first third, minus one; null if a mean is 0 or
    /// below.
    pub change: Option<f64>,
}

/// Correlation of each run with the one before it.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct Autocorrelation {
    /// Lag-1 autocorrelation of the runs in their order, from -1 to 1.
    #[schemars(range(min = -1, max = 1))]
    pub r: f64,
    /// Two-sided p-value.
    #[schemars(range(min = 0, max = 1))]
    pub p_value: f64,
}

/// The best split into two clusters.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct TwoModes {
    /// Means of the lower and the upper cluster.
    pub centres: [f64; 2],
    /// Number of runs in the lower and in the upper cluster.
    #[schemars(inner(range(min = 2)))]
    pub counts: [usize; 2],
    /// Share of the sum of squares between them.
    #[schemars(range(min = 0, max = 1))]
    pub share: f64,
    /// Distance between the nearest values of both clusters over the largest one inside a cluster; null where
    /// that is 0.
    #[schemars(range(min = 0))]
    pub gap: Option<f64>,
    /// Probability that normal values split as well.
    #[schemars(range(max = 1), extend("exclusiveMinimum" = 0))]
    pub p_value: f64,
}

/// Halves of the runs compared with each other.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct SplitHalves {
    /// Ways to halve the runs that were looked at.
    #[schemars(range(min = 1, max = 1000))]
    pub splits: usize,
    /// Whether these are all possible splits, not a sample.
    pub all: bool,
    /// Number of splits whose halves differ beyond noise.
    pub flagged: usize,
    /// `flagged / splits`; about one minus the confidence is expected.
    #[schemars(range(min = 0, max = 1))]
    pub share: f64,
}

/// Something odd about the runs.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct FindingRow {
    /// Identifier of the check, stable. More may be added.
    #[schemars(with = "String", regex(pattern = r"^[a-z0-9]+(-[a-z0-9]+)*$"), extend("examples" = ids(Scope::Noise)))]
    pub id: CheckId,
    /// `warn`, or `note` where its size is under the margin that matters, or where chance explains it.
    #[schemars(extend("not" = {"const": "block"}))]
    pub severity: Severity,
    /// The metric that shows it most; null where it is about the runs.
    pub metric: Option<String>,
    /// The observation, with its numbers.
    pub message: String,
    /// Next thing to do about it.
    pub advice: String,
    /// The numbers behind it, by name.
    pub evidence: BTreeMap<&'static str, Value>,
}

impl Repeats {
    /// Metrics that decide, or all where none does.
    ///
    /// # Examples
    ///
    /// ```
    /// use beyondnoise::{noise::noise, policy::Policy, runs};
    ///
    /// let run = |path: &str, value| runs::Run {
    ///     variant: "main".into(),
    ///     source: runs::Source { path: path.into(), ..runs::Source::default() },
    ///     metrics: [("request_throughput", runs::Value { value, resolution: 0.005 })].into(),
    ///     ..runs::Run::default()
    /// };
    /// let dataset = runs::Dataset::assemble(vec![run("1", 24.32), run("2", 24.11)], vec![]);
    /// let report = noise(&dataset, &Policy::default()).unwrap();
    /// assert_eq!(report.repeats[0].leading().next().unwrap().label, "request throughput");
    /// ```
    pub fn leading(&self) -> impl Iterator<Item = &MetricNoise> {
        let some = self.metrics.iter().any(|metric| metric.deciding);
        self.metrics.iter().filter(move |metric| metric.deciding || !some)
    }
}
