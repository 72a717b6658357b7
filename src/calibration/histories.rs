//! Verdicts on histories, simulated: false alarms in unchanged series, how soon changes are found, whether their dates and
//! effects are covered.

use rand_chacha::ChaCha8Rng;

use crate::figures::FigureRow;
use crate::shapes::{normal, student, uniform};
use beyondnoise::calibrate::{BLOCK, generator, in_blocks};
use beyondnoise::stats::Resampling;
use beyondnoise::stats::history::History;

/// Title of the report.
pub(crate) const TITLE: &str =
    "a step is found in at most 3 % of unchanged histories, 5 % steps after 3 nights in 95 %";

/// How the series were made.
pub(crate) const LEAD: &str = "Nights of 1 % noise of the kind named. Unchanged: nothing changed, so every alarm is false; \
    where the noise itself differs from night to night, a change of the noise is true. Found: a change within 3 nights \
    of the true one. Watched: one series of 150 nights, judged every night from the 60th on.";

/// Series a case: for an answer in seconds, and for the tables of the project; an unchanged kind has four times as many.
pub const HISTORIES: [u64; 2] = [100, 500];

/// Where the streams of the generator begin: beyond those of the loops.
const STREAMS: u64 = 0xfd << 56;

/// Noise of a night.
const NOISE: f64 = 0.01;

/// Nights by which a date may be off.
const NEAR: usize = 3;

/// How nights vary.
struct Kind {
    name: &'static str,
    /// The noise of so many nights in standard deviations.
    draw: fn(usize, &mut ChaCha8Rng) -> Vec<f64>,
    /// Share of nights with a value five times as high.
    spikes: f64,
    /// Whether the promise is for it.
    promised: bool,
    /// Whether its noise differs from night to night, so that a change of it is true.
    unequal: bool,
}

const fn kind(name: &'static str, draw: fn(usize, &mut ChaCha8Rng) -> Vec<f64>) -> Kind {
    Kind { name, draw, spikes: 0.0, promised: true, unequal: false }
}

static KINDS: [Kind; 17] = [
    kind("normal", |n, rng| each(n, || normal(rng))),
    kind("t3", |n, rng| each(n, || student(3, rng) / 3_f64.sqrt())),
    kind("lognormal", |n, rng| each(n, || lognormal(rng))),
    kind("two modes", |n, rng| each(n, || modes((0.6, 2.0, 0.2), rng))),
    Kind {
        promised: false,
        ..kind("rare mode", |n, rng| each(n, || modes((0.5, 3.0, 0.08), rng)))
    },
    kind("AR 0.3", |n, rng| kept(n, 0.3, || normal(rng))),
    kind("AR 0.5", |n, rng| kept(n, 0.5, || normal(rng))),
    kind("AR 0.7", |n, rng| kept(n, 0.7, || normal(rng))),
    kind("AR 0.6, t5", |n, rng| kept(n, 0.6, || student(5, rng) / (5.0_f64 / 3.0).sqrt())),
    Kind { promised: false, ..kind("AR 0.8 + white", long_state) },
    Kind {
        unequal: true,
        ..kind("variance of nights", |n, rng| {
            each(n, || normal(rng) * (0.6 * normal(rng) - 0.36).exp())
        })
    },
    Kind { unequal: true, ..kind("variance of weekdays", of_weekdays) },
    Kind { unequal: true, ..kind("variance of months", of_months) },
    Kind { spikes: 0.01, ..kind("1 % spikes", |n, rng| each(n, || normal(rng))) },
    Kind { spikes: 0.03, ..kind("3 % spikes", |n, rng| each(n, || normal(rng))) },
    Kind { spikes: 0.03, ..kind("AR 0.5, 3 % spikes", |n, rng| kept(n, 0.5, || normal(rng))) },
    Kind {
        spikes: 0.03,
        ..kind("t3, 3 % spikes", |n, rng| each(n, || student(3, rng) / 3_f64.sqrt()))
    },
];

fn each(nights: usize, mut draw: impl FnMut() -> f64) -> Vec<f64> {
    (0..nights).map(|_| draw()).collect()
}

fn lognormal(rng: &mut ChaCha8Rng) -> f64 {
    let variance = 0.36_f64;
    let sd = (variance.exp_m1() * variance.exp()).sqrt();
    ((0.6 * normal(rng)).exp() - (variance / 2.0).exp()) / sd
}

fn modes((sd, distance, share): (f64, f64, f64), rng: &mut ChaCha8Rng) -> f64 {
    let high = if uniform(rng) < share { distance } else { 0.0 };
    sd * normal(rng) + high - distance * share
}

/// Nights that keep a share of the deviation of the night before.
fn kept(nights: usize, share: f64, mut draw: impl FnMut() -> f64) -> Vec<f64> {
    let new = (1.0 - share * share).sqrt();
    let mut before = draw();
    let mut next = || {
        let now = before;
        before = share * before + new * draw();
        now
    };
    (0..nights).map(|_| next()).collect()
}

fn long_state(nights: usize, rng: &mut ChaCha8Rng) -> Vec<f64> {
    let state = kept(nights, 0.8, || normal(rng));
    state.into_iter().map(|state| 0.7 * state + 0.71 * normal(rng)).collect()
}

fn of_weekdays(nights: usize, rng: &mut ChaCha8Rng) -> Vec<f64> {
    (0..nights).map(|night| normal(rng) * if night % 7 < 5 { 0.6 } else { 1.6 }).collect()
}

fn of_months(nights: usize, rng: &mut ChaCha8Rng) -> Vec<f64> {
    let wave = |night: usize| (0.7 * (night as f64 * std::f64::consts::TAU / 60.0).sin()).exp();
    (0..nights).map(|night| normal(rng) * wave(night)).collect()
}

/// The change that a simulated series undergoes.
#[derive(Clone, Copy)]
enum Event {
    Nothing,
    /// A step of this size, a fraction, on this night.
    Step(f64, usize),
    /// The same, and a night ten times as high so many nights before.
    StepAfterSpike(f64, usize, usize),
    /// A slope of this size a night between two nights.
    Creep(f64, usize, usize),
    /// The noise is this many times as large from this night on.
    Noise(f64, usize),
    /// Only the last so many nights are off by this fraction.
    Last(f64, usize),
    /// Judged every night from this one on.
    Watched(usize),
}

/// Names and bands of what is counted in a case.
type Figures = Vec<(&'static str, Option<(f64, f64)>)>;

struct Case {
    kind: &'static Kind,
    nights: usize,
    event: Event,
    figures: Figures,
}

const AT_MOST_3: Option<(f64, f64)> = Some((0.0, 0.03));
const AT_MOST_5: Option<(f64, f64)> = Some((0.0, 0.05));

/// From this share on; no band for 0.
fn from(share: f64) -> Option<(f64, f64)> {
    (share > 0.0).then_some((share, 1.0))
}

impl Case {
    fn name(&self) -> String {
        let percent = |size: f64| format!("{} %", (1000.0 * size).round() / 10.0);
        let what = match self.event {
            Event::Nothing => "unchanged".to_owned(),
            Event::Step(size, at) => format!("{} after {at} nights", percent(size)),
            Event::StepAfterSpike(size, at, before) => {
                format!("{} after {at} nights, a 10x spike {before} nights before", percent(size))
            }
            Event::Creep(size, start, end) => {
                format!("{:.2} % a night, nights {start} to {end}", 100.0 * size)
            }
            Event::Noise(ratio, at) => format!("{ratio} times the noise after {at} nights"),
            Event::Last(size, nights) => format!("last {nights} off by {}", percent(size)),
            Event::Watched(_) => "unchanged, watched".to_owned(),
        };
        format!("{}: {what}", self.kind.name)
    }

    fn series(&self, rng: &mut ChaCha8Rng) -> Vec<f64> {
        let noise = (self.kind.draw)(self.nights, rng);
        let widened = |night: usize| match self.event {
            Event::Noise(ratio, at) if night >= at => ratio,
            _ => 1.0,
        };
        let mut logs: Vec<f64> =
            noise.iter().enumerate().map(|(night, z)| NOISE * widened(night) * z).collect();
        for log in logs.iter_mut().filter(|_| self.kind.spikes > 0.0) {
            if uniform(rng) < self.kind.spikes {
                *log += 5_f64.ln();
            }
        }
        for (night, log) in logs.iter_mut().enumerate() {
            *log += match self.event {
                Event::Step(size, at) | Event::StepAfterSpike(size, at, _) if night >= at => {
                    size.ln_1p()
                }
                Event::StepAfterSpike(_, at, before) if night + before == at => 10_f64.ln(),
                Event::Creep(size, start, end) if night >= start => {
                    size.ln_1p() * (night.min(end) - start) as f64
                }
                Event::Last(size, nights) if night + nights >= self.nights => size.ln_1p(),
                _ => 0.0,
            };
        }
        logs.into_iter().map(f64::exp).collect()
    }

    /// Whether each figure holds in a series.
    fn held(&self, series: &[f64]) -> Vec<f64> {
        if let Event::Watched(first) = self.event {
            let alarms =
                (first..=series.len()).map(|n| !History::of(&series[..n]).changes.is_empty());
            let alarms: Vec<bool> = alarms.collect();
            let count = alarms.iter().filter(|alarm| **alarm).count() as f64;
            return vec![f64::from(u8::from(count > 0.0)), count / alarms.len() as f64];
        }
        let found = History::of(series);
        let held: Vec<bool> = match self.event {
            Event::Nothing => {
                let step = !found.changes.is_empty();
                vec![step, step || !self.kind.unequal && !found.noise_changes.is_empty()]
            }
            Event::Step(size, at) | Event::StepAfterSpike(size, at, _) => of_step(&found, size, at),
            Event::Creep(..) => vec![!found.changes.is_empty(), !found.creeps.is_empty()],
            Event::Noise(..) => {
                let noise = !found.noise_changes.is_empty();
                let step = !found.changes.is_empty();
                vec![noise && !step, step]
            }
            Event::Last(_, nights) => vec![found.open == nights, !found.changes.is_empty()],
            Event::Watched(_) => Vec::new(),
        };
        held.into_iter().map(|held| f64::from(u8::from(held))).collect()
    }
}

/// Whether a step was found, on its night, inside its interval, with its effect covered; the last three of those found.
fn of_step(found: &History, size: f64, at: usize) -> Vec<bool> {
    let near = found.changes.iter().filter(|change| change.night.abs_diff(at) <= NEAR);
    let Some(change) = near.min_by_key(|change| change.night.abs_diff(at)) else {
        return vec![false; 4];
    };
    let effect = change.interval(0.95);
    let covered = (effect.low..=effect.high).contains(&size.ln_1p());
    vec![true, change.night == at, (change.first..=change.last).contains(&at), covered]
}

const STEP: [&str; 4] = ["found", "on its night", "night inside its interval", "effect covered"];
const UNCHANGED: [&str; 2] = ["a step found", "any alarm"];

fn kind_of(name: &str) -> &'static Kind {
    KINDS.iter().find(|kind| kind.name == name).unwrap_or(&KINDS[0])
}

fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    for nights in [120, 30, 400] {
        for kind in &KINDS {
            let figures: Figures = match (nights, kind.promised) {
                (120, true) => vec![(UNCHANGED[0], AT_MOST_3), (UNCHANGED[1], AT_MOST_5)],
                _ => vec![(UNCHANGED[0], None), (UNCHANGED[1], None)],
            };
            cases.push(Case { kind, nights, event: Event::Nothing, figures });
        }
    }
    let mut step = |name, size: f64, after: usize, share: f64| {
        let (kind, nights) = (kind_of(name), 100 + after);
        let figures = vec![(STEP[0], from(share))];
        cases.push(Case { kind, nights, event: Event::Step(size, 100), figures });
    };
    for (name, shares) in [
        ("normal", [0.95, 0.99, 0.0]),
        ("AR 0.5", [0.75, 0.92, 0.0]),
        ("AR 0.7", [0.0; 3]),
        ("t3", [0.0; 3]),
        ("two modes", [0.0; 3]),
        ("3 % spikes", [0.85, 0.98, 0.0]),
    ] {
        for (after, share) in [3, 5, 10].into_iter().zip(shares) {
            step(name, 0.05, after, share);
        }
    }
    for (name, shares) in [("normal", [0.0, 0.8, 0.0, 0.0]), ("AR 0.5", [0.0; 4])] {
        for (after, share) in [3, 5, 8, 10].into_iter().zip(shares) {
            step(name, 0.03, after, share);
        }
    }
    let case = |name, nights, event, figures| Case { kind: kind_of(name), nights, event, figures };
    for name in ["normal", "AR 0.5"] {
        let found = vec![(STEP[0], from(0.99))];
        cases.push(case(name, 110, Event::StepAfterSpike(0.2, 100, 20), found));
    }
    for name in ["normal", "t3", "two modes", "3 % spikes", "AR 0.5", "AR 0.7"] {
        for size in [0.05, 0.03, 0.015] {
            // Steps that are found by luck alone are overstated.
            let shares = if size > 0.04 { [0.0, 0.0, 0.93, 0.9] } else { [0.0; 4] };
            let covered = STEP.into_iter().zip(shares.map(from)).collect();
            cases.push(case(name, 120, Event::Step(size, 60), covered));
        }
    }
    // Over the last nights, in the middle, over all.
    for (end, start, seen, called) in
        [(150, 120, 0.86, 0.55), (80, 50, 0.95, 0.65), (150, 0, 0.95, 0.0)]
    {
        let figures = vec![("seen", from(seen)), ("called a creep", from(called))];
        cases.push(case("normal", 150, Event::Creep(0.0015, start, end), figures));
    }
    for (nights, widened) in [(110, 0.9), (80, 0.4)] {
        let figures = vec![
            ("a change of the noise and no step", from(widened)),
            ("a step", Some((0.0, 1.0 - widened)).filter(|_| widened > 0.5)),
        ];
        cases.push(case("normal", nights, Event::Noise(4.0, 60), figures));
    }
    for (size, nights, open) in [(0.2, 1, 0.95), (0.06, 1, 0.9), (0.06, 2, 0.8)] {
        let figures = vec![("open", from(open)), ("a step", AT_MOST_5)];
        cases.push(case("normal", 100, Event::Last(size, nights), figures));
    }
    for name in ["normal", "t3", "two modes", "AR 0.5", "AR 0.7", "3 % spikes"] {
        let figures = vec![("an alarm on any night", None), ("nights with an alarm", None)];
        cases.push(case(name, 150, Event::Watched(60), figures));
    }
    cases
}

/// Settings of the simulation.
#[derive(Clone, Copy, Debug)]
pub struct HistorySettings {
    /// Series a case; an unchanged kind of 120 nights has four times as many, and watching takes 30 times as long and has
    /// a third.
    pub repetitions: u64,
    /// First seed: each series has its own.
    pub seed: u64,
}

fn repetitions(case: &Case, settings: HistorySettings) -> u64 {
    match case.event {
        Event::Nothing if case.nights == 120 => 4 * settings.repetitions,
        Event::Watched(_) => settings.repetitions.div_ceil(3),
        _ => settings.repetitions,
    }
}

impl HistorySettings {
    /// Series that are simulated.
    pub fn series(&self) -> u64 {
        cases().iter().map(|case| repetitions(case, *self)).sum()
    }
}

/// Simulates every case; `done` hears of finished series, [`HistorySettings::series`] in all.
pub fn simulate_histories(
    settings: HistorySettings,
    done: &(dyn Fn(u64) + Sync),
) -> Vec<FigureRow> {
    let cases = cases();
    let first = Resampling { count: 0, seed: settings.seed };
    let each: Vec<u64> = cases.iter().map(|case| repetitions(case, settings)).collect();
    let sums = in_blocks(&each, BLOCK, first, |block| {
        let case = &cases[block.job];
        let mut held = vec![0.0; case.figures.len().max(STEP.len())];
        for repetition in block.repetitions.clone() {
            let stream = STREAMS | (block.job as u64) << 40 | repetition & 0xffff_ffff;
            let series = case.series(&mut generator(settings.seed, stream));
            held.iter_mut().zip(case.held(&series)).for_each(|(sum, one)| *sum += one);
        }
        done(block.repetitions.end - block.repetitions.start);
        held
    });
    let mut totals = vec![vec![0.0; STEP.len()]; cases.len()];
    for (job, held) in sums {
        totals[job].iter_mut().zip(held).for_each(|(total, held)| *total += held);
    }
    let rows = cases.iter().zip(totals).zip(each).flat_map(|((case, totals), count)| {
        let found = totals[0];
        let figures = case.figures.iter().zip(totals).enumerate();
        let row = |(at, ((figure, band), held)): (usize, (&(&'static str, _), f64))| {
            // Of a step, its date and effect are of those that were found.
            let of = if at > 0 && case.figures.len() == STEP.len() { found } else { count as f64 };
            FigureRow::of_share((case.name(), case.nights, figure), held, of, *band)
        };
        figures.map(row).collect::<Vec<_>>()
    });
    rows.collect()
}
