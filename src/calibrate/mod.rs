//! Error rates of the intervals on the user's own repeated runs.
//!
//! [`own_runs`] splits the repeated runs of one build at random and counts how often the halves are called different,
//! and how often a change of a given size is seen. What simulated noise gives is the crate in `src/calibration`, which
//! uses the same repetitions.
//!
//! Every repetition has a generator stream of its own, given by what is drawn and not by when: the figures are the
//! same on any number of threads, and those of a design do not depend on which others are asked for.

mod procedure;
mod repeat;
mod split_half;
mod split_half_rows;
mod split_series;

pub use procedure::{Design, Power, Procedure, excludes_zero, shift};
#[doc(hidden)]
pub use repeat::{BLOCK, Block, generator, in_blocks};
pub use split_half::{OwnGroup, OwnRow, OwnRuns, OwnSettings, own_runs};
