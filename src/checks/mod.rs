//! Checks for confounders that a careful reviewer would notice, each with its numbers.
//!
//! Outside the crate only [`CHECKS`], [`Severity`] and [`Outcome`] are of use: the report contains the findings.
//!
//! A check is a function that returns at most one finding, from a subject (the runs of one build or two) or from a
//! context (a comparison: a subject with all its metrics). A new check is a function in the file of its family and an entry
//! in the table `registry.rs`. Checks change no number: they stop metrics from being judged, and give the reason.

mod averages;
mod chance;
mod claims;
mod consistency;
mod context;
mod environment;
mod failed_runs;
mod finding;
mod first_run;
mod id;
mod inside_runs;
mod levels;
mod load;
mod machine;
mod measurement;
mod order;
mod outlier_run;
mod planned;
mod registry;
mod requests;
mod runs;
mod same_fact;
mod spread;
mod subject;

pub use claims::{ClaimRow, Outcome};
pub(crate) use claims::{claims, unchecked_claims};
pub(crate) use context::Context;
pub use finding::Severity;
pub(crate) use finding::{Blocks, Details, Finding, sort};
pub use id::CheckId;
pub(crate) use measurement::{Moved, trade_off};
pub(crate) use order::machine_changed;
pub(crate) use registry::ids;
pub use registry::{CHECKS, CheckInfo, Scope};
pub(crate) use registry::{run, run_on_builds};
pub(crate) use requests::{mismatch, what_differs};
pub(crate) use runs::SINGLE_RUNS;
pub(crate) use spread::{EXACT, MOST_FOR_MODES};
pub(crate) use subject::Subject;
