//! Many comparisons at once: what may be said of each, and of all together.
//!
//! *Each.* Of twenty unchanged cells one is found at 5 %. A [`Adjustment`] adjusts the p-values of a list and has
//! the levels at which the intervals agree with them. Few runs need more: at the
//! small levels of a long list three runs that happen to be alike look too quiet, and [`ListNoise`] finds it from the
//! other cells. Tests that come one after the other, without end, share one alpha by [`OnlineLevels`].
//!
//! *All together.* [`Curve::shared`](crate::Curve::shared) is the change that the cells share. Where a run spans cells (one start of a server serves
//! all loads), its cells share its noise and are no repeats of each other: [`Curve::spanning`](crate::Curve::spanning) counts that. [`Excess::of`]
//! names the cells that differ from the shared change, [`unequal_groups_p_value`] compares groups of cells, and
//! [`Interval::simultaneous`](crate::Interval::simultaneous) are the bands of a curve over the cells.

mod beyond_others;
mod list_noise;
pub(crate) mod multiplicity;
mod online_levels;
mod shared_change;
mod simultaneous;

pub use beyond_others::{CellNoise, Excess};
pub use list_noise::{CellRuns, ListNoise};
pub use multiplicity::Adjustment;
pub use online_levels::OnlineLevels;
pub use shared_change::unequal_groups_p_value;
