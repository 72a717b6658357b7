//! Runs that may be the same run, found among many without comparing every pair.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::runs::duplicates::{VaryingDigits, WITHIN, is_telling, same_run};
use crate::runs::{Run, Value};

/// Up to this number of runs in a group, every pair is compared.
const FEW: usize = 64;

/// The kept runs of a list, and an index for finding duplicates. Runs are large, so the index has positions.
#[derive(Default)]
pub(super) struct DuplicateIndex {
    /// Positions of the kept runs.
    positions: Vec<usize>,
    /// For many runs: their positions by place in a file, and by names of metrics.
    by_source: BTreeMap<Arc<str>, BTreeMap<usize, usize>>,
    by_metrics: BTreeMap<Vec<String>, BTreeMap<String, Values>>,
}

#[derive(Default)]
struct Values {
    /// Values in order, each with the position of its run.
    values: BTreeSet<(i64, usize)>,
    /// The coarsest resolution of these values.
    resolution: f64,
}

impl DuplicateIndex {
    /// Position of the first kept run that is the same as the run at `at`.
    pub(super) fn find_duplicate(
        &self,
        runs: &[Run],
        at: usize,
        varying: &VaryingDigits,
    ) -> Option<usize> {
        let run = &runs[at];
        let same_run = |a: &Run, b: &Run| same_run(a, b) || varying.is_copied(a, b);
        if self.positions.len() <= FEW {
            return self.positions.iter().copied().find(|other| same_run(&runs[*other], run));
        }
        let place = run.place();
        let of_file = self.by_source.get(&place.path);
        let same_place = of_file.and_then(|of_file| of_file.get(&place.position));
        let mut candidates: Vec<usize> = same_place.into_iter().copied().collect();
        let telling = !self.by_metrics.is_empty() && is_telling(run);
        for of_metric in self.by_metrics.values().filter(|_| telling) {
            let near = of_metric.iter().filter_map(|(name, values)| {
                run.metrics.get(name).map(|value| values.near(*value))
            });
            // Duplicates agree in every common metric: the metric with the fewest agreeing runs needs the fewest comparisons.
            let mut fewest: Option<Vec<usize>> = None;
            for near in near {
                let most = fewest.as_ref().map_or(usize::MAX, Vec::len);
                let found: Vec<usize> = near.take(most).collect();
                if found.len() < most {
                    fewest = Some(found);
                }
            }
            candidates.extend(fewest.unwrap_or_default());
        }
        candidates.sort_unstable();
        candidates.into_iter().find(|other| same_run(&runs[*other], run))
    }

    /// Keeps the run at `at`, which comes after all earlier positions.
    pub(super) fn keep(&mut self, runs: &[Run], at: usize) {
        self.positions.push(at);
        match self.positions.len() {
            all if all == FEW + 1 => {
                for index in 0..all {
                    self.enter(runs, self.positions[index]);
                }
            }
            all if all > FEW => self.enter(runs, at),
            _ => {}
        }
    }

    /// Notes that another run is now at the kept position `at`.
    pub(super) fn changed(&mut self, runs: &[Run], at: usize) {
        if self.positions.len() > FEW {
            // The earlier entries remain: they only add a candidate, which is then compared.
            self.enter(runs, at);
        }
    }

    /// For each of the first `runs` positions, whether it is kept.
    pub(super) fn marks(&self, runs: usize) -> Vec<bool> {
        let mut kept = vec![false; runs];
        for position in &self.positions {
            kept[*position] = true;
        }
        kept
    }

    fn enter(&mut self, runs: &[Run], at: usize) {
        let run = &runs[at];
        // An earlier run from this place is a duplicate, unless another run took its position.
        let place = run.place();
        let of_file = self.by_source.entry(place.path.clone()).or_default();
        of_file.insert(place.position, at);
        if !is_telling(run) {
            return;
        }
        let names: Vec<String> = run.metrics.keys().map(str::to_owned).collect();
        let of_metric = self.by_metrics.entry(names).or_default();
        for (name, value) in &run.metrics {
            let values = match of_metric.get_mut(name) {
                Some(values) => values,
                None => of_metric.entry(name.to_owned()).or_default(),
            };
            values.values.insert((ordered(value.value), at));
            values.resolution = values.resolution.max(value.resolution);
        }
    }
}

impl Values {
    /// Positions of the runs with a possibly equal value.
    fn near(&self, value: Value) -> impl Iterator<Item = usize> {
        let apart = self.resolution.max(value.resolution) * WITHIN;
        // One step wider, since the ends are rounded.
        let low = (ordered((value.value - apart).next_down()), 0);
        let high = (ordered((value.value + apart).next_up()), usize::MAX);
        self.values.range(low..=high).map(|(_, index)| *index)
    }
}

/// An integer in the same order as the number.
fn ordered(x: f64) -> i64 {
    let bits = (x + 0.0).to_bits().cast_signed();
    bits ^ (((bits >> 63).cast_unsigned() >> 1).cast_signed())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::runs::Source;

    #[test]
    fn the_twin_is_that_of_comparing_every_pair() {
        // A fixed sequence, Knuth's MMIX generator.
        let mut state = 3_u64;
        let mut random = move |below: u32| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            u32::try_from(state >> 33).expect("31 bits") % below
        };
        let (mut kept, mut runs, mut twins) = (DuplicateIndex::default(), Vec::<Run>::new(), 0);
        for position in 0..600_usize {
            let seed = random(400);
            let mut value = |scale: f64| {
                let exact = (f64::from(seed) + 0.123_456_789).sqrt() * scale;
                // Some are printed with three digits after the point.
                let printed = random(4) == 0;
                let value = if printed { (exact * 1e3).round() / 1e3 } else { exact };
                Value { value, resolution: if printed { 0.5e-3 } else { 0.0 } }
            };
            let all =
                [("a", value(1.0)), ("b", value(10.0)), ("c", value(-3.0)), ("d", value(1e4))];
            let metrics = all.into_iter().filter(|_| random(8) > 0);
            let run = Run {
                metrics: metrics.map(|(name, value)| (name.to_owned(), value)).collect(),
                source: Source {
                    path: "x".into(),
                    position: position / 2 * random(2) as usize,
                    counts: "row",
                },
                ..Run::default()
            };
            let marks = kept.marks(runs.len());
            let same = |at: &usize| marks[*at] && same_run(&runs[*at], &run);
            let expected = (0..runs.len()).find(same);
            runs.push(run);
            assert_eq!(
                kept.find_duplicate(&runs, position, &VaryingDigits::default()),
                expected,
                "{position}"
            );
            match expected {
                None => kept.keep(&runs, position),
                Some(index) => {
                    twins += 1;
                    runs.swap(index, position);
                    kept.changed(&runs, index);
                }
            }
        }
        let kept = kept.marks(runs.len()).into_iter().filter(|kept| *kept).count();
        assert!(twins > 100 && kept > 2 * FEW, "{twins} {kept}");
    }
}
