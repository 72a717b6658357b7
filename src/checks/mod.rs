//! What a careful reviewer would notice: confounders, each with the numbers that show it.
//!
//! Outside the crate only [`KNOWN`], [`Severity`] and [`Outcome`] are of use: findings stand in the report.
//!
//! A check is a function from a [`Context`] to at most one finding; `CHECKS` lists them all. A new one
//! is a function in the file of its family, a line in that list and its description in [`KNOWN`]. Checks
//! change no number: they say which metrics must not be judged, and why.

mod apart;
mod averages;
mod chance;
mod claims;
mod consistency;
mod environment;
mod first_run;
mod iterations;
mod known;
mod levels;
mod load;
mod measurement;
mod order;
mod planned;
mod requests;
mod runs;
mod same_fact;
mod series;
mod spread;
mod tools;
mod words;

use std::cell::OnceCell;
use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::Value;

use crate::checks::chance::Chance;
use crate::checks::series::Series;
use crate::compare::Measured;
use crate::policy::Policy;
use crate::runs::{Group, Levels, LoadShape, Pairs, Variant, Workload};

pub(crate) use claims::CLAIM_CHECK;
pub use claims::Outcome;
#[doc(hidden)]
pub use claims::{CheckedClaim, claims, unchecked_claims};
pub use known::{KNOWN, KnownCheck};
#[doc(hidden)]
pub use measurement::{Moved, trade_off};
#[doc(hidden)]
pub use requests::mismatch;
pub(crate) use same_fact::CONTRADICTING_METRICS;
use words::{p_value, percent, sentence, signed};

/// How much a finding weighs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    /// No verdict for the metrics it names.
    Block,
    /// The verdict stays; the sentence goes into the report.
    Warn,
    /// Details only.
    Note,
}

/// Which metrics a finding keeps from being judged.
#[doc(hidden)]
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Blocks {
    /// None.
    Nothing,
    /// The metrics of these names.
    Metrics(Vec<String>),
    /// All of them.
    All,
}

/// What a check found.
#[doc(hidden)]
#[derive(Clone, Debug, PartialEq)]
pub struct Finding {
    /// Identifier of the check, stable.
    pub id: &'static str,
    /// How much it weighs.
    pub severity: Severity,
    /// One or two sentences for the reader.
    pub message: String,
    /// The numbers that triggered it.
    pub evidence: BTreeMap<&'static str, Value>,
    /// What must not be judged because of it.
    pub blocks: Blocks,
    /// Why, in the few words that stand where a verdict would.
    pub reason: &'static str,
    /// Whether the comparison itself makes no sense, rather than being too thin for a verdict.
    pub incomparable: bool,
    /// Whether another headline is possible without what it found: always for what blocks, exactly known for
    /// runs that can be left out, else by a rule of its check.
    pub could_flip: bool,
    /// Positions of runs of the baseline and of the candidate without which the verdict is to be shown too.
    pub suspects: [Vec<usize>; 2],
    /// Whether chance explains it, so that it is a note unless a claim rests on these runs.
    pub by_chance: bool,
}

/// What a check may look at.
#[doc(hidden)]
pub struct Context<'a> {
    /// The group of the comparison.
    pub group: &'a Group,
    /// The baseline.
    pub baseline: &'a Variant,
    /// The candidate.
    pub candidate: &'a Variant,
    /// How requests arrive.
    pub load: LoadShape,
    /// All metrics of the comparison.
    pub rows: &'a [Measured],
    /// Names of the metrics that decide.
    pub deciding: &'a [String],
    /// The runs that belong together, where they are compared pair by pair.
    pub pairs: Option<&'a Pairs>,
    /// The levels of nested repeats.
    pub levels: Option<&'a Levels>,
    /// Settings and thresholds.
    pub policy: &'a Policy,
    /// What several checks look at, once one has asked for it.
    pub known: Known<'a>,
}

/// What checks work out once and share.
#[derive(Default)]
pub struct Known<'a> {
    series: OnceCell<Vec<Series<'a>>>,
    chance: OnceCell<Chance>,
}

/// All checks, in the order in which equal findings are shown.
const CHECKS: &[fn(&Context) -> Option<Finding>] = &[
    runs::too_few_runs,
    runs::per_request_rows,
    requests::failed_requests,
    requests::output_tokens_drift,
    same_fact::contradicting_metrics,
    load::burst_load,
    load::saturated_open_loop,
    load::p99_startup_burst,
    first_run::cache_warm,
    first_run::slow_first_run,
    first_run::first_cell_outlier,
    apart::outlier_run,
    claims::claim_check,
    order::order_confounded,
    order::drift,
    order::one_way_pairs,
    spread::pre_averaged,
    spread::noisy,
    spread::two_clusters,
    spread::unequal_noise,
    runs::duplicate_run,
    planned::low_resolution,
    runs::borrowed_noise,
    runs::nothing_borrowed,
    iterations::iterations_as_runs,
    levels::nested_runs,
    averages::from_averages,
    runs::unpaired_runs,
    planned::runs_to_plan,
    load::rate_limited_throughput,
    environment::env_mismatch,
    consistency::unit_suspect,
    consistency::inconsistent_block,
    consistency::short_run,
    consistency::little_law,
    requests::input_tokens_differ,
    measurement::one_sided_metric,
    measurement::thin_tail,
    measurement::extreme_metric,
    measurement::no_direction,
    measurement::dependent_metrics,
    measurement::speed_only,
];

/// Checks that can stop a deciding metric by itself, so that it does not share alpha.
const OF_METRICS: &[fn(&Context) -> Option<Finding>] = &[
    requests::output_tokens_drift,
    same_fact::contradicting_metrics,
    load::p99_startup_burst,
    measurement::thin_tail,
    measurement::extreme_metric,
];

/// Checks whose warning could turn the headline: what they found can make a change or hide one. What merely
/// widens the intervals, or is already allowed for, cannot.
const COULD_FLIP: &[&str] = &[
    // Another load lets other metrics decide.
    "burst-load",
    "saturated-open-loop",
    // Not the same work on both sides.
    "failed-requests",
    "output-tokens-drift",
    "contradicting-metrics",
    "input-tokens-differ",
    "one-sided-metric",
    "env-mismatch",
    "inconsistent-block",
    "short-run",
    // Time may have made the change.
    "order-confounded",
    "drift",
    "one-way-pairs",
    "first-cell-outlier",
    // The noise is not that of the runs, or not of all of them.
    "pre-averaged",
    "borrowed-noise",
    "unpaired-runs",
    "iterations-as-runs",
];

/// Findings of all checks, in the order of the list.
#[doc(hidden)]
pub fn run(context: &Context) -> Vec<Finding> {
    CHECKS.iter().filter_map(|check| check(context)).collect()
}

/// Puts findings in the order in which they are read: the weightiest first, of these the ones that could turn
/// the verdict, else as they come.
#[doc(hidden)]
pub fn sort(findings: &mut [Finding]) {
    findings.sort_by_key(|finding| (finding.severity, !finding.could_flip));
}

impl Finding {
    fn new(id: &'static str, severity: Severity, message: String) -> Self {
        debug_assert!(known::allows(id, severity), "{id} is not described in known.rs");
        Self {
            id,
            severity,
            message,
            evidence: BTreeMap::new(),
            blocks: Blocks::Nothing,
            reason: "",
            incomparable: false,
            could_flip: severity == Severity::Block
                || severity == Severity::Warn && COULD_FLIP.contains(&id),
            suspects: [Vec::new(), Vec::new()],
            by_chance: false,
        }
    }

    /// Says whether it could turn the headline, where more is known than of the check in general.
    #[must_use]
    fn flipping(mut self, could_flip: bool) -> Self {
        self.could_flip = could_flip;
        self
    }

    /// Names the runs without which the verdict is to be shown too.
    #[must_use]
    fn suspecting(mut self, suspects: [Vec<usize>; 2], by_chance: bool) -> Self {
        self.suspects = suspects.map(|mut runs| {
            runs.sort_unstable();
            runs.dedup();
            runs
        });
        self.by_chance = by_chance;
        self
    }

    /// Whether the verdict is to be shown without some runs.
    pub fn has_suspects(&self) -> bool {
        self.suspects.iter().any(|runs| !runs.is_empty())
    }

    /// Leaves open what the comparison says without the suspected runs.
    pub fn unexamined(&mut self) {
        let them =
            if self.suspects.iter().map(Vec::len).sum::<usize>() == 1 { "it" } else { "them" };
        self.message = format!(
            "{} The verdict without {them} is not worked out in a batch: compare the cell alone.",
            self.message
        );
        if self.by_chance {
            self.severity = Severity::Note;
        }
    }

    /// Adds what the comparison says without the suspected runs: in `words`, in numbers, whether its headline is
    /// another one, and whether the change claimed of a deciding metric rests on them.
    ///
    /// What chance explains is a note unless a claim rests on it. That a claim would come without such runs is no
    /// reason for a warning: whoever leaves out the farthest of a few runs finds changes that are not there.
    pub fn recomputed(&mut self, words: &str, without: Value, flips: bool, rests: bool) {
        if !words.is_empty() {
            self.message = format!("{} {words}", self.message);
        }
        self.evidence.insert("without", without);
        self.could_flip = flips;
        if self.by_chance && !rests {
            self.severity = Severity::Note;
        }
    }

    /// Adds a number; one that is not finite becomes null.
    #[must_use]
    fn with(mut self, name: &'static str, value: impl Into<Value>) -> Self {
        self.evidence.insert(name, value.into());
        self
    }

    #[must_use]
    fn blocking(mut self, blocks: Blocks, reason: &'static str) -> Self {
        (self.blocks, self.reason) = (blocks, reason);
        self
    }

    /// Whether the metric must not be judged.
    pub fn stops(&self, metric: &str) -> bool {
        match &self.blocks {
            Blocks::Nothing => false,
            Blocks::Metrics(names) => names.iter().any(|name| name == metric),
            Blocks::All => true,
        }
    }
}

impl<'a> Context<'a> {
    fn workload(&self) -> &Workload {
        &self.group.workload
    }

    fn fewest_runs(&self) -> usize {
        match self.levels {
            Some(levels) => levels.units[0].len().min(levels.units[1].len()),
            None => self.baseline.runs.len().min(self.candidate.runs.len()),
        }
    }

    /// Names of the rows that fit.
    fn rows_where(&self, fits: impl Fn(&Measured) -> bool) -> Vec<String> {
        self.rows.iter().filter(|row| fits(row)).map(|row| row.metric.name.clone()).collect()
    }

    /// The first deciding row.
    fn leading(&self) -> Option<&'a Measured> {
        self.deciding_rows().next()
    }

    /// The deciding rows, the leading one first.
    fn deciding_rows(&self) -> impl Iterator<Item = &'a Measured> + use<'a> {
        let rows = self.rows;
        let row = move |name: &String| rows.iter().find(|row| row.metric.name == *name);
        self.deciding.iter().filter_map(row)
    }

    /// What is left of alpha for each deciding metric where they share it, as Holm's first step does.
    fn shared_alpha(&self) -> f64 {
        let stops: Vec<Finding> = OF_METRICS.iter().filter_map(|check| check(self)).collect();
        let judged = |row: &&Measured| {
            row.metric.better.is_some() && !stops.iter().any(|f| f.stops(&row.metric.name))
        };
        let tested = || self.deciding_rows().filter(judged);
        let with_values = tested().filter(|row| row.p_value.is_some()).count();
        let sharing = if with_values > 0 { with_values } else { tested().count() };
        self.policy.alpha() / sharing.max(1) as f64
    }
}
