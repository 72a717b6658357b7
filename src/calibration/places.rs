//! How noise differs between the comparisons of a simulated job.

use rand_chacha::ChaCha8Rng;
use statrs::distribution::{ContinuousCDF, Normal};

use crate::shapes::chi_square;
use beyondnoise::stats::PriorSource;

/// How many times as noisy the noisiest comparison of a job is as the quietest.
const TENFOLD: f64 = 10.0;

/// The same where noise differs by less than three runs show at once.
const THREEFOLD: f64 = 3.0;

/// How many times as noisy a new workload is as the earlier runs of others.
const NEW_WORKLOAD: f64 = 10.0 / 3.0;

/// Comparisons that are made in a job at most, where each counts for itself.
const COMPARED: usize = 10;

/// Run-to-run noise that the true ones scatter about.
pub(crate) const TYPICAL_CV: f64 = 0.02;

/// Degrees of freedom of the law of the true variances: fewer mean more scatter.
pub(crate) const TRUE_DF: u32 = 8;

/// How the noise differs between the comparisons of a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Places {
    /// Not at all: 2 % everywhere.
    Alike,
    /// The variance is (2 %)^2 times 8 over a chi-square of 8 degrees of freedom: the law that a prior assumes.
    ChiSquare,
    /// A normal law of the logarithms of the CVs, the noisiest ten times as noisy as the quietest.
    LogNormal,
    /// One half at 2 %, the other at 20 %.
    TwoGroups,
    /// A new workload at 6.7 % with a history of others at 2 %, 5 runs each.
    History,
    /// As [`Self::LogNormal`], the noisiest three times as noisy as the quietest.
    LogNormalOfThree,
    /// One half at 2 %, the other at 6 %.
    TwoGroupsOfThree,
    /// One comparison at 4 %, all others at 2 %.
    OneOfTwo,
    /// One comparison at 6 %, all others at 2 %.
    OneOfThree,
}

impl Places {
    /// All of them, in the order of the tables.
    pub const ALL: [Self; 9] = [
        Self::Alike,
        Self::ChiSquare,
        Self::LogNormal,
        Self::TwoGroups,
        Self::History,
        Self::LogNormalOfThree,
        Self::TwoGroupsOfThree,
        Self::OneOfTwo,
        Self::OneOfThree,
    ];

    /// The word for it in documents.
    pub fn word(self) -> &'static str {
        match self {
            Self::Alike => "alike",
            Self::ChiSquare => "chi-square",
            Self::LogNormal => "log-normal",
            Self::TwoGroups => "two groups",
            Self::History => "history",
            Self::LogNormalOfThree => "log-normal x 3",
            Self::TwoGroupsOfThree => "two groups x 3",
            Self::OneOfTwo => "one x 2",
            Self::OneOfThree => "one x 3",
        }
    }

    /// Whether a comparison of the job has the same noise in every job, so that its error rate can be counted.
    pub(crate) fn fixed(self) -> bool {
        !matches!(self, Self::Alike | Self::ChiSquare)
    }

    /// The noise of a comparison of a job.
    pub(crate) fn cv(self, index: usize, groups: usize, rng: &mut ChaCha8Rng) -> f64 {
        let last = groups - 1;
        let times = match self {
            Self::Alike => 1.0,
            Self::ChiSquare => (f64::from(TRUE_DF) / chi_square(TRUE_DF, rng)).sqrt(),
            Self::LogNormal => log_normal(TENFOLD, index, groups),
            Self::LogNormalOfThree => log_normal(THREEFOLD, index, groups),
            Self::TwoGroups => [1.0, TENFOLD][usize::from(index >= groups / 2)],
            Self::TwoGroupsOfThree => [1.0, THREEFOLD][usize::from(index >= groups / 2)],
            Self::History => [1.0, NEW_WORKLOAD][usize::from(index == last)],
            Self::OneOfTwo => [1.0, 2.0][usize::from(index == last)],
            Self::OneOfThree => [1.0, THREEFOLD][usize::from(index == last)],
        };
        TYPICAL_CV * times
    }

    /// Which comparisons of a job are made.
    pub(crate) fn compared(self, groups: usize) -> Vec<usize> {
        match self {
            Self::Alike | Self::ChiSquare => (0..groups).collect(),
            Self::History => vec![groups - 1],
            _ => {
                let many = groups.min(COMPARED);
                (0..many).map(|place| place * (groups - 1) / (many - 1)).collect()
            }
        }
    }

    pub(crate) fn lender(self) -> PriorSource {
        if self == Self::History { PriorSource::Earlier } else { PriorSource::Job }
    }
}

/// The place of a comparison in a log-normal law whose noisiest of all is so many `times` the quietest.
fn log_normal(times: f64, index: usize, groups: usize) -> f64 {
    let score = |index: usize| Normal::standard().inverse_cdf((index as f64 + 0.5) / groups as f64);
    times.powf(score(index) / score(groups - 1) / 2.0)
}
