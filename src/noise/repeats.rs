//! Which runs are repeats of one build, and in which order they were made.

use crate::error::Error;
use crate::format::counted;
use crate::noise::words::listed;
use crate::runs::{
    Dataset, Group, Order, Run, Skipped, Variant, labels_differ, labels_tell_apart, run_names,
};

const MOST_LISTED: usize = 4;

/// Repeated runs of one build, in their order.
pub(super) struct Series<'a> {
    pub(super) group: &'a Group,
    pub(super) variants: Vec<&'a Variant>,
    pub(super) runs: Vec<&'a Run>,
    /// The label that a run alone has, or the part of its place that differs from the others.
    pub(super) names: Vec<String>,
    pub(super) order: Order,
}

impl<'a> Series<'a> {
    fn of(group: &'a Group, variants: Vec<&'a Variant>) -> Self {
        let mut runs: Vec<&Run> = variants.iter().flat_map(|variant| &variant.runs).collect();
        let order = Order::from_runs(&runs);
        if order == Order::Started {
            let at = |run: &Run| run.seconds().unwrap_or_default();
            runs.sort_by(|a, b| at(a).total_cmp(&at(b)));
        }
        let labels = || runs.iter().map(|run| run.variant.clone()).collect();
        let names = if variants.len() > 1 { labels() } else { run_names(&runs) };
        Self { group, variants, runs, names, order }
    }

    /// Labels of the variants where there are several.
    pub(super) fn pooled(&self) -> Vec<String> {
        let names = self.variants.iter().map(|variant| variant.name.clone());
        if self.variants.len() > 1 { names.collect() } else { Vec::new() }
    }

    /// The name of the build.
    pub(super) fn title(&self) -> String {
        quoted(&self.variants)
    }

    /// Whether the pooled labels differ in more than what counts runs.
    pub(super) fn labels_differ(&self) -> bool {
        labels_differ(&names_of(&self.variants))
    }
}

/// Repeated runs of each build and workload, and what is none.
///
/// A variant with several runs is a build. Where no variant of a workload has several, they are taken as
/// repeats of one build, unless their labels tell a baseline from a change.
pub(super) fn series(dataset: &Dataset) -> (Vec<Series<'_>>, Vec<Skipped>) {
    let (mut found, mut left_out) = (Vec::new(), Vec::new());
    for group in &dataset.groups {
        let (several, single): (Vec<&Variant>, Vec<&Variant>) =
            group.with_runs().partition(|variant| variant.runs.len() > 1);
        if group.is_one_build() {
            found.push(Series::of(group, single));
            continue;
        }
        found.extend(several.iter().map(|variant| Series::of(group, vec![variant])));
        if let Some(why) = why_not(&single, several.is_empty()) {
            let place = format!("{} ({})", quoted(&single), group.workload.describe());
            left_out.push(Skipped { place, why });
        }
    }
    (found, left_out)
}

fn names_of<'a>(variants: &[&'a Variant]) -> Vec<&'a str> {
    variants.iter().map(|variant| variant.name.as_str()).collect()
}

fn why_not(single: &[&Variant], alone: bool) -> Option<String> {
    match single {
        [] => None,
        [_] => Some("one run has no run-to-run noise".to_owned()),
        _ if alone => Some("one run each, and the labels say that the builds differ".to_owned()),
        _ => Some("one run each".to_owned()),
    }
}

fn quoted(variants: &[&Variant]) -> String {
    let names: Vec<String> = variants.iter().map(|variant| format!("`{}`", variant.name)).collect();
    listed(&names, MOST_LISTED)
}

/// Why there is nothing to take a noise from.
pub(super) fn nothing_repeated(dataset: &Dataset) -> Error {
    let expected = "expected two runs or more of one build";
    let groups = &dataset.groups;
    let apart = groups.iter().find(|group| {
        let names = names_of(&group.variants.iter().collect::<Vec<_>>());
        names.len() > 1 && labels_tell_apart(&names)
    });
    if let Some(group) = apart {
        let names = quoted(&group.variants.iter().collect::<Vec<_>>());
        return Error::usage(
            format!(
                "{expected}, found one run each of {names}, which their labels call different builds"
            ),
            "make more runs of one of them, or put them under one name to take them as repeats (main=PATH)",
        );
    }
    let runs = dataset.runs().count();
    let found = match (runs, groups.len()) {
        (0, _) => "no run".to_owned(),
        (1, _) => {
            let (_, variant, run) = dataset.runs().next().expect("there is one");
            let twins = groups.iter().map(|group| group.duplicates.len()).sum::<usize>();
            let twins = match twins {
                0 => String::new(),
                n => format!(", and {} of it", if n == 1 { "a copy" } else { "copies" }),
            };
            format!("1 run of `{}` ({}){twins}", variant.name, run.source)
        }
        (runs, groups) => format!("{} of {groups} different workloads", counted(runs, "run")),
    };
    Error::usage(
        format!("{expected}, found {found}"),
        "run the same benchmark again without a change, and give the folder with all its result files",
    )
}
