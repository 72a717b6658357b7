//! The order in which to make runs.

/// The order that is repeated: two of the candidate inside two of the baseline, and back.
pub const PATTERN: &str = "B A A B";

/// Order of `each` runs of A and of B that balances a drift: `B A A B B A A B` for four of each.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_order_of_runs_balances_a_drift() {
        assert_eq!(order_of_runs(4), "B A A B B A A B");
        assert_eq!(order_of_runs(2), PATTERN);
        for each in 1..20 {
            let order = order_of_runs(each);
            let places = |letter: &str| -> (usize, usize) {
                let at = order.split(' ').enumerate().filter(|(_, l)| *l == letter);
                at.fold((0, 0), |(count, sum), (index, _)| (count + 1, sum + index))
            };
            let ((a, sum_a), (b, sum_b)) = (places("A"), places("B"));
            assert!(a == each && b == each);
            assert!(sum_a.abs_diff(sum_b) == each % 2);
        }
    }
}
