//! Columns that headers number as runs of a quantity.

use std::collections::{BTreeMap, BTreeSet};

use crate::kit::arithmetic::{self, FAR};
use crate::kit::fields::{self, Number, is_metric};
use crate::kit::figure::is_unit;
use crate::kit::short;
use crate::kit::stated_runs::says_of_each;
use crate::table::layout::changes::forms::numbers_of;
use crate::table::records::{Line, Table};
use crate::table::role_words::{RUN, counts_runs};
use crate::text::headings;
use beyondnoise_model::runs::Skipped;

/// The quantity and the number of the run in a header: `ANE ms (run 1)`, `Run 1 tok/s`, `tok/s run 1`.
fn numbered_quantity(header: &str) -> Option<(String, usize)> {
    let header = header.trim();
    let counted = |stem: &str, run: &str| {
        let number = run.trim_start_matches(|c: char| !c.is_ascii_digit()).parse().ok()?;
        headings::counts_runs(run).then(|| (stem.trim().to_owned(), number))
    };
    let bracketed = || header.strip_suffix(')')?.rsplit_once(" (");
    if let Some(found) = bracketed().and_then(|(stem, run)| counted(stem, run)) {
        return Some(found);
    }
    // `Round 2 TTFT` may be that of the second turn of a talk, and `Test 2` another test.
    let repeats = |run: &str| {
        let word = run.split(' ').next().unwrap_or_default().to_lowercase();
        ["run", "rep", "repeat", "trial"].contains(&&*word)
    };
    let measured = |stem: &str| is_metric(stem) || is_unit(stem);
    let second = |mut blanks: Vec<usize>| (blanks.len() > 1).then(|| blanks.swap_remove(1));
    let ahead = second(header.match_indices(' ').map(|(at, _)| at).collect());
    let behind = second(header.rmatch_indices(' ').map(|(at, _)| at).collect());
    let ahead = ahead.map(|at| (header[at..].trim(), header[..at].trim()));
    let behind = behind.map(|at| (header[..at].trim(), header[at..].trim()));
    let mut found = [ahead, behind].into_iter().flatten().filter(|(_, run)| repeats(run));
    found.find_map(|(stem, run)| {
        let stem = stem.strip_prefix('(').and_then(|stem| stem.strip_suffix(')')).unwrap_or(stem);
        counted(stem, run).filter(|_| measured(stem))
    })
}

/// Whether the numbers of a column are the means or the medians of those of these others, in every row.
pub(super) fn are_means(table: &Table, at: usize, repeats: &[usize]) -> bool {
    let numbers: Vec<Vec<Option<Number>>> =
        repeats.iter().map(|&at| numbers_of(table, at)).collect();
    let row = |(row, mean): (usize, &Option<Number>)| {
        let (mean, all): (_, Option<Vec<f64>>) =
            (mean.as_ref()?, numbers.iter().map(|own| Some(own[row]?.value)).collect());
        let mut all = all?;
        all.sort_by(f64::total_cmp);
        let middle = arithmetic::mean(&all[(all.len() - 1) / 2..=all.len() / 2]);
        let near = |expected: f64| {
            (mean.value - expected).abs() <= mean.resolution.max(1e-9 * expected.abs())
        };
        let known = mean.value != 0.0;
        Some(known && [arithmetic::mean(&all), middle].into_iter().flatten().any(near))
    };
    numbers_of(table, at).iter().enumerate().all(|one| row(one) == Some(true))
}

/// Puts columns that headers number as runs of a quantity into one of lists for each: `ANE ms (run 1)`, `ANE ms (run 2)`,
/// `ANE tok/s (run 1)`, `ANE tok/s (run 2)`. The means and medians of three or more beside them are left out, with a note.
pub(super) fn list_runs(table: &mut Table, notes: &mut Vec<Skipped>) {
    let mut columns: BTreeMap<String, BTreeMap<usize, usize>> = BTreeMap::new();
    let mut count = 0;
    for at in 0..table.headers.len() {
        if let Some((stem, number)) = numbered_quantity(&table.headers[at]) {
            columns.entry(stem).or_default().insert(number, at);
            count += 1;
        }
    }
    let runs: BTreeSet<Vec<usize>> =
        columns.values().map(|runs| runs.keys().copied().collect()).collect();
    let each = runs.first().map_or(0, Vec::len);
    if table.rows.is_empty()
        || columns.is_empty()
        || runs.len() > 1
        || each < 2
        || count != each * columns.len()
    {
        return;
    }
    // Numbers far apart would be two quantities of a list.
    let near = |row: Line, runs: &BTreeMap<usize, usize>| {
        let number = |at: &usize| fields::number(row.cells.get(*at)).map(|number| number.value);
        let values: Option<Vec<f64>> = runs.values().map(number).collect();
        let ends = |values: &Vec<f64>| {
            values.iter().fold((f64::MAX, f64::MIN), |(low, high), v| (low.min(*v), high.max(*v)))
        };
        values.as_ref().map(ends).is_some_and(|(low, high)| low > 0.0 && high < FAR * low)
            && runs.values().all(|at| !row.cells.get(*at).contains([',', ';', '/']))
    };
    if !table.rows.iter().all(|row| columns.values().all(|runs| near(row, runs))) {
        return;
    }
    let mut dropped = Vec::new();
    for runs in columns.values() {
        let repeats: Vec<usize> = runs.values().copied().collect();
        let means = (0..table.headers.len()).filter(|at| {
            !repeats.contains(at) && repeats.len() > 2 && are_means(table, *at, &repeats)
        });
        dropped.extend(means);
    }
    for &at in &dropped {
        let place = format!("column {}", short(&table.headers[at]));
        notes.push(Skipped { place, why: "sums up the other columns: not read".to_owned() });
    }
    let mut rows = table.take_rows();
    for (stem, runs) in columns {
        let places: Vec<usize> = runs.into_values().collect();
        for row in &mut rows {
            let list: Vec<&str> = places.iter().map(|at| row.cells[*at].trim()).collect();
            row.cells[places[0]] = list.join(", ");
        }
        table.headers[places[0]] = stem;
        dropped.extend_from_slice(&places[1..]);
    }
    table.put_rows(rows);
    table.drop_columns(&dropped);
}

/// Words and letters before the number of a run.
const OF_RUNS: &[&str] =
    &["r", "b", "t", "i", "s", "build", "rep", "trial", "iter", "pass", "sample", "try", "start"];

/// Largest ratio of the repeats of a row.
const NEAR: f64 = 1.25;

/// Whether the numbers of these columns are near to each other in every row.
fn are_near(table: &Table, columns: &[usize]) -> bool {
    let numbers: Vec<Vec<Option<Number>>> =
        columns.iter().map(|&at| numbers_of(table, at)).collect();
    (0..table.rows.len()).all(|row| {
        let own = numbers.iter().filter_map(|column| column[row]).map(|number| number.value);
        let (low, high) =
            own.fold((f64::MAX, f64::MIN), |(low, high), v| (low.min(v), high.max(v)));
        low > 0.0 && high <= NEAR * low
    })
}

/// Names the columns of runs, `b1`, `b2`, `b3`, where the text above says that there are as many of each, `three clean builds each`,
/// or where the last columns hold their means.
pub(super) fn name_runs(table: &mut Table, text: &str) -> bool {
    let number = |header: &str| {
        let stem = header.trim_end_matches(|c: char| c.is_ascii_digit());
        let number: usize = header[stem.len()..].parse().ok()?;
        (!stem.is_empty()).then(|| (stem.to_owned(), number))
    };
    let columns = table.headers.get(1..).unwrap_or_default();
    let all: Vec<(String, usize)> =
        columns.iter().map_while(|header| number(header.trim())).collect();
    let count = all.len();
    let counted = count > 1
        && all
            .iter()
            .enumerate()
            .all(|(at, (stem, number))| *stem == all[0].0 && *number == at + 1);
    let named = table.headers.iter().skip(1).any(|header| counts_runs(header));
    if !counted || named || table.rows.is_empty() {
        return false;
    }
    let runs: Vec<usize> = (1..=count).collect();
    let mut others = count + 1..table.headers.len();
    let stem = all[0].0.to_lowercase();
    let of_runs = OF_RUNS.contains(&stem.trim_end_matches([' ', '_', '-', '#', '.']));
    let told = if others.is_empty() {
        says_of_each(text, count)
    } else {
        count > 2
            && of_runs
            && are_near(table, &runs)
            && others.all(|at| are_means(table, at, &runs))
    };
    if told {
        for at in runs {
            table.headers[at] = format!("{} {at}", RUN[0]);
        }
    }
    told
}
