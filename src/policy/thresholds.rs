//! When checks fire: one number per trigger, each with its default.

use schemars::JsonSchema;
use serde::Serialize;

use crate::policy::kind::{COUNT, NUMBER, POSITIVE, SHARE};
use crate::policy::setting::{Setting, settings};

/// Declares the thresholds: the meaning of each, its name, type, default and kind of value.
macro_rules! thresholds {
    ($($(#[doc = $help:literal])+ $name:ident: $type:ty = $default:expr, $kind:ident;)+) => {
        /// When checks fire. Shares, ratios of changes and CVs are fractions, times are seconds.
        #[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
        pub struct Thresholds {
            $($(#[doc = $help])+ #[schemars(range(min = 0))] pub $name: $type,)+
        }

        impl Default for Thresholds {
            fn default() -> Self {
                Self { $($name: $default,)+ }
            }
        }

        /// The keys of the section `[checks]`.
        pub(super) const THRESHOLDS: &[Setting<Thresholds>] = settings! {
            $($(#[doc = $help])+ "checks" stringify!($name) => $name: $kind;)+
        };
    };
}

thresholds! {
    /// `low-resolution`: runs of a variant below which the resolution is low.
    few_runs: usize = 5, COUNT;
    /// `failed-runs`: runs that failed in one variant beyond the share of the other, from which on nothing is judged.
    failed_runs: usize = 2, COUNT;
    /// `failed-runs`: difference of the shares of failed runs from which on nothing is judged, if that many failed.
    failed_runs_share: f64 = 0.1, SHARE;
    /// `failed-requests`: share of failed requests above which nothing is judged.
    failed_share: f64 = 0.01, SHARE;
    /// `failed-requests`: difference of the shares of failed requests above which nothing is judged.
    failed_difference: f64 = 0.001, SHARE;
    /// `failed-requests`: difference of the successes of runs, whose requests are not counted, that is worth a warning.
    successes_difference: f64 = 0.1, SHARE;
    /// `output-tokens-drift`: difference of generated tokens that is worth a warning.
    output_tokens_warn: f64 = 0.005, SHARE;
    /// `output-tokens-drift`: difference of generated tokens at which duration is not judged.
    output_tokens_block: f64 = 0.02, SHARE;
    /// `saturated-open-loop`: share of the offered rate below which the server does not keep up.
    keeps_up: f64 = 0.95, NUMBER;
    /// `thin-tail`: requests beyond a quantile below which the tail is thin.
    tail_requests: f64 = 10.0, POSITIVE;
    /// `noisy`: run-to-run CV of a deciding metric that is worth a warning.
    noisy_warn: f64 = 0.05, SHARE;
    /// `noisy`: run-to-run CV of a deciding metric above which something is wrong with the measurement.
    noisy_broken: f64 = 0.10, SHARE;
    /// `outlier-run`: modified z-score beyond which a run is an outlier.
    outlier_score: f64 = 3.5, POSITIVE;
    /// `outlier-run`: runs of a variant from which outliers are looked for.
    outlier_runs: usize = 5, COUNT;
    /// `slow-first-run`: median absolute deviations by which the first of four or more runs is worse.
    slow_first_deviations: f64 = 3.0, POSITIVE;
    /// `slow-first-run`: fraction by which the first of three runs is worse.
    slow_first_share: f64 = 0.10, SHARE;
    /// Share of the comparisons without a problem that have a warning, over all checks that can fire by chance.
    chance_level: f64 = 0.05, SHARE;
    /// `first-cell-outlier`: gap between the first of several single runs and the nearest other, over the range
    /// of the others.
    first_cell_gap: f64 = 3.0, NUMBER;
    /// `cache-warm`: ratio of the first run's TTFT to the median of the later ones.
    cache_warm_ratio: f64 = 1.5, POSITIVE;
    /// `cache-warm`: difference of the first run's TPOT from the median of the later ones up to which it is alike.
    cache_warm_alike: f64 = 0.1, NUMBER;
    /// `two-modes`: gap between the clusters over the widest gap inside one.
    two_modes_gap: f64 = 1.5, NUMBER;
    /// `order-confounded`: share of a drift that would enter the change, relative to all runs of one variant before all
    /// of the other.
    order_leak: f64 = 0.5, SHARE;
    /// `machine-state`: processors above which another process is in the way of a run.
    busy_processors: f64 = 0.5, NUMBER;
    /// `machine-state`: difference of the mean temperatures of the two variants, in degrees.
    temperature_difference: f64 = 5.0, NUMBER;
    /// `unequal-noise`: ratio of the variances of the two variants.
    unequal_variance: f64 = 9.0, POSITIVE;
    /// `short-run`: seconds below which a run is short.
    short_seconds: f64 = 30.0, POSITIVE;
    /// `short-run`: mean end-to-end latencies that a run has to last.
    short_latencies: f64 = 5.0, POSITIVE;
    /// `inconsistent-block`: difference of a printed rate from the rate by its own tokens and duration.
    inconsistent: f64 = 0.005, SHARE;
    /// `little-law`: difference of requests in flight from the cap.
    little_law: f64 = 0.05, SHARE;
    /// Latency breakdown of a request: difference from the change of the measured end-to-end latency at which it
    /// is omitted.
    account: f64 = 0.05, NUMBER;
    /// `claim-check`: difference of a written percentage from the measured one, as a fraction of one.
    claim_difference: f64 = 0.001, SHARE;
    /// `unit-suspect`: how far from 1000 (or 0.001) a ratio may be, as a factor.
    unit_factor: f64 = 2.0, POSITIVE;
}
