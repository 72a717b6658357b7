//! Quantiles of every series: from the values that were kept, or by reading the file again.

use std::collections::{BTreeMap, BTreeSet};

use rayon::prelude::*;

use crate::error::Error;
use crate::stats::{between, position_of};

use super::order::{Place, Range, value_of};
use super::part::PartSeries;
use super::plan::Plan;
use super::{Input, Limits, Reduced, walk};

/// Most parts into which a gap is cut, and fewest.
const BINS: (usize, usize) = (4096, 16);

/// Position of a series: of its group, and in it.
type At = (usize, usize);

/// Keys that were not kept and hold some of the ranks.
struct Gap {
    at: At,
    range: Range,
    count: u64,
    /// Ranks wanted, counted from the first key in the range.
    ranks: Vec<u64>,
    /// Offset of the rank in the series.
    offset: u64,
    found: Seen,
}

/// Counts of a pass for a gap.
enum Seen {
    /// All its keys.
    Keys(Vec<u64>),
    /// Their number in each part of the range, of 2^shift keys.
    Bins { shift: u32, counts: Vec<u64> },
}

/// Fills in the quantiles of all series.
pub(super) fn quantiles(
    input: Input,
    plan: &Plan,
    limits: Limits,
    all: &mut Reduced,
) -> Result<(), Error> {
    let (mut known, mut gaps) = places(all);
    while !gaps.is_empty() {
        prepare(&mut gaps, limits.values);
        walk(input, plan, limits, &mut |parts| {
            let mut of: BTreeMap<At, Vec<&PartSeries>> = BTreeMap::new();
            for group in parts.iter().flat_map(|part| &part.groups) {
                let Some(&at) = all.index.get(&group.key) else { continue };
                for (series_at, series) in group.series.iter().enumerate() {
                    of.entry((at, series_at)).or_default().push(series);
                }
            }
            gaps.par_iter_mut().for_each(|gap| {
                for series in of.get(&gap.at).into_iter().flatten() {
                    gap.see(&series.keys);
                }
            });
            Ok(())
        })?;
        let mut next = Vec::new();
        for gap in gaps {
            if gap.seen() != gap.count {
                let problem = "expected the same rows on the second reading, found others";
                return Err(Error::file(
                    input.path,
                    problem,
                    "wait until it is written, and repeat",
                ));
            }
            gap.settle(&mut known, &mut next);
        }
        gaps = next;
    }
    fill_in(all, &known);
    Ok(())
}

/// The keys of the ranks that are known, and the gaps that hold the others.
fn places(all: &mut Reduced) -> (BTreeMap<(At, u64), u64>, Vec<Gap>) {
    let mut known: BTreeMap<(At, u64), u64> = BTreeMap::new();
    let mut gaps: Vec<Gap> = Vec::new();
    for (group_at, group) in all.groups.iter_mut().enumerate() {
        for (series_at, series) in group.series.iter_mut().enumerate() {
            let at = (group_at, series_at);
            for rank in ranks(series.kind.levels(), series.order.count()) {
                match series.order.place(rank) {
                    Place::Key(key) => drop(known.insert((at, rank), key)),
                    Place::Gap { range, before, count } => {
                        let offset = rank - before;
                        match gaps.last_mut() {
                            Some(gap) if gap.at == at && gap.range == range => {
                                gap.ranks.push(before);
                            }
                            _ => gaps.push(Gap {
                                at,
                                range,
                                count,
                                ranks: vec![before],
                                offset,
                                found: Seen::Keys(Vec::new()),
                            }),
                        }
                    }
                }
            }
        }
    }
    (known, gaps)
}

/// Sets the quantiles between the keys of their ranks.
fn fill_in(all: &mut Reduced, known: &BTreeMap<(At, u64), u64>) {
    for (group_at, group) in all.groups.iter_mut().enumerate() {
        for (series_at, series) in group.series.iter_mut().enumerate() {
            let count = series.order.count();
            let at = |rank: u64| {
                known.get(&((group_at, series_at), rank)).map_or(f64::NAN, |&key| value_of(key))
            };
            let of_level = |&level: &f64| {
                let (rank, fraction) = place_of(level, count);
                between(at(rank), at((rank + 1).min(count - 1)), fraction)
            };
            if count > 0 {
                series.quantiles = series.kind.levels().iter().map(of_level).collect();
            }
        }
    }
}

/// Rank below a level, and how far it lies towards the next.
fn place_of(level: f64, count: u64) -> (u64, f64) {
    let (below, fraction) = position_of(level, usize::try_from(count).unwrap_or(usize::MAX));
    (below as u64, fraction)
}

/// The ranks that levels rest on, ascending.
fn ranks(levels: &[f64], count: u64) -> BTreeSet<u64> {
    let pair = |&level: &f64| {
        let (below, _) = place_of(level, count);
        [below, (below + 1).min(count - 1)]
    };
    if count == 0 { BTreeSet::new() } else { levels.iter().flat_map(pair).collect() }
}

/// Decides which gaps keep their keys and which are only counted by parts.
fn prepare(gaps: &mut [Gap], most: usize) {
    let mut room = most as u64;
    let parts = (most / gaps.len()).clamp(BINS.1, BINS.0).ilog2();
    for gap in gaps {
        gap.found = if gap.count <= room {
            room -= gap.count;
            Seen::Keys(Vec::new())
        } else {
            let width = u64::BITS - (gap.range.high - gap.range.low).leading_zeros();
            let shift = width.saturating_sub(parts);
            let bins = usize::try_from((gap.range.high - gap.range.low) >> shift).unwrap_or(0) + 1;
            Seen::Bins { shift, counts: vec![0; bins] }
        };
    }
}

impl Gap {
    fn see(&mut self, keys: &[u64]) {
        let Range { low, high } = self.range;
        let inside = keys.iter().filter(|key| (low..=high).contains(*key));
        match &mut self.found {
            Seen::Keys(kept) => kept.extend(inside),
            Seen::Bins { shift, counts } => {
                for key in inside {
                    let bin = usize::try_from((key - low) >> *shift).unwrap_or(usize::MAX);
                    counts[bin] += 1;
                }
            }
        }
    }

    fn seen(&self) -> u64 {
        match &self.found {
            Seen::Keys(kept) => kept.len() as u64,
            Seen::Bins { counts, .. } => counts.iter().sum(),
        }
    }

    /// Notes the ranks that are found now, and the smaller gaps that hold the others.
    fn settle(self, known: &mut BTreeMap<(At, u64), u64>, next: &mut Vec<Gap>) {
        let Self { at, range, ranks, offset, found, .. } = self;
        match found {
            Seen::Keys(mut keys) => {
                for rank in ranks {
                    let inside = usize::try_from(rank).unwrap_or(usize::MAX);
                    let key = *keys.select_nth_unstable(inside).1;
                    known.insert((at, offset + rank), key);
                }
            }
            Seen::Bins { shift, counts } => {
                let mut before = 0;
                for (bin, &count) in counts.iter().enumerate() {
                    let own = |rank: &&u64| (before..before + count).contains(*rank);
                    let ranks: Vec<u64> =
                        ranks.iter().filter(own).map(|rank| rank - before).collect();
                    let low = range.low + ((bin as u64) << shift);
                    let high = range.high.min(low.saturating_add((1 << shift) - 1));
                    if low == high {
                        known.extend(ranks.iter().map(|rank| ((at, offset + before + rank), low)));
                    } else if !ranks.is_empty() {
                        next.push(Gap {
                            at,
                            range: Range { low, high },
                            count,
                            ranks,
                            offset: offset + before,
                            found: Seen::Keys(Vec::new()),
                        });
                    }
                    before += count;
                }
            }
        }
    }
}
