//! The requests of both variants: quantiles of their latency, and how each changed.

/// A latency of single requests. The unit of its bands and intervals is the run: each run has a value of every quantile.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct RequestsRow {
    /// Levels of the quantiles, in (0, 1), ascending.
    pub levels: Vec<f64>,
    /// Quantiles of the baseline and of the candidate at these levels, in milliseconds.
    pub sides: [QuantilesRow; 2],
    /// Change of some of the quantiles.
    pub changes: Vec<QuantileChange>,
}

/// Quantiles of one variant, in milliseconds.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct QuantilesRow {
    /// The statistic over the runs, at each level.
    pub estimates: Vec<f64>,
    /// The smallest and the largest run, at each level.
    pub range: Vec<[f64; 2]>,
}

/// Change of a quantile.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct QuantileChange {
    /// Level in (0, 1).
    pub level: f64,
    /// Fraction of the baseline.
    pub relative: f64,
    /// Its interval over runs at the confidence asked for, not corrected for the number of levels.
    pub relative_ci: [f64; 2],
}
