//! Labels of blocks by the commands above them, where these differ in one option: `--backend vllm` and `--backend hf`.

use std::collections::{BTreeMap, BTreeSet};

use crate::kit::fields;
use crate::text::headings::heading::{BOLD, Block, Heading, Standing};
use beyondnoise_model::metrics::words::{Says, meaning};
use beyondnoise_model::runs::{LabelHint, label_hint};

/// Most lines above a block that may hold its command.
const MAX_ABOVE: usize = 40;

/// Words in the names of options in which repeats differ.
const OF_RUNS: &[&str] = &[
    "seed", "port", "host", "url", "file", "filename", "path", "dir", "output", "out", "log",
    "logs", "result", "results", "save", "to", "id", "run", "trial", "iter", "repeat",
];

/// The options of a command with their values; an option without one has none.
type Command = BTreeMap<String, String>;

/// Gives each block a heading by the option in which its command differs from those of the others, where no firm headings tell
/// the blocks apart. An option that describes the work is a setting.
pub(crate) fn label_by_commands(blocks: &mut [Block], lines: &[String]) {
    let path = |block: &Block| -> Vec<(u8, String)> {
        let firm = block.headings.iter().filter(|heading| heading.standing == Standing::Firm);
        firm.map(|heading| (heading.level, heading.label.clone())).collect()
    };
    let apart: BTreeSet<_> = blocks.iter().map(path).collect();
    if blocks.len() < 2 || apart.len() > 1 || blocks.iter().any(Block::names_variants) {
        return;
    }
    let mut above = 0;
    let mut commands: Vec<Command> = Vec::new();
    for block in &*blocks {
        let at = block.run.source.position.saturating_sub(1).min(lines.len());
        let from = above.max(at.saturating_sub(MAX_ABOVE)).min(at);
        commands.push(command_in(&lines[from..at]));
        above = at;
    }
    if commands.iter().any(Command::is_empty) {
        return;
    }
    let Some(option) = telling(&commands) else { return };
    for (block, command) in blocks.iter_mut().zip(&commands) {
        let name = option.trim_start_matches('-');
        let value = command.get(&option).map(String::as_str);
        if meaning(name).says == Says::Setting && value.is_some_and(is_number) {
            block.run.metadata.insert(name.to_owned(), value.unwrap_or_default().to_owned());
            continue;
        }
        let label = match value {
            Some("") => option.clone(),
            Some(value) if is_number(value) => format!("{name}={value}"),
            Some(value) => value.rsplit('/').next().unwrap_or(value).to_owned(),
            None => format!("without {option}"),
        };
        let line = block.run.source.position;
        block.headings.push(Heading::firm(BOLD, label, line));
    }
}

fn is_number(value: &str) -> bool {
    fields::number(value).is_some()
}

/// The options of the commands in these lines: words that begin with two dashes, each with the word behind it.
fn command_in(lines: &[String]) -> Command {
    let words = lines.iter().flat_map(|line| line.split_whitespace());
    let words: Vec<&str> = words
        .filter(|word| *word != "\\")
        .map(|word| word.trim_matches(['`', '"', '\'']))
        .collect();
    let option = |word: &str| {
        let name = word.strip_prefix("--")?;
        name.starts_with(|c: char| c.is_ascii_alphabetic()).then_some(())
    };
    let mut found = Command::new();
    for (at, word) in words.iter().enumerate().filter(|(_, word)| option(word).is_some()) {
        let (name, value) = match word.split_once('=') {
            Some((name, value)) => (name, value),
            None => (
                *word,
                words.get(at + 1).copied().filter(|next| !next.starts_with('-')).unwrap_or(""),
            ),
        };
        found.insert(name.to_owned(), value.to_owned());
    }
    found
}

/// The option that tells the commands apart: the only one in which all of them differ in a word, or the only one that differs.
fn telling(commands: &[Command]) -> Option<String> {
    let names: BTreeSet<&String> = commands.iter().flat_map(BTreeMap::keys).collect();
    let values = |name: &&String| -> BTreeSet<Option<&String>> {
        commands.iter().map(|command| command.get(*name)).collect()
    };
    // Seeds, ports and places of files differ between repeats, unless their values name sides.
    let of_run = |name: &&String| {
        let lower = name.to_lowercase();
        let known = lower.split(|c: char| !c.is_alphanumeric()).any(|word| OF_RUNS.contains(&word));
        let sides = values(name).into_iter().flatten();
        known && !sides.into_iter().any(|value| label_hint(value) != LabelHint::Neither)
    };
    let differing: Vec<&String> = names
        .into_iter()
        .filter(|name| values(name).len() == commands.len() && !of_run(name))
        .collect();
    let worded = |name: &&&String| {
        let word = |value: &String| value.contains(char::is_alphabetic) && !value.contains('.');
        values(name).into_iter().all(|value| value.is_some_and(word))
    };
    let only = |found: Vec<&String>| match found[..] {
        [only] => Some(only.clone()),
        _ => None,
    };
    let by_words = only(differing.iter().copied().filter(|name| worded(&name)).collect());
    by_words.or_else(|| only(differing))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn commands(lines: &[&str]) -> Vec<Command> {
        lines.iter().map(|line| command_in(&[(*line).to_owned()])).collect()
    }

    #[test]
    fn one_option_tells_commands_apart() {
        for (lines, expected) in [
            (["bench --backend vllm --seed 1", "bench --backend hf --batch 25"], Some("--backend")),
            (["bench --seed 1", "bench --seed 1 --fast"], Some("--fast")),
            (["bench --tp=1", "bench --tp=2"], Some("--tp")),
            (["bench --seed 1", "bench --seed 1"], None),
            (["bench --a 1 --b 2", "bench --a 2 --b 3"], None),
            (["bench --seed 1 --out a", "bench --seed 2 --out b"], None),
        ] {
            assert_eq!(telling(&commands(&lines)).as_deref(), expected, "{lines:?}");
        }
    }
}
