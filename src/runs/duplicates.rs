//! Runs that are the same run: one block pasted into two notes, one file given twice.

use crate::runs::{Run, Source, Value};

/// Digits that must agree before chance is ruled out.
const DIGITS: i32 = 15;

/// How many resolutions two values of one run may differ by.
pub(super) const WITHIN: f64 = 1.000_001;

/// What places in a file count where a tool tells its processes apart: equal values there are chance.
const APART: &[&str] = &["process", "fork"];

/// A run that was left out because another one is the same.
#[derive(Clone, Debug, PartialEq)]
pub struct Duplicate {
    /// Variant under which the run stays.
    pub kept_variant: String,
    /// Where the run that stays was read.
    pub kept: Source,
    /// Variant under which the other stood.
    pub dropped_variant: String,
    /// Where the other was read.
    pub dropped: Source,
}

/// Whether two runs are one: all metrics that both have agree to what was printed, and enough
/// digits agree that two measurements cannot have given them.
pub(crate) fn same_run(a: &Run, b: &Run) -> bool {
    if a.source == b.source && !a.source.path.is_empty() {
        return true;
    }
    if a.source.path == b.source.path && APART.contains(&a.source.counts) {
        return false;
    }
    let another_time = a.seconds().zip(b.seconds()).is_some_and(|(a, b)| (a - b).abs() >= 1.0);
    if another_time
        || differ(a.facts.output_tokens, b.facts.output_tokens)
        || differ(a.facts.completed, b.facts.completed)
    {
        return false;
    }
    let mut digits = 0;
    for (name, x) in &a.metrics {
        let Some(y) = b.metrics.get(name) else { continue };
        let resolution = x.resolution.max(y.resolution);
        if (x.value - y.value).abs() > resolution * WITHIN {
            return false;
        }
        // Whole numbers are often settings or counts, which many runs share.
        if resolution < 0.5 {
            digits += significant_digits(x.value, resolution);
        }
    }
    digits >= DIGITS
}

/// Whether a run has digits enough to be told again among others.
pub(super) fn is_telling(run: &Run) -> bool {
    // A value that is printed a little larger may have a digit more.
    let most = |value: &Value| significant_digits(value.value, value.resolution) + 1;
    let mut digits = 0;
    run.metrics.values().any(|value| {
        digits += most(value);
        digits >= DIGITS
    })
}

fn differ(a: Option<u64>, b: Option<u64>) -> bool {
    a.zip(b).is_some_and(|(a, b)| a != b)
}

/// Decimal digits of `value` that a resolution leaves.
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
            run.facts.started = Some(started.to_owned());
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
