//! Values of a metric by the session of their runs.

use crate::runs::{Sessions, Value};
use crate::stats::{BySession, Scale};

/// The change of a metric in each of several sessions.
#[derive(Clone, Debug)]
pub(crate) struct InSessions {
    /// Positions in [`Sessions::all`] of the sessions with values of both variants, at least two.
    pub sessions: Vec<usize>,
    /// The change in each of them: as a fraction, or in the unit of the metric without a ratio.
    pub changes: Vec<f64>,
    /// Whether the changes are fractions.
    pub relative: bool,
    /// Unadjusted p-value of equal changes in all sessions; `None` where a test needs more runs.
    pub interaction: Option<f64>,
    /// How much each session differs from all, by its position in [`Sessions::all`]: a logarithm, or in the unit of the metric.
    pub(crate) effects: Vec<(usize, f64)>,
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
) -> (BySession, InSessions) {
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
    let shown = |change: &f64| if relative { change.exp_m1() } else { *change };
    let row = InSessions {
        changes: found.changes.iter().map(shown).collect(),
        relative,
        interaction: found.interaction,
        effects: kept.iter().copied().zip(found.effects.iter().copied()).collect(),
        sessions: kept,
    };
    (found, row)
}
