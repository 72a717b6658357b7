//! The verdict on a history.

mod page;
mod rows;
pub(crate) mod words;

pub use rows::{
    CellNoise, ChangeRow, CreepRow, EventRow, HistoryReport, HistorySettings, LevelRow, Night,
    NoiseChangeRow, OpenRow, Order, PooledRow, SCHEMA, SeriesRow, Way,
};
