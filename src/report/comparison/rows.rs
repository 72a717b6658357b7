//! The rows of a comparison: a baseline and a candidate under one workload, with every metric.
//!
//! Changes, shares and CVs are fractions; values are in the unit of their metric and unrounded.

use std::borrow::Cow;
use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Serialize, Serializer};

use crate::checks::{CheckId, ClaimRow, Details, Scope, Severity, ids};
use crate::compare::{ControlRow, InSessionsRow, MoreRuns, SideRow};
use crate::report::atlas::{AtlasRow, PublishedRow};
use crate::report::capacity::SloRow;
use crate::report::comparison::NextCommand;
use crate::report::comparison::levels::LevelsRow;
use crate::report::comparison::sessions::SessionsRow;
use crate::runs::{LoadShape, Source, Workload};
use crate::units::Better;
use crate::verdict::{Decision, Gate, Headline, Verdict};

/// A baseline and a candidate under one workload.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct Comparison {
    /// Settings of the load that both variants share.
    pub workload: Workload,
    /// How requests arrive.
    pub load: LoadShape,
    /// Columns that name the cell of a batch, with their values; empty for a plain comparison.
    pub cell: BTreeMap<String, String>,
    /// The variant compared against, with its number of runs.
    pub baseline: Named,
    /// The variant under test, with its number of runs.
    pub candidate: Named,
    /// Nominal coverage of the intervals, a fraction; also in the settings.
    #[serde(skip)]
    pub confidence: f64,
    /// The verdict on the whole.
    pub headline: Headline,
    /// Verdict on one run each from published repeats of other benchmarks. Null for more runs, if your own noise is
    /// known, if the atlas is turned off, or if no metric is in it. It never changes headline or gate.
    pub atlas: Option<AtlasRow>,
    /// The gate's answer.
    pub gate: Gate,
    /// Why the gate does not simply pass. Where it passes, `passes; ` and what is worse all the same; empty where nothing
    /// is.
    pub gate_reason: String,
    /// Whether the change may be kept where it must be shown to be better (`--require improved`).
    #[schemars(extend("not" = {"const": "stale"}))]
    pub decision: Decision,
    /// Reason for the decision, in words.
    pub decision_reason: String,
    /// The comparison in one sentence.
    #[schemars(length(min = 1))]
    pub summary: String,
    /// The metrics that decide nothing and are shown to be worse, in words: the largest first, figures for three. Null
    /// where there is none.
    #[schemars(length(min = 1))]
    pub also_worse: Option<String>,
    /// A sentence for the pull request that the data support: metrics, changes, intervals with their level and
    /// correction, runs and load. It also states regressions and shown equality. Null if nothing is shown or compared,
    /// if a check blocks or could turn the headline, if single runs move a claimed change by more than its margin, or
    /// if the order of the runs is confounded; then `next_step` names the first thing to do.
    #[schemars(length(min = 1))]
    pub may_claim: Option<String>,
    /// Next thing to do, in words.
    #[schemars(length(min = 1))]
    pub next_step: String,
    /// The command of the next step, ready to type in the same folder. Null if nothing is left to do, or if the step
    /// needs your own commands or your decision.
    #[schemars(with = "Option<String>", length(min = 1))]
    pub next_command: NextCommand,
    /// The tests with which its p-values were corrected.
    #[serde(skip)]
    pub among: Among,
    /// Whether its values are pairs of runs.
    #[serde(skip)]
    pub(crate) paired: bool,
    /// The levels of nested repeats; null where the user named none.
    pub levels: Option<LevelsRow>,
    /// The sessions in which its runs were made; null where no journal states them.
    pub sessions: Option<SessionsRow>,
    /// The limits of `--slo`, and how both variants meet them; empty for a load of a sweep, which has a capacity.
    pub slo: Vec<SloRow>,
    /// Where the time of a request changed; null unless the load is a closed loop or a burst and the output lengths are
    /// known.
    pub per_request: Option<PerRequest>,
    /// All metrics, the deciding ones first; empty where the workloads differ.
    pub metrics: Vec<Row>,
    /// The findings of the checks, the most severe first; of equal severity, those that could turn the headline come
    /// first.
    pub checks: Vec<Check>,
    /// Percentages that somebody wrote beside the runs.
    pub claims: Vec<ClaimRow>,
}

/// The tests with which the p-values of a comparison were corrected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Among {
    /// The tests of its own metrics.
    Alone,
    /// The tests of this number of comparisons, itself included.
    Comparisons(usize),
    /// The tests of this number of loads of its sweep.
    Loads(usize),
}

/// A variant and its number of runs.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "Variant")]
#[non_exhaustive]
pub struct Named {
    /// Label of the variant, as reports print it.
    pub name: String,
    /// Distinct runs that count; 0 where all failed.
    pub runs: usize,
    /// Runs that failed, which do not count; the check `failed-runs` names them.
    pub failed: usize,
    /// Its runs: in the order of their start where that is known, else of their files.
    pub run_list: Vec<RunRow>,
}

/// A run of a variant.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct RunRow {
    /// Its name, where the input gives one.
    pub name: Option<String>,
    /// File and place.
    #[serde(rename = "where", serialize_with = "as_text")]
    #[schemars(with = "String")]
    pub place: Source,
    /// When it started, as the file says it.
    pub started: Option<String>,
    /// Its place among the runs of both variants by their start, from 1; null unless all starts are known.
    #[schemars(range(min = 1))]
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

/// Change of a mean request's latency, in milliseconds, at the baseline's output length; negative is faster.
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct PerRequest {
    /// Change of the time to first token, in ms.
    pub ttft_ms: f64,
    /// Change of the time for all tokens after the first, in ms.
    pub decode_ms: f64,
    /// Their sum, in ms.
    pub total_ms: f64,
    /// Mean output tokens of a request of the baseline.
    #[schemars(range(min = 0))]
    pub output_tokens: f64,
}

/// The finding of a check.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct Check {
    /// Identifier of the check, stable. More may be added.
    #[schemars(with = "String", regex(pattern = r"^[a-z0-9]+(-[a-z0-9]+)*$"), extend("examples" = ids(Scope::Comparison)))]
    pub id: CheckId,
    /// Weight: whether it blocks a claim, warns, or is a note.
    pub severity: Severity,
    /// Whether the headline could be another one but for what it found: always for what blocks, worked out for runs that
    /// can be left out (`evidence.without`), else a rule of the check.
    pub could_flip: bool,
    /// The finding in one or two sentences, with what to do.
    #[schemars(length(min = 1))]
    pub message: String,
    /// The numbers and names that triggered it, under keys of the check. Shares are fractions; null means unknown.
    pub evidence: BTreeMap<&'static str, serde_json::Value>,
    /// Its typed content.
    #[serde(skip)]
    pub(crate) details: Details,
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

    /// Whether one variant's runs failed more often than the other's: then nothing is claimed.
    pub(crate) fn failed_unequally(&self) -> bool {
        self.checks.iter().any(|check| check.id == CheckId::FailedRuns && check.could_flip)
    }

    /// The deciding rows.
    pub fn deciding(&self) -> impl Iterator<Item = &Row> {
        self.metrics.iter().filter(|row| row.deciding)
    }
}

/// One metric of a comparison.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "Metric")]
#[expect(clippy::struct_excessive_bools, reason = "each is a field of the document")]
pub struct Row {
    /// Canonical name: the key of vLLM's result file, or the name that the input gives.
    #[schemars(length(min = 1))]
    pub metric: String,
    /// Name in sentences.
    pub label: String,
    /// Name of its row in tables; holds the unit.
    #[serde(skip)]
    pub row_label: String,
    /// Unit of all its values: `ms`, `s`, `tok/s`, `req/s`, `%`; empty for a count or where it is not known.
    pub unit: &'static str,
    /// Direction of improvement; null where it is not known.
    pub better: Option<Better>,
    /// Whether it decides the headline.
    pub deciding: bool,
    /// Whether it guards: it does not decide, and the gate fails if it is worse.
    pub guard: bool,
    /// How much worse the gate lets it be, a fraction of the baseline.
    #[schemars(range(min = 0))]
    pub tolerance: f64,
    /// Answer of the gate for this metric alone; null where it neither decides nor guards nor was asked for.
    pub gate: Option<Gate>,
    /// How a run's value came from its requests; `extreme` is a peak, largest or smallest value, `total` a figure of the
    /// whole run.
    #[schemars(regex(pattern = r"^(mean|median|p[0-9]+(\.[0-9]+)?|std|extreme|total|unknown)$"))]
    pub statistic: String,
    /// The baseline's runs.
    pub baseline: SideRow,
    /// The candidate's runs.
    pub candidate: SideRow,
    /// Change from the baseline to the candidate, with its intervals.
    pub delta: Delta,
    /// Two-sided p-value of no change, unadjusted; null where there is no interval.
    #[schemars(range(min = 0, max = 1))]
    pub p_value: Option<f64>,
    /// P-value adjusted for the number of metrics, not below the raw one: Holm for the deciding ones, Benjamini-Hochberg
    /// for the others; null where not judged.
    #[schemars(range(min = 0, max = 1))]
    pub p_adjusted: Option<f64>,
    /// Tests that the p-value was corrected for: deciding metrics of the comparison or of all comparisons of the call; 1
    /// where it was not corrected.
    #[schemars(range(min = 1))]
    pub corrected_for: usize,
    /// Confidence that the candidate is better; null without an interval or a direction.
    #[schemars(range(min = 0, max = 1))]
    pub probability_better: Option<f64>,
    /// Run-to-run noise.
    pub noise: NoiseRow,
    /// Published repeats of this metric of one run each; null elsewhere.
    pub published: Option<PublishedRow>,
    /// Whether every run of one variant is beyond every run of the other, with 3 runs or more each.
    pub separated: bool,
    /// The margin in force, a fraction of the baseline.
    #[schemars(range(min = 0))]
    pub margin: f64,
    /// Whether it is a count that varies in neither variant: the change is exact, without an interval, and it decides
    /// only where nothing else can.
    pub exact: bool,
    /// Verdict at the confidence of the settings, after the correction for several metrics.
    pub verdict: Verdict,
    /// Why it was not judged, in words; empty where it was.
    pub reason: String,
    /// The runs without which its verdict would be another: `run-07 of pr`; of a change that counts only. The check that
    /// suspects them has the figures.
    #[serde(skip)]
    pub rests_on: Vec<String>,
    /// Total runs of each variant that the next step names, if they settle this metric: with 80 % power at the upper
    /// limit (80 %) of the noise they find twice the margin and show no change within it. Not planned from the measured
    /// change. Null if the step names none, or they would not settle it.
    #[schemars(range(min = 1))]
    pub runs_to_settle: Option<usize>,
    /// Findings of more runs, if the change is within noise.
    #[serde(skip)]
    pub more_runs: Option<MoreRuns>,
    /// The row with the noise of its own runs alone; null where none is borrowed.
    pub without_borrowing: Option<Alone>,
    /// The change in the other of two ways: alone where the row is relative to the control, else relative to it; null
    /// without a control in every run.
    pub control: Option<ControlRow>,
    /// Its change in each session, where the change is taken inside several; else null.
    pub in_sessions: Option<InSessionsRow>,
    /// Whether it is throughput, or measures the same thing at a fixed workload.
    #[serde(skip)]
    pub same_fact: bool,
    /// Whether its change counts in the change of a whole batch: only too few runs may keep it from being judged.
    #[serde(skip)]
    pub shares: bool,
    /// Its single requests, where the runs of a deciding latency have them; in pictures only.
    #[serde(skip)]
    pub requests: Option<Box<RequestsRow>>,
}

/// The change, candidate against baseline. Relative values are fractions: 0.034, not 3.4.
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct Delta {
    /// `candidate / baseline - 1`, a fraction; null where a value is not positive, so that ratios do not exist.
    #[schemars(range(min = -1))]
    pub relative: Option<f64>,
    /// Its interval `[low, high]` at the confidence asked for; null where it is not defined.
    #[schemars(inner(range(min = -1)))]
    pub relative_ci: Option<[f64; 2]>,
    /// Interval of the relative change at the level at which it was judged, which reports show; it agrees with the
    /// adjusted p-value.
    #[schemars(inner(range(min = -1)))]
    pub relative_ci_adjusted: Option<[f64; 2]>,
    /// `candidate - baseline`, in the unit of the metric.
    pub absolute: f64,
    /// Its interval `[low, high]` at the confidence asked for, in the unit of the metric; null where it is not defined.
    pub absolute_ci: Option<[f64; 2]>,
    /// Interval of the absolute change at the level at which it was judged; it agrees with the adjusted p-value.
    pub absolute_ci_adjusted: Option<[f64; 2]>,
    /// Confidence of the adjusted intervals, a fraction: that of the settings if nothing was corrected.
    #[schemars(range(max = 1), extend("exclusiveMinimum" = 0))]
    pub adjusted_confidence: f64,
    /// The interval that shows the change to be within the margin (two one-sided tests, uncorrected). Reports show it
    /// instead of the other interval beside the verdict `no_change`.
    pub relative_ci_equivalence: Option<[f64; 2]>,
    /// Confidence of that interval, a fraction.
    #[schemars(range(min = 0, max = 1))]
    pub equivalence_confidence: f64,
}

/// Run-to-run noise of a metric.
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct NoiseRow {
    /// Coefficient of variation, a fraction; null where it is not known.
    #[schemars(range(min = 0))]
    pub cv: Option<f64>,
    /// Degrees of freedom behind it; null where it is not known.
    #[schemars(range(min = 0))]
    pub df: Option<f64>,
    /// Where it came from.
    pub source: NoiseOrigin,
    /// Noise known before the runs themselves are looked at; null where nothing is borrowed.
    pub prior: Option<PriorRow>,
    /// Run-to-run CV below which the change would be beyond noise, a fraction; null where ratios do not exist.
    #[schemars(range(min = 0))]
    pub break_even_cv: Option<f64>,
    /// Smallest true relative change that these runs find with 80 % power, a fraction; null where the noise is not known.
    #[schemars(range(min = 0))]
    pub detectable: Option<f64>,
}

impl NoiseRow {
    /// Whether it is not that of the runs themselves alone.
    pub(crate) fn is_lent(&self) -> bool {
        self.prior.is_some() || self.source == NoiseOrigin::Atlas
    }
}

/// Where the noise of a metric came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
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
    /// Published repeats of other benchmarks too, for two runs each.
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
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct PriorRow {
    /// Coefficient of variation, a fraction.
    #[schemars(range(min = 0))]
    pub cv: f64,
    /// Degrees of freedom that it counts for.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub df: f64,
    /// Number of variances behind it: of other comparisons, of earlier runs, or of other variants' single runs.
    #[schemars(range(min = 1))]
    pub variances: usize,
}

/// A row judged by the noise of its own runs alone.
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct Alone {
    /// Interval of the relative change.
    pub relative_ci: Option<[f64; 2]>,
    /// Interval of the relative change at the level at which it would be judged; it agrees with the adjusted p-value.
    pub relative_ci_adjusted: Option<[f64; 2]>,
    /// Interval by which the relative change would be shown to lie within the margin.
    pub relative_ci_equivalence: Option<[f64; 2]>,
    /// Interval of the absolute change.
    pub absolute_ci: Option<[f64; 2]>,
    /// Interval of the absolute change at the level at which it would be judged; it agrees with the adjusted p-value.
    pub absolute_ci_adjusted: Option<[f64; 2]>,
    /// Two-sided p-value, unadjusted.
    #[schemars(range(min = 0, max = 1))]
    pub p_value: Option<f64>,
    /// P-value adjusted for the number of metrics.
    #[schemars(range(min = 0, max = 1))]
    pub p_adjusted: Option<f64>,
    /// Verdict by this interval and p-value.
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
    /// Verdict by this interval and p-value.
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

/// Change of one quantile of the requests.
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
