//! Figures of a simulation that each have a band: shares of repetitions in which something held.

use schemars::JsonSchema;
use serde::Serialize;

use beyondnoise::report::calibrate::Settings;
use beyondnoise::report::document::{Block, Role};

use crate::bands::Check;
use crate::words::{Parts, count, share};

/// A share of repetitions in which something held.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct FigureRow {
    /// The simulated case: `no change, noise 3 %`.
    pub case: String,
    /// Runs of each variant; of a history its nights.
    pub runs: usize,
    /// Name of the event that was counted: `false statements`.
    pub figure: &'static str,
    /// Repetitions behind it.
    pub repetitions: u64,
    /// The share.
    pub rate: f64,
    /// Its binomial standard error.
    pub standard_error: f64,
    /// The band that it must keep; null where it is only shown.
    pub band: Option<(f64, f64)>,
}

impl FigureRow {
    /// The row of `held` of so many repetitions.
    pub(crate) fn of(
        (case, runs, figure): (&str, usize, &'static str),
        held: u64,
        repetitions: u64,
        band: Option<(f64, f64)>,
    ) -> Self {
        Self::of_share((case.to_owned(), runs, figure), held as f64, repetitions as f64, band)
    }

    /// The same of a sum of shares; 0 of nothing.
    pub(crate) fn of_share(
        (case, runs, figure): (String, usize, &'static str),
        held: f64,
        repetitions: f64,
        band: Option<(f64, f64)>,
    ) -> Self {
        let rate = if repetitions > 0.0 { held / repetitions } else { 0.0 };
        let standard_error = (rate * (1.0 - rate) / repetitions.max(1.0)).sqrt();
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a count")]
        let repetitions = repetitions as u64;
        Self { case, runs, figure, repetitions, rate, standard_error, band }
    }
}

/// Holds figures against their bands.
pub fn check_figures(rows: &[FigureRow]) -> Check {
    let mut check = Check::default();
    for row in rows {
        let Some(band) = row.band else { continue };
        let place = format!("{}, {} each", row.case, row.runs);
        check.share(place, row.figure, row.rate, band, row.repetitions);
    }
    check
}

/// A table with a line for each case and number of runs, and a column for each figure.
pub(crate) fn parts(
    title: &str,
    lead: &str,
    settings: &Settings,
    (unit, rows): (&str, &[FigureRow]),
) -> Parts {
    let mut figures: Vec<&'static str> = Vec::new();
    let mut lines: Vec<(&str, usize)> = Vec::new();
    for row in rows {
        if !figures.contains(&row.figure) {
            figures.push(row.figure);
        }
        if !lines.contains(&(&row.case, row.runs)) {
            lines.push((&row.case, row.runs));
        }
    }
    let head = ["case", unit].into_iter().chain(figures.iter().copied()).map(str::to_owned);
    let body = lines.iter().map(|(case, runs)| {
        let figure = |figure: &&'static str| {
            let mut of_line = rows.iter().filter(|row| row.case == *case && row.runs == *runs);
            let found = of_line.find(|row| row.figure == *figure);
            found.map_or_else(String::new, |row| share(row.rate))
        };
        let size = if unit == "runs" { format!("{runs} + {runs}") } else { runs.to_string() };
        let names = [(*case).to_owned(), size];
        names.into_iter().chain(figures.iter().map(figure)).collect()
    });
    let made = format!(
        "{lead} {} repetitions a case; seed {}.",
        count(settings.repetitions),
        settings.seed
    );
    let mut blocks = vec![Block::text(Role::Lead, made)];
    blocks.extend(Block::titled_table("Shares".to_owned(), head.collect(), body.collect(), 2));
    Parts { title: title.to_owned(), blocks }
}
