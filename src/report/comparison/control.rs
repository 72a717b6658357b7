//! Changes relative to a control, in words: both ways for each metric, and how often it helps.

use crate::format;
use crate::report::comparison::row_text;
use crate::report::{Comparison, ControlRow, Report, Row};

/// Each metric with its change in both ways, and the metrics that the control does not help; `None` without a control.
pub(crate) fn both_ways(comparison: &Comparison) -> Option<String> {
    let rows = || comparison.metrics.iter().filter(|row| row.deciding || row.guard);
    let known = || rows().filter_map(|row| Some((row, row.control.as_ref()?)));
    let (_, control) = known().next()?;
    let alone = |(row, control): (&Row, &ControlRow)| {
        let ends = control.relative_ci;
        let decimals = format::decimals_of_change(Some(control.relative), ends);
        format!(
            "{} {} ({}), alone {} ({})",
            row.label,
            row_text::change(row),
            row_text::interval_cell(row),
            format::change(control.relative, decimals),
            row_text::interval_of(control.relative_ci, None, &row.delta)
        )
    };
    let used: Vec<String> = known().filter(|(_, control)| control.used).map(alone).collect();
    let wider: Vec<String> =
        known().filter(|(_, control)| !control.used).map(|(row, _)| row.label.clone()).collect();
    let name = format::code(&control.name);
    let used = (!used.is_empty()).then(|| {
        let all = used.join("; ");
        format!("Relative to the control {name}, which narrows the interval: {all}.")
    });
    let wider = (!wider.is_empty()).then(|| {
        let list = format::listed(&wider);
        format!("The control {name} is not used for {list}: the interval would be wider.")
    });
    let said: Vec<String> = used.into_iter().chain(wider).collect();
    Some(said.join(" "))
}

/// In how many rows of a report the change is relative to the control; empty without one.
pub(crate) fn how_often(report: &Report) -> String {
    let rows = || report.comparisons.iter().flat_map(|one| &one.metrics);
    let known: Vec<&ControlRow> = rows().filter_map(|row| row.control.as_ref()).collect();
    let Some(first) = known.first() else { return String::new() };
    let used = known.iter().filter(|control| control.used).count();
    let name = &first.name;
    format!(
        " Changes are relative to the control {name} in {used} of {}, where that interval is narrower.",
        format::counted(known.len(), "row")
    )
}
