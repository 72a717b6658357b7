//! The noise of repeated runs of one build: how large it is, where it comes from, what it hides.
//!
//! No baseline and no candidate: whatever differs between the runs is noise. [`noise`] takes the runs apart
//! and [`NoiseReport`] holds all that is to be shown, in words and in numbers.

mod figures;
mod findings;
mod halves;
mod levels;
mod repeats;
mod report;
mod words;

use rayon::prelude::*;

use crate::deciding::deciding;
use crate::error::Error;
use crate::metrics::{Metric, rank};
use crate::policy::Policy;
use crate::runs::{Dataset, LoadShape, Run, Skipped, is_constant_count, metric_names};

pub use crate::runs::Order;
use figures::figures;
use repeats::Series;
pub use report::{
    Autocorrelation, Detectable, Drift, FindingRow, LevelNoise, MetricNoise, NoiseReport, Repeats,
    SCHEMA, Settings, SplitHalves, TwoModes, WhatHelps, Within,
};

/// Metrics that a message names.
const MOST_LISTED: usize = 12;

/// The noise of every build of `dataset` that was run more than once.
///
/// A variant with several runs under one workload is a build. Where no variant of a workload has several, they
/// are taken as repeats of one build, unless their labels tell a baseline from a change (`before`, `after`).
/// A build whose metrics are several and none of them known is left out, unless one was named.
/// Of `policy` the confidence, the seed, the metrics named and the margins count.
///
/// The CV is the standard deviation of the logarithms, at least half of the last printed digit. Smallest
/// changes are those of the two-sided t test in one metric alone, found with a power of 80 %.
///
/// # Errors
///
/// [`Error::Usage`] if nothing was repeated, or no run has a metric that was named.
///
/// # Examples
///
/// ```
/// use beyondnoise::{noise::noise, policy::Policy, runs};
///
/// let run = |path: &str, value| runs::Run {
///     variant: "main".into(),
///     source: runs::Source { path: path.into(), ..runs::Source::default() },
///     metrics: [("request_throughput", runs::Value { value, resolution: 0.005 })].into(),
///     ..runs::Run::default()
/// };
/// let runs = vec![run("1", 24.32), run("2", 24.11), run("3", 24.29)];
/// let report = noise(&runs::Dataset::assemble(runs, vec![]), &Policy::default()).unwrap();
/// let found = &report.repeats[0].metrics[0];
/// assert!((found.cv.unwrap() - 0.004_69).abs() < 1e-5);
/// assert!(report.summary.starts_with("request throughput varies by 0.5 % from run to run"));
/// ```
///
/// # References
///
/// T. Kalibera, R. Jones. Rigorous benchmarking in reasonable time. *ISMM*, 2013 (variance within and between
/// runs).
pub fn noise(dataset: &Dataset, policy: &Policy) -> Result<NoiseReport, Error> {
    if let Some(problem) = dataset.lacks(policy.selected.iter().map(|selected| &selected.name)) {
        return Err(Error::usage(problem, "name one of these with --metric"));
    }
    let (series, mut skipped) = repeats::series(dataset);
    if series.is_empty() {
        return Err(repeats::nothing_repeated(dataset));
    }
    let all: Vec<Result<(Repeats, Vec<Skipped>), Skipped>> =
        series.par_iter().map(|series| measured(series, policy)).collect();
    let (mut repeats, mut unknown) = (Vec::new(), None);
    for one in all {
        match one {
            Ok((one, left_out)) => {
                skipped.extend(left_out);
                repeats.extend(Some(one).filter(|one| !one.metrics.is_empty()));
            }
            Err(left_out) => {
                unknown = unknown.or(Some(left_out.why.clone()));
                skipped.push(left_out);
            }
        }
    }
    if let (true, Some(why)) = (repeats.is_empty(), unknown) {
        return Err(Error::usage(
            format!("expected a metric that decides, but {why}"),
            "name the one that matters: --metric NAME",
        ));
    }
    if repeats.is_empty() {
        return Err(Error::usage(
            "expected a metric that two runs of one build have, found none",
            "name another one with --metric, or give runs that have it",
        ));
    }
    let cv = |one: &Repeats| one.leading().next().and_then(|first| first.cv).unwrap_or(0.0);
    repeats.sort_by(|a, b| cv(b).total_cmp(&cv(a)));
    skipped.extend(dataset.skipped());
    Ok(NoiseReport {
        schema: SCHEMA,
        version: env!("CARGO_PKG_VERSION"),
        summary: words::overview(&repeats, policy),
        next_step: words::first_step(&repeats),
        settings: Settings {
            confidence: policy.confidence,
            power: figures::POWER,
            seed: policy.resampling.seed,
        },
        repeats,
        skipped,
    })
}

/// The figures of one build, and what has none.
fn measured(series: &Series, policy: &Policy) -> Result<(Repeats, Vec<Skipped>), Skipped> {
    let (metrics, decide) = metrics(series, policy);
    if let ([_, _, ..], []) = (&metrics[..], &decide[..]) {
        let names: Vec<String> = metrics.iter().map(|metric| metric.name.clone()).collect();
        let place = format!("{} ({})", series.title(), series.group.workload.describe());
        let why = format!("none of its metrics is known: {}", words::listed(&names, MOST_LISTED));
        return Err(Skipped { place, why });
    }
    let names: Vec<String> = metrics.iter().map(|metric| metric.name.clone()).collect();
    let found: Vec<Option<MetricNoise>> = metrics
        .into_par_iter()
        .map(|metric| {
            let decides = decide.contains(&metric.name);
            figures(metric, series, decides, policy)
        })
        .collect();
    let lacking = names.iter().zip(&found).filter(|(_, found)| found.is_none());
    let left_out = lacking
        .map(|(name, _)| Skipped {
            place: format!("{} ({})", Metric::named(name).label, series.group.workload.describe()),
            why: "one run has it".to_owned(),
        })
        .collect();
    let single = series.variants.len() == 1;
    let mut repeats = Repeats {
        workload: series.group.workload.clone(),
        variant: single.then(|| series.variants[0].name.clone()),
        pooled: series.pooled(),
        order: series.order,
        runs: series.names.clone(),
        summary: String::new(),
        next_step: String::new(),
        metrics: found.into_iter().flatten().collect(),
        findings: Vec::new(),
    };
    let found = findings::all(&repeats, series);
    repeats.summary = words::summary(&repeats, policy);
    repeats.next_step = words::next_step(&repeats, &found, policy);
    repeats.findings = found.into_iter().map(findings::row).collect();
    Ok((repeats, left_out))
}

/// The metrics of these runs, those first that decide, and the names of these.
fn metrics(series: &Series, policy: &Policy) -> (Vec<Metric>, Vec<String>) {
    let names = metric_names(series.runs.iter().copied());
    if !policy.selected.is_empty() {
        let wanted = policy.selected.iter().map(|selected| &selected.name);
        let wanted: Vec<String> =
            wanted.filter(|name| names.contains(name.as_str())).cloned().collect();
        return (wanted.iter().map(|name| policy.metric(name)).collect(), wanted);
    }
    let mut all: Vec<Metric> = names.into_iter().map(|name| policy.metric(name)).collect();
    let by_variant: Vec<&[Run]> = series.variants.iter().map(|variant| &variant.runs[..]).collect();
    let workload = &series.group.workload;
    let load = LoadShape::classify(workload, &by_variant, policy.thresholds.keeps_up);
    all.sort_by_key(|metric| (rank(&metric.name), metric.name.clone()));
    // A count that never varies has no noise.
    let varies = |metric: &&Metric| {
        let values =
            series.runs.iter().filter_map(|run| Some(run.metrics.get(&metric.name)?.value));
        !is_constant_count(metric, &values.collect::<Vec<f64>>())
    };
    let decide = deciding(&all.iter().filter(varies).collect::<Vec<_>>(), load, workload, policy);
    let place = |metric: &Metric| decide.iter().position(|name| *name == metric.name);
    all.sort_by_key(|metric| place(metric).unwrap_or(usize::MAX));
    (all, decide)
}
