//! The cells of one metric and one pair of variants as a list, so that noise of few runs is not taken as too small.

use std::collections::BTreeMap;

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
    let mut lists: BTreeMap<[&str; 3], Vec<([usize; 2], CellRuns)>> = BTreeMap::new();
    for (at, one) in assessed.iter().enumerate().filter(|(_, one)| one.runs.pairs.is_none()) {
        for (row, measured) in one.rows.iter().enumerate() {
            let [baseline, candidate] = [one.runs.baseline, one.runs.candidate];
            let names = [&*baseline.name, &*candidate.name, &*measured.metric.name];
            if let Some(runs) = runs_of(measured) {
                lists.entry(names).or_default().push(([at, row], runs));
            }
        }
    }
    let lists: Vec<_> = lists.into_values().filter(|cells| cells.len() > 1).collect();
    for cells in lists {
        let (places, runs): (Vec<[usize; 2]>, Vec<CellRuns>) = cells.into_iter().unzip();
        let noise = ListNoise::new(&runs);
        for (cell, [at, row]) in places.into_iter().enumerate() {
            let one = &mut assessed[at];
            let row = &mut one.rows[row];
            let borrowed = row.noise.is_some_and(|noise| noise.borrowed.is_some());
            let variances = noise.of_cell(cell, borrowed);
            row.widen(&variances, policy);
            if let Some(own) = &mut row.own {
                own.widen(&noise.of_cell(cell, false), policy);
            }
            one.wider.insert(row.metric.name.clone(), variances);
        }
    }
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
