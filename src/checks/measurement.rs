//! Checks of the metrics: the meaning and the limits of one run's number.

use std::collections::BTreeSet;

use crate::checks::context::names_and_labels;
use crate::checks::requests::output_tokens_drift;
use crate::checks::same_fact::contradicting_metrics;
use crate::checks::{Blocks, CheckId, Context, Finding, Severity};
use crate::compare::Measured;
use crate::format::{self, sentence};
use crate::metrics::{Family, Statistic};
use crate::runs::{LoadShape, Variant, metric_names};

pub(super) fn thin_tail(context: &Context) -> Option<Finding> {
    let requests = context.workload().requests?;
    let beyond = |q: f64| requests as f64 * (1.0 - q);
    let least = context.policy.thresholds.tail_requests;
    let thin = |q: f64| beyond(q) < least - 1e-9;
    let names = context.rows_where(|row| {
        // Gaps between chunks are pooled over the tokens, which far outnumber the requests.
        row.metric.family != Family::Itl && row.metric.quantile().is_some_and(thin)
    });
    let row = context.rows.iter().find(|row| names.first() == Some(&row.metric.name))?;
    let q = row.metric.quantile()?;
    let word = row.metric.statistic.word().to_uppercase();
    let message = format!(
        "{word} of {requests} requests rests on {} of them: it is about the {} value of a run.",
        format::trimmed(beyond(q), 1),
        // A tenth of 90 is 9, up to the last digits of a double.
        ordinal((beyond(q) + 1e-9).floor() + 1.0)
    );
    let unasked: Vec<String> =
        names.iter().filter(|name| context.policy.selected(name).is_none()).cloned().collect();
    Some(
        Finding::new(CheckId::ThinTail, Severity::Note, message)
            .with("requests", requests)
            .with("beyond", beyond(q))
            .with("metrics", names)
            .blocking(Blocks::Metrics(unasked), "tail too thin"),
    )
}

/// Metrics that usually decide; it is worth a warning if one variant lacks one.
const USUALLY_DECIDING: [&str; 4] =
    ["output_throughput", "mean_ttft_ms", "median_ttft_ms", "mean_tpot_ms"];

pub(super) fn one_sided_metric(context: &Context) -> Option<Finding> {
    let names = |variant: &Variant| -> BTreeSet<String> {
        metric_names(&variant.runs).into_iter().map(str::to_owned).collect()
    };
    let (a, b) = (names(context.baseline), names(context.candidate));
    let wanted = |name: &&String| {
        context.policy.selected.is_empty() || context.policy.selected(name).is_some()
    };
    let only = |x: &BTreeSet<String>, y: &BTreeSet<String>| -> Vec<String> {
        x.difference(y).filter(wanted).cloned().collect()
    };
    let parts: Vec<(Vec<String>, &str)> =
        vec![(only(&a, &b), &context.baseline.name), (only(&b, &a), &context.candidate.name)];
    let words: Vec<String> = parts
        .iter()
        .filter(|(names, _)| !names.is_empty())
        .map(|(names, variant)| {
            let labels: Vec<String> =
                names.iter().map(|name| context.policy.metric(name).label).collect();
            format!("{} only in {variant}", labels.join(", "))
        })
        .collect();
    if words.is_empty() {
        return None;
    }
    let missing: Vec<String> = parts.into_iter().flat_map(|(names, _)| names).collect();
    let weighty = missing.iter().any(|name| {
        USUALLY_DECIDING.contains(&name.as_str()) || context.policy.selected(name).is_some()
    });
    let severity = if weighty { Severity::Warn } else { Severity::Note };
    let message = format!("Not compared, since one variant lacks it: {}.", words.join("; "));
    Some(Finding::new(CheckId::OneSidedMetric, severity, message).with("metrics", missing))
}

/// `largest`, `2nd-largest`, `3rd-largest`, ...
fn ordinal(rank: f64) -> String {
    match format::trimmed(rank, 1).as_str() {
        "1" => "largest".to_owned(),
        "2" => "2nd-largest".to_owned(),
        "3" => "3rd-largest".to_owned(),
        other => format!("{other}th-largest"),
    }
}

pub(super) fn extreme_metric(context: &Context) -> Option<Finding> {
    let extreme = |row: &&Measured| row.metric.statistic == Statistic::Extreme;
    let (names, labels) = names_and_labels(context.rows.iter().filter(extreme));
    if names.is_empty() {
        return None;
    }
    let verb = if labels.len() == 1 {
        "is one extreme value of each run and never decides"
    } else {
        "are single extreme values of each run and never decide"
    };
    let message = sentence(&format!("{} {verb}.", labels.join(", ")));
    Some(
        Finding::new(CheckId::ExtremeMetric, Severity::Note, message)
            .with("metrics", names.clone())
            .blocking(Blocks::Metrics(names), "one extreme value per run"),
    )
}

pub(super) fn no_direction(context: &Context) -> Option<Finding> {
    let unknown = |row: &Measured| {
        let of_run = !matches!(row.metric.statistic, Statistic::Deviation | Statistic::Extreme);
        row.metric.better.is_none() && of_run
    };
    let names = context.rows_where(unknown);
    let first = names.first()?;
    // Quoted as a shell needs it.
    let bare = first.chars().all(|c| c.is_alphanumeric() || "_-./%".contains(c));
    let quote = if bare { "" } else { "'" };
    let message = format!(
        "It is not known whether higher or lower is better for {}: add --metric {quote}{first}:lower{quote} or :higher.",
        names.join(", ")
    );
    Some(
        Finding::new(CheckId::NoDirection, Severity::Note, message)
            .with("metrics", names.clone())
            .blocking(Blocks::Metrics(names), "direction not known"),
    )
}

pub(super) fn dependent_metrics(context: &Context) -> Option<Finding> {
    let throughput = |row: &&Measured| row.metric.family == Family::Throughput;
    let (names, mut labels) = names_and_labels(context.rows.iter().filter(throughput));
    let contradicted =
        output_tokens_drift(context).is_some() || contradicting_metrics(context).is_some();
    if names.len() < 2 || contradicted {
        return None;
    }
    let cap = match context.load {
        LoadShape::Closed { cap } => {
            labels.push("mean latency");
            format!(" ({cap} in flight)")
        }
        _ => String::new(),
    };
    let last = labels.pop().unwrap_or_default();
    let message = sentence(&format!(
        "{} and {last} measure the same thing here{cap}; counted once.",
        labels.join(", ")
    ));
    Some(Finding::new(CheckId::DependentMetrics, Severity::Note, message).with("metrics", names))
}

/// A metric that changed beyond its noise.
#[derive(Clone, Debug)]
pub(crate) struct Moved {
    /// Canonical name.
    pub metric: String,
    /// Name in sentences.
    pub label: String,
    /// The change, a fraction; `None` without a ratio.
    pub relative: Option<f64>,
    /// Whether it is an improvement.
    pub gain: bool,
}

/// The metrics that improved and the metrics that got worse; `None` unless both exist. Call it once the metrics are
/// judged. A finding about deciding metrics has the weight of the headline, which says the same.
pub(crate) fn trade_off(moved: &[Moved], decide: bool) -> Option<Finding> {
    let (better, worse): (Vec<&Moved>, Vec<&Moved>) = moved.iter().partition(|moved| moved.gain);
    if better.is_empty() || worse.is_empty() {
        return None;
    }
    let words = |all: &[&Moved]| {
        let one = |m: &&Moved| {
            let change = m
                .relative
                .map_or(String::new(), |change| format!(" {}", format::change(change, 1)));
            format!("{}{change}", m.label)
        };
        all.iter().map(one).collect::<Vec<_>>().join(", ")
    };
    let aside = if decide { "" } else { " Neither decides here, since throughput does." };
    let message =
        sentence(&format!("{} is better and {} is worse.{aside}", words(&better), words(&worse)));
    let changes = |all: &[&Moved]| -> serde_json::Value {
        all.iter()
            .map(|m| serde_json::json!({"metric": m.metric, "relative": m.relative}))
            .collect()
    };
    let finding = Finding::new(CheckId::TradeOff, Severity::Note, message);
    Some(finding.with("better", changes(&better)).with("worse", changes(&worse)))
}

#[expect(clippy::unnecessary_wraps, reason = "a check may find nothing; this one always reports")]
pub(super) fn speed_only(_: &Context) -> Option<Finding> {
    let message =
        "Only the metrics shown are judged: whether the answers are still right is not checked."
            .to_owned();
    Some(Finding::new(CheckId::SpeedOnly, Severity::Note, message))
}
