//! Whether the machine changed between the runs of two builds, as a history of the same cells knows it.

use std::collections::BTreeSet;

use crate::analysis::conclude::finding_row;
use crate::checks::machine_changed;
use crate::history::{EventRow, HistoryReport, Night, Wanted, verdict};
use crate::policy::Policy;
use crate::report::{Comparison, Named};
use crate::runs::{Dataset, seconds};

/// Words in the names of properties that describe the code under test.
const CODE: [&str; 5] = ["build", "commit", "revision", "sha", "version"];

/// Fewest characters of a shortened commit.
const SHORT_COMMIT: usize = 7;

/// Adds to each comparison the known changes between its two builds.
///
/// A known change is a night on which several cells of the history changed, and which no commit alone explains. The place of a
/// build among the nights comes from the starts of its runs, or else from its name.
pub(super) fn add(comparisons: &mut [Comparison], history: Option<&Dataset>, policy: &Policy) {
    let policy = Policy { selected: Vec::new(), ..policy.clone() };
    let judged = history.and_then(|history| verdict(history, &Wanted::default(), &policy).ok());
    let Some(judged) = judged.filter(|judged| judged.series.iter().any(|row| row.judged)) else {
        return;
    };
    let events: Vec<&EventRow> =
        judged.events.iter().filter(|event| of_machine(&judged, event)).collect();
    for comparison in comparisons {
        let sides = [&comparison.baseline, &comparison.candidate];
        let Some([a, b]) = places(&judged.nights, sides) else { continue };
        let (low, high) = (a.min(b), a.max(b));
        let between: Vec<&&EventRow> =
            events.iter().filter(|event| (low + 1..=high).contains(&event.night)).collect();
        let (baseline, candidate) = (&*comparison.baseline.name, &*comparison.candidate.name);
        let in_order = if a <= b { [baseline, candidate] } else { [candidate, baseline] };
        let known: Vec<(&str, &str)> = between
            .iter()
            .map(|event| (&*judged.nights[event.night].name, &*event.sentence))
            .collect();
        let finding = machine_changed(in_order, judged.nights.len(), &known);
        comparison.checks.push(finding_row(finding));
        comparison.checks.sort_by_key(|check| (check.severity, !check.could_flip));
    }
}

/// Whether the machine or its image may be the cause: a property beyond the code changed that night, or no change is recorded.
fn of_machine(report: &HistoryReport, event: &EventRow) -> bool {
    let before = event.night.checked_sub(1).and_then(|at| report.nights.get(at));
    let Some((old, new)) = before.zip(report.nights.get(event.night)) else { return false };
    let is_code = |key: &str| {
        let key = key.to_lowercase();
        CODE.iter().any(|word| key.contains(word))
    };
    let mut code = old.build != new.build;
    let mut other = false;
    for (key, value) in &new.properties {
        let changed = old.properties.get(key).is_some_and(|before| before != value);
        *(if is_code(key) { &mut code } else { &mut other }) |= changed;
    }
    other || !code
}

/// The last night of the earlier side and the first of the later one; the same night twice if they overlap. `None` if a side
/// has no night.
fn places(nights: &[Night], sides: [&Named; 2]) -> Option<[usize; 2]> {
    let starts: Option<Vec<f64>> =
        nights.iter().map(|night| seconds(night.started.as_deref()?)).collect();
    let by_start = |side: &Named| -> Option<[usize; 2]> {
        let starts = starts.as_ref()?;
        let runs: Option<Vec<usize>> = side
            .run_list
            .iter()
            .map(|run| {
                let start = seconds(run.started.as_deref()?)?;
                starts.iter().rposition(|night| *night <= start)
            })
            .collect();
        let runs = runs?;
        Some([*runs.iter().min()?, *runs.iter().max()?])
    };
    let by_build = |side: &Named| -> Option<[usize; 2]> {
        let same = |night: &&Night| {
            let of_build = night.build.as_deref().unwrap_or(&night.name);
            is_build(of_build, &side.name)
        };
        let own: BTreeSet<usize> =
            nights.iter().enumerate().filter(|(_, night)| same(night)).map(|(at, _)| at).collect();
        Some([*own.first()?, *own.last()?])
    };
    let [a, b] = sides.map(|side| by_start(side).or_else(|| by_build(side)));
    let ([a_first, a_last], [b_first, b_last]) = (a?, b?);
    // Overlapping builds share every change.
    match () {
        () if a_last < b_first => Some([a_last, b_first]),
        () if b_last < a_first => Some([a_first, b_last]),
        () => Some([a_first, a_first]),
    }
}

/// Whether a label names a build of the history, in full or as a shortened commit.
fn is_build(build: &str, label: &str) -> bool {
    let (long, short) = if build.len() > label.len() { (build, label) } else { (label, build) };
    build == label || short.len() >= SHORT_COMMIT && long.starts_with(short)
}
