//! Values as people write them: `2 %`, `0.95`, `p99`, `hodges-lehmann`.

use schemars::JsonSchema;
use serde::Serialize;

use crate::stats::Across;

/// The baseline of a variant, as the user gives it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Base {
    /// The variant with this label.
    Label(String),
    /// The variant before it, by the places of the runs, their start times or the names.
    Previous,
}

impl Base {
    /// Word for the variant before, in place of a label.
    pub const PREVIOUS: &str = "previous";

    /// Reads a label, or `previous`.
    pub fn parse(text: &str) -> Self {
        if text == Self::PREVIOUS { Self::Previous } else { Self::Label(text.to_owned()) }
    }

    /// The label, or `previous`.
    pub fn as_str(&self) -> &str {
        if let Self::Label(label) = self { label } else { Self::PREVIOUS }
    }

    /// The label; `None` for the variant before.
    pub fn label(&self) -> Option<&str> {
        Some(self.as_str()).filter(|_| *self != Self::Previous)
    }
}

/// Answer of the gate if nothing can be judged.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum GateAnswer {
    /// Unknown: exit code 3.
    #[default]
    Unknown,
    /// Pass: exit code 0.
    Pass,
    /// Fail: exit code 1.
    Fail,
}

/// Answer of the gate to a change for the worse if the order of the runs is confounded with the variants.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum GateOrder {
    /// Unknown: exit code 3, since a drift looks like the change.
    #[default]
    Unknown,
    /// As under any other order: the gate fails with exit code 1.
    Allow,
}

/// The change that the gate requires.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Require {
    /// Nothing may be worse beyond the tolerance.
    #[default]
    NotWorse,
    /// It must be better beyond the margin, and nothing may be worse.
    Improved,
}

/// The runs behind the noise estimate of a comparison.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum NoiseFrom {
    /// The compared runs, moderated by earlier runs if there are any, or by the other comparisons of the same inputs from three
    /// variances on. A single run takes its noise only from earlier runs.
    #[default]
    Auto,
    /// As `Auto`, but a single run also takes its noise from the other comparisons.
    Batch,
    /// Only the compared runs.
    Own,
    /// For single runs: the other variants of the workload, assuming that most change nothing.
    Variants,
}

/// Reads a confidence: a fraction (`0.95`) or a percentage (`95%`), from 0.6 to 0.9999.
///
/// # Errors
///
/// A message with the expected values.
pub fn parse_confidence(text: &str) -> Result<f64, &'static str> {
    let text = text.trim();
    let value = match text.strip_suffix('%') {
        Some(percent) => percent.trim().parse::<f64>().ok().map(|value| value / 100.0),
        None => text.parse().ok(),
    };
    let value = value.map(|value| if value > 1.0 { value / 100.0 } else { value });
    value
        .filter(|value| (0.6..=0.9999).contains(value))
        .ok_or("expected a confidence from 0.6 to 0.9999, or 60% to 99.99%")
}

/// Reads a percentage of 0 or more as a fraction: `2%` or `2` is 0.02.
///
/// # Errors
///
/// A message with the expected values; a bare number between 0 and 1 could be a fraction and is refused.
pub fn parse_percentage(text: &str) -> Result<f64, &'static str> {
    let number = text.trim().trim_end_matches('%').trim_end().parse::<f64>().ok();
    let bare = !text.trim().ends_with('%');
    if number.is_some_and(|value| bare && value > 0.0 && value < 1.0) {
        return Err("expected a percentage with its sign: 0.05 could mean 5% or 0.05%");
    }
    number
        .filter(|value| value.is_finite() && *value >= 0.0)
        .map(|value| value / 100.0)
        .ok_or("expected a percentage of 0 or more, such as 2%")
}

/// Reads the statistic over the runs: `mean`, `median`, `hodges-lehmann` or a quantile such as `p99`.
///
/// # Errors
///
/// A message with the expected values.
pub fn parse_across(text: &str) -> Result<Across, String> {
    Across::parse(text).ok_or_else(|| {
        let names: Vec<&str> = Across::named().map(|(across, _)| across.word()).collect();
        format!("expected {} or a quantile such as p99", names.join(", "))
    })
}
