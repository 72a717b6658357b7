//! The identifiers of the checks.

use serde::{Serialize, Serializer};

/// Makes the enum of identifiers, with their texts.
macro_rules! ids {
    ($($id:ident $text:literal,)+) => {
        /// Identifier of a check, stable: `TooFewRuns` is `too-few-runs` in the JSON document.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        #[non_exhaustive]
        pub enum CheckId {
            $(#[doc = concat!("`", $text, "`, see [`CHECKS`](crate::checks::CHECKS).")] $id,)+
        }

        impl CheckId {
            #[cfg(test)]
            pub(super) const ALL: &[Self] = &[$(Self::$id,)+];

            /// Its text in the JSON document.
            pub const fn as_str(self) -> &'static str {
                match self {
                    $(Self::$id => $text,)+
                }
            }
        }
    };
}

ids! {
    WorkloadMismatch "workload-mismatch",
    ToolMismatch "tool-mismatch",
    FailedRuns "failed-runs",
    TooFewRuns "too-few-runs",
    PerRequestRows "per-request-rows",
    FailedRequests "failed-requests",
    OutputTokensDrift "output-tokens-drift",
    ContradictingMetrics "contradicting-metrics",
    BurstLoad "burst-load",
    SaturatedOpenLoop "saturated-open-loop",
    P99StartupBurst "p99-startup-burst",
    CacheWarm "cache-warm",
    SlowFirstRun "slow-first-run",
    FirstCellOutlier "first-cell-outlier",
    OutlierRun "outlier-run",
    ClaimCheck "claim-check",
    OrderConfounded "order-confounded",
    Drift "drift",
    OneWayPairs "one-way-pairs",
    PreAveraged "pre-averaged",
    Noisy "noisy",
    TwoModes "two-modes",
    SeveralLevels "several-levels",
    UnequalNoise "unequal-noise",
    Autocorrelation "autocorrelation",
    LabelsDiffer "labels-differ",
    DoubtfulReading "doubtful-reading",
    DuplicateRun "duplicate-run",
    LowResolution "low-resolution",
    BorrowedNoise "borrowed-noise",
    NothingBorrowed "nothing-borrowed",
    IterationsAsRuns "iterations-as-runs",
    NestedRuns "nested-runs",
    FromAverages "from-averages",
    UnpairedRuns "unpaired-runs",
    RunsToPlan "runs-to-plan",
    RateLimitedThroughput "rate-limited-throughput",
    EnvMismatch "env-mismatch",
    MachineState "machine-state",
    UnitSuspect "unit-suspect",
    InconsistentBlock "inconsistent-block",
    ShortRun "short-run",
    LittleLaw "little-law",
    InputTokensDiffer "input-tokens-differ",
    OneSidedMetric "one-sided-metric",
    ThinTail "thin-tail",
    ExtremeMetric "extreme-metric",
    NoDirection "no-direction",
    DependentMetrics "dependent-metrics",
    SpeedOnly "speed-only",
    MachineChanged "machine-changed",
    TradeOff "trade-off",
}

impl CheckId {
    /// Its text as words: `too few runs`.
    pub fn words(self) -> String {
        self.as_str().replace('-', " ")
    }
}

impl Serialize for CheckId {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}
