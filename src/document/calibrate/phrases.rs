//! Numbers and words that the parts share.

use crate::calibrate::Power;
use crate::format::chosen;
pub(super) use crate::format::count;

/// A rate as `0.953`.
pub(super) fn rate(value: f64) -> String {
    format!("{value:.3}")
}

/// A rate that may not exist.
pub(super) fn maybe(value: Option<f64>) -> String {
    value.map_or_else(|| "–".to_owned(), rate)
}

/// The smallest and the largest as `0.94 to 0.98`, or one number where they do not differ.
pub(super) fn range(values: &[f64]) -> Option<String> {
    let low = values.iter().copied().reduce(f64::min)?;
    let high = values.iter().copied().reduce(f64::max)?;
    let (low, high) = (format!("{low:.2}"), format!("{high:.2}"));
    Some(if low == high { low } else { format!("{low} to {high}") })
}

/// The same in percent: `2 to 6 %`.
pub(super) fn percents(values: &[f64]) -> Option<String> {
    let low = values.iter().copied().reduce(f64::min)?;
    let high = values.iter().copied().reduce(f64::max)?;
    let (low, high) = (format!("{:.1}", 100.0 * low), format!("{:.1}", 100.0 * high));
    Some(if low == high { format!("{low} %") } else { format!("{low} to {high} %") })
}

/// A change as `+5 %`.
pub(super) fn effect(effect: f64) -> String {
    let sign = if effect < 0.0 { "−" } else { "+" };
    format!("{sign}{}", chosen(effect.abs()))
}

/// A share as `2.5 %`.
pub(super) fn share(value: f64) -> String {
    format!("{:.1} %", 100.0 * value)
}

/// A whole number with its noun, as `1,000 comparisons`.
pub(super) fn plural(n: usize, one: &str, many: &str) -> String {
    format!("{} {}", count(n), if n == 1 { one } else { many })
}

/// `a, b and c`.
pub(super) fn list(items: &[String]) -> String {
    match items {
        [] => String::new(),
        [one] => one.clone(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}

/// The power at an effect.
pub(super) fn power_at(powers: &[Power], effect: f64) -> Option<f64> {
    powers.iter().find(|power| power.effect.total_cmp(&effect).is_eq())?.power
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_read_as_a_person_writes_them() {
        assert_eq!(count(20_000), "20,000");
        assert_eq!(count(999), "999");
        assert_eq!(effect(-0.025), "−2.5 %");
        assert_eq!(range(&[0.941, 0.98]).as_deref(), Some("0.94 to 0.98"));
        assert_eq!(range(&[]), None);
        assert_eq!(list(&["a".into(), "b".into(), "c".into()]), "a, b and c");
    }
}
