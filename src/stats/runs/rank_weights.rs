//! The weights of the order statistics near a quantile (Harrell and Davis, 1982).

use std::sync::{Arc, Mutex, PoisonError};

/// A weight of an order statistic is left out below this part of all.
const NEGLIGIBLE: f64 = 1e-22;

/// Positive nodes on [-1, 1] and weights of the 16-point rule of Gauss and Legendre.
const GAUSS: [(f64, f64); 8] = [
    (0.095_012_509_837_637_44, 0.189_450_610_455_068_64),
    (0.281_603_550_779_258_9, 0.182_603_415_044_923_64),
    (0.458_016_777_657_227_37, 0.169_156_519_395_002_65),
    (0.617_876_244_402_643_8, 0.149_595_988_816_576_7),
    (0.755_404_408_355_003, 0.124_628_971_255_534_07),
    (0.865_631_202_387_831_8, 0.095_158_511_682_492_6),
    (0.944_575_023_073_232_6, 0.062_253_523_938_647_456),
    (0.989_400_934_991_649_9, 0.027_152_459_411_754_176),
];

/// The rule of two points, which is exact to 1e-10 where a distribution is spread over many cells.
const TWO_POINTS: [(f64, f64); 1] = [(0.577_350_269_189_625_8, 1.0)];

/// Cells in a standard deviation from which on two points do.
const MANY: f64 = 100.0;

/// Values from which the weights are kept for the next sample of as many: of fewer they are computed as fast.
const WORTH_KEEPING: usize = 1_000;

/// Weights kept at once. Consecutive runs have similar numbers of requests and need few quantiles.
const KEPT_AT_ONCE: usize = 16;

/// The weights used last, for all threads. They depend on nothing but the key, so keeping them changes no result.
static KEPT: Mutex<Vec<Entry>> = Mutex::new(Vec::new());

/// The number of values, the bits of the level, and their weights.
type Entry = ((usize, u64), Arc<RankWeights>);

/// The order statistics that count for a quantile.
pub(crate) struct RankWeights {
    /// Position of the first.
    pub(crate) first: usize,
    /// The weight of each but for a factor.
    pub(crate) weights: Vec<f64>,
}

/// Probability, but for a factor, that Beta(h, n + 1 - h) falls into each n-th of [0, 1], as far as it counts.
pub(crate) fn rank_weights(n: usize, q: f64) -> Arc<RankWeights> {
    if n < WORTH_KEEPING {
        return Arc::new(computed(n, q));
    }
    let (key, kept) = ((n, q.to_bits()), || KEPT.lock().unwrap_or_else(PoisonError::into_inner));
    if let Some((_, weights)) = kept().iter().find(|(known, _)| *known == key) {
        return Arc::clone(weights);
    }
    // Computed without the lock: two threads may do it at once, and get the same.
    let weights = Arc::new(computed(n, q));
    let mut kept = kept();
    if kept.len() == KEPT_AT_ONCE {
        kept.remove(0);
    }
    kept.push((key, Arc::clone(&weights)));
    weights
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a position between 0 and n - 1"
)]
fn computed(n: usize, q: f64) -> RankWeights {
    let cells = n as f64;
    let (power, power_of_rest) = ((cells - 1.0) * q, (cells - 1.0) * (1.0 - q));
    let rule = if (cells * q * (1.0 - q)).sqrt() < MANY { &GAUSS[..] } else { &TWO_POINTS };
    let weight = |cell: usize| -> f64 {
        let (left, right) = (cell as f64, (n - 1 - cell) as f64);
        let nodes = rule.iter().flat_map(|(node, weight)| [(*node, weight), (-node, weight)]);
        nodes
            .map(|(node, weight)| {
                let t = f64::midpoint(1.0, node);
                // At an end of [0, 1] the density may be no polynomial; t^4 makes it smooth.
                let (part, slope) = match (cell > 0, cell + 1 < n) {
                    (true, true) => (t, 1.0),
                    (false, _) => (t.powi(4), 4.0 * t.powi(3)),
                    (_, false) => (1.0 - t.powi(4), 4.0 * t.powi(3)),
                };
                let (level, rest) = ((left + part) / cells, (right + (1.0 - part)) / cells);
                let log = power * (level / q).ln() + power_of_rest * (rest / (1.0 - q)).ln();
                weight * slope * log.exp()
            })
            .sum()
    };
    let peak = ((cells * q) as usize).min(n - 1);
    let highest = weight(peak);
    let counts = |weight: &f64| *weight > NEGLIGIBLE * highest;
    let mut weights: Vec<f64> = (0..peak).rev().map(weight).take_while(counts).collect();
    weights.reverse();
    let first = peak - weights.len();
    weights.push(highest);
    weights.extend((peak + 1..n).map(weight).take_while(counts));
    RankWeights { first, weights }
}
