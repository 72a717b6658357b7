//! The reports for people and programs. Nothing here decides.
//!
//! Each subject has a folder: `rows.rs` has the structs behind the JSON documents, `words.rs` the sentences, and `page.rs` the
//! blocks in reading order. [`document`] has the parts of every page; `render` writes them in each format.

pub mod atlas;
pub mod batch;
pub mod calibrate;
pub(crate) mod capacity;
pub(crate) mod comparison;
pub mod document;
pub mod history;
mod inputs;
pub mod ledger;
mod made;
pub(crate) mod method;
pub mod noise;
mod page;
pub mod plan;
mod settings;
pub(crate) mod shared;
pub(crate) mod sweep;

use schemars::JsonSchema;
use serde::Serialize;

use crate::runs::{Input, ReadAs, Workload};
use crate::verdict::{Decision, Gate};

pub use atlas::{
    AtlasMetric, AtlasReport, AtlasRow, ChangeLevel, CvLevel, GradeCounts, GradesRow, OwnNoise,
    PublishedRow, Question,
};
pub use batch::{BatchCounts, BatchRow};
pub use capacity::{BrokenRow, CapacityRow, CapacitySide, LeftOutLoad, LimitRow, SloRow, SloSide};
pub use comparison::title;
pub use comparison::{
    Alone, Among, Check, ClaimRow, Comparison, ControlRow, Delta, InSessionsRow, LevelRow,
    LevelsRow, Named, NextCommand, NoiseOrigin, NoiseRow, PerRequest, PriorRow, QuantileChange,
    QuantilesRow, RequestsRow, Row, RunRow, SessionChange, SessionRow, SessionUnit, SessionsRow,
    SideRow, Without, WithoutRow,
};
pub use made::{MadeRow, MadeVariant};
pub use settings::{LookRow, OrderedBy, Settings};
pub use shared::{BeyondRow, DiffersRow, FactorRow, SharedChange, SharedRow, ValueRow};
pub use sweep::{AloneRow, CurveRow, PointRow, SweepRow};

/// Identifier of the JSON document.
pub const SCHEMA: &str = "beyondnoise/1";

/// Pattern of the version of the program, for the schemas.
#[doc(hidden)]
pub const VERSION_PATTERN: &str = r"^[0-9]+\.[0-9]+\.[0-9]+";

/// A whole report.
///
/// The document `beyondnoise/1`. Fields may be added; none is renamed or re-scaled. Every field is always there, null
/// where undefined; NaN and infinity never appear. Relative values are fractions; values are unrounded, in the unit that
/// stands beside them.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(title = "Report of beyondnoise")]
#[non_exhaustive]
pub struct Report {
    /// Identifier of this document; the first key.
    #[schemars(extend("const" = SCHEMA))]
    pub schema: &'static str,
    /// Version of the program that wrote it.
    #[schemars(regex(pattern = VERSION_PATTERN))]
    pub version: &'static str,
    /// The settings in force.
    pub settings: Settings,
    /// The files, with their skipped parts.
    pub inputs: Vec<Input>,
    /// How the tables of no known tool were read, an entry for each way: tables that were read alike share it. Empty
    /// where every input is of a known tool.
    pub read_as: Vec<ReadAs>,
    /// The rules by which runs are repeats, where not obvious, a sentence each: settings that were judged one by one, or
    /// pooled or compared across as the user asks. Empty where there is nothing to say.
    pub repeats: Vec<String>,
    /// The worst gate answer over all comparisons and over runs that were not compared.
    pub gate: Gate,
    /// Why the gate does not simply pass for the whole report: what fails, or what was not compared. Where it passes,
    /// `passes; ` and what is worse all the same; empty where nothing is.
    pub gate_reason: String,
    /// Whether the change may be kept where it must be shown to be better (`--require improved`); of several candidates the
    /// strictest.
    #[schemars(extend("not" = {"const": "stale"}))]
    pub decision: Decision,
    /// Why, for the whole report: each candidate is judged alone, and the strictest answer counts.
    pub decision_reason: String,
    /// One entry per candidate and workload, the worst first.
    pub comparisons: Vec<Comparison>,
    /// The workloads that were measured at several loads, one entry per candidate; empty in a batch.
    pub sweeps: Vec<SweepRow>,
    /// Runs that had nothing to be compared with.
    pub unmatched: Vec<Unmatched>,
    /// Figures over all cells of a batch; null for a plain comparison.
    pub batch: Option<BatchRow>,
    /// How the runs were made; null unless the program made them.
    pub made: Option<MadeRow>,
}

/// Runs that had nothing to be compared with.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct Unmatched {
    /// Name of the variant.
    pub variant: String,
    /// Its runs of this workload that count.
    pub runs: usize,
    /// Its runs of this workload that failed.
    pub failed: usize,
    /// Columns that name the cell of a batch, with their values; empty for a plain comparison.
    pub cell: std::collections::BTreeMap<String, String>,
    /// Settings of the load that the variants share.
    pub workload: Workload,
    /// Why they were not compared.
    #[schemars(length(min = 1))]
    pub why: String,
}

impl Report {
    /// Whether the comparisons are of different pairs of variants.
    pub(crate) fn several_candidates(&self) -> bool {
        let mut pairs = self
            .comparisons
            .iter()
            .map(|comparison| (&comparison.baseline.name, &comparison.candidate.name));
        let first = pairs.next();
        pairs.any(|pair| Some(pair) != first)
    }
}
