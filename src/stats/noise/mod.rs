//! How much runs of one unchanged build differ, from these runs and from elsewhere.
//!
//! Noise is the standard deviation of the logarithm of a run's value, so that 0.02 is 2 %. [`Sample::log_sd`](crate::Sample::log_sd) is that of one build,
//! [`pooled_cv`] that of two.
//!
//! Three runs know their own noise badly. Where there are other comparisons of the same kind, a [`Prior`] is fitted to their
//! variances (empirical Bayes, Smyth 2004) and the comparison borrows from it; a [`VariancePool`] fits one for each of many
//! without the comparison itself. Many builds with one run each have Lenth's noise ([`Prior::unreplicated`]). Where there is
//! nothing else, a [`NoiseMixture`] holds what published repeats of other benchmarks say.

pub(crate) mod between_runs;
pub(crate) mod empirical_bayes;
mod lenth;
pub(crate) mod noise_mixture;
mod prior_fit;
mod variance_pool;

pub use between_runs::{break_even_cv, coarse_levels, pooled_cv};
pub use empirical_bayes::{Prior, PriorRefusal, PriorSource, Variance};
pub use noise_mixture::{NoiseMixture, SetUp};
pub use variance_pool::VariancePool;
