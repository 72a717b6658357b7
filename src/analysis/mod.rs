//! The whole path in memory: from a [`Dataset`] to a [`Report`].

mod adjust;
mod assemble;
mod assess;
mod batch;
mod capacity;
mod conclude;
mod controls;
mod flags;
mod gate;
mod incomparable;
mod input_errors;
mod job;
mod judge;
mod known_changes;
mod latency_breakdown;
mod lists;
mod made;
mod promotion;
mod published;
mod requests;
mod run_lists;
mod scope;
mod sensitivity;
mod settings;
mod shared;
mod spanning;
mod stop;
mod sweep;
mod trade_off;
mod variant_order;

use crate::error::Error;
use crate::noise_prior::NoisePool;
use crate::policy::{Base, Policy};
use crate::report::Report;
use crate::runs::{Dataset, Group, choose_baseline};

pub use batch::batch;
pub use made::{analyse_made, at_look_of, decided_by_time, of_plan};
pub use stop::{StopRule, stop};

use assemble::assemble;
use controls::Named;
use input_errors::{ambiguous, one_variant, runs_of};
use job::Job;
use scope::{Against, scope};
use variant_order::VariantOrder;

/// Compares every variant with the baseline of its workload.
///
/// `base` is the baseline's label if the user gave one. [`Base::PREVIOUS`] compares each variant with the one before, unless a
/// variant has that label; they are in the order of the [places](crate::runs::RunInfo::place) of the runs, else of their start
/// times, else of the names. `assumed_base` is [`Loaded::assumed_base`](crate::read::Loaded::assumed_base), taken
/// where no label names the baseline.
///
/// # Errors
///
/// [`Error::Usage`] if there are fewer than two variants, or if no label names the baseline.
pub fn analyse(
    dataset: &Dataset,
    base: Option<&str>,
    assumed_base: Option<&str>,
    policy: &Policy,
) -> Result<Report, Error> {
    analyse_with(dataset, None, base.map(Base::parse).as_ref(), assumed_base, policy)
}

/// [`analyse`] with earlier runs, from which noise is borrowed.
///
/// # Errors
///
/// As [`analyse`].
pub fn analyse_with(
    dataset: &Dataset,
    history: Option<&Dataset>,
    base: Option<&Base>,
    assumed_base: Option<&str>,
    policy: &Policy,
) -> Result<Report, Error> {
    let names = dataset.variant_names();
    if names.len() < 2 {
        return Err(one_variant(dataset, &names, policy));
    }
    let previous = base == Some(&Base::Previous) && !names.contains(&Base::PREVIOUS);
    let base = base.filter(|_| !previous).map(Base::as_str);
    if base.is_some() {
        choose_baseline(&names, base, None)
            .map_err(|unclear| ambiguous(&unclear, &names, &runs_of(&dataset.groups), policy))?;
    }
    let noise = NoisePool::collect(dataset, history, policy.noise);
    let groups: Vec<(usize, &Group)> = dataset.groups.iter().enumerate().collect();
    let order = if previous { Some(VariantOrder::of(&groups)?) } else { None };
    let base = order.as_ref().map_or(Against::Named { base, assumed_base }, Against::Previous);
    let control = Named::find(dataset, policy)?;
    let job = Job { noise: &noise, policy, variants: &names, control: &control, batch: false };
    let mut report = assemble(scope(&groups, base, job)?, (dataset, history), job)?;
    if let Some(order) = order {
        order.show(&mut report);
    }
    Ok(report)
}
