//! Checks of what was asked of the server and what came back: workload, failures, output.

use crate::checks::{Blocks, Context, Finding, Severity, percent};
use crate::runs::{Run, Variant, Workload};

/// The finding that two workloads differ, naming each field with both values; `None` if they agree.
pub fn mismatch(baseline: &Workload, candidate: &Workload) -> Option<Finding> {
    let differences = baseline.differences(candidate);
    if differences.is_empty() {
        return None;
    }
    let words: Vec<String> = differences
        .iter()
        .map(|field| format!("{} {} against {}", field.field, field.baseline, field.candidate))
        .collect();
    let message = format!("The workloads differ: {}.", words.join(", "));
    let fields: Vec<serde_json::Value> = differences
        .into_iter()
        .map(|d| serde_json::json!({"field": d.field, "baseline": d.baseline, "candidate": d.candidate}))
        .collect();
    let mut finding = Finding::new("workload-mismatch", Severity::Block, message)
        .with("fields", fields)
        .blocking(Blocks::All, "different workloads");
    finding.incomparable = true;
    Some(finding)
}

pub(super) fn failed_requests(context: &Context) -> Option<Finding> {
    let (a, b) = (failures(context.baseline)?, failures(context.candidate)?);
    if a.0 + b.0 == 0 {
        return None;
    }
    let share = |(failed, sent): (u64, u64)| failed as f64 / sent.max(1) as f64;
    let limits = &context.policy.thresholds;
    let blocked = share(a).max(share(b)) > limits.failed_share
        || (share(a) - share(b)).abs() > limits.failed_difference;
    let message = format!(
        "Requests failed: {} of {} in `{}`, {} of {} in `{}`. Latencies count the successful ones \
         only, so a server that fails fast looks fast.",
        a.0, a.1, context.baseline.name, b.0, b.1, context.candidate.name
    );
    let severity = if blocked { Severity::Block } else { Severity::Warn };
    let blocks = if blocked { Blocks::All } else { Blocks::Nothing };
    let mut finding = Finding::new("failed-requests", severity, message)
        .with("baseline_failed", a.0)
        .with("candidate_failed", b.0)
        .with("baseline_share", share(a))
        .with("candidate_share", share(b))
        .blocking(blocks, "requests failed");
    finding.incomparable = blocked;
    Some(finding)
}

/// Failed and sent requests of the runs that know them.
fn failures(variant: &Variant) -> Option<(u64, u64)> {
    let known = |run: &Run| {
        let failed = run.failed?;
        Some((failed, run.workload.requests.or(run.completed.map(|done| done + failed))?))
    };
    variant.runs.iter().filter_map(known).reduce(|a, b| (a.0 + b.0, a.1 + b.1))
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
        "`{}` generated {} {more} tokens ({b:.0} against {a:.0} a run), so the outputs are not the same work",
        context.candidate.name,
        percent(change),
    );
    let blocked = change.abs() > limits.output_tokens_block;
    let (severity, tail) = if blocked {
        (Severity::Block, ": duration and requests/s are not judged.")
    } else {
        (Severity::Warn, ": part of the change in duration is theirs.")
    };
    let finding = Finding::new("output-tokens-drift", severity, format!("{lead}{tail}"))
        .with("baseline_tokens", a)
        .with("candidate_tokens", b)
        .with("change", change);
    let names = vec!["duration".to_owned(), "request_throughput".to_owned()];
    let blocks = if blocked { Blocks::Metrics(names) } else { Blocks::Nothing };
    Some(finding.blocking(blocks, "outputs differ in length"))
}

/// Mean number of generated tokens of a run.
fn mean_tokens(variant: &Variant) -> Option<f64> {
    let counts: Option<Vec<u64>> = variant.runs.iter().map(|run| run.output_tokens).collect();
    let counts = counts.filter(|counts| !counts.is_empty())?;
    let mean = counts.iter().sum::<u64>() as f64 / counts.len() as f64;
    (mean > 0.0).then_some(mean)
}
