//! Paired runs: the change within each pair, resampled pair by pair.

use std::cell::OnceCell;
use std::sync::Arc;

use crate::change::across::Across;
use crate::change::bca::acceleration;
use crate::change::bootstrap::Resamples;
use crate::change::curve::{Curve, Curves, Shape};
use crate::change::standard_error::StandardError;
use crate::change::terms::{Method, Resampling, Scale, Undefined};
use crate::runs::sample::{Sample, unit_of};
use crate::runs::statistic::mean;

/// Largest excess of the variance of a mean of A B B A blocks over that of independent blocks, as a fraction, if a run
/// keeps part of the deviation of the run before. It is twice the sum of the correlations of a block with all later
/// ones: 0.04 if a run keeps a third.
const SHARED_BY_BLOCKS: f64 = 0.08;

impl Curve {
    /// The confidence curves of the delta of paired runs: [`Scale::Log`], then [`Scale::Linear`].
    ///
    /// The kth values of `baseline` and `candidate` were made side by side, so that what both share (the
    /// machine that day, its temperature) falls out of their delta. The estimate is `across` over the deltas of
    /// the pairs: ln(candidate / baseline), or candidate - baseline. Whole pairs are resampled, all resamples
    /// up to 10 pairs; the interval is calibrated as that of [`TwoSample`](crate::TwoSample), with one degree of
    /// freedom less than pairs. `resolution` is half of the last printed digit, 0 for exact values.
    ///
    /// # Errors
    ///
    /// [`Undefined::TooFewRuns`] for fewer than two pairs; [`Undefined::NotPositive`] on the logarithmic scale;
    /// [`Undefined::NoVariance`] where all pairs differ alike; [`Undefined::QuantileNeedsRuns`].
    ///
    /// # Panics
    ///
    /// If the slices differ in length, a value is not finite, or `across` is [`Across::HODGES_LEHMANN`], whose
    /// interval is that of unpaired runs.
    ///
    /// # Examples
    ///
    /// ```
    /// use beyondnoise_stats::{Across, Method, Resampling, Curve};
    ///
    /// let (before, after) = ([100.0, 120.0, 90.0], [105.0, 126.5, 94.0]);
    /// let how = Resampling::default();
    /// let [log, _] = Curve::of_pairs(&before, &after, 0.0, Across::MEAN, Method::Welch, how);
    /// let interval = log.unwrap().interval(0.95); // scipy.stats.ttest_rel on the logarithms
    /// assert!((interval.low - 0.03679).abs() < 1e-5 && (interval.high - 0.05989).abs() < 1e-5);
    /// ```
    pub fn of_pairs(
        baseline: &[f64],
        candidate: &[f64],
        resolution: f64,
        across: Across,
        method: Method,
        how: Resampling,
    ) -> Curves {
        assert_eq!(baseline.len(), candidate.len(), "pairs of runs");
        assert!(!across.has_rank_interval(), "the rank sums are those of unpaired runs");
        let pairs = || baseline.iter().zip(candidate);
        [Scale::Log, Scale::Linear].map(|scale| {
            let deltas: Vec<f64> = match scale {
                Scale::Log if pairs().any(|(a, b)| *a <= 0.0 || *b <= 0.0) => {
                    return Err(Undefined::NotPositive);
                }
                Scale::Log => pairs().map(|(a, b)| (b / a).ln()).collect(),
                Scale::Linear => pairs().map(|(a, b)| b - a).collect(),
            };
            // Two printed values, each off by up to half a digit.
            let size = match scale {
                Scale::Log => mean(baseline).abs().min(mean(candidate).abs()),
                Scale::Linear => 1.0,
            };
            let least = std::f64::consts::SQRT_2 * resolution / size;
            if deltas.len() < 2 {
                return Err(Undefined::TooFewRuns);
            }
            let sample = Sample::rounded(deltas, least).map_err(|_| Undefined::OutOfRange)?;
            // Of a sample and its mirror image the same one is always drawn from, so that swapping the variants
            // mirrors all that comes of it. A quantile is never drawn, and the mirror image has another.
            let turned = across == Across::MEAN && sample.mean() < 0.0;
            let image = if turned { sample.negated() } else { sample };
            let unit = unit_of([&image]);
            let image = unit.map_or(image.clone(), |unit| image.over(unit));
            curve(&image, across, method, how).map(|curve| {
                if turned { curve.negated() } else { curve }.times(unit.unwrap_or(1.0))
            })
        })
    }

    /// The confidence curves for blocks of four runs in the order A B B A. A block has three numbers: the mean of its
    /// two baseline runs, the mean of its two candidate runs, and half of the last printed digit.
    ///
    /// [`Method::Calibrated`] is Student's interval over the blocks, since few differences of means are near normal. Neighbouring
    /// blocks of the same order correlate where a run resembles the run before: the standard error allows for the most that this
    /// can do, 4 % where all blocks have the same order (`same_order` 1), and nothing where as many neighbours are mirrored
    /// (0).
    ///
    /// # Errors
    ///
    /// Those of [`Self::of_pairs`].
    ///
    /// # Panics
    ///
    /// Where [`Self::of_pairs`] does.
    ///
    /// # Examples
    ///
    /// ```
    /// use beyondnoise_stats::{Across, Curve, Method, Resampling};
    ///
    /// let (before, after) = ([100.0, 120.0, 90.0, 110.0], [105.0, 126.5, 94.0, 114.0]);
    /// let (how, blocks) = (Resampling::default(), (&before[..], &after[..], 0.0));
    /// let [log, _] = Curve::of_blocks(blocks, 0.0, Across::MEAN, Method::Calibrated, how);
    /// let interval = log.unwrap().interval(0.95); // scipy.stats.ttest_rel on the logarithms
    /// assert!((interval.low - 0.03347).abs() < 1e-5 && (interval.high - 0.05691).abs() < 1e-5);
    /// ```
    pub fn of_blocks(
        (baseline, candidate, resolution): (&[f64], &[f64], f64),
        same_order: f64,
        across: Across,
        method: Method,
        how: Resampling,
    ) -> Curves {
        let student = method == Method::Calibrated && across == Across::MEAN;
        let method = if student { Method::Welch } else { method };
        let wider = (1.0 + SHARED_BY_BLOCKS * same_order).sqrt();
        Self::of_pairs(baseline, candidate, resolution, across, method, how)
            .map(|curve| Ok(curve?.widened(wider)))
    }
}

fn curve(
    deltas: &Sample,
    across: Across,
    method: Method,
    how: Resampling,
) -> Result<Curve, Undefined> {
    let n = deltas.runs();
    if n < across.runs_needed() {
        return Err(Undefined::QuantileNeedsRuns(across.runs_needed()));
    }
    let estimate = across.compute(deltas.sorted());
    // The distribution against a variant of a single run at zero.
    let known = OnceCell::new();
    let distribution = || {
        let make = || {
            let zero = Sample::new(vec![0.0]).expect("zero is finite");
            Arc::new(Resamples::new(&zero, deltas, across, how).distribution(Scale::Linear))
        };
        Arc::clone(known.get_or_init(make))
    };
    let size = n as f64;
    let value = if across == Across::MEAN {
        deltas.standard_deviation().map_or(0.0, |s| s / size.sqrt())
    } else {
        let spread = distribution().standard_deviation() * (size / (size - 1.0)).sqrt();
        spread.max(deltas.resolution() / size.sqrt())
    };
    if value == 0.0 {
        return Err(Undefined::NoVariance);
    }
    if !(estimate.is_finite() && value.is_finite()) {
        return Err(Undefined::OutOfRange);
    }
    let error = StandardError { value, df: size - 1.0, own: 1.0 };
    let shape = match method {
        Method::Welch => Shape::Student,
        Method::Percentile => Shape::Percentile { distribution: distribution() },
        Method::Bca => {
            let acceleration = acceleration(&[(deltas, 1.0)], across, |x| x);
            Shape::bca(distribution(), estimate, acceleration)
        }
        // The resampled median of three pairs has three values, and their shape covers 0.92.
        Method::Calibrated if n <= 3 && across != Across::MEAN => Shape::Student,
        Method::Calibrated if across.percentile_covers(n) => {
            Shape::Percentile { distribution: distribution() }
        }
        Method::Calibrated => Shape::calibrated(distribution(), error),
    };
    Ok(Curve::new(estimate, error, shape))
}
