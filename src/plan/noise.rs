//! The noise to plan with: of repeated runs, or as given.

use serde::Serialize;

use crate::deciding::deciding;
use crate::error::Error;
use crate::metrics::{Family, Metric, rank};
use crate::policy::{Policy, Selected, Thresholds};
use crate::runs::{
    Dataset, Group, LoadShape, Run, Skipped, Value, Variant, Workload, metric_names,
};
use crate::stats::{Sample, log_sd};

const MOST_LISTED: usize = 6;

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

/// Run-to-run noise of a metric.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Noise {
    /// Canonical name; null where the noise was given without one.
    pub metric: Option<String>,
    /// Name in sentences.
    pub label: Option<String>,
    /// Name of its row in tables; holds the unit.
    #[serde(skip)]
    pub row_label: String,
    /// Standard deviation of the logarithms between runs of one variant, read as a CV; a fraction above 0.
    pub cv: f64,
    /// Degrees of freedom behind it; null where it was given.
    pub df: Option<usize>,
    /// Runs behind it; null where it was given.
    pub runs: Option<usize>,
}

impl Basis {
    /// A noise given as a fraction above 0, for each of the metrics named, or for one without a name.
    ///
    /// # Examples
    ///
    /// ```
    /// use beyondnoise::plan::Basis;
    ///
    /// assert_eq!(Basis::given(0.016, &[]).noises[0].cv, 0.016);
    /// ```
    pub fn given(cv: f64, selected: &[Selected]) -> Self {
        let named = selected.iter().map(|selected| Metric::named(&selected.name));
        let metrics: Vec<Metric> = named.collect();
        let tested = tested(&metrics).max(1);
        let noises = if metrics.is_empty() {
            vec![Noise::of(None, cv, None)]
        } else {
            metrics.into_iter().map(|metric| Noise::of(Some(metric), cv, None)).collect()
        };
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

/// Metrics that share alpha; several of the throughput family count once, as they do in a comparison.
fn tested(metrics: &[Metric]) -> usize {
    let throughput = |metric: &&Metric| metric.family == Family::Throughput;
    let several = metrics.iter().filter(throughput).count();
    metrics.len() - several.saturating_sub(1)
}

/// The noise of each workload of `dataset`, pooled over its variants with two runs or more, and what was not
/// used. Where every variant has one run, they are taken as repeats of one build, unless their labels tell a
/// baseline from a change.
///
/// Of each workload the metrics `selected`, or else those that decide a comparison. The noise of a metric is
/// the standard deviation of its logarithm between runs of one variant, pooled by degrees of freedom; what
/// differs between variants does not enter.
///
/// # Errors
///
/// [`Error::Usage`] if no variant has two runs, no metric decides or has a noise, or a metric of `selected`
/// is in no run.
pub fn bases(
    dataset: &Dataset,
    selected: &[Selected],
) -> Result<(Vec<Basis>, Vec<Skipped>), Error> {
    if let Some(problem) = dataset.lacks(selected.iter().map(|selected| &selected.name)) {
        return Err(Error::usage(problem, "name one of these with --metric"));
    }
    if dataset.groups.iter().all(|group| repeated(group).is_empty()) {
        return Err(nothing_repeated(dataset));
    }
    let (mut found, mut left_out) = (Vec::new(), Vec::new());
    for group in &dataset.groups {
        let place = group.workload.describe();
        if repeated(group).is_empty() {
            left_out.push(Skipped { place, why: "one run per variant".to_owned() });
            continue;
        }
        let metrics = metrics(group, selected);
        let (tested, mut noises) = (tested(&metrics), Vec::new());
        for metric in metrics {
            match pooled(group, &metric.name) {
                Ok((cv, df, runs)) => noises.push(Noise::of(Some(metric), cv, Some((df, runs)))),
                Err(why) => left_out.push(Skipped {
                    place: format!("{} ({place})", metric.label),
                    why: why.to_owned(),
                }),
            }
        }
        if !noises.is_empty() {
            let (workload, pooled) = (Some(group.workload.clone()), pooled_labels(group));
            found.push(Basis { workload, noises, tested, pooled });
        }
    }
    if found.is_empty() {
        return Err(no_noise(dataset, left_out.last()));
    }
    left_out.extend(dataset.skipped());
    Ok((found, left_out))
}

/// The runs of each build that has two or more.
fn repeated(group: &Group) -> Vec<Vec<&Run>> {
    if group.is_one_build() {
        return vec![group.variants.iter().flat_map(|variant| &variant.runs).collect()];
    }
    let several = group.variants.iter().filter(|variant| variant.runs.len() >= 2);
    several.map(|variant| variant.runs.iter().collect()).collect()
}

fn pooled_labels(group: &Group) -> Vec<String> {
    let labels = group.with_runs().map(|variant| variant.name.clone());
    if group.is_one_build() { labels.collect() } else { Vec::new() }
}

fn metrics(group: &Group, selected: &[Selected]) -> Vec<Metric> {
    let runs = repeated(group).into_iter().flatten();
    let mut names: Vec<&str> = metric_names(runs).into_iter().collect();
    names.sort_by_key(|name| (rank(name), *name));
    if !selected.is_empty() {
        let found = selected.iter().filter(|selected| names.contains(&selected.name.as_str()));
        return found.map(|selected| Metric::named(&selected.name)).collect();
    }
    let all: Vec<Metric> = names.into_iter().map(Metric::named).collect();
    let by_variant: Vec<&[Run]> = group.variants.iter().map(|variant| &variant.runs[..]).collect();
    let load = LoadShape::classify(&group.workload, &by_variant, Thresholds::default().keeps_up);
    let decide =
        deciding(&all.iter().collect::<Vec<_>>(), load, &group.workload, &Policy::default());
    decide.iter().map(|name| Metric::named(name)).collect()
}

/// CV, degrees of freedom and runs of a metric, or why it has none.
fn pooled(group: &Group, name: &str) -> Result<(f64, usize, usize), &'static str> {
    let (mut squares, mut df, mut runs) = (0.0, 0, 0);
    for build in repeated(group) {
        let values = build.into_iter().filter_map(|run| run.metrics.get(name).copied());
        let values: Vec<Value> = values.collect();
        if values.len() < 2 {
            continue;
        }
        let sd = log_sd(&sample(&values)).ok_or("values of 0 or below have no CV")?;
        squares += sd * sd * (values.len() - 1) as f64;
        df += values.len() - 1;
        runs += values.len();
    }
    if df == 0 {
        return Err("one value per variant");
    }
    let cv = (squares / df as f64).sqrt();
    if cv > 0.0 { Ok((cv, df, runs)) } else { Err("its runs are exactly equal") }
}

/// The finest printed digit is what the values are known to, since trailing zeros are often not printed.
fn sample(values: &[Value]) -> Sample {
    let resolution = values.iter().map(|value| value.resolution).fold(f64::INFINITY, f64::min);
    let numbers = values.iter().map(|value| value.value).collect();
    Sample::rounded(numbers, if resolution.is_finite() { resolution } else { 0.0 })
        .expect("readers give finite values")
}

fn nothing_repeated(dataset: &Dataset) -> Error {
    let variants: Vec<&Variant> = dataset.groups.iter().flat_map(|group| &group.variants).collect();
    let shown = variants.iter().take(MOST_LISTED);
    let mut found: Vec<String> =
        shown.map(|variant| format!("1 run of \"{}\"", variant.name)).collect();
    if variants.len() > MOST_LISTED {
        found.push(format!("{} more like it", variants.len() - MOST_LISTED));
    }
    let found = if found.is_empty() { "no run".to_owned() } else { found.join(", ") };
    Error::usage(
        format!("expected two runs or more of one variant to take the noise from, found {found}"),
        "give repeated runs of one build under one name (main=runs/), or the noise itself (--cv 2%)",
    )
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
