//! Order only where it is needed: near a few quantiles of millions of values.

use crate::runs::statistic::position_of;

/// Up to so many values a plain sort is as fast.
const FEW: usize = 4_096;

/// Standard deviations of the rank of an order statistic beyond which its distribution has no weight: the tail of the
/// binomial there is below 1e-28.
pub(crate) const REACH: f64 = 12.0;

/// Ranks that are put in order on either side whatever the standard deviation, for levels near 0 and 1.
pub(crate) const LEAST: usize = 100;

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

/// Bins of [`binned_quantiles`].
const BINS: u64 = 1 << 15;

/// Quantiles of `values` at ascending `levels` in (0, 1), in one pass for many levels; the order of `values` stays.
///
/// Of at most 4,096 values they are exact: those of [`quantile`](crate::quantile). Of more positive values each is
/// interpolated inside one of 32,768 bins that are as wide as a like share of the values' magnitude: where the largest is
/// 1,000 times the smallest, off by less than 0.05 %. Of more values that are not all positive they are exact.
///
/// # Panics
///
/// If `values` is empty.
///
/// # Examples
///
/// ```
/// use beyondnoise_stats::binned_quantiles;
///
/// let values: Vec<f64> = (1..=100_000).map(f64::from).collect();
/// let [median, p99] = binned_quantiles(&values, &[0.5, 0.99])[..] else { panic!() };
/// assert!((median / 50_000.5 - 1.0).abs() < 5e-4 && (p99 / 99_000.0 - 1.0).abs() < 5e-4);
/// ```
pub fn binned_quantiles(values: &[f64], levels: &[f64]) -> Vec<f64> {
    let (least, greatest) = values
        .iter()
        .fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), value| (value.min(a), value.max(b)));
    if values.len() <= FEW || least <= 0.0 {
        let mut sorted = values.to_vec();
        sorted.sort_unstable_by(f64::total_cmp);
        return levels.iter().map(|level| crate::quantile(&sorted, *level)).collect();
    }
    // The bits of positive numbers are in their order, and grow with their logarithm.
    let (start, end) = (least.to_bits(), greatest.to_bits());
    let shift =
        (end - start).checked_div(BINS).map_or(0, |width| u64::BITS - width.leading_zeros());
    let mut counts = vec![0_u32; usize::try_from((end - start) >> shift).unwrap_or(0) + 1];
    for value in values {
        let bin =
            usize::try_from(value.to_bits().wrapping_sub(start) >> shift).unwrap_or(usize::MAX);
        if let Some(count) = counts.get_mut(bin) {
            *count += 1;
        }
    }
    let edge = |bin: usize| f64::from_bits((start + ((bin as u64) << shift)).min(end));
    let (mut bin, mut below) = (0, 0.0);
    let quantile = |level: &f64| {
        let rank = level * (values.len() - 1) as f64 + 0.5;
        while bin + 1 < counts.len() && below + f64::from(counts[bin]) < rank {
            below += f64::from(counts[bin]);
            bin += 1;
        }
        let share = ((rank - below) / f64::from(counts[bin].max(1))).clamp(0.0, 1.0);
        edge(bin) + share * (edge(bin + 1) - edge(bin))
    };
    levels.iter().map(quantile).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{quantile, quantile_standard_error};

    /// A full sort gives the exact numbers.
    #[test]
    fn binned_quantiles_are_within_a_twentieth_of_a_percent() {
        let levels = [0.01, 0.25, 0.5, 0.9, 0.99, 0.999];
        for n in [1_u32, 2, 4_096, 4_097, 200_000] {
            // From 1 to 1,000.
            let scattered = |i: u32| f64::from(i.wrapping_mul(2_654_435_761) >> 8) / 2f64.powi(24);
            let values: Vec<f64> = (0..n).map(|i| 1000f64.powf(scattered(i))).collect();
            let mut sorted = values.clone();
            sorted.sort_unstable_by(f64::total_cmp);
            for (level, binned) in levels.iter().zip(binned_quantiles(&values, &levels)) {
                let exact = quantile(&sorted, *level);
                // Neighbours among few values are further apart than bins.
                let wide = if n > 4_096 { 5e-4 + 8.0 / f64::from(n) } else { 1e-12 };
                assert!((binned / exact - 1.0).abs() < wide, "{n} {level}: {binned} {exact}");
            }
        }
        assert_eq!(binned_quantiles(&vec![3.0; 5_000], &[0.5, 0.99]), [3.0, 3.0]);
    }

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
