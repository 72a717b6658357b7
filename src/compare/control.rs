//! Runs relative to a control: a metric, or a cell, that the change cannot affect.

use std::collections::BTreeMap;

use crate::compare::{Effect, Measured, Pairing};
use crate::runs::{Run, Value};

/// A measurement in every run that the change cannot affect: what moves it moves the other metrics of the run too.
#[derive(Clone, Debug)]
pub struct Control<'a> {
    /// Canonical name of the metric, or the words for the cell.
    pub name: String,
    /// Where its values are.
    pub source: ControlSource<'a>,
}

/// Where the values of a control are.
#[derive(Clone, Debug)]
pub enum ControlSource<'a> {
    /// A metric of the same run.
    Metric,
    /// The same metric in the run of another cell: of the baseline and the candidate, by the position of the compared run.
    Cell([BTreeMap<usize, &'a Run>; 2]),
}

/// The change of a metric in the two ways that a control allows: alone, and relative to it.
#[derive(Clone, Debug)]
pub struct ByControl {
    /// Name of the control.
    pub name: String,
    /// Whether the change is the one relative to the control, since its interval is the narrower one.
    pub used: bool,
    /// The change in the other way.
    pub other: Effect,
}

impl Control<'_> {
    fn value(&self, runs: &Pairing, side: usize, run: usize, metric: &str) -> Option<f64> {
        let value = match &self.source {
            ControlSource::Metric => runs.value(side, run, &self.name),
            ControlSource::Cell(_) if runs.levels.is_some() => None,
            ControlSource::Cell(cell) => cell[side].get(&run)?.metrics.get(metric).copied(),
        };
        value.map(|value| value.value).filter(|value| *value > 0.0)
    }

    /// The values of a metric as they would be at the level that the control has in the baseline: each times the geometric mean of
    /// the baseline's controls over the control of its run. `None` for the control itself, and unless every run has a control
    /// above 0.
    pub(super) fn adjusted(
        &self,
        runs: &Pairing,
        metric: &str,
        values: [&[Value]; 2],
        positions: [&[usize]; 2],
    ) -> Option<[Vec<Value>; 2]> {
        if matches!(self.source, ControlSource::Metric) && metric == self.name {
            return None;
        }
        let of_side = |side: usize| -> Option<Vec<f64>> {
            positions[side].iter().map(|run| self.value(runs, side, *run, metric)).collect()
        };
        let controls = [of_side(0)?, of_side(1)?];
        let logs: f64 = controls[0].iter().map(|value| value.ln()).sum();
        let level = (logs / controls[0].len() as f64).exp();
        let at_level = |side: usize| {
            let scaled = values[side].iter().zip(&controls[side]).map(|(value, control)| Value {
                value: value.value * level / control,
                resolution: value.resolution * level / control,
            });
            scaled.collect::<Vec<_>>()
        };
        let both = [at_level(0), at_level(1)];
        both.iter().flatten().all(|value| value.value.is_finite()).then_some(both)
    }

    /// The one of two rows of a metric with the narrower interval, with the change of the other one.
    pub(super) fn narrower(&self, own: Measured, relative: Measured) -> Measured {
        let width = |row: &Measured| {
            let interval = row.relative?.interval?;
            Some(interval.high.ln_1p() - interval.low.ln_1p())
        };
        let used = width(&own).zip(width(&relative)).is_some_and(|(own, by)| by < own);
        let (shown, other) = if used { (relative, own) } else { (own, relative) };
        let control =
            other.relative.map(|other| ByControl { name: self.name.clone(), used, other });
        Measured { control, ..shown }
    }
}
