//! Headings of notes, and which of them name the variants.
//!
//! A heading is a line of markdown (`## main`), bold text (`**baseline：**`), a summary of HTML, a line
//! that ends with a colon, or a short line alone above a fence. With headings on two levels the outer
//! one names the variant and the inner one the workload or the run, unless the workloads themselves
//! say otherwise.

use std::collections::{BTreeMap, BTreeSet};

use crate::read::claims::{is_claim, names_nothing, states_change, without_claims};
use crate::runs::{Run, Saying, what_label_says};

/// Levels of headings that are no markdown headings (those have 1 to 6), the firmest first.
pub(super) const BOLD: u8 = 7;
/// A line that ends with a colon.
pub(super) const COLON: u8 = 8;
/// A short line above a fence.
pub(super) const PLAIN: u8 = 9;
/// Any of these inside a fence, where a log may hold lines that look like it.
pub(super) const FENCED: u8 = 10;

/// Longest line that may be a heading, in characters; without a colon half of it.
const LONGEST: usize = 80;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Heading {
    pub(super) level: u8,
    pub(super) label: String,
    /// The label with a bracket that may say what the variant is, and not how it did: `after (50%)`.
    pub(super) full: Option<String>,
    pub(super) line: usize,
    pub(super) standing: Standing,
}

/// How surely a line is a heading of the blocks that follow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Standing {
    Firm,
    /// A line that is a heading only if a block follows before other text does.
    Pending,
    /// Other text followed; a heading only where nothing else names the blocks.
    Stale,
}

/// A block with the headings above it, the outermost first.
pub(super) struct Block {
    pub(super) run: Run,
    pub(super) headings: Vec<Heading>,
}

/// A heading, with the claim that stands in it.
pub(super) fn heading(line: &str, number: usize) -> Option<(Heading, Option<String>)> {
    let line = line.trim_start_matches(['>', ' ']);
    let (level, body, beside) = if let Some((level, body)) = markdown(line) {
        (level, body, None)
    } else if line.chars().count() > LONGEST * 2 {
        return None;
    } else if let Some(summary) = between(line, "<summary>", "</summary>") {
        (BOLD, without_tags(summary), None)
    } else if let Some((bold, rest)) = line.strip_prefix("**").and_then(|l| l.split_once("**")) {
        let rest = rest.trim().trim_start_matches([':', '：']).trim_start();
        if is_claim(rest) && !rest.starts_with(['(', '（']) {
            (BOLD, bold.to_owned(), Some(rest.to_owned()))
        } else if rest.is_empty() || rest.starts_with(['(', '（']) {
            (BOLD, format!("{bold} {rest}"), None)
        } else {
            return None;
        }
    } else {
        let (level, item) = line_heading(line)?;
        (level, item, None)
    };
    let (short, claim) = without_claims(&body);
    let label = cut(&plain(&short));
    if label.is_empty() || (level >= BOLD && names_nothing(&label)) {
        return None;
    }
    let stated = claim.or(beside);
    let full = stated.as_ref().filter(|claim| !states_change(claim));
    let full = full.map(|claim| cut(&format!("{} ({claim})", plain(&short))));
    let claim = stated.or_else(|| (is_claim(&label) && level < BOLD).then(|| label.clone()));
    let standing = if level < COLON { Standing::Firm } else { Standing::Pending };
    Some((Heading { level, label, full, line: number, standing }, claim))
}

/// Level and text of a heading of markdown or HTML.
fn markdown(line: &str) -> Option<(u8, String)> {
    let level = |digits: usize| u8::try_from(digits).ok().filter(|level| (1..=6).contains(level));
    let text = line.trim_start_matches('#');
    if let Some(level) = level(line.len() - text.len()) {
        return text.starts_with(' ').then(|| (level, text.to_owned()));
    }
    let tag = line.strip_prefix("<h").or_else(|| line.strip_prefix("<H"))?;
    let level = level(usize::try_from(tag.chars().next()?.to_digit(10)?).ok()?)?;
    let (open, rest) = tag.split_once('>')?;
    (open.len() == 1 || open[1..].starts_with(' ')).then(|| (level, without_tags(rest)))
}

/// A label without marks of emphasis, and without the colon at its end.
fn plain(body: &str) -> String {
    let label: String = body.replace(['*', '`', '\u{fe0f}'], "");
    label.trim_matches(['#', ' ']).trim_end_matches([':', '：', ' ']).to_owned()
}

/// The start of a long label, with a number that is that of the whole label.
fn cut(label: &str) -> String {
    if label.chars().count() <= LONGEST * 2 {
        return label.to_owned();
    }
    // FNV-1a, 32 bits.
    let hash = label
        .bytes()
        .fold(0x811c_9dc5, |hash: u32, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193));
    let start: String = label.chars().take(LONGEST).collect();
    format!("{}… {hash:08x}", start.trim_end())
}

/// A line of text that may be a heading: it ends with a colon, or is short.
fn line_heading(line: &str) -> Option<(u8, String)> {
    let item = line.trim_start_matches(['-', '*', '+', ' ']);
    let bare = without_claims(item).0;
    let words = bare.trim_end_matches([':', '：', ' ', '*']);
    // `label: value` is text; so is a line with a percentage that went up or down.
    let ends = bare[words.len()..].contains([':', '：']);
    let claim = if ends { names_nothing(words) } else { is_claim(words) };
    let plain = !words.is_empty()
        && !words.contains([':', '|', '{', '<', '$'])
        && (ends || !words.contains('='))
        && !claim
        && words.chars().any(char::is_alphanumeric);
    // In an unknown encoding a full-width colon cannot be seen.
    let colon = ends || bare.contains('\u{fffd}');
    let length = bare.chars().count();
    let longest = if colon { LONGEST } else { LONGEST / 2 };
    (plain && length <= longest).then(|| (if colon { COLON } else { PLAIN }, item.to_owned()))
}

fn between<'a>(line: &'a str, open: &str, close: &str) -> Option<&'a str> {
    let rest = &line[line.find(open)? + open.len()..];
    Some(&rest[..rest.find(close).unwrap_or(rest.len())])
}

fn without_tags(text: &str) -> String {
    let mut inside = false;
    text.chars()
        .filter(|&c| {
            let keep = !inside && c != '<';
            inside = (inside || c == '<') && c != '>';
            keep
        })
        .collect()
}

/// Whether a line holds nothing but tags of HTML, or underlines and separates.
pub(super) fn is_decoration(line: &str) -> bool {
    let bare = line.trim_start_matches(['>', ' ']);
    (bare.starts_with('<') && without_tags(bare).trim().is_empty())
        || bare.chars().all(|c| matches!(c, '-' | '=' | '_' | '*' | '~' | ' ' | '|'))
}

/// Level of the heading that a line under it makes: `====` 1, `----` 2.
pub(super) fn underline(line: &str) -> Option<u8> {
    let all = |mark: char| line.len() >= 3 && line.chars().all(|c| c == mark);
    if all('=') {
        Some(1)
    } else if all('-') {
        Some(2)
    } else {
        None
    }
}

/// Whether a label only counts runs: `Run 2`, `round 3`, `第1次`, `第二次`.
fn counts_runs(label: &str) -> bool {
    let lower = label.to_lowercase();
    let digit = |c: char| c.is_ascii_digit() || "一二三四五六七八九十".contains(c);
    let bare: String = lower.chars().filter(|c| !digit(*c) && !c.is_whitespace()).collect();
    let bare = bare.trim_matches(['#', '.', ':', '-', '_', '/']);
    lower.chars().any(digit)
        && [
            "",
            "run",
            "rep",
            "repeat",
            "repetition",
            "round",
            "trial",
            "iteration",
            "iter",
            "第次",
            "第轮",
            "test",
        ]
        .contains(&bare)
}

/// Which level of headings names what.
#[derive(Default)]
struct Plan {
    variant: Option<u8>,
    /// What the variants have several of: workloads.
    section: Option<u8>,
    run: Option<u8>,
    /// Whether headings count that other text follows.
    stale: bool,
}

/// Puts back the brackets without which headings would be one: `after (50%)` and `after (90%)`. A percentage
/// that tells two variants apart claims nothing.
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
    for Block { run, headings } in blocks {
        for at in (0..headings.len()).rev() {
            let several = spellings[&path(&headings[..=at])].len() > 1;
            let heading = &mut headings[at];
            if let Some(full) = heading.full.take_if(|_| several) {
                heading.label = full;
                run.facts.claims.retain(|claim| claim.source.position != heading.line);
            }
        }
    }
}

/// Gives every block its variant from the headings above it.
pub(super) fn name_variants(mut blocks: Vec<Block>) -> Vec<Run> {
    tell_apart(&mut blocks);
    let mut plan = Plan::of(&blocks, false);
    if plan.variant.is_none() {
        plan = Plan::of(&blocks, true);
    }
    blocks
        .into_iter()
        .map(|mut block| {
            let of = |level: Option<u8>| level.and_then(|level| label(&block, level, plan.stale));
            let (variant, section, name) = (of(plan.variant), of(plan.section), of(plan.run));
            block.run.variant = variant.unwrap_or_default();
            block.run.workload.label = section;
            block.run.name = name;
            block.run
        })
        .collect()
}

fn label(block: &Block, level: u8, stale: bool) -> Option<String> {
    let known = |heading: &&Heading| {
        heading.level == level && (stale || heading.standing != Standing::Stale)
    };
    block.headings.iter().find(known).map(|heading| heading.label.clone())
}

impl Plan {
    fn of(blocks: &[Block], stale: bool) -> Self {
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
        let run = (1..=FENCED).find(|&level| only_counts(level));
        // A heading above all blocks is the title of the note.
        let names = |level: &u8| match &distinct(*level)[..] {
            [only] => blocks.len() == 1 && only.is_some(),
            _ => true,
        };
        let mut levels: Vec<u8> =
            (1..=FENCED).filter(|level| names(level) && !only_counts(*level)).collect();
        if blocks.len() == 1 {
            // The innermost heading, or a line of text where there is no other.
            let firm = levels.iter().copied().rfind(|&level| level < PLAIN);
            levels = firm.or(levels.first().copied()).into_iter().collect();
        }
        // Text that happens to stand above a block varies freely; a heading comes back.
        if let Some(&outer) = levels.first() {
            levels.retain(|&level| {
                level == outer || level < PLAIN || crossed(blocks, outer, level, stale)
            });
        }
        let (variant, section) = match levels[..] {
            [] => (None, None),
            [only] => (Some(only), None),
            [outer, inner, ..] => {
                let of = |level: u8| move |block: &Block| label(block, level, stale);
                let flipped = names_variants(&distinct(inner)) && !names_variants(&distinct(outer))
                    || loads_follow(blocks, of(outer)) && !loads_follow(blocks, of(inner));
                if flipped { (Some(inner), Some(outer)) } else { (Some(outer), Some(inner)) }
            }
        };
        let section = variant
            .zip(section)
            .filter(|&(variant, section)| crossed(blocks, variant, section, stale))
            .map(|(_, section)| section);
        Self { variant, section, run, stale }
    }
}

fn names_variants(labels: &[Option<String>]) -> bool {
    labels.iter().flatten().any(|label| what_label_says(label) != Saying::Nothing)
}

/// Whether a label of the one level stands under several labels of the other.
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
