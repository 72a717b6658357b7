//! Sessions: runs that were made on one machine, without a restart of it and without a long pause.

use std::collections::BTreeSet;

use crate::runs::Variant;

/// A session in which runs were made.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Session {
    /// Its number in the order of time, from 1.
    pub number: usize,
    /// Start of its first run, in RFC 3339.
    pub began: String,
}

/// The sessions of the runs of two variants.
#[derive(Clone, Debug, PartialEq)]
pub struct Sessions {
    /// All sessions in the order of time; last `None` if the session of some runs is unknown, which count as one.
    pub all: Vec<Option<Session>>,
    /// Position in `all` for each run of the baseline and of the candidate.
    pub of: [Vec<usize>; 2],
}

impl Sessions {
    /// The sessions of two variants; `None` if no run knows its session.
    ///
    /// # Examples
    ///
    /// ```
    /// use beyondnoise_model::runs::{Run, Session, Sessions, Variant};
    ///
    /// let run = |number| {
    ///     let mut run = Run::default();
    ///     run.info.session = Some(Session { number, began: String::new() });
    ///     run
    /// };
    /// let main = Variant { runs: vec![run(1), run(2), run(2)], ..Variant::default() };
    /// let pr = Variant { runs: vec![run(1), run(1)], ..Variant::default() };
    /// let sessions = Sessions::shared_by(&main, &pr).unwrap();
    /// assert_eq!(sessions.of, [vec![0, 1, 1], vec![0, 0]]);
    /// assert_eq!(sessions.runs(1), [2, 0]);
    /// ```
    pub fn shared_by(baseline: &Variant, candidate: &Variant) -> Option<Self> {
        let variants = [baseline, candidate];
        let stated = |variant: &Variant| {
            variant.runs.iter().map(|run| run.info.session.clone()).collect::<Vec<_>>()
        };
        let stated = variants.map(stated);
        let known: BTreeSet<&Session> = stated.iter().flatten().flatten().collect();
        if known.is_empty() {
            return None;
        }
        let mut all: Vec<Option<Session>> = known.into_iter().cloned().map(Some).collect();
        if stated.iter().flatten().any(Option::is_none) {
            all.push(None);
        }
        let at = |one: &Option<Session>| all.iter().position(|known| known == one).unwrap_or(0);
        let of = [0, 1].map(|side: usize| stated[side].iter().map(at).collect());
        Some(Self { all, of })
    }

    /// Runs of the baseline and of the candidate in the session at a position of `all`.
    pub fn runs(&self, at: usize) -> [usize; 2] {
        self.of.each_ref().map(|of| of.iter().filter(|session| **session == at).count())
    }

    /// Positions in `all` of the sessions with runs of both variants: only these say anything of the change.
    pub fn of_both(&self) -> Vec<usize> {
        (0..self.all.len()).filter(|at| !self.runs(*at).contains(&0)).collect()
    }
}
