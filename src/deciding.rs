//! The metrics that decide and the metrics that guard, for every command.

use crate::metrics::words::{Quantity, meaning};
use crate::metrics::{Family, Metric, Statistic};
use crate::policy::Policy;
use crate::runs::{LoadShape, Workload};

/// Most deciding metrics of one's own table.
const MAX_DECIDING: usize = 5;

/// Names of the deciding metrics among `metrics`, the most important first: those that the user named, or else those for this
/// load.
///
/// `metrics` are in the order of a report. A serving benchmark has the usual ones: output throughput, mean TTFT, mean TPOT, as
/// the load allows. Any other table is one's own: up to five metrics with a known direction decide, by kind: throughput, time,
/// latency, memory, rates, others.
pub(crate) fn deciding(
    metrics: &[&Metric],
    load: LoadShape,
    workload: &Workload,
    policy: &Policy,
) -> Vec<String> {
    let metrics = &without_control(metrics, policy)[..];
    let known = |name: &&String| metrics.iter().any(|metric| metric.name == **name);
    if !policy.deciding.is_empty() {
        policy.deciding.iter().filter(known).cloned().collect()
    } else if policy.selected.is_empty() {
        let mut names = if is_own(metrics, load, workload) {
            own(metrics, load)
        } else {
            usual(metrics, load, workload.requests)
                .unwrap_or_else(|| own(&without_tails(metrics), load))
        };
        names.truncate(MAX_DECIDING);
        names
    } else {
        let asked = |metric: &&&Metric| policy.selected(&metric.name).is_some();
        let named = metrics.iter().filter(asked).filter(|metric| metric.better.is_some());
        named.map(|metric| metric.name.clone()).collect()
    }
}

/// Names of the guards: the user's own, and in a table of your own every other metric with a known direction, unless
/// the user chose the deciding metrics.
pub(crate) fn guards(
    metrics: &[&Metric],
    deciding: &[String],
    load: LoadShape,
    workload: &Workload,
    policy: &Policy,
) -> Vec<String> {
    let metrics = &without_control(metrics, policy)[..];
    let mut names = policy.guards.clone();
    let chosen = !policy.deciding.is_empty() || !policy.selected.is_empty();
    if !chosen && is_own(metrics, load, workload) {
        let rest = own(metrics, load).into_iter().filter(|name| !deciding.contains(name));
        names.extend(rest.filter(|name| !policy.guards.contains(name)));
    }
    names
}

/// The metrics without the control.
fn without_control<'a>(metrics: &[&'a Metric], policy: &Policy) -> Vec<&'a Metric> {
    let control = policy.control.as_deref().map(|name| Metric::of_column(name).0.name);
    metrics.iter().copied().filter(|metric| Some(&metric.name) != control.as_ref()).collect()
}

/// Whether the metrics come from one's own table, not from a known client or a serving benchmark.
fn is_own(metrics: &[&Metric], load: LoadShape, workload: &Workload) -> bool {
    let serving = [&THROUGHPUT[..], &["mean_ttft_ms", "ttft_ms"], &["mean_tpot_ms", "tpot_ms"]];
    let has = |names: &&[&str]| metrics.iter().any(|metric| names.contains(&&*metric.name));
    matches!(load, LoadShape::Unknown | LoadShape::Closed { .. })
        && workload.client.is_none()
        && !serving.iter().all(has)
}

/// All metrics that can decide, by kind; metrics that measure the same thing as the throughput count once.
fn own(metrics: &[&Metric], load: LoadShape) -> Vec<String> {
    let mut known: Vec<&&Metric> = metrics.iter().filter(|metric| metric.can_decide()).collect();
    known.sort_by_cached_key(|metric| kind(metric));
    let mut seen = false;
    known.retain(|metric| {
        let again = same_fact(metric, load);
        let first = !again || !seen;
        seen |= again;
        first
    });
    known.into_iter().map(|metric| metric.name.clone()).collect()
}

/// The metrics without quantiles, unless all that can decide are quantiles.
fn without_tails<'a>(metrics: &[&'a Metric]) -> Vec<&'a Metric> {
    let tail = |metric: &&Metric| metric.quantile().is_some();
    if metrics.iter().filter(|metric| metric.can_decide()).all(tail) {
        return metrics.to_vec();
    }
    metrics.iter().copied().filter(|metric| !tail(metric)).collect()
}

fn kind(metric: &Metric) -> Quantity {
    match metric.family {
        Family::Throughput => Quantity::Throughput,
        Family::Ttft | Family::Tpot | Family::Itl | Family::E2el => Quantity::Latency,
        Family::Goodput | Family::Other => meaning(&metric.name).quantity,
    }
}

/// Metrics of the registry that measure throughput; the first measured one counts.
const THROUGHPUT: [&str; 5] =
    ["output_throughput", "request_throughput", "total_token_throughput", "throughput", "duration"];

/// Whether a metric measures the same thing as the throughput at a fixed workload: other rates and the duration, and by
/// Little's law the mean latency in a closed loop.
pub(crate) fn same_fact(metric: &Metric, load: LoadShape) -> bool {
    let closed = matches!(load, LoadShape::Closed { .. });
    metric.family == Family::Throughput
        || closed && metric.family == Family::E2el && metric.statistic == Statistic::Mean
}

/// The deciding metrics of a serving benchmark, the most important first; `None` if too few or none are measured.
///
/// In a closed loop output throughput, mean TTFT and mean TPOT. In a burst or a saturated open loop throughput alone, since
/// latency is then time in the queue. In an open loop that keeps up median TTFT, mean TPOT and, with ten requests beyond it,
/// P99 TTFT, since throughput is then the offered rate. Without TTFT and TPOT, mean (or else median) end-to-end latency
/// replaces them, except in a closed loop, where throughput determines it.
fn usual(metrics: &[&Metric], load: LoadShape, requests: Option<u64>) -> Option<Vec<String>> {
    let thick_tail = requests.is_some_and(|n| n >= 1000);
    // Without streaming, clients know the whole latency only. In a closed loop throughput determines its mean.
    let latency = ["mean_e2el_ms", "median_e2el_ms", "e2el_ms"];
    let (ttft, tpot) = (["mean_ttft_ms", "ttft_ms"], ["mean_tpot_ms", "tpot_ms"]);
    let streams = metrics.iter().any(|metric| matches!(metric.family, Family::Ttft | Family::Tpot));
    let wanted: &[&[&str]] = match load {
        LoadShape::Burst | LoadShape::Saturated { .. } => &[&THROUGHPUT],
        LoadShape::Open { .. } if !streams => &[&latency],
        LoadShape::Unknown if !streams => &[&THROUGHPUT, &latency],
        LoadShape::Open { .. } if thick_tail => {
            &[&["median_ttft_ms", "ttft_ms"], &tpot, &["p99_ttft_ms"]]
        }
        LoadShape::Open { .. } => &[&["median_ttft_ms", "ttft_ms"], &tpot],
        LoadShape::Closed { .. } | LoadShape::Unknown => &[&THROUGHPUT, &ttft, &tpot],
    };
    let serving = metrics.iter().any(|metric| metric.is_latency());
    let found: Vec<String> = wanted
        .iter()
        .filter_map(|alternatives| {
            alternatives.iter().find(|name| metrics.iter().any(|metric| metric.name == **name))
        })
        .map(|name| (*name).to_owned())
        .collect();
    (!found.is_empty() && (serving || found.len() == wanted.len())).then_some(found)
}

#[cfg(test)]
mod tests {
    use super::*;
    use beyondnoise_model::units::Better;

    fn of(metrics: &[&Metric], load: LoadShape, requests: Option<u64>) -> Vec<String> {
        deciding(metrics, load, &Workload { requests, ..Workload::default() }, &Policy::default())
    }

    #[test]
    fn the_load_says_which_metrics_decide() {
        let all: Vec<Metric> = [
            "output_throughput",
            "duration",
            "mean_ttft_ms",
            "median_ttft_ms",
            "p99_ttft_ms",
            "mean_tpot_ms",
        ]
        .map(Metric::named)
        .into();
        let all: Vec<&Metric> = all.iter().collect();
        let closed = of(&all, LoadShape::Closed { cap: 8.0 }, Some(1000));
        assert_eq!(closed, ["output_throughput", "mean_ttft_ms", "mean_tpot_ms"]);
        assert_eq!(of(&all, LoadShape::Burst, Some(1000)), ["output_throughput"]);
        let open = LoadShape::Open { offered: 4.0 };
        assert_eq!(of(&all, open, Some(999)), ["median_ttft_ms", "mean_tpot_ms"]);
        assert_eq!(of(&all, open, Some(1000)).len(), 3);
        let custom = Metric { better: Some(Better::Lower), ..Metric::named("build_s") };
        assert_eq!(of(&[&custom], LoadShape::Unknown, None), ["build_s"]);
        // Two throughputs count once, whatever other metrics there are.
        let rates = ["output_throughput", "request_throughput"].map(Metric::named);
        let some = [&custom, &rates[0], &rates[1], &custom];
        let found = of(&some, LoadShape::Unknown, None);
        assert_eq!(found, ["output_throughput", "build_s", "build_s"]);
        assert_eq!(of(&some[1..], LoadShape::Unknown, None), found[..2]);
    }
}
