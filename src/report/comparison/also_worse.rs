//! Metrics that are shown to be worse and decide nothing: no form of a report leaves them out.
//!
//! The headline follows from the deciding metrics, and the gate from these and the guards. A metric beside them can be
//! proven worse all the same, and the reader must see it.

use crate::format::{argument, counted, list};
use crate::report::comparison::row_text;
use crate::report::{Comparison, Row};
use crate::verdict::{Headline, Verdict};

/// Metrics that have figures; the others are named.
const MAX_FIGURES: usize = 3;

/// How many times as far as another a metric may move that measures the same thing.
const ALIKE: f64 = 1.25;

/// A row that is shown to be worse, and where: `at 16 in flight`.
struct Placed<'a> {
    place: String,
    row: &'a Row,
}

/// A metric that is shown to be worse, in one comparison or several.
struct Found<'a> {
    most: Placed<'a>,
    count: usize,
}

/// The comparisons among which metrics are looked for: how many, and their noun.
#[derive(Clone, Copy)]
struct Among<'a> {
    of: usize,
    noun: &'a str,
}

impl Found<'_> {
    /// `P99 ITL +53 % (+50 … +56)`, or of several comparisons `P99 ITL in 3 of 8 cells, to +53 % (+50 … +56) in c 8`.
    fn figures(&self, among: Option<Among>) -> String {
        let Placed { place, row } = &self.most;
        let figures = format!("{} ({})", row_text::change(row), row_text::interval(row));
        match among {
            None => format!("{} {figures}", row.label),
            Some(_) if self.count == 1 => format!("{} {figures} {place}", row.label),
            Some(Among { of, noun }) => {
                let of = if of == self.count {
                    format!("all {of}")
                } else {
                    format!("{} of {of}", self.count)
                };
                format!("{} in {of} {noun}s, to {figures} {place}", row.label)
            }
        }
    }
}

/// How far a metric moved: the logarithm of its ratio; a change without one comes last.
fn size(row: &Row) -> f64 {
    row.delta.relative.map_or(0.0, |change| change.ln_1p().abs())
}

fn is_worse(row: &Row) -> bool {
    row.verdict == Verdict::Worse
}

fn decides_nothing(row: &Row) -> bool {
    !row.deciding && !row.guard
}

impl Comparison {
    /// Whether any metric is shown to be worse, deciding or not.
    pub(crate) fn has_worse(&self) -> bool {
        self.metrics.iter().any(is_worse)
    }

    /// Rows that are shown to be worse and decide nothing.
    pub(crate) fn also_worse_rows(&self) -> impl Iterator<Item = &Row> {
        self.metrics.iter().filter(|row| is_worse(row) && decides_nothing(row))
    }
}

/// Metrics that are shown to be worse, in words.
pub(crate) struct AlsoWorse {
    /// `also worse, not deciding: P99 ITL +53 % (+50 … +56), mean E2EL +20 % (+18 … +22), and median ITL`: the largest first,
    /// with figures for three; of those that measure the same thing one has figures.
    pub(crate) said: String,
    /// The metric that `--guard` makes count; `None` if one decides, or if all measure the same as a deciding one.
    guard: Option<String>,
}

impl AlsoWorse {
    /// The whole line without a full stop: `...; --guard p99_itl_ms makes it count`.
    pub(crate) fn line(&self) -> String {
        let flag = self
            .guard
            .as_ref()
            .map_or(String::new(), |name| format!("; --guard {} makes it count", argument(name)));
        format!("{}{flag}", self.said)
    }
}

/// The metrics of a comparison that decide nothing and are shown to be worse; `None` where there is none.
pub(crate) fn also_worse(comparison: &Comparison) -> Option<AlsoWorse> {
    let (counted, again) = of_one(comparison);
    said(&counted, &again, None)
}

/// Worse metrics of a comparison, and separately the worse metrics that measure the same thing as a deciding one.
fn of_one(comparison: &Comparison) -> (Vec<Found<'_>>, Vec<Found<'_>>) {
    let row = |row| Found { most: Placed { place: String::new(), row }, count: 1 };
    let found = comparison.also_worse_rows().map(row).collect();
    let listed = comparison.metrics.iter().filter(|row| !decides_nothing(row) && is_worse(row));
    once(found, listed.collect())
}

/// The same over several comparisons, each with its place in words, of all rows that `listed` does not name.
pub(crate) fn also_worse_among<'a>(
    comparisons: &[(String, &'a Comparison)],
    noun: &str,
    listed: impl Fn(&Comparison, &Row) -> bool,
) -> Option<AlsoWorse> {
    let mut found: Vec<Found<'a>> = Vec::new();
    let rows = comparisons.iter().flat_map(|(place, one)| {
        one.metrics.iter().filter(|row| is_worse(row)).map(move |row| (place, *one, row))
    });
    let (known, rows): (Vec<_>, Vec<_>) = rows.partition(|(_, one, row)| listed(one, row));
    for (place, _, row) in rows {
        let placed = Placed { place: place.clone(), row };
        match found.iter_mut().find(|found| found.most.row.metric == row.metric) {
            Some(found) => {
                found.count += 1;
                if size(row) > size(found.most.row) {
                    found.most = placed;
                }
            }
            None => found.push(Found { most: placed, count: 1 }),
        }
    }
    let (counted, again) = once(found, known.into_iter().map(|(.., row)| row).collect());
    said(&counted, &again, Some(Among { of: comparisons.len(), noun }))
}

/// The largest first. Metrics that measure the same thing as one of these, or as a `listed` one, and moved as much are
/// returned second.
fn once<'a>(
    mut found: Vec<Found<'a>>,
    mut listed: Vec<&'a Row>,
) -> (Vec<Found<'a>>, Vec<Found<'a>>) {
    found.sort_by(|a, b| size(b.most.row).total_cmp(&size(a.most.row)));
    found.into_iter().partition(|one| {
        let row = one.most.row;
        let same = |other: &&Row| other.same_fact && size(row) <= ALIKE * size(other);
        let counts = !row.same_fact || !listed.iter().any(same);
        listed.push(row);
        counts
    })
}

/// The metrics in words.
fn said(counted: &[Found], again: &[Found], among: Option<Among>) -> Option<AlsoWorse> {
    let label = |one: &Found| one.most.row.label.clone();
    let Some(first) = counted.first() else {
        let names = list(&again.iter().map(label).collect::<Vec<_>>());
        let said = format!("also worse, measuring the same thing: {names}");
        return (!again.is_empty()).then_some(AlsoWorse { said, guard: None });
    };
    let all = || counted.iter().chain(again);
    let guard = all().all(|one| decides_nothing(one.most.row));
    let what = if guard { "also worse, not deciding" } else { "also worse" };
    let figures: Vec<String> =
        counted.iter().take(MAX_FIGURES).map(|one| one.figures(among)).collect();
    let names = list(&all().skip(figures.len()).map(label).collect::<Vec<_>>());
    let rest = if names.is_empty() { names } else { format!(", and {names}") };
    let said = format!("{what}: {}{rest}", figures.join(", "));
    Some(AlsoWorse { said, guard: guard.then(|| first.most.row.metric.clone()) })
}

/// Number of metrics that decide nothing and are shown to be worse, each thing counted once: `1 metric that decides
/// nothing is worse`; `None` without any.
pub(crate) fn count(comparison: &Comparison) -> Option<String> {
    match of_one(comparison).0.len() {
        0 => None,
        1 => Some("1 metric that decides nothing is worse".to_owned()),
        n => Some(format!("{} that decide nothing are worse", counted(n, "metric"))),
    }
}

/// In how many of these comparisons that is so though their headline is not for the worse: `; a metric that decides nothing is
/// worse in 3 cells`; empty where in none.
pub(crate) fn count_among<'a>(
    comparisons: impl IntoIterator<Item = &'a Comparison>,
    noun: &str,
) -> String {
    let hides = |one: &&Comparison| is_counted_in_summary(one) && count(one).is_some();
    match comparisons.into_iter().filter(hides).count() {
        0 => String::new(),
        n => format!("; a metric that decides nothing is worse in {}", counted(n, noun)),
    }
}

/// Whether the summary of a comparison has that count: where nothing else in it is for the worse.
pub(crate) fn is_counted_in_summary(comparison: &Comparison) -> bool {
    !matches!(comparison.headline, Headline::Regressed | Headline::TradeOff)
}
