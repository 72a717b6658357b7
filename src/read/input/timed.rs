//! Tests that run for a time: the requests that were sent in it are a result, and no setting of the load.

use std::collections::BTreeMap;

use beyondnoise_model::metrics::words::{Quantity, meaning};
use beyondnoise_model::runs::Run;

/// Largest ratio of the durations of tests that run for the same time, and that from which on any other count shows it.
const SAME_TIME: f64 = 1.05;
const SAME_TO_THE_TICK: f64 = 1.002;

/// Largest ratio of the mean lengths of prompts that are drawn alike.
const LIKE_PROMPTS: f64 = 1.3;

/// Takes the number of requests, and that of their prompt tokens, out of the workloads of tests that ran for the same time under
/// the same caps and rates, where these numbers differ, `214` and `171` requests in 60 s each; and out of tables that give the
/// outcomes of requests alone, where they differ a little.
pub(crate) fn count_as_results(runs: &mut [Run]) {
    let caps = |run: &Run| {
        let load = &run.workload;
        format!("{:?} {:?} {:?}", load.max_concurrency, load.request_rate, load.other)
    };
    // The least and the most requests under each cap.
    let mut counts: BTreeMap<_, (u64, u64)> = BTreeMap::new();
    for run in runs.iter() {
        let Some(count) = run.workload.requests else { return };
        let (low, high) = counts.entry(caps(run)).or_insert((count, count));
        (*low, *high) = ((*low).min(count), (*high).max(count));
    }
    let apart = |(low, high): &(u64, u64)| *high as f64 > SAME_TIME * *low as f64;
    let differ = counts.values().any(|(low, high)| low < high);
    // Numbers that people set are round.
    let round = counts.values().all(|(low, high)| low % 10 == 0 && high % 10 == 0);
    let follow = if ran_as_long(runs, SAME_TIME) {
        counts.values().any(apart) || ran_as_long(runs, SAME_TO_THE_TICK)
    } else {
        runs.iter().all(gives_outcomes_alone) && !counts.values().any(apart)
    };
    let alike =
        counts.keys().all(|cap| have_like_prompts(runs.iter().filter(|run| caps(run) == *cap)));
    if round || !differ || !follow || !alike {
        return;
    }
    for run in runs {
        let sent = run.workload.requests;
        run.workload.requests = None;
        run.workload.input_tokens = None;
        run.info.completed = run.info.completed.or(sent);
    }
}

/// Whether the prompts of all runs under one cap are about as long.
fn have_like_prompts<'a>(runs: impl Iterator<Item = &'a Run> + Clone) -> bool {
    let length = |run: &Run| {
        let tokens = run.workload.input_tokens.zip(run.workload.requests);
        tokens.map(|(tokens, requests)| tokens as f64 / requests.max(1) as f64)
    };
    let lengths = runs.filter_map(length);
    let most = lengths.clone().fold(0.0, f64::max);
    most <= LIKE_PROMPTS * lengths.fold(f64::INFINITY, f64::min)
}

/// Whether all runs took the same time, under whatever name, up to this ratio; without one it is that in which their requests
/// were served at their rate.
fn ran_as_long(runs: &[Run], ratio: f64) -> bool {
    let whole = |name: &str| {
        let says = meaning(name);
        name == "duration" || says.quantity == Quantity::Time && says.statistic.is_none()
    };
    let alike = |time: &dyn Fn(&Run) -> Option<f64>| {
        let times: Option<Vec<f64>> = runs
            .iter()
            .map(|run| time(run).filter(|time| time.is_normal() && *time > 0.0))
            .collect();
        times.is_some_and(|times| {
            let least = times.iter().copied().fold(f64::INFINITY, f64::min);
            let most = times.iter().copied().fold(0.0, f64::max);
            times.len() > 1 && most <= ratio * least
        })
    };
    let names = runs.iter().take(1).flat_map(|run| run.metrics.keys());
    let mut named = names.filter(|name| whole(name)).peekable();
    let of_rate = |run: &Run| {
        let rate = run.metrics.get("request_throughput")?.value;
        run.workload.requests.map(|requests| requests as f64 / rate)
    };
    if named.peek().is_none() {
        return alike(&of_rate);
    }
    named.any(|name| alike(&|run: &Run| run.metrics.get(name).map(|value| value.value)))
}

/// Whether a run of a table has the number of its requests from those that succeeded and failed.
fn gives_outcomes_alone(run: &Run) -> bool {
    let sum = run.info.completed.zip(run.info.failed).map(|(done, failed)| done + failed);
    run.info.of_table && sum == run.workload.requests
}
