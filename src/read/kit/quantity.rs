//! Printed numbers with a unit: `635.91us`, `748.87k`, `606.33MB`, `1.50m`, `94.6µs`.

use crate::kit::fields::{Number, number};
use beyondnoise_model::units::{bytes_of, nanoseconds};

/// A number and the text after it.
pub(crate) fn split(text: &str) -> Option<(Number, &str)> {
    let text = text.trim();
    let end = text
        .char_indices()
        .find(|(_, c)| !(c.is_ascii_digit() || matches!(c, '.' | '-' | '+' | ',')))
        .map_or(text.len(), |(index, _)| index);
    Some((number(&text[..end])?, text[end..].trim()))
}

/// A time in milliseconds; Go writes the parts of a long one together: `1m2.5s`.
pub(crate) fn milliseconds(text: &str) -> Option<Number> {
    let mut rest = text.trim();
    let mut sum: Option<Number> = None;
    while !rest.is_empty() {
        let (Number { value, resolution }, behind) = split(rest)?;
        let end = behind.find(|c: char| c.is_ascii_digit()).unwrap_or(behind.len());
        let factor = nanoseconds(&behind[..end])? * 1e-6;
        let before = sum.map_or(0.0, |sum| sum.value);
        sum = Some(Number { value: before + value * factor, resolution: resolution * factor });
        rest = &behind[end..];
    }
    sum
}

/// Megabytes of a size in binary units that are printed without an i: `606.33MB`.
pub(crate) fn megabytes(text: &str) -> Option<Number> {
    bytes(text).map(|size| size.times(1e-6))
}

/// Bytes of such a size.
pub(crate) fn bytes(text: &str) -> Option<Number> {
    let (size, unit) = split(text)?;
    let binary = unit.strip_suffix('B').filter(|prefix| !prefix.is_empty());
    let binary = binary.map(|prefix| format!("{prefix}iB"));
    Some(size.times(bytes_of(binary.as_deref().unwrap_or(unit))?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_come_in_milliseconds_with_their_resolution() {
        for (text, value, resolution) in [
            ("635.91us", 0.635_91, 5e-6),
            ("12.92ms", 12.92, 5e-3),
            ("1.50m", 90_000.0, 300.0),
            ("94.6µs", 0.0946, 5e-5),
            ("1m2.5s", 62_500.0, 50.0),
            ("2s", 2000.0, 500.0),
        ] {
            let found = milliseconds(text).expect(text);
            assert!((found.value - value).abs() < 1e-9 * value, "{text}: {found:?}");
            assert!((found.resolution - resolution).abs() < 1e-9 * resolution, "{text}: {found:?}");
        }
        for none in ["", "fast", "1.5", "1.5x", "ms"] {
            assert_eq!(milliseconds(none), None, "{none}");
        }
    }

    #[test]
    fn sizes_are_binary() {
        let found = megabytes("606.33MB").expect("a size");
        assert!((found.value - 635.783_086_08).abs() < 1e-9, "{found:?}");
    }
}
