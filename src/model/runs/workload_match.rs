//! Finds compatible workloads among many, without comparing every pair.

use std::borrow::Cow;
use std::collections::BTreeMap;

use crate::runs::workload::{INPUT_TOKENS, Workload, close, number_of};

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct KnownFields<'a> {
    /// In the order of [`Workload::texts`].
    fields: [bool; 8],
    /// Names of the other settings, in order.
    others: Vec<&'a str>,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Field<'a> {
    Text(Cow<'a, str>),
    /// The bits of a numeric setting.
    Number(u64),
}

/// All known fields of a workload, in a sortable form.
pub(super) type Identity<'a> = (KnownFields<'a>, Vec<Field<'a>>, Option<u64>);

/// The identity of a workload: equal workloads have equal identities.
pub(super) fn identity(workload: &Workload) -> Identity<'_> {
    let known = KnownFields::from_workload(workload);
    let values = values(workload, &known);
    (known, values, workload.input_tokens)
}

impl<'a> KnownFields<'a> {
    fn from_workload(workload: &'a Workload) -> Self {
        let fields = workload.texts().map(|(.., value)| value.is_some());
        Self { fields, others: workload.other.keys().map(String::as_str).collect() }
    }

    /// The fields that both know.
    fn shared(&self, other: &Self) -> Self {
        let fields = std::array::from_fn(|field| self.fields[field] && other.fields[field]);
        let both = |name: &&&str| other.others.binary_search(*name).is_ok();
        Self { fields, others: self.others.iter().filter(both).copied().collect() }
    }
}

/// Values of the `known` fields except the input tokens, which need not be equal.
fn values<'a>(workload: &'a Workload, known: &KnownFields) -> Vec<Field<'a>> {
    let fields = workload.texts().into_iter().zip(known.fields);
    let fields = fields.filter(|((_, name, _), known)| *known && *name != INPUT_TOKENS);
    let fields = fields.filter_map(|((.., value), _)| value.map(Field::Text));
    let other = |name: &&str| {
        let value = workload.other.get(*name)?;
        Some(number_of(value).map_or_else(|| Field::Text(value.into()), Field::Number))
    };
    fields.chain(known.others.iter().filter_map(other)).collect()
}

/// Calls `found(i, js, seen)` for `a[i]` and its [compatible](Workload::compatible) `b[j]`, with the same known fields if
/// `strict`. The first `seen` entries of `js` were reported before. Every compatible pair is reported once.
pub(super) fn matching_pairs(
    a: &[&Workload],
    b: &[&Workload],
    strict: bool,
    mut found: impl FnMut(usize, &[usize], usize),
) {
    let (of_a, of_b) = (by_known_fields(a), by_known_fields(b));
    for (known_a, members_a) in &of_a {
        for (known_b, members_b) in &of_b {
            if strict && known_a != known_b {
                continue;
            }
            let shared = known_a.shared(known_b);
            let tokens = |all: &[&Workload], at: usize| all[at].input_tokens.is_some();
            let by_their_tokens = tokens(a, members_a[0]) && tokens(b, members_b[0]);
            let mut buckets: BTreeMap<Vec<Field>, [Vec<usize>; 2]> = BTreeMap::new();
            for (side, all, members) in [(0, a, members_a), (1, b, members_b)] {
                for &member in members {
                    let bucket = buckets.entry(values(all[member], &shared)).or_default();
                    bucket[side].push(member);
                }
            }
            for [of_a, of_b] in
                buckets.into_values().filter(|[a, b]| !(a.is_empty() || b.is_empty()))
            {
                if by_their_tokens {
                    by_tokens(a, b, of_a, of_b, &mut found);
                } else {
                    for (position, i) in of_a.into_iter().enumerate() {
                        found(i, &of_b, if position == 0 { 0 } else { of_b.len() });
                    }
                }
            }
        }
    }
}

/// For each of `workloads`, the positions in `among` of the compatible ones, ascending.
pub fn compatible_with(workloads: &[&Workload], among: &[&Workload]) -> Vec<Vec<usize>> {
    let mut found: Vec<Vec<usize>> = vec![Vec::new(); workloads.len()];
    matching_pairs(workloads, among, false, |i, js, _| found[i].extend(js));
    for positions in &mut found {
        positions.sort_unstable();
    }
    found
}

fn by_known_fields<'a>(workloads: &[&'a Workload]) -> BTreeMap<KnownFields<'a>, Vec<usize>> {
    let mut classes: BTreeMap<KnownFields, Vec<usize>> = BTreeMap::new();
    for (index, workload) in workloads.iter().enumerate() {
        classes.entry(KnownFields::from_workload(workload)).or_default().push(index);
    }
    classes
}

/// The pairs with close input tokens, among workloads that otherwise agree.
fn by_tokens(
    a: &[&Workload],
    b: &[&Workload],
    mut of_a: Vec<usize>,
    mut of_b: Vec<usize>,
    found: &mut impl FnMut(usize, &[usize], usize),
) {
    let in_a = |index: usize| a[index].input_tokens.unwrap_or_default();
    let in_b = |index: usize| b[index].input_tokens.unwrap_or_default();
    of_a.sort_by_key(|index| in_a(*index));
    of_b.sort_by_key(|index| in_b(*index));
    // The numbers close to a given one form an interval, which only moves up.
    let (mut first, mut end, mut told) = (0, 0, 0);
    for i in of_a {
        let tokens = in_a(i);
        while first < of_b.len() && in_b(of_b[first]) < tokens && !close(in_b(of_b[first]), tokens)
        {
            first += 1;
        }
        end = end.max(first);
        while end < of_b.len() && (in_b(of_b[end]) <= tokens || close(in_b(of_b[end]), tokens)) {
            end += 1;
        }
        if first < end {
            found(i, &of_b[first..end], told.max(first) - first);
            told = end;
        }
    }
}
