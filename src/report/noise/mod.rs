//! The noise of one build.

mod page;
mod rows;
pub(crate) mod words;

pub use rows::{
    Autocorrelation, Detectable, Drift, FindingRow, LevelNoise, MetricNoise, NoiseReport,
    PublishedPlace, Repeats, SCHEMA, Settings, SplitHalves, TwoModes, WhatHelps, Within,
};
