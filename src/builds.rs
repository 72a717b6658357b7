//! The runs of one build under one workload: their order, their names, their values.
//!
//! A build is a variant. Single runs under several labels are repeats of one build, unless the labels distinguish a baseline
//! from a change (`before`, `after`).

use std::collections::BTreeMap;

use crate::deciding::deciding;
use crate::error::Error;
use crate::format::{counted, listed};
use crate::metrics::{Metric, rank};
use crate::policy::Policy;
use crate::runs::{
    Dataset, Duplicate, Group, LoadShape, Order, Run, Skipped, Value, Variant, is_constant_count,
    labels_differ, metric_names, run_name, run_names,
};
use crate::stats::Sample;

/// Runs of one build under one workload, in order.
#[derive(Clone, Debug)]
pub(crate) struct Build<'a> {
    /// The group with the workload.
    pub group: &'a Group,
    /// One variant, or several with one run each that are taken as one build.
    pub variants: Vec<&'a Variant>,
    /// Its runs in the order of their starts, or else as read; at least one.
    pub runs: Vec<&'a Run>,
}

impl<'a> Build<'a> {
    /// The build of these variants' runs, at least one, under a workload.
    pub(crate) fn of(group: &'a Group, variants: Vec<&'a Variant>) -> Self {
        let runs = variants.iter().flat_map(|variant| &variant.runs).collect();
        let mut build = Self { group, variants, runs };
        // A single variant's runs are sorted already.
        if build.variants.len() > 1 && build.order() == Order::Started {
            let start = |run: &Run| run.seconds().unwrap_or_default();
            build.runs.sort_by(|a, b| start(a).total_cmp(&start(b)));
        }
        build
    }

    /// The builds of a workload: one for each variant with runs, or one build of all of them.
    pub(crate) fn all(group: &'a Group) -> Vec<Self> {
        if group.is_one_build() {
            return vec![Self::of(group, group.with_runs().collect())];
        }
        group.with_runs().map(|variant| Self::of(group, vec![variant])).collect()
    }

    /// The label of its variant, or of the first of several.
    pub(crate) fn name(&self) -> &'a str {
        &self.variants[0].name
    }

    /// Its labels, quoted for a message.
    pub(crate) fn title(&self) -> String {
        quoted(&self.variants)
    }

    /// Labels of runs that were taken as repeats of one build; empty for a single label.
    pub(crate) fn pooled(&self) -> Vec<String> {
        let names = self.variants.iter().map(|variant| variant.name.clone());
        if self.variants.len() > 1 { names.collect() } else { Vec::new() }
    }

    /// Whether the pooled labels differ in more than run numbers.
    pub(crate) fn labels_differ(&self) -> bool {
        labels_differ(&names_of(&self.variants))
    }

    /// How the order of the runs is known.
    pub(crate) fn order(&self) -> Order {
        Order::from_runs(&self.runs)
    }

    /// Name of the run at a position: its own label, or the part of its place that differs from the others.
    pub(crate) fn run_name(&self, position: usize) -> String {
        match self.variants[..] {
            [_] => run_name(&self.runs, position),
            _ => self.runs[position].variant.clone(),
        }
    }

    /// Its runs by name; with their variant where the build is in several.
    pub(crate) fn run_names(&self) -> Vec<String> {
        match self.variants[..] {
            [_] => run_names(&self.runs),
            _ => self.runs.iter().map(|run| run.variant.clone()).collect(),
        }
    }

    /// The values of a metric; `None` if no run has it.
    pub(crate) fn values(&self, metric: &str) -> Option<Values> {
        let runs = self.runs.iter().enumerate();
        let having = runs.filter_map(|(run, of)| Some((run, *of.metrics.get(metric)?)));
        let (runs, values): (Vec<usize>, Vec<Value>) = having.unzip();
        (!runs.is_empty()).then(|| Values {
            runs,
            resolution: resolution(&values),
            values: values.into_iter().map(|value| value.value).collect(),
        })
    }

    /// Its metrics, the deciding ones first.
    pub(crate) fn metrics(&self, policy: &Policy) -> Chosen {
        Chosen::of(self.group, std::slice::from_ref(self), policy)
    }
}

/// A metric's values in the runs of a build.
#[derive(Clone, Debug, PartialEq)]
#[expect(clippy::struct_field_names, reason = "values beside the positions of their runs")]
pub(crate) struct Values {
    /// Positions of the runs with a value, ascending; at least one.
    pub runs: Vec<usize>,
    /// One value for each of these runs, in the unit of the metric.
    pub values: Vec<f64>,
    /// Half of the last printed digit, in the unit of the metric; 0 for exact values.
    pub resolution: f64,
}

impl Values {
    /// Some of the values as a sample, with the resolution of all.
    ///
    /// # Panics
    ///
    /// If `values` is empty.
    pub(crate) fn sample_of(&self, values: &[f64]) -> Sample {
        Sample::rounded(values.to_vec(), self.resolution).expect("a data set holds finite values")
    }

    /// Standard deviation of the logarithms, at least as large as the printed digits imply. `None` for one run, or with a value
    /// of 0 or below.
    pub(crate) fn log_sd(&self) -> Option<f64> {
        self.sample_of(&self.values).log_sd()
    }

    /// [`Values::log_sd`] without the runs at these positions of the build.
    pub(crate) fn log_sd_without(&self, runs: &[usize]) -> Option<f64> {
        let all = self.runs.iter().zip(&self.values);
        let kept = all.filter(|(run, _)| !runs.contains(run)).map(|(_, value)| *value);
        Sample::rounded(kept.collect(), self.resolution).ok().as_ref().and_then(Sample::log_sd)
    }

    /// Whether the values are a count that never varies.
    pub(crate) fn is_count(&self, metric: &Metric) -> bool {
        is_constant_count(metric, &self.values)
    }
}

/// Half of the finest printed digit among the values, since trailing zeros are often omitted.
fn resolution(values: &[Value]) -> f64 {
    let finest = values.iter().map(|value| value.resolution).fold(f64::INFINITY, f64::min);
    if finest.is_finite() { finest.max(0.0) } else { 0.0 }
}

/// Values of a metric as a sample, with the finest printed digit as resolution.
///
/// # Panics
///
/// If `values` is empty or a value is not finite; a data set has neither.
pub(crate) fn sample(values: &[Value]) -> Sample {
    let numbers = values.iter().map(|value| value.value).collect();
    Sample::rounded(numbers, resolution(values)).expect("a data set holds finite values")
}

/// The metrics of some runs, the deciding ones first.
#[derive(Clone, Debug)]
pub(crate) struct Chosen {
    /// Metrics with the directions of the policy, the deciding ones first and in their order.
    pub metrics: Vec<Metric>,
    /// Number of deciding metrics.
    pub deciding: usize,
    /// How requests arrive.
    pub load: LoadShape,
}

impl Chosen {
    /// The metrics of these builds of a workload: the user's own (then all of them decide), or else all.
    pub(crate) fn of(group: &Group, builds: &[Build], policy: &Policy) -> Self {
        let names = metric_names(builds.iter().flat_map(|build| build.runs.iter().copied()));
        let by_variant: Vec<&[Run]> = group.variants.iter().map(|of| &of.runs[..]).collect();
        let load = LoadShape::classify(&group.workload, &by_variant, policy.thresholds.keeps_up);
        if !policy.selected.is_empty() {
            let selected = policy.selected.iter().map(|selected| selected.name.as_str());
            let known = selected.filter(|name| names.contains(name));
            let metrics: Vec<Metric> = known.map(|name| policy.metric(name)).collect();
            return Self { deciding: metrics.len(), metrics, load };
        }
        let mut metrics: Vec<Metric> = names.into_iter().map(|name| policy.metric(name)).collect();
        metrics.sort_by_cached_key(|metric| (rank(&metric.name), metric.name.clone()));
        let constant = |metric: &Metric| {
            builds
                .iter()
                .filter_map(|build| build.values(&metric.name))
                .all(|of| of.is_count(metric))
        };
        let with_counts: Vec<(&Metric, bool)> =
            metrics.iter().map(|metric| (metric, constant(metric))).collect();
        let decide = deciding_of(&with_counts, load, group, policy);
        let place = |metric: &Metric| decide.iter().position(|name| *name == metric.name);
        metrics.sort_by_key(|metric| place(metric).unwrap_or(usize::MAX));
        Self { metrics, deciding: decide.len(), load }
    }

    /// The deciding metrics, the most important first.
    pub(crate) fn deciding(&self) -> &[Metric] {
        &self.metrics[..self.deciding]
    }
}

/// Names of the deciding metrics, the most important first. `metrics` are in the order of a report, each with whether it is a
/// constant count: such a count decides only if nothing else can, or if the user named metrics.
pub(crate) fn deciding_of(
    metrics: &[(&Metric, bool)],
    load: LoadShape,
    group: &Group,
    policy: &Policy,
) -> Vec<String> {
    let measured = |(metric, constant): &(&Metric, bool)| !constant && metric.better.is_some();
    let named = !policy.deciding.is_empty() || !policy.selected.is_empty();
    let counts = named || !metrics.iter().any(measured);
    let metrics = metrics.iter().filter(|(_, constant)| counts || !constant);
    let metrics: Vec<&Metric> = metrics.map(|(metric, _)| *metric).collect();
    deciding(&metrics, load, &group.workload, policy)
}

/// The builds with at least `least` runs (2 or more) of every workload, and the other variants with the reason.
pub(crate) fn repeated(dataset: &Dataset, least: usize) -> (Vec<Vec<Build<'_>>>, Vec<Skipped>) {
    let (mut found, mut left_out) = (Vec::new(), Vec::new());
    for group in &dataset.groups {
        let (enough, few): (Vec<Build>, Vec<Build>) =
            Build::all(group).into_iter().partition(|build| build.runs.len() >= least);
        let mut by_runs: BTreeMap<usize, Vec<&Variant>> = BTreeMap::new();
        for build in &few {
            by_runs.entry(build.runs.len()).or_default().extend(&build.variants);
        }
        for (runs, variants) in by_runs {
            let place = format!("{} ({})", quoted(&variants), group.workload.describe());
            let why = why_not(group, &variants, (runs, least), enough.is_empty());
            left_out.push(Skipped { place, why });
        }
        if !enough.is_empty() {
            found.push(enough);
        }
    }
    (found, left_out)
}

/// The reason why these variants, with so many runs each, have fewer than `least`.
fn why_not(
    group: &Group,
    variants: &[&Variant],
    (runs, least): (usize, usize),
    alone: bool,
) -> String {
    let copy = |of: &&Duplicate| variants.iter().any(|v| v.name == of.dropped_variant);
    let each = if variants.len() == 1 { "" } else { " each" };
    let copies = match group.duplicates.iter().filter(copy).count() {
        0 => String::new(),
        n => format!(", and {n} equal to one of these"),
    };
    match (runs, least) {
        (1, 2) if variants.len() == 1 => format!("one run has no run-to-run noise{copies}"),
        (1, 2) if alone => "one run each, and the labels say that the builds differ".to_owned(),
        (1, 2) => "one run each".to_owned(),
        _ => format!("{}{each}{copies}; it takes {least}", counted(runs, "run")),
    }
}

/// The error that no build has `least` runs (2 or more); `instead` is an alternative for the user.
pub(crate) fn nothing_repeated(dataset: &Dataset, least: usize, instead: &str) -> Error {
    let count = if least == 2 { "two".to_owned() } else { least.to_string() };
    let groups = &dataset.groups;
    let all = || groups.iter().flat_map(Build::all);
    let told_apart = |group: &&Group| group.with_runs().count() > 1 && !group.is_one_build();
    let (found, remedy) = match all().map(|build| build.runs.len()).max() {
        None => ("no run".to_owned(), AGAIN),
        Some(1) if dataset.runs().count() == 1 => {
            let (group, variant, run) = dataset.runs().next().expect("there is one");
            let copies = match group.duplicates.len() {
                0 => String::new(),
                1 => ", and a copy of it".to_owned(),
                n => format!(", and {n} copies of it"),
            };
            (format!("1 run of `{}` ({}){copies}", variant.name, run.source), AGAIN)
        }
        Some(1) => {
            if let Some(group) = groups.iter().find(told_apart) {
                let names = quoted(&group.with_runs().collect::<Vec<_>>());
                (format!("one run each of {names}, whose labels name different builds"), ONE_NAME)
            } else {
                let runs = counted(dataset.runs().count(), "run");
                (format!("{runs} of {} different workloads", groups.len()), AGAIN)
            }
        }
        Some(most) => (format!("at most {most}"), AGAIN),
    };
    let problem = format!("expected {count} runs or more of one build, found {found}");
    Error::usage(problem, format!("{remedy}{instead}"))
}

const AGAIN: &str =
    "run the same benchmark again without a change, and give the folder with all its result files";

const ONE_NAME: &str =
    "make more runs of one of them, or put them under one name to take them as repeats (main=PATH)";

fn names_of<'a>(variants: &[&'a Variant]) -> Vec<&'a str> {
    variants.iter().map(|variant| variant.name.as_str()).collect()
}

fn quoted(variants: &[&Variant]) -> String {
    let names: Vec<String> = variants.iter().map(|variant| format!("`{}`", variant.name)).collect();
    listed(&names)
}
