//! The table of all checks: identifier, severities, what it notices, thresholds, function.
//!
//! [`CheckId`], the manual's page of checks and the identifiers of the JSON schemas come from it. A comparison runs the
//! functions in the order of the table; findings of equal weight keep this order.

use serde::{Serialize, Serializer};

use crate::checks::{
    Context, Finding, Severity, averages, claims, consistency, environment, first_run, iterations,
    levels, load, measurement, order, outlier_run, planned, requests, runs, same_fact, spread,
};

/// A check as it is described to its users.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct CheckInfo {
    /// Identifier.
    pub id: CheckId,
    /// The severities that its finding can have.
    pub severities: &'static [Severity],
    /// When it fires, and what that means.
    pub notices: &'static str,
    /// Its thresholds: keys of the section `[checks]` of a policy file.
    pub thresholds: &'static [&'static str],
    /// Whether its warning could turn the headline: the finding can make a change or hide one.
    pub flips: bool,
    /// Where it looks.
    pub scope: Scope,
    /// Whether it can stop a deciding metric by itself, which then does not share alpha with the others.
    pub(super) stops_metrics: bool,
    /// The check of a comparison; `None` where another part of the program makes the finding.
    pub(super) function: Option<fn(&Context) -> Option<Finding>>,
}

/// Where a check looks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// At the two variants of a comparison.
    Comparison,
    /// At the repeated runs of one build (`beyondnoise noise`).
    Noise,
    /// At both.
    Both,
}

/// Makes the identifiers and the table from one list.
macro_rules! checks {
    ($($id:ident $name:literal [$($severity:ident)+] $notices:literal $info:expr;)+) => {
        /// Identifier of a check, stable: `TooFewRuns` is `too-few-runs` in the JSON document.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        #[non_exhaustive]
        pub enum CheckId {
            $(#[doc = $notices] $id,)+
        }

        impl CheckId {
            /// The text in the JSON document.
            pub const fn as_str(self) -> &'static str {
                match self {
                    $(Self::$id => $name,)+
                }
            }
        }

        /// Every check, in the order in which findings of equal weight are shown.
        ///
        /// # Examples
        ///
        /// ```
        /// use beyondnoise::checks::{CHECKS, CheckId, Severity};
        ///
        /// let check = CHECKS.iter().find(|check| check.id == CheckId::FailedRequests).unwrap();
        /// assert_eq!(check.id.as_str(), "failed-requests");
        /// assert_eq!(check.severities, [Severity::Block, Severity::Warn]);
        /// assert_eq!(check.thresholds, ["failed_share", "failed_difference"]);
        /// ```
        pub const CHECKS: &[CheckInfo] = &[
            $(CheckInfo {
                id: CheckId::$id,
                severities: &[$(Severity::$severity),+],
                notices: $notices,
                ..$info
            },)+
        ];
    };
}

checks! {
    WorkloadMismatch "workload-mismatch" [Block]
        "requests, cap, rate, data set, model or input tokens (by more than 1 %) differ"
        OTHER;
    ToolMismatch "tool-mismatch" [Block]
        "the clients differ, and define their metrics differently"
        OTHER;
    TooFewRuns "too-few-runs" [Block]
        "a variant has one run, and its noise is not known from elsewhere"
        check(runs::too_few_runs);
    PerRequestRows "per-request-rows" [Block Note]
        "rows are requests of one run, or iterations of one process, instead of runs; a note where each side has \
         several processes"
        check(runs::per_request_rows);
    FailedRequests "failed-requests" [Block Warn]
        "any request failed; block if many did, if the shares differ, or if only one side counts them"
        check(requests::failed_requests).flips().thresholds(&["failed_share", "failed_difference"]);
    OutputTokensDrift "output-tokens-drift" [Block Warn]
        "the numbers of generated tokens differ; when blocked, duration and requests/s are not judged"
        check(requests::output_tokens_drift).flips().stops_metrics()
            .thresholds(&["output_tokens_warn", "output_tokens_block"]);
    ContradictingMetrics "contradicting-metrics" [Block Warn]
        "metrics that measure the same thing at a fixed workload changed differently: the outputs are not the same work"
        check(same_fact::contradicting_metrics).flips().stops_metrics()
            .thresholds(&["output_tokens_warn", "output_tokens_block"]);
    BurstLoad "burst-load" [Warn]
        "all requests start at once: TTFT is time in the queue, and throughput alone decides"
        check(load::burst_load).flips();
    SaturatedOpenLoop "saturated-open-loop" [Warn]
        "the server does not keep up with the offered rate: latency grows with the length of the test, and throughput \
         alone decides"
        check(load::saturated_open_loop).flips().thresholds(&["keeps_up"]);
    P99StartupBurst "p99-startup-burst" [Warn]
        "in a closed loop, as many requests start together as the tail holds: that quantile of TTFT is not judged"
        check(load::p99_startup_burst).stops_metrics();
    CacheWarm "cache-warm" [Warn Note]
        "the first run's TTFT is far above the later ones at the same prompts and TPOT: the prefix cache was cold"
        check(first_run::cache_warm).thresholds(&["cache_warm_ratio", "cache_warm_alike", "chance_level"]);
    SlowFirstRun "slow-first-run" [Warn Note]
        "the first run of a variant is worse than all its others; a note where chance explains it"
        check(first_run::slow_first_run).both()
            .thresholds(&["slow_first_deviations", "slow_first_share", "chance_level"]);
    FirstCellOutlier "first-cell-outlier" [Warn Note]
        "the first of three or more variants with one run each is an outlier, and the others agree"
        check(first_run::first_cell_outlier).flips()
            .thresholds(&["first_cell_gap", "slow_first_share", "chance_level"]);
    OutlierRun "outlier-run" [Warn Note]
        "a run is far from the median of its variant: the verdict without it is shown too, and it is never left out"
        check(outlier_run::outlier_run).both().thresholds(&["outlier_score", "outlier_runs", "chance_level"]);
    ClaimCheck "claim-check" [Warn Note]
        "a percentage written beside a result matches, differs, has the other sign, or holds only against another \
         variant"
        check(claims::claim_check).thresholds(&["claim_difference"]);
    OrderConfounded "order-confounded" [Warn]
        "all runs of one variant, or nearly all, were made before those of the other: a drift looks like a change"
        check(order::order_confounded).flips().thresholds(&["order_leak", "chance_level"]);
    Drift "drift" [Warn Note]
        "a deciding metric has a trend over the runs of one variant or of both (Mann-Kendall)"
        check(order::drift).flips().both().thresholds(&["chance_level"]);
    OneWayPairs "one-way-pairs" [Warn]
        "one variant came first in every pair"
        check(order::one_way_pairs).flips();
    PreAveraged "pre-averaged" [Warn]
        "all values are equal, or as coarse as their last printed digit: half a digit is the least noise assumed"
        check(spread::pre_averaged).flips().both();
    Noisy "noisy" [Warn Note]
        "the run-to-run CV of a deciding metric is large"
        check(spread::noisy).both().thresholds(&["noisy_warn", "noisy_broken", "chance_level"]);
    TwoModes "two-modes" [Warn Note]
        "the runs form two clusters; a note where the clusters are closer than the margin"
        check(spread::two_modes).both().thresholds(&["two_modes_gap", "chance_level"]);
    SeveralLevels "several-levels" [Warn Note]
        "more than a fifth of the runs are far from the median: the values keep to several levels"
        OTHER.noise();
    UnequalNoise "unequal-noise" [Note]
        "one variant is much noisier than the other"
        check(spread::unequal_noise).thresholds(&["unequal_variance", "chance_level"]);
    Autocorrelation "autocorrelation" [Warn Note]
        "each run resembles the run before it, or differs from it by turns"
        OTHER.noise();
    LabelsDiffer "labels-differ" [Warn]
        "the labels of runs taken as repeats differ in more than a number"
        OTHER.noise();
    DuplicateRun "duplicate-run" [Block Warn]
        "two runs are equal in every figure: they count once, rows of one table as two runs; block if that leaves a \
         variant one run"
        check(runs::duplicate_run).both();
    LowResolution "low-resolution" [Warn]
        "there are few runs, but more than one: the smallest change that they find"
        check(planned::low_resolution).thresholds(&["few_runs"]);
    BorrowedNoise "borrowed-noise" [Warn Note]
        "the noise is not estimated from these runs alone"
        check(runs::borrowed_noise).flips();
    NothingBorrowed "nothing-borrowed" [Warn Note]
        "noise known from elsewhere is not used, since it varies too much or these runs are noisier; or --noise asked \
         for it and there was none"
        check(runs::nothing_borrowed);
    IterationsAsRuns "iterations-as-runs" [Warn]
        "the user takes iterations of one process as runs: differences between processes are not in the noise"
        check(iterations::iterations_as_runs).flips().both();
    NestedRuns "nested-runs" [Note]
        "the user named levels of repeats: which one counts, and how many of each there are"
        check(levels::nested_runs);
    FromAverages "from-averages" [Block Warn]
        "the noise is the standard deviation printed beside averages; block where averages are mixed with single runs"
        check(averages::from_averages);
    UnpairedRuns "unpaired-runs" [Warn]
        "--paired left out runs without a partner, or runs whose block the other variant lacks"
        check(runs::unpaired_runs).flips();
    RunsToPlan "runs-to-plan" [Note]
        "the noise is not known: the runs needed at three usual levels of noise"
        check(planned::runs_to_plan);
    RateLimitedThroughput "rate-limited-throughput" [Note]
        "an open loop that keeps up: throughput is the offered rate, and latency decides"
        check(load::rate_limited_throughput);
    EnvMismatch "env-mismatch" [Block Warn]
        "device, versions or flags differ, as far as the files say; block for the model of the device"
        check(environment::env_mismatch).flips();
    UnitSuspect "unit-suspect" [Block]
        "a ratio as between units: near 1000, 10^6 or 10^9, or very near 60 or 3600; also their inverses"
        check(consistency::unit_suspect).thresholds(&["unit_factor"]);
    InconsistentBlock "inconsistent-block" [Warn]
        "a printed rate is not its tokens over its duration, a median is not the P50, a P99 is below the median"
        check(consistency::inconsistent_block).flips().thresholds(&["inconsistent"]);
    ShortRun "short-run" [Warn]
        "runs are so short that start and end weigh much"
        check(consistency::short_run).flips().thresholds(&["short_seconds", "short_latencies"]);
    LittleLaw "little-law" [Note]
        "in a closed loop, (TTFT + TPOT x (tokens - 1)) x req/s is not the cap"
        check(consistency::little_law).thresholds(&["little_law"]);
    InputTokensDiffer "input-tokens-differ" [Warn]
        "input tokens differ by up to 1 %"
        check(requests::input_tokens_differ).flips();
    OneSidedMetric "one-sided-metric" [Warn Note]
        "only one variant has the metric; a warning where it usually decides or was asked for"
        check(measurement::one_sided_metric).flips();
    ThinTail "thin-tail" [Note]
        "few requests lie beyond the quantile: it is not judged unless asked for"
        check(measurement::thin_tail).stops_metrics().thresholds(&["tail_requests"]);
    ExtremeMetric "extreme-metric" [Note]
        "a peak, a largest or a smallest value never decides"
        check(measurement::extreme_metric).stops_metrics();
    NoDirection "no-direction" [Note]
        "it is not known whether higher or lower is better: the metric is not judged"
        check(measurement::no_direction);
    DependentMetrics "dependent-metrics" [Note]
        "duration and throughputs measure the same thing, and are counted once"
        check(measurement::dependent_metrics);
    SpeedOnly "speed-only" [Note]
        "always: only the metrics shown are judged, not whether the answers are still right"
        check(measurement::speed_only);
    TradeOff "trade-off" [Note]
        "some metrics are better, others worse; where they decide, this is the headline"
        OTHER;
}

/// A finding of a comparison that is not made by a function of the table.
const OTHER: CheckInfo = CheckInfo {
    id: CheckId::SpeedOnly,
    severities: &[],
    notices: "",
    thresholds: &[],
    flips: false,
    scope: Scope::Comparison,
    stops_metrics: false,
    function: None,
};

/// A check of a comparison.
const fn check(function: fn(&Context) -> Option<Finding>) -> CheckInfo {
    CheckInfo { function: Some(function), ..OTHER }
}

impl CheckInfo {
    const fn thresholds(self, thresholds: &'static [&'static str]) -> Self {
        Self { thresholds, ..self }
    }

    const fn flips(self) -> Self {
        Self { flips: true, ..self }
    }

    const fn stops_metrics(self) -> Self {
        Self { stops_metrics: true, ..self }
    }

    const fn noise(self) -> Self {
        Self { scope: Scope::Noise, ..self }
    }

    const fn both(self) -> Self {
        Self { scope: Scope::Both, ..self }
    }
}

impl CheckId {
    /// Its entry in the table.
    pub fn info(self) -> &'static CheckInfo {
        // The table is made from the same list as the identifiers, in one order.
        &CHECKS[self as usize]
    }

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_identifier_finds_its_entry() {
        for check in CHECKS {
            assert_eq!(check.id.info().id, check.id);
            assert!(!check.severities.is_empty(), "{:?}", check.id);
        }
        assert_eq!(CheckId::P99StartupBurst.words(), "p99 startup burst");
    }
}
