//! Whether a change may be kept under `--require improved`: it must be shown to be better.
//!
//! A change is promoted if it is better beyond the margin, nothing that decides or guards is worse, the gate passes and no
//! check leaves the verdict in doubt. It is rejected if something is worse, or if no deciding metric can be better beyond its
//! margin. Otherwise more data are needed.

use crate::analysis::gate;
use crate::format::{self, counted, list};
use crate::policy::Policy;
use crate::report::comparison::claim::doubt;
use crate::report::comparison::{row_text, words};
use crate::report::{Comparison, Report, Row, SharedRow};
use crate::units::Better;
use crate::verdict::{Decision, Gate, Headline, Verdict};

/// The answer of a comparison, a shared change or a capacity to the question of promotion.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Standing {
    /// Something is worse.
    Worse,
    /// An improvement beyond the margin is excluded.
    Excluded,
    /// Better beyond the margin, and nothing worse.
    Improved,
    /// Nothing is shown yet.
    Open,
}

/// The decision on a comparison with a known gate, and its reason.
pub(super) fn decide(comparison: &Comparison, policy: &Policy) -> (Decision, String) {
    let (standing, reason) = standing(comparison, policy);
    let decision = match standing {
        Standing::Improved => Decision::Promote,
        Standing::Worse | Standing::Excluded => Decision::Reject,
        Standing::Open => Decision::MoreData,
    };
    (decision, reason)
}

/// Adds the decision on all comparisons: each candidate is judged alone, and the strictest answer counts.
pub(super) fn add(report: &mut Report, policy: &Policy) {
    (report.decision, report.decision_reason) = overall(report, policy);
}

fn overall(report: &Report, policy: &Policy) -> (Decision, String) {
    if report.gate == Gate::Fail {
        let reason = match &report.comparisons[..] {
            // A single candidate needs no name.
            [only] if only.gate == Gate::Fail => &only.gate_reason,
            _ => &report.gate_reason,
        };
        return (Decision::Reject, reason.clone());
    }
    let mut pairs: Vec<[&str; 2]> = Vec::new();
    for one in &report.comparisons {
        let pair = [one.baseline.name.as_str(), one.candidate.name.as_str()];
        if !pairs.contains(&pair) {
            pairs.push(pair);
        }
    }
    let several = pairs.len() > 1;
    let answers: Vec<(Decision, String)> = pairs
        .iter()
        .map(|pair| {
            let (decision, reason) = of_pair(*pair, report, policy);
            let name = if several { format!("{}: ", pair[1]) } else { String::new() };
            (decision, format!("{name}{reason}"))
        })
        .collect();
    for decision in [Decision::Reject, Decision::MoreData, Decision::Promote] {
        let mut of = answers.iter().filter(|(found, _)| *found == decision).map(|(_, why)| why);
        if let Some(first) = of.next() {
            return (decision, format!("{first}{}", and_more(of.count())));
        }
    }
    (Decision::MoreData, report.gate_reason.clone())
}

fn verb(n: usize) -> &'static str {
    if n == 1 { "is" } else { "are" }
}

fn and_more(n: usize) -> String {
    if n == 0 { String::new() } else { format!(" (and {n} more)") }
}

/// The decision on a candidate: its comparisons, their shared changes, and its capacities.
fn of_pair(pair: [&str; 2], report: &Report, policy: &Policy) -> (Decision, String) {
    let own = |one: &&Comparison| [&*one.baseline.name, &*one.candidate.name] == pair;
    let comparisons: Vec<&Comparison> = report.comparisons.iter().filter(own).collect();
    let mut found: Vec<(Standing, String)> = comparisons
        .iter()
        .map(|one| {
            let (standing, reason) = standing(one, policy);
            let cell = one.cell.iter().map(|(name, value)| format!("{name} {value}, "));
            (standing, format!("{}{reason}", cell.collect::<String>()))
        })
        .collect();
    let of = found.len();
    let excluded = found.iter().all(|(standing, _)| *standing == Standing::Excluded);
    let sweeps = report.sweeps.iter().filter(|one| [&*one.baseline, &*one.candidate] == pair);
    let shared = report.batch.iter().flat_map(|batch| &batch.shared);
    let shared = shared.filter(|row| [&*row.baseline, &*row.candidate] == pair);
    let all_shared = shared.chain(sweeps.clone().flat_map(|sweep| &sweep.shared));
    let together = all_shared.filter_map(|row| of_shared(row, &comparisons, policy));
    found.splice(0..0, together);
    let mut capacities = Vec::new();
    for row in sweeps.filter_map(|sweep| sweep.capacity.as_ref()) {
        let standing = match row.verdict {
            Verdict::Worse => Standing::Worse,
            Verdict::Better => Standing::Improved,
            Verdict::WithinNoise | Verdict::NotJudged => Standing::Open,
            Verdict::NoChange | Verdict::TinyBetter | Verdict::TinyWorse => Standing::Excluded,
        };
        capacities.push(shown(standing, row.statement.clone(), &comparisons, policy));
    }
    let excluded = excluded && capacities.iter().all(|(one, _)| *one == Standing::Excluded);
    found.splice(0..0, capacities);
    let reasons = |wanted: Standing| {
        let mut of = found.iter().filter(move |(one, _)| *one == wanted).map(|(_, why)| why);
        of.next().map(|first| format!("{first}{}", and_more(of.count())))
    };
    if let Some(worse) = reasons(Standing::Worse) {
        return (Decision::Reject, worse);
    }
    if excluded {
        let all = if of == 1 { String::new() } else { format!("in all {of} comparisons, ") };
        return (Decision::Reject, format!("{all}{}", found[0].1));
    }
    match reasons(Standing::Improved) {
        Some(_) if report.gate == Gate::None => (Decision::MoreData, report.gate_reason.clone()),
        Some(improved) => (Decision::Promote, improved),
        None => (Decision::MoreData, reasons(Standing::Open).unwrap_or_default()),
    }
}

/// The answer of a shared change that is shown to be at least the margin; `None` for others.
fn of_shared(
    row: &SharedRow,
    comparisons: &[&Comparison],
    policy: &Policy,
) -> Option<(Standing, String)> {
    let (standing, word) = match row.change.verdict {
        Verdict::Better => (Standing::Improved, "better"),
        Verdict::Worse => (Standing::Worse, "worse"),
        _ => return None,
    };
    let cells = counted(row.change.cells, "comparison");
    let size = format::percent(row.change.relative);
    let reason = format!("on average over {cells}, {} is {word} by {size}", row.label);
    Some(shown(standing, reason, comparisons, policy))
}

/// The answer of a shown change, unless the order of most runs may explain the change.
fn shown(
    standing: Standing,
    reason: String,
    comparisons: &[&Comparison],
    policy: &Policy,
) -> (Standing, String) {
    match gate::worse(reason, comparisons.iter().copied(), policy) {
        (Gate::Fail, reason) => (standing, reason),
        (_, reason) => (Standing::Open, reason),
    }
}

fn standing(comparison: &Comparison, policy: &Policy) -> (Standing, String) {
    if comparison.gate == Gate::Fail {
        return (Standing::Worse, comparison.gate_reason.clone());
    }
    let with_interval = |row: &Row| words::with_interval(comparison, row);
    let looked = comparison.metrics.iter().filter(|row| row.deciding || row.guard);
    let worse: Vec<String> =
        looked.filter(|row| row.verdict == Verdict::Worse).map(with_interval).collect();
    if !worse.is_empty() {
        let reason = format!("{} {} worse", list(&worse), verb(worse.len()));
        return shown(Standing::Worse, reason, &[comparison], policy);
    }
    if matches!(comparison.headline, Headline::NotComparable | Headline::NoVerdict) {
        return (Standing::Open, comparison.summary.clone());
    }
    let left: Option<Vec<String>> = comparison.deciding().map(excluded).collect();
    let (standing, reason) = match left.filter(|rows| !rows.is_empty()) {
        Some(rows) => {
            let reason = format!("an improvement beyond the margin is excluded: {}", list(&rows));
            (Standing::Excluded, reason)
        }
        None if comparison.headline == Headline::Improved => {
            let better = comparison.deciding().filter(|row| row.verdict == Verdict::Better);
            let better: Vec<String> = better.map(with_interval).collect();
            let also = comparison.also_worse.iter().map(|also| format!("; {also}"));
            let also = also.collect::<String>();
            let (names, are) = (list(&better), verb(better.len()));
            let reason = format!("{names} {are} better beyond the margin{also}");
            (Standing::Improved, reason)
        }
        None => return (Standing::Open, comparison.summary.clone()),
    };
    if let Some(step) = doubt(comparison) {
        return (Standing::Open, format!("in doubt: {}", step.trim_end_matches('.')));
    }
    if standing == Standing::Improved && comparison.gate == Gate::None {
        return (Standing::Open, comparison.gate_reason.clone());
    }
    (standing, reason)
}

/// The words for a row that cannot be better by its margin; `None` for other rows.
///
/// Within noise, one of the two one-sided tests for no change shows it.
fn excluded(row: &Row) -> Option<String> {
    let (label, margin) = (&row.label, format::chosen(row.margin));
    let change = row_text::change(row);
    match row.verdict {
        Verdict::NoChange | Verdict::TinyBetter | Verdict::TinyWorse | Verdict::Worse => {
            Some(format!("{label} {change} ({margin} matters)"))
        }
        Verdict::WithinNoise => {
            let [low, high] = row.delta.relative_ci_equivalence?;
            let (most, sign) = match row.better? {
                Better::Higher => (high, 1.0),
                Better::Lower => (low, -1.0),
            };
            let most_shown = format::change(most, 1);
            (most * sign < row.margin)
                .then(|| format!("{label} {change} (at best {most_shown}; {margin} matters)"))
        }
        Verdict::Better | Verdict::NotJudged => None,
    }
}
