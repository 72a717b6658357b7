//! Values of the command line: effects, methods, statistics, formats.

use std::path::Path;

use beyondnoise::error::Error;
use beyondnoise::policy::{METHODS, parse_across, parse_method};
use beyondnoise::stats::{Across, Method};
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
    let names = Across::named().map(|(across, _)| PossibleValue::new(across.word()));
    PossibleValuesParser::new(names).try_map(|word| parse_across(&word))
}

/// Names of the formats, with the endings of their files.
pub(crate) const FORMATS: [(&str, &str); 5] =
    [("text", "txt"), ("markdown", "md"), ("html", "html"), ("json", "json"), ("csv", "csv")];

/// The format that the ending of a file names.
pub(crate) fn format(file: &Path) -> Result<&'static str, Error> {
    let ending = file.extension().unwrap_or_default().to_string_lossy();
    let found = FORMATS.iter().find(|(_, usual)| *usual == ending);
    found.map(|(name, _)| *name).ok_or_else(|| {
        let endings = FORMATS.map(|(_, ending)| ending).join(", ");
        let problem = format!("expected a file ending in one of {endings}, found .{ending}");
        Error::usage(problem, "give another ending to -o")
    })
}
