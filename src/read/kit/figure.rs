//! A value as people write it: `175.2ms`, `1,204 ms`, `259.1 (+3.6%)`, `30.80  <=====`, `5m43s`.

use crate::kit::fields;
use crate::kit::quantity;
pub(crate) use beyondnoise_model::units::is_unit;

/// A number with its unit and the text beside it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Figure {
    /// The number without separators of thousands, with a decimal point.
    pub(crate) number: String,
    /// The unit as written, if it is one; empty without one.
    pub(crate) unit: String,
    /// Text behind the value: a remark in brackets, an arrow, a change.
    pub(crate) beside: String,
}

/// Marks that people put beside a value: arrows, stars, emoji, rows of `=`.
pub(crate) fn is_mark(c: char) -> bool {
    c.is_whitespace()
        || matches!(
            c,
            '*' | '`'
                | '~'
                | '≈'
                | '<'
                | '>'
                | '='
                | '!'
                | '^'
                | '_'
                | '\u{fe0f}'
                | '←'
                | '↑'
                | '→'
                | '↓'
        )
        || ('\u{2190}'..='\u{21ff}').contains(&c)
        || ('\u{25a0}'..='\u{2bff}').contains(&c)
        || ('\u{1f000}'..='\u{1faff}').contains(&c)
}

/// The bytes and the plain digits of the number at the start of a text; `comma`: commas are decimal.
pub(crate) fn leading(text: &str, comma: bool) -> Option<(usize, String)> {
    let mut plain = String::new();
    let mut end = 0;
    let mut rest = text;
    if let Some(after) = text.strip_prefix(['+', '-', '\u{2212}']) {
        if !text.starts_with('+') {
            plain.push('-');
        }
        end = text.len() - after.len();
        rest = after;
    }
    let digits = |text: &str| text.bytes().take_while(u8::is_ascii_digit).count();
    let first = digits(rest);
    if first == 0 && !(rest.starts_with('.') && digits(&rest[1..]) > 0) {
        return None;
    }
    plain.push_str(&rest[..first]);
    (end, rest) = (end + first, &rest[first..]);
    // Groups of three digits, all behind the same separator.
    let mut separator = None;
    while let Some(mark) = rest.chars().next() {
        let groups =
            if comma { ".'’_\u{202f}\u{a0}\u{2009}" } else { ",'’_\u{202f}\u{a0}\u{2009}" };
        let after = &rest[mark.len_utf8()..];
        let grouped = (1..=3).contains(&first) && groups.contains(mark) && digits(after) == 3;
        if !grouped || separator.is_some_and(|known| known != mark) {
            break;
        }
        separator = Some(mark);
        plain.push_str(&after[..3]);
        (end, rest) = (end + mark.len_utf8() + 3, &after[3..]);
    }
    let point = if comma { ',' } else { '.' };
    if let Some(after) = rest.strip_prefix(point).filter(|after| digits(after) > 0) {
        let length = digits(after);
        plain.push('.');
        plain.push_str(&after[..length]);
        (end, rest) = (end + 1 + length, &after[length..]);
    }
    if let Some(after) = rest.strip_prefix(['e', 'E']) {
        let sign = usize::from(after.starts_with(['+', '-']));
        let length = digits(&after[sign..]);
        if length > 0 {
            plain.push('e');
            plain.push_str(&after[..sign + length]);
            end += 1 + sign + length;
        }
    }
    Some((end, plain))
}

/// Reads a value; `None` where other text is in the cell. `comma`: the table writes decimal commas.
pub(crate) fn figure(text: &str, comma: bool) -> Option<Figure> {
    // `~2.5` is no measured value.
    let text = text.trim_matches(|c| is_mark(c) && !matches!(c, '_' | '~' | '≈' | '<' | '>'));
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let fraction = text.as_bytes()[digits..].strip_prefix(b".").unwrap_or_default();
    let plain = digits > 0
        && (digits == text.len()
            || !fraction.is_empty() && fraction.iter().all(u8::is_ascii_digit));
    if plain && !comma {
        let (number, unit) = (text.to_owned(), String::new());
        return Some(Figure { number, unit, beside: String::new() });
    }
    if let Some(time) = long_time(text) {
        return Some(time);
    }
    let (end, number) = leading(text, comma)?;
    let (end, number) = thousands(text, end, &number).unwrap_or((end, number));
    let rest = text[end..].trim_start();
    let apart = rest.find(['(', '[', '（', '<', '←', '↑', '↓', '⬆', '⬇', ',', ';', '+', '·']);
    let apart = apart.into_iter().chain(rest.find("  ")).chain(rest.find(": "));
    let apart = apart.min().unwrap_or(rest.len());
    let head = rest[..apart].trim_end_matches(is_mark).trim();
    let first = head.split_whitespace().next().unwrap_or_default();
    // `7B` is the size of a model, `939 B` are bytes.
    let bytes = |word: &str| word == "B" && text[end..].starts_with([' ', '\u{a0}', '\u{202f}']);
    let unit = [head, first]
        .into_iter()
        .find(|word| !word.is_empty() && (is_unit(word) || bytes(word)))
        .unwrap_or_default();
    let beside = rest[unit.len()..].trim();
    // An arrow drawn with `<`, `=` and `-` says nothing.
    let drawn = |c: char| matches!(c, '<' | '>' | '=' | '-') || c.is_whitespace();
    let beside = if beside.chars().all(drawn) { "" } else { beside };
    let signed = |text: &str| {
        let body = text.strip_prefix(['+', '-', '\u{2212}']);
        body.is_some_and(|body| {
            body.starts_with(|c: char| c.is_ascii_digit()) && body.contains('%')
        })
    };
    // `6153 tok/s, +7.2%`
    let behind = beside.strip_prefix([',', ';']).map(str::trim_start);
    let beside = behind.filter(|change| signed(change)).unwrap_or(beside);
    // Of two values with an arrow between them neither is the value.
    let arrow = beside.trim_start_matches(['-', '=', '>', '→', '⇒', '➜', '➡', '⟶', ' ']);
    let pointed = arrow.len() < beside.len();
    let digits = |c: char| c.is_ascii_digit() || c == '~' || c == '.';
    // `1.43e-02 s -> 50% faster`
    let share = arrow.trim_start_matches(digits).starts_with('%');
    if pointed && arrow.starts_with(digits) && !share {
        return None;
    }
    let said = pointed && !unit.is_empty() && (share || arrow.starts_with(char::is_alphabetic));
    // `162.5 i/s - same-ish: within error`
    let dashed = ["- ", "– ", "— "].iter().find_map(|dash| beside.strip_prefix(dash));
    let spoken = dashed.is_some_and(|words| words.starts_with(char::is_alphabetic));
    let remark = beside.is_empty()
        || spoken && !unit.is_empty()
        || said
        || beside.starts_with(['(', '[', '（', '·'])
        || factor_behind(beside)
        || beside.starts_with(|c: char| is_mark(c) && c != '=')
        || beside.chars().all(is_mark)
        || quantile_beside(beside).is_some()
        || signed(beside);
    remark.then(|| Figure { number, unit: unit.to_owned(), beside: beside.to_owned() })
}

/// Whether a factor stands behind a colon: `: 1.03x faster`.
fn factor_behind(beside: &str) -> bool {
    let factor = beside.strip_prefix(':').and_then(|rest| rest.split_whitespace().next());
    let number = factor.and_then(|factor| factor.strip_suffix(['x', '×']));
    number.is_some_and(|number| fields::number(number).is_some())
}

/// The name and the text of a quantile behind a value: `, p50=776.191 msec`.
pub(crate) fn quantile_beside(beside: &str) -> Option<(&str, &str)> {
    let (name, value) = beside.strip_prefix(", ")?.split_once('=')?;
    let level = name.strip_prefix('p')?;
    let whole = !level.is_empty() && level.bytes().all(|byte| byte.is_ascii_digit());
    (whole && value.starts_with(|c: char| c.is_ascii_digit())).then_some((name, value.trim()))
}

/// The ends of a range, with a remark in brackets behind it or none: `2190-2218 (+4.1 %)`, `1.8~2.2s`.
pub(crate) fn range(text: &str) -> Option<(f64, f64)> {
    let bare = text.replace('*', "");
    let (low, high) =
        bare.split(['(', '（']).next()?.trim().split_once(['-', '–', '~', '〜', '～'])?;
    let end = |text: &str| {
        let text = text.trim();
        let found = figure(text, false).filter(|found| found.beside.is_empty());
        fields::number(text).or_else(|| found?.value()).map(|number| number.value)
    };
    let ends = (end(low)?, end(high)?);
    (0.0 < ends.0 && ends.0 < ends.1).then_some(ends)
}

/// The end and the number if a letter for thousands comes between the number and a rate: `17.9k tok/s`.
fn thousands(text: &str, end: usize, number: &str) -> Option<(usize, String)> {
    let mark = text[end..].chars().next()?;
    let power = match mark {
        'k' | 'K' => 3,
        'M' => 6,
        _ => return None,
    };
    let behind = text[end + 1..].trim_start();
    let unit = behind.split_whitespace().next()?;
    // `97k/s` counts too, `97K/s` may be bytes.
    let counted = mark == 'k' && unit.starts_with('/') || text[end + 1..].starts_with(' ');
    let rate = counted && unit.contains('/') && is_unit(unit);
    (rate && !number.contains('e')).then(|| (end + 1, format!("{number}e{power}")))
}

/// A time in several parts: `5m43s`, `1h 2m`.
fn long_time(text: &str) -> Option<Figure> {
    let ends = |byte: Option<&u8>, wanted: fn(&u8) -> bool| byte.is_some_and(wanted);
    let bytes = text.as_bytes();
    if !ends(bytes.first(), |byte| byte.is_ascii_digit() || *byte == b'.')
        || ends(bytes.last(), |byte| byte.is_ascii_digit() || *byte == b'.')
    {
        return None;
    }
    let joined: String = text.split_whitespace().collect();
    let digit = |c: char| c.is_ascii_digit() || c == '.';
    let units: Vec<&str> = joined.split(digit).filter(|unit| !unit.is_empty()).collect();
    let parts = units.len();
    // `12.1s 12.3s` are two times.
    if units.iter().any(|unit| units.iter().filter(|other| *other == unit).count() > 1) {
        return None;
    }
    let plain = joined.chars().all(|c| digit(c) || c.is_ascii_alphabetic());
    if parts < 2 || !plain || !joined.starts_with(digit) || joined.ends_with(digit) {
        return None;
    }
    let time = quantity::milliseconds(&joined)?;
    let decimals = joined
        .split_once('.')
        .map_or(0, |(_, tail)| tail.bytes().take_while(u8::is_ascii_digit).count());
    Some(Figure {
        number: format!("{:.decimals$}", time.value / 1e3),
        unit: "s".to_owned(),
        beside: String::new(),
    })
}

/// A duration as clocks show it, in seconds: `00:10:03.001`, `20:35.37`.
pub(crate) fn clock(text: &str) -> Option<Figure> {
    let parts: Vec<&str> = text.trim().split(':').collect();
    let (last, whole) = parts.split_last().filter(|_| (2..4).contains(&parts.len()))?;
    let count = |part: &&str| {
        let digits = !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
        part.parse::<f64>().ok().filter(|_| digits)
    };
    let whole: Vec<f64> = whole.iter().map(count).collect::<Option<_>>()?;
    let (seconds, fraction) = last.split_once('.').unwrap_or((last, ""));
    let two = seconds.len() == 2 && whole.iter().skip(1).all(|part| *part < 60.0);
    let seconds = count(&seconds).filter(|seconds| two && *seconds < 60.0)?;
    let fraction = fraction.bytes().all(|byte| byte.is_ascii_digit()).then_some(fraction)?;
    let minutes = whole.iter().fold(0.0, |sum, part| 60.0 * sum + part);
    let number = format!("{}.{fraction}", 60.0 * minutes + seconds);
    let number = number.trim_end_matches('.').to_owned();
    Some(Figure { number, unit: "s".to_owned(), beside: String::new() })
}

/// The numbers of a cell that lists several: `91.2, 92.3, 90.8`, `402 / 455`, `80 → 76 ms`, without their unit, with
/// the unit behind the last.
///
/// Behind an arrow or a sign of equality a list of repeats may end with their average: `8.30 / 7.54 / 8.18 → 8.01`.
pub(crate) fn list(text: &str, comma: bool) -> Option<(Vec<String>, String, char)> {
    let text = text.trim_matches(['*', '`', ' ']);
    // Three or more in brackets; two are an interval.
    let inner = text.strip_prefix('[').and_then(|rest| rest.strip_suffix(']'));
    if let Some(inner) = inner.filter(|inner| !inner.contains(['[', '*'])) {
        return list(inner, comma).filter(|(numbers, ..)| numbers.len() > 2);
    }
    if !text.bytes().any(|byte| b"/>=;,".contains(&byte) || !byte.is_ascii()) {
        return None;
    }
    let averaged = ["→", "->", "=>", "="].iter().find_map(|mark| {
        let (all, average) = text.split_once(mark)?;
        let average = figure(average.trim(), comma)?.value()?;
        let found = list(all, comma).filter(|(.., kind)| *kind != '→')?;
        let mut values: Vec<f64> = found
            .0
            .iter()
            .map(|number| Some(fields::number(number)?.value))
            .collect::<Option<_>>()?;
        values.sort_by(f64::total_cmp);
        let half = values.len() / 2;
        let median = f64::midpoint(values[half], values[values.len() - 1 - half]);
        let mean = values.iter().sum::<f64>() / values.len() as f64;
        let near = |centre: f64| (centre - average.value).abs() <= 1.01 * average.resolution;
        (near(mean) || near(median)).then_some(found)
    });
    if averaged.is_some() {
        return averaged;
    }
    let marks: &[(&str, char)] = &[
        (" / ", '/'),
        ("/", '/'),
        ("→", '→'),
        ("->", '→'),
        ("=>", '→'),
        (";", ','),
        (", ", ','),
        ("，", ','),
        ("、", ','),
        (",", ','),
    ];
    // `118k → 131k`
    let thousands = |part: &str| -> Option<String> {
        let number = part.trim().strip_suffix(['k', 'K'])?;
        fields::number(number).map(|_| format!("{number}e3"))
    };
    for (mark, kind) in marks {
        let parts: Vec<&str> = text.split(mark).map(str::trim).collect();
        let whole: Option<Vec<String>> = parts.iter().map(|part| thousands(part)).collect();
        if let Some(numbers) = whole.filter(|numbers| numbers.len() > 1) {
            return Some((numbers, String::new(), *kind));
        }
        // A comma without a blank may stand between the digits of one number: `1,200.5`.
        let fractions = || !comma && parts.iter().all(|part| part.contains('.'));
        if parts.len() < 2 || *mark == "," && !fractions() {
            continue;
        }
        let figures: Option<Vec<Figure>> = parts.iter().map(|part| figure(part, comma)).collect();
        // The stroke may be that of a unit: `39.3 → 56.1 tok/s`.
        let Some(figures) = figures else { continue };
        let unit = figures.last().map(|last| last.unit.clone()).unwrap_or_default();
        let alike = figures
            .iter()
            .all(|one| one.beside.is_empty() && (one.unit.is_empty() || one.unit == unit));
        return alike.then(|| (figures.into_iter().map(|one| one.number).collect(), unit, *kind));
    }
    None
}

impl Figure {
    /// The number with its precision.
    pub(crate) fn value(&self) -> Option<fields::Number> {
        fields::number(&self.number)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// R5: the forms in which values stand in cells and lines of pasted results.
    #[test]
    fn a_value_is_read_with_its_unit_and_what_stands_beside_it() {
        for (text, number, unit, beside) in [
            ("175.2ms", "175.2", "ms", ""),
            ("1,204 ms", "1204", "ms", ""),
            ("14tok/s", "14", "tok/s", ""),
            ("450.00 (-10%)", "450.00", "", "(-10%)"),
            ("**259.1** (+3.6%)", "259.1", "", "** (+3.6%)"),
            ("30.80    <======", "30.80", "", ""),
            ("30.80 <-- better", "30.80", "", "<-- better"),
            ("5m43s", "343", "s", ""),
            ("1h 2m", "3720", "s", ""),
            ("1_000", "1000", "", ""),
            ("1'000.5", "1000.5", "", ""),
            ("47.20 seconds", "47.20", "seconds", ""),
            ("144 (100.0%)", "144", "", "(100.0%)"),
            ("402.118 TFLOPs/s", "402.118", "TFLOPs/s", ""),
            ("-1.6%", "-1.6", "%", ""),
            ("17.9k tok/s", "17.9e3", "tok/s", ""),
            ("939 B", "939", "B", ""),
            ("1.5e-3", "1.5e-3", "", ""),
        ] {
            let found = figure(text, false);
            let expected =
                Figure { number: number.into(), unit: unit.into(), beside: beside.into() };
            assert_eq!(found, Some(expected), "{text}");
        }
        // (8.30 + 7.54 + 8.18) / 3 = 8.007
        let numbers = |text| list(text, false).map(|(numbers, ..)| numbers);
        assert_eq!(numbers("8.30 / 7.54 / 8.18 → **8.01**").map(|all| all.len()), Some(3));
        assert_eq!(numbers("8.30 / 7.54 / 8.18 → 9.01"), None);
        assert_eq!(figure("1.204,5 ms", true).map(|found| found.number), Some("1204.5".to_owned()));
        for text in [
            "2 x 80 GB",
            "70b，2k输入",
            "fast",
            "",
            "4 GPUs",
            "2026-02-03 10:11",
            "1 of 3",
            "v1.2",
            "1.2.3",
            "~2.5",
            "7B",
            "<5",
        ] {
            assert_eq!(figure(text, false), None, "{text}");
        }
    }

    #[test]
    fn several_values_of_one_cell_are_taken_apart() {
        let numbers = |text: &str| {
            list(text, false).map(|(numbers, unit, mark)| (numbers.join(" "), unit, mark))
        };
        for (text, expected, unit, mark) in [
            ("91.2, 92.3, 90.8", "91.2 92.3 90.8", "", ','),
            ("402 / 455", "402 455", "", '/'),
            ("80 → 76 ms", "80 76", "ms", '→'),
            ("80 ms -> 76 ms", "80 76", "ms", '→'),
            ("1.07/0.98", "1.07 0.98", "", '/'),
        ] {
            assert_eq!(numbers(text), Some((expected.to_owned(), unit.to_owned(), mark)), "{text}");
        }
        for text in ["1,204", "12 tok/s", "a, b", "12.5"] {
            assert_eq!(numbers(text), None, "{text}");
        }
    }
}
