//! Commands that name their variant inside of their work: `uv-main (cold)`, `uv-branch (cold)`, `uv-main (warm)`, ...

use std::collections::{BTreeMap, BTreeSet};

use crate::kit::parts_of_work::is_part_of_work;
use crate::reader::COMMAND;
use beyondnoise_model::metrics::words::meaning;
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
    let found =
        by_environment(&labels).or_else(|| by_words(&labels)).or_else(|| by_program(&labels));
    if let Some(found) = found {
        name(runs, &found);
    }
}

/// The variants and workloads of commands that differ in the words of one place; one of these words names the
/// baseline.
fn by_words(labels: &BTreeSet<&str>) -> Option<BTreeMap<String, (String, String)>> {
    // The words that stand in one place between the same others.
    let mut beside: BTreeMap<(String, String), BTreeSet<&str>> = BTreeMap::new();
    for label in labels {
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
    let words = sets.iter().find(whole)?;
    let ending = shared_ending(words);
    let mut found: BTreeMap<String, (String, String)> = BTreeMap::new();
    for label in labels {
        let own = places(label).find(|(before, _, after)| {
            beside.get(&((*before).to_owned(), (*after).to_owned())) == Some(*words)
        });
        if let Some((before, word, after)) = own {
            let (variant, ending) = word.split_at(word.len() - ending);
            let work = format!("{before}*{ending}{after}");
            found.insert((*label).to_owned(), (variant.to_owned(), work));
        }
    }
    Some(found)
}

/// The work that a name without its side is of; of a name that is a side alone nothing is left.
fn left_of(work: &str) -> Option<String> {
    let whole = work.trim_matches(['*', ',', ';', ':', ' ']).is_empty();
    (!whole).then(|| work.to_owned())
}

/// Gives runs the variant and the workload that their label stands for.
fn name(runs: &mut [Run], found: &BTreeMap<String, (String, String)>) {
    for run in runs {
        if let Some((variant, work)) = found.get(&run.variant) {
            run.metadata.remove(COMMAND);
            run.workload.label = left_of(work);
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

/// The variants and workloads of the same few programs, each with every one of several arguments: `floskell <a.hs`, `hindent <a.hs`,
/// `floskell <b.hs`, `hindent <b.hs`.
fn by_program(labels: &BTreeSet<&str>) -> Option<BTreeMap<String, (String, String)>> {
    let mut works: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    let mut found = BTreeMap::new();
    for label in labels {
        let (program, work) = label.split_once(' ')?;
        works.entry(work).or_default().insert(program);
        found.insert((*label).to_owned(), (program.to_owned(), work.to_owned()));
    }
    let programs = works.values().next()?;
    let argument = |work: &&str| work.contains(['<', '>', '/', '|', '$']) || work.starts_with('-');
    let crossed = works.len() > 1
        && works.keys().all(argument)
        && programs.len() > 1
        && programs
            .iter()
            .all(|program| program.starts_with(|c: char| c.is_alphabetic() || c == '.'))
        && works.values().all(|others| others == programs);
    crossed.then_some(found)
}

/// Takes the sides out of the names of benchmarks where nothing else tells variants apart: `BenchmarkWithoutCache/get` and
/// `BenchmarkWithCache/get`, `parse_old` and `parse_new`. Each name has its other side.
pub(crate) fn split_names(runs: &mut [Run], pasted: bool) {
    let first = runs.first().map(|run| run.variant.clone()).unwrap_or_default();
    let names: BTreeSet<&str> = runs.iter().filter_map(name_of).collect();
    let one = runs.iter().all(|run| run.variant == first && name_of(run).is_some());
    if !one || !(2..=MAX_COMMANDS).contains(&names.len()) {
        return;
    }
    let found = by_colon(&names).or_else(|| by_sides(&names));
    // Methods of a file of results, each with all sizes, are works of one build.
    let found = found.or_else(|| by_settings(runs, &names).filter(|_| pasted));
    let Some(found) = found else { return };
    for run in runs {
        let own = name_of(run).and_then(|name| found.get(name));
        if let Some((variant, work)) = own.cloned() {
            run.workload.other.remove(NAME);
            run.workload.label = left_of(&work);
            run.variant = variant;
        }
    }
}

/// The setting with the name of a benchmark that a program prints beside its result.
pub(crate) const NAME: &str = "name";

/// The name of the benchmark that a run is of.
fn name_of(run: &Run) -> Option<&str> {
    let named = || run.workload.other.get(NAME).map(String::as_str);
    run.workload.label.as_deref().or_else(named)
}

/// Names that begin with what is compared: `Core: flip a coin`, `PCG: flip a coin`, `Core: generate a float`, ... Each has every work.
fn by_colon(names: &BTreeSet<&str>) -> Option<BTreeMap<String, (String, String)>> {
    let mut works: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    let mut found = BTreeMap::new();
    for name in names {
        let (side, work) = name.split_once(": ").map(|(side, work)| (side.trim(), work.trim()))?;
        if !side.contains(char::is_alphabetic) {
            return None;
        }
        works.entry(work).or_default().insert(side);
        found.insert((*name).to_owned(), (side.to_owned(), work.to_owned()));
    }
    let sides = works.values().next()?;
    let crossed = sides.len() > 1 && works.len() > 1 && works.values().all(|own| own == sides);
    // `test 1: lodash` counts, and `parse: before` has the side behind the colon.
    let stem = |side: &&str| side.trim_end_matches(|c: char| c.is_ascii_digit()).to_owned();
    let counted = sides.iter().map(stem).collect::<BTreeSet<String>>().len() == 1;
    let behind = works.keys().any(|work| label_hint(work) != LabelHint::Neither);
    (crossed && !counted && !behind && !sides.iter().any(|side| names_part(side))).then_some(found)
}

/// Whether a word of a name is one for a part of the work or a statistic.
fn names_part(name: &str) -> bool {
    let mut words = name.split(|c: char| !c.is_alphanumeric());
    is_part_of_work(name) || words.any(|word| meaning(word).statistic.is_some())
}

/// Names of cases that each have all of the same settings: `vllm bs=1`, `sglang bs=1`, `vllm bs=8`, `sglang bs=8`.
fn by_settings(runs: &[Run], names: &BTreeSet<&str>) -> Option<BTreeMap<String, (String, String)>> {
    let mut works: BTreeMap<&BTreeMap<String, String>, BTreeSet<&str>> = BTreeMap::new();
    for run in runs {
        works.entry(&run.workload.other).or_default().insert(run.workload.label.as_deref()?);
    }
    let crossed = works.len() > 1
        && works.values().all(|own| own == names)
        && works.keys().all(|settings| !settings.is_empty())
        && !names.iter().any(|name| names_part(name));
    let found = names.iter().map(|name| ((*name).to_owned(), ((*name).to_owned(), "*".to_owned())));
    crossed.then(|| found.collect())
}

/// The sides that words inside of the names name.
fn by_sides(names: &BTreeSet<&str>) -> Option<BTreeMap<String, (String, String)>> {
    let mut works: BTreeMap<String, BTreeMap<bool, (&str, String)>> = BTreeMap::new();
    for name in names {
        let (work, is_baseline, side) = side_in(name)?;
        works.entry(work).or_default().insert(is_baseline, (name, side));
    }
    // Each work under both sides.
    if works.values().any(|sides| sides.len() != 2) || 2 * works.len() != names.len() {
        return None;
    }
    let sides = works.into_iter().flat_map(|(work, sides)| {
        sides.into_values().map(move |(name, side)| (name.to_owned(), (side, work.clone())))
    });
    Some(sides.collect())
}

/// The name of a benchmark without its only word that names a side, whether that is the baseline, and the words for it.
fn side_in(name: &str) -> Option<(String, bool, String)> {
    let mut starts: Vec<usize> = vec![0];
    let (mut before, mut lower) = (None, false);
    for (at, c) in name.char_indices() {
        let word = c.is_alphanumeric();
        if word && (before != Some(true) || lower && c.is_uppercase()) && at > 0 {
            starts.push(at);
        }
        (before, lower) = (Some(word), c.is_lowercase() || c.is_ascii_digit());
    }
    let end = |from: usize| {
        let next = starts.iter().copied().find(|start| *start > from).unwrap_or(name.len());
        from + name[from..next].find(|c: char| !c.is_alphanumeric()).unwrap_or(next - from)
    };
    let hint = |from: &usize| {
        let word = name[*from..end(*from)].to_lowercase();
        match &*word {
            "with" => LabelHint::Candidate,
            "without" => LabelHint::Baseline,
            _ => label_hint(&word),
        }
    };
    let mut sides = starts.iter().filter(|from| hint(from) != LabelHint::Neither);
    let from = sides.next().filter(|_| sides.next().is_none())?;
    // `WithoutCache` is the whole of what is compared.
    let whole = ["with", "without"].contains(&&*name[*from..end(*from)].to_lowercase());
    let rest =
        name[*from..].find(|c: char| !c.is_alphanumeric()).map_or(name.len(), |at| from + at);
    let to = if whole { rest } else { end(*from) };
    let work = format!("{}*{}", &name[..*from], &name[to..]);
    let rest = &name[end(*from)..to];
    let side = format!("{} {rest}", &name[*from..end(*from)]);
    Some((work, hint(from) == LabelHint::Baseline, side.trim_end().to_owned()))
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
        let named = |labels: &[&str]| -> Vec<(String, Option<String>)> {
            let run = |label: &&str| {
                let mut run = Run::default();
                run.workload.label = Some((*label).to_owned());
                run
            };
            let mut runs: Vec<Run> = labels.iter().map(run).collect();
            split_names(&mut runs, true);
            runs.into_iter().map(|run| (run.variant.clone(), run.workload.label.clone())).collect()
        };
        let found = named(&["BenchWithoutLib1k/get-4", "BenchWithLib1k/get-4"]);
        assert_eq!(found[0], ("Without Lib1k".to_owned(), Some("Bench*/get-4".to_owned())));
        assert_eq!(found[1].0, "With Lib1k");
        let found = named(&["parse_old", "parse_new", "scan_old", "scan_new"]);
        assert_eq!(found[3], ("new".to_owned(), Some("scan_*".to_owned())));
        assert_eq!(named(&["parse_old", "parse_new", "scan_new"])[0].0, "");
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
