//! Measured values and changes of a baseline and a candidate.

use crate::compare::Noise;
use crate::metrics::Metric;
use crate::runs::{Levels, Pairs, Value, Variant};
use crate::stats::{Curve, Interval, PriorRefusal, Undefined};

/// One metric of a baseline and a candidate.
#[derive(Clone, Debug)]
pub struct Measured {
    /// The metric, with the user's direction if given.
    pub metric: Metric,
    /// The baseline's runs.
    pub baseline: Side,
    /// The candidate's runs.
    pub candidate: Side,
    /// `candidate / baseline - 1` with its interval, where ratios exist.
    pub relative: Option<Effect>,
    /// `candidate - baseline` in the unit of the metric.
    pub absolute: Effect,
    /// Interval at 1 - 2 alpha of the relative change, for the test of equivalence.
    pub equivalence: Option<Interval>,
    /// Two-sided p-value of no change, unadjusted.
    pub p_value: Option<f64>,
    /// Confidence that the candidate's value is the larger one.
    pub probability_larger: Option<f64>,
    /// Run-to-run noise, if any variant has two runs or a noise prior exists.
    pub noise: Option<Noise>,
    /// Run-to-run CV below which the change would be beyond noise.
    pub break_even_cv: Option<f64>,
    /// Why there is no interval.
    pub undefined: Option<Undefined>,
    /// Why the noise prior was not used.
    pub not_lent: Option<PriorRefusal>,
    /// Whether it is a count that varies in neither variant, so that the change is exact.
    pub exact: bool,
    /// Curves for intervals of other levels: of the relative and of the absolute change.
    pub(crate) curves: Option<[Option<Curve>; 2]>,
}

/// One variant's values of a metric.
#[derive(Clone, Debug)]
pub struct Side {
    /// A value per run, in run order.
    pub values: Vec<f64>,
    /// Position of the run of each value in its variant, from 0.
    pub runs: Vec<usize>,
    /// Half of the finest digit that was printed of the values, in their unit; 0 for exact ones.
    pub resolution: f64,
    /// The statistic over the runs.
    pub estimate: f64,
    /// Run-to-run CV as a fraction; `None` for one run.
    pub cv: Option<f64>,
    /// Runs behind the only value, where that is an average with a standard deviation.
    pub averaged: Option<usize>,
}

impl Side {
    /// Runs behind the estimate.
    pub fn count(&self) -> usize {
        self.averaged.unwrap_or(self.values.len())
    }
}

/// A change with its interval.
#[derive(Clone, Copy, Debug)]
pub struct Effect {
    /// The point estimate.
    pub estimate: f64,
    /// The interval at the confidence asked for.
    pub interval: Option<Interval>,
}

/// The runs to be compared, and what may be known of their noise.
pub struct Pairing<'a> {
    /// The baseline.
    pub baseline: &'a Variant,
    /// The candidate.
    pub candidate: &'a Variant,
    /// The runs that belong together; `None` for independent runs. Of nested repeats the first runs of each block.
    pub pairs: Option<Pairs>,
    /// The levels of nested repeats, whose units replace runs.
    pub levels: Option<Levels>,
}

impl<'a> Pairing<'a> {
    /// Runs of two variants, with the pairs that the user asked for, or else those of the blocks of their levels.
    pub fn new(baseline: &'a Variant, candidate: &'a Variant, pairs: Option<Pairs>) -> Self {
        let levels = if pairs.is_some() { None } else { Levels::shared_by(baseline, candidate) };
        let blocks = levels.as_ref().and_then(|levels| Some((levels.pairs()?, levels.alone)));
        let blocks =
            blocks.map(|(positions, [a, b])| Pairs { positions, alone: (a, b), one_way: false });
        Self { baseline, candidate, pairs: pairs.or(blocks), levels }
    }

    /// The value of a metric in a run of one side, or of nested repeats in the unit that begins with that run.
    pub(super) fn value(&self, side: usize, run: usize, name: &str) -> Option<Value> {
        let variant = if side == 0 { self.baseline } else { self.candidate };
        match &self.levels {
            Some(levels) => levels.value(side, variant, run, name),
            None => variant.runs[run].metrics.get(name).copied(),
        }
    }

    /// The values of a metric on one side with the positions of their runs, if there are any.
    pub(super) fn values(&self, side: usize, name: &str) -> Option<(Vec<Value>, Vec<usize>)> {
        let variant = if side == 0 { self.baseline } else { self.candidate };
        let runs: Vec<usize> = match &self.levels {
            Some(levels) => levels.units[side].keys().copied().collect(),
            None => (0..variant.runs.len()).collect(),
        };
        let known = runs.into_iter().filter_map(|run| Some((self.value(side, run, name)?, run)));
        let (values, runs): (Vec<Value>, Vec<usize>) = known.unzip();
        (!values.is_empty()).then_some((values, runs))
    }
}

/// Rows of a comparison.
#[derive(Clone, Debug)]
pub struct Rows {
    /// A row per metric.
    pub rows: Vec<Measured>,
    /// The same without noise priors, where any row has one.
    pub alone: Option<Vec<Measured>>,
}
