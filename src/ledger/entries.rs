//! The entries of the file of a ledger: its terms, and every measurement as it begins and ends.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::journal::ResultFile;
use crate::ledger::track::Tracked;
use crate::verdict::Decision;

/// Name of the file in its folder.
pub const FILE_NAME: &str = "beyondnoise-loop.ndjson";

/// Version of its format.
pub const VERSION: u32 = 1;

/// A line of the file: an event, after the hash of the line before.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Line {
    /// Empty in the first line.
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
    /// A measurement begins; of a confirmation the level is spent.
    Began(Box<Measurement>),
    /// A measurement has its result. One of results that were handed in begins and ends at once.
    Measured(Box<Measurement>),
}

/// The terms of a loop, decided before the first try.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Terms {
    /// Version of the format: [`VERSION`].
    pub ledger: u32,
    /// Version of the program.
    pub program: String,
    /// The words of the command line after the name of the program.
    pub args: Vec<String>,
    /// The folder in which it was called.
    pub folder: PathBuf,
    /// Name of the first base.
    pub base: String,
    /// The command of the first base, if it has one of its own.
    pub command: Option<String>,
    /// Most runs of each build in a measurement, at least 2.
    pub runs: usize,
    /// Confidence of the whole loop, in (0, 1).
    pub confidence: f64,
    /// Paths to watch; `{variant}` stands for the name of a build.
    pub track: Vec<String>,
    /// Those that all builds share, and the policy file.
    pub shared: Vec<Tracked>,
    /// Those of the first base.
    pub files: Vec<Tracked>,
}

/// Purpose of a measurement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Stage {
    /// Is the try worth a confirmation?
    Screen,
    /// Is it kept?
    Confirm,
    /// How large is the gain of the loop: the first base against the last?
    Final,
}

/// A measurement of a build against another.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Measurement {
    /// Name of the candidate.
    pub name: String,
    /// Its purpose.
    pub stage: Stage,
    /// Name of the baseline.
    pub base: String,
    /// The command of the candidate, if it has one of its own.
    pub command: Option<String>,
    /// Level of a confirmation, in (0, 1): its confidence is 1 less this.
    pub level: Option<f64>,
    /// The tracked files of the candidate.
    pub files: Vec<Tracked>,
    /// Its result; `None` while it goes on.
    pub result: Option<MeasurementResult>,
}

/// The result of a measurement.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MeasurementResult {
    /// The decision at its level.
    pub decision: Decision,
    /// Why.
    pub reason: String,
    /// Runs of the baseline and of the candidate that count, added up over workloads.
    pub runs: [usize; 2],
    /// Changes of the deciding metrics.
    pub changes: Vec<Change>,
    /// Files that were handed in; empty where the program made the runs.
    pub handed: Vec<ResultFile>,
}

/// The change of a deciding metric.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Change {
    /// Its name.
    pub metric: String,
    /// Its name in sentences.
    pub label: String,
    /// The relative change, a fraction of the baseline; null where it is not defined.
    pub relative: Option<f64>,
    /// Its interval at the confidence of the measurement, adjusted for the other deciding metrics; null without one.
    pub interval: Option<[f64; 2]>,
}
