//! Published noise: the grade of one run each, and the atlas itself.

mod page;
mod rows;
pub(crate) mod words;

pub use rows::{
    AtlasMetric, AtlasReport, AtlasRow, ChangeLevel, CvLevel, GradeCounts, GradesRow, OwnNoise,
    PublishedRow, Question, SCHEMA,
};
