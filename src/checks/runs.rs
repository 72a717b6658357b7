//! Checks of the runs themselves: how many there are, and whether they are distinct.

use crate::borrow::NoiseSource;
use crate::checks::{Blocks, Context, Finding, Severity, percent};
use crate::compare::{Measured, POWER};
use crate::policy::NoiseFrom;
use crate::runs::Duplicate;
use crate::stats::runs_needed;

pub(super) fn too_few_runs(context: &Context) -> Option<Finding> {
    let (a, b) = (context.baseline.runs.len(), context.candidate.runs.len());
    let known = |row: &Measured| row.noise.is_some_and(|noise| noise.borrowed.is_some());
    if a.min(b) > 1 || context.rows.iter().any(known) {
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

/// That the noise is not that of the runs themselves, which a reader must know to believe the interval.
pub(super) fn borrowed_noise(context: &Context) -> Option<Finding> {
    let lent = |row: &Measured| row.noise.and_then(|noise| noise.borrowed);
    let row = context.leading().filter(|row| lent(row).is_some());
    let row = row.or_else(|| context.rows.iter().find(|row| lent(row).is_some()))?;
    let lent = lent(row)?;
    let plural = |n: usize, what: &str| format!("{n} {what}{}", if n == 1 { "" } else { "s" });
    let of_job = plural(lent.variances - lent.earlier, "other comparison");
    let earlier = format!("{} earlier series of runs", lent.earlier);
    let (whence, assumption) = match lent.source {
        NoiseSource::History if lent.earlier == lent.variances => (earlier, ""),
        NoiseSource::History => (format!("{of_job} of this job and {earlier}"), ""),
        NoiseSource::Batch => (format!("{of_job} of this job"), ""),
        NoiseSource::Variants => (
            plural(lent.variances, "variant") + " with one run each",
            ": it holds only if most of them change nothing",
        ),
    };
    let single = !lent.own;
    let subject = if single { "The noise is not of these runs but" } else { "The noise is also" };
    let message = format!(
        "{subject} that of {whence}{assumption} ({}: CV {} there, counted as {:.1} degrees of freedom).",
        row.metric.label,
        percent(lent.prior.variance.value.sqrt()),
        lent.prior.variance.df,
    );
    let severity = if single || !assumption.is_empty() { Severity::Warn } else { Severity::Note };
    Some(
        Finding::new("borrowed-noise", severity, message)
            .with("metric", row.metric.name.clone())
            .with("variances", lent.variances)
            .with("of_earlier_runs", lent.earlier)
            .with("cv", lent.prior.variance.value.sqrt())
            .with("df", lent.prior.variance.df),
    )
}

/// That the user asked for noise from elsewhere and there was none.
pub(super) fn nothing_borrowed(context: &Context) -> Option<Finding> {
    let asked = matches!(context.policy.noise, NoiseFrom::Batch | NoiseFrom::Variants);
    let lent = |row: &Measured| row.noise.is_some_and(|noise| noise.borrowed.is_some());
    if !asked || context.rows.iter().any(lent) {
        return None;
    }
    let message = if context.policy.noise == NoiseFrom::Variants {
        "No noise could be borrowed: that of other variants takes four or more of them with one run each, \
         and is for such runs only."
    } else {
        "No noise could be borrowed: it takes at least three variances of this metric in the job."
    };
    Some(Finding::new("nothing-borrowed", Severity::Warn, message.to_owned()))
}

/// Runs that `--paired` had to leave out.
pub(super) fn unpaired_runs(context: &Context) -> Option<Finding> {
    let runs = context.pairs.map_or(0, |pairs| pairs.alone.0 + pairs.alone.1);
    if runs == 0 {
        return None;
    }
    let (noun, verb) = if runs == 1 { ("run", "was") } else { ("runs", "were") };
    let message = format!("{runs} {noun} without a partner {verb} left out of the pairs.");
    Some(Finding::new("unpaired-runs", Severity::Warn, message).with("runs", runs))
}

/// Run-to-run noise for which [`runs_to_plan`] says how many runs it takes.
const PLANNED_NOISE: [f64; 3] = [0.01, 0.02, 0.05];

/// Where there is no noise to plan with, what three usual ones would ask for.
pub(super) fn runs_to_plan(context: &Context) -> Option<Finding> {
    if context.baseline.runs.len() > 1 || context.candidate.runs.len() > 1 {
        return None;
    }
    let row = context.leading()?;
    let change = row.relative?.estimate;
    let alpha = context.policy.alpha();
    let needed = PLANNED_NOISE.map(|cv| {
        // Two runs have an interval of one degree of freedom: nobody should plan for it.
        runs_needed(change.ln_1p().abs(), cv, POWER, alpha).map(|runs| runs.max(3))
    });
    let [Some(low), Some(middle), Some(high)] = needed else { return None };
    let message = format!(
        "To find a change of {} in {} reliably takes {low} runs of each at 1 % run-to-run noise, {middle} at \
         2 %, {high} at 5 % (80 % power).",
        percent(change),
        row.metric.label
    );
    Some(
        Finding::new("runs-to-plan", Severity::Note, message)
            .with("metric", row.metric.name.clone())
            .with("noise", PLANNED_NOISE.to_vec())
            .with("runs", vec![low, middle, high]),
    )
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
