//! The pictures of a batch: the cells shown for a terminal; for each metric all cells by their factors and with intervals.

use std::collections::BTreeSet;

use crate::report::comparison::words;
use crate::report::document::blocks::{Block, Grid, Plot, Room};
use crate::report::{BatchRow, Comparison, Report, Row, SharedRow};
use crate::runs::natural;

/// Deciding metrics that are drawn.
const MAX_METRICS: usize = 3;

/// Rows and columns of a grid of cells.
const MAX_GRID: (usize, usize) = (100, 15);

/// Lines of intervals beside a grid, which has the changes of all cells.
const BESIDE_GRID: usize = 20;

/// Lines of intervals without one.
const MAX_LINES: usize = 40;

/// The candidate as a factor of the cells.
const CANDIDATE: &str = "candidate";

/// The change of a row of each of these cells on one axis, for a terminal.
pub(crate) fn forest<'a>(
    report: &'a Report,
    batch: &BatchRow,
    told: Vec<(&'a Comparison, &'a Row)>,
) -> Option<Block<'a>> {
    let factors = factors(report, batch);
    let of = told.iter().find(|(_, row)| row.delta.relative.is_some())?.1;
    let same = told.iter().all(|(_, row)| row.metric == of.metric);
    let name = |one: &Comparison, row: &Row| match name(one, &factors) {
        name if same => name,
        name => format!("{name}, {}", row.label),
    };
    let head =
        if same { of.row_label.clone() + &words::direction(of.better) } else { String::new() };
    Some(Block::Plot(Plot::Forest {
        head,
        lines: told.into_iter().map(|(one, row)| (name(one, row), row)).collect(),
        level: words::level(&report.comparisons[0]),
        in_picture: false,
    }))
}

/// The leading metrics of all cells, for a page and a picture.
pub(crate) fn plots<'a>(report: &'a Report, batch: &'a BatchRow) -> Option<Block<'a>> {
    let factors = factors(report, batch);
    let mut metrics: Vec<&Row> = Vec::new();
    for row in report.comparisons.iter().flat_map(Comparison::deciding) {
        if !metrics.iter().any(|known| known.metric == row.metric) {
            metrics.push(row);
        }
    }
    metrics.truncate(MAX_METRICS);
    let plot = |(index, of): (usize, &'a Row)| {
        let of_metric = |one: &'a Comparison| one.deciding().find(|row| row.metric == of.metric);
        let line = |one: &'a Comparison| Some((name(one, &factors), of_metric(one)?));
        let lines: Vec<(String, &Row)> = report.comparisons.iter().filter_map(line).collect();
        lines.iter().any(|(_, row)| row.delta.relative.is_some()).then(|| {
            let level = words::level(&report.comparisons[0]);
            let grid = grid(report, &factors, &of.metric);
            let of_all: Vec<&SharedRow> =
                batch.shared.iter().filter(|shared| shared.metric == of.metric).collect();
            let shared = if let [only] = of_all[..] { Some(only) } else { None };
            let id = format!("b{}", index + 1);
            let most = if grid.is_some() { BESIDE_GRID } else { MAX_LINES };
            Block::Plot(Plot::Cells { of, lines, most, level, shared, grid, id })
        })
    };
    let drawn = metrics.into_iter().enumerate().filter_map(plot).collect();
    Block::fold("Changes of all cells", Room::Page, drawn).map(|fold| fold.open(true))
}

/// The columns, and the candidate, in which the comparisons differ.
fn factors(report: &Report, batch: &BatchRow) -> Vec<String> {
    let candidate = report.several_candidates().then(|| CANDIDATE.to_owned());
    let all = batch.by.iter().cloned().chain(candidate);
    all.filter(|factor| {
        let mut values = report.comparisons.iter().map(|one| value(one, factor));
        let first = values.next();
        values.any(|value| Some(value) != first)
    })
    .collect()
}

fn value<'a>(comparison: &'a Comparison, factor: &str) -> &'a str {
    match comparison.cell.get(factor) {
        Some(value) => value,
        None if factor == CANDIDATE => &comparison.candidate.name,
        None => "",
    }
}

fn name(comparison: &Comparison, factors: &[String]) -> String {
    let values: Vec<&str> = factors.iter().map(|factor| value(comparison, factor)).collect();
    if values.is_empty() { comparison.candidate.name.clone() } else { values.join(", ") }
}

/// The cells by two factors or more, a row for each combination of all but one; `None` where there are too many rows, or
/// where two cells would share a place.
fn grid<'a>(report: &'a Report, factors: &[String], metric: &str) -> Option<Grid<'a>> {
    let across = across(report, factors)?;
    let down: Vec<String> = factors.iter().filter(|factor| *factor != across).cloned().collect();
    let key =
        |one: &'a Comparison| down.iter().map(|factor| value(one, factor)).collect::<Vec<_>>();
    let mut rows: Vec<Vec<&str>> = report.comparisons.iter().map(key).collect();
    rows.sort_by_cached_key(|row| row.iter().map(|value| natural(value)).collect::<Vec<_>>());
    rows.dedup();
    let columns = values(report, across);
    if rows.len() > MAX_GRID.0 {
        return None;
    }
    let mut cells = vec![vec![None; columns.len()]; rows.len()];
    for comparison in &report.comparisons {
        let (row, column) = (key(comparison), value(comparison, across));
        let row = rows.iter().position(|known| *known == row)?;
        let column = columns.iter().position(|known| *known == column)?;
        let cell: &mut Option<&Row> = &mut cells[row][column];
        if cell.is_some() {
            return None;
        }
        *cell = comparison.deciding().find(|row| row.metric == metric);
    }
    let rows = rows.into_iter().map(|row| row.join(", ")).collect();
    let columns = columns.into_iter().map(str::to_owned).collect();
    Some(Grid { factors: [down.join(", "), across.to_owned()], rows, columns, cells })
}

/// The factor for the columns. With two factors it is the second, unless only that has too many values; with more, the factor
/// with the most values that fit.
fn across<'a>(report: &Report, factors: &'a [String]) -> Option<&'a str> {
    let count = |factor: &&'a String| values(report, factor).len();
    let fits = |factor: &&'a String| count(factor) <= MAX_GRID.1;
    match factors {
        [] | [_] => None,
        [first, second] => Some(if fits(&second) { second } else { Some(first).filter(fits)? }),
        // Of equally many the first one.
        more => Some(more.iter().rev().filter(fits).max_by_key(count)?),
    }
}

/// The values of a factor in their natural order.
fn values<'a>(report: &'a Report, factor: &str) -> Vec<&'a str> {
    let all: BTreeSet<&str> = report.comparisons.iter().map(|one| value(one, factor)).collect();
    let mut all: Vec<&str> = all.into_iter().collect();
    all.sort_by_cached_key(|value| natural(value));
    all
}
