//! Why a change is within noise though its own interval excludes 0.

use crate::report::words::level;
use crate::report::{Comparison, Row};
use crate::verdict::Verdict;

/// Whether a row is within noise for the number of tests alone.
fn only_adjusted(row: &Row) -> bool {
    let alone = row.delta.relative_ci.is_some_and(|[low, high]| low > 0.0 || high < 0.0);
    row.verdict == Verdict::WithinNoise && alone
}

/// A sentence for the deciding metrics of which that is so.
pub(super) fn why_within_noise(comparison: &Comparison) -> Option<String> {
    let rows: Vec<&Row> = comparison.deciding().filter(|row| only_adjusted(row)).collect();
    let first = rows.first()?;
    let labels: Vec<&str> = rows.iter().map(|row| row.label.as_str()).collect();
    let p = |value: Option<f64>| value.map_or("n/a".to_owned(), |p| format!("{p:.3}"));
    let tests = match comparison.among {
        1 => format!("{} metrics", first.corrected_for),
        n => format!("{n} comparisons"),
    };
    Some(format!(
        "{}: beyond noise by itself, but not after correcting for {tests}, each with a chance of a false alarm: p is {} \
         instead of {}. The {} above is corrected too.",
        labels.join(", "),
        p(first.p_adjusted),
        p(first.p_value),
        level(comparison)
    ))
}
