//! The JSON document `beyondnoise-calibrate/1`; its schema is `data/schema/calibrate.schema.json`.
//!
//! Rates, changes and confidences are fractions; values are unrounded.

use serde::Serialize;

use crate::calibrate::bands::Check;
use crate::calibrate::borrowed::{BorrowedRow, BorrowedSettings};
use crate::calibrate::places::{TRUE_DF, TYPICAL_CV};
use crate::calibrate::shapes::Shape;
use crate::calibrate::split_half::{OwnRuns, OwnSettings};
use crate::calibrate::study::{Study, StudySettings};
use crate::calibrate::warnings::{WarningRow, WarningSettings};

/// Identifier of the JSON document.
pub const SCHEMA: &str = "beyondnoise-calibrate/1";

/// The result of a calibration.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct CalibrationReport {
    /// Always [`SCHEMA`].
    pub schema: &'static str,
    /// Version of the program.
    pub version: &'static str,
    /// `simulated`, `borrowed`, `warnings` or `own_runs`.
    pub kind: &'static str,
    /// How it was measured.
    pub settings: Settings,
    /// The figures.
    #[serde(flatten)]
    pub results: Results,
    /// The figures held against their bands; null where that was not asked.
    pub check: Option<Check>,
}

/// How it was measured.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct Settings {
    /// Nominal coverage.
    pub confidence: f64,
    /// Comparisons a cell, or splits of a group.
    pub repetitions: u64,
    /// Resamples drawn where there are too many to enumerate.
    pub resamples: usize,
    /// First seed.
    pub seed: u64,
    /// Changes whose power is counted.
    pub effects: Vec<f64>,
}

/// The figures.
#[derive(Clone, Debug, Serialize)]
#[serde(untagged)]
pub enum Results {
    /// Of [`simulate`](crate::calibrate::simulate).
    Simulated {
        /// The shapes of noise.
        shapes: Vec<ShapeRow>,
        /// The cells.
        #[serde(flatten)]
        study: Study,
    },
    /// Of [`simulate_borrowed`](crate::calibrate::simulate_borrowed).
    Borrowed {
        /// Noise that the true ones scatter about.
        typical_cv: f64,
        /// Degrees of freedom of the law of the true variances.
        true_df: u32,
        /// The rows.
        rows: Vec<BorrowedRow>,
    },
    /// Of [`simulate_warnings`](crate::calibrate::simulate_warnings).
    Warnings {
        /// The rows.
        warnings: Vec<WarningRow>,
    },
    /// Of [`own_runs`](crate::calibrate::own_runs).
    OwnRuns(OwnRuns),
}

/// A shape of noise.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct ShapeRow {
    /// Name in tables and on the command line.
    pub shape: &'static str,
    /// The short name on the command line.
    pub key: &'static str,
    /// The situation that it imitates.
    pub description: &'static str,
    /// Whether it is one of the eight that must keep the bands.
    pub reference: bool,
    /// Excess kurtosis; null where it is infinite.
    pub excess_kurtosis: Option<f64>,
    /// Share of the values beyond 3.5 robust deviations.
    pub outliers: f64,
}

/// The document of a study.
pub fn study_document(
    settings: &StudySettings,
    study: Study,
    check: Option<Check>,
) -> CalibrationReport {
    let shown = Settings {
        confidence: settings.confidence,
        repetitions: settings.repetitions,
        resamples: settings.resamples,
        seed: settings.seed,
        effects: settings.effects.clone(),
    };
    let shapes = settings.shapes.iter().map(|shape| ShapeRow::from_shape(shape)).collect();
    document("simulated", shown, Results::Simulated { shapes, study }, check)
}

/// The document of a simulation with noise priors.
pub fn borrowed_document(
    settings: &BorrowedSettings,
    rows: Vec<BorrowedRow>,
    check: Option<Check>,
) -> CalibrationReport {
    let shown = Settings {
        confidence: settings.confidence,
        repetitions: settings.repetitions,
        resamples: settings.resamples,
        seed: settings.seed,
        effects: settings.effects.clone(),
    };
    let results = Results::Borrowed { typical_cv: TYPICAL_CV, true_df: TRUE_DF, rows };
    document("borrowed", shown, results, check)
}

/// The document of a simulation of the checks, whose intervals had this confidence and so many resamples.
pub fn warnings_document(
    settings: &WarningSettings,
    (confidence, resamples): (f64, usize),
    warnings: Vec<WarningRow>,
    check: Option<Check>,
) -> CalibrationReport {
    let shown = Settings {
        confidence,
        repetitions: settings.repetitions,
        resamples,
        seed: settings.seed,
        effects: Vec::new(),
    };
    document("warnings", shown, Results::Warnings { warnings }, check)
}

/// The document of the user's own runs.
pub fn own_runs_document(settings: &OwnSettings, found: OwnRuns) -> CalibrationReport {
    let shown = Settings {
        confidence: settings.confidence,
        repetitions: settings.repetitions,
        resamples: settings.resamples,
        seed: settings.seed,
        effects: settings.effects.clone(),
    };
    document("own_runs", shown, Results::OwnRuns(found), None)
}

fn document(
    kind: &'static str,
    settings: Settings,
    results: Results,
    check: Option<Check>,
) -> CalibrationReport {
    let version = env!("CARGO_PKG_VERSION");
    CalibrationReport { schema: SCHEMA, version, kind, settings, results, check }
}

impl ShapeRow {
    fn from_shape(shape: &Shape) -> Self {
        Self {
            shape: shape.name,
            key: shape.key,
            description: shape.description,
            reference: shape.reference,
            excess_kurtosis: Some(shape.excess_kurtosis).filter(|value| value.is_finite()),
            outliers: shape.outliers,
        }
    }
}
