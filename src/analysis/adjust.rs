//! Correction for the number of tests: which p-values form one list, and what becomes of each.
//!
//! The comparisons of one call are one list. A single comparison corrects its deciding metrics by Holm and all others
//! by Benjamini and Hochberg; several comparisons, and every batch, correct each list by Benjamini and Hochberg over
//! all of them. Guards, and metrics that measure the same thing as a deciding one, have lists of their own: they
//! are left out of the correction of others, and are judged by their own p-values.

use crate::stats::{benjamini_hochberg, false_coverage_levels, holm, holm_levels};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum List {
    /// Metrics that decide.
    Deciding,
    /// Guards that do not decide.
    Guard,
    /// Metrics that measure the same thing as a deciding one.
    SameFact,
    /// All others.
    Other,
}

const LISTS: [List; 4] = [List::Deciding, List::Guard, List::SameFact, List::Other];

/// The list and the raw p-value of each row of a comparison; `None` for rows that are not tested.
pub(super) type Tests = Vec<Option<(List, f64)>>;

/// A p-value after correction.
#[derive(Clone, Copy, Debug)]
pub(super) struct Adjusted {
    /// Not below the raw p-value.
    pub(super) p: f64,
    /// One minus the confidence of the interval that agrees with it, at most alpha.
    pub(super) level: f64,
    /// Tests that it was corrected for; 1 where it was not.
    pub(super) tests: usize,
}

/// How the comparisons of one call are corrected.
#[derive(Clone, Debug)]
pub(super) enum Correction {
    /// A single comparison by itself.
    Alone,
    /// Many as one list: for each of `LISTS` the raw level below which a p-value is called, and its number of tests.
    Together([(f64, usize); 4]),
}

/// The adjusted p-values of each comparison, in the order of `all`, and how any of them is corrected once more.
pub(super) fn adjust(
    all: &[Tests],
    together: bool,
    alpha: f64,
) -> (Vec<Vec<Option<Adjusted>>>, Correction) {
    if !together {
        let alone = Correction::Alone;
        return (all.iter().map(|tests| alone.adjust(tests, alpha)).collect(), alone);
    }
    let mut adjusted: Vec<Vec<Option<Adjusted>>> =
        all.iter().map(|tests| vec![None; tests.len()]).collect();
    let called_below = LISTS.map(|list| {
        let places = all.iter().enumerate().flat_map(|(at, tests)| {
            let of_list = tests.iter().enumerate();
            of_list
                .filter(move |(_, test)| test.is_some_and(|(of, _)| of == list))
                .map(move |(row, test)| (at, row, test.map_or(1.0, |(_, p)| p)))
        });
        let places: Vec<(usize, usize, f64)> = places.collect();
        let raw: Vec<f64> = places.iter().map(|(.., p)| *p).collect();
        let (p, levels) = (benjamini_hochberg(&raw), false_coverage_levels(&raw, alpha));
        for ((&(at, row, _), &p), &level) in places.iter().zip(&p).zip(&levels) {
            adjusted[at][row] = Some(Adjusted { p, level, tests: raw.len() });
        }
        let called = p.iter().filter(|p| **p < alpha).count();
        (alpha * called.max(1) as f64 / raw.len().max(1) as f64, raw.len())
    });
    (adjusted, Correction::Together(called_below))
}

impl Correction {
    /// The adjusted p-values of one comparison; among many, the others stay as they were.
    pub(super) fn adjust(&self, tests: &Tests, alpha: f64) -> Vec<Option<Adjusted>> {
        let mut adjusted = vec![None; tests.len()];
        for (index, list) in LISTS.into_iter().enumerate() {
            let rows: Vec<(usize, f64)> = tests
                .iter()
                .enumerate()
                .filter_map(|(row, test)| test.filter(|(of, _)| *of == list).map(|(_, p)| (row, p)))
                .collect();
            let raw: Vec<f64> = rows.iter().map(|(_, p)| *p).collect();
            let (p, levels, tests) = match (self, list) {
                (Self::Together(lists), _) => {
                    let (below, tests) = lists[index];
                    let scaled = raw.iter().map(|p| (p * alpha / below).clamp(*p, 1.0)).collect();
                    let level = |p: &f64| if *p < below || *p < alpha { below } else { alpha };
                    (scaled, raw.iter().map(level).collect(), tests)
                }
                (Self::Alone, List::Deciding) => (holm(&raw), holm_levels(&raw, alpha), raw.len()),
                (Self::Alone, List::Other) => {
                    (benjamini_hochberg(&raw), false_coverage_levels(&raw, alpha), raw.len())
                }
                (Self::Alone, _) => (raw.clone(), vec![alpha; raw.len()], 1),
            };
            for (((row, _), p), level) in rows.into_iter().zip(p).zip(levels) {
                adjusted[row] = Some(Adjusted { p, level, tests });
            }
        }
        adjusted
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// By hand: Holm of 0.01, 0.04 is 0.02, 0.04; the two others keep their own p-values.
    #[test]
    fn what_measures_the_same_thing_and_guards_keep_their_own_p_values() {
        let tests = vec![
            Some((List::Deciding, 0.01)),
            Some((List::SameFact, 0.9)),
            None,
            Some((List::Guard, 1e-9)),
            Some((List::Deciding, 0.04)),
        ];
        let p = |row: &Option<Adjusted>| row.map(|row| row.p);
        let (alone, _) = adjust(&[tests], false, 0.05);
        let found: Vec<Option<f64>> = alone[0].iter().map(p).collect();
        assert_eq!(found, [Some(0.02), Some(0.9), None, Some(1e-9), Some(0.04)]);
    }

    /// By hand: of 0.01, 0.04, 0.03 and 0.5 Benjamini and Hochberg make 0.04, 0.16 / 3, 0.16 / 3 and 0.5.
    #[test]
    fn several_comparisons_are_one_list() {
        let of = |p: &[f64]| -> Tests { p.iter().map(|p| Some((List::Deciding, *p))).collect() };
        let (all, correction) = adjust(&[of(&[0.01, 0.04]), of(&[0.03, 0.5])], true, 0.05);
        let found: Vec<f64> = all.iter().flatten().flatten().map(|row| row.p).collect();
        for (found, expected) in found.iter().zip([0.04, 0.16 / 3.0, 0.16 / 3.0, 0.5]) {
            assert!((found - expected).abs() < 1e-15, "{found} {expected}");
        }
        // One of four is called: a p-value takes its place below 0.05 / 4.
        let again = correction.adjust(&of(&[0.0124, 0.0126]), 0.05);
        let called: Vec<bool> = again.iter().flatten().map(|row| row.p < 0.05).collect();
        assert_eq!(called, [true, false]);
    }
}
