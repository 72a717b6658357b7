//! Sweeps: the comparisons of one candidate at several loads, and the figures for all of them.

use std::collections::{BTreeMap, BTreeSet};

use crate::analysis::adjust::Lists;
use crate::analysis::assess::Assessed;
use crate::analysis::judge::verdicts;
use crate::error::Error;
use crate::policy::Policy;
use crate::report::sweep::words::{statement, sweep_summary};
use crate::report::{
    AloneRow, Comparison, CurveRow, GradesRow, PointRow, Row, SweepRow, Unmatched,
};
use crate::runs::{Sweep, Workload, sweeps};
use crate::stats::{Interval, Sample};
use crate::verdict::headline;

/// The sweeps among the comparisons of a call, by position.
///
/// # Errors
///
/// [`Error::Usage`] if the user named a setting whose loads are not known.
pub(super) fn find(assessed: &[Assessed], policy: &Policy) -> Result<Vec<Sweep>, Error> {
    let mut pairs: BTreeMap<[&str; 2], Vec<usize>> = BTreeMap::new();
    for (at, one) in assessed.iter().enumerate() {
        let names = [&*one.runs.baseline.name, &*one.runs.candidate.name];
        pairs.entry(names).or_default().push(at);
    }
    let along = policy.along.as_deref();
    let mut found = Vec::new();
    for members in pairs.into_values() {
        let workloads: Vec<&Workload> =
            members.iter().map(|at| &assessed[*at].group.1.workload).collect();
        for mut sweep in sweeps(&workloads, along) {
            sweep.points.iter_mut().for_each(|(_, at)| *at = members[*at]);
            found.push(sweep);
        }
    }
    found.sort_by_key(|sweep| sweep.points.iter().map(|(_, at)| *at).min());
    // With limits, several cells need a load: nothing else names the load at which a limit is met.
    let cells = assessed.iter().map(|one| one.group.0).collect::<BTreeSet<_>>().len();
    match along.filter(|_| found.is_empty()) {
        Some(name) => Err(no_loads(name, assessed)),
        None if found.is_empty() && cells > 1 && !policy.slo.is_empty() => {
            Err(no_loads("max_concurrency or request_rate, for the limits of --slo", assessed))
        }
        None => Ok(found),
    }
}

fn no_loads(name: &str, assessed: &[Assessed]) -> Error {
    let fields = assessed.iter().flat_map(|one| one.group.1.workload.fields());
    let mut values: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for (name, value) in fields {
        let known = values.entry(name).or_default();
        if !known.contains(&value) {
            known.push(value);
        }
    }
    let vary = values.into_iter().filter(|(_, values)| values.len() > 1);
    let vary: Vec<String> = vary.map(|(name, _)| name).collect();
    let vary = if vary.is_empty() { "none".to_owned() } else { vary.join(", ") };
    Error::usage(
        format!(
            "expected several loads of one workload in both variants, as numbers in {name}, found none; settings that \
             vary: {vary}"
        ),
        "give --along one of these, or leave it out",
    )
}

/// The families for the correction of p-values; `None` without sweeps.
pub(super) fn families(sweeps: &[Sweep], comparisons: usize) -> Option<Lists> {
    if sweeps.is_empty() {
        return None;
    }
    let mut families: Vec<usize> = (sweeps.len()..sweeps.len() + comparisons).collect();
    for (family, sweep) in sweeps.iter().enumerate() {
        sweep.points.iter().for_each(|(_, at)| families[*at] = family);
    }
    Some(Lists::Families(families))
}

/// The rows of the sweeps; `place` maps each comparison of the call to its position in the report.
pub(super) fn rows(
    sweeps: Vec<Sweep>,
    comparisons: &[Comparison],
    place: &[usize],
    unmatched: &mut [Unmatched],
    policy: &Policy,
) -> Vec<SweepRow> {
    let row = |sweep| row(sweep, comparisons, place, unmatched, policy);
    sweeps.into_iter().map(row).collect()
}

/// The loads of a sweep at which only one of its two variants was measured; the list of unmatched runs gets the reason.
fn alone(sweep: &Sweep, [a, b]: [&str; 2], unmatched: &mut [Unmatched]) -> Vec<AloneRow> {
    let mut found: Vec<(f64, String)> = Vec::new();
    for row in unmatched {
        let Some(load) = sweep.load_of(&row.workload) else { continue };
        let other = match row.variant.as_str() {
            name if name == a => b,
            name if name == b => a,
            _ => continue,
        };
        row.why = format!("{other} was not measured at this load");
        found.push((load, row.variant.clone()));
    }
    found.sort_by(|a, b| a.0.total_cmp(&b.0));
    let row = |(load, variant): (f64, String)| AloneRow {
        load: Some(load).filter(|load| load.is_finite()),
        variant,
    };
    found.into_iter().map(row).collect()
}

fn row(
    sweep: Sweep,
    all: &[Comparison],
    place: &[usize],
    unmatched: &mut [Unmatched],
    policy: &Policy,
) -> SweepRow {
    let points: Vec<PointRow> = sweep
        .points
        .iter()
        .map(|&(load, at)| PointRow {
            load: Some(load).filter(|load| load.is_finite()),
            comparison: place[at],
        })
        .collect();
    let members: Vec<&Comparison> = points.iter().map(|point| &all[point.comparison]).collect();
    let first = members[0];
    let deciding = || members.iter().flat_map(|one| one.deciding());
    let tests = deciding().filter(|row| row.p_adjusted.is_some()).count();
    let headline = headline(&verdicts(deciding()));
    let names = [&*first.baseline.name, &*first.candidate.name];
    let alone = alone(&sweep, names, unmatched);
    let mut row = SweepRow {
        alone,
        along: sweep.along,
        workload: sweep.shared,
        baseline: first.baseline.name.clone(),
        candidate: first.candidate.name.clone(),
        headline,
        summary: String::new(),
        tests,
        metrics: curves(&members, policy),
        atlas: GradesRow::new(all, points.iter().map(|point| point.comparison)),
        shared: Vec::new(),
        capacity: None,
        points,
    };
    for at in 0..row.metrics.len() {
        (row.metrics[at].statement, row.metrics[at].crossing) = statement(&row, at, all);
    }
    row.summary = sweep_summary(&row, all);
    row
}

/// Curves of the metrics that decide at any load, the leading one first.
fn curves(members: &[&Comparison], policy: &Policy) -> Vec<CurveRow> {
    let mut metrics: Vec<&Row> = Vec::new();
    for row in members.iter().flat_map(|one| one.deciding()) {
        if metrics.iter().all(|known| known.metric != row.metric) {
            metrics.push(row);
        }
    }
    let curve = |row: &&Row| CurveRow {
        metric: row.metric.clone(),
        label: row.label.clone(),
        row_label: row.row_label.clone(),
        unit: row.unit,
        better: row.better,
        statement: String::new(),
        crossing: None,
        bands: bands(members, &row.metric, policy),
    };
    metrics.iter().map(curve).collect()
}

/// Simultaneous bands of both variants' curves of a metric.
fn bands(members: &[&Comparison], metric: &str, policy: &Policy) -> [Vec<Option<[f64; 2]>>; 2] {
    let rows = members.iter().map(|one| one.metrics.iter().find(|row| row.metric == metric));
    let rows: Vec<Option<&Row>> = rows.collect();
    let sides = [0, 1].map(|side: usize| {
        let of = |row: &&Row| {
            let side = [&row.baseline, &row.candidate][side];
            let values = side.values.clone();
            Sample::new(values).ok().filter(|_| side.averaged.is_none())
        };
        rows.iter().map(move |row| row.as_ref().and_then(of)).collect::<Vec<_>>()
    });
    let samples: Vec<&Sample> = sides.iter().flatten().flatten().collect();
    let mut found = Interval::simultaneous(&samples, policy.confidence).into_iter();
    sides.map(|side| {
        let of = |sample: Option<Sample>| {
            sample
                .and_then(|_| found.next().flatten())
                .map(|interval| [interval.low, interval.high])
        };
        side.into_iter().map(of).collect()
    })
}
