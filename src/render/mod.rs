//! Documents as text, markdown, HTML; reports as JSON and CSV: one file for each format.

mod calibration_csv;
mod csv;
mod escape;
mod forest;
mod github;
mod history_csv;
mod html;
mod icon;
mod junit;
mod markdown;
mod openmetrics;
mod options;
mod plot;
#[cfg(feature = "png")]
mod png;
mod svg;
mod text;

use serde::Serialize;

pub use calibration_csv::calibrate_csv;
pub use csv::{ResultColumn, columns, csv};
pub use github::github;
pub use history_csv::history_csv;
pub use html::html;
pub use junit::junit;
pub use markdown::markdown;
pub use openmetrics::openmetrics;
pub use options::TextOptions;
#[cfg(feature = "png")]
pub use png::png;
pub use svg::svg;
pub use text::text;

/// A report as indented JSON, with a final line break; numbers are unrounded.
///
/// # Panics
///
/// Never for a report of this crate: its maps have text keys only.
pub fn json(report: &impl Serialize) -> String {
    let mut text = serde_json::to_string_pretty(report).expect("a report has only text keys");
    text.push('\n');
    text
}
