//! A calibration as CSV: one line per procedure, metric and design, of all groups and of each.

use crate::calibrate::{OwnRow, OwnRuns};
use crate::report::calibrate::CalibrationReport;

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

/// The calibration as CSV with a header; an undefined number is an empty cell.
///
/// Each effect has its own column of power: `power_0.05`.
///
/// # Panics
///
/// Never: writing to memory cannot fail.
pub fn calibrate_csv(document: &CalibrationReport) -> String {
    let CalibrationReport { settings, found, .. } = document;
    let mut writer = ::csv::Writer::from_writer(Vec::new());
    let powers = settings.effects.iter().map(|effect| format!("power_{effect}"));
    let names = OWN.map(str::to_owned).into_iter().chain(powers);
    let names = names.chain(SETTINGS.map(str::to_owned));
    writer.write_record(names).expect("writing to memory cannot fail");
    for row in found.overall.iter().chain(&found.rows).chain(&found.by_group) {
        let mut cells = own(found, row);
        cells.extend(row.power.iter().map(|power| number(power.power)));
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

fn own(found: &OwnRuns, row: &OwnRow) -> Vec<String> {
    let group = row.group.map(|index| &found.groups[index]);
    vec![
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
    ]
}
