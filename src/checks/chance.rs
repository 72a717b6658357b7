//! One level for all warnings that noise alone can set off.
//!
//! Every check of this kind gives a p-value for each series that it looks at, valid for normal, skewed and long-tailed
//! noise. Holm's procedure with weights adjusts all of them together, so that at most `chance_level` of the comparisons
//! in which nothing is wrong carry any such warning. A check asks for a practical size beside.

use crate::checks::{Context, first_run, order, outlier_run, spread};
use crate::stats::weighted_holm;

/// The p-values of a check, one for each series that it looks at.
type PValues = fn(&Context) -> Vec<f64>;

/// The checks that chance can set off, each with its share of the level. Long tails cost outliers most of theirs; a cold
/// cache is looked for only where TTFT alone shows one, which noise seldom makes.
const TESTS: [(Test, f64, PValues); 8] = [
    (Test::Outlier, 3.0, outlier_run::p_values),
    (Test::SlowFirst, 2.0, first_run::p_values),
    (Test::ColdCache, 8.0, first_run::cold_p_values),
    (Test::FirstCell, 1.0, first_run::cell_p_values),
    (Test::Drift, 2.0, order::p_values),
    (Test::Order, 1.0, order::order_p_values),
    (Test::Noisy, 1.0, spread::noisy_p_values),
    (Test::Modes, 2.0, spread::modes_p_values),
];

/// Part of the level at which chance does not explain a finding. The rest is for findings that it does explain, but on
/// which a claimed change rests: these warn too.
const BEYOND: f64 = 0.7;

/// A check that chance can set off.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Test {
    Outlier,
    SlowFirst,
    ColdCache,
    FirstCell,
    Drift,
    Order,
    Noisy,
    Modes,
}

/// The adjusted p-values, by check and in the order of its series.
pub(super) struct Chance(Vec<(Test, Vec<f64>)>);

impl Chance {
    fn of(context: &Context) -> Self {
        let raw = TESTS.map(|(test, weight, p_values)| (test, weight, p_values(context)));
        let mut weights = Vec::new();
        let mut all = Vec::new();
        for (_, weight, p_values) in &raw {
            weights.extend(p_values.iter().map(|_| weight / p_values.len() as f64));
            all.extend(p_values);
        }
        let mut adjusted = weighted_holm(&all, &weights).into_iter();
        Self(
            raw.iter()
                .map(|(test, _, p_values)| {
                    (*test, adjusted.by_ref().take(p_values.len()).collect())
                })
                .collect(),
        )
    }
}

impl Context<'_> {
    /// The adjusted p-values of a check, in the order of the series that it looks at.
    pub(super) fn chance(&self, test: Test) -> &[f64] {
        let Chance(all) = self.cache.chance.get_or_init(|| Chance::of(self));
        all.iter().find(|(of, _)| *of == test).map_or(&[], |(_, p_values)| &p_values[..])
    }

    /// Whether chance does not explain an adjusted p-value.
    pub(super) fn beyond_chance(&self, p: f64) -> bool {
        p < BEYOND * self.policy.thresholds.chance_level
    }
}
