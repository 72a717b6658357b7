//! Nested repeats as a report shows them: how many of each level there are, and which one counts.

use schemars::JsonSchema;
use serde::Serialize;

use crate::report::Comparison;
use crate::report::comparison::sessions;

/// The levels of nested repeats: values of one level count as the repeats.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct LevelsRow {
    /// Each level, from outer to inner.
    #[schemars(length(min = 2))]
    pub levels: Vec<LevelRow>,
    /// Column of the level that counts as the repeat: the values of a metric are means over its units.
    pub unit: String,
    /// Blocks that both variants share, inside which the change is taken; null where they share none.
    #[schemars(range(min = 1))]
    pub blocks: Option<usize>,
    /// Units of the baseline and of the candidate that are compared.
    pub units: [usize; 2],
    /// Most values that were averaged into one run, in the baseline and in the candidate.
    #[schemars(inner(range(min = 1)))]
    pub values_per_run: [usize; 2],
    /// Runs of the baseline and of the candidate that are left out, since the other variant lacks their block.
    pub left_out: [usize; 2],
    /// Whether the units are the runs themselves.
    #[serde(skip)]
    pub are_runs: bool,
}

/// One level of nested repeats: server starts, runs, iterations.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct LevelRow {
    /// Column whose values tell its units apart.
    pub column: String,
    /// Distinct values in the baseline; equal values under different outer values are distinct.
    #[schemars(range(min = 1))]
    pub baseline: usize,
    /// The same in the candidate.
    #[schemars(range(min = 1))]
    pub candidate: usize,
}

/// The runs of a comparison: `9 + 9 runs in 3 blocks`.
pub(crate) fn runs(comparison: &Comparison) -> String {
    let averaged =
        comparison.deciding().find_map(|row| row.baseline.averaged.zip(row.candidate.averaged));
    if let Some((a, b)) = averaged {
        return format!("from averages of {a} + {b} runs (their standard deviations as printed)");
    }
    let levels = comparison.levels.as_ref().map_or([0, 0], |levels| levels.left_out);
    let sessions = sessions::left_out(comparison);
    let left = |runs: usize, side: usize| runs.saturating_sub(levels[side] + sessions[side]);
    let (a, b) = (left(comparison.baseline.runs, 0), left(comparison.candidate.runs, 1));
    let runs = format!("{a} + {b} runs");
    match &comparison.levels {
        Some(LevelsRow { blocks: Some(1), .. }) => format!("{runs} in 1 block"),
        Some(LevelsRow { blocks: Some(blocks), .. }) => format!("{runs} in {blocks} blocks"),
        Some(LevelsRow { units: [a, b], unit, are_runs: false, .. }) => {
            format!("{runs}, averaged by {unit} to {a} + {b}")
        }
        _ => runs,
    }
}

/// The units of the interval: `blocks of runs (instance)`; `None` where runs are the units.
pub(crate) fn interval_over(comparison: &Comparison) -> Option<String> {
    let levels = comparison.levels.as_ref().filter(|levels| !levels.are_runs)?;
    let what = if levels.blocks.is_some() { "blocks of runs" } else { "averages of runs" };
    Some(format!("{what} ({})", levels.unit))
}

/// The meaning of `±` for units of nested repeats: `CV between averages (instance)`.
pub(crate) fn spread_of(comparison: &Comparison) -> Option<String> {
    let levels = comparison.levels.as_ref().filter(|levels| !levels.are_runs)?;
    Some(format!("CV between averages ({})", levels.unit))
}

/// More of the units of nested repeats: `4 more of instance, with runs of both variants in each,`.
pub(crate) fn more_units(comparison: &Comparison, more: usize) -> Option<String> {
    let levels = comparison.levels.as_ref().filter(|levels| !levels.are_runs)?;
    let both = if levels.blocks.is_some() {
        ", with runs of both variants in each,"
    } else {
        " for each variant"
    };
    Some(format!("{more} more of `{}`{both}", levels.unit))
}

/// Whether a variant has one unit of nested repeats only.
pub(crate) fn lacks_units(comparison: &Comparison) -> bool {
    comparison.levels.as_ref().is_some_and(|levels| !levels.are_runs && levels.units.contains(&1))
}
