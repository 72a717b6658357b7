//! The report: every number and every sentence of a verdict, ready to be shown.
//!
//! The structs of this file are the JSON document `beyondnoise/1`; `document` puts them in the order in which they are
//! read, and `render` writes that order in each format.

pub(crate) mod adjusted;
pub(crate) mod also_worse;
pub(crate) mod atlas;
mod capacity;
pub(crate) mod claim;
mod command;
pub(crate) mod control;
pub(crate) mod levels;
mod made;
pub(crate) mod method;
pub(crate) mod more_runs;
pub(crate) mod next;
mod requests;
mod row;
pub(crate) mod row_text;
mod settings;
mod shared;
mod sweep;
pub(crate) mod sweep_words;
pub(crate) mod verdicts;
mod without;
pub(crate) mod words;

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde::{Serialize, Serializer};

use crate::checks::{CheckId, Details, Outcome, Severity};
use crate::runs::{LoadShape, ReadAs, Skipped, Source, Workload};
use crate::verdict::{Decision, Gate, Headline};

pub(crate) use also_worse::also_worse;
pub use atlas::{AtlasRow, GradeCounts, GradesRow, PublishedRow};
pub(crate) use atlas::{of_claim, of_so_many};
pub use capacity::{BrokenRow, CapacityRow, CapacitySide, LeftOutLoad, LimitRow, SloRow, SloSide};
pub(crate) use capacity::{
    capacities_title, capacity_loads, capacity_statement, capacity_title, slo_sentence,
};
pub(crate) use claim::{claim, doubt};
pub(crate) use command::Next;
pub use command::NextCommand;
pub use levels::{LevelRow, LevelsRow};
pub use made::{MadeFailure, MadeLook, MadeRow, MadeVariant};
pub(crate) use next::{Flag, Hints, next_step};
pub use requests::{QuantileChange, QuantilesRow, RequestsRow};
pub(crate) use row::WITHOUT;
pub use row::{
    Alone, ControlRow, Delta, NoiseOrigin, NoiseRow, PriorRow, Row, SideRow, Without, WithoutRow,
};
pub use settings::{LookRow, MarginRow, OrderedBy, Settings};
pub use shared::{BeyondRow, DiffersRow, FactorRow, SharedChange, SharedRow, ValueRow};
pub use sweep::{AloneRow, CurveRow, PointRow, SweepRow};
pub(crate) use sweep_words::{statement, sweep_summary};
pub(crate) use without::without;
pub use words::title;
pub(crate) use words::{NO_DIRECTION, single, summary, why_not_judged};

/// Identifier of the JSON document.
pub const SCHEMA: &str = "beyondnoise/1";

/// A whole report.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct Report {
    /// Always [`SCHEMA`].
    pub schema: &'static str,
    /// Version of the program.
    pub version: &'static str,
    /// The settings in force.
    pub settings: Settings,
    /// The files, with what was left out of each.
    pub inputs: Vec<InputRow>,
    /// How the tables of no known tool were read, an entry for each way.
    pub read_as: Vec<ReadAs>,
    /// The rules by which runs are repeats, where not obvious: a sentence each.
    pub repeats: Vec<String>,
    /// The gate's answer for all of it: that of the worst comparison, and of what was not compared.
    pub gate: Gate,
    /// Why it does not simply pass; empty where it does.
    pub gate_reason: String,
    /// Whether the change may be kept where it must be shown to be better (`--require improved`); of several candidates the
    /// strictest.
    pub decision: Decision,
    /// Why.
    pub decision_reason: String,
    /// One entry per candidate and workload, the worst first.
    pub comparisons: Vec<Comparison>,
    /// The workloads that were measured at several loads, one entry per candidate.
    pub sweeps: Vec<SweepRow>,
    /// Runs that had nothing to be compared with.
    pub unmatched: Vec<Unmatched>,
    /// Figures over all cells of a batch; null for a plain comparison.
    pub batch: Option<BatchRow>,
    /// How the runs were made; null unless the program made them.
    pub made: Option<MadeRow>,
}

/// Figures over all cells of a batch.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct BatchRow {
    /// Columns whose values name a cell, in the order in which the user named them.
    pub by: Vec<String>,
    /// Number of cells.
    pub cells: usize,
    /// Number of cells and candidates by what is said of them.
    pub counts: BatchCounts,
    /// How many of those that are not judged there are for each reason.
    pub not_judged: BTreeMap<String, usize>,
    /// Expected share of false alarms among the changes found, at most.
    pub false_discovery_rate: f64,
    /// The flag that makes cells comparable which are not, as a next step.
    #[serde(skip)]
    pub flag: Option<String>,
    /// The answer of published repeats for the cells with one run each; null where there is none with a metric of the atlas.
    pub atlas: Option<GradesRow>,
    /// The change that the cells share: per pair of variants and deciding metric, in that order.
    pub shared: Vec<SharedRow>,
}

/// Number of cells and candidates by what is said of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct BatchCounts {
    /// Some deciding metric worse, none better.
    pub worse: usize,
    /// Some worse and some better.
    pub trade_off: usize,
    /// Some better, none worse.
    pub better: usize,
    /// Changes shown, all under their margins, the largest for the worse.
    pub slightly_worse: usize,
    /// Changes shown, all under their margins, the largest for the better.
    pub slightly_better: usize,
    /// Shown to lie within the margins.
    pub no_change: usize,
    /// Neither a change nor its absence was shown.
    pub within_noise: usize,
    /// Not judged, for reasons that are given.
    pub not_judged: usize,
}

/// A file that was read.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct InputRow {
    /// Path as given or found.
    pub path: String,
    /// Format recognised; null for a file without results.
    pub format: Option<&'static str>,
    /// Runs found.
    pub runs: usize,
    /// The skipped parts.
    pub skipped: Vec<Skipped>,
}

/// Runs that had nothing to be compared with.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct Unmatched {
    /// The variant.
    pub variant: String,
    /// Its runs of this workload that count.
    pub runs: usize,
    /// Its runs of this workload that failed.
    pub failed: usize,
    /// Columns that name the cell of a batch.
    pub cell: BTreeMap<String, String>,
    /// The workload.
    pub workload: Workload,
    /// Why they were not compared.
    pub why: String,
}

/// A baseline and a candidate under one workload.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct Comparison {
    /// The workload.
    pub workload: Workload,
    /// How requests arrive.
    pub load: LoadShape,
    /// Columns that name the cell of a batch.
    pub cell: BTreeMap<String, String>,
    /// The baseline.
    pub baseline: Named,
    /// The candidate.
    pub candidate: Named,
    /// Nominal coverage of the intervals, a fraction; also in the settings.
    #[serde(skip)]
    pub confidence: f64,
    /// The verdict on the whole.
    pub headline: Headline,
    /// What published repeats say of one run each; null for more runs, where a noise of one's own is known, and where no
    /// metric is in the atlas.
    pub atlas: Option<AtlasRow>,
    /// The gate's answer.
    pub gate: Gate,
    /// Why the gate does not simply pass; empty where it does.
    pub gate_reason: String,
    /// Whether the change may be kept where it must be shown to be better (`--require improved`).
    pub decision: Decision,
    /// Why.
    pub decision_reason: String,
    /// One sentence.
    pub summary: String,
    /// The metrics that decide nothing and are shown to be worse, in words; null where there is none.
    pub also_worse: Option<String>,
    /// The sentence that the data support; null where nothing is shown, or where a doubt could turn the headline.
    pub may_claim: Option<String>,
    /// One concrete thing to do.
    pub next_step: String,
    /// The command of that step; null where there is nothing to type.
    pub next_command: NextCommand,
    /// The tests with which its p-values were corrected.
    #[serde(skip)]
    pub among: Among,
    /// Whether its values are pairs of runs.
    #[serde(skip)]
    pub(crate) paired: bool,
    /// The levels of nested repeats; null where the user named none.
    pub levels: Option<LevelsRow>,
    /// The limits of `--slo`, and how both variants meet them; empty for a load of a sweep, which has a capacity.
    pub slo: Vec<SloRow>,
    /// Where a request's time changed, in a closed loop or a burst.
    pub per_request: Option<PerRequest>,
    /// All metrics, the deciding ones first.
    pub metrics: Vec<Row>,
    /// The findings of the checks, the most severe first.
    pub checks: Vec<Check>,
    /// Percentages that somebody wrote beside the runs.
    pub claims: Vec<ClaimRow>,
}

/// The tests with which the p-values of a comparison were corrected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Among {
    /// Only those of its own metrics.
    Alone,
    /// So many comparisons, itself included.
    Comparisons(usize),
    /// So many loads of its sweep.
    Loads(usize),
}

/// A variant and its number of runs.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct Named {
    /// Label.
    pub name: String,
    /// Distinct runs that count.
    pub runs: usize,
    /// Runs that failed, which do not count.
    pub failed: usize,
    /// Each of them: in the order of their start where that is known, else of their files.
    pub run_list: Vec<RunRow>,
}

/// A run of a variant.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct RunRow {
    /// Its name, where the input gives one.
    pub name: Option<String>,
    /// File and place.
    #[serde(rename = "where", serialize_with = "as_text")]
    pub place: Source,
    /// When it started, as the file says it.
    pub started: Option<String>,
    /// Its place among the runs of both variants by their start, from 1; null unless all starts are known.
    pub order: Option<usize>,
}

impl RunRow {
    /// Its name, or else its place.
    pub(crate) fn shown(&self) -> Cow<'_, str> {
        self.name.as_deref().map_or_else(|| self.place.to_string().into(), Cow::Borrowed)
    }
}

fn as_text<S: Serializer>(place: &Source, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(place)
}

/// Change of a mean request's latency, in milliseconds, at the baseline's output length.
#[derive(Clone, Copy, Debug, Serialize)]
#[non_exhaustive]
pub struct PerRequest {
    /// Change of TTFT.
    pub ttft_ms: f64,
    /// Change of the time for all tokens after the first.
    pub decode_ms: f64,
    /// Their sum.
    pub total_ms: f64,
    /// Output tokens of a request of the baseline.
    pub output_tokens: f64,
}

/// The finding of a check.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct Check {
    /// Identifier of the check.
    pub id: CheckId,
    /// How much it weighs.
    pub severity: Severity,
    /// Whether the headline could be another one but for what it found.
    pub could_flip: bool,
    /// One or two sentences.
    pub message: String,
    /// The numbers that triggered it.
    pub evidence: BTreeMap<&'static str, serde_json::Value>,
    /// Its typed content.
    #[serde(skip)]
    #[doc(hidden)]
    pub details: Details,
    /// The runs that the check suspects: `run-07 of pr`.
    #[serde(skip)]
    pub(crate) suspects: Vec<String>,
    /// The comparison without these runs; also in the evidence.
    #[serde(skip)]
    pub without: Option<Without>,
}

impl Check {
    /// Whether no form of the report may fold it: it could turn the headline, or contradicts a claim.
    pub(crate) fn must_show(&self) -> bool {
        self.severity < Severity::Note && (self.could_flip || self.id == CheckId::ClaimCheck)
    }
}

/// A percentage that somebody wrote beside a run.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct ClaimRow {
    /// The variant beside which it stands.
    pub variant: String,
    /// The words.
    pub text: String,
    /// File and line.
    #[serde(rename = "where")]
    pub place: String,
    /// Metric that it is taken to mean; null where it was not checked.
    pub metric: Option<String>,
    /// The change written, a fraction; negative where a sign, an arrow or a word says so.
    pub claimed: f64,
    /// The change measured, a fraction of `against`; null where it was not checked.
    pub measured: Option<f64>,
    /// The variant that it is a change from; null where it was not checked.
    pub against: Option<String>,
    /// The outcome.
    pub outcome: Outcome,
    /// The same in words, which go on after `text`.
    pub message: String,
    /// What published repeats say of its metric, where each variant has one run; null elsewhere.
    pub published: Option<PublishedRow>,
    /// The same as a sentence; empty elsewhere.
    #[serde(skip)]
    pub graded: String,
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

impl Comparison {
    /// The rows of the default table: those that decide, at most `most` of them, and the guards.
    pub(crate) fn leading(&self, most: usize) -> Vec<&Row> {
        let guards = self.metrics.iter().filter(|row| row.guard && !row.deciding);
        self.deciding().take(most).chain(guards).collect()
    }

    /// The deciding row that the headline rests on: the most important one of its kind.
    pub(crate) fn telling(&self) -> Option<&Row> {
        let wanted = self.headline.made_by().first();
        self.deciding().find(|row| Some(&row.verdict) == wanted)
    }

    /// Whether runs of one variant failed more often than those of the other: then nothing is claimed.
    pub(crate) fn failed_unequally(&self) -> bool {
        self.checks.iter().any(|check| check.id == CheckId::FailedRuns && check.could_flip)
    }

    /// The deciding rows.
    pub fn deciding(&self) -> impl Iterator<Item = &Row> {
        self.metrics.iter().filter(|row| row.deciding)
    }
}
