//! More runs as the next step: their number, the changes they would show, and when to stop instead.

use crate::compare::MORE_RUNS;
use crate::format;
use crate::report::comparison::command::{Next, NextCommand, plan};
use crate::report::comparison::levels::more_units;
use crate::report::plan::{PATTERN, order_of_runs};
use crate::report::{Comparison, Row};
use crate::verdict::Verdict;

/// More runs to advise after a single one, whose noise is not known: the fewest.
pub(crate) const MORE_AFTER_ONE: usize = MORE_RUNS[0];

/// Degrees of freedom; below it a noise predicts little: 2 + 2 runs have 2.
const FEW: f64 = 3.0;

/// The most further runs of each that are looked at.
pub(crate) const MOST_MORE: usize = MORE_RUNS[MORE_RUNS.len() - 1];

/// Further runs for which the order is written out.
const WRITTEN_OUT: usize = 6;

/// The next step if only more runs remain.
///
/// It is for the first open deciding metric that more runs settle, or else for the first: one number in a report.
pub(crate) fn more_runs(comparison: &Comparison, legend: &str) -> Next {
    let open: Vec<&Row> =
        comparison.deciding().filter(|row| row.verdict == Verdict::WithinNoise).collect();
    let known = || open.iter().copied().filter(|row| row.more_runs.is_some());
    let Some(row) = known().find(|row| enough(row).is_some()).or_else(|| known().next()) else {
        let why = if open.iter().all(|row| row.delta.relative.is_none()) {
            "where values are 0 or below"
        } else {
            "without run-to-run noise"
        };
        return Next::from(format!("more runs of each: how many is not known {why}."));
    };
    let drop = or_drop_it(&open);
    let (Some(at), Some(more)) = (enough(row), row.more_runs) else {
        return Next::from(too_few(comparison, row, legend).unwrap_or_else(|| stop(row, drop)));
    };
    let n = MORE_RUNS[at];
    let who = further(comparison, n, legend);
    let finds = |at: usize| format::smallest_change(Some(more.finds[at]));
    let others = (0..MORE_RUNS.len()).filter(|other| *other != at);
    let others: Vec<String> =
        others.map(|other| format!("{} find {}", MORE_RUNS[other], finds(other))).collect();
    let step = format!(
        "{who} would settle {}: they find a change of {}, or show that it is within ±{} (80 % power; {}).{}",
        row.label,
        finds(at),
        format::chosen(row.margin),
        others.join(", "),
        drop.map_or(String::new(), |drop| format!(" Or {drop}.")),
    );
    let of_runs = more_units(comparison, n).is_none();
    let command = if of_runs { plan(&more, n) } else { NextCommand::Nothing };
    Next { step, command, more: Some(n) }
}

/// `4 more runs of each, in the order ... (A = main, B = pr),`
fn further(comparison: &Comparison, n: usize, legend: &str) -> String {
    let pattern = if n <= WRITTEN_OUT {
        format!("in the order `{}`", order_of_runs(n))
    } else {
        format!("alternating `{PATTERN}`")
    };
    more_units(comparison, n)
        .unwrap_or_else(|| format!("{n} more runs of each, {pattern} {legend},"))
}

/// The next step for so few runs that their noise is hardly known: the fewest more.
fn too_few(comparison: &Comparison, row: &Row, legend: &str) -> Option<String> {
    row.more_runs.filter(|more| more.df < FEW)?;
    let who = further(comparison, MORE_AFTER_ONE, legend);
    Some(format!("{who} since the noise of {} is hardly known yet.", row.label))
}

/// The next step where no number of further runs settles a metric.
fn stop(row: &Row, drop: Option<String>) -> String {
    let Some(more) = row.more_runs else { return String::new() };
    let most = more.finds[MORE_RUNS.len() - 1];
    let drop = drop.unwrap_or_else(|| "stop".to_owned());
    let (only, but) = if most > more.effect {
        ("only ", String::new())
    } else {
        ("", format!(", but not show that it is within ±{}", format::chosen(row.margin)))
    };
    format!(
        "{drop}, or lower the noise: {MOST_MORE} more runs of each would find {only}changes of {} or more in {}{but} (80 % power).",
        format::smallest_change(Some(most)),
        row.label
    )
}

/// `drop it: a change under 1.8 % is all that can be left`, where no open metric can hide the change that is to be found.
fn or_drop_it(open: &[&Row]) -> Option<String> {
    let left = |row: &Row| {
        let left = row.delta.relative_ci_adjusted.map(|[low, high]| low.abs().max(high.abs()))?;
        (left <= row.more_runs?.effect).then_some(left)
    };
    let most = open.iter().try_fold(0.0_f64, |most, row| Some(most.max(left(row)?)))?;
    Some(format!("drop it: a change under {} is all that can be left", format::percent(most)))
}

/// The fewest of [`MORE_RUNS`] that settle a row, as an index.
fn enough(row: &Row) -> Option<usize> {
    row.more_runs?.enough
}

impl Row {
    /// The fewest of [`MORE_RUNS`] that settle it.
    pub(crate) fn settled_by(&self) -> Option<usize> {
        Some(MORE_RUNS[enough(self)?])
    }
}

impl Comparison {
    /// Makes further runs of each, which its next step names, the runs that settle its rows.
    pub(crate) fn name_more_runs(&mut self, more: usize) {
        let settled = |row: &&mut Row| row.settled_by().is_some_and(|needed| needed <= more);
        for row in self.metrics.iter_mut().filter(settled) {
            row.runs_to_settle = row.more_runs.map(|known| known.have + more);
        }
    }
}

/// The fewest of [`MORE_RUNS`] that settle `wanted` of all open questions, or else most of them, and how many that is.
/// `needed` has the fewest runs for each. `None` if no number settles any.
pub(crate) fn for_most(needed: &[Option<usize>], wanted: usize) -> Option<(usize, usize)> {
    let settled = |runs: usize| needed.iter().flatten().filter(|needed| **needed <= runs).count();
    let all = MORE_RUNS.map(|runs| (runs, settled(runs)));
    let most = all[MORE_RUNS.len() - 1].1.min(wanted);
    all.into_iter().find(|(_, settled)| *settled >= most).filter(|_| most > 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_fewest_runs_that_settle_what_is_wanted_or_most_of_it() {
        let needed = [Some(4), Some(8), None, Some(8), None];
        assert_eq!(for_most(&needed, 1), Some((4, 1)));
        assert_eq!(for_most(&needed, 3), Some((8, 3)));
        // Not all can be: 16 more settle no others.
        assert_eq!(for_most(&needed, 5), Some((8, 3)));
        assert_eq!(for_most(&[None, None], 1), None);
        assert_eq!(for_most(&[], 0), None);
    }
}
