//! The noise of repeated runs of one build: its size, its origin, and the changes that it hides.
//!
//! There is no baseline and no candidate: every difference between the runs is noise. [`noise`] analyses the runs, and
//! [`NoiseReport`] contains all results, in words and in numbers.

mod figures;
mod halves;
mod levels;

use rayon::prelude::*;

use crate::builds::{Build, Chosen, nothing_repeated, repeated};
use crate::checks::{Finding, Subject, run_on_builds};
use crate::error::Error;
use crate::format::first_few;
use crate::policy::Policy;
use crate::report::noise::words;
use crate::runs::{Dataset, Skipped};

pub use crate::report::noise::{
    Autocorrelation, Detectable, Drift, FindingRow, LevelNoise, MetricNoise, NoiseReport,
    PublishedPlace, Repeats, SCHEMA, Settings, SplitHalves, TwoModes, WhatHelps, Within,
};
pub use crate::runs::Order;
use figures::figures;

/// Most metrics in a message.
const MOST_LISTED: usize = 12;

/// Fewest runs for an estimate of noise.
const FEWEST: usize = 2;

/// The noise of every build in `dataset` with more than one run.
///
/// A variant with several runs under one workload is a build. If no variant of a workload has several, they are repeats of one
/// build, unless their labels distinguish a baseline from a change (`before`, `after`). A build with several metrics, all
/// unknown, is left out unless one was named. Two variants of a workload are checked together, as in a comparison.
///
/// The CV is the standard deviation of the logarithms, at least half of the last printed digit. The smallest changes are those
/// of the two-sided t test in one metric alone, found with a power of 80 %.
///
/// # Errors
///
/// [`Error::Usage`] if nothing was repeated, or if no run has a metric that was named.
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
    if let Some((problem, remedy)) =
        dataset.lacks(policy.selected.iter().map(|selected| &selected.name))
    {
        return Err(Error::usage(problem, remedy));
    }
    let (workloads, mut skipped) = repeated(dataset, FEWEST);
    if workloads.is_empty() {
        return Err(nothing_repeated(dataset, FEWEST, ""));
    }
    let all: Vec<Result<(Repeats, Vec<Skipped>), Skipped>> =
        workloads.into_par_iter().flat_map_iter(|builds| of_workload(builds, policy)).collect();
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
        read_as: dataset.read_as(),
        files: dataset.inputs.iter().filter(|input| input.runs > 0).count(),
    })
}

/// The figures of each build under a workload.
fn of_workload(
    builds: Vec<Build>,
    policy: &Policy,
) -> Vec<Result<(Repeats, Vec<Skipped>), Skipped>> {
    let all = Build::all(builds[0].group);
    let together: Vec<Vec<Build>> = match all.len() {
        2 => vec![all],
        _ => builds.into_iter().map(|build| vec![build]).collect(),
    };
    let checked = |builds: Vec<Build>| {
        let chosen: Vec<Chosen> = builds.iter().map(|build| build.metrics(policy)).collect();
        let found = run_on_builds(&mut Subject::of_builds(&builds, &chosen, policy));
        let all = builds.iter().zip(chosen).zip(found).enumerate();
        let enough = all.filter(|(_, ((build, _), _))| build.runs.len() >= FEWEST);
        enough
            .map(|(side, ((build, chosen), found))| measured(build, chosen, (side, &found), policy))
            .collect::<Vec<_>>()
    };
    together.into_iter().flat_map(checked).collect()
}

/// The figures of one build, its findings, and its metrics without figures.
fn measured(
    build: &Build,
    chosen: Chosen,
    (side, found): (usize, &[Finding]),
    policy: &Policy,
) -> Result<(Repeats, Vec<Skipped>), Skipped> {
    let workload = build.group.workload.describe();
    if let ([_, _, ..], 0) = (&chosen.metrics[..], chosen.deciding) {
        let names: Vec<String> = chosen.metrics.into_iter().map(|metric| metric.name).collect();
        let place = format!("{} ({workload})", build.title());
        return Err(Skipped {
            place,
            why: format!(
                "none of its metrics is known: {}",
                first_few(&names, MOST_LISTED, String::clone)
            ),
        });
    }
    let metrics: Vec<_> = chosen.metrics.into_iter().enumerate().collect();
    let figures: Vec<Result<MetricNoise, Skipped>> = metrics
        .into_par_iter()
        .map(|(at, metric)| {
            let place = format!("{} ({workload})", metric.label);
            figures(metric, build, at < chosen.deciding, policy)
                .ok_or_else(|| Skipped { place, why: "one run has it".to_owned() })
        })
        .collect();
    let (mut metrics, mut left_out) = (Vec::new(), Vec::new());
    for one in figures {
        match one {
            Ok(metric) => metrics.push(metric),
            Err(skipped) => left_out.push(skipped),
        }
    }
    let mut repeats = Repeats {
        workload: build.group.workload.clone(),
        variant: (build.variants.len() == 1).then(|| build.name().to_owned()),
        pooled: build.pooled(),
        order: build.order(),
        runs: build.run_names(),
        summary: String::new(),
        next_step: String::new(),
        metrics,
        findings: found.iter().map(|finding| words::row(finding, side, build)).collect(),
    };
    repeats.summary = words::summary(&repeats, policy);
    repeats.next_step = words::next_step(&repeats, (side, found), policy);
    Ok((repeats, left_out))
}
