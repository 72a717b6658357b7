//! The whole path in memory: from a [`Dataset`] to a [`Report`].

mod rows;

use std::collections::BTreeMap;

use crate::checks;
use crate::checks::{Context, Finding};
use crate::compare::{Measured, measure};
use crate::error::Error;
use crate::metrics::{Family, Metric, Statistic};
use crate::policy::Policy;
use crate::report;
use crate::report::{
    Check, ClaimRow, Comparison, InputRow, MarginRow, Named, PerRequest, Report, Row, SCHEMA,
    Settings, SkippedRow, Unmatched,
};
use crate::runs::{Dataset, Group, LoadShape, UnclearBaseline, Variant, Workload, choose_baseline};
use crate::stats::{Across, Method};
use crate::verdict::{Gate, Headline, Verdict, deciding, headline};

use rows::judge_rows;

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
    let names = dataset.variant_names();
    if names.len() < 2 {
        return Err(one_variant(dataset, &names));
    }
    if let Some(base) = base {
        choose_baseline(&names, Some(base), None).map_err(|unclear| ambiguous(&unclear, &names))?;
    }
    let mut comparisons = Vec::new();
    let mut alone: Vec<(&Group, &Variant)> = Vec::new();
    for group in &dataset.groups {
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
            comparisons.push(compare(group, baseline, candidate, policy));
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
        inputs: inputs(dataset),
        comparisons,
        unmatched,
        batch: None,
    })
}

/// An error if no run has a metric that the user named.
fn no_such_metric(dataset: &Dataset, policy: &Policy) -> Result<(), Error> {
    let has = |name: &str| dataset.runs().any(|(.., run)| run.metrics.contains_key(name));
    let Some(missing) = policy.selected.iter().find(|selected| !has(&selected.name)) else {
        return Ok(());
    };
    let known: std::collections::BTreeSet<&str> =
        dataset.runs().flat_map(|(.., run)| run.metrics.keys().map(String::as_str)).collect();
    let known: Vec<&str> = known.into_iter().collect();
    let problem = format!("expected a metric \"{}\", found {}", missing.name, known.join(", "));
    Err(Error::usage(problem, "name one of these with --metric"))
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

fn one_variant(dataset: &Dataset, names: &[&str]) -> Error {
    let runs = dataset.runs().count();
    let found = names.first().map_or_else(
        || "none".to_owned(),
        |name| format!("one, \"{name}\" with {runs} run{}", if runs == 1 { "" } else { "s" }),
    );
    let remedy = "give the runs before and after the change: BEFORE=PATH AFTER=PATH, two folders, or a \
                  note with a heading for each";
    Error::usage(format!("expected at least two variants to compare, found {found}"), remedy)
}

fn ambiguous(unclear: &UnclearBaseline, labels: &[&str]) -> Error {
    let quoted: Vec<String> = labels.iter().map(|label| format!("\"{label}\"")).collect();
    let all = quoted.join(", ");
    let problem = match unclear {
        UnclearBaseline::NoSuchLabel(wanted) => {
            format!("expected a variant \"{wanted}\" for --base, found {all}")
        }
        UnclearBaseline::NoneSays => {
            format!(
                "expected one label that says it is the baseline (label-ambiguous), found {all}"
            )
        }
        UnclearBaseline::SeveralSay(several) => format!(
            "expected one label that says it is the baseline (label-ambiguous), found {}",
            several.iter().map(|label| format!("\"{label}\"")).collect::<Vec<_>>().join(" and ")
        ),
    };
    Error::usage(problem, format!("name it with --base, for example --base {}", quoted[0]))
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

/// A baseline and a candidate of different workloads.
struct Refused<'a> {
    group: &'a Group,
    baseline: &'a Variant,
    other: &'a Group,
    candidate: &'a Variant,
    finding: Finding,
}

impl Refused<'_> {
    /// The comparison that says what differs.
    fn refuse(self, policy: &Policy) -> Comparison {
        let mut comparison =
            empty(self.group, self.baseline, self.candidate, vec![self.finding], policy);
        comparison.headline = Headline::NotComparable;
        comparison.summary = report::summary(&comparison);
        comparison.next_step = report::next_step(&comparison);
        comparison
    }
}

/// The pairs to refuse: runs of the baseline and of others that stand alone, each with the baseline's
/// workload that differs least from its own.
fn mismatched<'a>(
    alone: &[(&'a Group, &'a Variant)],
    comparisons: &[Comparison],
    names: &[&str],
    base: Option<&str>,
    first_of_two: Option<&str>,
) -> Result<Vec<Refused<'a>>, Error> {
    let chosen = choose_baseline(names, base, first_of_two);
    if let (Err(unclear), true) = (&chosen, comparisons.is_empty()) {
        return Err(ambiguous(unclear, names));
    }
    let is_base = |name: &str| {
        chosen.as_ref().is_ok_and(|&index| names[index] == name)
            || comparisons.iter().any(|comparison| comparison.baseline.name == name)
    };
    let bases: Vec<&(&Group, &Variant)> = alone.iter().filter(|(_, v)| is_base(&v.name)).collect();
    let others = alone.iter().filter(|(_, variant)| !is_base(&variant.name));
    let refused = others.filter_map(|&(other, candidate)| {
        let nearest = bases.iter().min_by_key(|(group, _)| distance(group, other))?;
        let &&(group, baseline) = nearest;
        let finding = checks::mismatch(&group.workload, &other.workload)?;
        Some(Refused { group, baseline, other, candidate, finding })
    });
    Ok(refused.collect())
}

/// Number of fields in which two workloads differ.
fn distance(a: &Group, b: &Group) -> usize {
    checks::mismatch(&a.workload, &b.workload)
        .and_then(|finding| finding.evidence.get("fields")?.as_array().map(Vec::len))
        .unwrap_or(0)
}

/// A comparison without metrics.
fn empty(
    group: &Group,
    baseline: &Variant,
    candidate: &Variant,
    findings: Vec<Finding>,
    policy: &Policy,
) -> Comparison {
    let named = |variant: &Variant| Named { name: variant.name.clone(), runs: variant.runs.len() };
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
        baseline: named(baseline),
        candidate: named(candidate),
        confidence: policy.confidence,
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
fn compare(group: &Group, baseline: &Variant, candidate: &Variant, policy: &Policy) -> Comparison {
    let mut rows = measure(baseline, candidate, policy);
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
        policy,
    });
    let incomparable = findings.iter().any(|finding| finding.incomparable);
    let judged = judge_rows(rows, &deciding, &findings, load, policy);
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

fn settings(policy: &Policy, comparisons: &[Comparison]) -> Settings {
    let margins = comparisons
        .iter()
        .flat_map(|comparison| &comparison.metrics)
        .map(|row| {
            let margin = policy.margin(&policy.metric(&row.metric));
            (row.metric.clone(), MarginRow { relative: margin.relative, absolute: margin.absolute })
        })
        .collect();
    Settings {
        confidence: policy.confidence,
        method: match policy.method {
            Method::Calibrated => "calibrated",
            Method::Percentile => "percentile",
            Method::Bca => "bca",
            Method::Welch => "welch",
        },
        resamples: policy.resampling.count,
        seed: policy.resampling.seed,
        across: match policy.across {
            Across::Mean => "mean".to_owned(),
            Across::Median => "median".to_owned(),
            Across::Quantile(q) => Statistic::Quantile(q).word(),
            Across::HodgesLehmann => "hodges-lehmann".to_owned(),
        },
        margins,
        tolerance: policy.tolerance,
    }
}

fn inputs(dataset: &Dataset) -> Vec<InputRow> {
    let skipped = |input: &crate::runs::Input| {
        let rows = input.skipped.iter();
        rows.map(|s| SkippedRow { place: s.place.clone(), why: s.why.clone() }).collect()
    };
    dataset
        .inputs
        .iter()
        .map(|input| InputRow {
            path: input.path.clone(),
            format: input.format,
            runs: input.runs,
            skipped: skipped(input),
        })
        .collect()
}
