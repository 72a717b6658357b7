//! The order in which to make runs.

/// The order that is repeated: two of the candidate inside two of the baseline, and back.
pub const PATTERN: &str = "B A A B";

/// Order of `each` runs of A and `each` runs of B that balances a drift: `B A A B B A A B` for four each.
///
/// After every pair of runs both variants have the same number, and after every four their mean places are
/// equal, so that what changes steadily with time affects both equally.
///
/// # Examples
///
/// ```
/// assert_eq!(beyondnoise::plan::order_of_runs(3), "B A A B B A");
/// ```
pub fn order_of_runs(each: usize) -> String {
    let one = |index: usize| if matches!(index % 4, 0 | 3) { "B" } else { "A" };
    (0..2 * each).map(one).collect::<Vec<_>>().join(" ")
}
