//! Histories: earlier runs as a source of noise, and the verdict on a series of nights.
//!
//! `add` and [`load`] keep runs in a folder, from which comparisons estimate their noise. [`verdict`] finds the changes over
//! many nights, when they began, and how sure they are; [`HistoryReport`] contains all results.

mod judged;
mod nights;
mod store;
mod verdict;

pub use crate::report::history::{
    CellNoise, ChangeRow, CreepRow, EventRow, HistoryReport, HistorySettings, LevelRow, Night,
    NoiseChangeRow, OpenRow, Order, PooledRow, SCHEMA, SeriesRow, Way,
};
pub use store::load;
#[cfg(feature = "tables")]
pub use store::{Added, add};
pub use verdict::{Wanted, verdict};
