//! The flag that makes runs comparable although a setting separates them. It follows from which values recur in the data, never
//! from the names of settings.

use std::collections::{BTreeMap, BTreeSet};

use crate::checks::CheckId;
use crate::report::Comparison;
use crate::report::comparison::next::Flag;
use crate::report::comparison::words::single;
use crate::runs::{Dataset, Group, Input, Variant};

/// Settings that no flag compares across: those of the tool, and what is counted.
const NEVER: [&str; 3] = ["client", "input_tokens", "workload"];

/// Fewest values of a pair column that can show anything.
const MIN_PAIRS: usize = 3;

/// A variant under one workload.
struct Place<'a> {
    group: &'a Group,
    variant: &'a Variant,
    /// The settings and the columns of the cell.
    fields: BTreeMap<String, String>,
}

/// These variants, or all, under each of their workloads.
fn places<'a>(dataset: &'a Dataset, names: Option<[&str; 2]>) -> Vec<Place<'a>> {
    let wanted = |variant: &&Variant| names.is_none_or(|names| names.contains(&&*variant.name));
    let of = |group: &'a Group| {
        let mut fields = group.workload.fields();
        fields.extend(group.cell.clone());
        let variants = group.variants.iter().filter(wanted);
        variants.map(move |variant| Place { group, variant, fields: fields.clone() })
    };
    dataset.groups.iter().flat_map(of).collect()
}

/// The flag that gives these variants, or all, a verdict.
pub(super) fn flag(dataset: &Dataset, names: Option<[&str; 2]>) -> Option<Flag> {
    let places = places(dataset, names);
    let variants: BTreeSet<&str> = places.iter().map(|place| &*place.variant.name).collect();
    if variants.len() < 2 {
        return None;
    }
    pairs(dataset, &places, variants.len()).or_else(|| across_or_levels(dataset, &places))
}

/// Whether a name is the header of a column in a table.
fn is_column(dataset: &Dataset, name: &str) -> bool {
    dataset.inputs.iter().all(|input| input.columns().iter().any(|column| column.name == name))
}

/// The only column in which the workloads differ, if every variant has one run at each of its values.
fn pairs(dataset: &Dataset, places: &[Place], variants: usize) -> Option<Flag> {
    let single = |place: &Place| {
        let run = &place.variant.runs[..];
        matches!(run, [run] if run.info.of_table && run.info.spreads.is_empty())
    };
    let groups = &dataset.groups;
    let complete = places.len() == variants * groups.len() && groups.len() >= MIN_PAIRS;
    if !complete || !places.iter().all(single) {
        return None;
    }
    let names: BTreeSet<&String> = places.iter().flat_map(|place| place.fields.keys()).collect();
    let value = |name: &str, place: &Place| place.fields.get(name).cloned();
    let differs = |name: &&&String| {
        let first = value(name, &places[0]);
        places.iter().any(|place| value(name, place) != first)
    };
    let mut differing = names.iter().filter(differs);
    let column = differing.next().filter(|_| differing.next().is_none())?;
    let known = |place: &Place| place.group.workload.other.contains_key(*column);
    (places.iter().all(known) && is_column(dataset, column)).then(|| Flag::Pairs((*column).clone()))
}

/// Settings in which no two variants share a value. If each variant has one value, the flag compares across them. Else, if
/// there is one such setting and it is a column, the flag makes it a level of repeats.
fn across_or_levels(dataset: &Dataset, places: &[Place]) -> Option<Flag> {
    let mut of: BTreeMap<&str, BTreeMap<&str, BTreeSet<&str>>> = BTreeMap::new();
    for place in places {
        for (name, value) in &place.fields {
            of.entry(name).or_default().entry(value).or_default().insert(&place.variant.name);
        }
    }
    let everywhere = |name: &str| places.iter().all(|place| place.fields.contains_key(name));
    let own = of.into_iter().filter(|(name, values)| {
        values.len() > 1
            && values.values().all(|variants| variants.len() == 1)
            && everywhere(name)
            && !NEVER.contains(name)
    });
    let own: Vec<&str> = own.map(|(name, _)| name).collect();
    if own.is_empty() {
        return None;
    }
    // Without these settings: the variants at each place, with their counts.
    let mut rest: BTreeMap<BTreeMap<&str, &str>, BTreeMap<&str, usize>> = BTreeMap::new();
    for place in places {
        let fields = place.fields.iter().map(|(name, value)| (&**name, &**value));
        let fields = fields.filter(|(name, _)| !own.contains(name)).collect();
        *rest.entry(fields).or_default().entry(&place.variant.name).or_default() += 1;
    }
    let mut shared = rest.values().filter(|variants| variants.len() > 1).peekable();
    shared.peek()?;
    if rest.values().flat_map(BTreeMap::values).all(|times| *times == 1) {
        return Some(Flag::Across(own.into_iter().map(str::to_owned).collect()));
    }
    let [level] = own[..] else { return None };
    let several = shared.all(|variants| variants.values().all(|times| *times > 1));
    (several && is_column(dataset, level)).then(|| {
        // The column of run names is the inner level.
        let columns = dataset.inputs.iter().flat_map(Input::columns);
        let identities: BTreeSet<&String> =
            columns.filter(|column| column.role == "identity").map(|column| &column.name).collect();
        let named = dataset.runs().all(|(.., run)| run.name.is_some());
        let only = named && identities.len() == 1;
        let run = identities.into_iter().filter(|_| only);
        Flag::Levels(std::iter::once(level.to_owned()).chain(run.cloned()).collect())
    })
}

/// Adds the flag to the next step of every comparison that has no verdict and would have one with it.
pub(super) fn suggest(comparisons: &mut [Comparison], dataset: &Dataset) {
    let mut known: BTreeMap<[String; 2], Option<Flag>> = BTreeMap::new();
    for comparison in comparisons {
        let mismatch = comparison.checks.iter().any(|check| check.id == CheckId::WorkloadMismatch);
        if !mismatch && !single(comparison) {
            continue;
        }
        let names = [comparison.baseline.name.clone(), comparison.candidate.name.clone()];
        let of_pair = |names: &[String; 2]| flag(dataset, Some([&names[0], &names[1]]));
        let flag = known.entry(names).or_insert_with_key(of_pair);
        if let Some(flag) = flag.as_ref().filter(|flag| mismatch != matches!(flag, Flag::Pairs(_)))
        {
            comparison.suggest(flag);
        }
    }
}
