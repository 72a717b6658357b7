//! The figures of one quantity of a run, from all its values.

use std::sync::LazyLock;

use crate::kit::cell_value::split_unit;
use crate::kit::detail::Detail;
use crate::table::request_names::{Kind, is_of_request};
use beyondnoise_model::metrics::Metric;
use beyondnoise_model::runs::{Metrics, QUANTILE_LEVELS, Requests, Value};
use beyondnoise_stats::{quantile, sort_near};

/// The figures that a run keeps of the values of a quantity.
#[derive(Default)]
pub(crate) struct Figures {
    /// Sum of the values, of which there is at least one.
    pub(crate) sum: Option<f64>,
    pub(crate) metrics: Metrics,
    /// Standard errors inside the run.
    pub(crate) requests: Option<Requests>,
}

impl Figures {
    /// The figures of `values`, which are in the order of the file; `bare` is the factor to milliseconds of a latency
    /// whose `name` has no unit.
    pub(crate) fn of(mut values: Vec<f64>, kind: &Kind, name: &str, bare: f64) -> Self {
        if values.is_empty() {
            return Self::default();
        }
        let Moments { sum, mean, deviation } = moments(&values);
        let mut figures = Self { sum: Some(sum), ..Self::default() };
        let mut put = |name: String, value: f64| {
            if value.is_finite() {
                let value = Value { value, resolution: 0.0 };
                figures.metrics.insert(Metric::named(&name).name, value);
            }
        };
        match kind {
            Kind::InputTokens | Kind::OutputTokens => {}
            Kind::Latency { stem, factor } => {
                let unitless = is_of_request(name) && split_unit(name).1.is_none();
                let factor = if unitless { factor * bare } else { *factor };
                let in_ms: Vec<f64> = values.iter().map(|value| value * factor).collect();
                put(format!("mean_{stem}_ms"), mean * factor);
                put(format!("std_{stem}_ms"), deviation * factor);
                for (word, value) in quantiles(&mut values, LEVELS) {
                    put(format!("{word}_{stem}_ms"), value * factor);
                }
                figures.requests = Some(of_requests(stem, in_ms, &figures.metrics));
            }
            Kind::Other(_) => {
                put(format!("mean_{name}"), mean);
                for (word, value) in quantiles(&mut values, &[LEVELS[0], LEVELS[3]]) {
                    put(format!("{word}_{name}"), value);
                }
            }
        }
        figures
    }
}

/// The columns of the quantiles of requests at [`QUANTILE_LEVELS`] in a reduced table: `p1`, `p2_5`, ... `p99_9`.
pub static QUANTILE_NAMES: LazyLock<Vec<String>> = LazyLock::new(|| {
    let name = |level: &f64| {
        let percent = format!("{:.1}", level * 100.0);
        format!("p{}", percent.trim_end_matches(".0").replace('.', "_"))
    };
    QUANTILE_LEVELS.iter().map(name).collect()
});

/// Levels of the quantiles of a latency.
pub(crate) const LEVELS: &[(&str, f64)] =
    &[("median", 0.5), ("p90", 0.9), ("p95", 0.95), ("p99", 0.99)];

/// Quantiles of values, which lose their order.
fn quantiles<'w>(
    values: &mut [f64],
    levels: &'w [(&'w str, f64)],
) -> impl Iterator<Item = (&'w str, f64)> {
    sort_near(values, &levels.iter().map(|(_, level)| *level).collect::<Vec<_>>());
    levels.iter().map(move |&(word, level)| (word, quantile(values, level)))
}

/// The standard errors of a latency that runs have.
fn of_requests(stem: &str, mut in_ms: Vec<f64>, metrics: &Metrics) -> Requests {
    let mut detail = Detail::default();
    for (known, values) in detail.latencies() {
        if known == stem {
            values.append(&mut in_ms);
        }
    }
    detail.reduce(metrics)
}

/// Sum, mean and standard deviation of some values.
struct Moments {
    sum: f64,
    mean: f64,
    /// With divisor n, as the clients print it.
    deviation: f64,
}

/// The moments of one value or more; the sum keeps the digits that rounding drops (Knuth's two-sum).
fn moments(values: &[f64]) -> Moments {
    let (mut sum, mut rest) = (0.0, 0.0);
    let (mut least, mut largest) = (f64::INFINITY, f64::NEG_INFINITY);
    for &value in values {
        let next: f64 = sum + value;
        let part = next - sum;
        rest += (sum - (next - part)) + (value - part);
        sum = next;
        (least, largest) = (value.min(least), value.max(largest));
    }
    let (sum, n) = (sum + rest, values.len() as f64);
    // The mean of equal values is that value, whatever the rounding.
    let mean = (sum / n).clamp(least, largest);
    let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    Moments { sum, mean, deviation: (squares / n).sqrt() }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// By hand: the sum of 1, 1e16, 1, -1e16 is 2, which plain addition loses; the squared deviations of
    /// 2, 4, 4, 4, 5, 5, 7, 9 from 5 add up to 32, over 8 that is 4.
    #[test]
    fn sums_keep_what_rounding_drops() {
        assert_eq!(moments(&[1.0, 1e16, 1.0, -1e16]).sum.to_bits(), 2f64.to_bits());
        let all = moments(&[2.0, 4.0, 4.0, 4.0, 5.0, 5.0, 7.0, 9.0]);
        assert!((all.mean - 5.0).abs() < 1e-15 && (all.deviation - 2.0).abs() < 1e-15);
    }

    #[test]
    fn equal_values_have_themselves_as_mean() {
        assert_eq!(moments(&[0.1; 1000]).mean.to_bits(), 0.1f64.to_bits());
    }
}
