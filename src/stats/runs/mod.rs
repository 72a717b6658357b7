//! The runs of one build: a list of values, what it says in one number, and whether the runs belong together.
//!
//! A [`Sample`] has one value a run and is the input of all other modules. [`mean`], [`standard_deviation`] and [`quantile`]
//! sum it up; a quantile is interpolated between the order statistics, as serving clients and numpy do.
//!
//! Whether the runs are repeats of one thing is asked in four ways: one run unlike the others ([`outliers`]), a first run
//! before the server was warm ([`SlowLimits::slow_start`]), a drift or a memory along the order ([`Trend::of`], [`Autocorrelation::of`]), and
//! two clusters with no run between them ([`Modes::of`]).
//!
//! A run has requests, and a session has runs. The requests of one run share a queue, so they are not repeats: they give a
//! lower bound of the noise between runs ([`Components::of`]). [`LevelVariance::of`] says for nested repeats how
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

pub use modes::Modes;
pub use nested::{Leaf, LevelVariance};
pub use outliers::{
    SlowLimits, SlowStart, deleted_t_p_value, modified_z, outlier_p_value, outliers,
};
pub use sample::{Interval, InvalidSample, Sample};
pub use selection::{binned_quantiles, sort_near};
pub use spread::{
    BATCHES, Components, mean_standard_error, quantile_standard_error, reduced_mean_standard_error,
};
pub use statistic::{mean, quantile, standard_deviation};
pub use trend::{Autocorrelation, Trend};
