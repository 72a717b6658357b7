//! The whole path in memory: from a [`Dataset`] to a [`Report`].

mod account;
mod batch;
mod gate;
mod refused;
mod rows;
mod run_lists;
mod scope;
mod settings;
mod trade_off;
mod usage;
mod without;

use crate::borrow::{Borrowed, Lenders};
use crate::checks;
use crate::checks::{CheckedClaim, Context, Finding, Known};
use crate::compare::{Measured, Pairing, Rows, measure};
use crate::error::Error;
use crate::metrics::{Family, Metric};
use crate::policy::Policy;
use crate::report;
use crate::report::{Check, ClaimRow, Comparison, Named, Report, SCHEMA};
use crate::runs::{Dataset, Group, LoadShape, Run, Variant, choose_baseline};
use crate::verdict::{Gate, Headline, Verdict, deciding, headline};

pub use batch::{BatchBase, batch};

use account::per_request;
use rows::judge_rows;
use run_lists::run_lists;
use scope::{Base, Scope, scope};
use settings::{inputs, settings};
use trade_off::trade_off;
use usage::{ambiguous, no_such_metric, one_variant, unknown_in_policy};

/// Compares every variant with the baseline of its workload.
///
/// `base` is the baseline's label if the user gave one; `first_of_two` the first of two inputs that the
/// user named in order.
///
/// # Errors
///
/// [`Error::Usage`] if there are fewer than two variants, or no label tells the baseline.
pub fn analyse(
    dataset: &Dataset,
    base: Option<&str>,
    first_of_two: Option<&str>,
    policy: &Policy,
) -> Result<Report, Error> {
    analyse_with(dataset, None, base, first_of_two, policy)
}

/// [`analyse`] with earlier runs, whose noise is borrowed.
///
/// # Errors
///
/// As [`analyse`].
pub fn analyse_with(
    dataset: &Dataset,
    history: Option<&Dataset>,
    base: Option<&str>,
    first_of_two: Option<&str>,
    policy: &Policy,
) -> Result<Report, Error> {
    let names = dataset.variant_names();
    if names.len() < 2 {
        return Err(one_variant(dataset, &names, policy));
    }
    if let Some(base) = base {
        choose_baseline(&names, Some(base), None).map_err(|unclear| ambiguous(&unclear, &names))?;
    }
    let lenders = Lenders::of(dataset, history, policy.noise);
    let groups: Vec<(usize, &Group)> = dataset.groups.iter().enumerate().collect();
    let Scope { mut comparisons, unmatched } =
        scope(&groups, &lenders, Base::Named { base, first_of_two }, false, policy)?;
    no_such_metric(dataset, policy)?;
    unknown_in_policy(dataset, policy)?;
    comparisons.sort_by_key(|comparison| weight(comparison.headline));
    Ok(Report {
        schema: SCHEMA,
        version: env!("CARGO_PKG_VERSION"),
        settings: settings(policy, &comparisons),
        inputs: std::iter::once(dataset).chain(history).flat_map(inputs).collect(),
        comparisons,
        unmatched,
        batch: None,
    })
}

/// Place of a headline when the worst comes first.
fn weight(headline: Headline) -> u8 {
    match headline {
        Headline::Regressed => 0,
        Headline::TradeOff => 1,
        Headline::NotComparable => 2,
        Headline::Improved => 3,
        Headline::WithinNoise => 4,
        Headline::NoChange => 5,
        Headline::NoVerdict => 6,
    }
}

/// How requests arrived in the runs compared.
fn shape(group: &Group, baseline: &Variant, candidate: &Variant, policy: &Policy) -> LoadShape {
    let runs: [&[Run]; 2] = [&baseline.runs, &candidate.runs];
    LoadShape::of(&group.workload, &runs, policy.thresholds.keeps_up)
}

/// A comparison without metrics, findings and claims.
fn empty(group: &Group, baseline: &Variant, candidate: &Variant, policy: &Policy) -> Comparison {
    let [baseline_runs, candidate_runs] = run_lists(baseline, candidate);
    let named = |variant: &Variant, run_list| Named {
        name: variant.name.clone(),
        runs: variant.runs.len(),
        run_list,
    };
    Comparison {
        workload: group.workload.clone(),
        load: shape(group, baseline, candidate, policy),
        cell: group.cell.clone(),
        baseline: named(baseline, baseline_runs),
        candidate: named(candidate, candidate_runs),
        confidence: policy.confidence,
        look: policy.look.map(|look| (look.number, look.of)),
        headline: Headline::NoVerdict,
        gate: Gate::None,
        gate_reason: String::new(),
        summary: String::new(),
        next_step: String::new(),
        per_request: None,
        metrics: Vec::new(),
        claims: Vec::new(),
        checks: Vec::new(),
    }
}

/// A finding as the report shows it.
fn told(finding: Finding) -> Check {
    Check {
        id: finding.id,
        severity: finding.severity,
        could_flip: finding.could_flip,
        message: finding.message,
        evidence: finding.evidence,
    }
}

/// A claim as the report shows it.
fn claim_row(checked: CheckedClaim) -> ClaimRow {
    ClaimRow {
        variant: checked.variant.to_owned(),
        text: checked.claim.text.clone(),
        place: checked.claim.source.to_string(),
        metric: checked.metric,
        claimed: checked.claimed,
        measured: checked.measured,
        against: checked.against.map(str::to_owned),
        outcome: checked.outcome,
        message: checked.message,
    }
}

/// Compares two variants of one workload.
///
/// `among_many` says that the p-values are to be adjusted once more with those of others.
fn compare(
    group: &Group,
    runs: &Pairing,
    lender: impl Fn(&str) -> Option<Borrowed> + Sync,
    among_many: bool,
    policy: &Policy,
) -> Comparison {
    let (baseline, candidate) = (runs.baseline, runs.candidate);
    let Rows { mut rows, alone } = measure(runs, policy, &lender);
    let load = shape(group, baseline, candidate, policy);
    let metrics: Vec<&Metric> = rows.iter().map(|row| &row.metric).collect();
    let deciding: Vec<String> = if !policy.deciding.is_empty() {
        let measured = |name: &&String| metrics.iter().any(|metric| metric.name == **name);
        policy.deciding.iter().filter(measured).cloned().collect()
    } else if policy.selected.is_empty() {
        deciding(&metrics, load, group.workload.requests)
    } else {
        // Several clothes of the throughput decide once.
        let asked = |metric: &&&Metric| policy.selected(&metric.name).is_some();
        let named = metrics.iter().filter(asked).filter(|metric| metric.better.is_some());
        let first = named.clone().find(|metric| metric.family == Family::Throughput);
        let once = |metric: &&&Metric| {
            metric.family != Family::Throughput || first.is_some_and(|f| f.name == metric.name)
        };
        named.filter(once).map(|metric| metric.name.clone()).collect()
    };
    let place = |row: &Measured| deciding.iter().position(|name| *name == row.metric.name);
    rows.sort_by_key(|row| place(row).unwrap_or(usize::MAX));
    let context = Context {
        group,
        baseline,
        candidate,
        load,
        rows: &rows,
        deciding: &deciding,
        pairs: runs.pairs.as_ref(),
        policy,
        known: Known::default(),
    };
    let mut findings = checks::run(&context);
    let claims = checks::claims(&context).into_iter().map(claim_row).collect();
    let incomparable = findings.iter().any(|finding| finding.incomparable);
    let mut judged = judge_rows(rows, &deciding, &findings, load, policy);
    if let Some(alone) = alone {
        let alone = judge_rows(alone, &deciding, &findings, load, policy);
        rows::without_borrowing(&mut judged, &alone);
    }
    let mut comparison = empty(group, baseline, candidate, policy);
    comparison.claims = claims;
    comparison.per_request = per_request(&judged, baseline, load, policy);
    comparison.metrics = judged;
    let verdicts: Vec<Verdict> = comparison.deciding().map(|row| row.verdict).collect();
    comparison.headline = if incomparable { Headline::NotComparable } else { headline(&verdicts) };
    findings.extend(trade_off(&comparison));
    if among_many {
        without::leave_untold(&mut findings);
    } else {
        without::tell(&mut findings, &comparison, runs, load, &lender, policy);
    }
    checks::sort(&mut findings);
    comparison.checks = findings.into_iter().map(told).collect();
    comparison.summary = report::summary(&comparison);
    (comparison.gate, comparison.gate_reason) = gate::gate(&comparison, policy);
    comparison.next_step = report::next_step(&comparison);
    comparison
}
