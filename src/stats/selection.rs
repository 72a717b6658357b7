//! Order only where it is needed: near a few quantiles of millions of values.

use crate::statistic::position_of;

/// Up to so many values a plain sort is as fast.
const FEW: usize = 4_096;

/// Standard deviations of the rank of an order statistic beyond which its distribution has no weight: the tail of the
/// binomial there is below 1e-28.
pub(super) const REACH: f64 = 12.0;

/// Ranks that are put in order on either side whatever the standard deviation, for levels near 0 and 1.
pub(super) const LEAST: usize = 100;

/// Puts finite `values` in order around their quantiles at `levels`, each in (0, 1), and nowhere else.
///
/// Afterwards [`quantile`](crate::quantile) and
/// [`quantile_standard_error`](crate::quantile_standard_error) give at these levels what they give for
/// ascending values, at a cost that grows with the number of values and no faster.
///
/// # Examples
///
/// ```
/// use beyondnoise_stats::{quantile, sort_near};
///
/// let mut values: Vec<f64> = (0..100_000).map(|i| f64::from(i * 37 % 100_000)).collect();
/// sort_near(&mut values, &[0.5, 0.99]);
/// assert_eq!(quantile(&values, 0.5), 49_999.5);
/// ```
///
/// # References
///
/// C. A. R. Hoare. Algorithm 65: find. *Communications of the ACM* 4, 1961.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a number of ranks between 0 and n"
)]
pub fn sort_near(values: &mut [f64], levels: &[f64]) {
    let n = values.len();
    if n <= FEW {
        values.sort_unstable_by(f64::total_cmp);
        return;
    }
    let mut levels = levels.to_vec();
    levels.sort_by(f64::total_cmp);
    // Nothing before this place is larger than anything from it on.
    let mut done = 0;
    for q in levels {
        let (below, _) = position_of(q, n);
        let reach = (REACH * (n as f64 * q * (1.0 - q)).sqrt()) as usize + LEAST;
        let start = below.saturating_sub(reach).max(done);
        let end = (below + reach).min(n);
        if end <= start {
            continue;
        }
        if start > done {
            values[done..].select_nth_unstable_by(start - done, f64::total_cmp);
        }
        if end < n {
            values[start..].select_nth_unstable_by(end - start, f64::total_cmp);
        }
        values[start..end].sort_unstable_by(f64::total_cmp);
        done = end;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{quantile, quantile_standard_error};

    /// A full sort is the other way to the same numbers.
    #[test]
    fn quantiles_and_their_errors_are_those_of_ascending_values() {
        let levels = [0.99, 0.5, 0.001, 0.9, 0.999, 0.95];
        for n in [1_u32, 2, 4_096, 4_097, 5_000, 60_000, 300_000] {
            let scattered = |i: u32| f64::from(i.wrapping_mul(2_654_435_761) >> 8).powi(2);
            let values: Vec<f64> = (0..n).map(scattered).collect();
            let mut sorted = values.clone();
            sorted.sort_by(f64::total_cmp);
            let mut near = values;
            sort_near(&mut near, &levels);
            for q in levels {
                assert_eq!(quantile(&near, q).to_bits(), quantile(&sorted, q).to_bits());
                let errors = [&near, &sorted].map(|values| quantile_standard_error(values, q));
                assert_eq!(errors[0], errors[1], "{n} values at {q}");
            }
            near.sort_by(f64::total_cmp);
            assert_eq!(near, sorted, "no value is lost");
        }
    }
}
