//! One axis for the changes of several metrics: which part of it is shown.

use crate::report::Row;

/// Times the middle reach at which an axis ends, so that one wide interval does not hide all others.
const WIDEST: f64 = 4.0;

/// Ends of a common axis of relative changes, zero and the smallest margin within; `None` where no row has one.
pub(super) fn span(rows: &[&Row]) -> Option<(f64, f64)> {
    let ends = |row: &Row| -> Option<(f64, f64)> {
        let estimate = row.delta.relative?;
        let [low, high] = row.delta.relative_ci_adjusted.unwrap_or([estimate, estimate]);
        Some((low, high))
    };
    let all: Vec<(f64, f64)> = rows.iter().filter_map(|row| ends(row)).collect();
    let mut reaches: Vec<f64> = all.iter().map(|(low, high)| (-low).max(*high)).collect();
    reaches.sort_by(f64::total_cmp);
    let margin = rows.iter().map(|row| row.margin).fold(f64::INFINITY, f64::min);
    let most = (WIDEST * reaches.get(reaches.len() / 2)?).max(margin);
    let low = all.iter().fold(-margin, |least: f64, (low, _)| least.min(*low)).max(-most);
    let high = all.iter().fold(margin, |most: f64, (_, high)| most.max(*high)).min(most);
    (high - low).is_normal().then_some((low, high))
}
