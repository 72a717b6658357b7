//! One label for a variant that a text spells in several ways.

use std::collections::{BTreeMap, BTreeSet};

use beyondnoise_model::runs::{LabelHint, Run, label_hint};

/// Whether a label is another one with words of it cut to their capitals and digits: `TRT-LLM` for `TensorRT-LLM`, `FA3`.
fn is_short_for(short: &str, long: &str) -> bool {
    let words = |label: &str| -> Vec<String> {
        label.split([' ', '-', '_']).filter(|word| !word.is_empty()).map(str::to_owned).collect()
    };
    let (short, long) = (words(short), words(long));
    let cut = |word: &str| -> String {
        word.chars().filter(|c| c.is_ascii_uppercase() || c.is_ascii_digit()).collect()
    };
    let is_cut = |(one, other): (&String, &String)| {
        one.len() > 1 && one != other && *one == cut(other) && other.starts_with(&one[..1])
    };
    let mut pairs = short.iter().zip(&long);
    short.len() == long.len()
        && short != long
        && pairs.all(|pair| pair.0.eq_ignore_ascii_case(pair.1) || is_cut(pair))
}

/// Spells a label or the name of a setting as it is spelled first, where others differ from it only in their capital letters, or a
/// label is short for it, and no cell has both.
pub(crate) fn spell_alike(runs: &mut [&mut Run]) {
    let mut names: BTreeMap<String, String> = BTreeMap::new();
    for run in &mut *runs {
        let keys: Vec<String> = run.metadata.keys().cloned().collect();
        for key in keys {
            let first = names.entry(key.to_lowercase()).or_insert_with(|| key.clone());
            if *first != key
                && !run.metadata.contains_key(first)
                && let Some(value) = run.metadata.remove(&key)
            {
                run.metadata.insert(first.clone(), value);
            }
        }
    }
    let labels: BTreeSet<&str> = runs.iter().map(|run| &*run.variant).collect();
    let mut spelled: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for label in &labels {
        let mut longer = labels.iter().filter(|long| is_short_for(label, long));
        let whole = longer.next().filter(|_| longer.next().is_none()).unwrap_or(label);
        spelled.entry(whole.to_lowercase()).or_default().insert((*label).to_owned());
    }
    for ways in spelled.into_values().filter(|ways| ways.len() > 1) {
        let own: Vec<usize> =
            (0..runs.len()).filter(|&at| ways.contains(&runs[at].variant)).collect();
        let cell = |at: usize| (&runs[at].workload, &runs[at].metadata);
        let both = own.iter().any(|&one| {
            own.iter().any(|&other| {
                runs[one].variant != runs[other].variant
                    && cell(one) == cell(other)
                    && runs[one].metrics.keys().any(|name| runs[other].metrics.contains_key(name))
            })
        });
        let first = runs[own[0]].variant.clone();
        for at in own.into_iter().filter(|_| !both) {
            runs[at].variant.clone_from(&first);
        }
    }
}

/// Names the sides that one part of a text explains, two or more of them, as the others do, where no cell has values of one
/// metric under both names: `Before — all in f32` and `After — native` beside `Before` and `After`.
pub(super) fn name_explained_sides(runs: &mut [Run]) {
    let labels: BTreeSet<String> = runs.iter().map(|run| run.variant.clone()).collect();
    let head = |label: &str| {
        let (head, _) =
            [" — ", " – ", " - ", ": "].iter().find_map(|mark| label.split_once(mark))?;
        let says = labels.contains(head) && label_hint(head) != LabelHint::Neither;
        says.then(|| head.to_owned())
    };
    let heads: BTreeMap<&String, String> =
        labels.iter().filter_map(|label| Some((label, head(label)?))).collect();
    let distinct: BTreeSet<&String> = heads.values().collect();
    if distinct.len() < 2 || distinct.len() < heads.len() {
        return;
    }
    let mut seen: BTreeMap<(&str, String, &str), &String> = BTreeMap::new();
    for run in &*runs {
        let side = heads.get(&run.variant).unwrap_or(&run.variant);
        let work = run.workload.describe();
        for metric in run.metrics.keys() {
            let first = seen.entry((side, work.clone(), metric)).or_insert(&run.variant);
            if *first != &run.variant {
                return;
            }
        }
    }
    let heads: BTreeMap<String, String> =
        heads.into_iter().map(|(label, head)| (label.clone(), head)).collect();
    for run in runs {
        if let Some(head) = heads.get(&run.variant) {
            run.variant.clone_from(head);
        }
    }
}
