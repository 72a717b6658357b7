//! Many comparisons at once: what may be said of each, and of all together.
//!
//! *Each.* Of twenty unchanged cells one is found at 5 %. [`holm`] and [`benjamini_hochberg`] adjust the p-values of a list;
//! [`holm_levels`] and [`false_coverage_levels`] are the levels at which the intervals agree with them. Few runs need more: at the
//! small levels of a long list three runs that happen to be alike look too quiet, and [`ListNoise`] finds it from the
//! other cells.
//!
//! *All together.* [`shared_change`] is the change that the cells share. Where a run spans cells (one start of a server serves
//! all loads), its cells share its noise and are no repeats of each other: [`spanning_change`] counts that. [`beyond_others`]
//! names the cells that differ from the shared change, [`unequal_groups_p_value`] compares groups of cells, and
//! [`simultaneous_intervals`] are the bands of a curve over the cells.

mod beyond_others;
mod list_noise;
pub(crate) mod multiplicity;
mod shared_change;
mod simultaneous;

pub use beyond_others::{CellNoise, Excess, beyond_others};
pub use list_noise::{CellRuns, ListNoise};
pub use multiplicity::{
    benjamini_hochberg, false_coverage_levels, holm, holm_levels, weighted_holm,
};
pub use shared_change::{SpanningRuns, shared_change, spanning_change, unequal_groups_p_value};
pub use simultaneous::simultaneous_intervals;
