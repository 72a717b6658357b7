//! The numbers: golden values, laws, error rates, the edges of what a double holds.
//!
//! One executable for all of them, since each one links the whole program.

#![allow(clippy::too_many_lines, reason = "tables of cases")]

mod differential;
mod golden;
mod golden_borrowed;
mod golden_history;
mod golden_noise;
mod golden_sequential;
mod numerics;
mod properties;
mod sessions;
