//! The cost of runs: time or anything else that adds up.

use std::fmt;
use std::str::FromStr;

use schemars::JsonSchema;
use serde::Serialize;

use crate::format::trimmed;
use crate::units::{number_and_words, seconds_of};

const EXPECTED: &str = "expected a cost above 0, such as 7min, 1h30min, 0.5h or 12USD";

/// A cost; times are in seconds.
///
/// # Examples
///
/// ```
/// use beyondnoise::plan::Cost;
///
/// let run: Cost = "7min".parse().unwrap();
/// assert_eq!(run.times(12).to_string(), "1 h 24 min");
/// assert_eq!("0.75 USD".parse::<Cost>().unwrap().times(12).to_string(), "9 USD");
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[schemars(description = "A cost; times are in seconds.")]
pub struct Cost {
    /// The amount, above 0; seconds for a time.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub amount: f64,
    /// `s` for a time; else the unit as given, empty for none.
    pub unit: String,
}

impl Cost {
    /// The cost of this number of runs.
    #[must_use]
    pub fn times(&self, runs: usize) -> Self {
        Self { amount: self.amount * runs as f64, unit: self.unit.clone() }
    }
}

impl FromStr for Cost {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let text = text.trim();
        let (amount, unit) = match seconds_of(text) {
            Some(seconds) => (seconds, "s"),
            None => number_and_words(text).ok_or(EXPECTED)?,
        };
        let unit_of_words = unit.chars().all(|c| !c.is_control() && !matches!(c, ',' | '.' | '-'));
        let valid = amount.is_finite() && amount > 0.0 && unit_of_words;
        valid.then(|| Self { amount, unit: unit.to_owned() }).ok_or(EXPECTED)
    }
}

impl fmt::Display for Cost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.unit.as_str() {
            "s" => f.write_str(&duration(self.amount)),
            "" => f.write_str(&trimmed(self.amount, 2)),
            unit => write!(f, "{} {unit}", trimmed(self.amount, 2)),
        }
    }
}

/// The two largest units of a time: `1 h 24 min`.
fn duration(seconds: f64) -> String {
    let two = |small: f64, per_large: f64, large_unit: &str, small_unit: &str| {
        let whole = (seconds / small).round();
        let (large, rest) = ((whole / per_large).floor(), whole % per_large);
        if rest == 0.0 {
            format!("{large} {large_unit}")
        } else {
            format!("{large} {large_unit} {rest} {small_unit}")
        }
    };
    match seconds {
        ..1.0 => format!("{} s", trimmed(seconds, 2)),
        ..60.0 => format!("{} s", trimmed((seconds * 10.0).round() / 10.0, 2)),
        ..3_570.0 => two(1.0, 60.0, "min", "s"),
        // A machine is booked by the hour for a day or two.
        ..172_800.0 => two(60.0, 60.0, "h", "min"),
        _ => two(3_600.0, 24.0, "d", "h"),
    }
}
