//! The change that the cells of a batch or the loads of a sweep share, and the factor by which it differs.

use schemars::JsonSchema;
use serde::Serialize;

use crate::units::Better;
use crate::verdict::Verdict;

/// The change of a metric that all cells of a batch, or all loads of a sweep, share, for one pair of variants.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct SharedRow {
    /// Canonical name.
    pub metric: String,
    /// Name in sentences.
    pub label: String,
    /// Direction of improvement.
    pub better: Better,
    /// Label of the variant compared against.
    pub baseline: String,
    /// Label of the variant under test.
    pub candidate: String,
    /// Comparisons of the two that are left out: not comparable, stopped by a check, without a ratio, or where the metric
    /// does not decide.
    pub left_out: usize,
    /// The margin in force, a fraction: the median of the cells'.
    #[schemars(range(min = 0))]
    pub margin: f64,
    /// How much worse the gate lets it be, a fraction.
    #[schemars(range(min = 0))]
    pub tolerance: f64,
    /// Over all cells.
    #[serde(flatten)]
    pub change: SharedChange,
    /// Columns that name the cells and have at least two values.
    pub factors: Vec<FactorRow>,
    /// Cells that changed by more or less than the others, the largest first: by Benjamini and Hochberg, from 6 cells on and where
    /// the change of all is shown.
    pub beyond: Vec<BeyondRow>,
}

/// A cell that changed by more or less than the others.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct BeyondRow {
    /// The cell: the values of its columns, or its load.
    pub cell: String,
    /// Its change against the baseline, a fraction.
    pub relative: f64,
    /// Its change beyond the median of the other cells', a fraction.
    pub beyond: f64,
    /// Two-sided p-value of no difference, by Benjamini and Hochberg over the cells.
    #[schemars(range(min = 0, max = 1))]
    pub p_adjusted: f64,
}

/// The change that several cells share: the mean of their log ratios, with a t interval over cells; where runs span cells,
/// with the noise of the runs as well.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct SharedChange {
    /// Cells in the mean.
    #[schemars(range(min = 1))]
    pub cells: usize,
    /// Fraction of the baseline: the exponential of the mean of the cells' log ratios, minus 1.
    pub relative: f64,
    /// Its t interval over cells at the confidence asked for; null for one cell, and where all cells changed by the same.
    pub relative_ci: Option<[f64; 2]>,
    /// Its interval at the level at which it was judged, which reports show; it agrees with the adjusted p-value.
    pub relative_ci_adjusted: Option<[f64; 2]>,
    /// Confidence of the adjusted interval, a fraction.
    #[schemars(range(min = 0, max = 1))]
    pub adjusted_confidence: f64,
    /// The interval that shows the change to be within the margin (two one-sided tests, uncorrected). Reports show it
    /// instead of the other interval beside the verdict `no_change`.
    pub relative_ci_equivalence: Option<[f64; 2]>,
    /// Confidence of that interval, a fraction.
    #[schemars(range(min = 0, max = 1))]
    pub equivalence_confidence: f64,
    /// The margin in force, a fraction; also in the row.
    #[serde(skip)]
    pub(crate) margin: f64,
    /// Standard deviation of the cells' log ratios; null for one cell.
    #[schemars(range(min = 0))]
    pub sd: Option<f64>,
    /// Two-sided p-value, unadjusted.
    #[schemars(range(min = 0, max = 1))]
    pub p_value: Option<f64>,
    /// P-value corrected for the number of tests (Holm), not below the raw one.
    #[schemars(range(min = 0, max = 1))]
    pub p_adjusted: Option<f64>,
    /// Tests that it was corrected for; 1 where it was not.
    #[schemars(range(min = 1))]
    pub corrected_for: usize,
    /// Runs of the baseline and of the candidate that span the cells, whose noise is in the interval; null where nothing
    /// says that cells share runs.
    #[schemars(inner(range(min = 2)))]
    pub runs: Option<[usize; 2]>,
    /// Verdict on the shared change at the confidence of the settings.
    pub verdict: Verdict,
    /// Why it was not judged; empty where it was.
    pub reason: String,
}

/// A column that names the cells of a batch: the shared change within each of its values.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct FactorRow {
    /// Name of the column.
    pub factor: String,
    /// P-value of equal changes in all values that have at least two cells (the larger of the F test's and Welch's),
    /// unadjusted; null with fewer than two such values.
    #[schemars(range(min = 0, max = 1))]
    pub p_value: Option<f64>,
    /// P-value corrected for the factors of all metrics and candidates (Holm).
    #[schemars(range(min = 0, max = 1))]
    pub p_adjusted: Option<f64>,
    /// Tests that it was corrected for; 1 where it was not.
    #[schemars(range(min = 1))]
    pub corrected_for: usize,
    /// The values that have at least two cells, in their order, corrected as one list over all factors, metrics and
    /// candidates (Holm).
    pub values: Vec<ValueRow>,
    /// Whether the changes are shown to differ between its values.
    pub explains: bool,
    /// The value that differs from all others, where the factor explains and the others do not differ; null elsewhere.
    pub differs: Option<DiffersRow>,
}

/// The shared change within one value of a factor.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct ValueRow {
    /// Value of the column in these cells.
    pub value: String,
    /// The change over the cells with this value.
    #[serde(flatten)]
    pub change: SharedChange,
}

/// The value of a factor that differs from the others.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct DiffersRow {
    /// Value of the column in the cells that differ.
    pub value: String,
    /// The cells of all other values together, at the confidence asked for.
    pub others: SharedChange,
}

impl SharedChange {
    /// The ends of the interval by which it was judged.
    pub(crate) fn shown_ends(&self) -> Option<[f64; 2]> {
        self.within().or(self.relative_ci_adjusted)
    }

    /// The interval that lies within the margin, where that is the verdict.
    pub(crate) fn within(&self) -> Option<[f64; 2]> {
        self.relative_ci_equivalence.filter(|_| self.verdict == Verdict::NoChange)
    }
}
