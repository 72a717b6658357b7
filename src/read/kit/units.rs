//! Words for units, and the conversion of values.

use crate::units::Unit;

/// Quantity of a unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Time,
    Token,
    Request,
    Operation,
    Byte,
    Percent,
}

/// A unit: what it counts, whether per time, and its size beside the smallest unit of that kind.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Scale {
    kind: Kind,
    per_time: bool,
    size: f64,
}

/// Words for units, lower case. Times count nanoseconds.
const WORDS: &[(Kind, f64, &[&str])] = &[
    (Kind::Time, 1.0, &["ns", "nsec", "nanosecond", "nanoseconds"]),
    (Kind::Time, 1e3, &["us", "µs", "μs", "usec", "microsecond", "microseconds"]),
    (Kind::Time, 1e6, &["ms", "msec", "msecs", "millisecond", "milliseconds"]),
    (Kind::Time, 1e9, &["s", "sec", "secs", "second", "seconds"]),
    (Kind::Time, 6e10, &["min", "mins", "minute", "minutes"]),
    (Kind::Time, 3.6e12, &["h", "hr", "hrs", "hour", "hours"]),
    (Kind::Token, 1.0, &["tok", "toks", "token", "tokens", "t"]),
    (Kind::Request, 1.0, &["req", "reqs", "request", "requests"]),
    (Kind::Operation, 1.0, &["op", "ops", "operation", "operations"]),
    (Kind::Byte, 1.0, &["b", "byte", "bytes"]),
    (Kind::Byte, 1e3, &["kb"]),
    (Kind::Byte, 1e6, &["mb"]),
    (Kind::Byte, 1e9, &["gb"]),
    (Kind::Byte, 1e12, &["tb"]),
    (Kind::Byte, 1024.0, &["kib"]),
    (Kind::Byte, 1_048_576.0, &["mib"]),
    (Kind::Byte, 1_073_741_824.0, &["gib"]),
    (Kind::Percent, 1.0, &["%", "percent"]),
];

/// Words for rates without the time that they are per.
const RATES: &[(&str, &str)] = &[("tps", "tok/s"), ("rps", "req/s"), ("qps", "req/s")];

/// Nanoseconds of the longest unit of time: rates are counted per hour, so that every size is whole.
const HOUR: f64 = 3.6e12;

impl Scale {
    /// The unit of a word: `ms`, `tok/s`, `tokens per second`, `GiB`.
    pub(crate) fn parse(word: &str) -> Option<Self> {
        let word = word.trim().to_lowercase();
        let word = RATES.iter().find(|(short, _)| *short == word).map_or(&*word, |(_, rate)| rate);
        let plain = |word: &str| {
            let word = word.trim();
            let known = WORDS.iter().find(|(.., words)| words.contains(&word));
            known.map(|&(kind, size, _)| Self { kind, per_time: false, size })
        };
        let Some((counted, time)) = word.split_once('/').or_else(|| word.split_once(" per "))
        else {
            // A token is no unit of anything by itself.
            return plain(word).filter(|unit| !matches!(unit.kind, Kind::Token | Kind::Request));
        };
        let (counted, time) = (plain(counted)?, plain(time).filter(|t| t.kind == Kind::Time)?);
        let countable = !matches!(counted.kind, Kind::Time | Kind::Percent);
        let size = counted.size * (HOUR / time.size);
        countable.then_some(Self { kind: counted.kind, per_time: true, size })
    }

    /// The unit of the registry.
    pub(crate) fn of_unit(unit: Unit) -> Option<Self> {
        Self::parse(unit.symbol())
    }

    pub(crate) fn is_alike(self, other: Self) -> bool {
        self.kind == other.kind && self.per_time == other.per_time
    }

    /// Conversion of values in this unit to `other`, of the same kind.
    pub(crate) fn to(self, other: Self) -> Option<Conversion> {
        let (times, over) = if self.size >= other.size {
            (self.size / other.size, 1.0)
        } else {
            (1.0, other.size / self.size)
        };
        self.is_alike(other).then_some(Conversion { times, over })
    }
}

/// A change of unit: a factor and a divisor, one of them 1, so that the result is the nearest number.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Conversion {
    times: f64,
    over: f64,
}

impl Conversion {
    pub(crate) const NONE: Self = Self { times: 1.0, over: 1.0 };

    /// A value in the other unit.
    pub(crate) fn apply(self, value: f64) -> f64 {
        value * self.times / self.over
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_one_kind_convert_and_others_do_not() {
        let to = |from: &str, to: &str| Scale::parse(from)?.to(Scale::parse(to)?);
        let times = |times: f64| Some(Conversion { times, over: 1.0 });
        let over = |over: f64| Some(Conversion { times: 1.0, over });
        for (from, into, expected) in [
            ("s", "ms", times(1e3)),
            ("ns", "ms", over(1e6)),
            ("min", "s", times(60.0)),
            ("s", "hours", over(3600.0)),
            ("tokens per second", "tok/s", times(1.0)),
            ("req/min", "rps", over(60.0)),
            ("GiB", "MB", times(1_073.741_824)),
            ("MB/s", "B/s", times(1e6)),
            ("ms", "tok/s", None),
            ("tok/s", "req/s", None),
            ("furlongs", "ms", None),
        ] {
            assert_eq!(to(from, into), expected, "{from} {into}");
        }
        assert_eq!(Scale::parse("tok"), None);
        assert_eq!(Scale::parse("%/s"), None);
    }

    #[test]
    fn every_unit_of_the_registry_has_a_scale() {
        for unit in [
            Unit::Second,
            Unit::Millisecond,
            Unit::Microsecond,
            Unit::Nanosecond,
            Unit::RequestPerSecond,
            Unit::TokenPerSecond,
            Unit::OperationPerSecond,
            Unit::MegabytePerSecond,
            Unit::Byte,
            Unit::Percent,
        ] {
            assert!(Scale::of_unit(unit).is_some(), "{unit:?}");
        }
    }
}
