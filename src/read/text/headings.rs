//! Headings of notes, and which of them name the variants.
//!
//! A heading is a line of markdown (`## main`), bold text (`**baseline：**`), a summary of HTML, a label between marks
//! (`=== before ===`, `[before]`), a line that ends with a colon, or a short line alone above a block. With headings
//! on two levels the outer one names the variant and the inner one the workload or the run, unless the workloads show
//! otherwise. Blocks are repeats only if nothing but a counter is between them: a block below other words has its own
//! label, or is an error.

use crate::kit::fields::{is_metric, is_set, sets_load};
use crate::kit::parts_of_work::is_part_of_work;
use crate::text::headings::heading::{Block, COUNT, Heading, PLAIN, Standing, add_metrics};
use std::collections::{BTreeMap, BTreeSet};

use beyondnoise_model::error::Error;
use beyondnoise_model::metrics::words::{Says, meaning};
use beyondnoise_model::runs::{LabelHint, Run, label_hint, labels_differ, negates};

mod commands;
mod forms;
pub(crate) mod heading;
mod repeats;
mod spelled;

pub(crate) use crate::text::headings::commands::{
    label_by_commands, labels_of_commands, tell_commands_apart,
};
pub(crate) use crate::text::headings::forms::{
    counts_runs, framed, heading, is_decoration, is_printed_value, is_time, is_title,
    last_sentence, numbered, underline, without_counts,
};
pub(crate) use crate::text::headings::repeats::numbered_labels;
use crate::text::headings::spelled::name_explained_sides;
pub(crate) use crate::text::headings::spelled::spell_alike;

/// Which level of headings names what.
#[derive(Default)]
struct Plan {
    variant: Option<u8>,
    /// A workload; the variants have several.
    sections: Vec<u8>,
    run: Option<u8>,
    /// Whether headings count that other text follows.
    stale: bool,
}

/// Puts back the brackets without which headings would be equal: `after (50%)` and `after (90%)`. A percentage that
/// distinguishes two variants is not a claim.
fn tell_apart(blocks: &mut [Block]) {
    if blocks.iter().flat_map(|block| &block.headings).all(|heading| heading.full.is_none()) {
        return;
    }
    // A heading is the same as another only below the same headings.
    let path = |headings: &[Heading]| -> Vec<(u8, String)> {
        headings.iter().map(|heading| (heading.level, heading.label.clone())).collect()
    };
    let mut spellings: BTreeMap<Vec<(u8, String)>, BTreeSet<Option<String>>> = BTreeMap::new();
    for block in &*blocks {
        for (at, heading) in block.headings.iter().enumerate() {
            let path = path(&block.headings[..=at]);
            spellings.entry(path).or_default().insert(heading.full.clone());
        }
    }
    for Block { run, headings, .. } in blocks {
        for at in (0..headings.len()).rev() {
            let several = spellings[&path(&headings[..=at])].len() > 1;
            let heading = &mut headings[at];
            if let Some(full) = heading.full.take_if(|_| several) {
                heading.label = full;
                run.info.claims.retain(|claim| claim.source.position != heading.line);
            }
        }
    }
}

/// The runs of all blocks, each with the variant that the headings above it name; beside them the blocks without a
/// clear one, by their line.
pub(crate) fn name_variants(mut blocks: Vec<Block>) -> (Vec<Run>, Vec<(usize, Error)>) {
    tell_apart(&mut blocks);
    join_tables(&mut blocks);
    let mut unclear = leave_out_others(&mut blocks);
    repeats::split_counters(&mut blocks);
    if let [Block { runs, headings, .. }] = &mut blocks[..] {
        // The title of the only table is no label.
        if !runs.is_empty() {
            headings.clear();
        }
        // The name of the file is a better label than a remark.
        headings.retain(|h| !h.bare || label_hint(&h.label) != LabelHint::Neither);
    }
    let mut plan = Plan::from_blocks(&blocks, false);
    if plan.variant.is_none() {
        plan = Plan::from_blocks(&blocks, true);
    }
    for block in &mut blocks {
        let variant = plan.variant.and_then(|level| plan.name(block, level));
        let sections: Vec<String> =
            plan.sections.iter().filter_map(|&level| label(block, level, plan.stale)).collect();
        // The name of a case stays: `matmul M=128: 402 us`.
        let own = block.run.workload.label.take();
        let section: Vec<String> = sections.into_iter().chain(own).collect();
        let section = Some(section.join(" / ")).filter(|label| !label.is_empty());
        block.run.name = plan.run.and_then(|level| label(block, level, true));
        block.run.variant = variant.unwrap_or_default();
        block.run.workload.label = section;
    }
    tell_works_apart(&mut blocks);
    split_crossed(&mut blocks);
    name_by_headings(&mut blocks);
    spell_alike(&mut blocks.iter_mut().flat_map(|block| &mut block.runs).collect::<Vec<_>>());
    join_metrics(&mut blocks);
    let used = |level: u8| plan.uses(level);
    let bad = repeats::resolve(&mut blocks, &used);
    for (at, error) in bad.into_iter().rev() {
        let line = blocks.remove(at).run.source.position;
        unclear.insert(0, (line, error));
    }
    number_averages(&mut blocks);
    let mut runs: Vec<Run> = blocks.into_iter().flat_map(Block::into_runs).collect();
    name_explained_sides(&mut runs);
    (runs, unclear)
}

/// Makes each table of averages a workload of its own where no words tell the tables apart: an average of several runs is no
/// repeat of another one.
fn number_averages(blocks: &mut [Block]) {
    let averages = |block: &Block| block.runs.iter().any(|run| run.info.averaged);
    let settings =
        |run: &Run| (run.variant.clone(), format!("{:?}{:?}", run.workload, run.metadata));
    let own = |block: &Block| -> BTreeSet<_> { block.runs.iter().map(settings).collect() };
    let alike = || blocks.windows(2).all(|two| own(&two[0]) == own(&two[1]));
    if blocks.len() > 1 && blocks.iter().all(averages) && alike() {
        for (at, block) in blocks.iter_mut().enumerate() {
            for run in &mut block.runs {
                run.workload.label = Some(format!("table {}", at + 1));
            }
        }
    }
}

/// Marks between the work and the side in a label.
const JOINTS: &[&str] = &[", ", " - ", " – ", " — ", " / ", " | ", ": ", "，", "、"];

/// Takes labels apart that join the work and the side, `8B, main` and `8B, this PR` beside `32B, main` and `32B, this PR`: one of the
/// parts names both sides, and each stands with each of the others.
fn split_crossed(blocks: &mut [Block]) {
    let names: BTreeSet<&str> = blocks.iter().map(|block| &*block.run.variant).collect();
    let parts = |joint: &str| -> Option<Vec<(&str, &str)>> {
        names.iter().map(|name| name.split_once(joint)).collect()
    };
    let both = |names: &BTreeSet<&str>| {
        let hints: Vec<LabelHint> = names.iter().map(|name| label_hint(name)).collect();
        [LabelHint::Baseline, LabelHint::Candidate].iter().all(|hint| hints.contains(hint))
    };
    let crossed = |joint: &&str| -> Option<bool> {
        let parts = parts(joint)?;
        let first: BTreeSet<&str> = parts.iter().map(|(first, _)| *first).collect();
        let second: BTreeSet<&str> = parts.iter().map(|(_, second)| *second).collect();
        let whole =
            first.len() > 1 && second.len() > 1 && parts.len() == first.len() * second.len();
        match (both(&first), both(&second)) {
            (true, false) if whole => Some(true),
            (false, true) if whole => Some(false),
            _ => None,
        }
    };
    let found = JOINTS.iter().find_map(|joint| Some((*joint, crossed(joint)?)));
    let Some((joint, side_first)) = found else { return };
    for block in blocks {
        let name = std::mem::take(&mut block.run.variant);
        let Some((first, second)) = name.split_once(joint) else { continue };
        let (side, work) = if side_first { (first, second) } else { (second, first) };
        side.trim().clone_into(&mut block.run.variant);
        let section = block.run.workload.label.take();
        let works = section.into_iter().chain([work.trim().to_owned()]);
        block.run.workload.label = Some(works.collect::<Vec<_>>().join(" / "));
    }
}

/// How the error of a table begins that is left out since it has no variants.
pub(crate) const WITHOUT_VARIANTS: &str = "expected variants as in the table";

/// Takes out the tables without variants beside those that name several: most likely they are about something else. A heading
/// that names a side or one of the variants says whose values are below it, and so do headings over two tables of the same
/// metrics.
fn leave_out_others(blocks: &mut Vec<Block>) -> Vec<(usize, Error)> {
    let named = |block: &Block| -> BTreeSet<String> {
        let labels = block.runs.iter().map(|run| run.variant.to_lowercase());
        labels.filter(|label| !label.is_empty()).collect()
    };
    let Some(first) = blocks.iter().find(|block| named(block).len() > 1) else { return Vec::new() };
    let line = first.run.source.position;
    let known: BTreeSet<String> = blocks.iter().flat_map(named).collect();
    // A title above the variants too says nothing of this table alone.
    let titles: BTreeSet<usize> = first.headings.iter().map(|heading| heading.line).collect();
    let about = |block: &Block| {
        block.headings.iter().filter(|heading| !titles.contains(&heading.line)).any(|heading| {
            let lower = heading.label.to_lowercase();
            let named = |label: &String| {
                let words = |text: &str| text.split(' ').map(str::to_owned).collect::<Vec<_>>();
                let (own, label) = (words(&lower), words(label));
                own.windows(label.len()).any(|part| *part == label[..])
            };
            label_hint(&lower) != LabelHint::Neither || known.iter().any(named)
        })
    };
    // Two tables of the same metrics are what their headings compare.
    let metrics = |block: &Block| -> BTreeSet<String> {
        block.runs.iter().flat_map(|run| run.metrics.keys()).map(str::to_owned).collect()
    };
    let without: Vec<BTreeSet<String>> = blocks
        .iter()
        .filter(|block| !block.runs.is_empty() && !block.names_variants())
        .map(metrics)
        .collect();
    if without.iter().collect::<BTreeSet<_>>().len() < without.len() {
        return Vec::new();
    }
    let other = |block: &Block| !block.runs.is_empty() && !block.names_variants() && !about(block);
    let out: Vec<Block> = blocks.extract_if(.., |block| other(block)).collect();
    let error = |block: Block| {
        let place = &block.run.source;
        let problem = format!("{WITHOUT_VARIANTS} at line {line}, found none");
        let remedy = "read it in a file of its own";
        (place.position, Error::at_line(&place.path, place.position, problem, remedy))
    };
    out.into_iter().map(error).collect()
}

/// Label of results above the first heading, where others are below one.
const ABOVE: &str = "above the headings";

/// Gives blocks with variants of their own the headings that differ above them as label, where several blocks got one label:
/// results below other headings are no repeats.
fn tell_works_apart(blocks: &mut [Block]) {
    let path = |block: &Block| -> Vec<String> {
        let firm = block.headings.iter().filter(|heading| heading.level < PLAIN);
        let named = firm.filter(|heading| !counts_runs(&heading.label));
        named.map(|heading| heading.label.clone()).collect()
    };
    let given = |block: &Block| (block.run.variant.clone(), block.run.workload.label.clone());
    let mut paths: BTreeMap<_, BTreeSet<Vec<String>>> = BTreeMap::new();
    for block in blocks.iter().filter(|block| block.names_variants()) {
        paths.entry(given(block)).or_default().insert(path(block));
    }
    let several = |block: &Block| paths.get(&given(block)).is_some_and(|paths| paths.len() > 1);
    let work = |block: &Block| {
        let own = path(block);
        let known = |label: &String| {
            paths.get(&given(block)).is_some_and(|all| all.iter().all(|path| path.contains(label)))
        };
        let told: Vec<&str> =
            own.iter().filter(|label| !known(label)).map(String::as_str).collect();
        if told.is_empty() { ABOVE.to_owned() } else { told.join(" / ") }
    };
    // The part above the first heading has no label.
    let unnamed = |block: &Block| path(block).is_empty() && given(block) == (String::new(), None);
    let labelled = paths.keys().any(|(variant, label)| !variant.is_empty() || label.is_some());
    let works: Vec<Option<String>> = blocks
        .iter()
        .map(|block| {
            let open = several(block) || labelled && unnamed(block);
            (block.names_variants() && open).then(|| work(block))
        })
        .collect();
    for (block, work) in blocks.iter_mut().zip(works) {
        if let Some(work) = work {
            block.run.variant = work;
        }
    }
}

/// Takes the headings as variants where every part names the same one itself: a program that runs one command twice.
fn name_by_headings(blocks: &mut [Block]) {
    let own: BTreeSet<&str> =
        blocks.iter().flat_map(|block| &block.runs).map(|run| &*run.variant).collect();
    let above: BTreeSet<&str> = blocks.iter().map(|block| &*block.run.variant).collect();
    let listed = blocks.iter().all(|block| !block.runs.is_empty());
    if !listed || own.len() != 1 || above.len() < 2 || own.contains("") || above.contains("") {
        return;
    }
    for run in blocks.iter_mut().flat_map(|block| &mut block.runs) {
        let name = std::mem::take(&mut run.variant);
        run.workload.label = run.workload.label.take().or(Some(name));
    }
}

/// Puts tables together that give other metrics of the same rows, which one column of words names, below headings that name
/// these metrics and no side.
fn join_tables(blocks: &mut Vec<Block>) {
    let key = |block: &Block| -> Option<String> {
        let names = block.runs.first()?.metadata.keys();
        let tells = |key: &&String| {
            let value = |run: &Run| run.metadata.get(*key).cloned();
            let values: BTreeSet<Option<String>> = block.runs.iter().map(value).collect();
            let words = |value: &Option<String>| {
                value.as_ref().is_some_and(|text| text.contains(char::is_alphabetic))
            };
            values.len() == block.runs.len() && values.iter().all(words)
        };
        let mut found = names.filter(tells);
        found.next().filter(|_| found.next().is_none()).cloned()
    };
    let several = blocks.len() > 1 && blocks.iter().all(|block| block.runs.len() > 1);
    let sides = |block: &Block| {
        block.headings.iter().any(|heading| label_hint(&heading.label) != LabelHint::Neither)
    };
    let names_metrics = |block: &Block| {
        block.headings.last().is_some_and(|heading| meaning(&heading.label).says == Says::Measured)
    };
    let titled = blocks.iter().all(names_metrics);
    if !several || !titled || blocks.iter().any(|block| block.names_variants() || sides(block)) {
        return;
    }
    let Some(name) = key(&blocks[0]) else { return };
    let same = blocks.iter().all(|block| key(block).as_ref() == Some(&name));
    let rows = |block: &Block| -> BTreeSet<String> {
        block.runs.iter().filter_map(|run| run.metadata.get(&name).cloned()).collect()
    };
    let first = rows(&blocks[0]);
    let of_first = blocks.iter().all(|block| rows(block).is_subset(&first));
    let mut metrics: BTreeSet<&str> = BTreeSet::new();
    let apart = blocks.iter().all(|block| {
        let own: BTreeSet<&str> = block.runs.iter().flat_map(|run| run.metrics.keys()).collect();
        own.into_iter().all(|metric| metrics.insert(metric))
    });
    if !same || !of_first || !apart {
        return;
    }
    let others = blocks.split_off(1);
    let Some(first) = blocks.first_mut() else { return };
    first.headings.clear();
    let mut places: BTreeMap<String, usize> = BTreeMap::new();
    for (at, run) in first.runs.iter().enumerate() {
        places.extend(run.metadata.get(&name).map(|label| (label.clone(), at)));
    }
    for run in others.into_iter().flat_map(|block| block.runs) {
        let at = run.metadata.get(&name).and_then(|label| places.get(label));
        let Some(known) = at.and_then(|at| first.runs.get_mut(*at)) else { continue };
        add_metrics(known, &run);
    }
}

/// Puts the runs of parts together that each give one metric of the same variants, where the heading above each is the name of
/// its metric and no name of work. Some settings of each part are in the first.
fn join_metrics(blocks: &mut Vec<Block>) {
    let names_metric = |title: &str| title.split(|c: char| !c.is_alphanumeric()).any(is_metric);
    let alone = |block: &Block| {
        let first = block.runs.first().map(|run| run.metrics.keys().collect::<Vec<_>>())?;
        let [metric] = first[..] else { return None };
        let same = block.runs.iter().all(|run| run.metrics.keys().eq([metric]));
        let titled = block.run.workload.label.as_deref().unwrap_or(&block.run.variant);
        let titled = names_metric(titled);
        (same && titled && block.names_variants()).then(|| metric.to_owned())
    };
    // What the text above says of all rows tells none apart.
    let telling = |block: &Block| -> Vec<String> {
        let keys: BTreeSet<&String> =
            block.runs.iter().flat_map(|run| run.metadata.keys()).collect();
        let differs = |key: &&String| {
            let first = block.runs.first().map(|run| run.metadata.get(*key));
            block.runs.iter().any(|run| Some(run.metadata.get(*key)) != first)
        };
        keys.into_iter().filter(differs).cloned().collect()
    };
    let place = |run: &Run, keys: &[String]| {
        let settings: Vec<Option<String>> =
            keys.iter().map(|key| run.metadata.get(key).cloned()).collect();
        (run.variant.clone(), run.name.clone(), settings, format!("{:?}", run.workload))
    };
    let keys: BTreeSet<String> = blocks.iter().flat_map(telling).collect();
    let keys: Vec<String> = keys.into_iter().collect();
    let names = |block: &Block| block.runs.iter().map(|run| place(run, &keys)).collect::<Vec<_>>();
    let metrics: Option<BTreeSet<String>> = blocks.iter().map(alone).collect();
    if metrics.is_none_or(|metrics| metrics.len() < blocks.len()) || blocks.len() < 2 {
        return;
    }
    let variants = |block: &Block| -> BTreeSet<String> {
        block.runs.iter().map(|run| run.variant.clone()).collect()
    };
    let first: BTreeSet<_> = names(&blocks[0]).into_iter().collect();
    let alike = blocks.iter().all(|block| {
        let (all, own) = (names(block), names(block).into_iter().collect::<BTreeSet<_>>());
        // With other settings than the first it names no phase that its metric lacks: `Prefill throughput`.
        let titled = block.run.workload.label.as_deref().unwrap_or(&block.run.variant);
        let plain = || !is_part_of_work(titled.split(['(', '（']).next().unwrap_or_default());
        let same = variants(block) == variants(&blocks[0]);
        same && own.len() == all.len() && (own == first || !own.is_disjoint(&first) && plain())
    });
    if !alike {
        return;
    }
    let others = blocks.split_off(1);
    let Some(first) = blocks.first_mut() else { return };
    (first.run.workload.label, first.run.variant) = (None, String::new());
    let mut places: BTreeMap<_, usize> =
        first.runs.iter().enumerate().map(|(at, run)| (place(run, &keys), at)).collect();
    for run in others.into_iter().flat_map(|block| block.runs) {
        let at = *places.entry(place(&run, &keys)).or_insert(first.runs.len());
        let Some(known) = first.runs.get_mut(at) else {
            first.runs.push(run);
            continue;
        };
        for (name, value) in &run.metrics {
            known.metrics.insert(name.to_owned(), *value);
        }
        known.units.extend((*run.units).clone());
        known.info.claims.extend(run.info.claims.iter().cloned());
    }
}

fn label(block: &Block, level: u8, stale: bool) -> Option<String> {
    let known = |heading: &&Heading| {
        heading.level == level && (stale || heading.standing != Standing::Stale)
    };
    block.headings.iter().find(known).map(|heading| heading.label.clone())
}

impl Plan {
    /// The variant of a block: its label on that level, or else the nearest above, or else below.
    fn name(&self, block: &Block, level: u8) -> Option<String> {
        label(block, level, self.stale).or_else(|| {
            let counts = |heading: &&Heading| !counts_runs(&heading.label);
            let other = |heading: &&Heading| !self.uses(heading.level);
            let known = || block.headings.iter().filter(counts).filter(other);
            let nearest = known().rfind(|heading| heading.level < level);
            nearest.or_else(|| known().next()).map(|heading| heading.label.clone())
        })
    }

    fn uses(&self, level: u8) -> bool {
        self.variant == Some(level) || self.run == Some(level) || self.sections.contains(&level)
    }

    fn from_blocks(blocks: &[Block], stale: bool) -> Self {
        let distinct = |level: u8| {
            let mut all: Vec<Option<String>> =
                blocks.iter().map(|block| label(block, level, stale)).collect();
            all.sort();
            all.dedup();
            all
        };
        let only_counts = |level: u8| {
            let labels = distinct(level);
            labels.iter().any(Option::is_some) && labels.iter().flatten().all(|l| counts_runs(l))
        };
        let run = (1..=COUNT).find(|&level| only_counts(level));
        // A heading above all blocks is the title of the note.
        let names = |level: &u8| match &distinct(*level)[..] {
            [only] => blocks.len() == 1 && only.is_some(),
            _ => true,
        };
        let mut levels: Vec<u8> =
            (1..COUNT).filter(|level| names(level) && !only_counts(*level)).collect();
        if blocks.len() == 1 {
            // The innermost heading, or a line of text where there is no other.
            let firm = levels.iter().copied().rfind(|&level| level < PLAIN);
            levels = firm.or(levels.first().copied()).into_iter().collect();
        }
        // Text above a block by chance varies freely; a heading recurs.
        if let Some(&outer) = levels.first() {
            levels.retain(|&level| {
                level == outer || level < PLAIN || crossed(blocks, outer, level, stale)
            });
        }
        // Below a heading for each block, words that some blocks lack are remarks.
        let whole = |level: u8| blocks.iter().all(|block| label(block, level, stale).is_some());
        let each = levels.first().is_some_and(|&outer| {
            whole(outer) && distinct(outer).len() == blocks.len() && blocks.len() > 2
        });
        let speaks = |level: &u8| names_variants(&distinct(*level)) && (!each || whole(*level));
        let of = |level: u8| move |block: &Block| label(block, level, stale);
        let variant = match levels[..] {
            [] => None,
            [only] => Some(only),
            [outer, inner] => {
                // Numbers above sides with and without something are settings: `Request rate = 16`.
                let numbers = || {
                    let labels = distinct(outer);
                    let names: Vec<&str> = labels.iter().flatten().map(String::as_str).collect();
                    !labels_differ(&names) && !names.iter().any(|name| name.contains('.'))
                };
                let without = || distinct(inner).iter().flatten().any(|label| negates(label));
                let labels = |level: u8| distinct(level).into_iter().flatten();
                let loads = || {
                    labels(outer).all(|label| sets_load(&label))
                        && !labels(inner).any(|label| is_set(&label))
                };
                let flipped = !speaks(&outer)
                    && (speaks(&inner) || without() && numbers() || loads())
                    || loads_follow(blocks, of(outer)) && !loads_follow(blocks, of(inner));
                Some(if flipped { inner } else { outer })
            }
            [outer, ..] => {
                let mut speaking = levels.iter().copied().filter(speaks);
                speaking.next().filter(|_| speaking.next().is_none()).or(Some(outer))
            }
        };
        let sizes = |level: &u8| {
            let labels = distinct(*level);
            are_sizes(blocks, &labels) || levels.len() == 1 && are_loads(blocks, &labels)
        };
        if let Some(level) = variant.filter(sizes) {
            return Self { variant: None, sections: vec![level], run, stale };
        }
        let section = |variant: u8| {
            let others = levels.iter().copied().filter(move |&level| level != variant);
            others.filter(|&level| crossed(blocks, variant, level, stale)).collect()
        };
        Self { variant, sections: variant.map(section).unwrap_or_default(), run, stale }
    }
}

/// Words for sizes of the work.
const SIZES: &str = "tiny small medium large big huge short long 小 中 大 短 长";

/// A label without the words for sizes.
fn without_sizes(label: &str) -> String {
    let lower = label.to_lowercase();
    let words = lower.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    let size = |word: &&str| SIZES.split(' ').any(|size| size == *word);
    let others: Vec<&str> = words.filter(|word| !size(word)).collect();
    let rest = others.join(" ");
    rest.strip_prefix(['小', '中', '大', '短', '长']).unwrap_or(&rest).to_owned()
}

/// Whether labels above tables differ in nothing but whole numbers or words for sizes, which are those of the work: `seqlen128`,
/// `seqlen512`; `With input small`, `With input large`.
fn are_sizes(blocks: &[Block], labels: &[Option<String>]) -> bool {
    let names: Vec<&str> = labels.iter().flatten().map(String::as_str).collect();
    let version = |name: &&str| {
        let lower = name.to_lowercase();
        let steps = ["step", "stage", "phase"].iter().any(|word| lower.starts_with(word));
        let dated =
            lower.split_whitespace().any(|word| is_time(word.trim_matches(['(', ')', ','])));
        let named = || forms::KEYS.iter().any(|key| lower.contains(key));
        // Options are what the user tries: `-t 128`, `-t 192`.
        let option = lower.starts_with('-') && lower[1..].starts_with(char::is_alphabetic);
        steps || dated || option || lower.contains(['.', '#']) || named()
    };
    let in_words = |names: &[&str]| {
        let rest: BTreeSet<String> = names.iter().map(|name| without_sizes(name)).collect();
        let count = |text: &str| text.chars().filter(|c| c.is_alphanumeric()).count();
        rest.len() == 1 && names.iter().all(|name| count(&without_sizes(name)) < count(name))
    };
    names.len() > 1
        && names.len() == labels.len()
        && blocks.iter().all(|block| block.runs.len() > 1 && !block.names_variants())
        && !names.iter().any(version)
        && (!labels_differ(&names) && !names_variants(labels) || in_words(&names))
}

/// Whether labels above printed blocks are settings with their values, `Max concurrency = 64`, and the blocks themselves say that
/// no two of them have one load.
fn are_loads(blocks: &[Block], labels: &[Option<String>]) -> bool {
    let set = |label: &Option<String>| label.as_ref().is_some_and(|label| sets_load(label));
    let apart = |one: &Block, other: &Block| !one.run.workload.compatible(&other.run.workload);
    labels.len() > 1
        && labels.len() == blocks.len()
        && labels.iter().all(set)
        && blocks.iter().all(|block| block.runs.is_empty())
        && blocks
            .iter()
            .enumerate()
            .all(|(at, one)| blocks[at + 1..].iter().all(|other| apart(one, other)))
}

fn names_variants(labels: &[Option<String>]) -> bool {
    labels.iter().flatten().any(|label| label_hint(label) != LabelHint::Neither)
}

/// Whether a label of the one level occurs under several labels of the other.
fn crossed(blocks: &[Block], outer: u8, inner: u8, stale: bool) -> bool {
    let pairs: Vec<(Option<String>, Option<String>)> = blocks
        .iter()
        .map(|block| (label(block, outer, stale), label(block, inner, stale)))
        .collect();
    pairs.iter().any(|(above, below)| {
        below.is_some() && pairs.iter().any(|(other, same)| same == below && other != above)
    })
}

/// Whether the load is the same under one label and another under others.
fn loads_follow(blocks: &[Block], label: impl Fn(&Block) -> Option<String>) -> bool {
    let mut seen: Vec<(Option<String>, &Block)> = Vec::new();
    let mut several = false;
    for block in blocks {
        let own = label(block);
        let differs = |other: &Block| !other.run.workload.compatible(&block.run.workload);
        if let Some((_, first)) = seen.iter().find(|(known, _)| *known == own) {
            if differs(first) {
                return false;
            }
        } else {
            several |= seen.iter().any(|(_, other)| differs(other));
            seen.push((own, block));
        }
    }
    several
}

#[cfg(test)]
mod tests;
