//! Lists of cells, simulated: runs that span them, and cells whose few runs look too quiet.

use std::collections::BTreeMap;

use crate::figures::FigureRow;
use crate::shapes::{normal, uniform};
use beyondnoise::analysis::{BatchBase, analyse, batch};
use beyondnoise::calibrate::{Block, generator, in_blocks};
use beyondnoise::policy::Policy;
use beyondnoise::report::{Report, SharedRow};
use beyondnoise::runs::{Dataset, Run, Setting, Source, Value, Workload};
use beyondnoise::stats::t_quantile;
use beyondnoise::verdict::Verdict;
use rand_chacha::ChaCha8Rng;

/// Title of the report.
pub(crate) const TITLE: &str =
    "unchanged cells that share runs or whose values lie on levels are called as rarely as claimed";

/// How the lists were made.
pub(crate) const LEAD: &str = "Shared runs: every run spans all cells and shifts them by a normal run effect of 0 to 4 times the noise within, 0.5 %; \
    the change of all cells together is claimed where nothing changed, or where all changed by 2 %. Lists: 42 cells of a batch or 8 loads of a sweep, without a \
    change; levels are 2 % apart with a jitter of 1/500 of that, unlike ones 0.4 to 3.2 %; of two modes 24 % apart a run is in the second with \
    p = 0.3; ticks are 1 % of values with noise of 1 %.";

/// Lists a case, for an answer in seconds and for the tables of the project.
pub const LISTS: [u64; 2] = [200, 1_000];

/// Where the streams of the generator begin.
const STREAMS: u64 = 0xb0 << 56;

/// Noise of a run within a cell.
const WITHIN: f64 = 0.005;

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
}

/// How the values of a cell scatter.
#[derive(Clone, Copy)]
enum Noise {
    /// With a standard deviation that differs from cell to cell, from 0.5 to 4 %.
    Normal,
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
    Spanning {
        effect: f64,
        change: f64,
        apart: f64,
        missing: f64,
    },
    Cells {
        noise: Noise,
        sweep: bool,
    },
}

struct Case {
    name: &'static str,
    kind: Kind,
    cells: usize,
    runs: usize,
    /// Largest share of lists in which anything is called.
    most: Option<f64>,
}

fn cases() -> Vec<Case> {
    let mut all = Vec::new();
    let spanning = |effect| Kind::Spanning { effect, change: 0.0, apart: 0.0, missing: 0.0 };
    for (name, effect) in [
        ("shared runs, no run effect", 0.0),
        ("shared runs, effect = half the noise", 0.5),
        ("shared runs, effect = noise", 1.0),
        ("shared runs, effect = 4 times the noise", 4.0),
    ] {
        for (cells, runs) in [(4, 3), (8, 3), (20, 5), (20, 10)] {
            all.push(Case { name, kind: spanning(effect), cells, runs, most: Some(0.061) });
        }
    }
    let differ = Kind::Spanning { effect: 2.0, change: 0.0, apart: 0.01, missing: 0.0 };
    let missing = Kind::Spanning { effect: 1.0, change: 0.0, apart: 0.0, missing: 0.3 };
    let changed = Kind::Spanning { effect: 1.0, change: 0.02, apart: 0.0, missing: 0.0 };
    let case = |name, kind, cells, runs, most| Case { name, kind, cells, runs, most };
    all.push(case("shared runs, cells differ by 1 %", differ, 20, 10, Some(0.061)));
    all.push(case("shared runs, 30 % missing", missing, 20, 5, Some(0.061)));
    all.push(case("shared runs, +2 %", changed, 8, 3, None));
    all.push(case("shared runs, +2 %", changed, 8, 5, None));
    let noises = [
        ("normal", Noise::Normal, 0.075, 0.055),
        ("t3", Noise::T3, 0.075, 0.055),
        ("levels alike", Noise::Levels(Some(0.02)), 0.03, 0.03),
        ("levels unlike", Noise::Levels(None), 0.15, 0.15),
        ("two modes", Noise::TwoModes, 0.03, 0.03),
        ("ticks", Noise::Ticks, 0.075, 0.055),
    ];
    for (name, noise, batch, sweep) in noises {
        for runs in [3, 4, 5, 10] {
            all.push(case(name, Kind::Cells { noise, sweep: false }, 42, runs, Some(batch)));
            all.push(case(name, Kind::Cells { noise, sweep: true }, 8, runs, Some(sweep)));
        }
    }
    all
}

#[derive(Clone, Copy, Default)]
struct Tally {
    lists: u64,
    called: u64,
    cells: u64,
    /// Raw p-values below the levels.
    below: [u64; 4],
}

/// Levels at which p-values are counted, and how many times as many may be below.
const LEVELS: [(f64, &str, f64); 4] = [
    (0.05, "p < 0.05", 1.3),
    (0.01, "p < 0.01", 1.3),
    (0.002, "p < 0.002", 1.3),
    (0.0005, "p < 0.0005", 2.5),
];

/// Simulates every case.
pub fn simulate_lists(settings: &ListSettings) -> Vec<FigureRow> {
    let cases = cases();
    let first = settings.policy.resampling;
    let sums = in_blocks(&vec![settings.repetitions; cases.len()], 8, first, |block: &Block| {
        let mut tally = Tally::default();
        for repetition in block.repetitions.clone() {
            let stream = STREAMS | (block.job as u64) << 40 | repetition;
            let mut rng = generator(settings.seed, stream);
            tally.record(&cases[block.job], &settings.policy, &mut rng);
        }
        tally
    });
    let mut totals = vec![Tally::default(); cases.len()];
    for (job, tally) in sums {
        let total = &mut totals[job];
        total.lists += tally.lists;
        total.called += tally.called;
        total.cells += tally.cells;
        total.below.iter_mut().zip(tally.below).for_each(|(total, n)| *total += n);
    }
    cases.iter().zip(totals).flat_map(|(case, tally)| tally.rows(case)).collect()
}

impl Tally {
    fn record(&mut self, case: &Case, policy: &Policy, rng: &mut ChaCha8Rng) {
        let dataset = dataset(case, rng);
        let sweep = matches!(case.kind, Kind::Cells { sweep: true, .. });
        let base = BatchBase::Label(Some("before".to_owned()));
        let report = if sweep {
            analyse(&dataset, Some("before"), None, policy)
        } else {
            batch(&dataset, None, &["cell".to_owned()], &base, policy)
        };
        let Ok(report) = report else { return };
        self.lists += 1;
        if matches!(case.kind, Kind::Spanning { .. }) {
            let shared = report.batch.iter().flat_map(|batch| &batch.shared);
            self.called +=
                u64::from(shared.into_iter().any(|row: &SharedRow| is_change(row.change.verdict)));
        } else {
            self.count(&report);
        }
    }

    fn count(&mut self, report: &Report) {
        let rows = || report.comparisons.iter().flat_map(beyondnoise::report::Comparison::deciding);
        self.called += u64::from(rows().any(|row| is_change(row.verdict)));
        for p in rows().filter_map(|row| row.p_value) {
            self.cells += 1;
            for (below, (level, ..)) in self.below.iter_mut().zip(LEVELS) {
                *below += u64::from(p < level);
            }
        }
    }

    fn rows(self, case: &Case) -> Vec<FigureRow> {
        let of = match case.kind {
            Kind::Cells { sweep: true, .. } => format!("{}, {} loads", case.name, case.cells),
            _ => format!("{}, {} cells", case.name, case.cells),
        };
        let figure =
            |name, held, n: u64, band| FigureRow::of((&of, case.runs, name), held, n.max(1), band);
        let mut rows =
            vec![figure("any called", self.called, self.lists, case.most.map(|most| (0.0, most)))];
        if self.cells > 0 {
            // Of sets of values that lie on levels only the lists have a bound.
            let smooth = matches!(
                case.kind,
                Kind::Cells { noise: Noise::Normal | Noise::T3 | Noise::Ticks, .. }
            );
            rows.extend(LEVELS.iter().zip(self.below).map(|((level, name, times), below)| {
                figure(name, below, self.cells, smooth.then_some((0.0, level * times)))
            }));
        }
        rows
    }
}

fn is_change(verdict: Verdict) -> bool {
    use Verdict::{Better, TinyBetter, TinyWorse, Worse};
    matches!(verdict, Better | Worse | TinyBetter | TinyWorse)
}

/// The runs of a list.
fn dataset(case: &Case, rng: &mut ChaCha8Rng) -> Dataset {
    let sweep = matches!(case.kind, Kind::Cells { sweep: true, .. });
    let mut runs = Vec::with_capacity(2 * case.runs * case.cells);
    let mut scales: Vec<f64> = Vec::new();
    let mut changes: Vec<f64> = Vec::new();
    for _ in 0..case.cells {
        scales.push(match case.kind {
            Kind::Cells { noise: Noise::Normal, .. } => 0.005 * 8_f64.powf(uniform(rng)),
            Kind::Cells { noise: Noise::Levels(None), .. } => 0.004 * 8_f64.powf(uniform(rng)),
            _ => 0.01,
        });
        changes.push(match case.kind {
            Kind::Spanning { change, apart, .. } => change + apart * normal(rng),
            Kind::Cells { .. } => 0.0,
        });
    }
    for candidate in [false, true] {
        for run in 0..case.runs {
            let shift = match case.kind {
                Kind::Spanning { effect, .. } => effect * WITHIN * normal(rng),
                Kind::Cells { .. } => 0.0,
            };
            for cell in 0..case.cells {
                let change = if candidate { changes[cell] } else { 0.0 };
                let Some(log) = value(case, scales[cell], rng) else { continue };
                let value = 100.0 * (log + shift + change).exp();
                let ticks = matches!(case.kind, Kind::Cells { noise: Noise::Ticks, .. });
                let value = if ticks { value.round() } else { value };
                let resolution = if ticks { 0.5 } else { 0.0 };
                let cap = if sweep { (cell + 1) as f64 } else { 8.0 };
                let workload = Workload {
                    max_concurrency: Setting::Value(cap),
                    requests: Some(100_000),
                    ..Workload::default()
                };
                let of_cell: BTreeMap<String, String> = if sweep {
                    BTreeMap::new()
                } else {
                    [("cell".to_owned(), cell.to_string())].into()
                };
                let spans = matches!(case.kind, Kind::Spanning { .. });
                runs.push(Run {
                    variant: if candidate { "after" } else { "before" }.to_owned(),
                    name: spans.then(|| run.to_string()),
                    source: Source {
                        path: "runs.csv".into(),
                        position: runs.len() + 2,
                        counts: "line",
                    },
                    workload: workload.into(),
                    cell: of_cell.into(),
                    metrics: [(METRIC.to_owned(), Value { value, resolution })]
                        .into_iter()
                        .collect(),
                    ..Run::default()
                });
            }
        }
    }
    Dataset::assemble(runs, Vec::new())
}

/// The logarithm of a value before any shift; `None` where it is missing.
fn value(case: &Case, scale: f64, rng: &mut ChaCha8Rng) -> Option<f64> {
    let noise = match case.kind {
        Kind::Spanning { missing, .. } => {
            return (missing == 0.0 || uniform(rng) >= missing).then(|| WITHIN * normal(rng));
        }
        Kind::Cells { noise, .. } => noise,
    };
    Some(match noise {
        Noise::Normal | Noise::Ticks => scale * normal(rng),
        Noise::T3 => scale * t_quantile(uniform(rng).clamp(1e-9, 1.0 - 1e-9), 3.0),
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
