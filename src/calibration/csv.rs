//! A study as CSV: one line per cell.

use serde::Serialize;
use serde_json::{Map, Value};

use crate::report::{Report, Results};

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

const FIGURES: [&str; 6] = ["case", "runs", "figure", "repetitions", "rate", "standard_error"];

const LOOKS: [&str; 11] = [
    "noise",
    "change",
    "design",
    "repetitions",
    "change_shown",
    "no_change_shown",
    "no_hope",
    "runs",
    "runs_error",
    "covered",
    "estimate",
];

/// Columns that are the same in every line.
const SETTINGS: [&str; 3] = ["confidence", "resamples", "seed"];

/// The study as CSV with a header: the fields of the JSON document, an undefined number as an empty cell.
///
/// The power at each effect has a column of its own: `power_0.05`.
///
/// # Panics
///
/// Never: writing to memory cannot fail.
pub fn csv(report: &Report) -> String {
    let (header, rows) = match &report.results {
        Results::Simulated { study, .. } => {
            let averages = study.averages.iter().map(|average| {
                let mut row = fields(average);
                row.insert("shape".to_owned(), "average of 8".into());
                row.insert("false_positives".to_owned(), (1.0 - average.coverage).into());
                row
            });
            (&CELL[..], study.cells.iter().map(fields).chain(averages).collect::<Vec<_>>())
        }
        Results::Borrowed { rows, .. } => (&BORROWED[..], rows.iter().map(fields).collect()),
        Results::Warnings { warnings } => (&WARNINGS[..], warnings.iter().map(fields).collect()),
        Results::Figures { figures } => (&FIGURES[..], figures.iter().map(fields).collect()),
        Results::Looks { looks } => (&LOOKS[..], looks.iter().map(fields).collect()),
    };
    let effects = &report.settings.effects;
    let settings = fields(&report.settings);
    let mut writer = ::csv::Writer::from_writer(Vec::new());
    let powers = effects.iter().map(|effect| format!("power_{effect}"));
    let names = header.iter().map(|name| (*name).to_owned()).chain(powers);
    let names = names.chain(SETTINGS.map(str::to_owned));
    writer.write_record(names).expect("writing to memory cannot fail");
    for row in rows {
        let power = |index: usize| row.get("power").and_then(|power| power[index].get("power"));
        let cells = header.iter().map(|name| cell(row.get(*name)));
        let cells = cells.chain((0..effects.len()).map(|index| cell(power(index))));
        let cells = cells.chain(SETTINGS.iter().map(|name| cell(settings.get(*name))));
        writer.write_record(cells).expect("writing to memory cannot fail");
    }
    let bytes = writer.into_inner().expect("writing to memory cannot fail");
    String::from_utf8(bytes).expect("every cell is text")
}

fn fields(row: &impl Serialize) -> Map<String, Value> {
    let Ok(Value::Object(fields)) = serde_json::to_value(row) else { return Map::new() };
    fields
}

fn cell(value: Option<&Value>) -> String {
    match value {
        None | Some(Value::Null) => String::new(),
        Some(Value::String(text)) => text.clone(),
        // A fraction of 1 is `1`.
        Some(number) => number
            .as_f64()
            .filter(|_| number.is_f64())
            .map_or_else(|| number.to_string(), |number| number.to_string()),
    }
}
