//! Simulated warnings in words and tables.

use crate::warnings::{ANY, WarningRow};
use crate::words::{Parts, count, maybe, percents, share};
use beyondnoise::report::calibrate::Settings;
use beyondnoise::report::document::{Block, Role};

pub(crate) fn parts(settings: &Settings, rows: &[WarningRow]) -> Parts {
    let any = |row: &&WarningRow| row.clean && row.check == ANY;
    let rates: Vec<f64> = rows.iter().filter(any).map(|row| row.rate).collect();
    let title = percents(&rates).map(|range| {
        format!(
            "{range} of comparisons in which nothing is wrong carry a warning of a check that chance can set off"
        )
    });
    let mut parts = Vec::new();
    parts.push(Block::text(Role::Lead, format!(
        "Two builds, three deciding metrics with independent noise, runs by turns. {} comparisons a cell; seed {}.",
        count(settings.repetitions),
        settings.seed
    )));
    let mut runs: Vec<usize> = rows.iter().map(|row| row.runs).collect();
    runs.sort_unstable();
    runs.dedup();
    let grid = |heading: &str, of: &dyn Fn(&&WarningRow) -> bool, by_check: bool| {
        let name = |row: &WarningRow| -> Vec<String> {
            let case = Some(row.case.to_owned());
            case.into_iter().chain(by_check.then(|| row.check.to_owned())).collect()
        };
        let mut names: Vec<Vec<String>> = rows.iter().filter(of).map(name).collect();
        names.dedup();
        let words = 1 + usize::from(by_check);
        let head = ["runs", "check"].into_iter().take(words).map(str::to_owned);
        let body = names.into_iter().map(|named| {
            let rate = |runs: &usize| {
                let mut of_row = rows.iter().filter(of).filter(|row| name(row) == named);
                of_row.find(|row| row.runs == *runs).map(|row| row.rate)
            };
            let rates: Vec<String> = runs.iter().map(|runs| maybe(rate(runs))).collect();
            named.iter().cloned().chain(rates).collect()
        });
        let head = head.chain(runs.iter().map(|runs| format!("{runs} + {runs}"))).collect();
        Block::titled_table(heading.to_owned(), head, body.collect(), words)
    };
    parts.extend(grid("Nothing wrong: comparisons with any such warning", &any, false));
    let each = |row: &&WarningRow| row.clean && row.check != ANY && worst(rows, row) > 0.0;
    parts.extend(grid("Nothing wrong: comparisons with this warning", &each, true));
    parts.extend(grid("Something wrong: comparisons with its warning", &|row| !row.clean, true));
    parts.push(Block::text(
        Role::Lead,
        format!("The effects are in one metric under normal noise of {}.", share(0.02)),
    ));
    Parts { title: title.unwrap_or_default(), blocks: parts }
}

/// The largest rate of this check in this case, so that no line is all zeros.
fn worst(rows: &[WarningRow], of: &WarningRow) -> f64 {
    let same = rows.iter().filter(|row| row.case == of.case && row.check == of.check);
    same.map(|row| row.rate).fold(0.0, f64::max)
}
