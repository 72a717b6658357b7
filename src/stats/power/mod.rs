//! Runs that are still to be made: how many show a change of a given size, and when one may look.
//!
//! A [`PlannedTest`] says how many runs of each build find a change with the wanted power, the smallest change that given
//! runs find, and the chance of it: the exact power of the t test, with the degrees of freedom of the noise as the comparison has
//! them ([`PlannedTest::df`]). Noise that is known from few runs is planned at its
//! upper limit ([`Variance::sd_at_most`](crate::Variance::sd_at_most)).
//!
//! Looking at 95 % after every run finds changes that are not there. [`Look::planned`] shares one alpha among looks that are
//! planned beforehand, and [`LastLook`] is the chance that going on still shows something.

mod comparison;
mod looks;
mod t_test;

pub use looks::{LastLook, Look};
pub use t_test::PlannedTest;
