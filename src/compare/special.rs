//! Metrics without run-to-run values to resample: constant counts, and averages with their standard deviation.

use crate::compare::measured::{Effect, Measured, Pairing, SideRow};
use crate::metrics::Metric;
use crate::policy::Policy;
use crate::runs::{Value, Variant, is_constant_count};
use crate::stats::{Across, Average};

/// Both variants as one average each, with its standard deviation and number of runs (2 or more).
pub(super) fn averages(runs: &Pairing, name: &str, policy: &Policy) -> Option<[Average; 2]> {
    if runs.pairs.is_some() || runs.levels.is_some() || policy.across != Across::MEAN {
        return None;
    }
    Some([average(runs.baseline, name)?, average(runs.candidate, name)?])
}

fn average(variant: &Variant, name: &str) -> Option<Average> {
    let [run] = &variant.runs[..] else { return None };
    let value = run.metrics.get(name)?;
    let spread = run.info.spreads.get(name).filter(|spread| spread.runs > 1)?;
    // Equal values may differ in digits that were not printed.
    let sd = if spread.sd > 0.0 { spread.sd } else { value.resolution };
    (sd.is_finite() && spread.sd >= 0.0).then_some(Average {
        mean: value.value,
        sd,
        runs: spread.runs,
    })
}

/// Whether a variant has several values of a metric, and one is an average of several runs.
pub(crate) fn mixes_averages(variant: &Variant, name: &str) -> bool {
    let having = || variant.runs.iter().filter(|run| run.metrics.contains_key(name));
    let averaged = |run: &crate::runs::Run| run.info.spreads.get(name).is_some_and(|s| s.runs > 1);
    having().any(averaged) && having().count() > 1
}

/// The row of a count that is constant in each variant: the change is exact.
pub(super) fn exact_count(
    metric: &Metric,
    (a, runs_a): (&[Value], &[usize]),
    (b, runs_b): (&[Value], &[usize]),
) -> Option<Measured> {
    let numbers = |values: &[Value]| values.iter().map(|value| value.value).collect::<Vec<f64>>();
    let (x, y) = (numbers(a), numbers(b));
    if !(is_constant_count(metric, &x) && is_constant_count(metric, &y)) {
        return None;
    }
    let (before, after) = (x[0], y[0]);
    let side = |values: Vec<f64>, runs: &[usize]| SideRow {
        n: values.len(),
        estimate: values[0],
        values,
        runs: runs.to_vec(),
        resolution: 0.0,
        cv: None,
        averaged: None,
    };
    let relative = Some(after / before - 1.0).filter(|_| before > 0.0 && after > 0.0);
    let effect = |estimate| Effect { estimate, interval: None };
    Some(Measured {
        metric: metric.clone(),
        baseline: side(x, runs_a),
        candidate: side(y, runs_b),
        relative: relative.filter(|change| change.is_finite()).map(effect),
        absolute: effect(after - before),
        equivalence: None,
        p_value: None,
        probability_larger: None,
        noise: None,
        break_even_cv: None,
        undefined: None,
        not_lent: None,
        exact: true,
        curves: None,
        in_pairs: false,
        in_sessions: None,
        wider: Vec::new(),
        control: None,
        own: None,
    })
}
