//! The rows of one block, grouped by run: the part of the work that is done in parallel.

use std::collections::BTreeMap;

use memchr::{memchr, memchr2};

use crate::read::digits::{Decimal, decimal};
use crate::read::limits::ROW_REMEDY;
use crate::read::quotes::{self, lines_before_open};
use crate::read::short;
use crate::read::table::delimited::line_at;
use crate::read::table::records::Line;

use super::blocks::has_lone_return;
use super::moments::Moments;
use super::order::key_of;
use super::plan::{Kind, Plan, Quantity};
use super::row_cells::{Problem, RowCells, time, value, wrong};

/// Separator between the cells of a key.
pub(super) const SEPARATOR: u8 = 0x1f;

/// Unreadable rows of a block that are named.
pub(super) const NAMED: usize = 100;

/// The content of a block of rows.
#[derive(Default)]
pub(super) struct Part {
    pub(super) groups: Vec<PartGroup>,
    index: BTreeMap<Vec<u8>, usize>,
    /// The group that followed each group last time: tables repeat their order.
    following: Vec<usize>,
    last: usize,
    /// Lines of the block.
    pub(super) lines: usize,
    /// Rows that cannot be read: line in the block, problem and remedy.
    pub(super) bad: Vec<(usize, Problem)>,
    pub(super) bad_count: usize,
}

/// Rows of one run, in the long layout of one of its metrics.
pub(super) struct PartGroup {
    pub(super) key: Vec<u8>,
    /// Line of its first row in the block.
    pub(super) line: usize,
    /// Properties of the run, from its first row.
    pub(super) constants: Vec<Vec<u8>>,
    pub(super) rows: u64,
    pub(super) failed: u64,
    /// Earliest start in seconds with its cell, latest end.
    pub(super) start: Option<(f64, Vec<u8>)>,
    pub(super) end: Option<f64>,
    pub(super) series: Vec<PartSeries>,
}

impl PartGroup {
    /// Takes in the start and the end of a request, in seconds with their columns.
    fn lasts(
        &mut self,
        cells: &(impl RowCells + ?Sized),
        start: Option<(f64, usize)>,
        end: Option<(f64, usize)>,
    ) {
        if let Some((seconds, column)) = start
            && self.start.as_ref().is_none_or(|(first, _)| seconds < *first)
        {
            self.start = Some((seconds, cells.text(column).trim_ascii().to_vec()));
        }
        if let Some((seconds, _)) = end {
            self.end = Some(self.end.map_or(seconds, |last| last.max(seconds)));
        }
    }
}

#[derive(Default)]
pub(super) struct PartSeries {
    /// Whether 0 and -1 are no values.
    latency: bool,
    pub(super) keys: Vec<u64>,
    pub(super) moments: Moments,
    /// Cells of successful requests without a value.
    pub(super) absent: u64,
}

/// The values of one row, before any is counted.
#[derive(Default)]
pub(super) struct Scratch {
    /// Cells that were parsed as numbers when their ends were found.
    numbers: Vec<Option<f64>>,
    key: Vec<u8>,
    values: Vec<Option<f64>>,
}

impl Part {
    /// Reads a block of lines of a table with this separator.
    pub(super) fn of_lines(plan: &Plan, block: &[u8], delimiter: u8) -> Self {
        if memchr(b'"', block).is_some() || has_lone_return(block) {
            return Self::of_quoted(plan, block, delimiter);
        }
        let mut part = Self::default();
        let mut scratch = Scratch::default();
        let mut cells: Vec<&[u8]> = Vec::new();
        let mut start = 0;
        while start < block.len() || !cells.is_empty() {
            let rest = &block[start..];
            let ends = |at: usize| rest.get(at).is_none_or(|&b| b == delimiter || b == b'\n');
            // A cell is mostly a number, and ends with it.
            let number = decimal(rest).filter(|number| ends(number.length));
            let length = match number {
                Some(number) => number.length,
                None => memchr2(delimiter, b'\n', rest).unwrap_or(rest.len()),
            };
            let whole = rest.get(length) != Some(&delimiter);
            let cell = &rest[..length];
            cells.push(if whole { cell.strip_suffix(b"\r").unwrap_or(cell) } else { cell });
            scratch.numbers.push(number.and_then(Decimal::value));
            start = block.len().min(start + length + 1);
            if whole {
                part.lines += 1;
                part.line(plan, &cells, &mut scratch);
                cells.clear();
                scratch.numbers.clear();
            }
        }
        part.finish()
    }

    /// The same where cells may be quoted, and lines end in several ways.
    fn of_quoted(plan: &Plan, block: &[u8], delimiter: u8) -> Self {
        let mut part = Self::default();
        let mut scratch = Scratch::default();
        let mut reader = csv::ReaderBuilder::new()
            .delimiter(delimiter)
            .has_headers(false)
            .flexible(true)
            .from_reader(block);
        let mut record = csv::ByteRecord::new();
        // Reading from memory cannot fail, and rows of any width are taken.
        while reader.read_byte_record(&mut record).unwrap_or(false) {
            part.lines = record.position().map_or(1, |at| line_at(block, at));
            // Blocks end outside of quotes, but for the last.
            let end = usize::try_from(reader.position().byte()).unwrap_or(usize::MAX);
            if end >= block.len()
                && let Some(lines) = lines_before_open(block, delimiter)
            {
                part.lines = lines + 1;
                part.bad(Problem { problem: quotes::OPEN.to_owned(), remedy: ROW_REMEDY });
                break;
            }
            let cells: Vec<&[u8]> = record.iter().collect();
            part.line(plan, &cells, &mut scratch);
        }
        part.lines = memchr::memchr_iter(b'\n', block).count();
        part.lines += usize::from(block.last().is_some_and(|byte| *byte != b'\n'));
        part.finish()
    }

    /// Takes rows that were read before.
    pub(super) fn of_rows<'a>(plan: &Plan, rows: impl Iterator<Item = Line<'a>>) -> Self {
        let mut part = Self::default();
        let mut scratch = Scratch::default();
        for row in rows {
            part.lines = row.number;
            let cells: Vec<&[u8]> = row.cells.iter().map(str::as_bytes).collect();
            part.line(plan, &cells, &mut scratch);
        }
        part.lines = 0;
        part.finish()
    }

    fn line(&mut self, plan: &Plan, cells: &[&[u8]], scratch: &mut Scratch) {
        if let [only] = cells
            && only.trim_ascii().is_empty()
        {
            return;
        }
        self.add(plan, cells, scratch);
    }

    /// Adds the row with the number `lines`.
    pub(super) fn add(
        &mut self,
        plan: &Plan,
        cells: &(impl RowCells + ?Sized),
        scratch: &mut Scratch,
    ) {
        if let Err(problem) = self.row(plan, cells, scratch) {
            self.bad(problem);
        }
    }

    /// Notes a row that cannot be read.
    pub(super) fn bad(&mut self, problem: Problem) {
        self.bad_count += 1;
        if self.bad.len() < NAMED {
            self.bad.push((self.lines, problem));
        }
    }

    fn row(
        &mut self,
        plan: &Plan,
        cells: &(impl RowCells + ?Sized),
        scratch: &mut Scratch,
    ) -> Result<(), Problem> {
        if cells.count() != plan.headers.len() {
            let (wanted, found) = (plan.headers.len(), cells.count());
            let problem = format!("expected {wanted} columns as in the header, found {found}");
            return Err(Problem { problem, remedy: "fix the row" });
        }
        scratch.key.clear();
        let named = plan.variant.iter().chain(&plan.run).chain(&plan.pair).chain(&plan.settings);
        for &column in named.chain(&plan.metric) {
            scratch.key.extend_from_slice(cells.text(column).trim_ascii());
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
            let told = scratch.numbers.get(*column).copied().flatten();
            let number = told.or_else(|| cells.number(*column));
            let value = match (failed, number) {
                (true, _) => None,
                (_, Some(number)) if number > 0.0 => Some(number),
                _ => value(plan, *column, cells, series.latency)?,
            };
            if series.latency {
                latencies = Some(latencies.unwrap_or(false) | value.is_some());
            }
            scratch.values.push(value);
        }
        if group.rows == 0 {
            group.line = self.lines;
            let field = |&column: &usize| cells.text(column).trim_ascii().to_vec();
            group.constants = plan.constants.iter().map(field).collect();
        }
        group.rows += 1;
        // A request without any latency got no answer.
        failed |= plan.metric.is_none() && latencies == Some(false);
        group.failed += u64::from(failed);
        for (value, series) in scratch.values.iter().zip(&mut group.series) {
            match value {
                Some(value) => series.keys.push(key_of(*value)),
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
    fn group(
        &mut self,
        plan: &Plan,
        cells: &(impl RowCells + ?Sized),
        key: &[u8],
    ) -> Result<usize, Problem> {
        let named = plan.variant.iter().chain(&plan.run).chain(&plan.pair).chain(&plan.settings);
        for &column in named.chain(&plan.metric) {
            if std::str::from_utf8(&cells.text(column)).is_err() {
                let found = short(&String::from_utf8_lossy(&cells.text(column)));
                let header = &plan.headers[column];
                let problem = format!(
                    "expected UTF-8 in \"{header}\", found \"{found}\" in another encoding"
                );
                return Err(Problem { problem, remedy: "save the table as UTF-8" });
            }
        }
        for (column, what) in [(plan.variant, "a variant"), (plan.metric, "the name of a metric")] {
            let empty = |column: &usize| cells.text(*column).trim_ascii().is_empty();
            if let Some(column) = column.filter(empty) {
                let problem =
                    format!("expected {what} in \"{}\", found nothing", plan.headers[column]);
                return Err(Problem { problem, remedy: "fill in the cell" });
            }
        }
        let latency = |kind: &Kind| match plan.metric {
            Some(metric) => {
                let name = cells.text(metric);
                let name = String::from_utf8_lossy(name.trim_ascii());
                crate::read::request_names::kind_of(&name).is_latency()
            }
            None => kind.is_latency(),
        };
        let series = |quantity: &Quantity| PartSeries {
            latency: latency(&quantity.kind),
            ..PartSeries::default()
        };
        self.groups.push(PartGroup {
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

    pub(super) fn finish(mut self) -> Self {
        // A group whose only row is bad is empty; the others keep their first good rows.
        self.groups.retain(|group| group.rows > 0);
        self.groups.sort_by_key(|group| group.line);
        for series in self.groups.iter_mut().flat_map(|group| &mut group.series) {
            series.moments = Moments::from_keys(&series.keys);
        }
        self
    }
}
