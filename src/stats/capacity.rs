//! Capacity: the largest load at which limits hold, and the throughput there.
//!
//! The metrics of a sweep's limits are taken as curves over the load: a monotone least-squares fit to the log means of
//! the runs at each load (the pool-adjacent-violators algorithm), and straight lines between on the logarithmic scale.

use crate::statistic::mean;

/// A limit on a metric.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Limit {
    /// Largest value that is allowed, or the smallest one; positive.
    pub value: f64,
    /// Whether the values must stay below it: those of a latency, which rise with the load.
    pub below: bool,
}

/// The runs of a variant at one load.
#[derive(Clone, Debug, PartialEq)]
pub struct LoadRuns {
    /// The load, positive.
    pub load: f64,
    /// Of each run its throughput, then its value of each limited metric; all positive.
    pub runs: Vec<Vec<f64>>,
}

/// Where the largest load lies at which all limits hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reached {
    /// Between the loads that were measured.
    Inside,
    /// All limits hold at the largest load: the capacity is that load or more.
    AtLeast,
    /// A limit is broken at the smallest load: the capacity is that load or less.
    AtMost,
}

/// The capacity of a variant.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Capacity {
    /// The largest load at which all limits hold, or the bound on it.
    pub load: f64,
    /// The throughput at that load, in the unit of the runs.
    pub throughput: f64,
    /// Whether the load is measured or a bound.
    pub reached: Reached,
    /// Position of the limit that is reached first, or that comes nearest to be.
    pub binding: usize,
}

/// The capacity of a variant whose loads ascend; `None` without a load, or where a value is not positive and finite.
///
/// # Examples
///
/// ```
/// use beyondnoise_stats::{Limit, LoadRuns, Reached, capacity};
///
/// let at = |load: f64, rate: f64, ttft: f64| LoadRuns { load, runs: vec![vec![rate, ttft]] };
/// let sweep = [at(8.0, 10.0, 100.0), at(16.0, 20.0, 400.0), at(32.0, 30.0, 1600.0)];
/// // By hand: 200 lies half way between 100 and 400 on the log scale, where the rate is sqrt(10 * 20).
/// let found = capacity(&sweep, &[Limit { value: 200.0, below: true }]).unwrap();
/// assert!((found.throughput - 14.142_136).abs() < 1e-6 && found.reached == Reached::Inside);
/// ```
///
/// # References
///
/// R. E. Barlow, D. J. Bartholomew, J. M. Bremner, H. D. Brunk. *Statistical Inference under Order Restrictions*, 1972.
pub fn capacity(sweep: &[LoadRuns], limits: &[Limit]) -> Option<Capacity> {
    let curves = LoadCurves::new(sweep, limits)?;
    let place = curves.place(&curves.means, &mut Vec::new());
    Some(Capacity {
        load: place.on(&curves.loads).exp(),
        throughput: place.on_stride(&curves.means, curves.width).exp(),
        reached: place.reached,
        binding: place.binding,
    })
}

/// The curves of a variant: log means at each load, those of the limited metrics turned so that they rise with the load.
#[derive(Debug)]
pub(crate) struct LoadCurves {
    /// Logarithms of the loads, ascending.
    pub(crate) loads: Vec<f64>,
    /// Values of one load: the throughput and each limited metric.
    pub(crate) width: usize,
    /// One load after the other.
    pub(crate) means: Vec<f64>,
    /// Runs at each load.
    pub(crate) runs: Vec<usize>,
    /// The limits, turned as their metrics are.
    limits: Vec<f64>,
    /// 1 for the throughput and for what must stay below its limit, else -1.
    pub(crate) signs: Vec<f64>,
}

/// A place between two loads.
#[derive(Clone, Copy)]
pub(crate) struct Place {
    /// The load before it.
    at: usize,
    /// How far it is from that to the next one, from 0 to 1.
    part: f64,
    pub(crate) reached: Reached,
    binding: usize,
}

impl LoadCurves {
    pub(crate) fn new(sweep: &[LoadRuns], limits: &[Limit]) -> Option<Self> {
        let width = limits.len() + 1;
        let fine = |value: &f64| *value > 0.0 && value.is_finite();
        let whole = |load: &LoadRuns| {
            let runs = &load.runs;
            fine(&load.load)
                && !runs.is_empty()
                && runs.iter().all(|run| run.len() == width && run.iter().all(fine))
        };
        if sweep.is_empty() || limits.is_empty() || !sweep.iter().all(whole) {
            return None;
        }
        let sign = |limit: &Limit| if limit.below { 1.0 } else { -1.0 };
        let signs: Vec<f64> = std::iter::once(1.0).chain(limits.iter().map(sign)).collect();
        let mean_of = |load: &LoadRuns, column: usize| {
            let values: Vec<f64> = load.runs.iter().map(|run| run[column]).collect();
            signs[column] * mean(&values).ln()
        };
        let columns = |load| (0..width).map(move |column| (load, column));
        let means = sweep.iter().flat_map(columns).map(|(load, column)| mean_of(load, column));
        let means: Vec<f64> = means.collect();
        Some(Self {
            loads: sweep.iter().map(|load| load.load.ln()).collect(),
            width,
            runs: sweep.iter().map(|load| load.runs.len()).collect(),
            limits: limits.iter().map(|limit| sign(limit) * limit.value.ln()).collect(),
            means,
            signs,
        })
    }

    /// Where the first of the limits is reached by curves with these log means; `blocks` is room to work in.
    pub(crate) fn place(&self, means: &[f64], blocks: &mut Vec<[f64; 3]>) -> Place {
        let mut first: Option<(f64, Place)> = None;
        for (binding, limit) in self.limits.iter().enumerate() {
            let values = means.iter().skip(binding + 1).step_by(self.width);
            monotone(values.copied().zip(&self.runs), blocks);
            let (place, nearness) = self.below(*limit, binding, blocks);
            // Of limits that are reached at no load, or at the first, the one that comes nearest.
            let key = place.at as f64 + place.part + 1e-9 * nearness.tanh();
            if first.is_none_or(|(known, _)| key < known) {
                first = Some((key, place));
            }
        }
        first.map_or_else(|| unreachable!("there is a limit"), |(_, place)| place)
    }

    /// The last place at which a monotone curve is at most `limit`, and by how much it stays below there.
    fn below(&self, limit: f64, binding: usize, blocks: &[[f64; 3]]) -> (Place, f64) {
        let last = self.loads.len() - 1;
        let mut before: Option<(usize, f64)> = None;
        let mut next = 0;
        for [value, _, loads] in blocks {
            if *value > limit {
                let Some((at, low)) = before else {
                    return (
                        Place { at: 0, part: 0.0, reached: Reached::AtMost, binding },
                        limit - value,
                    );
                };
                let part = (limit - low) / (value - low);
                return (Place { at, part, reached: Reached::Inside, binding }, 0.0);
            }
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "a number of loads"
            )]
            let loads = *loads as usize;
            next += loads;
            before = Some((next - 1, *value));
        }
        let room = before.map_or(0.0, |(_, value)| limit - value);
        (Place { at: last, part: 0.0, reached: Reached::AtLeast, binding }, room)
    }
}

impl Place {
    fn on(self, values: &[f64]) -> f64 {
        self.on_stride(values, 1)
    }

    /// The first of `width` values of each load, at this place.
    pub(crate) fn on_stride(self, values: &[f64], width: usize) -> f64 {
        let low = values[self.at * width];
        let high = values.get((self.at + 1) * width).copied().unwrap_or(low);
        low + self.part * (high - low)
    }
}

/// The monotone curve nearest to the values, which weigh as much as their runs: blocks of equal value, each with its
/// weight and its number of loads.
fn monotone<'a>(values: impl Iterator<Item = (f64, &'a usize)>, blocks: &mut Vec<[f64; 3]>) {
    blocks.clear();
    for (value, runs) in values {
        let mut block = [value, *runs as f64, 1.0];
        while let Some(&[before, weight, loads]) = blocks.last()
            && before > block[0]
        {
            let sum = weight + block[1];
            block = [(before * weight + block[0] * block[1]) / sum, sum, loads + block[2]];
            blocks.pop();
        }
        blocks.push(block);
    }
}
