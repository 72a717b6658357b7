//! Cells of tables: numbers as people and programs write them.

use std::borrow::Cow;

use crate::kit::digits::decimal;
use crate::kit::fields;
use beyondnoise_model::metrics::Metric;

use beyondnoise_model::units::Unit;

/// Content of a cell in a column of numbers.
#[derive(Debug, PartialEq)]
pub(crate) enum CellValue {
    Number(f64),
    /// Nothing, or a word for it.
    Empty,
    Other,
}

/// Words for "no value", lower case.
const NOTHING: &[&str] = &["nan", "null", "none", "n/a", "na", "-", "--", "---", "–", "—", "<na>"];

/// Whether a cell means that nothing was measured.
pub(crate) fn is_nothing(text: &str) -> bool {
    let text = text.trim();
    let number = text.starts_with(|c: char| c.is_ascii_digit());
    text.is_empty() || !number && text.len() < 8 && NOTHING.contains(&text.to_lowercase().as_str())
}

/// Reads a cell of the column `header`; `comma`: the table writes decimal commas.
pub(crate) fn read(cell: &[u8], header: &str, comma: bool) -> CellValue {
    if !comma && let Some(value) = plain(cell, cell.len()) {
        return CellValue::Number(value);
    }
    let Ok(text) = std::str::from_utf8(cell) else { return CellValue::Other };
    let text = text.trim();
    if is_share_of_unit(text, header) {
        return CellValue::Other;
    }
    if is_nothing(text) {
        return CellValue::Empty;
    }
    fields::number(&normal(text, header, comma))
        .map_or(CellValue::Other, |n| CellValue::Number(n.value))
}

/// A number of digits with at most one point, which is nearly every cell of a large table: the first `length` of these
/// bytes.
#[expect(clippy::inline_always, reason = "one for every number of a table of requests")]
#[inline(always)]
pub(crate) fn plain(bytes: &[u8], length: usize) -> Option<f64> {
    let (sign, digits) = match bytes.split_first() {
        Some((b'-', rest)) => (1, rest),
        _ => (0, bytes),
    };
    let value = decimal(digits).filter(|number| sign + number.length == length)?.value()?;
    Some(if sign == 1 { -value } else { value })
}

/// Factor to seconds of a bare time: the size of a time since 1970 shows its unit; any other is in seconds.
pub(crate) fn epoch_factor(time: f64) -> f64 {
    match time {
        _ if time > 1e17 => 1e-9,
        _ if time > 1e14 => 1e-6,
        _ if time > 1e11 => 1e-3,
        _ => 1.0,
    }
}

/// A cell with a decimal point and in the unit of its column: `12,5` as `12.5` where the table writes commas, `12.5
/// ms` as `12.5` in a column of milliseconds and as `12.5e-3` in one of seconds. Other forms, and units that do not
/// fit the column, stay as they are.
pub(crate) fn normal<'a>(text: &'a str, header: &str, comma: bool) -> Cow<'a, str> {
    normal_in(text, || unit_of_column(header), comma)
}

/// [`normal`] for a cell with its unit in another cell.
pub(crate) fn normal_beside<'a>(text: &'a str, unit: &str, comma: bool) -> Cow<'a, str> {
    normal_in(text, || Unit::of_word(unit), comma)
}

fn normal_in(text: &str, wanted: impl Fn() -> Option<Unit>, comma: bool) -> Cow<'_, str> {
    // Nearly every cell ends with a digit.
    if !comma && text.as_bytes().last().is_some_and(u8::is_ascii_digit) {
        return Cow::Borrowed(text);
    }
    let text = if comma && (is_number_with_commas(text) || has_thousands_points(text)) {
        Cow::Owned(text.replace('.', "").replace(',', "."))
    } else {
        Cow::Borrowed(text)
    };
    let Some(last) = text.rfind(|c: char| c.is_ascii_digit()) else { return text };
    let (number, unit) = (text[..=last].trim(), text[last + 1..].trim());
    if unit.is_empty() || fields::number(number).is_none() {
        return text;
    }
    match (power(Unit::of_word(unit)), power(wanted())) {
        (Some(own), Some(wanted)) if !number.contains(['e', 'E']) => {
            Cow::Owned(format!("{number}e{}", own - wanted))
        }
        _ if Unit::of_word(unit).is_some() && Unit::of_word(unit) == wanted() => {
            Cow::Owned(number.to_owned())
        }
        _ => text,
    }
}

/// Whether a cell is in percent, and its column is in another unit.
pub(crate) fn is_share_of_unit(text: &str, header: &str) -> bool {
    text.ends_with('%') && unit_of_column(header).is_some_and(|unit| unit != Unit::Percent)
}

/// An average as people write it: the text of its value with its unit, the standard deviation in the same unit, and the
/// number of runs where it is stated: `104.2 ± 1.3 ms (n=5)`, `104.2 (±1.3)`, `104.2 +/- 1.2 %`.
pub(crate) fn spread(text: &str) -> Option<(String, f64, Option<u64>)> {
    let text = text.trim();
    let (mark, length) = text
        .find('±')
        .map(|at| (at, '±'.len_utf8()))
        .or_else(|| ["+/-", "+-"].iter().find_map(|mark| Some((text.find(mark)?, mark.len()))))?;
    let value = text[..mark].trim_end_matches(['(', '[', ' ']).trim();
    let behind = text[mark + length..].trim();
    let end = behind
        .find(|c: char| !(c.is_ascii_digit() || matches!(c, '.' | ',' | 'e' | 'E' | '-')))
        .unwrap_or(behind.len());
    let sd = fields::number(behind[..end].trim_end_matches(['.', ',']))?.value;
    let tail = behind[end..].trim_start_matches([')', ']']).trim();
    // `(n=5)`, `n = 5`, `5 runs`.
    let lower = tail.to_lowercase();
    let counted = lower.find("n=").map(|at| at + 2).or_else(|| lower.find("n =").map(|at| at + 3));
    let words = ["runs", "reps", "repeats", "trials", "starts", "datapoints", "data points"];
    let runs = counted.or_else(|| {
        let said = words.iter().any(|word| {
            let mut places = lower.match_indices(word).map(|(at, _)| at);
            places.any(|at| !lower[..at].ends_with(char::is_alphabetic))
        });
        said.then(|| lower.find(|c: char| c.is_ascii_digit()).unwrap_or(0))
    });
    let runs = runs.and_then(|at| {
        let digits = lower[at..].trim_start();
        digits[..digits.find(|c: char| !c.is_ascii_digit()).unwrap_or(digits.len())].parse().ok()
    });
    let unit = tail.split(['(', '[', ',']).next().unwrap_or_default().trim();
    let unit =
        if runs.is_some() && counted.is_none() && !tail.starts_with('%') { "" } else { unit };
    let number = fields::number(value);
    let last = value.rfind(|c: char| c.is_ascii_digit())?;
    let plain = number.or_else(|| fields::number(value[..=last].trim()))?.value;
    // A spread in percent of a value in another unit is relative.
    let relative = unit.starts_with('%') && !value.ends_with('%');
    let sd = if relative { (plain * sd / 100.0).abs() } else { sd };
    let with_unit =
        number.is_some() && !unit.is_empty() && !relative && !unit.starts_with(['n', '%']);
    let value = if with_unit { format!("{value} {unit}") } else { value.to_owned() };
    (sd.is_finite() && sd >= 0.0).then_some((value, sd, runs))
}

/// Unit of the values of a column, where its name or the registry has it.
fn unit_of_column(header: &str) -> Option<Unit> {
    let registered = Some(Metric::of_column(header).1).filter(|unit| *unit != Unit::None);
    registered.or_else(|| Unit::of_word(&split_unit(header).1?))
}

/// The power of ten of a unit of time in seconds.
fn power(unit: Option<Unit>) -> Option<i32> {
    match unit? {
        Unit::Second => Some(0),
        Unit::Millisecond => Some(-3),
        Unit::Microsecond => Some(-6),
        Unit::Nanosecond => Some(-9),
        _ => None,
    }
}

/// The power of ten of a column's unit of time in seconds; seconds if its name has no unit.
#[cfg(feature = "tables")]
pub(crate) fn power_of_column(header: &str) -> i32 {
    power(unit_of_column(header)).unwrap_or(0)
}

/// Factor to milliseconds of a word for a unit of time.
pub(crate) fn to_ms(word: &str) -> Option<f64> {
    Some(10f64.powi(power(Unit::of_word(word))? + 3))
}

/// Whether a cell is a number with commas in it: `12,5`, `1.234,5`, `1,234.5 ms`.
pub(crate) fn is_number_with_commas(text: &str) -> bool {
    let Some(last) = text.rfind(|c: char| c.is_ascii_digit()) else { return false };
    let number = text[..=last].trim_start_matches(['-', '+', '\u{2212}']);
    number.contains(',')
        && number.starts_with(|c: char| c.is_ascii_digit())
        && number
            .bytes()
            .all(|b| b.is_ascii_digit() || matches!(b, b',' | b'.' | b'e' | b'E' | b'-'))
        && text[last + 1..].trim().chars().all(|c| c.is_alphabetic() || matches!(c, '/' | '%'))
}

/// Whether points separate thousands: `1.234`, `12.345.678 ms`. They do where the table has decimal commas.
pub(crate) fn has_thousands_points(text: &str) -> bool {
    let Some(last) = text.rfind(|c: char| c.is_ascii_digit()) else { return false };
    let mut groups = text[..=last].trim_start_matches(['-', '+', '\u{2212}']).split('.');
    let first = groups.next().unwrap_or("");
    let digits = |group: &str| group.bytes().all(|byte| byte.is_ascii_digit());
    let mut rest = groups.peekable();
    (1..=3).contains(&first.len())
        && digits(first)
        && !first.starts_with('0')
        && rest.peek().is_some()
        && rest.all(|group| group.len() == 3 && digits(group))
}

/// A name in lower case with `_` for spaces, and the unit of time in it: `TTFT (s)` is `ttft` and `s`.
pub(crate) fn split_unit(name: &str) -> (String, Option<String>) {
    let name = name.trim().to_lowercase();
    let plain = |text: &str| text.trim().replace([' ', '-'], "_");
    if let Some((stem, unit)) =
        name.strip_suffix([')', ']']).and_then(|n| n.rsplit_once(['(', '[']))
    {
        return (plain(stem), Some(unit.trim().to_owned()));
    }
    let plain = plain(&name);
    match plain.rsplit_once('_') {
        Some((stem, unit)) if to_ms(unit).is_some() => (stem.to_owned(), Some(unit.to_owned())),
        _ => (plain, None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_short_way_gives_the_nearest_double() {
        for text in [
            "0",
            "7",
            "0.1",
            "123.456789",
            "9007199254740993",
            "0.000001",
            "-2.5",
            "12345678.9012345",
            "00012.50",
            "99999999.99999999",
        ] {
            let value = plain(text.as_bytes(), text.len()).or_else(|| text.parse().ok());
            assert_eq!(value.map(f64::to_bits), text.parse().ok().map(f64::to_bits), "{text}");
        }
        for text in ["", "-", ".", ".5", "1.2.3", "1e5", "1,5", "--1", "nan"] {
            assert_eq!(plain(text.as_bytes(), text.len()), None, "{text}");
        }
    }

    #[test]
    fn an_average_has_a_spread_and_perhaps_a_number_of_runs() {
        for (text, value, sd, runs) in [
            ("104.2 ± 1.3", "104.2", 1.3, None),
            ("104.2 ± 1.3 (n=5)", "104.2", 1.3, Some(5)),
            ("104.2 (±1.3)", "104.2", 1.3, None),
            ("104.2 +/- 1.3 ms", "104.2 ms", 1.3, None),
            ("104.2 ms ± 1.3 ms (n = 12)", "104.2 ms", 1.3, Some(12)),
            ("1,200.5±10, 3 runs", "1,200.5", 10.0, Some(3)),
            ("200 ± 1.5 %", "200", 3.0, None),
            ("95.0% ± 0.5%", "95.0%", 0.5, None),
        ] {
            assert_eq!(spread(text), Some((value.to_owned(), sd, runs)), "{text}");
        }
        for text in ["104.2", "± 3", "fast ± 3", "104.2 ± x", ""] {
            assert_eq!(spread(text), None, "{text}");
        }
    }

    #[test]
    fn cells_are_read_in_the_unit_of_their_column() {
        for (text, header, comma, cell) in [
            ("12.3 ms", "mean_ttft_ms", false, CellValue::Number(12.3)),
            ("0.5 s", "ttft_ms", false, CellValue::Number(500.0)),
            ("250us", "TTFT (ms)", false, CellValue::Number(0.25)),
            ("305.88 tok/s", "output_throughput", false, CellValue::Number(305.88)),
            ("12.3 GB", "ttft_ms", false, CellValue::Other),
            ("1.2k", "ttft_ms", false, CellValue::Other),
            ("12.3 ms", "latency", false, CellValue::Other),
            ("12,5", "ttft_ms", true, CellValue::Number(12.5)),
            ("1.234,5", "ttft_ms", true, CellValue::Number(1234.5)),
            ("1.034", "ttft_ms", true, CellValue::Number(1034.0)),
            ("-1.034.500 ms", "ttft_ms", true, CellValue::Number(-1_034_500.0)),
            ("1.034", "ttft_ms", false, CellValue::Number(1.034)),
            ("3.4%", "ttft_ms", false, CellValue::Other),
            ("12,5 ms", "ttft_ms", true, CellValue::Number(12.5)),
            ("12,5", "ttft_ms", false, CellValue::Other),
            ("1,234.5", "ttft_ms", false, CellValue::Number(1234.5)),
            ("12.3%", "accepted", false, CellValue::Number(12.3)),
            (" ", "ttft_ms", false, CellValue::Empty),
            ("N/A", "ttft_ms", false, CellValue::Empty),
        ] {
            assert_eq!(read(text.as_bytes(), header, comma), cell, "{text}");
        }
    }
}
