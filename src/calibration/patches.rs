//! A loop that tries patch after patch, simulated: how often it keeps one that changes nothing, how many real gains, and whether
//! the gain that it states in the end is true.
//!
//! Every measurement goes the whole path of the program: data set, report, looks, decision, ledger.

use rand::RngExt;
use rand_chacha::ChaCha8Rng;

use crate::figures::FigureRow;
use crate::looks::dataset;
use crate::shapes::{normal, uniform};
use beyondnoise::analysis::{StopRule, analyse};
use beyondnoise::calibrate::{generator, in_blocks};
use beyondnoise::ledger::{Entry, Ledger, Measurement, MeasurementResult, Stage, State, Terms};
use beyondnoise::policy::{Policy, RunSettings};
use beyondnoise::report::Report;
use beyondnoise::stats::Resampling;
use beyondnoise::verdict::{Decision, Headline};

/// Loops a case, for an answer in seconds and for the tables of the project.
pub const LOOPS: [u64; 2] = [2, 200];

/// Patches that a loop tries.
const TRIES: usize = 100;

/// Those that are real gains, in the loops that have some, anywhere among the others.
const GAINS: usize = 10;

/// The change of a real gain.
const GAIN: f64 = 0.03;

/// Run-to-run standard deviation of the one metric.
const NOISE: f64 = 0.02;

/// Most runs of each build in a measurement.
const RUNS: usize = 20;

/// The same where everything is confirmed: with few runs the ends of the intervals are put to the hardest test.
const FEW_RUNS: usize = 3;

/// Loops in which everything is confirmed, for each of the others.
const CONFIRMED: u64 = 10;

/// Comparisons of the first base with the last, a loop with gains: each is what `loop final` does once.
const FINALS: usize = 10;

/// Loops that run one after the other.
const BLOCK: u64 = 1;

/// Where the streams of the generator begin: beyond those of the looks, which have twenty cases.
const STREAMS: u64 = 0xfc << 56;

/// Share of loops that keep a patch which changes nothing, where none is a gain.
const IN_ERROR: (f64, f64) = (0.0, 0.05);

/// Share of the kept patches that change nothing, where some are gains.
const KEPT_IN_ERROR: (f64, f64) = (0.0, 0.05);

/// Share of the real gains that are kept, at least.
const GAINS_KEPT: (f64, f64) = (0.8, 1.0);

/// Share of the final comparisons whose interval holds the true change from the first base to the last.
const COVERED: (f64, f64) = (0.935, 0.985);

/// Title of the report.
pub(crate) const TITLE: &str = "a loop with a ledger keeps a patch that changes nothing in at most 5 % of loops of 100 no-ops, keeps at \
    least 80 % of gains of 3 %, and states a gain that is true";

/// How the loops were made.
pub(crate) const LEAD: &str = "Loops of 100 patches, each compared with the base of that time by fresh runs of both; one metric, 2 % of \
    noise from run to run. In half of the loops no patch changes anything; in the others 10 are gains of 3 %, anywhere among the rest, and \
    a kept patch is the next base. Faster once: one run of each, kept if it is faster by 1 %. 95 % once: kept if one measurement with \
    planned looks promotes it, by the same runs. Ledger: what passes that is measured again with fresh runs, at the level that e-LORD gives to this \
    confirmation. All confirmed: every patch goes to its \
    confirmation at once, with 3 + 3 runs, the worst case for the error budget; only without gains, in ten times as many loops. Otherwise at most 20 runs of each in a \
    measurement, looks after 3, 4, 6, 8, 12 and 20. Wrong loops keep a patch that changes nothing; kept in \
    error is the share of the kept patches that change nothing; runs made is a share of 20 + 20 for a try; gain covered is the share of final comparisons, first base \
    against last with 20 + 20 fresh runs, whose 95 % interval holds the true change.";

/// Settings of the simulation.
#[derive(Clone, Copy, Debug)]
pub struct PatchSettings {
    /// Nominal coverage of a whole loop.
    pub confidence: f64,
    /// Resamples, and the first seed.
    pub resampling: Resampling,
    /// Loops a case.
    pub loops: u64,
}

/// The ways to keep patches.
const RULES: [(&str, usize); 4] =
    [("faster once", 1), ("95 % once", RUNS), ("ledger", RUNS), ("all confirmed", FEW_RUNS)];

/// The outcome of the loops of one rule.
#[derive(Clone, Copy, Default)]
struct Tally {
    loops: u64,
    /// Loops in which a patch was kept that changes nothing.
    wrong: u64,
    /// Gains that were kept, and patches that change nothing and were.
    kept: [u64; 2],
    /// Runs of each build.
    runs: u64,
    /// Changes by which gains were kept, added up.
    seen: f64,
    /// Final comparisons whose interval holds the truth.
    covered: u64,
}

/// Simulates loops without a gain, and as many with some; `done` hears of finished ones.
pub fn simulate_patches(settings: &PatchSettings, done: &(dyn Fn(u64) + Sync)) -> Vec<FigureRow> {
    let sums = in_blocks(&[settings.loops; 2], BLOCK, settings.resampling, |block| {
        let judge = Judge::new(settings.confidence, block.how);
        let mut tallies = [Tally::default(); RULES.len()];
        for repetition in block.repetitions.clone() {
            let stream = STREAMS | (block.job as u64) << 48 | repetition & 0xffff_ffff;
            let mut rng = generator(settings.resampling.seed, stream);
            judge.try_patches(block.job > 0, &mut rng, &mut tallies);
            for _ in 0..if block.job == 0 { CONFIRMED } else { 0 } {
                judge.confirm_all(&mut rng, &mut tallies[3]);
            }
        }
        done(block.repetitions.end - block.repetitions.start);
        tallies
    });
    let mut totals = [[Tally::default(); RULES.len()]; 2];
    for (job, tallies) in sums {
        totals[job].iter_mut().zip(tallies).for_each(|(total, tally)| total.join(tally));
    }
    (0..RULES.len()).flat_map(|at| rows_of(at, totals[0][at], totals[1][at])).collect()
}

/// How a measurement is judged.
struct Judge {
    policy: Policy,
    looks: Vec<usize>,
    /// The looks of a try, and the one of a final comparison.
    screen: Looks,
    last: Looks,
}

/// Planned looks: their policies, and the rule that ends them.
struct Looks {
    runs: Vec<usize>,
    policies: Vec<Policy>,
    rule: StopRule,
}

impl Looks {
    fn new(policy: &Policy, runs: &[usize], confidence: f64) -> Self {
        let policies = policy.at_looks(runs, confidence);
        Self { runs: runs.to_vec(), policies, rule: StopRule::new(runs, confidence) }
    }
}

/// The finding of a measurement.
struct Found {
    /// Runs of each build.
    runs: u64,
    /// The change that was seen where it promotes.
    promoted: Option<f64>,
}

/// The runs of both builds: whether of the candidate, and the value.
type Runs = Vec<(bool, f64)>;

impl Judge {
    fn new(confidence: f64, resampling: Resampling) -> Self {
        let looks = RunSettings::default().looks.into_iter().filter(|look| *look < RUNS);
        let looks: Vec<usize> = looks.chain([RUNS]).collect();
        let policy = Policy { confidence, resampling, ..Policy::default() };
        let screen = Looks::new(&policy, &looks, confidence);
        let last = Looks::new(&policy, &[RUNS], confidence);
        Self { policy, looks, screen, last }
    }

    fn ledger(&self) -> Ledger {
        let base = "base".to_owned();
        let confidence = self.policy.confidence;
        Ledger::new(Terms { base, confidence, runs: RUNS, ..Terms::default() })
    }

    /// A loop over patches by each of the first three rules. A change is relative, so the base of a rule does not matter to
    /// its measurements.
    fn try_patches(&self, gains: bool, rng: &mut ChaCha8Rng, tallies: &mut [Tally; RULES.len()]) {
        let mut ledger = self.ledger();
        let mut wrong = [false; 3];
        let mut base = 100.0;
        for (number, gain) in drawn(gains, rng).into_iter().enumerate() {
            let change = if gain { GAIN } else { 0.0 };
            let name = number.to_string();
            let pair = (base, change);
            let mut seen = [None; 3];
            seen[0] = faster(pair, rng);
            tallies[0].runs += 1;
            for stage in [Stage::Screen, Stage::Confirm] {
                if stage == Stage::Confirm && ledger.state(&name) != Some(State::Passed) {
                    continue;
                }
                let found = self.measured(&mut ledger, (&name, stage, &self.looks), pair, rng);
                tallies[2].runs += found.runs;
                if stage == Stage::Screen {
                    tallies[1].runs += found.runs;
                    seen[1] = found.promoted;
                } else {
                    seen[2] = found.promoted.filter(|_| ledger.state(&name) == Some(State::Kept));
                }
            }
            for (rule, seen) in seen.into_iter().enumerate() {
                let Some(seen) = seen else { continue };
                wrong[rule] |= !gain;
                tallies[rule].kept[usize::from(!gain)] += 1;
                tallies[rule].seen += if gain { seen } else { 0.0 };
            }
            if seen[2].is_some() {
                base *= 1.0 + change;
            }
        }
        for (tally, wrong) in tallies.iter_mut().zip(wrong) {
            tally.loops += 1;
            tally.wrong += u64::from(wrong);
        }
        let truth = base / 100.0 - 1.0;
        for _ in 0..if gains { FINALS } else { 0 } {
            let (report, _) = measure((100.0, truth), &self.last, rng);
            let interval = report.and_then(|report| interval(&report));
            let held = interval.is_some_and(|[low, high]| low <= truth && truth <= high);
            tallies[2].covered += u64::from(held);
        }
    }

    /// A loop over patches that change nothing, each confirmed at once.
    fn confirm_all(&self, rng: &mut ChaCha8Rng, tally: &mut Tally) {
        let mut ledger = self.ledger();
        for number in 0..TRIES {
            let name = number.to_string();
            let of = (name.as_str(), Stage::Confirm, &[FEW_RUNS][..]);
            tally.runs += self.measured(&mut ledger, of, (100.0, 0.0), rng).runs;
        }
        let kept =
            ledger.tries().iter().filter(|name| ledger.state(name) == Some(State::Kept)).count();
        tally.loops += 1;
        tally.kept[1] += kept as u64;
        tally.wrong += u64::from(kept > 0);
    }

    /// A measurement of a try, which the ledger is told.
    fn measured(
        &self,
        ledger: &mut Ledger,
        (name, stage, looks): (&str, Stage, &[usize]),
        pair: (f64, f64),
        rng: &mut ChaCha8Rng,
    ) -> Found {
        let level = (stage == Stage::Confirm).then(|| ledger.level());
        let confirm = level.map(|level| Looks::new(&self.policy, looks, 1.0 - level));
        let (report, runs) = measure(pair, confirm.as_ref().unwrap_or(&self.screen), rng);
        let Some(report) = report else { return Found { runs, promoted: None } };
        ledger.take(Entry::Measured(Box::new(Measurement {
            name: name.to_owned(),
            stage,
            base: ledger.base.clone(),
            command: None,
            level,
            files: Vec::new(),
            result: Some(MeasurementResult::of(&report, Vec::new())),
        })));
        let row = report.comparisons.first().and_then(|one| one.metrics.first());
        let promoted = row.and_then(|row| row.delta.relative);
        Found { runs, promoted: promoted.filter(|_| report.decision == Decision::Promote) }
    }
}

/// The report at the last look of a measurement, and the runs of each build that it took.
fn measure(pair: (f64, f64), looks: &Looks, rng: &mut ChaCha8Rng) -> (Option<Report>, u64) {
    let runs = made(pair, looks.runs.last().copied().unwrap_or_default(), rng);
    for (at, (count, policy)) in looks.runs.iter().copied().zip(&looks.policies).enumerate() {
        let Ok(report) = analyse(&dataset(&runs, count), Some("before"), None, policy) else {
            return (None, count as u64);
        };
        if at + 1 == looks.runs.len() || looks.rule.stop(&report, at + 1).is_some() {
            return (Some(report), count as u64);
        }
    }
    (None, 0)
}

/// Which of the patches are gains.
fn drawn(gains: bool, rng: &mut ChaCha8Rng) -> [bool; TRIES] {
    let mut all = [false; TRIES];
    let mut left = if gains { GAINS } else { 0 };
    while left > 0 {
        let at = rng.random_range(0..TRIES);
        left -= usize::from(!all[at]);
        all[at] = true;
    }
    all
}

/// The change between one run of each, where the patch is faster by 1 %.
fn faster((base, change): (f64, f64), rng: &mut ChaCha8Rng) -> Option<f64> {
    let runs = made((base, change), 1, rng);
    let value = |candidate| runs.iter().find(|run| run.0 == candidate).map_or(base, |run| run.1);
    Some(value(true) / value(false) - 1.0).filter(|seen| *seen >= 0.01)
}

/// The interval of the only metric.
fn interval(report: &Report) -> Option<[f64; 2]> {
    let comparison = report.comparisons.first()?;
    (comparison.headline != Headline::NotComparable)
        .then_some(comparison.metrics.first()?.delta.relative_ci)?
}

/// Runs of both builds in blocks, each an order that is drawn and its mirror image.
fn made((base, change): (f64, f64), each: usize, rng: &mut ChaCha8Rng) -> Runs {
    let mut runs = Vec::with_capacity(2 * each + 2);
    while runs.len() < 2 * each {
        let first = uniform(rng) < 0.5;
        for candidate in [first, !first, !first, first] {
            let truth = if candidate { base * (1.0 + change) } else { base };
            runs.push((candidate, truth * (1.0 + NOISE * normal(rng))));
        }
    }
    runs
}

impl Tally {
    fn join(&mut self, other: Self) {
        self.loops += other.loops;
        self.wrong += other.wrong;
        self.kept = [0, 1].map(|kind: usize| self.kept[kind] + other.kept[kind]);
        self.runs += other.runs;
        self.seen += other.seen;
        self.covered += other.covered;
    }
}

/// The figures of a rule: `none` of loops without a gain, `some` of those with gains.
fn rows_of(rule: usize, none: Tally, some: Tally) -> Vec<FigureRow> {
    let (name, runs) = RULES[rule];
    let held = |wanted| Some(wanted).filter(|_| rule >= 2);
    let row = |figure, held, of, band| FigureRow::of((name, runs, figure), held, of, band);
    let budget = |tally: Tally| tally.loops * (TRIES * runs) as u64;
    let mut rows = vec![
        row("wrong loops", none.wrong, none.loops, held(IN_ERROR)),
        row("runs made", none.runs, budget(none), None),
    ];
    if some.loops > 0 {
        let [gains, others] = some.kept;
        let mean = some.seen / gains.max(1) as f64;
        rows.extend([
            row("gains kept", gains, some.loops * GAINS as u64, held(GAINS_KEPT)),
            row("kept in error", others, (gains + others).max(1), held(KEPT_IN_ERROR)),
            row("runs made with gains", some.runs, budget(some), None),
            FigureRow { rate: mean, ..row("mean gain seen", 0, gains.max(1), None) },
        ]);
    }
    if some.covered > 0 {
        rows.push(row("gain covered", some.covered, some.loops * FINALS as u64, held(COVERED)));
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::*;

    /// By hand: blocks of an order and its mirror image; the mean of the patch's runs is 3 % above the base's.
    #[test]
    fn runs_alternate_and_gains_are_as_many_as_they_should_be() {
        let mut rng = generator(1, 2);
        let runs = made((100.0, GAIN), 4_000, &mut rng);
        for block in runs.chunks(4) {
            assert!(
                block[0].0 == block[3].0 && block[1].0 == block[2].0 && block[0].0 != block[1].0
            );
        }
        let mean = |patch| {
            let values = runs.iter().filter(|run| run.0 == patch).map(|run| run.1);
            values.sum::<f64>() / 4_000.0
        };
        assert!((mean(true) / mean(false) - 1.03).abs() < 2e-3);
        assert_eq!(drawn(true, &mut rng).iter().filter(|gain| **gain).count(), GAINS);
        assert_eq!(drawn(false, &mut rng), [false; TRIES]);
    }
}
