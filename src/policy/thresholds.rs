//! When checks fire: one number per trigger, each with its default.

use serde::{Deserialize, Serialize};

use crate::policy::values::{positive, share};

/// When checks fire. Shares, ratios of changes and CVs are fractions, times are seconds.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Thresholds {
    /// `low-resolution`: runs of a variant below which the resolution is low.
    pub few_runs: usize,
    /// `failed-requests`: share of failed requests above which nothing is judged.
    #[serde(deserialize_with = "share")]
    pub failed_share: f64,
    /// `failed-requests`: difference of the shares of failed requests above which nothing is judged.
    #[serde(deserialize_with = "share")]
    pub failed_difference: f64,
    /// `output-tokens-drift`: difference of generated tokens that is worth a warning.
    #[serde(deserialize_with = "share")]
    pub output_tokens_warn: f64,
    /// `output-tokens-drift`: difference of generated tokens at which duration is not judged.
    #[serde(deserialize_with = "share")]
    pub output_tokens_block: f64,
    /// `saturated-open-loop`: share of the offered rate below which the server does not keep up.
    pub keeps_up: f64,
    /// `thin-tail`: requests beyond a quantile below which the tail is thin.
    #[serde(deserialize_with = "positive")]
    pub tail_requests: f64,
    /// `noisy`: run-to-run CV of a deciding metric that is worth a warning.
    #[serde(deserialize_with = "share")]
    pub noisy_warn: f64,
    /// `noisy`: run-to-run CV of a deciding metric above which something is wrong with the measurement.
    #[serde(deserialize_with = "share")]
    pub noisy_broken: f64,
    /// `outlier-run`: modified z-score beyond which a run is an outlier.
    #[serde(deserialize_with = "positive")]
    pub outlier_score: f64,
    /// `outlier-run`: runs of a variant from which outliers are looked for.
    pub outlier_runs: usize,
    /// `slow-first-run`: median absolute deviations by which the first of four or more runs is worse.
    #[serde(deserialize_with = "positive")]
    pub slow_first_deviations: f64,
    /// `slow-first-run`: fraction by which the first of three runs is worse.
    #[serde(deserialize_with = "share")]
    pub slow_first_share: f64,
    /// Share of the comparisons in which nothing is wrong that carry a warning of any of the checks that chance can
    /// set off: they share this level.
    #[serde(deserialize_with = "share")]
    pub chance_level: f64,
    /// `first-cell-outlier`: gap between the first of several single runs and the nearest other, over the range
    /// of the others.
    pub first_cell_gap: f64,
    /// `cache-warm`: ratio of the first run's TTFT to the median of the later ones.
    #[serde(deserialize_with = "positive")]
    pub cache_warm_ratio: f64,
    /// `cache-warm`: difference of the first run's TPOT from the median of the later ones up to which it is alike.
    pub cache_warm_alike: f64,
    /// `two-modes`: gap between the clusters over the widest gap inside one.
    pub two_modes_gap: f64,
    /// `order-confounded`: part of a drift that the change would hold, over that of all runs of one variant before all
    /// of the other.
    #[serde(deserialize_with = "share")]
    pub order_leak: f64,
    /// `unequal-noise`: ratio of the variances of the two variants.
    #[serde(deserialize_with = "positive")]
    pub unequal_variance: f64,
    /// `short-run`: seconds below which a run is short.
    #[serde(deserialize_with = "positive")]
    pub short_seconds: f64,
    /// `short-run`: mean end-to-end latencies that a run has to last.
    #[serde(deserialize_with = "positive")]
    pub short_latencies: f64,
    /// `inconsistent-block`: difference of a printed rate from what its own tokens and duration give.
    #[serde(deserialize_with = "share")]
    pub inconsistent: f64,
    /// `little-law`: difference of requests in flight from the cap.
    #[serde(deserialize_with = "share")]
    pub little_law: f64,
    /// Account of a request: difference from the change of the measured end-to-end latency at which it is left
    /// out.
    pub account: f64,
    /// `claim-check`: difference of a written percentage from the measured one, as a fraction of one.
    #[serde(deserialize_with = "share")]
    pub claim_difference: f64,
    /// `unit-suspect`: how far from 1000 (or 0.001) a ratio may be, as a factor.
    #[serde(deserialize_with = "positive")]
    pub unit_factor: f64,
}

impl Default for Thresholds {
    fn default() -> Self {
        Self {
            few_runs: 5,
            failed_share: 0.01,
            failed_difference: 0.001,
            output_tokens_warn: 0.005,
            output_tokens_block: 0.02,
            keeps_up: 0.95,
            tail_requests: 10.0,
            noisy_warn: 0.05,
            noisy_broken: 0.10,
            outlier_score: 3.5,
            outlier_runs: 5,
            slow_first_deviations: 3.0,
            slow_first_share: 0.10,
            chance_level: 0.05,
            first_cell_gap: 3.0,
            cache_warm_ratio: 1.5,
            cache_warm_alike: 0.1,
            two_modes_gap: 1.5,
            order_leak: 0.5,
            unequal_variance: 9.0,
            short_seconds: 30.0,
            short_latencies: 5.0,
            inconsistent: 0.005,
            little_law: 0.05,
            account: 0.05,
            claim_difference: 0.001,
            unit_factor: 2.0,
        }
    }
}
