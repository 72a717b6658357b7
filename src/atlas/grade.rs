//! Grades: the result for one run each.

use schemars::JsonSchema;
use serde::Serialize;

use crate::atlas::Published;
use crate::stats::{SetUp, Variance};

/// How rarely two runs of one unchanged build differ by as much as the measured change. It has one digit, since the atlas is
/// accurate to a factor of two.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Grade {
    /// In at most 1 of 100 pairs: p up to 1 %.
    VeryLikely,
    /// In 1 to 5 of 100: p up to 5 %.
    Likely,
    /// In 5 to 20 of 100: p up to 20 %.
    Unclear,
    /// More often.
    MaybeNoise,
}

/// Largest share of pairs for each grade except the last.
const LIMITS: [(f64, Grade); 3] =
    [(0.01, Grade::VeryLikely), (0.05, Grade::Likely), (0.2, Grade::Unclear)];

/// Largest factor between a share and a limit for a share at the border.
const BORDER: f64 = 1.3;

impl Grade {
    /// The grade of a share of pairs of equal builds, in [0, 1].
    ///
    /// # Examples
    ///
    /// ```
    /// use beyondnoise::atlas::Grade;
    ///
    /// assert_eq!([0.004, 0.063, 0.39].map(Grade::of), [Grade::VeryLikely, Grade::Unclear, Grade::MaybeNoise]);
    /// ```
    pub fn of(p: f64) -> Self {
        let found = LIMITS.iter().find(|(limit, _)| p <= *limit);
        found.map_or(Self::MaybeNoise, |(_, grade)| *grade)
    }

    /// The grade beyond a limit that is within a factor of 1.3 of the share; `None` if no limit is.
    pub fn beside(p: f64) -> Option<Self> {
        let near = |(limit, _): &&(f64, Self)| p / limit <= BORDER && limit / p <= BORDER;
        let (limit, below) = LIMITS.iter().find(near)?;
        Some(if p <= *limit { Self::of(limit * BORDER) } else { *below })
    }

    /// The text in the JSON document.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::VeryLikely => "very_likely",
            Self::Likely => "likely",
            Self::Unclear => "unclear",
            Self::MaybeNoise => "maybe_noise",
        }
    }

    /// The words for a change, for the better or for the worse.
    pub fn words(self, better: bool) -> String {
        let way = if better { "faster" } else { "slower" };
        match self {
            Self::VeryLikely => format!("very likely {way}"),
            Self::Likely => format!("likely {way}"),
            Self::Unclear => "unclear".to_owned(),
            Self::MaybeNoise => "may well be noise".to_owned(),
        }
    }
}

/// The answer of published repeats for one metric of one run each.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct PublishedRow {
    /// Share of pairs of runs of one unchanged build that differ by as much or more.
    #[schemars(range(min = 0, max = 1))]
    pub p: f64,
    /// The grade of that share.
    pub grade: Grade,
    /// Quartiles of the published run-to-run CV, fractions.
    #[schemars(inner(range(min = 0)))]
    pub usual_cv: [f64; 2],
    /// Sources behind it.
    #[schemars(range(min = 1))]
    pub sources: usize,
    /// Their set-ups.
    #[schemars(range(min = 1))]
    pub setups: usize,
    /// Set-ups of the user's history, which count as one more source.
    pub own_setups: usize,
}

impl PublishedRow {
    /// Grade of a log ratio by published repeats and by the variances of a history.
    pub(crate) fn new(published: &Published, history: &[Variance], log_ratio: f64) -> Self {
        let weight = SetUp::weight_of(history.len());
        let own: Vec<SetUp> =
            history.iter().map(|variance| SetUp { variance: *variance, weight }).collect();
        let with_own = published.noise.with(published.sources as f64, &own);
        let p = with_own.unwrap_or(published.noise).p_value(log_ratio, (1, 1));
        Self {
            p,
            grade: Grade::of(p),
            usual_cv: published.usual(),
            sources: published.sources,
            setups: published.set_ups,
            own_setups: history.len(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// By hand: 6.3 % is 1.26 times 5 %, 8.3 % 1.66 times, 22 % 1.1 times 20 %, 0.8 % is 1 % over 1.25.
    #[test]
    fn a_share_near_a_limit_is_at_the_border() {
        let beside = [0.063, 0.083, 0.22, 0.008, 0.0037, 0.39].map(Grade::beside);
        let expected =
            [Some(Grade::Likely), None, Some(Grade::Unclear), Some(Grade::Likely), None, None];
        assert_eq!(beside, expected);
        assert_eq!(Grade::of(0.05), Grade::Likely);
        assert_eq!(Grade::of(f64::NAN), Grade::MaybeNoise);
    }
}
