//! Measured values and changes of two variants.

use schemars::JsonSchema;
use serde::Serialize;

use crate::atlas::Published;
use crate::compare::control::Control;
use crate::compare::in_sessions::InSessionsRow;
use crate::metrics::Metric;
use crate::noise_prior::{NoisePrior, NoiseSource};
use crate::policy::Policy;
use crate::runs::{Levels, MIN_BLOCKS, Pairs, Sessions, Value, Variant};
use crate::stats::{
    Across, Curve, Interval, PlannedTest, PriorRefusal, Student, Undefined, Variance,
};

/// One metric, measured in a baseline and a candidate.
#[derive(Clone, Debug)]
pub(crate) struct Measured {
    /// The metric, with the user's direction if given.
    pub metric: Metric,
    /// Values of the baseline.
    pub baseline: SideRow,
    /// Values of the candidate.
    pub candidate: SideRow,
    /// `candidate / baseline - 1` with its interval; `None` without a ratio.
    pub relative: Option<Effect>,
    /// `candidate - baseline` in the unit of the metric.
    pub absolute: Effect,
    /// Interval of the relative change for the test of equivalence: at 1 - 2 alpha, or at the equality level of a planned look.
    pub equivalence: Option<Interval>,
    /// Two-sided p-value of no change, unadjusted.
    pub p_value: Option<f64>,
    /// Confidence that the candidate's value is the larger one.
    pub probability_larger: Option<f64>,
    /// Run-to-run noise, if any variant has two runs or a noise prior exists.
    pub noise: Option<Noise>,
    /// Run-to-run CV below which the change would be beyond noise.
    pub break_even_cv: Option<f64>,
    /// The reason for a missing interval.
    pub undefined: Option<Undefined>,
    /// The reason for not using the noise prior.
    pub not_lent: Option<PriorRefusal>,
    /// Whether it is a count that is constant in each variant, so that the change is exact.
    pub exact: bool,
    /// Curves of the relative and the absolute change, for intervals at any level.
    pub(crate) curves: Option<[Option<Curve>; 2]>,
    /// Whether the values are compared in pairs of runs.
    pub(crate) in_pairs: bool,
    /// The change in each session, if it is taken inside several sessions.
    pub in_sessions: Option<InSessionsRow>,
    /// Variances of a run from the other cells of its list; the row is also judged by each.
    pub(crate) wider: Vec<Variance>,
    /// Its change alone and relative to the control, if there is a control.
    pub control: Option<ControlRow>,
    /// The same with the noise of its own runs alone, if it uses a noise prior or published noise.
    pub own: Option<Box<Measured>>,
}

/// One variant's values of a metric.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct SideRow {
    /// Runs with a value.
    #[schemars(range(min = 1))]
    pub n: usize,
    /// The statistic over the runs, in the unit of the metric.
    pub estimate: f64,
    /// A value per run in run order, in the unit of the metric.
    #[schemars(length(min = 1))]
    pub values: Vec<f64>,
    /// The run of each value, as its position in the variant's `run_list`, from 0.
    pub runs: Vec<usize>,
    /// Run-to-run coefficient of variation, a fraction; null for one run or a mean that is not positive.
    #[schemars(range(min = 0))]
    pub cv: Option<f64>,
    /// Runs behind the only value, where that is an average with a standard deviation; null elsewhere.
    #[schemars(range(min = 2))]
    pub averaged: Option<usize>,
    /// Half of the finest printed digit, in the unit of the values; 0 for exact values.
    #[serde(skip)]
    pub(crate) resolution: f64,
}

impl SideRow {
    /// Number of runs behind the estimate.
    pub(crate) fn count(&self) -> usize {
        self.averaged.unwrap_or(self.n)
    }
}

/// A change with its interval.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Effect {
    /// The point estimate.
    pub estimate: f64,
    /// The interval at the confidence asked for.
    pub interval: Option<Interval>,
}

/// The change of a metric alone where the row is relative to a control, and else relative to the control.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct ControlRow {
    /// The metric, or the cell, that the change cannot affect.
    #[schemars(length(min = 1))]
    pub name: String,
    /// Whether the row is relative to it, since that interval is the narrower one; the values of its runs are then those at the
    /// control's level in the baseline.
    pub used: bool,
    /// The change in the other way, a fraction of the baseline.
    pub relative: f64,
    /// Its interval `[low, high]` at the confidence asked for; null where it is not defined.
    #[schemars(inner(range(min = -1)))]
    pub relative_ci: Option<[f64; 2]>,
}

/// The runs to compare, with their pairs, levels and control.
pub(crate) struct Pairing<'a> {
    /// The variant to compare with.
    pub baseline: &'a Variant,
    /// The variant to judge.
    pub candidate: &'a Variant,
    /// The pairs of runs; `None` for independent runs. With nested repeats, the first runs of each block.
    pub pairs: Option<Pairs>,
    /// The levels of nested repeats, whose units replace runs.
    pub levels: Option<Levels>,
    /// Number of whole blocks A B B A, if they are too few to be the unit; the runs are then not compared in pairs.
    pub few_blocks: Option<usize>,
    /// The sessions of the runs; `None` if no run knows its session.
    pub sessions: Option<Sessions>,
    /// The measurement that the change cannot affect, if the user named one.
    pub control: Option<Control<'a>>,
}

impl<'a> Pairing<'a> {
    /// Runs of two variants, with the user's pairs, or else with the blocks of their levels. Pairs in the order A B B A are
    /// compared by blocks of four runs; with too few blocks, the runs are not paired.
    pub(crate) fn new(baseline: &'a Variant, candidate: &'a Variant, pairs: Option<Pairs>) -> Self {
        let (mut pairs, mut few_blocks, mut levels) = (pairs, None, None);
        if let Some(of_four) =
            pairs.as_ref().map(|pairs| &pairs.blocks[..]).filter(|b| !b.is_empty())
        {
            if of_four.len() < MIN_BLOCKS {
                few_blocks = Some(of_four.len());
            } else {
                levels = Some(Levels::of_blocks(of_four, baseline, candidate));
            }
            pairs = None;
        }
        let own = levels.is_none() && pairs.is_none() && few_blocks.is_none();
        let levels = levels.or_else(|| Levels::shared_by(baseline, candidate).filter(|_| own));
        let blocks = levels.as_ref().and_then(|levels| Some((levels.pairs()?, levels.alone)));
        let blocks = blocks.map(|(positions, [a, b])| Pairs {
            positions,
            alone: (a, b),
            one_way: false,
            blocks: Vec::new(),
        });
        let (pairs, sessions) = (pairs.or(blocks), Sessions::shared_by(baseline, candidate));
        Self { baseline, candidate, pairs, levels, few_blocks, sessions, control: None }
    }

    /// The sessions inside which the change is taken, if there are several. Changes inside pairs contain nothing of the
    /// session anyway; a median over the runs has no change inside sessions.
    pub(crate) fn sessions_of(&self, policy: &Policy) -> Option<&Sessions> {
        let sessions = self.sessions.as_ref().filter(|sessions| sessions.all.len() > 1);
        let in_means = self.pairs.is_none() && policy.across == Across::MEAN;
        sessions.filter(|sessions| in_means && !sessions.of_both().is_empty())
    }

    /// The value of a metric in one run; with nested repeats, in the unit that begins with this run.
    pub(super) fn value(&self, side: usize, run: usize, name: &str) -> Option<Value> {
        let variant = if side == 0 { self.baseline } else { self.candidate };
        match &self.levels {
            Some(levels) => levels.value(side, variant, run, name),
            None => variant.runs[run].metrics.get(name).copied(),
        }
    }

    /// The values of a metric on one side, with the positions of their runs; `None` without values.
    pub(crate) fn values(&self, side: usize, name: &str) -> Option<(Vec<Value>, Vec<usize>)> {
        let variant = if side == 0 { self.baseline } else { self.candidate };
        let runs: Vec<usize> = match &self.levels {
            Some(levels) => levels.units[side].keys().copied().collect(),
            None => (0..variant.runs.len()).collect(),
        };
        let known = runs.into_iter().filter_map(|run| Some((self.value(side, run, name)?, run)));
        let (values, runs): (Vec<Value>, Vec<usize>) = known.unzip();
        (!values.is_empty()).then_some((values, runs))
    }
}

/// Power at which a change counts as detectable, and runs as enough.
pub(crate) const POWER: f64 = 0.8;

/// Run-to-run noise of a metric.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Noise {
    /// CV as a fraction.
    pub cv: f64,
    /// Degrees of freedom of the CV.
    pub df: f64,
    /// Degrees of freedom of the interval, without those of the noise prior.
    pub interval_df: f64,
    /// The noise prior, if it is used.
    pub borrowed: Option<NoisePrior>,
    /// Smallest true relative change that is found with 80 % power in this metric alone, as a fraction.
    pub detectable: Option<f64>,
    /// Whether it comes from the printed standard deviations of averages.
    pub of_averages: bool,
    /// Whether it is the noise that remains within a pair of runs.
    pub paired: bool,
    /// The published noise that is combined with the runs' own.
    pub published: Option<&'static Published>,
}

impl Noise {
    pub(super) fn detectable_by(&self, runs: (usize, usize), alpha: f64) -> Option<f64> {
        (runs.0.min(runs.1) > 1 || self.borrowed.is_some())
            .then(|| {
                let test = PlannedTest { noise: self.cv, alpha };
                test.detectable(runs, self.interval_df, POWER).exp_m1()
            })
            .filter(|change| change.is_finite())
    }
}

impl Measured {
    /// The row with the noise of its own runs alone: itself if it borrows none.
    pub(crate) fn own(&self) -> &Self {
        self.own.as_deref().unwrap_or(self)
    }

    /// Intervals of the relative and the absolute change at `confidence` in (0, 1); `None` where it does not exist.
    ///
    /// Without `curves` there are no intervals.
    pub(crate) fn intervals(&self, confidence: f64) -> [Option<Interval>; 2] {
        let [log, linear] = self.curves.as_ref().map_or([None, None], |[log, linear]| {
            [log, linear].map(|curve| curve.as_ref().map(|curve| curve.interval(confidence)))
        });
        let of_list = self.of_list(confidence);
        let [log, linear] = [(log, of_list[0]), (linear, of_list[1])]
            .map(|(own, of_list)| own.map(|own| hull(own, of_list)));
        let relative = log.map(|interval| interval.map(f64::exp_m1)).and_then(finite);
        [relative.filter(|interval| in_percent(interval.high)), linear.and_then(finite)]
    }

    /// Student's intervals of the log ratio and of the difference by the variances of the list, the widest for each.
    fn of_list(&self, confidence: f64) -> [Option<Interval>; 2] {
        let Some(relative) = self.relative else { return [None, None] };
        let level = f64::midpoint(1.0, confidence);
        let [a, b] = [&self.baseline, &self.candidate].map(|side| {
            let n = side.values.len() as f64;
            (1.0 / n, side.estimate * side.estimate / n)
        });
        let quantile =
            |variance: &Variance| (Student { df: variance.df }.quantile(level), variance.value);
        let quantiles: Vec<(f64, f64)> = self.wider.iter().map(quantile).collect();
        let widest = |estimate: f64, parts: f64| {
            let half = quantiles.iter().map(|(t, variance)| t * (variance * parts).sqrt());
            let half = half.reduce(f64::max)?;
            Some(Interval { low: estimate - half, high: estimate + half, confidence })
        };
        [widest(relative.estimate.ln_1p(), a.0 + b.0), widest(self.absolute.estimate, a.1 + b.1)]
    }

    /// Judges the row also by these variances of a run: the largest p-value and the widest interval count.
    pub(crate) fn widen(&mut self, variances: &[Variance], policy: &Policy) {
        let (Some(relative), Some(own)) = (self.relative, self.p_value) else { return };
        self.wider.extend_from_slice(variances);
        let parts: f64 = [&self.baseline, &self.candidate]
            .iter()
            .map(|side| 1.0 / side.values.len() as f64)
            .sum();
        let theta = relative.estimate.ln_1p();
        let p = |variance: &Variance| {
            2.0 * Student { df: variance.df }.cdf(-theta.abs() / (variance.value * parts).sqrt())
        };
        let p = variances.iter().map(p).fold(own, f64::max);
        if p > own {
            self.p_value = Some(p);
            self.probability_larger = Some(if theta > 0.0 { 1.0 - p / 2.0 } else { p / 2.0 });
        }
        let [log, linear] = self.of_list(policy.confidence);
        let as_ratio = |log: Option<Interval>| log.map(|interval| interval.map(f64::exp_m1));
        if let Some(relative) = &mut self.relative {
            relative.interval = relative.interval.map(|own| hull(own, as_ratio(log)));
        }
        self.absolute.interval = self.absolute.interval.map(|own| hull(own, linear));
        let both_sides = 1.0 - 2.0 * policy.equality_alpha();
        if both_sides > 0.0 {
            let of_list = as_ratio(self.of_list(both_sides)[0]);
            self.equivalence = self.equivalence.map(|own| hull(own, of_list));
        }
    }

    /// Whether all runs of one variant are beyond all runs of the other, with at least 3 runs each.
    pub(crate) fn separated(&self) -> bool {
        let ends = |side: &SideRow| {
            side.values.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), &value| {
                (low.min(value), high.max(value))
            })
        };
        let (a, b) = (ends(&self.baseline), ends(&self.candidate));
        let enough = self.baseline.values.len().min(self.candidate.values.len()) >= 3;
        enough && (a.1 < b.0 || b.1 < a.0)
    }

    /// Smallest true relative change that these runs find with 80 % power at level `alpha`. `None` without noise, for single
    /// runs without a noise prior, and if it is not finite.
    pub(crate) fn detectable(&self, alpha: f64) -> Option<f64> {
        let runs = (self.baseline.count(), self.candidate.count());
        self.noise?.detectable_by(runs, alpha)
    }

    /// Power of more runs of each variant, independent of the change in these runs; `None` without noise or ratios.
    ///
    /// As fractions, `margin` is the largest change that does not matter and `effect` the user's own, if any. `alphas` are the
    /// levels of a change and of each one-sided test of equivalence; `tested` metrics share the first.
    pub(crate) fn more_runs(
        &self,
        margin: f64,
        effect: Option<f64>,
        alphas: [f64; 2],
        tested: usize,
    ) -> Option<MoreRuns> {
        let noise = self.noise.filter(|_| self.relative.is_some())?;
        let fewest = self.baseline.count().min(self.candidate.count());
        let more = MoreRuns::of(noise, fewest, (margin, effect), (alphas, tested));
        Some(more).filter(|more| more.finds.iter().all(|change| change.is_finite()))
    }
}

/// The smallest interval that contains both.
fn hull(own: Interval, other: Option<Interval>) -> Interval {
    other.map_or(own, |other| Interval {
        low: own.low.min(other.low),
        high: own.high.max(other.high),
        ..own
    })
}

/// Numbers of further runs of each variant; advice names one of them.
pub(crate) const MORE_RUNS: [usize; 3] = [4, 8, 16];

/// Confidence of the upper limit of the noise in a plan: few runs may underestimate the noise.
const NOISE_LIMIT: f64 = 0.8;

/// The changes that more runs of each variant would show in a metric. The measured change is ignored: it is noise too, and runs
/// planned from it settle little.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MoreRuns {
    /// Present runs of each variant; if the numbers differ, the smaller.
    pub have: usize,
    /// The smallest change found with 80 % power after each number of [`MORE_RUNS`], a fraction.
    pub finds: [f64; MORE_RUNS.len()],
    /// Index of the fewest [`MORE_RUNS`] that find `effect`, and that show no change to be within the margin, each with 80 %
    /// power; `None` if no number is enough.
    pub enough: Option<usize>,
    /// The change to find, a fraction: the user's own, or twice the margin if that is larger.
    pub effect: f64,
    /// Degrees of freedom of the known noise.
    pub df: f64,
    /// Upper limit of the run-to-run CV at 80 % confidence, a fraction.
    pub cv: f64,
    /// Degrees of freedom of the noise prior; 0 without one.
    pub prior_df: f64,
    /// Level of the two-sided test, in (0, 1).
    pub level: f64,
    /// Whether runs are compared in pairs.
    pub paired: bool,
}

impl MoreRuns {
    fn of(
        noise: Noise,
        have: usize,
        (margin, effect): (f64, Option<f64>),
        ([alpha, equality_alpha], tested): ([f64; 2], usize),
    ) -> Self {
        let effect = effect.unwrap_or(0.0).max(2.0 * margin);
        // Noise from single runs of other variants applies to single runs only.
        let lasting = noise.borrowed.filter(|prior| prior.source != NoiseSource::Variants);
        let prior_df = lasting.map_or(0.0, |prior| prior.prior.variance.df);
        let cv = Variance { value: noise.cv * noise.cv, df: noise.df }
            .sd_at_most(2.0 * NOISE_LIMIT - 1.0);
        let level = alpha / tested.max(1) as f64;
        let runs = MORE_RUNS.map(|more| have + more);
        let df_with = |n: usize| {
            if noise.paired { n as f64 - 1.0 } else { PlannedTest::df((n, n), prior_df) }
        };
        let test = |alpha| PlannedTest { noise: cv, alpha };
        let finds = runs.map(|n| test(level).detectable((n, n), df_with(n), POWER).exp_m1());
        // Both one-sided tests pass with 80 % power if each fails in 10 % of cases.
        let both = f64::midpoint(1.0, POWER);
        let equal =
            |n| test(2.0 * equality_alpha).power(margin.ln_1p(), (n, n), df_with(n)) >= both;
        let settles = |(&n, &found): (&usize, &f64)| found <= effect && equal(n);
        let enough = runs.iter().zip(&finds).position(settles);
        let (paired, df) = (noise.paired, noise.df);
        Self { have, finds, enough, effect, df, cv, prior_df, level, paired }
    }
}

/// Whether a change in percent is finite.
pub(super) fn in_percent(change: f64) -> bool {
    (change * 100.0).is_finite()
}

/// The interval if both ends are finite.
pub(super) fn finite(interval: Interval) -> Option<Interval> {
    Some(interval).filter(|i| i.low.is_finite() && i.high.is_finite())
}
