//! Lists of cells, simulated: runs that span them, cells whose few runs look too quiet, cells that differ from the others.
//!
//! Each list is judged by the whole program and, for comparison, as it was before it knew of these faults: every cell with
//! its own p-value, and the change that all share from the cells as if they were repeats.

use std::collections::BTreeSet;

use crate::figures::FigureRow;
use crate::shapes::{normal, student, uniform};
use beyondnoise::analysis::{analyse, batch};
use beyondnoise::calibrate::{Block, generator, in_blocks};
use beyondnoise::policy::{Base, Policy};
use beyondnoise::report::{Comparison, Report, SharedRow};
use beyondnoise::runs::{Dataset, Run, Setting, Source, Value, Workload};
use beyondnoise::stats::{Across, Adjustment, Curve, Method, Sample, Scale, TwoSample, mean};
use beyondnoise::verdict::Verdict;
use rand_chacha::ChaCha8Rng;

/// Title of the report.
pub(crate) const TITLE: &str = "a list of unchanged cells has one called as rarely as claimed, also where cells share \
    runs or lie on levels";

/// How the lists were made.
pub(crate) const LEAD: &str = "Shared runs: every run spans all cells and shifts them by a normal run effect of 0 to 4 times the noise \
    within, 0.5 %; called is the change of all cells together. Beyond the others: all cells change by 2 %, their noise differs fourfold, and \
    some change by 5 % more; called is a cell that is named and did not, the false share is that of the named. Cells: 42 of a batch \
    or 8 loads of a sweep, unchanged or half of them changed; of equal noise every cell has 1 %; levels are 2 % apart with a jitter of 1/500 of that, unlike ones 0.4 to \
    3.2 %; of two modes 24 % apart a run is in the second with p = 0.3; ticks are 1 % of values with noise of 1 %. Before: the same \
    lists with the own p-values alone, and with a t interval over the cells for what they share; what called nothing \
    before is empty.";

/// Lists a case, for an answer in seconds and for the tables of the project.
pub const LISTS: [u64; 2] = [200, 1_000];

/// Where the streams of the generator begin.
const STREAMS: u64 = 0xb0 << 56;

/// Noise of a run within a cell.
const WITHIN: f64 = 0.005;

/// The change that all cells share, where they do.
const SHARED: f64 = 0.02;

/// The change of the cells that differ from the others.
const MORE: f64 = 0.05;

const METRIC: &str = "output_throughput";

/// Settings of the simulation.
#[derive(Clone, Debug)]
pub struct ListSettings {
    /// How lists are judged.
    pub policy: Policy,
    /// Lists a case.
    pub repetitions: u64,
    /// First seed.
    pub seed: u64,
    /// Whether every case is simulated, and not only those that a wrong rule fails first.
    pub all: bool,
}

/// How the values of a cell scatter.
#[derive(Clone, Copy)]
enum Noise {
    /// With a standard deviation that differs from cell to cell, from 0.5 to 4 %.
    Normal,
    /// With a standard deviation of 1 % in every cell.
    Even,
    /// Student's with 3 degrees of freedom.
    T3,
    /// On levels of this distance, or of one from 0.4 to 3.2 % by the cell.
    Levels(Option<f64>),
    TwoModes,
    Ticks,
}

/// The design that a case draws.
#[derive(Clone, Copy)]
enum Kind {
    /// Runs that span the cells: run effect in noises within, change of all cells, sd of the cells' own changes, share of
    /// missing values.
    Spanning { effect: f64, change: f64, apart: f64, missing: f64 },
    /// All changed by the same, and this share of the cells by more; whether runs span them.
    Beyond { share: Share, spanning: bool },
    /// Unchanged, or half of them changed by this much.
    Cells { noise: Noise, sweep: bool, change: f64 },
}

#[derive(Clone, Copy, PartialEq)]
enum Share {
    One,
    Of(f64),
}

struct Case {
    name: String,
    kind: Kind,
    cells: usize,
    runs: usize,
    /// Largest share of lists in which anything is called in error.
    most: Option<f64>,
    /// Whether a wrong rule fails here first.
    first: bool,
}

fn cases() -> Vec<Case> {
    let mut all = Vec::new();
    let mut add = |name: &str, kind, (cells, runs), most, first| {
        all.push(Case { name: name.to_owned(), kind, cells, runs, most, first });
    };
    for effect in [0.0, 0.25, 0.5, 1.0, 2.0, 4.0] {
        // As large as the noise: there a wrong rule fails first.
        let alike = (effect - 1.0_f64).abs() < 1e-9;
        let of = |name: &str| format!("shared runs, {name}effect {effect}");
        let kind = |change, apart, missing| Kind::Spanning { effect, change, apart, missing };
        for (cells, runs) in [(8, 2), (4, 3), (8, 3), (20, 3), (8, 5), (20, 5), (60, 5), (20, 10)] {
            // With ten runs a variance of half the size is seen best.
            let first = alike && matches!((cells, runs), (8, 3) | (20, 10));
            let most = (runs > 2).then_some(0.061);
            add(&of(""), kind(0.0, 0.0, 0.0), (cells, runs), most, first);
        }
        add(&of("30 % missing, "), kind(0.0, 0.0, 0.3), (20, 5), Some(0.061), false);
        add(&of("cells differ by 1 %, "), kind(0.0, 0.01, 0.0), (20, 10), Some(0.061), alike);
        add(&of("cells differ by 3 %, "), kind(0.0, 0.03, 0.0), (20, 10), Some(0.061), false);
        for design in [(4, 3), (8, 3), (8, 5)] {
            add(&of("+2 %, "), kind(SHARED, 0.0, 0.0), design, None, false);
        }
    }
    let shares = [
        ("none beyond", Share::Of(0.0)),
        ("one beyond", Share::One),
        ("a quarter beyond", Share::Of(0.25)),
        ("40 % beyond", Share::Of(0.4)),
    ];
    for (name, share) in shares {
        for design in [(8, 3), (20, 3), (8, 5), (20, 5), (20, 10)] {
            // A mean in the place of the median finds hardly one of them.
            let first = share == Share::Of(0.4) && design == (20, 5);
            add(name, Kind::Beyond { share, spanning: false }, design, Some(0.05), first);
        }
        for design in [(20, 3), (20, 5)] {
            let spanning = Kind::Beyond { share, spanning: true };
            add(&format!("{name}, shared runs"), spanning, design, Some(0.05), false);
        }
    }
    let noises = [
        ("normal", Noise::Normal, 0.075, 0.055),
        ("t3", Noise::T3, 0.075, 0.055),
        ("levels alike", Noise::Levels(Some(0.02)), 0.03, 0.03),
        ("levels unlike", Noise::Levels(None), 0.055, 0.055),
        ("two modes", Noise::TwoModes, 0.03, 0.03),
        ("ticks", Noise::Ticks, 0.075, 0.055),
    ];
    for (name, noise, batch, sweep) in noises {
        for runs in [3, 4, 5, 10] {
            let cells = |sweep, change| Kind::Cells { noise, sweep, change };
            let lumps = matches!(noise, Noise::Levels(Some(_)) | Noise::TwoModes);
            let first = runs == 3 && (lumps || matches!(noise, Noise::Normal));
            // Judged by all cells alone 15 % of these lists have one called.
            let unlike = runs == 3 && matches!(noise, Noise::Levels(None));
            let most = if unlike { 0.02 } else { batch };
            add(name, cells(false, 0.0), (42, runs), Some(most), first || unlike);
            add(name, cells(true, 0.0), (8, runs), Some(sweep), first);
            let half = format!("{name}, half +5 %");
            add(&half, cells(false, 0.05), (42, runs), None, false);
            add(&half, cells(true, 0.05), (8, runs), None, false);
        }
    }
    // Where the cells are equally noisy, each lends its noise to the others: without that 35 % of these are found.
    let even = Kind::Cells { noise: Noise::Even, sweep: false, change: 0.035 };
    add("equal noise, half +3.5 %", even, (42, 3), None, true);
    all
}

#[derive(Clone, Copy, Default)]
struct Tally {
    lists: u64,
    /// Lists with something called in error; of the whole where runs span the cells.
    called: u64,
    before: u64,
    /// Changed cells, or lists where all changed; those of them that were called, and that were before.
    changed: u64,
    found: u64,
    found_before: u64,
    /// Sum over lists of the share of the named cells that did not differ.
    false_share: f64,
    cells: u64,
    /// Raw p-values below the levels.
    below: [u64; LEVELS.len()],
}

/// Levels at which p-values are counted, and how many times as many may be below.
const LEVELS: [(f64, &str, f64); 5] = [
    (0.05, "p < 0.05", 1.3),
    (0.01, "p < 0.01", 1.3),
    (0.002, "p < 0.002", 1.3),
    (0.001, "p < 0.001", 1.8),
    (0.0005, "p < 0.0005", 2.5),
];

impl ListSettings {
    fn cases(&self) -> Vec<(usize, Case)> {
        cases().into_iter().enumerate().filter(|(_, case)| self.all || case.first).collect()
    }

    /// Lists of each case. Of the few cases, sweeps and unchanged shared runs are quick: four times as many.
    fn repetitions(&self) -> Vec<u64> {
        let quick = |case: &Case| {
            case.is_sweep() || matches!(case.kind, Kind::Spanning { apart, .. } if apart == 0.0)
        };
        let of = |case: &Case| if !self.all && quick(case) { 4 } else { 1 };
        self.cases().iter().map(|(_, case)| self.repetitions * of(case)).collect()
    }

    /// Lists that are simulated.
    pub fn lists(&self) -> u64 {
        self.repetitions().iter().sum()
    }
}

/// Simulates the cases; `done` hears of finished lists, [`ListSettings::lists`] in all.
pub fn simulate_lists(settings: &ListSettings, done: &(dyn Fn(u64) + Sync)) -> Vec<FigureRow> {
    let cases = settings.cases();
    let first = settings.policy.resampling;
    let sums = in_blocks(&settings.repetitions(), 8, first, |block: &Block| {
        let mut tally = Tally::default();
        let (at, case) = &cases[block.job];
        for repetition in block.repetitions.clone() {
            let stream = STREAMS | (*at as u64) << 40 | repetition;
            tally.record(case, &settings.policy, &mut generator(settings.seed, stream));
        }
        done(block.repetitions.end - block.repetitions.start);
        tally
    });
    let mut totals = vec![Tally::default(); cases.len()];
    for (job, tally) in sums {
        totals[job].join(&tally);
    }
    cases.iter().zip(totals).flat_map(|((_, case), tally)| tally.rows(case)).collect()
}

impl Tally {
    fn join(&mut self, other: &Self) {
        self.lists += other.lists;
        self.called += other.called;
        self.before += other.before;
        self.changed += other.changed;
        self.found += other.found;
        self.found_before += other.found_before;
        self.false_share += other.false_share;
        self.cells += other.cells;
        self.below.iter_mut().zip(other.below).for_each(|(total, n)| *total += n);
    }

    fn record(&mut self, case: &Case, policy: &Policy, rng: &mut ChaCha8Rng) {
        let list = List::draw(case, rng);
        let dataset = list.dataset(case);
        let base = Base::Label("before".to_owned());
        let report = if case.is_sweep() {
            analyse(&dataset, Some("before"), None, policy)
        } else {
            batch(&dataset, None, &["cell".to_owned()], Some(&base), policy)
        };
        let Ok(report) = report else { return };
        self.lists += 1;
        let shared = || report.batch.iter().flat_map(|batch| &batch.shared);
        match case.kind {
            Kind::Spanning { .. } => {
                let called = u64::from(shared().any(|row| is_change(row.change.verdict)));
                self.called += called;
                self.before += u64::from(list.shared_before(policy));
                // Where all changed, the list is the one that is found.
                self.changed += 1;
                self.found += called;
            }
            Kind::Beyond { .. } => self.record_named(&list, shared()),
            Kind::Cells { .. } => self.record_cells(&list, case, &report, policy),
        }
    }

    fn record_named<'a>(&mut self, list: &List, shared: impl Iterator<Item = &'a SharedRow>) {
        let digits = |cell: &str| cell.rsplit(|c: char| !c.is_ascii_digit()).next()?.parse().ok();
        let named: BTreeSet<usize> =
            shared.flat_map(|row| &row.beyond).filter_map(|row| digits(&row.cell)).collect();
        let right = named.iter().filter(|cell| list.changed[**cell]).count();
        let wrong = named.len() - right;
        self.called += u64::from(wrong > 0);
        self.false_share += wrong as f64 / named.len().max(1) as f64;
        self.changed += list.changed.iter().filter(|changed| **changed).count() as u64;
        self.found += right as u64;
    }

    fn record_cells(&mut self, list: &List, case: &Case, report: &Report, policy: &Policy) {
        let before = list.called_before(case, policy);
        let judged = report.comparisons.iter();
        let judged = judged.filter_map(|one| Some((cell_of(one)?, one.deciding().next()?)));
        // A report has an order of its own.
        let mut called = vec![false; list.changed.len()];
        for (cell, row) in judged.clone() {
            called[cell] = is_change(row.verdict);
        }
        let any =
            |called: &[bool]| called.iter().zip(&list.changed).any(|(is, true_)| *is && !true_);
        self.called += u64::from(any(&called));
        self.before += u64::from(any(&before));
        let found = |called: &[bool]| {
            called.iter().zip(&list.changed).filter(|(is, changed)| **is && **changed).count()
                as u64
        };
        self.changed += list.changed.iter().filter(|changed| **changed).count() as u64;
        self.found += found(&called);
        self.found_before += found(&before);
        if list.changed.contains(&true) {
            return;
        }
        for p in judged.filter_map(|(_, row)| row.p_value) {
            self.cells += 1;
            for (below, (level, ..)) in self.below.iter_mut().zip(LEVELS) {
                *below += u64::from(p < level);
            }
        }
    }

    fn rows(self, case: &Case) -> Vec<FigureRow> {
        let unit = if case.is_sweep() { "loads" } else { "cells" };
        let of = format!("{}, {} {unit}", case.name, case.cells);
        let figure =
            |name, held, n: u64, band| FigureRow::of((&of, case.runs, name), held, n.max(1), band);
        let bands = [case.most.map(|most| (0.0, most)), None];
        let mut rows = Vec::new();
        if case.is_changed() {
            let found = case.first.then_some((0.7, 1.0));
            rows.push(figure("changed found", self.found, self.changed, found));
        } else {
            // Where cells are beyond the others, the share of false ones among the named has the bound.
            let named = matches!(case.kind, Kind::Beyond { .. }) && self.changed > 0;
            rows.push(figure("any called", self.called, self.lists, bands[usize::from(named)]));
        }
        match case.kind {
            Kind::Beyond { .. } if self.changed > 0 => {
                let share = ((of.clone(), case.runs, "false share"), self.false_share);
                rows.push(FigureRow::of_share(share.0, share.1, self.lists as f64, bands[0]));
                // With ten runs a change of 5 % beyond the others is far from the noise.
                let found = match case.runs {
                    10 => Some((0.97, 1.0)),
                    _ if case.first => Some((0.9, 1.0)),
                    _ => None,
                };
                rows.push(figure("changed found", self.found, self.changed, found));
            }
            Kind::Beyond { .. } => {}
            Kind::Cells { .. } if case.is_changed() => {
                rows.push(figure("before", self.found_before, self.changed, None));
            }
            Kind::Spanning { .. } | Kind::Cells { .. } => {
                rows.push(figure("before", self.before, self.lists, None));
            }
        }
        if self.cells > 0 {
            // Of sets of values that lie on levels only the lists have a bound.
            let smooth = matches!(
                case.kind,
                Kind::Cells { noise: Noise::Normal | Noise::Even | Noise::T3 | Noise::Ticks, .. }
            );
            rows.extend(LEVELS.iter().zip(self.below).map(|((level, name, times), below)| {
                figure(name, below, self.cells, smooth.then_some((0.0, level * times)))
            }));
        }
        rows
    }
}

/// The number of the cell that a comparison is of: of a sweep its load less one.
fn cell_of(comparison: &Comparison) -> Option<usize> {
    match comparison.workload.max_concurrency {
        Setting::Value(load) if comparison.cell.is_empty() => {
            load.to_string().parse().ok().and_then(|load: usize| load.checked_sub(1))
        }
        _ => comparison.cell.get("cell")?.parse().ok(),
    }
}

fn is_change(verdict: Verdict) -> bool {
    use Verdict::{Better, TinyBetter, TinyWorse, Worse};
    matches!(verdict, Better | Worse | TinyBetter | TinyWorse)
}

impl Case {
    fn is_sweep(&self) -> bool {
        matches!(self.kind, Kind::Cells { sweep: true, .. })
    }

    /// Whether what is called in it is a true change.
    fn is_changed(&self) -> bool {
        match self.kind {
            Kind::Spanning { change, .. } | Kind::Cells { change, .. } => change > 0.0,
            Kind::Beyond { .. } => false,
        }
    }

    fn spans(&self) -> bool {
        matches!(self.kind, Kind::Spanning { .. } | Kind::Beyond { spanning: true, .. })
    }

    /// How far apart two neighbouring values are that are printed, in their unit.
    fn resolution(&self) -> f64 {
        let ticks = matches!(self.kind, Kind::Cells { noise: Noise::Ticks, .. });
        if ticks { 0.5 } else { 0.0 }
    }

    /// The scale of a cell's noise, its change, and whether that is one of its own.
    fn cell(&self, at: usize, rng: &mut ChaCha8Rng) -> (f64, f64, bool) {
        match self.kind {
            Kind::Spanning { change, apart, .. } => (WITHIN, change + apart * normal(rng), false),
            Kind::Beyond { share, .. } => {
                let more = match share {
                    Share::One => at == 0,
                    Share::Of(share) => ((at + 1) as f64) <= share * self.cells as f64,
                };
                let scale = WITHIN * 4_f64.powf(uniform(rng));
                (scale, SHARED + if more { MORE } else { 0.0 }, more)
            }
            Kind::Cells { noise, change, .. } => {
                let scale = match noise {
                    Noise::Normal => 0.005 * 8_f64.powf(uniform(rng)),
                    Noise::Levels(None) => 0.004 * 8_f64.powf(uniform(rng)),
                    _ => 0.01,
                };
                let changed = change > 0.0 && at.is_multiple_of(2);
                (scale, if changed { change } else { 0.0 }, changed)
            }
        }
    }

    /// How far a run shifts all of its cells.
    fn shift(&self, rng: &mut ChaCha8Rng) -> f64 {
        match self.kind {
            Kind::Spanning { effect, .. } => effect * WITHIN * normal(rng),
            Kind::Beyond { spanning: true, .. } => 2.0 * WITHIN * normal(rng),
            _ => 0.0,
        }
    }

    /// The logarithm of a value before any shift; `None` where it is missing.
    fn value(&self, scale: f64, rng: &mut ChaCha8Rng) -> Option<f64> {
        let noise = match self.kind {
            Kind::Spanning { missing, .. } => {
                let there = missing == 0.0 || uniform(rng) >= missing;
                return there.then(|| scale * normal(rng));
            }
            Kind::Beyond { .. } => return Some(scale * normal(rng)),
            Kind::Cells { noise, .. } => noise,
        };
        Some(match noise {
            Noise::Normal | Noise::Even | Noise::Ticks => scale * normal(rng),
            Noise::T3 => scale * student(3, rng),
            Noise::Levels(distance) => {
                let distance = distance.unwrap_or(scale);
                distance * (0.7 * normal(rng)).round() + distance / 500.0 * normal(rng)
            }
            Noise::TwoModes => {
                let second = if uniform(rng) < 0.3 { 0.24 } else { 0.0 };
                second + 0.003 * normal(rng)
            }
        })
    }
}

/// The values of a list: of each cell and variant those of its runs, `None` where one is missing.
struct List {
    values: Vec<[Vec<Option<f64>>; 2]>,
    /// Whether a cell has a change of its own.
    changed: Vec<bool>,
}

impl List {
    fn draw(case: &Case, rng: &mut ChaCha8Rng) -> Self {
        let cells: Vec<_> = (0..case.cells).map(|at| case.cell(at, rng)).collect();
        let mut values = vec![[Vec::new(), Vec::new()]; case.cells];
        for side in 0..2 {
            for _ in 0..case.runs {
                let shift = case.shift(rng);
                for ((scale, change, _), values) in cells.iter().zip(&mut values) {
                    let change = if side == 1 { *change } else { 0.0 };
                    let value = case.value(*scale, rng);
                    let value = value.map(|log| 100.0 * (log + shift + change).exp());
                    let printed =
                        |value: f64| if case.resolution() > 0.0 { value.round() } else { value };
                    values[side].push(value.map(printed));
                }
            }
        }
        Self { values, changed: cells.iter().map(|(.., changed)| *changed).collect() }
    }

    fn dataset(&self, case: &Case) -> Dataset {
        let mut runs = Vec::with_capacity(2 * case.runs * case.cells);
        for (cell, sides) in self.values.iter().enumerate() {
            for (side, values) in sides.iter().enumerate() {
                for (run, value) in values.iter().enumerate() {
                    let Some(value) = *value else { continue };
                    runs.push(run_of(case, (cell, side, run), value, runs.len()));
                }
            }
        }
        Dataset::assemble(runs, Vec::new())
    }

    /// Whether the t interval over the cells shows a change of all.
    fn shared_before(&self, policy: &Policy) -> bool {
        let log = |values: &[Option<f64>]| {
            let logs: Vec<f64> = values.iter().flatten().map(|value| value.ln()).collect();
            mean(&logs)
        };
        let changes: Vec<f64> = self.values.iter().map(|[a, b]| log(b) - log(a)).collect();
        let changes: Vec<f64> = changes.into_iter().filter(|change| change.is_finite()).collect();
        Curve::shared(&changes).is_ok_and(|curve| curve.p_value(0.0) < policy.alpha())
    }

    /// The cells that their own p-values call after the correction of the list.
    fn called_before(&self, case: &Case, policy: &Policy) -> Vec<bool> {
        let p = |[a, b]: &[Vec<Option<f64>>; 2]| {
            let sample = |values: &[Option<f64>]| {
                Sample::rounded(values.iter().flatten().copied().collect(), case.resolution())
            };
            let (Ok(a), Ok(b)) = (sample(a), sample(b)) else { return 1.0 };
            let change = TwoSample::new(&a, &b, Across::MEAN, policy.resampling);
            let curve = change.curve(Scale::Log, Method::Calibrated);
            curve.map_or(1.0, |curve| curve.p_value(0.0))
        };
        let raw: Vec<f64> = self.values.iter().map(p).collect();
        let adjusted = if case.is_sweep() {
            Adjustment::Holm.adjusted(&raw)
        } else {
            Adjustment::FalseDiscovery.adjusted(&raw)
        };
        adjusted.into_iter().map(|p| p < policy.alpha()).collect()
    }
}

fn run_of(case: &Case, (cell, side, run): (usize, usize, usize), value: f64, before: usize) -> Run {
    let sweep = case.is_sweep();
    let load = if sweep { (cell + 1) as f64 } else { 8.0 };
    let workload = Workload {
        max_concurrency: Setting::Value(load),
        requests: Some(100_000),
        ..Workload::default()
    };
    let of_cell = (!sweep).then(|| ("cell".to_owned(), cell.to_string()));
    let resolution = case.resolution();
    Run {
        variant: ["before", "after"][side].to_owned(),
        name: case.spans().then(|| run.to_string()),
        source: Source { path: "runs.csv".into(), position: before + 2, counts: "line" },
        workload: workload.into(),
        cell: of_cell.into_iter().collect::<std::collections::BTreeMap<_, _>>().into(),
        metrics: [(METRIC.to_owned(), Value { value, resolution })].into_iter().collect(),
        ..Run::default()
    }
}
