//! Published noise: the grade of one run each, and the atlas itself.

mod page;
mod rows;
pub(crate) mod words;

pub use crate::atlas::PublishedRow;
pub use rows::{
    AtlasMetric, AtlasReport, AtlasRow, ChangeLevel, CvLevel, GradeCounts, GradesRow, OwnNoise,
    Question, SCHEMA,
};
