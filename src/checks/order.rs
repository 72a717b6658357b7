//! Checks of the order in which the runs were made: what time changed is not what the variant changed.

use crate::checks::series::{Series, order_of, unknown_start};
use crate::checks::{Context, Finding, Severity, p_value};
use crate::runs::{Run, Variant, numbering};
use crate::stats::{Trend, holm, mann_kendall};

/// When the runs of both variants were made, in one order for all: their starts, or else the numbers in their
/// names where one numbering runs over both variants.
fn times(context: &Context) -> Option<([Vec<f64>; 2], bool)> {
    let runs = || context.baseline.runs.iter().chain(&context.candidate.runs);
    let starts: Option<Vec<f64>> = runs().map(Run::seconds).collect();
    let known = starts.is_some();
    let mut all = starts.or_else(|| numbering(&runs().collect::<Vec<_>>()))?;
    let candidate = all.split_off(context.baseline.runs.len());
    Some(([all, candidate], known))
}

/// Starts of the first and the last run, as the files write them.
fn written(variant: &Variant) -> Vec<String> {
    let ends = [variant.runs.first(), variant.runs.last()];
    ends.into_iter().flatten().filter_map(|run| run.facts.started.clone()).collect()
}

pub(super) fn order_confounded(context: &Context) -> Option<Finding> {
    if context.fewest_runs() < 2 {
        return None;
    }
    let ([a, b], by_start) = times(context)?;
    let first = |times: &[f64]| times.iter().copied().fold(f64::INFINITY, f64::min);
    let last = |times: &[f64]| times.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let (first, second) = if last(&a) < first(&b) {
        (context.baseline, context.candidate)
    } else if last(&b) < first(&a) {
        (context.candidate, context.baseline)
    } else {
        return None;
    };
    let whence = if by_start { "" } else { ", by the numbers in their names" };
    let message = format!(
        "All runs of `{}` were made before all of `{}`{whence}: whatever drifted in between looks like the \
         change. Run them by turns.",
        first.name, second.name
    );
    Some(
        Finding::new("order-confounded", Severity::Warn, message)
            .with("by_start", by_start)
            .with("baseline", written(context.baseline))
            .with("candidate", written(context.candidate)),
    )
}

/// A trend of a deciding metric over the runs of a variant.
///
/// Every deciding metric of both variants is looked at, since TTFT can drift where throughput does not, and the
/// p-values are adjusted by Holm over all of them: a clean comparison warns in 5 % of cases at most. With three
/// metrics it takes 6 runs of a variant. The order is that of the starts, or else of the files and of the places
/// in them, which the message then says.
pub(super) fn drift(context: &Context) -> Option<Finding> {
    let looked: Vec<(&Series, Trend)> = context
        .series()
        .iter()
        .filter_map(|series| Some((series, mann_kendall(&series.values)?)))
        .collect();
    let raw: Vec<f64> = looked.iter().map(|(_, trend)| trend.p_value).collect();
    let ((series, trend), p) = looked
        .iter()
        .zip(holm(&raw))
        .min_by(|((_, a), _), ((_, b), _)| a.p_value.total_cmp(&b.p_value))?;
    if p >= context.policy.thresholds.drift_level {
        return None;
    }
    let way = if trend.tau > 0.0 { "rises" } else { "falls" };
    let message = format!(
        "In `{}` {} {way} from run to run (rank correlation {} over {} runs, {}): the machine \
         drifts, and part of the change may be its.{}",
        series.variant.name,
        series.row.metric.label,
        format!("{:+.2}", trend.tau).replace('-', "−"),
        series.values.len(),
        p_value(p),
        unknown_start(order_of(series.variant))
    );
    Some(
        Finding::new("drift", Severity::Warn, message)
            .with("variant", series.variant.name.clone())
            .with("metric", series.row.metric.name.clone())
            .with("rank_correlation", trend.tau)
            .with("p_value", trend.p_value)
            .with("p_adjusted", p),
    )
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
