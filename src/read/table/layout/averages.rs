//! Cells such as `104.2 ± 1.3 (n=5)`: averages of several runs, with how these vary.

use std::collections::BTreeMap;

use crate::kit::cell_value::spread;
use crate::kit::stated_runs::stated_count;
use crate::kit::{fields, short};
use crate::table::column_names::is_tidy;
use crate::table::layout::columns::{is_change, is_statistic};
use crate::table::records::{Row, Table};
use crate::table::role_words::counts_runs;
use crate::table::spreads::{is_deviation, pairs_of};
use beyondnoise_model::runs::{Run, Skipped, Spread};

/// An average in a table.
struct Average {
    /// Number of its row, and its column, as they were written.
    place: (usize, usize),
    /// Number of its row now.
    number: usize,
    /// The metric as the table names it.
    metric: String,
    value: f64,
    /// How the runs behind it vary; `None` where their number is not known.
    spread: Option<Spread>,
}

/// The averages of a table.
#[derive(Default)]
pub(crate) struct Averages(Vec<Average>);

/// Most runs that a column of a table written by hand counts behind an average.
const MAX_RUNS: u64 = 1_000;

/// Most runs that the name of a row counts: more are requests.
const MAX_IN_LABEL: u64 = 30;

impl Averages {
    /// Removes the spreads from the cells, which then hold the average alone, with a note on their columns.
    /// `stated`: the number of runs behind each, where the text above the table says so.
    pub(crate) fn take(table: &mut Table, stated: Option<u64>, notes: &mut Vec<Skipped>) -> Self {
        let mut found = Self::default();
        // A table that `convert` writes has a number in every cell; a name may look like an average.
        let tidy = is_tidy(&table.headers);
        if !tidy {
            join_deviations(table, stated);
        }
        if tidy || !table.rows.contains('±') && !table.rows.contains('+') {
            return found;
        }
        let mut columns: BTreeMap<usize, (usize, String, bool)> = BTreeMap::new();
        let counts: Vec<Option<u64>> =
            table.headers.iter().map(|header| without_count(header).1.or(stated)).collect();
        // `Runs` beside the averages.
        let behind = (0..table.headers.len()).find(|&at| {
            let lower = table.headers[at].trim().to_lowercase();
            counts_runs(&lower) && (lower.contains("run") || lower.contains("rep"))
        });
        let mut rows = Vec::new();
        // A mean of ratios is not the ratio of two means.
        let mut changes: BTreeMap<usize, String> = BTreeMap::new();
        for line in table.rows.iter() {
            let mut cells: Vec<String> = line.cells.iter().map(str::to_owned).collect();
            let of_row = behind.and_then(|at| line.cells.get(at).trim().parse().ok());
            // `main (n=10)`
            let of_label = || stated_count(line.cells.get(0)).filter(|runs| *runs <= MAX_IN_LABEL);
            let of_row = of_row.or_else(of_label).filter(|runs| *runs <= MAX_RUNS);
            for (at, cell) in cells.iter_mut().enumerate() {
                let Some((text, sd, runs)) = spread(cell) else { continue };
                if is_change(&text) {
                    changes.entry(at).or_insert_with(|| short(cell));
                    cell.clear();
                    continue;
                }
                let runs = runs.or(of_row).or(counts[at]);
                let column = columns.entry(at).or_insert_with(|| (0, short(cell), true));
                column.0 += 1;
                column.2 &= runs.is_some();
                let digits = text.trim_end_matches(|c: char| !c.is_ascii_digit());
                let value = fields::number(digits).map(|number| number.value);
                let runs = runs.and_then(|runs| usize::try_from(runs).ok());
                if let Some(value) = value {
                    let metric = without_count(&table.headers[at]).0;
                    let (place, number) = ((line.number, at), line.number);
                    let spread = runs.map(|runs| Spread { sd, runs });
                    found.0.push(Average { place, number, metric, value, spread });
                }
                *cell = text;
            }
            rows.push(Row { number: line.number, cells });
        }
        for (at, cell) in &changes {
            let why =
                format!("changes with a spread of their own, such as \"{cell}\": not checked");
            notes.push(Skipped { place: format!("column {}", short(&table.headers[*at])), why });
        }
        if !(columns.is_empty() && changes.is_empty()) {
            table.rows.clear();
            for row in rows {
                table.rows.push(row);
            }
        }
        for &at in columns.keys() {
            table.headers[at] = without_count(&table.headers[at]).0;
            table.averaged.push(table.headers[at].clone());
        }
        for (at, (count, cell, counted)) in columns {
            let without = if counted {
                ""
            } else {
                "; without the number of runs (n=5) their spread is not used"
            };
            let cells = if count == 1 { "1 cell" } else { &format!("{count} cells") };
            notes.push(Skipped {
                place: format!("column {}", short(&table.headers[at])),
                why: format!("{cells} such as \"{cell}\": averages of several runs{without}"),
            });
        }
        found
    }

    /// Notes that a cell became a row of the long layout.
    pub(crate) fn moves(&mut self, place: (usize, usize), number: usize, metric: &str) {
        for average in self.0.iter_mut().filter(|average| average.place == place) {
            average.number = number;
            metric.clone_into(&mut average.metric);
        }
    }

    /// Tells each run how the runs behind its averages vary.
    pub(crate) fn apply(&self, runs: &mut [Run]) {
        for Average { number, metric, value, spread, .. } in &self.0 {
            let metric = fields::metric_of_column(metric).name;
            // Rows of other metrics of one run stand below its first.
            let first = |run: &&mut Run| run.source.position == *number;
            let same = |run: &&mut Run| {
                let Some(read) = run.metrics.get(&metric).map(|read| read.value) else {
                    return false;
                };
                let power = ((read / value).abs().log10() / 3.0).fract().abs();
                let equal = (read - value).abs() < 1e-12 || (power - power.round()).abs() < 1e-9;
                let taken =
                    run.info.spreads.contains_key(&metric) || spread.is_none() && run.info.averaged;
                run.source.position < *number && equal && !taken
            };
            let of_row: Vec<&mut Run> = if runs.iter_mut().any(|run| first(&&mut *run)) {
                runs.iter_mut().filter(first).collect()
            } else {
                runs.iter_mut().filter(same).take(1).collect()
            };
            for run in of_row {
                let Some(read) = run.metrics.get(&metric).map(|read| read.value) else { continue };
                let Some(spread) = spread else {
                    run.info.averaged = true;
                    continue;
                };
                // The value may have been converted to another unit.
                let factor = if *value == 0.0 { 1.0 } else { read / value };
                let sd = (spread.sd * factor).abs();
                run.info.spreads.insert(metric.clone(), Spread { sd, ..*spread });
            }
        }
    }
}

/// Writes the deviations that stand in a column of their own, `stdev (cv)`, behind their means, where the number of runs stands in
/// no column, but above the table or in the names of its rows.
fn join_deviations(table: &mut Table, stated: Option<u64>) {
    let counted = || table.rows.iter().all(|row| stated_count(row.cells.get(0)).is_some());
    let bare = |header: &String| header.split(['(', '（']).next().unwrap_or_default().to_owned();
    let headers: Vec<String> = table.headers.iter().map(bare).collect();
    if table.headers.iter().any(|name| counts_runs(name))
        || table.rows.is_empty()
        || stated.is_none() && !counted()
    {
        return;
    }
    let number = |cell: &str| -> Option<String> {
        let bare = cell.split(['(', '（']).next()?.trim();
        fields::number(&bare.replace(',', "")).map(|_| bare.to_owned())
    };
    // Beside a metric a deviation may be that of the requests of a run.
    let whole = |&(mean, sd): &(usize, usize)| {
        (counted() || is_deviation(&headers[sd]))
            && table.rows.iter().all(|row| {
                !row.cells.get(mean).contains('±')
                    && number(row.cells.get(mean)).is_some()
                    && number(row.cells.get(sd)).is_some()
            })
    };
    let pairs: Vec<(usize, usize)> =
        pairs_of(&headers, None, None).into_iter().filter(whole).collect();
    if pairs.is_empty() {
        return;
    }
    let mut rows = table.take_rows();
    for row in &mut rows {
        for &(mean, sd) in &pairs {
            if let Some(spread) = number(&row.cells[sd]) {
                row.cells[mean] = format!("{} ± {spread}", row.cells[mean]);
            }
        }
    }
    table.put_rows(rows);
    table.drop_columns(&pairs.iter().map(|(_, sd)| *sd).collect::<Vec<_>>());
}

/// A header without the words for a spread: `tok/s ± sd (n=5)` is `tok/s (n=5)`.
pub(crate) fn without_spread(header: &str) -> Option<String> {
    let (stem, tail) = header.split_once('±')?;
    let stem = stem.trim().trim_end_matches(['(', '[']).trim();
    let rest = tail.find(['(', '[', '（', ',', ';', '，']).map_or("", |at| &tail[at..]);
    // `goodput (mean ± std, n=3 seeds)`
    let open = stem.rsplit_once(['(', '（']).filter(|(_, inside)| !inside.contains([')', '）']));
    if let Some((name, _)) = open.filter(|(name, inside)| {
        !name.trim().is_empty() && is_statistic(&inside.trim().to_lowercase())
    }) {
        let rest = rest.trim_start_matches([',', ';', '，', ' ']);
        let rest = if rest.is_empty() { String::new() } else { format!("({rest}") };
        return Some(format!("{} {rest}", name.trim()).trim().to_owned());
    }
    (!stem.is_empty()).then(|| format!("{stem} {rest}").trim().to_owned())
}

/// A header without the number of runs at its end, and that number: `TTFT (ms), 3 runs`, `tok/s (n=5)`.
pub(crate) fn without_count(header: &str) -> (String, Option<u64>) {
    let header = header.trim();
    let start = header.rfind([',', '(', '（', '[', ';', '，']).unwrap_or(header.len());
    let (stem, tail) = header.split_at(start);
    match stated_count(tail) {
        Some(count) if !stem.trim().is_empty() => (stem.trim().to_owned(), Some(count)),
        _ => (header.to_owned(), None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// R5: headers state the number of runs, and that a spread follows.
    #[test]
    fn a_header_states_runs_and_spreads() {
        assert_eq!(without_count("TTFT (ms), 3 runs"), ("TTFT (ms)".to_owned(), Some(3)));
        assert_eq!(without_count("tok/s (n=5)"), ("tok/s".to_owned(), Some(5)));
        assert_eq!(without_count("TTFT (ms)"), ("TTFT (ms)".to_owned(), None));
        assert_eq!(without_spread("base tok/s ± sd (n=5)").as_deref(), Some("base tok/s (n=5)"));
        let inside = without_spread("goodput (mean ± std, n=3 seeds)");
        assert_eq!(inside.as_deref(), Some("goodput (n=3 seeds)"));
        assert_eq!(without_count("goodput (n=3 seeds)"), ("goodput".to_owned(), Some(3)));
        assert_eq!(without_spread("tok/s"), None);
    }
}
