//! A loop that tries patch after patch, simulated: how often it keeps one that changes nothing, and how many real gains.
//!
//! Every comparison goes the whole path of the program, to the sentence that may be claimed.

use rand_chacha::ChaCha8Rng;

use crate::figures::FigureRow;
use crate::looks::{NOISE, dataset};
use crate::shapes::normal;
use beyondnoise::analysis::analyse;
use beyondnoise::calibrate::{generator, in_blocks};
use beyondnoise::plan::{Basis, Request, plan};
use beyondnoise::policy::Policy;
use beyondnoise::stats::Resampling;
use beyondnoise::verdict::Headline;

/// Loops a case, for an answer in seconds and for the tables of the project.
pub const LOOPS: [u64; 2] = [200, 5_000];

/// Patches that a loop tries.
const TRIES: usize = 100;

/// Those that are real gains, in the loops that have some.
const GAINS: usize = 5;

/// The change of a real gain, which the runs are planned for.
const GAIN: f64 = 0.03;

/// Probability of finding a gain at each of two measurements: 0.9 times 0.9 is above 0.8.
const POWER: f64 = 0.9;

/// The same at a single measurement.
const POWER_ALONE: f64 = 0.8;

/// Loops that run one after the other.
const BLOCK: u64 = 8;

/// Where the streams of the generator begin: beyond those of the looks, which have twenty cases.
const STREAMS: u64 = 0xfc << 56;

/// Share of loops that keep a patch which changes nothing, and of such patches.
const IN_ERROR: (f64, f64) = (0.0, 0.05);

/// Share of the real gains that are kept, at least.
const GAINS_KEPT: (f64, f64) = (0.8, 1.0);

/// Title of the report.
pub(crate) const TITLE: &str = "a loop that measures again what it would keep is wrong in at most 5 % of loops of 100 patches, and \
    keeps at least 80 % of gains of 3 %";

/// How the loops were made.
pub(crate) const LEAD: &str = "Loops of 100 patches, each compared with the base by fresh runs of both; one metric, 1 % of noise \
    from run to run. In half of the loops no patch changes anything; in the others 5 are gains of 3 %. A patch is kept if the \
    headline is \"improved\" and there is a sentence that may be claimed. Faster once: one run of each, whichever is faster. 95 % once: \
    kept at the first measurement. Measured again: those that passed are measured again, with fresh runs, at a confidence of 5 % \
    divided by their number. Divided by 100: one measurement at 99.95 %. The runs are those that the plan names for 3 % at this \
    confidence with a power of 90 %; with one measurement at 99.95 %, of 80 %. Wrong loops keep a patch that changes nothing; \
    patches kept in error are a share of those of the loops without a gain.";

/// Settings of the simulation.
#[derive(Clone, Copy, Debug)]
pub struct PatchSettings {
    /// Nominal coverage, of a whole loop where it is divided.
    pub confidence: f64,
    /// Resamples, and the first seed.
    pub resampling: Resampling,
    /// Loops a case.
    pub loops: u64,
}

/// The rules by which patches are kept, judged on the same first runs.
const RULES: [&str; 4] = ["faster once", "95 % once", "measured again", "divided by 100"];

/// Patches that a rule kept.
#[derive(Clone, Copy, Default)]
struct Tally {
    /// Loops without a gain, and with some, in which a patch was kept that changes nothing.
    wrong: [u64; 2],
    /// Patches that were kept in those without a gain.
    kept: u64,
    /// Gains that were kept.
    gains: u64,
    /// Sum of the changes by which these were kept.
    claimed: f64,
}

/// Result of the two measurements of a patch: the change by which each rule of one measurement keeps it.
type Said = [Option<f64>; 4];

/// Simulates loops without a gain, and as many with some; `done` hears of finished ones.
pub fn simulate_patches(settings: &PatchSettings, done: &(dyn Fn(u64) + Sync)) -> Vec<FigureRow> {
    let judge = Judge::new(settings);
    let sums = in_blocks(&[settings.loops; 2], BLOCK, settings.resampling, |block| {
        let judge = judge.resampled(block.how);
        let mut tallies = [Tally::default(); 4];
        for repetition in block.repetitions.clone() {
            let stream = STREAMS | (block.job as u64) << 48 | repetition & 0xffff_ffff;
            let mut rng = generator(settings.resampling.seed, stream);
            judge.try_patches(if block.job == 0 { 0 } else { GAINS }, &mut rng, &mut tallies);
        }
        done(block.repetitions.end - block.repetitions.start);
        tallies
    });
    let mut totals = [Tally::default(); 4];
    for (_, tallies) in sums {
        totals.iter_mut().zip(tallies).for_each(|(total, tally)| total.join(tally));
    }
    let first = [1, judge.runs, judge.runs, judge.strict_runs];
    let rows = RULES.iter().zip(totals).zip(first);
    rows.flat_map(|((rule, total), runs)| total.rows((*rule, runs), settings.loops)).collect()
}

/// How a patch is judged.
struct Judge {
    confidence: f64,
    policy: Policy,
    /// Runs of each at the first measurement.
    runs: usize,
    /// The same where it is the only one.
    strict_runs: usize,
}

impl Judge {
    fn new(settings: &PatchSettings) -> Self {
        let confidence = settings.confidence;
        Self {
            confidence,
            policy: Policy { confidence, ..Policy::default() },
            runs: planned(confidence, POWER),
            strict_runs: planned(divided(confidence, TRIES), POWER_ALONE),
        }
    }

    fn resampled(&self, resampling: Resampling) -> Self {
        Self { policy: Policy { resampling, ..self.policy.clone() }, ..*self }
    }

    /// Tries the patches of a loop, the first `gains` of which are real gains.
    fn try_patches(&self, gains: usize, rng: &mut ChaCha8Rng, tallies: &mut [Tally; 4]) {
        let changes: Vec<f64> =
            (0..TRIES).map(|patch| if patch < gains { GAIN } else { 0.0 }).collect();
        let mut said: Vec<Said> = changes.iter().map(|change| self.once(*change, rng)).collect();
        let passed: Vec<usize> = (0..TRIES).filter(|patch| said[*patch][1].is_some()).collect();
        let confidence = divided(self.confidence, passed.len());
        let again = planned(confidence, POWER);
        for &patch in &passed {
            let runs = made(changes[patch], again, rng);
            said[patch][2] = self.claimed(&runs, again, confidence);
        }
        for (rule, tally) in tallies.iter_mut().enumerate() {
            let kept = |patch: &usize| said[*patch][rule].is_some();
            let false_ones = (gains..TRIES).filter(kept).count() as u64;
            tally.wrong[usize::from(gains > 0)] += u64::from(false_ones > 0);
            tally.kept += if gains == 0 { false_ones } else { 0 };
            let real = (0..gains).filter_map(|patch| said[patch][rule]);
            for change in real {
                tally.gains += 1;
                tally.claimed += change;
            }
        }
    }

    /// The first measurement of a patch, by the rules that have only one.
    fn once(&self, change: f64, rng: &mut ChaCha8Rng) -> Said {
        let runs = made(change, self.strict_runs, rng);
        let value = |candidate| runs.iter().find(|run| run.0 == candidate).map_or(1.0, |run| run.1);
        let seen = value(true) / value(false) - 1.0;
        let first = self.claimed(&runs, self.runs, self.confidence);
        let strict = self.claimed(&runs, self.strict_runs, divided(self.confidence, TRIES));
        [Some(seen).filter(|seen| *seen > 0.0), first, None, strict]
    }

    /// The change of an improvement that may be claimed.
    fn claimed(&self, runs: &[(bool, f64)], count: usize, confidence: f64) -> Option<f64> {
        let policy = Policy { confidence, ..self.policy.clone() };
        let report = analyse(&dataset(runs, count), Some("before"), None, &policy).ok()?;
        let comparison = report.comparisons.first()?;
        comparison.may_claim.as_ref().filter(|_| comparison.headline == Headline::Improved)?;
        comparison.metrics.first()?.delta.relative
    }
}

/// The confidence of each of several measurements, of which all together keep `confidence`.
fn divided(confidence: f64, measurements: usize) -> f64 {
    1.0 - (1.0 - confidence) / measurements.max(1) as f64
}

/// Runs of each that `plan` names for a gain.
fn planned(confidence: f64, power: f64) -> usize {
    let request = Request {
        effects: vec![GAIN],
        runs: None,
        power,
        confidence,
        prior_df: 0.0,
        looks: 1,
        cost: None,
    };
    plan(Basis::given(NOISE, &Policy::default()), &request).runs.expect("runs that find a gain")
}

/// Runs of both builds by turns: whether of the patch, and the value.
fn made(change: f64, each: usize, rng: &mut ChaCha8Rng) -> Vec<(bool, f64)> {
    let truth = |patch: bool| if patch { 100.0 * (1.0 + change) } else { 100.0 };
    let run = |at: usize| ([0, 3].contains(&(at % 4)), 1.0 + NOISE * normal(rng));
    (0..2 * each).map(run).map(|(patch, noise)| (patch, truth(patch) * noise)).collect()
}

impl Tally {
    fn join(&mut self, other: Self) {
        self.wrong = [0, 1].map(|kind: usize| self.wrong[kind] + other.wrong[kind]);
        self.kept += other.kept;
        self.gains += other.gains;
        self.claimed += other.claimed;
    }

    fn rows(self, (rule, runs): (&'static str, usize), loops: u64) -> Vec<FigureRow> {
        let held = |wanted| Some(wanted).filter(|_| RULES[2..].contains(&rule));
        let (patches, gains) = (loops * TRIES as u64, loops * GAINS as u64);
        let row = |figure, held, of, band| FigureRow::of((rule, runs, figure), held, of, band);
        let mean = self.claimed / self.gains.max(1) as f64;
        vec![
            row("wrong loops", self.wrong[0], loops, held(IN_ERROR)),
            row("patches kept in error", self.kept, patches, held(IN_ERROR)),
            row("wrong loops with gains", self.wrong[1], loops, held(IN_ERROR)),
            row("gains kept", self.gains, gains, held(GAINS_KEPT)),
            FigureRow { rate: mean, ..row("mean gain seen", 0, self.gains.max(1), None) },
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// By hand: 5 % over 100 measurements; runs by turns, B A A B; the mean of the patch's is 3 % above the base's.
    #[test]
    fn a_level_is_divided_and_runs_alternate() {
        assert!((divided(0.95, 100) - 0.9995).abs() < 1e-12);
        let runs = made(GAIN, 4_000, &mut generator(1, 2));
        let order: Vec<bool> = runs[..4].iter().map(|run| run.0).collect();
        assert_eq!(order, [true, false, false, true]);
        let mean = |patch| {
            let values = runs.iter().filter(|run| run.0 == patch).map(|run| run.1);
            values.sum::<f64>() / 4_000.0
        };
        assert!((mean(true) / mean(false) - 1.03).abs() < 1e-3);
    }
}
