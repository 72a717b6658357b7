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
    let mut lists: BTreeMap<[String; 3], Vec<(usize, CellRuns)>> = BTreeMap::new();
    for (at, one) in assessed.iter().enumerate().filter(|(_, one)| one.runs.pairs.is_none()) {
        for row in &one.rows {
            let names = [&one.runs.baseline.name, &one.runs.candidate.name, &row.metric.name];
            if let Some(runs) = runs_of(row) {
                lists.entry(names.map(String::clone)).or_default().push((at, runs));
            }
        }
    }
    for ([.., metric], cells) in lists.into_iter().filter(|(_, cells)| cells.len() > 1) {
        let (places, runs): (Vec<usize>, Vec<CellRuns>) = cells.into_iter().unzip();
        let noise = ListNoise::new(&runs);
        for (cell, at) in places.into_iter().enumerate() {
            let one = &mut assessed[at];
            for row in one.rows.iter_mut().filter(|row| row.metric.name == metric) {
                let borrowed = row.noise.is_some_and(|noise| noise.borrowed.is_some());
                let variances = noise.of_cell(cell, borrowed);
                row.widen(&variances, policy);
                if let Some(own) = &mut row.own {
                    own.widen(&noise.of_cell(cell, false), policy);
                }
                one.wider.insert(metric.clone(), variances);
            }
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
