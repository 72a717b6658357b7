//! Simulated batches in words and a table.

use crate::batches::BatchesRow;
use crate::words::{Parts, count, maybe, percents, range, rate};
use beyondnoise::calibrate::Settings;
use beyondnoise::document::{Block, Role};

pub(crate) fn parts(settings: &Settings, rows: &[BatchesRow]) -> Parts {
    let covered: Vec<f64> = rows.iter().filter_map(|row| row.coverage).collect();
    let named: Vec<f64> = rows.iter().map(|row| row.named_in_error).collect();
    let title = range(&covered).zip(percents(&named)).map(|(covered, named)| {
        format!(
            "the interval of the change that all cells share covers {covered} of the truths; a factor is named in error \
             in {named} of batches"
        )
    });
    let head = [
        "cells change",
        "cells",
        "runs each",
        "batches",
        "coverage",
        "within 0.3 points",
        "named in error",
        "named",
        "cells called",
        "of these missed",
    ];
    let line = |row: &BatchesRow| {
        vec![
            row.case.to_owned(),
            row.cells.to_string(),
            row.runs.to_string(),
            count(row.batches),
            maybe(row.coverage),
            maybe(row.close),
            rate(row.named_in_error),
            maybe(row.named),
            format!("{:.2}", row.called),
            rate(row.false_coverage),
        ]
    };
    let text = format!(
        "Batches with two factors and three deciding metrics of 2 % noise, judged as `batch` does it. Alike: all cells change \
         by −2 %. Varying: around −2 % with a standard deviation of 2 %; the truth is −2 %. Unequal noise: 1, 2 and 4 % by \
         the first factor. One value: one metric changes by 4 % on one value of the first factor. One cell in 20: 5 % of the cells \
         change by ±8 %. Nominal coverage {}; seed {}.",
        rate(settings.confidence),
        settings.seed
    );
    let heading = "The batch as a whole".to_owned();
    let body = rows.iter().map(line).collect();
    let mut blocks = vec![Block::marked(Role::Lead, &text)];
    blocks.extend(Block::titled_table(heading, head.map(str::to_owned).to_vec(), body, 1));
    Parts { title: title.unwrap_or_default(), blocks }
}
