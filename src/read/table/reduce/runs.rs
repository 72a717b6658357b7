//! From the sums of each run to the [`Run`] in the names and units of the registry.

use std::collections::BTreeMap;

use rayon::prelude::*;

use crate::kit::fields::{self, RunField};
use crate::kit::finish::finish_exact;
use crate::reader::{Found, Options};
use crate::table::chunks::Problem;
use crate::table::reduce::figures::Figures;
use crate::table::reduce::part::{Group, Part, SEPARATOR, Series};
use crate::table::reduce::plan::Plan;
use crate::table::request_names::{Kind, kind_of};
use beyondnoise_model::error::Error;
use beyondnoise_model::runs::{ITERATIONS, OF_REQUESTS, Requests, Run, Skipped, Source, Value};

/// The error for a row.
pub(crate) fn error(path: &str, plan: &Plan, line: usize, bad: &Problem) -> Error {
    Error::Input {
        path: path.to_owned(),
        place: format!("{} {line}", plan.counts),
        problem: bad.problem.clone(),
        remedy: bad.remedy.to_owned(),
    }
}

/// The metric that a key of the long layout ends with.
pub(crate) fn metric_in(key: &[u8]) -> String {
    cells(key).pop().unwrap_or_default()
}

fn cells(key: &[u8]) -> Vec<String> {
    let mut cells: Vec<String> = key
        .split(|&byte| byte == SEPARATOR)
        .map(|cell| String::from_utf8_lossy(cell).into_owned())
        .collect();
    // Each cell is followed by the separator.
    cells.pop();
    cells
}

/// A run with what its checks need beside it.
struct Made {
    run: Run,
    /// Variant and settings.
    setting: Vec<String>,
    rows: u64,
}

/// The figures of every quantity of every group, in their order.
fn figures(plan: &Plan, all: &mut Part, side_by_side: bool) -> Vec<Figures> {
    let mut work: Vec<(Series, Kind, String)> = Vec::new();
    for group in &mut all.groups {
        for (series, quantity) in group.series.iter_mut().zip(&plan.values) {
            let (name, kind) = match plan.metric {
                Some(_) => {
                    let name = metric_in(&group.key);
                    let kind = kind_of(&name);
                    (name, kind)
                }
                None => (plan.headers[quantity.column].trim().to_owned(), quantity.kind.clone()),
            };
            work.push((std::mem::take(series), kind, name));
        }
    }
    let bare = if plan.metric.is_some() { plan.bare } else { 1.0 };
    let of = |(series, kind, name): (Series, Kind, String)| {
        Figures::of(series.values(), &kind, &name, bare)
    };
    if side_by_side {
        work.into_par_iter().with_max_len(1).map(of).collect()
    } else {
        work.into_iter().map(of).collect()
    }
}

/// All runs, in the order of their first rows.
pub(crate) fn runs_of(
    path: &str,
    plan: &Plan,
    mut all: Part,
    (side_by_side, options): (bool, &Options),
) -> Result<Found, Error> {
    let mut found = Found::default();
    note_skipped_rows(path, plan, &all, &mut found.skipped);
    let mut figures = figures(plan, &mut all, side_by_side).into_iter();
    let mut made: Vec<Made> = Vec::new();
    let mut known: BTreeMap<Vec<String>, usize> = BTreeMap::new();
    for group in &all.groups {
        let mut key = cells(&group.key);
        let metric = plan.metric.and_then(|_| key.pop());
        let at = *known.entry(key.clone()).or_insert_with(|| {
            let names = plan.run.len() + usize::from(plan.pair.is_some());
            let of_run = usize::from(plan.variant.is_some());
            let mut setting = key.clone();
            setting.drain(of_run..of_run + names);
            made.push(Made { run: start(path, plan, group, &key), setting, rows: 0 });
            made.len() - 1
        });
        let Made { run, rows, .. } = &mut made[at];
        *rows = group.rows.max(*rows);
        let kind = metric.as_deref().map(kind_of);
        if kind.as_ref().is_some_and(Kind::is_latency) {
            run.info.completed = Some(*rows);
        }
        for (quantity, figures) in plan.values.iter().zip(figures.by_ref()) {
            put(run, kind.as_ref().unwrap_or(&quantity.kind), figures);
        }
    }
    let whole = same_number(&made);
    let mut repeats: BTreeMap<Vec<String>, usize> = BTreeMap::new();
    for Made { setting, .. } in &made {
        *repeats.entry(setting.clone()).or_insert(0) += 1;
    }
    if !whole {
        let why = DIFFERENT_REQUESTS.to_owned();
        found.skipped.push(Skipped { place: "file".to_owned(), why });
    }
    for Made { mut run, setting, rows } in made {
        if repeats.get(&setting) == Some(&1) {
            run.metadata.insert(ITERATIONS.to_owned(), format!("{rows} {OF_REQUESTS}"));
        }
        let line = run.source.position;
        let place = format!("{} {line}", plan.counts);
        match finish_exact(&mut run) {
            Ok(notes) => {
                if !whole {
                    (run.workload.requests, run.workload.input_tokens) = (None, None);
                }
                let notes = notes.into_iter().map(|why| Skipped { place: place.clone(), why });
                found.skipped.extend(notes);
                found.runs.push(run);
            }
            Err(bad) if options.lenient => found.skipped.push(Skipped { place, why: bad.problem }),
            Err(bad) => {
                let bad = Problem { problem: bad.problem, remedy: bad.remedy };
                return Err(error(path, plan, line, &bad));
            }
        }
    }
    Ok(found)
}

/// Why the number of requests is no setting.
pub(crate) const DIFFERENT_REQUESTS: &str =
    "runs of one variant have different numbers of requests: read as a result, not as a setting";

/// Whether the runs of each variant and setting sum up the same number of rows.
fn same_number(made: &[Made]) -> bool {
    let mut rows: BTreeMap<&[String], u64> = BTreeMap::new();
    made.iter().all(|one| *rows.entry(&one.setting).or_insert(one.rows) == one.rows)
}

/// Notes the parts that were not counted: unreadable rows, cells without a value.
fn note_skipped_rows(path: &str, plan: &Plan, all: &Part, skipped: &mut Vec<Skipped>) {
    for (line, bad) in &all.bad {
        let why = error(path, plan, *line, bad).to_string();
        skipped.push(Skipped { place: format!("{} {line}", plan.counts), why });
    }
    let more = all.bad_count - all.bad.len();
    if more > 0 {
        let place = "rows".to_owned();
        skipped.push(Skipped { place, why: format!("{more} more that cannot be read") });
    }
    let mut absent: BTreeMap<String, u64> = BTreeMap::new();
    for group in &all.groups {
        for (series, quantity) in group.series.iter().zip(&plan.values) {
            let name = match plan.metric {
                Some(_) => metric_in(&group.key),
                None => plan.headers[quantity.column].clone(),
            };
            *absent.entry(name).or_insert(0) += series.absent;
        }
    }
    for (name, count) in absent.into_iter().filter(|(_, count)| *count > 0) {
        let why = format!("{count} requests have no value there (empty, or 0 or -1 for a latency)");
        skipped.push(Skipped { place: format!("column {name}"), why });
    }
}

/// A run with all but its metrics.
fn start(path: &str, plan: &Plan, group: &Group, key: &[String]) -> Run {
    let position = group.line;
    let source = Source { path: path.into(), position, counts: plan.counts };
    let mut run = Run { source, ..Run::default() };
    run.info.of_table = true;
    let mut cells = key.iter();
    let mut next = |wanted: bool| if wanted { cells.next().cloned() } else { None };
    run.variant = next(plan.variant.is_some()).unwrap_or_default();
    let names: Vec<String> = plan.run.iter().filter_map(|_| next(true)).collect();
    run.name = (!names.is_empty()).then(|| names.join(" "));
    run.info.pair = next(plan.pair.is_some()).filter(|pair| !pair.is_empty());
    let settings: Vec<(usize, String)> =
        plan.settings.iter().filter_map(|&column| Some((column, next(true)?))).collect();
    let text = |cell: &Vec<u8>| String::from_utf8_lossy(cell).into_owned();
    let constants =
        plan.constants.iter().zip(&group.constants).map(|(&column, cell)| (column, text(cell)));
    for (column, cell) in settings.into_iter().chain(constants).filter(|(_, cell)| !cell.is_empty())
    {
        let name = plan.headers[column].trim();
        match fields::field_of_column(name) {
            // Counted from the rows.
            Some(RunField::Completed | RunField::Failed) => {}
            Some(field) => drop(fields::set(&mut run, field, name, &cell)),
            None => drop(run.metadata.insert(name.to_owned(), cell)),
        }
    }
    if let Some((seconds, cell)) = &group.start {
        // A time since the start of the run does not order runs.
        let since_1970 = *seconds > 1e8;
        let cell = text(cell);
        let number = fields::number(&cell).is_some();
        if !number {
            run.info.started = Some(cell);
        } else if since_1970 {
            run.info.started = Some(seconds.to_string());
        }
        if let Some(end) = group.end.filter(|end| end > seconds) {
            let value = Value { value: end - seconds, resolution: 0.0 };
            run.metrics.insert("duration", value);
        }
    }
    if plan.metric.is_none() {
        run.info.completed = Some(group.rows - group.failed);
        run.info.failed = (!plan.status.is_empty() || group.failed > 0).then_some(group.failed);
    }
    run
}

/// Adds the figures of one quantity.
fn put(run: &mut Run, kind: &Kind, Figures { sum, metrics, requests }: Figures) {
    match kind {
        Kind::InputTokens => run.workload.input_tokens = sum.and_then(whole_count),
        Kind::OutputTokens => run.info.output_tokens = sum.and_then(whole_count),
        Kind::Latency { .. } | Kind::Other(_) => {}
    }
    run.metrics.extend(metrics);
    if let Some(Requests { counts, figures, quantiles }) = requests {
        let all = run.requests.get_or_insert_default();
        all.counts.extend(counts);
        all.figures.extend(figures);
        all.quantiles.extend(quantiles);
    }
}

/// A sum of counts.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "checked to be in the range of whole numbers that a double holds"
)]
fn whole_count(sum: f64) -> Option<u64> {
    (0.0..9e15).contains(&sum).then(|| sum.round() as u64)
}
