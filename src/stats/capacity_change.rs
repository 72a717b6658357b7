//! The change of the capacity of two variants, with an interval that knows where the loads end.

use rand::RngExt;

use crate::capacity::{Limit, LoadCurves, LoadRuns, Reached};
use crate::distribution::{normal_quantile, t_quantile};
use crate::draw::{baseline_first, generator};
use crate::sample::Sample;
use crate::statistic::mean;
use crate::terms::Resampling;

/// Resamples from which on more change nothing that is shown.
const MAX_RESAMPLES: usize = 4_000;

/// Smallest level at which an end is asked for.
const SMALLEST_LEVEL: f64 = 1e-6;

/// The distribution of the log ratio of two capacities, each as throughput.
///
/// Whole runs are resampled at every load, with all their metrics together. At level `u` the deviations of the log means
/// are widened by `sqrt(n / (n - 1))` and by Student's quantile over the normal one, and only then go through the curves:
/// where these are straight, that is the calibrated interval of two means; where they bend or end, the
/// interval bends and ends with them. The degrees of freedom are Satterthwaite's for the influence of each load.
#[derive(Debug)]
pub struct CapacityChange {
    sides: [Side; 2],
    df: f64,
}

#[derive(Debug)]
struct Side {
    curves: LoadCurves,
    /// Deviations of the resampled log means, one resample after the other.
    deviations: Vec<f64>,
}

impl CapacityChange {
    /// Resamples both variants; `None` where a capacity is not defined or a load that matters has no noise: a single run.
    pub fn new(
        [baseline, candidate]: [&[LoadRuns]; 2],
        limits: &[Limit],
        how: Resampling,
    ) -> Option<Self> {
        let first = |sweep: &[LoadRuns]| {
            let runs = sweep.first()?.runs.iter().map(|run| run.first().copied());
            Sample::new(runs.collect::<Option<Vec<f64>>>()?).ok()
        };
        // As of two means: swapping the variants mirrors the interval.
        let streams =
            if baseline_first(&first(baseline)?, &first(candidate)?) { [0, 1] } else { [1, 0] };
        let how = Resampling { count: how.count.min(MAX_RESAMPLES), ..how };
        let side = |sweep, stream| Side::new(sweep, limits, how, stream);
        let sides = [side(baseline, streams[0])?, side(candidate, streams[1])?];
        let influence = [sides[0].influence(baseline)?, sides[1].influence(candidate)?].concat();
        let variance: f64 = influence.iter().map(|(variance, _)| variance).sum();
        let squares: f64 = influence.iter().map(|(variance, df)| variance * variance / df).sum();
        let least = influence.iter().map(|(_, df)| *df).fold(f64::INFINITY, f64::min);
        let df = if least < 2.0 { least } else { variance * variance / squares };
        (variance > 0.0 && df.is_finite()).then_some(Self { sides, df })
    }

    /// The log ratio of the capacities, or its bounds where one is itself a bound: infinite on the open side.
    pub fn estimate(&self) -> [f64; 2] {
        let [a, b] = &self.sides;
        let [a, b] = [a.bounds(&a.curves.means), b.bounds(&b.curves.means)];
        [b[0] - a[1], b[1] - a[0]]
    }

    /// The ends of the interval of the log ratio; an end is infinite where the measured loads do not bound it.
    ///
    /// `confidence` lies in (0, 1).
    pub fn interval(&self, confidence: f64) -> [f64; 2] {
        let level = (1.0 - confidence) / 2.0;
        let [mut low, mut high] = self.resampled(level);
        [ranked(&mut low, level, false), ranked(&mut high, level, true)]
    }

    /// One minus the confidence at which an end of the interval touches zero.
    pub fn p_value(&self) -> f64 {
        let beyond = |level: f64, above: bool| {
            let [mut low, mut high] = self.resampled(level);
            if above {
                ranked(&mut low, level, false) > 0.0
            } else {
                ranked(&mut high, level, true) < 0.0
            }
        };
        let Some(above) = [true, false].into_iter().find(|above| beyond(0.499, *above)) else {
            return 1.0;
        };
        let (mut low, mut high) = (SMALLEST_LEVEL.ln(), 0.499_f64.ln());
        if beyond(SMALLEST_LEVEL, above) {
            return 2.0 * SMALLEST_LEVEL;
        }
        for _ in 0..16 {
            let middle = f64::midpoint(low, high);
            if beyond(middle.exp(), above) { high = middle } else { low = middle }
        }
        (2.0 * high.exp()).min(1.0)
    }

    /// The bounds of the resampled log ratios, widened for this level.
    fn resampled(&self, level: f64) -> [Vec<f64>; 2] {
        let widening = t_quantile(level, self.df) / normal_quantile(level);
        let [a, b] = [0, 1].map(|side: usize| self.sides[side].resampled(widening));
        let low = a.iter().zip(&b).map(|(a, b)| b[0] - a[1]).collect();
        let high = a.iter().zip(&b).map(|(a, b)| b[1] - a[0]).collect();
        [low, high]
    }
}

/// The value of this rank from below, or from above.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a rank")]
fn ranked(values: &mut [f64], level: f64, above: bool) -> f64 {
    let n = values.len();
    let rank = ((level * n as f64).ceil() as usize).clamp(1, n) - 1;
    let rank = if above { n - 1 - rank } else { rank };
    *values.select_nth_unstable_by(rank, f64::total_cmp).1
}

impl Side {
    fn new(sweep: &[LoadRuns], limits: &[Limit], how: Resampling, stream: u64) -> Option<Self> {
        let curves = LoadCurves::new(sweep, limits)?;
        let width = curves.width;
        let mut deviations = vec![0.0; how.count * curves.means.len()];
        for (at, load) in sweep.iter().enumerate().filter(|(_, load)| load.runs.len() > 1) {
            // In an order of their own: that of the input plays no part.
            let mut runs: Vec<&[f64]> = load.runs.iter().map(Vec::as_slice).collect();
            runs.sort_by(|a, b| a.partial_cmp(b).unwrap_or(std::cmp::Ordering::Equal));
            let n = runs.len();
            let few = (n as f64 / (n as f64 - 1.0)).sqrt();
            let mut rng = generator(how, stream << 32 | at as u64);
            for resample in deviations.chunks_exact_mut(curves.means.len()) {
                let resample = &mut resample[at * width..(at + 1) * width];
                for _ in 0..n {
                    let run = runs[rng.random_range(0..n)];
                    resample.iter_mut().zip(run).for_each(|(sum, value)| *sum += value);
                }
                for (column, sum) in resample.iter_mut().enumerate() {
                    let log = curves.signs[column] * (*sum / n as f64).ln();
                    *sum = few * (log - curves.means[at * width + column]);
                }
            }
        }
        Some(Self { curves, deviations })
    }

    /// The log throughput at the capacity with these log means; as bounds, infinite on the open side.
    fn bounds(&self, means: &[f64]) -> [f64; 2] {
        self.bounds_in(means, &mut Vec::new())
    }

    fn bounds_in(&self, means: &[f64], blocks: &mut Vec<[f64; 3]>) -> [f64; 2] {
        let place = self.curves.place(means, blocks);
        let throughput = place.on_stride(means, self.curves.width);
        match place.reached {
            Reached::Inside => [throughput, throughput],
            Reached::AtLeast => [throughput, f64::INFINITY],
            Reached::AtMost => [f64::NEG_INFINITY, throughput],
        }
    }

    fn resampled(&self, widening: f64) -> Vec<[f64; 2]> {
        let known = &self.curves.means;
        let (mut means, mut blocks) = (vec![0.0; known.len()], Vec::new());
        let resamples = self.deviations.chunks_exact(known.len());
        resamples
            .map(|resample| {
                for ((mean, known), deviation) in means.iter_mut().zip(known).zip(resample) {
                    *mean = known + widening * deviation;
                }
                self.bounds_in(&means, &mut blocks)
            })
            .collect()
    }

    /// The variance that each load adds to the log throughput at the capacity, with its degrees of freedom; only of the
    /// loads that matter. `None` if one of these has a single run.
    fn influence(&self, sweep: &[LoadRuns]) -> Option<Vec<(f64, f64)>> {
        let (width, known) = (self.curves.width, &self.curves.means);
        let throughput = |means: &[f64]| {
            let place = self.curves.place(means, &mut Vec::new());
            place.on_stride(means, width)
        };
        let mut found = Vec::new();
        for (at, load) in sweep.iter().enumerate() {
            let n = load.runs.len() as f64;
            let relative = |column: usize| {
                let values: Vec<f64> = load.runs.iter().map(|run| run[column]).collect();
                let mean = mean(&values);
                let sign = self.curves.signs[column];
                values.into_iter().map(|value| sign * (value / mean - 1.0)).collect::<Vec<f64>>()
            };
            let relative: Vec<Vec<f64>> = (0..width).map(relative).collect();
            let slope = |column: usize| {
                let squares: f64 = relative[column].iter().map(|value| value * value).sum();
                // Over one standard error, since curves bend at a load.
                let step = (squares / n / (n - 1.0).max(1.0)).sqrt().max(1e-6);
                let moved = |by: f64| {
                    let mut means = known.clone();
                    means[at * width + column] += by;
                    throughput(&means)
                };
                (moved(step) - moved(-step)) / (2.0 * step)
            };
            let slopes: Vec<f64> = (0..width).map(slope).collect();
            if slopes.iter().all(|slope| slope.abs() < 1e-9) {
                continue;
            }
            if load.runs.len() < 2 {
                return None;
            }
            let run = |run: usize| -> f64 {
                slopes.iter().zip(&relative).map(|(slope, values)| slope * values[run]).sum()
            };
            let squares: f64 = (0..load.runs.len()).map(|index| run(index).powi(2)).sum();
            found.push((squares / n / (n - 1.0), n - 1.0));
        }
        Some(found)
    }
}
