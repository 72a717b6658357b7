//! The whole path in memory: from a [`Dataset`] to a [`Report`].

mod adjust;
mod assemble;
mod assess;
mod batch;
mod conclude;
mod gate;
mod incomparable;
mod input_errors;
mod job;
mod judge;
mod latency_breakdown;
mod run_lists;
mod scope;
mod sensitivity;
mod settings;
mod shared;
mod trade_off;

use crate::error::Error;
use crate::noise_prior::NoisePool;
use crate::policy::Policy;
use crate::report::Report;
use crate::runs::{Dataset, Group, choose_baseline};

pub use batch::{BatchBase, batch};

use assemble::assemble;
use input_errors::{ambiguous, one_variant};
use job::Job;
use scope::{Base, scope};

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
    let noise = NoisePool::collect(dataset, history, policy.noise);
    let groups: Vec<(usize, &Group)> = dataset.groups.iter().enumerate().collect();
    let base = Base::Named { base, first_of_two };
    let job = Job { noise: &noise, policy, variants: &names, batch: false };
    assemble(scope(&groups, base, job)?, (dataset, history), job)
}
