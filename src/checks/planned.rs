//! The smallest changes that the present runs, or a few more, can show.

use crate::checks::averages::has_averages;
use crate::checks::{CheckId, Context, Finding, Severity};
use crate::compare::{MORE_RUNS, POWER};
use crate::format::{LARGEST_CHANGE, percent};
use crate::stats::PlannedTest;

/// Run-to-run noise levels for [`runs_to_plan`].
const USUAL_NOISE: [f64; 3] = [0.01, 0.02, 0.05];

/// Without measured noise: the smallest change that the next step's runs find, at three usual noise levels.
pub(super) fn runs_to_plan(context: &Context) -> Option<Finding> {
    let (a, b) = (context.baseline.runs.len(), context.candidate.runs.len());
    if a > 1 || b > 1 || has_averages(context) {
        return None;
    }
    let row = context.leading()?;
    let alpha = context.shared_alpha();
    let [more, ..] = MORE_RUNS;
    let runs = 1 + more;
    let found = USUAL_NOISE.map(|cv| {
        let test = PlannedTest { noise: cv, alpha };
        test.detectable((runs, runs), PlannedTest::df((runs, runs), 0.0), POWER).exp_m1()
    });
    let [low, middle, high] = found.map(percent);
    let message = format!(
        "With {runs} runs of each, {more} more than now, changes in {} are found from {low} on at 1 % run-to-run noise, \
         {middle} at 2 %, {high} at 5 % (80 % power).",
        row.metric.label
    );
    Some(
        Finding::new(CheckId::RunsToPlan, Severity::Note, message)
            .with("metric", row.metric.name.clone())
            .with("noise", USUAL_NOISE.to_vec())
            .with("alpha", alpha)
            .with("runs", vec![runs; USUAL_NOISE.len()])
            .with("detectable", found.to_vec()),
    )
}

/// The smallest change that few runs can show, at the level of a deciding metric.
pub(super) fn low_resolution(context: &Context) -> Option<Finding> {
    let fewest = context.fewest_runs;
    if fewest < 2 || fewest >= context.policy.thresholds.few_runs {
        return None;
    }
    let row = context.leading()?;
    let alpha = context.shared_alpha();
    let detectable = row.detectable(alpha)?;
    let (runs, metric) = (context.counted(), &row.metric.label);
    let found = row.p_value.is_some_and(|p| p < alpha);
    let larger = row.relative.is_some_and(|effect| effect.estimate.abs() >= detectable);
    // A smaller change may be found and a larger one missed: that is no contradiction, and must not read like one.
    let found = if found != larger && detectable < LARGEST_CHANGE {
        format!(
            "a change of {} in {metric} is found in 4 of 5 cases, a smaller one less often",
            percent(detectable)
        )
    } else if detectable < LARGEST_CHANGE {
        format!("only changes of {} or more in {metric} are found reliably", percent(detectable))
    } else {
        format!("no change below {} in {metric} is found reliably", percent(LARGEST_CHANGE))
    };
    let message = format!("With {runs} {found} (80 % power).");
    Some(
        Finding::new(CheckId::LowResolution, Severity::Warn, message)
            .with("baseline_runs", context.baseline.runs.len())
            .with("candidate_runs", context.candidate.runs.len())
            .with("metric", row.metric.name.clone())
            .with("detectable", detectable)
            .with("alpha", alpha)
            // A change that few runs have shown is not undone by more runs; a missed change may appear.
            .flipping(row.p_value.is_some_and(|p| p >= alpha)),
    )
}
