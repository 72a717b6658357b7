//! Repeated runs of one build, and random halves of them.

use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use schemars::JsonSchema;
use serde::Serialize;

use crate::builds::{Build, Values, nothing_repeated, repeated};
use crate::calibrate::procedure::Design;
use crate::error::Error;
use crate::metrics::Metric;
use crate::policy::Policy;
use crate::runs::{Dataset, Skipped};
use crate::stats::Sample;
use crate::units::Better;

/// Fewest runs of a build for halves.
const MIN_RUNS: usize = 6;

/// Repeated runs of one build under one workload.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct OwnGroup {
    /// The workload in words.
    pub workload: String,
    /// Name of the variant, or the labels of several variants taken as one build.
    pub variant: String,
    /// Number of its runs.
    #[schemars(range(min = 6))]
    pub runs: usize,
}

/// Values of one metric of one group.
pub(super) struct RepeatedRuns {
    /// Position of the group.
    pub(super) group: usize,
    /// Position of the metric.
    pub(super) metric: usize,
    values: Values,
}

/// All series with enough runs.
pub(super) struct Halves {
    pub(super) groups: Vec<OwnGroup>,
    pub(super) metrics: Vec<Metric>,
    pub(super) series: Vec<RepeatedRuns>,
    pub(super) left_out: Vec<Skipped>,
}

impl Halves {
    /// The builds of `dataset` with enough runs, each with the metrics that the policy names, or else the deciding metrics.
    pub(super) fn collect(dataset: &Dataset, policy: &Policy) -> Result<Self, Error> {
        if let Some((problem, remedy)) =
            dataset.lacks(policy.selected.iter().map(|selected| &selected.name))
        {
            return Err(Error::usage(problem, remedy));
        }
        let (workloads, few) = repeated(dataset, MIN_RUNS);
        if workloads.is_empty() {
            return Err(nothing_repeated(dataset, MIN_RUNS, ""));
        }
        let left_out = dataset.skipped().chain(few).collect();
        let (groups, metrics, series) = (Vec::new(), Vec::new(), Vec::new());
        let mut halves = Self { groups, metrics, series, left_out };
        let mut unfit = None;
        for build in workloads.iter().flatten() {
            unfit = halves.add(build, policy).or(unfit);
        }
        if halves.series.is_empty() {
            return Err(nothing_to_split(dataset, unfit.as_ref()));
        }
        Ok(halves)
    }

    /// Adds a build; returns the reason if a metric cannot be split.
    fn add(&mut self, build: &Build, policy: &Policy) -> Option<Skipped> {
        let (workload, runs) = (build.group.workload.describe(), build.runs.len());
        let (index, mut unfit) = (self.groups.len(), None);
        for metric in build.metrics(policy).deciding() {
            match values(build, &metric.name) {
                Ok(values) => {
                    let metric = self.position(metric);
                    self.series.push(RepeatedRuns { group: index, metric, values });
                }
                Err(why) => {
                    let place = format!("{}, {} ({workload})", metric.label, build.title());
                    unfit = Some(Skipped { place, why });
                    self.left_out.extend(unfit.clone());
                }
            }
        }
        if self.series.last().is_some_and(|series| series.group == index) {
            let variant = match build.variants[..] {
                [_] => build.name().to_owned(),
                _ => build.title(),
            };
            self.groups.push(OwnGroup { workload, variant, runs });
        }
        unfit
    }

    fn position(&mut self, metric: &Metric) -> usize {
        let known = self.metrics.iter().position(|known| known.name == metric.name);
        known.unwrap_or_else(|| {
            self.metrics.push(metric.clone());
            self.metrics.len() - 1
        })
    }
}

fn nothing_to_split(dataset: &Dataset, unfit: Option<&Skipped>) -> Error {
    if let Some(Skipped { place, why }) = unfit {
        return Error::usage(
            format!("expected positive values, found {place}: {why}"),
            "name another metric with --metric",
        );
    }
    Error::usage(
        format!(
            "expected a metric whose direction is known, found {}",
            dataset.metrics().join(", ")
        ),
        "name the metrics: --metric NAME:lower or --metric NAME:higher",
    )
}

impl RepeatedRuns {
    /// Whether there are enough runs for the design.
    pub(super) fn allows(&self, design: Design) -> bool {
        design.baseline + design.candidate <= self.values.values.len()
    }

    /// Two disjoint parts drawn at random.
    pub(super) fn split(&self, design: Design, rng: &mut ChaCha8Rng) -> [Sample; 2] {
        let mut values = self.values.values.clone();
        for place in 0..design.baseline + design.candidate {
            let other = rng.random_range(place as u64..values.len() as u64);
            values.swap(place, usize::try_from(other).expect("a place of the values"));
        }
        let (baseline, rest) = values.split_at(design.baseline);
        [baseline, &rest[..design.candidate]].map(|half| self.values.sample_of(half))
    }
}

/// Shift of the metric's log delta by a slow-down of this size; an unknown direction is taken as better lower.
pub(super) fn slow_down(metric: &Metric, shift: f64) -> f64 {
    if metric.better == Some(Better::Higher) { -shift } else { shift }
}

/// The values of a metric, or the reason why they cannot be split.
fn values(build: &Build, metric: &str) -> Result<Values, String> {
    let values = build.values(metric);
    let n = values.as_ref().map_or(0, |of| of.values.len());
    let values =
        values.filter(|_| n >= MIN_RUNS).ok_or(format!("{n} values; it takes {MIN_RUNS}"))?;
    match values.values.iter().find(|value| **value <= 0.0) {
        Some(value) => Err(format!("{value} has no logarithm")),
        None => Ok(values),
    }
}
