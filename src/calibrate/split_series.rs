//! Repeated runs of one build, and random halves of them.

use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use serde::Serialize;

use crate::calibrate::procedure::Design;
use crate::deciding::deciding;
use crate::error::Error;
use crate::metrics::{Metric, rank};
use crate::policy::{Policy, Selected, Thresholds};
use crate::runs::{
    Dataset, Duplicate, Group, LoadShape, Run, Skipped, Value, Variant, metric_names,
};
use crate::stats::Sample;
use crate::units::Better;

/// Fewest runs of a variant that are split into halves.
const MIN_RUNS: usize = 6;

/// Names that an error lists.
const MAX_LISTED: usize = 6;

/// Repeated runs of one build under one workload.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct OwnGroup {
    /// The workload in words.
    pub workload: String,
    /// Name of the variant.
    pub variant: String,
    /// Its runs.
    pub runs: usize,
}

/// Values of one metric of one group.
pub(super) struct RepeatedRuns {
    /// Position of the group.
    pub(super) group: usize,
    /// Position of the metric.
    pub(super) metric: usize,
    values: Vec<f64>,
    resolution: f64,
}

/// All that can be split.
pub(super) struct Halves {
    pub(super) groups: Vec<OwnGroup>,
    pub(super) metrics: Vec<Metric>,
    pub(super) series: Vec<RepeatedRuns>,
    pub(super) left_out: Vec<Skipped>,
}

impl Halves {
    /// The variants of `dataset` with enough runs, and of each the metrics `selected`, or else those that decide a
    /// comparison.
    pub(super) fn collect(dataset: &Dataset, selected: &[Selected]) -> Result<Self, Error> {
        let mut halves = Self {
            groups: Vec::new(),
            metrics: Vec::new(),
            series: Vec::new(),
            left_out: Vec::new(),
        };
        for input in &dataset.inputs {
            halves.left_out.extend(input.skipped.iter().map(|skipped| Skipped {
                place: format!("{}, {}", input.path, skipped.place),
                why: skipped.why.clone(),
            }));
        }
        for group in &dataset.groups {
            halves.add(group, selected);
        }
        if halves.series.is_empty() {
            return Err(halves.nothing(dataset, selected));
        }
        Ok(halves)
    }

    fn add(&mut self, group: &Group, selected: &[Selected]) {
        for variant in &group.variants {
            let (workload, runs) = (group.workload.describe(), variant.runs.len());
            let place = format!("{} ({workload})", variant.name);
            if runs < MIN_RUNS {
                let twice = |copy: &&Duplicate| copy.dropped_variant == variant.name;
                let copies = group.duplicates.iter().filter(twice).count();
                let why = if copies > 0 {
                    format!(
                        "{runs} runs, and {copies} equal to one of these; halves need {MIN_RUNS}"
                    )
                } else {
                    format!("{runs} runs, and halves need {MIN_RUNS}")
                };
                self.left_out.push(Skipped { place, why });
                continue;
            }
            let index = self.groups.len();
            for metric in metrics(group, variant, selected) {
                match values(&variant.runs, &metric.name) {
                    Ok((values, resolution)) => {
                        let metric = self.position(metric);
                        self.series.push(RepeatedRuns { group: index, metric, values, resolution });
                    }
                    Err(why) => self
                        .left_out
                        .push(Skipped { place: format!("{}, {place}", metric.label), why }),
                }
            }
            if self.series.last().is_some_and(|series| series.group == index) {
                let variant = variant.name.clone();
                self.groups.push(OwnGroup { workload, variant, runs });
            }
        }
    }

    fn position(&mut self, metric: Metric) -> usize {
        let known = self.metrics.iter().position(|known| known.name == metric.name);
        known.unwrap_or_else(|| {
            self.metrics.push(metric);
            self.metrics.len() - 1
        })
    }

    fn nothing(&self, dataset: &Dataset, selected: &[Selected]) -> Error {
        let names = metric_names(dataset.runs().map(|(.., run)| run));
        let listed = |names: Vec<&str>| match names.get(MAX_LISTED..) {
            Some(rest) if !rest.is_empty() => {
                format!("{} and {} more", names[..MAX_LISTED].join(", "), rest.len())
            }
            _ => names.join(", "),
        };
        if let Some(unknown) = selected.iter().find(|wanted| !names.contains(wanted.name.as_str()))
        {
            return Error::usage(
                format!(
                    "expected the metric {} in the runs, found {}",
                    unknown.name,
                    listed(names.into_iter().collect())
                ),
                "name one of these with --metric",
            );
        }
        let variants = || dataset.groups.iter().flat_map(|group| &group.variants);
        let most = variants().map(|variant| variant.runs.len()).max().unwrap_or(0);
        if most < MIN_RUNS {
            return Error::usage(
                format!("expected a variant with {MIN_RUNS} runs or more, found at most {most}"),
                "give more repeated runs of one build, or name the column of the variant \
                 (--variant-column) if each run was taken for a variant of its own",
            );
        }
        if let Some(left_out) = self.left_out.last() {
            return Error::usage(
                format!("expected positive values, found {}: {}", left_out.place, left_out.why),
                "name another metric with --metric",
            );
        }
        Error::usage(
            format!(
                "expected a metric whose direction is known, found {}",
                listed(names.into_iter().collect())
            ),
            "name the metrics: --metric NAME:lower or --metric NAME:higher",
        )
    }
}

impl RepeatedRuns {
    /// Whether there are runs enough for the design.
    pub(super) fn allows(&self, design: Design) -> bool {
        design.baseline + design.candidate <= self.values.len()
    }

    /// Two disjoint parts drawn at random.
    pub(super) fn split(&self, design: Design, rng: &mut ChaCha8Rng) -> [Sample; 2] {
        let mut values = self.values.clone();
        for place in 0..design.baseline + design.candidate {
            let other = rng.random_range(place as u64..values.len() as u64);
            values.swap(place, usize::try_from(other).expect("a place of the values"));
        }
        let sample = |values: &[f64]| {
            Sample::rounded(values.to_vec(), self.resolution).expect("readers give finite values")
        };
        let (baseline, rest) = values.split_at(design.baseline);
        [sample(baseline), sample(&rest[..design.candidate])]
    }
}

/// How far a slow-down of this size moves the log delta of the metric; one whose direction is not known is
/// taken as better when lower.
pub(super) fn slow_down(metric: &Metric, shift: f64) -> f64 {
    if metric.better == Some(Better::Higher) { -shift } else { shift }
}

fn metrics(group: &Group, variant: &Variant, selected: &[Selected]) -> Vec<Metric> {
    let mut names: Vec<&str> = metric_names(&variant.runs).into_iter().collect();
    names.sort_by_key(|name| (rank(name), *name));
    if !selected.is_empty() {
        let found = selected.iter().filter(|selected| names.contains(&selected.name.as_str()));
        return found
            .map(|selected| {
                let metric = Metric::named(&selected.name);
                Metric { better: selected.better.or(metric.better), ..metric }
            })
            .collect();
    }
    let all: Vec<Metric> = names.into_iter().map(Metric::named).collect();
    let by_variant: Vec<&[Run]> = group.variants.iter().map(|variant| &variant.runs[..]).collect();
    let load = LoadShape::classify(&group.workload, &by_variant, Thresholds::default().keeps_up);
    let decide =
        deciding(&all.iter().collect::<Vec<_>>(), load, &group.workload, &Policy::default());
    all.into_iter().filter(|metric| decide.contains(&metric.name)).collect()
}

/// One value a run with their resolution, or why there are none.
fn values(runs: &[Run], metric: &str) -> Result<(Vec<f64>, f64), String> {
    let values: Vec<Value> =
        runs.iter().filter_map(|run| run.metrics.get(metric).copied()).collect();
    if values.len() < MIN_RUNS {
        return Err(format!("{} values, and halves need {MIN_RUNS}", values.len()));
    }
    if let Some(value) = values.iter().find(|value| value.value <= 0.0) {
        return Err(format!("{} has no logarithm", value.value));
    }
    // The finest printed digit, since trailing zeros are often not printed.
    let resolution = values.iter().map(|value| value.resolution).fold(f64::INFINITY, f64::min);
    Ok((values.into_iter().map(|value| value.value).collect(), resolution))
}
