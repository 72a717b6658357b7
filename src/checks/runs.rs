//! Checks of the runs themselves: how many there are, and whether they are distinct.

use crate::checks::{Blocks, Context, Finding, Severity, percent};
use crate::runs::Duplicate;

pub(super) fn too_few_runs(context: &Context) -> Option<Finding> {
    let (a, b) = (context.baseline.runs.len(), context.candidate.runs.len());
    if a.min(b) > 1 {
        return None;
    }
    let message = if a == 1 && b == 1 {
        "One run each cannot separate a change from run-to-run noise.".to_owned()
    } else {
        let name = if a == 1 { &context.baseline.name } else { &context.candidate.name };
        format!("`{name}` has one run, which says nothing of its run-to-run noise.")
    };
    let mut finding = Finding::new("too-few-runs", Severity::Block, message)
        .with("baseline_runs", a)
        .with("candidate_runs", b);
    if let Some(cv) = context.leading().and_then(|row| row.break_even_cv) {
        finding = finding.with("break_even_cv", cv);
    }
    Some(finding.blocking(Blocks::All, "too few runs"))
}

pub(super) fn low_resolution(context: &Context) -> Option<Finding> {
    let fewest = context.fewest_runs();
    if fewest < 2 || fewest >= context.policy.thresholds.few_runs {
        return None;
    }
    let row = context.leading()?;
    let detectable = row.noise?.detectable?;
    let message = format!(
        "With {} + {} runs only changes of {} or more in {} are found reliably (80 % power).",
        context.baseline.runs.len(),
        context.candidate.runs.len(),
        percent(detectable),
        row.metric.label
    );
    Some(
        Finding::new("low-resolution", Severity::Warn, message)
            .with("baseline_runs", context.baseline.runs.len())
            .with("candidate_runs", context.candidate.runs.len())
            .with("metric", row.metric.name.clone())
            .with("detectable", detectable),
    )
}

pub(super) fn duplicate_run(context: &Context) -> Option<Finding> {
    let ours = |name: &str| name == context.baseline.name || name == context.candidate.name;
    let found: Vec<&Duplicate> = context
        .group
        .duplicates
        .iter()
        .filter(|twin| ours(&twin.kept_variant) || ours(&twin.dropped_variant))
        .collect();
    let first = found.first()?;
    let what = match found.len() {
        1 => "A run was found twice".to_owned(),
        n => format!("{n} runs were found twice"),
    };
    let example = if first.kept_variant == first.dropped_variant {
        format!("{} equals {}", first.dropped, first.kept)
    } else {
        format!(
            "{} (`{}`) equals {} (`{}`)",
            first.dropped, first.dropped_variant, first.kept, first.kept_variant
        )
    };
    let message = format!("{what} and counted once: {example}.");
    let twins: Vec<String> =
        found.iter().map(|twin| format!("{} = {}", twin.dropped, twin.kept)).collect();
    // A repeat that was none, and leaves a variant with one run.
    let leaves_one = [context.baseline, context.candidate].iter().any(|variant| {
        let repeat = |twin: &&Duplicate| {
            twin.kept_variant == variant.name && twin.dropped_variant == variant.name
        };
        variant.runs.len() == 1 && found.iter().any(repeat)
    });
    let severity = if leaves_one { Severity::Block } else { Severity::Warn };
    let finding = Finding::new("duplicate-run", severity, message)
        .with("duplicates", found.len())
        .with("equal", twins);
    let blocks = if severity == Severity::Block { Blocks::All } else { Blocks::Nothing };
    Some(finding.blocking(blocks, "a run counted twice"))
}
