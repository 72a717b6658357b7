#![doc = include_str!("README.md")]
//!
//! Enumerations are exhaustive here: a new value is a new version.

pub mod environment;
pub mod error;
pub mod format;
pub mod journal;
pub mod metrics;
pub mod runs;
pub mod sanitize;
pub mod system;
pub mod units;
pub mod write;
