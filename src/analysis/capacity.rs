//! Capacity at a service level objective: from the runs of a sweep to its row in the report.

use crate::analysis::assess::Assessed;
use crate::analysis::gate::{self, missing_verdict};
use crate::compare::Pairing;
use crate::format::percent;
use crate::metrics::Metric;
use crate::policy::{Policy, Slo};
use crate::report::{
    CapacityRow, CapacitySide, Comparison, LimitRow, SloRow, SloSide, SweepRow, capacity_statement,
};
use crate::runs::{Sweep, Value};
use crate::stats::{
    Capacity, CapacityChange, Interval, Limit, LoadRuns, Reached, Sample, capacity, holm,
    holm_levels, simultaneous_intervals,
};
use crate::verdict::{Change, Gate, Verdict, judge};

/// The capacities of a sweep before they are judged.
pub(super) struct Capacities {
    throughput: Metric,
    sides: [Option<Capacity>; 2],
    change: Option<CapacityChange>,
}

/// The capacities of every sweep, in their order; empty without limits.
pub(super) fn measure(sweeps: &[Sweep], assessed: &[Assessed], policy: &Policy) -> Vec<Capacities> {
    if policy.slo.is_empty() {
        return Vec::new();
    }
    sweeps.iter().map(|sweep| of_sweep(sweep, assessed, policy)).collect()
}

/// How the variants of a single load meet each limit.
pub(super) fn at_one_load(runs: &Pairing, policy: &Policy) -> Vec<SloRow> {
    let side = |slo: &Slo, side: usize| {
        let (values, _) = runs.values(side, &slo.metric)?;
        let values: Vec<f64> = values.into_iter().map(|value| value.value).collect();
        let met = values.iter().filter(|value| slo.holds(**value)).count();
        let sample = Sample::new(values).ok()?;
        let interval = simultaneous_intervals(&[&sample], policy.confidence)[0];
        Some(SloSide {
            estimate: sample.mean(),
            interval: interval.map(|interval| [interval.low, interval.high]),
            met,
            runs: sample.runs(),
        })
    };
    let row = |slo: &Slo| SloRow {
        limit: limit_row(slo, policy),
        baseline: side(slo, 0),
        candidate: side(slo, 1),
    };
    policy.slo.iter().map(row).collect()
}

fn limit_row(slo: &Slo, policy: &Policy) -> LimitRow {
    let metric = policy.metric(&slo.metric);
    LimitRow {
        label: metric.label,
        unit: metric.unit.symbol(),
        sign: slo.sign(),
        value: slo.value,
        metric: metric.name,
    }
}

fn of_sweep(sweep: &Sweep, assessed: &[Assessed], policy: &Policy) -> Capacities {
    // A load without a limit has no place on the axis.
    let finite = sweep.points.iter().filter(|(load, _)| load.is_finite() && *load > 0.0);
    let points: Vec<(f64, &Pairing)> =
        finite.map(|(load, at)| (*load, &assessed[*at].runs)).collect();
    let has = |name: &&&str| {
        points.iter().any(|(_, runs)| [0, 1].iter().all(|side| runs.values(*side, name).is_some()))
    };
    let throughput = Slo::THROUGHPUTS.iter().find(has).unwrap_or(&Slo::THROUGHPUTS[0]);
    let mut names = vec![*throughput];
    names.extend(policy.slo.iter().map(|limit| limit.metric.as_str()));
    let loads = [0, 1].map(|side: usize| -> Vec<LoadRuns> {
        let at = |(load, runs): &(f64, &Pairing)| LoadRuns {
            load: *load,
            runs: whole_runs(runs, side, &names),
        };
        points.iter().map(at).filter(|load| !load.runs.is_empty()).collect()
    });
    let limits: Vec<Limit> =
        policy.slo.iter().map(|limit| Limit { value: limit.value, below: limit.below }).collect();
    let [a, b] = &loads;
    let sides = [a, b].map(|loads| capacity(loads, &limits));
    let change = CapacityChange::new([a, b], &limits, policy.resampling);
    Capacities { throughput: policy.metric(throughput), sides, change }
}

/// The values of these metrics of every run of a variant that has them all.
fn whole_runs(runs: &Pairing, side: usize, names: &[&str]) -> Vec<Vec<f64>> {
    let columns: Option<Vec<_>> = names.iter().map(|name| runs.values(side, name)).collect();
    let Some(columns) = columns else { return Vec::new() };
    let of_run = |run: &usize| -> Option<Vec<f64>> {
        let value = |(values, known): &(Vec<Value>, Vec<usize>)| {
            let at = known.iter().position(|other| other == run)?;
            Some(values[at].value).filter(|value| *value > 0.0)
        };
        columns.iter().map(value).collect()
    };
    columns[0].1.iter().filter_map(of_run).collect()
}

/// Judges the capacities and adds them to the sweeps of the report, which come in the same order.
pub(super) fn add(sweeps: &mut [SweepRow], found: Vec<Capacities>, policy: &Policy) {
    let p_value = |one: &Capacities| {
        let change = one.change.as_ref().filter(|_| bounds(one).is_some());
        change.map(CapacityChange::p_value)
    };
    let raw: Vec<Option<f64>> = found.iter().map(p_value).collect();
    let known: Vec<f64> = raw.iter().copied().flatten().collect();
    let mut adjusted = holm(&known).into_iter().zip(holm_levels(&known, policy.alpha()));
    for ((sweep, one), p_value) in sweeps.iter_mut().zip(found).zip(raw) {
        let corrected = p_value.and_then(|_| adjusted.next());
        let mut row = row(&one, p_value, corrected, policy);
        row.statement = capacity_statement(&row, sweep);
        sweep.capacity = Some(row);
    }
}

/// The log ratio of the capacities: the estimate, or the bound that is known; `None` where there is none.
fn bounds(one: &Capacities) -> Option<f64> {
    let [a, b] = [one.sides[0].as_ref()?, one.sides[1].as_ref()?];
    let known = matches!(
        (a.reached, b.reached),
        (Reached::Inside, _)
            | (_, Reached::Inside)
            | (Reached::AtMost, Reached::AtLeast)
            | (Reached::AtLeast, Reached::AtMost)
    );
    known.then(|| (b.throughput / a.throughput).ln())
}

fn row(
    one: &Capacities,
    p_value: Option<f64>,
    corrected: Option<(f64, f64)>,
    policy: &Policy,
) -> CapacityRow {
    let alpha = policy.alpha();
    let estimate = bounds(one).map(f64::exp_m1);
    let margin = policy.margin(&one.throughput).relative;
    let ends = |level: f64| {
        let log = one.change.as_ref().map(|change| change.interval(1.0 - level));
        log.map(|ends| ends.map(f64::exp_m1))
    };
    let finite = |end: f64| Some(end).filter(|end| end.is_finite() && *end > -1.0);
    let both_sides = 2.0 * policy.equality_alpha();
    let within = ends(both_sides);
    let (verdict, interval, reason) = match (estimate, corrected) {
        (Some(estimate), Some((p_adjusted, level))) => {
            let equivalence =
                within.map(|[low, high]| Interval { low, high, confidence: 1.0 - both_sides });
            let verdict = judge(Change { estimate, p_adjusted, equivalence }, margin, alpha);
            // An interval that holds zero by itself is no claim.
            let level = if p_value.is_some_and(|p| p >= alpha) { alpha } else { level };
            (verdict, ends(level).map_or([None; 2], |ends| ends.map(finite)), String::new())
        }
        (Some(_), None) => {
            (Verdict::NotJudged, [None; 2], "a load that matters has one run only".to_owned())
        }
        (None, _) => (Verdict::NotJudged, [None; 2], why_none(one).to_owned()),
    };
    let limits = policy.slo.iter().map(|limit| limit_row(limit, policy));
    let side = |found: &Option<Capacity>| {
        found.map(|found| CapacitySide {
            load: found.load,
            throughput: found.throughput,
            reached: found.reached,
            binding: policy.slo[found.binding].metric.clone(),
        })
    };
    CapacityRow {
        limits: limits.collect(),
        throughput: one.throughput.name.clone(),
        unit: one.throughput.unit.symbol(),
        baseline: side(&one.sides[0]),
        candidate: side(&one.sides[1]),
        relative: estimate,
        relative_ci_adjusted: interval,
        relative_ci_equivalence: within
            .filter(|ends| ends.iter().all(|end| finite(*end).is_some())),
        equivalence_confidence: policy.equality_confidence(),
        p_value,
        p_adjusted: corrected.map(|(p, _)| p),
        margin,
        tolerance: policy.tolerance_of(Slo::CAPACITY),
        guard: policy.guards.iter().any(|name| name == Slo::CAPACITY),
        verdict,
        reason,
        statement: String::new(),
        confidence: policy.confidence,
    }
}

/// Why two capacities have no ratio.
fn why_none(one: &Capacities) -> &'static str {
    let reached = one.sides.each_ref().map(|side| side.as_ref().map(|side| side.reached));
    match reached {
        [Some(Reached::AtLeast), Some(Reached::AtLeast)] => {
            "both meet the limits at every load: measure higher loads to find their capacity"
        }
        [Some(Reached::AtMost), Some(Reached::AtMost)] => {
            "neither meets the limits at any load: measure lower loads to find their capacity"
        }
        _ => {
            "a variant has no run with all of these; limits are on figures of a run, such as p99_ttft_ms"
        }
    }
}

/// The answers of the gate for the capacities that it guards, with their reasons.
pub(super) fn gate(
    sweeps: &[SweepRow],
    comparisons: &[Comparison],
    policy: &Policy,
) -> Vec<(Gate, String)> {
    let guarded = sweeps.iter().filter_map(|sweep| sweep.capacity.as_ref().map(|row| (sweep, row)));
    let answer = |(sweep, row): (&SweepRow, &CapacityRow)| {
        let name = &sweep.candidate;
        let worse = matches!(row.verdict, Verdict::Worse | Verdict::TinyWorse);
        let size = row.relative.map_or(0.0, f64::abs);
        match row.verdict {
            _ if worse && size > row.tolerance => {
                let [size, tolerance] = [size, row.tolerance].map(percent);
                let reason =
                    format!("{name}: guard capacity is worse by {size}, {tolerance} is tolerated");
                gate::worse(reason, sweep.comparisons(comparisons), policy)
            }
            Verdict::NotJudged => {
                let reason = format!("{name}: guard capacity was not judged: {}", row.reason);
                missing_verdict(reason, policy)
            }
            _ => (Gate::Pass, String::new()),
        }
    };
    let asked = !policy.slo.is_empty() && policy.guards.iter().any(|name| name == Slo::CAPACITY);
    if asked && sweeps.is_empty() {
        let reason = "guard capacity needs a workload at several loads in both variants (--along)";
        return vec![missing_verdict(reason.to_owned(), policy)];
    }
    guarded.filter(|(_, row)| row.guard).map(answer).collect()
}
