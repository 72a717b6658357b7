//! The rows of a comparison: a baseline and a candidate under one workload, with every metric.
//!
//! Changes, shares and CVs are fractions; values are in the unit of their metric and unrounded.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde::{Serialize, Serializer};

use crate::checks::{CheckId, Details, Outcome, Severity};
use crate::compare::MoreRuns;
use crate::report::atlas::{AtlasRow, PublishedRow};
use crate::report::capacity::SloRow;
use crate::report::comparison::NextCommand;
use crate::report::comparison::levels::LevelsRow;
use crate::runs::{LoadShape, Source, Workload};
use crate::units::Better;
use crate::verdict::{Decision, Gate, Headline, Verdict};

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
    /// Grade by published repeats for one run each; null for more runs, where a noise of one's own is known, and where no
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
    /// Grade of its metric by published repeats, for one run each; null elsewhere.
    pub published: Option<PublishedRow>,
    /// The same as a sentence; empty elsewhere.
    #[serde(skip)]
    pub graded: String,
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
    /// Grade by published repeats for one run each; null elsewhere.
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
    /// The change that more runs would find, for a row within noise.
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

/// A latency of single requests. The unit of its bands and intervals is the run: each run has a value of every quantile.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct RequestsRow {
    /// Levels of the quantiles, in (0, 1), ascending.
    pub levels: Vec<f64>,
    /// Quantiles of the baseline and of the candidate at these levels, in milliseconds.
    pub sides: [QuantilesRow; 2],
    /// Change of some of the quantiles.
    pub changes: Vec<QuantileChange>,
}

/// Quantiles of one variant, in milliseconds.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct QuantilesRow {
    /// The statistic over the runs, at each level.
    pub estimates: Vec<f64>,
    /// The smallest and the largest run, at each level.
    pub range: Vec<[f64; 2]>,
}

/// Change of a quantile.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct QuantileChange {
    /// Level in (0, 1).
    pub level: f64,
    /// Fraction of the baseline.
    pub relative: f64,
    /// Its interval over runs at the confidence asked for, not corrected for the number of levels.
    pub relative_ci: [f64; 2],
}
