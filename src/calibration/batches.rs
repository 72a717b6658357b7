//! A batch as a whole, simulated: the change that its cells share, the factor named, the intervals of called cells.
//!
//! The cells have two factors, `a` and `b`, and a name of their own. Every batch goes the whole path of the program.

use std::collections::BTreeMap;

use rand_chacha::ChaCha8Rng;
use serde::Serialize;

use crate::shapes::{normal, uniform};
use beyondnoise::analysis::{BatchBase, batch};
use beyondnoise::calibrate::{Block, generator, in_blocks};
use beyondnoise::policy::Policy;
use beyondnoise::report::{BatchRow, Comparison};
use beyondnoise::runs::{Dataset, Run, Setting, Source, Value, Workload};
use beyondnoise::verdict::Verdict;

/// Cells of a batch that are simulated, with the values of the factors `a` and `b`.
const CELLS: [(usize, [usize; 2]); 3] = [(6, [3, 2]), (20, [4, 5]), (300, [3, 5])];

/// Runs of each variant that are simulated; of the largest batch the first of them alone.
const RUNS: [usize; 2] = [3, 5];

/// Batches of the largest size for a thousand of the others.
const OF_LARGEST: u64 = 100;

/// Metrics that decide; their noise is independent.
const METRICS: [&str; 3] = ["output_throughput", "mean_ttft_ms", "mean_tpot_ms"];

/// Run-to-run CV.
const SD: f64 = 0.02;

/// The change that cells share, as a log ratio.
const SHIFT: f64 = -0.02;

/// Standard deviation of the cells' own changes where they vary.
const APART: f64 = 0.02;

/// The change of the cells of one value, and of those that changed alone.
const LARGE: f64 = 0.08;

/// Distance of an estimate from the truth that still counts as close, a fraction.
pub(crate) const CLOSE: f64 = 0.003;

/// Where the streams of the generator begin: beyond those of warnings.
const STREAMS: u64 = 0xe0 << 56;

/// Settings of the simulation.
#[derive(Clone, Debug)]
pub struct BatchSettings {
    /// How batches are judged.
    pub policy: Policy,
    /// Batches a row; a tenth of 300 cells.
    pub repetitions: u64,
    /// First seed.
    pub seed: u64,
}

/// What was found in the batches of one kind.
#[derive(Clone, Debug, Serialize)]
pub struct BatchesRow {
    /// How the cells changed.
    pub case: &'static str,
    /// Cells of a batch.
    pub cells: usize,
    /// Runs of each variant in a cell.
    pub runs: usize,
    /// Batches simulated.
    pub batches: u64,
    /// Share of the intervals of the shared change that hold the mean of the cells' population.
    pub coverage: Option<f64>,
    /// Share of the shared changes within 0.3 points of it.
    pub close: Option<f64>,
    /// Share of the batches in which a factor or a value was named in error.
    pub named_in_error: f64,
    /// Share of the batches in which the value that differs was named for its metric; null where none does.
    pub named: Option<f64>,
    /// Changes of single cells that were called, a batch.
    pub called: f64,
    /// Mean share of them whose interval misses the truth.
    pub false_coverage: f64,
    /// Standard error of that mean.
    pub false_coverage_error: f64,
}

/// How cells change and scatter.
#[derive(Clone, Copy, PartialEq)]
enum Case {
    /// All by the same.
    Alike,
    /// Around the shared change.
    Apart,
    /// All by the same, with noise of 1, 2 and 4 % by the value of `a`.
    Noisy,
    /// The first metric changes on the first value of `a` alone.
    Value,
    /// One cell in twenty.
    Some,
}

const CASES: [(Case, &str); 5] = [
    (Case::Alike, "alike"),
    (Case::Apart, "varying"),
    (Case::Noisy, "alike, unequal noise"),
    (Case::Value, "one value"),
    (Case::Some, "one cell in 20"),
];

/// What is simulated together.
#[derive(Clone, Copy)]
struct Job {
    case: Case,
    name: &'static str,
    cells: usize,
    factors: [usize; 2],
    runs: usize,
}

#[derive(Clone, Copy, Default)]
struct Tally {
    batches: u64,
    intervals: u64,
    covered: u64,
    close: u64,
    in_error: u64,
    named: u64,
    called: u64,
    missed: f64,
    missed_squares: f64,
}

fn jobs() -> Vec<Job> {
    let mut jobs = Vec::new();
    for (case, name) in CASES {
        for (cells, factors) in CELLS {
            let large = cells == 300;
            let wanted = match case {
                Case::Value => cells > 6,
                Case::Some => large,
                _ => true,
            };
            let runs = RUNS.iter().take(if large { 1 } else { 2 });
            let job = |&runs| Job { case, name, cells, factors, runs };
            jobs.extend(runs.map(job).filter(|_| wanted));
        }
    }
    jobs
}

impl BatchSettings {
    /// Batches that are simulated.
    pub fn batches(&self) -> u64 {
        jobs().iter().map(|job| self.of_job(job)).sum()
    }

    fn of_job(&self, job: &Job) -> u64 {
        let large = job.cells == 300;
        if large { (self.repetitions * OF_LARGEST).div_ceil(1_000) } else { self.repetitions }
    }
}

/// Simulates every case; `done` hears of finished batches, [`BatchSettings::batches`] in all.
pub fn simulate_batches(settings: &BatchSettings, done: &(dyn Fn(u64) + Sync)) -> Vec<BatchesRow> {
    let jobs = jobs();
    let repetitions: Vec<u64> = jobs.iter().map(|job| settings.of_job(job)).collect();
    let first = settings.policy.resampling;
    let sums = in_blocks(&repetitions, 8, first, |block: &Block| {
        let mut tally = Tally::default();
        for repetition in block.repetitions.clone() {
            let stream = STREAMS | (block.job as u64) << 48 | repetition;
            tally.record(&jobs[block.job], &settings.policy, &mut generator(settings.seed, stream));
        }
        done(block.repetitions.end - block.repetitions.start);
        tally
    });
    let mut totals = vec![Tally::default(); jobs.len()];
    for (job, tally) in sums {
        totals[job].merge(&tally);
    }
    jobs.iter().zip(totals).map(|(job, tally)| tally.row(job)).collect()
}

/// The true change of every cell in every metric, as log ratios.
fn changes(job: &Job, rng: &mut ChaCha8Rng) -> Vec<[f64; METRICS.len()]> {
    let one = |cell: usize| {
        [0, 1, 2].map(|metric| match job.case {
            Case::Alike | Case::Noisy => SHIFT,
            Case::Apart => SHIFT + APART * normal(rng),
            Case::Value if metric == 0 && cell.is_multiple_of(job.factors[0]) => LARGE / 2.0,
            // The sign too is drawn.
            Case::Some if cell.is_multiple_of(20) => LARGE * (uniform(rng) - 0.5).signum(),
            Case::Value | Case::Some => 0.0,
        })
    };
    (0..job.cells).map(one).collect()
}

/// The runs of a batch whose cells changed by so much.
fn dataset(job: &Job, changes: &[[f64; METRICS.len()]], rng: &mut ChaCha8Rng) -> Dataset {
    let mut runs = Vec::with_capacity(2 * job.runs * job.cells);
    for (cell, changes) in changes.iter().enumerate() {
        let (a, b) = (cell % job.factors[0], cell / job.factors[0] % job.factors[1]);
        let names = [("a", a), ("b", b), ("cell", cell)];
        let of_cell: BTreeMap<String, String> =
            names.iter().map(|(name, value)| ((*name).to_owned(), value.to_string())).collect();
        let sd = if job.case == Case::Noisy { SD / 2.0 * f64::from(1 << a.min(2)) } else { SD };
        let workload = Workload {
            max_concurrency: Setting::Value(8.0),
            requests: Some(2_000),
            input_tokens: Some(64_000),
            ..Workload::default()
        };
        for place in 0..2 * job.runs {
            let candidate = place % 2 == 1;
            let metrics = METRICS.iter().zip(changes).map(|(metric, change)| {
                let change = if candidate { *change } else { 0.0 };
                let value = 100.0 * (change + sd * normal(rng)).exp();
                ((*metric).to_owned(), Value { value, resolution: 0.0 })
            });
            let position = runs.len() + 2;
            runs.push(Run {
                variant: if candidate { "after" } else { "before" }.to_owned(),
                source: Source { path: "runs.csv".into(), position, counts: "line" },
                workload: workload.clone().into(),
                cell: of_cell.clone().into(),
                metrics: metrics.collect(),
                ..Run::default()
            });
        }
    }
    Dataset::assemble(runs, Vec::new())
}

impl Tally {
    fn record(&mut self, job: &Job, policy: &Policy, rng: &mut ChaCha8Rng) {
        let changes = changes(job, rng);
        let dataset = dataset(job, &changes, rng);
        let by = ["a", "b", "cell"].map(str::to_owned);
        let base = BatchBase::Label(Some("before".to_owned()));
        let report = batch(&dataset, None, &by, &base, policy).expect("two variants");
        let whole = report.batch.expect("a batch");
        self.batches += 1;
        self.shared(job, &whole);
        self.factors(job, &whole);
        self.cells(&report.comparisons, &changes);
    }

    fn shared(&mut self, job: &Job, batch: &BatchRow) {
        if matches!(job.case, Case::Value | Case::Some) {
            return;
        }
        let truth = SHIFT.exp_m1();
        for row in &batch.shared {
            let holds = |[low, high]: [f64; 2]| low <= truth && truth <= high;
            self.intervals += 1;
            self.covered += u64::from(row.change.relative_ci.is_some_and(holds));
            self.close += u64::from((row.change.relative - truth).abs() < CLOSE);
        }
    }

    fn factors(&mut self, job: &Job, batch: &BatchRow) {
        let (mut right, mut wrong) = (false, false);
        for row in &batch.shared {
            let differs = job.case == Case::Value && row.metric == METRICS[0];
            for factor in row.factors.iter().filter(|factor| factor.explains) {
                let value = factor.differs.as_ref().map(|differs| differs.value.as_str());
                let true_one = differs && factor.factor == "a" && value.is_none_or(|v| v == "0");
                wrong |= !true_one;
                right |= true_one && value.is_some();
            }
        }
        self.in_error += u64::from(wrong);
        self.named += u64::from(right);
    }

    fn cells(&mut self, comparisons: &[Comparison], changes: &[[f64; METRICS.len()]]) {
        let (mut called, mut missed) = (0_u64, 0_u64);
        for comparison in comparisons {
            let cell = comparison.cell.get("cell").and_then(|cell| cell.parse::<usize>().ok());
            for row in comparison.deciding() {
                use Verdict::{Better, TinyBetter, TinyWorse, Worse};
                let metric = METRICS.iter().position(|metric| *metric == row.metric);
                let (Some(cell), Some(metric)) = (cell, metric) else { continue };
                if matches!(row.verdict, Better | Worse | TinyBetter | TinyWorse) {
                    let truth = changes[cell][metric].exp_m1();
                    let ends = row.delta.relative_ci_adjusted;
                    let holds = |[low, high]: [f64; 2]| low <= truth && truth <= high;
                    called += 1;
                    missed += u64::from(!ends.is_some_and(holds));
                }
            }
        }
        let share = missed as f64 / called.max(1) as f64;
        self.called += called;
        self.missed += share;
        self.missed_squares += share * share;
    }

    fn merge(&mut self, other: &Self) {
        self.batches += other.batches;
        self.intervals += other.intervals;
        self.covered += other.covered;
        self.close += other.close;
        self.in_error += other.in_error;
        self.named += other.named;
        self.called += other.called;
        self.missed += other.missed;
        self.missed_squares += other.missed_squares;
    }

    fn row(&self, job: &Job) -> BatchesRow {
        let n = self.batches as f64;
        let of_intervals =
            |count: u64| (self.intervals > 0).then(|| count as f64 / self.intervals as f64);
        let mean = self.missed / n;
        BatchesRow {
            case: job.name,
            cells: job.cells,
            runs: job.runs,
            batches: self.batches,
            coverage: of_intervals(self.covered),
            close: of_intervals(self.close),
            named_in_error: self.in_error as f64 / n,
            named: (job.case == Case::Value).then(|| self.named as f64 / n),
            called: self.called as f64 / n,
            false_coverage: mean,
            false_coverage_error: ((self.missed_squares / n - mean * mean).max(0.0) / n).sqrt(),
        }
    }
}
