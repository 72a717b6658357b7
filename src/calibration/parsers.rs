//! Values of the command line: effects, methods, statistics.

use beyondnoise::policy::{METHODS, parse_across, parse_method};
use beyondnoise::stats::{Across, Method, STATISTICS};
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};

/// Reads a change, a fraction.
pub(crate) fn effect(text: &str) -> Result<f64, &'static str> {
    let number = text.parse::<f64>().ok().filter(|value| *value > -1.0 && *value <= 10.0);
    number.ok_or("expected a fraction above -1 and up to 10, such as 0.05 or -0.03")
}

/// Reads one of the methods.
pub(crate) fn method() -> impl TypedValueParser<Value = Method> {
    let values = METHODS.iter().map(|(word, meaning)| PossibleValue::new(*word).help(*meaning));
    PossibleValuesParser::new(values).try_map(|word| parse_method(&word))
}

/// Reads one of the statistics.
pub(crate) fn across() -> impl TypedValueParser<Value = Across> {
    let names = STATISTICS.iter().map(|statistic| statistic.name);
    PossibleValuesParser::new(names).try_map(|word| parse_across(&word))
}
