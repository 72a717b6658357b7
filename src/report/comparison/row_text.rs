//! The numbers of a row as text: estimates, change and interval, with the digits that its noise leaves.

use crate::format::{
    self, Shown, count_change, decimals_of_change, decimals_without_noise, difference,
    digits_after_first, percent, with_decimals, with_unit,
};
use crate::report::{Comparison, Delta, Row, SideRow, WithoutRow};
use crate::verdict::Verdict;

fn decimals(delta: &Delta) -> usize {
    decimals_of_change(delta.relative, delta.relative_ci_adjusted)
}

/// The change of a row: a percentage, or the difference where ratios do not exist.
pub(crate) fn change(row: &Row) -> String {
    if row.exact {
        return count_change(row.delta.absolute);
    }
    if let Some(relative) = row.delta.relative {
        return format::change(relative, decimals(&row.delta));
    }
    with_unit(&difference(row.delta.absolute), row.unit)
}

/// The change of a row without some of its runs, with its digits.
pub(crate) fn change_of(without: &WithoutRow, row: &Row) -> String {
    match without.relative {
        Some(relative) => format::change(relative, decimals(&row.delta)),
        None => with_unit(&difference(without.absolute), row.unit),
    }
}

/// A ratio of a change by more than a factor of two: `2.3x`.
pub(crate) fn factor(row: &Row) -> Option<String> {
    format::factor(row.delta.relative.filter(|_| !row.exact)?)
}

/// The change of a row with its factor: `+131.2 % (2.3x)`.
pub(crate) fn change_and_factor(row: &Row) -> String {
    let factor = factor(row).map_or(String::new(), |factor| format!(" ({factor})"));
    format!("{}{factor}", change(row))
}

/// The interval by which a row was judged; [`level`] gives its confidence: `−6.2 … −3.9`.
pub(crate) fn interval(row: &Row) -> String {
    if row.exact {
        return "exact".to_owned();
    }
    match within(row) {
        Some(ends) => format::interval_inside(ends, decimals(&row.delta), row.margin),
        None => {
            interval_of(row.delta.relative_ci_adjusted, row.delta.absolute_ci_adjusted, &row.delta)
        }
    }
}

/// The interval of a row in a column whose head has the confidence of changes; its own where that is another:
/// `−0.7 … +0.6 (90 %)`.
pub(crate) fn interval_cell(row: &Row) -> String {
    let text = interval(row);
    if !shows_equality(row) {
        return text;
    }
    format!("{text} ({})", format::confidence(row.delta.equivalence_confidence))
}

/// The ends of the relative interval by which a row was judged.
pub(crate) fn ends(row: &Row) -> Option<[f64; 2]> {
    within(row).or(row.delta.relative_ci_adjusted)
}

/// Whether the row shows the interval for equality, which is inside the margin.
pub(crate) fn shows_equality(row: &Row) -> bool {
    within(row).is_some() && !row.exact
}

/// The interval inside the margin; `None` unless equality is the verdict.
fn within(row: &Row) -> Option<[f64; 2]> {
    row.delta.relative_ci_equivalence.filter(|_| row.verdict == Verdict::NoChange)
}

/// An interval with the digits of `delta`, or `none`.
pub(crate) fn interval_of(
    relative: Option<[f64; 2]>,
    absolute: Option<[f64; 2]>,
    delta: &Delta,
) -> String {
    match (relative, absolute) {
        (Some(ends), _) => format::interval(ends, decimals(delta)),
        (None, Some(ends)) if delta.relative.is_none() => differences(ends),
        _ => "none".to_owned(),
    }
}

/// An interval of a difference: `−0.50 … +1.25`.
pub(crate) fn differences([low, high]: [f64; 2]) -> String {
    format!("{} … {}", difference(low), difference(high))
}

/// Estimates of both variants on one scale, with the CV where there is one: `304.5 ±1.0 %`.
pub(crate) fn estimates(row: &Row) -> (String, String) {
    let shown = |side: &SideRow| {
        let value = value(row, side.estimate);
        side.cv.map_or(value.clone(), |cv| format!("{value} ±{}", percent(cv)))
    };
    (shown(&row.baseline), shown(&row.candidate))
}

/// Decimals of the values of a row, times `factor`, that the larger noise of the two variants leaves meaningful.
fn decimals_of_values(row: &Row, factor: f64) -> usize {
    if row.exact {
        return 0;
    }
    let spread = |side: &SideRow| side.cv.map(|cv| cv * side.estimate.abs());
    let sd = [spread(&row.baseline), spread(&row.candidate)]
        .into_iter()
        .flatten()
        .filter(|sd| *sd > 0.0)
        .fold(0.0, f64::max);
    let size = row.baseline.estimate.abs().max(row.candidate.estimate.abs());
    if sd > 0.0 { digits_after_first(sd * factor) } else { decimals_without_noise(size * factor) }
}

/// A value of one run, with the digits of its row, and with its unit if that differs from the row's.
pub(crate) fn value(row: &Row, value: f64) -> String {
    match shown_unit(row) {
        Some(Shown { factor, unit }) => {
            format!("{} {unit}", with_decimals(value * factor, decimals_of_values(row, factor)))
        }
        None => with_decimals(value, decimals_of_values(row, 1.0)),
    }
}

/// A value of one run with its unit.
pub(crate) fn value_and_unit(row: &Row, one: f64) -> String {
    let text = value(row, one);
    if shown_unit(row).is_some() { text } else { with_unit(&text, row.unit) }
}

/// The better unit for the values of a row; exact counts and rows without values keep theirs.
pub(crate) fn shown_unit(row: &Row) -> Option<Shown> {
    let size = row.baseline.estimate.abs().max(row.candidate.estimate.abs());
    format::shown_in(row.unit, size).filter(|_| !row.exact)
}

/// The name of a row beside its values.
pub(crate) fn row_label(row: &Row) -> &str {
    format::label(&row.row_label, row.unit, shown_unit(row))
}

/// Head of the column of intervals: `95 % CI`.
pub(crate) fn level(comparison: &Comparison) -> String {
    format!("{} CI", format::confidence(comparison.confidence))
}

/// The confidence of a row's [`interval`]: `95 % CI`, or `90 % CI` of one that shows no change.
pub(crate) fn level_of(comparison: &Comparison, row: &Row) -> String {
    match within(row) {
        Some(_) => format!("{} CI", format::confidence(row.delta.equivalence_confidence)),
        None => level(comparison),
    }
}

/// Names as code: up to four, or the first three and the last.
pub(crate) fn code_list(names: &[String]) -> String {
    format::listed(&names.iter().map(|name| format::code(name)).collect::<Vec<_>>())
}

/// That single runs under several labels count as repeats.
pub(crate) fn taken_as_repeats(labels: &[String]) -> String {
    format!("{}: counted as {} repeats of one build.", code_list(labels), labels.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_listed_up_to_the_last() {
        let names: Vec<String> = (1..=6).map(|n| format!("r{n}")).collect();
        assert_eq!(code_list(&names), "`r1`, `r2`, `r3`, … `r6`");
        assert_eq!(taken_as_repeats(&names[..2]), "`r1`, `r2`: counted as 2 repeats of one build.");
    }
}
