//! The structs of the JSON document `beyondnoise-loop/1`; its schema is `data/schema/loop.schema.json`.
//!
//! Changes, shares and levels are fractions, unrounded.

use schemars::JsonSchema;
use serde::Serialize;

use crate::ledger::State;
use crate::ledger::{Change, Measurement, Stage};
use crate::report::VERSION_PATTERN;
use crate::verdict::Decision;

/// Identifier of the JSON document.
pub const SCHEMA: &str = "beyondnoise-loop/1";

/// The question that a report answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Question<'a> {
    /// How does the loop stand?
    Status,
    /// Is this try kept?
    Try(&'a str),
    /// How large is the gain of the loop?
    Gain,
}

/// The answer of a ledger.
///
/// The document `beyondnoise-loop/1`. Fields may be added; none is renamed or re-scaled. Every field is always there,
/// null where undefined; NaN and infinity never appear. Changes, shares and levels are fractions, unrounded.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(title = "Ledger of a loop of beyondnoise")]
#[non_exhaustive]
pub struct LedgerReport {
    /// Identifier of this document; the first key.
    #[schemars(extend("const" = SCHEMA))]
    pub schema: &'static str,
    /// Version of the program that wrote it.
    #[schemars(regex(pattern = VERSION_PATTERN))]
    pub version: &'static str,
    /// The decision on the try that was asked about, on the gain of the loop, or on the last try.
    pub decision: Decision,
    /// Reason for the decision, in words.
    pub decision_reason: String,
    /// The answer in one sentence.
    pub summary: String,
    /// Next thing to do, one sentence with a command if there is one.
    pub next_step: String,
    /// The command of that step, with words in capitals to fill in; null where there is nothing to type.
    pub next_command: Option<String>,
    /// The settings of all tries.
    pub settings: LedgerSettings,
    /// The error budget that the confirmations of all tries share.
    pub budget: Budget,
    /// Name of the first base.
    pub first_base: String,
    /// Name of the base: the try that was kept last, or the first base.
    pub base: String,
    /// Number of tries.
    pub all_tries: usize,
    /// Number of tries that were kept.
    pub kept: usize,
    /// The tries in order; only the one that was asked about, if there was one.
    pub tries: Vec<TryRow>,
    /// The first base against the present one, by fresh runs of both; null before `loop final`.
    pub gain: Option<MeasurementRow>,
}

/// The settings of all tries.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct LedgerSettings {
    /// Confidence of the whole loop.
    #[schemars(range(min = 0, max = 1))]
    pub confidence: f64,
    /// Most runs of each build in a measurement.
    #[schemars(range(min = 2))]
    pub max_runs: usize,
    /// Name of the rule that shares out the error budget.
    #[schemars(extend("const" = "e-LORD"))]
    pub rule: &'static str,
    /// Share of the remaining budget that a confirmation takes.
    #[schemars(range(min = 0, max = 1))]
    pub share: f64,
    /// Paths that are watched; `{variant}` stands for the name of a build.
    pub track: Vec<String>,
}

/// The error budget that the confirmations of all tries share.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct Budget {
    /// Part of the error budget that is spent, a fraction.
    #[schemars(range(min = 0, max = 1))]
    pub spent: f64,
    /// Error level of the next confirmation, a fraction.
    #[schemars(range(min = 0, max = 1))]
    pub next_level: f64,
    /// Number of confirmations that have begun.
    pub confirmations: usize,
}

/// One measured attempt to improve the baseline, and its decision.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct TryRow {
    /// Name of the try, as it was typed.
    pub name: String,
    /// State of the try.
    pub state: State,
    /// Why the measured files are out of date. Null if they are unchanged, or if nothing depends on them.
    pub stale: Option<String>,
    /// Its measurements in their order.
    pub measurements: Vec<MeasurementRow>,
}

/// A measurement of two builds by fresh runs of both.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct MeasurementRow {
    /// Its purpose.
    pub stage: Stage,
    /// Name of the build compared against.
    pub baseline: String,
    /// Name of the build under test.
    pub candidate: String,
    /// Confidence over all looks; of a confirmation 1 less its level.
    #[schemars(range(min = 0, max = 1))]
    pub confidence: f64,
    /// The decision at this confidence; null while it goes on.
    pub decision: Option<Decision>,
    /// Reason for the decision, in words.
    pub reason: String,
    /// Runs of the baseline and of the candidate that count.
    pub runs: [usize; 2],
    /// Changes of the deciding metrics.
    pub changes: Vec<Change>,
}

impl MeasurementRow {
    /// The row of a measurement in a loop of this confidence.
    pub(crate) fn new(one: &Measurement, confidence: f64) -> Self {
        let result = one.result.as_ref();
        Self {
            stage: one.stage,
            baseline: one.base.clone(),
            candidate: one.name.clone(),
            confidence: one.level.map_or(confidence, |level| 1.0 - level),
            decision: result.map(|result| result.decision),
            reason: result.map_or_else(String::new, |result| result.reason.clone()),
            runs: result.map_or([0; 2], |result| result.runs),
            changes: result.map_or_else(Vec::new, |result| result.changes.clone()),
        }
    }
}
