//! Commands that name their variant inside of their work: `uv-main (cold)`, `uv-branch (cold)`, `uv-main (warm)`, ...

use std::collections::{BTreeMap, BTreeSet};

use crate::reader::COMMAND;
use beyondnoise_model::runs::{LabelHint, Run, label_hint, negates};

/// Most commands that are compared with one another.
const MAX_COMMANDS: usize = 100;

/// Splits labels, such as commands, into a variant and a workload, where the same words in one place tell several commands apart
/// that are otherwise equal, and one of these words names the baseline.
///
/// Of two commands alone each is a variant as it stands.
pub(crate) fn split(runs: &mut [Run]) {
    let labels: BTreeSet<&str> = runs.iter().map(|run| &*run.variant).collect();
    if !(4..=MAX_COMMANDS).contains(&labels.len()) {
        return;
    }
    if let Some(found) = by_environment(&labels) {
        return name(runs, &found);
    }
    // The words that stand in one place between the same others.
    let mut beside: BTreeMap<(String, String), BTreeSet<&str>> = BTreeMap::new();
    for label in &labels {
        for (before, word, after) in places(label) {
            beside.entry((before.to_owned(), after.to_owned())).or_default().insert(word);
        }
    }
    let names_baseline = |words: &&BTreeSet<&str>| {
        let baseline = |word: &&&str| label_hint(word) == LabelHint::Baseline || negates(word);
        words.len() > 1 && words.iter().filter(baseline).count() == 1
    };
    let sets: BTreeSet<&BTreeSet<&str>> = beside.values().filter(names_baseline).collect();
    let whole = |words: &&&BTreeSet<&str>| {
        let own = beside.values().filter(|other| other == *words);
        own.map(BTreeSet::len).sum::<usize>() == labels.len()
    };
    let Some(words) = sets.iter().find(whole) else { return };
    let ending = shared_ending(words);
    let mut found: BTreeMap<String, (String, String)> = BTreeMap::new();
    for label in &labels {
        let own = places(label).find(|(before, _, after)| {
            beside.get(&((*before).to_owned(), (*after).to_owned())) == Some(*words)
        });
        if let Some((before, word, after)) = own {
            let (variant, ending) = word.split_at(word.len() - ending);
            let work = format!("{before}*{ending}{after}");
            found.insert((*label).to_owned(), (variant.to_owned(), work));
        }
    }
    name(runs, &found);
}

/// Gives runs the variant and the workload that their label stands for.
fn name(runs: &mut [Run], found: &BTreeMap<String, (String, String)>) {
    for run in runs {
        if let Some((variant, work)) = found.get(&run.variant) {
            run.metadata.remove(COMMAND);
            run.workload.label = Some(work.clone());
            run.variant.clone_from(variant);
        }
    }
}

/// The variants and workloads of commands that set the same variables, or none, before each of several works: `LINT=1 ./t1.sh`,
/// `./t1.sh`, `LINT=1 ./t2.sh`, `./t2.sh`.
fn by_environment(labels: &BTreeSet<&str>) -> Option<BTreeMap<String, (String, String)>> {
    let assigns = |word: &str| {
        word.split_once('=').is_some_and(|(name, _)| {
            let of_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
            !name.is_empty() && name.chars().all(of_name) && !name.starts_with(char::is_numeric)
        })
    };
    let mut works: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    let mut names = BTreeSet::new();
    let mut parts = Vec::new();
    for label in labels {
        let mut work = *label;
        while let Some((word, rest)) = work.split_once(' ').filter(|(word, _)| assigns(word)) {
            names.extend(word.split_once('=').map(|(name, _)| name));
            work = rest.trim_start();
        }
        let set = label[..label.len() - work.len()].trim_end();
        works.entry(work).or_default().insert(set);
        parts.push((*label, set, work));
    }
    let first = works.values().next()?;
    if works.len() < 2 || first.len() < 2 || works.values().any(|sets| sets != first) {
        return None;
    }
    let unset = format!("without {}", names.into_iter().collect::<Vec<_>>().join(", "));
    let named = |set: &str| if set.is_empty() { unset.clone() } else { set.to_owned() };
    let all = parts
        .into_iter()
        .map(|(label, set, work)| (label.to_owned(), (named(set), work.to_owned())));
    Some(all.collect())
}

/// Every word of a command with what is before and behind it.
fn places(command: &str) -> impl Iterator<Item = (&str, &str, &str)> {
    let ends = |c: char| c.is_whitespace() || "/=,:'\"()[]?&".contains(c);
    let mut start = 0;
    std::iter::from_fn(move || {
        let rest = &command[start..];
        let from = start + rest.find(|c: char| !ends(c))?;
        let to = command[from..].find(ends).map_or(command.len(), |length| from + length);
        start = to;
        Some((&command[..from], &command[from..to], &command[to..]))
    })
}

/// Bytes of the ending that all names of files share: `.sock`.
fn shared_ending(words: &BTreeSet<&str>) -> usize {
    let ending = |word: &str| word.rfind('.').filter(|at| *at > 0).map(|at| word[at..].to_owned());
    let endings: BTreeSet<Option<String>> = words.iter().map(|word| ending(word)).collect();
    match endings.into_iter().next() {
        Some(Some(first)) if words.iter().all(|word| word.ends_with(&first)) => first.len(),
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn split_of(labels: &[&str]) -> Vec<(String, Option<String>)> {
        let run = |label: &&str| Run { variant: (*label).to_owned(), ..Run::default() };
        let mut runs: Vec<Run> = labels.iter().map(run).collect();
        split(&mut runs);
        runs.into_iter().map(|run| (run.variant.clone(), run.workload.label.clone())).collect()
    }

    #[test]
    fn the_word_that_tells_equal_commands_apart_is_the_variant() {
        let found = split_of(&[
            "./uv-main (cold)",
            "./uv-branch (cold)",
            "./uv-main (warm)",
            "./uv-branch (warm)",
        ]);
        let cold = Some("./* (cold)".to_owned());
        assert_eq!(found[0], ("uv-main".to_owned(), cold.clone()));
        assert_eq!(found[1], ("uv-branch".to_owned(), cold));
        assert_eq!(found[3].1.as_deref(), Some("./* (warm)"));
        let found = split_of(&["[NO_CACHE] x1", "[NO_CACHE] x5", "[CACHE] x1", "[CACHE] x5"]);
        assert_eq!(found[2], ("CACHE".to_owned(), Some("[*] x1".to_owned())));
        let found = split_of(&["LINT=1 ./t1", "./t1", "LINT=1 ./t2", "./t2"]);
        assert_eq!(found[0], ("LINT=1".to_owned(), Some("./t1".to_owned())));
        assert_eq!(found[3], ("without LINT".to_owned(), Some("./t2".to_owned())));
        // Commands of unlike work, and the endings of files.
        let found = split_of(&[
            "cp 'x/before.sock' a",
            "cp 'x/after.sock' a",
            "sum x/before.sock",
            "sum x/after.sock",
        ]);
        assert_eq!(found[2], ("before".to_owned(), Some("sum x/*.sock".to_owned())));
        // Where a command lacks the other side, where nothing names a side, and of two commands alone.
        for labels in [
            &["a main x", "a pr x", "a main y", "a z y"][..],
            &["a f x", "a g x", "a f y", "a g y"],
            &["a main", "a pr"],
        ] {
            let kept: Vec<String> = split_of(labels).into_iter().map(|(label, _)| label).collect();
            assert_eq!(kept, labels, "{labels:?}");
        }
    }
}
