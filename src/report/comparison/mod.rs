//! A comparison: a baseline and a candidate under one workload.

pub(crate) mod adjusted;
pub(crate) mod also_worse;
pub(crate) mod claim;
pub(crate) mod command;
pub(crate) mod control;
pub(crate) mod levels;
pub(crate) mod more_runs;
pub(crate) mod next;
pub(crate) mod overview;
pub(crate) mod page;
pub(crate) mod row_text;
mod rows;
pub(crate) mod sessions;
pub(crate) mod tables;
pub(crate) mod verdicts;
pub(crate) mod without;
pub(crate) mod words;

pub use crate::checks::ClaimRow;
pub use crate::compare::{ControlRow, InSessionsRow, SessionChange, SideRow};
pub use command::NextCommand;
pub use levels::{LevelRow, LevelsRow};
pub(crate) use rows::WITHOUT;
pub use rows::{
    Alone, Among, Check, Comparison, Delta, Named, NoiseOrigin, NoiseRow, PerRequest, PriorRow,
    QuantileChange, QuantilesRow, RequestsRow, Row, RunRow, Without, WithoutRow,
};
pub use sessions::{SessionRow, SessionUnit, SessionsRow};
pub use words::title;
