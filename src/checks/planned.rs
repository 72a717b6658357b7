//! The changes that few runs can show, and the number of runs to plan for.

use crate::checks::averages::has_averages;
use crate::checks::{CheckId, Context, Finding, Severity};
use crate::compare::POWER;
use crate::format::{LARGEST_CHANGE, percent};
use crate::stats::comparison_runs_needed;

/// Run-to-run noise for which [`runs_to_plan`] says how many runs it takes.
const PLANNED_NOISE: [f64; 3] = [0.01, 0.02, 0.05];

/// Where there is no noise to plan with, what three usual ones would ask for.
pub(super) fn runs_to_plan(context: &Context) -> Option<Finding> {
    if context.baseline.runs.len() > 1 || context.candidate.runs.len() > 1 || has_averages(context)
    {
        return None;
    }
    let row = context.leading()?;
    let change = row.relative?.estimate;
    let alpha = context.shared_alpha();
    let needed = PLANNED_NOISE.map(|cv| {
        // Two runs have an interval of one degree of freedom: nobody should plan for it.
        comparison_runs_needed(change.ln_1p().abs(), cv, 0.0, POWER, alpha).map(|runs| runs.max(3))
    });
    let [Some(low), Some(middle), Some(high)] = needed else { return None };
    let message = format!(
        "To find a change of {} in {} reliably takes {low} runs of each at 1 % run-to-run noise, {middle} at \
         2 %, {high} at 5 % (80 % power).",
        percent(change),
        row.metric.label
    );
    Some(
        Finding::new(CheckId::RunsToPlan, Severity::Note, message)
            .with("metric", row.metric.name.clone())
            .with("noise", PLANNED_NOISE.to_vec())
            .with("alpha", alpha)
            .with("runs", vec![low, middle, high]),
    )
}

/// The smallest change that a few runs can show, at the level that is left for a deciding metric.
pub(super) fn low_resolution(context: &Context) -> Option<Finding> {
    let fewest = context.fewest_runs;
    if fewest < 2 || fewest >= context.policy.thresholds.few_runs {
        return None;
    }
    let row = context.leading()?;
    let alpha = context.shared_alpha();
    let detectable = row.detectable(alpha)?;
    let (runs, metric) = (context.counted(), &row.metric.label);
    let found = if detectable < LARGEST_CHANGE {
        format!("only changes of {} or more in {metric} are found", percent(detectable))
    } else {
        format!("no change below {} in {metric} is found", percent(LARGEST_CHANGE))
    };
    let message = format!("With {runs} {found} reliably (80 % power).");
    Some(
        Finding::new(CheckId::LowResolution, Severity::Warn, message)
            .with("baseline_runs", context.baseline.runs.len())
            .with("candidate_runs", context.candidate.runs.len())
            .with("metric", row.metric.name.clone())
            .with("detectable", detectable)
            .with("alpha", alpha)
            // A change that few runs have shown will not go away with more; one they have not may appear.
            .flipping(row.p_value.is_some_and(|p| p >= alpha)),
    )
}
