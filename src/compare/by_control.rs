//! Values relative to their control, and the choice between two changes by the narrower interval.

use crate::compare::control::{Control, ControlSource};
use crate::compare::measured::{ControlRow, Measured, Pairing};
use crate::runs::Value;

fn value(control: &Control, runs: &Pairing, side: usize, run: usize, metric: &str) -> Option<f64> {
    let value = match &control.source {
        ControlSource::Metric => runs.value(side, run, &control.name),
        ControlSource::Cell(_) if runs.levels.is_some() => None,
        ControlSource::Cell(cell) => cell[side].get(&run)?.metrics.get(metric).copied(),
    };
    value.map(|value| value.value).filter(|value| *value > 0.0)
}

/// The values of a metric at the baseline's level of the control: each is multiplied by the geometric mean of the baseline's
/// controls over the control of its own run. `None` for the control itself, or if a run has no control above 0.
pub(super) fn adjusted(
    control: &Control,
    runs: &Pairing,
    metric: &str,
    values: [&[Value]; 2],
    positions: [&[usize]; 2],
) -> Option<[Vec<Value>; 2]> {
    if matches!(control.source, ControlSource::Metric) && metric == control.name {
        return None;
    }
    let of_side = |side: usize| -> Option<Vec<f64>> {
        positions[side].iter().map(|run| value(control, runs, side, *run, metric)).collect()
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

/// The row of a metric with the narrower interval, together with the other row's change.
pub(super) fn narrower(control: &Control, own: Measured, relative: Measured) -> Measured {
    let width = |row: &Measured| {
        let interval = row.relative?.interval?;
        Some(interval.high.ln_1p() - interval.low.ln_1p())
    };
    let used = width(&own).zip(width(&relative)).is_some_and(|(own, by)| by < own);
    let (shown, other) = if used { (relative, own) } else { (own, relative) };
    let control = other.relative.map(|other| ControlRow {
        name: control.name.clone(),
        used,
        relative: other.estimate,
        relative_ci: other.interval.map(|interval| [interval.low, interval.high]),
    });
    Measured { control, ..shown }
}
