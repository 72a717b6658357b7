//! The input of the checks of a comparison.

use std::cell::OnceCell;

use crate::checks::chance::{Chance, is_beyond_chance};
use crate::checks::series::{Series, median};
use crate::checks::{CheckId, Finding};
use crate::compare::Measured;
use crate::policy::Policy;
use crate::runs::{Group, Levels, LoadShape, Pairs, Variant, Workload};

/// The input of a check.
#[doc(hidden)]
pub struct Context<'a> {
    /// The group of the comparison.
    pub group: &'a Group,
    /// The baseline.
    pub baseline: &'a Variant,
    /// The candidate.
    pub candidate: &'a Variant,
    /// How requests arrive.
    pub load: LoadShape,
    /// All metrics of the comparison.
    pub rows: &'a [Measured],
    /// Names of the metrics that decide.
    pub deciding: &'a [String],
    /// The runs that belong together, where they are compared pair by pair.
    pub pairs: Option<&'a Pairs>,
    /// The levels of nested repeats.
    pub levels: Option<&'a Levels>,
    /// Settings and thresholds.
    pub policy: &'a Policy,
    /// Results that several checks share.
    pub cache: Cache<'a>,
}

/// Results that several checks share, computed once.
#[derive(Default)]
pub struct Cache<'a> {
    series: OnceCell<Vec<Series<'a>>>,
    /// The adjusted p-values of the checks that chance can set off.
    pub(super) chance: Chance,
    /// The findings of the checks that can stop a metric by themselves.
    pub(super) stops: Vec<Finding>,
}

impl<'a> Context<'a> {
    pub(super) fn workload(&self) -> &Workload {
        &self.group.workload
    }

    pub(super) fn fewest_runs(&self) -> usize {
        match self.levels {
            Some(levels) => levels.units[0].len().min(levels.units[1].len()),
            None => self.baseline.runs.len().min(self.candidate.runs.len()),
        }
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
        let rows = self.rows;
        let row = move |name: &String| rows.iter().find(|row| row.metric.name == *name);
        self.deciding.iter().filter_map(row)
    }

    /// The share of alpha for each deciding metric, as in Holm's first step.
    pub(super) fn shared_alpha(&self) -> f64 {
        let judged = |row: &&Measured| {
            let stops = |finding: &Finding| finding.stops(&row.metric.name);
            row.metric.better.is_some() && !self.cache.stops.iter().any(stops)
        };
        let tested = || self.deciding_rows().filter(judged);
        let with_values = tested().filter(|row| row.p_value.is_some()).count();
        let sharing = if with_values > 0 { with_values } else { tested().count() };
        self.policy.alpha() / sharing.max(1) as f64
    }

    pub(super) fn sides(&self) -> [(usize, &'a Variant); 2] {
        [(0, self.baseline), (1, self.candidate)]
    }

    /// The same metric of the other variant: values of the same noise, if both are of one kind.
    pub(super) fn beside(&self, series: &Series) -> Vec<f64> {
        let mut all = self.series().iter();
        let same = |other: &&Series| {
            other.side != series.side && other.row.metric.name == series.row.metric.name
        };
        let positive = |series: &Series| series.values.iter().all(|value| *value > 0.0);
        let other = all.find(same).filter(|other| positive(other) == positive(series));
        other.map_or_else(Vec::new, |other| other.logs().0)
    }

    /// The same, with the value farthest from the median as near as the next one: an outlier there hides none here.
    pub(super) fn beside_without_outlier(&self, series: &Series) -> Vec<f64> {
        let mut values = self.beside(series);
        if values.len() > 2 {
            let centre = median(&values);
            let off = |value: &f64| (value - centre).abs();
            values.sort_by(|a, b| off(b).total_cmp(&off(a)));
            values[0] = centre + off(&values[1]) * (values[0] - centre).signum();
        }
        values
    }

    /// Positions of the runs of a side that are compared, in their order.
    pub(super) fn compared(&self, side: usize) -> Vec<usize> {
        let (_, variant) = self.sides()[side];
        self.pairs.map_or_else(
            || (0..variant.runs.len()).collect(),
            |pairs| {
                let of = pairs.positions.iter().map(|&(a, b)| if side == 0 { a } else { b });
                let mut of: Vec<usize> = of.collect();
                of.sort_unstable();
                of
            },
        )
    }

    /// The values of every deciding metric on both sides, the leading metric first.
    pub(super) fn series(&self) -> &[Series<'a>] {
        self.cache.series.get_or_init(|| {
            let rows = self.deciding_rows().filter(|row| row.metric.better.is_some() && !row.exact);
            rows.flat_map(|row| self.sides().map(|(side, variant)| Series::of(row, side, variant)))
                .collect()
        })
    }

    /// The adjusted p-values of a check that chance can set off, in the order of the series that it looks at.
    pub(super) fn chance(&self, check: CheckId) -> &[f64] {
        self.cache.chance.of(check)
    }

    pub(super) fn beyond_chance(&self, p: f64) -> bool {
        is_beyond_chance(p, self.policy.thresholds.chance_level)
    }
}

pub(super) fn names_and_labels<'a>(
    rows: impl Iterator<Item = &'a Measured>,
) -> (Vec<String>, Vec<&'a str>) {
    rows.map(|row| (row.metric.name.clone(), row.metric.label.as_str())).unzip()
}
