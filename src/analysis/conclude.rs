//! From a measured comparison to its report: corrected p-values, verdicts, findings, sentences.

use std::collections::BTreeMap;

use rayon::prelude::*;

use crate::analysis::adjust::{Adjusted, Correction, Lists, Tests, adjust};
use crate::analysis::assess::Assessed;
use crate::analysis::capacity::at_one_load;
use crate::analysis::gate::{self, gate};
use crate::analysis::job::Job;
use crate::analysis::latency_breakdown::per_request;
use crate::analysis::promotion;
use crate::analysis::published;
use crate::analysis::requests;
use crate::analysis::run_lists::run_lists;
use crate::analysis::sweep::families;
use crate::analysis::trade_off::trade_off;
use crate::analysis::{judge, sensitivity};
use crate::checks::{self, Finding};
use crate::compare::{Measured, Pairing};
use crate::policy::Policy;
use crate::report::comparison::also_worse::also_worse;
use crate::report::comparison::claim::claim;
use crate::report::comparison::command::Next;
use crate::report::comparison::next::{Hints, next_step};
use crate::report::comparison::words;
use crate::report::{
    Among, Check, Comparison, InSessionsRow, LevelRow, LevelsRow, Named, NextCommand, Row,
    SessionRow, SessionUnit, SessionsRow,
};
use crate::runs::{Levels, Session, Sweep, Variant};
use crate::stats::{Adjustment, SESSIONS_AS_UNITS};
use crate::verdict::{Decision, Gate, Headline, headline};

/// Corrects the p-values of all comparisons of a call as one list, and judges each comparison; incomparable runs have none.
pub(super) fn conclude_all<'a>(
    mut assessed: Vec<Assessed<'a>>,
    incomparable: Vec<Assessed<'a>>,
    sweeps: &[Sweep],
    job: Job,
) -> Vec<Comparison> {
    let policy = job.policy;
    let compared = assessed.len().max(1);
    let several = if job.batch || compared > 1 { Lists::Together } else { Lists::Alone };
    assessed.extend(incomparable);
    let lists = families(sweeps, assessed.len()).unwrap_or(several);
    let among = |at: usize| {
        let sweep = sweeps.iter().find(|sweep| sweep.points.iter().any(|point| point.1 == at));
        match (sweep, compared) {
            (Some(sweep), _) => Among::Loads(sweep.points.len()),
            (None, 1) => Among::Alone,
            (None, n) => Among::Comparisons(n),
        }
    };
    let among: Vec<Among> = (0..assessed.len()).map(among).collect();
    let tests = |p_value: fn(&Measured) -> Option<f64>| -> Vec<Tests> {
        assessed.iter().map(|one| one.tests(&one.rows, p_value, policy)).collect()
    };
    let (adjusted, corrections) = adjust(&tests(|row| row.p_value), &lists, policy.alpha());
    let (adjusted_own, _) = adjust(&tests(|row| row.own().p_value), &lists, policy.alpha());
    let inputs = assessed.into_iter().zip(adjusted).zip(adjusted_own);
    let inputs: Vec<_> = inputs.zip(corrections.iter().zip(among)).collect();
    let mut comparisons: Vec<Comparison> = inputs
        .into_par_iter()
        .map(|(((one, adjusted), adjusted_own), (correction, among))| {
            conclude(one, (&adjusted, &adjusted_own), (correction, among), job)
        })
        .collect();
    published::count_candidates(&mut comparisons);
    comparisons
}

fn conclude(
    mut assessed: Assessed,
    adjusted: (&[Option<Adjusted>], &[Option<Adjusted>]),
    (correction, among): (&Correction, Among),
    job: Job,
) -> Comparison {
    let policy = job.policy;
    assessed.restore_curves(adjusted, job.noise, policy);
    let mut hints = Hints {
        runs_needed: assessed.runs_needed(),
        look: policy
            .look
            .as_ref()
            .filter(|look| look.runs.is_empty())
            .map(|look| (look.number, look.of)),
        ..Hints::default()
    };
    let measured = std::mem::take(&mut assessed.rows);
    if !job.batch {
        let of_list = |row: &Measured| (row.metric.name.clone(), row.wider.clone());
        assessed.wider = measured.iter().map(of_list).collect();
    }
    let mut judged = judge::judge_rows(&assessed, measured, adjusted, policy);
    mark_differing(&mut judged);
    requests::add(&mut judged, &assessed, policy);
    let atlas = published::add(&mut judged, &assessed, job);
    let mut findings = std::mem::take(&mut assessed.findings);
    let mut comparison = unconcluded(&mut assessed, judged, among, policy);
    comparison.atlas = atlas;
    published::grade_claims(&mut findings, &mut comparison);
    comparison.headline = if findings.iter().any(Finding::is_incomparable) {
        Headline::NotComparable
    } else {
        headline(&judge::verdicts(comparison.deciding()))
    };
    findings.extend(trade_off(&comparison));
    let mut without = BTreeMap::new();
    if job.batch {
        sensitivity::leave_open(&mut findings);
    } else {
        without = sensitivity::add(&mut findings, &comparison, &assessed, correction, job);
        hints.suspects = sensitivity::suspects(&findings, &assessed.runs);
        hints.in_pairs = sensitivity::in_pairs(&comparison, &assessed, job);
    }
    checks::sort(&mut findings);
    let check = |finding: Finding| {
        let suspects = sensitivity::names(&finding, &assessed.runs);
        Check { suspects, ..finding_row(finding) }
    };
    comparison.checks = findings.into_iter().map(check).collect();
    for check in &mut comparison.checks {
        check.without = without.remove(&check.id);
    }
    sensitivity::name_what_rows_rest_on(&mut comparison);
    comparison.summary = words::summary(&comparison);
    comparison.also_worse = also_worse(&comparison).map(|also| also.line());
    (comparison.gate, comparison.gate_reason) = gate(&comparison, &assessed.one_sided, policy);
    for at in 0..comparison.metrics.len() {
        comparison.metrics[at].gate = gate::of_row(&comparison, &comparison.metrics[at], policy);
    }
    (comparison.decision, comparison.decision_reason) = promotion::decide(&comparison, policy);
    let claim = claim(&comparison, policy);
    comparison.may_claim = claim.sentence;
    let next = claim.next.map_or_else(|| next_step(&comparison, &hints), Next::from);
    (comparison.next_step, comparison.next_command) = (next.step, next.command);
    if let Some(more) = next.more {
        comparison.name_more_runs(more);
    }
    comparison
}

/// Level at which a change is shown to differ between sessions, over all metrics of a comparison.
const DIFFERS: f64 = 0.05;

/// Marks the rows whose change is shown to differ between sessions: by Holm over the rows.
fn mark_differing(rows: &mut [Row]) {
    let mut tested: Vec<(&mut InSessionsRow, f64)> = rows
        .iter_mut()
        .filter_map(|row| row.in_sessions.as_mut())
        .filter_map(|of| of.interaction_p.map(|p| (of, p)))
        .collect();
    let raw: Vec<f64> = tested.iter().map(|(_, p)| *p).collect();
    for ((row, _), p) in tested.iter_mut().zip(Adjustment::Holm.adjusted(&raw)) {
        row.differs = p <= DIFFERS;
    }
}

/// The sessions of the runs for the report.
fn sessions_row(runs: &Pairing, policy: &Policy) -> Option<SessionsRow> {
    let sessions = runs.sessions.as_ref()?;
    let row = |(at, session): (usize, &Option<Session>)| {
        let [baseline, candidate] = sessions.runs(at);
        let (number, began) = session.clone().map(|of| (of.number, of.began)).unzip();
        SessionRow { number, began, baseline, candidate }
    };
    let unit = runs.sessions_of(policy).map(|sessions| match sessions.of_both().len() {
        SESSIONS_AS_UNITS.. => SessionUnit::Session,
        _ => SessionUnit::Run,
    });
    Some(SessionsRow { sessions: sessions.all.iter().enumerate().map(row).collect(), unit })
}

/// The levels of nested repeats for the report.
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

/// A judged comparison, still without findings and headline.
fn unconcluded(
    assessed: &mut Assessed,
    metrics: Vec<Row>,
    among: Among,
    policy: &Policy,
) -> Comparison {
    let (baseline, candidate) = (assessed.runs.baseline, assessed.runs.candidate);
    let [baseline_runs, candidate_runs] = run_lists(baseline, candidate);
    let named = |variant: &Variant, run_list| Named {
        name: variant.name.clone(),
        runs: variant.runs.len(),
        failed: variant.failed.len(),
        run_list,
    };
    Comparison {
        workload: assessed.group.1.workload.clone(),
        load: assessed.load,
        cell: std::mem::take(&mut assessed.cell),
        baseline: named(baseline, baseline_runs),
        candidate: named(candidate, candidate_runs),
        confidence: policy.confidence,
        headline: Headline::NoVerdict,
        atlas: None,
        gate: Gate::None,
        gate_reason: String::new(),
        decision: Decision::MoreData,
        decision_reason: String::new(),
        summary: String::new(),
        also_worse: None,
        may_claim: None,
        next_step: String::new(),
        next_command: NextCommand::Nothing,
        among,
        paired: assessed.runs.pairs.is_some(),
        levels: assessed.runs.levels.as_ref().map(levels_row),
        sessions: sessions_row(&assessed.runs, policy),
        slo: match among {
            Among::Loads(_) => Vec::new(),
            _ => at_one_load(&assessed.runs, policy),
        },
        per_request: per_request(&metrics, baseline, assessed.load, policy),
        metrics,
        claims: std::mem::take(&mut assessed.claims),
        checks: Vec::new(),
    }
}

pub(super) fn finding_row(finding: Finding) -> Check {
    Check {
        id: finding.id,
        severity: finding.severity,
        could_flip: finding.could_flip(),
        message: finding.message,
        evidence: finding.evidence,
        details: finding.details,
        suspects: Vec::new(),
        without: None,
    }
}
