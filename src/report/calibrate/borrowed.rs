//! Simulated borrowed noise in words and tables.

use crate::calibrate::{BorrowedRow, Settings};
use crate::report::calibrate::Part;
use crate::report::calibrate::words::{count, effect, maybe, percents, plural, power_at, rate};
use crate::report::format::{margin, percent};

/// The row told in the title: runs of each variant, and comparisons of the job.
const TOLD: (usize, usize) = (3, 20);

/// The kinds of a row, by noise and method, with their words in the table.
const KINDS: [(&str, &str, &str); 3] = [
    ("own", "welch", "own"),
    ("borrowed", "welch", "borrowed, t"),
    ("borrowed", "calibrated", "borrowed"),
];

pub(super) fn parts(settings: &Settings, rows: &[BorrowedRow]) -> Vec<Part> {
    let mut parts: Vec<Part> = title(settings, rows).map(Part::Title).into_iter().collect();
    parts.push(Part::Paragraph(sentences(settings, rows)));
    let mut cells: Vec<(usize, usize)> = rows.iter().map(|row| (row.runs, row.groups)).collect();
    cells.dedup();
    let table = |heading: String, of: &dyn Fn(&BorrowedRow) -> Option<f64>| {
        let head = ["runs each", "comparisons"].into_iter().chain(KINDS.map(|(.., word)| word));
        let body = cells.iter().map(|cell| {
            let figures = KINDS
                .map(|(noise, method, _)| maybe(find(rows, *cell, noise, method).and_then(of)));
            [cell.0.to_string(), cell.1.to_string()].into_iter().chain(figures).collect()
        });
        Part::Grid {
            heading,
            head: head.map(str::to_owned).collect(),
            rows: body.collect(),
            words: 0,
        }
    };
    for size in &settings.effects {
        let heading = format!("Power at a change of {}", effect(*size));
        parts.push(table(heading, &|row| power_at(&row.power, *size)));
    }
    let heading = format!(
        "Changes claimed where there is none, at a nominal {}",
        rate(1.0 - settings.confidence)
    );
    parts.push(table(heading, &|row| Some(row.false_positives)));
    parts
}

fn find<'a>(
    rows: &'a [BorrowedRow],
    cell: (usize, usize),
    noise: &str,
    method: &str,
) -> Option<&'a BorrowedRow> {
    let mut of_cell = rows.iter().filter(|row| (row.runs, row.groups) == cell);
    of_cell.find(|row| row.noise == noise && row.method == method)
}

fn title(settings: &Settings, rows: &[BorrowedRow]) -> Option<String> {
    let size = *settings.effects.first()?;
    let lent = |row: &&BorrowedRow| row.noise == "borrowed" && row.method == "calibrated";
    let usual = rows.iter().filter(lent).find(|row| (row.runs, row.groups) == TOLD);
    let row = usual.or_else(|| rows.iter().rfind(lent))?;
    let own = find(rows, (row.runs, row.groups), "own", "welch");
    let own = own.and_then(|own| power_at(&own.power, size)).map_or_else(
        || "a single run has no noise of its own".to_owned(),
        |power| format!("in {} with its own", percent(power)),
    );
    Some(format!(
        "with {} a change of {} is seen in {} of comparisons with noise borrowed in a job of {}, {own}",
        plural(row.runs, "run each", "runs each"),
        effect(size),
        percent(power_at(&row.power, size)?),
        row.groups,
    ))
}

fn sentences(settings: &Settings, rows: &[BorrowedRow]) -> String {
    let borrowed = rows.iter().filter(|row| row.noise == "borrowed" && row.runs > 1);
    let claims: Vec<f64> = borrowed.map(|row| row.false_positives).collect();
    let nominal = margin(1.0 - settings.confidence);
    let claims = percents(&claims).map_or_else(String::new, |claims| {
        format!("With borrowed noise a change is claimed where there is none in {claims} of comparisons, at a nominal {nominal}. ")
    });
    format!(
        "{claims}The noise is 2 % in the middle and differs from comparison to comparison as a chi-square of 8 degrees of \
         freedom does. Own: Welch's interval. Borrowed, t: with the shape of Student's t. Borrowed: as `compare` does it. \
         Single runs borrow from others with 3 runs each. {} comparisons a cell or more; {} resamples where not all are \
         enumerated; seed {}.",
        count(settings.repetitions),
        count(settings.resamples as u64),
        settings.seed
    )
}
