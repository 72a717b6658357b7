//! Units of metrics and the direction in which they improve.

use std::fmt;

use serde::{Deserialize, Serialize};

/// Unit of a metric's values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Unit {
    /// Seconds.
    Second,
    /// Milliseconds.
    Millisecond,
    /// Microseconds.
    Microsecond,
    /// Nanoseconds.
    Nanosecond,
    /// Requests per second.
    RequestPerSecond,
    /// Tokens per second.
    TokenPerSecond,
    /// Operations per second.
    OperationPerSecond,
    /// Megabytes (10^6 bytes) per second.
    MegabytePerSecond,
    /// Bytes.
    Byte,
    /// Percent.
    Percent,
    /// A count or a ratio, or a unit that is not known.
    None,
}

impl Unit {
    /// The symbol, `ms` or `tok/s`; empty for [`Unit::None`].
    pub fn symbol(self) -> &'static str {
        match self {
            Self::Second => "s",
            Self::Millisecond => "ms",
            Self::Microsecond => "µs",
            Self::Nanosecond => "ns",
            Self::RequestPerSecond => "req/s",
            Self::TokenPerSecond => "tok/s",
            Self::OperationPerSecond => "ops/s",
            Self::MegabytePerSecond => "MB/s",
            Self::Byte => "B",
            Self::Percent => "%",
            Self::None => "",
        }
    }
}

impl fmt::Display for Unit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.symbol())
    }
}

/// Direction of improvement of a metric.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Better {
    /// Smaller values are better: latency, duration.
    Lower,
    /// Larger values are better: throughput.
    Higher,
}

impl Better {
    /// `higher` or `lower`.
    pub fn word(self) -> &'static str {
        match self {
            Self::Lower => "lower",
            Self::Higher => "higher",
        }
    }

    /// +1 or -1: a change times this is positive where the metric improved.
    pub fn sign(self) -> f64 {
        match self {
            Self::Lower => -1.0,
            Self::Higher => 1.0,
        }
    }
}

/// Units of time as people write them, in seconds.
const UNITS_OF_TIME: &[(&[&str], f64)] = &[
    (&["ms"], 0.001),
    (&["s", "sec", "secs", "second", "seconds"], 1.0),
    (&["m", "min", "mins", "minute", "minutes"], 60.0),
    (&["h", "hr", "hrs", "hour", "hours"], 3_600.0),
    (&["d", "day", "days"], 86_400.0),
];

/// The number at the start of `text`, and the words after it.
pub fn number_and_words(text: &str) -> Option<(f64, &str)> {
    let digits = text.find(|c: char| !(c.is_ascii_digit() || c == '.')).unwrap_or(text.len());
    Some((text[..digits].parse().ok()?, text[digits..].trim_start()))
}

/// The sum of a text made of numbers with units of time, `1h30min`, in seconds; `None` unless it is above 0.
pub fn seconds_of(text: &str) -> Option<f64> {
    let (mut rest, mut sum) = (text, None);
    while !rest.is_empty() {
        let (amount, after) = number_and_words(rest)?;
        let letters = after.find(|c: char| !c.is_alphabetic()).unwrap_or(after.len());
        let word = after[..letters].to_lowercase();
        let (_, seconds) =
            UNITS_OF_TIME.iter().find(|(words, _)| words.contains(&word.as_str()))?;
        sum = Some(sum.unwrap_or(0.0) + amount * seconds);
        rest = after[letters..].trim_start();
    }
    sum.filter(|sum| sum.is_finite() && *sum > 0.0)
}
