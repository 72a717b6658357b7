//! The sessions in which the runs were made: in which of them the change is taken, and whether it differs between them.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::Serialize;

use crate::compare::InSessionsRow;
use crate::format::{change, counted, difference, list, p_value, with_unit};
use crate::report::{Comparison, Report, Row};
use crate::stats::Across;

/// Metrics whose changes by session are written out; the others are named.
const MAX_METRICS: usize = 2;

/// Sessions whose changes are written out; the document has all.
const MAX_SESSIONS: usize = 6;

/// Remarks on sessions over all comparisons.
const MAX_PARTS: usize = 4;

/// The sessions in which the runs of a comparison were made: one machine, without a restart and without six hours of pause.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct SessionsRow {
    /// Each session, in the order of time; last the runs whose session is not known, if any.
    #[schemars(length(min = 1))]
    pub sessions: Vec<SessionRow>,
    /// The units of the intervals inside the sessions: runs, or from five sessions on the sessions, with one difference each.
    /// Sessions without runs of both variants are left out. Null where the change is not taken inside sessions: one session,
    /// runs in pairs, another statistic than the mean, no session with both variants.
    pub unit: Option<SessionUnit>,
}

/// A session of runs, with how many each variant has in it.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct SessionRow {
    /// Its number in the order of time, over all runs read, from 1; null where it is not known.
    #[schemars(range(min = 1))]
    pub number: Option<usize>,
    /// When its first run began, in RFC 3339; null where it is not known.
    pub began: Option<String>,
    /// Runs of the baseline.
    pub baseline: usize,
    /// Runs of the candidate.
    pub candidate: usize,
}

/// The unit of an interval inside sessions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SessionUnit {
    /// Runs, compared inside their session.
    Run,
    /// A session, with one difference each.
    Session,
}

impl SessionRow {
    fn has_both(&self) -> bool {
        self.baseline > 0 && self.candidate > 0
    }

    /// `session 2 (from 2026-05-03 10:00 UTC)`.
    fn name(&self) -> String {
        match (self.number, self.began.as_deref()) {
            (Some(number), Some(began)) => {
                let minute: String = began.chars().take("2026-05-03T10:00".len()).collect();
                format!("session {number} (from {} UTC)", minute.replacen('T', " ", 1))
            }
            _ => "the unknown session".to_owned(),
        }
    }

    /// `session 2`.
    fn short(&self) -> String {
        self.number.map_or_else(|| self.name(), |number| format!("session {number}"))
    }
}

/// Runs of the baseline and of the candidate that are left out, since their session has no run of the other variant.
pub(crate) fn left_out(comparison: &Comparison) -> [usize; 2] {
    let taken = comparison.sessions.as_ref().filter(|sessions| sessions.unit.is_some());
    let alone = taken.iter().flat_map(|of| &of.sessions).filter(|session| !session.has_both());
    alone.fold([0, 0], |[a, b], session| [a + session.baseline, b + session.candidate])
}

/// Whether a change is taken inside several sessions.
pub(crate) fn are_inside(report: &Report) -> bool {
    let mut rows = report.comparisons.iter().flat_map(|one| &one.metrics);
    rows.any(|row| row.in_sessions.is_some())
}

/// How the report treats the sessions of its runs, in parts of a sentence; empty without known sessions.
pub(crate) fn parts(report: &Report) -> Vec<String> {
    let several = report.comparisons.len() > 1;
    let of_one = |one| in_words(one, report.settings.across, several);
    let mut seen = BTreeSet::new();
    let all = report.comparisons.iter().flat_map(of_one);
    let mut all: Vec<String> = all.filter(|part| seen.insert(part.clone())).collect();
    let more = all.len().saturating_sub(MAX_PARTS);
    if more > 0 {
        all.truncate(MAX_PARTS);
        all.push(format!("{} on sessions in the JSON document", counted(more, "more remark")));
    }
    all
}

fn in_words(comparison: &Comparison, across: Across, several: bool) -> Vec<String> {
    let Some(SessionsRow { sessions, unit }) = &comparison.sessions else { return Vec::new() };
    if sessions.len() == 1 {
        return vec!["all runs of one session: sessions were not varied".to_owned()];
    }
    let n = sessions.len();
    let (both, alone): (Vec<&SessionRow>, Vec<&SessionRow>) =
        sessions.iter().partition(|session| session.has_both());
    let (a, b) = (&comparison.baseline.name, &comparison.candidate.name);
    if unit.is_none() {
        return vec![if comparison.paired {
            format!("runs of {n} sessions, compared in pairs")
        } else if both.is_empty() {
            format!(
                "no session has runs of both {a} and {b}: a difference of the sessions is part of the change"
            )
        } else {
            format!(
                "runs of {n} sessions: their differences are not taken out of the {}",
                across.words()
            )
        }];
    }
    let mut parts = vec![match (&both[..], unit) {
        ([only], _) => format!("change taken inside {} alone", only.short()),
        (_, Some(SessionUnit::Session)) => {
            format!("change taken inside each of {} sessions, one difference a session", both.len())
        }
        _ => format!("change taken inside each of {} sessions", both.len()),
    }];
    parts.extend(alone.iter().map(|session| {
        let lacks = if session.baseline == 0 { a } else { b };
        format!("{} left out, since it has no run of {lacks}", session.name())
    }));
    parts.extend(differing(comparison, sessions, several));
    parts
}

/// The changes in each session, where they are shown to differ.
fn differing(comparison: &Comparison, sessions: &[SessionRow], several: bool) -> Option<String> {
    let rows: Vec<(&Row, &InSessionsRow)> = comparison
        .metrics
        .iter()
        .filter_map(|row| Some((row, row.in_sessions.as_ref().filter(|of| of.differs)?)))
        .collect();
    rows.first()?;
    let one = |(row, of): &(&Row, &InSessionsRow)| {
        let each = of.changes.iter().take(MAX_SESSIONS).map(|one| {
            let changed = match (one.relative, one.absolute) {
                (Some(relative), _) => change(relative, 1),
                (None, absolute) => with_unit(&difference(absolute.unwrap_or_default()), row.unit),
            };
            format!("{changed} in {}", sessions[one.session].short())
        });
        let more = of.changes.len().saturating_sub(MAX_SESSIONS);
        let more = (more > 0).then(|| format!("{more} more"));
        let p = of.interaction_p.map_or(String::new(), |p| format!(" ({})", p_value(p)));
        format!("{}{p}: {}", row.label, list(&each.chain(more).collect::<Vec<_>>()))
    };
    let named: Vec<String> = rows.iter().take(MAX_METRICS).map(one).collect();
    let others = rows.len().saturating_sub(MAX_METRICS);
    let others =
        if others > 0 { format!("; {}", counted(others, "more metric")) } else { String::new() };
    let cell: Vec<String> =
        comparison.cell.iter().map(|(column, value)| format!("{column} {value}")).collect();
    let cell = if cell.is_empty() { cell.concat() } else { format!(" ({})", cell.join(", ")) };
    let of = if several { format!(" of {}{cell}", comparison.candidate.name) } else { cell };
    Some(format!(
        "the change{of} differs between sessions in {}{others}; the interval is about these sessions",
        named.join("; ")
    ))
}
