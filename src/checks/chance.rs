//! One level for all warnings that noise alone can set off.
//!
//! Every such check gives a p-value for each series that it looks at, valid for normal, skewed and long-tailed noise. Holm's
//! procedure with weights adjusts all of them together, so that at most `chance_level` of sound comparisons get any such
//! warning. Long tails use up most of the share of outliers. A cold cache is looked for only if TTFT alone shows one, which
//! noise seldom does. Each check also asks for a practical size.

use crate::checks::CheckId;
use crate::stats::Adjustment;

/// Part of the level for findings beyond chance. The rest is for findings that chance explains but that affect a
/// claimed change; those warn too.
const BEYOND: f64 = 0.7;

/// The adjusted p-values by check, each in the order of the check's series.
#[derive(Default)]
pub(super) struct Chance(Vec<(CheckId, Vec<f64>)>);

impl Chance {
    /// The adjusted p-values of one check.
    pub(super) fn of(&self, check: CheckId) -> &[f64] {
        self.0.iter().find(|(id, _)| *id == check).map_or(&[], |(_, p_values)| &p_values[..])
    }
}

/// Adjusts the p-values of all checks together; each check has a share of the level.
pub(super) fn adjusted(raw: Vec<(CheckId, f64, Vec<f64>)>) -> Chance {
    let mut weights = Vec::new();
    let mut all = Vec::new();
    for (_, share, p_values) in &raw {
        weights.extend(p_values.iter().map(|_| share / p_values.len() as f64));
        all.extend(p_values);
    }
    let mut adjusted = Adjustment::weighted_holm(&all, &weights).into_iter();
    let of_check = raw
        .into_iter()
        .map(|(id, _, p_values)| (id, adjusted.by_ref().take(p_values.len()).collect()));
    Chance(of_check.collect())
}

pub(super) fn is_beyond_chance(p: f64, level: f64) -> bool {
    p < BEYOND * level
}
