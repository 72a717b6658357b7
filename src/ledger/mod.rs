//! The ledger of a loop that tries patch after patch: its measurements, the kept patches, and the level of the next
//! confirmation.
//!
//! A try is measured against the present base. Passing costs nothing and proves nothing: only a second measurement with fresh
//! runs of both builds keeps a patch. The confirmations share one alpha by an online rule
//! ([`OnlineLevels`](crate::stats::OnlineLevels)), so that the promise is valid for a loop of any length.
//!
//! The file has a JSON line for each event. Lines are only added, and each contains the hash of the previous line.

mod entries;
mod state;
mod track;

pub use entries::{
    Change, Entry, FILE_NAME, Measurement, MeasurementResult, Stage, Terms, VERSION,
};
pub use state::{ALPHA_SHARE, Ledger, State, Writer, is_name};
pub use track::{Tracked, changed, tracked};
