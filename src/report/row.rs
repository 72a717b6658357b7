//! A row of the report: one metric of one comparison.

use serde::Serialize;

use crate::compare::MoreRuns;
use crate::report::{PublishedRow, RequestsRow};
use crate::units::Better;
use crate::verdict::{Gate, Headline, Verdict};

/// One metric.
#[derive(Clone, Debug, Serialize)]
#[expect(clippy::struct_excessive_bools, reason = "each is a field of the document")]
pub struct Row {
    /// Canonical name.
    pub metric: String,
    /// Name in sentences.
    pub label: String,
    /// Name of its row in tables; holds the unit.
    #[serde(skip)]
    pub row_label: String,
    /// Unit of all its values; empty for a count.
    pub unit: &'static str,
    /// Direction of improvement; null if not known.
    pub better: Option<Better>,
    /// Whether it decides.
    pub deciding: bool,
    /// Whether it guards: it does not decide, and the gate fails if it is worse.
    pub guard: bool,
    /// How much worse the gate lets it be, a fraction.
    pub tolerance: f64,
    /// The gate's answer for it; null where it neither decides nor guards nor was asked for.
    pub gate: Option<Gate>,
    /// How a run's value came from its requests.
    pub statistic: String,
    /// The baseline's runs.
    pub baseline: SideRow,
    /// The candidate's runs.
    pub candidate: SideRow,
    /// The change.
    pub delta: Delta,
    /// Two-sided p-value, unadjusted.
    pub p_value: Option<f64>,
    /// P-value corrected for the number of tests, not below the raw one.
    pub p_adjusted: Option<f64>,
    /// Tests that it was corrected for; 1 where it was not.
    pub corrected_for: usize,
    /// Confidence that the candidate is better.
    pub probability_better: Option<f64>,
    /// Run-to-run noise.
    pub noise: NoiseRow,
    /// What published repeats say of one run each; null elsewhere.
    pub published: Option<PublishedRow>,
    /// Whether every run of one variant lies beyond every run of the other.
    pub separated: bool,
    /// The margin in force, a fraction.
    pub margin: f64,
    /// Whether it is a count that varies in neither variant, so that the change is exact.
    pub exact: bool,
    /// The verdict.
    pub verdict: Verdict,
    /// Why, in words.
    pub reason: String,
    /// The runs without which its verdict would be another: `run-07 of pr`; of a change that counts only. The check that
    /// suspects them has the figures.
    #[serde(skip)]
    pub rests_on: Vec<String>,
    /// Runs of each variant, those made included, that the next step names, where they settle it; else null.
    pub runs_to_settle: Option<usize>,
    /// What more runs would show, where it is within noise.
    #[serde(skip)]
    pub more_runs: Option<MoreRuns>,
    /// The same with the noise of its own runs alone; null where none is borrowed.
    pub without_borrowing: Option<Alone>,
    /// Its change in the other of two ways: alone, or relative to the control; null without a control in every run.
    pub control: Option<ControlRow>,
    /// Whether it is throughput, or measures the same thing at a fixed workload.
    #[serde(skip)]
    pub same_fact: bool,
    /// Whether its change counts in that of a whole batch: nothing but too few runs keeps it from being judged.
    #[serde(skip)]
    pub shares: bool,
    /// Its single requests, where the runs of a deciding latency have them; in pictures only.
    #[serde(skip)]
    pub requests: Option<Box<RequestsRow>>,
}

/// The change of a metric alone where the row is relative to a control, and else relative to the control.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct ControlRow {
    /// The metric, or the cell, that the change cannot affect.
    pub name: String,
    /// Whether the row is relative to it, since that interval is the narrower one; the values of its runs are then those at the
    /// control's level in the baseline.
    pub used: bool,
    /// The change in the other way, a fraction of the baseline.
    pub relative: f64,
    /// Its interval at the confidence asked for.
    pub relative_ci: Option<[f64; 2]>,
}

/// One variant's values.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct SideRow {
    /// Runs with a value.
    pub n: usize,
    /// The statistic over the runs.
    pub estimate: f64,
    /// A value per run, in run order.
    pub values: Vec<f64>,
    /// The run of each value, as its position in the list of the variant's runs, from 0.
    pub runs: Vec<usize>,
    /// Run-to-run CV, a fraction; null for one run.
    pub cv: Option<f64>,
    /// Runs behind the only value, where that is an average with a standard deviation; null elsewhere.
    pub averaged: Option<usize>,
}

/// A change, candidate against baseline.
#[derive(Clone, Copy, Debug, Serialize)]
#[non_exhaustive]
pub struct Delta {
    /// Fraction of the baseline; null where ratios do not exist.
    pub relative: Option<f64>,
    /// Its interval at the confidence asked for.
    pub relative_ci: Option<[f64; 2]>,
    /// Its interval at the level at which it was judged, which reports show.
    pub relative_ci_adjusted: Option<[f64; 2]>,
    /// In the unit of the metric.
    pub absolute: f64,
    /// Its interval at the confidence asked for.
    pub absolute_ci: Option<[f64; 2]>,
    /// Its interval at the level at which it was judged.
    pub absolute_ci_adjusted: Option<[f64; 2]>,
    /// Confidence of the adjusted intervals, a fraction.
    pub adjusted_confidence: f64,
    /// The interval of the relative change by which it is shown to lie within the margin: two one-sided tests, uncorrected.
    pub relative_ci_equivalence: Option<[f64; 2]>,
    /// Confidence of that interval, a fraction.
    pub equivalence_confidence: f64,
}

/// Run-to-run noise of a metric.
#[derive(Clone, Copy, Debug, Serialize)]
#[non_exhaustive]
pub struct NoiseRow {
    /// CV, a fraction.
    pub cv: Option<f64>,
    /// Degrees of freedom behind it.
    pub df: Option<f64>,
    /// Where it came from.
    pub source: NoiseOrigin,
    /// The noise prior; null without one.
    pub prior: Option<PriorRow>,
    /// CV below which the change would be beyond noise.
    pub break_even_cv: Option<f64>,
    /// Smallest relative change found with 80 % power.
    pub detectable: Option<f64>,
}

impl NoiseRow {
    /// Whether it is not that of the runs themselves alone.
    pub(crate) fn is_lent(&self) -> bool {
        self.prior.is_some() || self.source == NoiseOrigin::Atlas
    }
}

/// Where the noise of a metric came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum NoiseOrigin {
    /// It is not known.
    None,
    /// The runs compared, alone.
    Own,
    /// Standard deviations that are printed beside averages.
    Averages,
    /// The other comparisons of the job too.
    Batch,
    /// Earlier runs too.
    History,
    /// The other variants of the workload.
    Variants,
    /// Published repeats of other benchmarks too.
    Atlas,
}

impl NoiseOrigin {
    /// The text in the JSON document.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Own => "own",
            Self::Averages => "averages",
            Self::Batch => "batch",
            Self::History => "history",
            Self::Variants => "variants",
            Self::Atlas => "atlas",
        }
    }
}

/// Noise as known before the runs themselves are looked at.
#[derive(Clone, Copy, Debug, Serialize)]
#[non_exhaustive]
pub struct PriorRow {
    /// CV, a fraction.
    pub cv: f64,
    /// Degrees of freedom that it counts for.
    pub df: f64,
    /// Variances of other comparisons and earlier runs that it rests on.
    pub variances: usize,
}

/// A row with the noise of its own runs alone.
#[derive(Clone, Copy, Debug, Serialize)]
#[non_exhaustive]
pub struct Alone {
    /// Interval of the relative change.
    pub relative_ci: Option<[f64; 2]>,
    /// Interval of the relative change at the level at which it would be judged.
    pub relative_ci_adjusted: Option<[f64; 2]>,
    /// Interval by which the relative change would be shown to lie within the margin.
    pub relative_ci_equivalence: Option<[f64; 2]>,
    /// Interval of the absolute change.
    pub absolute_ci: Option<[f64; 2]>,
    /// Interval of the absolute change at the level at which it would be judged.
    pub absolute_ci_adjusted: Option<[f64; 2]>,
    /// Two-sided p-value, unadjusted.
    pub p_value: Option<f64>,
    /// P-value adjusted for the number of metrics.
    pub p_adjusted: Option<f64>,
    /// The verdict on it.
    pub verdict: Verdict,
}

/// The verdict of a comparison without some of its runs.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct Without {
    /// Where the runs were read.
    pub left_out: Vec<String>,
    /// The verdict on the whole.
    pub headline: Headline,
    /// The deciding metrics.
    pub metrics: Vec<WithoutRow>,
}

/// A deciding metric of a comparison without some of its runs.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct WithoutRow {
    /// Canonical name.
    pub metric: String,
    /// The change, a fraction of the baseline; null where ratios do not exist.
    pub relative: Option<f64>,
    /// Its interval at the confidence asked for.
    pub relative_ci: Option<[f64; 2]>,
    /// Its interval at the level at which it would be judged.
    pub relative_ci_adjusted: Option<[f64; 2]>,
    /// The change in the unit of the metric.
    pub absolute: f64,
    /// Its interval at the confidence asked for.
    pub absolute_ci: Option<[f64; 2]>,
    /// Its interval at the level at which it would be judged.
    pub absolute_ci_adjusted: Option<[f64; 2]>,
    /// P-value corrected for the number of tests.
    pub p_adjusted: Option<f64>,
    /// The verdict on it.
    pub verdict: Verdict,
}

/// The key of [`Without`] in the evidence of a check.
pub(crate) const WITHOUT: &str = "without";
