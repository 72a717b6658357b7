//! Error rates of the intervals on the user's own repeated runs.
//!
//! [`own_runs`] splits the repeated runs of one build at random. It counts how often the halves are called different, and how
//! often a change of a given size is found. The crate in `src/calibration` does the same with simulated noise.
//!
//! Every repetition has its own generator stream, which depends on the job and not on time. So the figures are the same on any
//! number of threads, and those of a design do not depend on other designs.

mod procedure;
mod repeat;
mod split_half;
mod split_half_rows;
mod split_series;

pub use procedure::{Design, Power, Procedure, excludes_zero, shift};
#[doc(hidden)]
pub use repeat::{BLOCK, Block, generator, in_blocks};
pub use split_half::{OwnGroup, OwnRow, OwnRuns, OwnSettings, own_runs};
