//! Borrowed noise, simulated: a job of several comparisons whose true noise is alike or differs from one to the next.
//!
//! The prior of each comparison comes from all others of its job, with as many runs as it has itself; where it has a
//! single run each, the others have three. Where noise differs in a fixed way, the error rate of every comparison is
//! counted separately: it is largest for the noisiest, and an average over all would hide it.

use schemars::JsonSchema;
use serde::Serialize;

use crate::places::Places;
use crate::shapes::normal;
use beyondnoise::calibrate::{Block, generator, in_blocks};
use beyondnoise::calibrate::{Power, excludes_zero, shift};
use beyondnoise::stats::{
    Across, Interval, Method, Prior, Resampling, Sample, Scale, TwoSample, Variance, pooled_cv,
};

/// Runs of each variant that are simulated.
pub const BORROWED_RUNS: [usize; 5] = [1, 2, 3, 5, 10];

/// Comparisons of a job that are simulated.
pub const GROUPS: [usize; 5] = [3, 5, 8, 20, 100];

/// Runs of each series of earlier runs.
const EARLIER_RUNS: usize = 5;

/// Runs of the others where the comparison itself has a single run each.
const RUNS_OF_OTHERS: usize = 3;

/// Where the streams of the generator begin: beyond those of all shapes.
const STREAMS: u64 = 0xb0 << 56;

/// Settings of the simulation.
#[derive(Clone, Debug)]
pub struct BorrowedSettings {
    /// How noise differs between the comparisons of a job.
    pub places: Vec<Places>,
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

/// Error rates of one kind of interval with so many runs in jobs of so many comparisons.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct BorrowedRow {
    /// How noise differs between the comparisons: a word of [`Places`].
    #[schemars(extend("enum" = ["alike", "chi-square", "log-normal", "two groups", "history", "log-normal x 3", "two groups x 3", "one x 2", "one x 3"]))]
    pub places: &'static str,
    /// Runs of each variant.
    #[schemars(range(min = 1))]
    pub runs: usize,
    /// Comparisons of the job.
    #[schemars(range(min = 3))]
    pub groups: usize,
    /// `own` (no prior) or `borrowed` (noise prior).
    #[schemars(extend("enum" = ["own", "borrowed"]))]
    pub noise: &'static str,
    /// `welch` or `calibrated`.
    #[schemars(extend("enum" = ["calibrated", "percentile", "bca", "welch", "rank sums"]))]
    pub method: &'static str,
    /// Comparisons simulated.
    #[schemars(range(min = 1))]
    pub comparisons: u64,
    /// Comparisons made in each job.
    #[schemars(range(min = 1))]
    pub compared: u64,
    /// Share of them that used the prior; the others used their own noise, or had none.
    #[schemars(range(min = 0, max = 1))]
    pub lent: f64,
    /// Share of the comparisons that claim a change where there is none.
    #[schemars(range(min = 0, max = 1))]
    pub false_positives: f64,
    /// Its binomial standard error.
    #[schemars(range(min = 0))]
    pub standard_error: f64,
    /// The same of the comparison of a job that claims most often; null where none is noisier than the others in
    /// every job.
    #[schemars(range(min = 0, max = 1))]
    pub largest_false_positives: Option<f64>,
    /// How often each change is seen, in the order of the settings.
    pub power: Vec<Power>,
}

/// The three ways to compare: own noise by Welch's interval; a noise prior with t's shape, and with the resamples'.
const KINDS: [(&str, &str); 3] =
    [("own", "welch"), ("borrowed", "welch"), ("borrowed", "calibrated")];

/// How many runs each, in jobs of how many comparisons, that differ how.
#[derive(Clone, Copy)]
struct Job {
    runs: usize,
    groups: usize,
    places: Places,
}

/// Counts of one comparison of a job.
#[derive(Clone, Default)]
struct BorrowedTally {
    comparisons: u64,
    lent: u64,
    claimed: u64,
    seen: Vec<u64>,
}

/// Simulates all numbers of runs with all sizes of a job; `done` hears of finished comparisons.
///
/// Rows are sorted by runs, then groups, then how noise differs, then kind. Single runs have no row with own noise; a
/// prior from two others or from a history of other workloads does not exist for them.
///
/// # Panics
///
/// If the confidence is outside (0, 1), an effect is -1 or less, or a job has fewer than 3 comparisons.
///
/// # Examples
///
/// ```
/// use beyondnoise_calibration::{BorrowedSettings, Places, simulate_borrowed};
///
/// let settings = BorrowedSettings {
///     places: vec![Places::Alike],
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
    let cells = settings.cells();
    let jobs: Vec<u64> = cells.iter().map(|job| settings.jobs(*job)).collect();
    let first = Resampling { count: settings.resamples, seed: settings.seed };
    let sums = in_blocks(&jobs, 4, first, |block| {
        let job = cells[block.job];
        let tallies = tallies(settings, job, block);
        done((block.repetitions.end - block.repetitions.start) * tallies.len() as u64);
        tallies
    });
    let empty = |job: &Job| {
        vec![vec![BorrowedTally::default(); KINDS.len()]; job.places.compared(job.groups).len()]
    };
    let mut totals: Vec<Vec<Vec<BorrowedTally>>> = cells.iter().map(empty).collect();
    for (cell, tallies) in sums {
        for (total, tally) in totals[cell].iter_mut().flatten().zip(tallies.iter().flatten()) {
            total.merge(tally);
        }
    }
    let mut rows = Vec::new();
    for (job, tallies) in cells.into_iter().zip(&totals) {
        for (kind, words) in KINDS.into_iter().enumerate() {
            let of_kind: Vec<&BorrowedTally> =
                tallies.iter().map(|tallies| &tallies[kind]).collect();
            if of_kind.iter().any(|tally| tally.comparisons > 0) {
                rows.push(row(settings, job, words, &of_kind));
            }
        }
    }
    rows
}

impl BorrowedSettings {
    /// Comparisons that are simulated.
    pub fn comparisons(&self) -> u64 {
        let of = |job: &Job| self.jobs(*job) * job.places.compared(job.groups).len() as u64;
        self.cells().iter().map(of).sum()
    }

    fn jobs(&self, job: Job) -> u64 {
        self.repetitions.div_ceil(job.places.compared(job.groups).len() as u64)
    }

    fn cells(&self) -> Vec<Job> {
        let mut cells = Vec::new();
        for &runs in &self.runs {
            for &groups in &self.groups {
                let all = self.places.iter().map(|&places| Job { runs, groups, places });
                // A single run has no variance that would make the third.
                let lends = |job: &Job| runs > 1 || groups > 3 && job.places != Places::History;
                cells.extend(all.filter(lends));
            }
        }
        cells
    }
}

/// Counts by comparison and by kind.
fn tallies(settings: &BorrowedSettings, job: Job, block: &Block) -> Vec<Vec<BorrowedTally>> {
    let Job { runs, groups, places } = job;
    assert!(groups >= 3, "a job of {groups} comparisons has nothing to borrow");
    let shifts: Vec<f64> = settings.effects.iter().map(|effect| shift(*effect)).collect();
    let compared = places.compared(groups);
    let empty = BorrowedTally { seen: vec![0; shifts.len()], ..BorrowedTally::default() };
    let mut tallies = vec![vec![empty; KINDS.len()]; compared.len()];
    let stream = STREAMS | (places as u64) << 56 | (runs as u64) << 48 | (groups as u64) << 32;
    for repetition in block.repetitions.clone() {
        let mut rng = generator(settings.seed, stream | repetition & 0xffff_ffff);
        let made = if runs == 1 { RUNS_OF_OTHERS } else { runs };
        let pairs: Vec<[Vec<f64>; 2]> = (0..groups)
            .map(|index| {
                let cv = places.cv(index, groups, &mut rng);
                let mut value = || (100.0 * (1.0 + cv * normal(&mut rng))).max(1.0);
                let runs = if places == Places::History && index + 1 < groups {
                    [EARLIER_RUNS, 0]
                } else {
                    [made; 2]
                };
                runs.map(|runs| (0..runs).map(|_| value()).collect())
            })
            .collect();
        let all: Vec<Variance> = pairs.iter().map(variance).collect();
        for (tallies, &index) in tallies.iter_mut().zip(&compared) {
            let [baseline, candidate] = samples(&pairs[index], runs);
            let others: Vec<Variance> = [&all[..index], &all[index + 1..]].concat();
            let own = (runs > 1).then(|| all[index]);
            let prior = Prior::guarded(&others, own, places.lender()).ok();
            for (tally, (noise, method)) in tallies.iter_mut().zip(KINDS) {
                let method = if method == "welch" { Method::Welch } else { Method::Calibrated };
                let lent = prior.filter(|_| noise == "borrowed");
                if runs == 1 && noise == "own" {
                    continue;
                }
                let curve = if let Some(prior) = &lent {
                    let [log, _] = TwoSample::new(&baseline, &candidate, Across::MEAN, block.how)
                        .moderated(method, prior);
                    log
                } else {
                    TwoSample::new(&baseline, &candidate, Across::MEAN, block.how)
                        .curve(Scale::Log, method)
                };
                let interval = curve.ok().map(|curve| curve.interval(settings.confidence));
                tally.record(interval, lent.is_some(), &shifts);
            }
        }
    }
    tallies
}

/// The first `runs` of each variant.
fn samples(pair: &[Vec<f64>; 2], runs: usize) -> [Sample; 2] {
    [&pair[0], &pair[1]].map(|values| Sample::new(values[..runs].to_vec()).expect("finite values"))
}

/// Variance of both variants together, or of the only one.
fn variance(pair: &[Vec<f64>; 2]) -> Variance {
    let sample = |values: &Vec<f64>| Sample::new(values.clone()).expect("finite values");
    let (cv, df) = if pair[1].is_empty() {
        (sample(&pair[0]).log_sd(), pair[0].len() - 1)
    } else {
        pooled_cv(&sample(&pair[0]), &sample(&pair[1]))
            .map(|(cv, df)| (Some(cv), df))
            .unwrap_or_default()
    };
    Variance { value: cv.expect("two positive runs or more").powi(2), df: df as f64 }
}

impl BorrowedTally {
    fn record(&mut self, interval: Option<Interval>, lent: bool, shifts: &[f64]) {
        self.comparisons += 1;
        self.lent += u64::from(lent);
        let Some(interval) = interval else { return };
        self.claimed += u64::from(excludes_zero(interval, 0.0));
        for (seen, shift) in self.seen.iter_mut().zip(shifts) {
            *seen += u64::from(excludes_zero(interval, *shift));
        }
    }

    fn merge(&mut self, other: &Self) {
        self.comparisons += other.comparisons;
        self.lent += other.lent;
        self.claimed += other.claimed;
        self.seen.resize(other.seen.len(), 0);
        for (sum, seen) in self.seen.iter_mut().zip(&other.seen) {
            *sum += seen;
        }
    }
}

/// The row of one kind; a tally each for the comparisons of a job.
fn row(
    settings: &BorrowedSettings,
    Job { runs, groups, places }: Job,
    (noise, method): (&'static str, &'static str),
    tallies: &[&BorrowedTally],
) -> BorrowedRow {
    let mut all = BorrowedTally::default();
    for tally in tallies {
        all.merge(tally);
    }
    let share = |count: u64| count as f64 / all.comparisons as f64;
    let claimed = share(all.claimed);
    let each = tallies.iter().map(|tally| tally.claimed as f64 / tally.comparisons as f64);
    let power = settings.effects.iter().zip(&all.seen);
    BorrowedRow {
        places: places.word(),
        runs,
        groups,
        noise,
        method,
        comparisons: all.comparisons,
        compared: tallies.len() as u64,
        lent: share(all.lent),
        false_positives: claimed,
        standard_error: (claimed * (1.0 - claimed) / all.comparisons as f64).sqrt(),
        largest_false_positives: places.fixed().then(|| each.fold(0.0, f64::max)),
        power: power
            .map(|(effect, seen)| Power { effect: *effect, power: Some(share(*seen)) })
            .collect(),
    }
}
