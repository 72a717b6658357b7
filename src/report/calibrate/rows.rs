//! The JSON document `beyondnoise-calibrate/1`; its schema is `data/schema/calibrate.schema.json`.
//!
//! Rates, changes and confidences are fractions; values are unrounded.

use schemars::JsonSchema;
use serde::Serialize;

use crate::calibrate::{OwnRuns, OwnSettings};
use crate::report::VERSION_PATTERN;

/// Identifier of the JSON document.
pub const SCHEMA: &str = "beyondnoise-calibrate/1";

/// Version of the program.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");

/// The error rates on the user's own runs.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct CalibrationReport {
    /// Identifier of this document; the first key.
    #[schemars(extend("const" = SCHEMA))]
    pub schema: &'static str,
    /// Version of the program that wrote it.
    #[schemars(regex(pattern = VERSION_PATTERN))]
    pub version: &'static str,
    /// Always `own_runs`.
    #[schemars(extend("const" = "own_runs"))]
    pub kind: &'static str,
    /// How it was measured.
    pub settings: Settings,
    /// The figures.
    #[serde(flatten)]
    pub found: OwnRuns,
    /// Always null: only the study on simulated noise has bands.
    pub check: (),
}

/// How it was measured.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Settings {
    /// Nominal coverage.
    #[schemars(extend("exclusiveMinimum" = 0, "exclusiveMaximum" = 1))]
    pub confidence: f64,
    /// Comparisons a cell, or splits of a group.
    #[schemars(range(min = 1))]
    pub repetitions: u64,
    /// Resamples drawn where there are too many to enumerate.
    #[schemars(range(min = 1))]
    pub resamples: usize,
    /// First seed.
    pub seed: u64,
    /// Changes whose detection is counted.
    #[schemars(extend("items" = {"type": "number", "exclusiveMinimum": -1}))]
    pub effects: Vec<f64>,
}

/// The document of the user's own runs.
pub fn own_runs_document(settings: &OwnSettings, found: OwnRuns) -> CalibrationReport {
    let OwnSettings { confidence, repetitions, resamples, seed, .. } = *settings;
    let effects = settings.effects.clone();
    let settings = Settings { confidence, repetitions, resamples, seed, effects };
    let (schema, version, kind) = (SCHEMA, VERSION, "own_runs");
    CalibrationReport { schema, version, kind, settings, found, check: () }
}
