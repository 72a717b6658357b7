//! The report as a table: one line per comparison and metric.

use crate::report::Report;
use crate::report::Row;

const HEADER: [&str; 28] = [
    "workload",
    "baseline",
    "candidate",
    "headline",
    "gate",
    "metric",
    "unit",
    "better",
    "deciding",
    "baseline_runs",
    "candidate_runs",
    "baseline_estimate",
    "candidate_estimate",
    "relative",
    "relative_low",
    "relative_high",
    "absolute",
    "absolute_low",
    "absolute_high",
    "p_value",
    "p_adjusted",
    "probability_better",
    "cv",
    "noise_source",
    "break_even_cv",
    "verdict",
    "reason",
    "runs_to_settle",
];

/// The report as CSV with a header; an undefined number is an empty cell.
///
/// # Panics
///
/// Never: writing to memory cannot fail.
pub fn csv(report: &Report) -> String {
    let mut writer = ::csv::Writer::from_writer(Vec::new());
    writer.write_record(HEADER).expect("writing to memory cannot fail");
    for comparison in &report.comparisons {
        let workload = comparison.workload.describe();
        let cells = [
            workload,
            comparison.baseline.name.clone(),
            comparison.candidate.name.clone(),
            word(&comparison.headline),
            word(&comparison.gate),
        ];
        if comparison.metrics.is_empty() {
            // A refused comparison has a line too, with the reason in the place of a metric's.
            let mut all = cells.to_vec();
            all.resize(HEADER.len(), String::new());
            all[HEADER.len() - 2].clone_from(&comparison.summary);
            writer.write_record(all).expect("writing to memory cannot fail");
        }
        for row in &comparison.metrics {
            let all = cells.iter().cloned().chain(cells_of(row));
            writer.write_record(all).expect("writing to memory cannot fail");
        }
    }
    let bytes = writer.into_inner().expect("writing to memory cannot fail");
    String::from_utf8(bytes).expect("every cell is text")
}

fn cells_of(row: &Row) -> Vec<String> {
    let number = |value: Option<f64>| value.map_or(String::new(), |value| value.to_string());
    let end = |ends: Option<[f64; 2]>, side: usize| number(ends.map(|ends| ends[side]));
    vec![
        row.metric.clone(),
        row.unit.to_owned(),
        row.better.map_or(String::new(), |better| better.word().to_owned()),
        row.deciding.to_string(),
        row.baseline.n.to_string(),
        row.candidate.n.to_string(),
        row.baseline.estimate.to_string(),
        row.candidate.estimate.to_string(),
        number(row.delta.relative),
        end(row.delta.relative_ci, 0),
        end(row.delta.relative_ci, 1),
        row.delta.absolute.to_string(),
        end(row.delta.absolute_ci, 0),
        end(row.delta.absolute_ci, 1),
        number(row.p_value),
        number(row.p_adjusted),
        number(row.probability_better),
        number(row.noise.cv),
        row.noise.source.to_owned(),
        number(row.noise.break_even_cv),
        word(&row.verdict),
        row.reason.clone(),
        row.runs_to_settle.map_or(String::new(), |runs| runs.to_string()),
    ]
}

/// The word that stands for a value in JSON.
fn word(value: &impl serde::Serialize) -> String {
    let json = serde_json::to_value(value).unwrap_or_default();
    json.as_str().unwrap_or_default().to_owned()
}
