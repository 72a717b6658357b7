//! Simulated error rates of the default interval: how often it covers the truth, how often it
//! claims a change where there is none, how often it sees one that is there.
//!
//! Both variants of a repetition are drawn from the same noise, so the ratio of their true means is
//! exactly 1 whatever its shape. Every repetition has a generator stream of its own: the figures
//! are the same on any machine and any number of threads.

use beyondnoise::stats::{
    Across, Curve, Interval, Method, Resampling, Sample, Scale, benjamini_hochberg, delta, holm,
    t_quantile,
};
use rand::distr::Open01;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;
use statrs::distribution::{ContinuousCDF, Normal};

/// Nominal coverage of the intervals measured here.
const CONFIDENCE: f64 = 0.95;

/// Coverage that every shape must have, with the same number of runs and with different ones.
const EVERY_SHAPE: (f64, f64) = (0.935, 0.985);
const EVERY_SHAPE_UNEQUAL: (f64, f64) = (0.93, 0.985);

/// Shapes and numbers of runs that miss their band, with the least coverage accepted there.
///
/// The fewer runs often show one mode only, no spike, no long tail; the standard error that they
/// give is then far too small, and the many runs of the other variant cannot make up for it. No
/// interval that rests on the two standard errors escapes: Welch's covers 0.82 of the bimodal cell
/// and 0.90 to 0.93 of the others.
const MISSED: [(&str, (usize, usize), f64); 6] = [
    ("bimodal", (3, 10), 0.80),
    ("50 + Exp(50)", (3, 10), 0.90),
    ("lognormal 0.5", (3, 10), 0.92),
    ("10 % spikes", (5, 20), 0.86),
    ("50 + Exp(50)", (5, 20), 0.90),
    ("lognormal 0.5", (5, 20), 0.92),
];

/// Coverage on the average over the shapes, with the same number of runs.
const ON_AVERAGE: (f64, f64) = (0.94, 0.98);

/// Mean width of the interval, as a multiple of Welch's on the same data.
const WIDEST: f64 = 1.03;

/// First seed of the simulated runs; the resamples of the default interval are drawn from seed 0.
const FIRST_SEED: u64 = 1_000;

/// A law of run-to-run noise.
struct Shape {
    name: &'static str,
    draw: fn(&mut ChaCha8Rng) -> f64,
    /// Whether its coverage must keep the bands.
    required: bool,
}

const SHAPES: [Shape; 9] = [
    Shape { name: "normal 2 %", draw: |rng| 100.0 + 2.0 * normal(rng), required: true },
    Shape { name: "normal 10 %", draw: |rng| 100.0 + 10.0 * normal(rng), required: true },
    Shape { name: "lognormal 0.2", draw: |rng| (0.2 * normal(rng)).exp(), required: true },
    Shape { name: "lognormal 0.5", draw: |rng| (0.5 * normal(rng)).exp(), required: true },
    Shape { name: "bimodal", draw: bimodal, required: true },
    Shape { name: "10 % spikes", draw: spikes, required: true },
    Shape { name: "Student t3", draw: |rng| 100.0 + 2.0 * student_3(rng), required: true },
    Shape { name: "50 + Exp(50)", draw: |rng| 50.0 + 50.0 * exponential(rng), required: true },
    // A CV of 100 % is beyond what a benchmark shows, and no interval of means covers it with few
    // runs: 0.922 to 0.931 here at 3 to 5 runs, 0.929 Welch's. Measured and printed, not asserted.
    Shape { name: "Exp(100)", draw: |rng| 100.0 * exponential(rng), required: false },
];

fn uniform(rng: &mut ChaCha8Rng) -> f64 {
    rng.sample(Open01)
}

fn normal(rng: &mut ChaCha8Rng) -> f64 {
    Normal::standard().inverse_cdf(uniform(rng))
}

/// Mean 1.
fn exponential(rng: &mut ChaCha8Rng) -> f64 {
    -uniform(rng).ln()
}

/// Student's t with 3 degrees of freedom, from its definition.
fn student_3(rng: &mut ChaCha8Rng) -> f64 {
    let squares: f64 = (0..3).map(|_| normal(rng).powi(2)).sum();
    normal(rng) / (squares / 3.0).sqrt()
}

/// Two modes 10 % apart, as of a clock that settles on one of two frequencies.
fn bimodal(rng: &mut ChaCha8Rng) -> f64 {
    let mode = if uniform(rng) < 0.5 { 100.0 } else { 110.0 };
    mode + normal(rng)
}

/// One run in ten is 30 % slow.
fn spikes(rng: &mut ChaCha8Rng) -> f64 {
    let factor = if uniform(rng) < 0.1 { 1.3 } else { 1.0 };
    factor * (100.0 + 2.0 * normal(rng))
}

/// Draws one value a run; a value of zero or less, which no metric has, is drawn again.
fn runs(count: usize, shape: &Shape, rng: &mut ChaCha8Rng) -> Vec<f64> {
    let mut positive = || std::iter::repeat_with(|| (shape.draw)(rng)).find(|value| *value > 0.0);
    (0..count).map(|_| positive().expect("noise around a positive value")).collect()
}

fn sample(values: Vec<f64>) -> Sample {
    Sample::new(values).expect("finite values")
}

fn log_delta(baseline: &Sample, candidate: &Sample) -> Curve {
    let how = Resampling::default();
    delta(baseline, candidate, Across::Mean, Scale::Log, Method::Calibrated, how)
        .expect("2 runs or more of positive values that differ")
}

/// Welch's interval of the log ratio of the means, from its textbook formula.
fn welch(baseline: &Sample, candidate: &Sample) -> Interval {
    let parts = [baseline, candidate].map(|sample| {
        let n = sample.runs() as f64;
        let sd = sample.standard_deviation().expect("2 runs or more");
        (sd.powi(2) / (n * sample.mean().powi(2)), n - 1.0)
    });
    let variance: f64 = parts.iter().map(|(variance, _)| variance).sum();
    let squares: f64 = parts.iter().map(|(variance, df)| variance.powi(2) / df).sum();
    let estimate = (candidate.mean() / baseline.mean()).ln();
    let reach = t_quantile(0.975, variance.powi(2) / squares) * variance.sqrt();
    Interval { low: estimate - reach, high: estimate + reach, confidence: CONFIDENCE }
}

/// Default curve of one repetition in which the candidate's true mean is `ratio` times the
/// baseline's.
fn simulated(shape: &Shape, runs_each: usize, ratio: f64, rng: &mut ChaCha8Rng) -> Curve {
    let baseline = sample(runs(runs_each, shape, rng));
    let candidate = runs(runs_each, shape, rng).into_iter().map(|value| value * ratio).collect();
    log_delta(&baseline, &sample(candidate))
}

/// Results of `repetitions` calls, each with a stream of its own of generator `seed`.
fn repeat<T: Send>(
    repetitions: u64,
    seed: u64,
    one: impl Fn(&mut ChaCha8Rng) -> T + Sync,
) -> Vec<T> {
    let on_stream = |stream| {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        rng.set_stream(stream);
        one(&mut rng)
    };
    (0..repetitions).into_par_iter().map(on_stream).collect()
}

fn share(of: impl IntoIterator<Item = bool>) -> f64 {
    let (mut hits, mut all) = (0.0, 0.0);
    for hit in of {
        all += 1.0;
        hits += if hit { 1.0 } else { 0.0 };
    }
    hits / all
}

/// Four binomial standard errors of a rate measured in `repetitions`.
fn simulation_error(rate: f64, repetitions: u64) -> f64 {
    4.0 * (rate * (1.0 - rate) / repetitions as f64).sqrt()
}

/// What the intervals of one shape and one number of runs did.
struct Cell {
    coverage: f64,
    width: f64,
    welch_coverage: f64,
    welch_width: f64,
}

fn measure(shape: &Shape, (a, b): (usize, usize), repetitions: u64, seed: u64) -> Cell {
    let intervals = repeat(repetitions, seed, |rng| {
        let (baseline, candidate) = (sample(runs(a, shape, rng)), sample(runs(b, shape, rng)));
        [log_delta(&baseline, &candidate).interval(CONFIDENCE), welch(&baseline, &candidate)]
    });
    let coverage = |method: usize| {
        share(intervals.iter().map(|both| both[method].low <= 0.0 && 0.0 <= both[method].high))
    };
    let width = |method: usize| {
        let sum: f64 = intervals.iter().map(|both| both[method].high - both[method].low).sum();
        sum / repetitions as f64
    };
    Cell {
        coverage: coverage(0),
        width: width(0),
        welch_coverage: coverage(1),
        welch_width: width(1),
    }
}

fn average(cells: &[Cell], of: impl Fn(&Cell) -> f64) -> f64 {
    let required = cells.iter().zip(&SHAPES).filter(|(_, shape)| shape.required);
    let values: Vec<f64> = required.map(|(cell, _)| of(cell)).collect();
    values.iter().sum::<f64>() / values.len() as f64
}

#[test]
fn few_runs_cover_about_their_level() {
    const REPETITIONS: u64 = 400;
    for (index, each) in [3, 5].into_iter().enumerate() {
        let cells: Vec<Cell> = (FIRST_SEED + 100 * index as u64..)
            .zip(&SHAPES)
            .map(|(seed, shape)| measure(shape, (each, each), REPETITIONS, seed))
            .collect();
        let assert_band = |name: &str, coverage: f64, (low, high): (f64, f64), repetitions| {
            let low = low - simulation_error(low, repetitions);
            let high = high + simulation_error(high, repetitions);
            assert!(
                (low..=high).contains(&coverage),
                "{name}, {each} runs each: coverage {coverage} is outside {low:.4} to {high:.4}"
            );
        };
        for (cell, shape) in cells.iter().zip(&SHAPES).filter(|(_, shape)| shape.required) {
            assert_band(shape.name, cell.coverage, EVERY_SHAPE, REPETITIONS);
        }
        // Eight shapes of 400 repetitions: a band some three times as tight.
        assert_band("average", average(&cells, |cell| cell.coverage), ON_AVERAGE, 8 * REPETITIONS);
        let width = average(&cells, |cell| cell.width / cell.welch_width);
        assert!(width <= WIDEST, "{each} runs each: {width} times as wide as Welch's");
    }
}

/// What a cell of the long study must keep: the least and the most coverage.
///
/// With 2 runs there is no upper limit: one degree of freedom is wide by design.
fn band(shape: &Shape, (a, b): (usize, usize)) -> (f64, f64) {
    let missed = MISSED.iter().find(|(name, design, _)| *name == shape.name && *design == (a, b));
    let (low, high) = if a == b { EVERY_SHAPE } else { EVERY_SHAPE_UNEQUAL };
    (missed.map_or(low, |(.., least)| *least), if a.min(b) == 2 { 1.0 } else { high })
}

/// A row of the printed table.
fn row(name: &str, cells: impl Iterator<Item = String>) -> String {
    cells.fold(format!("{name:14}"), |line, cell| format!("{line} {cell:>13}"))
}

#[test]
#[ignore = "some minutes in release"]
#[expect(clippy::print_stdout, reason = "the table is what the study is run for")]
fn the_default_interval_covers_its_level() {
    const REPETITIONS: u64 = 4_000;
    const EQUAL: [usize; 8] = [2, 3, 4, 5, 8, 10, 12, 20];
    const UNEQUAL: [(usize, usize); 2] = [(3, 10), (5, 20)];
    let designs: Vec<(usize, usize)> =
        EQUAL.into_iter().map(|each| (each, each)).chain(UNEQUAL).collect();
    // Half of the usual allowance: the seeds are fixed, and the bands are what is claimed.
    let allowance = |rate: f64| simulation_error(rate, REPETITIONS) / 2.0;
    let mut violations = Vec::new();
    let mut columns: Vec<Vec<Cell>> = Vec::new();
    for (index, &(a, b)) in designs.iter().enumerate() {
        let seeds = FIRST_SEED + 1_000 + 100 * index as u64..;
        let measured =
            seeds.zip(&SHAPES).map(|(seed, shape)| measure(shape, (a, b), REPETITIONS, seed));
        let cells: Vec<Cell> = measured.collect();
        for (cell, shape) in cells.iter().zip(&SHAPES).filter(|(_, shape)| shape.required) {
            let (low, high) = band(shape, (a, b));
            if cell.coverage < low - allowance(low) || cell.coverage > high + allowance(high) {
                violations.push(format!("{}, {a} v {b}: coverage {}", shape.name, cell.coverage));
            }
            let width = cell.width / cell.welch_width;
            if a.min(b) > 2 && width > WIDEST {
                violations.push(format!("{}, {a} v {b}: width {width:.3}", shape.name));
            }
        }
        let coverage = average(&cells, |cell| cell.coverage);
        if a == b && a > 2 && !(ON_AVERAGE.0..=ON_AVERAGE.1).contains(&coverage) {
            violations.push(format!("average, {a} v {b}: coverage {coverage}"));
        }
        columns.push(cells);
    }

    println!("{REPETITIONS} repetitions a cell: coverage, and mean width as a multiple of Welch's");
    println!("{}", row("", designs.iter().map(|(a, b)| format!("{a} v {b}"))));
    for (index, shape) in SHAPES.iter().enumerate() {
        let shown =
            |cell: &Cell| format!("{:.4} x{:.3}", cell.coverage, cell.width / cell.welch_width);
        println!("{}", row(shape.name, columns.iter().map(|cells| shown(&cells[index]))));
    }
    let averages = columns.iter().map(|cells| {
        let width = average(cells, |cell| cell.width / cell.welch_width);
        format!("{:.4} x{width:.3}", average(cells, |cell| cell.coverage))
    });
    println!("{}", row("average of 8", averages));
    println!("coverage of Welch's interval");
    for (index, shape) in SHAPES.iter().enumerate() {
        let welch = columns.iter().map(|cells| format!("{:.4}", cells[index].welch_coverage));
        println!("{}", row(shape.name, welch));
    }
    assert!(violations.is_empty(), "{violations:#?}");
}

#[test]
fn no_change_is_claimed_at_about_alpha() {
    const REPETITIONS: u64 = 2_000;
    let signed = repeat(REPETITIONS, FIRST_SEED + 200, |rng| {
        let curve = simulated(&SHAPES[0], 5, 1.0, rng);
        (curve.p_value(0.0), curve.estimate() > 0.0)
    });
    // 1 - coverage, with four standard errors of 2,000 repetitions.
    let (low, high) = (1.0 - EVERY_SHAPE.1, 1.0 - EVERY_SHAPE.0);
    let claimed = share(signed.iter().map(|(p, _)| *p < 0.05));
    let low = low - simulation_error(low, REPETITIONS);
    let high = high + simulation_error(high, REPETITIONS);
    assert!((low..=high).contains(&claimed), "claimed in {claimed} of A/A comparisons");
    // Neither direction is favoured: each has half of the claims.
    let upwards = share(signed.iter().filter(|(p, _)| *p < 0.1).map(|(_, up)| *up));
    let claims = signed.iter().filter(|(p, _)| *p < 0.1).count() as u64;
    assert!((upwards - 0.5).abs() <= simulation_error(0.5, claims), "{upwards} of claims upwards");
}

#[test]
fn adjusted_claims_over_several_metrics_stay_at_alpha() {
    const REPETITIONS: u64 = 500;
    const METRICS: usize = 4;
    let families = repeat(REPETITIONS, FIRST_SEED + 300, |rng| -> Vec<f64> {
        (0..METRICS).map(|_| simulated(&SHAPES[0], 4, 1.0, rng).p_value(0.0)).collect()
    });
    // Where nothing changed, every claim is false: Holm's and Benjamini and Hochberg's rates are
    // both the chance of any. 1 - 0.935, with four standard errors of 500 repetitions.
    let most = 0.065 + simulation_error(0.065, REPETITIONS);
    for adjust in [holm, benjamini_hochberg] {
        let any = share(families.iter().map(|p| adjust(p).iter().any(|p| *p < 0.05)));
        assert!(any <= most, "a false claim in {any} of families of {METRICS}");
    }
    // The same claims unadjusted: 1 - 0.95^4 = 0.185.
    let raw = share(families.iter().map(|p| p.iter().any(|p| *p < 0.05)));
    assert!(raw > most, "unadjusted: {raw}");
}

/// statsmodels 0.15.0, `TTestIndPower().power(effect_size=np.log(1.05) / 0.02, nobs1=5, alpha=0.05,
/// ratio=1)`: 0.9201.
///
/// That is for a standard deviation pooled over the variants; the interval estimates two, which
/// costs a little: at least 0.90.
#[test]
fn a_true_change_is_seen_at_the_power_of_the_t_test() {
    const REPETITIONS: u64 = 2_000;
    let seen = share(repeat(REPETITIONS, FIRST_SEED + 400, |rng| {
        simulated(&SHAPES[0], 5, 1.05, rng).p_value(0.0) < 0.05
    }));
    let low = 0.90 - simulation_error(0.90, REPETITIONS);
    let high = 0.9201 + simulation_error(0.9201, REPETITIONS);
    assert!((low..=high).contains(&seen), "a change of 5 % is seen in {seen} of comparisons");
}
