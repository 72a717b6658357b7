//! What a careful reviewer would notice: confounders, each with the numbers that show it.
//!
//! A check is a function from a [`Context`] to at most one finding; `CHECKS` lists them all. A new one
//! is a function in the file of its family and a line in that list. Checks change no number: they say
//! which metrics must not be judged, and why.

mod claims;
mod consistency;
mod environment;
mod load;
mod measurement;
mod order;
mod requests;
mod runs;
mod tools;

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::Value;

use crate::compare::Measured;
use crate::policy::Policy;
use crate::runs::{Group, LoadShape, Pairs, Variant, Workload};

pub use claims::{CheckedClaim, Outcome, claims, unchecked_claims};
pub use measurement::{Moved, trade_off};
pub use requests::mismatch;

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
}

/// What a check may look at.
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
    /// Settings and thresholds.
    pub policy: &'a Policy,
}

/// All checks, in the order in which equal findings are shown.
const CHECKS: &[fn(&Context) -> Option<Finding>] = &[
    runs::too_few_runs,
    requests::failed_requests,
    requests::output_tokens_drift,
    load::burst_load,
    load::saturated_open_loop,
    load::p99_startup_burst,
    order::order_confounded,
    order::drift,
    order::one_way_pairs,
    runs::duplicate_run,
    runs::low_resolution,
    runs::borrowed_noise,
    runs::nothing_borrowed,
    runs::unpaired_runs,
    runs::runs_to_plan,
    load::rate_limited_throughput,
    environment::env_mismatch,
    consistency::unit_suspect,
    consistency::inconsistent_block,
    claims::claim_check,
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

/// Findings of all checks, the weightiest first.
pub fn run(context: &Context) -> Vec<Finding> {
    let mut findings: Vec<Finding> = CHECKS.iter().filter_map(|check| check(context)).collect();
    findings.sort_by_key(|finding| finding.severity);
    findings
}

impl Finding {
    fn new(id: &'static str, severity: Severity, message: String) -> Self {
        Self {
            id,
            severity,
            message,
            evidence: BTreeMap::new(),
            blocks: Blocks::Nothing,
            reason: "",
            incomparable: false,
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

impl Context<'_> {
    fn workload(&self) -> &Workload {
        &self.group.workload
    }

    fn fewest_runs(&self) -> usize {
        self.baseline.runs.len().min(self.candidate.runs.len())
    }

    /// Names of the rows that fit.
    fn rows_where(&self, fits: impl Fn(&Measured) -> bool) -> Vec<String> {
        self.rows.iter().filter(|row| fits(row)).map(|row| row.metric.name.clone()).collect()
    }

    /// The first deciding row.
    fn leading(&self) -> Option<&Measured> {
        let first = self.deciding.first()?;
        self.rows.iter().find(|row| row.metric.name == *first)
    }
}

/// The sentence with a capital letter.
fn sentence(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map_or(String::new(), |first| first.to_uppercase().chain(chars).collect())
}

/// A fraction as a percentage with a sensible number of digits: `1.9 %`.
fn percent(fraction: f64) -> String {
    let size = fraction.abs() * 100.0;
    match size {
        10.0.. => format!("{size:.0} %"),
        0.1.. => format!("{size:.1} %"),
        _ => format!("{size:.2} %"),
    }
}

/// A change as `−15.9 %`.
fn signed(fraction: f64) -> String {
    let sign = if fraction < 0.0 { "−" } else { "+" };
    format!("{sign}{:.1} %", fraction.abs() * 100.0)
}
