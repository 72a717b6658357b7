//! The statistics: numbers in, numbers out.
//!
//! Nothing here knows a file, a metric or a variant. A [`Sample`] holds one value per *run*; what
//! is resampled is always the run, never a request inside one.

mod bca;
mod bisection;
mod bootstrap;
mod calibrated;
mod curve;
mod distribution;
mod multiplicity;
mod noise;
mod power;
mod sample;
mod statistic;

pub use calibrated::{Method, Scale, Undefined, delta, deltas};
pub use curve::Curve;
pub use distribution::{normal_quantile, t_cdf, t_quantile};
pub use multiplicity::{benjamini_hochberg, holm};
pub use noise::{break_even_cv, log_sd, pooled_cv};
pub(crate) use power::detectable_with;
pub use power::{detectable, power, runs_needed};
pub use sample::{Interval, InvalidSample, Sample};
pub use statistic::{Across, mean, quantile, standard_deviation};

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
