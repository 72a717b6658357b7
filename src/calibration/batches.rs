//! A batch as a whole, simulated: the change that its cells share, the factor named, the intervals of called cells.
//!
//! The cells have two factors, `a` and `b`, and a name of their own. Every batch goes the whole path of the program.

use std::collections::BTreeMap;

use crate::bands::EACH;
use crate::figures::FigureRow;
use crate::shapes::{normal, uniform};
use beyondnoise::analysis::batch;
use beyondnoise::calibrate::{Block, generator, in_blocks};
use beyondnoise::policy::{Base, Policy};
use beyondnoise::report::{BatchRow, Comparison};
use beyondnoise::runs::{Dataset, Run, Setting, Source, Value, Workload};
use beyondnoise::verdict::Verdict;
use rand_chacha::ChaCha8Rng;

/// Batches a case, for an answer in seconds and for the tables of the project; a tenth of 300 cells.
pub const BATCHES: [u64; 2] = [300, 2_000];

/// Cells of a batch that are simulated, with the values of the factors `a` and `b`.
const CELLS: [(usize, [usize; 2]); 3] = [(6, [3, 2]), (20, [4, 5]), (300, [3, 5])];

/// Runs of each variant that are simulated; of the largest batch the first of them alone.
const RUNS: [usize; 2] = [3, 5];

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
const CLOSE: f64 = 0.003;

/// Share of the estimates of 300 cells that are close, where all change by the same.
const ARE_CLOSE: (f64, f64) = (0.98, 1.0);

/// Share of batches in which a factor is named in error, and of called cells whose interval misses the truth.
const IN_ERROR: (f64, f64) = (0.0, 0.05);

/// Title of the report.
pub(crate) const TITLE: &str = "the interval of the change that all cells share covers in 93.5 to 98.5 %, and a factor is named \
    in error in at most 5 % of batches";

/// How the batches were made.
pub(crate) const LEAD: &str = "Batches with two factors and three deciding metrics of 2 % noise, judged as the program does it. \
    Alike: all cells change by −2 %. Varying: around −2 % with a standard deviation of 2 %; the truth is −2 %. Unequal noise: 1, 2 and \
    4 % by the first factor. One value: one metric changes by 4 % on one value of the first factor. One cell in 20: 5 % of the cells \
    change by ±8 %. Of batches of 300 cells a tenth.";

/// Where the streams of the generator begin: beyond those of capacities.
const STREAMS: u64 = 0xf0 << 56;

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

/// A case with its size: repetitions of it are simulated together.
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

/// Simulates every case.
pub fn simulate_batches(settings: &BatchSettings) -> Vec<FigureRow> {
    let jobs = jobs();
    let of_job = |job: &Job| settings.repetitions.div_ceil(if job.cells == 300 { 10 } else { 1 });
    let repetitions: Vec<u64> = jobs.iter().map(of_job).collect();
    let first = settings.policy.resampling;
    let sums = in_blocks(&repetitions, 8, first, |block: &Block| {
        let mut tally = Tally::default();
        for repetition in block.repetitions.clone() {
            let stream = STREAMS | (block.job as u64) << 48 | repetition;
            tally.record(&jobs[block.job], &settings.policy, &mut generator(settings.seed, stream));
        }
        tally
    });
    let mut totals = vec![Tally::default(); jobs.len()];
    for (job, tally) in sums {
        totals[job].merge(&tally);
    }
    jobs.iter().zip(totals).flat_map(|(job, tally)| tally.rows(job)).collect()
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
        let base = Base::Label("before".to_owned());
        let report = batch(&dataset, None, &by, Some(&base), policy).expect("two variants");
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

    fn rows(&self, job: &Job) -> Vec<FigureRow> {
        let case = format!("{}, {} cells", job.name, job.cells);
        let row = |figure, held, of, band| FigureRow::of((&case, job.runs, figure), held, of, band);
        let mut rows = Vec::new();
        if self.intervals > 0 {
            rows.push(row("covered", self.covered, self.intervals, Some(EACH)));
            let band = (job.cells == 300 && job.case == Case::Alike).then_some(ARE_CLOSE);
            rows.push(row("within 0.3 points", self.close, self.intervals, band));
        }
        rows.push(row("factor named in error", self.in_error, self.batches, Some(IN_ERROR)));
        if job.case == Case::Value {
            rows.push(row("value found", self.named, self.batches, None));
        }
        let rate = self.missed / self.batches as f64;
        let variance = self.missed_squares / self.batches as f64 - rate * rate;
        let standard_error = (variance.max(0.0) / self.batches as f64).sqrt();
        let called = row("called cells missed", 0, self.batches, Some(IN_ERROR));
        rows.push(FigureRow { rate, standard_error, ..called });
        let all = self.batches * (METRICS.len() * job.cells) as u64;
        rows.push(row("cells called", self.called, all, None));
        rows
    }
}
