//! Special functions and searches, without a meaning of their own.

pub(crate) mod bisection;
pub(crate) mod distribution;
pub(crate) mod logarithm;
pub(crate) mod normal_mixture;
pub(crate) mod trigamma;
