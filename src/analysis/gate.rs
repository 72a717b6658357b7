//! The gate: whether a comparison may pass, and why not.

use crate::metrics::Metric;
use crate::policy::{GateAnswer, Policy};
use crate::report::{Comparison, Row};
use crate::verdict::{Gate, Headline, Verdict};

/// The answer, and the reason in one sentence; empty where it passes without more to say.
pub(super) fn gate(comparison: &Comparison, policy: &Policy) -> (Gate, String) {
    let unjudged = match comparison.headline {
        Headline::NotComparable => Some((policy.not_comparable, "not comparable")),
        Headline::NoVerdict => Some((policy.no_verdict, "no verdict")),
        _ => None,
    };
    if let Some((answer, word)) = unjudged {
        return match answer {
            GateAnswer::Unknown => (Gate::None, comparison.summary.clone()),
            GateAnswer::Pass => (Gate::Pass, format!("{word} passes by the policy")),
            GateAnswer::Fail => {
                (Gate::Fail, format!("{word} fails by the policy: {}", comparison.summary))
            }
        };
    }
    let found: Vec<String> =
        comparison.metrics.iter().filter_map(|row| failure(row, policy)).collect();
    if !found.is_empty() {
        return (Gate::Fail, found.join("; "));
    }
    // A guard that cannot be looked at guards nothing.
    let absent = policy.deciding.iter().find_map(|name| unmeasured(comparison, name, "deciding"));
    let blind = || policy.guards.iter().find_map(|guard| unseen(comparison, guard, policy));
    let blind = absent.or_else(blind);
    match blind {
        Some(reason) => match policy.no_verdict {
            GateAnswer::Unknown => (Gate::None, reason),
            GateAnswer::Pass => (Gate::Pass, format!("{reason}, which passes by the policy")),
            GateAnswer::Fail => (Gate::Fail, format!("{reason}, which fails by the policy")),
        },
        None => (Gate::Pass, String::new()),
    }
}

/// Why a row fails the gate, if it does.
fn failure(row: &Row, policy: &Policy) -> Option<String> {
    if !row.deciding && !row.guard {
        return None;
    }
    let percent = |fraction: f64| format!("{:.1} %", fraction.abs() * 100.0);
    let tolerance = percent(row.tolerance);
    let role = if row.guard { "guard " } else { "" };
    let beyond = row.delta.relative.is_none_or(|relative| relative.abs() > row.tolerance);
    if row.verdict == Verdict::Worse && beyond {
        let size =
            row.delta.relative.map_or_else(String::new, |size| format!(" by {}", percent(size)));
        return Some(format!("{role}{} is worse{size}, {tolerance} is tolerated", row.label));
    }
    let shown = row.guard && policy.metrics.get(&row.metric).is_some_and(|wish| wish.non_inferior);
    if !shown || row.verdict == Verdict::NotJudged {
        return None;
    }
    let [low, high] = row.delta.relative_ci?;
    let worst = if row.better?.sign() > 0.0 { -low } else { high };
    (worst >= row.tolerance).then(|| {
        let could = percent(worst);
        format!("guard {} could be worse by {could}, {tolerance} is tolerated", row.label)
    })
}

/// That a metric of the policy is not there, if so.
fn unmeasured(comparison: &Comparison, name: &str, role: &str) -> Option<String> {
    let label = Metric::named(name).label;
    let known = comparison.metrics.iter().any(|row| row.metric == name);
    (!known).then(|| format!("{role} {label} was not measured in both variants"))
}

/// Why a guard says nothing, if so: it was not measured, or not judged.
fn unseen(comparison: &Comparison, guard: &str, policy: &Policy) -> Option<String> {
    let Some(row) = comparison.metrics.iter().find(|row| row.metric == guard) else {
        return unmeasured(comparison, guard, "guard");
    };
    let must = policy.metrics.get(guard).is_some_and(|wish| wish.non_inferior);
    let no_interval = must && (row.delta.relative_ci.is_none() || row.better.is_none());
    if row.verdict == Verdict::NotJudged {
        return Some(format!("guard {} was not judged: {}", row.label, row.reason));
    }
    no_interval.then(|| format!("guard {} has no interval of a ratio", row.label))
}
