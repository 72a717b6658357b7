//! The ledger of a loop.

mod answer;
mod page;
mod rows;
mod words;

pub use rows::{Budget, LedgerReport, LedgerSettings, MeasurementRow, Question, SCHEMA, TryRow};
