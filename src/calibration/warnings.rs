//! How often a comparison warns: where nothing changed, and where something is wrong with its runs.
//!
//! Two builds with three deciding metrics, whose noise is independent. The caller provides the function that judges
//! them, so that the whole path of the program is measured.

use schemars::JsonSchema;
use serde::Serialize;

use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;

use crate::shapes::{exponential, normal, student, uniform};
use beyondnoise::calibrate::{BLOCK, generator, in_blocks};
use beyondnoise::runs::{Dataset, Run, Setting, Source, Value, Workload};
use beyondnoise::stats::Resampling;

/// Numbers of runs of each variant that are simulated.
pub const WARNING_RUNS: [usize; 8] = [3, 4, 5, 6, 8, 10, 12, 20];

/// Checks whose warning chance can set off.
pub const BY_CHANCE: [&str; 8] = [
    "outlier-run",
    "slow-first-run",
    "cache-warm",
    "first-cell-outlier",
    "drift",
    "order-confounded",
    "noisy",
    "two-modes",
];

/// Names of the label of all these checks together.
pub const ANY: &str = "any";

/// The case whose runs come in a random order, which for few runs is all of one before all of the other.
pub(crate) const RANDOM_ORDER: &str = "normal, random order";

/// Metrics that decide; the effects are in the first.
const METRICS: [&str; 3] = ["output_throughput", "mean_ttft_ms", "mean_tpot_ms"];

/// Run-to-run CV of the comparisons with an effect.
const SD: f64 = 0.02;

/// Where the streams of the generator begin: beyond those of noise priors.
const STREAMS: u64 = 0xc0 << 56;

/// Settings of the simulation.
#[derive(Clone, Debug)]
pub struct WarningSettings {
    /// Runs of each variant, from 3 to 255.
    pub runs: Vec<usize>,
    /// Comparisons a cell.
    pub repetitions: u64,
    /// First seed.
    pub seed: u64,
}

/// How often a check warned.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct WarningRow {
    /// The scenario: `clean, normal`, or the fault of the runs.
    pub case: &'static str,
    /// Whether nothing is wrong, so that a warning is a false one.
    pub clean: bool,
    /// The check, or `any` of those that chance can set off.
    pub check: &'static str,
    /// Runs of each variant.
    #[schemars(range(min = 3))]
    pub runs: usize,
    /// Comparisons simulated.
    #[schemars(range(min = 1))]
    pub comparisons: u64,
    /// Share of the comparisons that warned.
    #[schemars(range(min = 0, max = 1))]
    pub rate: f64,
    /// Its binomial standard error.
    #[schemars(range(min = 0))]
    pub standard_error: f64,
}

/// A way in which the runs are made.
struct Case {
    name: &'static str,
    /// The check that should warn; `None` where nothing is wrong.
    sought: Option<&'static str>,
    /// A check that is right to warn where else nothing is wrong.
    right: Option<&'static str>,
    /// Noise of one run, about 0.
    noise: fn(&mut ChaCha8Rng) -> f64,
    /// Fault of the leading metric, in standard deviations, for the run at this position of its variant and in the
    /// whole order.
    wrong: fn(Made) -> f64,
    /// Order of the runs.
    order: Order,
}

/// One run of the simulation.
#[derive(Clone, Copy)]
struct Made {
    candidate: bool,
    position: usize,
    runs: usize,
    /// Its place among all runs in time, from 0 to 1.
    time: f64,
}

#[derive(Clone, Copy, PartialEq)]
enum Order {
    /// A B B A A B B A.
    Turns,
    /// Drawn at random.
    Random,
    /// All of the baseline first, but for one run of each.
    Blocks,
}

const fn clean(name: &'static str, noise: fn(&mut ChaCha8Rng) -> f64, order: Order) -> Case {
    Case { name, sought: None, right: None, noise, wrong: |_| 0.0, order }
}

const fn wrong(name: &'static str, sought: &'static str, wrong: fn(Made) -> f64) -> Case {
    let noise = normal_noise;
    Case { name, sought: Some(sought), right: None, noise, wrong, order: Order::Turns }
}

fn normal_noise(rng: &mut ChaCha8Rng) -> f64 {
    SD * normal(rng)
}

/// The run in the middle of the candidate's is off.
fn outlier(made: Made, by: f64) -> f64 {
    if made.candidate && made.position == made.runs / 2 { by } else { 0.0 }
}

fn first(made: Made, by: f64) -> f64 {
    if made.candidate && made.position == 0 { by } else { 0.0 }
}

/// Every other pair of runs of both variants is in the other mode.
fn modes(made: Made, by: f64) -> f64 {
    if made.position / 2 % 2 == 1 { by } else { 0.0 }
}

static CASES: [Case; 18] = [
    clean("normal", normal_noise, Order::Turns),
    // So noisy that a word about the noise is true.
    Case {
        right: Some("noisy"),
        ..clean("lognormal 0.5", |rng| (0.5 * normal(rng)).exp_m1(), Order::Turns)
    },
    clean("Student t3", |rng| SD * student(3, rng), Order::Turns),
    clean("uniform", |rng| SD * 3.5 * (uniform(rng) - 0.5), Order::Turns),
    clean("exponential", |rng| SD * exponential(rng), Order::Turns),
    clean(RANDOM_ORDER, normal_noise, Order::Random),
    wrong("one run 10 sd off", "outlier-run", |made| outlier(made, -10.0)),
    wrong("one run 20 sd off", "outlier-run", |made| outlier(made, -20.0)),
    wrong("first run 10 sd slow", "slow-first-run", |made| first(made, -10.0)),
    wrong("first run 20 sd slow", "slow-first-run", |made| first(made, -20.0)),
    wrong("two modes 6 sd apart", "two-modes", |made| modes(made, 6.0)),
    wrong("two modes 10 sd apart", "two-modes", |made| modes(made, 10.0)),
    wrong("drift of 2 sd in total", "drift", |made| 2.0 * made.time),
    wrong("drift of 4 sd in total", "drift", |made| 4.0 * made.time),
    Case { noise: |rng| 0.10 * normal(rng), ..wrong("CV 10 %", "noisy", |_| 0.0) },
    Case { noise: |rng| 0.15 * normal(rng), ..wrong("CV 15 %", "noisy", |_| 0.0) },
    Case { order: Order::Blocks, ..wrong("AA..ABAB..BB", "order-confounded", |_| 0.0) },
    Case {
        order: Order::Blocks,
        ..wrong("AA..ABAB..BB, drift of 4 sd", "order-confounded", |made| 4.0 * made.time)
    },
];

/// Simulates every case with every number of runs; `judge` gives the checks that warn of a comparison of `before` with
/// `after`, and `done` hears of finished comparisons, [`WarningSettings::comparisons`] in all.
///
/// Rows come by case, then check, then runs.
pub fn simulate_warnings(
    settings: &WarningSettings,
    judge: &(dyn Fn(&Dataset) -> Vec<&'static str> + Sync),
    done: &(dyn Fn(u64) + Sync),
) -> Vec<WarningRow> {
    let jobs: Vec<(usize, usize)> = (0..CASES.len())
        .flat_map(|case| settings.runs.iter().map(move |runs| (case, *runs)))
        .collect();
    let first = Resampling { count: 0, seed: settings.seed };
    let sums = in_blocks(&vec![settings.repetitions; jobs.len()], BLOCK, first, |block| {
        let (case, runs) = jobs[block.job];
        let mut counts = [0_u64; BY_CHANCE.len() + 1];
        for repetition in block.repetitions.clone() {
            let stream = STREAMS | (case as u64) << 48 | (runs as u64) << 32;
            let mut rng = generator(settings.seed, stream | repetition & 0xffff_ffff);
            // Several levels share the test of two modes.
            let told = |check| if check == "several-levels" { "two-modes" } else { check };
            let warned = judge(&dataset(&CASES[case], runs, &mut rng)).into_iter().map(told);
            let warned: Vec<&str> = warned.collect();
            let false_one = |check| CASES[case].right != Some(check) && warned.contains(&check);
            let told = BY_CHANCE.map(false_one);
            for (count, told) in counts.iter_mut().zip(told) {
                *count += u64::from(told);
            }
            counts[BY_CHANCE.len()] += u64::from(told.contains(&true));
        }
        done(block.repetitions.end - block.repetitions.start);
        counts
    });
    let mut totals = vec![[0_u64; BY_CHANCE.len() + 1]; jobs.len()];
    for (job, counts) in sums {
        for (total, count) in totals[job].iter_mut().zip(counts) {
            *total += count;
        }
    }
    let mut rows = Vec::new();
    for (index, case) in CASES.iter().enumerate() {
        for (place, check) in BY_CHANCE.iter().chain([&ANY]).enumerate() {
            if case.sought.is_some_and(|sought| sought != *check) {
                continue;
            }
            let of_case = jobs.iter().zip(&totals).filter(|((of, _), _)| *of == index);
            rows.extend(of_case.map(|((_, runs), counts)| {
                let rate = counts[place] as f64 / settings.repetitions as f64;
                WarningRow {
                    case: case.name,
                    clean: case.sought.is_none(),
                    check,
                    runs: *runs,
                    comparisons: settings.repetitions,
                    rate,
                    standard_error: (rate * (1.0 - rate) / settings.repetitions as f64).sqrt(),
                }
            }));
        }
    }
    rows
}

impl WarningSettings {
    /// Comparisons that are simulated.
    pub fn comparisons(&self) -> u64 {
        self.repetitions * (self.runs.len() * CASES.len()) as u64
    }
}

/// The runs of one comparison, with their starts.
fn dataset(case: &Case, runs: usize, rng: &mut ChaCha8Rng) -> Dataset {
    let candidate_at = sides(case.order, runs, rng);
    let mut positions = [0, 0];
    let mut all = Vec::with_capacity(2 * runs);
    for (place, candidate) in candidate_at.into_iter().enumerate() {
        let position = positions[usize::from(candidate)];
        positions[usize::from(candidate)] += 1;
        let time = place as f64 / (2 * runs - 1) as f64;
        let made = Made { candidate, position, runs, time };
        let metrics = METRICS.iter().enumerate().map(|(index, metric)| {
            let effect = if index == 0 { SD * (case.wrong)(made) } else { 0.0 };
            // No metric is negative.
            let drawn = || 100.0 * (1.0 + effect + (case.noise)(rng));
            let value = std::iter::repeat_with(drawn).find(|value| *value > 0.0).unwrap_or(1.0);
            ((*metric).to_owned(), Value { value, resolution: 0.0 })
        });
        let mut run = Run {
            variant: if candidate { "after" } else { "before" }.to_owned(),
            source: Source { path: "runs.csv".into(), position: place + 2, counts: "line" },
            workload: Workload {
                max_concurrency: Setting::Value(8.0),
                requests: Some(2_000),
                input_tokens: Some(64_000),
                ..Workload::default()
            }
            .into(),
            metrics: metrics.collect(),
            ..Run::default()
        };
        run.info.started = Some((600 * place).to_string());
        all.push(run);
    }
    Dataset::assemble(all, Vec::new())
}

/// Whether each run in time is one of the candidate.
fn sides(order: Order, runs: usize, rng: &mut ChaCha8Rng) -> Vec<bool> {
    let mut sides: Vec<bool> = match order {
        Order::Turns => (0..2 * runs).map(|place| matches!(place % 4, 1 | 2)).collect(),
        Order::Random | Order::Blocks => (0..2 * runs).map(|place| place >= runs).collect(),
    };
    match order {
        Order::Turns if runs % 2 == 1 => {
            // The last two by turns.
            sides[2 * runs - 2] = false;
            sides[2 * runs - 1] = true;
        }
        Order::Random => sides.shuffle(rng),
        Order::Blocks => sides.swap(runs - 1, runs),
        Order::Turns => {}
    }
    sides
}
