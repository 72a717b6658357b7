//! Units of metrics and the direction in which they improve.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::LazyLock;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Unit of a metric's values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
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
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema, Deserialize)]
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

/// Quantity of a unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Measure {
    /// Durations.
    Time,
    /// Sizes of data.
    Bytes,
    /// Power too.
    Energy,
    /// Prices.
    Money,
    /// Tokens of a model.
    Token,
    /// Requests to a server.
    Request,
    /// Arithmetic and other operations.
    Operation,
    /// Other things that are counted.
    Work,
    /// Hundredths.
    Percent,
    /// Frequency, temperature, arithmetic.
    Machine,
}

/// A unit that is known.
#[derive(Debug)]
pub struct Known {
    /// Its quantity.
    pub measure: Measure,
    /// Its size beside the smallest of its quantity, times in nanoseconds; `None` where values are not converted.
    size: Option<f64>,
    /// The unit of the registry.
    pub unit: Option<Unit>,
    /// Words for it, lower case.
    words: &'static str,
}

impl Known {
    const fn new(
        measure: Measure,
        size: Option<f64>,
        unit: Option<Unit>,
        words: &'static str,
    ) -> Self {
        Self { measure, size, unit, words }
    }

    /// Words for it, lower case.
    pub fn words(&self) -> impl Iterator<Item = &'static str> + use<> {
        self.words.split_whitespace()
    }
}

/// All units that are known: every list of units is a view of this table.
pub const UNITS: &[Known] = &[
    Known::new(
        Measure::Time,
        Some(1.0),
        Some(Unit::Nanosecond),
        "ns nsec nanosecond nanoseconds 纳秒 нс",
    ),
    Known::new(
        Measure::Time,
        Some(1e3),
        Some(Unit::Microsecond),
        "us µs μs usec microsecond microseconds 微秒 мкс",
    ),
    Known::new(
        Measure::Time,
        Some(1e6),
        Some(Unit::Millisecond),
        "ms msec msecs millisecond milliseconds millis 毫秒 ミリ秒 밀리초 мс",
    ),
    Known::new(
        Measure::Time,
        Some(1e9),
        Some(Unit::Second),
        "s sec secs second seconds sekunde sekunden seconde secondes segundo segundos secondo secondi 秒 초 сек с",
    ),
    Known::new(Measure::Time, Some(6e10), None, "min mins minute minutes 分钟 分 분"),
    Known::new(Measure::Time, Some(HOUR), None, "h hr hrs hour hours 小时 時間 시간"),
    Known::new(Measure::Bytes, Some(1.0), Some(Unit::Byte), "b byte bytes"),
    Known::new(Measure::Bytes, Some(1e3), None, "kb kbytes"),
    Known::new(Measure::Bytes, Some(1e6), None, "mb mbytes"),
    Known::new(Measure::Bytes, Some(1e9), None, "gb gbytes"),
    Known::new(Measure::Bytes, Some(1e12), None, "tb"),
    Known::new(Measure::Bytes, Some(1024.0), None, "kib"),
    Known::new(Measure::Bytes, Some(1_048_576.0), None, "mib"),
    Known::new(Measure::Bytes, Some(1_073_741_824.0), None, "gib"),
    Known::new(Measure::Bytes, Some(1_099_511_627_776.0), None, "tib"),
    // In small letters milliwatts are megawatts.
    Known::new(
        Measure::Energy,
        None,
        None,
        "w mw kw watt watts j mj uj kj nj joule joules wh kwh mwh",
    ),
    Known::new(Measure::Money, None, None, "usd eur $ € ¥ cny dollar dollars"),
    Known::new(Measure::Token, Some(1.0), None, "tok toks token tokens t 토큰 トークン"),
    Known::new(Measure::Request, Some(1.0), None, "req reqs request requests"),
    Known::new(Measure::Operation, Some(1.0), None, "op ops operation operations"),
    Known::new(
        Measure::Work,
        None,
        None,
        "query queries img imgs image images msg msgs message messages event events ev it iters iterations sample samples \
         step steps frame frames item items row rows record records call calls transaction transactions tx txn 词 токенов \
         запросов 메시지 요청 件",
    ),
    Known::new(Measure::Percent, Some(1.0), Some(Unit::Percent), "% percent pct"),
    Known::new(Measure::Machine, None, None, "hz khz mhz ghz °c tflops gflops fps db"),
];

/// Words for times that stand beside numbers only: `1m2.5s`, `3d`.
const BESIDE_NUMBERS: &[(&str, f64)] =
    &[("ps", 1e-3), ("m", 6e10), ("d", 8.64e13), ("day", 8.64e13), ("days", 8.64e13)];

/// The table by word: texts are asked for units word by word.
static BY_WORD: LazyLock<BTreeMap<&str, &Known>> = LazyLock::new(|| {
    let words = UNITS.iter().flat_map(|known| known.words().map(move |word| (word, known)));
    words.collect()
});

fn known(word: &str) -> Option<&'static Known> {
    BY_WORD.get(word).copied()
}

/// Nanoseconds of a word for a time, in small letters.
pub fn nanoseconds(word: &str) -> Option<f64> {
    let beside = BESIDE_NUMBERS.iter().find(|(one, _)| *one == word).map(|(_, size)| *size);
    beside.or_else(|| known(word).filter(|one| one.measure == Measure::Time)?.size)
}

/// Bytes of a word for a size, in any case: `KB` is 1,000 and `KiB` 1,024.
pub fn bytes_of(word: &str) -> Option<f64> {
    known(&word.to_lowercase()).filter(|one| one.measure == Measure::Bytes)?.size
}

impl Unit {
    /// The unit with this word or rate: `ms`, `tokens per second`.
    pub fn of_word(word: &str) -> Option<Self> {
        let rates = [
            Self::RequestPerSecond,
            Self::TokenPerSecond,
            Self::OperationPerSecond,
            Self::MegabytePerSecond,
        ];
        let word = word.trim().to_lowercase();
        known(&word).and_then(|known| known.unit).or_else(|| {
            let scale = Scale::parse(&word).filter(|scale| scale.per_time)?;
            rates.into_iter().find(|unit| Scale::of_unit(*unit) == Some(scale))
        })
    }

    /// Nanoseconds of a unit of time.
    pub fn nanoseconds(self) -> Option<f64> {
        Some(match self {
            Self::Second => 1e9,
            Self::Millisecond => 1e6,
            Self::Microsecond => 1e3,
            Self::Nanosecond => 1.0,
            _ => return None,
        })
    }
}

/// Whether a word is a unit: one that can be converted, a rate of anything, or one of power, energy or frequency.
pub fn is_unit(word: &str) -> bool {
    let lower = word.to_lowercase();
    let rate = || {
        let (counted, time) = split_rate(&lower)?;
        // `7.04/s` counts what the row names.
        let named = !counted.is_empty() || ["s", "sec", "second", "min"].contains(&time.trim());
        let counts = named && counted.chars().all(|c| c.is_alphabetic() || c == ' ');
        let timed = [
            "s", "sec", "second", "min", "ms", "step", "token", "tok", "req", "request", "op",
            "iter",
        ];
        // A time for one of anything: `ms/tick`, `s/it`; `min/max` and `h/w` are none.
        let word = (time.len() > 2 || time == "it") && time.chars().all(char::is_alphabetic);
        let short = ["ns", "us", "µs", "μs", "ms", "s", "sec"].contains(&counted.trim());
        (counts && timed.contains(&time.trim()) || short && word).then_some(())
    };
    let physical = || {
        known(&lower).is_some_and(|one| matches!(one.measure, Measure::Energy | Measure::Machine))
    };
    // `7B` is the size of a model.
    lower != "b" && Scale::parse(word).is_some() || physical() || rate().is_some()
}

/// The two units of a rate: `tok/s`, `tokens per second`, `tokens-per-sec`.
fn split_rate(unit: &str) -> Option<(&str, &str)> {
    ["/", " per ", "-per-"].iter().find_map(|mark| unit.split_once(mark))
}

/// Whether two spellings are of one unit: `ms/token` and `ms/tok`.
pub fn is_same_unit(one: &str, other: &str) -> bool {
    let parts = |unit: &str| -> Vec<String> {
        unit.to_lowercase()
            .replace(" per ", "/")
            .replace("-per-", "/")
            .split('/')
            .map(|part| part.trim().to_owned())
            .collect()
    };
    let same = |(one, other): (&String, &String)| {
        let known = known(one).zip(known(other));
        one == other
            || known.is_some_and(|(one, other)| one.size.is_some() && std::ptr::eq(one, other))
    };
    let (a, b) = (parts(one), parts(other));
    one == other || a.len() == b.len() && a.iter().zip(&b).all(same)
}

/// Whether a word is one for things that are counted: `rows`.
pub fn is_counted(word: &str) -> bool {
    known(&word.to_lowercase()).is_some_and(|one| one.measure == Measure::Work)
}

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
        sum = Some(sum.unwrap_or(0.0) + amount * (nanoseconds(&word)? / 1e9));
        rest = after[letters..].trim_start();
    }
    sum.filter(|sum| sum.is_finite() && *sum > 0.0)
}

/// A unit: what it counts, whether per time, and its size beside the smallest unit of that quantity.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Scale {
    measure: Measure,
    per_time: bool,
    size: f64,
}

/// Words for rates without the time that they are per.
const RATES: &[(&str, &str)] = &[("tps", "tok/s"), ("rps", "req/s"), ("qps", "req/s")];

/// Nanoseconds of the longest unit of time: rates are counted per hour, so that every size is whole.
const HOUR: f64 = 3.6e12;

impl Scale {
    /// The unit of a word: `ms`, `tok/s`, `tokens per second`, `GiB`.
    pub fn parse(word: &str) -> Option<Self> {
        let mut word = word.trim().to_lowercase();
        if word.contains("-per-") {
            word = word.replace("-per-", "/");
        }
        let word = RATES.iter().find(|(short, _)| *short == word).map_or(&*word, |(_, rate)| rate);
        let plain = |word: &str| {
            let known = known(word.trim())?;
            Some(Self { measure: known.measure, per_time: false, size: known.size? })
        };
        let Some((counted, time)) = split_rate(word) else {
            // A token is no unit of anything by itself.
            return plain(word)
                .filter(|unit| !matches!(unit.measure, Measure::Token | Measure::Request));
        };
        let (counted, time) =
            (plain(counted)?, plain(time).filter(|t| t.measure == Measure::Time)?);
        let countable = !matches!(counted.measure, Measure::Time | Measure::Percent);
        let size = counted.size * (HOUR / time.size);
        countable.then_some(Self { measure: counted.measure, per_time: true, size })
    }

    /// The unit of the registry.
    pub fn of_unit(unit: Unit) -> Option<Self> {
        Self::parse(unit.symbol())
    }

    /// Whether it counts something per time.
    pub fn is_rate(self) -> bool {
        self.per_time
    }

    /// Whether values in the one can be written in the other.
    pub fn is_alike(self, other: Self) -> bool {
        self.measure == other.measure && self.per_time == other.per_time
    }

    /// Conversion of values in this unit to `other`, of the same kind.
    pub fn to(self, other: Self) -> Option<Conversion> {
        let (times, over) = if self.size >= other.size {
            (self.size / other.size, 1.0)
        } else {
            (1.0, other.size / self.size)
        };
        self.is_alike(other).then_some(Conversion { times, over })
    }
}

/// A conversion of units: a factor and a divisor, one of them 1, so that the result is the nearest number.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Conversion {
    times: f64,
    over: f64,
}

impl Conversion {
    /// Of a unit to itself.
    pub const NONE: Self = Self { times: 1.0, over: 1.0 };

    /// A value in the other unit.
    pub fn apply(self, value: f64) -> f64 {
        value * self.times / self.over
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A time for one of anything is a unit; two words with a stroke between them are none.
    #[test]
    fn a_time_for_one_of_anything_is_a_unit() {
        for (word, unit) in [
            ("ms/tick", true),
            ("s/epoch", true),
            ("s/it", true),
            ("tok/s", true),
            ("min/max", false),
            ("h/w", false),
        ] {
            assert_eq!(is_unit(word), unit, "{word}");
        }
    }

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
