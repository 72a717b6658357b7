//! The entries of a ledger file: its terms, and the beginning and end of every measurement.

use std::path::PathBuf;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::journal::ResultFile;
use crate::ledger::track::Tracked;
use crate::verdict::Decision;

/// Name of the file in its folder.
pub const FILE_NAME: &str = "beyondnoise-loop.ndjson";

/// Version of its format.
pub const VERSION: u32 = 1;

/// A line of the file: an event with the hash of the previous line.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Line {
    /// Hash of the previous line; empty in the first line.
    pub(super) before: String,
    #[serde(flatten)]
    pub(super) entry: Entry,
}

/// An event.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum Entry {
    /// The terms of all tries.
    Init(Box<Terms>),
    /// A measurement begins; a confirmation spends its level.
    Began(Box<Measurement>),
    /// A measurement has its result. For results from files, the measurement begins and ends at once.
    Measured(Box<Measurement>),
}

/// The terms of a loop, decided before the first try.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Terms {
    /// Version of the format: [`VERSION`].
    pub ledger: u32,
    /// Version of the program.
    pub program: String,
    /// The arguments on the command line.
    pub args: Vec<String>,
    /// The working folder of the call.
    pub folder: PathBuf,
    /// Name of the first base.
    pub base: String,
    /// The command of the first base, if it has its own.
    pub command: Option<String>,
    /// Most runs of each build in a measurement, at least 2.
    pub runs: usize,
    /// Confidence of the whole loop, in (0, 1).
    pub confidence: f64,
    /// Paths to watch; `{variant}` is replaced by the name of a build.
    pub track: Vec<String>,
    /// The watched paths that all builds share, and the policy file.
    pub shared: Vec<Tracked>,
    /// The watched paths of the first base.
    pub files: Vec<Tracked>,
}

/// The question that a measurement answers.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema, Deserialize,
)]
#[serde(rename_all = "snake_case")]
pub enum Stage {
    /// Is the try worth a confirmation?
    Screen,
    /// Should the try be kept?
    Confirm,
    /// How large is the gain from the first base to the last?
    Final,
}

/// A measurement of a build against another.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Measurement {
    /// Name of the candidate.
    pub name: String,
    /// Its question.
    pub stage: Stage,
    /// Name of the baseline.
    pub base: String,
    /// The command of the candidate, if it has its own.
    pub command: Option<String>,
    /// Level of a confirmation, in (0, 1): one minus its confidence.
    pub level: Option<f64>,
    /// The tracked files of the candidate.
    pub files: Vec<Tracked>,
    /// Its result; `None` until it ends.
    pub result: Option<MeasurementResult>,
}

/// The decision of a measurement, and the runs behind it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MeasurementResult {
    /// The decision at its level.
    pub decision: Decision,
    /// The reason for the decision.
    pub reason: String,
    /// Counted runs of the baseline and of the candidate, summed over workloads.
    pub runs: [usize; 2],
    /// Changes of the deciding metrics.
    pub changes: Vec<Change>,
    /// Files with given results; empty if the program made the runs.
    pub handed: Vec<ResultFile>,
}

/// The change of a deciding metric.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema, Deserialize)]
pub struct Change {
    /// Canonical name.
    pub metric: String,
    /// Name in sentences.
    pub label: String,
    /// Relative change, a fraction of the baseline; null where it is not defined.
    pub relative: Option<f64>,
    /// Its interval at the confidence of the measurement, adjusted for the other deciding metrics; null without one.
    pub interval: Option<[f64; 2]>,
}
