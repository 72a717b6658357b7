//! Checks of averages that state their standard deviation: where the interval comes from.

use crate::checks::context::names_and_labels;
use crate::checks::{Blocks, CheckId, Context, Finding, Severity};
use crate::compare::{Measured, mixes_averages};
use crate::runs::Variant;

/// Numbers of runs behind the averages of a row; `None` unless both variants have averages.
fn behind(row: &Measured) -> Option<(usize, usize)> {
    row.baseline.averaged.zip(row.candidate.averaged)
}

/// Whether some metric is compared by averages that state their standard deviation.
pub(super) fn has_averages(context: &Context) -> bool {
    context.rows.iter().any(|row| behind(row).is_some())
}

/// The deciding metrics without a standard deviation, if each variant has one run; `None` if there are none.
pub(super) fn not_averaged(context: &Context) -> Option<Finding> {
    let names = context.rows_where(|row| behind(row).is_none());
    let decides = |row: &&Measured| context.deciding.contains(&row.metric.name);
    let single = context.rows.iter().filter(|row| behind(row).is_none());
    let (_, labels) = names_and_labels(single.filter(decides));
    if labels.is_empty() {
        return None;
    }
    let message = format!(
        "{}: an average without a standard deviation, or one run, cannot separate a change from noise.",
        labels.join(", ")
    );
    Some(
        Finding::new(CheckId::TooFewRuns, Severity::Block, message)
            .with("metrics", names.clone())
            .blocking(Blocks::Metrics(names), "too few runs"),
    )
}

/// The interval comes from averages and their printed standard deviations, not from single runs.
pub(super) fn from_averages(context: &Context) -> Option<Finding> {
    if let Some(finding) = mixed(context) {
        return Some(finding);
    }
    let averaged = |row: &&Measured| behind(row).is_some();
    let row =
        context.deciding_rows().find(averaged).or_else(|| context.rows.iter().find(averaged))?;
    let (a, b) = behind(row)?;
    let message = format!(
        "The noise comes from averages of {a} + {b} runs with the standard deviations that are printed beside them \
         (Welch's interval). They are taken as standard deviations of single runs: if they are standard errors of the \
         mean, the intervals here are too narrow, by a factor of {:.1}.",
        (a.min(b) as f64).sqrt()
    );
    Some(
        Finding::new(CheckId::FromAverages, Severity::Warn, message)
            .with("metric", row.metric.name.clone())
            .with("baseline_runs", a)
            .with("candidate_runs", b)
            .flipping(row.p_value.is_some_and(|p| p < context.policy.alpha())),
    )
}

/// Averages beside single runs of the same variant: neither can count as the other.
fn mixed(context: &Context) -> Option<Finding> {
    let of =
        |variant: &Variant| context.rows_where(|row| mixes_averages(variant, &row.metric.name));
    let sides = [context.baseline, context.candidate];
    let (variant, mut names) =
        sides.iter().map(|variant| (variant, of(variant))).find(|(_, names)| !names.is_empty())?;
    names.extend(of(context.candidate));
    names.sort();
    names.dedup();
    let message = format!(
        "{} has an average of several runs beside other runs or averages, and an average is not a run. Give the single runs alone, or the \
         average alone.",
        variant.name
    );
    Some(
        Finding::new(CheckId::FromAverages, Severity::Block, message)
            .with("variant", variant.name.clone())
            .with("metrics", names.clone())
            .blocking(Blocks::Metrics(names), "averages beside runs"),
    )
}
