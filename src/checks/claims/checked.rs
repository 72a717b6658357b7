//! A claim with the change that was measured, as the check and the report give it.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};

use crate::atlas::PublishedRow;

/// The outcome of a claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Outcome {
    /// It agrees with the change from the baseline.
    Matches,
    /// Nothing measured agrees with it.
    Differs,
    /// The change from the baseline goes the other way.
    OtherSign,
    /// It agrees with the change from another variant only.
    OtherBaseline,
    /// It is no change of a measured metric.
    NotChecked,
}

/// A percentage that somebody wrote beside a run.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct ClaimRow {
    /// The variant beside which it stands.
    pub variant: String,
    /// The words.
    pub text: String,
    /// File and line.
    #[serde(rename = "where")]
    pub place: String,
    /// Canonical name of the metric that it is taken to mean; null where it was not checked, or only against its own two values.
    pub metric: Option<String>,
    /// The change written, a fraction; negative where a sign, an arrow or a word says so, positive where nothing does.
    pub claimed: f64,
    /// The change measured from `against`, a fraction of its value, or the change between its own two values; null where it was not
    /// checked.
    #[schemars(range(min = -1))]
    pub measured: Option<f64>,
    /// The variant that the change is measured from; null where it was not checked, or only against its own two values.
    pub against: Option<String>,
    /// Whether the measurement agrees with it.
    pub outcome: Outcome,
    /// The same in words, which go on after `text`.
    #[schemars(length(min = 1))]
    pub message: String,
    /// Published repeats of its metric, where each variant has one run; null elsewhere.
    pub published: Option<PublishedRow>,
    /// The same as a sentence; empty elsewhere.
    #[serde(skip)]
    pub graded: String,
    /// Change of its metric from the baseline, a fraction.
    #[serde(skip)]
    pub(super) from_baseline: Option<f64>,
    /// The noise, if the change is within it.
    #[serde(skip)]
    pub(super) noise: Option<Noise>,
}

/// Noise that contains a change.
#[derive(Clone, Debug)]
pub(super) struct Noise {
    /// Run-to-run CV, a fraction.
    pub(super) cv: f64,
    /// Largest change that is expected if nothing changed, a fraction at the policy's confidence.
    pub(super) reach: f64,
    /// The noise in words.
    pub(super) words: String,
}

impl ClaimRow {
    pub(super) fn evidence(&self) -> Value {
        json!({
            "text": self.text,
            "where": self.place,
            "variant": self.variant,
            "metric": self.metric,
            "claimed": self.claimed,
            "measured": self.measured,
            "against": self.against,
            "from_baseline": self.from_baseline,
            "outcome": self.outcome,
            "noise_cv": self.noise.as_ref().map(|noise| noise.cv),
            "noise_reach": self.noise.as_ref().map(|noise| noise.reach),
        })
    }
}
