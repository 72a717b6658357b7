//! The robust centre of Hodges and Lehmann.

use crate::numerics::bisection::smallest;
use crate::runs::statistic::{Basis, Statistic};

pub(crate) const HODGES_LEHMANN: Statistic = Statistic {
    name: "hodges-lehmann",
    alias: Some("hl"),
    words: "Hodges-Lehmann centre",
    meaning: "Hodges and Lehmann's centre, with the interval of the rank sum test",
    compute: |sorted, _| hodges_lehmann(sorted),
    basis: Basis::RankSums,
};

/// Centre of Hodges and Lehmann: the median of the means of all pairs of values, each value also paired
/// with itself. Of positive values the means are geometric, so that it suits ratios.
///
/// `sorted` is ascending and not empty.
///
/// # Examples
///
/// ```
/// // Pairs of 1, 2, 4: 1, 1.41, 2, 2, 2.83, 4; one wild value in ten moves it little.
/// use beyondnoise_stats::Across;
///
/// assert_eq!(Across::HODGES_LEHMANN.compute(&[1.0, 2.0, 4.0]), 2.0);
/// ```
///
/// # Panics
///
/// If `sorted` is empty.
///
/// # References
///
/// J. L. Hodges, E. L. Lehmann. Estimates of location based on rank tests. *Ann. Math. Statist.* 34, 1963.
pub(crate) fn hodges_lehmann(sorted: &[f64]) -> f64 {
    assert!(!sorted.is_empty(), "centre of no values");
    let positive = sorted[0] > 0.0;
    let scaled: Vec<f64> =
        if positive { sorted.iter().map(|x| x.ln()).collect() } else { sorted.to_vec() };
    let n = scaled.len() as u64;
    // Sums of pairs i <= j that are at most x: two pointers, so that no pair is listed.
    let at_most = |x: f64| -> u64 {
        let mut count = 0;
        let mut first = 0;
        for j in (0..scaled.len()).rev() {
            while first <= j && scaled[first] + scaled[j] <= x {
                first += 1;
            }
            count += first.min(j + 1) as u64;
        }
        count
    };
    let (low, high) = (2.0 * scaled[0], 2.0 * scaled[scaled.len() - 1]);
    let ranked = |rank: u64| smallest(low, high, |x| at_most(x) >= rank) / 2.0;
    let pairs = n * (n + 1) / 2;
    let centre = if pairs % 2 == 1 {
        ranked(pairs / 2 + 1)
    } else {
        f64::midpoint(ranked(pairs / 2), ranked(pairs / 2 + 1))
    };
    // Rounding of the logarithm must not move a value that all runs share.
    let back = if positive { centre.exp() } else { centre };
    back.clamp(sorted[0], sorted[sorted.len() - 1])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn centres_by_hand() {
        // Halves of pairs of -1, 0, 4: -1, -0.5, 0, 1.5, 2, 4; the middle of 0 and 1.5.
        assert!((hodges_lehmann(&[-1.0, 0.0, 4.0]) - 0.75).abs() < 1e-12);
        // Of four, ten pairs: -2, -1, 0, 0, 1, 1.5, 2, 2.5, 3.5, 5; the middle of 1 and 1.5.
        assert!((hodges_lehmann(&[-2.0, 0.0, 2.0, 5.0]) - 1.25).abs() < 1e-12);
    }
}
