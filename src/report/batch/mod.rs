//! A batch: many cells of one export.

pub(crate) mod page;
mod pictures;
mod rows;

pub use page::batch;
pub use rows::{BatchCounts, BatchRow};
