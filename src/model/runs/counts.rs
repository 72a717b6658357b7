//! Counts that never vary, such as allocations or tokens: they have no noise.

use crate::metrics::words::{Quantity, meaning};
use crate::metrics::{Family, Metric};
use crate::units::Unit;

/// Up to this number, every whole number is a double.
const EXACT: f64 = 9_007_199_254_740_992.0;

/// Whether one variant's values are a constant count: two or more equal whole numbers. The metric has no unit, or bytes, and is
/// neither a time nor a rate.
///
/// # Examples
///
/// ```
/// use beyondnoise_model::metrics::Metric;
/// use beyondnoise_model::runs::is_constant_count;
///
/// assert!(is_constant_count(&Metric::named("allocs_per_op"), &[9.0, 9.0, 9.0]));
/// assert!(!is_constant_count(&Metric::named("allocs_per_op"), &[9.0, 10.0]));
/// // A time of whole seconds was rounded.
/// assert!(!is_constant_count(&Metric::named("build_s"), &[9.0, 9.0]));
/// assert!(!is_constant_count(&Metric::named("build_time"), &[9.0, 9.0]));
/// ```
pub fn is_constant_count(metric: &Metric, values: &[f64]) -> bool {
    let counts = matches!(metric.unit, Unit::None | Unit::Byte) && metric.family == Family::Other;
    let measured = || {
        let quantity = meaning(&metric.name).quantity;
        matches!(quantity, Quantity::Throughput | Quantity::Time | Quantity::Latency)
    };
    let whole = |value: &f64| value.fract() == 0.0 && value.abs() < EXACT;
    counts
        && values.len() > 1
        && values.iter().all(whole)
        && values.windows(2).all(|two| two[0].total_cmp(&two[1]).is_eq())
        && !measured()
}
