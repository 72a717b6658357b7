//! The check of failed runs: no statistic uses them, and their number is itself a result.

use serde_json::json;

use crate::checks::{CheckId, Context, Finding, Severity};
use crate::format::sentence;
use crate::runs::{Run, Variant};

/// Most failed runs in a message.
const MAX_NAMED: usize = 3;

/// Failed runs, by variant. Any difference between the variants leaves the headline open: the surviving runs of the variant
/// that fails more are not a fair sample. A large difference stops the verdict.
pub(super) fn failed_runs(context: &Context) -> Option<Finding> {
    let sides = [context.baseline, context.candidate];
    let all: Vec<&Run> = sides.iter().flat_map(|variant| &variant.failed).collect();
    if all.is_empty() {
        return None;
    }
    let [a, b] = sides.map(|variant| (variant.failed.len(), variant.attempts()));
    let of = |variant: &Variant| {
        format!("{} of {} in {}", variant.failed.len(), variant.attempts(), variant.name)
    };
    let why = format!("runs failed: {}", sides.map(of).join(", "));
    let mut named: Vec<String> =
        all.iter().take(MAX_NAMED).map(|run| place_and_reason(run)).collect();
    if all.len() > MAX_NAMED {
        named.push(format!("and {} more", all.len() - MAX_NAMED));
    }
    let message = format!("{}. Not counted: {}.", sentence(&why), named.join("; "));
    let mut finding = if blocks(context, a, b) {
        Finding::incomparable(CheckId::FailedRuns, why, "runs failed")
    } else {
        let differ = a.0 * b.1 != b.0 * a.1;
        Finding::new(CheckId::FailedRuns, Severity::Warn, String::new()).flipping(differ)
    };
    finding.message = message;
    let listed: Vec<_> = all.iter().map(|run| listed(run)).collect();
    Some(
        finding
            .with("baseline_failed", a.0)
            .with("candidate_failed", b.0)
            .with("baseline_attempts", a.1)
            .with("candidate_attempts", b.1)
            .with("failed", listed),
    )
}

/// Whether one variant failed so much more often that the other's failure rate does not explain it.
fn blocks(context: &Context, a: (usize, usize), b: (usize, usize)) -> bool {
    let share = |(failed, attempts): (usize, usize)| failed as f64 / attempts.max(1) as f64;
    let (more, less) = if share(a) > share(b) { (a, b) } else { (b, a) };
    let thresholds = &context.policy.thresholds;
    let beyond = more.0 as f64 - share(less) * more.1 as f64;
    let enough = |value: f64, limit: f64| value >= limit - 1e-9;
    enough(beyond, thresholds.failed_runs as f64)
        && enough(share(more) - share(less), thresholds.failed_runs_share)
}

/// `runs.csv:7: status = failed`
fn place_and_reason(run: &Run) -> String {
    let place = if run.source.path.is_empty() {
        run.name.clone().unwrap_or_else(|| run.variant.clone())
    } else {
        run.source.to_string()
    };
    format!("{place}: {}", run.info.failure.as_deref().unwrap_or_default())
}

/// A failed run as evidence.
fn listed(run: &Run) -> serde_json::Value {
    json!({
        "variant": run.variant,
        "where": run.source.to_string(),
        "name": run.name,
        "reason": run.info.failure,
    })
}
