//! Tables of a comparison: its metrics, the numbers behind the verdicts, its runs.

use std::collections::BTreeMap;

use crate::format;
use crate::report::atlas::words as atlas;
use crate::report::comparison::{row_text, verdicts, words};
use crate::report::document::blocks::{Cell, Kind, Table, Tone, number_columns};
use crate::report::document::cells::{column, number, toned};
use crate::report::{Comparison, Row, RunRow};
use crate::verdict::Verdict;

/// Deciding rows before the fold of a review; more if one is worse.
const BEFORE_FOLD: usize = 5;

/// Both estimates of each metric, the change and its verdict. For single runs, also the noise below which the change
/// would count.
pub(crate) fn metrics<'a>(comparison: &'a Comparison, rows: &[&'a Row], single: bool) -> Table<'a> {
    let published = single && rows.iter().any(|row| row.published.is_some());
    let mut columns = vec![
        column("metric", Kind::Words),
        column(&*comparison.baseline.name, Kind::Variant),
        column(&*comparison.candidate.name, Kind::Variant),
        column("change", Kind::Numbers),
    ];
    if single {
        columns.push(column("beyond noise if CV <", Kind::Numbers));
        columns.extend(published.then(|| column("usual", Kind::Numbers)));
    } else {
        columns.push(column(words::level(comparison), Kind::Numbers));
        columns.push(column("verdict", Kind::Words));
    }
    let row = |row: &&'a Row| {
        let (before, after) = row_text::estimates(row);
        let mut cells = vec![
            Cell { more: words::direction(row.better), ..Cell::from(row_text::row_label(row)) },
            number(before, Some(row.baseline.estimate)),
            number(after, Some(row.candidate.estimate)),
        ];
        let change = row.delta.relative;
        if single {
            cells.push(number(words::change_and_way(row), change));
            let below = number(words::break_even(row), row.noise.break_even_cv);
            cells.push(Cell { more: words::break_even_reason(row), ..below });
            let usual = row.published.map(|published| published.usual_cv);
            let cell = usual.map_or_else(|| "n/a".to_owned(), atlas::usual);
            cells.extend(published.then(|| number(cell, usual.map(|[low, _]| low))));
        } else {
            let low = row_text::ends(row).map(|[low, _]| low);
            let drawn = Some(*row);
            cells.push(Cell { drawn, ..number(row_text::change_and_factor(row), change) });
            cells.push(number(row_text::interval_cell(row).replace(" (", "\n("), low));
            let (short, more) = verdicts::verdict_parts(row);
            cells.push(Cell {
                text: toned(row.verdict, &short.replace(", rests on", ",\nrests on")),
                more,
                sign: Some(Tone::Verdict(row.verdict)),
                ..Cell::default()
            });
        }
        cells
    };
    let deciding = rows.iter().filter(|row| row.deciding).count();
    let guards = rows.iter().filter(|row| row.guard && !row.deciding).count();
    let worse = rows.iter().rposition(|row| row.verdict == Verdict::Worse);
    let shown = worse.map_or(0, |last| last + 1).max(BEFORE_FOLD);
    Table {
        before_fold: (deciding > shown && guards == 0).then_some(shown),
        ..Table::new("metrics", columns, rows.iter().map(row).collect())
    }
}

/// P-values, noise, smallest detectable changes.
pub(crate) fn numbers(comparison: &Comparison) -> Table<'_> {
    let rows = comparison.metrics.iter();
    let rows = rows.map(|row| NUMBERS.iter().map(|(_, cell)| cell(row)).collect());
    let columns = number_columns(NUMBERS.iter().map(|(head, _)| *head));
    Table::new("the numbers behind the verdicts", columns, rows.collect())
}

/// A column of the numbers behind the verdicts: its head, and the cell of a row.
type OfRow = (&'static str, fn(&Row) -> Cell<'_>);

const NUMBERS: [OfRow; 14] = [
    ("metric", |row| Cell::from(&*row.row_label)),
    ("of each run", |row| Cell::from(&*row.statistic)),
    ("runs", |row| {
        let (a, b) = (row.baseline.n, row.candidate.n);
        number(format!("{a} + {b}"), Some((a + b) as f64))
    }),
    ("change in its unit", |row| {
        number(format::difference(row.delta.absolute), Some(row.delta.absolute))
    }),
    ("its interval", |row| {
        let ends = row.delta.absolute_ci_adjusted;
        let interval = ends.map_or_else(|| "none".to_owned(), row_text::differences);
        number(interval, ends.map(|[low, _]| low))
    }),
    ("p", |row| maybe(row.p_value, format::p_cell)),
    ("p adjusted", |row| maybe(row.p_adjusted, format::p_cell)),
    ("confidence that it is better", |row| maybe(row.probability_better, format::certainty)),
    ("noise (CV)", |row| maybe(row.noise.cv, format::percent)),
    ("degrees of freedom", |row| maybe(row.noise.df, format::tenth)),
    ("noise from", |row| Cell::from(row.noise.source.as_str())),
    ("smallest change found (80 % power)", |row| maybe(row.noise.detectable, format::percent)),
    ("break-even CV", |row| maybe(row.noise.break_even_cv, format::percent)),
    ("runs to settle", |row| maybe(row.runs_to_settle.map(|n| n as f64), |n| format!("{n:.0}"))),
];

fn maybe<'a>(value: Option<f64>, text: fn(f64) -> String) -> Cell<'a> {
    number(value.map_or_else(|| "n/a".to_owned(), text), value)
}

/// The first `most` runs, each with its variant, its place in the order and its values of the deciding metrics.
pub(crate) fn runs(comparison: &Comparison, most: usize) -> Table<'_> {
    let sides = [&comparison.baseline, &comparison.candidate];
    let list = || {
        sides.iter().enumerate().flat_map(|(side, named)| {
            named.run_list.iter().enumerate().map(move |(at, run)| (side, at, run))
        })
    };
    let ordered = list().all(|(.., run)| run.order.is_some());
    let started = list().any(|(.., run)| run.started.is_some());
    let rows: Vec<&Row> = comparison.deciding().collect();
    // The value of each run, by its side and its position.
    let values: Vec<BTreeMap<(usize, usize), f64>> = rows
        .iter()
        .map(|row| {
            let sides = [&row.baseline, &row.candidate].into_iter().enumerate();
            sides
                .flat_map(|(side, values)| {
                    let each = values.runs.iter().zip(&values.values);
                    each.map(move |(at, value)| ((side, *at), *value))
                })
                .collect()
        })
        .collect();
    let mut columns = vec![column("run", Kind::Words), column("variant", Kind::Words)];
    columns.extend(ordered.then(|| column("order", Kind::Numbers)));
    columns.extend(started.then(|| column("started", Kind::Words)));
    columns.extend(rows.iter().map(|row| column(row_text::row_label(row), Kind::Numbers)));
    let mut all: Vec<(usize, usize, &RunRow)> = list().collect();
    all.sort_by_key(|(.., run)| run.order);
    let row = |(side, at, run): (usize, usize, &RunRow)| {
        let mut cells = vec![Cell::from(run.shown()), Cell::from(&*sides[side].name)];
        let order = run.order.map(|order| order as f64);
        cells.extend(
            ordered.then(|| number(run.order.map_or(String::new(), |n| n.to_string()), order)),
        );
        let start = run.started.as_deref().unwrap_or("not known");
        cells.extend(started.then(|| Cell::from(start)));
        for (row, values) in rows.iter().zip(&values) {
            let value = values.get(&(side, at)).copied();
            let text = value.map_or_else(|| "n/a".to_owned(), |value| row_text::value(row, value));
            cells.push(number(text, value));
        }
        cells
    };
    Table::new("every run", columns, all.into_iter().take(most).map(row).collect())
}
