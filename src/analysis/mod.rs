//! The whole path in memory: from a [`Dataset`] to a [`Report`].

mod account;
mod adjust;
mod assess;
mod batch;
mod conclude;
mod gate;
mod refused;
mod rows;
mod run_lists;
mod scope;
mod sensitivity;
mod settings;
mod trade_off;
mod usage;

use crate::checks::{CheckedClaim, Finding};
use crate::error::Error;
use crate::noise_prior::NoisePool;
use crate::policy::Policy;
use crate::report::{Check, ClaimRow, Comparison, Report, SCHEMA};
use crate::runs::{Dataset, Group, choose_baseline};
use crate::verdict::Headline;

pub use batch::{BatchBase, batch};

use conclude::{Job, conclude_all};
use scope::{Base, Scope, scope};
use settings::{inputs, settings};
use usage::{ambiguous, no_such_metric, one_variant, unknown_in_policy};

/// Compares every variant with the baseline of its workload.
///
/// `base` is the baseline's label if the user gave one; `first_of_two` the first of two inputs that the
/// user named in order.
///
/// # Errors
///
/// [`Error::Usage`] if there are fewer than two variants, or no label tells the baseline.
pub fn analyse(
    dataset: &Dataset,
    base: Option<&str>,
    first_of_two: Option<&str>,
    policy: &Policy,
) -> Result<Report, Error> {
    analyse_with(dataset, None, base, first_of_two, policy)
}

/// [`analyse`] with earlier runs, whose noise is borrowed.
///
/// # Errors
///
/// As [`analyse`].
pub fn analyse_with(
    dataset: &Dataset,
    history: Option<&Dataset>,
    base: Option<&str>,
    first_of_two: Option<&str>,
    policy: &Policy,
) -> Result<Report, Error> {
    let names = dataset.variant_names();
    if names.len() < 2 {
        return Err(one_variant(dataset, &names, policy));
    }
    if let Some(base) = base {
        choose_baseline(&names, Some(base), None).map_err(|unclear| ambiguous(&unclear, &names))?;
    }
    let lenders = NoisePool::collect(dataset, history, policy.noise);
    let groups: Vec<(usize, &Group)> = dataset.groups.iter().enumerate().collect();
    let base = Base::Named { base, first_of_two };
    let job = Job { lenders: &lenders, policy, variants: &names, batch: false };
    let Scope { assessed, refused, unmatched, missing } = scope(&groups, base, job)?;
    no_such_metric(dataset, policy)?;
    unknown_in_policy(dataset, policy)?;
    let mut comparisons = conclude_all(assessed, job);
    comparisons.extend(refused);
    comparisons.sort_by(|a, b| {
        let size = |one: &Comparison| batch::worst(one);
        weight(a.headline).cmp(&weight(b.headline)).then(size(b).total_cmp(&size(a)))
    });
    let (gate, gate_reason) = gate::overall(&comparisons, &unmatched, &missing, policy);
    Ok(Report {
        schema: SCHEMA,
        version: env!("CARGO_PKG_VERSION"),
        settings: settings(policy, &comparisons),
        inputs: std::iter::once(dataset).chain(history).flat_map(inputs).collect(),
        repeats: dataset.repeats(),
        gate,
        gate_reason,
        comparisons,
        unmatched,
        batch: None,
    })
}

/// Place of a headline when the worst comes first.
fn weight(headline: Headline) -> u8 {
    match headline {
        Headline::Regressed => 0,
        Headline::TradeOff => 1,
        Headline::NotComparable => 2,
        Headline::SlightlyRegressed => 3,
        Headline::Improved => 4,
        Headline::SlightlyImproved => 5,
        Headline::WithinNoise => 6,
        Headline::NoChange => 7,
        Headline::NoVerdict => 8,
    }
}

/// A finding as the report shows it.
fn finding_row(finding: Finding) -> Check {
    Check {
        id: finding.id,
        severity: finding.severity,
        could_flip: finding.could_flip,
        message: finding.message,
        evidence: finding.evidence,
        details: finding.details,
        without: None,
    }
}

/// A claim as the report shows it.
fn claim_row(checked: CheckedClaim) -> ClaimRow {
    ClaimRow {
        variant: checked.variant.to_owned(),
        text: checked.claim.text.clone(),
        place: checked.claim.source.to_string(),
        metric: checked.metric,
        claimed: checked.claimed,
        measured: checked.measured,
        against: checked.against.map(str::to_owned),
        outcome: checked.outcome,
        message: checked.message,
    }
}
