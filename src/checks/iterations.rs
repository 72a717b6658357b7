//! The check of iterations that the user takes as runs.

use crate::checks::context::Context;
use crate::checks::finding::{Finding, Severity};
use crate::checks::id::CheckId;
use crate::runs::{ITERATIONS_AS_RUNS, Run};

/// Whether a run is one iteration of a process.
pub(super) fn is_iteration(run: &Run) -> bool {
    run.metadata.contains_key(ITERATIONS_AS_RUNS)
}

/// Names the noise that is left out where iterations count as runs; always shown.
pub(super) fn iterations_as_runs(context: &Context) -> Option<Finding> {
    let mut runs = context.baseline.runs.iter().chain(&context.candidate.runs);
    if !runs.any(is_iteration) {
        return None;
    }
    let message = "Each run is an iteration of one process (--unit iteration): differences between processes (layout, ASLR, \
                   compilation) are not in this noise.";
    Some(
        Finding::new(CheckId::IterationsAsRuns, Severity::Warn, message.to_owned())
            .with("baseline_iterations", context.baseline.runs.len())
            .with("candidate_iterations", context.candidate.runs.len()),
    )
}
