//! Metrics that measure the same thing at a fixed workload, and whether they agree.

use crate::checks::requests::output_tokens_drift;
use crate::checks::{Blocks, CheckId, Context, Finding, Severity};
use crate::compare::{Measured, SideRow};
use crate::format::{self, percent, sentence};
use crate::stats::{Across, Method, Sample, Scale, TwoSample};

/// Metrics of a fixed number of requests that determine each other as long as the outputs are the same work.
const OF_THE_WORK: [&str; 4] =
    ["output_throughput", "request_throughput", "total_token_throughput", "duration"];

/// Largest range of all durations for runs that may have had a set length, a fraction: the last requests still finish.
const SET_LENGTH: f64 = 0.10;

/// Level of the test: the lengths of outputs vary by themselves, and a batch looks at hundreds of cells.
const LEVEL: f64 = 0.001;

/// A metric that disagrees with the leading metric.
struct Contradiction<'a> {
    row: &'a Measured,
    /// How much more it changed than the leading metric implies, a fraction; positive for longer or slower.
    beyond: f64,
    blocks: bool,
}

/// Metrics that measure the same thing at a fixed workload changed differently: the outputs, or the requests, are not the same
/// work.
///
/// Each run has the leading throughput and the other metric, and their ratio is tested. It must differ between the variants
/// beyond its own noise (Welch, at 0.001 shared by the metrics tested), by more than printed digits explain, and by more than a
/// threshold. If the lengths of all runs are within 10 % of each other they may have been set beforehand, and the duration
/// shows nothing.
pub(super) fn contradicting_metrics(context: &Context) -> Option<Finding> {
    if output_tokens_drift(context).is_some() {
        return None;
    }
    let of_the_work = |row: &&Measured| OF_THE_WORK.contains(&row.metric.name.as_str());
    let leading = context.deciding_rows().find(of_the_work)?;
    let others: Vec<&Measured> = context
        .rows
        .iter()
        .filter(|row| of_the_work(row) && row.metric.name != leading.metric.name)
        .filter(|row| row.metric.name != "duration" || !has_set_length(row))
        .collect();
    let level = LEVEL / others.len().max(1) as f64;
    let found: Vec<Contradiction> =
        others.into_iter().filter_map(|row| contradiction(context, leading, row, level)).collect();
    let worst = found.iter().max_by(|a, b| a.beyond.abs().total_cmp(&b.beyond.abs()))?;
    let blocked = found.iter().any(|one| one.blocks);
    let change = |row: &Measured| {
        let change = row.relative.map_or(0.0, |effect| effect.estimate);
        format!("{} {}", row.metric.label, format::change(change, 1))
    };
    let others: Vec<String> = found.iter().map(|one| change(one.row)).collect();
    let tail = if blocked { " They are judged only where you name them." } else { "" };
    let message = sentence(&format!(
        "{} against {}: these measure the same thing at a fixed workload and differ by {}, so the outputs, or the \
         requests, are not the same work.{tail}",
        change(leading),
        others.join(" and "),
        percent(worst.beyond)
    ));
    let names: Vec<String> = std::iter::once(leading)
        .chain(found.iter().map(|one| one.row))
        .map(|row| row.metric.name.clone())
        .collect();
    let unasked: Vec<String> =
        names.iter().filter(|name| !context.policy.names(name)).cloned().collect();
    let severity = if blocked { Severity::Block } else { Severity::Warn };
    let blocks =
        if blocked && !unasked.is_empty() { Blocks::Metrics(unasked) } else { Blocks::Nothing };
    Some(
        Finding::new(CheckId::ContradictingMetrics, severity, message)
            .with("metrics", names)
            .with("beyond", worst.beyond)
            .blocking(blocks, "the outputs are not the same work"),
    )
}

/// Whether the length of the runs may have been set.
fn has_set_length(duration: &Measured) -> bool {
    let values = || duration.baseline.values.iter().chain(&duration.candidate.values);
    let longest = values().copied().fold(f64::NEG_INFINITY, f64::max);
    let shortest = values().copied().fold(f64::INFINITY, f64::min);
    longest <= shortest * (1.0 + SET_LENGTH)
}

fn contradiction<'a>(
    context: &Context,
    leading: &Measured,
    row: &'a Measured,
    level: f64,
) -> Option<Contradiction<'a>> {
    let same_way = row.metric.better == leading.metric.better;
    let side = |of: fn(&Measured) -> &SideRow| ratios(of(leading), of(row), same_way);
    let (a, b) = (side(|row| &row.baseline)?, side(|row| &row.candidate)?);
    let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
    let beyond = mean(&b.values) / mean(&a.values) - 1.0;
    let limits = &context.policy.thresholds;
    let (warn, block) = (limits.output_tokens_warn, limits.output_tokens_block);
    let rounding = a.rounding + b.rounding;
    if !beyond.is_finite() || beyond.abs() <= warn + rounding {
        return None;
    }
    if a.values.len().min(b.values.len()) > 1 {
        let (a, b) = (Sample::new(a.values).ok()?, Sample::new(b.values).ok()?);
        let resampling = context.policy.resampling;
        let curve = TwoSample::new(&a, &b, Across::MEAN, resampling)
            .curve(Scale::Log, Method::Welch)
            .ok()?;
        if curve.p_value(0.0) >= level {
            return None;
        }
    }
    Some(Contradiction { row, beyond, blocks: beyond.abs() > block + rounding })
}

/// Ratios of two metrics of one variant.
struct Ratios {
    /// One value for each run with both metrics: the part that the leading metric does not explain.
    values: Vec<f64>,
    /// Largest effect of the printed digits, a fraction.
    rounding: f64,
}

/// The metric over the leading one if both have one direction, else their product; `None` if a value is not positive.
fn ratios(leading: &SideRow, other: &SideRow, same_way: bool) -> Option<Ratios> {
    let (mut values, mut rounding) = (Vec::new(), 0.0_f64);
    for (value, run) in other.values.iter().zip(&other.runs) {
        let Some(at) = leading.runs.iter().position(|leading| leading == run) else { continue };
        let lead = leading.values[at];
        if *value <= 0.0 || lead <= 0.0 {
            return None;
        }
        values.push(if same_way { lead / value } else { lead * value });
        rounding = rounding.max(leading.resolution / lead + other.resolution / value);
    }
    (!values.is_empty()).then_some(Ratios { values, rounding })
}
