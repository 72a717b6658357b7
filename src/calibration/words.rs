//! Numbers and words that the documents share.

use beyondnoise::calibrate::Power;
use beyondnoise::report::document::Block;
pub(crate) use beyondnoise_model::format::{count, effect, list, plural, share};

/// The title and the blocks of a document.
#[derive(Default)]
pub(crate) struct Parts {
    /// The answer.
    pub(crate) title: String,
    pub(crate) blocks: Vec<Block<'static>>,
}

/// A rate as `0.953`.
pub(crate) fn rate(value: f64) -> String {
    format!("{value:.3}")
}

/// A rate that may not exist.
pub(crate) fn maybe(value: Option<f64>) -> String {
    value.map_or_else(|| "–".to_owned(), rate)
}

/// The smallest and the largest as `0.94 to 0.98`, or one number where they do not differ.
pub(crate) fn range(values: &[f64]) -> Option<String> {
    let low = values.iter().copied().reduce(f64::min)?;
    let high = values.iter().copied().reduce(f64::max)?;
    let (low, high) = (format!("{low:.2}"), format!("{high:.2}"));
    Some(if low == high { low } else { format!("{low} to {high}") })
}

/// The same in percent: `2 to 6 %`.
pub(crate) fn percents(values: &[f64]) -> Option<String> {
    let low = values.iter().copied().reduce(f64::min)?;
    let high = values.iter().copied().reduce(f64::max)?;
    let (low, high) = (format!("{:.1}", 100.0 * low), format!("{:.1}", 100.0 * high));
    Some(if low == high { format!("{low} %") } else { format!("{low} to {high} %") })
}

/// The power at an effect.
pub(crate) fn power_at(powers: &[Power], effect: f64) -> Option<f64> {
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
