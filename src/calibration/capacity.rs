//! The interval of the change of a capacity, simulated: how often it covers, and what it calls.
//!
//! The curves are those over which intervals of a maximum fail: ties at the top and at the limit in one build or in both, peaks,
//! cold loads, limits at a load, builds that differ in the number of loads that tie.

use rand_chacha::ChaCha8Rng;

use crate::figures::FigureRow;
use crate::shapes::normal;
use beyondnoise::calibrate::{BLOCK, generator, in_blocks};
use beyondnoise::stats::{Capacity, CapacityChange, Limit, LoadRuns, Resampling};

/// Title of the report.
pub(crate) const TITLE: &str = "the interval of a capacity's change covers in 93.5 % and more";

/// How the sweeps were made.
pub(crate) const LEAD: &str = "Two builds at eight loads. The noise of a run's throughput and P99 is 0.5 and 2 % (low), 1 and 5 % \
    (mid) or 3 and 10 % (high), lognormal, grows threefold from the first load to the last, and is correlated by -0.5. Cases \
    with ties or an open end may cover more than 98.5 %. Linked: one start of 1 % serves all loads, with 0.5 and 2 % within. The true change is that of the curves through the \
    true values; of the queue, whose P99 is one over the room left, that of the queue.";

/// Numbers of runs of each variant at every load that are simulated.
pub const CAPACITY_RUNS: [usize; 3] = [3, 5, 10];

const LOADS: [f64; 8] = [1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 128.0];

/// Limit on P99 in ms.
const LIMIT: f64 = 500.0;

/// Correlation of the noise of throughput and of a latency.
const CORRELATION: f64 = -0.5;

/// Where the streams of the generator begin: beyond those of the sweeps.
const STREAMS: u64 = 0xe0 << 56;

/// Settings of the simulation.
#[derive(Clone, Debug)]
pub struct CapacitySettings {
    /// Runs of each variant at every load, from 2 to 255.
    pub runs: Vec<usize>,
    /// Sweeps a case.
    pub repetitions: u64,
    /// Nominal coverage.
    pub confidence: f64,
    /// The first seed.
    pub resampling: Resampling,
}

type Curve = [f64; 8];

/// The true values of a build.
#[derive(Clone)]
struct Build {
    throughput: Curve,
    latencies: Vec<Curve>,
}

/// Two builds under limits.
struct Case {
    name: String,
    builds: [Build; 2],
    limits: Vec<f64>,
    /// Log ratio of the true capacities.
    truth: f64,
    /// Whether loads tie, or the loads leave an end open, so that it may cover more.
    ties: bool,
    /// CV of a start that serves all loads.
    start: f64,
    noise: usize,
}

/// CV of a run's throughput and of its first latency; others have one and a half times that of the throughput.
const NOISE: [(&str, f64, f64); 3] =
    [("low", 0.005, 0.02), ("mid", 0.01, 0.05), ("high", 0.03, 0.10)];

const RISING: Curve = [1.0, 1.9, 3.6, 6.6, 11.6, 19.0, 29.0, 41.0];
const SATURATING: Curve = [1.0, 1.95, 3.7, 6.7, 11.0, 15.5, 18.4, 19.3];
const FALLING: Curve = [1.0, 1.95, 3.7, 6.7, 11.0, 14.0, 13.0, 11.0];
const PLATEAU: Curve = [1.0, 1.95, 3.7, 8.0, 8.02, 8.0, 8.0, 8.0];
const USUAL: Curve = [60.0, 64.0, 72.0, 90.0, 130.0, 240.0, 800.0, 3200.0];
const LATE: Curve = [60.0, 64.0, 72.0, 90.0, 130.0, 240.0, 400.0, 900.0];
const COLD: Curve = [2500.0, 64.0, 72.0, 90.0, 130.0, 240.0, 800.0, 3200.0];
const FLAT_ABOVE: Curve = [300.0, 400.0, 507.0, 507.0, 507.0, 507.0, 507.0, 900.0];
const TPOT: Curve = [10.0, 10.5, 11.2, 12.5, 15.0, 22.0, 44.0, 90.0];

fn build(throughput: Curve, latencies: &[Curve]) -> Build {
    Build { throughput, latencies: latencies.to_vec() }
}

/// The cases of one build against itself and against one that is 5 % better, and of builds that differ in shape.
fn cases() -> Vec<Case> {
    // Where P99 reaches its limit, on a straight line of reciprocals, TPOT has this value.
    let part = (1.0 / 240.0 - 1.0 / LIMIT) / (1.0 / 240.0 - 1.0 / 800.0);
    let tpot = 1.0 / ((1.0 - part) / TPOT[5] + part / TPOT[6]);
    let shapes: Vec<(&str, Build, Vec<f64>, bool)> = vec![
        (
            "rising",
            build(RISING, &[[60.0, 64.0, 72.0, 90.0, 130.0, 240.0, 620.0, 2000.0]]),
            vec![LIMIT],
            false,
        ),
        ("saturating", build(SATURATING, &[USUAL]), vec![LIMIT], false),
        ("falling past the peak", build(FALLING, &[LATE]), vec![LIMIT], false),
        (
            "flat top",
            build([1.0, 1.95, 3.7, 6.7, 11.0, 13.2, 13.5, 13.1], &[LATE]),
            vec![LIMIT],
            true,
        ),
        ("cold first load", build(SATURATING, &[COLD]), vec![LIMIT], false),
        (
            "limit at a load",
            build(SATURATING, &[[60.0, 64.0, 72.0, 90.0, 130.0, 500.0, 1100.0, 3200.0]]),
            vec![LIMIT],
            false,
        ),
        ("two limits, tied", build(SATURATING, &[USUAL, TPOT]), vec![LIMIT, tpot], false),
        (
            "near the end",
            build(SATURATING, &[[60.0, 64.0, 72.0, 90.0, 130.0, 190.0, 300.0, 560.0]]),
            vec![LIMIT],
            true,
        ),
        ("plateau", build(PLATEAU, &[USUAL]), vec![LIMIT], true),
        (
            "flat near the limit",
            build(RISING, &[[300.0, 470.0, 485.0, 492.0, 496.0, 503.0, 515.0, 900.0]]),
            vec![LIMIT],
            true,
        ),
        ("flat just above the limit", build(RISING, &[FLAT_ABOVE]), vec![LIMIT], true),
    ];
    let mut all = Vec::new();
    for (name, build, limits, ties) in shapes {
        let better = five_percent(&build, &limits);
        let pairs = [(name.to_owned(), build.clone()), (format!("{name}, +5 %"), better)];
        for (name, other) in pairs {
            for noise in 0..NOISE.len() {
                all.push(case(&name, [build.clone(), other.clone()], &limits, ties, noise));
            }
        }
    }
    let pairs: [(&str, Build, Build, bool); 6] = [
        (
            "plateau, one gains latency",
            build(PLATEAU, &[[60.0, 64.0, 72.0, 450.0, 700.0, 900.0, 1500.0, 3200.0]]),
            build(PLATEAU, &[[60.0, 64.0, 66.0, 70.0, 75.0, 85.0, 120.0, 900.0]]),
            true,
        ),
        (
            "falling, one gains latency",
            build(FALLING, &[LATE]),
            build(FALLING, &[[60.0, 64.0, 70.0, 80.0, 90.0, 120.0, 200.0, 440.0]]),
            false,
        ),
        (
            "falling, one doubles latency",
            build(FALLING, &[LATE]),
            build(FALLING, &[[60.0, 64.0, 72.0, 90.0, 130.0, 480.0, 800.0, 1800.0]]),
            false,
        ),
        ("cold first load of one", build(SATURATING, &[USUAL]), build(SATURATING, &[COLD]), false),
        (
            "broken in the middle in one",
            build(SATURATING, &[USUAL]),
            build(SATURATING, &[[60.0, 64.0, 72.0, 560.0, 130.0, 240.0, 800.0, 3200.0]]),
            false,
        ),
        (
            "flat just above in one",
            build(RISING, &[[300.0, 400.0, 560.0, 620.0, 700.0, 800.0, 1000.0, 1500.0]]),
            build(RISING, &[FLAT_ABOVE]),
            true,
        ),
    ];
    for (name, a, b, ties) in pairs {
        for noise in 0..NOISE.len() {
            all.push(case(name, [a.clone(), b.clone()], &[LIMIT], ties, noise));
        }
    }
    for shape in [SATURATING, RISING] {
        let same = build(shape, &[USUAL]);
        let linked = case("linked", [same.clone(), same], &[LIMIT], false, 0);
        let name = if shape == RISING { "linked, rising" } else { "linked, saturating" };
        all.push(Case { start: 0.01, name: name.to_owned(), ..linked });
    }
    all.push(queue());
    all
}

fn case(name: &str, builds: [Build; 2], limits: &[f64], ties: bool, noise: usize) -> Case {
    let truth = {
        let [a, b] = builds.each_ref().map(|build| true_capacity(build, limits));
        (b / a).ln()
    };
    let name = format!("{name}, {}", NOISE[noise].0);
    Case { name, builds, limits: limits.to_vec(), truth, ties, start: 0.0, noise }
}

/// An open loop at rates up to 27 of a server that manages 28, and one that manages 5 % more: P99 is 2000 ms / (room left). The
/// limit of 500 ms leaves a room of 4.
fn queue() -> Case {
    let rates = [2.0, 4.0, 8.0, 12.0, 16.0, 20.0, 24.0, 27.0];
    let server = |most: f64| build(rates, &[rates.map(|rate| 2000.0 / (most - rate))]);
    let [slow, fast] = [27.5, 27.5 * 1.05];
    Case {
        name: "a queue between loads, +5 %, mid".to_owned(),
        builds: [server(slow), server(fast)],
        limits: vec![LIMIT],
        truth: ((fast - 4.0) / (slow - 4.0)).ln(),
        ties: false,
        start: 0.0,
        noise: 1,
    }
}

fn true_capacity(build: &Build, limits: &[f64]) -> f64 {
    let load = |at: usize| {
        let latencies = build.latencies.iter().map(|latency| latency[at]);
        let run = std::iter::once(build.throughput[at]).chain(latencies).collect();
        LoadRuns { load: LOADS[at], runs: vec![run] }
    };
    let sweep: Vec<LoadRuns> = (0..LOADS.len()).map(load).collect();
    Capacity::of(&sweep, &below(limits)).map_or(f64::NAN, |found| found.throughput)
}

fn below(limits: &[f64]) -> Vec<Limit> {
    limits.iter().map(|value| Limit { value: *value, below: true }).collect()
}

/// A build whose capacity is 5 % higher: half of it by throughput, the rest by latency where that counts.
fn five_percent(build: &Build, limits: &[f64]) -> Build {
    let wanted = 1.05 * true_capacity(build, limits);
    let faster = |factor: f64, by_throughput: f64| Build {
        throughput: build.throughput.map(|rate| rate * by_throughput),
        latencies: build.latencies.iter().map(|curve| curve.map(|ms| ms / factor)).collect(),
    };
    let reaches = |factor: f64| true_capacity(&faster(factor, 1.025), limits) >= wanted;
    let (mut low, mut high) = (1.0, 4.0);
    if !reaches(high) {
        return faster(1.0, 1.05);
    }
    for _ in 0..60 {
        let middle = f64::midpoint(low, high);
        if reaches(middle) { high = middle } else { low = middle }
    }
    let found = true_capacity(&faster(high, 1.025), limits);
    // At a peak the latency does not count.
    if (found / wanted - 1.0).abs() < 1e-6 { faster(high, 1.025) } else { faster(1.0, 1.05) }
}

impl CapacitySettings {
    /// Sweeps that are simulated.
    pub fn sweeps(&self) -> u64 {
        self.repetitions * (self.runs.len() * cases().len()) as u64
    }
}

#[derive(Clone, Copy, Default)]
struct Tally {
    covered: u64,
    better: u64,
    worse: u64,
    closed: u64,
}

/// Simulates every case with every number of runs; `done` hears of finished sweeps, [`CapacitySettings::sweeps`] in all.
pub fn simulate_capacity(
    settings: &CapacitySettings,
    done: &(dyn Fn(u64) + Sync),
) -> Vec<FigureRow> {
    let cases = cases();
    let jobs: Vec<(usize, usize)> = (0..cases.len())
        .flat_map(|case| settings.runs.iter().map(move |runs| (case, *runs)))
        .collect();
    let first = Resampling { count: 0, seed: settings.resampling.seed };
    let sums = in_blocks(&vec![settings.repetitions; jobs.len()], BLOCK, first, |block| {
        let (at, runs) = jobs[block.job];
        let case = &cases[at];
        let limits = below(&case.limits);
        let mut tally = Tally::default();
        for repetition in block.repetitions.clone() {
            let stream = STREAMS | (at as u64) << 48 | (runs as u64) << 32;
            let mut rng = generator(first.seed, stream | repetition & 0xffff_ffff);
            let [a, b] = case.builds.each_ref().map(|build| sweep(case, build, runs, &mut rng));
            let linked = [case.start > 0.0; 2];
            let Some(change) = CapacityChange::new([&a, &b], &limits, linked) else { continue };
            let [low, high] = change.interval(settings.confidence);
            // The truth of a case may lie on an end up to rounding.
            let covers = low <= case.truth + 1e-9 && case.truth - 1e-9 <= high;
            tally.covered += u64::from(covers);
            tally.better += u64::from(low > 0.0);
            tally.worse += u64::from(high < 0.0);
            tally.closed += u64::from(low.is_finite() && high.is_finite());
        }
        done(block.repetitions.end - block.repetitions.start);
        tally
    });
    let mut totals = vec![Tally::default(); jobs.len()];
    for (job, tally) in sums {
        let total = &mut totals[job];
        total.covered += tally.covered;
        total.better += tally.better;
        total.worse += tally.worse;
        total.closed += tally.closed;
    }
    let rows = |(&(at, runs), tally): (&(usize, usize), Tally)| {
        let case = &cases[at];
        let figure = |name, held, band| {
            FigureRow::of((&case.name, runs, name), held, settings.repetitions, band)
        };
        let most = if case.ties || case.start > 0.0 { 1.0 } else { 0.985 };
        let wrong = (case.truth > 0.01).then_some((0.0, 0.005));
        [
            figure("interval covers", tally.covered, Some((0.935, most))),
            figure("called better", tally.better, None),
            figure("called worse", tally.worse, wrong),
            figure("both ends bounded", tally.closed, None),
        ]
    };
    jobs.iter().zip(totals).flat_map(rows).collect()
}

/// The runs of a build at every load.
fn sweep(case: &Case, build: &Build, runs: usize, rng: &mut ChaCha8Rng) -> Vec<LoadRuns> {
    let (_, cv, cv_latency) = NOISE[case.noise];
    let starts: Vec<f64> = (0..runs).map(|_| case.start * normal(rng)).collect();
    let mut load = |at: usize| {
        let grown = 0.5 + at as f64 / 7.0;
        let run = |start: &f64| -> Vec<f64> {
            let z = normal(rng);
            // Lognormal with the mean that is wanted.
            let value = |mean: f64, cv: f64, z: f64, shift: f64| {
                let sd = (1.0 + (cv * grown).powi(2)).ln().sqrt();
                mean * (sd * z - sd * sd / 2.0 + shift).exp()
            };
            let mut values = vec![value(build.throughput[at], cv, z, *start)];
            for (latency, curve) in build.latencies.iter().enumerate() {
                let cv = if latency == 0 { cv_latency } else { 1.5 * cv };
                let own = CORRELATION * z + (1.0 - CORRELATION * CORRELATION).sqrt() * normal(rng);
                values.push(value(curve[at], cv, own, -2.0 * start));
            }
            values
        };
        LoadRuns { load: LOADS[at], runs: starts.iter().map(run).collect() }
    };
    (0..LOADS.len()).map(&mut load).collect()
}
