//! The whole path in memory: from a [`Dataset`] to a [`Report`].

mod refused;
mod rows;
mod run_lists;
mod settings;
mod usage;

use std::collections::BTreeMap;

use crate::borrow::{Borrowed, Lenders};
use crate::checks;
use crate::checks::{Context, Finding};
use crate::compare::{Measured, Pairing, measure};
use crate::error::Error;
use crate::metrics::{Family, Metric};
use crate::policy::Policy;
use crate::report;
use crate::report::{
    Check, ClaimRow, Comparison, Named, PerRequest, Report, Row, SCHEMA, Unmatched,
};
use crate::runs::{Dataset, Group, LoadShape, Variant, Workload, choose_baseline};
use crate::verdict::{Gate, Headline, Verdict, deciding, headline};

use refused::mismatched;
use rows::judge_rows;
use run_lists::run_lists;
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

/// A comparison without metrics.
fn empty(
    group: &Group,
    baseline: &Variant,
    candidate: &Variant,
    findings: Vec<Finding>,
    policy: &Policy,
) -> Comparison {
    let [baseline_runs, candidate_runs] = run_lists(baseline, candidate);
    let named = |variant: &Variant, run_list| Named {
        name: variant.name.clone(),
        runs: variant.runs.len(),
        run_list,
    };
    let claims = [baseline, candidate].into_iter().flat_map(|variant| {
        variant.runs.iter().flat_map(|run| &run.claims).map(|claim| ClaimRow {
            variant: variant.name.clone(),
            text: claim.text.clone(),
            place: claim.source.to_string(),
        })
    });
    Comparison {
        workload: group.workload.clone(),
        load: LoadShape::of(&group.workload, &[&baseline.runs, &candidate.runs]),
        cell: BTreeMap::new(),
        baseline: named(baseline, baseline_runs),
        candidate: named(candidate, candidate_runs),
        confidence: policy.confidence,
        look: policy.look.map(|look| (look.number, look.of)),
        headline: Headline::NoVerdict,
        gate: Gate::None,
        summary: String::new(),
        next_step: String::new(),
        per_request: None,
        metrics: Vec::new(),
        claims: claims.collect(),
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
    let load = LoadShape::of(&group.workload, &[&baseline.runs, &candidate.runs]);
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
    let findings = checks::run(&Context {
        group,
        baseline,
        candidate,
        load,
        rows: &rows,
        deciding: &deciding,
        pairs: runs.pairs.as_ref(),
        policy,
    });
    let incomparable = findings.iter().any(|finding| finding.incomparable);
    let mut judged = judge_rows(rows, &deciding, &findings, load, policy);
    if let Some(alone) = alone {
        let alone = judge_rows(alone, &deciding, &findings, load, policy);
        rows::without_borrowing(&mut judged, &alone);
    }
    let mut comparison = empty(group, baseline, candidate, findings, policy);
    comparison.per_request = per_request(&judged, baseline, load);
    comparison.metrics = judged;
    let verdicts: Vec<Verdict> = comparison.deciding().map(|row| row.verdict).collect();
    comparison.headline = if incomparable { Headline::NotComparable } else { headline(&verdicts) };
    comparison.gate = gate(&comparison, policy);
    comparison.summary = report::summary(&comparison);
    comparison.next_step = report::next_step(&comparison);
    comparison
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

/// Splits the change of a mean request into TTFT and decode.
fn per_request(rows: &[Row], baseline: &Variant, load: LoadShape) -> Option<PerRequest> {
    if !matches!(load, LoadShape::Closed { .. } | LoadShape::Burst) {
        return None;
    }
    let change =
        |name: &str| rows.iter().find(|row| row.metric == name).map(|row| row.delta.absolute);
    let (ttft_ms, tpot_ms) = (change("mean_ttft_ms")?, change("mean_tpot_ms")?);
    let lengths: Option<Vec<f64>> = baseline
        .runs
        .iter()
        .map(|run| Some(run.output_tokens? as f64 / run.completed.filter(|n| *n > 0)? as f64))
        .collect();
    let lengths = lengths?;
    let output_tokens = lengths.iter().sum::<f64>() / lengths.len() as f64;
    let decode_ms = tpot_ms * (output_tokens - 1.0);
    Some(PerRequest { ttft_ms, decode_ms, total_ms: ttft_ms + decode_ms, output_tokens })
}
