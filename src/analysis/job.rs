//! The settings and data that all comparisons of a call share.

use crate::analysis::controls::Named;
use crate::noise_prior::NoisePool;
use crate::policy::Policy;

/// The settings and data that all comparisons of a call share.
#[derive(Clone, Copy)]
pub(super) struct Job<'a> {
    pub(super) noise: &'a NoisePool<'a>,
    pub(super) policy: &'a Policy,
    pub(super) variants: &'a [&'a str],
    pub(super) control: &'a Named<'a>,
    /// Whether the call is a batch, which gives no verdict without suspected runs.
    pub(super) batch: bool,
}
