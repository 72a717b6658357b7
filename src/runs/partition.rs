//! Sorts runs by workload, where some files record less of the workload than others.

use std::collections::BTreeMap;

use crate::runs::Run;
use crate::runs::workload::{Workload, close};
use crate::runs::workload_match::{Identity, identity, matching_pairs};

/// Number of the group of each run.
///
/// A workload with fewer known fields joins the others only if it fits all that it could mean.
pub(super) fn partition(runs: &[Run]) -> Vec<usize> {
    let mut distinct: Vec<&Workload> = Vec::new();
    let mut known: BTreeMap<Identity, usize> = BTreeMap::new();
    let mut of_run: Vec<usize> = Vec::with_capacity(runs.len());
    for (position, run) in runs.iter().enumerate() {
        // Runs of one workload mostly follow each other.
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

/// Number of the group of each workload.
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

/// Whether all workloads are compatible with each other: no field has two values.
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

/// Smallest member of the connected component of each workload.
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

/// The smallest member of a component, to which the path is shortened.
fn root(parent: &mut [usize], mut index: usize) -> usize {
    while parent[index] != index {
        parent[index] = parent[parent[index]];
        index = parent[index];
    }
    index
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::runs::Setting;

    /// The definition: every pair compared.
    fn pair_by_pair(workloads: &[&Workload]) -> Vec<usize> {
        let components = |linked: fn(&Workload, &Workload) -> bool| {
            let mut component: Vec<usize> = (0..workloads.len()).collect();
            for i in 0..workloads.len() {
                for j in 0..i {
                    if linked(workloads[i], workloads[j]) {
                        let (a, b) = (component[i], component[j]);
                        for entry in component.iter_mut().filter(|c| **c == a.max(b)) {
                            *entry = a.min(b);
                        }
                    }
                }
            }
            component
        };
        let (loose, strict) =
            (components(Workload::compatible), components(Workload::same_but_tokens));
        (0..workloads.len())
            .map(|index| {
                let members: Vec<&Workload> = (0..workloads.len())
                    .filter(|other| loose[*other] == loose[index])
                    .map(|other| workloads[other])
                    .collect();
                let clique = members.iter().all(|a| members.iter().all(|b| a.compatible(b)));
                if clique { loose[index] } else { strict[index] }
            })
            .collect()
    }

    #[test]
    fn the_groups_are_those_of_all_pairs() {
        // A fixed sequence, Knuth's MMIX generator.
        let mut state = 7_u64;
        let mut random = move |below: u64| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) % below
        };
        let (mut joined, mut apart) = (0, 0);
        for case in 0..3_000 {
            let (size, unknown) = (2 + case % 12, 1 + case % 4);
            let workloads: Vec<Workload> = (0..size)
                .map(|_| {
                    let mut text = |name: &str, values: u64| {
                        let value = random(values + unknown as u64);
                        (value < values).then(|| format!("{name}{value}"))
                    };
                    let (label, model, client) = (text("l", 1), text("m", 3), text("c", 2));
                    // Two of three values are one number.
                    let setting = |name: &str| {
                        let value = text("", 3)?;
                        let value = if value == "2" { "1.0".to_owned() } else { value };
                        Some((name.to_owned(), value))
                    };
                    let other = ["x", "y"].into_iter().filter_map(setting);
                    let other = other.collect();
                    let limit = ["", "unlimited", "8", "c8"].map(Setting::parse);
                    Workload {
                        label,
                        model,
                        client,
                        other,
                        requests: Some(100).filter(|_| random(3) > 0),
                        max_concurrency: limit[usize::try_from(random(4)).expect("small")].clone(),
                        // Neighbours are within one percent of each other, and the ends are not.
                        input_tokens: Some(1_000 + 6 * random(5)).filter(|_| random(4) > 0),
                        ..Workload::default()
                    }
                })
                .collect();
            let workloads: Vec<&Workload> = workloads.iter().collect();
            let (found, expected) = (merged(&workloads), pair_by_pair(&workloads));
            assert_eq!(found, expected, "{workloads:#?}");
            let groups = found.iter().enumerate().filter(|(index, group)| index == *group).count();
            if groups < size { joined += 1 } else { apart += 1 }
        }
        assert!(joined > 500 && apart > 200, "{joined} {apart}: both happen");
    }
}
