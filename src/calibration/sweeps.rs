//! Sweeps, simulated: statements about all loads, and the bands of both curves.

use rand_chacha::ChaCha8Rng;

use crate::figures::FigureRow;
use crate::shapes::normal;
use beyondnoise::calibrate::{BLOCK, generator, in_blocks};
use beyondnoise::report::{Report, SweepRow};
use beyondnoise::runs::{Dataset, Run, Setting, Source, Value, Workload};
use beyondnoise::stats::Resampling;
use beyondnoise::verdict::Verdict;

/// Title of the report.
pub(crate) const TITLE: &str = "a statement about a sweep is false in at most 5 % of sweeps";

/// How the sweeps were made.
pub(crate) const LEAD: &str = "Two builds at eight loads, from 1 to 128 in flight, three deciding metrics with independent \
    normal noise. A statement is false where it calls a load better or worse that is not; a band covers where all of \
    both curves lie inside.";

/// Numbers of runs of each variant that are simulated.
pub const SWEEP_RUNS: [usize; 2] = [3, 5];

const LOADS: [f64; 8] = [1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 128.0];

const METRICS: [&str; 3] = ["output_throughput", "mean_ttft_ms", "mean_tpot_ms"];

/// Change of the throughput at the loads where it changed.
const CHANGE: f64 = 0.03;

/// Where the streams of the generator begin: beyond those of the warnings.
const STREAMS: u64 = 0xd0 << 56;

/// Settings of the simulation.
#[derive(Clone, Debug)]
pub struct SweepSettings {
    /// Runs of each variant at every load, from 2 to 255.
    pub runs: Vec<usize>,
    /// Sweeps a case.
    pub repetitions: u64,
    /// First seed.
    pub seed: u64,
}

/// How the true values and the noise of a sweep are made.
struct Case {
    name: &'static str,
    /// CV at the load of this position, from 0 to 7.
    noise: fn(usize) -> f64,
    /// Whether throughput changed at the load of this position.
    changed: fn(usize) -> bool,
}

const fn none(_: usize) -> bool {
    false
}

const fn half(position: usize) -> bool {
    position >= LOADS.len() / 2
}

/// From 0.5 % to 4 %.
fn growing(position: usize) -> f64 {
    0.005 * 8_f64.powf(position as f64 / 7.0)
}

static CASES: [Case; 6] = [
    Case { name: "no change, noise 1 %", noise: |_| 0.01, changed: none },
    Case { name: "no change, noise 3 %", noise: |_| 0.03, changed: none },
    Case { name: "no change, noise 0.5 to 4 %", noise: growing, changed: none },
    Case { name: "+3 % from 16 on, noise 1 %", noise: |_| 0.01, changed: half },
    Case { name: "+3 % from 16 on, noise 3 %", noise: |_| 0.03, changed: half },
    Case { name: "+3 % from 16 on, noise 0.5 to 4 %", noise: growing, changed: half },
];

/// Throughput and latencies at a load before any change and noise: a server that saturates.
fn truth(metric: usize, load: f64) -> f64 {
    match metric {
        0 => 3_000.0 * load / (load + 24.0),
        1 => 40.0 + 2.0 * load,
        _ => (load + 24.0) / 3.0,
    }
}

/// Simulates every case with every number of runs; `judge` makes the report of a data set, and `done` hears of finished
/// sweeps, [`SweepSettings::sweeps`] in all.
pub fn simulate_sweeps(
    settings: &SweepSettings,
    judge: &(dyn Fn(&Dataset) -> Option<Report> + Sync),
    done: &(dyn Fn(u64) + Sync),
) -> Vec<FigureRow> {
    let jobs: Vec<(usize, usize)> = (0..CASES.len())
        .flat_map(|case| settings.runs.iter().map(move |runs| (case, *runs)))
        .collect();
    let first = Resampling { count: 0, seed: settings.seed };
    let sums = in_blocks(&vec![settings.repetitions; jobs.len()], BLOCK, first, |block| {
        let (case, runs) = jobs[block.job];
        let mut held = [0_u64; 3];
        for repetition in block.repetitions.clone() {
            let stream = STREAMS | (case as u64) << 48 | (runs as u64) << 32;
            let mut rng = generator(settings.seed, stream | repetition & 0xffff_ffff);
            let report = judge(&dataset(&CASES[case], runs, &mut rng));
            let Some((report, sweep)) = report.as_ref().and_then(|r| Some((r, r.sweeps.first()?)))
            else {
                continue;
            };
            let [false_one, found] = said(&CASES[case], report, sweep);
            let covered = covers(&CASES[case], sweep);
            for (held, now) in
                held.iter_mut().zip([u64::from(false_one > 0), u64::from(covered), found])
            {
                *held += now;
            }
        }
        done(block.repetitions.end - block.repetitions.start);
        held
    });
    let mut totals = vec![[0_u64; 3]; jobs.len()];
    for (job, held) in sums {
        totals[job].iter_mut().zip(held).for_each(|(total, held)| *total += held);
    }
    let mut rows = Vec::new();
    for ((case, runs), [wrong, covered, found]) in jobs.iter().zip(totals) {
        let case = &CASES[*case];
        let n = settings.repetitions;
        let figure =
            |figure, held, n, band| FigureRow::of((case.name, *runs, figure), held, n, band);
        rows.push(figure("false statements", wrong, n, Some((0.0, 0.05))));
        rows.push(figure("bands cover", covered, n, Some((0.935, 0.985))));
        let changed = (0..LOADS.len()).filter(|at| (case.changed)(*at)).count() as u64;
        if changed > 0 {
            rows.push(figure("changed loads found", found, n * changed, None));
        }
    }
    rows
}

impl SweepSettings {
    /// Sweeps that are simulated.
    pub fn sweeps(&self) -> u64 {
        self.repetitions * (self.runs.len() * CASES.len()) as u64
    }
}

/// Loads called changed that are not, and changed loads that are called.
fn said(case: &Case, report: &Report, sweep: &SweepRow) -> [u64; 2] {
    let mut counts = [0, 0];
    for (at, point) in sweep.points.iter().enumerate() {
        for row in report.comparisons[point.comparison].deciding() {
            let better = match row.verdict {
                Verdict::Better | Verdict::TinyBetter => true,
                Verdict::Worse | Verdict::TinyWorse => false,
                _ => continue,
            };
            let right = better && row.metric == METRICS[0] && (case.changed)(at);
            counts[usize::from(right)] += 1;
        }
    }
    counts
}

/// Whether all true throughputs lie inside the bands of both curves.
fn covers(case: &Case, sweep: &SweepRow) -> bool {
    let curve = sweep.metrics.iter().find(|curve| curve.metric == METRICS[0]);
    let bands = curve.map(|curve| &curve.bands).into_iter().flatten().enumerate();
    let mut points = bands.flat_map(|(side, band)| {
        let of = move |(at, interval)| (side, at, interval);
        band.iter().enumerate().map(of)
    });
    points.all(|(side, at, interval): (usize, usize, &Option<[f64; 2]>)| {
        let changed = if side == 1 && (case.changed)(at) { 1.0 + CHANGE } else { 1.0 };
        let truth = truth(0, LOADS[at]) * changed;
        interval.is_some_and(|[low, high]| low <= truth && truth <= high)
    })
}

/// The runs of both builds at every load.
fn dataset(case: &Case, runs: usize, rng: &mut ChaCha8Rng) -> Dataset {
    let mut all = Vec::with_capacity(2 * runs * LOADS.len());
    for (at, load) in LOADS.into_iter().enumerate() {
        for candidate in [false, true] {
            for _ in 0..runs {
                let metrics = METRICS.iter().enumerate().map(|(metric, name)| {
                    let changed = candidate && metric == 0 && (case.changed)(at);
                    let change = if changed { 1.0 + CHANGE } else { 1.0 };
                    let noise = 1.0 + (case.noise)(at) * normal(rng);
                    let value = truth(metric, load) * change * noise;
                    ((*name).to_owned(), Value { value, resolution: 0.0 })
                });
                let workload = Workload {
                    max_concurrency: Setting::Value(load),
                    requests: Some(100_000),
                    ..Workload::default()
                };
                all.push(Run {
                    variant: if candidate { "after" } else { "before" }.to_owned(),
                    source: Source {
                        path: "runs.csv".into(),
                        position: all.len() + 2,
                        counts: "line",
                    },
                    workload: workload.into(),
                    metrics: metrics.collect(),
                    ..Run::default()
                });
            }
        }
    }
    Dataset::assemble(all, Vec::new())
}
