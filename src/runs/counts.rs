//! Counts that never vary, such as allocations or tokens: there is no noise in them.

use crate::metrics::{Family, Metric};
use crate::units::Unit;

/// Words in the names of times and rates, which may be printed as whole numbers and are no counts.
const MEASURED: &str = "\
    duration elapsed fps latency ops per_s per_sec qps rate rps runtime sec seconds speed \
    throughput time tps ttft wall";

/// The largest whole number up to which every whole number is a double.
const EXACT: f64 = 9_007_199_254_740_992.0;

/// Whether these values of one variant are a count that does not vary: whole numbers, two or more and all equal, of a
/// metric without a unit, or of bytes, that is neither a time nor a rate.
///
/// # Examples
///
/// ```
/// use beyondnoise::metrics::Metric;
/// use beyondnoise::runs::is_constant_count;
///
/// assert!(is_constant_count(&Metric::named("allocs_per_op"), &[9.0, 9.0, 9.0]));
/// assert!(!is_constant_count(&Metric::named("allocs_per_op"), &[9.0, 10.0]));
/// // A time of whole seconds was rounded.
/// assert!(!is_constant_count(&Metric::named("build_s"), &[9.0, 9.0]));
/// assert!(!is_constant_count(&Metric::named("build_time"), &[9.0, 9.0]));
/// ```
pub fn is_constant_count(metric: &Metric, values: &[f64]) -> bool {
    let counts = matches!(metric.unit, Unit::None | Unit::Byte) && metric.family == Family::Other;
    let name = metric.name.to_lowercase();
    let measured = |word: &str| {
        name.split(|c: char| !c.is_alphanumeric()).any(|part| part == word)
            || word.contains('_') && name.contains(word)
    };
    let whole = |value: &f64| value.fract() == 0.0 && value.abs() < EXACT;
    counts
        && !MEASURED.split(' ').any(measured)
        && values.len() > 1
        && values.iter().all(whole)
        && values.windows(2).all(|two| two[0].total_cmp(&two[1]).is_eq())
}
