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
