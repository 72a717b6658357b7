//! The measured procedure: a method for intervals, numbers of runs, the power at an effect.

use std::fmt;
use std::str::FromStr;

use schemars::JsonSchema;
use serde::Serialize;

use crate::stats::{Across, Interval, Method};

/// Most simulated runs of a variant.
const MAX_SIMULATED_RUNS: usize = 1_000;

/// A method for intervals, with its statistic.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Procedure {
    /// Method for the interval; it is ignored for the centre of Hodges and Lehmann, which has its own.
    pub method: Method,
    /// Statistic over the runs of a variant.
    pub across: Across,
}

impl Procedure {
    /// Every method with every statistic, or the defaults without any; the centre of Hodges and Lehmann only once.
    ///
    /// # Examples
    ///
    /// ```
    /// use beyondnoise::calibrate::Procedure;
    /// use beyondnoise::stats::{Across, Method};
    ///
    /// let methods = [Method::Calibrated, Method::Welch];
    /// let all = Procedure::all_of(&methods, &[Across::MEAN, Across::HODGES_LEHMANN]);
    /// assert_eq!(all.len(), 3);
    /// assert_eq!(all[2].to_string(), "rank sums, hodges-lehmann");
    /// ```
    pub fn all_of(methods: &[Method], across: &[Across]) -> Vec<Self> {
        let methods = if methods.is_empty() { &[Method::Calibrated] } else { methods };
        let across = if across.is_empty() { &[Across::MEAN] } else { across };
        let mut all: Vec<Self> = Vec::new();
        for &across in across {
            for &method in methods {
                let ranks = across.has_rank_interval();
                let procedure =
                    Self { method: if ranks { Method::Calibrated } else { method }, across };
                if !all.contains(&procedure) {
                    all.push(procedure);
                }
            }
        }
        all
    }

    /// The word for the method.
    pub fn method(self) -> &'static str {
        match self.method {
            _ if self.across.has_rank_interval() => "rank sums",
            Method::Calibrated => "calibrated",
            Method::Percentile => "percentile",
            Method::Bca => "bca",
            Method::Welch => "welch",
        }
    }

    /// The word for the statistic.
    pub fn across(self) -> &'static str {
        self.across.word()
    }
}

impl fmt::Display for Procedure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}, {}", self.method(), self.across())
    }
}

/// Numbers of runs of the two variants, at most 1,000 each.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
pub struct Design {
    /// Runs of the baseline.
    #[serde(rename = "baseline_runs")]
    #[schemars(range(min = 1))]
    pub baseline: usize,
    /// Runs of the candidate.
    #[serde(rename = "candidate_runs")]
    #[schemars(range(min = 1))]
    pub candidate: usize,
}

impl Design {
    /// The same number of runs of both.
    pub const fn each(runs: usize) -> Self {
        Self { baseline: runs, candidate: runs }
    }

    /// Runs of the variant with fewer.
    pub fn fewest(self) -> usize {
        self.baseline.min(self.candidate)
    }

    /// Whether both variants have the same number of runs.
    pub fn equal(self) -> bool {
        self.baseline == self.candidate
    }

    /// A number below 2^24, different for each design.
    pub fn stream(self) -> u64 {
        (self.baseline as u64) << 12 | self.candidate as u64
    }
}

impl FromStr for Design {
    type Err = &'static str;

    /// `3` for three runs each, `3v10` for three against ten.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (baseline, candidate) = text.split_once('v').unwrap_or((text, text));
        let runs =
            |text: &str| text.trim().parse().ok().filter(|n| (1..=MAX_SIMULATED_RUNS).contains(n));
        runs(baseline)
            .zip(runs(candidate))
            .map(|(baseline, candidate)| Self { baseline, candidate })
            .ok_or("expected runs of each variant from 1 to 1000, such as 5, or two numbers, such as 3v10")
    }
}

impl fmt::Display for Design {
    /// `5`, or `3v10`, as [`FromStr`] reads it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.equal() {
            write!(f, "{}", self.baseline)
        } else {
            write!(f, "{}v{}", self.baseline, self.candidate)
        }
    }
}

/// How often a change is seen.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Power {
    /// The change of one variant, a fraction.
    #[schemars(extend("exclusiveMinimum" = -1))]
    pub effect: f64,
    /// Share of the comparisons with an interval that excludes zero; null without intervals.
    #[schemars(range(min = 0, max = 1))]
    pub power: Option<f64>,
}

/// Shift of a log delta by a change that is multiplied into the candidate.
///
/// # Panics
///
/// If the effect is -1 or less.
pub fn shift(effect: f64) -> f64 {
    assert!(effect > -1.0, "an effect of {effect} leaves nothing");
    effect.ln_1p()
}

/// Whether an interval of a log delta, moved by `shift`, excludes zero; an interval that touches it does not.
pub fn excludes_zero(interval: Interval, shift: f64) -> bool {
    interval.low + shift > 0.0 || interval.high + shift < 0.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn designs_are_read_as_they_are_written() {
        for text in ["3", "40", "3v10", "20v5"] {
            assert_eq!(
                text.parse::<Design>().map(|design| design.to_string()).as_deref(),
                Ok(text)
            );
        }
        assert_eq!("4v4".parse(), Ok(Design::each(4)));
        for wrong in ["", "0", "3v", "v3", "3x10", "-3", "1001", "2.5", "3v10v4"] {
            assert!(wrong.parse::<Design>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn an_interval_that_touches_no_change_does_not_exclude_it() {
        let interval = Interval { low: -0.5, high: 0.25, confidence: 0.95 };
        assert!(!excludes_zero(interval, 0.0) && !excludes_zero(interval, 0.5));
        assert!(excludes_zero(interval, 0.5001) && excludes_zero(interval, -0.2501));
    }
}
