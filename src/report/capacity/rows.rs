//! The rows of a capacity.
//!
//! Changes are fractions; values are in the unit of their metric and unrounded.

use schemars::JsonSchema;
use serde::Serialize;

use crate::stats::Reached;
use crate::verdict::Verdict;

/// The capacity of both variants of a sweep at a service level objective, and its change.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct CapacityRow {
    /// The limits that hold together.
    #[schemars(length(min = 1))]
    pub limits: Vec<LimitRow>,
    /// Metric in which the capacity is counted.
    pub throughput: String,
    /// Unit of the capacity, such as `req/s`.
    pub unit: &'static str,
    /// The baseline's; null where no run has the throughput and all limited metrics.
    pub baseline: Option<CapacitySide>,
    /// The candidate's.
    pub candidate: Option<CapacitySide>,
    /// Change of the throughput, a fraction of the baseline's; a bound where one of the two is. Null where neither is
    /// known, or both are bounds of the same kind.
    pub relative: Option<f64>,
    /// The ends of its interval, corrected for the capacities of other sweeps; null for an end that the measured loads do not
    /// bound, or without noise.
    pub relative_ci_adjusted: [Option<f64>; 2],
    /// The interval that shows the change to be within the margin (two one-sided tests, uncorrected). Reports show it
    /// instead of the other interval beside the verdict `no_change`.
    pub relative_ci_equivalence: Option<[f64; 2]>,
    /// Confidence of that interval, a fraction.
    #[schemars(range(min = 0, max = 1))]
    pub equivalence_confidence: f64,
    /// Two-sided p-value of no change, unadjusted.
    pub p_value: Option<f64>,
    /// The same by Holm over the sweeps of the report.
    pub p_adjusted: Option<f64>,
    /// The largest change that does not matter, a fraction: that of the throughput.
    #[schemars(range(min = 0))]
    pub margin: f64,
    /// How much worse the gate lets it be, a fraction, if it guards.
    #[schemars(range(min = 0))]
    pub tolerance: f64,
    /// Whether the gate guards it.
    pub guard: bool,
    /// Verdict on the change of the capacity.
    pub verdict: Verdict,
    /// Why it was not judged; empty where it was.
    pub reason: String,
    /// Loads that are left out, since a variant lacks the throughput or a limited metric there.
    pub left_out: Vec<LeftOutLoad>,
    /// Limits that are shown to be broken at a load below the one of the capacity.
    pub broken: Vec<BrokenRow>,
    /// Loads at which the baseline's mean holds a limit that the candidate is shown to break.
    pub newly_broken: Vec<f64>,
    /// Loads to measure next, because the curves change much between the two loads that determine a capacity.
    pub measure_next: Vec<f64>,
    /// Sentences beside the first line, without a full stop.
    pub remarks: Vec<String>,
    /// All of it in a sentence.
    pub statement: String,
    /// Nominal coverage of the interval; also in the settings.
    #[serde(skip)]
    pub(crate) confidence: f64,
}

/// A limit of a service level objective.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct LimitRow {
    /// Canonical name of the metric.
    pub metric: String,
    /// Its name in sentences.
    pub label: String,
    /// Unit of the limit.
    pub unit: &'static str,
    /// Comparison of a value with the limit: `<`, `<=`, `>` or `>=`.
    #[schemars(extend("enum" = ["<", "<=", ">", ">="]))]
    pub sign: &'static str,
    /// Value of the limit, in `unit`.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub value: f64,
}

/// The capacity of a variant.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct CapacitySide {
    /// The load at which throughput is highest while all limits hold, or the bound on it.
    pub load: f64,
    /// The throughput there.
    pub throughput: f64,
    /// Whether both are measured, or bounds at an end of the measured loads.
    #[serde(with = "ReachedWord")]
    pub reached: Reached,
    /// Metric whose limit comes nearest to being broken there.
    pub binding: String,
    /// The measured loads between which it lies; equal at a measured load.
    pub between: [f64; 2],
    /// The load up to which all limits hold from there on.
    pub holds_up_to: f64,
}

/// A load that is left out of a capacity.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct LeftOutLoad {
    /// The load; null where it has no limit.
    pub load: Option<f64>,
    /// Why this load is left out, in words.
    pub why: String,
}

/// A limit that is shown to be broken at a load below the one of the capacity.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct BrokenRow {
    /// Whether the candidate breaks it; else the baseline.
    pub candidate: bool,
    /// The load at which the limit is broken, in the unit of the sweep.
    pub load: f64,
    /// Whether it is the lowest load.
    pub lowest: bool,
    /// Metric of the limit.
    pub metric: String,
    /// The baseline's mean at that load, in the unit of the limit.
    pub baseline: f64,
    /// The mean of the variant that breaks it.
    pub value: f64,
    /// The next load at which its mean holds the limit again.
    pub holds_from: Option<f64>,
}

/// A limit at a single load.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct SloRow {
    /// The limit that this load is judged by.
    pub limit: LimitRow,
    /// How the baseline meets it; null where it was not measured.
    pub baseline: Option<SloSide>,
    /// How the candidate meets it.
    pub candidate: Option<SloSide>,
    /// One-sided p-value that the candidate does not break it, by Holm over the limits; null without noise.
    pub broken_p: Option<f64>,
    /// Whether the baseline's mean meets it and the candidate is shown to break it, at 2.5 %.
    pub newly_broken: bool,
}

/// How a variant meets a limit.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct SloSide {
    /// Mean over the runs, in the unit of the limit.
    pub estimate: f64,
    /// The interval of that mean, by Student's t on the logarithmic scale; null without noise.
    pub interval: Option<[f64; 2]>,
    /// Runs that meet the limit.
    pub met: usize,
    /// Runs at this load, met or not.
    pub runs: usize,
}

/// The place of a capacity among the loads.
#[derive(Serialize, JsonSchema)]
#[serde(remote = "Reached", rename_all = "snake_case")]
#[schemars(rename = "Reached")]
enum ReachedWord {
    /// At a measured load or between two of them.
    Inside,
    /// A bound: all limits hold at the largest load.
    AtLeast,
    /// A bound: a limit is broken at the smallest load.
    AtMost,
}
