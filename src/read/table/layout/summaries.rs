//! Rows that sum up others: an average over runs is no run.

use std::collections::{BTreeMap, BTreeSet};

use crate::kit::fields::{self, Number};
use crate::kit::short;
use crate::table::column_names::is_tidy;
use crate::table::layout::change_rows::{self, bare};
use crate::table::layout::changes::forms::numbers_of;
use crate::table::layout::columns::{STATISTICS, is_called};
use crate::table::records::{Line, Row, Table};
use crate::table::role_words::{RUN, is_identity};
use beyondnoise_model::metrics::words::{Says, meaning};
use beyondnoise_model::runs::Skipped;

/// Chance up to which a row is taken for the mean of others, if it equals it by accident.
const CHANCE: f64 = 1e-3;

/// The same where its label, unlike those of the others, counts no run.
const LABELLED: f64 = 0.3;

/// Skips the rows that summarise others, with a note.
pub(crate) fn leave_out_rows(table: &mut Table) -> Vec<Skipped> {
    let mut out: BTreeMap<usize, String> = BTreeMap::new();
    for at in 0..table.headers.len() {
        for (row, word) in named_rows(table, at) {
            out.entry(row).or_insert_with(|| {
                let place = format!("\"{}\" in \"{}\"", short(&word), short(&table.headers[at]));
                if sums_up(&word) {
                    format!("{place} is a summary of other rows, not a run: not read")
                } else {
                    format!("{place} numbers no run: not read")
                }
            });
        }
    }
    if let Some(row) = average_of_all(table) {
        out.insert(row, "the average of the rows above, no workload: not read".to_owned());
    }
    for row in change_rows::changes(table) {
        out.insert(row, "compares the rows beside it, no run: not read".to_owned());
    }
    if out.is_empty() {
        for (row, what) in summaries(table) {
            out.insert(row, format!("holds the {what} of the rows beside it, not a run: not read"));
        }
    }
    if out.is_empty() {
        return Vec::new();
    }
    let mut notes = Vec::new();
    let mut kept = Vec::new();
    for (position, line) in table.rows.iter().enumerate() {
        if let Some(why) = out.remove(&position) {
            notes.push(Skipped { place: format!("{} {}", table.counts, line.number), why });
        } else {
            kept.push(Row {
                number: line.number,
                cells: line.cells.iter().map(str::to_owned).collect(),
            });
        }
    }
    table.rows.clear();
    for row in kept {
        table.rows.push(row);
    }
    notes
}

/// Leaves out rows that repeat the header, and exact copies of others where an id, a time or the number of the run says
/// that they are one, with a note on each kind.
pub(crate) fn leave_out_copies(table: &mut Table) -> Vec<Skipped> {
    let width = table.headers.len();
    if is_tidy(&table.headers) || width < 2 {
        return Vec::new();
    }
    let header = |row: Line| {
        row.cells.iter().zip(&table.headers).all(|(cell, header)| cell.trim() == header.trim())
    };
    let mut seen: BTreeSet<Vec<&str>> = BTreeSet::new();
    let (mut headers, mut copies) = (Vec::new(), Vec::new());
    for (at, row) in table.rows.iter().enumerate() {
        if header(row) {
            headers.push(at);
        } else if !seen.insert(row.cells.iter().collect()) {
            copies.push(at);
        }
    }
    // The columns of words and an id together name each row.
    let names = |id: &usize| {
        let named: Vec<usize> =
            (0..width).filter(|at| at == id || !table.is_numeric(*at)).collect();
        let keys: BTreeSet<Vec<&str>> =
            seen.iter().map(|row| named.iter().map(|&at| row[at]).collect()).collect();
        keys.len() == seen.len()
    };
    let says = |at: &usize| {
        let header = &table.headers[*at];
        is_identity(header) && table.filled(*at).collect::<BTreeSet<_>>().len() > 1
    };
    if !copies.is_empty() && !(0..width).filter(says).any(|id| names(&id)) {
        copies.clear();
    }
    let counts = table.counts;
    let mut notes = Vec::new();
    for (rows, why) in [
        (&headers, "repeats the header: not read"),
        (&copies, "a copy of a row above, with the same id: counted once"),
    ] {
        let Some(&first) = rows.first() else { continue };
        let place = format!("{counts} {}", table.rows.get(first).number);
        let more =
            if rows.len() > 1 { format!(" ({} such rows)", rows.len()) } else { String::new() };
        notes.push(Skipped { place, why: format!("{why}{more}") });
    }
    if notes.is_empty() {
        return notes;
    }
    let kept: Vec<Row> = table
        .take_rows()
        .into_iter()
        .enumerate()
        .filter(|(at, _)| headers.binary_search(at).is_err() && copies.binary_search(at).is_err())
        .map(|(_, row)| row)
        .collect();
    table.put_rows(kept);
    notes
}

fn sums_up(cell: &str) -> bool {
    let bare = bare(cell);
    let first = bare.split([' ', '(', '±']).next().unwrap_or_default();
    STATISTICS.contains(&&*bare) || !first.is_empty() && STATISTICS.contains(&first)
}

/// Rows whose cell in a column that numbers or names the runs is a word for a summary.
fn named_rows(table: &Table, at: usize) -> Vec<(usize, String)> {
    let header = &table.headers[at];
    let names_runs = is_called(header, RUN)
        || is_called(header, &["#", "no", "no.", "n", "rep", "sample", "seed", "序号"]);
    if !(names_runs || at == 0) {
        return Vec::new();
    }
    let cells: Vec<&str> = table.rows.iter().map(|row| row.cells.get(at)).collect();
    let distinct: BTreeSet<&str> = cells.iter().copied().collect();
    if !distinct.into_iter().any(sums_up) {
        return Vec::new();
    }
    let others = || cells.iter().filter(|cell| !cell.trim().is_empty() && !sums_up(cell));
    // Where rows are statistics such as p50 and p99, a mean is one of them.
    let counter = |cell: &&&str| {
        fields::number(&bare(cell)).is_some() || crate::text::headings::counts_runs(&bare(cell))
    };
    let runs = others().count() > 0 && (names_runs || others().all(|cell| counter(&cell)));
    let percentile =
        |cell: &&&str| bare(cell).starts_with('p') && fields::number(&bare(cell)[1..]).is_some();
    if !runs || others().any(|cell| percentile(&cell)) {
        return Vec::new();
    }
    // Below the summary of numbered runs stands no further one under a word: `τ`.
    let first = cells.iter().position(|cell| sums_up(cell)).unwrap_or(cells.len());
    let numbered = first > 1 && cells[..first].iter().all(|cell| counter(&cell));
    let no_run = |row: usize, cell: &str| {
        let word = !cell.trim().is_empty() && !cell.contains(|c: char| c.is_ascii_digit());
        numbered && row > first && word && !sums_up(cell)
    };
    let summed = cells.iter().enumerate().filter(|(row, cell)| sums_up(cell) || no_run(*row, cell));
    summed.map(|(row, cell)| (row, (*cell).to_owned())).collect()
}

/// Most that the values of repeats in one column are apart, as a factor.
const MAX_APART: f64 = 1.5;

/// Whether the first column counts repeats, whatever it is called but the name of a setting: whole numbers one after the other above
/// the average of values that are near to each other in every column that has one.
pub(crate) fn counts_averaged_rows(table: &Table) -> bool {
    if table.headers.is_empty() {
        return false;
    }
    let header = &*table.headers[0];
    let set = || meaning(header).says == Says::Setting || fields::field_of_column(header).is_some();
    let summed: Vec<usize> = named_rows(table, 0).into_iter().map(|(row, _)| row).collect();
    if summed.is_empty() || set() {
        return false;
    }
    let own = |row: &usize| summed.binary_search(row).is_err();
    let rows: Vec<usize> = (0..table.rows.len()).filter(own).collect();
    let count = |row: &usize| {
        let cell = table.rows.get(*row).cells.get(0).trim();
        cell.bytes().all(|byte| byte.is_ascii_digit()).then(|| cell.parse::<u32>().ok()).flatten()
    };
    let counts: Option<Vec<u32>> = rows.iter().map(count).collect();
    // Whether the values of a column are near to each other, and whether a summing row has their mean or median.
    let averaged = |at: usize| -> Option<bool> {
        let numbers = numbers_of(table, at);
        let sums: Vec<Number> = summed.iter().filter_map(|row| numbers[*row]).collect();
        if sums.is_empty() {
            return Some(false);
        }
        let mut own: Vec<f64> =
            rows.iter().filter_map(|row| numbers[*row]).map(|number| number.value).collect();
        own.sort_by(f64::total_cmp);
        let (low, high) = (*own.first()?, *own.last()?);
        let half = own.len() / 2;
        let median = f64::midpoint(own[half], own[own.len() - 1 - half]);
        let mean = own.iter().sum::<f64>() / own.len() as f64;
        let is = |sum: &Number| {
            [mean, median].iter().any(|own| (own - sum.value).abs() <= 1.01 * sum.resolution)
        };
        (low > 0.0 && high / low <= MAX_APART).then(|| sums.iter().any(is))
    };
    // Of many one may be missing; sizes double: 1, 2, 4.
    let counted = counts.is_some_and(|counts| {
        let (first, last) = (counts.first().copied(), counts.last().copied());
        let span = last.zip(first).map_or(0, |(last, first)| last.saturating_sub(first) + 1);
        let missing = (span as usize).saturating_sub(counts.len());
        counts.windows(2).all(|two| two[0] < two[1])
            && first.is_some_and(|first| first < 2)
            && missing <= usize::from(counts.len() >= MIN_COUNTED)
    });
    let found: Option<Vec<bool>> = (1..table.headers.len()).map(averaged).collect();
    rows.len() > 1 && counted && found.is_some_and(|found| found.contains(&true))
}

/// Fewest rows among whose numbers one may be missing.
const MIN_COUNTED: usize = 5;

/// A last row that is called an average, below rows with other words, and is one in a column at least.
fn average_of_all(table: &Table) -> Option<usize> {
    let some = !table.headers.is_empty();
    let last = table.rows.len().checked_sub(1).filter(|last| some && *last > 1)?;
    let label = bare(table.rows.get(last).cells.get(0));
    let named = ["average", "avg", "mean", "geomean", "平均", "均值", "平均值"];
    let words = table.rows.iter().all(|row| row.cells.get(0).contains(char::is_alphabetic));
    let averages = |at: usize| {
        let numbers: Option<Vec<Number>> = numbers_of(table, at).into_iter().collect();
        let Some((found, others)) = numbers.as_deref().and_then(<[Number]>::split_last) else {
            return false;
        };
        let count = others.len() as f64;
        let mean = others.iter().map(|number| number.value).sum::<f64>() / count;
        let geometric = others.iter().map(|number| number.value.ln()).sum::<f64>() / count;
        let near = |expected: f64| (found.value - expected).abs() <= 1.01 * found.resolution;
        near(mean) || near(geometric.exp())
    };
    let whole = words && named.contains(&&*label);
    (whole && (1..table.headers.len()).any(averages)).then_some(last)
}

/// A statistic of the other rows that a row may hold.
type Summary = (&'static str, fn(&[f64]) -> f64);

const SUMMARIES: &[Summary] = &[
    ("mean", |values| values.iter().sum::<f64>() / values.len() as f64),
    ("median", |values| {
        let mut sorted = values.to_vec();
        sorted.sort_by(f64::total_cmp);
        f64::midpoint(sorted[(sorted.len() - 1) / 2], sorted[sorted.len() / 2])
    }),
    ("smallest value", |values| values.iter().copied().fold(f64::INFINITY, f64::min)),
    ("largest value", |values| values.iter().copied().fold(f64::NEG_INFINITY, f64::max)),
];

/// The total of the other rows.
const SUM: Summary = ("sum", |values| values.iter().sum());

/// Rows that equal the mean or the sum of the rows beside them in every column that varies, within the printed digits, where
/// that is no accident in all groups of rows together. A row that goes on with the numbers of the runs is one; where only its label
/// does not count the runs, it may hold a median or the best value as well.
fn summaries(table: &Table) -> Vec<(usize, &'static str)> {
    let width = table.headers.len();
    let (from, to) = (3, 10_000);
    if !(from..to).contains(&table.rows.len()) {
        return Vec::new();
    }
    let cell = |row: usize, at: usize| table.rows.get(row).cells.get(at);
    let counted = |row: usize, at: usize| {
        if !cell(row, at).is_empty() && cell(row, at).bytes().all(|byte| byte.is_ascii_digit()) {
            return true;
        }
        let label = bare(cell(row, at));
        fields::number(&label).is_some()
            || crate::text::headings::counts_runs(&label)
            || crate::text::headings::numbered(&label).is_some()
    };
    let run = (0..width).find(|&at| is_called(&table.headers[at], RUN));
    // Rows that all count the runs have no label.
    if run.is_some_and(|at| (0..table.rows.len()).all(|row| counted(row, at))) {
        return Vec::new();
    }
    let numeric: Vec<bool> = (0..width).map(|at| Some(at) != run && table.is_numeric(at)).collect();
    // A column whose labels count the runs, but for one in each group.
    let run = run.or_else(|| {
        let counts = |&at: &usize| {
            let count = (0..table.rows.len()).filter(|&row| counted(row, at)).count();
            !numeric[at] && count < table.rows.len() && 3 * count >= 2 * table.rows.len()
        };
        (0..width).find(counts)
    });
    let mut groups: BTreeMap<Vec<&str>, Vec<usize>> = BTreeMap::new();
    let empty = |row: usize| (0..width).all(|at| cell(row, at).trim().is_empty());
    for (position, line) in table.rows.iter().enumerate().filter(|(row, _)| !empty(*row)) {
        let key = (0..width).filter(|&at| !numeric[at] && Some(at) != run);
        groups.entry(key.map(|at| line.cells.get(at)).collect()).or_default().push(position);
    }
    let number = |row: usize, at: usize| fields::number(cell(row, at));
    // The chance that a row equals such a summary of the others by accident; none where it does not.
    let chance = |others: &[usize], row: usize, (what, summary): Summary| {
        let mut chance = 1.0;
        for at in (0..width).filter(|&at| numeric[at]) {
            // A label may stand beside fewer columns.
            if run.is_some() && cell(row, at).trim().is_empty() {
                continue;
            }
            let values: Option<Vec<Number>> = others.iter().map(|&row| number(row, at)).collect();
            let (values, found) = values.zip(number(row, at))?;
            // The digits that addends lack add up.
            let lost: f64 = values.iter().map(|n| n.resolution).sum();
            let lost = if what == SUM.0 { lost } else { 0.0 };
            let values: Vec<f64> = values.iter().map(|n| n.value).collect();
            let expected = summary(&values);
            let low = values.iter().copied().fold(f64::INFINITY, f64::min);
            let range = values.iter().copied().fold(f64::NEG_INFINITY, f64::max) - low;
            let near = found.resolution * 1.01 + lost + 1e-12 * expected.abs();
            if (found.value - expected).abs() > near {
                return None;
            }
            if range > 0.0 {
                chance *= (2.0 * near / range).min(1.0);
            }
        }
        (chance < 1.0).then_some(chance)
    };
    let mut found = Vec::new();
    let mut together = 1.0;
    for rows in groups.values() {
        let named: Vec<usize> = run.map_or(Vec::new(), |at| {
            // Labels that differ in their digits alone number the runs: `r0` and `r1`.
            let stem = |row: usize| bare(cell(row, at)).replace(|c: char| c.is_ascii_digit(), "");
            let mut stems: BTreeMap<String, usize> = BTreeMap::new();
            for &row in rows {
                *stems.entry(stem(row)).or_default() += 1;
            }
            let alone = |row: usize| stems.get(&stem(row)) == Some(&1);
            rows.iter().copied().filter(|&row| !counted(row, at) && alone(row)).collect()
        });
        let others: Vec<usize> = rows.iter().copied().filter(|row| !named.contains(row)).collect();
        if run.is_some() && others.len() > 1 {
            // A label of its own, and the value of a summary.
            let of = |&row: &usize| {
                let (what, _) = SUMMARIES.iter().find(|summary| {
                    chance(&others, row, **summary).is_some_and(|chance| chance < LABELLED)
                })?;
                Some((row, *what))
            };
            found.extend(named.iter().filter_map(of));
            continue;
        }
        let [others @ .., last] = &rows[..] else { continue };
        if others.len() < 2 || run.is_some() {
            continue;
        }
        let of = |summary: Summary| Some((summary.0, chance(others, *last, summary)?));
        // Sizes add up by chance: 1, 2 and 3 GPUs.
        let sized = (0..width).any(|at| {
            let whole = |row: &usize| number(*row, at).is_some_and(|n| n.resolution >= 0.5);
            numeric[at] && others.iter().all(whole)
        });
        match of(SUMMARIES[0]).or_else(|| of(SUM).filter(|_| !sized && others.len() > 2)) {
            Some((what, chance)) => {
                together *= chance;
                found.push((*last, what));
            }
            None => return Vec::new(),
        }
    }
    if run.is_none() && together >= CHANCE { Vec::new() } else { found }
}
