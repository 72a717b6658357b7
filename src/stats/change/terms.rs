//! The choices of a comparison, and why it may have no interval.

use std::fmt;

/// How the interval of a delta is made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Method {
    /// The run-level bootstrap, rescaled to cover its level from 3 runs on.
    #[default]
    Calibrated,
    /// The plain percentile bootstrap: far too narrow with few runs, for comparison only.
    Percentile,
    /// Bias-corrected and accelerated bootstrap: too narrow with few runs, for comparison only.
    Bca,
    /// Welch's t interval.
    Welch,
}

/// The scale on which a delta is worked out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scale {
    /// `ln(candidate / baseline)`; every value must be positive.
    Log,
    /// `candidate - baseline`, in the unit of the values.
    Linear,
}

/// Why there is no interval.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Undefined {
    /// A variant has fewer than two runs.
    TooFewRuns,
    /// A value is zero or negative, so that ratios do not exist.
    NotPositive,
    /// The runs of both variants are exactly equal and their precision is not known.
    NoVariance,
    /// The values are so large or so small that their differences are no numbers.
    OutOfRange,
    /// A quantile over the runs needs this many runs of each variant.
    QuantileNeedsRuns(usize),
    /// Of different numbers of runs a quantile needs this many of each variant.
    QuantileOfUnequalRuns(usize),
    /// The rank interval of the Hodges-Lehmann centre needs this many runs of each variant.
    RanksNeedRuns(usize),
}

impl fmt::Display for Undefined {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooFewRuns => f.write_str("a variant has fewer than 2 runs"),
            Self::NotPositive => f.write_str("a value is zero or negative"),
            Self::OutOfRange => f.write_str("the values are too large or too small to compare"),
            Self::NoVariance => f.write_str("all runs are exactly equal"),
            Self::RanksNeedRuns(n) => {
                write!(f, "the Hodges-Lehmann interval needs {n} runs of each variant")
            }
            Self::QuantileNeedsRuns(n) => {
                write!(f, "this quantile over the runs needs {n} runs of each variant")
            }
            Self::QuantileOfUnequalRuns(n) => write!(
                f,
                "this quantile over different numbers of runs needs {n} of each variant, or equal numbers"
            ),
        }
    }
}

/// How resamples are drawn where there are too many to enumerate.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Resampling {
    /// Resamples drawn for a pair of variants; not used where every resample is enumerated.
    pub count: usize,
    /// Seed of the generator. The same seed gives the same interval on any machine.
    pub seed: u64,
}

impl Default for Resampling {
    /// 10,000 resamples: the Monte Carlo error of a 95 % bound is then 2.7 % of the standard error.
    fn default() -> Self {
        Self { count: 10_000, seed: 0 }
    }
}

impl Scale {
    pub(crate) fn transform(self) -> fn(f64) -> f64 {
        match self {
            Self::Log => f64::ln,
            Self::Linear => |x| x,
        }
    }
}
