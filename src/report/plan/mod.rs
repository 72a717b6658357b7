//! A plan: how many runs of each variant, in which order, at which cost.

mod cost;
mod order;
mod page;
mod rows;
mod words;

pub use cost::Cost;
pub use order::{PATTERN, order_of_runs};
pub use rows::{
    Detectable, Effect, Needed, Noise, Plan, PlanReport, Planned, PlannedLook, Request, SCHEMA,
    Size, Upper,
};
