//! The change between two builds: its interval, its p-value and its probabilities, all from one curve.
//!
//! [`TwoSample`] compares the runs of two builds, each a [`Sample`](crate::runs::Sample), by a statistic [`Across`] the
//! runs, and gives a [`Curve`] on each [`Scale`]: of the logarithm of the ratio, and of the difference. The default
//! [`Method`] resamples whole runs, enumerated where they are few, and rescales the quantiles to the standard error and the
//! Student's t of small samples. Interval and p-value are read from the same curve and never disagree.
//!
//! Runs that belong together in pairs are compared within the pairs ([`Curve::of_pairs`]), runs of several sessions inside each
//! session ([`BySession::of`]); averages without their runs by
//! their standard deviations ([`Average::deltas`]). A comparison may borrow the noise of others
//! ([`TwoSample::moderated`]).

mod across;
mod averages;
mod bca;
mod bootstrap;
mod cornish_fisher;
pub(crate) mod curve;
mod difference_distribution;
mod draw;
mod empirical_distribution;
mod hodges_lehmann;
mod paired;
mod published;
mod rank;
mod resample_distribution;
mod sessions;
pub(crate) mod standard_error;
pub(crate) mod terms;
mod two_sample;

pub use crate::numerics::distribution::Student;
pub use across::Across;
pub use averages::Average;
pub use bootstrap::Resampled;
pub use curve::{Curve, Curves};
pub use rank::rank_sum_p_value;
pub use sessions::{BySession, SESSIONS_AS_UNITS};
pub use terms::{Method, Resampling, Scale, Undefined};
pub use two_sample::TwoSample;
