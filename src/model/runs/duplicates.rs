//! Runs that are the same run: one block pasted into two notes, one file given twice.

use std::collections::BTreeMap;

use xxhash_rust::xxh3::Xxh3;

use crate::metrics::{Family, Metric};
use crate::runs::{Run, Source, Value};

/// Digits that must agree before chance is ruled out.
const DIGITS: i32 = 15;

/// Most digits that one quantity of a row contributes, so that it alone does not rule chance out: 1000/31 has 17, but a clock
/// of whole seconds gives few values.
const DIGITS_OF_ONE: i32 = 8;

/// Most digits that one value contributes if several rows are compared, so that two values do not rule chance out.
const DIGITS_OF_VALUE: i32 = 5;

/// By how many resolutions two values of one run may differ.
pub(super) const WITHIN: f64 = 1.000_001;

/// Words for places in files of tools that number their processes: equal values are chance there.
const APART: &[&str] = &["process", "fork"];

/// A run that was left out because it equals another run.
#[derive(Clone, Debug, PartialEq)]
pub struct Duplicate {
    /// Variant of the kept run.
    pub kept_variant: String,
    /// Place of the kept run.
    pub kept: Source,
    /// Variant of the left-out run.
    pub dropped_variant: String,
    /// Place of the left-out run.
    pub dropped: Source,
}

/// Whether two runs are one: they come from one place, or all common metrics agree in the printed digits, in more digits than
/// two measurements would. Rows of one table are different runs; see `VaryingDigits`.
pub fn same_run(a: &Run, b: &Run) -> bool {
    let (place, other) = (a.place(), b.place());
    if place == other && !place.path.is_empty() {
        // One line may contain several numbered runs.
        return a.name.is_none() || b.name.is_none() || a.name == b.name;
    }
    let rows = a.info.of_table && b.info.of_table;
    if place.path == other.path && (rows || APART.contains(&place.counts)) {
        return false;
    }
    agree(a, b)
        && if a.info.of_table || b.info.of_table {
            digits_of_quantities(a, b)
        } else {
            shared(a, b).map(|(_, value)| digits(value)).sum()
        } >= DIGITS
}

/// Sum of varying digits from which on two equal rows of a table are one run.
const VARYING_DIGITS: f64 = 12.0;

/// For each metric, the number of digits in which its values vary over some runs: the range in printed steps.
#[derive(Debug, Default)]
pub(super) struct VaryingDigits(BTreeMap<String, f64>);

impl VaryingDigits {
    pub(super) fn of(runs: &[Run]) -> Self {
        let mut ranges: BTreeMap<&str, (f64, f64, f64)> = BTreeMap::new();
        for (name, value) in
            runs.iter().filter(|run| run.info.of_table).flat_map(|run| &run.metrics)
        {
            let step = (2.0 * value.resolution).max(value.value.abs() * 1e-17);
            let range = ranges.entry(name).or_insert((value.value, value.value, step));
            *range = (range.0.min(value.value), range.1.max(value.value), range.2.max(step));
        }
        let digits = |(low, high, step): (f64, f64, f64)| {
            let steps = (high - low) / step;
            if steps >= 1.0 { steps.log10().min(f64::from(DIGITS_OF_ONE)) } else { 0.0 }
        };
        Self(ranges.into_iter().map(|(name, range)| (name.to_owned(), digits(range))).collect())
    }

    /// Whether two rows of a table are one run: equal in all metrics, which vary in more digits than chance allows. Different
    /// names of the runs then prove nothing. All throughputs together count once.
    pub(super) fn is_copied(&self, a: &Run, b: &Run) -> bool {
        let rows = a.info.of_table && b.info.of_table && a.place().path == b.place().path;
        if !rows || a.metrics.len() != b.metrics.len() {
            return false;
        }
        let equal = |(name, x): (&str, &Value)| {
            b.metrics.get(name).is_some_and(|y| y.value.to_bits() == x.value.to_bits())
        };
        if !a.metrics.iter().all(equal) || !agree(a, b) {
            return false;
        }
        let (mut sum, mut work) = (0.0, 0.0_f64);
        for name in a.metrics.keys() {
            let digits = self.0.get(name).copied().unwrap_or(0.0);
            match Metric::named(name).family {
                Family::Throughput => work = work.max(digits),
                _ => sum += digits,
            }
        }
        sum + work >= VARYING_DIGITS
    }
}

/// Whether all common metrics of two runs agree in the printed digits, and nothing else differs. Failed runs may have no
/// metrics.
pub fn agree(a: &Run, b: &Run) -> bool {
    if a.info.failure != b.info.failure {
        return false;
    }
    let another_time = a.seconds().zip(b.seconds()).is_some_and(|(a, b)| (a - b).abs() >= 1.0);
    if another_time
        || differ(a.info.output_tokens, b.info.output_tokens)
        || differ(a.info.completed, b.info.completed)
    {
        return false;
    }
    let same = |(name, x): (&str, &Value)| {
        let y = b.metrics.get(name)?;
        Some((x.value - y.value).abs() <= x.resolution.max(y.resolution) * WITHIN)
    };
    let mut any = a.info.failure.is_some();
    a.metrics.iter().filter_map(same).all(|same| {
        any = true;
        same
    }) && any
}

/// The common metrics of two runs, each with the coarser resolution.
fn shared<'a>(a: &'a Run, b: &'a Run) -> impl Iterator<Item = (&'a str, Value)> {
    a.metrics.iter().filter_map(|(name, x)| {
        let y = b.metrics.get(name)?;
        Some((name, Value { value: x.value, resolution: x.resolution.max(y.resolution) }))
    })
}

/// Digits of a value that identify a measurement. Whole numbers are often settings or counts, which many runs have.
fn digits(value: Value) -> i32 {
    if value.resolution < 0.5 { significant_digits(value.value, value.resolution) } else { 0 }
}

/// The rows of a table that equal an earlier row in every figure, in more digits than chance gives. They count as runs, but
/// were probably pasted.
pub fn equal_rows<'a>(runs: &[&'a Run]) -> Vec<(&'a Run, &'a Run)> {
    let telling = runs.iter().enumerate().filter(|(_, run)| run.info.of_table && is_telling(run));
    let mut keys: Vec<(u64, usize)> = telling
        .map(|(at, run)| {
            let mut hash = Xxh3::new();
            for (name, value) in &run.metrics {
                hash.update(name.as_bytes());
                hash.update(&value.value.to_bits().to_le_bytes());
            }
            (hash.digest(), at)
        })
        .collect();
    keys.sort_unstable();
    let mut pairs: Vec<(&Run, &Run)> = Vec::new();
    for equal in keys.chunk_by(|a, b| a.0 == b.0) {
        let first = runs[equal[0].1];
        let others = equal[1..].iter().map(|(_, at)| runs[*at]);
        pairs.extend(others.map(|run| (run, first)).filter(|(run, first)| {
            let of_one_table = run.place().path == first.place().path;
            of_one_table && agree(run, first) && digits_of_quantities(run, first) >= DIGITS
        }));
    }
    pairs.sort_by_key(|(run, _)| run.source.position);
    pairs
}

fn digits_of_quantities(a: &Run, b: &Run) -> i32 {
    let (mut sum, mut work) = (0, 0);
    for (name, value) in shared(a, b) {
        let digits = digits(value).min(DIGITS_OF_ONE);
        if Metric::named(name).family == Family::Throughput {
            work = digits.max(work);
        } else {
            sum += digits;
        }
    }
    sum + work
}

/// For each series of runs, whether it copies one in `others`: each of its runs agrees with another run there, and the
/// different values of all such series have enough digits. With `few`, digits do not count if all series agree.
pub fn copies(series: &[Vec<&Run>], others: &[Vec<&Run>], few: bool) -> Vec<bool> {
    let found = |series: &Vec<&Run>, other: &Vec<&Run>| {
        if series.len() > other.len() {
            return false;
        }
        let mut free = other.clone();
        series.iter().all(|run| {
            let at = free.iter().position(|other| agree(run, other));
            at.map(|at| free.swap_remove(at)).is_some()
        })
    };
    let mut known: Vec<bool> =
        series.iter().map(|one| others.iter().any(|other| found(one, other))).collect();
    let all = few && known.iter().all(|known| *known);
    let copied = series.iter().zip(&known).filter(|(_, known)| **known);
    if !all && !is_enough_of(copied.flat_map(|(series, _)| series.iter().copied())) {
        known.fill(false);
    }
    known
}

/// Whether the distinct values of each quantity have enough digits to rule out chance. A repeated value counts once.
pub fn is_enough_of<'a>(runs: impl Iterator<Item = &'a Run>) -> bool {
    let mut seen: BTreeMap<&str, BTreeMap<u64, i32>> = BTreeMap::new();
    for (name, value) in runs.flat_map(|run| &run.metrics) {
        let digits = digits(*value).min(DIGITS_OF_VALUE);
        seen.entry(name).or_default().insert(value.value.to_bits(), digits);
    }
    seen.values().flat_map(BTreeMap::values).sum::<i32>() >= DIGITS
}

/// Whether a run has enough digits to be recognised.
pub(super) fn is_telling(run: &Run) -> bool {
    // A value printed slightly larger may have one more digit.
    let most = |value: &Value| {
        let digits = significant_digits(value.value, value.resolution) + 1;
        if run.info.of_table { digits.min(DIGITS_OF_ONE) } else { digits }
    };
    let mut digits = 0;
    // One value of a row alone has too few digits.
    let one = run.info.of_table && run.metrics.len() == 1;
    !one && run.metrics.values().any(|value| {
        digits += most(value);
        digits >= DIGITS
    })
}

fn differ(a: Option<u64>, b: Option<u64>) -> bool {
    a.zip(b).is_some_and(|(a, b)| a != b)
}

/// Number of significant digits of `value` at a resolution.
#[expect(clippy::cast_possible_truncation, reason = "between 0 and 17")]
fn significant_digits(value: f64, resolution: f64) -> i32 {
    if value == 0.0 {
        return 0;
    }
    let step = (2.0 * resolution).max(value.abs() * 1e-17);
    (value.abs() / step).log10().ceil().clamp(0.0, 17.0) as i32
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(values: &[(&str, f64, f64)]) -> Run {
        let metrics = values
            .iter()
            .map(|&(name, value, resolution)| (name.to_owned(), Value { value, resolution }))
            .collect();
        Run { metrics, ..Run::default() }
    }

    #[test]
    fn one_short_value_in_common_is_no_duplicate() {
        assert!(!same_run(&run(&[("x", 9.7, 0.05)]), &run(&[("x", 9.7, 0.05)])));
    }

    #[test]
    fn runs_of_another_time_are_others_whatever_they_measured() {
        let values = [("a", 532.193_118, 0.0), ("b", 335.061_9, 0.0)];
        let at = |started: &str| {
            let mut run = run(&values);
            run.info.started = Some(started.to_owned());
            run
        };
        assert!(!same_run(&at("20260101-100000"), &at("20260101-102000")));
        assert!(
            same_run(&at("20260101-100000"), &at("20260101-100000"))
                && same_run(&at("20260101-100000"), &run(&values))
        );
    }

    #[test]
    fn a_rounded_copy_of_a_full_run_is_a_duplicate() {
        let full = run(&[
            ("a", 532.193_118, 0.0),
            ("b", 335.061_9, 0.0),
            ("c", 5_787.163_2, 0.0),
            ("d", 45.321_1, 0.0),
        ]);
        let printed = run(&[
            ("a", 532.19, 0.005),
            ("b", 335.06, 0.005),
            ("c", 5787.16, 0.005),
            ("d", 45.32, 0.005),
        ]);
        assert!(same_run(&full, &printed));
        let mut other = printed.clone();
        other.metrics.insert("d", Value { value: 45.34, resolution: 0.005 });
        assert!(!same_run(&full, &other));
    }
}
