//! The ledger of a loop that tries patch after patch: what was measured, what is kept, and at which level the next try is
//! confirmed.
//!
//! A try is measured against the base of that time. Passing costs nothing and proves nothing: only a second measurement,
//! with fresh runs of both builds, keeps a patch. The confirmations share one alpha by an online rule
//! ([`OnlineLevels`](crate::stats::OnlineLevels)), so that a loop of any length keeps its promise.
//!
//! The file is a JSON line for each event. Lines are only added, and each holds the hash of the line before.

mod entries;
mod state;
mod track;

pub use entries::{
    Change, Entry, FILE_NAME, Measurement, MeasurementResult, Stage, Terms, VERSION,
};
pub use state::{ALPHA_SHARE, Ledger, State, Writer, is_name};
pub use track::{Tracked, changed, tracked};
