//! Kinds of values: how each is written in the policy file and on the command line.

use std::ops::RangeInclusive;

use toml::Value;

use crate::metrics::Metric;
use crate::policy::slo::Slo;
use crate::policy::values::{
    Base, GateAnswer, GateOrder, NoiseFrom, Require, parse_across, parse_confidence,
    parse_percentage,
};
use crate::stats::{Across, Method};
use crate::units::Better;

pub(super) type Problem = (String, String);

pub(super) struct Kind<T> {
    pub(super) name: &'static str,
    /// The allowed words, each with its meaning; empty if other values are allowed.
    pub(super) words: &'static [(&'static str, &'static str)],
    pub(super) several: Option<Several>,
    pub(super) read: fn(&str, &Value) -> Result<T, Problem>,
    pub(super) typed: fn(&[String]) -> Result<T, String>,
    pub(super) written: fn(&T) -> Value,
}

/// How a flag takes several values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Several {
    /// Separated by commas.
    Commas,
    /// Each value after a flag of its own.
    Repeated,
}

impl<T> Kind<T> {
    pub(super) const fn new(
        name: &'static str,
        read: fn(&str, &Value) -> Result<T, Problem>,
        typed: fn(&[String]) -> Result<T, String>,
        written: fn(&T) -> Value,
    ) -> Self {
        Self { name, words: &[], several: None, read, typed, written }
    }

    pub(super) const fn several(self, several: Several) -> Self {
        Self { several: Some(several), ..self }
    }
}

/// A coverage: `0.95`, `"95 %"`.
pub(super) const CONFIDENCE: Kind<f64> = Kind::new(
    "CONFIDENCE",
    |key, value| {
        let share = read_share(key, value)?;
        parse_confidence(&share.to_string())
            .map_err(|problem| (format!("{key}: {problem}"), "write \"95 %\"".to_owned()))
    },
    |words| Ok(parse_confidence(last(words))?),
    |value| Value::Float(*value),
);

/// A fraction: `0.02`, `"2 %"`; on the command line always a percentage.
pub(super) const SHARE: Kind<f64> = Kind::new(
    "PERCENT",
    read_share,
    |words| Ok(parse_percentage(last(words))?),
    |value| Value::Float(*value),
);

pub(super) const NUMBER: Kind<f64> =
    number(|key, value| read_number(key, value, f64::is_finite, "a number"));

pub(super) const POSITIVE: Kind<f64> = number(|key, value| {
    read_number(key, value, |value| value.is_finite() && value > 0.0, "a number above 0")
});

pub(super) const NOT_NEGATIVE: Kind<f64> = number(|key, value| {
    read_number(key, value, |value| value.is_finite() && value >= 0.0, "a number of 0 or more")
});

const fn number(read: fn(&str, &Value) -> Result<f64, Problem>) -> Kind<f64> {
    let typed = |words: &[String]| last(words).parse().map_err(|_| "expected a number".to_owned());
    Kind::new("NUMBER", read, typed, |value| Value::Float(*value))
}

pub(super) const COUNT: Kind<usize> = Kind::new(
    "N",
    |key, value| read_whole(key, value, 0..=i128::from(i64::MAX)),
    |words| typed_whole(words, 0..=i128::from(i64::MAX)),
    |value| whole(*value),
);

pub(super) const RESAMPLES: Kind<usize> = Kind::new(
    "RESAMPLES",
    |key, value| read_whole(key, value, 100..=10_000_000),
    |words| typed_whole(words, 100..=10_000_000),
    |value| whole(*value),
);

pub(super) const SEED: Kind<u64> = Kind::new(
    "SEED",
    |key, value| read_whole(key, value, 0..=i128::from(i64::MAX)),
    |words| typed_whole(words, 0..=i128::from(u64::MAX)),
    |value| whole(*value),
);

pub(super) const YES_NO: Kind<bool> = Kind::new(
    "BOOL",
    |key, value| value.as_bool().ok_or_else(|| unfit(key, "true or false", value, "true")),
    |words| last(words).parse().map_err(|_| "expected true or false".to_owned()),
    |value| Value::Boolean(*value),
);

/// The same for a flag that negates: `--no-atlas`.
pub(super) const YES_UNLESS: Kind<bool> =
    Kind { typed: |words| (YES_NO.typed)(words).map(|no| !no), ..YES_NO };

/// A column or a folder.
const TEXT: Kind<String> = Kind::new(
    "NAME",
    |key, value| Ok(read_text(key, value)?.to_owned()),
    |words| Ok(last(words).to_owned()),
    |value| Value::String(value.clone()),
);

pub(super) const BASE: Kind<Base> = Kind::new(
    TEXT.name,
    |key, value| Ok(Base::parse(read_text(key, value)?)),
    |words| Ok(Base::parse(last(words))),
    |base| Value::String(base.as_str().to_owned()),
);

pub(super) const COLUMN: Kind<String> = Kind { name: "COLUMN", ..TEXT };
pub(super) const METRIC_OR_CELL: Kind<String> = Kind { name: "METRIC_OR_CELL", ..TEXT };
pub(super) const FOLDER: Kind<String> = Kind { name: "DIR", ..TEXT };

pub(super) const LIST: Kind<Vec<String>> =
    Kind::new("NAME", read_list, |words| Ok(words.to_vec()), |names| list(names));

pub(super) const COLUMNS: Kind<Vec<String>> =
    Kind { name: "COLUMNS", ..LIST.several(Several::Commas) };

/// One column, or a list of them.
pub(super) const COLUMN_OR_COLUMNS: Kind<Vec<String>> = Kind {
    read: |key, value| match value {
        Value::String(name) => Ok(vec![name.clone()]),
        other => read_list(key, other),
    },
    written: |names| match &names[..] {
        [name] => Value::String(name.clone()),
        names => list(names),
    },
    ..COLUMNS
};

pub(super) const METRICS: Kind<Vec<String>> = Kind {
    read: |key, value| Ok(canonical(&read_list(key, value)?)),
    typed: |words| Ok(canonical(words)),
    ..LIST.several(Several::Repeated)
};

pub(super) const LIMITS: Kind<Vec<Slo>> = Kind {
    several: Some(Several::Repeated),
    ..Kind::new(
        "METRIC<LIMIT",
        |key, value| {
            let limit = |text: &String| {
                Slo::parse(text).map_err(|problem| {
                    let remedy = format!("write {key} = [\"p99_ttft_ms<500\"]");
                    (format!("{key}: {problem}, found \"{text}\""), remedy)
                })
            };
            read_list(key, value)?.iter().map(limit).collect()
        },
        |words| words.iter().map(|word| Slo::parse(word)).collect(),
        |limits| list(&limits.iter().map(Slo::to_string).collect::<Vec<_>>()),
    )
};

pub(super) const ACROSS: Kind<Across> = Kind::new(
    "STATISTIC",
    |key, value| {
        let text = read_text(key, value)?;
        parse_across(text).map_err(|problem| {
            (format!("{key}: {problem}, found \"{text}\""), "write \"mean\"".to_owned())
        })
    },
    |words| parse_across(last(words)),
    |value| Value::String(value.name()),
);

/// A kind of a few words: each with its value and its meaning.
macro_rules! words {
    ($name:literal, $($word:literal => $value:path, $meaning:literal;)+) => {
        Kind {
            words: &[$(($word, $meaning)),+],
            ..Kind::new(
                $name,
                |key, value| match read_text(key, value)? {
                    $($word => Ok($value),)+
                    _ => Err(unfit(key, &one_of(&[$($word),+]), value, "\"...\"")),
                },
                |words| match last(words) {
                    $($word => Ok($value),)+
                    _ => Err(format!("expected {}", one_of(&[$($word),+]))),
                },
                |value| {
                    let known = [$(($word, $value)),+];
                    let found = known.into_iter().find(|(_, known)| known == value);
                    Value::String(found.map_or("", |(word, _)| word).to_owned())
                },
            )
        }
    };
}

pub(super) const METHOD: Kind<Method> = words! { "METHOD",
    "calibrated" => Method::Calibrated, "Run-level bootstrap that covers its level from 3 runs on";
    "percentile" => Method::Percentile, "Plain percentile bootstrap, too narrow with few runs";
    "bca" => Method::Bca, "Bias-corrected and accelerated bootstrap, too narrow with few runs";
    "welch" => Method::Welch, "Welch's t interval";
};

pub(super) const NOISE: Kind<NoiseFrom> = words! { "NOISE",
    "auto" => NoiseFrom::Auto,
        "Also the history, or three or more other workloads of the same inputs with similar noise";
    "batch" => NoiseFrom::Batch, "The same, and single runs use the noise of the other comparisons";
    "own" => NoiseFrom::Own, "Only the runs compared";
    "variants" => NoiseFrom::Variants,
        "For single runs: the other variants, assuming that most of them change nothing";
};

/// The answer of the gate if nothing can be judged.
pub(super) const ANSWER: Kind<GateAnswer> = words! { "ANSWER",
    "unknown" => GateAnswer::Unknown, "Exit with 3";
    "pass" => GateAnswer::Pass, "Exit with 0";
    "fail" => GateAnswer::Fail, "Exit with 1";
};

/// The change that the gate requires.
pub(super) const REQUIRE: Kind<Require> = words! { "RESULT",
    "not_worse" => Require::NotWorse, "Nothing is worse beyond the tolerance: what --gate asks for";
    "improved" => Require::Improved,
        "Better beyond the margin and nothing worse: exit with 0 to promote, 1 to reject, 3 for more data";
};

/// The answer of the gate to a change for the worse under a confounded order.
pub(super) const ORDER: Kind<GateOrder> = words! { "ANSWER",
    "unknown" => GateOrder::Unknown, "Exit with 3";
    "allow" => GateOrder::Allow, "Exit with 1";
};

pub(super) const DIRECTION: Kind<Better> = words! { "DIRECTION",
    "lower" => Better::Lower, "Smaller values are better";
    "higher" => Better::Higher, "Larger values are better";
};

/// The methods for intervals, each with its meaning.
pub const METHODS: &[(&str, &str)] = METHOD.words;

/// Reads the method for intervals: `calibrated`, `percentile`, `bca` or `welch`.
///
/// # Errors
///
/// A message with the expected words.
pub fn parse_method(text: &str) -> Result<Method, String> {
    (METHOD.typed)(&[text.to_owned()])
}

/// The last of a flag's values counts.
pub(super) fn last(words: &[String]) -> &str {
    words.last().map_or("", |word| word.trim())
}

/// The problem of an unexpected value; `instead` is a value to write.
pub(super) fn unfit(key: &str, expected: &str, found: &Value, instead: &str) -> Problem {
    let found = match found {
        Value::Table(_) => "a table".to_owned(),
        Value::Array(_) => "a list".to_owned(),
        value => value.to_string(),
    };
    (format!("{key}: expected {expected}, found {found}"), format!("write {key} = {instead}"))
}

pub(super) fn read_text<'a>(key: &str, value: &'a Value) -> Result<&'a str, Problem> {
    value.as_str().ok_or_else(|| unfit(key, "text in quotes", value, "\"...\""))
}

pub(super) fn read_list(key: &str, value: &Value) -> Result<Vec<String>, Problem> {
    let names = value.as_array().map(|items| items.iter().map(|item| item.as_str()));
    let names = names.and_then(|names| names.map(|n| n.map(str::to_owned)).collect());
    names.ok_or_else(|| {
        let example = value.as_str().unwrap_or("mean_ttft_ms");
        unfit(key, "a list", value, &format!("[\"{example}\"]"))
    })
}

fn read_share(key: &str, value: &Value) -> Result<f64, Problem> {
    let expected = "a percentage in quotes such as \"2 %\", or a fraction from 0 to 1";
    let percent = match value {
        Value::String(text) if text.trim().ends_with('%') => {
            return parse_percentage(text).map_err(|_| unfit(key, expected, value, "\"2 %\""));
        }
        Value::String(text) => text.trim().to_owned(),
        Value::Float(share) if (0.0..=1.0).contains(share) => return Ok(*share),
        Value::Integer(0) => return Ok(0.0),
        Value::Integer(1) => return Ok(1.0),
        number => number.to_string(),
    };
    match percent.parse::<f64>() {
        Ok(number) if number.is_finite() && number >= 0.0 => {
            Err((format!("{key} {value} has no unit"), format!("write \"{percent} %\"")))
        }
        _ => Err(unfit(key, expected, value, "\"2 %\"")),
    }
}

fn read_number(
    key: &str,
    value: &Value,
    valid: fn(f64) -> bool,
    expected: &str,
) -> Result<f64, Problem> {
    #[expect(clippy::cast_precision_loss, reason = "a number that people write")]
    let number = value.as_float().or_else(|| value.as_integer().map(|number| number as f64));
    number.filter(|number| valid(*number)).ok_or_else(|| unfit(key, expected, value, "1.5"))
}

pub(super) fn read_whole<T: TryFrom<i128>>(
    key: &str,
    value: &Value,
    range: RangeInclusive<i128>,
) -> Result<T, Problem> {
    let number = value.as_integer().map(i128::from).filter(|number| range.contains(number));
    let instead = range.start().to_string();
    number
        .and_then(|number| T::try_from(number).ok())
        .ok_or_else(|| unfit(key, &expected_whole(&range), value, &instead))
}

pub(super) fn typed_whole<T: TryFrom<i128>>(
    words: &[String],
    range: RangeInclusive<i128>,
) -> Result<T, String> {
    let number = last(words).parse::<i128>().ok().filter(|number| range.contains(number));
    number
        .and_then(|number| T::try_from(number).ok())
        .ok_or_else(|| format!("expected {}", expected_whole(&range)))
}

fn expected_whole(range: &RangeInclusive<i128>) -> String {
    let (least, most) = (range.start(), range.end());
    if *most >= i128::from(i64::MAX) {
        return format!("a whole number of {least} or more");
    }
    format!("a whole number from {least} to {most}")
}

pub(super) fn whole<T: TryInto<i64> + Copy>(value: T) -> Value {
    Value::Integer(value.try_into().unwrap_or(i64::MAX))
}

fn list(names: &[String]) -> Value {
    Value::Array(names.iter().cloned().map(Value::String).collect())
}

fn canonical(names: &[String]) -> Vec<String> {
    names.iter().map(|name| Metric::of_column(name).0.name).collect()
}

/// `calibrated, percentile, bca or welch`.
fn one_of(words: &[&str]) -> String {
    let (last, others) = words.split_last().unwrap_or((&"", &[]));
    format!("{} or {last}", others.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_share_is_a_fraction_or_a_percentage_in_quotes() {
        let read = |text: &str| {
            let table: toml::Table = text.parse().expect("TOML");
            (SHARE.read)("x", &table["x"])
        };
        assert_eq!(read("x = 0.02"), Ok(0.02));
        assert_eq!(read("x = \"2 %\""), Ok(0.02));
        assert_eq!(read("x = \"250%\""), Ok(2.5));
        assert_eq!(read("x = 0"), Ok(0.0));
        for wrong in ["x = 2", "x = 2.0", "x = \"2\"", "x = \"-2 %\"", "x = nan", "x = true"] {
            assert!(read(wrong).is_err(), "{wrong}");
        }
    }
}
