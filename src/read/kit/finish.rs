//! A run once all of it is read: what follows from its facts, and whether it is a measurement.

use beyondnoise_model::metrics::Metric;
use beyondnoise_model::runs::{Run, Value};

/// Why a run is not usable.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Unusable {
    /// Expected and found.
    pub(crate) problem: String,
    pub(crate) remedy: &'static str,
}

/// Largest share of failed requests for which the prompt tokens of all are estimated from the successful ones.
const MAX_FAILED: f64 = 0.01;

/// Derives metrics from the counts of a run, and checks that it is a measurement.
///
/// Throughputs are recomputed from counts and duration, which are printed to more digits. A latency of zero is how
/// clients write "no data" and is removed. Returns the changes as sentences.
pub(crate) fn finish(run: &mut Run) -> Result<Vec<String>, Unusable> {
    checked(run, true)
}

/// [`finish`] for files with throughputs in full precision: only missing throughputs are computed.
pub(crate) fn finish_exact(run: &mut Run) -> Result<Vec<String>, Unusable> {
    checked(run, false)
}

fn checked(run: &mut Run, rounded: bool) -> Result<Vec<String>, Unusable> {
    if run.info.completed == Some(0) {
        let sent = run.info.failed.max(run.workload.requests);
        // A client counts what came back; a column of a table may be about anything.
        return Err(if sent.map_or(!run.info.of_table, |sent| sent > 0) {
            let problem = "expected successful requests, found 0: every request failed".to_owned();
            Unusable { problem, remedy: "run the benchmark again, or remove the run" }
        } else {
            let problem = "expected successful requests, found 0".to_owned();
            Unusable { problem, remedy: "fix the number, or remove the run" }
        });
    }
    let duration = run.metrics.get("duration").copied();
    if let Some(Value { value, .. }) = duration.filter(|duration| duration.value <= 0.0) {
        let problem = format!("expected a duration above 0 s, found {value}");
        return Err(Unusable { problem, remedy: "fix the value, or remove the run" });
    }
    let measured = |name: &str| Metric::named(name).is_latency() || name.ends_with("throughput");
    let negative = run.metrics.iter().find(|(name, value)| value.value < 0.0 && measured(name));
    if let Some((name, value)) = negative {
        let problem = format!("expected {name} of 0 or more, found {}", value.value);
        return Err(Unusable { problem, remedy: "fix the value, or remove the run" });
    }

    match (run.workload.requests, run.info.completed, run.info.failed) {
        (None, Some(completed), failed) => {
            run.workload.requests = Some(completed + failed.unwrap_or(0));
        }
        (Some(requests), Some(completed), None) => {
            run.info.failed = Some(requests.saturating_sub(completed));
        }
        _ => {}
    }
    let mut notes = recompute_throughputs(run, duration, rounded);
    // The total counts the successful requests: a few failures are corrected for; with many the prompts are unknown.
    if let (Some(failed @ 1..), Some(done)) = (run.info.failed, run.info.completed) {
        let few = failed as f64 <= MAX_FAILED * (failed + done) as f64;
        let whole = |tokens: u64| (tokens as f64 * (failed + done) as f64 / done as f64).round();
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a count a little larger than another"
        )]
        let sent = run.workload.input_tokens.filter(|_| few).map(|tokens| whole(tokens) as u64);
        run.workload.input_tokens = sent;
    }
    let empty: Vec<String> = run
        .metrics
        .iter()
        .filter(|(name, value)| value.value == 0.0 && measured(name))
        .map(|(name, _)| name.to_owned())
        .collect();
    for name in empty {
        run.metrics.remove(&name);
        notes.push(format!("{name} is 0, which means no data"));
    }
    if let Some(peak) = run.metrics.get("max_concurrent_requests") {
        run.info.peak_concurrent = Some(peak.value);
    }
    if run.metrics.is_empty() {
        let problem = "expected a value of at least one metric, found none".to_owned();
        return Err(Unusable { problem, remedy: "remove the run if nothing was measured" });
    }
    Ok(notes)
}

/// Printed and recomputed throughputs agree when they differ by less than this fraction.
const AGREES: f64 = 0.005;

fn recompute_throughputs(run: &mut Run, duration: Option<Value>, rounded: bool) -> Vec<String> {
    let mut notes = Vec::new();
    let Some(duration) = duration else { return notes };
    let total = run.workload.input_tokens.zip(run.info.output_tokens).map(|(a, b)| a + b);
    for (name, count) in [
        ("request_throughput", run.info.completed),
        ("output_throughput", run.info.output_tokens),
        ("total_token_throughput", total),
    ] {
        let wanted = rounded || !run.metrics.contains_key(name);
        if let Some(count) = count.filter(|count| *count > 0 && wanted) {
            let value = count as f64 / duration.value;
            let resolution = value * duration.resolution / duration.value;
            let differs = |printed: &Value| {
                let rounding = printed.resolution + resolution;
                (printed.value - value).abs() > AGREES * value + rounding
            };
            // The printed value stays unless the counts and the duration are more precise.
            let as_good = |printed: &Value| {
                let rounding = printed.resolution + resolution;
                2.0 * resolution > printed.resolution && (printed.value - value).abs() <= rounding
            };
            if run.metrics.get(name).is_some_and(as_good) {
                continue;
            }
            let Some(printed) = run.metrics.insert(name, Value { value, resolution }) else {
                continue;
            };
            run.info.printed.insert(name, printed);
            if differs(&printed) {
                let (printed, unit) = (printed.value, Metric::named(name).unit);
                notes.push(format!(
                    "{name}: the file prints {printed} {unit}; counts and duration give {value:.2} {unit}, which is used"
                ));
            }
        }
    }
    notes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn throughputs_come_from_counts_and_duration() {
        let mut run = Run::default();
        run.info.completed = Some(500);
        run.metrics.insert("duration", Value { value: 206.06, resolution: 0.005 });
        run.metrics.insert("request_throughput", Value { value: 2.43, resolution: 0.005 });
        finish(&mut run).unwrap();
        let rate = run.metrics["request_throughput"];
        assert!((rate.value - 500.0 / 206.06).abs() < 1e-12 && rate.resolution < 1e-4);
    }

    #[test]
    fn no_success_and_no_time_are_no_measurement() {
        let mut nothing = Run::default();
        nothing.info.completed = Some(0);
        assert!(finish(&mut nothing).unwrap_err().problem.contains("every request failed"));
        nothing.info.failed = Some(0);
        assert!(!finish(&mut nothing).unwrap_err().problem.contains("failed"));
        let mut backwards = Run::default();
        backwards.metrics.insert("duration", Value { value: -1.0, resolution: 0.5 });
        assert!(finish(&mut backwards).unwrap_err().problem.contains("above 0 s"));
    }

    #[test]
    fn a_latency_of_zero_is_no_data() {
        let mut run = Run::default();
        run.metrics.insert("mean_tpot_ms", Value { value: 0.0, resolution: 0.005 });
        run.metrics.insert("mean_ttft_ms", Value { value: 5.0, resolution: 0.005 });
        assert_eq!(finish(&mut run).unwrap(), ["mean_tpot_ms is 0, which means no data"]);
        assert!(!run.metrics.contains_key("mean_tpot_ms"));
    }
}
