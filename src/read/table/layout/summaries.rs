//! Rows that sum up others: an average over runs is no run.

use std::collections::BTreeMap;

use crate::read::kit::fields::{self, Number};
use crate::read::kit::short;
use crate::read::table::layout::columns::{STATISTICS, is_called};
use crate::read::table::records::{Row, Table};
use crate::read::table::role_words::RUN;
use crate::runs::Skipped;

/// Chance up to which a row is taken for the mean of others, if it equals it by accident.
const CHANCE: f64 = 1e-3;

/// Skips the rows that summarise others, with a note.
pub(crate) fn leave_out_rows(table: &mut Table) -> Vec<Skipped> {
    let mut out: BTreeMap<usize, String> = BTreeMap::new();
    for at in 0..table.headers.len() {
        for (row, word) in named_rows(table, at) {
            out.entry(row).or_insert_with(|| {
                format!(
                    "\"{}\" in \"{}\" is a summary of other rows, not a run: not read",
                    short(&word),
                    short(&table.headers[at])
                )
            });
        }
    }
    if out.is_empty() {
        for row in means(table) {
            out.insert(row, "holds the means of the rows beside it, not runs: not read".to_owned());
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

/// A cell in small letters, without emphasis.
fn bare(cell: &str) -> String {
    cell.trim().trim_matches(['*', '_', '`', ':', '(', ')', ' ', '：', '#']).to_lowercase()
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
    let cells: Vec<&str> = table.rows.iter().map(|row| row.cells.get(at)).collect();
    if !(names_runs || at == 0) || !cells.iter().any(|cell| sums_up(cell)) {
        return Vec::new();
    }
    let others = || cells.iter().filter(|cell| !cell.trim().is_empty() && !sums_up(cell));
    // Where rows are statistics such as p50 and p99, a mean is one of them.
    let counter = |cell: &&&str| {
        fields::number(&bare(cell)).is_some()
            || crate::read::text::headings::counts_runs(&bare(cell))
    };
    let runs = others().count() > 0 && (names_runs || others().all(|cell| counter(&cell)));
    let percentile =
        |cell: &&&str| bare(cell).starts_with('p') && fields::number(&bare(cell)[1..]).is_some();
    if !runs || others().any(|cell| percentile(&cell)) {
        return Vec::new();
    }
    let summed = cells.iter().enumerate().filter(|(_, cell)| sums_up(cell));
    summed.map(|(row, cell)| (row, (*cell).to_owned())).collect()
}

/// Rows that equal the mean of the rows above them in every column that varies, to the last digit, where that is
/// no accident; a row that goes on with the numbers of the runs is one.
fn means(table: &Table) -> Vec<usize> {
    let width = table.headers.len();
    let (from, to) = (3, 10_000);
    if !(from..to).contains(&table.rows.len()) {
        return Vec::new();
    }
    let numeric: Vec<bool> = (0..width).map(|at| table.is_numeric(at)).collect();
    let run = (0..width).find(|&at| is_called(&table.headers[at], RUN));
    let mut groups: BTreeMap<Vec<&str>, Vec<usize>> = BTreeMap::new();
    for (position, line) in table.rows.iter().enumerate() {
        let key = (0..width).filter(|&at| !numeric[at] && Some(at) != run);
        groups.entry(key.map(|at| line.cells.get(at)).collect()).or_default().push(position);
    }
    let number = |row: usize, at: usize| fields::number(table.rows.get(row).cells.get(at));
    let is_mean = |rows: &[usize]| {
        let [others @ .., last] = rows else { return false };
        if others.len() < 2 || run.is_some_and(|at| number(*last, at).is_some()) {
            return false;
        }
        let mut chance = 1.0;
        for at in (0..width).filter(|&at| numeric[at] && Some(at) != run) {
            let values: Option<Vec<Number>> = others.iter().map(|&row| number(row, at)).collect();
            let (Some(values), Some(mean)) = (values, number(*last, at)) else { return false };
            let found: f64 = values.iter().map(|n| n.value).sum::<f64>() / values.len() as f64;
            let fold = |start: f64, pick: fn(f64, f64) -> f64| {
                values.iter().fold(start, |a, n| pick(a, n.value))
            };
            let range = fold(f64::NEG_INFINITY, f64::max) - fold(f64::INFINITY, f64::min);
            let near = mean.resolution * 1.01 + 1e-12 * found.abs();
            if (mean.value - found).abs() > near {
                return false;
            }
            if range > 0.0 {
                chance *= (2.0 * near / range).min(1.0);
            }
        }
        chance < CHANCE
    };
    groups.values().filter(|rows| is_mean(rows)).filter_map(|rows| rows.last().copied()).collect()
}
