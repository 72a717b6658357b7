//! Kinds of values of the command `run`.

use toml::Value;

use crate::policy::kind::{
    Kind, LIST, Several, last, read_list, read_text, read_whole, typed_whole, unfit, whole,
};
use crate::units::seconds_of;

/// A whole number of a range.
macro_rules! whole_from {
    ($name:literal, $least:literal, $most:literal) => {
        Kind::new(
            $name,
            |key, value| read_whole(key, value, $least..=$most),
            |words| typed_whole(words, $least..=$most),
            |value| whole(*value),
        )
    };
}

pub(super) const PORT: Kind<usize> = whole_from!("PORT", 1, 65_535);
pub(super) const RUNS: Kind<usize> = whole_from!("N", 2, 1_000);
pub(super) const TRIES: Kind<usize> = whole_from!("N", 0, 1_000);

/// A time, in seconds: `"90min"`, `"1h30min"`.
pub(super) const TIME: Kind<f64> = Kind::new(
    "TIME",
    |key, value| {
        let time = value.as_str().and_then(seconds_of);
        time.ok_or_else(|| unfit(key, TIME_EXPECTED, value, "\"90min\""))
    },
    |words| seconds_of(last(words)).ok_or_else(|| format!("expected {TIME_EXPECTED}")),
    |seconds| Value::String(written(*seconds)),
);

const TIME_EXPECTED: &str = "a time above 0 such as 90s, 30min or 1h30min";

fn written(seconds: f64) -> String {
    if seconds >= 60.0 && seconds % 60.0 == 0.0 {
        return format!("{}min", seconds / 60.0);
    }
    format!("{seconds}s")
}

/// Ascending numbers of runs: `[3, 4, 6]`.
pub(super) const LOOKS: Kind<Vec<usize>> = Kind {
    several: Some(Several::Commas),
    ..Kind::new(
        "N,N,...",
        |key, value| {
            let items = value.as_array().map(Vec::as_slice).unwrap_or_default();
            let runs = items.iter().map(|item| item.as_integer().and_then(|n| n.try_into().ok()));
            let looks = runs.collect::<Option<Vec<usize>>>().filter(|looks| ascending(looks));
            looks.ok_or_else(|| unfit(key, LOOKS_EXPECTED, value, "[3, 4, 6, 8, 12]"))
        },
        |words| {
            let looks =
                words.iter().map(|word| word.trim().parse().ok()).collect::<Option<Vec<_>>>();
            let looks = looks.filter(|looks| ascending(looks));
            looks.ok_or_else(|| format!("expected {LOOKS_EXPECTED}"))
        },
        |looks| Value::Array(looks.iter().map(|runs| whole(*runs)).collect()),
    )
};

const LOOKS_EXPECTED: &str = "1 to 10 ascending numbers of runs from 2 to 1000, such as 3,4,6,8,12";

fn ascending(looks: &[usize]) -> bool {
    let range = looks.iter().all(|runs| (2..=1_000).contains(runs));
    (1..=10).contains(&looks.len()) && range && looks.windows(2).all(|two| two[0] < two[1])
}

/// Commands and similar texts: `["main=...", "pr=..."]`, one text, or `main = "..."` in a section of their own.
pub(super) const COMMANDS: Kind<Vec<String>> = Kind {
    name: "[NAME=]VALUE",
    several: Some(Several::Repeated),
    read: |key, value| match value {
        Value::String(one) => Ok(vec![one.clone()]),
        Value::Table(named) => {
            let one = |(name, value): (&String, &Value)| {
                Ok(format!("{name}={}", read_text(&format!("{key}.{name}"), value)?))
            };
            named.iter().map(one).collect()
        }
        other => read_list(key, other),
    },
    ..LIST
};
