//! Values as people write them: `2 %`, `0.95`, `p99`, `hodges-lehmann`.

use std::fmt;

use serde::de::{Error, Unexpected, Visitor};
use serde::{Deserialize, Deserializer, Serialize};

use crate::stats::{Across, Method};

/// A fraction of something: `"2 %"` or 0.02.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd, Serialize)]
#[serde(transparent)]
pub struct Share(pub f64);

/// Reads a confidence: a fraction (`0.95`) or a percentage (`95%`), from 0.6 to 0.9999.
///
/// # Errors
///
/// What was expected.
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
/// What was expected; a bare number between 0 and 1 could be meant as a fraction and is refused.
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
/// What was expected.
pub fn parse_across(text: &str) -> Result<Across, &'static str> {
    match text {
        "mean" => Ok(Across::Mean),
        "median" | "p50" => Ok(Across::Median),
        "hodges-lehmann" | "hl" => Ok(Across::HodgesLehmann),
        other => other
            .strip_prefix('p')
            .and_then(|digits| digits.parse::<f64>().ok())
            .filter(|percent| *percent > 0.0 && *percent < 100.0)
            .map(|percent| Across::Quantile(percent / 100.0))
            .ok_or("expected mean, median, hodges-lehmann or a quantile such as p99"),
    }
}

/// Reads the way intervals are made: `calibrated`, `percentile`, `bca` or `welch`.
///
/// # Errors
///
/// What was expected.
pub fn parse_method(text: &str) -> Result<Method, &'static str> {
    match text {
        "calibrated" => Ok(Method::Calibrated),
        "percentile" => Ok(Method::Percentile),
        "bca" => Ok(Method::Bca),
        "welch" => Ok(Method::Welch),
        _ => Err("expected calibrated, percentile, bca or welch"),
    }
}

impl<'de> Deserialize<'de> for Share {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(ShareVisitor).map(Self)
    }
}

/// Reads a [`Share`] into a plain number.
pub(super) fn share<'de, D: Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
    Share::deserialize(deserializer).map(|share| share.0)
}

/// Reads a number above 0.
pub(super) fn positive<'de, D: Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
    let value = f64::deserialize(deserializer)?;
    if value.is_finite() && value > 0.0 {
        return Ok(value);
    }
    Err(D::Error::invalid_value(Unexpected::Float(value), &"a number above 0"))
}

/// Reads a confidence, as a fraction or a percentage.
pub(super) fn confidence<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<f64>, D::Error> {
    let Share(value) = Share::deserialize(deserializer)?;
    parse_confidence(&value.to_string()).map(Some).map_err(D::Error::custom)
}

struct ShareVisitor;

impl Visitor<'_> for ShareVisitor {
    type Value = f64;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(
            "a percentage in quotes such as \"2 %\", or a fraction from 0 to 1 such as 0.02",
        )
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<f64, E> {
        if (0.0..=1.0).contains(&value) {
            Ok(value)
        } else {
            Err(E::invalid_value(Unexpected::Float(value), &self))
        }
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<f64, E> {
        match value {
            0 => Ok(0.0),
            1 => Ok(1.0),
            other => Err(E::invalid_value(Unexpected::Signed(other), &self)),
        }
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<f64, E> {
        let percent = text.trim().ends_with('%').then(|| parse_percentage(text));
        percent.and_then(Result::ok).ok_or_else(|| E::invalid_value(Unexpected::Str(text), &self))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_share_is_a_fraction_or_a_percentage_in_quotes() {
        let read = |text: &str| {
            toml::from_str::<std::collections::BTreeMap<String, Share>>(text).map(|map| map["x"].0)
        };
        assert_eq!(read("x = 0.02"), Ok(0.02));
        assert_eq!(read("x = \"2 %\""), Ok(0.02));
        assert_eq!(read("x = \"250%\""), Ok(2.5));
        assert_eq!(read("x = 0"), Ok(0.0));
        for wrong in ["x = 2", "x = 2.0", "x = \"2\"", "x = \"-2 %\"", "x = nan", "x = true"] {
            assert!(read(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_bare_number_of_a_flag_is_a_percentage_unless_it_could_be_a_fraction() {
        assert_eq!(parse_percentage("2"), Ok(0.02));
        assert_eq!(parse_percentage("2 %"), Ok(0.02));
        assert!(parse_percentage("0.05").is_err());
        assert_eq!(parse_percentage("0.05%"), Ok(0.0005));
    }
}
