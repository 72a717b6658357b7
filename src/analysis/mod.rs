//! The whole path in memory: from a [`Dataset`] to a [`Report`].

mod account;
mod refused;
mod rows;
mod settings;
mod usage;

use std::collections::BTreeMap;

use crate::borrow::{Borrowed, Lenders};
use crate::checks;
use crate::checks::{CheckedClaim, Context, Finding, Moved};
use crate::compare::{Measured, Pairing, measure};
use crate::error::Error;
use crate::metrics::{Family, Metric};
use crate::policy::Policy;
use crate::report;
use crate::report::{Check, ClaimRow, Comparison, Named, Report, Row, SCHEMA, Unmatched};
use crate::runs::{Dataset, Group, LoadShape, Run, Variant, Workload, choose_baseline};
use crate::verdict::{Gate, Headline, Verdict, deciding, headline};

use account::per_request;
use refused::mismatched;
use rows::judge_rows;
use settings::{inputs, settings};
use usage::{ambiguous, no_such_metric, one_variant, paired};

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
        return Err(one_variant(dataset, &names));
    }
    if let Some(base) = base {
        choose_baseline(&names, Some(base), None).map_err(|unclear| ambiguous(&unclear, &names))?;
    }
    let lenders = Lenders::of(dataset, history, policy.noise);
    let mut comparisons = Vec::new();
    let mut alone: Vec<(&Group, &Variant)> = Vec::new();
    for (position, group) in dataset.groups.iter().enumerate() {
        let labels: Vec<&str> =
            group.variants.iter().map(|variant| variant.name.as_str()).collect();
        let index = match choose_baseline(&labels, base, first_of_two) {
            Ok(index) if labels.len() > 1 => index,
            Err(unclear) if labels.len() > 1 && base.is_none() => {
                return Err(ambiguous(&unclear, &labels));
            }
            _ => {
                alone.extend(group.variants.iter().map(|variant| (group, variant)));
                continue;
            }
        };
        let baseline = &group.variants[index];
        for candidate in group.variants.iter().filter(|variant| variant.name != baseline.name) {
            let pairs = paired(baseline, candidate, policy)?;
            let lender = |metric: &str| {
                lenders.for_comparison((position, group), (baseline, candidate), metric)
            };
            let runs = Pairing { baseline, candidate, pairs };
            comparisons.push(compare(group, &runs, lender, policy));
        }
    }
    let refused = mismatched(&alone, &comparisons, &names, base, first_of_two)?;
    let told = |group: &Group, variant: &Variant| {
        refused.iter().any(|pair| {
            [(pair.group, pair.baseline), (pair.other, pair.candidate)]
                .into_iter()
                .any(|(g, v)| std::ptr::eq(g, group) && std::ptr::eq(v, variant))
        })
    };
    alone.retain(|(group, variant)| !told(group, variant));
    comparisons.extend(refused.into_iter().map(|pair| pair.refuse(policy)));
    let against = comparisons.first().map(|comparison: &Comparison| &comparison.workload);
    let unmatched = alone.into_iter().map(|(group, variant)| unmatched(group, variant, against));
    let unmatched = unmatched.collect();
    no_such_metric(dataset, policy)?;
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

/// Runs that nothing can be compared with, and in what their workload differs from one that was.
fn unmatched(group: &Group, variant: &Variant, against: Option<&Workload>) -> Unmatched {
    let mismatch = against.and_then(|workload| checks::mismatch(workload, &group.workload));
    let why = mismatch.map(|finding| finding.message.trim_end_matches('.').to_owned());
    Unmatched {
        variant: variant.name.clone(),
        runs: variant.runs.len(),
        workload: group.workload.clone(),
        why: why.unwrap_or_else(|| "no baseline with this workload".to_owned()),
    }
}

/// How requests arrived in the runs compared.
fn shape(group: &Group, baseline: &Variant, candidate: &Variant, policy: &Policy) -> LoadShape {
    let runs: [&[Run]; 2] = [&baseline.runs, &candidate.runs];
    LoadShape::of(&group.workload, &runs, policy.thresholds.keeps_up)
}

/// A comparison without metrics.
fn empty(
    group: &Group,
    baseline: &Variant,
    candidate: &Variant,
    findings: Vec<Finding>,
    claims: Vec<ClaimRow>,
    policy: &Policy,
) -> Comparison {
    let named = |variant: &Variant| Named { name: variant.name.clone(), runs: variant.runs.len() };
    Comparison {
        workload: group.workload.clone(),
        load: shape(group, baseline, candidate, policy),
        cell: BTreeMap::new(),
        baseline: named(baseline),
        candidate: named(candidate),
        confidence: policy.confidence,
        look: policy.look.map(|look| (look.number, look.of)),
        headline: Headline::NoVerdict,
        gate: Gate::None,
        summary: String::new(),
        next_step: String::new(),
        per_request: None,
        metrics: Vec::new(),
        claims,
        checks: findings
            .into_iter()
            .map(|finding| Check {
                id: finding.id,
                severity: finding.severity,
                message: finding.message,
                evidence: finding.evidence,
            })
            .collect(),
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
fn compare(
    group: &Group,
    runs: &Pairing,
    lender: impl Fn(&str) -> Option<Borrowed> + Sync,
    policy: &Policy,
) -> Comparison {
    let (baseline, candidate) = (runs.baseline, runs.candidate);
    let mut rows = measure(runs, policy, lender);
    let borrows = rows.iter().any(|row| row.noise.is_some_and(|noise| noise.borrowed.is_some()));
    let alone = borrows.then(|| measure(runs, policy, |_| None));
    let load = shape(group, baseline, candidate, policy);
    let metrics: Vec<&Metric> = rows.iter().map(|row| &row.metric).collect();
    let deciding: Vec<String> = if policy.selected.is_empty() {
        deciding(&metrics, load, group.workload.requests)
    } else {
        // Several clothes of the throughput decide once.
        let named = metrics.iter().filter(|metric| metric.better.is_some());
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
    };
    let mut findings = checks::run(&context);
    let claims = checks::claims(&context).into_iter().map(claim_row).collect();
    let incomparable = findings.iter().any(|finding| finding.incomparable);
    let mut judged = judge_rows(rows, &deciding, &findings, load, policy);
    if let Some(alone) = alone {
        let alone = judge_rows(alone, &deciding, &findings, load, policy);
        rows::without_borrowing(&mut judged, &alone);
    }
    let verdicts: Vec<Verdict> =
        judged.iter().filter(|row| row.deciding).map(|row| row.verdict).collect();
    let headline = if incomparable { Headline::NotComparable } else { headline(&verdicts) };
    findings.extend(trade_off(&judged, headline));
    let mut comparison = empty(group, baseline, candidate, findings, claims, policy);
    comparison.per_request = per_request(&judged, baseline, load, policy);
    comparison.metrics = judged;
    comparison.headline = headline;
    comparison.gate = gate(&comparison, policy);
    comparison.summary = report::summary(&comparison);
    comparison.next_step = report::next_step(&comparison);
    comparison
}

/// What moved beyond noise in both directions: deciding metrics in a trade-off, else TTFT against TPOT.
fn trade_off(rows: &[Row], headline: Headline) -> Option<Finding> {
    let decide = headline == Headline::TradeOff;
    let asked = |row: &&Row| {
        let two = ["mean_ttft_ms", "median_ttft_ms", "mean_tpot_ms"];
        if decide { row.deciding } else { two.contains(&row.metric.as_str()) }
    };
    let moved = |row: &Row| {
        let gain = match row.verdict {
            Verdict::Better => true,
            Verdict::Worse => false,
            _ => return None,
        };
        let (metric, label) = (row.metric.clone(), row.label.clone());
        Some(Moved { metric, label, relative: row.delta.relative, gain })
    };
    let moved: Vec<Moved> = rows.iter().filter(asked).filter_map(moved).collect();
    checks::trade_off(&moved, decide)
}

fn gate(comparison: &Comparison, policy: &Policy) -> Gate {
    if matches!(comparison.headline, Headline::NotComparable | Headline::NoVerdict) {
        return Gate::None;
    }
    let beyond = |row: &Row| {
        row.verdict == Verdict::Worse
            && row.delta.relative.is_none_or(|relative| relative.abs() > policy.tolerance)
    };
    if comparison.deciding().any(beyond) { Gate::Fail } else { Gate::Pass }
}
