//! The result of a study as the JSON document `beyondnoise-calibrate/1`, and as blocks for people.
//!
//! Rates, changes and confidences are fractions; values are unrounded.

use beyondnoise::report::VERSION_PATTERN;
use beyondnoise::report::calibrate::{SCHEMA, Settings};
use beyondnoise::report::document::{Block, Document, Role, Text, Tone};
use beyondnoise_model::format::counted;
use schemars::JsonSchema;
use serde::Serialize;

use crate::bands::{Check, Violation};
use crate::borrowed::{BorrowedRow, BorrowedSettings};
use crate::figures::FigureRow;
use crate::looks::LookRow;
use crate::places::{TRUE_DF, TYPICAL_CV};
use crate::shapes::ShapeRow;
use crate::study::{Study, StudySettings};
use crate::warnings::{WarningRow, WarningSettings};
use crate::words::{Parts, plural, rate};
use crate::{
    atlas, batches, borrowed_document, capacity, figures, histories, lists, looks_document,
    patches, single, study_document, sweeps, warnings_document,
};

/// The result of a study.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Report {
    /// Identifier of this document; the first key.
    #[schemars(extend("const" = SCHEMA))]
    pub schema: &'static str,
    /// Version of the program that wrote it.
    #[schemars(regex(pattern = VERSION_PATTERN))]
    pub version: &'static str,
    /// `simulated`, `borrowed`, `warnings`, `sweeps`, `capacity`, `batches`, `lists`, `single`, `loop`, `history`, `atlas` or
    /// `looks`.
    #[schemars(extend("enum" = [
        "simulated", "borrowed", "warnings", "sweeps", "capacity", "batches", "lists", "single", "loop", "history", "atlas",
        "looks",
    ]))]
    pub kind: &'static str,
    /// How it was measured.
    pub settings: Settings,
    /// The figures.
    #[serde(flatten)]
    pub results: Results,
    /// The figures held against their bands; null where that was not asked.
    pub check: Option<Check>,
}

/// The figures.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum Results {
    /// Of [`simulate`](crate::simulate).
    Simulated {
        /// The shapes of noise.
        shapes: Vec<ShapeRow>,
        /// The cells.
        #[serde(flatten)]
        study: Study,
    },
    /// Of [`simulate_borrowed`](crate::simulate_borrowed).
    Borrowed {
        /// Noise that the true ones scatter about.
        #[schemars(extend("exclusiveMinimum" = 0))]
        typical_cv: f64,
        /// Degrees of freedom of the law of the true variances.
        #[schemars(range(min = 1))]
        true_df: u32,
        /// A row for each number of runs, degrees of freedom and true change.
        rows: Vec<BorrowedRow>,
    },
    /// Of [`simulate_warnings`](crate::simulate_warnings).
    Warnings {
        /// A row for each check and kind of runs.
        warnings: Vec<WarningRow>,
    },
    /// Of [`simulate_sweeps`](crate::simulate_sweeps), [`simulate_capacity`](crate::simulate_capacity),
    /// [`simulate_batches`](crate::simulate_batches), [`simulate_lists`](crate::simulate_lists),
    /// [`simulate_single`](crate::simulate_single), [`simulate_patches`](crate::simulate_patches) and
    /// [`simulate_histories`](crate::simulate_histories).
    Figures {
        /// The rows.
        figures: Vec<FigureRow>,
    },
    /// Of [`simulate_looks`](crate::simulate_looks).
    Looks {
        /// The rows: noise by noise, true change by true change, the three designs of each.
        looks: Vec<LookRow>,
    },
}

/// The settings and results of a study, and whether every rate keeps its band.
pub fn study_report(settings: &StudySettings, study: Study, check: Option<Check>) -> Report {
    let StudySettings { confidence, repetitions, resamples, seed, .. } = *settings;
    let effects = settings.effects.clone();
    let shown = Settings { confidence, repetitions, resamples, seed, effects };
    let shapes = settings.shapes.iter().map(|shape| ShapeRow::from_shape(shape)).collect();
    report("simulated", shown, Results::Simulated { shapes, study }, check)
}

/// The report of a simulation with noise priors.
pub fn borrowed_report(
    settings: &BorrowedSettings,
    rows: Vec<BorrowedRow>,
    check: Option<Check>,
) -> Report {
    let BorrowedSettings { confidence, repetitions, resamples, seed, .. } = *settings;
    let effects = settings.effects.clone();
    let shown = Settings { confidence, repetitions, resamples, seed, effects };
    let results = Results::Borrowed { typical_cv: TYPICAL_CV, true_df: TRUE_DF, rows };
    report("borrowed", shown, results, check)
}

/// The report of a simulation of the checks, whose intervals had this confidence and so many resamples.
pub fn warnings_report(
    settings: &WarningSettings,
    (confidence, resamples): (f64, usize),
    warnings: Vec<WarningRow>,
    check: Option<Check>,
) -> Report {
    let WarningSettings { repetitions, seed, .. } = *settings;
    let shown = Settings { confidence, repetitions, resamples, seed, effects: Vec::new() };
    report("warnings", shown, Results::Warnings { warnings }, check)
}

/// The report of figures that each have a band: of `sweeps`, `capacity`, `batches`, `lists`, `single`, `loop`,
/// `history` or `atlas`.
pub fn figures_report(
    kind: &'static str,
    settings: Settings,
    figures: Vec<FigureRow>,
    check: Option<Check>,
) -> Report {
    report(kind, settings, Results::Figures { figures }, check)
}

/// The report of planned looks.
pub fn looks_report(settings: Settings, looks: Vec<LookRow>, check: Option<Check>) -> Report {
    report("looks", settings, Results::Looks { looks }, check)
}

fn report(
    kind: &'static str,
    settings: Settings,
    results: Results,
    check: Option<Check>,
) -> Report {
    let version = beyondnoise::report::calibrate::VERSION;
    Report { schema: SCHEMA, version, kind, settings, results, check }
}

impl From<&Report> for Document<'_> {
    fn from(report: &Report) -> Self {
        let settings = &report.settings;
        let Parts { title, mut blocks } = match &report.results {
            Results::Simulated { shapes, study } => study_document::parts(settings, shapes, study),
            Results::Borrowed { rows, .. } => borrowed_document::parts(settings, rows),
            Results::Warnings { warnings } => warnings_document::parts(settings, warnings),
            Results::Figures { figures } => {
                let (title, lead) = match report.kind {
                    "batches" => (batches::TITLE, batches::LEAD),
                    "lists" => (lists::TITLE, lists::LEAD),
                    "single" => (single::TITLE, single::LEAD),
                    "loop" => (patches::TITLE, patches::LEAD),
                    "capacity" => (capacity::TITLE, capacity::LEAD),
                    "history" => (histories::TITLE, histories::LEAD),
                    "atlas" => (atlas::TITLE, atlas::LEAD),
                    _ => (sweeps::TITLE, sweeps::LEAD),
                };
                let unit = if report.kind == "history" { "nights" } else { "runs" };
                figures::parts(title, lead, settings, (unit, figures))
            }
            Results::Looks { looks } => looks_document::parts(settings, looks),
        };
        if let Some(check) = &report.check {
            // Before the tables, which are long.
            let place = blocks.iter().position(|block| !matches!(block, Block::Text(..)));
            let place = place.unwrap_or(blocks.len());
            blocks.splice(place..place, outside_bands(check));
        }
        Self {
            program: "beyondnoise",
            marker: None,
            tone: Tone::Calm,
            title: Text::from(title),
            quiet: Vec::new(),
            blocks,
        }
    }
}

fn outside_bands(check: &Check) -> Vec<Block<'static>> {
    let all = counted(check.checked, "figure");
    if check.violations.is_empty() {
        return vec![Block::text(Role::Lead, format!("Check: {all}, none outside its band."))];
    }
    let outside = plural(check.violations.len(), "is", "are");
    let head = format!("Check: of {all} {outside} outside the band:");
    let each = check.violations.iter().map(|one| Block::text(Role::Item, violation(one)));
    std::iter::once(Block::text(Role::Lead, head)).chain(each).collect()
}

fn violation(violation: &Violation) -> String {
    let Violation { cell, figure, found, low, high, allowance } = violation;
    let found = found.map_or_else(|| "none".to_owned(), rate);
    let band = if *low > 0.0 {
        format!("{} to {}", rate(*low), rate(*high))
    } else {
        format!("at most {}", rate(*high))
    };
    format!("{cell}: {figure} {found}, expected {band} (± {} of simulation)", rate(*allowance))
}
