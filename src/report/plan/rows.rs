//! The structs of the JSON document `beyondnoise-plan/1`; its schema is `data/schema/plan.schema.json`.
//!
//! Changes, powers and confidences are fractions; values are unrounded.

use schemars::JsonSchema;
use serde::Serialize;

use crate::report::VERSION_PATTERN;
use crate::report::plan::Cost;
use crate::runs::{Skipped, Workload};

/// Identifier of the JSON document.
pub const SCHEMA: &str = "beyondnoise-plan/1";

/// All that was planned.
///
/// The document `beyondnoise-plan/1`. Fields may be added; none is renamed or re-scaled. Every field is always there,
/// null where undefined; NaN and infinity never appear. Changes, powers, confidences and CVs are fractions; runs are of
/// each variant; values are unrounded.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(title = "Plan of beyondnoise")]
#[non_exhaustive]
pub struct PlanReport {
    /// Identifier of this document; the first key.
    #[schemars(extend("const" = SCHEMA))]
    pub schema: &'static str,
    /// Version of the program that wrote it.
    #[schemars(regex(pattern = VERSION_PATTERN))]
    pub version: &'static str,
    /// Which changes to find, how surely, and at what cost.
    pub settings: Request,
    /// A plan per workload; one where the noise was given.
    #[schemars(length(min = 1))]
    pub plans: Vec<Plan>,
    /// The skipped parts of the input.
    pub skipped: Vec<Skipped>,
}

/// Which changes to find, how surely, and at what cost.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[schemars(rename = "Settings")]
pub struct Request {
    /// Changes to find, as fractions above 0; may be empty if `runs` is given.
    #[serde(skip)]
    pub effects: Vec<f64>,
    /// Probability with which a change is to be found.
    #[schemars(extend("exclusiveMinimum" = 0, "exclusiveMaximum" = 1))]
    pub power: f64,
    /// Confidence of all looks together.
    #[schemars(extend("exclusiveMinimum" = 0, "exclusiveMaximum" = 1))]
    pub confidence: f64,
    /// Degrees of freedom of borrowed noise.
    #[schemars(range(min = 0))]
    pub prior_df: f64,
    /// Planned looks.
    #[schemars(range(min = 1, max = 10))]
    pub looks: usize,
    /// Runs of each variant where these were given.
    #[schemars(range(min = 1))]
    pub runs: Option<usize>,
    /// Cost of one run; null where none was given.
    pub cost: Option<Cost>,
}

impl Default for Request {
    fn default() -> Self {
        let (effects, runs, cost) = Default::default();
        Self { effects, power: 0.8, confidence: 0.95, prior_df: 0.0, looks: 1, runs, cost }
    }
}

/// The plan for one workload.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct Plan {
    /// The workload; null where the noise was given.
    pub workload: Option<Workload>,
    /// Labels of single runs that were taken as repeats of one build; empty where they share one.
    pub pooled: Vec<String>,
    /// Runs of each variant: given, or needed for the smallest of the changes in every metric; with several looks a
    /// multiple of their number. Null beyond 100,000.
    #[schemars(range(min = 1))]
    pub runs: Option<usize>,
    /// Cost of all runs of both variants; null where none was given.
    pub cost: Option<Cost>,
    /// Order of the runs, A the baseline and B the candidate, written out up to 100 of each. Null beyond: repeat
    /// `pattern`.
    #[schemars(regex(pattern = r"^[AB]( [AB])*$"))]
    pub order: Option<String>,
    /// The pattern that `order` repeats.
    pub pattern: &'static str,
    /// Metrics that share alpha.
    #[schemars(range(min = 1))]
    pub tested: usize,
    /// Two-sided level at which a metric is tested: that of the last look over `tested`.
    #[schemars(extend("exclusiveMinimum" = 0, "exclusiveMaximum" = 1))]
    pub level: f64,
    /// Changes to find, the smallest first.
    pub effects: Vec<Effect>,
    /// The looks, where several are planned and `runs` is known.
    pub looks: Vec<PlannedLook>,
    /// Each metric for itself.
    #[schemars(length(min = 1))]
    pub metrics: Vec<Planned>,
    /// The cost of some usual numbers of runs.
    pub sizes: Vec<Size>,
}

/// A change to find, in every metric of a plan.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct Effect {
    /// The change, a fraction of the baseline.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub effect: f64,
    /// Runs of each variant; null beyond 100,000.
    #[schemars(range(min = 1))]
    pub runs: Option<usize>,
    /// Cost of all runs of both variants; null where none was given.
    pub cost: Option<Cost>,
}

/// A point at which the runs so far may be judged, and its level.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct PlannedLook {
    /// Number of the look, from 1.
    #[schemars(range(min = 1))]
    pub look: usize,
    /// Runs of each variant made by then.
    #[schemars(range(min = 1))]
    pub runs: usize,
    /// Part of all runs.
    #[schemars(range(max = 1), extend("exclusiveMinimum" = 0))]
    pub fraction: f64,
    /// The z beyond which a change is called.
    pub boundary: f64,
    /// Two-sided level of this look alone.
    #[schemars(extend("exclusiveMinimum" = 0, "exclusiveMaximum" = 1))]
    pub level: f64,
    /// Confidence of the intervals at this look.
    #[schemars(range(max = 1), extend("exclusiveMinimum" = 0))]
    pub confidence: f64,
    /// Alpha spent so far.
    #[schemars(extend("exclusiveMinimum" = 0, "exclusiveMaximum" = 1))]
    pub spent: f64,
    /// Cost of the runs made by then; null where none was given.
    pub cost: Option<Cost>,
}

/// One metric of a plan.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct Planned {
    /// The noise that the runs are planned with.
    #[serde(flatten)]
    pub noise: Noise,
    /// Smallest change found with the runs of the plan; null where these are.
    pub smallest: Option<f64>,
    /// The runs that each change needs, the smallest change first.
    pub effects: Vec<Needed>,
    /// The changes that some usual numbers of runs find.
    pub detectable: Vec<Detectable>,
    /// The noise that the runs behind it do not rule out; null where it was given.
    pub upper: Option<Upper>,
}

/// The runs that a change needs in one metric.
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct Needed {
    /// The change, a fraction of the baseline.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub effect: f64,
    /// Runs of each variant that this metric takes by itself; null beyond 100,000.
    #[schemars(range(min = 1))]
    pub runs: Option<usize>,
    /// Probability of finding the change with the runs that the plan has for it.
    #[schemars(range(min = 0, max = 1))]
    pub power: Option<f64>,
}

/// The smallest change that a number of runs finds.
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct Detectable {
    /// Runs of each variant.
    #[schemars(range(min = 1))]
    pub runs: usize,
    /// The change, a fraction of the baseline; null where it is beyond all reason.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub effect: Option<f64>,
}

/// The upper end of a noise estimate, and what it would take.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct Upper {
    /// Upper end of the interval of the CV, a fraction.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub cv: f64,
    /// Two-sided confidence of that interval.
    #[schemars(extend("exclusiveMinimum" = 0, "exclusiveMaximum" = 1))]
    pub confidence: f64,
    /// Smallest change found with the runs of the plan, were the noise as high.
    pub smallest: Option<f64>,
    /// Runs of each variant for each change, the smallest first; null beyond 100,000.
    #[schemars(inner(range(min = 1)))]
    pub runs: Vec<Option<usize>>,
}

/// A number of runs and its cost.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct Size {
    /// Runs of each variant.
    #[schemars(range(min = 1))]
    pub runs: usize,
    /// Cost of all runs of both variants; null where none was given.
    pub cost: Option<Cost>,
}

/// Run-to-run noise of a metric.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Noise {
    /// Canonical name; null where the noise was given without one.
    pub metric: Option<String>,
    /// Name in sentences.
    pub label: Option<String>,
    /// Name of its row in tables; holds the unit.
    #[serde(skip)]
    pub row_label: String,
    /// Standard deviation of the logarithms between runs of one variant, read as a CV; a fraction above 0.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub cv: f64,
    /// Degrees of freedom behind it; null where it was given.
    #[schemars(range(min = 1))]
    pub df: Option<usize>,
    /// Runs behind it; null where it was given.
    #[schemars(range(min = 1))]
    pub runs: Option<usize>,
}
