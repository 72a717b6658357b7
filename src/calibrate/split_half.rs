//! Error rates on the user's own runs: random halves of the repeated runs of one build, called different or not.
//!
//! Nothing changed between the halves, so every claimed change is a false alarm; a slow-down multiplied into one half is a
//! change of known size. With three or more groups noise priors are also tested: every repetition is a job of all groups, and
//! the prior of each group comes from the halves of the others.

use rand::Rng;
use schemars::JsonSchema;
use serde::Serialize;

use crate::calibrate::procedure::{Design, Procedure, shift};
use crate::calibrate::repeat::{Block, generator, in_blocks};
use crate::calibrate::split_half_rows::{Counted, SplitTallies, SplitTally};
use crate::calibrate::split_series::{Halves, slow_down};
use crate::error::Error;
use crate::policy::Policy;
use crate::runs::{Dataset, Skipped};
use crate::stats::{
    Across, Curve, Interval, Method, Prior, PriorSource, Resampling, Sample, Scale, TwoSample,
    Undefined, Variance, pooled_cv,
};

pub use crate::calibrate::split_half_rows::OwnRow;
pub use crate::calibrate::split_series::OwnGroup;

/// Fewest groups for a noise prior.
const MIN_POOLED_GROUPS: usize = 3;

/// First stream of the generator, beyond the streams of all simulations.
const STREAMS: u64 = 0xc0 << 56;

/// Default numbers of runs in each half, as far as there are runs.
const USUAL_DESIGNS: [Design; 3] = [Design::each(3), Design::each(5), Design::each(10)];

/// How the runs are split and compared.
#[derive(Clone, Debug)]
pub struct OwnSettings {
    /// Methods with their statistics.
    pub procedures: Vec<Procedure>,
    /// Numbers of runs in the two halves; if empty 3, 5 and 10 each, as far as there are runs.
    pub designs: Vec<Design>,
    /// Slow-downs as fractions greater than -1.
    pub effects: Vec<f64>,
    /// Splits of every group.
    pub repetitions: u64,
    /// Nominal coverage, in (0, 1).
    pub confidence: f64,
    /// Resamples to draw if there are too many to enumerate.
    pub resamples: usize,
    /// Seed of the splits and first seed of the resamples.
    pub seed: u64,
}

/// Error rates on the halves.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct OwnRuns {
    /// The rates of each variant and workload with enough runs to split.
    pub groups: Vec<OwnGroup>,
    /// All groups and all metrics together: by procedure, design and noise.
    pub overall: Vec<OwnRow>,
    /// All groups together: by procedure, metric, design and noise.
    pub rows: Vec<OwnRow>,
    /// Each group alone.
    pub by_group: Vec<OwnRow>,
    /// Skipped runs and metrics.
    pub left_out: Vec<Skipped>,
}

/// Splits the repeated runs of every variant of `dataset` at random and compares the halves.
///
/// Uses the metrics of every workload that `policy` names, or else the deciding metrics; the slow-down divides a metric that is
/// better higher. Builds with fewer than 6 runs are skipped. `all` receives the number of splits to come, `done` the finished
/// ones, [`OwnSettings::repetitions`] for each design.
///
/// # Errors
///
/// [`Error::Usage`] if no build has 6 runs, none has enough for a design, or no metric is usable.
///
/// # Panics
///
/// If the confidence is outside (0, 1) or an effect is -1 or less.
pub fn own_runs(
    dataset: &Dataset,
    policy: &Policy,
    settings: &OwnSettings,
    (all, done): (&dyn Fn(u64), &(dyn Fn(u64) + Sync)),
) -> Result<OwnRuns, Error> {
    let halves = Halves::collect(dataset, policy)?;
    let designs = designs(&halves, settings)?;
    all(settings.repetitions * designs.len() as u64);
    let first = Resampling { count: settings.resamples, seed: settings.seed };
    let repetitions = vec![settings.repetitions; designs.len()];
    // Short blocks: one repetition compares every group.
    let sums = in_blocks(&repetitions, 8, first, |block| {
        let tallies = tallies(&halves, settings, designs[block.job], block);
        done(block.repetitions.end - block.repetitions.start);
        tallies
    });
    let mut totals: Vec<SplitTallies> = vec![empty(&halves, settings); designs.len()];
    for (job, tallies) in sums {
        let pairs = totals[job].iter_mut().flatten().zip(tallies.into_iter().flatten());
        for (total, tally) in pairs.flat_map(|(total, tally)| total.iter_mut().zip(tally)) {
            total.merge(&tally);
        }
    }
    let counted = Counted {
        halves: &halves,
        procedures: &settings.procedures,
        effects: &settings.effects,
        designs: &designs,
        totals: &totals,
    };
    let (overall, _) = counted.rows(&[None]);
    let metrics: Vec<Option<usize>> = (0..halves.metrics.len()).map(Some).collect();
    let (rows, by_group) = counted.rows(&metrics);
    Ok(OwnRuns { groups: halves.groups, overall, rows, by_group, left_out: halves.left_out })
}

/// The designs for which a series has enough runs.
fn designs(halves: &Halves, settings: &OwnSettings) -> Result<Vec<Design>, Error> {
    let wanted =
        if settings.designs.is_empty() { &USUAL_DESIGNS[..] } else { &settings.designs[..] };
    let possible = |design: &Design| halves.series.iter().any(|series| series.allows(*design));
    let designs: Vec<Design> = wanted.iter().copied().filter(possible).collect();
    if designs.is_empty() {
        let most = halves.groups.iter().map(|group| group.runs).max().unwrap_or(0);
        let smallest = wanted.iter().min_by_key(|design| design.baseline + design.candidate);
        let needed = smallest.map_or(0, |design| design.baseline + design.candidate);
        return Err(Error::usage(
            format!("expected a variant with {needed} runs for --runs, found at most {most}"),
            format!("ask for fewer: --runs {}", most / 2),
        ));
    }
    Ok(designs)
}

fn empty(halves: &Halves, settings: &OwnSettings) -> SplitTallies {
    let tally = SplitTally::new(settings.effects.len());
    vec![vec![[tally.clone(), tally]; settings.procedures.len()]; halves.series.len()]
}

fn tallies(halves: &Halves, settings: &OwnSettings, design: Design, block: &Block) -> SplitTallies {
    let shifts: Vec<Vec<f64>> = halves
        .metrics
        .iter()
        .map(|metric| settings.effects.iter().map(|e| slow_down(metric, shift(*e))).collect())
        .collect();
    let mut tallies = empty(halves, settings);
    for repetition in block.repetitions.clone() {
        let stream = STREAMS | design.stream() << 32 | repetition & 0xffff_ffff;
        let mut rng = generator(settings.seed, stream);
        // One seed for each group, so that its metrics are split alike and none changes another's split.
        let seeds: Vec<u64> = halves.groups.iter().map(|_| rng.next_u64()).collect();
        let pairs: Vec<Option<[Sample; 2]>> = halves
            .series
            .iter()
            .map(|series| {
                let rng = &mut generator(seeds[series.group], 0);
                series.allows(design).then(|| series.split(design, rng))
            })
            .collect();
        for (index, series) in halves.series.iter().enumerate() {
            let Some(pair) = &pairs[index] else { continue };
            let own = by_itself(pair, settings, block.how);
            let others = other_variances(halves, &pairs, index);
            let borrowed = others.map(|others| lent(pair, &others, settings, block.how, &own));
            let shifts = &shifts[series.metric];
            for (tally, interval) in tallies[index].iter_mut().zip(&own) {
                tally[0].record(*interval, shifts);
            }
            for (procedure, interval) in borrowed.into_iter().flatten() {
                tallies[index][procedure][1].record(interval, shifts);
            }
        }
    }
    tallies
}

/// Intervals of each procedure from the runs alone.
fn by_itself(
    [baseline, candidate]: &[Sample; 2],
    settings: &OwnSettings,
    how: Resampling,
) -> Vec<Option<Interval>> {
    let mut found = Vec::new();
    for group in settings.procedures.chunk_by(|a, b| a.across == b.across) {
        let halves = TwoSample::new(baseline, candidate, group[0].across, how);
        let curve = |procedure: &Procedure| halves.curve(Scale::Log, procedure.method);
        found.extend(group.iter().map(|procedure| interval(curve(procedure), settings)));
    }
    found
}

/// Variances of the same metric in the other groups of this repetition; `None` with too few.
fn other_variances(
    halves: &Halves,
    pairs: &[Option<[Sample; 2]>],
    borrower: usize,
) -> Option<Vec<Variance>> {
    let metric = halves.series[borrower].metric;
    let others: Vec<Variance> = halves
        .series
        .iter()
        .zip(pairs)
        .enumerate()
        .filter(|(index, (series, _))| *index != borrower && series.metric == metric)
        .filter_map(|(_, (_, pair))| variance(pair.as_ref()?))
        .collect();
    (others.len() + 1 >= MIN_POOLED_GROUPS).then_some(others)
}

fn variance([baseline, candidate]: &[Sample; 2]) -> Option<Variance> {
    let (cv, df) = pooled_cv(baseline, candidate)?;
    Some(Variance { value: cv * cv, df: df as f64 })
}

/// Intervals with a noise prior, for each procedure that can use one, with its position; without a prior, the interval from the
/// runs alone.
fn lent(
    pair: &[Sample; 2],
    others: &[Variance],
    settings: &OwnSettings,
    how: Resampling,
    own: &[Option<Interval>],
) -> Vec<(usize, Option<Interval>)> {
    let prior = Prior::guarded(others, variance(pair), PriorSource::Job).ok();
    let [baseline, candidate] = pair;
    let of = |procedure: &Procedure, index: usize| {
        let Some(prior) = &prior else { return own[index] };
        let [log, _] = TwoSample::new(baseline, candidate, Across::MEAN, how)
            .moderated(procedure.method, prior);
        interval(log, settings)
    };
    let all = settings.procedures.iter().enumerate();
    all.filter(|(_, procedure)| can_borrow(**procedure)).map(|(i, p)| (i, of(p, i))).collect()
}

/// The plain bootstraps have no standard error that a prior could replace.
fn can_borrow(procedure: Procedure) -> bool {
    let plain = matches!(procedure.method, Method::Percentile | Method::Bca);
    procedure.across == Across::MEAN && !plain
}

fn interval(curve: Result<Curve, Undefined>, settings: &OwnSettings) -> Option<Interval> {
    let interval = curve.ok()?.interval(settings.confidence);
    (interval.low.is_finite() && interval.high.is_finite()).then_some(interval)
}
