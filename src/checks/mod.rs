//! What a careful reviewer would notice: confounders, each with the numbers that show it.
//!
//! Outside the crate only [`CHECKS`], [`Severity`] and [`Outcome`] are of use: the report holds the findings.
//!
//! A check is a function from a [`Context`] to at most one finding. A new one is a function in the file of its family
//! and an entry in the table `registry.rs`. Checks change no number: they stop metrics from being judged, and say why.

mod averages;
mod chance;
mod claims;
mod consistency;
mod environment;
mod first_run;
mod iterations;
mod levels;
mod load;
mod measurement;
mod order;
mod outlier_run;
mod planned;
mod registry;
mod requests;
mod runs;
mod same_fact;
mod series;
mod spread;
mod tools;

use std::cell::OnceCell;
use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::Value;

use crate::checks::chance::Chance;
use crate::checks::series::Series;
use crate::compare::Measured;
use crate::format::{self, p_value, percent, sentence};
use crate::policy::Policy;
use crate::runs::{Group, Levels, LoadShape, Pairs, Variant, Workload};

pub use claims::Outcome;
#[doc(hidden)]
pub use claims::{CheckedClaim, claims, unchecked_claims};
#[doc(hidden)]
pub use measurement::{Moved, trade_off};
pub use registry::{CHECKS, CheckId, CheckInfo, Scope};
#[doc(hidden)]
pub use requests::{mismatch, what_differs};

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

/// What the program reads in a finding, beside its words.
#[doc(hidden)]
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Details {
    /// Nothing.
    #[default]
    None,
    /// The comparison itself makes no sense, rather than being too thin for a verdict: why, as words after a colon.
    Incomparable(String),
    /// Variants with one run are one process, and `--unit iteration` can take its iterations as runs.
    Unfolds,
    /// Rows of requests that do not name their runs.
    UnnamedRuns,
}

/// What a check found.
#[doc(hidden)]
#[derive(Clone, Debug, PartialEq)]
pub struct Finding {
    /// The check.
    pub id: CheckId,
    /// How much it weighs.
    pub severity: Severity,
    /// The metric that shows it most, where the noise of one build is looked at.
    pub metric: Option<String>,
    /// One or two sentences for the reader.
    pub message: String,
    /// What to do about it, where the message does not say so.
    pub advice: String,
    /// The next step where this finding comes first, if it has one of its own.
    pub next: Option<String>,
    /// The numbers that triggered it.
    pub evidence: BTreeMap<&'static str, Value>,
    /// What must not be judged because of it.
    pub blocks: Blocks,
    /// Why, in the few words that stand where a verdict would.
    pub reason: &'static str,
    /// What the program reads in it.
    pub details: Details,
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
    /// Results that several checks share.
    pub cache: Cache<'a>,
}

/// Results that several checks share, computed once.
#[derive(Default)]
pub struct Cache<'a> {
    series: OnceCell<Vec<Series<'a>>>,
    chance: OnceCell<Chance>,
}

/// A change with one decimal: `−15.9 %`.
fn signed(fraction: f64) -> String {
    format::change(fraction, 1)
}

/// Findings of all checks of a comparison, in the order of the table.
#[doc(hidden)]
pub fn run(context: &Context) -> Vec<Finding> {
    CHECKS.iter().filter_map(|check| (check.function?)(context)).collect()
}

/// Puts findings in the order in which they are read: the weightiest first, of these the ones that could turn
/// the verdict, else as they come.
#[doc(hidden)]
pub fn sort(findings: &mut [Finding]) {
    findings.sort_by_key(|finding| (finding.severity, !finding.could_flip));
}

impl Finding {
    pub(crate) fn new(id: CheckId, severity: Severity, message: String) -> Self {
        debug_assert!(id.info().severities.contains(&severity), "{id:?} has no {severity:?}");
        Self {
            id,
            severity,
            metric: None,
            message,
            advice: String::new(),
            next: None,
            evidence: BTreeMap::new(),
            blocks: Blocks::Nothing,
            reason: "",
            details: Details::None,
            could_flip: severity == Severity::Block
                || severity == Severity::Warn && id.info().flips,
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
            "{} A batch does not compute the verdict without {them}: compare the cell alone.",
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
    pub(crate) fn with(mut self, name: &'static str, value: impl Into<Value>) -> Self {
        self.evidence.insert(name, value.into());
        self
    }

    #[must_use]
    fn blocking(mut self, blocks: Blocks, reason: &'static str) -> Self {
        (self.blocks, self.reason) = (blocks, reason);
        self
    }

    /// A stop of a whole comparison that makes no sense: `why`, a sentence without its capital and full stop.
    fn incomparable(id: CheckId, why: String, reason: &'static str) -> Self {
        let finding = Self::new(id, Severity::Block, format!("{}.", sentence(&why)));
        finding.blocking(Blocks::All, reason).detailed(Details::Incomparable(why))
    }

    #[must_use]
    fn detailed(mut self, details: Details) -> Self {
        self.details = details;
        self
    }

    /// Whether it says that the comparison makes no sense.
    pub fn is_incomparable(&self) -> bool {
        matches!(self.details, Details::Incomparable(_))
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
        let stops = CHECKS.iter().filter(|check| check.stops_metrics);
        let stops: Vec<Finding> = stops.filter_map(|check| (check.function?)(self)).collect();
        let judged = |row: &&Measured| {
            row.metric.better.is_some() && !stops.iter().any(|f| f.stops(&row.metric.name))
        };
        let tested = || self.deciding_rows().filter(judged);
        let with_values = tested().filter(|row| row.p_value.is_some()).count();
        let sharing = if with_values > 0 { with_values } else { tested().count() };
        self.policy.alpha() / sharing.max(1) as f64
    }
}
