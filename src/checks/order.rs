//! Checks of the order in which the runs were made: what time changed is not what the variant changed.

use crate::checks::{Context, Finding, Severity};
use crate::runs::{Run, Variant};
use crate::stats::{holm, mann_kendall};

/// First and last start of the runs of a variant in seconds, if all are known.
fn span(variant: &Variant) -> Option<(f64, f64)> {
    let starts: Vec<f64> = variant.runs.iter().map(Run::seconds).collect::<Option<_>>()?;
    let ends = |(low, high): (f64, f64), at: &f64| (low.min(*at), high.max(*at));
    (!starts.is_empty()).then(|| starts.iter().fold((f64::INFINITY, f64::NEG_INFINITY), ends))
}

/// Starts of the first and the last run, as the files write them.
fn written(variant: &Variant) -> Vec<String> {
    let ends = [variant.runs.first(), variant.runs.last()];
    ends.into_iter().flatten().filter_map(|run| run.started.clone()).collect()
}

pub(super) fn order_confounded(context: &Context) -> Option<Finding> {
    if context.fewest_runs() < 2 {
        return None;
    }
    let ((first_a, last_a), (first_b, last_b)) =
        (span(context.baseline)?, span(context.candidate)?);
    let (first, second) = if last_a < first_b {
        (context.baseline, context.candidate)
    } else if last_b < first_a {
        (context.candidate, context.baseline)
    } else {
        return None;
    };
    let message = format!(
        "All runs of `{}` were made before all of `{}`: whatever drifted in between looks like the change. \
         Run them by turns.",
        first.name, second.name
    );
    Some(
        Finding::new("order-confounded", Severity::Warn, message)
            .with("baseline", written(context.baseline))
            .with("candidate", written(context.candidate)),
    )
}

pub(super) fn drift(context: &Context) -> Option<Finding> {
    // The metric that leads: the others mostly drift with it, and asking all of them would ask too much.
    let mut trends = Vec::new();
    if let Some(row) = context.leading() {
        for (variant, side) in
            [(context.baseline, &row.baseline), (context.candidate, &row.candidate)]
        {
            if let Some(trend) = span(variant).and_then(|_| mann_kendall(&side.values)) {
                trends.push((row, variant, side.values.len(), trend));
            }
        }
    }
    let raw: Vec<f64> = trends.iter().map(|(.., trend)| trend.p_value).collect();
    let adjusted = holm(&raw);
    let ((row, variant, runs, trend), p) = trends
        .into_iter()
        .zip(adjusted)
        .min_by(|((.., a), _), ((.., b), _)| a.p_value.total_cmp(&b.p_value))?;
    if p >= context.policy.thresholds.drift_level {
        return None;
    }
    let way = if trend.tau > 0.0 { "rises" } else { "falls" };
    let message = format!(
        "In `{}` {} {way} from run to run (rank correlation {} over {runs} runs, p = {}): the machine \
         drifts, and part of the change may be its.",
        variant.name,
        row.metric.label,
        format!("{:+.2}", trend.tau).replace('-', "−"),
        shown(p)
    );
    Some(
        Finding::new("drift", Severity::Warn, message)
            .with("variant", variant.name.clone())
            .with("metric", row.metric.name.clone())
            .with("rank_correlation", trend.tau)
            .with("p_value", trend.p_value)
            .with("p_adjusted", p),
    )
}

fn shown(p: f64) -> String {
    if p < 0.001 { "0.001 or less".to_owned() } else { format!("{p:.3}") }
}

/// Pairs by turns in which one variant always comes first: a drift from one run to the next is their change.
pub(super) fn one_way_pairs(context: &Context) -> Option<Finding> {
    let pairs = context.pairs.filter(|pairs| pairs.one_way)?;
    let message = "One variant came first in every pair, so that a drift from each run to the next looks like \
                   the change: run `B A A B` instead."
        .to_owned();
    let finding = Finding::new("one-way-pairs", Severity::Warn, message);
    Some(finding.with("pairs", pairs.positions.len()))
}
