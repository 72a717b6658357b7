//! Names of columns in another unit than the registry's: `ttft_s`, `P99 ITL (us)`.

use crate::metrics::Metric;
use crate::units::Unit;

pub(super) mod words;

/// Units of time as names of columns have them.
const TIMES: &[(&str, Unit)] = &[
    ("ms", Unit::Millisecond),
    ("s", Unit::Second),
    ("us", Unit::Microsecond),
    ("µs", Unit::Microsecond),
    ("μs", Unit::Microsecond),
    ("ns", Unit::Nanosecond),
];

impl Metric {
    /// The metric that a column or a user calls by this name, and the unit that the name states.
    ///
    /// Case, blanks, underscores, brackets and the order of the words do not matter: `TTFT_p99_ms` and
    /// `P99 TTFT (ms)` are one metric. A time is understood in any unit of time; the unit is then that of the
    /// values, which may not be the metric's.
    ///
    /// # Examples
    ///
    /// ```
    /// use beyondnoise::metrics::Metric;
    /// use beyondnoise::units::Unit;
    ///
    /// let (metric, unit) = Metric::of_column("ttft_s");
    /// assert_eq!((&*metric.name, unit), ("ttft_ms", Unit::Second));
    /// assert_eq!(Metric::of_column("my_score").0.name, "my_score");
    /// ```
    pub fn of_column(name: &str) -> (Self, Unit) {
        let name = name.trim();
        let exact = Self::known(name).or_else(|| Self::from_text(name));
        let own = |metric: Self| (metric.unit, metric);
        let (unit, metric) = exact
            .map(own)
            .or_else(|| in_another_unit(name))
            .or_else(|| words::spelled(name))
            .unwrap_or_else(|| own(Self::named(name)));
        (metric, unit)
    }
}

/// A time of the registry under its name with a unit of time.
fn in_another_unit(name: &str) -> Option<(Unit, Metric)> {
    let name = name.to_lowercase();
    let bracketed = name.strip_suffix([')', ']']).and_then(|rest| rest.rsplit_once(['(', '[']));
    let (stem, unit) = bracketed.or_else(|| name.rsplit_once(['_', ' ']))?;
    let unit = TIMES.iter().find(|(word, _)| *word == unit.trim())?.1;
    let (key, text) = (stem.trim().replace([' ', '-'], "_"), stem.trim().replace('_', " "));
    let is_time = |metric: &Metric| TIMES.iter().any(|(_, time)| *time == metric.unit);
    let in_unit = |(own, _): &(&str, Unit)| {
        let known = Metric::known(&format!("{key}_{own}"));
        known.or_else(|| Metric::from_text(&format!("{text} ({own})"))).filter(is_time)
    };
    let registered = TIMES.iter().find_map(in_unit);
    Some((unit, registered.or_else(|| Metric::known(&key).filter(is_time))?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_of_the_registry_is_known_in_any_unit_of_time() {
        for (name, metric, unit) in [
            ("ttft_s", "ttft_ms", Unit::Second),
            ("TTFT (s)", "ttft_ms", Unit::Second),
            ("P99 ITL (us)", "p99_itl_ms", Unit::Microsecond),
            ("Mean E2E Latency [s]", "mean_e2el_ms", Unit::Second),
            ("mean_ttft_ms", "mean_ttft_ms", Unit::Millisecond),
            ("duration_ms", "duration", Unit::Millisecond),
            ("duration_s", "duration", Unit::Second),
            ("Benchmark duration (ms)", "duration", Unit::Millisecond),
            ("time_per_op_us", "time_per_op_ns", Unit::Microsecond),
            // No time, or no name of the registry.
            ("items_per_ms", "items_per_ms", Unit::Millisecond),
            ("max_output_tokens_per_s", "max_output_tokens_per_s", Unit::TokenPerSecond),
            ("step_s", "step_s", Unit::Second),
            ("ttft", "ttft", Unit::None),
            ("Output throughput (tok/s)", "output_throughput", Unit::TokenPerSecond),
            ("out_tok/s", "output_throughput", Unit::TokenPerSecond),
            ("Total Output Throughput (tokens/sec)", "output_throughput", Unit::TokenPerSecond),
            ("total_tok/s", "total_token_throughput", Unit::TokenPerSecond),
            ("output tok/s (higher is better)", "output_throughput", Unit::TokenPerSecond),
            ("mean TTFT ms (lower is better)", "mean_ttft_ms", Unit::Millisecond),
            ("P99 ITL ms", "p99_itl_ms", Unit::Millisecond),
            ("duration s", "duration", Unit::Second),
            ("Duration (s)", "duration", Unit::Second),
            ("req/s", "request_throughput", Unit::RequestPerSecond),
            ("QPS", "request_throughput", Unit::RequestPerSecond),
            ("rps", "request_throughput", Unit::RequestPerSecond),
            ("Requests/s", "request_throughput", Unit::RequestPerSecond),
            ("Req Tput (RPS)", "request_throughput", Unit::RequestPerSecond),
            ("Throughput", "throughput", Unit::None),
            ("avg_ttft_s", "mean_ttft_ms", Unit::Second),
            ("ttft_ms_p50", "median_ttft_ms", Unit::Millisecond),
            ("TTFT_p99_ms", "p99_ttft_ms", Unit::Millisecond),
            ("TTFT Avg (ms)", "mean_ttft_ms", Unit::Millisecond),
            ("Time to First Token (ms)", "ttft_ms", Unit::Millisecond),
            ("Inter Token Latency (ms)", "itl_ms", Unit::Millisecond),
            ("Average request latency (ms)", "mean_e2el_ms", Unit::Millisecond),
            ("p99.9 E2E latency [s]", "p99.9_e2el_ms", Unit::Second),
            ("peak output tok/s", "max_output_tokens_per_s", Unit::TokenPerSecond),
            // Without its statistic, or the thing that it counts, it keeps its own name.
            ("TTFT", "TTFT", Unit::None),
            ("mean TTFT", "mean TTFT", Unit::None),
            ("tok/s", "tok/s", Unit::TokenPerSecond),
            ("Tokens/sec", "Tokens/sec", Unit::TokenPerSecond),
            ("latency_ms", "latency_ms", Unit::Millisecond),
        ] {
            let (found, of_name) = Metric::of_column(name);
            assert_eq!((&*found.name, of_name), (metric, unit), "{name}");
        }
    }
}
