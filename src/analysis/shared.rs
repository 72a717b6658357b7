//! A batch or a sweep as a whole: the shared change of its cells, and the factor by which it differs.
//!
//! The cell is the unit, unless runs span cells (see [`spanning_runs`]). Three lists are corrected by Holm: the changes over
//! all cells, for every pair of variants and deciding metric; the changes within each value of each factor; and the tests
//! whether the values of a factor differ. A differing value is looked for only if they do, so that one is named in error as
//! rarely as a factor.

use std::collections::{BTreeMap, BTreeSet};

use rayon::prelude::*;

use crate::analysis::spanning::{RunIdentities, RunIdentity, spanning_runs};
use crate::policy::Policy;
use crate::report::{
    BeyondRow, Comparison, DiffersRow, FactorRow, Row, SharedChange, SharedRow, SweepRow, ValueRow,
};
use crate::runs::natural;
use crate::stats::{
    Adjustment, CellNoise, CellRuns, Curve, Excess, ListNoise, Undefined, Variance, mean, quantile,
    standard_deviation, unequal_groups_p_value,
};
use crate::units::Better;
use crate::verdict::{Change, Verdict, judge};

/// The smallest level of an interval; below it the confidence rounds to 1.
const LEAST_LEVEL: f64 = 1e-15;

/// Fewest runs that span cells for a verdict on the shared change: with 2 of each, two modes of a start make 1 in 10 calls
/// false, and no test on the data shows it.
const MIN_SPANNING: usize = 3;

/// The cells of one metric and one pair of variants.
struct Cells<'a> {
    row: &'a Row,
    better: Better,
    margin: f64,
    pair: (&'a str, &'a str),
    left_out: usize,
    changes: Vec<CellChange<'a>>,
}

/// A cell with the identities of its runs, of the baseline and of the candidate.
struct Cell<'a> {
    comparison: &'a Comparison,
    runs: [Vec<RunIdentity>; 2],
}

/// A cell with its row for the metric and its log ratio.
#[derive(Clone, Copy)]
struct CellChange<'a> {
    cell: &'a Cell<'a>,
    row: &'a Row,
    change: f64,
}

/// Cells whose shared change is judged, with the curve for it.
struct Group<'a> {
    of: &'a Cells<'a>,
    log_ratios: Vec<f64>,
    curve: Result<Curve, Undefined>,
    /// Numbers of runs that span the cells, for the baseline and the candidate.
    runs: Option<[usize; 2]>,
    cells: Vec<CellChange<'a>>,
}

/// The values of a factor, each with at least two cells, and the p-value for equal values.
struct Factor<'a> {
    name: &'a str,
    values: Vec<(&'a str, Group<'a>)>,
    p_value: Option<f64>,
}

/// A p-value after correction, with the level of its interval and the number of tests.
type Adjusted = (f64, f64, usize);

/// The shared changes of comparisons whose cells are named by these columns.
pub(super) fn shared(
    comparisons: &[&Comparison],
    columns: &[String],
    policy: &Policy,
) -> Vec<SharedRow> {
    let pairs: BTreeSet<_> = comparisons.iter().map(|one| pair(one)).collect();
    let mut pairs: Vec<_> = pairs.into_iter().collect();
    pairs.sort_by_cached_key(|(a, b)| (natural(a), natural(b)));
    let cells = cells_of(comparisons.iter().copied());
    let of_pair = |of| {
        let cells: Vec<&Cell> = cells.iter().filter(|cell| pair(cell.comparison) == of).collect();
        of_metrics(&cells, of)
    };
    let all: Vec<Cells> = pairs.into_iter().flat_map(of_pair).collect();
    rows(&all, columns, policy)
}

/// The shared changes of sweeps, whose cells are their loads; a sweep of single runs has none. All are one list.
pub(super) fn shared_by_loads(sweeps: &mut [SweepRow], all: &[Comparison], policy: &Policy) {
    let loads: Vec<Vec<Cell>> =
        sweeps.iter().map(|sweep| cells_of(sweep.comparisons(all))).collect();
    let cells: Vec<Vec<Cells>> = loads.iter().map(|loads| of_loads(loads)).collect();
    let counts: Vec<usize> = cells.iter().map(Vec::len).collect();
    let mut found = rows(&cells.into_iter().flatten().collect::<Vec<_>>(), &[], policy).into_iter();
    for (sweep, count) in sweeps.iter_mut().zip(counts) {
        sweep.shared = found.by_ref().take(count).collect();
    }
}

/// The rows of all pairs and metrics, judged as one list.
fn rows(all: &[Cells], columns: &[String], policy: &Policy) -> Vec<SharedRow> {
    let of = |cells| (Group::of(cells, &cells.changes), cells.factors(columns));
    let (whole, factors): (Vec<Group>, Vec<Vec<Factor>>) = all.par_iter().map(of).unzip();
    let changes = judged(&whole, policy);
    let rows = all.iter().zip(changes).zip(concluded(&factors, policy));
    let row = |((cells, change), factors): ((&Cells, SharedChange), _)| SharedRow {
        beyond: if is_shown(change.verdict) { beyond(cells, policy) } else { Vec::new() },
        metric: cells.row.metric.clone(),
        label: cells.row.label.clone(),
        better: cells.better,
        baseline: cells.pair.0.to_owned(),
        candidate: cells.pair.1.to_owned(),
        left_out: cells.left_out,
        margin: cells.margin,
        tolerance: cells.row.tolerance,
        change,
        factors,
    };
    rows.map(row).collect()
}

/// Whether a verdict shows a change.
fn is_shown(verdict: Verdict) -> bool {
    use Verdict::{Better, TinyBetter, TinyWorse, Worse};
    matches!(verdict, Better | Worse | TinyBetter | TinyWorse)
}

/// The cells that are shown to have changed by more or less than the others, the largest first. Empty for runs in pairs.
fn beyond(cells: &Cells, policy: &Policy) -> Vec<BeyondRow> {
    let of = |cell: &CellChange| -> Option<[Vec<f64>; 2]> {
        let sides = [&cell.row.baseline, &cell.row.candidate];
        let repeated = sides.iter().all(|side| side.values.len() > 1 && side.averaged.is_none());
        let logs = sides.map(|side| side.values.iter().map(|value| value.ln()).collect());
        Some(logs).filter(|_| repeated && !cell.cell.comparison.paired)
    };
    let Some(mut logs) = cells.changes.iter().map(of).collect::<Option<Vec<_>>>() else {
        return Vec::new();
    };
    if let Some(arms) = spanning(&cells.changes) {
        for (side, arm) in arms.iter().enumerate() {
            let without = without_run_effects(arm);
            logs.iter_mut().zip(without).for_each(|(cell, values)| cell[side] = values);
        }
    }
    let runs: Vec<CellRuns> =
        logs.into_iter().map(|logs| CellRuns { logs, resolution: [0.0; 2] }).collect();
    let list = ListNoise::new(&runs);
    let noise = |(at, (cell, runs)): (usize, (&CellChange, &CellRuns))| {
        let parts = runs.logs.each_ref().map(|logs| {
            let n = logs.len() as f64;
            (standard_deviation(logs).unwrap_or(0.0).powi(2) / n, n)
        });
        let value: f64 = parts.iter().map(|(part, _)| part).sum();
        let squares: f64 = parts.iter().map(|(part, n)| part * part / (n - 1.0)).sum();
        let df = if squares > 0.0 { value * value / squares } else { 1.0 };
        CellNoise {
            change: cell.change,
            error: Variance { value, df },
            parts: parts.iter().map(|(_, n)| 1.0 / n).sum(),
            wider: list.of_cell(at, false),
        }
    };
    let all: Vec<CellNoise> = cells.changes.iter().zip(&runs).enumerate().map(noise).collect();
    let found = Excess::of(&all, policy.alpha()).unwrap_or_default();
    let mut rows: Vec<BeyondRow> = cells
        .changes
        .iter()
        .zip(found)
        .filter(|(_, found)| found.p_adjusted < policy.alpha())
        .map(|(cell, found)| BeyondRow {
            cell: name(cell.cell.comparison),
            relative: cell.change.exp_m1(),
            beyond: found.excess.exp_m1(),
            p_adjusted: found.p_adjusted,
        })
        .collect();
    rows.sort_by(|a, b| b.beyond.abs().total_cmp(&a.beyond.abs()));
    rows
}

/// The name of a cell: the values of its columns, or its workload.
fn name(comparison: &Comparison) -> String {
    if comparison.cell.is_empty() {
        return comparison.workload.describe();
    }
    comparison.cell.values().cloned().collect::<Vec<_>>().join(", ")
}

/// One arm of cells that share runs. For every cell the runs, numbered across all cells from 0, each with the logarithm of its
/// value.
type SpanningRuns = Vec<Vec<(usize, f64)>>;

/// The values of every cell of an arm, each minus the median deviation of its run in the other cells.
fn without_run_effects(arm: &SpanningRuns) -> Vec<Vec<f64>> {
    let mut off: BTreeMap<usize, Vec<(usize, f64)>> = BTreeMap::new();
    for (at, cell) in arm.iter().enumerate() {
        let centre = mean(&cell.iter().map(|(_, value)| *value).collect::<Vec<_>>());
        for (run, value) in cell {
            off.entry(*run).or_default().push((at, value - centre));
        }
    }
    let effect = |at: usize, run: &usize| {
        let others = off[run].iter().filter(|(cell, _)| *cell != at);
        let mut others: Vec<f64> = others.map(|(_, off)| *off).collect();
        others.sort_by(f64::total_cmp);
        if others.is_empty() { 0.0 } else { quantile(&others, 0.5) }
    };
    let cells = arm.iter().enumerate();
    cells
        .map(|(at, cell)| cell.iter().map(|(run, value)| value - effect(at, run)).collect())
        .collect()
}

fn pair(comparison: &Comparison) -> (&str, &str) {
    (&comparison.baseline.name, &comparison.candidate.name)
}

fn cells_of<'a>(comparisons: impl Iterator<Item = &'a Comparison>) -> Vec<Cell<'a>> {
    let mut known = RunIdentities::default();
    let mut cell = |comparison: &'a Comparison| Cell {
        comparison,
        runs: [&comparison.baseline, &comparison.candidate].map(|side| {
            side.run_list.iter().map(|run| known.of(run.name.as_deref(), &run.place.path)).collect()
        }),
    };
    comparisons.map(&mut cell).collect()
}

/// The metrics of the loads of a sweep; none of single runs.
fn of_loads<'a>(loads: &'a [Cell<'a>]) -> Vec<Cells<'a>> {
    let runs = |load: &Cell| load.comparison.baseline.runs.min(load.comparison.candidate.runs);
    let first = loads.first().filter(|_| loads.iter().any(|load| runs(load) > 1));
    let loads: Vec<&Cell> = loads.iter().collect();
    first.map_or_else(Vec::new, |first| of_metrics(&loads, pair(first.comparison)))
}

/// The metrics that decide in any comparison of one pair of variants, each with its cells.
fn of_metrics<'a>(cells: &[&'a Cell<'a>], of: (&'a str, &'a str)) -> Vec<Cells<'a>> {
    let mut found: Vec<Cells> = Vec::new();
    let mut margins: Vec<Vec<f64>> = Vec::new();
    for &cell in cells {
        for row in cell.comparison.deciding().filter(|row| row.shares) {
            let change = row.delta.relative.map(f64::ln_1p).filter(|change| change.is_finite());
            let (Some(change), Some(better)) = (change, row.better) else { continue };
            let place = found.iter().position(|cells| cells.row.metric == row.metric);
            let place = place.unwrap_or_else(|| {
                let (changes, left_out) = (Vec::new(), cells.len());
                found.push(Cells { row, better, margin: 0.0, pair: of, left_out, changes });
                margins.push(Vec::new());
                found.len() - 1
            });
            found[place].changes.push(CellChange { cell, row, change });
            found[place].left_out -= 1;
            margins[place].push(row.margin);
        }
    }
    for (cells, mut margins) in found.iter_mut().zip(margins) {
        margins.sort_by(f64::total_cmp);
        cells.margin = quantile(&margins, 0.5);
    }
    found
}

/// The runs that span cells, with their log values; `None` if nothing shows that cells share runs. Runs in pairs form one arm
/// of log ratios.
fn spanning(cells: &[CellChange]) -> Option<Vec<SpanningRuns>> {
    let averaged =
        |cell: &CellChange| cell.row.baseline.averaged.or(cell.row.candidate.averaged).is_some();
    if cells.len() < 2 || cells.iter().any(averaged) {
        return None;
    }
    let arm = |side: usize, values: &dyn Fn(&CellChange) -> Vec<f64>| -> Option<SpanningRuns> {
        let numbers = spanning_runs(
            &cells.iter().map(|cell| identities(cell, side)).collect::<Option<Vec<_>>>()?,
        )?;
        let cells = numbers.into_iter().zip(cells);
        Some(cells.map(|(runs, cell)| runs.into_iter().zip(values(cell)).collect()).collect())
    };
    let ln = |values: &[f64]| values.iter().map(|value| value.ln()).collect();
    if cells.iter().all(|cell| cell.cell.comparison.paired) {
        let ratios = |cell: &CellChange| -> Vec<f64> {
            let both = cell.row.baseline.values.iter().zip(&cell.row.candidate.values);
            both.map(|(a, b)| (b / a).ln()).collect()
        };
        return Some(vec![arm(0, &ratios)?]);
    }
    let baseline = arm(0, &|cell| ln(&cell.row.baseline.values))?;
    Some(vec![baseline, arm(1, &|cell| ln(&cell.row.candidate.values))?])
}

/// Identity of the runs behind the values of a cell.
fn identities(cell: &CellChange, side: usize) -> Option<Vec<RunIdentity>> {
    let row = [&cell.row.baseline, &cell.row.candidate][side];
    row.runs.iter().map(|at| cell.cell.runs[side].get(*at).copied()).collect()
}

/// The number of different runs in each arm, for both variants.
fn runs_of(arms: &[SpanningRuns]) -> [usize; 2] {
    let count = |arm: &SpanningRuns| {
        arm.iter().flatten().map(|(run, _)| run).collect::<BTreeSet<_>>().len()
    };
    let first = arms.first().map_or(0, count);
    [first, arms.last().map_or(first, count)]
}

impl Cells<'_> {
    /// The columns with at least two values among these cells.
    fn factors<'a>(&'a self, columns: &'a [String]) -> Vec<Factor<'a>> {
        let factor = |name: &'a String| {
            let mut values: BTreeMap<&str, Vec<CellChange>> = BTreeMap::new();
            for cell in &self.changes {
                let value = cell.cell.comparison.cell.get(name).map_or("", String::as_str);
                values.entry(value).or_default().push(*cell);
            }
            if values.len() < 2 {
                return None;
            }
            values.retain(|_, cells| cells.len() > 1);
            let mut values: Vec<_> = values.into_iter().collect();
            values.sort_by_cached_key(|(value, _)| natural(value));
            let group = |(value, cells): (_, Vec<_>)| (value, Group::of(self, &cells));
            let values: Vec<_> = values.into_iter().map(group).collect();
            let groups: Vec<&[f64]> = values.iter().map(|(_, of)| &of.log_ratios[..]).collect();
            Some(Factor { name, p_value: unequal_groups_p_value(&groups), values })
        };
        columns.iter().filter_map(factor).collect()
    }
}

impl<'a> Group<'a> {
    fn of(of: &'a Cells<'a>, cells: &[CellChange<'a>]) -> Self {
        let log_ratios: Vec<f64> = cells.iter().map(|cell| cell.change).collect();
        let arms = spanning(cells);
        let curve = match &arms {
            Some(arms) => Curve::spanning(&log_ratios, arms),
            None => Curve::shared(&log_ratios),
        };
        let runs = arms.map(|arms| runs_of(&arms));
        Self { of, log_ratios, curve, runs, cells: cells.to_vec() }
    }

    fn judged(&self, adjusted: Option<Adjusted>, policy: &Policy) -> SharedChange {
        let relative = mean(&self.log_ratios).exp_m1();
        let sign = self.of.better.sign();
        let interval = |level: f64| {
            let interval = self.curve.as_ref().ok()?.interval(1.0 - level);
            Some(interval.map(f64::exp_m1))
        };
        let (p, level, tests) = adjusted.unwrap_or((1.0, policy.alpha(), 1));
        let within = interval(2.0 * policy.equality_alpha());
        let equivalence = within.map(|i| if sign > 0.0 { i } else { i.negated() });
        let change = Change { estimate: sign * relative, p_adjusted: p, equivalence };
        let few = self.runs.filter(|[a, b]| *a.min(b) < MIN_SPANNING);
        let verdict = match (&self.curve, few) {
            (Ok(_), None) => judge(change, self.of.margin, policy.alpha()),
            _ => Verdict::NotJudged,
        };
        // If nothing is claimed the interval contains zero, whatever the rounding of the level.
        let claimed = !matches!(verdict, Verdict::WithinNoise | Verdict::NoChange);
        let ends = interval(level.max(LEAST_LEVEL)).map(|i| [i.low, i.high]);
        let with_zero = |[low, high]: [f64; 2]| [low.min(0.0), high.max(0.0)];
        SharedChange {
            cells: self.log_ratios.len(),
            relative,
            relative_ci: interval(policy.alpha()).map(|i| [i.low, i.high]),
            relative_ci_adjusted: if claimed { ends } else { ends.map(with_zero) },
            adjusted_confidence: 1.0 - level,
            relative_ci_equivalence: within.map(|i| [i.low, i.high]),
            equivalence_confidence: policy.equality_confidence(),
            margin: self.of.margin,
            sd: standard_deviation(&self.log_ratios),
            p_value: self.curve.as_ref().ok().map(|curve| curve.p_value(0.0)),
            p_adjusted: adjusted.map(|(p, ..)| p),
            corrected_for: tests,
            verdict,
            runs: self.runs,
            reason: match (&self.curve, few) {
                (Ok(_), Some([a, b])) => format!("only {a} + {b} runs span its cells"),
                (Ok(_), None) => String::new(),
                (Err(Undefined::TooFewRuns), _) => "one cell".to_owned(),
                (Err(Undefined::NoVariance), _) => "all cells changed by the same".to_owned(),
                (Err(other), _) => other.to_string(),
            },
        }
    }
}

/// These p-values corrected by Holm as one list, each with the level of its interval; `None` without a p-value.
fn corrected(p: &[Option<f64>], alpha: f64) -> Vec<Option<Adjusted>> {
    let raw: Vec<f64> = p.iter().copied().flatten().collect();
    let mut adjusted =
        Adjustment::Holm.adjusted(&raw).into_iter().zip(Adjustment::Holm.levels(&raw, alpha));
    let mut next = |_| adjusted.next().map(|(p, level)| (p, level, raw.len()));
    p.iter().map(|p| p.and_then(&mut next)).collect()
}

/// Judges groups as one list.
fn judged(groups: &[Group], policy: &Policy) -> Vec<SharedChange> {
    let p = |group: &Group| group.curve.as_ref().ok().map(|curve| curve.p_value(0.0));
    let adjusted = corrected(&groups.iter().map(p).collect::<Vec<_>>(), policy.alpha());
    groups.iter().zip(adjusted).map(|(group, adjusted)| group.judged(adjusted, policy)).collect()
}

/// The factors of every pair and metric, judged as one list.
fn concluded(all: &[Vec<Factor>], policy: &Policy) -> Vec<Vec<FactorRow>> {
    let every = || all.iter().flatten();
    let p: Vec<Option<f64>> = every().map(|factor| factor.p_value).collect();
    let mut adjusted = corrected(&p, policy.alpha()).into_iter();
    let groups = every().flat_map(|factor| &factor.values);
    let p = groups.map(|(_, group)| group.curve.as_ref().ok().map(|curve| curve.p_value(0.0)));
    let mut of_values = corrected(&p.collect::<Vec<_>>(), policy.alpha()).into_iter();
    let mut row = |factor: &Factor| {
        let adjusted = adjusted.next().flatten();
        let explains = adjusted.is_some_and(|(p, ..)| p < policy.alpha());
        let value = |(value, group): &(&str, Group)| ValueRow {
            value: (*value).to_owned(),
            change: group.judged(of_values.next().flatten(), policy),
        };
        FactorRow {
            factor: factor.name.to_owned(),
            p_value: factor.p_value,
            p_adjusted: adjusted.map(|(p, ..)| p),
            corrected_for: adjusted.map_or(1, |(.., tests)| tests),
            values: factor.values.iter().map(value).collect(),
            explains,
            differs: if explains { factor.differs(policy) } else { None },
        }
    };
    all.iter().map(|factors| factors.iter().map(&mut row).collect()).collect()
}

impl Factor<'_> {
    /// The value that differs from all others, by Holm over the values, if the others do not differ among themselves.
    fn differs(&self, policy: &Policy) -> Option<DiffersRow> {
        let others = |at: usize| {
            let others = self.values.iter().enumerate().filter(move |(index, _)| *index != at);
            others.map(|(_, (_, group))| &group.log_ratios[..])
        };
        let apart = |at: usize| {
            let others: Vec<f64> = others(at).flatten().copied().collect();
            unequal_groups_p_value(&[&self.values[at].1.log_ratios, &others]).unwrap_or(1.0)
        };
        let p = Adjustment::Holm.adjusted(&(0..self.values.len()).map(apart).collect::<Vec<_>>());
        // With two values, the one with the larger change.
        let size = |at: &usize| mean(&self.values[*at].1.log_ratios).abs();
        let at = (0..p.len())
            .filter(|at| p[*at] < policy.alpha() || p.len() == 2)
            .min_by(|a, b| p[*a].total_cmp(&p[*b]).then(size(b).total_cmp(&size(a))))?;
        let alike = unequal_groups_p_value(&others(at).collect::<Vec<_>>());
        let (value, group) = &self.values[at];
        let rest = self.values.iter().enumerate().filter(|(index, _)| *index != at);
        let rest: Vec<CellChange> = rest.flat_map(|(_, (_, group))| group.cells.clone()).collect();
        let others = Group::of(group.of, &rest);
        let p = others.curve.as_ref().ok().map(|curve| (curve.p_value(0.0), policy.alpha(), 1));
        alike
            .is_none_or(|p| p >= policy.alpha())
            .then(|| DiffersRow { value: (*value).to_owned(), others: others.judged(p, policy) })
    }
}
