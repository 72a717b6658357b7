//! Runs made one after the other with planned looks, simulated: how often a change is called, and after how many runs.
//!
//! Every look goes the whole path of the program: data set, report, the rule that ends the runs.

use rand_chacha::ChaCha8Rng;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::bands::Check;
use crate::shapes::{normal, student, uniform};
use beyondnoise::analysis::{StopRule, analyse};
use beyondnoise::calibrate::{BLOCK, generator, in_blocks};
use beyondnoise::journal::Stop;
use beyondnoise::policy::{MetricPolicy, Policy};
use beyondnoise::report::Row;
use beyondnoise::runs::{Dataset, Run, Source, Value};
use beyondnoise::stats::Resampling;
use beyondnoise::verdict::Verdict;

/// Runs of each variant at the planned looks.
pub(crate) const LOOKS: [usize; 5] = [3, 4, 6, 8, 12];

/// Runs of each variant of the design with one look.
pub(crate) const FIXED: usize = 9;

/// The largest change that does not matter.
pub(crate) const MARGIN: f64 = 0.015;

/// True changes of the candidate.
const CHANGES: [f64; 5] = [0.0, MARGIN, 0.02, 0.03, 0.05];

/// Standard deviation of the noise of a run.
pub(crate) const NOISE: f64 = 0.01;

const METRIC: &str = "throughput";

/// False alarms of planned looks.
const FALSE_ALARMS: (f64, f64) = (0.0, 0.055);

/// How far shares and mean numbers of runs may be from those of the committed page.
const NEAR: (f64, f64) = (0.01, 0.3);

/// Standard errors by which a mean number of runs may be farther.
const ALLOWANCE: f64 = 4.0;

/// The committed page.
const COMMITTED: &str = include_str!("../../data/calibration/looks.csv");

/// Where the streams of the generator begin: beyond those of the batches.
const STREAMS: u64 = 0xf8 << 56;

/// Settings of the simulation.
#[derive(Clone, Debug)]
pub struct LookSettings {
    /// Nominal coverage over all looks.
    pub confidence: f64,
    /// Resamples, and the first seed.
    pub resampling: Resampling,
    /// Comparisons a case.
    pub repetitions: u64,
}

/// How often runs of one design, noise and true change ended with what.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct LookRow {
    /// The noise: `normal`.
    pub noise: &'static str,
    /// The true change, a fraction.
    pub change: f64,
    /// `planned`, `fixed` or `uncorrected`.
    pub design: &'static str,
    /// Comparisons behind it.
    pub repetitions: u64,
    /// Share in which a change was shown.
    pub change_shown: f64,
    /// Share in which it was shown that nothing changed.
    pub no_change_shown: f64,
    /// Share in which no outcome was left to reach.
    pub no_hope: f64,
    /// Runs of each variant on average.
    pub runs: f64,
    /// Its standard error.
    pub runs_error: f64,
    /// Share in which the interval at the end held the true change; of planned looks that at the level of the look.
    pub covered: f64,
    /// Change at the end on average, a fraction.
    pub estimate: f64,
}

/// A shape of noise.
struct Noise {
    name: &'static str,
    /// Value of the kth run of all, from 0, in standard deviations.
    draw: fn(usize, &mut ChaCha8Rng) -> f64,
}

static SHAPES: [Noise; 4] = [
    Noise { name: "normal", draw: |_, rng| normal(rng) },
    Noise { name: "t3", draw: |_, rng| student(3, rng) / 3_f64.sqrt() },
    Noise { name: "two modes", draw: |_, rng| two_modes(rng) },
    Noise { name: "drift of 1 % a run", draw: |run, rng| normal(rng) + run as f64 },
];

/// Modes 0.95 standard deviations from the mean, each with the rest of the variance.
fn two_modes(rng: &mut ChaCha8Rng) -> f64 {
    let mode: f64 = if uniform(rng) < 0.5 { -0.95 } else { 0.95 };
    mode + (1.0 - mode * mode).sqrt() * normal(rng)
}

/// The designs that are simulated on the same runs.
const DESIGNS: [&str; 3] = ["planned", "fixed", "uncorrected"];

/// Outcome of one comparison under one design.
#[derive(Clone, Copy, Default)]
struct End {
    stop: Option<Stop>,
    runs: usize,
    covered: bool,
    estimate: f64,
}

#[derive(Clone, Copy, Default)]
struct Tally {
    change: u64,
    no_change: u64,
    no_hope: u64,
    runs: u64,
    squares: u64,
    covered: u64,
    estimates: f64,
}

impl LookSettings {
    /// Comparisons that are simulated.
    pub fn comparisons(&self) -> u64 {
        self.repetitions * (SHAPES.len() * CHANGES.len()) as u64
    }
}

/// Simulates every noise with every true change; `done` hears of finished comparisons, [`LookSettings::comparisons`] in
/// all.
pub fn simulate_looks(settings: &LookSettings, done: &(dyn Fn(u64) + Sync)) -> Vec<LookRow> {
    let jobs: Vec<(usize, usize)> = (0..SHAPES.len())
        .flat_map(|shape| (0..CHANGES.len()).map(move |change| (shape, change)))
        .collect();
    let judges = Judges::new(settings.confidence);
    let all = vec![settings.repetitions; jobs.len()];
    let sums = in_blocks(&all, BLOCK, settings.resampling, |block| {
        let (shape, change) = jobs[block.job];
        let judges = judges.resampled(block.how);
        let mut tallies = [Tally::default(); 3];
        for repetition in block.repetitions.clone() {
            let stream = STREAMS | (block.job as u64) << 48 | repetition & 0xffff_ffff;
            let mut rng = generator(settings.resampling.seed, stream);
            let runs = made(&SHAPES[shape], CHANGES[change], &mut rng);
            let ends = judges.ends(&runs, CHANGES[change]);
            tallies.iter_mut().zip(ends).for_each(|(tally, end)| tally.add(end));
        }
        done(block.repetitions.end - block.repetitions.start);
        tallies
    });
    let mut totals = vec![[Tally::default(); 3]; jobs.len()];
    for (job, tallies) in sums {
        totals[job].iter_mut().zip(tallies).for_each(|(total, tally)| total.join(&tally));
    }
    let rows = jobs.iter().zip(totals).flat_map(|((shape, change), totals)| {
        let of = (SHAPES[*shape].name, CHANGES[*change]);
        let row = move |(design, total): (_, Tally)| total.row(of, design, settings.repetitions);
        DESIGNS.into_iter().zip(totals).map(row)
    });
    rows.collect()
}

/// All runs of a comparison in the order in which they are made: whether of the candidate, and the value. Blocks of one
/// order of the two variants, drawn, and its mirror image.
fn made(noise: &Noise, change: f64, rng: &mut ChaCha8Rng) -> Vec<(bool, f64)> {
    let most = LOOKS[LOOKS.len() - 1];
    let mut runs = Vec::with_capacity(2 * most);
    while runs.len() < 2 * most {
        let first = uniform(rng) < 0.5;
        for candidate in [first, !first, !first, first] {
            let truth = if candidate { 1.0 + change } else { 1.0 };
            let value = 100.0 * truth * (1.0 + NOISE * (noise.draw)(runs.len(), rng));
            runs.push((candidate, value));
        }
    }
    runs
}

/// The policies of all looks, and the rule that ends them.
struct Judges {
    looks: Vec<Policy>,
    fixed: Policy,
    rule: StopRule,
}

impl Judges {
    fn new(confidence: f64) -> Self {
        let margin = MetricPolicy { margin: Some(MARGIN), ..MetricPolicy::default() };
        let metrics = [(METRIC.to_owned(), margin)].into();
        let fixed = Policy { confidence, metrics, ..Policy::default() };
        let looks = fixed.at_looks(&LOOKS, confidence);
        Self { looks, rule: StopRule::new(&LOOKS, confidence), fixed }
    }

    /// The same with other resamples.
    fn resampled(&self, resampling: Resampling) -> Self {
        let other = |policy: &Policy| Policy { resampling, ..policy.clone() };
        let looks = self.looks.iter().map(other).collect();
        Self { looks, fixed: other(&self.fixed), rule: self.rule }
    }

    /// The ends of the three designs.
    fn ends(&self, runs: &[(bool, f64)], change: f64) -> [End; 3] {
        let (mut planned, mut uncorrected) = (End::default(), End::default());
        for (at, (policy, count)) in self.looks.iter().zip(LOOKS).enumerate() {
            let Ok(report) = analyse(&dataset(runs, count), Some("before"), None, policy) else {
                continue;
            };
            let Some(row) = report.comparisons.first().and_then(|one| one.metrics.first()) else {
                continue;
            };
            if planned.stop.is_none() {
                planned = End::of(row, change, (self.rule.stop(&report, at + 1), count));
            }
            if uncorrected.stop.is_none() {
                // Who looks until a change is found stops for nothing else.
                let found = row.p_value.is_some_and(|p| p < self.fixed.alpha());
                uncorrected = End::of(row, change, (found.then_some(Stop::Change), count));
            }
            if planned.stop.is_some() && uncorrected.stop.is_some() {
                break;
            }
        }
        [planned, self.fixed(runs, change), uncorrected]
    }

    /// One look at the usual confidence.
    fn fixed(&self, runs: &[(bool, f64)], change: f64) -> End {
        let report = analyse(&dataset(runs, FIXED), Some("before"), None, &self.fixed);
        let row = report.ok().and_then(|report| report.comparisons.into_iter().next());
        let Some(row) = row.and_then(|one| one.metrics.into_iter().next()) else {
            return End::default();
        };
        let stop = match row.verdict {
            Verdict::NoChange => Some(Stop::NoChange),
            Verdict::WithinNoise | Verdict::NotJudged => None,
            _ => Some(Stop::Change),
        };
        End::of(&row, change, (stop, FIXED))
    }
}

impl End {
    fn of(row: &Row, change: f64, (stop, runs): (Option<Stop>, usize)) -> Self {
        let interval = row.delta.relative_ci;
        let covered = interval.is_some_and(|[low, high]| low <= change && change <= high);
        Self { stop, runs, covered, estimate: row.delta.relative.unwrap_or_default() }
    }
}

/// The first `count` runs of `before` and of `after`; each run with whether it is of the second, and its value.
pub(crate) fn dataset(runs: &[(bool, f64)], count: usize) -> Dataset {
    let mut left = [count; 2];
    let first = runs.iter().enumerate().filter(|(_, (candidate, _))| {
        let left = &mut left[usize::from(*candidate)];
        let take = *left > 0;
        *left = left.saturating_sub(1);
        take
    });
    let run = |(at, (candidate, value)): (usize, &(bool, f64))| Run {
        variant: if *candidate { "after" } else { "before" }.to_owned(),
        source: Source { path: "runs.csv".into(), position: at + 2, counts: "line" },
        metrics: [(METRIC.to_owned(), Value { value: *value, resolution: 0.0 })].into(),
        ..Run::default()
    };
    Dataset::assemble(first.map(run).collect(), Vec::new())
}

impl Tally {
    fn add(&mut self, end: End) {
        self.change += u64::from(end.stop == Some(Stop::Change));
        self.no_change += u64::from(end.stop == Some(Stop::NoChange));
        self.no_hope += u64::from(end.stop == Some(Stop::NoHope));
        self.runs += end.runs as u64;
        self.squares += (end.runs * end.runs) as u64;
        self.covered += u64::from(end.covered);
        self.estimates += end.estimate;
    }

    fn join(&mut self, other: &Self) {
        self.change += other.change;
        self.no_change += other.no_change;
        self.no_hope += other.no_hope;
        self.runs += other.runs;
        self.squares += other.squares;
        self.covered += other.covered;
        self.estimates += other.estimates;
    }

    fn row(
        self,
        (noise, change): (&'static str, f64),
        design: &'static str,
        repetitions: u64,
    ) -> LookRow {
        let share = |count: u64| count as f64 / repetitions as f64;
        let runs = share(self.runs);
        let variance = (share(self.squares) - runs * runs).max(0.0);
        LookRow {
            noise,
            change,
            design,
            repetitions,
            change_shown: share(self.change),
            no_change_shown: share(self.no_change),
            no_hope: share(self.no_hope),
            runs,
            runs_error: (variance / repetitions as f64).sqrt(),
            covered: share(self.covered),
            estimate: self.estimates / repetitions as f64,
        }
    }
}

/// The figures of a committed row.
#[derive(Deserialize)]
struct Committed {
    noise: String,
    change: f64,
    design: String,
    change_shown: f64,
    no_change_shown: f64,
    no_hope: f64,
    runs: f64,
    covered: f64,
}

/// Holds false alarms against their band, and all figures against the committed page.
pub fn check_looks(rows: &[LookRow]) -> Check {
    let mut check = Check::default();
    let mut committed = csv::Reader::from_reader(COMMITTED.as_bytes());
    let committed: Vec<Committed> = committed.deserialize().filter_map(Result::ok).collect();
    for row in rows {
        let percent = 100.0 * row.change;
        let place = format!("{}, true change {percent} %, {}", row.noise, row.design);
        if row.change == 0.0 && row.design == DESIGNS[0] {
            let (figure, n) = ("false alarms", row.repetitions);
            check.share(place.clone(), figure, row.change_shown, FALSE_ALARMS, n);
        }
        let same = |other: &&Committed| {
            let same = (row.change - other.change).abs() < 1e-9;
            same && row.noise == other.noise && row.design == other.design
        };
        let Some(page) = committed.iter().find(same) else { continue };
        for (figure, found, of_page) in [
            ("change shown", row.change_shown, page.change_shown),
            ("no change shown", row.no_change_shown, page.no_change_shown),
            ("no hope", row.no_hope, page.no_hope),
            ("interval covers", row.covered, page.covered),
        ] {
            let band = ((of_page - NEAR.0).max(0.0), (of_page + NEAR.0).min(1.0));
            check.share(place.clone(), figure, found, band, row.repetitions);
        }
        let band = (page.runs - NEAR.1, page.runs + NEAR.1);
        let allowance = [ALLOWANCE * row.runs_error; 2];
        check.figure(place, "runs of each", Some(row.runs), band, allowance);
    }
    check
}

#[cfg(test)]
mod tests {
    use super::*;

    /// By the definition of the order: each block of four holds two runs of each, and its second half mirrors its first.
    #[test]
    fn blocks_are_mirrored() {
        let runs = made(&SHAPES[0], 0.5, &mut generator(1, 2));
        assert_eq!(runs.len(), 24);
        for block in runs.chunks(4) {
            let order: Vec<bool> = block.iter().map(|run| run.0).collect();
            assert!(order[0] == order[3] && order[1] == order[2] && order[0] != order[1]);
        }
        assert_eq!(dataset(&runs, 3).groups[0].variants[0].runs.len(), 3);
    }

    #[test]
    fn noise_has_the_standard_deviation_that_is_named() {
        let mut rng = generator(3, 4);
        for (shape, tolerance) in SHAPES[..3].iter().zip([0.02, 0.2, 0.02]) {
            let squares: f64 = (0..20_000).map(|_| (shape.draw)(0, &mut rng).powi(2)).sum();
            let deviation = (squares / 20_000.0).sqrt();
            assert!((deviation - 1.0).abs() < tolerance, "{}: {deviation}", shape.name);
        }
    }
}
