//! Checks of the requests sent and the answers received: workload, failures, output.

use serde_json::{Value, json};

use crate::checks::{Blocks, CheckId, Context, Finding, Severity};
use crate::format::{percent, sentence};
use crate::metrics::Family;
use crate::runs::{Run, Variant, Workload};
use crate::units::Better;

/// The finding that two workloads differ; `None` if they agree. Different clients come first: their metrics have different
/// definitions.
pub(crate) fn mismatch(baseline: &Workload, candidate: &Workload) -> Option<Finding> {
    let why = what_differs(baseline, candidate)?;
    let differences = baseline.differences(candidate);
    let fields: Vec<Value> = differences
        .iter()
        .map(|d| json!({"field": d.field, "baseline": d.baseline, "candidate": d.candidate}))
        .collect();
    Some(match clients(baseline, candidate) {
        Some((a, b)) => Finding::incomparable(CheckId::ToolMismatch, why, "different clients")
            .with("fields", fields)
            .with("definitions", definitions(baseline, candidate, (a, b))),
        None => Finding::incomparable(CheckId::WorkloadMismatch, why, "different workloads")
            .with("fields", fields),
    })
}

/// The fields in which two workloads differ, with both values, as words after a colon; `None` if they agree.
pub(crate) fn what_differs(baseline: &Workload, candidate: &Workload) -> Option<String> {
    let clients = clients(baseline, candidate);
    let bare = |workload: &Workload| Workload { client: None, ..workload.clone() };
    let words: Vec<String> = bare(baseline)
        .differences(&bare(candidate))
        .iter()
        .map(|d| format!("{} {} against {}", d.field, d.baseline, d.candidate))
        .collect();
    let words = words.join(", ");
    let Some((a, b)) = clients else {
        return (!words.is_empty()).then(|| format!("the workloads differ: {words}"));
    };
    let because = match &definitions(baseline, candidate, (a, b))[..] {
        [] => "each client has its own definitions".to_owned(),
        known => known.join("; "),
    };
    let others =
        if words.is_empty() { words } else { format!("; the workloads differ too: {words}") };
    Some(format!("the clients differ, {a} against {b}: {because}{others}"))
}

/// The known differences between two clients' definitions: `vllm takes percentiles by interpolation, guidellm as one of the
/// values`.
fn definitions(baseline: &Workload, candidate: &Workload, (a, b): (&str, &str)) -> Vec<String> {
    let differ = baseline.definitions.differences(candidate.definitions);
    differ.map(|(what, of_a, of_b)| format!("{a} takes {what} {of_a}, {b} {of_b}")).collect()
}

/// The two clients, if both are known and they differ.
fn clients<'a>(baseline: &'a Workload, candidate: &'a Workload) -> Option<(&'a str, &'a str)> {
    baseline.client.as_deref().zip(candidate.client.as_deref()).filter(|(a, b)| a != b)
}

pub(super) fn failed_requests(context: &Context) -> Option<Finding> {
    let (a, b) = (failures(context.baseline), failures(context.candidate));
    let none = [a, b].into_iter().flatten().all(|counts| counts.failed == 0);
    let shares = [context.baseline, context.candidate].map(mean_share);
    if none && shares.into_iter().flatten().all(|share| share == 0.0) {
        return missing_successes(context);
    }
    let share = |counts: Option<Failures>, variant: &Variant| {
        let counted =
            counts.and_then(|c| Some(c.failed as f64 / c.sent.filter(|sent| *sent > 0)? as f64));
        counted.or(mean_share(variant))
    };
    let (share_a, share_b) = (share(a, context.baseline), share(b, context.candidate));
    let limits = &context.policy.thresholds;
    let large = [share_a, share_b].into_iter().flatten().any(|s| s > limits.failed_share);
    let apart = share_a.zip(share_b).is_some_and(|(a, b)| (a - b).abs() > limits.failed_difference);
    // A count that only one side has cannot be compared.
    let blocked = large || apart || share_a.is_none() || share_b.is_none();
    let words = |counts: Option<Failures>, share: Option<f64>, name: &str| match counts {
        None => share.map_or(format!("not known in {name}"), |share| {
            format!("{} in {name}", percent(share))
        }),
        Some(Failures { failed, sent: Some(sent) }) => format!("{failed} of {sent} in {name}"),
        Some(Failures { failed, sent: None }) => format!("{failed} in {name}"),
    };
    let why = format!(
        "requests failed: {}, {}. Latencies count the successful requests only, so a server that fails fast looks \
         fast",
        words(a, share_a, &context.baseline.name),
        words(b, share_b, &context.candidate.name)
    );
    let finding = if blocked {
        Finding::incomparable(CheckId::FailedRequests, why, "requests failed")
    } else {
        Finding::new(CheckId::FailedRequests, Severity::Warn, format!("{}.", sentence(&why)))
    };
    let finding = finding
        .with("baseline_failed", a.map(|counts| counts.failed))
        .with("candidate_failed", b.map(|counts| counts.failed))
        .with("baseline_share", share_a)
        .with("candidate_share", share_b);
    Some(finding)
}

/// Requests in a variant's runs that count failures.
#[derive(Clone, Copy)]
struct Failures {
    failed: u64,
    /// `None` if a run does not count the requests sent.
    sent: Option<u64>,
}

/// The mean share of failed requests over the runs that give one.
fn mean_share(variant: &Variant) -> Option<f64> {
    let shares: Vec<f64> = variant.runs.iter().filter_map(|run| run.info.failed_share).collect();
    (!shares.is_empty()).then(|| shares.iter().sum::<f64>() / shares.len() as f64)
}

/// Numbers of successes that differ by more than the throughput explains, if no run counts the requests sent.
fn missing_successes(context: &Context) -> Option<Finding> {
    let runs = || context.baseline.runs.iter().chain(&context.candidate.runs);
    let open = |run: &&Run| run.info.failed.is_none() && run.workload.requests.is_none();
    let done = |run: &Run| run.info.completed.filter(|done| *done > 0).map(|done| done as f64);
    let all: Vec<f64> = runs().filter(open).filter_map(done).collect();
    let range = |values: &[f64]| {
        let low = values.iter().copied().fold(f64::INFINITY, f64::min);
        values.iter().copied().fold(0.0, f64::max) / low
    };
    let allowed = 1.0 + context.policy.thresholds.successes_difference;
    if all.len() < 2 || all.len() < runs().count() || range(&all) <= allowed {
        return None;
    }
    // In a test of fixed length the successes follow the rate.
    let rate = context.rows.iter().find(|row| {
        row.metric.family == Family::Throughput && row.metric.better == Some(Better::Higher)
    });
    let per_rate = rate.and_then(|row| {
        let rate = |run: &Run| run.metrics.get(&row.metric.name).map(|value| value.value);
        runs().map(|run| Some(done(run)? / rate(run)?)).collect::<Option<Vec<f64>>>()
    });
    if per_rate.is_some_and(|ratios| range(&ratios) <= allowed.max(range(&all).sqrt())) {
        return None;
    }
    let (low, high) = (
        all.iter().copied().fold(f64::INFINITY, f64::min),
        all.iter().copied().fold(0.0, f64::max),
    );
    let message = format!(
        "The runs have {low} to {high} successes, and the input does not say how many requests were sent. If the others \
         failed, the runs are not comparable."
    );
    let finding = Finding::new(CheckId::FailedRequests, Severity::Warn, message).flipping(true);
    Some(finding.with("least", low).with("most", high))
}

fn failures(variant: &Variant) -> Option<Failures> {
    let known = |run: &Run| {
        let failed = run.info.failed?;
        let sent = run.workload.requests.or(run.info.completed.map(|done| done + failed));
        Some(Failures { failed, sent })
    };
    variant.runs.iter().filter_map(known).reduce(|a, b| Failures {
        failed: a.failed + b.failed,
        sent: a.sent.zip(b.sent).map(|(a, b)| a + b),
    })
}

pub(super) fn output_tokens_drift(context: &Context) -> Option<Finding> {
    let (a, b) = (mean_tokens(context.baseline)?, mean_tokens(context.candidate)?);
    let change = b / a - 1.0;
    let limits = &context.policy.thresholds;
    if change.abs() <= limits.output_tokens_warn {
        return None;
    }
    let more = if change > 0.0 { "more" } else { "fewer" };
    let lead = format!(
        "{} generated {} {more} tokens ({b:.0} against {a:.0} a run), so the outputs are not the same work",
        context.candidate.name,
        percent(change),
    );
    let blocked = change.abs() > limits.output_tokens_block;
    let (severity, tail) = if blocked {
        (Severity::Block, ": duration and requests/s are not judged.")
    } else {
        (Severity::Warn, ": part of the change in duration comes from that.")
    };
    let finding = Finding::new(CheckId::OutputTokensDrift, severity, format!("{lead}{tail}"))
        .with("baseline_tokens", a)
        .with("candidate_tokens", b)
        .with("change", change);
    let names = vec!["duration".to_owned(), "request_throughput".to_owned()];
    let blocks = if blocked { Blocks::Metrics(names) } else { Blocks::Nothing };
    Some(finding.blocking(blocks, "outputs differ in length"))
}

/// Prompts of one workload may differ a little; more than that is another workload.
pub(super) fn input_tokens_differ(context: &Context) -> Option<Finding> {
    // After failures the prompt tokens are an estimate.
    let known = |run: &Run| run.workload.input_tokens.filter(|_| run.info.failed.unwrap_or(0) == 0);
    let (a, b) = (mean_of(context.baseline, known)?, mean_of(context.candidate, known)?);
    let change = b / a - 1.0;
    if change == 0.0 {
        return None;
    }
    let message = format!(
        "The prompts are not quite the same: {} input tokens a run in {}, {} in {} ({} apart).",
        counted(a),
        context.baseline.name,
        counted(b),
        context.candidate.name,
        percent(change)
    );
    Some(
        Finding::new(CheckId::InputTokensDiffer, Severity::Warn, message)
            .with("baseline_tokens", a)
            .with("candidate_tokens", b)
            .with("change", change),
    )
}

/// A mean of counts, with a decimal unless it is whole.
fn counted(mean: f64) -> String {
    if mean.fract() == 0.0 { format!("{mean:.0}") } else { format!("{mean:.1}") }
}

fn mean_tokens(variant: &Variant) -> Option<f64> {
    mean_of(variant, |run| run.info.output_tokens)
}

/// Mean of a count over the runs that have it; `None` if the mean is zero.
fn mean_of(variant: &Variant, count: impl Fn(&Run) -> Option<u64>) -> Option<f64> {
    let counts: Vec<u64> = variant.runs.iter().filter_map(count).collect();
    if counts.is_empty() {
        return None;
    }
    let mean = counts.iter().sum::<u64>() as f64 / counts.len() as f64;
    (mean > 0.0).then_some(mean)
}

#[cfg(test)]
mod tests;
