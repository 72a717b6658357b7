//! The numbers: golden values, laws, error rates, the edges of what a double holds.
//!
//! One executable for all of them, since each one links the whole program.

mod coverage;
mod differential;
mod golden;
mod golden_borrowed;
mod golden_noise;
mod golden_sequential;
mod numerics;
mod properties;
