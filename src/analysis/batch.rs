//! Many cells at once: the comparisons of each, judged as one list.

use std::collections::{BTreeMap, BTreeSet};

use rayon::prelude::*;

use crate::analysis::rows::{MOST_RUNS, reason};
use crate::analysis::scope::{Base, Scope, scope};
use crate::analysis::settings::{inputs, settings};
use crate::analysis::trade_off::{TRADE_OFF, trade_off};
use crate::analysis::usage::{ambiguous, no_such_metric, one_variant, unknown_in_policy};
use crate::analysis::{gate, told, weight};
use crate::borrow::Lenders;
use crate::compare::runs_to_settle;
use crate::error::Error;
use crate::policy::Policy;
use crate::printable::cleaned;
use crate::report;
use crate::report::{BatchCounts, BatchRow, Comparison, Report, Row, SCHEMA, Unmatched};
use crate::runs::{Dataset, Group, Workload, choose_baseline, natural};
use crate::stats::{Variance, benjamini_hochberg};
use crate::verdict::{Change, Headline, Verdict, headline, judge};

/// What every variant of a cell is compared with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BatchBase {
    /// The variant of this label; `None` for the one label of the whole batch that says it is the baseline.
    Label(Option<String>),
    /// The variant before it, by the place of its runs.
    Previous,
}

/// Compares the variants of every cell, and judges all of it as one list.
///
/// `by` names the columns that the runs' cells are made of, in the order in which they are to be shown; with
/// none, every workload is a cell. Noise is borrowed across cells as `policy.noise` says. The p-values
/// of the deciding metrics of all cells are adjusted together by Benjamini and Hochberg, and so are those
/// of all other metrics.
///
/// # Errors
///
/// [`Error::Usage`] if there are fewer than two variants, no label tells the baseline, or a metric that
/// the policy names is nowhere.
pub fn batch(
    dataset: &Dataset,
    history: Option<&Dataset>,
    by: &[String],
    base: &BatchBase,
    policy: &Policy,
) -> Result<Report, Error> {
    let names = dataset.variant_names();
    if names.len() < 2 {
        return Err(one_variant(dataset, &names, policy));
    }
    let base = match base {
        BatchBase::Previous => Base::Previous,
        BatchBase::Label(label) => {
            let index = choose_baseline(&names, label.as_deref(), None);
            let index = index.map_err(|unclear| ambiguous(&unclear, &names))?;
            Base::Named { base: Some(names[index]), first_of_two: None }
        }
    };
    let lenders = Lenders::of(dataset, history, policy.noise);
    // As the data set has them.
    let by: &[String] = &by.iter().map(|name| cleaned(name)).collect::<Vec<_>>();
    let cells = cells(dataset, by);
    let found: Vec<Result<Scope, Error>> = cells
        .par_iter()
        .map(|(cell, groups)| {
            let mut found = scope(groups, &lenders, base, true, policy)?;
            // Several workloads of one cell are told apart by what they differ in.
            let varying = if by.is_empty() { BTreeSet::new() } else { varying(groups) };
            let whole = |workload: &Workload| {
                let fields = workload.fields().into_iter();
                let own =
                    fields.filter(|(name, _)| varying.contains(name) && !cell.contains_key(name));
                cell.clone().into_iter().chain(own).collect()
            };
            for comparison in &mut found.comparisons {
                comparison.cell = whole(&comparison.workload);
            }
            for row in &mut found.unmatched {
                row.cell = whole(&row.workload);
            }
            Ok(found)
        })
        .collect();
    let (mut comparisons, mut unmatched) = (Vec::new(), Vec::new());
    for scope in found {
        let scope = scope?;
        comparisons.extend(scope.comparisons);
        unmatched.extend(scope.unmatched);
    }
    no_such_metric(dataset, policy)?;
    unknown_in_policy(dataset, policy)?;
    adjust(&mut comparisons, policy);
    comparisons.par_iter_mut().for_each(|comparison| conclude(comparison, policy));
    comparisons.sort_by_cached_key(|comparison| {
        let cell: Vec<_> = comparison.cell.values().map(|value| natural(value)).collect();
        (weight(comparison.headline), Largest(worst(comparison)), cell)
    });
    let (counts, not_judged) = counted(by, &comparisons, &unmatched);
    let by = columns(by, &comparisons, &unmatched);
    Ok(Report {
        schema: SCHEMA,
        version: env!("CARGO_PKG_VERSION"),
        settings: settings(policy, &comparisons),
        inputs: std::iter::once(dataset).chain(history).flat_map(inputs).collect(),
        batch: Some(BatchRow {
            by,
            cells: cells.len(),
            counts,
            not_judged,
            // Without the digits that a difference of doubles adds.
            false_discovery_rate: (policy.alpha() * 1e12).round() / 1e12,
        }),
        comparisons,
        unmatched,
    })
}

type Cell<'a> = (BTreeMap<String, String>, Vec<(usize, &'a Group)>);

/// The groups of each cell with their positions, in the order of the inputs.
fn cells<'a>(dataset: &'a Dataset, by: &[String]) -> Vec<Cell<'a>> {
    let groups = dataset.groups.iter().enumerate();
    if by.is_empty() {
        let all: Vec<(usize, &Group)> = groups.collect();
        let varying = varying(&all);
        let own = |(index, group): (usize, &'a Group)| {
            let mut fields = group.workload.fields();
            fields.retain(|name, _| varying.contains(name));
            (fields, vec![(index, group)])
        };
        return all.into_iter().map(own).collect();
    }
    let mut places: BTreeMap<&BTreeMap<String, String>, usize> = BTreeMap::new();
    let mut cells: Vec<Cell> = Vec::new();
    for (index, group) in groups {
        let place = *places.entry(&group.cell).or_insert_with(|| {
            cells.push((group.cell.clone(), Vec::new()));
            cells.len() - 1
        });
        cells[place].1.push((index, group));
    }
    cells
}

/// Settings of the workload that are not the same in all groups.
fn varying(groups: &[(usize, &Group)]) -> BTreeSet<String> {
    let mut varying = BTreeSet::new();
    let Some((_, first)) = groups.first() else { return varying };
    let first = first.workload.fields();
    for (_, group) in &groups[1..] {
        let fields = group.workload.fields();
        let names = fields.keys().chain(first.keys());
        varying.extend(names.filter(|name| fields.get(*name) != first.get(*name)).cloned());
    }
    varying
}

/// Adjusts the p-values of all cells together and judges every row anew.
fn adjust(comparisons: &mut [Comparison], policy: &Policy) {
    for deciding in [true, false] {
        readjust(
            comparisons,
            deciding,
            policy,
            |row| Some(Judged { change: row.change?, p_value: row.p_value }),
            |row, p_adjusted, verdict| {
                (row.p_adjusted, row.verdict) = (Some(p_adjusted), verdict);
            },
        );
        readjust(
            comparisons,
            deciding,
            policy,
            |row| {
                let alone = row.without_borrowing?;
                Some(Judged { change: alone.change?, p_value: alone.p_value })
            },
            |row, p_adjusted, verdict| {
                if let Some(alone) = &mut row.without_borrowing {
                    (alone.p_adjusted, alone.verdict) = (Some(p_adjusted), verdict);
                }
            },
        );
    }
}

/// What is adjusted and judged.
struct Judged {
    change: Change,
    p_value: Option<f64>,
}

fn readjust(
    comparisons: &mut [Comparison],
    deciding: bool,
    policy: &Policy,
    of: impl Fn(&Row) -> Option<Judged>,
    set: impl Fn(&mut Row, f64, Verdict),
) {
    let counts = |row: &Row| row.deciding == deciding && !row.counted_with_another;
    let raw: Vec<f64> = comparisons
        .iter()
        .flat_map(|comparison| &comparison.metrics)
        .filter(|row| counts(row))
        .filter_map(|row| of(row)?.p_value)
        .collect();
    let mut adjusted = benjamini_hochberg(&raw).into_iter();
    for comparison in comparisons {
        let mut leading = None;
        for row in &mut comparison.metrics {
            let Some(Judged { change, p_value: Some(_) }) = of(row) else { continue };
            let p_adjusted = if counts(row) {
                adjusted.next()
            } else {
                leading.filter(|_| deciding && row.counted_with_another)
            };
            let Some(p_adjusted) = p_adjusted else { continue };
            if counts(row) && leading.is_none() {
                leading = Some(p_adjusted);
            }
            let verdict = judge(Change { p_adjusted, ..change }, row.margin, policy.alpha());
            set(row, p_adjusted, verdict);
        }
    }
}

/// What follows from the verdicts of the rows.
fn conclude(comparison: &mut Comparison, policy: &Policy) {
    let tested = comparison.deciding().filter(|row| row.change.is_some()).count();
    for row in comparison.metrics.iter_mut().filter(|row| row.change.is_some()) {
        reason(row.verdict, row.delta.relative.is_some(), row.p_value, policy)
            .clone_into(&mut row.reason);
        row.runs_to_settle = row
            .noise
            .cv
            .zip(row.delta.relative)
            .filter(|_| row.verdict == Verdict::WithinNoise)
            .and_then(|(cv, seen)| {
                let lasting = row.noise.prior.filter(|_| row.noise.source != "variants");
                let noise = Variance { value: cv * cv, df: lasting.map_or(0.0, |prior| prior.df) };
                let tested = if row.deciding { tested } else { 1 };
                runs_to_settle(seen, noise, row.margin, (policy.alpha(), tested), MOST_RUNS)
            });
    }
    if comparison.headline != Headline::NotComparable {
        let verdicts: Vec<Verdict> = comparison.deciding().map(|row| row.verdict).collect();
        comparison.headline = headline(&verdicts);
    }
    comparison.checks.retain(|check| check.id != TRADE_OFF);
    comparison.checks.extend(trade_off(comparison).map(told));
    comparison.checks.sort_by_key(|check| (check.severity, !check.could_flip));
    comparison.summary = report::summary(comparison);
    comparison.next_step = report::next_step(comparison);
    (comparison.gate, comparison.gate_reason) = gate::gate(comparison, policy);
}

/// Size of the largest change for the worse among the deciding metrics, or else of any.
fn worst(comparison: &Comparison) -> f64 {
    let size = |verdicts: &[Verdict]| {
        comparison
            .deciding()
            .filter(|row| verdicts.contains(&row.verdict))
            .filter_map(|row| row.delta.relative)
            .fold(0.0_f64, |largest, change| largest.max(change.abs()))
    };
    let worse = size(&[Verdict::Worse]);
    if worse > 0.0 {
        worse
    } else {
        size(&[Verdict::Better, Verdict::WithinNoise, Verdict::NoChange])
    }
}

/// Orders finite numbers from the largest down.
#[derive(PartialEq)]
struct Largest(f64);

impl Eq for Largest {}

impl PartialOrd for Largest {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Largest {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        other.0.total_cmp(&self.0)
    }
}

/// How many there are of each, and why some are not judged.
fn counted(
    by: &[String],
    comparisons: &[Comparison],
    unmatched: &[Unmatched],
) -> (BatchCounts, BTreeMap<String, usize>) {
    let mut counts = BatchCounts::default();
    let mut reasons: BTreeMap<String, usize> = BTreeMap::new();
    for comparison in comparisons {
        match comparison.headline {
            Headline::Regressed => counts.worse += 1,
            Headline::TradeOff => counts.trade_off += 1,
            Headline::Improved => counts.better += 1,
            Headline::NoChange => counts.no_change += 1,
            Headline::WithinNoise => counts.within_noise += 1,
            Headline::NoVerdict | Headline::NotComparable => {
                counts.not_judged += 1;
                *reasons.entry(report::why_not_judged(comparison)).or_default() += 1;
            }
        }
    }
    // A variant without a partner beside a comparison of its cell stands in the list of those.
    let key = |cell: &BTreeMap<String, String>| -> Vec<(String, String)> {
        let asked = |name: &String| by.is_empty() || by.contains(name);
        cell.iter().filter(|(name, _)| asked(name)).map(|(k, v)| (k.clone(), v.clone())).collect()
    };
    let compared: BTreeSet<Vec<(String, String)>> =
        comparisons.iter().map(|comparison| key(&comparison.cell)).collect();
    let alone: BTreeSet<Vec<(String, String)>> = unmatched
        .iter()
        .map(|row| key(&row.cell))
        .filter(|cell| !compared.contains(cell))
        .collect();
    if !alone.is_empty() {
        counts.not_judged += alone.len();
        reasons.insert("nothing to compare with".to_owned(), alone.len());
    }
    (counts, reasons)
}

/// Names that tell the cells apart: those of the user, then settings of workloads.
fn columns(by: &[String], comparisons: &[Comparison], unmatched: &[Unmatched]) -> Vec<String> {
    let cells = comparisons.iter().map(|comparison| &comparison.cell);
    let cells = cells.chain(unmatched.iter().map(|row| &row.cell));
    let all: BTreeSet<&String> = cells.flat_map(BTreeMap::keys).collect();
    let others = all.into_iter().filter(|name| !by.contains(name));
    by.iter().chain(others).cloned().collect()
}
