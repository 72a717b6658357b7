//! Lists of repeats in one cell: `343, 341, 350`.

use crate::kit::arithmetic::{FAR, far_one_way, one_way};
use crate::kit::cell_value::is_nothing;
use crate::kit::fields::is_metric;
use crate::kit::figure::{figure, list};
use crate::kit::{fields, short};
use crate::table::layout::averages::without_count;
use crate::table::layout::cells::values::{is_value, out_of};
use crate::table::layout::columns::{is_called, is_statistic};
use crate::table::records::{Row, Table};
use crate::table::role_words::{RUN, counts_runs};
use beyondnoise_model::metrics::words::{Quantity, Says, meaning};
use beyondnoise_model::runs::Skipped;

/// Largest ratio of values that are repeats where other cells hold one.
const NEAR: f64 = 1.2;

/// The repeats of a cell: no count of how many of how many, `11/12`, which has no blanks around its mark.
fn repeats_of(cell: &str) -> Option<(Vec<String>, String, char)> {
    let whole = |text: &String| text.parse::<u64>().ok();
    let share = |numbers: &[String]| match numbers {
        [part, of] => whole(part).zip(whole(of)).is_some_and(|(part, of)| part <= of),
        _ => false,
    };
    let found = list(cell, false).filter(|(_, _, mark)| *mark != '→')?;
    let counted = found.2 == '/' && !cell.contains(" /") && share(&found.0);
    (!counted).then_some(found)
}

/// Whether the cells of a column hold as many values as another column says: those of parallel slots.
pub(super) fn are_slots(table: &Table, at: usize) -> bool {
    let count = |cell: &str| list(cell, false).map_or(1, |(values, ..)| values.len());
    let several = table.filled(at).any(|cell| count(cell) > 1);
    let says = |other: usize| {
        table.rows.iter().all(|row| {
            let stated = fields::number(row.cells.get(other).trim_matches(['`', '*', ' ']));
            let own = count(row.cells.get(at)) as f64;
            stated.is_some_and(|number| (number.value - own).abs() < 1e-9)
        })
    };
    several
        && table.rows.len() > 1
        && (0..table.headers.len())
            .any(|other| other != at && !counts_runs(&table.headers[other]) && says(other))
}

/// Whether the values in the cells of a column fall, or rise, from place to place in every row: `0.70 / 0.46 / 0.29`.
fn are_places(table: &Table, at: usize) -> bool {
    let values = |cell: &str| -> Option<Vec<f64>> {
        let (numbers, ..) = list(cell, false).filter(|(numbers, ..)| numbers.len() > 2)?;
        numbers.iter().map(|number| Some(fields::number(number)?.value)).collect()
    };
    let all: Vec<Vec<f64>> = table.filled(at).filter_map(values).collect();
    let ways: Vec<Option<bool>> = all.iter().map(|values| far_one_way(values, 1.0, FAR)).collect();
    let alike = ways.iter().all(|way| way.is_some() && *way == ways[0]);
    let header = &table.headers[at];
    let timed = matches!(
        meaning(header).quantity,
        Quantity::Time | Quantity::Latency | Quantity::Throughput
    );
    let repeats = timed || is_metric(header) || counts_runs(header);
    !repeats && ways.len() > 2 && alike
}

/// Whether every cell of a column counts how many of how many, `80 / 80`, and in half of them all.
fn are_shares(table: &Table, at: usize) -> bool {
    let parts = |cell: &str| -> Option<(u64, u64)> {
        let (part, of) = out_of(cell)?;
        Some((part.trim().parse().ok()?, of.trim().parse().ok()?))
    };
    let all: Option<Vec<(u64, u64)>> = table.filled(at).map(parts).collect();
    all.is_some_and(|all| {
        let whole = all.iter().filter(|(part, of)| part == of).count();
        all.len() > 1 && 2 * whole >= all.len() && all.iter().all(|(part, of)| part <= of)
    })
}

/// Most rows of a table that people paste with lists in its cells.
const MAX_PASTED_ROWS: usize = 50;

/// Whether a column has the mean or the median of the list in another one, in every row.
fn sums_up(table: &Table, at: usize, listed: usize) -> bool {
    table.rows.iter().all(|row| {
        let own = figure(row.cells.get(at), table.comma).and_then(|found| found.value());
        let values = list(row.cells.get(listed), table.comma).and_then(|(numbers, ..)| {
            let value = |number: &String| Some(fields::number(number)?.value);
            numbers.iter().map(value).collect::<Option<Vec<f64>>>()
        });
        own.zip(values).is_some_and(|(own, mut values)| {
            if values.is_empty() {
                return false;
            }
            values.sort_by(f64::total_cmp);
            let half = values.len() / 2;
            let median = f64::midpoint(values[half], values[values.len() - 1 - half]);
            let mean = values.iter().sum::<f64>() / values.len() as f64;
            let near = |centre: f64| (centre - own.value).abs() <= 1.5 * own.resolution;
            near(mean) || near(median)
        })
    })
}

/// The columns with one value beside lists of repeats: those that sum up a list, and those that go with its first repeat.
///
/// As a value of every repeat it would be one without noise.
fn beside_lists(table: &Table, listed: &[usize]) -> (Vec<usize>, Vec<usize>) {
    let single = |at: &usize| {
        let header = &table.headers[*at];
        let figures = |cell: &str| figure(cell, table.comma).is_some();
        let fine = |cell: &str| {
            let found = figure(cell, table.comma);
            found.is_some_and(|found| found.number.contains('.') || !found.unit.is_empty())
        };
        let named = is_metric(header) || meaning(header).statistic.is_some();
        let set = fields::field_of_column(header).is_some_and(fields::is_setting)
            || meaning(header).says == Says::Setting;
        // What is the same in all rows was set.
        let first = table.filled(*at).next();
        let differs = table.filled(*at).any(|cell| Some(cell) != first);
        let measured = named || *at > 0 && differs && table.filled(*at).any(fine);
        measured && !set && !listed.contains(at) && table.mostly(*at, figures)
    };
    let of_list = |at: &usize| {
        let named = is_statistic(&table.headers[*at].trim().to_lowercase());
        named || listed.iter().any(|&list| sums_up(table, *at, list))
    };
    (0..table.headers.len()).filter(single).partition(of_list)
}

/// Least ratio of neighbours in lists that go one way, and fewest such lists.
const STEP: f64 = 1.02;
const MIN_LISTS: usize = 4;

/// Whether the values of all lists rise or fall from place to place, the same way in each row. Three repeats
/// each in two columns of two rows do so once in 324 times.
fn go_one_way(table: &Table, listed: &[usize]) -> bool {
    let way = |cell: &str| -> Option<bool> {
        let (numbers, ..) = list(cell, table.comma).filter(|(numbers, ..)| numbers.len() > 2)?;
        let values: Option<Vec<f64>> =
            numbers.iter().map(|number| Some(fields::number(number)?.value)).collect();
        let values = values.filter(|values| values.iter().all(|value| *value > 0.0))?;
        one_way(&values, STEP)
    };
    let mut count = 0;
    let one = table.rows.iter().all(|row| {
        let cells = listed.iter().map(|&at| row.cells.get(at)).filter(|cell| !is_nothing(cell));
        let ways: Vec<Option<bool>> = cells.map(way).collect();
        count += ways.len();
        ways.iter().all(|way| way.is_some() && *way == ways[0])
    });
    one && count >= MIN_LISTS
}

/// The name of the column with the place of each value in its list: that of the runs, or another one for the lists of a sweep; `swept`
/// is the first column with such lists.
fn name_of_place(table: &Table, swept: Option<usize>, notes: &mut Vec<Skipped>) -> &'static str {
    if let Some(at) = swept {
        let why = "the values of every cell go one way: those of a sweep, no repeats".to_owned();
        notes.push(Skipped { place: format!("column {}", short(&table.headers[at])), why });
        return "place in the cell";
    }
    let named = |name: &&str| !table.headers.iter().any(|header| is_called(header, &[name]));
    RUN.iter().copied().find(|name| named(name)).unwrap_or("run")
}

/// Gives every value of a list of repeats a row of its own: `91.2, 92.3, 90.8`.
pub(super) fn split_lists(table: &mut Table, notes: &mut Vec<Skipped>) -> bool {
    let width = table.headers.len();
    // Long tables with lists in brackets are exports: their rows may be repeats of one another.
    let exported = table.rows.len() > MAX_PASTED_ROWS
        && (0..width).any(|at| table.filled(at).any(|cell| cell.starts_with('[')));
    if exported {
        return false;
    }
    // Beside single values those that are near one another are repeats.
    let values = |cell: &str| -> Option<Vec<f64>> {
        let (numbers, ..) = repeats_of(cell)?;
        Some(numbers.iter().filter_map(|number| Some(fields::number(number)?.value)).collect())
    };
    let near = |cell: &str| {
        values(cell).is_some_and(|values| {
            let ends = values.iter().fold((f64::MAX, f64::MIN), |(l, h), v| (l.min(*v), h.max(*v)));
            ends.0 > 0.0 && ends.1 / ends.0 < NEAR
        })
    };
    // Two numbers far apart are two quantities: `693.04, 2.005`.
    let several = |cell: &str| {
        values(cell).is_some_and(
            |values| !matches!(values[..], [one, other] if one.max(other) > FAR * one.min(other)),
        )
    };
    let repeats = |at: usize| {
        at > 0
            && table.filled(at).any(near)
            && table.filled(at).all(|cell| near(cell) || is_value(cell) || is_nothing(cell))
            && ![" / ", " vs ", "→"].iter().any(|mark| table.headers[at].contains(mark))
    };
    let repeated: Vec<usize> = (0..width).filter(|&at| repeats(at)).collect();
    // All of a row are repeated, or none.
    let whole = repeated.len() > 1
        && table.rows.iter().all(|row| {
            let lists = repeated.iter().filter(|&&at| near(row.cells.get(at))).count();
            lists == 0 || lists == repeated.len()
        });
    // `ours / torch / compiled` over three values names each of them.
    let named = |at: usize| {
        let header = &*table.headers[at];
        let inner = header.split_once('[').and_then(|(_, rest)| rest.split_once(']'));
        let names = |mark: &str| match inner.filter(|_| mark == ",") {
            Some((inner, _)) => inner.split(mark).count(),
            None => header.split(mark).count(),
        };
        table.filled(at).filter_map(|cell| list(cell, false)).any(|(values, ..)| {
            values.len() > 2
                && [" / ", " vs ", "/", ","].iter().any(|mark| names(mark) == values.len())
        })
    };
    let listed: Vec<usize> = (0..width)
        .filter(|&at| !named(at) && !are_slots(table, at) && !are_shares(table, at))
        .filter(|&at| !are_places(table, at))
        .filter(|at| {
            let all = *at > 0 && table.filled(*at).next().is_some() && table.mostly(*at, several);
            all || whole && repeated.contains(at)
        })
        .collect();
    // Where one of several columns has two values far apart, the pairs of none are repeats.
    let two = |cell: &str| values(cell).filter(|values| values.len() == 2);
    let far = |at: usize| {
        table.mostly(at, |cell| two(cell).is_some())
            && table
                .filled(at)
                .filter_map(two)
                .any(|pair| pair[0].max(pair[1]) > 2.0 * FAR * pair[0].min(pair[1]))
    };
    if listed.iter().all(|&at| table.filled(at).all(|cell| two(cell).is_some()))
        && (1..width).any(far)
    {
        return false;
    }
    let counts = |row: crate::table::records::Line| -> Vec<usize> {
        listed.iter().filter_map(|&at| Some(list(row.cells.get(at), false)?.0.len())).collect()
    };
    let alike = table.rows.iter().all(|row| {
        let counts = counts(row);
        counts.windows(2).all(|pair| pair[0] == pair[1])
    });
    if listed.is_empty() || !alike {
        return false;
    }
    let swept = go_one_way(table, &listed);
    let (once, first) = beside_lists(table, &listed);
    for &at in &once {
        let why = "one value beside a list of repeats: not read".to_owned();
        notes.push(Skipped { place: format!("column {}", short(&table.headers[at])), why });
    }
    table.drop_columns(&once);
    let moved = |at: usize| at - once.iter().filter(|&&other| other < at).count();
    let listed: Vec<usize> = listed.into_iter().map(moved).collect();
    let first: Vec<usize> = first.into_iter().map(moved).collect();
    let comma = table.comma;
    let rows = table.take_rows();
    let run = name_of_place(table, swept.then_some(listed[0]), notes);
    for &at in &listed {
        table.headers[at] = without_count(&table.headers[at]).0;
    }
    // A place is one of the names of a row.
    let place = if swept { 1 } else { table.headers.len() };
    table.headers.insert(place, run.to_owned());
    let mut out = Vec::new();
    for row in rows {
        let lists: Vec<(usize, Vec<String>, String)> = listed
            .iter()
            .filter_map(|&at| {
                let (numbers, unit, _) = list(&row.cells[at], comma)?;
                Some((at, numbers, unit))
            })
            .collect();
        let count = lists.iter().map(|(_, numbers, _)| numbers.len()).max().unwrap_or(1);
        for nth in 0..count {
            let mut cells = row.cells.clone();
            for (at, numbers, unit) in &lists {
                format!("{} {unit}", numbers[nth]).trim().clone_into(&mut cells[*at]);
            }
            for &at in first.iter().filter(|_| nth > 0) {
                cells[at].clear();
            }
            cells.insert(place, (nth + 1).to_string());
            out.push(Row { number: row.number, cells });
        }
    }
    table.put_rows(out);
    true
}
