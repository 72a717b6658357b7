//! The structs of the JSON document `beyondnoise-loop/1`; its schema is `data/schema/loop.schema.json`.
//!
//! Changes, shares and levels are fractions, unrounded.

use serde::Serialize;

use crate::ledger::State;
use crate::ledger::{Change, Measurement, Stage};
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
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct LedgerReport {
    /// Always [`SCHEMA`].
    pub schema: &'static str,
    /// Version of the program.
    pub version: &'static str,
    /// The decision on the try that was asked about, on the gain of the loop, or on the last try.
    pub decision: Decision,
    /// Why.
    pub decision_reason: String,
    /// The answer in one sentence.
    pub summary: String,
    /// One concrete thing to do.
    pub next_step: String,
    /// The command of that step, with words in capitals to fill in; null where there is nothing to type.
    pub next_command: Option<String>,
    /// The settings of all tries.
    pub settings: LedgerSettings,
    /// The alpha that all tries share.
    pub budget: Budget,
    /// Name of the first base.
    pub first_base: String,
    /// Name of the base: the try that was kept last, or the first base.
    pub base: String,
    /// Number of tries.
    pub all_tries: usize,
    /// Number of those that were kept.
    pub kept: usize,
    /// The tries in order; only the one that was asked about, if there was one.
    pub tries: Vec<TryRow>,
    /// The first base against the present one, by fresh runs; null before `loop final`.
    pub gain: Option<MeasurementRow>,
}

/// The settings of all tries.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct LedgerSettings {
    /// Confidence of the whole loop.
    pub confidence: f64,
    /// Most runs of each build in a measurement.
    pub max_runs: usize,
    /// Name of the rule that shares out alpha.
    pub rule: &'static str,
    /// Share of the remaining alpha that a confirmation takes.
    pub share: f64,
    /// Paths that are watched.
    pub track: Vec<String>,
}

/// The alpha that all tries share.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct Budget {
    /// Part of it that is spent.
    pub spent: f64,
    /// Level of the next confirmation.
    pub next_level: f64,
    /// Confirmations that began.
    pub confirmations: usize,
}

/// A try.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct TryRow {
    /// Its name.
    pub name: String,
    /// Where it stands.
    pub state: State,
    /// Why what was measured is no longer what is there; null where it is, or where nothing depends on it.
    pub stale: Option<String>,
    /// Its measurements.
    pub measurements: Vec<MeasurementRow>,
}

/// A measurement of two builds.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct MeasurementRow {
    /// Its purpose: `screen`, `confirm` or `final`.
    pub stage: Stage,
    /// The baseline.
    pub baseline: String,
    /// The candidate.
    pub candidate: String,
    /// Confidence over all looks.
    pub confidence: f64,
    /// The decision; null while it goes on.
    pub decision: Option<Decision>,
    /// Why.
    pub reason: String,
    /// Runs of the baseline and of the candidate.
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
