//! Error rates on the user's own runs.

mod page;
mod rows;

pub use rows::{CalibrationReport, SCHEMA, Settings, VERSION, own_runs_document};
