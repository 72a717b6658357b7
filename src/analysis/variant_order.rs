//! The order of variants for comparing each with the one before it.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};

use crate::analysis::input_errors::out_of_order;
use crate::error::Error;
use crate::format::listed;
use crate::report::{OrderedBy, Report};
use crate::runs::{Group, LabelHint, Run, Variant, label_hint, natural};

/// Most variants of an order that are all named.
const MAX_NAMED: usize = 12;

/// Fewest variants for a verdict on them as one series.
const MIN_SERIES: usize = 12;

/// Variants ordered by places, starts or names; the same order applies to all groups of a call.
#[derive(Clone, Debug)]
pub(super) struct VariantOrder {
    pub(super) by: OrderedBy,
    /// All variants, each once.
    pub(super) names: Vec<String>,
}

impl VariantOrder {
    /// The order of the variants of `groups`: by the user's places, else by start times if these give one order, else by names.
    ///
    /// # Errors
    ///
    /// [`Error::Usage`] if some runs have a place and a variant has none or several.
    pub(super) fn of(groups: &[(usize, &Group)]) -> Result<Self, Error> {
        let variants = || groups.iter().flat_map(|(_, group)| &group.variants);
        let mut names: Vec<&str> = variants().map(|variant| variant.name.as_str()).collect();
        names.sort_by_cached_key(|name| by_name(name));
        names.dedup();
        let owned = |names: Vec<&str>| names.into_iter().map(str::to_owned).collect();
        if variants().flat_map(attempts).any(|run| run.info.place.is_some()) {
            let mut all: Vec<(&str, &str)> = Vec::new();
            for variant in variants() {
                all.push((place(variant)?, &variant.name));
            }
            all.sort_by_cached_key(|(place, name)| (natural(place), *name));
            let mut known = BTreeSet::new();
            let names = all.into_iter().map(|(_, name)| name).filter(|name| known.insert(*name));
            return Ok(Self { by: OrderedBy::Given, names: owned(names.collect()) });
        }
        Ok(match by_start(groups, &names) {
            Some(names) => Self { by: OrderedBy::Started, names: owned(names) },
            None => Self { by: OrderedBy::Names, names: owned(names) },
        })
    }

    /// The variants of a group in this order.
    pub(super) fn of_group<'a>(&self, group: &'a Group) -> Vec<&'a Variant> {
        let mut variants: Vec<&Variant> = group.variants.iter().collect();
        // With several groups, each may have its own places.
        let place = |variant: &Variant| place(variant).map(natural).unwrap_or_default();
        let position = |variant: &Variant| self.names.iter().position(|name| *name == variant.name);
        match self.by {
            OrderedBy::Given => variants.sort_by_cached_key(|variant| place(variant)),
            OrderedBy::Started | OrderedBy::Names => {
                variants.sort_by_cached_key(|variant| position(variant));
            }
        }
        variants
    }

    /// Adds the order to a report, with the criterion.
    pub(super) fn show(self, report: &mut Report) {
        report.repeats.push(self.sentence());
        report.settings.order_by = Some(self.by);
        report.settings.order = self.names;
    }

    /// The order as a sentence.
    fn sentence(&self) -> String {
        let how = match self.by {
            OrderedBy::Given => "the given order",
            OrderedBy::Started => "order of start times",
            OrderedBy::Names => "natural order of the names",
        };
        let names =
            if self.names.len() > MAX_NAMED { listed(&self.names) } else { self.names.join(", ") };
        let series = if self.names.len() >= MIN_SERIES {
            " `beyondnoise history verdict` judges them as one series: no single step shows a slow trend."
        } else {
            ""
        };
        format!("Each variant is compared with the one before it, in {how}: {names}.{series}")
    }
}

/// All runs of a variant that were started, with the failed ones.
fn attempts(variant: &Variant) -> impl Iterator<Item = &Run> {
    variant.runs.iter().chain(&variant.failed)
}

/// Place of a variant in the user's order; all its runs must agree.
fn place(variant: &Variant) -> Result<&str, Error> {
    let counted = variant.runs.iter().map(|run| run.info.place.as_deref());
    // The input may not give the place of a failed run.
    let failed = variant.failed.iter().filter_map(|run| run.info.place.as_deref());
    let mut places = counted.chain(failed.map(Some));
    let first = places.next().flatten();
    match first {
        Some(place) if places.all(|other| other == first) => Ok(place),
        _ => Err(out_of_order(variant)),
    }
}

/// Sort key for natural order. Names without a number that hint at a baseline come first, names that hint at a candidate last.
fn by_name(name: &str) -> (Ordering, Vec<(u8, String)>) {
    let hint = Some(label_hint(name)).filter(|_| !name.contains(|c: char| c.is_ascii_digit()));
    let rank = match hint {
        Some(LabelHint::Baseline) => Ordering::Less,
        Some(LabelHint::Candidate) => Ordering::Greater,
        _ => Ordering::Equal,
    };
    (rank, natural(name))
}

/// The variants in the order of their starts. `None` unless all runs have one, no variant of a group begins before the last run
/// of the variant before it, and no two groups contradict each other.
///
/// `names` gives the order for equal starts, or if no group has two variants.
fn by_start<'a>(groups: &[(usize, &'a Group)], names: &[&'a str]) -> Option<Vec<&'a str>> {
    let position: BTreeMap<&str, usize> =
        names.iter().enumerate().map(|(at, name)| (*name, at)).collect();
    let mut after: Vec<BTreeSet<usize>> = vec![BTreeSet::new(); names.len()];
    let mut differ = false;
    for (_, group) in groups {
        let spans: Option<Vec<[f64; 2]>> = group.variants.iter().map(span).collect();
        let at = group.variants.iter().map(|variant| position[variant.name.as_str()]);
        let mut spans: Vec<([f64; 2], usize)> = spans?.into_iter().zip(at).collect();
        spans.sort_by(|(a, at_a), (b, at_b)| {
            a[0].total_cmp(&b[0]).then(a[1].total_cmp(&b[1])).then(at_a.cmp(at_b))
        });
        for two in spans.windows(2) {
            let ([first, last], [next_first, next_last]) = (two[0].0, two[1].0);
            if last > next_first {
                return None;
            }
            differ |= first < next_last;
            after[two[0].1].insert(two[1].1);
        }
    }
    let mut before = vec![0; names.len()];
    after.iter().flatten().for_each(|later| before[*later] += 1);
    let mut ready: BTreeSet<usize> = (0..names.len()).filter(|at| before[*at] == 0).collect();
    let mut ordered = Vec::with_capacity(names.len());
    while let Some(at) = ready.pop_first() {
        ordered.push(names[at]);
        for later in &after[at] {
            before[*later] -= 1;
            if before[*later] == 0 {
                ready.insert(*later);
            }
        }
    }
    (differ && ordered.len() == names.len()).then_some(ordered)
}

/// When the first and the last run of a variant began, in seconds.
fn span(variant: &Variant) -> Option<[f64; 2]> {
    let starts: Option<Vec<f64>> = attempts(variant).map(Run::seconds).collect();
    let starts = starts?;
    let ends = [f64::min, f64::max].map(|end| starts.iter().copied().reduce(end));
    Some([ends[0]?, ends[1]?])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::runs::{Dataset, Run, Setting};

    /// A run with its variant, its load and its start.
    fn run((variant, cap, started): &(&str, f64, &str)) -> Run {
        let mut run = Run::new(variant, [("output_throughput", 100.0)]);
        run.workload.max_concurrency = Setting::Value(*cap);
        run.info.started = Some((*started).to_owned()).filter(|started| !started.is_empty());
        run
    }

    fn order(runs: &[(&str, f64, &str)]) -> (OrderedBy, Vec<String>) {
        let dataset = Dataset::assemble(runs.iter().map(run).collect(), Vec::new());
        let groups: Vec<(usize, &Group)> = dataset.groups.iter().enumerate().collect();
        let order = VariantOrder::of(&groups).expect("an order");
        (order.by, order.names)
    }

    fn texts(names: &[&str]) -> Vec<String> {
        names.iter().map(|name| (*name).to_owned()).collect()
    }

    fn names(names: &[&str]) -> (OrderedBy, Vec<String>) {
        let runs: Vec<(&str, f64, &str)> = names.iter().map(|name| (*name, 8.0, "")).collect();
        order(&runs)
    }

    /// S8.
    #[test]
    fn without_starts_variants_are_in_natural_order() {
        let expect = |given: &[&str], expected: &[&str]| {
            assert_eq!(names(given), (OrderedBy::Names, texts(expected)));
        };
        expect(&["v0.10", "v0.11", "v0.9"], &["v0.9", "v0.10", "v0.11"]);
        expect(&["step0", "step1", "step10", "step2"], &["step0", "step1", "step2", "step10"]);
        // The names show which came before; a number shows more.
        expect(&["a change", "main", "now"], &["main", "a change", "now"]);
        expect(&["v3-new-queue", "v4", "v2"], &["v2", "v3-new-queue", "v4"]);
    }

    /// S8.
    #[test]
    fn starts_count_where_they_tell_one_order() {
        let started = |runs: &[(&str, f64, &str)], expected: &[&str]| {
            assert_eq!(order(runs), (OrderedBy::Started, texts(expected)));
        };
        let by_name = |runs: &[(&str, f64, &str)], expected: &[&str]| {
            assert_eq!(order(runs), (OrderedBy::Names, texts(expected)));
        };
        started(&[("b", 8.0, "100"), ("b", 8.0, "101"), ("a", 8.0, "102")], &["b", "a"]);
        // Equal dates, and equal moments.
        started(
            &[("b", 8.0, "2026-01-01"), ("c", 8.0, "2026-01-01"), ("a", 8.0, "2026-01-02")],
            &["b", "c", "a"],
        );
        by_name(&[("b", 8.0, "2026-01-01"), ("a", 8.0, "2026-01-01")], &["a", "b"]);
        // Alternating, one start unknown, and two loads that contradict each other.
        by_name(&[("b", 8.0, "100"), ("a", 8.0, "101"), ("b", 8.0, "102")], &["a", "b"]);
        by_name(&[("b", 8.0, "100"), ("a", 8.0, "")], &["a", "b"]);
        let loads = [("b", 8.0, "1"), ("a", 8.0, "2"), ("a", 16.0, "3"), ("b", 16.0, "4")];
        by_name(&loads, &["a", "b"]);
        // Each load has its own order; all loads together have one.
        let loads = [("c", 8.0, "1"), ("b", 8.0, "2"), ("b", 16.0, "3"), ("a", 16.0, "4")];
        started(&loads, &["c", "b", "a"]);
    }
}
