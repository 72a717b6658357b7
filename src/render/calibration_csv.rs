//! A calibration as CSV: one line per cell.

use crate::calibrate::{
    Average, BorrowedRow, CalibrationReport, Cell, OwnRow, OwnRuns, Power, Results, Settings,
    WarningRow,
};

/// The calibration as CSV with a header; an undefined number is an empty cell.
///
/// The power at each effect has a column of its own: `power_0.05`.
///
/// # Panics
///
/// Never: writing to memory cannot fail.
pub fn calibrate_csv(document: &CalibrationReport) -> String {
    let settings = &document.settings;
    match &document.results {
        Results::Simulated { study, .. } => {
            let cells = study.cells.iter().map(cell);
            written(settings, &CELL, cells.chain(study.averages.iter().map(average)))
        }
        Results::Borrowed { rows, .. } => written(settings, &BORROWED, rows.iter().map(borrowed)),
        Results::Warnings { warnings } => {
            written(settings, &WARNINGS, warnings.iter().map(warning))
        }
        Results::OwnRuns(found) => {
            let rows = found.overall.iter().chain(&found.rows).chain(&found.by_group);
            written(settings, &OWN, rows.map(|row| own(found, row)))
        }
    }
}

const CELL: [&str; 13] = [
    "shape",
    "baseline_runs",
    "candidate_runs",
    "method",
    "across",
    "repetitions",
    "without_interval",
    "coverage",
    "standard_error",
    "false_positives",
    "width",
    "width_of_welch",
    "width_error",
];

const BORROWED: [&str; 10] = [
    "places",
    "runs",
    "groups",
    "noise",
    "method",
    "comparisons",
    "lent",
    "false_positives",
    "standard_error",
    "largest_false_positives",
];

const WARNINGS: [&str; 7] =
    ["case", "clean", "check", "runs", "comparisons", "rate", "standard_error"];

const OWN: [&str; 14] = [
    "workload",
    "variant",
    "metric",
    "baseline_runs",
    "candidate_runs",
    "method",
    "across",
    "noise",
    "groups",
    "comparisons",
    "without_interval",
    "flagged",
    "standard_error",
    "highest",
];

/// Columns that are the same in every line.
const SETTINGS: [&str; 3] = ["confidence", "resamples", "seed"];

fn written(
    settings: &Settings,
    header: &[&str],
    lines: impl Iterator<Item = (Vec<String>, Vec<Power>)>,
) -> String {
    let mut writer = ::csv::Writer::from_writer(Vec::new());
    let powers = settings.effects.iter().map(|effect| format!("power_{effect}"));
    let names = header.iter().map(|name| (*name).to_owned()).chain(powers);
    let names = names.chain(SETTINGS.map(str::to_owned));
    writer.write_record(names).expect("writing to memory cannot fail");
    for (mut cells, power) in lines {
        cells.extend(
            settings
                .effects
                .iter()
                .enumerate()
                .map(|(index, _)| number(power.get(index).and_then(|power| power.power))),
        );
        cells.push(settings.confidence.to_string());
        cells.push(settings.resamples.to_string());
        cells.push(settings.seed.to_string());
        writer.write_record(cells).expect("writing to memory cannot fail");
    }
    let bytes = writer.into_inner().expect("writing to memory cannot fail");
    String::from_utf8(bytes).expect("every cell is text")
}

fn number(value: Option<f64>) -> String {
    value.map_or(String::new(), |value| value.to_string())
}

fn cell(cell: &Cell) -> (Vec<String>, Vec<Power>) {
    let cells = vec![
        cell.shape.to_owned(),
        cell.design.baseline.to_string(),
        cell.design.candidate.to_string(),
        cell.method.to_owned(),
        cell.across.to_owned(),
        cell.repetitions.to_string(),
        cell.without_interval.to_string(),
        number(cell.coverage),
        number(cell.standard_error),
        number(cell.false_positives),
        number(cell.width),
        number(cell.width_of_welch),
        number(cell.width_error),
    ];
    (cells, cell.power.clone())
}

fn average(average: &Average) -> (Vec<String>, Vec<Power>) {
    let cells = vec![
        "average of 8".to_owned(),
        average.design.baseline.to_string(),
        average.design.candidate.to_string(),
        average.method.to_owned(),
        average.across.to_owned(),
        average.repetitions.to_string(),
        String::new(),
        average.coverage.to_string(),
        String::new(),
        (1.0 - average.coverage).to_string(),
        String::new(),
        average.width_of_welch.to_string(),
        String::new(),
    ];
    (cells, Vec::new())
}

fn borrowed(row: &BorrowedRow) -> (Vec<String>, Vec<Power>) {
    let cells = vec![
        row.places.to_owned(),
        row.runs.to_string(),
        row.groups.to_string(),
        row.noise.to_owned(),
        row.method.to_owned(),
        row.comparisons.to_string(),
        row.lent.to_string(),
        row.false_positives.to_string(),
        row.standard_error.to_string(),
        number(row.largest_false_positives),
    ];
    (cells, row.power.clone())
}

fn warning(row: &WarningRow) -> (Vec<String>, Vec<Power>) {
    let cells = vec![
        row.case.to_owned(),
        row.clean.to_string(),
        row.check.to_owned(),
        row.runs.to_string(),
        row.comparisons.to_string(),
        row.rate.to_string(),
        row.standard_error.to_string(),
    ];
    (cells, Vec::new())
}

fn own(found: &OwnRuns, row: &OwnRow) -> (Vec<String>, Vec<Power>) {
    let group = row.group.map(|index| &found.groups[index]);
    let cells = vec![
        group.map_or(String::new(), |group| group.workload.clone()),
        group.map_or_else(|| "all".to_owned(), |group| group.variant.clone()),
        row.metric.clone().unwrap_or_else(|| "all".to_owned()),
        row.design.baseline.to_string(),
        row.design.candidate.to_string(),
        row.method.to_owned(),
        row.across.to_owned(),
        row.noise.to_owned(),
        row.groups.to_string(),
        row.comparisons.to_string(),
        row.without_interval.to_string(),
        row.flagged.to_string(),
        number(row.standard_error),
        number(row.highest),
    ];
    (cells, row.power.clone())
}
