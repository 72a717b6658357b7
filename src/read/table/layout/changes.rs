//! Columns of changes beside the values that they compare, `+3.4 %`, `1.09x`, `降低 6.0%`, whatever their name: no
//! results, but claims about them.

use std::collections::BTreeSet;

use crate::kit::fields::{self, Number};
use crate::kit::figure::figure;
use crate::table::column_names::VARIANT;
use crate::table::layout::columns::{Kind, is_called};
use crate::table::records::{Line, Table};

pub(crate) mod between;
pub(crate) mod forms;

use crate::table::layout::changes::between::{follows, from_a_row, stated, words_of};
use crate::table::layout::changes::forms::{Change, MAX_COMPARED, SMALL, change, numbers_of};

/// Whether the numbers of a column are those of a metric in the same rows as factors of the row that has `1.00`, either way.
pub(crate) fn is_relative(table: &Table, at: usize, kinds: &[Kind]) -> bool {
    let decimal = |cell: &str| cell.contains(['.', ',']) && fields::number(cell.trim()).is_some();
    let one = |cell: &str| {
        fields::number(cell.trim()).is_some_and(|number| (number.value - 1.0).abs() < 1e-12)
    };
    let metrics = (0..kinds.len()).filter(|other| *other != at && kinds[*other] == Kind::Metric);
    table.filled(at).all(decimal)
        && table.filled(at).filter(|cell| one(cell)).count() == 1
        && table.filled(at).count() > 1
        && metrics.into_iter().any(|other| {
            [false, true].iter().any(|inverse| follows(table, at, other, (*inverse, true)))
        })
}

/// Names the column of words that a column of ratios compares, `Ratio` of 1.00 for `Mvc` under each `Method`: inside every group of the
/// other words one row has a ratio of one, all of these have one label, and the others' ratios are those of a measured column.
pub(crate) fn name_what_is_compared(table: &mut Table) -> bool {
    let width = table.headers.len();
    let rows = table.rows.len();
    if !(4..=MAX_COMPARED).contains(&rows) {
        return false;
    }
    let cells: Vec<Vec<&str>> = table
        .rows
        .iter()
        .map(|row| (0..width).map(|at| row.cells.get(at).trim_matches(['*', ' '])).collect())
        .collect();
    let bare = |row: usize, at: usize| cells[row][at];
    let word = |cell: &str| cell.contains(char::is_alphabetic) && figure(cell, false).is_none();
    let words: Vec<usize> =
        (0..width).filter(|&at| (0..rows).all(|row| word(bare(row, at)))).collect();
    if words.len() < 2 {
        return false;
    }
    let is_one = |cell: &str| fields::number(cell).is_some_and(|n| (n.value - 1.0).abs() < 1e-12);
    let decimal = |cell: &str| cell.contains('.') && fields::number(cell).is_some();
    let ratios = (0..width).filter(|at| {
        (0..rows).all(|row| decimal(bare(row, *at))) && (0..rows).any(|row| is_one(bare(row, *at)))
    });
    let compares = |ratio: usize, column: usize| {
        let bases: Vec<usize> = (0..rows).filter(|row| is_one(bare(*row, ratio))).collect();
        let label = bare(bases[0], column);
        let others: Vec<usize> = words.iter().copied().filter(|at| *at != column).collect();
        let group = |row: usize| -> Vec<&str> { others.iter().map(|at| bare(row, *at)).collect() };
        let of_label = (0..rows).filter(|row| bare(*row, column) == label);
        if bases.len() < 2 || of_label.collect::<Vec<_>>() != bases {
            return false;
        }
        let base = |row: usize| {
            let mut own = bases.iter().copied().filter(|base| group(*base) == group(row));
            own.next().filter(|_| own.next().is_none())
        };
        let measured = (0..width).filter(|at| *at != ratio && !words.contains(at));
        measured.into_iter().any(|at| {
            let numbers = numbers_of(table, at);
            let agrees = |row: &usize| {
                let stated = fields::number(bare(*row, ratio));
                let found = base(*row).and_then(|base| numbers[*row].zip(numbers[base]));
                stated.zip(found).is_some_and(|(stated, (new, old))| {
                    // The mean of ratios is near the ratio of means.
                    let room = stated.resolution + SMALL;
                    (new.value / old.value - stated.value).abs() <= room
                })
            };
            (0..rows).all(|row| agrees(&row))
        })
    };
    let pairs = ratios.flat_map(|ratio| words.iter().map(move |column| (ratio, *column)));
    let Some((_, column)) = pairs.into_iter().find(|(ratio, column)| compares(*ratio, *column))
    else {
        return false;
    };
    for (at, header) in table.headers.iter_mut().enumerate() {
        if at == column {
            VARIANT[0].clone_into(header);
        } else if is_called(header, VARIANT) {
            *header = format!("{header} of the row");
        }
    }
    true
}

/// Whether the changes of a column have the other sign than those of another one from a row to the others: a plus means better.
pub(super) fn is_turned(table: &Table, at: usize, column: usize) -> bool {
    let agreeing = |sign: f64| {
        let agrees = |change: &Change, ratio: f64, room: &dyn Fn(f64) -> f64| {
            let near = |seen: f64| (seen - sign * stated(change)).abs();
            let of_old = near(ratio - 1.0) <= room(ratio);
            let of_new = near(1.0 - ratio.recip()) <= room(ratio.recip());
            change.up.is_some() && (of_old || of_new)
        };
        from_a_row(table, (at, column), false, agrees).0
    };
    let turned = agreeing(-1.0);
    turned > 1 && turned > agreeing(1.0)
}

/// Whether the changes of a column are those of one of these columns from one row to all others, whichever way they are signed.
pub(crate) fn are_between_rows(table: &Table, at: usize, columns: &[usize]) -> bool {
    let agrees = |change: &Change, ratio: f64, room: &dyn Fn(f64) -> f64| {
        let near = |ratio: f64| ((ratio - 1.0).abs() - change.size).abs() <= room(ratio);
        near(ratio) || near(ratio.recip())
    };
    let all_agree = |&column: &usize| {
        let (good, all) = from_a_row(table, (at, column), false, agrees);
        all > 1 && good == all
    };
    columns.iter().any(all_agree)
}

/// Whether the numbers of a column, each with its sign, are the differences of one of these columns from one of the rows: `+0.005`
/// behind a perplexity. In that row it has a word, a dash or zero.
pub(crate) fn are_differences(table: &Table, at: usize, columns: &[usize]) -> bool {
    let stated = numbers_of(table, at);
    let signed = |row: Line| {
        let cell = row.cells.get(at).trim_matches(['*', ' ']);
        cell.starts_with(['+', '-', '−', '–']) && cell.contains(|c: char| c.is_ascii_digit())
    };
    let signs: Vec<bool> = table.rows.iter().map(signed).collect();
    let bases: Vec<usize> = (0..signs.len()).filter(|row| !signs[*row]).collect();
    let [base] = bases[..] else { return false };
    let zero = |number: Number| number.value.abs() < 1e-12;
    if signs.len() < MIN_DIFFERENCES || !stated[base].is_none_or(zero) {
        return false;
    }
    // `Δ PPL` names its column, `Δ` may be about any.
    let words = |at: usize| -> BTreeSet<String> {
        let delta = ["delta", "diff", "difference", "change", "vs"];
        let words = words_of(&table.headers[at]).into_iter();
        words.filter(|word| !["δ", "∆"].contains(&&**word) && !delta.contains(&&**word)).collect()
    };
    let own = words(at);
    let named =
        |column: &&usize| **column != at && (own.is_empty() || !own.is_disjoint(&words(**column)));
    columns.iter().filter(named).any(|column| {
        let numbers = numbers_of(table, *column);
        let differs = |row: usize| {
            let (new, old, stated) = (numbers[row]?, numbers[base]?, stated[row]?);
            let room = new.resolution + old.resolution + 1.01 * stated.resolution;
            Some((new.value - old.value - stated.value).abs() <= room)
        };
        (0..signs.len()).filter(|row| *row != base).all(|row| differs(row) == Some(true))
    })
}

/// Fewest rows of differences from one of them.
const MIN_DIFFERENCES: usize = 3;

/// Whether a change of a column is that of one of these columns between two rows or its inverse, within a hundredth.
pub(super) fn explains(table: &Table, at: usize, measured: impl Iterator<Item = usize>) -> bool {
    if table.rows.len() > MAX_COMPARED {
        return true;
    }
    let changes: Vec<Option<Change>> =
        table.rows.iter().map(|row| change(row.cells.get(at).trim(), false)).collect();
    measured.into_iter().any(|other| {
        let values: Vec<Option<f64>> =
            numbers_of(table, other).into_iter().map(|number| Some(number?.value)).collect();
        let moved = |row: usize, change: &Change| {
            let size = if change.up == Some(false) { -change.size } else { change.size };
            let near = |base: &Option<f64>| {
                values[row].zip(*base).is_some_and(|(new, old)| {
                    let near = |ratio: f64| {
                        (ratio - 1.0 - size).abs() < 0.01 + change.resolution.min(0.05)
                    };
                    old != 0.0 && new != 0.0 && (near(new / old) || near(old / new))
                })
            };
            change.size > 0.01 && values.iter().any(near)
        };
        changes
            .iter()
            .enumerate()
            .any(|(row, change)| change.as_ref().is_some_and(|c| moved(row, c)))
    })
}
