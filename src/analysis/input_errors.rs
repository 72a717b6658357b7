//! Errors about inputs that cannot be compared as asked: variants, baseline, metrics, pairs.

use std::collections::{BTreeMap, BTreeSet};

use crate::error::Error;
use crate::format::{argument, counted, first_few};
use crate::metrics::{Metric, did_you_mean};
use crate::policy::{Policy, Slo};
use crate::runs::{
    Dataset, Group, LabelHint, Pairs, Run, UnclearBaseline, Unpaired, Variant, Workload,
    label_hint, metric_names,
};

/// More labels than this may be repeats of one build.
const MANY_LABELS: usize = 3;

/// Labels from which on they may be a history: a history needs so many nights for a verdict.
const NIGHTS: usize = 12;

/// Labels that an error names.
const MOST_NAMED: usize = 8;

/// An error if neither the registry nor a run knows a metric of the policy: a misspelt guard guards nothing.
pub(super) fn unknown_in_policy(dataset: &Dataset, policy: &Policy) -> Result<(), Error> {
    if policy.deciding.is_empty()
        && policy.guards.is_empty()
        && policy.metrics.is_empty()
        && policy.slo.is_empty()
    {
        return Ok(());
    }
    let measured = metric_names(dataset.runs().map(|(.., run)| run));
    let limited = policy.slo.iter().map(|limit| &limit.metric);
    let capacity = |name: &&String| {
        !policy.slo.is_empty() && [Slo::CAPACITY, Slo::GUARD].contains(&name.as_str())
    };
    let guards = policy.guards.iter().filter(|name| !capacity(name));
    let asked = policy.deciding.iter().chain(guards).chain(limited).map(|name| (name, true));
    // A policy may describe metrics that these runs lack.
    let described = policy.metrics.keys().filter(|name| !capacity(name)).map(|name| (name, false));
    for (name, must) in asked.chain(described) {
        if measured.contains(name.as_str()) || Metric::known(name).is_some() {
            continue;
        }
        let meant = did_you_mean(name, measured.iter().copied());
        if !must && meant.is_none() {
            continue;
        }
        let known = measured.iter().copied().collect::<Vec<_>>().join(", ");
        let problem = format!("expected a metric that is known for the policy, found \"{name}\"");
        let remedy = meant.unwrap_or_else(|| format!("the runs have {known}"));
        return Err(Error::usage(problem, remedy));
    }
    Ok(())
}

/// Runs with their workloads.
type Runs<'a> = Vec<(&'a Workload, &'a Run)>;

/// The runs of these groups.
pub(super) fn runs_of<'a>(groups: impl IntoIterator<Item = &'a Group>) -> Runs<'a> {
    let of = |group: &'a Group| {
        let runs = group.variants.iter().flat_map(|variant| &variant.runs);
        runs.map(|run| (&group.workload, run))
    };
    groups.into_iter().flat_map(of).collect()
}

pub(super) fn one_variant(dataset: &Dataset, names: &[&str], policy: &Policy) -> Error {
    let twins = || dataset.groups.iter().flat_map(|group| &group.duplicates);
    if let Some(twin) = twins().find(|twin| !names.contains(&twin.dropped_variant.as_str())) {
        let (copy, original) = (&twin.dropped_variant, &twin.kept_variant);
        let all = twins().filter(|other| other.dropped_variant == *copy).count();
        let runs = if all == 1 { "the run" } else { "all runs" };
        let problem = format!(
            "expected two variants with runs of their own, found that {runs} of \"{copy}\" ({all}) are copies of \
             runs of \"{original}\": {} equals {}",
            twin.dropped, twin.kept
        );
        return Error::usage(problem, format!("give the results of \"{copy}\" itself"));
    }
    let runs = dataset.runs().count();
    let found = names.first().map_or_else(
        || "no runs".to_owned(),
        |name| {
            format!(
                "{} of one variant, \"{name}\", and nothing to compare with",
                counted(runs, "run")
            )
        },
    );
    let remedy = "give the runs before and after the change: BEFORE=PATH AFTER=PATH, two folders, a note \
                  with a heading for each, or a table whose variants --variant-column names";
    let columns = variant_columns(&runs_of(&dataset.groups), policy, false);
    let remedy = if columns.is_empty() {
        remedy.to_owned()
    } else {
        format!("{remedy}; in these runs it could be {}", columns.join(", "))
    };
    Error::usage(format!("found {found}"), remedy)
}

const OF_RUNS: &str = "iteration pair rep repeat repetition replicate round run seed trial";

/// Most values of a column that could name variants, and most such columns in an error.
const MOST_VARIANTS: usize = 30;
const MOST_COLUMNS: usize = 5;

/// Most values of a column with another one in every row that could name variants.
const MOST_NAMES: usize = 8;

/// Columns, tags and settings with few values, each in several runs, the fewest first: `--variant-column quantization (4
/// values: 16-bit, 32-bit, …)`. With `of_labels`, only columns that group the labels: each label has one value, and each value
/// several labels.
fn variant_columns(runs: &Runs, policy: &Policy, of_labels: bool) -> Vec<String> {
    let mut columns: BTreeMap<String, BTreeMap<String, Vec<&str>>> = BTreeMap::new();
    for (workload, run) in runs {
        let mut note = |name: &str, value: String| {
            columns
                .entry(name.to_owned())
                .or_default()
                .entry(value)
                .or_default()
                .push(&run.variant);
        };
        run.metadata.iter().for_each(|(name, value)| note(name, value.clone()));
        workload.fields().into_iter().for_each(|(name, value)| note(&name, value));
        // A column of numbers is read as a metric; versions may be numbers.
        let unknown = run
            .metrics
            .iter()
            .filter(|(name, _)| Metric::known(name).is_none() && policy.selected(name).is_none());
        unknown.for_each(|(name, value)| note(name, value.value.to_string()));
    }
    let mut found: Vec<(usize, String)> = columns
        .into_iter()
        .filter(|(name, _)| !OF_RUNS.split(' ').any(|known| known == name.to_lowercase()))
        .filter(|(_, values)| (2..=MOST_VARIANTS).contains(&values.len()))
        // A name of its own in every row may be what is compared, where it is one of words.
        .filter(|(_, values)| {
            let words = values.keys().all(|value| value.contains(char::is_alphabetic));
            let once = !of_labels && values.len() <= MOST_NAMES && words;
            once || values.values().all(|labels| labels.len() > 1)
        })
        .filter(|(_, values)| !of_labels || groups_labels(values))
        .map(|(name, values)| {
            let first: Vec<&str> = values.keys().take(3).map(String::as_str).collect();
            let more = if values.len() > first.len() { ", …" } else { "" };
            let words = format!(
                "--variant-column {} ({} values: {}{more})",
                argument(&name),
                values.len(),
                first.join(", ")
            );
            (values.len(), words)
        })
        .collect();
    found.sort();
    found.into_iter().take(MOST_COLUMNS).map(|(_, words)| words).collect()
}

/// Whether each label has one of these values, and each value several labels.
fn groups_labels(values: &BTreeMap<String, Vec<&str>>) -> bool {
    let distinct: Vec<BTreeSet<&str>> =
        values.values().map(|labels| labels.iter().copied().collect()).collect();
    let all: BTreeSet<&str> = distinct.iter().flatten().copied().collect();
    distinct.iter().all(|labels| labels.len() > 1)
        && distinct.iter().map(BTreeSet::len).sum::<usize>() == all.len()
}

/// The error for labels that do not show which variant is the baseline.
pub(super) fn ambiguous(
    unclear: &UnclearBaseline,
    labels: &[&str],
    runs: &Runs,
    policy: &Policy,
) -> Error {
    let all = first_few(labels, MOST_NAMED, |label| format!("\"{label}\""));
    let problem = match unclear {
        UnclearBaseline::NoSuchLabel(wanted) => {
            format!("expected a variant \"{wanted}\" for --base, found {all}")
        }
        UnclearBaseline::NoLabelHint => {
            format!(
                "expected a label that names the baseline (main, before, base, ...), found {all}"
            )
        }
        UnclearBaseline::SeveralLabelHints(several) => format!(
            "expected one baseline, found {}",
            several.iter().map(|label| format!("\"{label}\"")).collect::<Vec<_>>().join(" and ")
        ),
    };
    if let UnclearBaseline::NoSuchLabel(wanted) = unclear
        && let Some(meant) = did_you_mean(wanted, labels.iter().copied())
    {
        return Error::usage(problem, meant);
    }
    // A label that looks like a baseline, never simply the first.
    let likely = labels.iter().find(|label| label_hint(label) == LabelHint::Baseline);
    let base = likely.map_or_else(|| "NAME".to_owned(), |label| argument(label));
    let folder = if labels.len() > MANY_LABELS {
        "; if they are repeats of one build, give the other build too (BEFORE=PATH AFTER=PATH)"
    } else {
        ""
    };
    let nights = if labels.len() >= NIGHTS {
        "; if they are nights or commits of one benchmark, beyondnoise history verdict says what changed and when"
    } else {
        ""
    };
    let columns = match unclear {
        UnclearBaseline::NoLabelHint => variant_columns(runs, policy, true),
        _ => Vec::new(),
    };
    let builds = match &columns[..] {
        [] => String::new(),
        columns => {
            format!(
                "; if they are runs of a few builds, name these and the baseline: {} --base NAME",
                columns.join(" or ")
            )
        }
    };
    Error::usage(
        problem,
        format!("which variant is the baseline? add --base {base}{folder}{nights}{builds}"),
    )
}

/// The error for a variant without a single place in the user's order.
pub(super) fn out_of_order(variant: &Variant) -> Error {
    let places: BTreeSet<&str> =
        variant.runs.iter().map(|run| run.info.place.as_deref().unwrap_or("nothing")).collect();
    let found = places.into_iter().take(5).collect::<Vec<_>>().join(", ");
    Error::usage(
        format!("expected one place in the order for variant \"{}\", found {found}", variant.name),
        "name a column with --order-by that has the same value in all runs of a variant",
    )
}

/// The error for a centre that needs unpaired runs, given pairs or blocks.
pub(super) fn ranks_in_blocks() -> Error {
    Error::usage(
        "expected the mean, the median or a quantile over pairs or blocks, found the Hodges-Lehmann centre, which is one \
         of unpaired runs",
        "give --across median, or name one run column only",
    )
}

/// The pairs of two variants' runs, if the policy asks for pairs.
pub(super) fn paired(
    baseline: &Variant,
    candidate: &Variant,
    policy: &Policy,
) -> Result<Option<Pairs>, Error> {
    if !policy.paired {
        return Ok(None);
    }
    let column = "name the column that has the pair of every run with --pair-column (a column \"pair\" needs none), or \
         leave --paired out";
    let (problem, remedy) = match Pairs::match_runs(baseline, candidate) {
        Ok(pairs) => return Ok(Some(pairs)),
        Err(Unpaired::Unknown(place)) => (
            format!("expected a pair or a time of start for every run, found neither for {place}"),
            column,
        ),
        Err(Unpaired::Twice(name)) => (
            format!("expected one run of each variant in pair \"{name}\", found two"),
            "give every pair a name of its own",
        ),
        Err(Unpaired::NoneShared) => (
            format!(
                "expected pairs with a run of \"{}\" and of \"{}\", found none",
                baseline.name, candidate.name
            ),
            column,
        ),
        Err(Unpaired::NotByTurns { variant, runs: [first, second] }) => (
            format!(
                "expected the runs of both variants to alternate, found two of \"{variant}\" after each other: \
                 {first} and {second}"
            ),
            column,
        ),
    };
    Err(Error::usage(problem, remedy))
}
