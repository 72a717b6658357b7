//! x
pub mod stats;
