//! The noise for a plan: from repeated runs, or given.

use crate::builds::{Build, Chosen, nothing_repeated, repeated};
use crate::deciding::same_fact;
use crate::error::Error;
use crate::metrics::{Family, Metric};
use crate::policy::Policy;
use crate::report::plan::Noise;
use crate::runs::{Dataset, LoadShape, Skipped, Workload};

/// Fewest runs for an estimate of noise.
const FEWEST: usize = 2;

/// The noise behind the plan for one workload.
#[derive(Clone, Debug)]
pub struct Basis {
    /// The workload; `None` for a given noise.
    pub workload: Option<Workload>,
    /// The noise of each metric, at least one, in the order of importance.
    pub noises: Vec<Noise>,
    /// Number of metrics that share alpha, at least 1.
    pub tested: usize,
    /// Labels of single runs that were taken as repeats of one build; empty for a single label.
    pub pooled: Vec<String>,
}

impl Basis {
    /// A given noise, a fraction above 0, for each metric that the policy names (`--metric`, or else `deciding`), or for one
    /// unnamed metric.
    ///
    /// # Examples
    ///
    /// ```
    /// use beyondnoise::{plan::Basis, policy::Policy};
    ///
    /// assert_eq!(Basis::given(0.016, &Policy::default()).noises[0].cv, 0.016);
    /// ```
    pub fn given(cv: f64, policy: &Policy) -> Self {
        let selected = policy.selected.iter().map(|selected| &selected.name);
        let deciding = policy.deciding.iter().filter(|_| policy.selected.is_empty());
        let metrics: Vec<Metric> =
            selected.chain(deciding).map(|name| policy.metric(name)).collect();
        let tested = tested(&metrics, LoadShape::Unknown).max(1);
        let named = metrics.into_iter().map(|metric| Noise::of(Some(metric), cv, None));
        let mut noises: Vec<Noise> = named.collect();
        if noises.is_empty() {
            noises.push(Noise::of(None, cv, None));
        }
        Self { workload: None, noises, tested, pooled: Vec::new() }
    }
}

impl Noise {
    fn of(metric: Option<Metric>, cv: f64, seen: Option<(usize, usize)>) -> Self {
        Self {
            row_label: metric.as_ref().map_or_else(|| "any metric".to_owned(), Metric::row_label),
            label: metric.as_ref().map(|metric| metric.label.clone()),
            metric: metric.map(|metric| metric.name),
            cv,
            df: seen.map(|(df, _)| df),
            runs: seen.map(|(_, runs)| runs),
        }
    }
}

/// Number of metrics that share alpha: metrics that measure the same thing as the throughput count once.
fn tested(metrics: &[Metric], load: LoadShape) -> usize {
    let same = metrics.iter().filter(|metric| same_fact(metric, load)).count();
    let throughput = metrics.iter().any(|metric| metric.family == Family::Throughput);
    metrics.len() - if throughput { same - 1 } else { 0 }
}

/// The noise of each workload in `dataset`, pooled over its builds with two or more runs, and the skipped parts.
///
/// It covers the metrics that the policy names, or else the deciding metrics. The noise of a metric is the standard deviation
/// of its logarithm between runs of one build, pooled by degrees of freedom; differences between builds do not count.
///
/// # Errors
///
/// [`Error::Usage`] if no build has two runs, if no metric decides or has noise, or if no run has a metric that the policy
/// names.
pub fn bases(dataset: &Dataset, policy: &Policy) -> Result<(Vec<Basis>, Vec<Skipped>), Error> {
    if let Some((problem, remedy)) =
        dataset.lacks(policy.selected.iter().map(|selected| &selected.name))
    {
        return Err(Error::usage(problem, remedy));
    }
    let (workloads, single) = repeated(dataset, FEWEST);
    if workloads.is_empty() {
        let instead = ", or give the noise itself: --cv 2%";
        return Err(nothing_repeated(dataset, FEWEST, instead));
    }
    let (mut found, mut left_out) = (Vec::new(), Vec::new());
    for builds in workloads {
        let group = builds[0].group;
        let chosen = Chosen::of(group, &builds, policy);
        let (tested, mut noises) = (tested(chosen.deciding(), chosen.load), Vec::new());
        for metric in chosen.deciding() {
            match pooled(&builds, &metric.name) {
                Ok((cv, df, runs)) => {
                    noises.push(Noise::of(Some(metric.clone()), cv, Some((df, runs))));
                }
                Err(why) => left_out.push(Skipped {
                    place: format!("{} ({})", metric.label, group.workload.describe()),
                    why: why.to_owned(),
                }),
            }
        }
        if !noises.is_empty() {
            let pooled = builds.iter().flat_map(Build::pooled).collect();
            let workload = Some(group.workload.clone());
            found.push(Basis { workload, noises, tested, pooled });
        }
    }
    if found.is_empty() {
        return Err(no_noise(dataset, left_out.last()));
    }
    Ok((found, single.into_iter().chain(left_out).chain(dataset.skipped()).collect()))
}

/// CV, degrees of freedom and number of runs of a metric, or the reason for none.
fn pooled(builds: &[Build], metric: &str) -> Result<(f64, usize, usize), &'static str> {
    let (mut squares, mut df, mut runs) = (0.0, 0, 0);
    let values = builds.iter().filter_map(|build| build.values(metric));
    for of_build in values.filter(|of| of.values.len() >= FEWEST) {
        let sd = of_build.log_sd().ok_or("values of 0 or below have no CV")?;
        let n = of_build.values.len();
        squares += sd * sd * (n - 1) as f64;
        df += n - 1;
        runs += n;
    }
    if df == 0 {
        return Err("one value per variant");
    }
    let cv = (squares / df as f64).sqrt();
    if cv > 0.0 { Ok((cv, df, runs)) } else { Err("its runs are exactly equal") }
}

fn no_noise(dataset: &Dataset, left_out: Option<&Skipped>) -> Error {
    let found = left_out.map_or_else(
        || format!("no metric of known direction among {}", dataset.metrics().join(", ")),
        |left| format!("{}: {}", left.place, left.why),
    );
    Error::usage(
        format!("expected a metric with run-to-run noise, found {found}"),
        "name a metric with --metric, or give the noise itself: --cv 2%",
    )
}
