//! Runs of different workloads: a comparison with one finding, which says what differs.

use std::collections::{BTreeMap, BTreeSet};

use crate::analysis::assess::{Assessed, shape};
use crate::analysis::input_errors::{ambiguous, runs_of};
use crate::checks::{self, Finding};
use crate::compare::Pairing;
use crate::error::Error;
use crate::policy::Policy;
use crate::runs::{Group, Variant, Workload, choose_baseline};

/// A variant with no other to compare under its workload; its group has the position in the job.
pub(super) type Alone<'a> = ((usize, &'a Group), &'a Variant);

/// Variants without a partner, each against the baseline's workload that differs least from its own. Where they differ only in
/// what tells the baseline's own cells apart, a variant that was compared in other cells is missing in this one, which is no
/// comparison.
pub(super) fn incomparable<'a>(
    alone: &[Alone<'a>],
    assessed: &[Assessed],
    names: &[&str],
    (base, assumed_base): (Option<&str>, Option<&str>),
    policy: &Policy,
) -> Result<Vec<Assessed<'a>>, Error> {
    let chosen = choose_baseline(names, base, assumed_base);
    // A label that the user gave exists elsewhere; without one, the baseline has to be named.
    if let (Err(unclear), true, None) = (&chosen, assessed.is_empty(), base) {
        let runs = runs_of(alone.iter().map(|((_, group), _)| *group));
        return Err(ambiguous(unclear, names, &runs, policy));
    }
    let is_base = |name: &str| {
        chosen.as_ref().is_ok_and(|&index| names[index] == name)
            || assessed.iter().any(|one| one.runs.baseline.name == name)
    };
    let (bases, others): (Vec<&Alone>, Vec<&Alone>) =
        alone.iter().partition(|(_, variant)| is_base(&variant.name));
    let met = |name: &str| assessed.iter().any(|one| one.runs.candidate.name == name);
    let compared = assessed.iter().map(|one| &one.group.1.workload);
    let cells: Vec<&Workload> =
        compared.chain(bases.iter().map(|(group, _)| &group.1.workload)).collect();
    let differences = |one: &&Workload| cells[0].differences(one).into_iter();
    let apart: BTreeSet<String> =
        cells.iter().flat_map(differences).map(|difference| difference.field).collect();
    let mismatched = |&(other, candidate): &Alone<'a>| {
        let differing =
            |(group, _): &&&Alone| group.1.workload.differences(&other.1.workload).len();
        let &&(group, baseline) = bases.iter().min_by_key(differing)?;
        let differ = group.1.workload.differences(&other.1.workload);
        if met(&candidate.name) && differ.iter().all(|one| apart.contains(&one.field)) {
            return None;
        }
        let finding = checks::mismatch(&group.1.workload, &other.1.workload)?;
        let runs = Pairing {
            baseline,
            candidate,
            pairs: None,
            levels: None,
            few_blocks: None,
            sessions: None,
            control: None,
        };
        Some(without_rows(group, runs, finding, policy))
    };
    Ok(others.into_iter().filter_map(mismatched).collect())
}

/// A comparison without measured rows, made for a finding.
fn without_rows<'a>(
    group: (usize, &'a Group),
    runs: Pairing<'a>,
    finding: Finding,
    policy: &Policy,
) -> Assessed<'a> {
    let (baseline, candidate) = (runs.baseline, runs.candidate);
    Assessed {
        cell: group.1.cell.clone(),
        load: shape(group.1, baseline, candidate, policy),
        deciding: Vec::new(),
        guards: Vec::new(),
        one_sided: Vec::new(),
        rows: Vec::new(),
        wider: BTreeMap::new(),
        findings: vec![finding],
        claims: checks::unchecked_claims(&[baseline, candidate], "the workloads differ"),
        group,
        runs,
    }
}
