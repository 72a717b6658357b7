//! Correction for the number of tests: which p-values form one list, and what becomes of each.
//!
//! The comparisons of one call are one list. A single comparison corrects its deciding metrics by Holm and all others by
//! Benjamini and Hochberg. Several comparisons, and every batch, correct each list by Benjamini and Hochberg over all of them.
//! The deciding metrics at all loads of a sweep are one family, corrected by Holm, so that statements about its loads hold
//! together. Several families are selected by Benjamini and Hochberg of their smallest p-values. They are tested at alpha times
//! the selected share (Benjamini, Bogomolov. Selective inference on multiple families of hypotheses. *J. R. Stat. Soc. B* 76,
//! 2014). Guards that the user named, and metrics that measure the same thing as a deciding one, do not count in the correction
//! of others; each is judged by its own p-value. The guards of one's own table are corrected by Holm among themselves.

use std::collections::BTreeMap;

use crate::stats::Adjustment;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum List {
    /// Metrics that decide.
    Deciding,
    /// Guards that the user named.
    Guard,
    /// Guards of one's own table: all further metrics once five decide.
    Rest,
    /// Metrics that measure the same thing as a deciding one.
    SameFact,
    /// Metrics that neither decide nor measure what a deciding one does.
    Other,
}

const LISTS: [List; 5] = [List::Deciding, List::Guard, List::Rest, List::SameFact, List::Other];

/// The list and the raw p-value of each row of a comparison; `None` for rows that are not tested.
pub(super) type Tests = Vec<Option<(List, f64)>>;

/// A p-value after correction.
#[derive(Clone, Copy, Debug)]
pub(super) struct Adjusted {
    /// Not below the raw p-value.
    pub(super) p: f64,
    /// One minus the confidence of the interval that matches `p`, at most alpha.
    pub(super) level: f64,
    /// Number of tests in the correction; 1 without one.
    pub(super) tests: usize,
}

/// The adjusted p-values of a comparison, in the order of its rows.
type AdjustedRows = Vec<Option<Adjusted>>;

/// The raw level below which a p-value is called, and the number of tests, for each of `LISTS`.
type Called = [(f64, usize); 5];

/// How the comparisons of one call form lists.
#[derive(Clone, Debug)]
pub(super) enum Lists {
    /// A single comparison by itself.
    Alone,
    /// All comparisons as one list.
    Together,
    /// The family of each comparison, from 0: a sweep, or a comparison without one.
    Families(Vec<usize>),
}

/// How a comparison is corrected.
#[derive(Clone, Debug)]
pub(super) enum Correction {
    /// By itself.
    Alone,
    /// Many as one list.
    Together(Called),
    /// The deciding metrics with those at the other loads, all other metrics as for many comparisons.
    Sweep {
        /// The lists, as for many comparisons.
        lists: Called,
        /// Raw p-values of the deciding metrics in the other comparisons of the family.
        others: Vec<f64>,
        /// Share of selected families.
        share: f64,
    },
}

/// The adjusted p-values of each comparison, in the order of `all`, and the correction for judging it again.
pub(super) fn adjust(
    all: &[Tests],
    lists: &Lists,
    alpha: f64,
) -> (Vec<AdjustedRows>, Vec<Correction>) {
    match lists {
        Lists::Alone => {
            let alone = Correction::Alone;
            let adjusted = all.iter().map(|tests| alone.adjust(tests, alpha)).collect();
            (adjusted, vec![alone; all.len()])
        }
        Lists::Together => {
            let (adjusted, lists) = together(all, alpha);
            (adjusted, vec![Correction::Together(lists); all.len()])
        }
        Lists::Families(families) => in_families(all, families, alpha),
    }
}

/// Deciding metrics by family, all others as one list.
fn in_families(
    all: &[Tests],
    families: &[usize],
    alpha: f64,
) -> (Vec<AdjustedRows>, Vec<Correction>) {
    let (mut adjusted, lists) = together(all, alpha);
    let deciding = |tests: &Tests| -> Vec<f64> {
        let of_list = tests.iter().flatten().filter(|(list, _)| *list == List::Deciding);
        of_list.map(|(_, p)| *p).collect()
    };
    let mut of_family: BTreeMap<usize, Vec<f64>> = BTreeMap::new();
    for (tests, family) in all.iter().zip(families) {
        of_family.entry(*family).or_default().extend(deciding(tests));
    }
    of_family.retain(|_, p| !p.is_empty());
    let smallest: Vec<f64> = of_family
        .values()
        .map(|p| Adjustment::Holm.adjusted(p).into_iter().fold(1.0, f64::min))
        .collect();
    let selected =
        Adjustment::FalseDiscovery.adjusted(&smallest).iter().filter(|p| **p < alpha).count();
    let share = selected.max(1) as f64 / smallest.len().max(1) as f64;
    let corrections: Vec<Correction> = (0..all.len())
        .map(|at| {
            let others = (0..all.len()).filter(|o| *o != at && families[*o] == families[at]);
            let others = others.flat_map(|other| deciding(&all[other])).collect();
            Correction::Sweep { lists, others, share }
        })
        .collect();
    for ((adjusted, correction), tests) in adjusted.iter_mut().zip(&corrections).zip(all) {
        *adjusted = correction.adjust_deciding(tests, std::mem::take(adjusted), alpha);
    }
    (adjusted, corrections)
}

/// All comparisons as one list for each of `LISTS`.
fn together(all: &[Tests], alpha: f64) -> (Vec<AdjustedRows>, Called) {
    let mut adjusted: Vec<AdjustedRows> = all.iter().map(|tests| vec![None; tests.len()]).collect();
    let called_below = LISTS.map(|list| {
        let places = all.iter().enumerate().flat_map(|(at, tests)| {
            let of_list = tests.iter().enumerate();
            of_list
                .filter(move |(_, test)| test.is_some_and(|(of, _)| of == list))
                .map(move |(row, test)| (at, row, test.map_or(1.0, |(_, p)| p)))
        });
        let places: Vec<(usize, usize, f64)> = places.collect();
        let raw: Vec<f64> = places.iter().map(|(.., p)| *p).collect();
        let (p, levels) = (
            Adjustment::FalseDiscovery.adjusted(&raw),
            Adjustment::FalseDiscovery.levels(&raw, alpha),
        );
        for ((&(at, row, _), &p), &level) in places.iter().zip(&p).zip(&levels) {
            adjusted[at][row] = Some(Adjusted { p, level, tests: raw.len() });
        }
        let called = p.iter().filter(|p| **p < alpha).count();
        (alpha * called.max(1) as f64 / raw.len().max(1) as f64, raw.len())
    });
    (adjusted, called_below)
}

impl Correction {
    /// The adjusted p-values of one comparison. Those of other comparisons are unchanged.
    pub(super) fn adjust(&self, tests: &Tests, alpha: f64) -> AdjustedRows {
        let mut adjusted = vec![None; tests.len()];
        for (index, list) in LISTS.into_iter().enumerate() {
            let rows: Vec<(usize, f64)> = tests
                .iter()
                .enumerate()
                .filter_map(|(row, test)| test.filter(|(of, _)| *of == list).map(|(_, p)| (row, p)))
                .collect();
            let raw: Vec<f64> = rows.iter().map(|(_, p)| *p).collect();
            let (p, levels, tests) = match (self, list) {
                (Self::Together(lists) | Self::Sweep { lists, .. }, _) => {
                    let (below, tests) = lists[index];
                    let scaled = raw.iter().map(|p| (p * alpha / below).clamp(*p, 1.0)).collect();
                    let level = |p: &f64| if *p < below || *p < alpha { below } else { alpha };
                    (scaled, raw.iter().map(level).collect(), tests)
                }
                (Self::Alone, List::Deciding | List::Rest) => (
                    Adjustment::Holm.adjusted(&raw),
                    Adjustment::Holm.levels(&raw, alpha),
                    raw.len(),
                ),
                (Self::Alone, List::Other) => (
                    Adjustment::FalseDiscovery.adjusted(&raw),
                    Adjustment::FalseDiscovery.levels(&raw, alpha),
                    raw.len(),
                ),
                (Self::Alone, _) => (raw.clone(), vec![alpha; raw.len()], 1),
            };
            for (((row, _), p), level) in rows.into_iter().zip(p).zip(levels) {
                adjusted[row] = Some(Adjusted { p, level, tests });
            }
        }
        self.adjust_deciding(tests, adjusted, alpha)
    }

    /// Corrects the deciding metrics of a sweep with those of its other loads.
    fn adjust_deciding(
        &self,
        tests: &Tests,
        mut adjusted: AdjustedRows,
        alpha: f64,
    ) -> AdjustedRows {
        let Self::Sweep { others, share, .. } = self else { return adjusted };
        let deciding = tests.iter().enumerate().filter_map(|(row, test)| {
            test.filter(|(list, _)| *list == List::Deciding).map(|(_, p)| (row, p))
        });
        let (rows, mut raw): (Vec<usize>, Vec<f64>) = deciding.unzip();
        raw.extend(others);
        let (p, levels) =
            (Adjustment::Holm.adjusted(&raw), Adjustment::Holm.levels(&raw, alpha * share));
        for (index, row) in rows.into_iter().enumerate() {
            let p = (p[index] / share).min(1.0);
            // An interval that contains zero claims nothing: it needs no correction.
            let level = if raw[index] >= alpha { alpha } else { levels[index] };
            adjusted[row] = Some(Adjusted { p, level, tests: raw.len() });
        }
        adjusted
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// By hand: Holm of 0.01, 0.04 is 0.02, 0.04; the other two metrics keep their own p-values.
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
        let (alone, _) = adjust(&[tests], &Lists::Alone, 0.05);
        let found: Vec<Option<f64>> = alone[0].iter().map(p).collect();
        assert_eq!(found, [Some(0.02), Some(0.9), None, Some(1e-9), Some(0.04)]);
    }

    /// By hand: of 0.01, 0.04, 0.03 and 0.5 Benjamini and Hochberg make 0.04, 0.16 / 3, 0.16 / 3 and 0.5.
    #[test]
    fn several_comparisons_are_one_list() {
        let of = |p: &[f64]| -> Tests { p.iter().map(|p| Some((List::Deciding, *p))).collect() };
        let (all, correction) =
            adjust(&[of(&[0.01, 0.04]), of(&[0.03, 0.5])], &Lists::Together, 0.05);
        let found: Vec<f64> = all.iter().flatten().flatten().map(|row| row.p).collect();
        for (found, expected) in found.iter().zip([0.04, 0.16 / 3.0, 0.16 / 3.0, 0.5]) {
            assert!((found - expected).abs() < 1e-15, "{found} {expected}");
        }
        // One of four is called: a p-value takes its place below 0.05 / 4.
        let again = correction[0].adjust(&of(&[0.0124, 0.0126]), 0.05);
        let called: Vec<bool> = again.iter().flatten().map(|row| row.p < 0.05).collect();
        assert_eq!(called, [true, false]);
    }

    /// By hand: Holm of 0.001, 0.01, 0.02 and 0.5 is 0.004, 0.03, 0.04 and 0.5. Of the families' smallest, 0.004 and 0.3,
    /// Benjamini and Hochberg select one of two: its p-values count twice.
    #[test]
    fn the_loads_of_a_sweep_are_one_family() {
        let of = |p: &[f64]| -> Tests { p.iter().map(|p| Some((List::Deciding, *p))).collect() };
        let all = [of(&[0.001, 0.02]), of(&[0.01, 0.5]), of(&[0.3])];
        let p = |all: &[Tests], families: &[usize]| -> Vec<f64> {
            let (adjusted, _) = adjust(all, &Lists::Families(families.to_vec()), 0.05);
            adjusted.iter().flatten().flatten().map(|row| row.p).collect()
        };
        assert_eq!(p(&all[..2], &[0, 0]), [0.004, 0.04, 0.03, 0.5]);
        assert_eq!(p(&all, &[0, 0, 1]), [0.008, 0.08, 0.06, 1.0, 0.6]);
        let (_, correction) = adjust(&all[..2], &Lists::Families(vec![0, 0]), 0.05);
        let again: Vec<f64> = correction[0]
            .adjust(&of(&[0.001, 0.04]), 0.05)
            .iter()
            .flatten()
            .map(|row| row.p)
            .collect();
        // Holm of 0.001, 0.04, 0.01 and 0.5.
        assert_eq!(again, [0.004, 0.08]);
    }
}
