//! The report as the JSON document `beyondnoise/1`; its schema is `data/schema/report.schema.json`.

use crate::report::Report;

/// The report as indented JSON, with a final line break.
///
/// # Panics
///
/// Never: the structs of a report have no maps with other keys than text.
pub fn json(report: &Report) -> String {
    let mut text = serde_json::to_string_pretty(report).expect("a report has only text keys");
    text.push('\n');
    text
}
