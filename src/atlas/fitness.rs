//! The conditions under which comparisons may use published noise.

use std::fmt;

use crate::runs::{Run, Variant};

/// Fewest requests of a run: with fewer, no grade has its stated level.
pub const MIN_REQUESTS: u64 = 100;

/// Largest difference of the input tokens of two runs, a fraction.
const INPUT_WITHIN: f64 = 0.005;

/// Largest difference of the generated tokens of two runs, a fraction.
const OUTPUT_WITHIN: f64 = 0.02;

/// Whether runs are like those of the atlas: at least 100 requests, the same work, no failures.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Fitness {
    /// They are like those of the atlas.
    Fit,
    /// A run has only this number of requests.
    FewRequests(u64),
    /// The input tokens of two runs differ by this fraction.
    InputTokens(f64),
    /// The generated tokens of two runs differ by this fraction.
    OutputTokens(f64),
    /// This number of requests failed.
    Failed(u64),
    /// A necessary number is not known.
    NotKnown(&'static str),
}

impl Fitness {
    /// The fitness of two variants' runs, all together.
    pub fn of(baseline: &Variant, candidate: &Variant) -> Self {
        let runs = || baseline.runs.iter().chain(&candidate.runs);
        let failed: u64 = runs().map(failed).sum();
        if failed > 0 {
            return Self::Failed(failed);
        }
        match least_and_most(runs().map(requests)) {
            None => return Self::NotKnown("the number of requests is"),
            Some((least, _)) if least < MIN_REQUESTS => return Self::FewRequests(least),
            Some(_) => {}
        }
        match difference(runs().map(|run| run.workload.input_tokens)) {
            None => return Self::NotKnown("the input tokens are"),
            Some(apart) if apart > INPUT_WITHIN => return Self::InputTokens(apart),
            Some(_) => {}
        }
        match difference(runs().map(|run| run.info.output_tokens)) {
            None => Self::NotKnown("the generated tokens are"),
            Some(apart) if apart > OUTPUT_WITHIN => Self::OutputTokens(apart),
            Some(_) => Self::Fit,
        }
    }

    /// Whether the runs may use published noise.
    pub fn is_fit(self) -> bool {
        self == Self::Fit
    }
}

/// The reason, as words after a colon; empty for runs that are fit.
impl fmt::Display for Fitness {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let percent = |share: f64| format!("{:.1} %", 100.0 * share);
        match self {
            Self::Fit => Ok(()),
            Self::FewRequests(n) => write!(f, "{n} requests a run, fewer than {MIN_REQUESTS}"),
            Self::InputTokens(apart) => write!(f, "the input tokens differ by {}", percent(*apart)),
            Self::OutputTokens(apart) => {
                write!(f, "the generated tokens differ by {}", percent(*apart))
            }
            Self::Failed(1) => write!(f, "a request failed"),
            Self::Failed(n) => write!(f, "{n} requests failed"),
            Self::NotKnown(what) => write!(f, "{what} not known"),
        }
    }
}

/// Requests of a run that are known to have failed.
fn failed(run: &Run) -> u64 {
    let missing = run.workload.requests.zip(run.info.completed);
    let missing = missing.map_or(0, |(sent, done)| sent.saturating_sub(done));
    run.info.failed.unwrap_or(0).max(missing)
}

fn requests(run: &Run) -> Option<u64> {
    run.info.completed.or(run.workload.requests)
}

/// The smallest and the largest count; `None` unless all are known.
fn least_and_most(counts: impl Iterator<Item = Option<u64>>) -> Option<(u64, u64)> {
    let all: Vec<u64> = counts.collect::<Option<_>>()?;
    Some((*all.iter().min()?, *all.iter().max()?))
}

/// Excess of the largest count over the smallest, a fraction; `None` unless all are known and above 0.
fn difference(counts: impl Iterator<Item = Option<u64>>) -> Option<f64> {
    let (least, most) = least_and_most(counts)?;
    (least > 0).then(|| most as f64 / least as f64 - 1.0)
}
