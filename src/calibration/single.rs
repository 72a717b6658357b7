//! Single comparisons, simulated: few runs of two modes, and runs that remember the run before, in three orders.
//!
//! Each is judged by the whole program. Where the program once judged otherwise, the same runs are judged in that way too.

use rand_chacha::ChaCha8Rng;

use crate::figures::FigureRow;
use crate::shapes::{normal, uniform};
use beyondnoise::analysis::analyse;
use beyondnoise::calibrate::{BLOCK, generator, in_blocks};
use beyondnoise::policy::Policy;
use beyondnoise::report::Comparison;
use beyondnoise::runs::{Dataset, Run, Source, Value};
use beyondnoise::stats::{Across, Curve};
use beyondnoise::verdict::{Gate, Verdict};

/// Title of the report.
pub(crate) const TITLE: &str = "how often equal builds are called different: few runs of two modes, blocks of runs with a memory, all of one build first";

/// How the comparisons were made.
pub(crate) const LEAD: &str = "One metric, equal builds unless a change is named. Two modes: a run is 24 % faster with p = 0.3, noise \
    0.3 %; with the calibrated interval alone, as before, 7.8 % of 8 + 8 were called. Memory: noise of 1 %, and a run keeps this \
    share of the deviation of the run before; of 3 % where one build follows the other. A B B A: the blocks of four are the unit of --paired; before, \
    the pairs of neighbours were; with a drift of 1 % a run and noise of 0.3 % these find 60 % of 8 + 8. One run 12 % low: the change is called, and not claimed before that run is looked at. All A, then all B: no change may be claimed, and the gate does not fail on the change; fails if \
    allowed is the gate with gate_order = \"allow\", as it was before. Called is a change in either direction, the gate fails \
    on one for the worse.";

const METRIC: &str = "output_throughput";

/// Where the streams of the generator begin: beyond those of the lists.
const STREAMS: u64 = 0xb8 << 56;

/// Largest share of equal builds that are called different.
const CALLED: (f64, f64) = (0.0, 0.055);

/// Share of changes far beyond the noise that are called.
const FOUND: (f64, f64) = (0.9, 1.0);

const NEVER: (f64, f64) = (0.0, 0.0);

/// Share of changes that are claimed although one run moves them by more than the margin.
const SELDOM: (f64, f64) = (0.0, 0.05);

/// Settings of the simulation.
#[derive(Clone, Debug)]
pub struct SingleSettings {
    /// How comparisons are judged.
    pub policy: Policy,
    /// Comparisons a case.
    pub repetitions: u64,
}

/// How runs are made.
#[derive(Clone, Copy, PartialEq)]
enum Kind {
    TwoModes,
    /// Normal noise of 1 %, with this change.
    Normal(f64),
    /// The same, and the candidate's fourth run is 12 % low.
    OneLow(f64),
    /// In the order A B B A, compared in pairs; with this memory.
    Blocks(f64),
    /// In the order A B B A, compared in pairs, with a drift of 1 % a run and a change of 1 %.
    Drifting,
    /// All of one build before all of the other.
    OneByOne(f64),
}

struct Case {
    name: String,
    kind: Kind,
    runs: usize,
}

fn cases() -> Vec<Case> {
    let mut all = Vec::new();
    let mut add = |name: String, kind, runs: &[usize]| {
        all.extend(runs.iter().map(|runs| Case { name: name.clone(), kind, runs: *runs }));
    };
    add("two modes".to_owned(), Kind::TwoModes, &[2, 3, 5, 7, 8, 9, 10, 11, 12]);
    add("normal".to_owned(), Kind::Normal(0.0), &[7, 8, 9, 10, 11, 12]);
    add("normal, +1.5 %".to_owned(), Kind::Normal(0.015), &[7, 8, 9, 10, 11, 12]);
    for memory in [0.0, 0.2, 0.5, 0.8] {
        add(format!("A B B A, memory {memory}"), Kind::Blocks(memory), &[8, 12, 20]);
    }
    for memory in [0.0, 0.5, 0.8] {
        add(format!("all A, then all B, memory {memory}"), Kind::OneByOne(memory), &[5, 10]);
    }
    add("normal, +8 %, one run 12 % low".to_owned(), Kind::OneLow(0.08), &[8]);
    add("A B B A, drift, +1 %".to_owned(), Kind::Drifting, &[8, 12]);
    all
}

#[derive(Clone, Copy, Default)]
struct Tally {
    called: u64,
    before: u64,
    claimed: u64,
    failed: u64,
    allowed: u64,
}

impl SingleSettings {
    /// Comparisons that are simulated.
    pub fn comparisons(&self) -> u64 {
        self.repetitions * cases().len() as u64
    }
}

/// Simulates every case; `done` hears of finished comparisons, [`SingleSettings::comparisons`] in all.
pub fn simulate_single(settings: &SingleSettings, done: &(dyn Fn(u64) + Sync)) -> Vec<FigureRow> {
    let cases = cases();
    let first = settings.policy.resampling;
    let sums = in_blocks(&vec![settings.repetitions; cases.len()], BLOCK, first, |block| {
        let case = &cases[block.job];
        let paired = matches!(case.kind, Kind::Blocks(_) | Kind::Drifting);
        let policy = Policy { resampling: block.how, paired, ..settings.policy.clone() };
        let allowed =
            Policy { gate_order: beyondnoise::policy::GateOrder::Allow, ..policy.clone() };
        let mut tally = Tally::default();
        for repetition in block.repetitions.clone() {
            let stream = STREAMS | (block.job as u64) << 40 | repetition;
            let runs = made(case, &mut generator(first.seed, stream));
            let one = |policy: &Policy| {
                analyse(&dataset(&runs), Some("before"), None, policy)
                    .ok()?
                    .comparisons
                    .into_iter()
                    .next()
            };
            let Some(found) = one(&policy) else { continue };
            tally.called += u64::from(is_called(&found));
            tally.claimed += u64::from(found.may_claim.is_some() && is_called(&found));
            tally.failed += u64::from(found.gate == Gate::Fail);
            if paired {
                tally.before += u64::from(by_neighbours(&runs, &policy));
            }
            if matches!(case.kind, Kind::OneByOne(_)) {
                tally.allowed += u64::from(one(&allowed).is_some_and(|it| it.gate == Gate::Fail));
            }
        }
        done(block.repetitions.end - block.repetitions.start);
        tally
    });
    let mut totals = vec![Tally::default(); cases.len()];
    for (job, tally) in sums {
        let total = &mut totals[job];
        total.called += tally.called;
        total.before += tally.before;
        total.claimed += tally.claimed;
        total.failed += tally.failed;
        total.allowed += tally.allowed;
    }
    let of = |(case, tally): (&Case, Tally)| tally.rows(case, settings.repetitions);
    cases.iter().zip(totals).flat_map(of).collect()
}

impl Tally {
    fn rows(self, case: &Case, repetitions: u64) -> Vec<FigureRow> {
        let row = |figure, held, band| {
            FigureRow::of((&case.name, case.runs, figure), held, repetitions, band)
        };
        let drifting = case.kind == Kind::Drifting;
        let equal = !drifting
            && !matches!(case.kind, Kind::Normal(change) | Kind::OneLow(change) if change > 0.0);
        // Of two modes few runs show nothing; what is said of 2 + 2 is that no title follows.
        let few = case.kind == Kind::TwoModes && case.runs < 7;
        let confounded = matches!(case.kind, Kind::OneByOne(_));
        let called = Some(CALLED).filter(|_| equal && !few && !confounded);
        let one_low = matches!(case.kind, Kind::OneLow(_));
        let silent = confounded || few && case.runs == 2;
        let claimed = if one_low { Some(SELDOM) } else { Some(NEVER).filter(|_| silent) };
        let mut rows = vec![
            row("called", self.called, called.or(Some(FOUND).filter(|_| one_low || drifting))),
            row("change claimed", self.claimed, claimed),
        ];
        if matches!(case.kind, Kind::Blocks(_) | Kind::Drifting) {
            rows.push(row("called before", self.before, None));
        }
        if confounded {
            rows.push(row("gate fails", self.failed, Some(NEVER)));
            rows.push(row("fails if allowed", self.allowed, None));
        }
        rows
    }
}

fn is_called(comparison: &Comparison) -> bool {
    use Verdict::{Better, TinyBetter, TinyWorse, Worse};
    let mut rows = comparison.deciding();
    rows.any(|row| matches!(row.verdict, Better | Worse | TinyBetter | TinyWorse))
}

/// Whether the pairs of neighbours show a change.
fn by_neighbours(runs: &[(bool, f64)], policy: &Policy) -> bool {
    let of = |candidate: bool| -> Vec<f64> {
        runs.iter().filter(|run| run.0 == candidate).map(|run| run.1).collect()
    };
    let (before, after) = (of(false), of(true));
    let [log, _] =
        Curve::of_pairs(&before, &after, 0.0, Across::MEAN, policy.method, policy.resampling);
    log.is_ok_and(|curve| curve.p_value(0.0) < policy.alpha())
}

/// The runs in the order in which they were made: whether of the candidate, and the value.
fn made(case: &Case, rng: &mut ChaCha8Rng) -> Vec<(bool, f64)> {
    let (memory, change) = match case.kind {
        Kind::Blocks(memory) | Kind::OneByOne(memory) => (memory, 0.0),
        Kind::Normal(change) | Kind::OneLow(change) => (0.0, change),
        Kind::TwoModes => (0.0, 0.0),
        Kind::Drifting => (0.0, 0.01),
    };
    let mut noise = normal(rng);
    (0..2 * case.runs)
        .map(|at| {
            let candidate = match case.kind {
                Kind::OneByOne(_) => at >= case.runs,
                _ => matches!(at % 4, 1 | 2),
            };
            let log = if case.kind == Kind::TwoModes {
                let mode = if uniform(rng) < 0.3 { 0.24 } else { 0.0 };
                mode + 0.003 * normal(rng)
            } else {
                noise = memory * noise + (1.0 - memory * memory).sqrt() * normal(rng);
                // Of one build after the other the gate looks at changes beyond its tolerance.
                let (sd, drift) = match case.kind {
                    Kind::OneByOne(_) => (0.03, 0.0),
                    Kind::Drifting => (0.003, 0.01),
                    _ => (0.01, 0.0),
                };
                sd * noise + drift * at as f64
            };
            // The fourth run of B in A B B A A B B A.
            let low = if matches!(case.kind, Kind::OneLow(_)) && at == 6 { -0.12 } else { 0.0 };
            (candidate, 100.0 * (log + low + if candidate { change } else { 0.0 }).exp())
        })
        .collect()
}

fn dataset(runs: &[(bool, f64)]) -> Dataset {
    let run = |(at, (candidate, value)): (usize, &(bool, f64))| {
        let mut run = Run {
            variant: if *candidate { "after" } else { "before" }.to_owned(),
            source: Source { path: "runs.csv".into(), position: at + 2, counts: "line" },
            metrics: [(METRIC.to_owned(), Value { value: *value, resolution: 0.0 })].into(),
            ..Run::default()
        };
        run.info.started = Some((600 * at).to_string());
        run
    };
    Dataset::assemble(runs.iter().enumerate().map(run).collect(), Vec::new())
}
