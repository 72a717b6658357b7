//! Runs that are still to be made: how many show a change of a given size, and when one may look.
//!
//! [`runs_needed`] is the fewest runs of each build with which a change is found with the wanted power, [`detectable`] the
//! smallest change that given runs find, [`power`] the chance of it: the exact power of the t test, with the noise and its
//! degrees of freedom as the comparison has them ([`comparison_df`]). Noise that is known from few runs is planned at its
//! upper limit ([`noise_at_most`]).
//!
//! Looking at 95 % after every run finds changes that are not there. [`planned_looks`] shares one alpha among looks that are
//! planned beforehand, and [`LastLook`] is the chance that going on still shows something.

mod comparison;
mod looks;
mod t_test;

pub use comparison::{comparison_df, comparison_runs_needed};
pub use looks::{LastLook, Look, MAX_LOOKS, looks, planned_looks, spent_alpha};
pub use t_test::{
    MAX_PLANNED_RUNS, detectable, detectable_with, noise_at_most, power, power_with, runs_needed,
    runs_needed_with,
};
