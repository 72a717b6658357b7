//! A sweep: one workload at several loads.

pub(crate) mod page;
mod rows;
pub(crate) mod words;

pub use rows::{AloneRow, CurveRow, PointRow, SweepRow};
