//! Rows of requests of any number, reduced to their runs in bounded memory.
//!
//! The file is read in blocks of whole rows ([`blocks`]); the blocks are parsed in parallel ([`part`]) and joined in
//! their order, so the result does not depend on the number of threads. Values are kept while they fit the budget;
//! beyond it only those near the wanted quantiles ([`order`]), and the others are found by reading the file again
//! ([`search`]). Means are compensated sums over blocks ([`moments`]). All figures are exact.

mod blocks;
#[cfg_attr(not(feature = "tables"), expect(dead_code, reason = "only Parquet is kept by columns"))]
mod columns;
mod moments;
mod objects;
mod order;
mod part;
mod plan;
mod row_cells;
mod runs;
mod search;

use std::collections::BTreeMap;
use std::io::{self, Read};
use std::path::Path;

use rayon::prelude::*;

use crate::error::Error;
use crate::read::request_names::kind_of;
use crate::read::table::records::Rows;
use crate::read::{Found, Options};
use moments::Moments;
use order::{Order, value_of};
use part::{NAMED, Part, PartGroup, PartSeries, SEPARATOR};
use row_cells::Problem;

pub(in crate::read) use blocks::Blocks;
pub(in crate::read) use columns::Columnar;
#[cfg(feature = "tables")]
pub(in crate::read) use columns::{Block, Column, Form, Piece};
pub(in crate::read) use objects::{Objects, text_of};
pub(in crate::read) use plan::{Kind, Plan, Quantity, Status};

/// A table of request rows.
#[derive(Clone, Copy)]
pub(in crate::read) struct Input<'a> {
    pub(in crate::read) path: &'a str,
    pub(in crate::read) source: Source<'a>,
    pub(in crate::read) delimiter: u8,
    /// Lines end with a carriage return alone.
    pub(in crate::read) returns: bool,
    /// Bytes before the first row, and the lines they are.
    pub(in crate::read) header: (usize, usize),
}

/// Where the rows are.
#[derive(Clone, Copy)]
pub(in crate::read) enum Source<'a> {
    /// In memory.
    Bytes(&'a [u8]),
    /// In a file, which is read side by side.
    File(&'a Path),
    /// Split into cells.
    Rows(&'a Rows),
    /// Kept column by column.
    #[cfg_attr(not(feature = "tables"), expect(dead_code, reason = "only Parquet is such"))]
    Columns(&'a dyn Columnar),
    /// JSON objects, one a line, in a file.
    Objects(&'a Objects<'a>),
}

/// Limits of memory use.
#[derive(Clone, Copy)]
pub(in crate::read) struct Limits {
    /// Bytes of a block.
    pub(in crate::read) block: usize,
    /// Blocks that are read ahead.
    pub(in crate::read) batch: usize,
    /// Values kept.
    pub(in crate::read) values: usize,
}

impl Default for Limits {
    /// 64 million values are 512 MB.
    fn default() -> Self {
        #[cfg(fuzzing)]
        if let tiny @ 1.. = crate::read::TINY.load(std::sync::atomic::Ordering::Relaxed) {
            return Self { block: tiny, batch: 2, values: tiny };
        }
        Self { block: 4 << 20, batch: 8, values: 64 << 20 }
    }
}

/// Most values that are kept for the standard error inside a run.
const DETAIL: u64 = 16 << 20;

/// Rows of cells that are joined at once.
const ROWS: usize = 1 << 16;

/// One run, in the long layout one of its metrics.
struct Group {
    key: Vec<u8>,
    line: usize,
    constants: Vec<Vec<u8>>,
    rows: u64,
    failed: u64,
    start: Option<(f64, Vec<u8>)>,
    end: Option<f64>,
    series: Vec<QuantityValues>,
}

/// The values of one quantity.
struct QuantityValues {
    kind: Kind,
    order: Order,
    moments: Moments,
    absent: u64,
    /// All values as they came, where they are few.
    detail: Option<Vec<f64>>,
    /// Value of each level of the kind.
    quantiles: Vec<f64>,
}

/// All that was read of a table.
#[derive(Default)]
struct Reduced {
    groups: Vec<Group>,
    index: BTreeMap<Vec<u8>, usize>,
    bad: Vec<(usize, Problem)>,
    bad_count: usize,
    lines: usize,
}

/// Reduces a table of request rows to its runs.
///
/// # Errors
///
/// [`Error::Input`] for the first row that cannot be read, unless `options.lenient`; [`Error::Io`].
pub(in crate::read) fn reduce(
    input: Input,
    plan: &Plan,
    limits: Limits,
    options: &Options,
) -> Result<Found, Error> {
    let mut all = Reduced { lines: input.header.1, ..Reduced::default() };
    let mut most = limits.values;
    walk(input, plan, limits, &mut |parts| {
        all.join(plan, parts, input.parallel());
        if let Some((line, bad)) = all.bad.first().filter(|_| !options.lenient) {
            return Err(runs::error(input.path, plan, *line, bad));
        }
        let kept = || all.groups.iter().flat_map(|g| &g.series).map(|s| s.order.kept());
        if kept().sum::<usize>() > most {
            let series: Vec<&mut QuantityValues> =
                all.groups.iter_mut().flat_map(|g| &mut g.series).collect();
            series.into_par_iter().for_each(|series| series.order.narrow(series.kind.levels()));
            let left: usize =
                all.groups.iter().flat_map(|g| &g.series).map(|s| s.order.kept()).sum();
            // Where every run has few values there is nothing to drop.
            most = most.max(2 * left);
        }
        Ok(())
    })?;
    let series = || all.groups.iter().flat_map(|group| &group.series);
    if series().map(|series| series.order.count()).sum::<u64>() <= DETAIL {
        for series in all.groups.iter_mut().flat_map(|group| &mut group.series) {
            let values = |keys: &[u64]| keys.iter().map(|&key| value_of(key)).collect();
            series.detail = series.order.all().map(values);
        }
    }
    search::quantiles(input, plan, limits, &mut all)?;
    runs::runs_of(input.path, plan, &mut all, options)
}

impl<'a> Input<'a> {
    /// Only a file of its own is read side by side: small tables are one of many.
    fn parallel(&self) -> bool {
        match self.source {
            Source::File(_) | Source::Objects(_) => true,
            Source::Columns(columns) => columns.is_large(),
            Source::Bytes(_) | Source::Rows(_) => false,
        }
    }

    fn blocks(&self, limits: Limits) -> io::Result<Blocks<'a>> {
        let mut reader: Box<dyn Read + Send + 'a> = match self.source {
            Source::Bytes(bytes) => Box::new(bytes),
            Source::File(path) => Box::new(std::fs::File::open(path)?),
            Source::Objects(objects) => return objects.blocks(limits),
            Source::Rows(_) | Source::Columns(_) => Box::new(io::empty()),
        };
        io::copy(&mut reader.by_ref().take(self.header.0 as u64), &mut io::sink())?;
        let how = (self.delimiter, self.returns, true);
        Ok(Blocks::new(reader, limits.block, how).after(self.header.1))
    }
}

/// Goes through all rows once and hands over their parts in order.
fn walk(
    input: Input,
    plan: &Plan,
    limits: Limits,
    each: &mut dyn FnMut(Vec<Part>) -> Result<(), Error>,
) -> Result<(), Error> {
    let failed = |source| Error::Io { path: input.path.to_owned(), doing: "read", source };
    if let Source::Rows(rows) = input.source {
        for start in (0..rows.len()).step_by(ROWS) {
            let end = rows.len().min(start + ROWS);
            each(vec![Part::of_rows(plan, (start..end).map(|at| rows.get(at)))])?;
        }
        return Ok(());
    }
    if let Source::Columns(columns) = input.source {
        return columns::walk(columns, plan, limits, each);
    }
    let mut blocks = input.blocks(limits).map_err(failed)?;
    let parse = |block: &Vec<u8>| match input.source {
        Source::Objects(objects) => objects.part(plan, block),
        _ => Part::of_lines(plan, block, input.delimiter),
    };
    let mut batch = blocks.batch(limits.batch).map_err(failed)?;
    while !batch.is_empty() {
        let (parts, next) = if input.parallel() {
            rayon::join(|| batch.par_iter().map(parse).collect(), || blocks.batch(limits.batch))
        } else {
            (batch.iter().map(parse).collect(), blocks.batch(limits.batch))
        };
        drop(batch);
        each(parts)?;
        batch = next.map_err(failed)?;
    }
    Ok(())
}

impl Reduced {
    /// Joins the parts of the blocks that follow.
    fn join(&mut self, plan: &Plan, parts: Vec<Part>, parallel: bool) {
        let mut series: BTreeMap<usize, Vec<Vec<PartSeries>>> = BTreeMap::new();
        for part in parts {
            let before = self.lines;
            self.lines += part.lines;
            self.bad_count += part.bad_count;
            let named = NAMED.saturating_sub(self.bad.len());
            let bad = part.bad.into_iter().take(named).map(|(line, bad)| (before + line, bad));
            self.bad.extend(bad);
            for group in part.groups {
                let (at, series_of_part) = self.group(plan, before, group);
                series.entry(at).or_default().push(series_of_part);
            }
        }
        let mut work: Vec<(&mut QuantityValues, Vec<PartSeries>)> = Vec::new();
        for (at, group) in self.groups.iter_mut().enumerate() {
            let mut parts: Vec<_> =
                series.remove(&at).unwrap_or_default().into_iter().map(Vec::into_iter).collect();
            for target in &mut group.series {
                work.push((target, parts.iter_mut().filter_map(Iterator::next).collect()));
            }
        }
        let join = |(target, parts): (&mut QuantityValues, Vec<PartSeries>)| {
            for part in parts {
                target.absent += part.absent;
                target.moments.join(&part.moments);
                if !target.kind.levels().is_empty() {
                    target.order.extend(part.keys);
                }
            }
        };
        if parallel {
            work.into_par_iter().for_each(join);
        } else {
            work.into_iter().for_each(join);
        }
    }

    /// Joins the properties of a run from a part; its values come back with the position of the run.
    fn group(&mut self, plan: &Plan, before: usize, part: PartGroup) -> (usize, Vec<PartSeries>) {
        let at = if let Some(&at) = self.index.get(&part.key) {
            at
        } else {
            let kind = |own: &Kind| match plan.metric {
                Some(_) => kind_of(&runs::metric_in(&part.key)),
                None => own.clone(),
            };
            let series = |quantity: &Quantity| QuantityValues {
                kind: kind(&quantity.kind),
                order: Order::default(),
                moments: Moments::default(),
                absent: 0,
                detail: None,
                quantiles: Vec::new(),
            };
            self.groups.push(Group {
                key: part.key.clone(),
                line: before + part.line,
                constants: part.constants,
                rows: 0,
                failed: 0,
                start: None,
                end: None,
                series: plan.values.iter().map(series).collect(),
            });
            self.index.insert(part.key, self.groups.len() - 1);
            self.groups.len() - 1
        };
        let group = &mut self.groups[at];
        group.rows += part.rows;
        group.failed += part.failed;
        let earlier = |(seconds, _): &(f64, Vec<u8>)| {
            group.start.as_ref().is_none_or(|(first, _)| seconds < first)
        };
        if let Some(start) = part.start.filter(earlier) {
            group.start = Some(start);
        }
        group.end = group.end.into_iter().chain(part.end).reduce(f64::max);
        (at, part.series)
    }
}

#[cfg(test)]
mod tests;
