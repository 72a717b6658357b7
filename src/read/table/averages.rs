//! Rows of one run: its repeats inside, such as iterations of one process, are averaged, since only runs are repeats.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::table::records::add_to_key;
use beyondnoise_model::runs::{Metrics, Run, Skipped, Value};

/// Runs with several rows.
#[derive(Default)]
pub(crate) struct Averages {
    /// Position of a run by what its rows share.
    places: BTreeMap<Vec<u8>, usize>,
    /// Rows of a metric of a run, where they are more than one.
    rows: BTreeMap<(usize, Arc<str>), u32>,
}

impl Averages {
    /// Takes in a run that was read from one row, as a run of its own or as a part of an earlier one, which has the same
    /// cells.
    pub(crate) fn add<'a>(
        &mut self,
        run: Run,
        cells: impl Iterator<Item = &'a str>,
        runs: &mut Vec<Run>,
    ) {
        let mut key = Vec::new();
        cells.for_each(|cell| add_to_key(&mut key, cell));
        let at = *self.places.entry(key).or_insert(runs.len());
        if at == runs.len() {
            runs.push(run);
            return;
        }
        for (name, value) in &run.metrics {
            self.value(at, name.into(), *value, &mut runs[at].metrics);
        }
    }

    /// Adds a value to the sum of those of the run at a position.
    pub(crate) fn value(&mut self, at: usize, name: Arc<str>, value: Value, metrics: &mut Metrics) {
        let Some(sum) = metrics.get(&name).copied() else {
            metrics.insert(name, value);
            return;
        };
        let resolution = sum.resolution.max(value.resolution);
        metrics.insert(Arc::clone(&name), Value { value: sum.value + value.value, resolution });
        *self.rows.entry((at, name)).or_insert(1) += 1;
    }

    /// Divides the sums, with a note on the averages.
    pub(crate) fn finish(self, runs: &mut [Run], column: &str) -> Option<Skipped> {
        let most = *self.rows.values().max()?;
        let mut averaged: Vec<usize> = self.rows.keys().map(|(at, _)| *at).collect();
        averaged.dedup();
        for ((at, name), rows) in self.rows {
            if let Some(sum) = runs[at].metrics.get(&name).copied() {
                let value = sum.value / f64::from(rows);
                runs[at].metrics.insert(name, Value { value, ..sum });
            }
        }
        Some(Skipped {
            place: format!("column {column}"),
            why: format!(
                "up to {most} rows share a run and its settings: each run counts once, with their mean ({} runs)",
                averaged.len()
            ),
        })
    }
}
