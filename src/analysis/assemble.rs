//! The report of a call: its comparisons judged, the worst first, with the gate's answer for all of it.

use std::cmp::Reverse;

use crate::analysis::capacity;
use crate::analysis::conclude::conclude_all;
use crate::analysis::flags;
use crate::analysis::gate;
use crate::analysis::input_errors::unknown_in_policy;
use crate::analysis::job::Job;
use crate::analysis::known_changes;
use crate::analysis::lists::judge_as_lists;
use crate::analysis::promotion;
use crate::analysis::scope::Scope;
use crate::analysis::settings::settings;
use crate::analysis::shared::shared_by_loads;
use crate::analysis::sweep;
use crate::error::Error;
use crate::report::{Comparison, Report, SCHEMA, SharedRow};
use crate::runs::{Dataset, natural};
use crate::verdict::{Decision, Headline};

/// Judges all comparisons as one list and makes the report; a batch adds its figures.
pub(super) fn assemble(
    found: Scope,
    (dataset, history): (&Dataset, Option<&Dataset>),
    job: Job,
) -> Result<Report, Error> {
    let policy = job.policy;
    if let Some((problem, remedy)) =
        dataset.lacks(policy.selected.iter().map(|selected| &selected.name))
    {
        return Err(Error::usage(problem, remedy));
    }
    unknown_in_policy(dataset, policy)?;
    let Scope { mut assessed, incomparable, mut unmatched, missing } = found;
    judge_as_lists(&mut assessed, policy);
    let sweeps = if job.batch { Vec::new() } else { sweep::find(&assessed, policy)? };
    let capacities = capacity::measure(&sweeps, &assessed, policy);
    let mut comparisons = conclude_all(assessed, incomparable, &sweeps, job);
    if sweeps.is_empty() {
        flags::suggest(&mut comparisons, dataset);
    }
    known_changes::add(&mut comparisons, history, policy);
    let (comparisons, place) = worst_first(comparisons);
    let mut sweeps = sweep::rows(sweeps, &comparisons, &place, &mut unmatched, policy);
    shared_by_loads(&mut sweeps, &comparisons, policy);
    capacity::add(&mut sweeps, capacities, policy);
    let answer = gate::overall(
        &comparisons,
        capacity::gate(&sweeps, &comparisons, policy),
        (&unmatched, &missing),
        policy,
    );
    let by_loads: Vec<&SharedRow> = sweeps.iter().flat_map(|sweep| &sweep.shared).collect();
    let (gate, gate_reason) = gate::with_shared(answer, (&by_loads, "load"), &comparisons, policy);
    let mut report = Report {
        schema: SCHEMA,
        version: env!("CARGO_PKG_VERSION"),
        settings: settings(policy, &comparisons),
        inputs: std::iter::once(dataset).chain(history).flat_map(|of| of.inputs.clone()).collect(),
        read_as: dataset.read_as(),
        repeats: dataset.repeats(),
        gate,
        gate_reason,
        decision: Decision::MoreData,
        decision_reason: String::new(),
        comparisons,
        sweeps,
        unmatched,
        batch: None,
        made: None,
    };
    promotion::add(&mut report, policy);
    Ok(report)
}

/// The comparisons in the order of the report, and the new position of each.
fn worst_first(comparisons: Vec<Comparison>) -> (Vec<Comparison>, Vec<usize>) {
    let mut all: Vec<(usize, Comparison)> = comparisons.into_iter().enumerate().collect();
    all.sort_by_cached_key(|(_, comparison)| {
        let cell: Vec<_> = comparison.cell.values().map(|value| natural(value)).collect();
        // Numbers that are not negative sort like their bits.
        (weight(comparison), Reverse(size(comparison).to_bits()), cell)
    });
    let mut place = vec![0; all.len()];
    all.iter().enumerate().for_each(|(at, (before, _))| place[*before] = at);
    (all.into_iter().map(|(_, comparison)| comparison).collect(), place)
}

/// Rank of a comparison in the report, the worst headline first. A comparison with any worse metric comes before all that show
/// nothing worse.
fn weight(comparison: &Comparison) -> u8 {
    let hides_worse = comparison.has_worse();
    match comparison.headline {
        Headline::Regressed => 0,
        Headline::TradeOff => 1,
        Headline::NotComparable => 2,
        Headline::SlightlyRegressed => 3,
        _ if hides_worse => 3,
        Headline::Improved => 4,
        Headline::SlightlyImproved => 5,
        Headline::WithinNoise => 6,
        Headline::NoChange => 7,
        Headline::NoVerdict => 8,
    }
}

/// Size of the change in the metric that the headline is about.
fn size(comparison: &Comparison) -> f64 {
    let change = comparison.telling().and_then(|row| row.delta.relative);
    change.map(f64::abs).filter(|size| !size.is_nan()).unwrap_or(0.0)
}
