//! x
pub mod error;
pub mod metrics;
pub mod read;
pub mod runs;
pub mod stats;
pub mod units;
