//! A mean, a count that is written as a fraction, and values that rise or fall one after another.

/// Largest ratio of repeats.
pub(crate) const FAR: f64 = 2.0;

/// Whether values rise (`true`) or fall by more than the ratio `step` from each to the next; none for fewer than three, and for other
/// values.
pub(crate) fn one_way(values: &[f64], step: f64) -> Option<bool> {
    let up = values.windows(2).all(|two| two[1] > step * two[0]);
    let down = values.windows(2).all(|two| two[0] > step * two[1]);
    (values.len() > 2 && (up || down)).then_some(up)
}

/// The same as [`one_way`], where the first and the last value are also further from each other than `ratio`.
pub(crate) fn far_one_way(values: &[f64], step: f64, ratio: f64) -> Option<bool> {
    let (first, last) = (values.first()?, values.last()?);
    one_way(values, step).filter(|_| first.max(*last) > ratio * first.min(*last))
}

/// A count that may be written as a fraction.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "cut to the range")]
pub(crate) fn whole(value: f64) -> u64 {
    value.clamp(0.0, 9e15).round() as u64
}

pub(crate) fn mean(values: &[f64]) -> Option<f64> {
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}
