//! The cells of one metric and one pair of variants as a list, so that noise of few runs is not taken as too small.

use std::collections::BTreeMap;

use rayon::prelude::*;

use crate::analysis::assess::Assessed;
use crate::compare::Measured;
use crate::policy::Policy;
use crate::stats::{Across, CellRuns, ListNoise, Method};

/// Widens the intervals of every comparison by the noise of its list (the loads of a sweep, the cells of a batch), see
/// [`ListNoise`]. A lone comparison does not change.
pub(super) fn judge_as_lists(assessed: &mut [Assessed], policy: &Policy) {
    if policy.across != Across::MEAN || !matches!(policy.method, Method::Calibrated | Method::Welch)
    {
        return;
    }
    let of_rows: Vec<Vec<(usize, CellRuns)>> = assessed.par_iter().map(tested_rows).collect();
    let mut lists: BTreeMap<[&str; 3], Vec<([usize; 2], CellRuns)>> = BTreeMap::new();
    for (at, (one, rows)) in assessed.iter().zip(of_rows).enumerate() {
        let [baseline, candidate] = [one.runs.baseline, one.runs.candidate];
        for (row, runs) in rows {
            let names = [&*baseline.name, &*candidate.name, &*one.rows[row].metric.name];
            lists.entry(names).or_default().push(([at, row], runs));
        }
    }
    let lists: Vec<_> = lists.into_values().filter(|cells| cells.len() > 1).collect();
    let noise = |cells: Vec<([usize; 2], CellRuns)>| {
        let (places, runs): (Vec<[usize; 2]>, Vec<CellRuns>) = cells.into_iter().unzip();
        (places, ListNoise::new(&runs))
    };
    let lists: Vec<(Vec<[usize; 2]>, ListNoise)> = lists.into_par_iter().map(noise).collect();
    let mut of_rows: Vec<Vec<(usize, &ListNoise, usize)>> = vec![Vec::new(); assessed.len()];
    for (places, noise) in &lists {
        for (cell, [at, row]) in places.iter().enumerate() {
            of_rows[*at].push((*row, noise, cell));
        }
    }
    assessed.par_iter_mut().zip(of_rows).for_each(|(one, rows)| {
        for (row, noise, cell) in rows {
            let row = &mut one.rows[row];
            let borrowed = row.noise.is_some_and(|noise| noise.borrowed.is_some());
            row.widen(&noise.of_cell(cell, borrowed), policy);
            if let Some(own) = &mut row.own {
                own.widen(&noise.of_cell(cell, false), policy);
            }
        }
    });
}

/// The rows of a comparison that are tested by their noise between runs. None of pairs.
fn tested_rows(one: &Assessed) -> Vec<(usize, CellRuns)> {
    let rows = one.rows.iter().enumerate().filter(|_| one.runs.pairs.is_none());
    rows.filter_map(|(at, row)| Some((at, runs_of(row)?))).collect()
}

/// The runs behind a row if it is tested by its noise between runs.
fn runs_of(row: &Measured) -> Option<CellRuns> {
    let sides = [&row.baseline, &row.candidate];
    let repeated = sides.iter().all(|side| side.values.len() > 1 && side.averaged.is_none());
    let tested = row.p_value.is_some() && row.relative.is_some() && !row.exact && repeated;
    tested.then(|| CellRuns {
        logs: sides.map(|side| side.values.iter().map(|value| value.ln()).collect()),
        resolution: sides.map(|side| side.resolution / side.estimate),
    })
}
