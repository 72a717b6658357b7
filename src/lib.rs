//! Says whether the change between repeated benchmark runs exceeds run-to-run noise.
//!
//! Data flows one way: files are [`read`] into [`runs`], reduced by [`stats`] to estimates in
//! [`compare`], judged by [`verdict`] under a [`policy`] with the findings of [`checks`], and shown by
//! [`report`]. [`analysis`] is the whole of it in memory.
//!
//! ```no_run
//! use beyondnoise::{analysis, policy::Policy, read, report};
//!
//! # fn main() -> Result<(), beyondnoise::error::Error> {
//! let inputs = ["before=runs/main".to_owned(), "after=runs/patch".to_owned()];
//! let loaded = read::load(&inputs, &read::Options::default())?;
//! let report = analysis::analyse(&loaded.dataset, None, None, &Policy::default())?;
//! println!("{}", report::markdown(&report));
//! # Ok(())
//! # }
//! ```

pub mod analysis;
pub mod borrow;
pub mod calibrate;
pub mod checks;
pub mod compare;
pub mod error;
pub mod history;
pub mod metrics;
pub mod noise;
pub mod plan;
pub mod policy;
mod printable;
pub mod read;
pub mod report;
pub mod runs;
pub mod stats;
pub mod units;
pub mod verdict;
pub mod write;
