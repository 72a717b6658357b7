//! Cells such as `104.2 ± 1.3 (n=5)`: averages of several runs, with how these vary.

use std::collections::BTreeMap;

use crate::kit::cell_value::spread;
use crate::kit::{fields, short};
use crate::table::column_names::is_tidy;
use crate::table::records::{Row, Table};
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
    spread: Spread,
}

/// The averages of a table that states the number of runs.
#[derive(Default)]
pub(crate) struct Averages(Vec<Average>);

impl Averages {
    /// Removes the spreads from the cells, which then hold the average alone, with a note on their columns.
    /// `stated`: the number of runs behind each, where the text above the table says so.
    pub(crate) fn take(table: &mut Table, stated: Option<u64>, notes: &mut Vec<Skipped>) -> Self {
        let mut found = Self::default();
        // A table that `convert` writes has a number in every cell; a name may look like an average.
        let tidy = is_tidy(&table.headers);
        if tidy || !table.rows.contains('±') && !table.rows.contains('+') {
            return found;
        }
        let mut columns: BTreeMap<usize, (usize, String, bool)> = BTreeMap::new();
        let counts: Vec<Option<u64>> =
            table.headers.iter().map(|header| without_count(header).1.or(stated)).collect();
        let mut rows = Vec::new();
        for line in table.rows.iter() {
            let mut cells: Vec<String> = line.cells.iter().map(str::to_owned).collect();
            for (at, cell) in cells.iter_mut().enumerate() {
                let Some((text, sd, runs)) = spread(cell) else { continue };
                let runs = runs.or(counts[at]);
                let column = columns.entry(at).or_insert_with(|| (0, short(cell), true));
                column.0 += 1;
                column.2 &= runs.is_some();
                let digits = text.trim_end_matches(|c: char| !c.is_ascii_digit());
                let value = fields::number(digits).map(|number| number.value);
                let runs = runs.and_then(|runs| usize::try_from(runs).ok());
                if let Some((value, runs)) = value.zip(runs) {
                    let metric = table.headers[at].clone();
                    let (place, number) = ((line.number, at), line.number);
                    let spread = Spread { sd, runs };
                    found.0.push(Average { place, number, metric, value, spread });
                }
                *cell = text;
            }
            rows.push(Row { number: line.number, cells });
        }
        if !columns.is_empty() {
            table.rows.clear();
            for row in rows {
                table.rows.push(row);
            }
        }
        for &at in columns.keys() {
            table.headers[at] = without_count(&table.headers[at]).0;
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
            let of_row = runs.iter_mut().filter(|run| run.source.position == *number);
            for run in of_row {
                let Some(read) = run.metrics.get(&metric).map(|read| read.value) else { continue };
                // The value may have been converted to another unit.
                let factor = if *value == 0.0 { 1.0 } else { read / value };
                let sd = (spread.sd * factor).abs();
                run.info.spreads.insert(metric.clone(), Spread { sd, ..*spread });
            }
        }
    }
}

/// Words for the runs behind an average; requests and iterations of one process are none.
const RUNS: &[&str] = &[
    "run",
    "runs",
    "repeat",
    "repeats",
    "repetition",
    "repetitions",
    "rep",
    "reps",
    "trial",
    "trials",
    "start",
    "starts",
    "restart",
    "restarts",
    "round",
    "rounds",
    "pair",
    "pairs",
    "次",
    "轮",
    "遍",
    "回",
    "회",
];

const NUMBERS: &[&str] = &["two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"];

/// The number of runs that a text states: `n=5`, `5 runs`, `average of five fresh starts`, `各5次`.
pub(crate) fn stated_count(text: &str) -> Option<u64> {
    let lower = text.to_lowercase();
    let sound = |n: &u64| (2..1000).contains(n);
    let digits = |text: &str| -> Option<u64> {
        let text = text.trim_start();
        text[..text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len())].parse().ok()
    };
    let after = lower.match_indices(['n', '×']).find_map(|(at, mark)| {
        let alone = !lower[..at].ends_with(|c: char| c.is_alphanumeric());
        let rest = lower[at + mark.len()..].trim_start().strip_prefix('=')?;
        digits(rest).filter(|_| alone)
    });
    if let Some(count) = after.filter(sound) {
        return Some(count);
    }
    // `medians-of-5, tok/s`: the number ends the phrase.
    let of = lower.match_indices("of").find_map(|(at, _)| {
        let before = lower[..at].trim_end_matches([' ', '-']);
        let word = before.rsplit(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
        let rest = lower[at + 2..].trim_start_matches([' ', '-']);
        let behind = rest.trim_start_matches(|c: char| c.is_ascii_digit());
        let ends =
            behind.trim_start().is_empty() || behind.starts_with([',', ')', ';', '）', '，']);
        let statistic = ["mean", "median", "average"].contains(&word.trim_end_matches('s'));
        digits(rest).filter(|_| statistic && ends && before.len() < at)
    });
    if let Some(count) = of.filter(sound) {
        return Some(count);
    }
    let words: Vec<&str> = lower
        .split(|c: char| !c.is_alphanumeric() && c != '.')
        .map(|word| word.trim_matches('.'))
        .filter(|word| !word.is_empty())
        .collect();
    let number = |word: &str| {
        let place = NUMBERS.iter().position(|name| *name == word);
        place
            .and_then(|place| u64::try_from(place + 2).ok())
            .or_else(|| word.parse().ok())
            .filter(sound)
    };
    for (at, word) in words.iter().enumerate() {
        // In scripts that do not separate words the number is inside of one: `各5次`.
        let start = word.find(|c: char| c.is_ascii_digit());
        let inside = start.and_then(|start| {
            let count = digits(&word[start..])?;
            let rest = word[start..].trim_start_matches(|c: char| c.is_ascii_digit());
            RUNS.iter().any(|name| !name.is_ascii() && rest.starts_with(name)).then_some(count)
        });
        // An adjective may be between: `five fresh starts`.
        let behind = || {
            let next = words[at + 1..].iter().take(2).any(|next| RUNS.contains(next));
            number(word).filter(|_| next)
        };
        if let Some(count) = inside.filter(sound).or_else(behind) {
            return Some(count);
        }
    }
    None
}

/// A header without the words for a spread: `tok/s ± sd (n=5)` is `tok/s (n=5)`.
pub(crate) fn without_spread(header: &str) -> Option<String> {
    let (stem, tail) = header.split_once('±')?;
    let stem = stem.trim().trim_end_matches(['(', '[']).trim();
    let rest = tail.find(['(', '[', '（', ',', ';', '，']).map_or("", |at| &tail[at..]);
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

    /// R5: the number of runs behind averages stands in a column, a header, or a sentence above the table.
    #[test]
    fn a_sentence_states_the_number_of_runs() {
        for (text, count) in [
            ("Mean ± std over fresh starts (n=5).", Some(5)),
            ("Each figure is the average of 5 runs.", Some(5)),
            ("greedy, medians-of-5, tok/s", Some(5)),
            ("median of 9 requests", None),
            ("average of five fresh starts each", Some(5)),
            ("各5次，取平均", Some(5)),
            ("N = 12", Some(12)),
            ("500 requests, 8 in flight", None),
            ("run 3 of the series", None),
            ("one run each", None),
            ("", None),
        ] {
            assert_eq!(stated_count(text), count, "{text}");
        }
        assert_eq!(without_count("TTFT (ms), 3 runs"), ("TTFT (ms)".to_owned(), Some(3)));
        assert_eq!(without_count("tok/s (n=5)"), ("tok/s".to_owned(), Some(5)));
        assert_eq!(without_count("TTFT (ms)"), ("TTFT (ms)".to_owned(), None));
    }
}
