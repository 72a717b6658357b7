//! The verdict on a history.

mod noise;
mod page;
mod rows;
pub(crate) mod words;

pub use noise::noise_of_each_metric;
pub use rows::{
    CellNoise, ChangeRow, CreepRow, EventRow, HistoryReport, HistorySettings, LevelRow, Night,
    NoiseChangeRow, OpenRow, Order, PooledRow, SCHEMA, SeriesRow, Way,
};
