//! The bias-corrected and accelerated bootstrap, offered for comparison.

use crate::change::across::Across;
use crate::runs::sample::Sample;
use crate::runs::statistic::{between, position_of};

/// Acceleration of `BCa` from the jackknife over the runs of the samples, each with the sign with which it enters the
/// delta.
pub(crate) fn acceleration(
    samples: &[(&Sample, f64)],
    across: Across,
    transform: fn(f64) -> f64,
) -> f64 {
    let influence = |sample: &Sample, sign: f64| -> Vec<f64> {
        let values = sample.sorted();
        let n = values.len();
        let sum: f64 = values.iter().sum();
        let left_out: Vec<f64> = (0..n)
            .map(|out| {
                let ranked = |rank: usize| values[if rank < out { rank } else { rank + 1 }];
                let rest = match across.quantile_level() {
                    Some(q) => without(ranked, n - 1, q),
                    None if across == Across::MEAN => (sum - values[out]) / (n - 1) as f64,
                    None => across.compute(&[&values[..out], &values[out + 1..]].concat()),
                };
                sign * transform(rest)
            })
            .collect();
        let mean = left_out.iter().sum::<f64>() / n as f64;
        left_out.iter().map(|value| (n - 1) as f64 * (mean - value) / n as f64).collect()
    };
    // Sample by sample: two sums are the same in either order.
    let (mut cubes, mut squares) = (0.0, 0.0);
    for (sample, sign) in samples {
        let influence = influence(sample, *sign);
        cubes += influence.iter().map(|value| value.powi(3)).sum::<f64>();
        squares += influence.iter().map(|value| value.powi(2)).sum::<f64>();
    }
    if squares > 0.0 { cubes / (6.0 * squares.powf(1.5)) } else { 0.0 }
}

/// Quantile at level `q` of `n` values given by their ranks.
fn without(ranked: impl Fn(usize) -> f64, n: usize, q: f64) -> f64 {
    let (below, fraction) = position_of(q, n);
    between(ranked(below), ranked((below + 1).min(n - 1)), fraction)
}
