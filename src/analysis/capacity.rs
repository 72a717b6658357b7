//! Capacity at a service level objective: from the runs of a sweep to its row in the report.

use crate::analysis::assess::Assessed;
use crate::analysis::gate::{self, missing_verdict};
use crate::analysis::spanning::{RunIdentities, spanning_runs};
use crate::checks::CheckId;
use crate::compare::Pairing;
use crate::format::{self, list, percent};
use crate::metrics::Metric;
use crate::policy::{Policy, Slo};
use crate::report::capacity::words::capacity_statement;
use crate::report::sweep::words as sweep_words;
use crate::report::{
    BrokenRow, CapacityRow, CapacitySide, Comparison, LeftOutLoad, LimitRow, SloRow, SloSide,
    SweepRow,
};
use crate::runs::{Sweep, Value};
use crate::stats::{Adjustment, CapacityChange, Interval, Limit, LoadRuns, Reached, Sample};
use crate::verdict::{Change, Gate, Verdict, judge};

/// Largest ratio of an interval's ends if several loads are within noise of the limit.
const UNDECIDED_FACTOR: f64 = 1.25;

/// Level of the one-sided test that a limit is broken.
const BROKEN_LEVEL: f64 = 0.025;

/// Share of the offered rate; below it the queue grows during a run.
const KEEPS_UP: f64 = 0.97;

/// Ratios of throughput and of latency between two loads; above them, loads in between should be measured.
const WIDE_THROUGHPUT: f64 = 1.2;
const WIDE_LATENCY: f64 = 2.0;

/// The capacities of a sweep before they are judged.
pub(super) struct Capacities {
    throughput: Metric,
    /// The loads at which both variants have all metrics.
    loads: Vec<f64>,
    left_out: Vec<LeftOutLoad>,
    change: Option<CapacityChange>,
    /// Mean throughput and limited metrics of each variant at each load.
    means: [Vec<Vec<f64>>; 2],
    /// The reason why they are not judged.
    refused: Option<Refused>,
    /// Limits that are shown to be broken below a load that meets them.
    broken: Vec<BrokenRow>,
    remarks: Vec<String>,
}

/// The reason for no verdict, with or without the figures of each variant.
enum Refused {
    /// There are no figures.
    NoCapacity(String),
    /// The figures are shown without a verdict.
    NotJudged(String),
}

/// The capacities of every sweep, in their order; empty without limits.
pub(super) fn measure(sweeps: &[Sweep], assessed: &[Assessed], policy: &Policy) -> Vec<Capacities> {
    if policy.slo.is_empty() {
        return Vec::new();
    }
    sweeps.iter().map(|sweep| of_sweep(sweep, assessed, policy)).collect()
}

/// How the variants of a single load meet each limit, by Holm over the limits.
pub(super) fn at_one_load(runs: &Pairing, policy: &Policy) -> Vec<SloRow> {
    let sample = |slo: &Slo, side: usize| {
        let (values, _) = runs.values(side, &slo.metric)?;
        Some(values.into_iter().map(|value| value.value).collect::<Vec<f64>>())
    };
    let side = |slo: &Slo, side: usize| {
        let values = sample(slo, side)?;
        let met = values.iter().filter(|value| slo.holds(**value)).count();
        let sample = Sample::new(values).ok()?;
        let interval = Interval::simultaneous(&[&sample], policy.confidence)[0];
        Some(SloSide {
            estimate: sample.mean(),
            interval: interval.map(|interval| [interval.low, interval.high]),
            met,
            runs: sample.runs(),
        })
    };
    let broken = |slo: &Slo| limit_of(slo).p_value(&sample(slo, 1)?);
    let p: Vec<Option<f64>> = policy.slo.iter().map(broken).collect();
    let mut adjusted =
        Adjustment::Holm.adjusted(&p.iter().copied().flatten().collect::<Vec<_>>()).into_iter();
    let p: Vec<Option<f64>> = p.iter().map(|p| p.and_then(|_| adjusted.next())).collect();
    let row = |(slo, p): (&Slo, Option<f64>)| SloRow {
        limit: limit_row(slo, policy),
        baseline: side(slo, 0),
        candidate: side(slo, 1),
        broken_p: p,
        newly_broken: side(slo, 0).is_some_and(|side| slo.holds(side.estimate))
            && p.is_some_and(|p| p < BROKEN_LEVEL),
    };
    policy.slo.iter().zip(p).map(row).collect()
}

fn limit_of(slo: &Slo) -> Limit {
    Limit { value: slo.value, below: slo.below }
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
    let points: Vec<(f64, &Assessed)> =
        sweep.points.iter().map(|(load, at)| (*load, &assessed[*at])).collect();
    let both = |one: &Assessed, name: &str| {
        [0, 1].iter().all(|side| one.runs.values(*side, name).is_some())
    };
    let at_loads = |name: &&&str| points.iter().filter(|(_, one)| both(one, name)).count();
    // Among the throughputs that most loads have, the first of the list.
    let throughput = Slo::THROUGHPUTS.iter().rev().max_by_key(at_loads);
    let throughput = throughput.copied().unwrap_or(Slo::THROUGHPUTS[0]);
    let has_throughput = at_loads(&&throughput) > 0;
    let mut names = vec![throughput];
    names.extend(policy.slo.iter().map(|limit| limit.metric.as_str()));
    let mut found = Capacities {
        throughput: policy.metric(throughput),
        loads: Vec::new(),
        left_out: Vec::new(),
        change: None,
        means: [Vec::new(), Vec::new()],
        refused: None,
        broken: Vec::new(),
        remarks: Vec::new(),
    };
    let mut runs: [Vec<LoadRuns>; 2] = [Vec::new(), Vec::new()];
    let mut kept: Vec<&Assessed> = Vec::new();
    for (load, one) in &points {
        let of = [0, 1].map(|side: usize| whole_runs(&one.runs, side, &names));
        // A load without a limit has no place on the axis.
        let on_axis = load.is_finite() && *load > 0.0;
        if on_axis && of.iter().all(|runs| !runs.is_empty()) {
            let [a, b] = of;
            runs[0].push(LoadRuns { load: *load, runs: a });
            runs[1].push(LoadRuns { load: *load, runs: b });
            found.loads.push(*load);
            kept.push(one);
        } else {
            let lacks = |side: usize| -> Vec<String> {
                let missing = names.iter().filter(|name| one.runs.values(side, name).is_none());
                missing.map(|name| policy.metric(name).label).collect()
            };
            let variants = [&one.runs.baseline.name, &one.runs.candidate.name];
            let each = [0, 1].map(|side: usize| (variants[side], lacks(side)));
            let each = each.into_iter().filter(|(_, missing)| !missing.is_empty());
            let why: Vec<String> =
                each.map(|(name, missing)| format!("{name} has no {}", list(&missing))).collect();
            let load = Some(*load).filter(|load| load.is_finite());
            let why = if why.is_empty() && !on_axis {
                "no place on the axis of loads".to_owned()
            } else if why.is_empty() {
                "no run has all of the metrics".to_owned()
            } else {
                format!("{} there", list(&why))
            };
            found.left_out.push(LeftOutLoad { load, why });
        }
    }
    let means = |load: &LoadRuns| -> Vec<f64> {
        let n = load.runs.len() as f64;
        (0..names.len()).map(|at| load.runs.iter().map(|run| run[at]).sum::<f64>() / n).collect()
    };
    found.means = runs.each_ref().map(|side| side.iter().map(means).collect());
    if !has_throughput {
        let why = "the variants have no throughput in common (requests/s or tokens/s)";
        found.refused = Some(Refused::NoCapacity(why.to_owned()));
        return found;
    }
    if found.loads.len() < 2 {
        let why = "fewer than two loads have runs of both variants with the throughput and every limited metric";
        found.refused = Some(Refused::NoCapacity(why.to_owned()));
        return found;
    }
    let linked = [0, 1].map(|side: usize| {
        let mut known = RunIdentities::default();
        let loads = kept.iter().map(|one| {
            let runs = &[one.runs.baseline, one.runs.candidate][side].runs;
            runs.iter().map(|run| known.of(run.name.as_deref(), &run.place().path)).collect()
        });
        spanning_runs(&loads.collect::<Vec<_>>()).is_some()
    });
    let limits: Vec<Limit> = policy.slo.iter().map(limit_of).collect();
    let [a, b] = &runs;
    found.change = CapacityChange::new([a, b], &limits, linked);
    let Some(change) = found.change.clone() else {
        let why = "a throughput or a limited metric is zero or negative";
        found.refused = Some(Refused::NoCapacity(why.to_owned()));
        return found;
    };
    let view = View { sweep, change: &change, loads: &found.loads, kept: &kept, policy };
    found.refused = view.refused();
    found.broken = view.broken(&found.means);
    found.remarks = view.remarks();
    found
}

/// A sweep with the change of its capacity, for the sentences about it.
struct View<'a> {
    sweep: &'a Sweep,
    change: &'a CapacityChange,
    loads: &'a [f64],
    /// The comparisons at these loads.
    kept: &'a [&'a Assessed<'a>],
    policy: &'a Policy,
}

impl View<'_> {
    fn load(&self, at: usize) -> String {
        sweep_words::load(&self.sweep.along, Some(self.loads[at]))
    }

    /// Positions of the loads that determine the capacities, each once.
    fn rests_on(&self) -> Vec<usize> {
        let mut all: Vec<usize> =
            self.change.sides().iter().flat_map(|side| side.between).collect();
        all.sort_unstable();
        all.dedup();
        all
    }

    /// The reason why the capacities are not judged.
    fn refused(&self) -> Option<Refused> {
        let names = |side: usize| {
            let runs = &self.kept[0].runs;
            [&runs.baseline.name, &runs.candidate.name][side].clone()
        };
        for at in self.rests_on() {
            for slo in &self.policy.slo {
                let row = self.kept[at].rows.iter().find(|row| row.metric.name == slo.metric);
                // The limit itself asks for a thin tail, and single runs are counted below.
                let asked = |id: CheckId| matches!(id, CheckId::ThinTail | CheckId::TooFewRuns);
                let stop = row.and_then(|row| self.kept[at].stop(row));
                if let Some(stop) = stop.filter(|stop| !asked(stop.id)) {
                    let label = self.policy.metric(&slo.metric).label;
                    let advice = if stop.id == CheckId::P99StartupBurst {
                        ": use P90 or the median, or more requests"
                    } else {
                        ""
                    };
                    let why = format!("{label} at {} is {}{advice}", self.load(at), stop.reason);
                    return Some(Refused::NoCapacity(why));
                }
            }
        }
        let sides = self.change.sides();
        let last = self.load(self.loads.len() - 1);
        match sides.map(|side| side.reached) {
            [Reached::AtMost, Reached::AtMost] => {
                let why = "neither holds the limits at any load: measure lower loads";
                return Some(Refused::NoCapacity(why.to_owned()));
            }
            [Reached::AtLeast, Reached::AtLeast] => {
                let why = format!(
                    "both hold the limits at every load, up to {last}: measure higher loads, or ask a tighter limit"
                );
                return Some(Refused::NoCapacity(why));
            }
            _ => {}
        }
        if let Some(side) = [0, 1].into_iter().find(|side| self.change.rests_on_single(*side)) {
            let at = sides[side].between.map(|at| self.load(at));
            let at = if at[0] == at[1] { at[0].clone() } else { at.join(" or ") };
            let why = format!("{} has a single run at {at}, on which it rests", names(side));
            return Some(Refused::NotJudged(why));
        }
        let [low, high] = self.change.interval(self.policy.confidence);
        if low == f64::NEG_INFINITY && high == f64::INFINITY {
            let why = format!(
                "both may hold the limits up to {last}, where throughput is not shown to have fallen: measure higher loads"
            );
            return Some(Refused::NotJudged(why));
        }
        self.undecided([low, high])
    }

    /// A sentence if several loads are within noise of a limit and the interval is wide.
    fn undecided(&self, [low, high]: [f64; 2]) -> Option<Refused> {
        let bounded = self.change.sides().iter().all(|side| side.reached == Reached::Inside);
        if !bounded || high - low <= UNDECIDED_FACTOR.ln() {
            return None;
        }
        let near = [1, 0].map(|side| self.change.near_limit(side, self.policy.confidence));
        let (limit, loads) = near.into_iter().max_by_key(|(_, loads)| loads.len())?;
        let (first, last) = (loads.first()?, loads.last()?);
        if loads.len() < 2 {
            return None;
        }
        let row = limit_row(&self.policy.slo[limit], self.policy);
        let unit = |value: f64| format::with_unit(&format::trimmed(value, 6), row.unit);
        let [less, more] = [0.9, 1.1].map(|factor| format::trimmed(row.value * factor, 3));
        let span = |end: f64| {
            if end.is_finite() { format::change(end.exp_m1(), 0) } else { "no bound".to_owned() }
        };
        Some(Refused::NotJudged(format!(
            "undecided, from {} to {}: {} stays within noise of {} from {} to {}; try {less} or {}, or more runs at those \
             loads",
            span(low),
            span(high),
            row.label,
            unit(row.value),
            format::trimmed(self.loads[*first], 3),
            self.load(*last),
            format::with_unit(&more, row.unit),
        )))
    }

    /// Limits that are shown to be broken at a load below one that meets them.
    fn broken(&self, means: &[Vec<Vec<f64>>; 2]) -> Vec<BrokenRow> {
        let sides = self.change.sides();
        let shown = self.change.shown_broken();
        let mut rows = Vec::new();
        for broken in &shown {
            let side = &sides[broken.side];
            if side.reached == Reached::AtMost || self.loads[broken.load] >= side.load {
                continue;
            }
            let again = (broken.load + 1..self.loads.len()).find(|at| {
                let slo = &self.policy.slo[broken.limit];
                slo.holds(means[broken.side][*at][broken.limit + 1])
            });
            rows.push(BrokenRow {
                candidate: broken.side == 1,
                load: self.loads[broken.load],
                lowest: broken.load == 0,
                metric: self.policy.slo[broken.limit].metric.clone(),
                baseline: means[0][broken.load][broken.limit + 1],
                value: means[broken.side][broken.load][broken.limit + 1],
                holds_from: again.map(|at| self.loads[at]),
            });
        }
        rows
    }

    /// Remarks that are shown beside the first line.
    fn remarks(&self) -> Vec<String> {
        let mut said = Vec::new();
        for at in self.rests_on() {
            let thin = self.kept[at].findings.iter().find(|one| one.id == CheckId::ThinTail);
            let beyond = thin.and_then(|one| one.evidence.get("beyond")?.as_f64());
            let metrics = thin.and_then(|one| one.evidence.get("metrics"));
            let limited = self.policy.slo.iter().find(|slo| {
                metrics.and_then(|all| all.as_array()).is_some_and(|all| {
                    all.iter().any(|name| name.as_str() == Some(slo.metric.as_str()))
                })
            });
            if let Some((slo, beyond)) = limited.zip(beyond) {
                let (label, load) = (self.policy.metric(&slo.metric).label, self.load(at));
                let beyond = format::trimmed(beyond, 1);
                said.push(format!("{label} rests on {beyond} requests a run at {load}"));
                break;
            }
        }
        if self.sweep.along == "request_rate" {
            let rate = |at: &usize| {
                let of = |side: usize| {
                    let (values, _) = self.kept[*at].runs.values(side, "request_throughput")?;
                    let n = values.len() as f64;
                    Some(values.iter().map(|value| value.value).sum::<f64>() / n)
                };
                let served = [of(0), of(1)].into_iter().flatten().reduce(f64::min)?;
                (served < KEEPS_UP * self.loads[*at]).then_some((*at, served))
            };
            if let Some((at, served)) = self.rests_on().iter().find_map(rate) {
                let (offered, served) =
                    (format::trimmed(self.loads[at], 2), format::trimmed(served, 1));
                said.push(format!(
                    "at {offered} req/s offered only {served} were served: the queue grows during the run, and its latency \
                     depends on the length of the run"
                ));
            }
        }
        said
    }
}

/// For each run of a variant that has all of these metrics, their values.
fn whole_runs(runs: &Pairing, side: usize, names: &[&str]) -> Vec<Vec<f64>> {
    let columns: Option<Vec<_>> = names.iter().map(|name| runs.values(side, name)).collect();
    let Some(columns) = columns else { return Vec::new() };
    let of_run = |run: &usize| -> Option<Vec<f64>> {
        let value = |(values, known): &(Vec<Value>, Vec<usize>)| {
            let at = known.iter().position(|other| other == run)?;
            Some(values[at].value)
        };
        columns.iter().map(value).collect()
    };
    let mut runs: Vec<Vec<f64>> = columns[0].1.iter().filter_map(of_run).collect();
    // Sorted, so that the order of the input changes no digit.
    runs.sort_by(|a, b| a.partial_cmp(b).unwrap_or(std::cmp::Ordering::Equal));
    runs
}

/// Judges the capacities and adds them to the sweeps of the report, which come in the same order.
pub(super) fn add(sweeps: &mut [SweepRow], found: Vec<Capacities>, policy: &Policy) {
    let p_value = |one: &Capacities| {
        let change = one.change.as_ref().filter(|_| one.refused.is_none());
        change.map(CapacityChange::p_value)
    };
    let raw: Vec<Option<f64>> = found.iter().map(p_value).collect();
    let known: Vec<f64> = raw.iter().copied().flatten().collect();
    let mut adjusted = Adjustment::Holm
        .adjusted(&known)
        .into_iter()
        .zip(Adjustment::Holm.levels(&known, policy.alpha()));
    for ((sweep, one), p_value) in sweeps.iter_mut().zip(found).zip(raw) {
        let corrected = p_value.and_then(|_| adjusted.next());
        let mut row = row(one, p_value, corrected, policy);
        row.statement = capacity_statement(&row, sweep);
        sweep.capacity = Some(row);
    }
}

/// The log ratio of the capacities, or of the known bounds; `None` without either.
fn bounds(one: &Capacities) -> Option<f64> {
    if matches!(one.refused, Some(Refused::NoCapacity(_))) {
        return None;
    }
    let [a, b] = one.change.as_ref()?.sides();
    Some((b.throughput / a.throughput).ln())
}

fn row(
    one: Capacities,
    p_value: Option<f64>,
    corrected: Option<(f64, f64)>,
    policy: &Policy,
) -> CapacityRow {
    let alpha = policy.alpha();
    let estimate = bounds(&one).map(f64::exp_m1);
    let margin = policy.margin(&one.throughput).relative;
    let ends = |level: f64| {
        let log = one.change.as_ref().map(|change| change.interval(1.0 - level));
        log.map(|ends| ends.map(f64::exp_m1))
    };
    let finite = |end: f64| Some(end).filter(|end| end.is_finite() && *end > -1.0);
    let both_sides = 2.0 * policy.equality_alpha();
    let within = ends(both_sides);
    let (verdict, interval, reason) = match (estimate, corrected, &one.refused) {
        (Some(estimate), Some((p_adjusted, level)), None) => {
            let equivalence =
                within.map(|[low, high]| Interval { low, high, confidence: 1.0 - both_sides });
            let verdict = judge(Change { estimate, p_adjusted, equivalence }, margin, alpha);
            // An interval that contains zero claims nothing.
            let level = if p_value.is_some_and(|p| p >= alpha) { alpha } else { level };
            (verdict, ends(level).map_or([None; 2], |ends| ends.map(finite)), String::new())
        }
        (_, _, Some(Refused::NoCapacity(why) | Refused::NotJudged(why))) => {
            (Verdict::NotJudged, [None; 2], why.clone())
        }
        _ => (Verdict::NotJudged, [None; 2], "no noise is known".to_owned()),
    };
    let limits = policy.slo.iter().map(|limit| limit_row(limit, policy));
    let side = |at: usize| {
        let found = one.change.as_ref()?.sides()[at];
        Some(CapacitySide {
            load: found.load,
            throughput: found.throughput,
            reached: found.reached,
            binding: policy.slo[found.binding].metric.clone(),
            between: found.between.map(|at| one.loads[at]),
            holds_up_to: found.holds_up_to,
        })
    };
    CapacityRow {
        limits: limits.collect(),
        throughput: one.throughput.name.clone(),
        unit: one.throughput.unit.symbol(),
        baseline: side(0),
        candidate: side(1),
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
        measure_next: measure_next(&one),
        newly_broken: newly_broken(&one, policy),
        left_out: one.left_out,
        broken: one.broken,
        remarks: one.remarks,
        statement: String::new(),
        confidence: policy.confidence,
    }
}

/// Loads to measure between the two that determine a capacity, if throughput or a limited metric differs much between them.
fn measure_next(one: &Capacities) -> Vec<f64> {
    let Some(change) = &one.change else { return Vec::new() };
    let mut wanted: Vec<f64> = Vec::new();
    for (side, means) in change.sides().iter().zip(&one.means) {
        let [low, high] = side.between;
        let apart = |at: usize| {
            let (a, b) = (means[low][at], means[high][at]);
            if a > 0.0 && b > 0.0 { (a / b).max(b / a) } else { 1.0 }
        };
        let limits = 1..means.first().map_or(1, Vec::len);
        if low == high
            || apart(0) <= WIDE_THROUGHPUT && limits.map(apart).all(|x| x <= WIDE_LATENCY)
        {
            continue;
        }
        let (low, high) = (one.loads[low], one.loads[high]);
        let step = (high - low) / 4.0;
        let steps = if step.fract() == 0.0 { vec![1.0, 2.0, 3.0] } else { vec![2.0] };
        wanted.extend(steps.into_iter().map(|n| low + n * step));
    }
    wanted.sort_by(f64::total_cmp);
    wanted.dedup();
    wanted
}

/// Loads at which the baseline's mean meets a limit and the candidate is shown to break it.
fn newly_broken(one: &Capacities, policy: &Policy) -> Vec<f64> {
    let shown = one.change.as_ref().map(CapacityChange::shown_broken).unwrap_or_default();
    let new = shown.into_iter().filter(|broken| {
        let value = one.means[0][broken.load][broken.limit + 1];
        broken.side == 1 && policy.slo[broken.limit].holds(value)
    });
    let mut loads: Vec<f64> = new.map(|broken| one.loads[broken.load]).collect();
    loads.dedup();
    loads
}

/// The answers of the gate for the capacities and limits that it guards, with their reasons.
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
    let mut answers: Vec<(Gate, String)> =
        guarded.clone().filter(|(_, row)| row.guard).map(answer).collect();
    if policy.guards.iter().any(|name| name == Slo::GUARD) {
        answers.extend(guarded.filter(|(_, row)| !row.newly_broken.is_empty()).map(
            |(sweep, row)| {
                let load = sweep_words::load(&sweep.along, row.newly_broken.first().copied());
                let reason = format!(
                    "{}: guard slo is broken at {load}, where {} meets it",
                    sweep.candidate, sweep.baseline
                );
                (Gate::Fail, reason)
            },
        ));
    }
    answers
}
