//! Nested repeats, such as machine > start > iteration: the level that is the unit, and the level that is a block.

use std::collections::{BTreeMap, BTreeSet};

use crate::runs::natural::natural;
use crate::runs::{Run, Spread, Value, Variant};

/// The levels of the runs of two variants, from outer to inner.
#[derive(Clone, Debug, PartialEq)]
pub struct Levels {
    /// Columns that name the levels, from outer to inner.
    pub columns: Vec<String>,
    /// Position in `columns` of the level that counts as the repeat.
    pub unit: usize,
    /// Whether both variants share values of that level; each shared value is then a block.
    pub blocks: bool,
    /// The units of the baseline and of the candidate, by the position of their first run.
    pub units: [BTreeMap<usize, Unit>; 2],
    /// Distinct values of each level in each variant, counted together with their outer values.
    pub counts: Vec<[usize; 2]>,
    /// Runs of each variant that are left out because the other variant lacks their block.
    pub alone: [usize; 2],
    /// Most values that were averaged into one run, in each variant.
    pub inside: [usize; 2],
    /// For blocks A B B A: the share of neighbouring blocks with the same order minus the share with mirrored orders,
    /// at least 0. `None` for other levels.
    pub same_order: Option<f64>,
}

/// One repeat: all runs with the same value at the unit level.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Unit {
    /// The value of the level, after those of the outer levels.
    pub name: String,
    /// Positions of its runs in the variant, each with its weight; the weights sum to 1.
    pub runs: Vec<(usize, f64)>,
}

impl Levels {
    /// The levels of two variants; `None` if a run has no levels or other levels than the rest.
    ///
    /// Starting with the outermost, levels with one shared value are skipped. The next level is the unit, at the latest the
    /// innermost one. If both variants share two or more of its values, these are blocks.
    pub fn shared_by(baseline: &Variant, candidate: &Variant) -> Option<Self> {
        let variants = [baseline, candidate];
        let columns = columns(variants.iter().flat_map(|variant| &variant.runs))?;
        let innermost = columns.len() - 1;
        let at = |level: usize| variants.map(|variant| values(variant, level));
        let unit = (0..innermost).find(|&level| {
            let [a, b] = at(level);
            a.len() > 1 || b.len() > 1 || a != b
        });
        let unit = unit.unwrap_or(innermost);
        let [a, b] = at(unit);
        let shared: BTreeSet<&Vec<&str>> = a.intersection(&b).collect();
        // The innermost level is a run: runs of two variants are different, whatever their numbers.
        let blocks = unit < innermost && shared.len() > 1;
        let mut alone = [0, 0];
        let units = [0, 1].map(|side: usize| {
            let variant = variants[side];
            let mut of_value: BTreeMap<Vec<&str>, Vec<usize>> = BTreeMap::new();
            for (position, run) in variant.runs.iter().enumerate() {
                of_value.entry(path(run, unit)).or_default().push(position);
            }
            let mut units = BTreeMap::new();
            for (path, runs) in of_value {
                if blocks && !shared.contains(&path) {
                    alone[side] += runs.len();
                } else {
                    let name = path.join("/");
                    units.insert(runs[0], Unit { name, runs: weights(variant, &runs, unit + 1) });
                }
            }
            units
        });
        let counts = (0..columns.len()).map(|level| at(level).map(|values| values.len())).collect();
        let most = |variant: &Variant| {
            let averaged = variant.runs.iter().flat_map(|run| run.info.inside.values());
            averaged.map(|spread| spread.runs).max().unwrap_or(1)
        };
        let inside = variants.map(most);
        Some(Self { columns, unit, blocks, units, counts, alone, inside, same_order: None })
    }

    /// A level whose values are the blocks of four runs A B B A; runs outside the blocks are left out.
    pub fn of_blocks(
        blocks: &[[(usize, usize); 2]],
        baseline: &Variant,
        candidate: &Variant,
    ) -> Self {
        let unit = |side: usize, at: usize, block: &[(usize, usize); 2]| {
            let mut runs = block.map(|(a, b)| [a, b][side]);
            runs.sort_unstable();
            let name = format!("block {}", at + 1);
            (runs[0], Unit { name, runs: runs.map(|run| (run, 0.5)).to_vec() })
        };
        let units = [0, 1].map(|side: usize| {
            blocks.iter().enumerate().map(|(at, block)| unit(side, at, block)).collect()
        });
        let n = blocks.len();
        let baseline_first = |block: &[(usize, usize); 2]| {
            let (a, b) = block[0];
            baseline.runs[a].seconds() < candidate.runs[b].seconds()
        };
        let neighbours = blocks.windows(2);
        let of_each = 1.0 / neighbours.len().max(1) as f64;
        let alike = |two: &[[(usize, usize); 2]]| {
            if baseline_first(&two[0]) == baseline_first(&two[1]) { of_each } else { -of_each }
        };
        let same_order = neighbours.map(alike).sum::<f64>().max(0.0);
        Self {
            columns: vec!["block of A B B A".to_owned(), "run".to_owned()],
            unit: 0,
            blocks: true,
            units,
            counts: vec![[n, n], [2 * n, 2 * n]],
            alone: [baseline, candidate].map(|variant| variant.runs.len() - 2 * n),
            inside: [1, 1],
            same_order: Some(same_order),
        }
    }

    /// Positions of the first run of each block's two units, in the order of the block names; `None` without blocks.
    pub fn pairs(&self) -> Option<Vec<(usize, usize)>> {
        let [a, b] = &self.units;
        let partner = |name: &String| Some(*b.iter().find(|(_, unit)| unit.name == *name)?.0);
        let mut pairs: Vec<(&String, (usize, usize))> = a
            .iter()
            .filter_map(|(at, unit)| Some((&unit.name, (*at, partner(&unit.name)?))))
            .collect();
        pairs.sort_by_cached_key(|(name, _)| natural(name));
        self.blocks.then(|| pairs.into_iter().map(|(_, pair)| pair).collect())
    }

    /// The mean of a metric over the unit that begins with run `first` of a variant; inner levels are averaged first.
    pub fn value(&self, side: usize, variant: &Variant, first: usize, name: &str) -> Option<Value> {
        let unit = self.units[side].get(&first)?;
        let known = unit
            .runs
            .iter()
            .filter_map(|&(at, weight)| Some((variant.runs[at].metrics.get(name)?, weight)));
        let (mut sum, mut weights, mut resolution) = (0.0, 0.0, f64::INFINITY);
        for (value, weight) in known {
            sum += weight * value.value;
            weights += weight;
            resolution = f64::min(resolution, value.resolution);
        }
        (weights > 0.0).then(|| Value { value: sum / weights, resolution })
    }

    /// Whether the runs themselves are the units.
    pub fn are_runs(&self) -> bool {
        self.unit + 1 == self.columns.len()
    }
}

/// The columns of the levels, common to all `runs`; `None` without levels.
pub fn columns<'a>(runs: impl IntoIterator<Item = &'a Run>) -> Option<Vec<String>> {
    let names = |run: &Run| -> Vec<String> {
        run.info.levels.iter().map(|(column, _)| column.clone()).collect()
    };
    let mut runs = runs.into_iter();
    let first = names(runs.next()?);
    (first.len() > 1 && runs.all(|run| names(run) == first)).then_some(first)
}

/// The value of a level after the values of the outer levels: start 1 on another machine is another start.
pub fn path(run: &Run, level: usize) -> Vec<&str> {
    run.info.levels.iter().take(level + 1).map(|(_, value)| value.as_str()).collect()
}

/// The values of a level in a variant, each after those of the outer levels.
fn values(variant: &Variant, level: usize) -> BTreeSet<Vec<&str>> {
    variant.runs.iter().map(|run| path(run, level)).collect()
}

/// Each of `runs` with its weight in their mean, if each level from `level` on is averaged before the next outer one.
fn weights(variant: &Variant, runs: &[usize], level: usize) -> Vec<(usize, f64)> {
    let Some(first) = runs.first() else { return Vec::new() };
    if level >= variant.runs[*first].info.levels.len() {
        return runs.iter().map(|run| (*run, 1.0 / runs.len() as f64)).collect();
    }
    let mut of_value: BTreeMap<Vec<&str>, Vec<usize>> = BTreeMap::new();
    for &run in runs {
        of_value.entry(path(&variant.runs[run], level)).or_default().push(run);
    }
    let share = 1.0 / of_value.len() as f64;
    let inner = of_value.values().flat_map(|runs| weights(variant, runs, level + 1));
    let mut all: Vec<(usize, f64)> = inner.map(|(run, weight)| (run, weight * share)).collect();
    all.sort_unstable_by_key(|(run, _)| *run);
    all
}

/// Averages a variant's runs that agree in all levels into one run.
pub(super) fn average(variant: &mut Variant) {
    if variant.runs.iter().any(|run| run.info.levels.is_empty()) {
        return;
    }
    let mut of_levels: BTreeMap<Vec<(String, String)>, usize> = BTreeMap::new();
    let mut all: Vec<Vec<Run>> = Vec::new();
    for run in std::mem::take(&mut variant.runs) {
        let at = *of_levels.entry(run.info.levels.clone()).or_insert(all.len());
        if at == all.len() {
            all.push(Vec::new());
        }
        all[at].push(run);
    }
    variant.runs = all.iter().filter_map(|runs| averaged(runs)).collect();
}

fn averaged(runs: &[Run]) -> Option<Run> {
    let mut run = runs.first()?.clone();
    run.name = Some(path(&run, run.info.levels.len()).join("/"));
    if runs.len() == 1 {
        return Some(run);
    }
    let names: BTreeSet<String> =
        runs.iter().flat_map(|run| run.metrics.keys()).map(str::to_owned).collect();
    for name in names {
        let known: Vec<Value> =
            runs.iter().filter_map(|run| run.metrics.get(&name)).copied().collect();
        let n = known.len() as f64;
        let mean = known.iter().map(|value| value.value / n).sum::<f64>();
        let squares = known.iter().map(|value| (value.value - mean).powi(2)).sum::<f64>();
        let resolution = known.iter().map(|value| value.resolution).fold(f64::INFINITY, f64::min);
        let sd = if known.len() > 1 { (squares / (n - 1.0)).sqrt() } else { 0.0 };
        run.metrics.insert(name.as_str(), Value { value: mean, resolution });
        run.info.inside.insert(name, Spread { sd, runs: known.len() });
    }
    run.metadata.retain(|key, value| runs.iter().all(|run| run.metadata.get(key) == Some(value)));
    run.info.completed = None;
    run.info.failed = None;
    run.info.output_tokens = None;
    run.requests = None;
    Some(run)
}
