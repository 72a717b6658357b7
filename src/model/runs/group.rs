//! Runs in groups of one workload, each with its variants.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use schemars::JsonSchema;
use serde::Serialize;

use crate::metrics::did_you_mean;
use crate::runs::Run;
use crate::runs::baseline::{LabelHint, label_hint, labels_tell_apart};
use crate::runs::duplicate_index::DuplicateIndex;
use crate::runs::duplicates::{Duplicate, VaryingDigits};
use crate::runs::levels::average;
use crate::runs::metrics::metric_names;
use crate::runs::natural::natural;
use crate::runs::partition::partition;
use crate::runs::read_as::Table;
use crate::runs::sanitize::{clean_input, clean_runs};
use crate::runs::workload::Workload;

/// All runs and inputs that were read.
#[derive(Clone, Debug, Default)]
pub struct Dataset {
    /// The files, with their skipped parts.
    pub inputs: Vec<Input>,
    /// One group per workload, in the order of the inputs.
    pub groups: Vec<Group>,
    /// Sentences that explain how repeats were separated from factors, if that was not obvious.
    pub said: Vec<String>,
}

/// A file that was read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Input {
    /// Path as given or found; `standard input` for a pipe.
    pub path: String,
    /// Name of the format recognised; null for a file without results.
    pub format: Option<&'static str>,
    /// Runs found in it.
    pub runs: usize,
    /// The parts of it that were left out.
    pub skipped: Vec<Skipped>,
    /// Its tables with the uses of their columns, if it has tables.
    #[serde(skip)]
    pub tables: Vec<Table>,
}

/// A part of the input that was read but not used.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Skipped {
    /// The line, object, column, file, workload, variant or metric.
    #[serde(rename = "where")]
    pub place: String,
    /// The reason in words.
    pub why: String,
}

/// Runs of one workload.
#[derive(Clone, Debug)]
pub struct Group {
    /// Values of the columns that name the cell of a batch; empty outside a batch.
    pub cell: BTreeMap<String, String>,
    /// The workload that all its runs share.
    pub workload: Workload,
    /// Its variants, at least one, in the order of the inputs.
    pub variants: Vec<Variant>,
    /// Runs that were found twice and counted once.
    pub duplicates: Vec<Duplicate>,
}

/// A build or configuration to compare, with its runs in the order in which they were made.
#[derive(Clone, Debug, Default)]
pub struct Variant {
    /// Label, unique in its group.
    pub name: String,
    /// The runs that count; none where all failed.
    pub runs: Vec<Run>,
    /// The runs that failed, each with its [reason](crate::runs::RunInfo::failure): no statistic uses them.
    pub failed: Vec<Run>,
}

impl Dataset {
    /// Sorts `runs` into groups and variants; their order makes no difference.
    ///
    /// Runs with workloads that agree in all known fields share a group. Equal runs are kept once, under a label that names a
    /// baseline if there is one. Failed runs are kept separately, in the group with the same settings. All text is sanitized,
    /// since it comes from files and their names. A value that is not finite counts as missing.
    pub fn assemble(mut runs: Vec<Run>, mut inputs: Vec<Input>) -> Self {
        inputs.iter_mut().for_each(clean_input);
        for (path, merged) in clean_runs(&mut runs) {
            if let Some(input) = inputs.iter_mut().find(|input| *input.path == *path) {
                input.skipped.push(merged);
            }
        }
        for run in &mut runs {
            // Readers refuse such values; these come from a program.
            run.metrics.retain(|_, value| value.is_sound());
        }
        let mut paths: BTreeMap<Arc<str>, Vec<(u8, String)>> = BTreeMap::new();
        for run in &runs {
            if !paths.contains_key(&run.source.path) {
                paths.insert(run.source.path.clone(), natural(&run.source.path));
            }
        }
        let order = |a: &Run, b: &Run| {
            let (a, b) = (&a.source, &b.source);
            if a.path == b.path {
                return a.cmp(b);
            }
            paths[&a.path].cmp(&paths[&b.path]).then_with(|| a.cmp(b))
        };
        // Mostly they are sorted, and sorting takes memory.
        if !runs.is_sorted_by(|a, b| order(a, b).is_le()) {
            runs.sort_by(order);
        }
        let failed: Vec<Run> = runs.extract_if(.., |run| run.info.failure.is_some()).collect();
        let mut place: BTreeMap<&BTreeMap<String, String>, usize> = BTreeMap::new();
        let mut keys: Vec<usize> = Vec::with_capacity(runs.len());
        for (position, run) in runs.iter().enumerate() {
            // Neighbouring runs mostly have the same cell.
            let before = position.checked_sub(1).filter(|&before| runs[before].cell == run.cell);
            let next = place.len();
            let key = before.map(|before| keys[before]);
            keys.push(key.unwrap_or_else(|| *place.entry(&run.cell).or_insert(next)));
        }
        let mut groups = partition_by(runs, &keys).into_iter().flat_map(groups_of).collect();
        add_failed(&mut groups, failed);
        Self { inputs, groups, said: Vec::new() }
    }

    /// Adds failed runs to their variants in every group: a failed attempt made no run of any workload.
    pub fn note_failed(&mut self, mut failed: Vec<Run>) {
        clean_runs(&mut failed);
        for group in &mut self.groups {
            for run in &failed {
                group.add_failed(run.clone());
            }
        }
    }

    /// Every run that counts, with its group and variant.
    pub fn runs(&self) -> impl Iterator<Item = (&Group, &Variant, &Run)> {
        self.groups.iter().flat_map(|group| {
            group
                .variants
                .iter()
                .flat_map(move |variant| variant.runs.iter().map(move |run| (group, variant, run)))
        })
    }

    /// If no run has one of these metrics: the problem, and the text to type instead.
    pub fn lacks<'a>(
        &self,
        names: impl IntoIterator<Item = &'a String>,
    ) -> Option<(String, String)> {
        let has = |name: &str| self.runs().any(|(.., run)| run.metrics.contains_key(name));
        let missing = names.into_iter().find(|name| !has(name))?;
        let known = self.metrics();
        let several: Vec<&str> = missing.split(',').map(str::trim).collect();
        if several.len() > 1 && several.iter().all(|name| has(name)) {
            let problem = format!("expected one metric, found {} in \"{missing}\"", several.len());
            return Some((
                problem,
                format!("give each its own: --metric {}", several.join(" --metric ")),
            ));
        }
        Some(match did_you_mean(missing, known.iter().copied()) {
            Some(meant) => {
                (format!("expected a metric \"{missing}\", found none of that name"), meant)
            }
            None => (
                format!("expected a metric \"{missing}\", found {}", known.join(", ")),
                "name one of these with --metric".to_owned(),
            ),
        })
    }

    /// Names of the metrics of any run, in their order.
    pub fn metrics(&self) -> Vec<&str> {
        metric_names(self.runs().map(|(.., run)| run)).into_iter().collect()
    }

    /// The skipped parts of every input, each with its path, and the failed runs.
    pub fn skipped(&self) -> impl Iterator<Item = Skipped> {
        let of_inputs = self.inputs.iter().flat_map(|input| {
            input.skipped.iter().map(|skipped| Skipped {
                place: format!("{}, {}", input.path, skipped.place),
                why: skipped.why.clone(),
            })
        });
        let variants = self.groups.iter().flat_map(|group| &group.variants);
        let failed = variants.flat_map(|variant| &variant.failed).map(|run| Skipped {
            place: format!("{}, {}", run.variant, run.source),
            why: format!("the run failed: {}", run.info.failure.as_deref().unwrap_or_default()),
        });
        of_inputs.chain(failed)
    }

    /// Sentences about repeats, with one more if nothing is repeated and so nothing can be judged.
    pub fn repeats(&self) -> Vec<String> {
        let variants = || self.groups.iter().flat_map(Group::with_runs);
        let alone =
            |variant: &Variant| matches!(&variant.runs[..], [only] if only.info.spreads.is_empty());
        let single = variants().all(alone);
        let mut said = self.said.clone();
        if !single || variants().count() <= self.variant_names().len() {
            return said;
        }
        let mut values: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        for group in &self.groups {
            for (key, value) in group.workload.fields().into_iter().chain(group.cell.clone()) {
                values.entry(key).or_default().insert(value);
            }
        }
        let differ = values.iter().filter(|(_, values)| values.len() > 1);
        let differ: Vec<&str> = differ.map(|(key, _)| key.as_str()).collect();
        let what = match differ[..] {
            ["workload"] => "one run of each benchmark".to_owned(),
            _ => format!("every run of a variant differs in {}", differ.join(", ")),
        };
        said.push(format!("Nothing is repeated: {what}, so there are changes and no verdicts."));
        said
    }

    /// Names of all variants, each once, in order.
    pub fn variant_names(&self) -> Vec<&str> {
        let variants = self.groups.iter().flat_map(|group| &group.variants);
        let mut known = BTreeSet::new();
        variants.map(|variant| variant.name.as_str()).filter(|name| known.insert(*name)).collect()
    }
}

impl Group {
    fn from_runs(runs: Vec<Run>) -> Self {
        let cell = (*runs[0].cell).clone();
        let mut workload = (*runs[0].workload).clone();
        for two in runs.windows(2) {
            // A shared workload adds nothing.
            if !two[0].workload.is_same(&two[1].workload) {
                workload.complete_from(&two[1].workload);
            }
        }
        let (kept, duplicates) = without_duplicates(runs);
        let mut names: Vec<&str> = Vec::new();
        let mut keys: Vec<usize> = Vec::with_capacity(kept.len());
        for (position, run) in kept.iter().enumerate() {
            let before = position.checked_sub(1).filter(|&b| kept[b].variant == run.variant);
            let known = || names.iter().position(|name| *name == run.variant);
            let key = before.map(|before| keys[before]).or_else(known);
            keys.push(key.unwrap_or(names.len()));
            if key.is_none() {
                names.push(&run.variant);
            }
        }
        let of_variants = partition_by(kept, &keys).into_iter();
        let mut variants: Vec<Variant> = of_variants
            .map(|runs| Variant { name: runs[0].variant.clone(), runs, ..Variant::default() })
            .collect();
        for variant in &mut variants {
            average(variant);
            sort_by_start(&mut variant.runs);
        }
        Self { cell, workload, variants, duplicates }
    }

    /// The variants with at least one run that counts.
    pub fn with_runs(&self) -> impl Iterator<Item = &Variant> {
        self.variants.iter().filter(|variant| !variant.runs.is_empty())
    }

    /// Whether its single runs under several labels are repeats of one build: no label names a baseline or a change.
    pub fn is_one_build(&self) -> bool {
        let labels: Vec<&str> = self.with_runs().map(|variant| variant.name.as_str()).collect();
        labels.len() > 1
            && self.with_runs().all(|variant| variant.runs.len() == 1)
            && !labels_tell_apart(&labels)
    }

    /// A group with these settings and no runs.
    fn without_runs(run: &Run) -> Self {
        let (cell, workload) = ((*run.cell).clone(), (*run.workload).clone());
        Self { cell, workload, variants: Vec::new(), duplicates: Vec::new() }
    }

    /// Adds a failed run to its variant, unless it is there already: a file may be given twice.
    fn add_failed(&mut self, run: Run) {
        let at = self.variants.iter().position(|variant| variant.name == run.variant);
        let at = at.unwrap_or_else(|| {
            self.variants.push(Variant { name: run.variant.clone(), ..Variant::default() });
            self.variants.len() - 1
        });
        let known = &mut self.variants[at].failed;
        let place = run.place();
        if place.path.is_empty() || known.iter().all(|other| other.place() != place) {
            known.push(run);
        }
    }

    /// The variant with this name.
    pub fn variant(&self, name: &str) -> Option<&Variant> {
        self.variants.iter().find(|variant| variant.name == name)
    }
}

impl Variant {
    /// Number of started runs: those that count and those that failed.
    pub fn attempts(&self) -> usize {
        self.runs.len() + self.failed.len()
    }
}

fn sort_by_start(runs: &mut [Run]) {
    if runs.iter().all(|run| run.seconds().is_some()) {
        let at = |run: &Run| run.seconds().unwrap_or_default();
        runs.sort_by(|a, b| at(a).total_cmp(&at(b)));
    }
}

/// Adds failed runs to the groups with agreeing settings: the group with most shared settings first, then one with the same
/// variant. A run that agrees with no group makes one without runs.
///
/// A failed run may come with only some of its settings. Its numbers of requests and tokens are those reached before the
/// failure: they need not agree.
fn add_failed(groups: &mut Vec<Group>, failed: Vec<Run>) {
    let sizes =
        |workload: &Workload| Workload { requests: None, input_tokens: None, ..workload.clone() };
    for run in failed {
        let bare = sizes(&run.workload);
        let (fields, exact) = (bare.fields(), &run.workload);
        let score = |group: &Group| {
            let same = |(name, value): (&String, &String)| {
                value.is_empty() || group.cell.get(name).is_none_or(|other| other == value)
            };
            if !run.cell.iter().all(same) || !group.workload.compatible(&bare) {
                return None;
            }
            let of_group = group.workload.fields();
            let shared = fields.keys().filter(|name| of_group.contains_key(*name)).count();
            let known = group.variant(&run.variant).is_some();
            Some((group.workload.compatible(exact), shared, known))
        };
        let scores = groups.iter().enumerate().filter_map(|(at, group)| Some((score(group)?, at)));
        let best = scores.max_by_key(|(score, at)| (*score, std::cmp::Reverse(*at)));
        let at = best.map_or(groups.len(), |(_, at)| at);
        if at == groups.len() {
            groups.push(Group::without_runs(&run));
        }
        groups[at].add_failed(run);
    }
    for variant in groups.iter_mut().flat_map(|group| &mut group.variants) {
        sort_by_start(&mut variant.failed);
    }
}

/// The groups of one cell's runs, in the order of their first runs.
fn groups_of(runs: Vec<Run>) -> Vec<Group> {
    let keys = partition(&runs);
    partition_by(runs, &keys).into_iter().map(Group::from_runs).collect()
}

/// The runs by key, in the order of their first runs.
fn partition_by(mut runs: Vec<Run>, keys: &[usize]) -> Vec<Vec<Run>> {
    let mut place: BTreeMap<usize, usize> = BTreeMap::new();
    let mut sizes: Vec<usize> = Vec::new();
    let mut blocks: Vec<usize> = Vec::new();
    for (position, key) in keys.iter().enumerate() {
        let at = *place.entry(*key).or_insert(sizes.len());
        if at == sizes.len() {
            sizes.push(0);
        }
        sizes[at] += 1;
        if position == 0 || keys[position - 1] != *key {
            blocks.push(position);
        }
    }
    // A run is large, and there may be millions: neighbours are moved together, the first ones not at all.
    let mut all: Vec<Vec<Run>> = Vec::with_capacity(sizes.len());
    if blocks.len() == sizes.len() {
        all.extend(blocks.iter().skip(1).rev().map(|&start| runs.split_off(start)));
        all.extend(Some(runs).filter(|runs| !runs.is_empty()));
        all.reverse();
        return all;
    }
    all.extend(sizes.into_iter().map(Vec::with_capacity));
    for (run, key) in runs.into_iter().zip(keys) {
        all[place[key]].push(run);
    }
    all
}

/// Removes runs that duplicate an earlier run.
fn without_duplicates(mut runs: Vec<Run>) -> (Vec<Run>, Vec<Duplicate>) {
    let mut kept = DuplicateIndex::default();
    let mut duplicates = Vec::new();
    let varying = VaryingDigits::of(&runs);
    for at in 0..runs.len() {
        let Some(index) = kept.find_duplicate(&runs, at, &varying) else {
            kept.keep(&runs, at);
            continue;
        };
        // Keeps the copy whose label names a baseline, or else the one with more detail.
        let says = |run: &Run| label_hint(&run.variant) == LabelHint::Baseline;
        let (earlier, later) = runs.split_at_mut(at);
        let (twin, run) = (&mut earlier[index], &mut later[0]);
        let richer = twin.requests.is_none() && run.requests.is_some();
        if (says(run) && !says(twin)) || (says(run) == says(twin) && richer) {
            std::mem::swap(twin, run);
        }
        if !run.info.claims.is_empty() {
            twin.info.claims.append(&mut run.info.claims);
        }
        duplicates.push(Duplicate {
            kept_variant: twin.variant.clone(),
            kept: twin.source.clone(),
            dropped_variant: run.variant.clone(),
            dropped: run.source.clone(),
        });
        kept.changed(&runs, index);
    }
    let mut marks = kept.marks(runs.len()).into_iter();
    runs.retain(|_| marks.next().unwrap_or(true));
    (runs, duplicates)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::runs::{Setting, Source};

    fn run(variant: &str, cap: Option<f64>, failure: Option<&str>) -> Run {
        let mut run = Run::new(variant, [("output_throughput", 100.0)]);
        if let Some(cap) = cap {
            run.workload.max_concurrency = Setting::Value(cap);
        }
        run.info.failure = failure.map(str::to_owned);
        run
    }

    /// For each group, the variants with their numbers of runs and of failed runs.
    fn counts(runs: Vec<Run>) -> Vec<Vec<(String, usize, usize)>> {
        let of =
            |variant: &Variant| (variant.name.clone(), variant.runs.len(), variant.failed.len());
        let dataset = Dataset::assemble(runs, Vec::new());
        dataset.groups.iter().map(|group| group.variants.iter().map(of).collect()).collect()
    }

    fn row(variant: &str, runs: usize, failed: usize) -> (String, usize, usize) {
        (variant.to_owned(), runs, failed)
    }

    /// S2. The log of a crash seldom has all settings.
    #[test]
    fn a_failed_run_joins_the_group_that_agrees_in_what_is_known() {
        let good = |cap| [run("main", Some(cap), None), run("pr", Some(cap), None)];
        let with = |failed: Run| counts([&good(8.0)[..], &good(16.0), &[failed]].concat());
        let both = |first: usize, second: usize| {
            let group = |failed| vec![row("main", 1, 0), row("pr", 1, failed)];
            vec![group(first), group(second)]
        };
        assert_eq!(with(run("pr", Some(16.0), Some("crash"))), both(0, 1));
        assert_eq!(with(run("pr", None, Some("crash"))), both(1, 0));
        // It finished 3 of the requests, or has fewer settings than another group.
        let mut stopped = run("pr", Some(16.0), Some("crash"));
        stopped.workload.requests = Some(3);
        assert_eq!(with(stopped), both(0, 1));
    }

    #[test]
    fn runs_that_all_failed_keep_their_variant_and_their_settings() {
        let runs = vec![
            run("main", Some(8.0), None),
            run("pr", Some(8.0), Some("crash")),
            run("main", Some(16.0), Some("crash")),
            run("pr", Some(16.0), Some("crash")),
        ];
        let expected =
            [vec![row("main", 1, 0), row("pr", 0, 1)], vec![row("main", 0, 1), row("pr", 0, 1)]];
        assert_eq!(counts(runs), expected);
    }

    #[test]
    fn a_failed_run_of_a_file_that_is_given_twice_counts_once() {
        let mut failed = run("pr", None, Some("crash"));
        failed.source = Source { path: "runs.csv".into(), position: 3, counts: "line" };
        let runs = vec![run("pr", None, None), failed.clone(), failed];
        assert_eq!(counts(runs), [vec![row("pr", 1, 1)]]);
    }
}
