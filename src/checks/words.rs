//! Numbers and sentences as the messages of checks have them.

pub(super) use crate::format::{p_value, percent, sentence};

/// A change as `−15.9 %`.
pub(super) fn signed(fraction: f64) -> String {
    crate::format::change(fraction, 1)
}
