//! Runs that may be the same run, found among many without comparing every pair.

use std::collections::{BTreeMap, BTreeSet};

use crate::runs::duplicates::{WITHIN, is_telling, same_run};
use crate::runs::{Run, Value};

/// Runs of a group up to which each pair is compared.
const FEW: usize = 64;

/// The runs that are kept, in order, and what finds the twin of another.
#[derive(Default)]
pub(super) struct Kept {
    runs: Vec<Run>,
    /// Where there are many: those of each file by their place in it, and of each set of metrics.
    by_source: BTreeMap<String, BTreeSet<(usize, usize)>>,
    by_metrics: BTreeMap<Vec<String>, BTreeMap<String, Values>>,
}

/// The values of one metric.
#[derive(Default)]
struct Values {
    /// In order, with the position of the run.
    values: BTreeSet<(i64, usize)>,
    /// The coarsest of their resolutions.
    resolution: f64,
}

impl Kept {
    /// Position of the first run that is the same as `run`.
    pub(super) fn twin(&self, run: &Run) -> Option<usize> {
        if self.runs.len() <= FEW {
            return self.runs.iter().position(|other| same_run(other, run));
        }
        let (path, position) = (&run.source.path, run.source.position);
        let of_file = self.by_source.get(path).into_iter();
        let of_place = of_file.flat_map(|file| file.range((position, 0)..=(position, usize::MAX)));
        let mut candidates: BTreeSet<usize> = of_place.map(|(_, index)| *index).collect();
        for of_metric in self.by_metrics.values().filter(|_| is_telling(run)) {
            let near = of_metric.iter().filter_map(|(name, values)| {
                run.metrics.get(name).map(|value| values.near(*value))
            });
            // A twin agrees in every metric that both have: the one in which fewest do leaves least to compare.
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
        candidates.into_iter().find(|index| same_run(&self.runs[*index], run))
    }

    /// Keeps one more run.
    pub(super) fn push(&mut self, run: Run) {
        self.runs.push(run);
        match self.runs.len() {
            all if all == FEW + 1 => (0..all).for_each(|index| self.enter(index)),
            all if all > FEW => self.enter(all - 1),
            _ => {}
        }
    }

    /// Changes the run at a position.
    pub(super) fn change(&mut self, index: usize, change: impl FnOnce(&mut Run)) {
        change(&mut self.runs[index]);
        if self.runs.len() > FEW {
            // What the run was before stays entered: it finds a candidate more, which is then compared.
            self.enter(index);
        }
    }

    pub(super) fn get(&self, index: usize) -> &Run {
        &self.runs[index]
    }

    pub(super) fn into_runs(self) -> Vec<Run> {
        self.runs
    }

    fn enter(&mut self, index: usize) {
        let run = &self.runs[index];
        let place = (run.source.position, index);
        match self.by_source.get_mut(&run.source.path) {
            Some(file) => drop(file.insert(place)),
            None => drop(self.by_source.insert(run.source.path.clone(), [place].into())),
        }
        if !is_telling(run) {
            return;
        }
        let names: Vec<String> = run.metrics.keys().cloned().collect();
        let of_metric = self.by_metrics.entry(names).or_default();
        for (name, value) in &run.metrics {
            let values = of_metric.entry(name.clone()).or_default();
            values.values.insert((ordered(value.value), index));
            values.resolution = values.resolution.max(value.resolution);
        }
    }
}

impl Values {
    /// Positions of the runs whose value may be the same.
    fn near(&self, value: Value) -> impl Iterator<Item = usize> {
        let apart = self.resolution.max(value.resolution) * WITHIN;
        // One step more, for the rounding of the ends.
        let low = (ordered((value.value - apart).next_down()), 0);
        let high = (ordered((value.value + apart).next_up()), usize::MAX);
        self.values.range(low..=high).map(|(_, index)| *index)
    }
}

/// An integer that grows with the number.
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
        let (mut kept, mut twins) = (Kept::default(), 0);
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
                    path: "x".to_owned(),
                    position: position / 2 * random(2) as usize,
                    counts: "row",
                },
                ..Run::default()
            };
            let expected = kept.runs.iter().position(|other| same_run(other, &run));
            assert_eq!(kept.twin(&run), expected, "{position}");
            match expected {
                None => kept.push(run),
                Some(index) => {
                    twins += 1;
                    kept.change(index, |twin| *twin = run);
                }
            }
        }
        assert!(twins > 100 && kept.runs.len() > 2 * FEW, "{twins} {}", kept.runs.len());
    }
}
