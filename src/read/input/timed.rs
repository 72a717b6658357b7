//! Tests that run for a time: the requests that were sent in it are a result, and no setting of the load.

use std::collections::BTreeMap;

use beyondnoise_model::runs::Run;

/// Largest ratio of the durations of tests that run for the same time.
const SAME_TIME: f64 = 1.05;

/// Takes the number of requests, and that of their prompt tokens, out of the workloads of tests that ran for the same time under
/// the same caps and rates, where these numbers differ: `214` and `171` requests in 60 s each.
pub(crate) fn count_as_results(runs: &mut [Run]) {
    let duration = |run: &Run| run.metrics.get("duration").map(|value| value.value);
    let caps = |run: &Run| {
        let load = &run.workload;
        format!("{:?} {:?} {:?}", load.max_concurrency, load.request_rate, load.other)
    };
    let times: Option<Vec<f64>> =
        runs.iter().map(|run| duration(run).filter(|time| *time > 0.0)).collect();
    let Some(times) = times else { return };
    let least = times.iter().copied().fold(f64::INFINITY, f64::min);
    let most = times.iter().copied().fold(0.0, f64::max);
    if runs.len() < 2 || most > SAME_TIME * least {
        return;
    }
    // The least and the most requests under each cap.
    let mut counts: BTreeMap<_, (u64, u64)> = BTreeMap::new();
    for run in runs.iter() {
        let Some(count) = run.workload.requests else { return };
        let (low, high) = counts.entry(caps(run)).or_insert((count, count));
        (*low, *high) = ((*low).min(count), (*high).max(count));
    }
    let follow = |(low, high): &(u64, u64)| *high as f64 > SAME_TIME * *low as f64;
    // Numbers that people set are round.
    let round = counts.values().all(|(low, high)| low % 10 == 0 && high % 10 == 0);
    if round || !counts.values().any(follow) {
        return;
    }
    for run in runs {
        let sent = run.workload.requests;
        run.workload.requests = None;
        run.workload.input_tokens = None;
        run.info.completed = run.info.completed.or(sent);
    }
}
