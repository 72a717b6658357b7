//! Numbers and sentences as the messages of checks have them.

/// The sentence with a capital letter, unless it begins with the name of a column.
pub(super) fn sentence(text: &str) -> String {
    if text.split(' ').next().is_some_and(|word| word.contains('_')) {
        return text.to_owned();
    }
    let mut chars = text.chars();
    chars.next().map_or(String::new(), |first| first.to_uppercase().chain(chars).collect())
}

/// A fraction as a percentage with a sensible number of digits: `1.9 %`.
pub(super) fn percent(fraction: f64) -> String {
    let size = hundredfold(fraction);
    match size {
        10.0.. => format!("{size:.0} %"),
        0.1.. => format!("{size:.1} %"),
        _ => format!("{size:.2} %"),
    }
}

/// `p = 0.012`, `p < 0.001`.
pub(super) fn p_value(p: f64) -> String {
    if p < 0.001 { "p < 0.001".to_owned() } else { format!("p = {p:.3}") }
}

/// A change as `−15.9 %`.
pub(super) fn signed(fraction: f64) -> String {
    let size = format!("{:.1}", hundredfold(fraction));
    let sign = match fraction {
        _ if size == "0.0" => "",
        ..0.0 => "−",
        _ => "+",
    };
    format!("{sign}{size} %")
}

/// The size of a fraction in percent; a number for every number.
fn hundredfold(fraction: f64) -> f64 {
    (fraction.abs() * 100.0).min(f64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_as_many_digits_as_say_something() {
        for (fraction, text) in [
            (0.1, "10 %"),
            (0.0996, "10.0 %"),
            (-0.019, "1.9 %"),
            (0.001, "0.1 %"),
            (0.000_94, "0.09 %"),
            (0.0, "0.00 %"),
        ] {
            assert_eq!(percent(fraction), text);
        }
        for (fraction, text) in [
            (-0.159, "−15.9 %"),
            (0.159, "+15.9 %"),
            (0.000_4, "0.0 %"),
            (-0.000_4, "0.0 %"),
            (0.000_6, "+0.1 %"),
            (-0.000_6, "−0.1 %"),
        ] {
            assert_eq!(signed(fraction), text);
        }
        assert!(!percent(f64::MAX).contains("inf"));
    }

    #[test]
    fn p_values_have_three_decimals() {
        let all = [0.000_999, 0.001, 0.0123, 1.0].map(p_value);
        assert_eq!(all, ["p < 0.001", "p = 0.001", "p = 0.012", "p = 1.000"]);
    }

    #[test]
    fn a_sentence_begins_with_a_capital_letter() {
        assert_eq!(["", "ärger", "TTFT of x"].map(sentence), ["", "Ärger", "TTFT of x"]);
    }
}
