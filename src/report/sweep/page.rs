//! A sweep: a row for each load, the results over all loads, both curves.

use crate::format::sentence;
use crate::report::capacity::words::capacity_loads;
use crate::report::comparison::also_worse::also_worse_among;
use crate::report::comparison::overview::{change_cell, forest, legend, warnings};
use crate::report::comparison::words;
use crate::report::document::Text;
use crate::report::document::blocks::{Block, Cell, Kind, Plot, Role, Table, Tone, anchor};
use crate::report::document::cells::column;
use crate::report::shared::words::of_loads;
use crate::report::sweep::words::{load, loads as several_loads, number, sweep_next};
use crate::report::{Comparison, CurveRow, PointRow, Report, Row, SweepRow};

/// Deciding metrics that have a column.
const MAX_COLUMNS: usize = 3;

/// The sweeps of a report, each with its table.
pub(crate) fn sweeps(report: &Report) -> Vec<Block<'_>> {
    (1..).zip(&report.sweeps).flat_map(|(number, sweep)| section(sweep, report, number)).collect()
}

fn section<'a>(sweep: &'a SweepRow, report: &'a Report, number: usize) -> Vec<Block<'a>> {
    let all = &report.comparisons;
    let members: Vec<&Comparison> = sweep.comparisons(all).collect();
    let runs = |name: &str, runs: fn(&Comparison) -> usize| {
        let (low, high) = members
            .iter()
            .map(|one| runs(one))
            .fold((usize::MAX, 0), |(a, b), n| (a.min(n), b.max(n)));
        let each = if low == high { low.to_string() } else { format!("{low} to {high}") };
        format!("{name} (n={each})")
    };
    let candidate = runs(&sweep.candidate, |one| one.candidate.runs);
    let baseline = runs(&sweep.baseline, |one| one.baseline.runs);
    let shared = sweep.workload.describe();
    let known =
        if sweep.workload.fields().is_empty() { String::new() } else { format!(", {shared}") };
    let heading = Text::default().strong(candidate).plain(format!(" against {baseline}{known}:"));
    let mut blocks = vec![Block::heading(2, heading)];
    // For a single sweep the title contains it.
    let several = report.sweeps.len() > 1 || members.len() < all.len();
    if let Some(capacity) = &sweep.capacity {
        let whole = format!("{}.", sentence(&capacity.statement));
        let said = several.then_some(whole).into_iter().chain(capacity_loads(capacity, sweep));
        blocks.extend(said.map(|said| Block::text(Role::Lead, said)));
    }
    if several || sweep.capacity.is_some() {
        blocks.push(Block::text(Role::Lead, &*sweep.summary));
    }
    blocks.extend(of_loads(report, sweep).map(|said| Block::text(Role::Lead, said)));
    if let Some(grades) = &sweep.atlas {
        let at = |one: &Comparison| {
            let mut points = sweep.points.iter();
            let point = points.find(|point| std::ptr::eq(&raw const all[point.comparison], one));
            point.map_or_else(String::new, |point| load(&sweep.along, point.load))
        };
        let points = sweep.points.iter().map(|point| point.comparison);
        blocks.push(Block::marked(Role::Lead, &grades.words(all, points, "load", at)));
    }
    blocks.push(Block::Table(table(sweep, all)));
    // The others are in the summary.
    let unsaid = |row: &&CurveRow| {
        !row.statement.is_empty()
            && !sweep.summary.contains(&format!("{} {}", row.label, row.statement))
    };
    let said = sweep.metrics.iter().filter(unsaid);
    let said = said.map(|row| format!("{}: {}.", row.label, row.statement));
    blocks.extend(said.map(|text| Block::text(Role::Item, text)));
    let place = |point: &PointRow| {
        (format!("at {}", load(&sweep.along, point.load)), &all[point.comparison])
    };
    let placed: Vec<(String, &Comparison)> = sweep.points.iter().map(place).collect();
    // Every deciding metric has a statement.
    let also = also_worse_among(&placed, "load", |_, row| row.deciding);
    blocks.extend(also.map(|also| Block::text(Role::Warning, format!("{}.", also.line()))));
    blocks.extend(sweep.metrics.iter().take(MAX_COLUMNS).filter_map(|row| plot(sweep, row, all)));
    blocks.extend(legend(&members));
    let metrics = &sweep.metrics[..sweep.metrics.len().min(MAX_COLUMNS)];
    let id = format!("s{number}");
    blocks.push(Block::Plot(Plot::Sweep { sweep, comparisons: all, metrics, id }));
    let loads = |at: &[usize]| {
        let loads: Vec<Option<f64>> = at.iter().map(|at| sweep.points[*at].load).collect();
        format!("at {}", several_loads(&sweep.along, &loads))
    };
    let (found, shown) = warnings(&members, loads);
    let found = found.iter().map(|text| Block::marked(Role::Warning, text)).collect();
    blocks.extend(Block::first_of(found, shown, "more warning"));
    blocks.push(Block::marked(Role::Next, &sweep_next(sweep, all)));
    blocks
}

/// A row for each load, the smallest first, a column for each deciding metric; of single runs, which have no verdict, the
/// largest change first.
fn table<'a>(sweep: &'a SweepRow, all: &'a [Comparison]) -> Table<'a> {
    let head = match sweep.along.as_str() {
        "max_concurrency" => "in flight",
        "request_rate" => "requests/s",
        other => other,
    };
    let shown = &sweep.metrics[..sweep.metrics.len().min(MAX_COLUMNS)];
    let mut shown: Vec<(&str, &str)> =
        shown.iter().map(|row| (row.metric.as_str(), row.row_label.as_str())).collect();
    // A limited metric is behind the capacity, whether it decides or not.
    for limit in sweep.capacity.iter().flat_map(|capacity| &capacity.limits) {
        let row = sweep.comparisons(all).find_map(|one| row_of(one, &limit.metric));
        let known = shown.iter().any(|(metric, _)| *metric == limit.metric);
        shown.extend(row.filter(|_| !known).map(|row| (&*row.metric, &*row.row_label)));
    }
    let mut columns = vec![column(head, Kind::Words)];
    columns.extend(shown.iter().map(|(_, label)| column(*label, Kind::Numbers)));
    let mut points: Vec<_> = sweep.points.iter().collect();
    let single = points.iter().all(|point| words::single(&all[point.comparison]));
    if single {
        let size = |at: usize| {
            let changes = all[at].deciding().filter_map(|row| row.delta.relative);
            changes.fold(0.0_f64, |largest, change| largest.max(change.abs()))
        };
        points.sort_by(|a, b| size(b.comparison).total_cmp(&size(a.comparison)));
    }
    let row = |point: &&PointRow| {
        let comparison = &all[point.comparison];
        let mut cells = vec![Cell {
            link: Some(anchor(point.comparison + 1)),
            key: Some(point.load.unwrap_or(f64::INFINITY)),
            sign: Some(Tone::Headline(comparison.headline)),
            ..Cell::from(number(point.load))
        }];
        cells.extend(shown.iter().map(|(metric, _)| match row_of(comparison, metric) {
            Some(row) => change_cell(row, false),
            None => Cell::from("n/a"),
        }));
        cells
    };
    Table::new("loads of the sweep", columns, points.iter().map(row).collect())
}

fn row_of<'a>(comparison: &'a Comparison, metric: &str) -> Option<&'a Row> {
    comparison.metrics.iter().find(|row| row.metric == metric)
}

/// The changes of a metric on one axis, a line for each load.
fn plot<'a>(sweep: &SweepRow, metric: &CurveRow, all: &'a [Comparison]) -> Option<Block<'a>> {
    let line = |point: &PointRow| {
        let row = row_of(&all[point.comparison], &metric.metric)?;
        Some((load(&sweep.along, point.load), row))
    };
    let lines = sweep.points.iter().filter_map(line).collect();
    // A picture has the changes over the loads.
    forest(lines, words::level(&all[sweep.points[0].comparison]), false)
}
