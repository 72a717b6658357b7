//! Logarithms of ratios of near numbers, by the ten thousand.

/// Largest `|(b - a) / (b + a)|` for which the series is used: ratios of 0.82 to 1.22.
const NEAR: f64 = 0.1;

/// `ln(b / a)` of each pair of positive numbers, exactly the negative of `ln(a / b)`.
///
/// # Panics
///
/// If there are fewer of `b` than of `a`.
pub(crate) fn log_ratios(a: &[f64], b: &[f64]) -> Vec<f64> {
    let b = &b[..a.len()];
    let mut found: Vec<f64> = a.iter().zip(b).map(|(a, b)| (b - a) / (b + a)).collect();
    // Resampled means of one metric mostly lie close together: no branch is needed then.
    let all_near = a.iter().zip(b).all(|(a, b)| (a + b).is_finite())
        && found.iter().fold(true, |near, s| near & (s.abs() <= NEAR));
    if all_near {
        for s in &mut found {
            *s = twice_artanh(*s);
        }
    } else {
        for ((found, a), b) in found.iter_mut().zip(a).zip(b) {
            *found = log_ratio(*a, *b);
        }
    }
    found
}

/// `ln(b / a)` of positive numbers.
fn log_ratio(a: f64, b: f64) -> f64 {
    let s = (b - a) / (b + a);
    if (b + a).is_finite() && s.abs() <= NEAR {
        return twice_artanh(s);
    }
    let (low, high) = (a.min(b), a.max(b));
    let size = if (high / low).is_finite() { (high / low).ln() } else { high.ln() - low.ln() };
    if b >= a { size } else { -size }
}

/// `ln(b / a)` is `2 artanh s` for `s = (b - a) / (b + a)`: nothing is lost to the rounding of a ratio near 1. Up to
/// [`NEAR`] the terms left out are below 1e-19 of the sum.
fn twice_artanh(s: f64) -> f64 {
    const TERMS: [f64; 9] = [
        1.0 / 17.0,
        1.0 / 15.0,
        1.0 / 13.0,
        1.0 / 11.0,
        1.0 / 9.0,
        1.0 / 7.0,
        1.0 / 5.0,
        1.0 / 3.0,
        1.0,
    ];
    let square = s * s;
    2.0 * s * TERMS.iter().fold(0.0, |sum, term| sum * square + term)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Expected values by mpmath: `log(mpf(b) / mpf(a))` of the doubles.
    #[test]
    fn logarithms_of_ratios_have_all_digits() {
        let cases: [(f64, f64, f64); 11] = [
            (1.0, 1.000_000_1, 9.999_999_505_838_704e-08),
            (557.6, 589.2, 0.055_123_825_142_161_11),
            (732.19, 577.33, -0.237_626_016_356_687_65),
            (1.0, 1.2222, 0.200_652_513_478_678_05),
            (1.0, 1.2223, 0.200_734_329_801_08),
            (100.0, 81.9, -0.199_671_195_129_067_56),
            (3.0, 3.0, 0.0),
            (1.0, 3.0, 1.098_612_288_668_109_8),
            (1e-300, 1e+300, 1_381.551_055_796_427_4),
            (5e-324, 1e-323, std::f64::consts::LN_2),
            (1.7e+308, 1.75e+308, 0.028_987_536_873_252_336),
        ];
        for (a, b, expected) in cases {
            // The sum of the largest numbers overflows: there the rounding of the ratio remains.
            let digits = if a < 1e308 { expected.abs() } else { 1.0 };
            for (found, expected) in [(log_ratio(a, b), expected), (log_ratio(b, a), -expected)] {
                assert!((found - expected).abs() <= 3e-16 * digits, "{a:e} {b:e}: {found}");
            }
        }
    }

    #[test]
    fn many_together_are_each_by_itself() {
        let near: Vec<f64> = (0..100).map(|k| 1.0 + f64::from(k * k % 37) / 200.0).collect();
        let mut far = near.clone();
        far[50] = 3.0;
        let mut huge = near.clone();
        huge[7] = f64::MAX;
        let mut less = near.clone();
        less[7] = 0.9 * f64::MAX;
        for (a, b) in [
            (&near, &far),
            (&far, &near),
            (&near, &huge),
            (&huge, &huge),
            (&huge, &less),
            (&near, &near),
        ] {
            let mut turned: Vec<f64> = b.clone();
            turned.reverse();
            for b in [b, &turned] {
                for ((found, a), b) in log_ratios(a, b).iter().zip(a).zip(b) {
                    assert_eq!(found.to_bits(), log_ratio(*a, *b).to_bits());
                }
            }
        }
    }
}
