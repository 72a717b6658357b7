//! Labels of blocks by the commands above them, where these differ in one option or argument: `--backend vllm` and
//! `--backend hf`, `./run.sh 1.0.4` and `./run.sh 1.1.0`.

use std::collections::{BTreeMap, BTreeSet};

use crate::kit::fields;
use crate::reader::COMMAND;
use crate::text::headings::heading::{BOLD, Block, Heading, Standing};
use crate::text::notes::between::command_of;
use beyondnoise_model::metrics::words::{Says, meaning};
use beyondnoise_model::runs::{LabelHint, Run, label_hint};

/// Most lines above a block that may hold its command.
const MAX_ABOVE: usize = 40;

/// Words in the names of options in which repeats differ.
const OF_RUNS: &[&str] = &[
    "seed", "port", "host", "url", "file", "filename", "path", "dir", "output", "out", "log",
    "logs", "result", "results", "save", "to", "id", "run", "trial", "iter", "repeat", "o",
];

/// The options of a command with their values, an option without one with none; its arguments by their place, and its program.
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
        let own = command_in(&lines[from..at]);
        // A command may print several results.
        let last = commands.last().filter(|_| own.is_empty()).cloned();
        commands.push(last.unwrap_or(own));
        above = at;
    }
    if commands.iter().any(Command::is_empty) {
        return label_by_own(blocks);
    }
    let Some(option) = telling(&commands) else { return label_by_several(blocks, &commands) };
    for (block, command) in blocks.iter_mut().zip(&commands) {
        let name = option.trim_start_matches('-');
        let value = command.get(&option).map(String::as_str);
        if meaning(name).says == Says::Setting && value.is_some_and(is_number) {
            block.run.metadata.insert(name.to_owned(), value.unwrap_or_default().to_owned());
            continue;
        }
        let label = label_of(&option, value);
        let line = block.run.source.position;
        block.headings.push(Heading::firm(BOLD, label, line));
    }
}

/// Gives runs of one side in one cell the options in which the commands above them differ: results of other commands are no
/// repeats.
pub(crate) fn tell_commands_apart(runs: &mut [Run], lines: &[String]) {
    let open = |run: &Run| run.name.is_none() && !run.info.of_table;
    let cell = |run: &Run| format!("{:?} {:?} {:?}", run.variant, run.workload, run.metadata);
    let mut cells: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    for (at, run) in runs.iter().enumerate().filter(|(_, run)| open(run)) {
        cells.entry(cell(run)).or_default().push(at);
    }
    if cells.values().all(|own| own.len() < 2) {
        return;
    }
    let places: Vec<usize> =
        (0..lines.len()).filter(|&at| command_of(lines[at].trim()).is_some()).collect();
    let above = |at: usize| {
        let end = runs[at].source.position.saturating_sub(1);
        let last = places.iter().rfind(|place| **place < end)?;
        Some(command_in(&lines[*last..=*last]))
    };
    let commands: Vec<Option<Command>> = (0..runs.len()).map(above).collect();
    let mut found: Vec<(usize, String, String)> = Vec::new();
    for own in cells.into_values().filter(|own| own.len() > 1) {
        let all: Option<Vec<&Command>> = own.iter().map(|&at| commands[at].as_ref()).collect();
        let Some(all) = all else { continue };
        let names: BTreeSet<&String> = all.iter().flat_map(|command| command.keys()).collect();
        let differs = |name: &&&String| {
            let mut values = all.iter().map(|command| command.get(**name));
            let first = values.next();
            !is_of_run(name) && values.any(|value| Some(value) != first)
        };
        for name in names.iter().filter(differs) {
            for (&at, command) in own.iter().zip(&all) {
                let key = name.trim_start_matches('-').to_owned();
                let value = command.get(*name).cloned().unwrap_or_else(|| "none".to_owned());
                found.push((at, key, value));
            }
        }
    }
    for (at, key, value) in found {
        runs[at].metadata.entry(key).or_insert(value);
    }
}

/// Labels blocks that name the command that they measured by it, as `perf stat` does, where it differs in a word.
fn label_by_own(blocks: &mut [Block]) {
    let own = |block: &Block| block.run.metadata.get(COMMAND).cloned();
    let Some(all) = blocks.iter().map(own).collect::<Option<Vec<String>>>() else { return };
    let commands: Vec<Command> =
        all.iter().map(|command| command_in(&[format!("$ {command}")])).collect();
    let number = |option: &String| {
        commands.iter().all(|command| command.get(option).is_some_and(|value| is_number(value)))
    };
    if telling(&commands).is_none_or(|option| number(&option)) {
        return;
    }
    for (block, command) in blocks.iter_mut().zip(all) {
        block.run.metadata.remove(COMMAND);
        let line = block.run.source.position;
        block.headings.push(Heading::firm(BOLD, command, line));
    }
}

/// Most places in which commands of one text differ.
const MAX_PLACES: usize = 5;

/// The same for commands that differ in several places; numbers of settings are settings. Where an option comes with each of
/// several arguments and is missing with each of them, these are the work; else the command is named by all the places.
fn label_by_several(blocks: &mut [Block], commands: &[Command]) {
    let values = |name: &String| -> BTreeSet<Option<&String>> {
        commands.iter().map(|command| command.get(name)).collect()
    };
    let names: BTreeSet<&String> = commands.iter().flat_map(BTreeMap::keys).collect();
    let set = |name: &String| {
        let number = |value: Option<&String>| value.is_none_or(|value| is_number(value));
        meaning(name.trim_start_matches('-')).says == Says::Setting
            && values(name).into_iter().all(number)
    };
    let names = names.into_iter().filter(|name| values(name).len() > 1 && !is_of_run(name));
    let (settings, differing): (Vec<&String>, Vec<&String>) = names.partition(|name| set(name));
    if differing.len() > MAX_PLACES || settings.len() > MAX_PLACES {
        return;
    }
    for (block, command) in blocks.iter_mut().zip(commands) {
        for name in &settings {
            let value = command.get(*name).cloned().unwrap_or_default();
            block.run.metadata.entry(name.trim_start_matches('-').to_owned()).or_insert(value);
        }
    }
    let distinct: BTreeSet<Vec<Option<&String>>> = commands
        .iter()
        .map(|command| differing.iter().map(|name| command.get(*name)).collect())
        .collect();
    let crossed = match differing[..] {
        [one, other] if distinct.len() == values(one).len() * values(other).len() => {
            let open = |name: &String| name.starts_with('-') && values(name).contains(&None);
            match (open(one), open(other)) {
                (true, false) => Some((one, other)),
                (false, true) => Some((other, one)),
                _ => None,
            }
        }
        _ => None,
    };
    for (block, command) in blocks.iter_mut().zip(commands).filter(|_| !differing.is_empty()) {
        let value = |name: &String| command.get(name).map(String::as_str);
        let label = if let Some((option, work)) = crossed {
            let name = work.trim_start_matches('-').split(' ').next().unwrap_or(work);
            let of_work = value(work).unwrap_or_default().to_owned();
            block.run.metadata.insert(name.to_owned(), of_work);
            label_of(option, value(option))
        } else {
            let parts = differing.iter().map(|name| label_of(name, value(name)));
            parts.collect::<Vec<_>>().join(" ")
        };
        let line = block.run.source.position;
        block.headings.push(Heading::firm(BOLD, label, line));
    }
}

fn label_of(option: &str, value: Option<&str>) -> String {
    match value {
        Some("") => option.to_owned(),
        Some(value) if is_number(value) => format!("{}={value}", option.trim_start_matches('-')),
        Some(value) => value.rsplit('/').next().unwrap_or(value).to_owned(),
        None => format!("without {option}"),
    }
}

/// The labels that the commands in a text give to what they print, by their lines, where they differ in one option or argument.
pub(crate) fn labels_of_commands(lines: &[&str]) -> BTreeMap<usize, String> {
    let (places, commands): (Vec<usize>, Vec<Command>) = lines
        .iter()
        .enumerate()
        .filter(|(_, line)| command_of(line.trim()).is_some())
        .map(|(at, line)| (at, command_in(std::slice::from_ref(line))))
        .unzip();
    let Some(option) = telling(&commands).filter(|_| commands.len() > 1) else {
        return BTreeMap::new();
    };
    let label = |command: &Command| label_of(&option, command.get(&option).map(String::as_str));
    places.into_iter().zip(commands.iter().map(label)).collect()
}

fn is_number(value: &str) -> bool {
    fields::number(value).is_some()
}

fn words_of(text: &str) -> impl Iterator<Item = &str> {
    let words = text.split_whitespace().filter(|word| *word != "\\");
    words.map(|word| word.trim_matches(['`', '"', '\'']))
}

/// The commands in these lines: words that begin with two dashes, each with the word behind it, and of the last command its
/// program, its other options and its arguments.
fn command_in<T: AsRef<str>>(lines: &[T]) -> Command {
    let words: Vec<&str> = lines.iter().flat_map(|line| words_of(line.as_ref())).collect();
    let named = |word: &str, dashes: &str| {
        let name = word.strip_prefix(dashes);
        name.is_some_and(|name| name.starts_with(|c: char| c.is_ascii_alphabetic()))
    };
    let mut found = Command::new();
    for (at, word) in words.iter().enumerate().filter(|(_, word)| named(word, "--")) {
        let (name, value) = match word.split_once('=') {
            Some((name, value)) => (name, value),
            None => (
                *word,
                words.get(at + 1).copied().filter(|next| !next.starts_with('-')).unwrap_or(""),
            ),
        };
        found.insert(name.to_owned(), value.to_owned());
    }
    // The other lines of a command over several hold nothing but options.
    let last = lines.iter().rev().find_map(|line| command_of(line.as_ref().trim()));
    let last = last.filter(|command| !command.starts_with('-') && !command.ends_with('\\'));
    let mut words = last.into_iter().flat_map(words_of).peekable();
    if let Some(program) = words.next() {
        found.insert("program".to_owned(), program.to_owned());
    }
    let mut arguments = 0;
    while let Some(word) = words.next() {
        let (name, value) = match word.split_once('=') {
            Some((name, value)) => (name, value.trim_matches(['"', '\''])),
            None if word.starts_with('-') => {
                (word, words.next_if(|next| !next.starts_with('-')).unwrap_or(""))
            }
            None => (word, ""),
        };
        if named(name, "-") {
            found.insert(name.to_owned(), value.to_owned());
        } else if !word.starts_with('-') && !is_number(word) {
            arguments += 1;
            found.insert(format!("argument {arguments}"), word.to_owned());
        }
    }
    found
}

/// Whether repeats differ in such an option: seeds, ports and places of files.
fn is_of_run(name: &str) -> bool {
    let lower = name.to_lowercase();
    let mut words = lower.split(|c: char| !c.is_alphanumeric());
    let work = |word: &str| matches!(word, "model" | "dataset" | "tokenizer" | "len" | "length");
    !words.clone().any(work) && words.any(|word| OF_RUNS.contains(&word))
}

/// The option that tells the commands apart: the only one in which all of them differ in a word, or the only one that differs.
fn telling(commands: &[Command]) -> Option<String> {
    let names: BTreeSet<&String> = commands.iter().flat_map(BTreeMap::keys).collect();
    let values = |name: &&String| -> BTreeSet<Option<&String>> {
        commands.iter().map(|command| command.get(*name)).collect()
    };
    // Those of repeats, unless their values name sides.
    let of_run = |name: &&String| {
        let mut sides = values(name).into_iter().flatten();
        is_of_run(name) && !sides.any(|value| label_hint(value) != LabelHint::Neither)
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
            (
                ["go test -bench=. -device=\"a0\"", "go test -bench=. -device=\"b0\""],
                Some("-device"),
            ),
            (["bench --seed 1", "bench --seed 1"], None),
            (["bench --a 1 --b 2", "bench --a 2 --b 3"], None),
            (["bench --seed 1 --out a", "bench --seed 2 --out b"], None),
            (["./run.sh 1.0.4", "./run.sh 1.1.0-SNAPSHOT"], Some("argument 1")),
            (["./run.sh 1", "./run.sh 2"], None),
            (["./bench_a x", "./bench_b x"], Some("program")),
            (["a@b:~$ pgbench -f c.sql -c 10", "a@b:~$ pgbench -f plsh.sql -c 10"], Some("-f")),
        ] {
            assert_eq!(telling(&commands(&lines)).as_deref(), expected, "{lines:?}");
        }
    }
}
