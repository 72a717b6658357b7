//! Why a change is within noise though its own interval excludes 0.

use crate::report::words::level;
use crate::report::{Comparison, Row};
use crate::verdict::Verdict;

/// Whether a row is within noise for the number of metrics alone.
pub(super) fn only_adjusted(row: &Row) -> bool {
    row.verdict == Verdict::WithinNoise && row.delta.relative.is_some() && !row.reason.is_empty()
}

/// A sentence for the deciding metrics of which that is so.
pub(super) fn why_within_noise(comparison: &Comparison) -> Option<String> {
    let rows: Vec<&Row> = comparison.deciding().filter(|row| only_adjusted(row)).collect();
    let first = rows.first()?;
    let labels: Vec<&str> = rows.iter().map(|row| row.label.as_str()).collect();
    let p = |value: Option<f64>| value.map_or("n/a".to_owned(), |p| format!("{p:.3}"));
    let own =
        comparison.deciding().filter(|row| row.p_value.is_some() && !row.counted_with_another);
    Some(format!(
        "{}: the {} alone excludes 0, but {} metrics decide, each with a chance of a false alarm: adjusted for \
         that, p is {} instead of {}, so it counts as within noise.",
        labels.join(", "),
        level(comparison),
        own.count(),
        p(first.p_adjusted),
        p(first.p_value)
    ))
}
