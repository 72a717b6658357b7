//! Noise priors: run-to-run noise estimated from the other comparisons of a job, or from earlier runs.
//!
//! A few runs estimate their own noise badly. The noise of the same metric elsewhere shows its usual size and its variation
//! from place to place. The fitted prior stabilises the estimate, and gives one to single runs.

use std::collections::BTreeMap;

use rayon::prelude::*;

use crate::builds::sample;
use crate::policy::NoiseFrom;
use crate::runs::{Dataset, Group, Value, Variant, Workload, compatible_with};
use crate::stats::{Prior, PriorRefusal, PriorSource, Variance, VariancePool};

/// Fewest places for fitting a prior: workloads, or variants of a single workload.
const MIN_VARIANCES: usize = 3;

/// Source of a comparison's noise.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NoiseSource {
    /// Also the other comparisons of the job.
    Batch,
    /// Also earlier runs.
    History,
    /// The other variants of the workload, one run each; most are assumed to change nothing.
    Variants,
}

/// A prior with its source.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NoisePrior {
    /// The prior distribution of the variance.
    pub prior: Prior,
    /// Whose runs the variances are from.
    pub source: NoiseSource,
    /// Number of variances behind it.
    pub variances: usize,
    /// Number of these variances from earlier runs.
    pub earlier: usize,
    /// Whether the runs also have their own noise.
    pub own: bool,
    /// The reason for not using it.
    pub refusal: Option<PriorRefusal>,
}

/// Run-to-run variance of one metric in one place: a workload, or one variant of it.
#[derive(Clone, Copy, Debug)]
struct PlacedVariance<'a> {
    /// Position of the group in the job, or of the workload among the earlier workloads.
    group: usize,
    /// The variant, if each variant is one place.
    variant: Option<&'a str>,
    variance: Variance,
}

/// The variances of a metric, in the order of their groups.
#[derive(Debug, Default)]
struct MetricVariances<'a> {
    of_job: Vec<PlacedVariance<'a>>,
    of_earlier: Vec<PlacedVariance<'a>>,
    /// Variances of the job, and of the job with the earlier runs, ready for fitting.
    job: VariancePool,
    all: VariancePool,
}

/// The variances of all comparisons of a job, for fitting priors.
#[derive(Debug, Default)]
pub(crate) struct NoisePool<'a> {
    units: BTreeMap<&'a str, MetricVariances<'a>>,
    /// Workloads of the earlier runs.
    earlier: Vec<&'a Workload>,
    /// For each group of the job, the positions of the compatible earlier workloads.
    same: Vec<Vec<usize>>,
    from: NoiseFrom,
}

/// The variances of one group.
fn of_group<'u, 'a>(units: &'u [PlacedVariance<'a>], group: usize) -> &'u [PlacedVariance<'a>] {
    let first = units.partition_point(|unit| unit.group < group);
    let length = units[first..].partition_point(|unit| unit.group == group);
    &units[first..first + length]
}

fn variances<'u>(units: impl IntoIterator<Item = &'u PlacedVariance<'u>>) -> Vec<Variance> {
    units.into_iter().map(|unit| unit.variance).collect()
}

impl<'a> NoisePool<'a> {
    /// Collects the variances of a job and of earlier runs, by metric.
    pub(crate) fn collect(
        dataset: &'a Dataset,
        history: Option<&'a Dataset>,
        from: NoiseFrom,
    ) -> Self {
        let mut pool = Self { from, ..Self::default() };
        if matches!(from, NoiseFrom::Own | NoiseFrom::Variants) {
            return pool;
        }
        let repeated = |variant: &Variant| variant.runs.len() > 1;
        let variants = dataset.groups.iter().flat_map(|group| &group.variants);
        if history.is_none() && variants.filter(|variant| repeated(variant)).count() < MIN_VARIANCES
        {
            return pool;
        }
        // With several workloads each is one place; otherwise every variant is. A workload with a single variant is not
        // compared and not used.
        let compared: Vec<bool> = dataset.groups.iter().map(|g| g.variants.len() > 1).collect();
        let places = dataset.groups.iter().zip(&compared).filter(|(_, compared)| **compared);
        let places = places.filter(|(group, _)| group.variants.iter().any(repeated));
        let by_group = places.count() > 1;
        let found = measured(dataset).into_iter().zip(&compared).enumerate();
        for (index, (found, _)) in found.filter(|(_, (_, compared))| **compared) {
            for (name, variances) in found {
                let unit = |variant, variance| PlacedVariance { group: index, variant, variance };
                let units = &mut pool.units.entry(name).or_default().of_job;
                if by_group {
                    let all = variances.iter().map(|(_, variance)| *variance);
                    units.extend(pooled(all).map(|variance| unit(None, variance)));
                } else {
                    units
                        .extend(variances.into_iter().map(|(v, variance)| unit(Some(v), variance)));
                }
            }
        }
        if let Some(history) = history {
            pool.earlier = history.groups.iter().map(|group| &group.workload).collect();
            for (index, found) in measured(history).into_iter().enumerate() {
                for (name, variances) in found {
                    let unit =
                        |(_, variance)| PlacedVariance { group: index, variant: None, variance };
                    let units = &mut pool.units.entry(name).or_default().of_earlier;
                    units.extend(variances.into_iter().map(unit));
                }
            }
        }
        let job: Vec<&Workload> = dataset.groups.iter().map(|group| &group.workload).collect();
        pool.same = compatible_with(&job, &pool.earlier);
        pool.units.par_iter_mut().for_each(|(_, units)| {
            units.job = VariancePool::new(variances(&units.of_job));
            units.all = VariancePool::new(variances(units.of_job.iter().chain(&units.of_earlier)));
        });
        pool
    }

    /// The prior for a metric in a comparison of two variants of `group`, the job's group number `index`; `None` with too few
    /// variances.
    ///
    /// Earlier runs of the same workload are preferred if they have at least three variances.
    pub(crate) fn prior_for(
        &self,
        (index, group): (usize, &Group),
        (baseline, candidate): (&Variant, &Variant),
        metric: &str,
    ) -> Option<NoisePrior> {
        if self.from == NoiseFrom::Own {
            return None;
        }
        if self.from == NoiseFrom::Variants {
            return of_single_runs(group, baseline, candidate, metric);
        }
        let units = self.units.get(metric)?;
        let compared = |name: &str| [&baseline.name, &candidate.name].iter().any(|n| **n == name);
        let mine = of_group(&units.of_job, index).iter();
        let mine = variances(mine.filter(|unit| unit.variant.is_none_or(compared)));
        let values = |variant: &Variant| {
            variant.runs.iter().filter(|run| run.metrics.contains_key(metric)).count()
        };
        let repeated = values(baseline).min(values(candidate)) > 1;
        self.prior_from(units, &mine, &self.same[index], repeated)
    }

    /// The prior of a single run of `workload` for a metric.
    pub(crate) fn prior_for_workload(
        &self,
        workload: &Workload,
        metric: &str,
    ) -> Option<NoisePrior> {
        let prior = self.prior_from(self.units.get(metric)?, &[], &self.same_as(workload), false);
        prior.filter(|prior| prior.refusal.is_none())
    }

    /// The variances of the earlier runs of `workload` for a metric, pooled.
    pub(crate) fn pooled(&self, workload: &Workload, metric: &str) -> Option<Variance> {
        let same = self.same_as(workload);
        pooled(of_groups(&self.units.get(metric)?.of_earlier, &same).into_iter())
    }

    /// The variances of all earlier runs for a metric, whatever their workload.
    pub(crate) fn earlier(&self, metric: &str) -> Vec<Variance> {
        self.units.get(metric).map_or_else(Vec::new, |units| variances(&units.of_earlier))
    }

    /// The earlier workloads that are compatible with this one.
    fn same_as(&self, workload: &Workload) -> Vec<usize> {
        let earlier = self.earlier.iter().enumerate();
        earlier.filter(|(_, other)| other.compatible(workload)).map(|(index, _)| index).collect()
    }

    /// A comparison of `repeated` runs uses the other comparisons of the job and all earlier runs, or only the
    /// earlier runs of its own workload if these have three variances. A single run takes its noise only from earlier
    /// runs of the same workload.
    ///
    /// `mine` are the variances of the compared runs, `same` the compatible earlier workloads.
    fn prior_from(
        &self,
        units: &MetricVariances,
        mine: &[Variance],
        same: &[usize],
        repeated: bool,
    ) -> Option<NoisePrior> {
        let same = of_groups(&units.of_earlier, same);
        let own = pooled(mine.iter().copied());
        let broad = repeated || self.from == NoiseFrom::Batch;
        let of_job = if broad { units.of_job.len() - mine.len() } else { 0 };
        let narrow = !broad || same.len() >= MIN_VARIANCES;
        let earlier = if narrow { same.len() } else { units.of_earlier.len() };
        let others = of_job + earlier;
        if earlier == 0 && others + usize::from(own.is_some()) < MIN_VARIANCES {
            return None;
        }
        let source = if earlier > 0 { NoiseSource::History } else { NoiseSource::Batch };
        let kind = if earlier > 0 { PriorSource::Earlier } else { PriorSource::Job };
        let (among, without, further) = match (broad, narrow) {
            (true, true) => (&units.job, mine, &same[..]),
            (true, false) => (&units.all, mine, &[][..]),
            (false, _) => (&VariancePool::default(), &[][..], &same[..]),
        };
        let (prior, refusal) = match among.guarded(without, further, own, kind) {
            Ok(prior) => (prior, None),
            Err(refusal) => (among.prior(without, further, own)?, Some(refusal)),
        };
        Some(NoisePrior { prior, source, variances: others, earlier, own: own.is_some(), refusal })
    }
}

/// The variances of some groups.
fn of_groups(units: &[PlacedVariance], groups: &[usize]) -> Vec<Variance> {
    variances(groups.iter().flat_map(|group| of_group(units, *group)))
}

/// Lenth's pseudo standard error over the variants of a group with one run each.
fn of_single_runs(
    group: &Group,
    baseline: &Variant,
    candidate: &Variant,
    metric: &str,
) -> Option<NoisePrior> {
    if baseline.runs.len() > 1 || candidate.runs.len() > 1 {
        return None;
    }
    let alone = group.variants.iter().filter(|variant| variant.runs.len() == 1);
    let values: Vec<f64> =
        alone.filter_map(|variant| Some(variant.runs[0].metrics.get(metric)?.value)).collect();
    let prior = Prior::unreplicated(&values)?;
    let (source, variances) = (NoiseSource::Variants, values.len());
    Some(NoisePrior { prior, source, variances, earlier: 0, own: false, refusal: None })
}

/// Variance of each variant with two runs or more, by metric.
type Found<'a> = BTreeMap<&'a str, Vec<(&'a str, Variance)>>;

/// The variances of each group.
fn measured(dataset: &Dataset) -> Vec<Found<'_>> {
    dataset.groups.par_iter().map(variances_of).collect()
}

fn variances_of(group: &Group) -> Found<'_> {
    let mut found = Found::new();
    for variant in group.variants.iter().filter(|variant| variant.runs.len() > 1) {
        let mut values: BTreeMap<&str, Vec<Value>> = BTreeMap::new();
        for (name, value) in variant.runs.iter().flat_map(|run| &run.metrics) {
            values.entry(name).or_default().push(*value);
        }
        for (name, values) in values {
            if let Some(variance) = variance_of(&values) {
                found.entry(name).or_default().push((variant.name.as_str(), variance));
            }
        }
    }
    found
}

fn variance_of(values: &[Value]) -> Option<Variance> {
    Some(Variance { value: sample(values).log_sd()?.powi(2), df: values.len() as f64 - 1.0 })
}

/// Pools the variances of one place.
fn pooled(variances: impl Iterator<Item = Variance>) -> Option<Variance> {
    let (sum, df) = variances.fold((0.0, 0.0), |(sum, df), variance| {
        (sum + variance.value * variance.df, df + variance.df)
    });
    (df > 0.0).then(|| Variance { value: sum / df, df })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::runs::{Run, Source};

    fn dataset(cells: &[(&str, &str, &[f64])]) -> Dataset {
        let mut runs = Vec::new();
        for (model, variant, values) in cells {
            for (position, value) in values.iter().enumerate() {
                let path = format!("{model}-{variant}-{position}").into();
                runs.push(Run {
                    variant: (*variant).to_owned(),
                    source: Source { path, position, counts: "line" },
                    workload: Workload { model: Some((*model).to_owned()), ..Workload::default() }
                        .into(),
                    metrics: [("x".to_owned(), Value { value: *value, resolution: 0.0 })].into(),
                    ..Run::default()
                });
            }
        }
        Dataset::assemble(runs, Vec::new())
    }

    fn prior(job: &Dataset, history: Option<&Dataset>, from: NoiseFrom) -> Option<NoisePrior> {
        let group = &job.groups[0];
        NoisePool::collect(job, history, from).prior_for(
            (0, group),
            (&group.variants[0], &group.variants[1]),
            "x",
        )
    }

    #[test]
    fn two_variants_alone_borrow_nothing() {
        let job = dataset(&[("m", "a", &[1.0, 1.1, 1.2]), ("m", "b", &[1.0, 1.2, 1.3])]);
        assert!(prior(&job, None, NoiseFrom::Auto).is_none());
    }

    #[test]
    fn a_job_of_three_workloads_lends_each_the_other_two() {
        let mut cells: Vec<(&str, &str, &[f64])> = Vec::new();
        for model in ["m", "n", "o"] {
            cells.push((model, "a", &[1.0, 1.1, 1.2]));
            cells.push((model, "b", &[1.03, 1.15, 1.3]));
        }
        cells.push(("p", "a", &[2.0]));
        cells.push(("p", "b", &[2.1]));
        let job = dataset(&cells);
        let prior = prior(&job, None, NoiseFrom::Auto).expect("three variances");
        assert_eq!((prior.source, prior.variances), (NoiseSource::Batch, 2));
        // Half of the 2 x 4 degrees of freedom of the others.
        assert!((prior.prior.variance.df - 4.0).abs() < 1e-12);
        let at = |index: usize, from: NoiseFrom| {
            let group = &job.groups[index];
            let pair = (&group.variants[0], &group.variants[1]);
            NoisePool::collect(&job, None, from).prior_for((index, group), pair, "x")
        };
        assert!(at(0, NoiseFrom::Own).is_none());
        // A workload with single runs uses the noise of the others only when asked.
        assert!(at(3, NoiseFrom::Auto).is_none());
        assert_eq!(at(3, NoiseFrom::Batch).map(|prior| prior.variances), Some(3));
    }

    #[test]
    fn three_repeated_variants_are_enough_when_asked() {
        let mut cells: Vec<(&str, &str, &[f64])> = Vec::new();
        for model in ["m", "n", "o"] {
            cells.push((model, "a", &[1.0, 1.1, 1.2]));
            cells.push((model, "b", &[1.03]));
        }
        let found = |cells| prior(&dataset(cells), None, NoiseFrom::Batch).map(|l| l.variances);
        assert_eq!((found(&cells), found(&cells[..4])), (Some(2), None));
    }

    #[test]
    fn earlier_runs_give_single_runs_a_noise() {
        let job = dataset(&[("m", "a", &[1.0]), ("m", "b", &[1.1])]);
        let earlier = dataset(&[("m", "main", &[1.0, 1.01, 0.99, 1.02, 0.98])]);
        let prior = prior(&job, Some(&earlier), NoiseFrom::Auto).expect("a prior");
        assert_eq!(prior.source, NoiseSource::History);
        assert!((prior.prior.variance.df - 2.0).abs() < 1e-12);
    }

    #[test]
    fn single_runs_of_many_variants_lend_only_when_asked() {
        let cells: Vec<(&str, &str, &[f64])> = vec![
            ("m", "a", &[1.0]),
            ("m", "b", &[1.01]),
            ("m", "c", &[0.99]),
            ("m", "d", &[1.02]),
            ("m", "e", &[1.3]),
        ];
        let job = dataset(&cells);
        assert!(prior(&job, None, NoiseFrom::Auto).is_none());
        let prior = prior(&job, None, NoiseFrom::Variants).expect("five variants");
        assert_eq!(prior.source, NoiseSource::Variants);
    }

    #[test]
    fn a_single_run_borrows_from_earlier_runs_of_its_workload_alone() {
        let job = dataset(&[]);
        let earlier = dataset(&[
            ("m", "a", &[1.0, 1.013, 0.991, 1.004, 0.987, 1.009]),
            ("m", "b", &[1.001, 1.014, 0.993, 1.006, 0.985, 1.008]),
            ("m", "c", &[1.002, 1.012, 0.992, 1.007, 0.988, 1.003]),
            ("m", "d", &[1.011, 0.995, 1.005, 0.986, 1.015, 0.999]),
        ]);
        let pool = NoisePool::collect(&job, Some(&earlier), NoiseFrom::Auto);
        let prior = pool.prior_for_workload(&earlier.groups[0].workload, "x").expect("a prior");
        assert_eq!((prior.earlier, prior.own), (4, false));
    }
}
