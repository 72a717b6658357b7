//! A comparison before it is judged: its rows, what the checks found, which metrics decide.

use std::collections::{BTreeMap, BTreeSet};

use crate::analysis::adjust::{Adjusted, List, Tests};
use crate::builds::{Build, deciding_of};
use crate::checks::{self, Blocks, CheckId, ClaimRow, Context, Finding};
use crate::compare::{Measured, Pairing, measure};
use crate::deciding::{deciding, guards, same_fact};
use crate::metrics::{Family, Metric, rank};
use crate::noise_prior::NoisePool;
use crate::policy::{Policy, Selected};
use crate::runs::{Group, LoadShape, Run, Variant, metric_names};
use crate::stats::{Undefined, Variance};

/// A comparison before it is judged.
pub(super) struct Assessed<'a> {
    /// The group with its position in the job.
    pub(super) group: (usize, &'a Group),
    pub(super) runs: Pairing<'a>,
    pub(super) cell: BTreeMap<String, String>,
    pub(super) load: LoadShape,
    /// Names of the deciding metrics, the most important first.
    pub(super) deciding: Vec<String>,
    /// Names of the guards: the user's own, or all metrics of a table of your own that do not decide.
    pub(super) guards: Vec<String>,
    /// Metrics that decide or were asked for, and that one variant lacks; a sentence each.
    pub(super) one_sided: Vec<String>,
    pub(super) rows: Vec<Measured>,
    /// Variances from the other cells of its lists, by metric, with which its rows were judged; empty before, and in a batch.
    pub(super) wider: BTreeMap<String, Vec<Variance>>,
    pub(super) findings: Vec<Finding>,
    pub(super) claims: Vec<ClaimRow>,
}

/// How requests arrived in the runs compared.
pub(super) fn shape(
    group: &Group,
    baseline: &Variant,
    candidate: &Variant,
    policy: &Policy,
) -> LoadShape {
    let runs: [&[Run]; 2] = [&baseline.runs, &candidate.runs];
    LoadShape::classify(&group.workload, &runs, policy.thresholds.keeps_up)
}

impl<'a> Assessed<'a> {
    /// Measures two variants of one workload and runs the checks.
    pub(super) fn of(
        (position, group): (usize, &'a Group),
        runs: Pairing<'a>,
        lenders: &NoisePool,
        policy: &Policy,
    ) -> Self {
        let (baseline, candidate) = (runs.baseline, runs.candidate);
        let lender =
            |metric: &str| lenders.prior_for((position, group), (baseline, candidate), metric);
        let mut rows = measure(&runs, policy, lender);
        let load = shape(group, baseline, candidate, policy);
        let metrics: Vec<(&Metric, bool)> =
            rows.iter().map(|row| (&row.metric, row.exact)).collect();
        let deciding = deciding_of(&metrics, load, group, policy);
        let measured: Vec<&Metric> =
            rows.iter().filter(|row| !row.exact).map(|row| &row.metric).collect();
        let guards = guards(&measured, &deciding, load, &group.workload, policy);
        let place = |row: &Measured| deciding.iter().position(|name| *name == row.metric.name);
        rows.sort_by_key(|row| place(row).unwrap_or(usize::MAX));
        let builds = [baseline, candidate].map(|variant| Build::of(group, vec![variant]));
        let mut context = Context::new(&runs, &builds, &rows, (load, &deciding), policy);
        let findings = checks::run(&mut context);
        let claims = checks::claims(&context).to_vec();
        let one_sided = one_sided(&runs, load, group, policy);
        let (group, cell) = ((position, group), group.cell.clone());
        Self {
            group,
            runs,
            cell,
            load,
            deciding,
            guards,
            one_sided,
            rows,
            wider: BTreeMap::new(),
            findings,
            claims,
        }
    }

    pub(super) fn decides(&self, row: &Measured) -> bool {
        self.deciding.contains(&row.metric.name)
    }

    /// The number of runs that a deciding metric needs for any interval; `None` if all have enough.
    pub(super) fn runs_needed(&self) -> Option<usize> {
        let deciding = self.rows.iter().filter(|row| self.decides(row));
        deciding.into_iter().find_map(|row| match row.undefined? {
            Undefined::QuantileNeedsRuns(n)
            | Undefined::QuantileOfUnequalRuns(n)
            | Undefined::RanksNeedRuns(n) => Some(n),
            _ => None,
        })
    }

    /// The finding that stops a row; one about this metric comes before one about all.
    pub(super) fn stop(&self, row: &Measured) -> Option<&Finding> {
        let stops = || self.findings.iter().filter(|finding| finding.stops(&row.metric.name));
        stops().find(|finding| finding.blocks != Blocks::All).or_else(|| stops().next())
    }

    /// Whether the change of a row counts in the shared change of a batch: with one run each there is a change, but no verdict.
    pub(super) fn shares(&self, row: &Measured) -> bool {
        let stops = |finding: &&Finding| finding.stops(&row.metric.name);
        self.findings.iter().filter(stops).all(|finding| finding.id == CheckId::TooFewRuns)
    }

    /// The list and p-value of each of these rows.
    pub(super) fn tests(
        &self,
        rows: &[Measured],
        p_value: fn(&Measured) -> Option<f64>,
        policy: &Policy,
    ) -> Tests {
        let throughput = |name: &&String| {
            let row = rows.iter().find(|row| row.metric.name == **name);
            row.is_some_and(|row| row.metric.family == Family::Throughput)
        };
        let counted = self.deciding.iter().find(throughput);
        let list = |row: &Measured| {
            let again = counted.is_some_and(|counted| *counted != row.metric.name);
            if again && same_fact(&row.metric, self.load) {
                List::SameFact
            } else if self.decides(row) {
                List::Deciding
            } else if policy.guards.contains(&row.metric.name) {
                List::Guard
            } else if self.guards.contains(&row.metric.name) {
                List::Rest
            } else {
                List::Other
            }
        };
        let tested = |row: &Measured| self.stop(row).is_none() && row.metric.better.is_some();
        rows.iter().map(|row| Some((list(row), p_value(row).filter(|_| tested(row))?))).collect()
    }

    /// Drops the curves behind the intervals, which take memory.
    pub(super) fn without_curves(mut self) -> Self {
        for row in &mut self.rows {
            row.curves = None;
            row.own.iter_mut().for_each(|own| own.curves = None);
        }
        self
    }

    /// Measures again the rows that need an interval at another level than alpha.
    pub(super) fn restore_curves(
        &mut self,
        (adjusted, adjusted_own): (&[Option<Adjusted>], &[Option<Adjusted>]),
        lenders: &NoisePool,
        policy: &Policy,
    ) {
        let other =
            |adjusted: &Option<Adjusted>| adjusted.is_some_and(|a| a.level < policy.alpha());
        let lost: Vec<String> = (self.rows.iter().zip(adjusted.iter().zip(adjusted_own)))
            .filter(|(row, (all, own))| other(all) || row.own.is_some() && other(own))
            .filter(|(row, _)| row.curves.is_none())
            .map(|(row, _)| row.metric.name.clone())
            .collect();
        if lost.is_empty() {
            return;
        }
        let (baseline, candidate) = (self.runs.baseline, self.runs.candidate);
        let lender = |metric: &str| lenders.prior_for(self.group, (baseline, candidate), metric);
        for again in measure(&self.runs, &narrowed(policy, lost), lender) {
            let same = self.rows.iter_mut().find(|row| row.metric.name == again.metric.name);
            let Some(row) = same else { continue };
            row.curves = again.curves;
            if let (Some(own), Some(again)) = (&mut row.own, again.own) {
                own.curves = again.curves;
            }
        }
    }
}

pub(super) fn narrowed(policy: &Policy, names: Vec<String>) -> Policy {
    let selected = names.into_iter().map(|name| Selected {
        better: policy.selected(&name).and_then(|selected| selected.better),
        name,
    });
    Policy { selected: selected.collect(), guards: Vec::new(), ..policy.clone() }
}

/// Metrics that decide for one variant or were asked for by name, and that the other variant lacks; a sentence each.
fn one_sided(runs: &Pairing, load: LoadShape, group: &Group, policy: &Policy) -> Vec<String> {
    let [a, b] = [runs.baseline, runs.candidate].map(|variant| metric_names(&variant.runs));
    let both: BTreeSet<&str> = a.union(&b).copied().collect();
    let decide = |names: &BTreeSet<&str>| {
        let mut all: Vec<Metric> = names.iter().map(|name| policy.metric(name)).collect();
        all.sort_by_cached_key(|metric| (rank(&metric.name), metric.name.clone()));
        deciding(&all.iter().collect::<Vec<_>>(), load, &group.workload, policy)
    };
    let asked = policy.selected.iter().map(|selected| selected.name.clone());
    let mut names: Vec<String> =
        asked.chain([&both, &a, &b].into_iter().flat_map(decide)).collect();
    let mut seen = BTreeSet::new();
    names.retain(|name| seen.insert(name.clone()));
    let lacking = |name: &String| {
        let label = policy.metric(name).label;
        match (a.contains(name.as_str()), b.contains(name.as_str())) {
            (true, true) => None,
            (false, false) => Some(format!("{label} was not measured")),
            (of_baseline, _) => {
                let has = if of_baseline { runs.baseline } else { runs.candidate };
                Some(format!("deciding {label} was measured in {} only", has.name))
            }
        }
    };
    names.iter().filter_map(lacking).collect()
}
