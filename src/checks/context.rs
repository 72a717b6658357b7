//! Inputs of the checks of a comparison.

use std::cell::OnceCell;
use std::ops::Deref;

use crate::builds::Build;
use crate::checks::subject::Subject;
use crate::checks::{ClaimRow, Finding};
use crate::compare::{Measured, Pairing};
use crate::policy::Policy;
use crate::runs::{Levels, LoadShape, Variant, Workload};

/// A comparison of two builds, with all that its checks read.
pub(crate) struct Context<'a> {
    /// The runs of both variants.
    pub(super) subject: Subject<'a>,
    /// The variant that the other is compared with.
    pub baseline: &'a Variant,
    /// The variant that is compared with the baseline.
    pub candidate: &'a Variant,
    /// How requests arrive.
    pub load: LoadShape,
    /// All metrics of the comparison.
    pub rows: &'a [Measured],
    /// Names of the metrics that decide.
    pub deciding: &'a [String],
    /// Number of whole blocks A B B A, if they are too few to be the unit.
    pub few_blocks: Option<usize>,
    /// The levels of nested repeats.
    pub levels: Option<&'a Levels>,
    /// Findings of the checks that can stop a metric by themselves.
    pub(super) stops: Vec<Finding>,
    /// The claims beside the runs, once they are checked.
    pub(super) claims: OnceCell<Vec<ClaimRow>>,
}

impl<'a> Deref for Context<'a> {
    type Target = Subject<'a>;

    fn deref(&self) -> &Subject<'a> {
        &self.subject
    }
}

impl<'a> Context<'a> {
    /// A comparison of two builds of one workload: its rows, its deciding metrics and its load.
    pub(crate) fn new(
        pairing: &'a Pairing<'a>,
        builds: &'a [Build<'a>; 2],
        rows: &'a [Measured],
        (load, deciding): (LoadShape, &'a [String]),
        policy: &'a Policy,
    ) -> Self {
        let deciding_rows: Vec<&Measured> = deciding_rows(rows, deciding).collect();
        Self {
            subject: Subject::of_pairing(pairing, builds, &deciding_rows, policy),
            baseline: pairing.baseline,
            candidate: pairing.candidate,
            load,
            rows,
            deciding,
            few_blocks: pairing.few_blocks,
            levels: pairing.levels.as_ref(),
            stops: Vec::new(),
            claims: OnceCell::new(),
        }
    }

    pub(super) fn workload(&self) -> &'a Workload {
        &self.group.workload
    }

    pub(super) fn rows_where(&self, fits: impl Fn(&Measured) -> bool) -> Vec<String> {
        self.rows.iter().filter(|row| fits(row)).map(|row| row.metric.name.clone()).collect()
    }

    /// The first deciding row.
    pub(super) fn leading(&self) -> Option<&'a Measured> {
        self.deciding_rows().next()
    }

    /// The deciding rows, the leading one first.
    pub(super) fn deciding_rows(&self) -> impl Iterator<Item = &'a Measured> + use<'a> {
        deciding_rows(self.rows, self.deciding)
    }

    /// Alpha for each deciding metric, as in Holm's first step.
    pub(super) fn shared_alpha(&self) -> f64 {
        let judged = |row: &&Measured| {
            let stops = |finding: &Finding| finding.stops(&row.metric.name);
            row.metric.better.is_some() && !self.stops.iter().any(stops)
        };
        let tested = || self.deciding_rows().filter(judged);
        let with_values = tested().filter(|row| row.p_value.is_some()).count();
        let sharing = if with_values > 0 { with_values } else { tested().count() };
        self.policy.alpha() / sharing.max(1) as f64
    }
}

fn deciding_rows<'a>(
    rows: &'a [Measured],
    deciding: &'a [String],
) -> impl Iterator<Item = &'a Measured> {
    deciding.iter().filter_map(|name| rows.iter().find(|row| row.metric.name == *name))
}

pub(super) fn names_and_labels<'a>(
    rows: impl Iterator<Item = &'a Measured>,
) -> (Vec<String>, Vec<&'a str>) {
    rows.map(|row| (row.metric.name.clone(), row.metric.label.as_str())).unzip()
}
