//! The trigamma function and its inverse.

/// Second derivative of the logarithm of the gamma function at `x` > 0, and the third.
pub(crate) fn trigamma(x: f64) -> (f64, f64) {
    // Upwards by the recurrence until the asymptotic series holds to the last digit.
    let (mut x, mut sum, mut slope) = (x, 0.0, 0.0);
    while x < 15.0 {
        let inverse = 1.0 / x;
        sum += inverse * inverse;
        slope -= 2.0 * inverse * inverse * inverse;
        x += 1.0;
    }
    let s = 1.0 / (x * x);
    let series = 1.0 / 6.0
        - s * (1.0 / 30.0
            - s * (1.0 / 42.0 - s * (1.0 / 30.0 - s * (5.0 / 66.0 - s * 691.0 / 2730.0))));
    let of_slope = 0.5 - s * (1.0 / 6.0 - s * (1.0 / 6.0 - s * 0.3));
    (sum + 1.0 / x + s / 2.0 + s / x * series, slope - s - s / x - s * s * of_slope)
}

/// The `x` in [1e-8, 1e12] at which [`trigamma`], which falls, is `y` > 0.
pub(crate) fn trigamma_inverse(y: f64) -> f64 {
    // Newton's steps on 1 / trigamma, which is nearly a line; they approach from one side.
    let mut x = (0.5 + 1.0 / y).clamp(1e-8, 1e12);
    for _ in 0..60 {
        let (value, slope) = trigamma(x);
        let step = value * (1.0 - value / y) / slope;
        x = (x + step).clamp(1e-8, 1e12);
        if step.abs() <= 1e-9 * x {
            break;
        }
    }
    x
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `scipy.special.polygamma(1, x)`, scipy 1.16.
    #[test]
    fn trigamma_has_all_digits() {
        let table = [
            (0.5, 4.934_802_200_544_679),
            (1.0, 1.644_934_066_848_226_4),
            (2.5, 0.490_357_756_100_234_9),
            (30.0, 0.033_895_060_357_739_946),
        ];
        for (x, expected) in table {
            assert!((trigamma(x).0 / expected - 1.0).abs() < 1e-13, "{x}: {:?}", trigamma(x));
            assert!((trigamma_inverse(expected) / x - 1.0).abs() < 1e-12, "{x}");
            let ahead = (trigamma(x + 1e-5).0 - trigamma(x - 1e-5).0) / 2e-5;
            assert!((trigamma(x).1 / ahead - 1.0).abs() < 1e-7, "{x}");
        }
        for x in [1e-6, 1e-3, 0.1, 100.0, 1e6] {
            let back = trigamma_inverse(trigamma(x).0);
            assert!((back / x - 1.0).abs() < 1e-9, "{x}: {back}");
        }
    }
}
