//! Labels above the results that the reader of a program finds by itself.

use std::collections::{BTreeMap, BTreeSet};

use crate::text::claims::{is_claim, without_claims};
use crate::text::headings::heading;
use crate::text::headings::heading::{BOLD, COLON, MAX_HEADING_CHARS, PLAIN};
use crate::text::headings::{is_decoration, is_time, labels_of_commands, without_counts};
use crate::text::notes::between::{Between, between};
use crate::text::prose;
use beyondnoise_model::runs::{LabelHint, label_hint};

/// The labels of variants in a text whose results a reader of a program finds by itself.
pub(crate) struct Labels<'a> {
    lines: Vec<&'a str>,
    /// Labels that paragraphs give to the blocks directly below, by the last line of the paragraph.
    captions: BTreeMap<usize, String>,
    /// The level of the headings that each have one fence below them: these name what is in it.
    level: Option<u8>,
    /// Labels above every result, which distinguish none: they recur and are alone on their level.
    common: BTreeSet<String>,
    /// Whether each line is in a fence.
    inside: Vec<bool>,
    /// Labels that commands give to what they print, where nothing between them does.
    commands: BTreeMap<usize, String>,
}

/// Words at the start of a block by which two blocks are of one kind.
const FIRST_WORDS: usize = 2;

impl<'a> Labels<'a> {
    pub(crate) fn of(text: &'a str) -> Self {
        let lines: Vec<&str> = text.lines().collect();
        let captions = captions(&lines);
        let level = level_of_fences(&lines);
        let common = common(&lines);
        let inside = inside_fences(&lines);
        let mut found = Self { lines, captions, level, common, inside, commands: BTreeMap::new() };
        let commands = labels_of_commands(&found.lines);
        let ends = commands.first_key_value().zip(commands.last_key_value());
        let between = ends.map_or(0..0, |((first, _), (last, _))| *first..*last);
        // Columns are output of a program.
        let text = |at: &usize| !found.lines[*at].trim().contains("  ");
        let label = |at: usize| found.at(at).filter(|label| !is_sentence(label));
        if !between.filter(text).any(|at| label(at).is_some()) {
            found.commands = commands;
        }
        found
    }

    /// The label that the line at an index gives to the results below it; a short line is one above a fence, where it
    /// names a side, or where other blocks of the same kind are below other words.
    pub(crate) fn at(&self, index: usize) -> Option<String> {
        let line = self.lines.get(index)?.trim();
        if let Some(label) = self.commands.get(&index) {
            return Some(label.clone());
        }
        if let Some(label) = self.ruled(index) {
            return Some(label);
        }
        let named = heading(line, index + 1).filter(|(heading, _)| {
            let above_fence = || {
                self.lines[index + 1..].iter().find(|l| !is_blank(l)).is_some_and(|l| is_fence(l))
            };
            let side = || {
                let words = line.split_whitespace().count();
                words < 5
                    && label_hint(&heading.label) != LabelHint::Neither
                    && between(line) == Between::Text
            };
            let inside = self.inside[index];
            let plain = || !says_results(&heading.label) && (!inside && above_fence() || side());
            heading.level <= COLON || heading.level == PLAIN && plain()
        });
        if named.as_ref().is_some_and(|(heading, _)| self.common.contains(&heading.label)) {
            return None;
        }
        if let Some(level) = self.level {
            return named.filter(|(heading, _)| heading.level == level).map(|found| found.0.label);
        }
        named.map(|(heading, _)| heading.label).or_else(|| self.captions.get(&index).cloned())
    }

    /// The words of a line between two long rulers with a setting or a time, without the time: `THREADS=32  TIME=19:57:25`.
    fn ruled(&self, index: usize) -> Option<String> {
        let ruler = |at: usize| {
            let line = self.lines.get(at)?.trim();
            let mark = line.chars().next().filter(|c| "=-#*".contains(*c))?;
            (line.len() > MIN_RULER && line.chars().all(|c| c == mark)).then_some(())
        };
        let line = self.lines.get(index)?.trim_matches(['#', '=', ' ']);
        ruler(index.checked_sub(1)?).and(ruler(index + 1))?;
        let timed = |word: &&str| is_time(word.rsplit('=').next().unwrap_or(word));
        let all: Vec<&str> = line.split_whitespace().collect();
        let words: Vec<&str> = all.iter().copied().filter(|word| !timed(word)).collect();
        let label = words.join(" ");
        // Programs print titles without a time or a setting in them.
        let told = words.len() < all.len() || words.iter().any(|word| word.contains('='));
        (told && label.contains(char::is_alphabetic) && label.chars().count() <= MAX_HEADING_CHARS)
            .then_some(label)
    }
}

/// Shortest line of one mark that is a ruler.
const MIN_RULER: usize = 9;

/// The labels that come again, where no other is on their level.
fn common(lines: &[&str]) -> BTreeSet<String> {
    let mut levels: BTreeMap<u8, BTreeMap<String, usize>> = BTreeMap::new();
    let mut fenced = false;
    for (at, line) in lines.iter().enumerate() {
        fenced ^= is_fence(line);
        if let Some((found, _)) = heading(line.trim(), at + 1).filter(|_| !fenced) {
            *levels.entry(found.level).or_default().entry(found.label).or_default() += 1;
        }
    }
    let alone = |labels: BTreeMap<String, usize>| {
        labels.into_iter().next().filter(|(_, times)| *times > 1).map(|(label, _)| label)
    };
    levels.into_values().filter(|labels| labels.len() == 1).filter_map(alone).collect()
}

/// Most words of a label; more are a sentence about what follows.
const MAX_LABEL_WORDS: usize = 6;

/// Whether a label is rather a sentence, which says less than a command: `However, for the same device but with Vulkan`.
fn is_sentence(label: &str) -> bool {
    label.contains(", ") && label.split_whitespace().count() > MAX_LABEL_WORDS
}

/// Whether a line only says that results follow: `Results`, `Benchmark output`.
fn says_results(label: &str) -> bool {
    let lower = label.to_lowercase();
    let mut words = lower.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    words.all(|word| {
        ["result", "results", "output", "benchmark", "benchmarks", "numbers", "结果", "测试结果"]
            .contains(&word)
    })
}

/// The level of markdown headings that differ, and each have one fence below them.
fn level_of_fences(lines: &[&str]) -> Option<u8> {
    let (mut fences, mut fenced) = (Vec::new(), false);
    let mut headings: Vec<(usize, u8, String)> = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        if is_fence(line) {
            fenced = !fenced;
            fences.extend(fenced.then_some(at));
        } else if let Some((found, _)) = heading(line.trim(), at + 1).filter(|_| !fenced)
            && found.level < BOLD
        {
            headings.push((at, found.level, found.label));
        }
    }
    let level = headings.last()?.1;
    headings.retain(|(_, own, _)| *own == level);
    let ends = headings.iter().skip(1).map(|(at, ..)| *at).chain([lines.len()]);
    let one = headings.iter().zip(ends).all(|((start, ..), end)| {
        fences.iter().filter(|at| (*start..end).contains(at)).count() == 1
    });
    let labels: BTreeSet<&str> = headings.iter().map(|(.., label)| &**label).collect();
    let all = fences.len() == headings.len() && labels.len() == headings.len();
    (headings.len() > 1 && one && all).then_some(level)
}

fn is_blank(line: &str) -> bool {
    line.trim_matches(['>', ' ', '\t']).is_empty()
}

/// Whether a line is between a paragraph and a block.
fn separates(line: &str) -> bool {
    is_blank(line) || is_fence(line)
}

/// Whether a line opens or closes a fence.
pub(crate) fn is_fence(line: &str) -> bool {
    let bare = line.trim_start_matches(['>', ' ']);
    bare.starts_with("```") || bare.starts_with("~~~")
}

/// Whether each line of a text is in a fence; the line that opens one is, the line that closes it is not.
fn inside_fences(lines: &[&str]) -> Vec<bool> {
    let mut inside = false;
    let states = lines.iter().map(|line| {
        inside ^= is_fence(line);
        inside
    });
    states.collect()
}

/// The words of the paragraphs above blocks whose first lines begin alike, where these words differ by more than the
/// number of a run. Blocks of one kind below different words are no repeats.
pub(crate) fn captions(lines: &[&str]) -> BTreeMap<usize, String> {
    // By the start of a block: the last line of the paragraph above it, and its label.
    let inside = inside_fences(lines);
    let mut kinds: BTreeMap<String, Vec<Option<(usize, Caption)>>> = BTreeMap::new();
    for (at, line) in lines.iter().enumerate() {
        let bare = line.trim_matches(['>', ' ']);
        if separates(line) || at > 0 && !separates(lines[at - 1]) {
            continue;
        }
        // A command is above a result.
        let option = |word: &str| {
            word.strip_prefix('-').is_some_and(|name| name.starts_with(char::is_alphabetic))
        };
        let command = bare.contains(char::is_alphabetic) && between(bare) == Between::Noise
            || bare.split(' ').any(option)
            || is_decoration(bare);
        let sentence = bare.ends_with(['.', '。']) || is_claim(bare);
        if command || sentence {
            continue;
        }
        let printed = bare.contains(|c: char| c.is_ascii_digit() || "|:\t".contains(c))
            || bare.contains("  ");
        let words = bare.split_whitespace().take(if printed { FIRST_WORDS } else { usize::MAX });
        let words = words.map(|word| {
            word.replace(|c: char| c.is_ascii_digit(), "0").replace("00", "0").replace("00", "0")
        });
        let above = lines[..at].iter().rposition(|line| !separates(line));
        // The last line of another fence is a command.
        let above = above.filter(|&end| !(is_fence(lines[end + 1]) && inside[end]));
        let label = above.and_then(|end| Some((end, caption(lines, end)?)));
        kinds.entry(words.collect::<Vec<_>>().join(" ")).or_default().push(label);
    }
    let mut found = BTreeMap::new();
    for blocks in kinds.into_values().filter(|blocks| blocks.len() > 1) {
        // Sides that are called alike keep all of their words: `on this PR, without the cache`, `on this PR, with the cache`.
        let all: Vec<&Caption> = blocks.iter().flatten().map(|(_, caption)| caption).collect();
        let alike = all.iter().any(|one| {
            all.iter().any(|other| {
                one.side.is_some() && one.side == other.side && one.words != other.words
            })
        });
        let label =
            |Caption { side, words }: Caption| if alike { words } else { side.unwrap_or(words) };
        let blocks: Vec<Option<(usize, String)>> = blocks
            .into_iter()
            .map(|block| block.map(|(end, caption)| (end, label(caption))))
            .collect();
        let labels: BTreeSet<Option<&str>> =
            blocks.iter().map(|block| block.as_ref().map(|(_, label)| &**label)).collect();
        // One caption above the first block is that of all.
        if labels.len() > 1 && (labels.len() > 2 || blocks[0].is_none() || !labels.contains(&None))
        {
            found.extend(blocks.into_iter().flatten());
        }
    }
    found
}

/// The words above a block.
struct Caption {
    /// The side that they name, where they are long.
    side: Option<String>,
    /// The last line.
    words: String,
}

/// The words that the paragraph ending with this line gives to the block below it.
fn caption(lines: &[&str], end: usize) -> Option<Caption> {
    let start = lines[..end].iter().rposition(|line| separates(line));
    let paragraph = &lines[start.map_or(0, |at| at + 1)..=end];
    // Columns, paths and `key: value` are output of a program; but one such line above a fence was written by hand.
    let fenced = paragraph.len() == 1 && lines.get(end + 1).is_some_and(|line| is_fence(line));
    let path = |word: &str| word.contains('/') && word.contains(['.', '_']);
    let text = |line: &&str| {
        let line = line.trim_matches(['>', ' ']);
        let what = between(line);
        (what == Between::Text || fenced && matches!(what, Between::Setting(..)))
            && !line.contains(['|', '\t', '{'])
            && !line.contains("  ")
            && !line.split(' ').any(path)
            && !is_claim(&without_claims(line).0)
    };
    if !paragraph.iter().all(text) {
        return None;
    }
    let words = paragraph.join(" ");
    let (bare, _) = without_claims(lines[end]);
    let last = without_counts(bare.trim_matches(['>', ' ', '.', '。', ':', '：']));
    let short = paragraph.len() == 1 && last.chars().count() <= MAX_HEADING_CHARS / 2;
    let side = prose::side_of(&words).filter(|_| !short).map(|(_, label)| label);
    let words: String =
        last.chars().filter(|c| !"`*".contains(*c)).take(MAX_HEADING_CHARS).collect();
    let label = side.as_ref().unwrap_or(&words);
    let named = label.contains(char::is_alphabetic) && !says_results(label);
    named.then_some(Caption { side, words })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(text: &str) -> Vec<String> {
        let lines: Vec<&str> = text.lines().collect();
        captions(&lines).into_values().collect()
    }

    /// R5: the nearest words above blocks of one kind name them where they differ.
    #[test]
    fn different_words_above_blocks_of_one_kind_are_labels() {
        for (above, expected) in [
            (["Pre change", "Post change"], &["Pre change", "Post change"][..]),
            (
                ["With the old queue", "With the queue, run 2"],
                &["With the old queue", "With the queue"],
            ),
            (
                ["This is the tip of trunk as it was in the morning.", "And without the lock:"],
                &["trunk", "And without the lock"],
            ),
            // The number of a run is no label.
            (["run 1", "run 2"], &[]),
            (["The same machine", "The same machine"], &[]),
            // Neither are lines of a program, commands and claims.
            (["ok  \tpkg/a\t1.0s", "ok  \tpkg/b\t1.0s"], &[]),
            (["$ wrk -t4 http://a", "$ wrk -t4 http://b"], &[]),
            (["Running benches/a.rs (target/a)", "Running benches/b.rs (target/b)"], &[]),
            (["It is 5% faster", "It is 7% faster"], &[]),
        ] {
            let [one, other] = above;
            let text =
                format!("{one}\n\nname  p50\na  1.5\n\n{other}\n\n```\nname  p50\na  1.7\n```\n");
            assert_eq!(labels(&text), expected, "{text}");
        }
        // One line above all blocks is none; below the first block it is one.
        let two = "name  p50\na  1.5\n\nname  p50\na  1.7\n";
        assert!(labels(&format!("Numbers from my desk\n\n{two}")).is_empty());
        assert_eq!(labels(&two.replacen("\n\n", "\n\nWith the queue\n\n", 1)), ["With the queue"]);
    }
}
