//! Checks of the shape of the load: the limits that the arrival of requests puts on a metric.

use crate::checks::{Blocks, CheckId, Context, Finding, Severity};
use crate::format::{change, percent};
use crate::metrics::Family;
use crate::runs::LoadShape;

pub(super) fn burst_load(context: &Context) -> Option<Finding> {
    if context.load != LoadShape::Burst {
        return None;
    }
    let requests = context.workload().requests;
    let all = requests.map_or_else(|| "All requests".to_owned(), |n| format!("All {n} requests"));
    let message = format!("{all} start at once, so TTFT is time in the queue: throughput decides.");
    Some(Finding::new(CheckId::BurstLoad, Severity::Warn, message).with("requests", requests))
}

pub(super) fn saturated_open_loop(context: &Context) -> Option<Finding> {
    let LoadShape::Saturated { offered, achieved } = context.load else { return None };
    let message = format!(
        "The server does not keep up: {offered} requests/s offered, {achieved:.2} finished ({} of it). \
         Latency grows with the length of the test: throughput decides.",
        percent(achieved / offered)
    );
    Some(
        Finding::new(CheckId::SaturatedOpenLoop, Severity::Warn, message)
            .with("offered", offered)
            .with("achieved", achieved),
    )
}

pub(super) fn rate_limited_throughput(context: &Context) -> Option<Finding> {
    let LoadShape::Open { offered } = context.load else { return None };
    let message = format!(
        "Requests come at {offered}/s and the server keeps up, so throughput is the offered rate: \
         latency decides."
    );
    Some(
        Finding::new(CheckId::RateLimitedThroughput, Severity::Note, message)
            .with("offered", offered),
    )
}

pub(super) fn p99_startup_burst(context: &Context) -> Option<Finding> {
    let requests = context.workload().requests?;
    let LoadShape::Closed { cap } = context.load else { return None };
    let share = context.load.starting_together(requests)?;
    // If the burst is at least as large as the tail, the whole tail is inside the burst.
    let inside = |q: f64| share >= 1.0 - q - 1e-12;
    let rows: Vec<_> = context
        .rows
        .iter()
        .filter(|row| {
            row.metric.family == Family::Ttft && row.metric.quantile().is_some_and(inside)
        })
        .collect();
    let first = rows.first()?;
    let label = &first.metric.label;
    let change = first
        .relative
        .map_or_else(|| label.clone(), |effect| format!("{label} {}", change(effect.estimate, 1)));
    let message = format!(
        "{change} is not evidence: {cap} of {requests} requests start together ({}), so {} lies inside \
         the start-up burst.",
        percent(share),
        first.metric.statistic.word().to_uppercase()
    );
    let names: Vec<String> = rows.iter().map(|row| row.metric.name.clone()).collect();
    let decides = names.iter().any(|name| context.deciding.contains(name));
    Some(
        Finding::new(CheckId::P99StartupBurst, Severity::Warn, message)
            .flipping(decides)
            .with("max_concurrency", cap)
            .with("requests", requests)
            .with("share", share)
            .blocking(Blocks::Metrics(names), "inside the start-up burst"),
    )
}
