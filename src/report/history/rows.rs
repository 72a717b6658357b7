//! The structs of the JSON document `beyondnoise-history/1`; its schema is `data/schema/history.schema.json`.
//!
//! Changes, shares and confidences are fractions; values are in the unit of their metric and unrounded. Nights are positions
//! in `nights`, from 0.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;

use crate::report::VERSION_PATTERN;
use crate::runs::Skipped;
use crate::units::Better;
use crate::verdict::Gate;

/// Identifier of the JSON document.
pub const SCHEMA: &str = "beyondnoise-history/1";

/// The verdict on a history.
///
/// The document `beyondnoise-history/1`. Fields may be added; none is renamed or re-scaled. Every field is always there,
/// null where undefined; NaN and infinity never appear. Changes, shares and confidences are fractions; values are in the
/// unit of their metric and unrounded. Nights are positions in `nights`, from 0.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(title = "Verdict of beyondnoise on a history")]
#[non_exhaustive]
pub struct HistoryReport {
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
    /// How often such a list is wrong, in one sentence.
    pub promise: String,
    /// Whether a gate passes: `fail` for a confirmed change for the worse that is still in force.
    pub gate: Gate,
    /// Why the gate does not pass; empty if it does.
    pub gate_reason: String,
    /// The settings in force.
    pub settings: HistorySettings,
    /// How the order of the nights is known.
    pub order: Order,
    /// The nights, in order.
    pub nights: Vec<Night>,
    /// Number of cells: workloads that were measured.
    pub cells: usize,
    /// A row per metric and cell.
    pub series: Vec<SeriesRow>,
    /// Nights on which several cells changed, the one with most cells first.
    pub events: Vec<EventRow>,
    /// Changes that all cells of a metric share.
    pub pooled: Vec<PooledRow>,
    /// Sentences on how the input was read.
    pub said: Vec<String>,
    /// The skipped parts of the input.
    pub skipped: Vec<Skipped>,
}

/// The settings in force.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct HistorySettings {
    /// Coverage of the intervals of effects.
    pub confidence: f64,
    /// Share of false entries that the list of confirmed changes keeps to.
    pub false_discovery_rate: f64,
    /// First night whose changes are reported; null for all.
    pub since: Option<usize>,
}

/// How the order of the nights is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Order {
    /// By the time of their start.
    Started,
    /// By their names, numbers by size.
    Names,
    /// As the input has them.
    Given,
}

/// A night: a day, a build or a job.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct Night {
    /// Its name, unique in the history.
    pub name: String,
    /// First start of a run as the input writes it; null where it has none.
    pub started: Option<String>,
    /// The build that was measured, if that is another name.
    pub build: Option<String>,
    /// Properties that differ from night to night: image, driver.
    pub properties: BTreeMap<String, String>,
}

/// Which way a change goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Way {
    /// The metric improved.
    Better,
    /// The metric became worse.
    Worse,
    /// The metric changed; its better direction is unknown.
    Changed,
}

/// A metric of a cell over the nights.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct SeriesRow {
    /// The settings in which the cell differs from the others.
    pub cell: String,
    /// Number of the cell, the same for all of its metrics.
    pub cell_number: usize,
    /// Settings of the cell, by column.
    pub settings: BTreeMap<String, String>,
    /// Canonical name of the metric.
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
    /// Largest loss that the gate accepts, a fraction.
    pub tolerance: f64,
    /// Nights on which it was measured, in order.
    pub nights: Vec<usize>,
    /// Median of the runs of each of these nights.
    pub values: Vec<f64>,
    /// Number of runs of each of these nights.
    pub runs: Vec<usize>,
    /// CV of the runs of one night; null where no night has several.
    pub within_night: Option<f64>,
    /// Whether there are enough nights, and they vary.
    pub judged: bool,
    /// Why the series was not judged; empty if it was.
    pub reason: String,
    /// Noise from night to night; null where it was not judged.
    pub noise: Option<CellNoise>,
    /// Step that would be found in four of five such series after 5 more nights; null where it was not judged.
    pub shown_after_5: Option<f64>,
    /// Levels, in order.
    pub levels: Vec<LevelRow>,
    /// Changes of the level since `since`, in order.
    pub changes: Vec<ChangeRow>,
    /// Creeps that end after `since`, in order; each takes the place of its changes.
    pub creeps: Vec<CreepRow>,
    /// Changes of the noise since `since`, in order.
    pub noise_changes: Vec<NoiseChangeRow>,
    /// Nights that were far off and went back.
    pub excursions: Vec<usize>,
    /// The last nights, if they are far off and may be a change.
    pub open: Option<OpenRow>,
    /// Chance that the largest contrast of an unchanged series is as large.
    pub p_value: f64,
    /// The p-value after the correction for all series.
    pub p_adjusted: f64,
    /// The verdict in one sentence.
    pub summary: String,
}

/// Noise from night to night.
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct CellNoise {
    /// Standard deviation of one night: a fraction of the level, or in the unit where a value is 0 or below.
    pub sd: f64,
    /// Whether the noise is a fraction of the level; else it is in the unit of the metric.
    pub relative: bool,
    /// Share of a night's deviation that the next night keeps.
    pub memory: f64,
}

/// A level of a series.
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct LevelRow {
    /// First and last night of the level.
    pub nights: [usize; 2],
    /// Value of the level, in the unit of the metric.
    pub level: f64,
    /// Two standard deviations of a night below and above it.
    pub band: [f64; 2],
}

/// A change of the level.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct ChangeRow {
    /// First night of the new level.
    pub night: usize,
    /// First and last night that may be it.
    pub between: [usize; 2],
    /// Last night of the old level, measured before `between`.
    pub after: Option<usize>,
    /// New level over the old one, less 1; null where a value is 0 or below.
    pub relative: Option<f64>,
    /// Its interval.
    pub relative_ci: Option<[f64; 2]>,
    /// New level less the old one, in the unit of the metric; null where several series share the change.
    pub absolute: Option<f64>,
    /// Contrast between both sides in standard errors.
    pub z: f64,
    /// Whether unchanged series hardly ever reach this contrast (6).
    pub sure: bool,
    /// Direction of the change: better, worse, or unknown.
    pub way: Way,
    /// Whether it passes the false discovery rate of the settings, alone or with others of its night.
    pub confirmed: bool,
    /// Position of the event that it is part of; null for a change alone.
    pub event: Option<usize>,
    /// Position of the creep that it is part of.
    pub creep: Option<usize>,
    /// Whether later changes have not undone it.
    pub in_force: bool,
    /// The level of today over the level before; null where a value is 0 or below.
    pub remaining: Option<f64>,
    /// Nights of the stretches below.
    pub stretch: usize,
    /// Stretches of so many nights outside the new level.
    pub stretches: usize,
    /// Those that were as far from their own level.
    pub as_far: usize,
    /// Builds and properties that changed with it.
    pub with: Vec<String>,
    /// The change in words.
    pub sentence: String,
}

/// A level that moved over many nights.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct CreepRow {
    /// First and last night of the slope.
    pub nights: [usize; 2],
    /// New level over the old one, less 1; null where a value is 0 or below.
    pub relative: Option<f64>,
    /// Its interval.
    pub relative_ci: Option<[f64; 2]>,
    /// Direction of the change: better, worse, or unknown.
    pub way: Way,
    /// Whether it passes the false discovery rate of the list.
    pub confirmed: bool,
    /// Whether later changes have not undone it.
    pub in_force: bool,
    /// The creep in words.
    pub sentence: String,
}

/// A night from which a metric is noisier or quieter than before.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct NoiseChangeRow {
    /// First night of the new noise.
    pub night: usize,
    /// First and last night that may be it.
    pub between: [usize; 2],
    /// New noise over the old one.
    pub ratio: f64,
    /// Its 95 % interval.
    pub ratio_ci: [f64; 2],
    /// The change in words.
    pub sentence: String,
}

/// Last nights that may be a spike or a change.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct OpenRow {
    /// Number of last nights that are far off.
    pub nights: usize,
    /// The last night over the level, less 1; null where a value is 0 or below.
    pub relative: Option<f64>,
    /// Its distance in standard deviations of a night.
    pub distance: f64,
    /// Direction of the change: better, worse, or unknown.
    pub way: Way,
    /// Number of further nights until it is decided.
    pub needed: usize,
    /// The question in words.
    pub sentence: String,
}

/// A night on which several cells changed.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct EventRow {
    /// The night that most cells share.
    pub night: usize,
    /// Number of cells that changed on this night.
    pub cells: usize,
    /// Number of their series that became worse.
    pub worse: usize,
    /// Number of their series that improved.
    pub better: usize,
    /// Positions of these series.
    pub series: Vec<usize>,
    /// Builds and properties that changed with it.
    pub with: Vec<String>,
    /// The event in words.
    pub sentence: String,
}

/// One series of all cells of a metric.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct PooledRow {
    /// Canonical name of the metric.
    pub metric: String,
    /// Name in sentences.
    pub label: String,
    /// Number of cells behind it.
    pub cells: usize,
    /// Changes that the cells share; effects are medians over the cells.
    pub changes: Vec<ChangeRow>,
}

impl SeriesRow {
    /// Whether it has news: a change, a creep, a change of the noise, open nights.
    pub fn has_news(&self) -> bool {
        !(self.changes.is_empty() && self.creeps.is_empty() && self.noise_changes.is_empty())
            || self.open.is_some()
    }
}
