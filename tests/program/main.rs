//! The executable and the repository: flags, faults, hostile names, documentation, layers.
//!
//! One executable for all of them, since each one links the whole program.

#![allow(clippy::too_many_lines, reason = "tables of cases")]

mod agree;
mod browser;
mod cli;
mod docs;
mod faults;
mod hostile;
mod layering;
mod ledger;
mod library;
mod processes;
#[cfg(unix)]
mod reduce;
mod run;
mod run_faults;
mod schema;
mod unattended;
mod words;
