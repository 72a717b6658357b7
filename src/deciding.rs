//! Which metrics decide, for every command.

use crate::metrics::{Family, Metric, Statistic};
use crate::policy::Policy;
use crate::runs::{LoadShape, Workload};

/// Names of the metrics that decide among `metrics`, the most important first: those that the user named, or else the
/// ones that the load asks for.
///
/// `metrics` are in the order of a report.
pub fn deciding(
    metrics: &[&Metric],
    load: LoadShape,
    workload: &Workload,
    policy: &Policy,
) -> Vec<String> {
    let known = |name: &&String| metrics.iter().any(|metric| metric.name == **name);
    if !policy.deciding.is_empty() {
        policy.deciding.iter().filter(known).cloned().collect()
    } else if policy.selected.is_empty() {
        usual(metrics, load, workload.requests)
    } else {
        let asked = |metric: &&&Metric| policy.selected(&metric.name).is_some();
        let named = metrics.iter().filter(asked).filter(|metric| metric.better.is_some());
        named.map(|metric| metric.name.clone()).collect()
    }
}

/// Whether a metric measures the same thing as the throughput at a fixed workload: other rates and the duration, and in a
/// closed loop the mean latency, by Little's law.
pub(crate) fn same_fact(metric: &Metric, load: LoadShape) -> bool {
    let closed = matches!(load, LoadShape::Closed { .. });
    metric.family == Family::Throughput
        || closed && metric.family == Family::E2el && metric.statistic == Statistic::Mean
}

/// Which of `metrics` decide, most important first.
///
/// In a closed loop output throughput, mean TTFT and mean TPOT. In a burst or a saturated open loop throughput alone,
/// since latency there is time in the queue. In an open loop that keeps up median TTFT, mean TPOT and, with ten
/// requests beyond it, P99 TTFT, since throughput there is the offered rate. If neither TTFT nor TPOT is measured,
/// mean (or else median) end-to-end latency replaces them, except in a closed loop, where it is throughput again. If
/// none of these is measured, every metric with a direction decides, one per family of throughput.
fn usual(metrics: &[&Metric], load: LoadShape, requests: Option<u64>) -> Vec<String> {
    let throughput = [
        "output_throughput",
        "request_throughput",
        "total_token_throughput",
        "throughput",
        "duration",
    ];
    let thick_tail = requests.is_some_and(|n| n >= 1000);
    // Clients that do not stream know the whole latency only. In a closed loop its mean is throughput again.
    let latency = ["mean_e2el_ms", "median_e2el_ms", "e2el_ms"];
    let (ttft, tpot) = (["mean_ttft_ms", "ttft_ms"], ["mean_tpot_ms", "tpot_ms"]);
    let streams = metrics.iter().any(|metric| matches!(metric.family, Family::Ttft | Family::Tpot));
    let wanted: &[&[&str]] = match load {
        LoadShape::Burst | LoadShape::Saturated { .. } => &[&throughput],
        LoadShape::Open { .. } if !streams => &[&latency],
        LoadShape::Unknown if !streams => &[&throughput, &latency],
        LoadShape::Open { .. } if thick_tail => {
            &[&["median_ttft_ms", "ttft_ms"], &tpot, &["p99_ttft_ms"]]
        }
        LoadShape::Open { .. } => &[&["median_ttft_ms", "ttft_ms"], &tpot],
        LoadShape::Closed { .. } | LoadShape::Unknown => &[&throughput, &ttft, &tpot],
    };
    let serving = metrics.iter().any(|metric| metric.is_latency());
    let found: Vec<String> = wanted
        .iter()
        .filter_map(|alternatives| {
            alternatives.iter().find(|name| metrics.iter().any(|metric| metric.name == **name))
        })
        .map(|name| (*name).to_owned())
        .collect();
    if !found.is_empty() && (serving || found.len() == wanted.len()) {
        return found;
    }
    let mut throughput_seen = false;
    let only_quantiles =
        metrics.iter().filter(|m| m.can_decide()).all(|metric| metric.quantile().is_some());
    metrics
        .iter()
        .filter(|metric| metric.can_decide())
        .filter(|metric| only_quantiles || metric.quantile().is_none())
        .filter(|metric| {
            let again = metric.family == Family::Throughput && throughput_seen;
            throughput_seen |= metric.family == Family::Throughput;
            !again
        })
        .map(|metric| metric.name.clone())
        .collect()
}
