//! Sorts runs by workload, although some files record less of the workload than others.

use std::collections::BTreeMap;

use crate::runs::Run;
use crate::runs::workload::{Workload, close};
use crate::runs::workload_match::{Identity, identity, matching_pairs};

/// Number of the group of each run.
///
/// A workload with fewer known fields joins others only if all workloads that it fits agree with each other.
pub(super) fn partition(runs: &[Run]) -> Vec<usize> {
    let mut distinct: Vec<&Workload> = Vec::new();
    let mut known: BTreeMap<Identity, usize> = BTreeMap::new();
    let mut of_run: Vec<usize> = Vec::with_capacity(runs.len());
    for (position, run) in runs.iter().enumerate() {
        // Neighbouring runs mostly have the same workload.
        if position > 0 && runs[position - 1].workload == run.workload {
            of_run.push(of_run[position - 1]);
            continue;
        }
        let index = *known.entry(identity(&run.workload)).or_insert_with(|| {
            distinct.push(&run.workload);
            distinct.len() - 1
        });
        of_run.push(index);
    }
    let merged = merged(&distinct);
    of_run.into_iter().map(|index| merged[index]).collect()
}

fn merged(workloads: &[&Workload]) -> Vec<usize> {
    let (loose, strict) = (components(workloads, false), components(workloads, true));
    let mut members: BTreeMap<usize, Vec<&Workload>> = BTreeMap::new();
    for (component, workload) in loose.iter().zip(workloads) {
        members.entry(*component).or_default().push(workload);
    }
    let whole: BTreeMap<usize, bool> =
        members.into_iter().map(|(component, members)| (component, all_alike(&members))).collect();
    loose
        .iter()
        .zip(strict)
        .map(|(loose, strict)| if whole[loose] { *loose } else { strict })
        .collect()
}

/// Whether all workloads are compatible with each other: every field has one value.
fn all_alike(workloads: &[&Workload]) -> bool {
    let tokens = || workloads.iter().filter_map(|workload| workload.input_tokens);
    if !tokens().min().zip(tokens().max()).is_none_or(|(low, high)| close(low, high)) {
        return false;
    }
    let Some((first, rest)) = workloads.split_first().filter(|(_, rest)| !rest.is_empty()) else {
        return true;
    };
    let mut all = Workload { input_tokens: None, ..(*first).clone() };
    rest.iter().all(|workload| {
        let fits = all.compatible(workload);
        all.complete_from(workload);
        all.input_tokens = None;
        fits
    })
}

/// For each workload, the smallest member of its connected component.
fn components(workloads: &[&Workload], strict: bool) -> Vec<usize> {
    let mut parent: Vec<usize> = (0..workloads.len()).collect();
    matching_pairs(workloads, workloads, strict, |i, js, seen| {
        unite(&mut parent, i, js[0]);
        for next in seen.max(1)..js.len() {
            unite(&mut parent, js[next - 1], js[next]);
        }
    });
    (0..workloads.len()).map(|index| root(&mut parent, index)).collect()
}

fn unite(parent: &mut [usize], a: usize, b: usize) {
    let (a, b) = (root(parent, a), root(parent, b));
    parent[a.max(b)] = a.min(b);
}

/// The smallest member of a component; the path to it is shortened.
fn root(parent: &mut [usize], mut index: usize) -> usize {
    while parent[index] != index {
        parent[index] = parent[parent[index]];
        index = parent[index];
    }
    index
}
