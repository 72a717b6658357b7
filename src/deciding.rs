//! Which metrics decide and which guard, for every command.

use crate::metrics::words::{Quantity, meaning};
use crate::metrics::{Family, Metric, Statistic};
use crate::policy::Policy;
use crate::runs::{LoadShape, Workload};

/// Most metrics of one's own table that decide.
const MAX_DECIDING: usize = 5;

/// Names of the metrics that decide among `metrics`, the most important first: those that the user named, or else the
/// ones that the load asks for.
///
/// `metrics` are in the order of a report. The metrics of a serving benchmark have the usual ones: output throughput,
/// mean TTFT, mean TPOT, as the load allows. Any other table is one's own: every metric with a known direction decides, at
/// most five, by kind: throughput, time, latency, memory, rates, others.
pub fn deciding(
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

/// Names of the metrics that guard: those that the user named, and of one's own table every metric with a known direction
/// that is not among `deciding`, unless the user chose what decides.
pub fn guards(
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

/// The metrics without the control, which the change cannot affect.
fn without_control<'a>(metrics: &[&'a Metric], policy: &Policy) -> Vec<&'a Metric> {
    let control = policy.control.as_deref().map(|name| Metric::of_column(name).0.name);
    metrics.iter().copied().filter(|metric| Some(&metric.name) != control.as_ref()).collect()
}

/// Whether the metrics are those of one's own table, and not of a known client or of a serving benchmark.
fn is_own(metrics: &[&Metric], load: LoadShape, workload: &Workload) -> bool {
    let serving = [&THROUGHPUT[..], &["mean_ttft_ms", "ttft_ms"], &["mean_tpot_ms", "tpot_ms"]];
    let has = |names: &&[&str]| metrics.iter().any(|metric| names.contains(&&*metric.name));
    matches!(load, LoadShape::Unknown | LoadShape::Closed { .. })
        && workload.client.is_none()
        && !serving.iter().all(has)
}

/// All metrics that may decide, by kind; those that measure the same thing as the throughput count once.
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

/// The metrics that are no quantiles, unless all that may decide are.
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

/// Metrics of the registry that stand for the throughput, the first that is measured counts.
const THROUGHPUT: [&str; 5] =
    ["output_throughput", "request_throughput", "total_token_throughput", "throughput", "duration"];

/// Whether a metric measures the same thing as the throughput at a fixed workload: other rates and the duration, and in a
/// closed loop the mean latency, by Little's law.
pub(crate) fn same_fact(metric: &Metric, load: LoadShape) -> bool {
    let closed = matches!(load, LoadShape::Closed { .. });
    metric.family == Family::Throughput
        || closed && metric.family == Family::E2el && metric.statistic == Statistic::Mean
}

/// Which metrics of a serving benchmark decide, the most important first; `None` where none is measured, or too few.
///
/// In a closed loop output throughput, mean TTFT and mean TPOT. In a burst or a saturated open loop throughput alone,
/// since latency there is time in the queue. In an open loop that keeps up median TTFT, mean TPOT and, with ten
/// requests beyond it, P99 TTFT, since throughput there is the offered rate. If neither TTFT nor TPOT is measured,
/// mean (or else median) end-to-end latency replaces them, except in a closed loop, where it is throughput again.
fn usual(metrics: &[&Metric], load: LoadShape, requests: Option<u64>) -> Option<Vec<String>> {
    let thick_tail = requests.is_some_and(|n| n >= 1000);
    // Clients that do not stream know the whole latency only. In a closed loop its mean is throughput again.
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
