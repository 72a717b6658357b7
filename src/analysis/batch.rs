//! Many cells at once: the comparisons of each, judged as one list.

use std::collections::{BTreeMap, BTreeSet};

use rayon::prelude::*;

use crate::analysis::assemble::assemble;
use crate::analysis::controls::Named;
use crate::analysis::flags;
use crate::analysis::gate::with_shared;
use crate::analysis::input_errors::{ambiguous, one_variant, runs_of};
use crate::analysis::job::Job;
use crate::analysis::promotion;
use crate::analysis::scope::{Against, Scope, scope};
use crate::analysis::shared::shared;
use crate::analysis::variant_order::VariantOrder;
use crate::error::Error;
use crate::noise_prior::NoisePool;
use crate::policy::{Base, Policy};
use crate::report::comparison::words;
use crate::report::{BatchCounts, BatchRow, Comparison, GradesRow, Report, Unmatched};
use crate::runs::{Dataset, Group, Workload, choose_baseline};
use crate::sanitize::cleaned;
use crate::verdict::Headline;

/// Compares the variants of every cell, and judges all of it as one list.
///
/// `by` names the columns that form the cells, in the order of display; if it is empty, every workload is a cell. Without a
/// `base` the only label in the whole batch that names a baseline is taken. The noise of a cell uses the other cells as
/// `policy.noise` says. The p-values of the deciding metrics in all cells are adjusted together by Benjamini and Hochberg, and
/// so are those of all other metrics.
///
/// # Errors
///
/// [`Error::Usage`] if there are fewer than two variants, if no label names the baseline, or if no run has a metric that the
/// policy names.
pub fn batch(
    dataset: &Dataset,
    history: Option<&Dataset>,
    by: &[String],
    base: Option<&Base>,
    policy: &Policy,
) -> Result<Report, Error> {
    let names = dataset.variant_names();
    if names.len() < 2 {
        return Err(one_variant(dataset, &names, policy));
    }
    let groups: Vec<(usize, &Group)> = dataset.groups.iter().enumerate().collect();
    let previous = base == Some(&Base::Previous);
    let order = if previous { Some(VariantOrder::of(&groups)?) } else { None };
    let base = if let Some(order) = &order {
        Against::Previous(order)
    } else {
        let index = choose_baseline(&names, base.map(Base::as_str), None);
        let index = index
            .map_err(|unclear| ambiguous(&unclear, &names, &runs_of(&dataset.groups), policy))?;
        Against::Named { base: Some(names[index]), assumed_base: None }
    };
    let noise = NoisePool::collect(dataset, history, policy.noise);
    // In the spelling of the data set.
    let by: &[String] = &by.iter().map(|name| cleaned(name)).collect::<Vec<_>>();
    let cells = cells(dataset, by);
    let control = Named::find(dataset, policy)?;
    let job = Job { noise: &noise, policy, variants: &names, control: &control, batch: true };
    let found: Vec<Result<Scope, Error>> = cells
        .par_iter()
        .map(|(cell, groups)| {
            let mut found = scope(groups, base, job)?;
            // Several workloads in one cell are named by the settings in which they differ.
            let varying = if by.is_empty() { BTreeSet::new() } else { varying(groups) };
            let whole = |workload: &Workload| {
                let fields = workload.fields().into_iter();
                let own =
                    fields.filter(|(name, _)| varying.contains(name) && !cell.contains_key(name));
                cell.clone().into_iter().chain(own).collect()
            };
            found.name_cells(whole);
            Ok(found)
        })
        .collect();
    let mut all = Scope::default();
    for scope in found {
        all.extend(scope?);
    }
    let mut report = assemble(all, (dataset, history), job)?;
    let (counts, not_judged) = counted(by, &report.comparisons, &report.unmatched);
    let by = columns(by, &report.comparisons, &report.unmatched);
    if let Some(order) = order {
        order.show(&mut report);
    }
    let flag = flags::flag(dataset, None).map(|flag| flag.words());
    // The other cells are measured against the control, which shares no change with them.
    let changed: Vec<&Comparison> =
        report.comparisons.iter().filter(|one| !control.is_cell(&one.cell)).collect();
    let shared = shared(&changed, &by, policy);
    let answer = (report.gate, report.gate_reason);
    let all: Vec<_> = shared.iter().collect();
    (report.gate, report.gate_reason) =
        with_shared(answer, (&all, "cell"), &report.comparisons, policy);
    let atlas = GradesRow::new(&report.comparisons, 0..report.comparisons.len());
    report.batch = Some(BatchRow {
        atlas,
        shared,
        flag,
        by,
        cells: cells.len(),
        counts,
        not_judged,
        // Without the digits that rounding of doubles adds.
        false_discovery_rate: (policy.alpha() * 1e12).round() / 1e12,
    });
    promotion::add(&mut report, policy);
    Ok(report)
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

/// Settings of the workload that differ between groups.
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

/// The number of cells by verdict, and the reasons for cells without one.
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
            Headline::SlightlyRegressed => counts.slightly_worse += 1,
            Headline::SlightlyImproved => counts.slightly_better += 1,
            Headline::NoChange => counts.no_change += 1,
            Headline::WithinNoise => counts.within_noise += 1,
            Headline::NoVerdict | Headline::NotComparable => {
                counts.not_judged += 1;
                *reasons.entry(words::why_not_judged(comparison)).or_default() += 1;
            }
        }
    }
    // Unmatched runs are counted with the comparisons of their cell.
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

/// Columns that name the cells: those of the user, then settings of workloads.
fn columns(by: &[String], comparisons: &[Comparison], unmatched: &[Unmatched]) -> Vec<String> {
    let cells = comparisons.iter().map(|comparison| &comparison.cell);
    let cells = cells.chain(unmatched.iter().map(|row| &row.cell));
    let all: BTreeSet<&String> = cells.flat_map(BTreeMap::keys).collect();
    let others = all.into_iter().filter(|name| !by.contains(name));
    by.iter().chain(others).cloned().collect()
}
