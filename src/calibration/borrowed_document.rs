//! Simulated borrowed noise in words and tables.

use crate::borrowed::BorrowedRow;
use crate::places::Places;
use crate::words::{Parts, count, effect, maybe, percents, plural, power_at, rate};
use beyondnoise::report::calibrate::Settings;
use beyondnoise::report::document::{Block, Role};
use beyondnoise_model::format::{chosen, percent};

/// The row told in the title: runs of each variant, and comparisons of the job.
const TOLD: (usize, usize) = (3, 20);

/// The kinds of a row, by noise and method, with their words in the table.
const KINDS: [(&str, &str, &str); 3] = [
    ("own", "welch", "own"),
    ("borrowed", "welch", "borrowed, t"),
    ("borrowed", "calibrated", "borrowed"),
];

/// Headings of a column of claims, and which share of which row it shows.
type Claims = (&'static str, Places, bool);

/// Where noise is alike, or differs so much that it shows.
const FAR: [Claims; 7] = [
    ("alike", Places::Alike, false),
    ("chi-square", Places::ChiSquare, false),
    ("log-normal", Places::LogNormal, false),
    ("worst", Places::LogNormal, true),
    ("two groups", Places::TwoGroups, false),
    ("worst", Places::TwoGroups, true),
    ("history", Places::History, true),
];

/// Where it is two or three times as large, which a few runs may hide.
const NEAR: [Claims; 8] = [
    ("log-normal x 3", Places::LogNormalOfThree, false),
    ("worst", Places::LogNormalOfThree, true),
    ("two groups x 3", Places::TwoGroupsOfThree, false),
    ("worst", Places::TwoGroupsOfThree, true),
    ("one x 2", Places::OneOfTwo, false),
    ("worst", Places::OneOfTwo, true),
    ("one x 3", Places::OneOfThree, false),
    ("worst", Places::OneOfThree, true),
];

/// Which the power is told of.
const POWER: [(Places, &str); 2] = [
    (Places::Alike, "noise alike everywhere"),
    (Places::ChiSquare, "noise that differs as a chi-square does"),
];

pub(crate) fn parts(settings: &Settings, rows: &[BorrowedRow]) -> Parts {
    let mut parts = vec![Block::text(Role::Lead, sentences(settings, rows))];
    let mut cells: Vec<(usize, usize)> = rows.iter().map(|row| (row.runs, row.groups)).collect();
    cells.dedup();
    let table = |heading: String, columns: Vec<&str>, of: &dyn Fn(Cell) -> Vec<Option<f64>>| {
        let body = cells.iter().map(|cell| {
            let figures = of(*cell).into_iter().map(maybe);
            [cell.0.to_string(), cell.1.to_string()].into_iter().chain(figures).collect()
        });
        let head = ["runs each", "comparisons"].into_iter().chain(columns);
        let (head, rows) = (head.map(str::to_owned).collect(), body.collect());
        Block::titled_table(heading, head, rows, 0)
    };
    for size in &settings.effects {
        for (places, what) in POWER {
            let heading = format!("Power at a change of {}, {what}", effect(*size));
            let words = KINDS.map(|(.., word)| word).to_vec();
            parts.extend(table(heading, words, &|cell| {
                let row = |(noise, method, _)| find(rows, cell, places, (noise, method));
                KINDS.map(|kind| row(kind).and_then(|row| power_at(&row.power, *size))).to_vec()
            }));
        }
    }
    let borrowed = |cell, places| find(rows, cell, places, ("borrowed", "calibrated"));
    let nominal = rate(1.0 - settings.confidence);
    for (claims, what) in [(&FAR[..], ""), (&NEAR[..], ", noise two or three times as large")] {
        let heading = format!("Changes claimed where there is none, at a nominal {nominal}{what}");
        let words = claims.iter().map(|(word, ..)| *word).collect();
        parts.extend(table(heading, words, &|cell| {
            let of = |&(_, places, worst): &Claims| {
                let row = borrowed(cell, places)?;
                if worst { row.largest_false_positives } else { Some(row.false_positives) }
            };
            claims.iter().map(of).collect()
        }));
    }
    let heading = "Share of the comparisons with a noise prior".to_owned();
    parts.extend(table(heading, Places::ALL.map(Places::word).to_vec(), &|cell| {
        Places::ALL.map(|places| borrowed(cell, places).map(|row| row.lent)).to_vec()
    }));
    Parts { title: title(settings, rows).unwrap_or_default(), blocks: parts }
}

/// Runs of each variant, and comparisons of the job.
type Cell = (usize, usize);

fn find<'a>(
    rows: &'a [BorrowedRow],
    cell: Cell,
    places: Places,
    (noise, method): (&str, &str),
) -> Option<&'a BorrowedRow> {
    let mut of_cell = rows.iter().filter(|row| (row.runs, row.groups) == cell);
    of_cell.find(|row| row.places == places.word() && row.noise == noise && row.method == method)
}

fn title(settings: &Settings, rows: &[BorrowedRow]) -> Option<String> {
    let size = *settings.effects.first()?;
    let alike = |row: &BorrowedRow| row.places == Places::Alike.word();
    let lent =
        |row: &&BorrowedRow| alike(row) && row.noise == "borrowed" && row.method == "calibrated";
    let usual = rows.iter().filter(lent).find(|row| (row.runs, row.groups) == TOLD);
    let row = usual.or_else(|| rows.iter().rfind(lent))?;
    let own = find(rows, (row.runs, row.groups), Places::Alike, ("own", "welch"));
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
    let borrowed = || rows.iter().filter(|row| row.noise == "borrowed" && row.runs > 1);
    let nominal = chosen(1.0 - settings.confidence);
    let mean: Vec<f64> = borrowed().map(|row| row.false_positives).collect();
    let claims = percents(&mean).map_or_else(String::new, |claims| {
        format!(
            "Where noise may be borrowed a change is claimed where there is none in {claims} of comparisons, at a \
             nominal {nominal}. "
        )
    });
    let worst = borrowed().filter_map(|row| row.largest_false_positives).reduce(f64::max);
    let worst = worst.map_or_else(String::new, |worst| {
        format!(
            "Of the comparison of a job with which that happens most, in at most {}. ",
            percent(worst)
        )
    });
    format!(
        "{claims}{worst}The noise is 2 % everywhere (alike); it differs as a chi-square of 8 degrees of freedom does; the \
         noisiest comparison is ten times as noisy as the quietest, the others between them (log-normal) or half of them \
         like each (two groups); the same with three times (x 3); one is two or three times as noisy as all others (one x 2, \
         one x 3); or a new workload at 6.7 % has a history of others at 2 % (history). Own: Welch's \
         interval. Borrowed, t: with the shape of Student's t. Borrowed: as `compare` does it; without a prior, own \
         noise. Priors of single runs come from others with 3 runs each. {} comparisons a cell or more; {} resamples where not \
         all are enumerated; seed {}.",
        count(settings.repetitions),
        count(settings.resamples),
        settings.seed
    )
}
