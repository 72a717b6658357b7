//! Assigns the rows of the long layout to runs; several rows are one run.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::kit::fields;
use crate::table::averages::Averages;
use crate::table::columns::Columns;
use crate::table::named::{Named, put};
use crate::table::records::{Line, Table, add_to_key};
use crate::table::row_settings::{RowSettings, start};
use crate::table::units::Stated;
use beyondnoise_model::error::Error;
use beyondnoise_model::runs::{Metrics, Run};

/// The rows seen so far.
#[derive(Default)]
pub(crate) struct LongRows {
    /// Position of a series by what its rows share: settings, variant and, if there is a column for it, the run.
    places: BTreeMap<Vec<u8>, usize>,
    series: Vec<UnnamedRuns>,
    /// The last of them: rows of one run mostly follow each other.
    last: Option<(Vec<u8>, usize)>,
    /// Position of a metric by its name in the table.
    names: BTreeMap<String, usize>,
    metrics: Vec<Named>,
    /// The key of the row at hand.
    key: Vec<u8>,
}

/// Runs that differ only in the order of their rows; one if runs have names.
#[derive(Default)]
struct UnnamedRuns {
    /// Positions of the runs.
    runs: Vec<usize>,
    /// Rows of each metric, by its position.
    seen: Vec<usize>,
}

impl LongRows {
    /// Takes in a row of a table whose columns for the metric and its value are known.
    ///
    /// # Errors
    ///
    /// [`Error::Input`] for a second value of one run, and what a cell has wrong.
    pub(crate) fn row(
        &mut self,
        (table, columns, (metric, value)): (&Table, &Columns, (usize, usize)),
        row: Line,
        (stated, settings, averages): (&mut Stated, &mut RowSettings, &mut Averages),
        runs: &mut Vec<Run>,
    ) -> Result<(), Error> {
        let name = &row.cells[metric];
        if name.is_empty() {
            let column = &table.headers[metric];
            let problem = format!("expected the name of a metric in \"{column}\", found nothing");
            return Err(table.at(row.number, problem, "fix the row"));
        }
        let metric = self.metric(name, &columns.asked_for);
        self.key.clear();
        let place = columns.identity.iter().chain(&columns.run).copied();
        place.for_each(|index| add_to_key(&mut self.key, &row.cells[index]));
        let known = self.metrics.len();
        let series = self.series();
        // Without a column for the run, the k-th value of a metric belongs to the k-th run.
        let nth = if columns.run.is_empty() { series.next(metric) } else { 0 };
        let at = if let Some(at) = series.runs.get(nth) {
            *at
        } else {
            let mut run = start(table, columns, row, settings)?;
            run.metrics = Metrics::with_capacity(known);
            runs.push(run);
            series.runs.push(runs.len() - 1);
            runs.len() - 1
        };
        let (named, run) = (&mut self.metrics[metric], &mut runs[at]);
        columns.outcomes.iter().for_each(|outcome| outcome.note(table, row, run));
        let before = run.metrics.get(&named.metric).copied();
        if before.is_some() && !columns.shared {
            let problem = format!("expected one value of {name} for this run, found a second one");
            let remedy = "give every run its own name in the run column";
            return Err(table.at(row.number, problem, remedy));
        }
        columns.figures.refuse_faults(table, row, named)?;
        let text = &row.cells[value];
        if text.is_empty() {
            return Ok(());
        }
        if let Some(unit) = columns.unit {
            named.in_unit(table, row, &row.cells[unit], stated)?;
        }
        let resolution = columns.resolution.and_then(|index| fields::number(&row.cells[index]));
        match put(table, row, run, named, text, resolution.map(|n| n.value)) {
            Err(_) if run.info.failure.is_some() => return Ok(()),
            other => other?,
        }
        columns.spreads.note(row, value, named, run);
        columns.figures.note(table, row, named, run)?;
        if let Some((before, next)) = before.zip(run.metrics.get(&named.metric).copied()) {
            run.metrics.insert(Arc::clone(&named.metric), before);
            averages.value(at, Arc::clone(&named.metric), next, &mut run.metrics);
        }
        Ok(())
    }

    /// Position of the metric of this name.
    fn metric(&mut self, name: &str, asked_for: &[String]) -> usize {
        if let Some(known) = self.names.get(name) {
            return *known;
        }
        let mut named = Named::parse(name);
        named.field = named.field.filter(|_| !asked_for.iter().any(|asked| asked == name));
        self.metrics.push(named);
        self.names.insert(name.to_owned(), self.metrics.len() - 1);
        self.metrics.len() - 1
    }

    /// The series of the row at hand.
    fn series(&mut self) -> &mut UnnamedRuns {
        let same = self.last.as_ref().filter(|(last, _)| *last == self.key);
        let at = same.map(|(_, at)| *at).or_else(|| self.places.get(&self.key).copied());
        let at = at.unwrap_or_else(|| {
            self.series.push(UnnamedRuns::default());
            self.places.insert(self.key.clone(), self.series.len() - 1);
            self.series.len() - 1
        });
        match &mut self.last {
            Some((last, known)) if *known != at => {
                last.clone_from(&self.key);
                *known = at;
            }
            Some(_) => {}
            last @ None => *last = Some((self.key.clone(), at)),
        }
        &mut self.series[at]
    }
}

impl UnnamedRuns {
    /// Counts a row of a metric; returns how many came before.
    fn next(&mut self, metric: usize) -> usize {
        if self.seen.len() <= metric {
            self.seen.resize(metric + 1, 0);
        }
        self.seen[metric] += 1;
        self.seen[metric] - 1
    }
}
