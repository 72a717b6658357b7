//! The statistics: numbers in, numbers out.
//!
//! Nothing here knows a file, a metric or a variant. A [`Sample`] holds one value per *run*; what
//! is resampled is always the run, never a request inside one.

mod averages;
mod bca;
mod bisection;
mod bootstrap;
mod calibrated;
mod compared;
mod cornish_fisher;
mod curve;
mod difference_distribution;
mod distribution;
mod draw;
mod empirical_bayes;
mod empirical_distribution;
mod lenth;
mod logarithm;
mod modes;
mod multiplicity;
mod nested;
mod noise;
mod outliers;
mod paired;
mod planned;
mod power;
mod rank;
mod rank_weights;
mod resample_distribution;
mod sample;
mod selection;
mod sequential;
mod spread;
mod standard_error;
mod statistic;
mod trend;
mod trigamma;
mod variance_pool;

pub use averages::{Average, average_deltas};
pub use bootstrap::{Resampled, resampled};
pub use calibrated::{
    Curves, Method, Scale, Undefined, delta, deltas, each_method, moderated_and_own_deltas,
    moderated_deltas,
};
pub use curve::Curve;
pub use distribution::{normal_quantile, t_cdf, t_quantile};
pub use empirical_bayes::{Prior, PriorRefusal, PriorSource, Variance};
pub use lenth::{pseudo_standard_error, unreplicated_noise};
pub use modes::{Modes, clear_modes, two_modes};
pub use multiplicity::{
    benjamini_hochberg, false_coverage_levels, holm, holm_levels, weighted_holm,
};
pub use nested::{Leaf, LevelVariance, variance_components};
pub use noise::{
    break_even_cv, coarse_levels, equal_noise_p_value, log_sd, noise_above_p_value, pooled_cv,
};
pub use outliers::{
    SlowLimits, SlowStart, deleted_t_p_value, modified_z, outlier_p_value, outliers, slow_start,
    slow_start_with,
};
pub use paired::paired_deltas;
pub use planned::{comparison_df, comparison_runs_needed};
pub use power::{
    MAX_PLANNED_RUNS, detectable, detectable_with, noise_at_most, power, power_with, runs_needed,
    runs_needed_with,
};
pub use rank::{rank_runs_needed, rank_sum_p_value};
pub use sample::{Interval, InvalidSample, Sample};
pub use selection::sort_near;
pub use sequential::{Look, MAX_LOOKS, looks, spent_alpha};
pub use spread::{
    Components, components, log_sd_interval, mean_standard_error, quantile_standard_error,
    within_share,
};
pub use statistic::{
    Across, between, hodges_lehmann, mean, position_of, quantile, standard_deviation,
};
pub use trend::{Autocorrelation, Trend, lag1, mann_kendall, mann_kendall_blocks};
pub use variance_pool::VariancePool;

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
