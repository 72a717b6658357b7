//! The interval of the change of a capacity, simulated: how often it covers.

use rand_chacha::ChaCha8Rng;

use crate::figures::FigureRow;
use crate::shapes::normal;
use beyondnoise::calibrate::{BLOCK, generator, in_blocks};
use beyondnoise::stats::{CapacityChange, Limit, LoadRuns, Resampling, capacity};

/// Title of the report.
pub(crate) const TITLE: &str = "the interval of a capacity's change covers in 93.5 to 98.5 %";

/// How the sweeps were made.
pub(crate) const LEAD: &str = "Two builds at eight loads, from 1 to 128 in flight; the noise of a run's throughput and \
    latencies is correlated (0.5). The limit on TTFT lies between two loads, at a load or near the last one, or is joined by one \
    on TPOT. An end that the measured loads do not bound is open. The true change is that of the curves through the true \
    values.";

/// Numbers of runs of each variant at every load that are simulated.
pub const CAPACITY_RUNS: [usize; 2] = [3, 5];

const LOADS: [f64; 8] = [1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 128.0];

/// Share of the noise of a run that all its metrics have in common.
const SHARED: f64 = 0.5;

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
    /// Resamples, and the first seed.
    pub resampling: Resampling,
}

/// How runs vary.
struct Noise {
    name: &'static str,
    /// CV at the load of this position, from 0 to 7.
    cv: fn(usize) -> f64,
}

static NOISE: [Noise; 3] = [
    Noise { name: "noise 1 %", cv: |_| 0.01 },
    Noise { name: "noise 3 %", cv: |_| 0.03 },
    Noise { name: "noise 0.5 to 4 %", cv: |position| 0.005 * 8_f64.powf(position as f64 / 7.0) },
];

/// Limits on TTFT and TPOT in ms, and how much faster the candidate is.
struct Place {
    name: &'static str,
    limits: &'static [f64],
    change: f64,
}

/// TTFT is 90 ms at 25 in flight, 104 ms at 32, 240 ms at 100, 296 ms at 128; TPOT is 16.3 ms at 25.
static PLACES: [Place; 6] = [
    Place { name: "between loads", limits: &[90.0], change: 0.0 },
    Place { name: "between loads, +5 %", limits: &[90.0], change: 0.05 },
    Place { name: "at a load", limits: &[104.0], change: 0.0 },
    Place { name: "near the end, +5 %", limits: &[240.0], change: 0.05 },
    Place { name: "at the end", limits: &[285.0], change: 0.0 },
    Place { name: "two limits, +5 %", limits: &[90.0, 16.0], change: 0.05 },
];

impl CapacitySettings {
    /// Sweeps that are simulated.
    pub fn sweeps(&self) -> u64 {
        self.repetitions * (self.runs.len() * PLACES.len() * NOISE.len()) as u64
    }
}

/// Throughput and latencies at a load: a server that saturates.
fn truth(column: usize, load: f64) -> f64 {
    match column {
        0 => 50.0 * load / (load + 24.0),
        1 => 40.0 + 2.0 * load,
        _ => (load + 24.0) / 3.0,
    }
}

/// Simulates every case with every number of runs; `done` hears of finished sweeps, [`CapacitySettings::sweeps`] in all.
pub fn simulate_capacity(
    settings: &CapacitySettings,
    done: &(dyn Fn(u64) + Sync),
) -> Vec<FigureRow> {
    let jobs: Vec<(usize, usize, usize)> = (0..PLACES.len())
        .flat_map(|place| (0..NOISE.len()).map(move |noise| (place, noise)))
        .flat_map(|(place, noise)| settings.runs.iter().map(move |runs| (place, noise, *runs)))
        .collect();
    let resampling = settings.resampling;
    let first = Resampling { count: 0, seed: resampling.seed };
    let sums = in_blocks(&vec![settings.repetitions; jobs.len()], BLOCK, first, |block| {
        let (place, noise, runs) = jobs[block.job];
        let limits: Vec<Limit> =
            PLACES[place].limits.iter().map(|value| Limit { value: *value, below: true }).collect();
        let expected = expected(&PLACES[place], &limits);
        let mut held = [0_u64; 3];
        for repetition in block.repetitions.clone() {
            let case = (place * NOISE.len() + noise) as u64;
            let stream = STREAMS | case << 48 | (runs as u64) << 32;
            let mut rng = generator(resampling.seed, stream | repetition & 0xffff_ffff);
            let [a, b] = [false, true]
                .map(|candidate| sweep(&PLACES[place], candidate, Some((noise, runs)), &mut rng));
            let Some(change) = CapacityChange::new([&a, &b], &limits, resampling) else { continue };
            let [low, high] = change.interval(settings.confidence);
            let found = [
                low <= expected && expected <= high,
                low > 0.0 || high < 0.0,
                low.is_finite() && high.is_finite(),
            ];
            held.iter_mut().zip(found).for_each(|(held, found)| *held += u64::from(found));
        }
        done(block.repetitions.end - block.repetitions.start);
        held
    });
    let mut totals = vec![[0_u64; 3]; jobs.len()];
    for (job, held) in sums {
        totals[job].iter_mut().zip(held).for_each(|(total, held)| *total += held);
    }
    let row =
        |((place, noise, runs), [covered, found, closed]): (&(usize, usize, usize), [u64; 3])| {
            let case = format!("{}, {}", PLACES[*place].name, NOISE[*noise].name);
            let changed = PLACES[*place].change > 0.0;
            let figure = |name, held, band| {
                FigureRow::of((&case, *runs, name), held, settings.repetitions, band)
            };
            let mut rows = vec![figure("interval covers", covered, Some((0.935, 0.985)))];
            rows.extend(changed.then(|| figure("change found", found, None)));
            rows.push(figure("both ends bounded", closed, None));
            rows
        };
    jobs.iter().zip(totals).flat_map(row).collect()
}

/// The true log ratio of the capacities.
fn expected(place: &Place, limits: &[Limit]) -> f64 {
    let mut rng = generator(0, STREAMS);
    let [a, b] = [false, true].map(|candidate| {
        let sweep = sweep(place, candidate, None, &mut rng);
        capacity(&sweep, limits).map_or(f64::NAN, |found| found.throughput)
    });
    (b / a).ln()
}

/// The runs of a build at every load, or its true values.
fn sweep(
    place: &Place,
    candidate: bool,
    noise: Option<(usize, usize)>,
    rng: &mut ChaCha8Rng,
) -> Vec<LoadRuns> {
    let faster = if candidate { 1.0 + place.change } else { 1.0 };
    let columns = place.limits.len() + 1;
    let mut run = |at: usize| -> Vec<f64> {
        let shared = normal(rng);
        let mut value = |column: usize| {
            let value = truth(column, LOADS[at]) * if column == 0 { faster } else { 1.0 / faster };
            let Some((noise, _)) = noise else { return value };
            // A slow run has little throughput and long latencies.
            let sign = if column == 0 { -1.0 } else { 1.0 };
            let own = (1.0 - SHARED).sqrt() * normal(rng);
            value * (1.0 + (NOISE[noise].cv)(at) * (sign * SHARED.sqrt() * shared + own))
        };
        (0..columns).map(&mut value).collect()
    };
    let runs = noise.map_or(1, |(_, runs)| runs);
    let load = |at: usize| LoadRuns { load: LOADS[at], runs: (0..runs).map(|_| run(at)).collect() };
    (0..LOADS.len()).map(load).collect()
}
