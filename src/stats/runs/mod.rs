//! The runs of one build: a list of values, what it says in one number, and whether the runs belong together.
//!
//! A [`Sample`] has one value a run and is the input of all other modules. [`mean`], [`standard_deviation`] and [`quantile`]
//! sum it up; a quantile is interpolated between the order statistics, as serving clients and numpy do.
//!
//! Whether the runs are repeats of one thing is asked in four ways: one run unlike the others ([`outliers`]), a first run
//! before the server was warm ([`slow_start`]), a drift or a memory along the order ([`mann_kendall`], [`lag1`]), and
//! two clusters with no run between them ([`two_modes`]).
//!
//! A run has requests, and a session has runs. The requests of one run share a queue, so they are not repeats: they give a
//! lower bound of the noise between runs ([`components`]). [`variance_components`] says for nested repeats how
//! much each level varies and at which one more repeat buys most.

mod modes;
mod nested;
mod outliers;
pub(crate) mod rank_weights;
pub(crate) mod sample;
pub(crate) mod selection;
pub(crate) mod spread;
pub(crate) mod statistic;
mod trend;

pub use modes::{Modes, clear_modes, two_modes};
pub use nested::{Leaf, LevelVariance, variance_components};
pub use outliers::{
    SlowLimits, SlowStart, deleted_t_p_value, modified_z, outlier_p_value, outliers, slow_start,
    slow_start_with,
};
pub use sample::{Interval, InvalidSample, Sample};
pub use selection::{binned_quantiles, sort_near};
pub use spread::{
    BATCHES, Components, components, log_sd_interval, mean_standard_error, quantile_standard_error,
    reduced_mean_standard_error, within_share,
};
pub use statistic::{Statistic, between, mean, position_of, quantile, standard_deviation};
pub use trend::{Autocorrelation, Trend, lag1, mann_kendall, mann_kendall_blocks};
