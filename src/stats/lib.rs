#![doc = include_str!("README.md")]

mod across;
mod averages;
mod bca;
mod beyond_others;
mod bisection;
mod bootstrap;
mod capacity;
mod cornish_fisher;
mod curve;
mod difference_distribution;
mod distribution;
mod draw;
mod empirical_bayes;
mod empirical_distribution;
pub mod history;
mod hodges_lehmann;
mod lenth;
mod list_noise;
mod logarithm;
mod modes;
mod multiplicity;
mod nested;
mod noise;
mod noise_mixture;
mod normal_mixture;
mod outliers;
mod paired;
mod planned;
mod power;
mod prior_fit;
mod rank;
mod rank_weights;
mod resample_distribution;
mod sample;
mod selection;
mod sequential;
mod shared_change;
mod simultaneous;
mod spread;
mod standard_error;
mod statistic;
mod terms;
mod trend;
mod trigamma;
mod two_sample;
mod variance_pool;

pub use across::{Across, STATISTICS};
pub use averages::{Average, average_deltas};
pub use beyond_others::{CellNoise, Excess, beyond_others};
pub use bootstrap::{Resampled, resampled};
pub use capacity::{
    Broken, Capacity, CapacityChange, Limit, LoadRuns, Reached, capacity, limit_p_value,
};
pub use curve::{Curve, Curves};
pub use distribution::{normal_quantile, t_cdf, t_quantile};
pub use empirical_bayes::{Prior, PriorRefusal, PriorSource, Variance};
pub use hodges_lehmann::hodges_lehmann;
pub use lenth::{pseudo_standard_error, unreplicated_noise};
pub use list_noise::{CellRuns, ListNoise};
pub use modes::{Modes, clear_modes, two_modes};
pub use multiplicity::{
    benjamini_hochberg, false_coverage_levels, holm, holm_levels, weighted_holm,
};
pub use nested::{Leaf, LevelVariance, variance_components};
pub use noise::{
    break_even_cv, coarse_levels, equal_noise_p_value, log_sd, noise_above_p_value, pooled_cv,
};
pub use noise_mixture::{NoiseMixture, SetUp};
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
pub use selection::{binned_quantiles, sort_near};
pub use sequential::{LastLook, Look, MAX_LOOKS, looks, planned_looks, spent_alpha};
pub use shared_change::{SpanningRuns, shared_change, spanning_change, unequal_groups_p_value};
pub use simultaneous::simultaneous_intervals;
pub use spread::{
    BATCHES, Components, components, log_sd_interval, mean_standard_error, quantile_standard_error,
    reduced_mean_standard_error, within_share,
};
pub use statistic::{Statistic, between, mean, position_of, quantile, standard_deviation};
pub use terms::{Method, Resampling, Scale, Undefined};
pub use trend::{Autocorrelation, Trend, lag1, mann_kendall, mann_kendall_blocks};
pub use two_sample::TwoSample;
pub use variance_pool::VariancePool;
