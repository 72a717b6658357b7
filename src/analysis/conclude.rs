//! From an assessed comparison to what the report says of it.

use std::collections::BTreeMap;

use rayon::prelude::*;

use crate::analysis::account::per_request;
use crate::analysis::adjust::{Adjusted, Correction, Tests, adjust};
use crate::analysis::assess::{Assessed, shape};
use crate::analysis::gate::gate;
use crate::analysis::run_lists::run_lists;
use crate::analysis::trade_off::trade_off;
use crate::analysis::{finding_row, rows, sensitivity};
use crate::checks;
use crate::checks::Finding;
use crate::noise_prior::NoisePool;
use crate::policy::Policy;
use crate::report;
use crate::report::{Comparison, LevelRow, LevelsRow, Named, Row};
use crate::runs::{Group, Levels, Variant};
use crate::verdict::{Gate, Headline, Verdict, headline};

/// Shared by all comparisons of a call.
#[derive(Clone, Copy)]
pub(super) struct Job<'a> {
    pub(super) lenders: &'a NoisePool<'a>,
    pub(super) policy: &'a Policy,
    /// Names of all variants.
    pub(super) variants: &'a [&'a str],
    /// Whether it is a batch, which shows no verdict without a suspected run.
    pub(super) batch: bool,
}

/// Corrects the p-values of all comparisons of a call as one list, and judges each.
pub(super) fn conclude_all(assessed: Vec<Assessed>, job: Job) -> Vec<Comparison> {
    let policy = job.policy;
    let together = job.batch || assessed.len() > 1;
    let tests: Vec<Tests> = assessed.iter().map(|one| one.tests(&one.rows, policy)).collect();
    // Rows that borrow nothing are judged alike with their own noise alone.
    let tests_alone: Vec<Tests> = assessed
        .iter()
        .map(|one| one.tests(one.alone.as_ref().unwrap_or(&one.rows), policy))
        .collect();
    let (adjusted, correction) = adjust(&tests, together, policy.alpha());
    let (adjusted_alone, _) = adjust(&tests_alone, together, policy.alpha());
    let among = assessed.len();
    let inputs: Vec<_> = assessed.into_iter().zip(adjusted).zip(adjusted_alone).collect();
    inputs
        .into_par_iter()
        .map(|((one, adjusted), alone)| {
            conclude(one, (&adjusted, &alone), (&correction, among), job)
        })
        .collect()
}

fn conclude(
    mut assessed: Assessed,
    (adjusted, adjusted_alone): (&[Option<Adjusted>], &[Option<Adjusted>]),
    (correction, among): (&Correction, usize),
    job: Job,
) -> Comparison {
    let policy = job.policy;
    let alone = if assessed.alone.is_some() { adjusted_alone } else { &[] };
    assessed.restore_curves((adjusted, alone), job.lenders, policy);
    let tests = assessed.tests(&assessed.rows, policy);
    let measured = std::mem::take(&mut assessed.rows);
    let mut judged = rows::judge_rows(&assessed, measured, adjusted, &tests, policy);
    if let Some(alone) = assessed.alone.take() {
        let tests = assessed.tests(&alone, policy);
        let alone = rows::judge_rows(&assessed, alone, adjusted_alone, &tests, policy);
        rows::without_borrowing(&mut judged, &alone);
    }
    let mut findings = std::mem::take(&mut assessed.findings);
    let mut comparison = Comparison {
        cell: std::mem::take(&mut assessed.cell),
        claims: std::mem::take(&mut assessed.claims),
        per_request: per_request(&judged, assessed.runs.baseline, assessed.load, policy),
        metrics: judged,
        among,
        levels: assessed.runs.levels.as_ref().map(levels_row),
        ..empty(assessed.group.1, assessed.runs.baseline, assessed.runs.candidate, policy)
    };
    comparison.headline = if findings.iter().any(Finding::is_incomparable) {
        Headline::NotComparable
    } else {
        headline(&verdicts(comparison.deciding()))
    };
    findings.extend(trade_off(&comparison));
    let mut without = BTreeMap::new();
    if job.batch {
        sensitivity::leave_open(&mut findings);
    } else {
        without = sensitivity::add(&mut findings, &comparison, &assessed, correction, job);
        comparison.suspects = sensitivity::suspects(&findings, &assessed.runs);
        comparison.in_pairs = sensitivity::in_pairs(&comparison, &assessed, job);
    }
    checks::sort(&mut findings);
    comparison.checks = findings.into_iter().map(finding_row).collect();
    for check in &mut comparison.checks {
        check.without = without.remove(&check.id);
    }
    finish(&mut comparison, &assessed.one_sided, policy);
    comparison
}

/// Fills in the sentences of a comparison and the answer of the gate.
pub(super) fn finish(comparison: &mut Comparison, one_sided: &[String], policy: &Policy) {
    comparison.summary = report::summary(comparison);
    (comparison.gate, comparison.gate_reason) = gate(comparison, one_sided, policy);
    comparison.next_step = report::next_step(comparison);
}

/// The levels of nested repeats as the report shows them.
fn levels_row(levels: &Levels) -> LevelsRow {
    let counts = levels.columns.iter().zip(&levels.counts);
    let row = |(column, &[baseline, candidate]): (&String, &[usize; 2])| LevelRow {
        column: column.clone(),
        baseline,
        candidate,
    };
    let units = [0, 1].map(|side: usize| levels.units[side].len());
    LevelsRow {
        levels: counts.map(row).collect(),
        unit: levels.columns[levels.unit].clone(),
        blocks: levels.blocks.then_some(units[0]),
        units,
        values_per_run: levels.inside,
        left_out: levels.alone,
        are_runs: levels.are_runs(),
    }
}

/// The verdict of each row with the size of its change in margins.
pub(super) fn verdicts<'a>(rows: impl Iterator<Item = &'a Row>) -> Vec<(Verdict, f64)> {
    rows.map(|row| {
        let size = row.delta.relative.map_or(0.0, |change| change.abs() / row.margin);
        (row.verdict, if size.is_nan() { 0.0 } else { size })
    })
    .collect()
}

/// A comparison without metrics, findings and claims.
pub(super) fn empty(
    group: &Group,
    baseline: &Variant,
    candidate: &Variant,
    policy: &Policy,
) -> Comparison {
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
        among: 1,
        suspects: Vec::new(),
        in_pairs: None,
        levels: None,
        per_request: None,
        metrics: Vec::new(),
        claims: Vec::new(),
        checks: Vec::new(),
    }
}
