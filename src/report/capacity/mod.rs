//! Capacity at a service level objective: the highest throughput over the loads at which all limits are met.

mod rows;
pub(crate) mod words;

pub use rows::{BrokenRow, CapacityRow, CapacitySide, LeftOutLoad, LimitRow, SloRow, SloSide};
