//! Borrowed noise, simulated: a job of several comparisons whose true noise differs from one to the next.
//!
//! The true variance of a comparison is (2 %)^2 times 8 over a chi-square of 8 degrees of freedom: the law that the
//! prior assumes. Each comparison borrows from all others of its job, with as many runs as it has itself; where it
//! has a single run each, the others have three.

use serde::Serialize;

use crate::calibrate::procedure::{Power, excludes_zero};
use crate::calibrate::repeat::{Block, generator, in_blocks};
use crate::calibrate::shapes::{chi_square, normal};
use crate::calibrate::study::shift;
use crate::stats::{
    Across, Interval, Method, Prior, Resampling, Sample, Scale, Variance, delta, moderated_deltas,
    pooled_cv,
};

/// Runs of each variant that are simulated.
pub const BORROWED_RUNS: [usize; 4] = [1, 2, 3, 5];

/// Comparisons of a job that are simulated.
pub const GROUPS: [usize; 5] = [3, 5, 8, 20, 100];

/// Run-to-run noise that the true ones scatter about.
pub(super) const TYPICAL_CV: f64 = 0.02;

/// Degrees of freedom of the law of the true variances: fewer mean more scatter.
pub(super) const TRUE_DF: u32 = 8;

/// Runs of the others where the comparison itself has a single run each.
const RUNS_OF_OTHERS: usize = 3;

/// Where the streams of the generator begin: beyond those of all shapes.
const STREAMS: u64 = 0xb0 << 56;

/// What is simulated.
#[derive(Clone, Debug)]
pub struct BorrowedSettings {
    /// Runs of each variant, from 1 to 255.
    pub runs: Vec<usize>,
    /// Comparisons of a job, from 3 to 65,535.
    pub groups: Vec<usize>,
    /// Changes of the candidate, as fractions greater than -1.
    pub effects: Vec<f64>,
    /// Comparisons a cell, in whole jobs: at least as many are made.
    pub repetitions: u64,
    /// Nominal coverage, in (0, 1).
    pub confidence: f64,
    /// Resamples drawn where there are too many to enumerate.
    pub resamples: usize,
    /// First seed of the simulated runs and of the resamples.
    pub seed: u64,
}

/// What the intervals of one kind did with so many runs in jobs of so many comparisons.
#[derive(Clone, Debug, Serialize)]
pub struct BorrowedRow {
    /// Runs of each variant.
    pub runs: usize,
    /// Comparisons of the job.
    pub groups: usize,
    /// `own` or `borrowed`.
    pub noise: &'static str,
    /// `welch` or `calibrated`.
    pub method: &'static str,
    /// Comparisons simulated.
    pub comparisons: u64,
    /// Share of the comparisons that claim a change where there is none.
    pub false_positives: f64,
    /// Its binomial standard error.
    pub standard_error: f64,
    /// Power at each effect.
    pub power: Vec<Power>,
}

/// The three ways to compare: own noise by Welch's interval, borrowed noise with t's shape and with the resamples'.
const KINDS: [(&str, &str); 3] =
    [("own", "welch"), ("borrowed", "welch"), ("borrowed", "calibrated")];

#[derive(Clone, Default)]
struct Tally {
    comparisons: u64,
    claimed: u64,
    seen: Vec<u64>,
}

/// Simulates all numbers of runs with all sizes of a job; `done` hears of finished comparisons.
///
/// Rows come by runs, then groups, then kind; own noise has no row for single runs.
///
/// # Panics
///
/// If the confidence is outside (0, 1), an effect is -1 or less, or a job has fewer than 3 comparisons.
///
/// # Examples
///
/// ```
/// use beyondnoise::calibrate::{BorrowedSettings, simulate_borrowed};
///
/// let settings = BorrowedSettings {
///     runs: vec![2],
///     groups: vec![20],
///     effects: vec![0.05],
///     repetitions: 600,
///     confidence: 0.95,
///     resamples: 1_000,
///     seed: 0,
/// };
/// let rows = simulate_borrowed(&settings, &|_| {});
/// let power = |index: usize| rows[index].power[0].power.unwrap();
/// assert!(power(1) > 2.0 * power(0)); // two runs each know little of their noise; twenty jobs of two do
/// ```
pub fn simulate_borrowed(
    settings: &BorrowedSettings,
    done: &(dyn Fn(u64) + Sync),
) -> Vec<BorrowedRow> {
    let cells: Vec<(usize, usize)> = settings.cells();
    let jobs: Vec<u64> = cells.iter().map(|(_, groups)| settings.jobs(*groups)).collect();
    let first = Resampling { count: settings.resamples, seed: settings.seed };
    let sums = in_blocks(&jobs, 4, first, |block| {
        let (runs, groups) = cells[block.job];
        let tallies = tallies(settings, (runs, groups), block);
        done((block.repetitions.end - block.repetitions.start) * groups as u64);
        tallies
    });
    let mut totals = vec![vec![Tally::default(); KINDS.len()]; cells.len()];
    for (cell, tallies) in sums {
        for (total, tally) in totals[cell].iter_mut().zip(tallies) {
            total.add(&tally);
        }
    }
    let mut rows = Vec::new();
    for ((runs, groups), tallies) in cells.into_iter().zip(&totals) {
        for ((noise, method), tally) in KINDS.iter().zip(tallies) {
            if tally.comparisons > 0 {
                rows.push(tally.row(settings, (runs, groups), (noise, method)));
            }
        }
    }
    rows
}

impl BorrowedSettings {
    /// Comparisons that are simulated.
    pub fn comparisons(&self) -> u64 {
        self.cells().iter().map(|(_, groups)| self.jobs(*groups) * *groups as u64).sum()
    }

    fn jobs(&self, groups: usize) -> u64 {
        self.repetitions.div_ceil(groups as u64)
    }

    fn cells(&self) -> Vec<(usize, usize)> {
        let of_runs = |runs: &usize| {
            let runs = *runs;
            self.groups.iter().map(move |groups| (runs, *groups))
        };
        self.runs.iter().flat_map(of_runs).collect()
    }
}

fn tallies(
    settings: &BorrowedSettings,
    (runs, groups): (usize, usize),
    block: &Block,
) -> Vec<Tally> {
    assert!(groups >= 3, "a job of {groups} comparisons has nothing to borrow");
    let shifts: Vec<f64> = settings.effects.iter().map(|effect| shift(*effect)).collect();
    let mut tallies = vec![Tally { seen: vec![0; shifts.len()], ..Tally::default() }; KINDS.len()];
    let cell = (runs as u64) << 48 | (groups as u64) << 32;
    for job in block.repetitions.clone() {
        let mut rng = generator(settings.seed, STREAMS | cell | job & 0xffff_ffff);
        let made = if runs == 1 { RUNS_OF_OTHERS } else { runs };
        let pairs: Vec<[Vec<f64>; 2]> = (0..groups)
            .map(|_| {
                let df = f64::from(TRUE_DF);
                let cv = TYPICAL_CV * (df / chi_square(TRUE_DF, &mut rng)).sqrt();
                let mut value = || (100.0 * (1.0 + cv * normal(&mut rng))).max(1.0);
                [(); 2].map(|()| (0..made).map(|_| value()).collect())
            })
            .collect();
        let all: Vec<Variance> = pairs.iter().map(|pair| variance(&samples(pair, made))).collect();
        for (index, pair) in pairs.iter().enumerate() {
            let [baseline, candidate] = samples(pair, runs);
            let others: Vec<Variance> = [&all[..index], &all[index + 1..]].concat();
            let own = (runs > 1).then(|| all[index]);
            let prior = Prior::fit(&others, own).expect("values that differ");
            let borrowed = |method: Method| -> Option<Interval> {
                let [log, _] = moderated_deltas(&baseline, &candidate, &prior, method, block.how);
                Some(log.ok()?.interval(settings.confidence))
            };
            let by_itself = || -> Option<Interval> {
                let (across, scale, method) = (Across::Mean, Scale::Log, Method::Welch);
                let curve = delta(&baseline, &candidate, across, scale, method, block.how);
                Some(curve.ok()?.interval(settings.confidence))
            };
            let intervals = [by_itself(), borrowed(Method::Welch), borrowed(Method::Calibrated)];
            for (tally, interval) in tallies.iter_mut().zip(intervals) {
                tally.count(interval, &shifts);
            }
        }
    }
    tallies
}

/// The first `runs` of each variant.
fn samples(pair: &[Vec<f64>; 2], runs: usize) -> [Sample; 2] {
    [&pair[0], &pair[1]].map(|values| Sample::new(values[..runs].to_vec()).expect("finite values"))
}

fn variance([baseline, candidate]: &[Sample; 2]) -> Variance {
    let (cv, df) = pooled_cv(baseline, candidate).expect("two positive runs or more");
    Variance { value: cv * cv, df: df as f64 }
}

impl Tally {
    fn count(&mut self, interval: Option<Interval>, shifts: &[f64]) {
        let Some(interval) = interval else { return };
        self.comparisons += 1;
        self.claimed += u64::from(excludes_zero(interval, 0.0));
        for (seen, shift) in self.seen.iter_mut().zip(shifts) {
            *seen += u64::from(excludes_zero(interval, *shift));
        }
    }

    fn add(&mut self, other: &Self) {
        self.comparisons += other.comparisons;
        self.claimed += other.claimed;
        self.seen.resize(other.seen.len(), 0);
        for (sum, seen) in self.seen.iter_mut().zip(&other.seen) {
            *sum += seen;
        }
    }

    fn row(
        &self,
        settings: &BorrowedSettings,
        (runs, groups): (usize, usize),
        (noise, method): (&'static str, &'static str),
    ) -> BorrowedRow {
        let n = self.comparisons as f64;
        let share = |count: u64| count as f64 / n;
        let claimed = share(self.claimed);
        let power = settings.effects.iter().zip(&self.seen);
        BorrowedRow {
            runs,
            groups,
            noise,
            method,
            comparisons: self.comparisons,
            false_positives: claimed,
            standard_error: (claimed * (1.0 - claimed) / n).sqrt(),
            power: power
                .map(|(effect, seen)| Power { effect: *effect, power: Some(share(*seen)) })
                .collect(),
        }
    }
}
