//! The finding of a check: its words, its numbers, and the metrics that it blocks.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;
use serde_json::Value;

use crate::checks::CheckId;
use crate::format::sentence;

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

/// Typed content of a finding, beside its words.
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

/// The finding of a check.
#[doc(hidden)]
#[derive(Clone, Debug, PartialEq)]
pub struct Finding {
    /// The check.
    pub id: CheckId,
    /// How much it weighs.
    pub severity: Severity,
    /// One or two sentences for the reader.
    pub message: String,
    /// The numbers that triggered it.
    pub evidence: BTreeMap<&'static str, Value>,
    /// The metrics that it blocks.
    pub blocks: Blocks,
    /// Why, in the few words that stand where a verdict would.
    pub reason: &'static str,
    /// Its typed content.
    pub details: Details,
    /// Whether another headline is possible without what it found, where that is known.
    flips: Option<bool>,
    /// Positions of runs of the baseline and of the candidate without which the verdict is to be shown too.
    pub suspects: [Vec<usize>; 2],
    /// Whether chance explains it, so that it is a note unless a claim rests on these runs.
    pub by_chance: bool,
}

impl Finding {
    pub(crate) fn new(id: CheckId, severity: Severity, message: String) -> Self {
        Self {
            id,
            severity,
            message,
            evidence: BTreeMap::new(),
            blocks: Blocks::Nothing,
            reason: "",
            details: Details::None,
            flips: None,
            suspects: [Vec::new(), Vec::new()],
            by_chance: false,
        }
    }

    /// Says whether it could turn the headline, where more is known than of the check in general.
    #[must_use]
    pub(super) fn flipping(mut self, could_flip: bool) -> Self {
        self.flips = Some(could_flip);
        self
    }

    /// The same for a warning by the rule of its check alone.
    #[must_use]
    pub(super) fn flips_by_default(mut self, warning_flips: bool) -> Self {
        let rule = self.severity == Severity::Warn && warning_flips;
        self.flips = self.flips.or(Some(self.severity == Severity::Block || rule));
        self
    }

    /// Whether another headline is possible without what it found: always for what blocks, exactly known for runs that
    /// can be left out, else by the rule of its check.
    pub fn could_flip(&self) -> bool {
        self.flips.unwrap_or(self.severity == Severity::Block)
    }

    /// Names the runs, each with its side, without which the verdict is to be shown too.
    #[must_use]
    pub(super) fn suspecting(
        mut self,
        suspects: impl IntoIterator<Item = (usize, usize)>,
        by_chance: bool,
    ) -> Self {
        for (side, run) in suspects.into_iter().collect::<BTreeSet<_>>() {
            self.suspects[side].push(run);
        }
        self.by_chance = by_chance;
        self
    }

    /// Whether the verdict is to be shown without some runs.
    pub fn has_suspects(&self) -> bool {
        self.suspects.iter().any(|runs| !runs.is_empty())
    }

    /// The finding where no claim can rest on the suspected runs.
    #[must_use]
    pub(super) fn without_claim(mut self) -> Self {
        if self.by_chance {
            self.severity = Severity::Note;
        }
        self
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
    /// A finding that chance explains is a note unless a claim rests on it. That a claim would come without such runs is no
    /// reason for a warning: whoever leaves out the farthest of a few runs finds changes that are not there.
    pub fn recomputed(&mut self, words: &str, without: Value, flips: bool, rests: bool) {
        if !words.is_empty() {
            self.message = format!("{} {words}", self.message);
        }
        self.evidence.insert("without", without);
        self.flips = Some(flips);
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
    pub(super) fn blocking(mut self, blocks: Blocks, reason: &'static str) -> Self {
        (self.blocks, self.reason) = (blocks, reason);
        self
    }

    /// A stop of a whole comparison that makes no sense: `why`, a sentence without its capital and full stop.
    pub(super) fn incomparable(id: CheckId, why: String, reason: &'static str) -> Self {
        let finding = Self::new(id, Severity::Block, format!("{}.", sentence(&why)));
        finding.blocking(Blocks::All, reason).detailed(Details::Incomparable(why))
    }

    #[must_use]
    pub(super) fn detailed(mut self, details: Details) -> Self {
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

/// Puts findings in the order in which they are read: the weightiest first, of these the ones that could turn
/// the verdict, else as they come.
#[doc(hidden)]
pub fn sort(findings: &mut [Finding]) {
    findings.sort_by_key(|finding| (finding.severity, !finding.could_flip()));
}
