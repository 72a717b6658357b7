//! Checks of the order in which the runs were made: what time changed is not what the variant changed.

use crate::checks::{Context, Finding, Severity};
use crate::runs::Variant;
use crate::stats::{holm, mann_kendall};

/// Level at which a trend over the runs of a variant is told, over all metrics looked at together.
const TREND: f64 = 0.05;

/// First and last start of the runs of a variant, if all are known.
fn span(variant: &Variant) -> Option<(&str, &str)> {
    let mut starts: Vec<&str> =
        variant.runs.iter().map(|run| run.started.as_deref()).collect::<Option<_>>()?;
    starts.sort_unstable();
    Some((starts.first()?, starts.last()?))
}

pub(super) fn order_confounded(context: &Context) -> Option<Finding> {
    if context.fewest_runs() < 2 {
        return None;
    }
    let ((first_a, last_a), (first_b, last_b)) =
        (span(context.baseline)?, span(context.candidate)?);
    let (first, second) = if last_a < first_b {
        (context.baseline, context.candidate)
    } else if last_b < first_a {
        (context.candidate, context.baseline)
    } else {
        return None;
    };
    let message = format!(
        "All runs of `{}` were made before all of `{}`: whatever drifted in between looks like the change. \
         Run them by turns.",
        first.name, second.name
    );
    Some(
        Finding::new("order-confounded", Severity::Warn, message)
            .with("baseline", vec![first_a, last_a])
            .with("candidate", vec![first_b, last_b]),
    )
}

pub(super) fn drift(context: &Context) -> Option<Finding> {
    let deciding = || context.rows.iter().filter(|row| context.deciding.contains(&row.metric.name));
    let mut trends = Vec::new();
    for row in deciding() {
        for (variant, side) in
            [(context.baseline, &row.baseline), (context.candidate, &row.candidate)]
        {
            if let Some(trend) = span(variant).and_then(|_| mann_kendall(&side.values)) {
                trends.push((row, variant, side.values.len(), trend));
            }
        }
    }
    let raw: Vec<f64> = trends.iter().map(|(.., trend)| trend.p_value).collect();
    let adjusted = holm(&raw);
    let ((row, variant, runs, trend), p) = trends
        .into_iter()
        .zip(adjusted)
        .min_by(|((.., a), _), ((.., b), _)| a.p_value.total_cmp(&b.p_value))?;
    if p >= TREND {
        return None;
    }
    let way = if trend.tau > 0.0 { "rises" } else { "falls" };
    let message = format!(
        "In `{}` {} {way} from run to run (rank correlation {} over {runs} runs, p = {}): the machine \
         drifts, and part of the change may be its.",
        variant.name,
        row.metric.label,
        format!("{:+.2}", trend.tau).replace('-', "−"),
        shown(p)
    );
    Some(
        Finding::new("drift", Severity::Warn, message)
            .with("variant", variant.name.clone())
            .with("metric", row.metric.name.clone())
            .with("rank_correlation", trend.tau)
            .with("p_value", trend.p_value)
            .with("p_adjusted", p),
    )
}

fn shown(p: f64) -> String {
    if p < 0.001 { "0.001 or less".to_owned() } else { format!("{p:.3}") }
}
