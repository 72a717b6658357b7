//! The finding of a check: its message, its numbers, and the metrics that it blocks.

use std::collections::{BTreeMap, BTreeSet};

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use crate::checks::CheckId;
use crate::format::sentence;

/// The effect of a finding on the verdict.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    /// No verdict for the metrics it names.
    Block,
    /// The verdict remains; the message goes into the report.
    Warn,
    /// Only in the details.
    Note,
}

/// The metrics that a finding keeps from being judged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Blocks {
    /// No metric.
    Nothing,
    /// The metrics with these names.
    Metrics(Vec<String>),
    /// Every metric.
    All,
}

/// Typed content of a finding.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) enum Details {
    /// No typed content.
    #[default]
    None,
    /// The comparison makes no sense, rather than having too little data: the reason, as words after a colon.
    Incomparable(String),
    /// A variant's single run is one process, and `--unit iteration` can take its iterations as runs.
    Unfolds,
    /// Rows of requests without the names of their runs.
    UnnamedRuns,
}

/// A problem that a check found.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Finding {
    /// The check that made it.
    pub id: CheckId,
    /// Its effect on the verdict.
    pub severity: Severity,
    /// One or two sentences for the reader.
    pub message: String,
    /// The numbers behind it.
    pub evidence: BTreeMap<&'static str, Value>,
    /// The metrics that it blocks.
    pub blocks: Blocks,
    /// The reason in a few words, shown in place of a verdict.
    pub reason: &'static str,
    /// Content that other code reads.
    pub details: Details,
    /// Whether the headline could differ without the problem; `None` until that is known.
    flips: Option<bool>,
    /// Positions of suspected runs of the baseline and of the candidate; the verdict is also shown without them.
    pub suspects: [Vec<usize>; 2],
    /// Whether chance explains it; then it is a note unless a claim depends on these runs.
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

    /// Sets whether it could change the headline, if that is known better than for the check in general.
    #[must_use]
    pub(super) fn flipping(mut self, could_flip: bool) -> Self {
        self.flips = Some(could_flip);
        self
    }

    /// Sets by the rule of the check whether a warning could change the headline, if nothing is set.
    #[must_use]
    pub(super) fn flips_by_default(mut self, warning_flips: bool) -> Self {
        let rule = self.severity == Severity::Warn && warning_flips;
        self.flips = self.flips.or(Some(self.severity == Severity::Block || rule));
        self
    }

    /// Whether the headline could differ without the problem: always for a block, computed for runs that can be left out, else
    /// by the rule of its check.
    pub(crate) fn could_flip(&self) -> bool {
        self.flips.unwrap_or(self.severity == Severity::Block)
    }

    /// Names suspected runs, each with its side; the verdict is also shown without them.
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

    /// Whether it suspects any runs.
    pub(crate) fn has_suspects(&self) -> bool {
        self.suspects.iter().any(|runs| !runs.is_empty())
    }

    /// The finding if no claim can depend on the suspected runs.
    #[must_use]
    pub(super) fn without_claim(mut self) -> Self {
        if self.by_chance {
            self.severity = Severity::Note;
        }
        self
    }

    /// Leaves the verdict without the suspected runs open.
    pub(crate) fn unexamined(&mut self) {
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

    /// Adds the result without the suspected runs: its words and numbers, whether its headline differs, and whether the claimed
    /// change of a deciding metric depends on them.
    ///
    /// A finding that chance explains is a note unless a claim depends on it. A claim that appears without such runs is no
    /// reason for a warning: leaving out the farthest of a few runs finds changes that do not exist.
    pub(crate) fn recomputed(&mut self, words: &str, without: Value, flips: bool, rests: bool) {
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

    /// A stop of a whole comparison that makes no sense; `why` is a sentence without its capital and full stop.
    pub(super) fn incomparable(id: CheckId, why: String, reason: &'static str) -> Self {
        let finding = Self::new(id, Severity::Block, format!("{}.", sentence(&why)));
        finding.blocking(Blocks::All, reason).detailed(Details::Incomparable(why))
    }

    #[must_use]
    pub(super) fn detailed(mut self, details: Details) -> Self {
        self.details = details;
        self
    }

    /// Whether it stops the comparison because the comparison makes no sense.
    pub(crate) fn is_incomparable(&self) -> bool {
        matches!(self.details, Details::Incomparable(_))
    }

    /// Whether the metric must not be judged.
    pub(crate) fn stops(&self, metric: &str) -> bool {
        match &self.blocks {
            Blocks::Nothing => false,
            Blocks::Metrics(names) => names.iter().any(|name| name == metric),
            Blocks::All => true,
        }
    }
}

/// Sorts findings by weight. Among equals, findings that could change the verdict come first; otherwise the order is
/// kept.
pub(crate) fn sort(findings: &mut [Finding]) {
    findings.sort_by_key(|finding| (finding.severity, !finding.could_flip()));
}
