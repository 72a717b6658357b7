//! The noise to plan with: of repeated runs, or as given.

use crate::builds::{Build, Chosen, nothing_repeated, repeated};
use crate::deciding::same_fact;
use crate::error::Error;
use crate::metrics::{Family, Metric};
use crate::policy::Policy;
use crate::report::plan::Noise;
use crate::runs::{Dataset, LoadShape, Skipped, Workload};

/// Fewest runs that have a noise.
const FEWEST: usize = 2;

/// The noise that the plan for one workload rests on.
#[derive(Clone, Debug)]
pub struct Basis {
    /// The workload; `None` where the noise was given.
    pub workload: Option<Workload>,
    /// The noise of each metric, at least one, in the order of importance.
    pub noises: Vec<Noise>,
    /// Metrics that share alpha when they are judged, at least 1.
    pub tested: usize,
    /// Labels of single runs that were taken as repeats of one build; empty where they share one.
    pub pooled: Vec<String>,
}

impl Basis {
    /// A noise given as a fraction above 0, for each of the metrics that the policy names (`--metric`, or else
    /// `deciding`), or for one without a name.
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

/// Metrics that share alpha: those that measure the same thing as the throughput count once, as in a comparison.
fn tested(metrics: &[Metric], load: LoadShape) -> usize {
    let same = metrics.iter().filter(|metric| same_fact(metric, load)).count();
    let throughput = metrics.iter().any(|metric| metric.family == Family::Throughput);
    metrics.len() - if throughput { same - 1 } else { 0 }
}

/// The noise of each workload of `dataset`, pooled over its builds with two runs or more, and what was not used.
///
/// Of each workload the metrics that the policy names, or else those that decide a comparison. The noise of a metric is
/// the standard deviation of its logarithm between runs of one build, pooled by degrees of freedom; what differs between
/// builds does not enter.
///
/// # Errors
///
/// [`Error::Usage`] if no build has two runs, no metric decides or has a noise, or a metric that the policy names is in
/// no run.
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

/// CV, degrees of freedom and runs of a metric, or why it has none.
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
