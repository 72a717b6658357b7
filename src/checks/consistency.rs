//! Checks of one run's figures against each other: figures that a block gives twice must agree.

use std::collections::BTreeMap;

use serde_json::{Value as Json, json};

use crate::checks::context::names_and_labels;
use crate::checks::{Blocks, CheckId, Context, Finding, Severity};
use crate::compare::Measured;
use crate::format::sentence;
use crate::metrics::{Metric, Statistic};
use crate::runs::{LoadShape, Run, Value, Variant};

/// Two figures of one run that cannot both be right.
struct Fault {
    /// Name of the metric in question.
    metric: String,
    words: String,
    /// Its figure, and the figure that follows from the others.
    found: f64,
    expected: f64,
}

pub(super) fn inconsistent_block(context: &Context) -> Option<Finding> {
    let limit = context.policy.thresholds.inconsistent;
    let runs = [context.baseline, context.candidate].into_iter().flat_map(|v| &v.runs);
    // Most runs have the same metrics.
    let mut known: BTreeMap<&str, Metric> = BTreeMap::new();
    let faults: Vec<(&Run, Fault)> = runs
        .filter(|run| run.metrics.len() + run.info.printed.len() > 1)
        .flat_map(|run| {
            let exact = run.workload.client.is_none() || run.workload.definitions.exact;
            let mut all = orders(run, &mut known);
            if exact {
                let twice = rates(run, limit).into_iter().chain(sums(run, limit));
                all.splice(0..0, twice.chain(medians(run)));
            }
            all.into_iter().map(move |fault| (run, fault))
        })
        .collect();
    let (run, first) = faults.first()?;
    let more = match faults.len() {
        1 => String::new(),
        n => format!(" ({} more like it.)", n - 1),
    };
    let message = format!(
        "Figures of one run contradict each other: in {} {}. Was the block edited, or put together from two \
         runs?{more}",
        run.source, first.words
    );
    let evidence: Vec<Json> = faults
        .iter()
        .map(|(run, fault)| {
            json!({
                "where": run.source.to_string(), "metric": fault.metric, "found": fault.found,
                "expected": fault.expected
            })
        })
        .collect();
    Some(Finding::new(CheckId::InconsistentBlock, Severity::Warn, message).with("faults", evidence))
}

/// Rates that do not follow from the counts and the duration.
fn rates(run: &Run, limit: f64) -> Vec<Fault> {
    let Some(duration) = run.metrics.get("duration").filter(|d| d.value > 0.0) else {
        return Vec::new();
    };
    // After failures the prompt tokens are an estimate.
    let whole = run.info.failed.unwrap_or(0) == 0;
    let input = run.workload.input_tokens.filter(|_| whole);
    let total = input.zip(run.info.output_tokens).map(|(a, b)| a + b);
    let counted = [
        ("request_throughput", run.info.completed, "requests"),
        ("output_throughput", run.info.output_tokens, "output tokens"),
        ("total_token_throughput", total, "tokens"),
    ];
    let fault = |(name, count, noun): (&str, Option<u64>, &str)| {
        let count = count.filter(|count| *count > 0)?;
        let printed = run.info.printed.get(name).or_else(|| run.metrics.get(name))?;
        let expected = count as f64 / duration.value;
        let rounding = printed.resolution + expected * duration.resolution / duration.value;
        let differs = (printed.value - expected).abs() > limit * expected + rounding;
        let metric = Metric::named(name);
        differs.then(|| Fault {
            words: format!(
                "the {} is given as {} {unit}, and {count} {noun} in {} s are {expected:.2} {unit}",
                metric.label,
                printed.value,
                duration.value,
                unit = metric.unit
            ),
            metric: name.to_owned(),
            found: printed.value,
            expected,
        })
    };
    counted.into_iter().filter_map(fault).collect()
}

/// A total throughput that is not the sum of input and output.
fn sums(run: &Run, limit: f64) -> Option<Fault> {
    let given = |name: &str| run.info.printed.get(name).or_else(|| run.metrics.get(name));
    let total = given("total_token_throughput")?;
    let (input, output) = (given("input_throughput")?, given("output_throughput")?);
    let sum = input.value + output.value;
    let rounding = total.resolution + input.resolution + output.resolution;
    let differs = (total.value - sum).abs() > limit * sum.abs() + rounding;
    differs.then(|| Fault {
        metric: "total_token_throughput".to_owned(),
        words: format!(
            "the total throughput is given as {} tok/s, and input and output are {sum:.2} tok/s together",
            total.value
        ),
        found: total.value,
        expected: sum,
    })
}

fn medians(run: &Run) -> Vec<Fault> {
    let both = run.info.printed.iter().filter_map(|(name, again)| {
        let metric = Metric::named(name);
        let value = run.metrics.get(name).filter(|_| metric.statistic == Statistic::Median)?;
        let differs =
            (value.value - again.value).abs() > (value.resolution + again.resolution) * 1.000_001;
        differs.then(|| Fault {
            metric: name.to_owned(),
            words: format!(
                "the {} is {} and its P50 {} {}",
                metric.label, value.value, again.value, metric.unit
            ),
            found: value.value,
            expected: again.value,
        })
    });
    both.collect()
}

/// Quantiles that do not rise, and means outside the range of the values.
fn orders<'a>(run: &'a Run, known: &mut BTreeMap<&'a str, Metric>) -> Vec<Fault> {
    for name in run.metrics.keys() {
        known.entry(name).or_insert_with(|| Metric::named(name));
    }
    // Grouped by quantity: the name without its first word.
    let mut families: BTreeMap<&str, Vec<(f64, &Metric, Value)>> = BTreeMap::new();
    let mut means: BTreeMap<&str, (&Metric, Value)> = BTreeMap::new();
    for (name, value) in &run.metrics {
        let Some((word, stem)) = name.split_once('_') else { continue };
        let metric = &known[name];
        let level = match metric.statistic {
            Statistic::Mean if word == "mean" => {
                means.insert(stem, (metric, *value));
                continue;
            }
            Statistic::Median => 0.5,
            Statistic::Quantile(q) => q,
            Statistic::Extreme if word == "min" => 0.0,
            Statistic::Extreme if word == "max" => 1.0,
            _ => continue,
        };
        families.entry(stem).or_default().push((level, metric, *value));
    }
    let below =
        |low: &Value, high: &Value| high.value < low.value - low.resolution - high.resolution;
    let fault = |(low, at_low): (&Metric, &Value), (high, at_high): (&Metric, &Value)| Fault {
        metric: high.name.clone(),
        words: format!(
            "the {} of {} {unit} is below the {} of {} {unit}",
            high.label,
            at_high.value,
            low.label,
            at_low.value,
            unit = high.unit
        ),
        found: at_high.value,
        expected: at_low.value,
    };
    let mut faults = Vec::new();
    for (stem, mut members) in families {
        members.sort_by(|a, b| a.0.total_cmp(&b.0));
        for pair in members.windows(2) {
            let ((_, low, at_low), (_, high, at_high)) = (&pair[0], &pair[1]);
            if below(at_low, at_high) {
                faults.push(fault((low, at_low), (high, at_high)));
            }
        }
        let Some((mean, at_mean)) = means.get(stem) else { continue };
        for (level, metric, value) in &members {
            if *level <= 0.0 && below(value, at_mean) {
                faults.push(fault((metric, value), (mean, at_mean)));
            } else if *level >= 1.0 && below(at_mean, value) {
                faults.push(fault((mean, at_mean), (metric, value)));
            }
        }
    }
    faults
}

/// Mean of a figure over the runs; `None` unless every run has it.
fn mean_of(variant: &Variant, figure: impl Fn(&Run) -> Option<f64>) -> Option<f64> {
    let values: Option<Vec<f64>> = variant.runs.iter().map(figure).collect();
    let values = values.filter(|values| !values.is_empty())?;
    Some(values.iter().sum::<f64>() / values.len() as f64)
}

fn value(run: &Run, name: &str) -> Option<f64> {
    run.metrics.get(name).map(|value| value.value)
}

/// Mean time of a request in seconds: mean TTFT and the decoding of its further tokens.
fn summed_latency(run: &Run) -> Option<f64> {
    let requests = run.info.completed.filter(|n| *n > 0)?;
    let tokens = run.info.output_tokens? as f64 / requests as f64;
    let decode = value(run, "mean_tpot_ms")? * (tokens - 1.0).max(0.0);
    Some((value(run, "mean_ttft_ms")? + decode) / 1e3)
}

pub(super) fn little_law(context: &Context) -> Option<Finding> {
    let LoadShape::Closed { cap } = context.load else { return None };
    let in_flight = |run: &Run| Some(summed_latency(run)? * value(run, "request_throughput")?);
    let (variant, found) = [context.baseline, context.candidate]
        .into_iter()
        .filter_map(|variant| Some((variant, mean_of(variant, in_flight)?)))
        .max_by(|(_, a), (_, b)| (a / cap - 1.0).abs().total_cmp(&(b / cap - 1.0).abs()))?;
    if (found / cap - 1.0).abs() <= context.policy.thresholds.little_law {
        return None;
    }
    let means = if found < cap {
        "the cap was not always reached, as in a short run with a long tail, or the client itself took time"
    } else {
        "more than the cap lets in: the metrics have other definitions, or the cap was another one"
    };
    let message = format!(
        "By the figures of {}, {found:.1} requests were in flight, and the cap is {cap} ((TTFT + TPOT x (tokens - 1)) x \
         req/s): {means}.",
        variant.name
    );
    Some(
        Finding::new(CheckId::LittleLaw, Severity::Note, message)
            .with("variant", variant.name.clone())
            .with("in_flight", found)
            .with("max_concurrency", cap),
    )
}

pub(super) fn short_run(context: &Context) -> Option<Finding> {
    let limits = &context.policy.thresholds;
    // Elsewhere a duration is the result, not the length of the measurement.
    let of_requests = context.workload().requests.is_some()
        || context.rows.iter().any(|row| row.metric.is_latency());
    let latency =
        |run: &Run| value(run, "mean_e2el_ms").map(|ms| ms / 1e3).or_else(|| summed_latency(run));
    let short = |variant: &'_ Variant| {
        let duration = mean_of(variant, |run| value(run, "duration"))?;
        let latency = mean_of(variant, latency);
        let needed = limits.short_seconds.max(latency.unwrap_or(0.0) * limits.short_latencies);
        (of_requests && duration < needed).then_some((duration, latency, needed))
    };
    let (variant, (duration, latency, needed)) = [context.baseline, context.candidate]
        .into_iter()
        .filter_map(|variant| Some((variant, short(variant)?)))
        .min_by(|(_, a), (_, b)| (a.0 / a.2).total_cmp(&(b.0 / b.2)))?;
    let latencies = latency.filter(|latency| duration < latency * limits.short_latencies);
    let also = latencies.map_or(String::new(), |latency| {
        format!(", {:.1} times the {latency:.1} s of a mean request", duration / latency)
    });
    // In such a load a request waits for all requests before it.
    let queued = matches!(context.load, LoadShape::Burst | LoadShape::Saturated { .. });
    let remedy = if queued && duration >= limits.short_seconds {
        "Longer ones would not help, since latency grows with them: only a cap on the requests in flight would."
            .to_owned()
    } else {
        format!("{needed:.0} s or more would be better.")
    };
    let message = format!(
        "Runs are short: those of {} last {duration:.1} s{also}, so start and end, with fewer requests in \
         flight, weigh much. {remedy}",
        variant.name
    );
    Some(
        Finding::new(CheckId::ShortRun, Severity::Warn, message)
            .flipping(!queued)
            .with("variant", variant.name.clone())
            .with("duration_s", duration)
            .with("mean_latency_s", latency)
            .with("needed_s", needed),
    )
}

/// Steps between units that no change of speed is likely to have: SI prefixes, and minutes or hours against milliseconds.
const FAR: &[f64] = &[1e3, 1e6, 1e9, 6e4, 3.6e6];

/// Steps between seconds, minutes and hours; programs do become that much faster.
const NEAR: &[f64] = &[60.0, 3600.0];

/// How close to a step of [`NEAR`] a ratio has to be, on the log scale: for an exact ratio, and for a wide interval.
const CLOSE: (f64, f64) = (0.05, 0.10);

/// Whether a ratio looks like two units rather than a change; its log is known to `half_width`.
///
/// Around a step of [`FAR`] every ratio within the threshold counts, since a thousandfold change is rare and another unit is
/// common. A change by 50 or 70 times is not rare, so that a step of 60 must be hit closely: within the noise of the
/// comparison, and never more than a tenth off.
fn is_step(ratio: f64, half_width: f64, factor: f64) -> bool {
    let distance = |step: f64| (ratio.ln().abs() - step.ln()).abs();
    FAR.iter().any(|step| distance(*step) <= factor.ln())
        || NEAR.iter().any(|step| distance(*step) <= half_width.clamp(CLOSE.0, CLOSE.1))
}

pub(super) fn unit_suspect(context: &Context) -> Option<Finding> {
    // In one row of a table that people write they are what is compared, and so are values with their units.
    let runs = || context.baseline.runs.iter().chain(&context.candidate.runs);
    if runs().all(|run| matches!(run.source.counts, "cell" | "column") || run.info.with_units) {
        return None;
    }
    let factor = context.policy.thresholds.unit_factor;
    let half_width = |row: &Measured| {
        let interval = row.relative.and_then(|effect| effect.interval);
        let ratio = interval.map(|interval| (1.0 + interval.high) / (1.0 + interval.low));
        ratio.filter(|ratio| *ratio > 0.0).map_or(0.0, |ratio| ratio.ln() / 2.0)
    };
    // A single extreme value may well be a thousand times another: one request timed out.
    let rows: Vec<_> = context
        .rows
        .iter()
        .filter(|row| row.metric.statistic != Statistic::Extreme)
        .filter_map(|row| Some((row, 1.0 + row.relative?.estimate)))
        .filter(|(row, ratio)| *ratio > 0.0 && is_step(*ratio, half_width(row), factor))
        .collect();
    let (first, ratio) = rows.first()?;
    let (names, labels) = names_and_labels(rows.iter().map(|(row, _)| *row));
    let size = if *ratio < 1.0 { 1.0 / ratio } else { *ratio };
    let why = format!(
        "units seem to differ in {}: {} against {}, a factor of {size:.0}",
        labels.join(", "),
        four_digits(first.baseline.estimate),
        four_digits(first.candidate.estimate),
    );
    let ratios: Vec<f64> = rows.iter().map(|(_, ratio)| *ratio).collect();
    let decides = names.iter().any(|name| context.deciding.contains(name));
    let reason = "another unit";
    let finding = if decides {
        Finding::incomparable(CheckId::UnitSuspect, why, reason)
    } else {
        Finding::new(CheckId::UnitSuspect, Severity::Block, format!("{}.", sentence(&why)))
    };
    let finding = finding.with("metrics", names.clone()).with("ratios", ratios);
    Some(finding.blocking(Blocks::Metrics(names), reason))
}

fn four_digits(value: f64) -> f64 {
    format!("{value:.3e}").parse().unwrap_or(value)
}

#[cfg(test)]
mod tests {
    use super::is_step;

    #[test]
    fn units_are_separated_from_changes() {
        for ratio in [1e3, 520.0, 1e6, 1.9e6, 1e9, 60.0, 58.0, 3600.0, 60_000.0, 3.6e6] {
            assert!(is_step(ratio, 0.01, 2.0) && is_step(1.0 / ratio, 0.01, 2.0), "{ratio}");
        }
        // Programs become 50, 70 or 100 times faster; that is no other unit.
        for ratio in [1.0, 2.0, 10.0, 30.0, 50.0, 70.0, 100.0, 120.0, 450.0, 3000.0, 1e4] {
            assert!(!is_step(ratio, 0.5, 2.0) && !is_step(1.0 / ratio, 0.5, 2.0), "{ratio}");
        }
        // With 10 % of noise a minute may be measured as 55 s.
        assert!(is_step(55.0, 0.1, 2.0) && !is_step(55.0, 0.01, 2.0));
    }
}
