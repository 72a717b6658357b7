//! The rows of a chunk, grouped by run: the part of the work that is done side by side.

use std::collections::BTreeMap;

use crate::kit::cell_value::{self, CellValue};
use crate::kit::short;
use crate::table::chunks::{Problem, RowCells, RowSource, not_utf8};
use crate::table::reduce::plan::{Plan, Quantity};
use crate::table::request_names::{Kind, kind_of};
use beyondnoise_model::error::Error;

/// Separator between the cells of a key.
pub(crate) const SEPARATOR: u8 = 0x1f;

/// Unreadable rows that are named.
pub(crate) const NAMED: usize = 100;

/// The content of a chunk of rows.
#[derive(Default)]
pub(crate) struct Part {
    pub(crate) groups: Vec<Group>,
    index: BTreeMap<Vec<u8>, usize>,
    /// The group that followed each group last time: tables repeat their order.
    following: Vec<usize>,
    last: usize,
    /// Lines of the chunk.
    lines: usize,
    /// Rows that cannot be read: line in the chunk, problem and remedy.
    pub(crate) bad: Vec<(usize, Problem)>,
    pub(crate) bad_count: usize,
}

/// Rows of one run, in the long layout of one of its metrics.
pub(crate) struct Group {
    pub(crate) key: Vec<u8>,
    /// Line of its first row in the chunk.
    pub(crate) line: usize,
    /// Properties of the run, from its first row.
    pub(crate) constants: Vec<Vec<u8>>,
    pub(crate) rows: u64,
    pub(crate) failed: u64,
    /// Earliest start in seconds with its cell, latest end.
    pub(crate) start: Option<(f64, Vec<u8>)>,
    pub(crate) end: Option<f64>,
    pub(crate) series: Vec<Series>,
}

impl Group {
    /// Joins what the next chunk has of the run.
    fn join(&mut self, next: Self) {
        self.rows += next.rows;
        self.failed += next.failed;
        let earlier = |(seconds, _): &(f64, Vec<u8>)| {
            self.start.as_ref().is_none_or(|(first, _)| seconds < first)
        };
        if let Some(start) = next.start.filter(earlier) {
            self.start = Some(start);
        }
        self.end = self.end.into_iter().chain(next.end).reduce(f64::max);
        for (series, next) in self.series.iter_mut().zip(next.series) {
            series.earlier.push(std::mem::replace(&mut series.values, next.values));
            series.absent += next.absent;
        }
    }

    /// Takes in the start and the end of a request, in seconds with their columns.
    fn lasts(
        &mut self,
        cells: &dyn RowCells,
        start: Option<(f64, usize)>,
        end: Option<(f64, usize)>,
    ) {
        if let Some((seconds, column)) = start
            && self.start.as_ref().is_none_or(|(first, _)| seconds < *first)
        {
            self.start = Some((seconds, cells.text(column).to_vec()));
        }
        if let Some((seconds, _)) = end {
            self.end = Some(self.end.map_or(seconds, |last| last.max(seconds)));
        }
    }
}

#[derive(Default)]
pub(crate) struct Series {
    /// Whether 0 and -1 are no values.
    latency: bool,
    values: Vec<f64>,
    /// The values of earlier chunks.
    earlier: Vec<Vec<f64>>,
    /// Cells of successful requests without a value.
    pub(crate) absent: u64,
}

impl Series {
    /// All values in the order of the file.
    pub(crate) fn values(mut self) -> Vec<f64> {
        if self.earlier.is_empty() {
            return self.values;
        }
        self.earlier.push(self.values);
        self.earlier.concat()
    }
}

/// The values of one row, before any is counted.
#[derive(Default)]
struct Scratch {
    key: Vec<u8>,
    values: Vec<Option<f64>>,
}

impl Part {
    /// Reads a chunk.
    ///
    /// # Errors
    ///
    /// Those of [`RowSource::each`].
    pub(crate) fn read(plan: &Plan, source: &dyn RowSource, chunk: usize) -> Result<Self, Error> {
        let mut part = Self::default();
        let mut scratch = Scratch::default();
        part.lines = source.each(chunk, &mut |number, row| {
            if let Err(problem) = row.and_then(|cells| part.row(plan, number, cells, &mut scratch))
            {
                part.bad_count += 1;
                if part.bad.len() < NAMED {
                    part.bad.push((number, problem));
                }
            }
            true
        })?;
        // A group whose only row is bad is empty; the others keep their first good rows.
        part.groups.retain(|group| group.rows > 0);
        part.groups.sort_by_key(|group| group.line);
        Ok(part)
    }

    /// Begins before the first chunk, which comes after so many lines.
    pub(crate) fn after(lines: usize) -> Self {
        Self { lines, ..Self::default() }
    }

    /// Joins the chunk that follows.
    pub(crate) fn join(&mut self, next: Self) {
        let before = self.lines;
        self.lines += next.lines;
        self.bad_count += next.bad_count;
        let named = NAMED.saturating_sub(self.bad.len());
        let bad = next.bad.into_iter().take(named).map(|(line, bad)| (before + line, bad));
        self.bad.extend(bad);
        for mut group in next.groups {
            if let Some(&at) = self.index.get(&group.key) {
                self.groups[at].join(group);
            } else {
                group.line += before;
                self.index.insert(group.key.clone(), self.groups.len());
                self.groups.push(group);
            }
        }
    }

    fn row(
        &mut self,
        plan: &Plan,
        number: usize,
        cells: &dyn RowCells,
        scratch: &mut Scratch,
    ) -> Result<(), Problem> {
        scratch.key.clear();
        let named = plan.variant.iter().chain(&plan.run).chain(&plan.pair).chain(&plan.settings);
        for &column in named.chain(&plan.metric) {
            scratch.key.extend_from_slice(&cells.text(column));
            scratch.key.push(SEPARATOR);
        }
        let at = match self.known(&scratch.key) {
            Some(at) => at,
            None => self.group(plan, cells, &scratch.key)?,
        };
        let mut failed = false;
        for &(column, status) in &plan.status {
            let Some(this) = status.failed(&cells.text(column)) else {
                return Err(wrong(plan, column, cells, "success or failure"));
            };
            failed |= this;
        }
        let (start, mut end) = (time(plan, cells, plan.start)?, time(plan, cells, plan.end)?);
        let group = &mut self.groups[at];
        scratch.values.clear();
        let mut latencies = None;
        for (Quantity { column, .. }, series) in plan.values.iter().zip(&group.series) {
            // The cells of a failed request are not measurements.
            let value = if failed { None } else { value(plan, *column, cells, series.latency)? };
            if series.latency {
                latencies = Some(latencies.unwrap_or(false) | value.is_some());
            }
            scratch.values.push(value);
        }
        if group.rows == 0 {
            group.line = number;
            let field = |&column: &usize| cells.text(column).to_vec();
            group.constants = plan.constants.iter().map(field).collect();
        }
        group.rows += 1;
        // A request without any latency got no answer.
        failed |= plan.metric.is_none() && latencies == Some(false);
        group.failed += u64::from(failed);
        for (value, series) in scratch.values.iter().zip(&mut group.series) {
            match value {
                // 0 and -0 are one.
                Some(value) => series.values.push(*value + 0.0),
                None => series.absent += u64::from(!failed),
            }
        }
        if let (Some((seconds, column)), Some((latency, factor))) = (start, plan.lasting) {
            end = scratch.values[latency].map(|value| (seconds + value * factor, column));
        }
        group.lasts(cells, start, end);
        Ok(())
    }

    /// The group of a key, if the block has it.
    fn known(&mut self, key: &[u8]) -> Option<usize> {
        // Nothing names the run: all rows are of one.
        if key.is_empty() {
            return (!self.groups.is_empty()).then_some(0);
        }
        let is = |at: usize| self.groups.get(at).is_some_and(|group| group.key == key);
        let next = self.following.get(self.last).copied().unwrap_or(0);
        let at = if is(self.last) {
            self.last
        } else if is(next) {
            next
        } else {
            *self.index.get(key)?
        };
        if at != self.last {
            self.following[self.last] = at;
            self.last = at;
        }
        Some(at)
    }

    /// A new group; the cells that name it are checked.
    fn group(&mut self, plan: &Plan, cells: &dyn RowCells, key: &[u8]) -> Result<usize, Problem> {
        let named = plan.variant.iter().chain(&plan.run).chain(&plan.pair).chain(&plan.settings);
        for &column in named.chain(&plan.metric) {
            let text = cells.text(column);
            if std::str::from_utf8(&text).is_err() {
                let expected = format!("expected UTF-8 in \"{}\"", plan.headers[column]);
                return Err(not_utf8(&expected, &text));
            }
        }
        for (column, what) in [(plan.variant, "a variant"), (plan.metric, "the name of a metric")] {
            let empty = |column: &usize| cells.text(*column).is_empty();
            if let Some(column) = column.filter(empty) {
                let problem =
                    format!("expected {what} in \"{}\", found nothing", plan.headers[column]);
                return Err(Problem { problem, remedy: "fill in the cell" });
            }
        }
        let latency = |kind: &Kind| match plan.metric {
            Some(metric) => {
                let name = cells.text(metric);
                kind_of(&String::from_utf8_lossy(&name)).is_latency()
            }
            None => kind.is_latency(),
        };
        let series =
            |quantity: &Quantity| Series { latency: latency(&quantity.kind), ..Series::default() };
        self.groups.push(Group {
            key: key.to_vec(),
            line: 0,
            constants: Vec::new(),
            rows: 0,
            failed: 0,
            start: None,
            end: None,
            series: plan.values.iter().map(series).collect(),
        });
        let at = self.groups.len() - 1;
        self.index.insert(key.to_vec(), at);
        self.following.push(at);
        if at > 0 {
            self.following[self.last] = at;
        }
        self.last = at;
        Ok(at)
    }
}

/// The number in a cell; `None` for an empty one.
fn value(
    plan: &Plan,
    column: usize,
    cells: &dyn RowCells,
    latency: bool,
) -> Result<Option<f64>, Problem> {
    match cells.read(column, &plan.headers[column], plan.comma) {
        CellValue::Number(value) if latency && [0.0, -1.0].contains(&value) => Ok(None),
        CellValue::Number(value) if latency && value < 0.0 => {
            Err(wrong(plan, column, cells, "a time of 0 or more"))
        }
        CellValue::Number(value) if value.is_finite() => Ok(Some(value)),
        CellValue::Number(_) => Err(wrong(plan, column, cells, "a finite number")),
        CellValue::Empty => Ok(None),
        CellValue::Other => Err(wrong(plan, column, cells, "a number")),
    }
}

/// A time in seconds, with its column.
fn time(
    plan: &Plan,
    cells: &dyn RowCells,
    from: Option<(usize, Option<f64>)>,
) -> Result<Option<(f64, usize)>, Problem> {
    let Some((column, factor)) = from else { return Ok(None) };
    match cells.read(column, &plan.headers[column], plan.comma) {
        CellValue::Empty => Ok(None),
        CellValue::Number(value) if value.is_finite() => {
            let factor = factor.unwrap_or_else(|| cell_value::epoch_factor(value));
            Ok(Some((value * factor, column)))
        }
        _ => {
            match beyondnoise_model::runs::seconds(&String::from_utf8_lossy(&cells.text(column))) {
                Some(seconds) if seconds.is_finite() => Ok(Some((seconds, column))),
                _ => Err(wrong(plan, column, cells, "a time")),
            }
        }
    }
}

/// The fault of a cell that holds something else.
fn wrong(plan: &Plan, column: usize, cells: &dyn RowCells, what: &str) -> Problem {
    let found = short(&String::from_utf8_lossy(&cells.text(column)));
    let problem = format!("expected {what} in \"{}\", found \"{found}\"", plan.headers[column]);
    Problem { problem, remedy: "fix the cell, or leave it empty if nothing was measured" }
}
