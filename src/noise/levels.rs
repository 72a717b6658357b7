//! The noise of each level of nested repeats.

use std::collections::BTreeMap;

use crate::builds::Build;
use crate::report::noise::LevelNoise;
use crate::runs::{level_columns, level_path};
use crate::stats::{Leaf, LevelVariance};

/// The variation at each level of a metric, from outer to inner, for a build with levels.
pub(super) fn level_noise(metric: &str, centre: f64, build: &Build) -> Vec<LevelNoise> {
    let Some(columns) = level_columns(build.runs.iter().copied()) else { return Vec::new() };
    // Another variant is another build: its machine 1 is a different one.
    if build.variants.len() > 1 {
        return Vec::new();
    }
    let mut known: BTreeMap<Vec<&str>, usize> = BTreeMap::new();
    let leaves: Vec<Leaf> = build
        .runs
        .iter()
        .filter_map(|run| {
            let value = run.metrics.get(metric)?;
            let path = (0..columns.len()).map(|level| {
                let next = known.len();
                *known.entry(level_path(run, level)).or_insert(next)
            });
            let path = path.collect();
            let inside = run.info.inside.get(metric).map(|spread| (spread.sd, spread.runs));
            Some(Leaf { path, mean: value.value, inside })
        })
        .collect();
    let found = LevelVariance::of(&leaves);
    let all: f64 = found.iter().map(|level| level.of_mean).sum();
    let cv =
        |variance: f64| Some(variance.sqrt() / centre).filter(|cv| centre > 0.0 && cv.is_finite());
    found
        .iter()
        .enumerate()
        .map(|(at, level)| LevelNoise {
            column: columns.get(at).cloned(),
            units: level.units,
            cv: level.variance.and_then(cv),
            share: Some(level.of_mean / all).filter(|share| share.is_finite()),
        })
        .collect()
}
