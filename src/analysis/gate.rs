//! The gate: whether a comparison may pass, and why not.
//!
//! A metric that is shown to be worse beyond the tolerance fails, whatever its margin and whatever the policy says about
//! missing verdicts. A metric that was not judged has no answer, unless the policy gives one.

use std::collections::BTreeMap;

use crate::checks::CheckId;
use crate::format::{counted, percent, trimmed, with_unit};
use crate::metrics::Metric;
use crate::policy::{GateAnswer, GateOrder, Policy, Slo};
use crate::report::{Check, Comparison, Row, SharedRow, SloRow, SloSide, Unmatched};
use crate::verdict::{Gate, Headline, Verdict};

/// Start of the reason if the gate passes although something is worse.
const PASSES: &str = "passes; ";

/// The answer, and its reason in one sentence; empty if it passes and nothing is shown to be worse.
///
/// `one_sided` names metrics that decide or were asked for, and that a variant lacks.
pub(super) fn gate(
    comparison: &Comparison,
    one_sided: &[String],
    policy: &Policy,
) -> (Gate, String) {
    let (answer, reason) = judged(comparison, one_sided, policy);
    if answer != Gate::Pass {
        return (answer, reason);
    }
    let tolerated = comparison.metrics.iter().filter_map(tolerated);
    let also = comparison.also_worse.clone();
    let said = Some(reason).filter(|reason| !reason.is_empty());
    let all: Vec<String> = said.into_iter().chain(tolerated).chain(also).collect();
    let reason = all.join("; ");
    let shown = comparison.has_worse();
    (Gate::Pass, if shown { format!("{PASSES}{reason}") } else { reason })
}

/// A sentence for a metric under the gate that is worse within the tolerance.
fn tolerated(row: &Row) -> Option<String> {
    let looked = row.deciding || row.guard;
    let size = row.delta.relative.filter(|_| looked && row.verdict == Verdict::Worse)?;
    let (size, tolerance) = (percent(size), percent(row.tolerance));
    Some(format!("{}{} is worse by {size}, {tolerance} is tolerated", role(row), row.label))
}

/// The answer to a proven change for the worse. It fails, unless the order of most runs of these comparisons may explain the
/// change.
pub(super) fn worse<'a>(
    reason: String,
    comparisons: impl IntoIterator<Item = &'a Comparison>,
    policy: &Policy,
) -> (Gate, String) {
    let order =
        |one: &'a Comparison| one.checks.iter().find(|check| check.id == CheckId::OrderConfounded);
    let orders: Vec<Option<&Check>> = comparisons.into_iter().map(order).collect();
    let confounded: Vec<&Check> = orders.iter().copied().flatten().collect();
    match confounded.first() {
        Some(check)
            if policy.gate_order == GateOrder::Unknown && 2 * confounded.len() >= orders.len() =>
        {
            let order = check.message.split(':').next().unwrap_or_default();
            let reason = format!(
                "{reason}, or a drift looks like it: {} (interleave them, or set gate_order = \"allow\")",
                uncapitalised(order)
            );
            (Gate::None, reason)
        }
        _ => (Gate::Fail, reason),
    }
}

fn uncapitalised(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map_or(String::new(), |first| first.to_lowercase().chain(chars).collect())
}

fn judged(comparison: &Comparison, one_sided: &[String], policy: &Policy) -> (Gate, String) {
    let rows = &comparison.metrics;
    let unseen = |row: &Row| unseen(row, policy);
    let limits = gate_at_one_load(&comparison.slo, policy);
    let mut failures: Vec<String> = rows.iter().filter_map(failure).collect();
    failures
        .extend(limits.iter().filter(|(gate, _)| *gate == Gate::Fail).map(|(_, why)| why.clone()));
    if !failures.is_empty() {
        return worse(failures.join("; "), [comparison], policy);
    }
    let unjudged = match comparison.headline {
        Headline::NotComparable => Some((policy.not_comparable, "not comparable")),
        Headline::NoVerdict => Some((policy.no_verdict, "no verdict")),
        _ => None,
    };
    if let Some((answer, word)) = unjudged {
        // The reason is added unless the summary gives it, as it does for one run each.
        let several = comparison.baseline.runs.min(comparison.candidate.runs) > 1;
        let why = rows.iter().find_map(unseen).filter(|_| several && word == "no verdict");
        let why = why.map_or(String::new(), |why| format!(": {why}"));
        let reason = format!("{}{why}", comparison.summary);
        return match answer {
            GateAnswer::Unknown => (Gate::None, reason),
            GateAnswer::Pass => (Gate::Pass, format!("{word} passes by the policy")),
            GateAnswer::Fail => (Gate::Fail, format!("{word} fails by the policy: {reason}")),
        };
    }
    let open: Vec<String> = rows.iter().filter_map(|row| not_excluded(row, policy)).collect();
    if !open.is_empty() {
        // The policy itself requires the proof.
        let fails = policy.no_verdict == GateAnswer::Fail;
        return (if fails { Gate::Fail } else { Gate::None }, open.join("; "));
    }
    let named = [(&policy.deciding, "deciding"), (&policy.guards, "guard")];
    let absent = named.into_iter().flat_map(|(names, role)| {
        names.iter().filter_map(move |name| unmeasured(comparison, name, role, policy))
    });
    let blind: Vec<String> =
        one_sided.iter().cloned().chain(absent).chain(rows.iter().filter_map(unseen)).collect();
    match &blind[..] {
        [] => limits.unwrap_or((Gate::Pass, String::new())),
        [first, rest @ ..] => {
            let more =
                if rest.is_empty() { String::new() } else { format!(" (and {} more)", rest.len()) };
            missing_verdict(format!("{first}{more}"), policy)
        }
    }
}

/// The answer of the gate for the limits of a single load; `None` if it does not guard them or they are met.
fn gate_at_one_load(slo: &[SloRow], policy: &Policy) -> Option<(Gate, String)> {
    if slo.is_empty() || !policy.guards.iter().any(|name| name == Slo::GUARD) {
        return None;
    }
    if let Some(row) = slo.iter().find(|row| row.newly_broken) {
        let side = |side: &Option<SloSide>| {
            side.as_ref().map_or(String::new(), |side| format!("{} of {}", side.met, side.runs))
        };
        let reason = format!(
            "guard slo: {} {} {} is met in {} runs of the baseline and in {} of the candidate",
            row.limit.label,
            row.limit.sign,
            with_unit(&trimmed(row.limit.value, 6), row.limit.unit),
            side(&row.baseline),
            side(&row.candidate)
        );
        return Some((Gate::Fail, reason));
    }
    let unknown = slo.iter().find(|row| row.broken_p.is_none())?;
    let reason = format!("guard slo: {} has no noise to judge it by", unknown.limit.label);
    Some(missing_verdict(reason, policy))
}

/// The answer for a metric that was not judged.
pub(super) fn missing_verdict(reason: String, policy: &Policy) -> (Gate, String) {
    match policy.no_verdict {
        GateAnswer::Unknown => (Gate::None, reason),
        GateAnswer::Pass => (Gate::Pass, format!("{reason}, which passes by the policy")),
        GateAnswer::Fail => (Gate::Fail, format!("{reason}, which fails by the policy")),
    }
}

/// The worst answer over all comparisons, and over capacities and runs that were not compared.
pub(super) fn overall(
    comparisons: &[Comparison],
    capacities: Vec<(Gate, String)>,
    (unmatched, missing): (&[Unmatched], &[String]),
    policy: &Policy,
) -> (Gate, String) {
    let cell = |cell: &BTreeMap<String, String>| {
        let parts = cell.iter().map(|(name, value)| format!("{name} {value}, "));
        parts.collect::<Vec<String>>().concat()
    };
    let of_comparison = |one: &Comparison| {
        (one.gate, format!("{}{}: {}", cell(&one.cell), one.candidate.name, one.gate_reason))
    };
    let of_runs = |row: &Unmatched| {
        let load =
            if row.cell.is_empty() { row.workload.describe() + ", " } else { cell(&row.cell) };
        missing_verdict(format!("{load}{}", row.why), policy)
    };
    let lacking = missing.iter().map(|text| missing_verdict(text.clone(), policy));
    let answers: Vec<(Gate, String)> = comparisons
        .iter()
        .map(of_comparison)
        .chain(unmatched.iter().map(of_runs))
        .chain(lacking)
        .chain(capacities)
        .collect();
    let of = |gate| answers.iter().filter(move |(answer, _)| *answer == gate);
    for gate in [Gate::Fail, Gate::None] {
        let mut found = of(gate).map(|(_, reason)| reason);
        if let Some(first) = found.next() {
            let more = match found.count() {
                0 => String::new(),
                n => format!(" (and {n} more)"),
            };
            return (gate, format!("{first}{more}"));
        }
    }
    if comparisons.is_empty() {
        return missing_verdict("no two variants share a workload".to_owned(), policy);
    }
    // Passes although something is worse.
    let worse = |one: &&Comparison| one.gate_reason.starts_with(PASSES);
    let mut worse = comparisons.iter().filter(worse);
    let Some(first) = worse.next() else { return (Gate::Pass, String::new()) };
    let (_, said) = of_comparison(first);
    let more = match worse.count() {
        0 => String::new(),
        n => format!(" (and {n} more)"),
    };
    (Gate::Pass, format!("{PASSES}{}{more}", said.replacen(PASSES, "", 1)))
}

/// The gate of a batch or sweep together with its shared changes. Those shown to be worse beyond the tolerance fail it too, and
/// come first in the reason. `cell` is the word for a cell or a load.
pub(super) fn with_shared(
    (gate, reason): (Gate, String),
    (shared, cell): (&[&SharedRow], &str),
    comparisons: &[Comparison],
    policy: &Policy,
) -> (Gate, String) {
    let failing = |row: &&&SharedRow| {
        matches!(row.change.verdict, Verdict::Worse | Verdict::TinyWorse)
            && row.change.relative.abs() > row.tolerance
    };
    let sentence = |row: &&SharedRow| {
        let (size, tolerance) = (percent(row.change.relative), percent(row.tolerance));
        let cells = counted(row.change.cells, cell);
        let (candidate, label) = (&row.candidate, &row.label);
        format!(
            "on average over {cells}, {candidate}: {label} is worse by {size}, {tolerance} is tolerated"
        )
    };
    let reasons: Vec<String> = shared.iter().filter(failing).map(sentence).collect();
    if reasons.is_empty() {
        return (gate, reason);
    }
    let answer = worse(reasons.join("; "), comparisons, policy);
    match (answer.0, gate) {
        (Gate::None, Gate::Fail) => (gate, reason),
        (_, Gate::Fail) => (gate, format!("{}; {reason}", answer.1)),
        _ => answer,
    }
}

fn role(row: &Row) -> &'static str {
    if row.guard { "guard " } else { "" }
}

/// The reason why a row fails the gate: it is shown to be worse beyond the tolerance. The margin plays no part.
fn failure(row: &Row) -> Option<String> {
    if !row.deciding && !row.guard {
        return None;
    }
    let tolerance = percent(row.tolerance);
    let (fails, size) = match (row.verdict, row.delta.relative) {
        (Verdict::Worse | Verdict::TinyWorse, Some(change)) => {
            let beyond =
                change.abs() > row.tolerance || could_be_worse_by(row, true) > row.tolerance;
            (beyond, format!(" by {}", percent(change)))
        }
        // Without a ratio there is no tolerance, only the margin.
        (Verdict::Worse, None) => (true, String::new()),
        _ => (false, String::new()),
    };
    let role = role(row);
    fails.then(|| format!("{role}{} is worse{size}, {tolerance} is tolerated", row.label))
}

/// The gate's answer for one row of a comparison; `None` if the gate does not look at it.
pub(super) fn of_row(comparison: &Comparison, row: &Row, policy: &Policy) -> Option<Gate> {
    if failure(row).is_some() {
        // If the order of the runs is in doubt, no row fails.
        return Some(comparison.gate);
    }
    let open = not_excluded(row, policy).is_some() || unseen(row, policy).is_some();
    match policy.no_verdict {
        _ if !open => (row.deciding || row.guard).then_some(Gate::Pass),
        GateAnswer::Unknown => Some(Gate::None),
        GateAnswer::Pass => Some(Gate::Pass),
        GateAnswer::Fail => Some(Gate::Fail),
    }
}

/// How much worse the metric is at the near or far end of its interval, a fraction; NaN without an interval.
fn could_be_worse_by(row: &Row, near: bool) -> f64 {
    let exact = row.delta.relative.filter(|_| row.exact).map(|change| [change, change]);
    let ends = row.better.zip(row.delta.relative_ci_adjusted.or(exact));
    ends.map_or(f64::NAN, |(better, [low, high])| {
        let [least, most] = if better.sign() > 0.0 { [-high, -low] } else { [low, high] };
        if near { least } else { most }
    })
}

/// A sentence for a metric that must be shown to stay within the tolerance but is not.
fn not_excluded(row: &Row, policy: &Policy) -> Option<String> {
    let must = policy.metrics.get(&row.metric).is_some_and(|wish| wish.non_inferior);
    if !must || row.verdict == Verdict::NotJudged {
        return None;
    }
    let (role, label) = (role(row), &row.label);
    let worst = could_be_worse_by(row, false);
    if worst.is_nan() {
        return Some(format!("{role}{label} has no interval of a ratio"));
    }
    let (could, tolerance) = (percent(worst), percent(row.tolerance));
    (worst >= row.tolerance).then(|| {
        format!("{role}{label} could be worse by {could}, and it must be shown to stay within {tolerance}")
    })
}

/// A sentence for a metric of the policy that was not measured.
fn unmeasured(comparison: &Comparison, name: &str, role: &str, policy: &Policy) -> Option<String> {
    let label = Metric::named(name).label;
    let of_sweep = [Slo::CAPACITY, Slo::GUARD].contains(&name) && !policy.slo.is_empty();
    let known = of_sweep || comparison.metrics.iter().any(|row| row.metric == name);
    (!known).then(|| format!("{role} {label} was not measured in both variants"))
}

/// The reason why a metric that decides or was asked for was not judged.
fn unseen(row: &Row, policy: &Policy) -> Option<String> {
    let must = policy.metrics.get(&row.metric).is_some_and(|wish| wish.non_inferior);
    let asked = must || row.deciding || policy.names(&row.metric);
    (asked && row.verdict == Verdict::NotJudged).then(|| {
        let role = if row.deciding { "deciding " } else { role(row) };
        format!("{role}{} was not judged: {}", row.label, row.reason)
    })
}
