//! Values of a metric by the session of their runs.

use schemars::JsonSchema;
use serde::Serialize;

use crate::runs::{Sessions, Value};
use crate::stats::{BySession, Scale};

/// The change of a metric in each session.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct InSessionsRow {
    /// P-value of equal changes in all sessions (F test of the interaction of session and variant), unadjusted; null where a
    /// test needs more runs.
    #[schemars(range(min = 0, max = 1))]
    pub interaction_p: Option<f64>,
    /// Whether the change is shown to differ between sessions, corrected by Holm over the metrics.
    pub differs: bool,
    /// The change in each session with values of both variants.
    #[schemars(length(min = 2))]
    pub changes: Vec<SessionChange>,
    /// Whether the changes are fractions.
    #[serde(skip)]
    pub(crate) relative: bool,
    /// How much each session differs from all, by its position in [`Sessions::all`]: a logarithm, or in the unit of the metric.
    #[serde(skip)]
    pub(crate) effects: Vec<(usize, f64)>,
}

/// The change of a metric in one session.
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct SessionChange {
    /// Position in the list of the comparison's sessions, from 0.
    pub session: usize,
    /// Fraction of the baseline; null where ratios do not exist.
    pub relative: Option<f64>,
    /// In the unit of the metric, where ratios do not exist; else null.
    pub absolute: Option<f64>,
}

/// Values of one variant with the positions of their runs.
pub(super) type Side<'a> = (&'a [Value], &'a [usize]);

/// The sessions with values of both variants, by position in [`Sessions::all`].
pub(super) fn of_both(sessions: &Sessions, sides: [Side; 2]) -> Vec<usize> {
    let has = |side: usize, at: usize| {
        let (_, runs) = sides[side];
        runs.iter().any(|run| sessions.of[side][*run] == at)
    };
    (0..sessions.all.len()).filter(|at| has(0, *at) && has(1, *at)).collect()
}

/// All values of a variant.
pub(super) fn all((values, runs): Side) -> (Vec<Value>, Vec<usize>) {
    (values.to_vec(), runs.to_vec())
}

/// The values whose runs belong to one of the sessions `kept`.
pub(super) fn only(kept: &[usize], of: &[usize], (values, runs): Side) -> (Vec<Value>, Vec<usize>) {
    let known = values.iter().copied().zip(runs.iter().copied());
    known.filter(|(_, run)| kept.contains(&of[*run])).unzip()
}

/// The change inside the sessions, which have values of both variants.
pub(super) fn change(
    sessions: &Sessions,
    sides: [Side; 2],
    resolution: f64,
) -> (BySession, InSessionsRow) {
    let kept = of_both(sessions, sides);
    let values = |side: usize, at: usize| -> Vec<f64> {
        let (values, _) = only(&[at], &sessions.of[side], sides[side]);
        values.iter().map(|value| value.value).collect()
    };
    let cells: Vec<[Vec<f64>; 2]> =
        kept.iter().map(|at| [values(0, *at), values(1, *at)]).collect();
    let cells: Vec<[&[f64]; 2]> = cells.iter().map(|[a, b]| [&a[..], &b[..]]).collect();
    let found = BySession::of(&cells, resolution);
    let relative = found.scale == Scale::Log;
    let change = |(session, change): (&usize, &f64)| SessionChange {
        session: *session,
        relative: relative.then(|| change.exp_m1()),
        absolute: (!relative).then_some(*change),
    };
    let row = InSessionsRow {
        interaction_p: found.interaction,
        differs: false,
        changes: kept.iter().zip(&found.changes).map(change).collect(),
        relative,
        effects: kept.iter().copied().zip(found.effects.iter().copied()).collect(),
    };
    (found, row)
}
