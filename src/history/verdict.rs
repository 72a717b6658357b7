//! The verdict on all series of a history: the changes in the list, and the nights that several cells share.

use std::collections::{BTreeMap, BTreeSet};

use rayon::prelude::*;

use crate::deciding::{deciding, guards};
use crate::error::Error;
use crate::format;
use crate::history::judged::{Judged, judged, way};
use crate::history::nights::{Calendar, Cell, differing};
use crate::metrics::{Metric, rank};
use crate::policy::{GateAnswer, Policy};
use crate::report::history::words;
use crate::report::history::{
    ChangeRow, EventRow, HistoryReport, HistorySettings, Night, PooledRow, SCHEMA, SeriesRow, Way,
};
use crate::runs::{Dataset, LoadShape, Run, date_of, is_constant_count, metric_names};
use crate::stats::Adjustment;
use crate::stats::history::{Dated, Elsewhere, History, Shared};
use crate::verdict::Gate;

/// Fewest cells of a metric for pooling: fewer show no more together than alone.
const POOLED: usize = 5;

/// The requested part of a history.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Wanted {
    /// First night to report, a name or a date.
    pub since: Option<String>,
    /// Settings of the requested cells, by column; empty for all cells.
    pub cells: Vec<(String, String)>,
}

/// Judges every deciding metric of every cell of `dataset` over its nights.
///
/// A night is a variant (a folder, a build), a job that measured several cells, or else the day of the start. Several runs of a
/// night count as their median. `policy` gives the confidence, metrics, tolerances and gate answers; one minus the confidence
/// is the false discovery rate of the list.
///
/// # Errors
///
/// [`Error::Usage`] if nothing was measured twice, if no run has a named metric or cell, or if no night is as late as `since`.
///
/// # Examples
///
/// ```
/// use beyondnoise::history::{Wanted, verdict};
/// use beyondnoise::policy::Policy;
/// use beyondnoise::runs::{Dataset, Run};
///
/// // Nights about 20 requests/s; 8 % less from the 31st on.
/// let night = |at: usize| {
///     let level = if at < 30 { 20.0 } else { 18.4 };
///     Run::new(&format!("night-{at:02}"), [("request_throughput", level + [0.1, -0.2, 0.15][at % 3])])
/// };
/// let dataset = Dataset::assemble((0..40).map(night).collect(), Vec::new());
///
/// let report = verdict(&dataset, &Wanted::default(), &Policy::default())?;
///
/// let change = &report.series[0].changes[0];
/// assert_eq!(report.nights[change.night].name, "night-30");
/// assert!(report.summary.starts_with("1 change for the worse in force"));
/// # Ok::<(), beyondnoise::error::Error>(())
/// ```
pub fn verdict(
    dataset: &Dataset,
    wanted: &Wanted,
    policy: &Policy,
) -> Result<HistoryReport, Error> {
    if let Some((problem, remedy)) =
        dataset.lacks(policy.selected.iter().map(|selected| &selected.name))
    {
        return Err(Error::usage(problem, remedy));
    }
    let Calendar { nights, order, cells, about } = Calendar::new(dataset);
    let since = wanted.since.as_deref().map(|since| first_since(&nights, since)).transpose()?;
    let numbered: Vec<(usize, &Cell)> = of_cells(&cells, &wanted.cells)?;
    let jobs: Vec<(usize, &Cell, Metric)> = numbered
        .par_iter()
        .flat_map_iter(|(number, cell)| {
            metrics(cell, policy).into_iter().map(|metric| (*number, *cell, metric))
        })
        .collect();
    if jobs.is_empty() {
        return Err(nothing_to_judge(dataset));
    }
    let all: Vec<Judged> = jobs
        .into_par_iter()
        .map(|(number, cell, metric)| {
            let measured = cell.measured(&metric);
            judged(cell, number, &metric, measured, policy)
        })
        .collect();
    let pooled = pooled_rows(&all, &nights, policy);
    let mut series: Vec<SeriesRow> = all.into_iter().map(|judged| judged.row).collect();
    let list = confirm(&mut series, policy);
    let mut events = events(&mut series, &nights, numbered.len());
    confirm_creeps(&mut series);
    if let Some(since) = since {
        keep_since(&mut series, &mut events, since);
    }
    let mut report = HistoryReport {
        schema: SCHEMA,
        version: env!("CARGO_PKG_VERSION"),
        summary: String::new(),
        next_step: String::new(),
        promise: words::promise(series.len(), list),
        gate: Gate::Pass,
        gate_reason: String::new(),
        settings: HistorySettings {
            confidence: policy.confidence,
            false_discovery_rate: rate(policy),
            since,
        },
        order,
        cells: numbered.len(),
        nights,
        series,
        events,
        pooled: pooled
            .into_iter()
            .map(|mut row| {
                row.changes.retain(|change| since.is_none_or(|since| change.night >= since));
                row
            })
            .filter(|row| !row.changes.is_empty())
            .collect(),
        said: words::read_as(&differing(&cells), &about),
        skipped: dataset.skipped().collect(),
    };
    words::complete(&mut report);
    (report.gate, report.gate_reason) = gate(&report, policy);
    report.summary = words::summary(&report);
    report.next_step = words::next_step(&report);
    Ok(report)
}

/// The false discovery rate, without rounding errors of the subtraction.
fn rate(policy: &Policy) -> f64 {
    (policy.alpha() * 1e12).round() / 1e12
}

/// The first night of this name or date, or after it.
fn first_since(nights: &[Night], since: &str) -> Result<usize, Error> {
    let named = |night: &Night| {
        night.name == since || night.build.as_deref().is_some_and(|build| build.starts_with(since))
    };
    // Dates sort as text.
    let date = date_of(since);
    let dated = |night: &Night| {
        let own = date_of(night.started.as_deref().unwrap_or(&night.name));
        date.as_ref().zip(own).is_some_and(|(date, own)| own >= *date)
    };
    nights.iter().position(named).or_else(|| nights.iter().position(dated)).ok_or_else(|| {
        let last = nights.last().map_or("none", |night| &night.name);
        Error::usage(
            format!("expected a night of the history with --since, found {since}"),
            format!("name a night as the report does (the last one is {last}), or a date"),
        )
    })
}

/// The cells that have all of these settings.
fn of_cells<'a, 'b>(
    cells: &'b [Cell<'a>],
    wanted: &[(String, String)],
) -> Result<Vec<(usize, &'b Cell<'a>)>, Error> {
    let has = |cell: &Cell, (name, value): &(String, String)| {
        let same = |(key, own): (&String, &String)| {
            key.eq_ignore_ascii_case(name) && own.eq_ignore_ascii_case(value)
        };
        cell.fields.iter().any(same)
    };
    let chosen: Vec<(usize, &Cell)> = cells
        .iter()
        .enumerate()
        .filter(|(_, cell)| wanted.iter().all(|one| has(cell, one)))
        .collect();
    if !chosen.is_empty() || cells.is_empty() {
        return Ok(chosen);
    }
    let mut known: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for cell in cells {
        for (key, value) in &cell.fields {
            known.entry(key).or_default().insert(value);
        }
    }
    let known: Vec<String> = known
        .into_iter()
        .map(|(key, values)| {
            let values: Vec<&str> = values.into_iter().collect();
            format!("{key} ({})", format::first_few(&values, 4, |value| (*value).to_owned()))
        })
        .collect();
    let asked: Vec<String> = wanted.iter().map(|(name, value)| format!("{name}={value}")).collect();
    Err(Error::usage(
        format!("expected a cell with {}, found none", asked.join(" and ")),
        format!("give --cell NAME=VALUE of {}", format::list(&known)),
    ))
}

/// The metrics of a cell to judge: deciding metrics and guards.
fn metrics(cell: &Cell, policy: &Policy) -> Vec<Metric> {
    let runs: Vec<&Run> = cell.runs.iter().map(|(_, run)| *run).collect();
    let names = metric_names(runs.iter().copied());
    if !policy.selected.is_empty() {
        let wanted = policy.selected.iter().map(|selected| &selected.name);
        let wanted = wanted.filter(|name| names.contains(name.as_str()));
        return wanted.map(|name| policy.metric(name)).collect();
    }
    let mut all: Vec<Metric> = names.into_iter().map(|name| policy.metric(name)).collect();
    all.sort_by_key(|metric| (rank(&metric.name), metric.name.clone()));
    let varies = |metric: &&Metric| {
        let values = runs.iter().filter_map(|run| Some(run.metrics.get(&metric.name)?.value));
        !is_constant_count(metric, &values.collect::<Vec<f64>>())
    };
    // One night at a time: the last night shows the load of a cell.
    let last = cell.runs.last().map_or(0, |(night, _)| *night);
    let of_last: Vec<Run> = cell
        .runs
        .iter()
        .filter(|(night, _)| *night == last)
        .map(|(_, run)| (*run).clone())
        .collect();
    let load = LoadShape::classify(&cell.workload, &[&of_last], policy.thresholds.keeps_up);
    let varying: Vec<&Metric> = all.iter().filter(varies).collect();
    let decide = deciding(&varying, load, &cell.workload, policy);
    let guarded = guards(&varying, &decide, load, &cell.workload, policy);
    let judged = |metric: &Metric| decide.contains(&metric.name) || guarded.contains(&metric.name);
    let alone = all.len() == 1;
    all.into_iter().filter(|metric| alone || judged(metric)).collect()
}

fn nothing_to_judge(dataset: &Dataset) -> Error {
    let metrics = dataset.metrics();
    if metrics.is_empty() {
        let problem = "expected runs of several nights, found none";
        return Error::usage(problem, "give a folder with a folder or file a night, or a table");
    }
    Error::usage(
        format!(
            "expected a metric whose direction is known, found {}",
            format::first_few(&metrics, 6, |name| (*name).to_owned())
        ),
        "name the one that matters: --metric NAME:lower",
    )
}

/// Marks the confirmed changes of the list, and returns the number of judged series.
fn confirm(series: &mut [SeriesRow], policy: &Policy) -> usize {
    let places: Vec<usize> = (0..series.len()).filter(|at| series[*at].judged).collect();
    let p: Vec<f64> = places.iter().map(|at| series[*at].p_value).collect();
    let mut least: f64 = 0.0;
    for (at, adjusted) in places.iter().zip(Adjustment::FalseDiscovery.adjusted(&p)) {
        series[*at].p_adjusted = adjusted;
        if adjusted <= rate(policy) {
            least = least.max(series[*at].p_value);
        }
    }
    for row in series {
        let nights = row.nights.len();
        for change in &mut row.changes {
            change.confirmed = History::list_p_value(Some(change.z), nights) <= least;
        }
    }
    places.len()
}

/// A creep is confirmed if one of its changes is.
fn confirm_creeps(series: &mut [SeriesRow]) {
    for row in series {
        for (at, creep) in row.creeps.iter_mut().enumerate() {
            let own = |change: &&ChangeRow| change.creep == Some(at);
            creep.confirmed = row.changes.iter().filter(own).any(|change| change.confirmed);
        }
    }
}

/// The nights with changes in several cells; such changes confirm each other.
fn events(series: &mut [SeriesRow], nights: &[Night], cells: usize) -> Vec<EventRow> {
    let mut places: Vec<(usize, usize)> = Vec::new();
    let mut dated: Vec<Dated> = Vec::new();
    for (at, row) in series.iter().enumerate() {
        for (number, change) in row.changes.iter().enumerate() {
            if change.creep.is_none() {
                let [first, last] = change.between;
                places.push((at, number));
                dated.push(Dated { cell: row.cell_number, first, last });
            }
        }
    }
    let shared = Shared::nights(&dated, cells, nights.len());
    let mut events = Vec::new();
    for (number, one) in shared.into_iter().enumerate() {
        let of: Vec<(usize, usize)> = one.changes.iter().map(|change| places[*change]).collect();
        let mut ways = Vec::new();
        let mut cells = BTreeSet::new();
        for (at, change) in &of {
            let row = &mut series[*at];
            cells.insert(row.cell_number);
            let change = &mut row.changes[*change];
            ways.push(change.way);
            change.event = Some(number);
            change.confirmed = true;
        }
        let count = |way: Way| ways.iter().filter(|own| **own == way).count();
        events.push(EventRow {
            night: one.night,
            cells: cells.len(),
            worse: count(Way::Worse),
            better: count(Way::Better),
            series: of.iter().map(|(at, _)| *at).collect(),
            with: words::changed_with(nights, one.night.checked_sub(1), one.night),
            sentence: String::new(),
        });
    }
    events
}

/// Drops all changes before a night.
fn keep_since(series: &mut [SeriesRow], events: &mut Vec<EventRow>, since: usize) {
    let mut kept: Vec<Option<usize>> = Vec::new();
    let mut next = 0;
    for event in events.iter() {
        let keep = event.night >= since;
        kept.push(keep.then_some(next));
        next += usize::from(keep);
    }
    events.retain(|event| event.night >= since);
    for row in series {
        row.changes.retain(|change| change.night >= since);
        row.creeps.retain(|creep| creep.nights[1] >= since);
        row.noise_changes.retain(|change| change.night >= since);
        row.excursions.retain(|night| *night >= since);
        for change in &mut row.changes {
            change.event = change.event.and_then(|event| kept[event]);
        }
    }
}

/// Changes common to all cells of a metric; the cells form one series.
fn pooled_rows(all: &[Judged], nights: &[Night], policy: &Policy) -> Vec<PooledRow> {
    let mut metrics: Vec<&str> = Vec::new();
    for judged in all {
        if !metrics.contains(&&*judged.row.metric) {
            metrics.push(&judged.row.metric);
        }
    }
    let of_metric = |name: &&str| {
        let of: Vec<&Judged> = all
            .iter()
            .filter(|one| one.row.metric == **name && one.row.judged && one.found.logarithmic)
            .collect();
        (of.len() >= POOLED).then(|| pooled_row(&of, nights, policy)).flatten()
    };
    metrics.par_iter().filter_map(of_metric).collect()
}

fn pooled_row(of: &[&Judged], nights: &[Night], policy: &Policy) -> Option<PooledRow> {
    let cell = |one: &&Judged| {
        let mut values = vec![None; nights.len()];
        for (night, value) in one.row.nights.iter().zip(&one.scaled) {
            values[*night] = Some(*value);
        }
        (values, one.found.noise.map_or(0.0, |noise| noise.sd))
    };
    let scores = History::pooled(&of.iter().map(cell).collect::<Vec<_>>());
    let known: Vec<usize> = (0..scores.len()).filter(|at| scores[*at].is_some()).collect();
    let values: Vec<f64> = scores.iter().flatten().copied().collect();
    if values.len() < History::FEWEST_NIGHTS {
        return None;
    }
    let found = History::of_raw(&values);
    let metric = policy.metric(&of[0].row.metric);
    let last = found.levels.last().copied().unwrap_or_default();
    let dates: Vec<usize> = found.changes.iter().map(|change| change.night).collect();
    let row = |(at, change): (usize, &crate::stats::history::Change)| {
        let from = at.checked_sub(1).map_or(0, |before| dates[before]);
        let to = dates.get(at + 1).copied().unwrap_or(values.len());
        let place = |night: usize| known.get(night).copied().unwrap_or(nights.len());
        let (start, night, end) = (place(from), place(change.night), place(to));
        let mut effects: Vec<f64> =
            of.iter().filter_map(|one| effect_of(one, start, night, end)).collect();
        effects.sort_by(f64::total_cmp);
        let effect = effects.get(effects.len() / 2).copied().unwrap_or_default();
        let base = found.levels[change.night - 1];
        let interval = change.interval(policy.confidence);
        let half = (interval.high - interval.low) / 2.0;
        let net = last - base;
        let Elsewhere { nights: stretch, stretches, as_far } = change.elsewhere;
        ChangeRow {
            night,
            between: [place(change.first), place(change.last)],
            after: change.first.checked_sub(1).map(place),
            relative: Some(effect.exp_m1()),
            relative_ci: None,
            absolute: None,
            z: change.z,
            sure: change.z.abs() >= History::SURE,
            way: way(&metric, change.effect),
            confirmed: true,
            event: None,
            creep: None,
            in_force: net * change.effect.signum() > half,
            remaining: Some((effect * net / change.effect).exp_m1()),
            stretch,
            stretches,
            as_far,
            with: words::changed_with(nights, change.first.checked_sub(1).map(place), night),
            sentence: String::new(),
        }
    };
    let changes: Vec<ChangeRow> = found.changes.iter().enumerate().map(row).collect();
    (!changes.is_empty()).then_some(PooledRow {
        metric: metric.name,
        label: metric.label,
        cells: of.len(),
        changes,
    })
}

/// Change of one cell at a night between two others, in logarithms; `None` without a night on one side.
fn effect_of(one: &Judged, start: usize, night: usize, end: usize) -> Option<f64> {
    let at = |night: usize| one.row.nights.partition_point(|own| *own < night);
    let (start, night, end) = (at(start), at(night), at(end));
    let inside = start < night && night < end;
    inside.then(|| History::difference(&one.scaled, &one.found.sd, start..end, night))
}

/// The answer of a gate, with its reason.
fn gate(report: &HistoryReport, policy: &Policy) -> (Gate, String) {
    let mut failures: Vec<String> = Vec::new();
    for row in &report.series {
        let fails = |confirmed: bool, way: Way, in_force: bool, left: Option<f64>| {
            let beyond = left.is_none_or(|left| left.abs() > row.tolerance);
            confirmed && way == Way::Worse && in_force && beyond
        };
        for change in row.changes.iter().filter(|change| change.creep.is_none()) {
            if fails(change.confirmed, change.way, change.in_force, change.remaining) {
                failures.push(words::failure(report, row, change));
            }
        }
        for creep in &row.creeps {
            if fails(creep.confirmed, creep.way, creep.in_force, creep.relative) {
                failures.push(format!("{}: {}", words::title(report, row), creep.sentence));
            }
        }
    }
    for row in &report.pooled {
        let tolerance = policy.tolerance_of(&row.metric);
        let beyond = |change: &&ChangeRow| {
            let left = change.remaining.is_none_or(|left| left.abs() > tolerance);
            change.way == Way::Worse && change.in_force && left
        };
        failures.extend(row.changes.iter().filter(beyond).map(|change| change.sentence.clone()));
    }
    if let [first, rest @ ..] = &failures[..] {
        let more = match rest.len() {
            0 => String::new(),
            n => format!(" (and {n} more)"),
        };
        return (Gate::Fail, format!("{}{more}", first.trim_end_matches('.')));
    }
    if report.series.iter().any(|row| row.judged) {
        return (Gate::Pass, String::new());
    }
    let first = &report.series[0];
    let reason = format!("no series was judged: {}: {}", words::title(report, first), first.reason);
    match policy.no_verdict {
        GateAnswer::Unknown => (Gate::None, reason),
        GateAnswer::Pass => (Gate::Pass, format!("{reason}, which passes by the policy")),
        GateAnswer::Fail => (Gate::Fail, format!("{reason}, which fails by the policy")),
    }
}
