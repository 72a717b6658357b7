//! A mean, and a count that is written as a fraction.

/// A count that may be written as a fraction.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "cut to the range")]
pub(crate) fn whole(value: f64) -> u64 {
    value.clamp(0.0, 9e15).round() as u64
}

pub(crate) fn mean(values: &[f64]) -> Option<f64> {
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}
