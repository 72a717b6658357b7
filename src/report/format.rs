//! Numbers to text: signs, percentages, shared scale per row, digits from the noise.

use crate::report::units::{self, Shown};
use crate::report::{Delta, Row, SideRow};

/// Decimals of a percentage at most.
const MOST_DECIMALS: usize = 5;

/// Ends of intervals beyond this change, a fraction, say only that nothing is known.
const FARTHEST: f64 = 10.0;

/// Ratio beyond which a change is shown as a factor too.
const FACTOR: f64 = 2.0;

/// Numbers of this size and more are shown in scientific form.
const MOST_DIGITS: f64 = 1e15;

/// A change as `+6.6 %` or `−15.9 %`, with so many decimals.
pub(super) fn signed(fraction: f64, decimals: usize) -> String {
    format!("{} %", bare(fraction, decimals))
}

/// The same without the unit: `+6.6`.
fn bare(fraction: f64, decimals: usize) -> String {
    let size = format!("{:.decimals$}", (fraction * 100.0).abs());
    let zero = size.bytes().all(|byte| matches!(byte, b'0' | b'.'));
    let sign = if zero {
        ""
    } else if fraction < 0.0 {
        "−"
    } else {
        "+"
    };
    format!("{sign}{size}")
}

/// An unsigned percentage: `1.2 %`.
pub(super) fn percent(fraction: f64) -> String {
    let size = (fraction.abs() * 100.0).min(f64::MAX);
    if size >= 99.5 {
        format!("{size:.0} %")
    } else if size >= 0.095 {
        format!("{size:.1} %")
    } else {
        format!("{size:.2} %")
    }
}

/// A margin or a confidence as `1 %`, without decimals that say nothing.
pub(super) fn margin(fraction: f64) -> String {
    let text = format!("{:.2}", fraction * 100.0);
    format!("{} %", text.trim_end_matches('0').trim_end_matches('.'))
}

/// A confidence as `95 %`, with the digits that tell it from 100 %.
pub(super) fn confidence(fraction: f64) -> String {
    let digits = one_more_than(1.0 - fraction).saturating_sub(2).max(2);
    let text = format!("{:.digits$}", fraction * 100.0);
    format!("{} %", text.trim_end_matches('0').trim_end_matches('.'))
}

/// Decimals of a percentage that its interval leaves meaningful.
fn decimals(delta: &Delta) -> usize {
    match delta.relative_ci_adjusted {
        Some([low, high]) if (high - low) / 2.0 < 0.005 => 2,
        None if delta.relative.is_some_and(|relative| relative.abs() < 0.001) => 2,
        _ => 1,
    }
}

/// The change of a row: a percentage, or the difference where ratios do not exist.
pub(super) fn change(row: &Row) -> String {
    if row.exact {
        return count_change(row.delta.absolute);
    }
    if let Some(relative) = row.delta.relative {
        return signed(relative, decimals(&row.delta));
    }
    with_unit(&difference(row.delta.absolute), row.unit)
}

/// A ratio of a change by more than a factor of two: `2.3x`, or `0.14x` for one to a seventh.
pub(super) fn factor(row: &Row) -> Option<String> {
    let ratio = 1.0 + row.delta.relative.filter(|_| !row.exact)?;
    let large = !(1.0 / FACTOR..=FACTOR).contains(&ratio);
    (large && ratio > 0.0 && ratio.is_finite()).then(|| match ratio {
        0.0..0.001 => format!("{ratio:.1e}x"),
        0.0..0.1 => format!("{ratio:.3}x"),
        0.1..1.0 => format!("{ratio:.2}x"),
        1.0..10.0 => format!("{ratio:.1}x"),
        _ if ratio < 1e6 => format!("{ratio:.0}x"),
        _ => format!("{ratio:.1e}x"),
    })
}

/// The change of a row with its factor: `+131.2 % (2.3x)`.
pub(super) fn change_and_factor(row: &Row) -> String {
    let factor = factor(row).map_or(String::new(), |factor| format!(" ({factor})"));
    format!("{}{factor}", change(row))
}

/// The change of a count that never varies: `+1`, `unchanged`.
fn count_change(difference: f64) -> String {
    if difference == 0.0 {
        return "unchanged".to_owned();
    }
    let sign = if difference > 0.0 { "+" } else { "" };
    format!("{sign}{}", with_decimals(difference, 0))
}

/// A difference as `+9.133` or `−0.500`.
pub(super) fn difference(difference: f64) -> String {
    let sign = if difference > 0.0 { "+" } else { "" };
    format!("{sign}{}", plain(difference))
}

/// The interval of a row: `−6.2 … −3.9`.
pub(super) fn interval(row: &Row) -> String {
    if row.exact {
        return "exact".to_owned();
    }
    interval_of(row.delta.relative_ci_adjusted, row.delta.absolute_ci_adjusted, &row.delta)
}

/// An interval with the digits of `delta`, or `none`.
pub(super) fn interval_of(
    relative: Option<[f64; 2]>,
    absolute: Option<[f64; 2]>,
    delta: &Delta,
) -> String {
    match (relative, absolute) {
        (Some([low, high]), _) => {
            // An end beside zero is not printed as zero.
            let zero = |end: f64, decimals: usize| {
                end != 0.0 && !bare(end, decimals).starts_with(['+', '−'])
            };
            let enough = |decimals: &usize| !zero(low, *decimals) && !zero(high, *decimals);
            let least = decimals(delta);
            let decimals = (least..MOST_DECIMALS).find(enough).unwrap_or(least);
            let high = if high > FARTHEST {
                format!("over {}", bare(FARTHEST, 0))
            } else {
                bare(high, decimals)
            };
            format!("{} … {high}", bare(low, decimals))
        }
        (None, Some([low, high])) if delta.relative.is_none() => {
            format!("{} … {}", difference(low), difference(high))
        }
        _ => "none".to_owned(),
    }
}

fn with_unit(text: &str, unit: &str) -> String {
    if unit.is_empty() { text.to_owned() } else { format!("{text} {unit}") }
}

/// Estimates of both variants on one scale, with the CV where there is one: `304.5 ±1.0 %`.
pub(super) fn estimates(row: &Row) -> (String, String) {
    let shown = |side: &SideRow| {
        let value = value(row, side.estimate);
        side.cv.map_or(value.clone(), |cv| format!("{value} ±{}", percent(cv)))
    };
    (shown(&row.baseline), shown(&row.candidate))
}

/// Decimals of the values of a row, times `factor`, that the larger noise of the two variants leaves meaningful.
fn decimals_of_values(row: &Row, factor: f64) -> usize {
    if row.exact {
        return 0;
    }
    let spread = |side: &SideRow| side.cv.map(|cv| cv * side.estimate.abs());
    let sd = [spread(&row.baseline), spread(&row.candidate)]
        .into_iter()
        .flatten()
        .filter(|sd| *sd > 0.0)
        .fold(0.0, f64::max);
    let size = row.baseline.estimate.abs().max(row.candidate.estimate.abs());
    if sd > 0.0 { one_more_than(sd * factor) } else { of_a_value(size * factor) }
}

/// A value of one run, with the digits of its row; with its unit where that is not the one of the row's name.
pub(super) fn value(row: &Row, value: f64) -> String {
    match units::of_row(row) {
        Some(Shown { factor, unit }) => {
            format!("{} {unit}", with_decimals(value * factor, decimals_of_values(row, factor)))
        }
        None => with_decimals(value, decimals_of_values(row, 1.0)),
    }
}

/// A value of one run with its unit.
pub(super) fn value_and_unit(row: &Row, one: f64) -> String {
    let text = value(row, one);
    if units::of_row(row).is_some() { text } else { with_unit(&text, row.unit) }
}

/// A number with so many decimals; in scientific form where its digits would fill a line.
fn with_decimals(value: f64, decimals: usize) -> String {
    let text = if value.abs() < MOST_DIGITS {
        format!("{value:.decimals$}")
    } else {
        format!("{value:.3e}")
    };
    text.replace('-', "−")
}

/// Decimals that show one digit more than the first of `sd`.
fn one_more_than(sd: f64) -> usize {
    clamp(1.0 - sd.log10().floor())
}

/// Decimals of a value whose noise is not known: two, or four digits of a small one.
fn of_a_value(size: f64) -> usize {
    if size > 0.0 { clamp((3.0 - size.log10().floor()).max(2.0)) } else { 2 }
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped to 0 to 9")]
fn clamp(decimals: f64) -> usize {
    decimals.clamp(0.0, 9.0) as usize
}

/// A number of unknown noise.
pub(super) fn plain(value: f64) -> String {
    with_decimals(value, of_a_value(value.abs()))
}

/// A value with the digits that its standard deviation leaves.
pub(super) fn with_noise(value: f64, sd: f64) -> String {
    if value != 0.0 && value.abs() < 1e-6 {
        return format!("{value:.3e}").replace('-', "−");
    }
    if sd <= 0.0 {
        return plain(value);
    }
    with_decimals(value, one_more_than(sd))
}

/// Seconds or milliseconds with one decimal: `343.4`.
pub(super) fn tenth(value: f64) -> String {
    if value.abs() >= MOST_DIGITS {
        return plain(value);
    }
    // Half away from zero, as a person rounds 322.15.
    format!("{:.1}", (value * 10.0).round() / 10.0).replace('-', "−")
}

/// Whole milliseconds with a sign: `+338 ms`.
pub(super) fn milliseconds(value: f64) -> String {
    let sign = if value < 0.0 { "−" } else { "+" };
    let size = value.abs();
    if size < 0.05 {
        return "0 ms".to_owned();
    }
    if size >= 10.0 { format!("{sign}{size:.0} ms") } else { format!("{sign}{size:.1} ms") }
}

/// Names that a sentence lists.
const MOST_LISTED: usize = 4;

/// Names as a list: the first few and the last.
pub(super) fn few(names: &[String]) -> String {
    let quoted = |name: &String| format!("`{name}`");
    match names {
        [all @ .., last] if names.len() > MOST_LISTED => {
            let first: Vec<String> = all.iter().take(MOST_LISTED - 1).map(quoted).collect();
            format!("{}, … {}", first.join(", "), quoted(last))
        }
        _ => names.iter().map(quoted).collect::<Vec<_>>().join(", "),
    }
}

/// That single runs under several labels count as repeats.
pub(super) fn taken_as_repeats(labels: &[String]) -> String {
    format!("One run each of {}: taken as {} repeats of one build.", few(labels), labels.len())
}

/// The text up to so many columns, with `…` where something is left out.
pub(super) fn shortened(text: &str, columns: usize) -> String {
    use textwrap::core::display_width;
    if display_width(text) <= columns {
        return text.to_owned();
    }
    let mut out = String::new();
    let mut used = 1;
    for c in text.chars() {
        used += display_width(c.encode_utf8(&mut [0; 4]));
        if used > columns {
            break;
        }
        out.push(c);
    }
    format!("{}…", out.trim_end())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zero_has_no_sign_and_minus_is_a_minus() {
        assert_eq!(signed(-0.0499, 1), "−5.0 %");
        assert_eq!(signed(0.066, 1), "+6.6 %");
        assert_eq!(signed(-0.000_1, 1), "0.0 %");
    }

    #[test]
    fn a_confidence_is_never_rounded_to_certainty() {
        assert_eq!(confidence(0.95), "95 %");
        assert_eq!(confidence(0.987_9), "98.79 %");
        assert_eq!(confidence(0.999_998_92), "99.99989 %");
    }

    #[test]
    fn a_label_is_cut_by_its_width_on_the_screen() {
        assert_eq!(shortened("abcdef", 6), "abcdef");
        assert_eq!(shortened("abcdefg", 6), "abcde…");
        assert_eq!(shortened("优化后的版本", 6), "优化…");
    }

    #[test]
    fn long_numbers_are_scientific() {
        assert_eq!(plain(999_999_999_999_999.0), "999999999999999.00");
        assert_eq!(plain(1e15), "1.000e15");
        assert_eq!(difference(-1.234_5e20), "−1.234e20");
        assert_eq!(with_noise(6.02e23, 1e21), "6.020e23");
    }

    #[test]
    fn names_are_listed_up_to_the_last() {
        let names: Vec<String> = (1..=6).map(|n| format!("r{n}")).collect();
        assert_eq!(few(&names), "`r1`, `r2`, `r3`, … `r6`");
        assert_eq!(
            taken_as_repeats(&names[..2]),
            "One run each of `r1`, `r2`: taken as 2 repeats of one build."
        );
    }

    #[test]
    fn digits_follow_the_noise() {
        assert_eq!(one_more_than(3.0), 1);
        assert_eq!(one_more_than(20.0), 0);
        assert_eq!(one_more_than(0.36), 2);
        assert_eq!(of_a_value(305.88), 2);
        assert_eq!(of_a_value(0.0123), 5);
    }
}
