//! Runs of different workloads: what differs, instead of a verdict.

use crate::analysis::assess::Assessed;
use crate::analysis::conclude::{empty, finish};
use crate::analysis::usage::ambiguous;
use crate::analysis::{claim_row, finding_row};
use crate::checks;
use crate::checks::Finding;
use crate::error::Error;
use crate::policy::Policy;
use crate::report::Comparison;
use crate::runs::{Group, Variant, choose_baseline};
use crate::verdict::Headline;

/// A baseline and a candidate of different workloads.
pub(super) struct Refused<'a> {
    pub(super) group: &'a Group,
    pub(super) baseline: &'a Variant,
    pub(super) other: &'a Group,
    pub(super) candidate: &'a Variant,
    finding: Finding,
}

impl Refused<'_> {
    /// The comparison that says what differs.
    pub(super) fn refuse(self, policy: &Policy) -> Comparison {
        let claims =
            checks::unchecked_claims(&[self.baseline, self.candidate], "the workloads differ");
        let mut comparison = empty(self.group, self.baseline, self.candidate, policy);
        comparison.claims = claims.into_iter().map(claim_row).collect();
        comparison.checks = vec![finding_row(self.finding)];
        comparison.headline = Headline::NotComparable;
        finish(&mut comparison, &[], policy);
        comparison
    }
}

/// The pairs to refuse: runs of the baseline and of others that stand alone, each with the baseline's
/// workload that differs least from its own.
pub(super) fn mismatched<'a>(
    alone: &[(&'a Group, &'a Variant)],
    assessed: &[Assessed],
    names: &[&str],
    base: Option<&str>,
    first_of_two: Option<&str>,
) -> Result<Vec<Refused<'a>>, Error> {
    let chosen = choose_baseline(names, base, first_of_two);
    // A label that the user gave exists somewhere: here there is nothing to compare.
    if let (Err(unclear), true, None) = (&chosen, assessed.is_empty(), base) {
        return Err(ambiguous(unclear, names));
    }
    let is_base = |name: &str| {
        chosen.as_ref().is_ok_and(|&index| names[index] == name)
            || assessed.iter().any(|one| one.runs.baseline.name == name)
    };
    let bases: Vec<&(&Group, &Variant)> = alone.iter().filter(|(_, v)| is_base(&v.name)).collect();
    let others = alone.iter().filter(|(_, variant)| !is_base(&variant.name));
    let refused = others.filter_map(|&(other, candidate)| {
        let nearest = bases.iter().min_by_key(|(group, _)| distance(group, other))?;
        let &&(group, baseline) = nearest;
        let finding = checks::mismatch(&group.workload, &other.workload)?;
        Some(Refused { group, baseline, other, candidate, finding })
    });
    Ok(refused.collect())
}

/// Number of fields in which two workloads differ.
fn distance(a: &Group, b: &Group) -> usize {
    a.workload.differences(&b.workload).len()
}
