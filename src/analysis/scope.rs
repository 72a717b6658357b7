//! The comparisons inside one scope: a whole job, or one cell of a batch.

use std::collections::BTreeMap;

use rayon::prelude::*;

use crate::analysis::assess::Assessed;
use crate::analysis::incomparable::{Alone, incomparable};
use crate::analysis::input_errors::{ambiguous, paired, ranks_in_blocks, runs_of};
use crate::analysis::job::Job;
use crate::analysis::variant_order::VariantOrder;
use crate::checks;
use crate::compare::Pairing;
use crate::error::Error;
use crate::policy::Policy;
use crate::report::Unmatched;
use crate::runs::{Group, Variant, Workload, choose_baseline};

/// The baseline of a variant.
#[derive(Clone, Copy)]
pub(super) enum Against<'a> {
    /// The user's label, or else the label that names a baseline.
    Named { base: Option<&'a str>, assumed_base: Option<&'a str> },
    /// The variant before it.
    Previous(&'a VariantOrder),
}

/// The measured comparisons of a scope, and the runs without one.
#[derive(Default)]
pub(super) struct Scope<'a> {
    /// To be judged.
    pub(super) assessed: Vec<Assessed<'a>>,
    /// Runs of different workloads, which get no verdict.
    pub(super) incomparable: Vec<Assessed<'a>>,
    pub(super) unmatched: Vec<Unmatched>,
    /// Workloads that a variant lacks although it has others, a sentence each.
    pub(super) missing: Vec<String>,
}

/// Largest number of comparisons that keep the curves of their intervals in memory.
const FEW: usize = 12;

/// Measures the variants of every group; groups come with their positions in the job.
pub(super) fn scope<'a>(
    groups: &[(usize, &'a Group)],
    base: Against,
    job: Job<'a>,
) -> Result<Scope<'a>, Error> {
    let policy = job.policy;
    let mut compared: Vec<((usize, &Group), Pairing)> = Vec::new();
    let mut alone: Vec<Alone> = Vec::new();
    let mut missing = Vec::new();
    let names = names(groups);
    for &(position, group) in groups {
        let pairs = pairs(group, base, policy)?;
        if pairs.is_empty() {
            alone.extend(group.variants.iter().map(|variant| ((position, group), variant)));
        } else {
            let here = |name: &&&str| group.variants.iter().any(|variant| variant.name == **name);
            let load = group.workload.describe();
            let lacks = job.variants.iter().filter(|name| !here(name));
            missing.extend(lacks.map(|name| format!("{name} has no runs of {load}")));
        }
        for (baseline, candidate) in pairs {
            let pairs = paired(baseline, candidate, policy)?;
            let mut pairing = Pairing::new(baseline, candidate, pairs);
            pairing.control = job.control.of(group, [baseline, candidate]);
            if policy.across.has_rank_interval() && pairing.pairs.is_some() {
                return Err(ranks_in_blocks());
            }
            compared.push(((position, group), pairing));
        }
    }
    let few = !job.batch && compared.len() <= FEW;
    let assessed: Vec<Assessed> = compared
        .into_par_iter()
        .map(|(group, runs)| {
            let assessed = Assessed::of(group, runs, job.noise, policy);
            if few { assessed } else { assessed.without_curves() }
        })
        .collect();
    let by_label = match base {
        Against::Named { base, assumed_base } => (base, assumed_base),
        Against::Previous(order) => {
            (order.names.iter().find(|n| names.contains(&n.as_str())).map(String::as_str), None)
        }
    };
    let incomparable = incomparable(&alone, &assessed, &names, by_label, policy)?;
    let is_paired = |variant: &Variant| {
        let mut paired =
            incomparable.iter().flat_map(|one| [one.runs.baseline, one.runs.candidate]);
        paired.any(|other| std::ptr::eq(other, variant))
    };
    alone.retain(|(_, variant)| !is_paired(variant));
    let against = assessed.iter().chain(&incomparable).next().map(|first| &first.group.1.workload);
    // A variant that was compared elsewhere is missing here; of another one it is said how its workload differs.
    let met = |name: &str| {
        let mut compared = assessed.iter().flat_map(|one| [one.runs.baseline, one.runs.candidate]);
        compared.any(|variant| variant.name == name)
    };
    let unmatched = alone.into_iter().map(|((_, group), variant)| {
        let against = against.filter(|_| !met(&variant.name));
        let why = against.and_then(|against| checks::what_differs(against, &group.workload));
        unmatched(group, variant, why)
    });
    let unmatched = unmatched.collect();
    Ok(Scope { assessed, incomparable, unmatched, missing })
}

impl Scope<'_> {
    /// Names the cell of every comparison and every unmatched run by its workload.
    pub(super) fn name_cells(&mut self, name: impl Fn(&Workload) -> BTreeMap<String, String>) {
        for one in self.assessed.iter_mut().chain(&mut self.incomparable) {
            one.cell = name(&one.group.1.workload);
        }
        for row in &mut self.unmatched {
            row.cell = name(&row.workload);
        }
    }

    /// Adds another scope.
    pub(super) fn extend(&mut self, other: Self) {
        self.assessed.extend(other.assessed);
        self.incomparable.extend(other.incomparable);
        self.unmatched.extend(other.unmatched);
        self.missing.extend(other.missing);
    }
}

/// The pairs of a group, baseline first; empty if nothing can be compared.
fn pairs<'a>(
    group: &'a Group,
    base: Against,
    policy: &Policy,
) -> Result<Vec<(&'a Variant, &'a Variant)>, Error> {
    if group.variants.len() < 2 {
        return Ok(Vec::new());
    }
    let labels: Vec<&str> = group.variants.iter().map(|variant| variant.name.as_str()).collect();
    let (base, assumed_base) = match base {
        Against::Named { base, assumed_base } => (base, assumed_base),
        Against::Previous(order) => {
            let variants = order.of_group(group);
            return Ok(variants.windows(2).map(|pair| (pair[0], pair[1])).collect());
        }
    };
    let index = match choose_baseline(&labels, base, assumed_base) {
        Ok(index) => index,
        Err(unclear) if base.is_none() => {
            return Err(ambiguous(&unclear, &labels, &runs_of([group]), policy));
        }
        Err(_) => return Ok(Vec::new()),
    };
    let baseline = &group.variants[index];
    let others = group.variants.iter().filter(|variant| variant.name != baseline.name);
    Ok(others.map(|candidate| (baseline, candidate)).collect())
}

fn names<'a>(groups: &[(usize, &'a Group)]) -> Vec<&'a str> {
    let mut names: Vec<&str> = Vec::new();
    for variant in groups.iter().flat_map(|(_, group)| &group.variants) {
        if !names.contains(&variant.name.as_str()) {
            names.push(&variant.name);
        }
    }
    names
}

/// Who has no runs of a workload in which a variant has no partner.
fn missing_beside(group: &Group, variant: &Variant) -> String {
    if group.variants.len() > 1 {
        return "the baseline has no runs".to_owned();
    }
    format!("only {} has runs", variant.name)
}

/// Runs without a comparison, and the reason.
fn unmatched(group: &Group, variant: &Variant, why: Option<String>) -> Unmatched {
    let failed = variant.failed.first().filter(|_| variant.runs.is_empty());
    let all_failed = failed.and_then(|run| run.info.failure.as_ref());
    let why = all_failed.map(|why| format!("all its runs failed: {why}")).or(why);
    Unmatched {
        variant: variant.name.clone(),
        runs: variant.runs.len(),
        failed: variant.failed.len(),
        cell: group.cell.clone(),
        workload: group.workload.clone(),
        why: why.unwrap_or_else(|| missing_beside(group, variant)),
    }
}
