//! Which blocks under one heading are repeats, and which have a label of their own.

use std::collections::{BTreeMap, BTreeSet};

use crate::kit::short;
use crate::text::headings::forms::{counts_runs, numbered};
use crate::text::headings::heading::{Block, COUNT, Heading};
use beyondnoise_model::error::Error;
use beyondnoise_model::runs::{LabelHint, Run, label_hint};

/// Takes the number of the run from labels such as `before-r1`, `before run 2`, where labels differ in nothing else.
pub(crate) fn split_counters(blocks: &mut [Block]) {
    let labels: BTreeSet<&str> = labels_of(blocks).collect();
    let split: BTreeMap<String, (String, usize)> = numbered_labels(&labels)
        .into_iter()
        .map(|(label, (stem, number))| (label.to_owned(), (stem.to_owned(), number)))
        .collect();
    for Block { headings, .. } in blocks.iter_mut() {
        let mut last = None;
        for heading in headings.iter_mut() {
            if let Some((stem, number)) = split.get(&heading.label) {
                heading.label.clone_from(stem);
                last = Some((format!("run {number}"), heading.line));
            }
        }
        let counted = headings.iter().any(|heading| heading.level == COUNT);
        if let Some((label, line)) = last.filter(|_| !counted) {
            headings.push(Heading::firm(COUNT, label, line));
        }
    }
}

/// The labels that only number the runs of another: by label the name of the variant and the number.
///
/// A bare number counts runs only if all labels that have one come with the same numbers, from 1 on, and name a side:
/// `优化后1` and `优化后2` may be two steps.
pub(crate) fn numbered_labels<'a>(
    labels: &BTreeSet<&'a str>,
) -> BTreeMap<&'a str, (&'a str, usize)> {
    let mut stems: BTreeMap<&str, BTreeSet<usize>> = BTreeMap::new();
    for label in labels {
        if let Some((stem, number, _)) = numbered(label).filter(|_| !counts_runs(label)) {
            stems.entry(stem).or_default().insert(number);
        }
    }
    let counted = |set: &BTreeSet<usize>| set.len() > 1 && set.iter().copied().eq(1..=set.len());
    let first = stems.values().next();
    let alike = stems.len() > 1
        && stems.values().all(|set| counted(set) && Some(set) == first)
        && stems.keys().all(|stem| is_arm(stem, labels));
    let split = labels.iter().filter_map(|label| {
        let (stem, number, named) = numbered(label).filter(|_| !counts_runs(label))?;
        let known = stems.get(stem).is_some_and(|set| set.len() > 1) || labels.contains(stem);
        (named && known || alike).then_some((*label, (stem, number)))
    });
    split.collect()
}

fn labels_of(blocks: &[Block]) -> impl Iterator<Item = &str> {
    blocks.iter().flat_map(|block| &block.headings).map(|heading| &*heading.label)
}

/// Whether a number after this stem counts runs: `r1` does, `1` only after a side of the comparison.
fn is_arm(stem: &str, labels: &BTreeSet<&str>) -> bool {
    let with_r = |label: &&&str| {
        let tail = label.strip_prefix(stem).unwrap_or_default();
        tail.trim_start_matches(|c: char| !c.is_alphanumeric()).starts_with(['r', 'R'])
    };
    label_hint(stem) != LabelHint::Neither || labels.iter().any(|label| with_r(&label))
}

/// Labels of a block that name neither its variant, nor its workload, nor its run.
type Path = Vec<(u8, String)>;

/// Gives a label of its own to each block below words that the blocks beside it do not have; what is left are errors,
/// by the position of the block.
pub(crate) fn resolve(blocks: &mut [Block], used: &dyn Fn(u8) -> bool) -> Vec<(usize, Error)> {
    let titles = titles(blocks);
    let path = |block: &Block| -> Path {
        let own = block.headings.iter().filter(|h| {
            !used(h.level)
                && h.label != block.run.variant
                && !counts_runs(&h.label)
                && !titles.contains(&(h.level, h.label.clone()))
        });
        own.map(|h| (h.level, h.label.clone())).collect()
    };
    let paths: Vec<Path> = blocks.iter().map(path).collect();
    let mut groups: BTreeMap<(String, Option<String>), Vec<usize>> = BTreeMap::new();
    for (at, block) in blocks.iter().enumerate() {
        let key = (block.run.variant.clone(), block.run.workload.label.clone());
        groups.entry(key).or_default().push(at);
    }
    let mut bad: BTreeMap<usize, Error> = BTreeMap::new();
    for members in groups.values() {
        // Nearly always all are below the same words.
        if members.iter().all(|&at| paths[at] == paths[members[0]]) {
            continue;
        }
        let differ = |a: usize, b: usize| {
            let own = blocks[a].names_variants() || blocks[b].names_variants();
            !own && paths[a] != paths[b] && same_work(&blocks[a], &blocks[b])
        };
        let conflict = |at: &&usize| members.iter().any(|other| differ(**at, *other));
        let torn: Vec<usize> = members.iter().filter(conflict).copied().collect();
        let direct = torn.iter().any(|&at| paths[at].is_empty());
        if let (false, [first, rest @ ..]) = (direct, &torn[..]) {
            for &at in rest.iter().filter(|&&at| differ(*first, at)) {
                let error = several(&blocks[*first], &blocks[at], &paths[at]);
                bad.insert(at, error);
            }
        }
        for at in torn.into_iter().filter(|_| direct) {
            if let Some((_, label)) = paths[at].last() {
                blocks[at].run.variant.clone_from(label);
            }
        }
    }
    for at in 1..blocks.len() {
        let block = &blocks[at];
        let Some((line, words)) = &block.unread else { continue };
        let above = blocks[..at].iter().rev().find(|other| {
            other.run.variant == block.run.variant
                && other.run.workload.label == block.run.workload.label
                && would_pool(other, block)
        });
        if let Some(above) = above {
            let error = unread(above, block, *line, words);
            bad.entry(at).or_insert(error);
        }
    }
    for at in 1..blocks.len() {
        let (above, block) = (&blocks[at - 1], &blocks[at]);
        let next = above.run.source.position + above.run.metrics.len();
        let holds = |name: &str| block.run.metrics.contains_key(name);
        // Several of them are repeats of it.
        let repeats = at.checked_sub(2).is_some_and(|first| {
            let first = &blocks[first].run;
            first.variant == above.run.variant && first.metrics.keys().eq(above.run.metrics.keys())
        });
        if !repeats
            && !above.run.metrics.is_empty()
            && block.run.source.position == next
            && above.run.metrics.len() < block.run.metrics.len()
            && above.run.metrics.keys().all(holds)
            && would_pool(above, block)
        {
            bad.entry(at - 1).or_insert_with(|| twice(above, block));
        }
    }
    bad.into_iter().collect()
}

/// Whether two blocks could be repeats by what they hold.
fn same_work(a: &Block, b: &Block) -> bool {
    a.run.workload.compatible(&b.run.workload) && a.run.metadata == b.run.metadata
}

/// Whether runs of two parts would be repeats of each other.
fn would_pool(a: &Block, b: &Block) -> bool {
    fn runs(block: &Block) -> &[Run] {
        if block.runs.is_empty() { std::slice::from_ref(&block.run) } else { &block.runs }
    }
    let alike = |one: &Run, other: &Run| {
        let tables = !a.runs.is_empty() && !b.runs.is_empty();
        let measured = |name: &str| other.metrics.contains_key(name);
        one.workload.compatible(&other.workload)
            && one.metadata == other.metadata
            && (!tables
                || one.variant == other.variant
                    && one.workload.other == other.workload.other
                    && one.name == other.name
                    && one.metrics.keys().any(measured))
    };
    runs(a).iter().any(|one| runs(b).iter().any(|other| alike(one, other)))
}

/// Headings above all blocks.
fn titles(blocks: &[Block]) -> BTreeSet<(u8, String)> {
    let of = |block: &Block| -> BTreeSet<(u8, String)> {
        block.headings.iter().map(|h| (h.level, h.label.clone())).collect()
    };
    let mut all = blocks.iter().map(of);
    let first = all.next().unwrap_or_default();
    all.fold(first, |known, next| known.intersection(&next).cloned().collect())
}

const REMEDY: &str = "put a heading with the name of its variant above the block, such as \"## after\", or \"run 2\" \
                      if it repeats the block above";

fn several(above: &Block, block: &Block, path: &Path) -> Error {
    let source = &block.run.source;
    let label = path.last().map(|(_, label)| short(label)).unwrap_or_default();
    let problem = format!(
        "expected repeats under \"{}\", found a block (line {}) with the label \"{label}\", and another above it \
         (line {}) without that label",
        short(&block.run.variant),
        source.position,
        above.run.source.position
    );
    Error::at_line(&source.path, source.position, problem, REMEDY)
}

/// A line that comes again where the others below it do not.
fn twice(above: &Block, block: &Block) -> Error {
    let source = &above.run.source;
    let name = above.run.metrics.keys().next().unwrap_or_default();
    let problem = format!(
        "expected every value once or as often as the others, found \"{}\" again on line {}",
        short(name),
        block.run.source.position
    );
    Error::at_line(
        &source.path,
        source.position,
        problem,
        "put the lines of each run below a heading of its own",
    )
}

fn unread(above: &Block, block: &Block, line: usize, words: &str) -> Error {
    let source = &block.run.source;
    let named = Some(&*block.run.variant).filter(|variant| !variant.is_empty());
    let named = named.map(|name| format!(", \"{}\"", short(name))).unwrap_or_default();
    let problem = format!(
        "expected a label for the block at line {}, found \"{}\" (line {line}) between it and the block at line {}{named}",
        source.position,
        short(words),
        above.run.source.position
    );
    Error::at_line(&source.path, source.position, problem, REMEDY)
}
