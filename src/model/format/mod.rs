//! The one place that turns numbers into text: percentages, changes, factors, p-values, values with their units.
//!
//! Fractions come in, people's notation goes out. Minus is `−` (U+2212), a percent sign follows a space.

mod units;
mod words;

pub use units::{Shown, label, shown_in};
pub use words::{
    also, argument, clipped, code, count, counted, first_few, list, listed, plural, sentence,
    shortened,
};

/// Numbers of this size and more are written in scientific form.
const SCIENTIFIC: f64 = 1e15;

/// Decimals of a percentage at most.
const MAX_DECIMALS: usize = 5;

/// Ends of intervals beyond this change, a fraction, are not written out.
const LARGEST_END: f64 = 10.0;

/// Ratio beyond which a change is written as a factor too.
const FACTOR: f64 = 2.0;

/// Largest changes that are written as numbers, a fraction.
pub const LARGEST_CHANGE: f64 = 10.0;

/// A measured share without a sign: `10.0 %`, `1.2 %`, `0.05 %`, `131 %`.
pub fn percent(fraction: f64) -> String {
    format!("{} %", bare_percent(fraction))
}

/// The same without the percent sign.
fn bare_percent(fraction: f64) -> String {
    let size = (fraction.abs() * 100.0).min(f64::MAX);
    let decimals = match size {
        99.5.. => 0,
        0.095.. => 1,
        _ => 2,
    };
    format!("{size:.decimals$}")
}

/// Two measured shares as a range: `0.3 … 1.1 %`.
pub fn percents([low, high]: [f64; 2]) -> String {
    format!("{} … {}", bare_percent(low), percent(high))
}

/// A share in whole percent, without the sign: `47`.
pub fn whole_percent(share: f64) -> String {
    format!("{:.0}", share * 100.0)
}

/// A share that somebody chose (a margin, a confidence), without zeros at its end: `1 %`, `2.5 %`; with two digits where
/// it has many, as one that follows from an absolute margin.
pub fn chosen(fraction: f64) -> String {
    let percent = fraction * 100.0;
    let thousandths = percent * 1_000.0;
    let decimals = match percent {
        _ if (thousandths - thousandths.round()).abs() < 1e-6 => 3,
        1.0.. => 1,
        _ => 3,
    };
    format!("{} %", trimmed(percent, decimals))
}

/// A share as `2.5 %`.
pub fn share(value: f64) -> String {
    format!("{:.1} %", 100.0 * value)
}

/// A change that somebody chose, as `+5 %`.
pub fn effect(effect: f64) -> String {
    let sign = if effect < 0.0 { "−" } else { "+" };
    format!("{sign}{}", chosen(effect.abs()))
}

/// A confidence with the digits that separate it from 100 %: `95 %`, `99.99989 %`, `> 99.9999 %`.
pub fn confidence(fraction: f64) -> String {
    let rest = 1.0 - fraction;
    if rest < 1e-6 {
        return "> 99.9999 %".to_owned();
    }
    let decimals = digits_after_first(rest).saturating_sub(2).max(2);
    format!("{} %", trimmed(fraction * 100.0, decimals))
}

/// A probability of being better, never rounded to certainty: `97.3 %`, `> 99.9 %`.
pub fn certainty(share: f64) -> String {
    match share {
        0.999.. if share > 0.999 => "> 99.9 %".to_owned(),
        ..0.001 => "< 0.1 %".to_owned(),
        _ => format!("{:.1} %", share * 100.0),
    }
}

/// A change with its sign and so many decimals: `+6.6 %`, `−15.9 %`, `0.0 %`.
pub fn change(fraction: f64, decimals: usize) -> String {
    format!("{} %", bare_change(fraction, decimals))
}

/// The same without the percent sign.
fn bare_change(fraction: f64, decimals: usize) -> String {
    with_sign(fraction * 100.0, decimals)
}

/// A number with its sign, zero without: `+2`, `0.0`, `−1.5`.
pub fn with_sign(value: f64, decimals: usize) -> String {
    let size = format!("{:.decimals$}", value.abs().min(f64::MAX));
    let zero = size.bytes().all(|byte| matches!(byte, b'0' | b'.'));
    let sign = match value {
        _ if zero => "",
        ..0.0 => "−",
        _ => "+",
    };
    format!("{sign}{size}")
}

/// A number of an axis with its sign: `+2`, `0`, `−1.5`.
pub fn tick(value: f64, decimals: usize) -> String {
    let text = with_sign(value, decimals);
    if text.starts_with(['+', '−']) { text } else { "0".to_owned() }
}

/// A ratio beyond a factor of two: `2.3x`, or `0.14x` for a seventh; `None` for smaller changes.
pub fn factor(change: f64) -> Option<String> {
    let ratio = 1.0 + change;
    let large = !(1.0 / FACTOR..=FACTOR).contains(&ratio);
    (large && ratio > 0.0 && ratio.is_finite()).then(|| match ratio {
        0.0..0.001 => format!("{ratio:.1e}x"),
        0.0..0.0995 => format!("{ratio:.3}x"),
        0.0995..1.0 => format!("{ratio:.2}x"),
        1.0..10.0 => format!("{ratio:.1}x"),
        _ if ratio < 1e6 => format!("{ratio:.0}x"),
        _ => format!("{ratio:.1e}x"),
    })
}

/// Decimals of a percentage that an interval leaves meaningful: 2 for one narrower than 1 %, else 1.
pub fn decimals_of_change(estimate: Option<f64>, interval: Option<[f64; 2]>) -> usize {
    match interval {
        Some([low, high]) if (high - low) / 2.0 < 0.005 => 2,
        None if estimate.is_some_and(|relative| relative.abs() < 0.001) => 2,
        _ => 1,
    }
}

/// An interval inside a margin, with as many decimals as show that: `−0.96 … +0.70` within 1 %.
pub fn interval_inside(ends: [f64; 2], least: usize, margin: f64) -> String {
    let inside = |decimals: &usize| {
        let step = 10_f64.powi(2 + i32::try_from(*decimals).unwrap_or_default());
        ends.iter().all(|end| (end * step).round().abs() < (margin * step).round())
    };
    interval(ends, (least..MAX_DECIMALS).find(inside).unwrap_or(least))
}

/// An interval of a relative change with at least `least` decimals: `−6.2 … −3.9`; in factors if all of it is beyond a
/// factor of two: `31x … 44x`.
pub fn interval([low, high]: [f64; 2], least: usize) -> String {
    if let Some(factors) = factors([low, high]) {
        return factors;
    }
    // An end close to zero is not written as zero.
    let zero =
        |end: f64, decimals| end != 0.0 && !bare_change(end, decimals).starts_with(['+', '−']);
    let enough = |decimals: &usize| !zero(low, *decimals) && !zero(high, *decimals);
    let decimals = (least..MAX_DECIMALS).find(enough).unwrap_or(least);
    let high = if high > LARGEST_END {
        format!("over {}", bare_change(LARGEST_END, 0))
    } else {
        bare_change(high, decimals)
    };
    format!("{} … {high}", bare_change(low, decimals))
}

/// Both ends as factors, where both are beyond a factor of two and do not look the same.
fn factors([low, high]: [f64; 2]) -> Option<String> {
    let (from, to) = factor(low).zip(factor(high))?;
    let same_way = (low > 0.0) == (high > 0.0);
    (same_way && from != to).then(|| format!("{from} … {to}"))
}

/// The smallest change that can be found: `1.2 %`, `< 0.01 %`, `> 1000 %`.
pub fn smallest_change(change: Option<f64>) -> String {
    match change {
        Some(change) if change < 0.000_05 => "< 0.01 %".to_owned(),
        Some(change) if change < LARGEST_CHANGE => percent(change),
        _ => "> 1000 %".to_owned(),
    }
}

/// A p-value in a sentence: `p = 0.012`, `p < 0.001`.
pub fn p_value(p: f64) -> String {
    match p_cell(p) {
        small if small.starts_with('<') => format!("p {small}"),
        other => format!("p = {other}"),
    }
}

/// A p-value in a table: `0.012`, `< 0.001`.
pub fn p_cell(p: f64) -> String {
    if p < 0.001 { "< 0.001".to_owned() } else { format!("{p:.3}") }
}

/// A modified z-score: `+6.2`, `beyond −100`.
pub fn score(z: f64) -> String {
    match z.abs() {
        100.0.. => format!("beyond {}100", if z < 0.0 { "−" } else { "+" }),
        _ => with_sign(z, 1),
    }
}

/// A difference with its sign: `+9.133`, `−0.50`.
pub fn difference(difference: f64) -> String {
    let sign = if difference > 0.0 { "+" } else { "" };
    format!("{sign}{}", plain(difference))
}

/// A difference of counts: `+1`, `unchanged`.
pub fn count_change(difference: f64) -> String {
    if difference == 0.0 {
        return "unchanged".to_owned();
    }
    let sign = if difference > 0.0 { "+" } else { "" };
    format!("{sign}{}", with_decimals(difference, 0))
}

/// A value of unknown noise: two decimals, or four digits of a small one.
pub fn plain(value: f64) -> String {
    with_decimals(value, decimals_without_noise(value.abs()))
}

/// A value with the digits that its standard deviation leaves.
pub fn with_noise(value: f64, sd: f64) -> String {
    if value != 0.0 && value.abs() < 1e-6 {
        return minus(&format!("{value:.3e}"));
    }
    if sd > 0.0 { with_decimals(value, digits_after_first(sd)) } else { plain(value) }
}

/// A value with one decimal, halves away from zero: `343.4`.
pub fn tenth(value: f64) -> String {
    if value.abs() >= SCIENTIFIC {
        return plain(value);
    }
    minus(&format!("{:.1}", (value * 10.0).round() / 10.0))
}

/// Milliseconds with their sign: `+338 ms`, `−2.5 ms`, `0 ms`.
pub fn milliseconds(value: f64) -> String {
    match value.abs() {
        ..0.05 => "0 ms".to_owned(),
        10.0.. => format!("{} ms", with_sign(value, 0)),
        _ => format!("{} ms", with_sign(value, 1)),
    }
}

/// A number with so many decimals; in scientific form from 10^15 on.
pub fn with_decimals(value: f64, decimals: usize) -> String {
    minus(&if value.abs() < SCIENTIFIC {
        format!("{value:.decimals$}")
    } else {
        format!("{value:.3e}")
    })
}

/// A number with at most so many decimals, without zeros at its end.
pub fn trimmed(number: f64, decimals: usize) -> String {
    let text = format!("{number:.decimals$}");
    if text.contains('.') {
        text.trim_end_matches('0').trim_end_matches('.').to_owned()
    } else {
        text
    }
}

/// A printed step with its unit: `0.1 ms`.
pub fn step(step: f64, unit: &str) -> String {
    let text = trimmed(step, 9);
    with_unit(&if text == "0" { minus(&format!("{step:.0e}")) } else { text }, unit)
}

/// A number and its unit, where it has one.
pub fn with_unit(number: &str, unit: &str) -> String {
    if unit.is_empty() { number.to_owned() } else { format!("{number} {unit}") }
}

/// Decimals that show one digit more than the first of `sd`.
pub fn digits_after_first(sd: f64) -> usize {
    clamp(1.0 - sd.log10().floor())
}

/// Decimals of a value of unknown noise: two, or four digits of a small one.
pub fn decimals_without_noise(size: f64) -> usize {
    if size > 0.0 { clamp((3.0 - size.log10().floor()).max(2.0)) } else { 2 }
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped to 0 to 9")]
fn clamp(decimals: f64) -> usize {
    decimals.clamp(0.0, 9.0) as usize
}

fn minus(number: &str) -> String {
    number.replace('-', "−")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_have_the_digits_that_matter() {
        for (fraction, text) in [
            (0.1, "10.0 %"),
            (-0.019, "1.9 %"),
            (0.001, "0.1 %"),
            (0.000_94, "0.09 %"),
            (0.0, "0.00 %"),
            (1.312, "131 %"),
        ] {
            assert_eq!(percent(fraction), text);
        }
        assert_eq!(percents([0.003, 0.011]), "0.3 … 1.1 %");
        assert!(!percent(f64::MAX).contains("inf"));
        assert_eq!([0.03, 0.0125, 1.0].map(chosen), ["3 %", "1.25 %", "100 %"]);
        assert_eq!([0.9995, 0.973, 0.000_1].map(certainty), ["> 99.9 %", "97.3 %", "< 0.1 %"]);
    }

    #[test]
    fn zero_has_no_sign_and_minus_is_a_minus() {
        assert_eq!(change(-0.0499, 1), "−5.0 %");
        assert_eq!(change(0.066, 1), "+6.6 %");
        assert_eq!(change(-0.000_1, 1), "0.0 %");
        assert_eq!(difference(-1.234_5e20), "−1.234e20");
        assert_eq!([338.2, -2.54, 0.01].map(milliseconds), ["+338 ms", "−2.5 ms", "0 ms"]);
        assert_eq!([6.24, -250.0].map(score), ["+6.2", "beyond −100"]);
    }

    #[test]
    fn a_confidence_is_never_rounded_to_certainty() {
        assert_eq!(confidence(0.95), "95 %");
        assert_eq!(confidence(0.953_74), "95.37 %");
        assert_eq!(confidence(0.987_9), "98.79 %");
        assert_eq!(confidence(0.999_793), "99.979 %");
        assert_eq!(confidence(0.999_998_92), "99.99989 %");
        assert_eq!(confidence(1.0 - 1e-9), "> 99.9999 %");
    }

    #[test]
    fn large_changes_are_factors_too() {
        let factors = [1.312, -0.86, 0.9, -0.4].map(factor);
        assert_eq!(factors, [Some("2.3x".to_owned()), Some("0.14x".to_owned()), None, None]);
        assert_eq!(interval([-0.062, -0.039], 1), "−6.2 … −3.9");
        assert_eq!(interval([0.000_2, 12.0], 1), "+0.02 … over +1000");
        // S10: "+2990.9 … over +1000".
        assert_eq!(interval([29.909, 43.2], 1), "31x … 44x");
        assert_eq!(interval([-0.9, -0.8], 1), "0.10x … 0.20x");
        // Where two factors look the same, and where one end is smaller.
        assert_eq!(interval([1.311, 1.312], 1), "+131.1 … +131.2");
        assert_eq!(interval([0.9, 1.2], 1), "+90.0 … +120.0");
        assert_eq!(interval([-0.9, 1.2], 1), "−90.0 … +120.0");
    }

    #[test]
    fn p_values_have_three_decimals() {
        let all = [0.000_999, 0.001, 0.0123, 1.0].map(p_value);
        assert_eq!(all, ["p < 0.001", "p = 0.001", "p = 0.012", "p = 1.000"]);
    }

    #[test]
    fn digits_follow_the_noise() {
        assert_eq!([3.0, 20.0, 0.36].map(digits_after_first), [1, 0, 2]);
        assert_eq!([305.88, 0.0123].map(decimals_without_noise), [2, 5]);
        assert_eq!([999_999_999_999_999.0, 1e15].map(plain), ["999999999999999.00", "1.000e15"]);
        assert_eq!(with_noise(6.02e23, 1e21), "6.020e23");
        assert_eq!(with_noise(557.613, 0.0), "557.61");
        assert_eq!([step(0.1, "ms"), step(1e-12, "s")], ["0.1 ms", "1e−12 s"]);
    }
}
