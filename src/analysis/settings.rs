//! The settings for the report.

use std::collections::BTreeSet;

use crate::policy::Policy;
use crate::report::{Comparison, LookRow, Settings};
use crate::stats::{Across, Method, Resampled};

pub(super) fn settings(policy: &Policy, comparisons: &[Comparison]) -> Settings {
    let metrics: BTreeSet<&str> =
        comparisons.iter().flat_map(|one| &one.metrics).map(|row| &*row.metric).collect();
    let margins = metrics
        .into_iter()
        .map(|name| (name.into(), policy.margin(&policy.metric(name))))
        .collect();
    Settings {
        confidence: policy.confidence,
        method: policy.method,
        resamples: policy.resampling.count,
        resampled: how_resampled(policy, comparisons),
        seed: policy.resampling.seed,
        across: policy.across,
        noise: policy.noise,
        atlas: policy.atlas,
        paired: policy.paired,
        look: policy.look.as_ref().map(|look| LookRow {
            number: look.number,
            of: look.of,
            overall_confidence: look.overall,
            runs: look.runs.clone(),
            equality_confidence: (1.0 - 2.0 * look.equality_alpha).max(0.0),
        }),
        order: Vec::new(),
        order_by: None,
        margins,
        tolerance: policy.tolerance,
        require: policy.require,
        checks: policy.thresholds,
    }
}

/// How the resamples behind the intervals were made, each way once.
fn how_resampled(policy: &Policy, comparisons: &[Comparison]) -> Vec<Resampled> {
    if policy.method == Method::Welch || policy.across.has_rank_interval() {
        return Vec::new();
    }
    let blocks =
        |one: &Comparison| one.levels.as_ref().is_some_and(|levels| levels.blocks.is_some());
    // Blocks A B B A have Student's interval.
    let student = |one: &Comparison| {
        let usual = policy.method == Method::Calibrated && policy.across == Across::MEAN;
        usual && policy.paired && blocks(one)
    };
    let judged = comparisons.iter().filter(|one| !student(one)).flat_map(|one| {
        let in_pairs = policy.paired || blocks(one);
        one.metrics.iter().map(move |row| (row, in_pairs))
    });
    let judged = judged
        .filter(|(row, _)| row.baseline.averaged.is_none() && row.in_sessions.is_none())
        .filter(|(row, _)| row.delta.relative_ci.is_some() || row.delta.absolute_ci.is_some())
        .map(|(row, in_pairs)| {
            let (a, b) = (&row.baseline.values, &row.candidate.values);
            // Pairs are resampled by their differences.
            if in_pairs {
                let differences: Vec<f64> = a.iter().zip(b).map(|(a, b)| b - a).collect();
                return Resampled::of(&[0.0], &differences, policy.across);
            }
            Resampled::of(a, b, policy.across)
        });
    let ways: BTreeSet<Resampled> = judged.collect();
    ways.into_iter().collect()
}
