//! A noise report as text, as markdown and as JSON: how large the noise is, what it hides, what to do.
//!
//! Text and markdown are made of the same cells and sentences, so that they cannot disagree.

mod markdown;
mod text;
mod words;

use crate::noise::NoiseReport;

pub use markdown::noise_markdown;
pub use text::noise_text;

/// Warnings that are read before the rest.
const BEFORE_FOLD: usize = 3;

/// Builds that are shown one by one; more of them share a table.
const ONE_BY_ONE: usize = 3;

/// The document `beyondnoise-noise/1` as indented JSON, with a final line break.
///
/// # Panics
///
/// Never: the structs of a noise report have no maps with other keys than text.
pub fn noise_json(report: &NoiseReport) -> String {
    let mut text = serde_json::to_string_pretty(report).expect("a report has only text keys");
    text.push('\n');
    text
}
