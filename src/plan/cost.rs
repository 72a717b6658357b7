//! The cost of runs: time or anything else that adds up.

use std::fmt;
use std::str::FromStr;

use serde::Serialize;

use crate::format::trimmed;

/// Units of time as people write them, in seconds.
const UNITS_OF_TIME: &[(&[&str], f64)] = &[
    (&["ms"], 0.001),
    (&["s", "sec", "secs", "second", "seconds"], 1.0),
    (&["m", "min", "mins", "minute", "minutes"], 60.0),
    (&["h", "hr", "hrs", "hour", "hours"], 3_600.0),
    (&["d", "day", "days"], 86_400.0),
];

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
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Cost {
    /// How much, above 0.
    pub amount: f64,
    /// `s` for a time; else the unit as given, empty for none.
    pub unit: String,
}

impl Cost {
    /// The cost of so many runs.
    #[must_use]
    pub fn times(&self, runs: usize) -> Self {
        Self { amount: self.amount * runs as f64, unit: self.unit.clone() }
    }
}

impl FromStr for Cost {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let text = text.trim();
        let (amount, unit) = match time(text) {
            Some(seconds) => (seconds, "s"),
            None => number(text).ok_or(EXPECTED)?,
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

/// The number at the start of `text`, and the words after it.
fn number(text: &str) -> Option<(f64, &str)> {
    let digits = text.find(|c: char| !(c.is_ascii_digit() || c == '.')).unwrap_or(text.len());
    Some((text[..digits].parse().ok()?, text[digits..].trim_start()))
}

/// The sum of a text made of numbers with units of time, `1h30min`, in seconds.
fn time(text: &str) -> Option<f64> {
    let (mut rest, mut sum) = (text, None);
    while !rest.is_empty() {
        let (amount, after) = number(rest)?;
        let letters = after.find(|c: char| !c.is_alphabetic()).unwrap_or(after.len());
        let word = after[..letters].to_lowercase();
        let (_, seconds) =
            UNITS_OF_TIME.iter().find(|(words, _)| words.contains(&word.as_str()))?;
        sum = Some(sum.unwrap_or(0.0) + amount * seconds);
        rest = after[letters..].trim_start();
    }
    sum
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
