//! Tables that repeat others of the same text, as they are or averaged: their values are no further runs.

use std::collections::BTreeSet;

use crate::kit::cell_value::spread;
use crate::kit::fields::Number;
use crate::kit::figure::{figure, is_unit};
use crate::table::layout::changes::forms::{Change, change};
use crate::table::layout::columns::{is_change, says_change, without_unit};
use crate::table::layout::is_called;
use crate::table::role_words::RUN;
use crate::text::claims::states_change;
use crate::text::grid::Grid;

/// The reason why a table gives no runs of its own: a larger table has its values, or they are the averages of another one.
pub(super) fn repeats_another(grid: &Grid, all: &[Grid]) -> Option<String> {
    let means = |of: usize| format!("holds the means of the table at line {of}, no runs");
    let changes = || "holds changes of the values in another table".to_owned();
    let why = (all.len() > 1 && holds_changes_alone(grid))
        .then(changes)
        .or_else(|| drawn_from(grid, all))
        .or_else(|| summed_up_by(grid, all).map(means))
        .or_else(|| summed_up_by_columns(grid, all).map(means));
    why.map(|why| format!("{why}: not read"))
}

/// Whether all cells under names are percentages with a sign: `+4.5%`, `**-2.4%**`.
fn holds_changes_alone(grid: &Grid) -> bool {
    let signed = |cell: &String| {
        let cell = cell.replace('*', "");
        let cell = cell.trim();
        cell.starts_with(['+', '-', '\u{2212}']) && cell.ends_with(['%', '％'])
    };
    let mut cells = grid.rows.iter().flat_map(|(_, cells)| cells.iter().skip(1));
    grid.rows.len() > 1 && grid.headers.len() > 1 && cells.all(signed)
}

/// Puts the changes of a table that holds nothing else, `1.06x`, beside the values that they are of, where a table above it has
/// these under the same headers and labels, and one column more, with which they are compared.
///
/// Gives the lines at which the two tables start, counted from 0.
pub(super) fn join_changes(all: &mut [Grid]) -> Vec<[usize; 2]> {
    let mut joined = Vec::new();
    if all.len() > MAX_TABLES {
        return joined;
    }
    for at in 1..all.len() {
        let (above, rest) = all.split_at_mut(at);
        let own = &rest[0];
        let found =
            above.iter_mut().rev().find_map(|other| Some((changed_cells(own, other)?, other)));
        let Some((cells, other)) = found else { continue };
        for ((row, column), change) in cells {
            let cell = &mut other.rows[row].1[column];
            *cell = format!("{} ({change})", cell.replace('*', "").trim());
        }
        joined.push([own.lines.start, other.lines.start]);
    }
    joined
}

/// The reason why a table is left out whose changes stand in another one now, by what [`join_changes`] gave.
pub(super) fn joined_to(joined: &[[usize; 2]], grid: &Grid) -> Option<String> {
    let [_, other] = joined.iter().find(|[own, _]| *own == grid.lines.start)?;
    Some(format!("changes of the values in the table at line {}: checked as claims", other + 1))
}

/// A cell by its row and column, and the change that another table states of its value.
type ChangedCell = ((usize, usize), String);

/// The cells of `other` that the changes of a table are of: most of them follow from the values there.
fn changed_cells(grid: &Grid, other: &Grid) -> Option<Vec<ChangedCell>> {
    let bare = |text: &str| text.replace(['*', '`'], "").trim().to_lowercase();
    // `prefill, tok/s` is `prefill (tok/s)`.
    let name = |text: &str| {
        let text = bare(text);
        let stem = text.rsplit_once(", ").filter(|(_, unit)| is_unit(unit)).map(|(stem, _)| stem);
        bare(without_unit(stem.unwrap_or(&text)))
    };
    let place = |header: &String| other.headers.iter().position(|own| bare(own) == bare(header));
    let columns: Vec<usize> = grid.headers.get(1..)?.iter().map(place).collect::<Option<_>>()?;
    let mut others = (1..other.headers.len()).filter(|column| !columns.contains(column));
    let base = others.next().filter(|_| others.next().is_none() && !columns.is_empty())?;
    let value = |row: usize, column: usize| -> Option<f64> {
        let cell = other.rows.get(row)?.1.get(column)?.replace('*', "");
        // `7 841`
        let digits = cell.bytes().all(|byte| byte.is_ascii_digit() || byte == b' ');
        let cell = if digits { cell.replace(' ', "") } else { cell };
        let found = figure(cell.trim(), false).filter(|found| found.beside.is_empty())?;
        Some(found.value()?.value)
    };
    let (mut cells, mut follow) = (Vec::new(), 0);
    for (_, own) in &grid.rows {
        let label = name(own.first()?);
        let row = other
            .rows
            .iter()
            .position(|(_, cells)| cells.first().is_some_and(|cell| name(cell) == label))?;
        let old = value(row, base)?;
        for (&column, text) in columns.iter().zip(own.get(1..)?) {
            let text = text.replace('*', "").trim().to_owned();
            let Change { size, resolution, up } =
                change(&text, false).filter(|_| is_change(&text))?;
            let stated = if up == Some(false) { 1.0 - size } else { 1.0 + size };
            let ratio = value(row, column)? / old;
            let factor = !text.contains(['%', '％']);
            let near = |seen: f64| (seen - stated).abs() <= resolution + 0.001;
            follow += usize::from(near(ratio) || factor && near(ratio.recip()));
            cells.push(((row, column), text));
        }
    }
    (4 * follow >= 3 * cells.len() && cells.len() > 1).then_some(cells)
}

/// Fewest values that show that a table repeats those of another one.
const MIN_REPEATED: usize = 4;

/// Where all values of a table beside its changes come from: a larger table has them, or half of its rows hold the averages of runs
/// in others, so that the rest is of averages too.
fn drawn_from(grid: &Grid, all: &[Grid]) -> Option<String> {
    let value = |cell: &String| -> Option<f64> {
        let cell = cell.replace('*', "");
        let cell = cell.trim();
        let found = figure(cell, false).filter(|found| found.beside.is_empty())?;
        let change = cell.starts_with(['+', '-', '\u{2212}']) || is_change(cell);
        if change || states_change(cell) { None } else { Some(found.value()?.value) }
    };
    // `latency reduction` over `49.41%`
    let relative = |cell: &String| cell.trim().trim_matches('*').ends_with(['%', 'x', '×']);
    let compares = |grid: &Grid, at: usize| {
        let mut cells = grid.rows.iter().filter_map(|(_, cells)| cells.get(at));
        says_change(&grid.headers[at].to_lowercase()) && cells.all(relative)
    };
    let rows = |grid: &Grid| -> Vec<Vec<f64>> {
        let values = |cells: &Vec<String>| {
            let cells = cells.iter().enumerate().skip(1);
            let cells = cells.filter(|(at, _)| *at < grid.headers.len() && !compares(grid, *at));
            cells.filter_map(|(_, cell)| value(cell)).collect::<Vec<f64>>()
        };
        let rows = grid.rows.iter().map(|(_, cells)| values(cells));
        rows.filter(|values| !values.is_empty()).collect()
    };
    // Small whole numbers come back by chance.
    let fine = |value: &&f64| value.fract() != 0.0 || **value >= 100.0;
    let own = rows(grid);
    let changes = |cell: &String| is_change(cell.trim().trim_matches('*'));
    let changed = grid.rows.iter().any(|(_, cells)| cells.iter().any(changes))
        || (1..grid.headers.len()).any(|at| compares(grid, at));
    if !changed || own.is_empty() {
        return None;
    }
    let has = |all: &[f64], value: &f64| all.iter().any(|other| (other - value).abs() < 1e-12);
    let others = || all.iter().filter(|other| other.lines != grid.lines);
    let line = |other: &Grid| other.lines.start + 1;
    let larger = others().find(|other| {
        let theirs: Vec<f64> = rows(other).into_iter().flatten().collect();
        // Two values with four decimals do not come back by chance under the same labels.
        let decimals = |value: &&f64| **value > 1.0 && (**value * 1e3).fract().abs() > 1e-6;
        let exact = own.iter().flatten().filter(decimals).count() > 1 && is_part(grid, other);
        (own.iter().flatten().filter(fine).count() >= MIN_REPEATED || exact)
            && theirs.len() > own.iter().flatten().count()
            && own.iter().flatten().all(|value| has(&theirs, value))
    });
    // Or all of them together: a table of each side, and this one of both.
    let theirs: Vec<f64> = others().flat_map(rows).flatten().collect();
    let enough = own.iter().flatten().filter(fine).count() >= MIN_REPEATED;
    let spread = enough
        && theirs.len() > own.iter().flatten().count()
        && own.iter().flatten().all(|value| has(&theirs, value));
    let first = larger.or_else(|| others().next().filter(|_| spread));
    if let Some(other) = first {
        return Some(format!("repeats values of the table at line {}", line(other)));
    }
    // The averages below the runs of each table.
    let averages = |other: &Grid| -> Vec<f64> {
        let cells = other.rows.iter().map(|(_, cells)| cells);
        let rows = cells.filter(|cells| cells.first().is_some_and(|name| is_average(name)));
        rows.flat_map(|cells| cells.iter().skip(1).filter_map(value)).collect()
    };
    let of_runs: Vec<(&Grid, Vec<f64>)> = others()
        .filter(|other| other.rows.len() > 2)
        .map(|other| (other, averages(other)))
        .filter(|(_, averages)| own.iter().flatten().filter(fine).any(|value| has(averages, value)))
        .collect();
    let known = |value: &f64| of_runs.iter().any(|(_, averages)| has(averages, value));
    let compared: Vec<&Vec<f64>> = own.iter().filter(|row| row.len() > 1).collect();
    let averaged = compared.iter().filter(|row| row.iter().all(known)).count();
    let (first, _) = of_runs.first().filter(|_| averaged > 0 && 2 * averaged >= compared.len())?;
    Some(format!(
        "holds averages of the runs from line {} on, and what follows from them",
        line(first)
    ))
}

/// Whether every number of a table stands in another one under the same label and header.
fn is_part(grid: &Grid, other: &Grid) -> bool {
    grid.rows.iter().all(|(_, cells)| {
        let row = other.rows.iter().find(|(_, theirs)| theirs.first() == cells.first());
        cells.iter().zip(&grid.headers).skip(1).all(|(cell, header)| {
            let column = other.headers.iter().position(|name| name == header);
            let relative = cell.trim().ends_with(['%', 'x', '×']);
            let same =
                row.zip(column).is_some_and(|((_, theirs), at)| theirs.get(at) == Some(cell));
            relative || same
        })
    })
}

/// Whether a cell names the row of averages.
fn is_average(name: &str) -> bool {
    let name = name.trim().trim_matches('*').trim_end_matches('.').to_lowercase();
    ["avg", "average", "mean", "median", "平均", "均值", "中位数"].contains(&&*name)
}

/// The line of a table whose rows this one averages: with its only row in two columns of one name or more, or with a row for
/// each label in most columns.
fn summed_up_by(grid: &Grid, all: &[Grid]) -> Option<usize> {
    let [(_, only)] = &grid.rows[..] else { return summed_up_by_label(grid, all) };
    let number = |cell: &str| {
        let value = spread(cell).map(|(value, ..)| value);
        figure(value.as_deref().unwrap_or(cell), false)?.value()
    };
    let is_mean_of = |other: &&Grid| {
        let (mut means, mut vary) = (0, false);
        for (at, header) in grid.headers.iter().enumerate() {
            let column = other.headers.iter().position(|name| name == header);
            let Some((column, own)) = column.zip(number(&only[at])) else { continue };
            let values: Option<Vec<f64>> = other
                .rows
                .iter()
                .map(|(_, cells)| Some(number(cells.get(column)?)?.value))
                .collect();
            let Some(values) = values else { return false };
            let mean = values.iter().sum::<f64>() / values.len() as f64;
            if (mean - own.value).abs() > 1.01 * own.resolution {
                return false;
            }
            means += 1;
            vary |= values.iter().any(|value| (value - values[0]).abs() > 0.0);
        }
        means > 1 && vary
    };
    let others = all.iter().filter(|other| other.lines != grid.lines && other.rows.len() > 1);
    others.filter(is_mean_of).map(|other| other.lines.start + 1).next()
}

/// The line of a table whose rows this one averages, label by label; other statistics may be beside the means.
fn summed_up_by_label(grid: &Grid, all: &[Grid]) -> Option<usize> {
    let number = |cells: &[String], at: usize| figure(cells.get(at)?, false)?.value();
    let word = |at: &usize| {
        let cells = || grid.rows.iter().filter_map(|(_, cells)| cells.get(*at));
        cells().count() == grid.rows.len()
            && cells()
                .all(|cell| cell.contains(char::is_alphabetic) && figure(cell, false).is_none())
            && cells().collect::<BTreeSet<_>>().len() == grid.rows.len()
    };
    let at = (0..grid.headers.len()).find(word)?;
    let is_mean_of = |other: &&Grid| {
        let place = |name: &String| other.headers.iter().position(|header| header == name);
        let Some(label) = place(&grid.headers[at]) else { return false };
        let rows = other.rows.iter().map(|(_, cells)| cells);
        let own = |name: &String| -> Vec<&Vec<String>> {
            rows.clone().filter(|cells| cells.get(label) == Some(name)).collect()
        };
        let labels: BTreeSet<&String> =
            other.rows.iter().filter_map(|(_, cells)| cells.get(label)).collect();
        let covers = grid.rows.iter().all(|(_, cells)| own(&cells[at]).len() > 1)
            && labels.len() == grid.rows.len();
        let shared: Vec<(usize, usize)> = (0..grid.headers.len())
            .filter(|column| *column != at)
            .filter_map(|column| Some((column, place(&grid.headers[column])?)))
            .filter(|(column, _)| {
                grid.rows.iter().all(|(_, cells)| number(cells, *column).is_some())
            })
            .collect();
        let is_mean = |&&(column, from): &&(usize, usize)| {
            grid.rows.iter().all(|(_, cells)| {
                let values: Option<Vec<f64>> = own(&cells[at])
                    .into_iter()
                    .map(|cells| Some(number(cells, from)?.value))
                    .collect();
                values.zip(number(cells, column)).is_some_and(|(values, mean)| {
                    let exact = values.iter().sum::<f64>() / values.len() as f64;
                    let vary = values.iter().any(|value| value.to_bits() != values[0].to_bits());
                    // The values are rounded as well as their mean.
                    let room =
                        1.01 * mean.resolution + mean.resolution / (values.len() as f64).sqrt();
                    vary && (exact - mean.value).abs() <= room
                })
            })
        };
        let means = shared.iter().filter(is_mean).count();
        covers && means > 1 && 2 * means > shared.len()
    };
    let others = all.iter().filter(|other| other.lines != grid.lines);
    others
        .filter(|other| other.rows.len() > grid.rows.len())
        .find(is_mean_of)
        .map(|other| other.lines.start + 1)
}

/// Most tables of a text among which the runs behind averages are looked for.
const MAX_TABLES: usize = 50;

/// The line of a table of runs, a row for each and a column for each variant, whose means or medians stand side by side in this one,
/// under whatever labels.
fn summed_up_by_columns(grid: &Grid, all: &[Grid]) -> Option<usize> {
    let number = |cell: &String| {
        let cell = cell.replace(['*', '`'], "");
        let found = figure(cell.trim(), false).filter(|found| found.unit != "%")?;
        found.value().filter(|_| !is_change(cell.trim()))
    };
    let value = |cell: &String| number(cell).map(|number| number.value);
    // Means and medians of the columns of runs.
    let centres = |other: &Grid| -> Option<Vec<[f64; 2]>> {
        let first = |(_, cells): &(usize, Vec<String>)| {
            let count = cells.first()?.split(' ').next()?.parse::<usize>().ok()?;
            Some(count)
        };
        let counts: Vec<usize> = other.rows.iter().map(first).collect::<Option<_>>()?;
        let counted = counts.iter().enumerate().all(|(at, count)| *count == at + 1);
        let runs = other.headers.first().is_some_and(|header| is_called(header, RUN));
        (counts.len() > 2 && counted && runs).then_some(())?;
        let column = |at: usize| -> Option<[f64; 2]> {
            let own = other.rows.iter().map(|(_, cells)| value(cells.get(at)?));
            let mut own: Vec<f64> = own.collect::<Option<_>>()?;
            own.sort_by(f64::total_cmp);
            let half = own.len() / 2;
            let median = f64::midpoint(own[half], own[own.len() - 1 - half]);
            (own[0] < own[own.len() - 1])
                .then(|| [own.iter().sum::<f64>() / own.len() as f64, median])
        };
        let found: Vec<[f64; 2]> = (1..other.headers.len()).filter_map(column).collect();
        (found.len() > 1).then_some(found)
    };
    let rows = grid.rows.iter().map(|(_, cells)| cells.iter().filter_map(number).collect());
    let columns = (0..grid.headers.len())
        .map(|at| grid.rows.iter().filter_map(|(_, cells)| number(cells.get(at)?)).collect());
    let lines: Vec<Vec<Number>> = rows.chain(columns).collect();
    let sums_up = |other: &&Grid| {
        let Some(centres) = centres(other) else { return false };
        let near = |(own, centres): (&Number, &[f64; 2])| {
            centres.iter().any(|centre| (own.value - centre).abs() <= 1.01 * own.resolution)
        };
        lines.iter().any(|own| own.len() == centres.len() && own.iter().zip(&centres).all(near))
    };
    let others = all.iter().filter(|other| other.lines != grid.lines);
    let found = others.filter(|_| all.len() <= MAX_TABLES).find(sums_up)?;
    Some(found.lines.start + 1)
}
