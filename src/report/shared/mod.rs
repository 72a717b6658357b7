//! The change that the cells of a batch or the loads of a sweep share, and the factor by which it differs.

mod rows;
pub(crate) mod words;

pub use rows::{BeyondRow, DiffersRow, FactorRow, SharedChange, SharedRow, ValueRow};
