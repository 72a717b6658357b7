//! Checks of the runs themselves: how many there are, and whether they are distinct.

use std::collections::{BTreeMap, BTreeSet};

use crate::builds::Build;
use crate::checks::averages::{has_averages, not_averaged};
use crate::checks::context::names_and_labels;
use crate::checks::inside_runs::is_iteration;
use crate::checks::levels::{left_out, too_few_units};
use crate::checks::subject::Subject;
use crate::checks::{Blocks, CheckId, Context, Finding, Severity};
use crate::compare::Measured;
use crate::format::{counted, percent, sentence};
use crate::metrics::Metric;
use crate::noise_prior::NoiseSource;
use crate::policy::NoiseFrom;
use crate::runs::{Duplicate, MIN_BLOCKS, Run, Variant, equal_rows};
use crate::stats::PriorRefusal;

/// The sentence for one run each.
pub(crate) const SINGLE_RUNS: &str = "One run each cannot separate a change from run-to-run noise.";

pub(super) fn too_few_runs(context: &Context) -> Option<Finding> {
    let (a, b) = (context.baseline.runs.len(), context.candidate.runs.len());
    let known = |row: &Measured| row.noise.is_some_and(|noise| noise.borrowed.is_some());
    if context.rows.iter().any(known) {
        return None;
    }
    if has_averages(context) {
        return not_averaged(context);
    }
    if let Some(finding) = too_few_units(context) {
        return Some(finding);
    }
    if a.min(b) > 1 {
        return too_few_values(context);
    }
    let name = if a <= b { &context.baseline.name } else { &context.candidate.name };
    let message = match (a, b) {
        (0, _) | (_, 0) => format!("All runs of {name} failed: there is nothing to compare."),
        (1, 1) => SINGLE_RUNS.to_owned(),
        _ => format!("{name} has one run: its run-to-run noise is not known."),
    };
    let mut finding = Finding::new(CheckId::TooFewRuns, Severity::Block, message)
        .with("baseline_runs", a)
        .with("candidate_runs", b);
    if let Some(cv) = context.leading().and_then(|row| row.break_even_cv) {
        finding = finding.with("break_even_cv", cv);
    }
    Some(finding.blocking(Blocks::All, "too few runs"))
}

/// Deciding metrics that only one run of a variant has, although it has more runs.
fn too_few_values(context: &Context) -> Option<Finding> {
    let few: Vec<&Measured> = context
        .deciding_rows()
        .filter(|row| row.baseline.values.len().min(row.candidate.values.len()) < 2)
        .collect();
    let row = few.first()?;
    let (side, variant) = if row.baseline.values.len() < 2 {
        (&row.baseline, context.baseline)
    } else {
        (&row.candidate, context.candidate)
    };
    let (names, labels) = names_and_labels(few.iter().copied());
    let verb = if few.len() == 1 { "is" } else { "are" };
    let message = sentence(&format!(
        "{} {verb} in {} of {} runs of {}: the run-to-run noise is not known.",
        labels.join(", "),
        side.values.len(),
        variant.runs.len(),
        variant.name
    ));
    Some(
        Finding::new(CheckId::TooFewRuns, Severity::Block, message)
            .with("metrics", names.clone())
            .with("baseline_runs", row.baseline.values.len())
            .with("candidate_runs", row.candidate.values.len())
            .blocking(Blocks::Metrics(names), "one run has it"),
    )
}

/// Noise comes from elsewhere, not from the runs alone; a reader must know that to judge the interval.
pub(super) fn borrowed_noise(context: &Context) -> Option<Finding> {
    let lent = |row: &Measured| row.noise.and_then(|noise| noise.borrowed);
    let row = context.leading().filter(|row| lent(row).is_some());
    let row = row.or_else(|| context.rows.iter().find(|row| lent(row).is_some()))?;
    let lent = lent(row)?;
    let of_job = counted(lent.variances - lent.earlier, "other comparison");
    let earlier = format!("{} earlier series of runs", lent.earlier);
    let (whence, assumption) = match lent.source {
        NoiseSource::History if lent.earlier == lent.variances => (earlier, ""),
        NoiseSource::History => (format!("{of_job} of this job and {earlier}"), ""),
        NoiseSource::Batch => (format!("{of_job} of this job"), ""),
        NoiseSource::Variants => (
            counted(lent.variances, "variant") + " with one run each",
            ": it holds only if most of them change nothing",
        ),
    };
    let single = !lent.own;
    let also = if single { ", not from these runs" } else { " too" };
    let message = format!(
        "The noise is estimated from {whence}{also}{assumption} ({}: CV {}, counted as {:.1} degrees of freedom).",
        row.metric.label,
        percent(lent.prior.variance.value.sqrt()),
        lent.prior.variance.df,
    );
    let severity = if single || !assumption.is_empty() { Severity::Warn } else { Severity::Note };
    Some(
        Finding::new(CheckId::BorrowedNoise, severity, message)
            .with("metric", row.metric.name.clone())
            .with("variances", lent.variances)
            .with("of_earlier_runs", lent.earlier)
            .with("cv", lent.prior.variance.value.sqrt())
            .with("df", lent.prior.variance.df),
    )
}

/// Known noise is not borrowed, or the user asked for borrowed noise and there is none.
pub(super) fn nothing_borrowed(context: &Context) -> Option<Finding> {
    let asked = matches!(context.policy.noise, NoiseFrom::Batch | NoiseFrom::Variants);
    let lent = |row: &Measured| row.noise.is_some_and(|noise| noise.borrowed.is_some());
    if context.rows.iter().any(lent) {
        return None;
    }
    let unlike = context.leading().and_then(|row| row.not_lent);
    let message = match unlike.filter(|unlike| *unlike != PriorRefusal::TooFew) {
        Some(PriorRefusal::Own) => {
            "Noise from elsewhere is not used: these runs are noisier, and the smaller noise would cause false alarms."
        }
        Some(_) => {
            "Noise from elsewhere is not used: it is not shown to be the same everywhere, and where it is larger it would \
             cause false alarms."
        }
        None if !asked => return None,
        None if context.policy.noise == NoiseFrom::Variants => {
            "Noise from other variants could not be used: that takes four or more variants with one run each, and serves \
             such variants only."
        }
        None => {
            "Noise from other cells could not be used: that takes at least three workloads with repeats of this metric."
        }
    };
    let severity = if asked { Severity::Warn } else { Severity::Note };
    Some(Finding::new(CheckId::NothingBorrowed, severity, message.to_owned()))
}

/// Runs that `--paired` left out.
pub(super) fn unpaired_runs(context: &Context) -> Option<Finding> {
    if let Some(blocks) = context.few_blocks {
        let message = format!(
            "The runs are in the order A B B A, whose unit is the block of four: {blocks} whole of at least {MIN_BLOCKS}. They are compared \
             without pairs, since neighbouring differences correlate."
        );
        let runs = context.baseline.runs.len() + context.candidate.runs.len();
        return Some(
            Finding::new(CheckId::UnpairedRuns, Severity::Warn, message).with("runs", runs),
        );
    }
    let runs = context.pairs.map_or(0, |pairs| pairs.alone.0 + pairs.alone.1);
    if runs == 0 {
        return None;
    }
    let (noun, verb) = if runs == 1 { ("run", "was") } else { ("runs", "were") };
    let message = left_out(context).unwrap_or_else(|| {
        format!("{runs} {noun} without a partner {verb} left out of the pairs.")
    });
    Some(Finding::new(CheckId::UnpairedRuns, Severity::Warn, message).with("runs", runs))
}

/// Whether the copies are in files that repeat the runs of several files beside them, as sweeps of vLLM do.
fn are_summaries(found: &[&Duplicate]) -> bool {
    let folder = |path: &str| path.rfind(['/', '\\']).map(|end| path[..end].to_owned());
    let mut files: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for twin in found {
        let beside = folder(&twin.dropped.path) == folder(&twin.kept.path);
        if !beside || twin.kept_variant != twin.dropped_variant {
            return false;
        }
        files.entry(&twin.dropped.path).or_default().insert(&twin.kept.path);
    }
    files.values().all(|kept| kept.len() > 1)
}

pub(super) fn duplicate_run(subject: &Subject) -> Option<Finding> {
    let variants: Vec<&Variant> = reported(subject).flat_map(|of| of.variants.clone()).collect();
    let ours = |name: &str| variants.iter().any(|variant| variant.name == name);
    let found: Vec<&Duplicate> = subject
        .group
        .duplicates
        .iter()
        .filter(|twin| ours(&twin.kept_variant) || ours(&twin.dropped_variant))
        .collect();
    let Some(first) = found.first() else { return pasted_rows(subject) };
    let what = match found.len() {
        1 => "A run was found twice".to_owned(),
        n => format!("{n} runs were found twice"),
    };
    let example = if first.kept_variant == first.dropped_variant {
        format!("{} equals {}", first.dropped, first.kept)
    } else {
        format!(
            "{} ({}) equals {} ({})",
            first.dropped, first.dropped_variant, first.kept, first.kept_variant
        )
    };
    let message = format!("{what} and counted once: {example}.");
    let twins: Vec<String> =
        found.iter().map(|twin| format!("{} = {}", twin.dropped, twin.kept)).collect();
    // The repeat was a copy, and the variant has one run left.
    let leaves_one = reported(subject).filter(|build| build.runs.len() == 1).any(|build| {
        let own = |name: &str| name == build.name();
        found.iter().any(|twin| own(&twin.kept_variant) && own(&twin.dropped_variant))
    });
    let severity = match (leaves_one, are_summaries(&found)) {
        (true, _) => Severity::Block,
        (false, true) => Severity::Note,
        (false, false) => Severity::Warn,
    };
    let finding = Finding::new(CheckId::DuplicateRun, severity, message)
        .with("duplicates", found.len())
        .with("equal", twins);
    let blocks = if severity == Severity::Block { Blocks::All } else { Blocks::Nothing };
    Some(finding.blocking(blocks, "a run counted twice"))
}

/// Rows of one table with equal figures throughout. They are different rows, and so different runs; but a variant with only
/// such rows has one run.
fn pasted_rows(subject: &Subject) -> Option<Finding> {
    let runs: Vec<&Run> = reported(subject).flat_map(|build| build.runs.clone()).collect();
    // Timers are coarse: iterations of one process may be equal.
    if runs.iter().any(|run| is_iteration(run)) {
        return None;
    }
    let found = equal_rows(&runs);
    let (run, first) = found.first()?;
    let more = match found.len() {
        1 => String::new(),
        2 => ", and so does 1 more row".to_owned(),
        n => format!(", and so do {} more rows", n - 1),
    };
    let one = reported(subject).find(|build| {
        let own = |run: &Run| build.variants.iter().any(|variant| variant.name == run.variant);
        let equal = found.iter().filter(|(run, first)| own(run) && own(first)).count();
        build.runs.len() > 1 && equal + 1 == build.runs.len()
    });
    let message = format!(
        "{} equals {} in every figure{more}. Rows count as runs: remove what was pasted twice.",
        run.source, first.source
    );
    let equal: Vec<String> =
        found.iter().map(|(run, first)| format!("{} = {}", run.source, first.source)).collect();
    let severity = if one.is_some() { Severity::Block } else { Severity::Warn };
    let finding = Finding::new(CheckId::DuplicateRun, severity, message)
        .with("duplicates", found.len())
        .with("equal", equal);
    let blocks = if one.is_some() { Blocks::All } else { Blocks::Nothing };
    Some(finding.blocking(blocks, "a run counted twice"))
}

fn reported<'a>(subject: &Subject<'a>) -> impl Iterator<Item = &'a Build<'a>> {
    let builds = subject.builds.iter().enumerate();
    builds.filter(|(side, _)| subject.reports_on(*side)).map(|(_, build)| build)
}

/// Single runs were taken as repeats although their labels differ in more than a number.
pub(super) fn labels_differ(subject: &Subject) -> Option<Finding> {
    let pooled = reported(subject).find(|build| build.labels_differ())?.pooled();
    let message = format!(
        "The labels of these {} differ in more than a number: if the builds differ too, this is not noise.",
        counted(pooled.len(), "run")
    );
    Some(Finding::new(CheckId::LabelsDiffer, Severity::Warn, message).with("labels", pooled))
}

/// The reading of a table is doubtful: other rows may be the repeats.
pub(super) fn doubtful_reading(subject: &Subject) -> Option<Finding> {
    let runs = subject.builds.iter().flat_map(|build| &build.runs);
    let doubts: BTreeSet<&str> = runs.filter_map(|run| run.info.doubt.as_deref()).collect();
    if doubts.is_empty() {
        return None;
    }
    let doubts = doubts.into_iter().collect::<Vec<_>>().join(". ");
    let message = format!("The table can be read in another way, with other repeats: {doubts}.");
    let pooled: BTreeSet<&str> = subject.builds.iter().flat_map(pooled_over).collect();
    if pooled.is_empty() {
        return Some(Finding::new(CheckId::DoubtfulReading, Severity::Warn, message));
    }
    let names: Vec<&str> = pooled.into_iter().collect();
    let message = format!("{message} Only one of the readings pools these runs: none is judged.");
    let finding = Finding::new(CheckId::DoubtfulReading, Severity::Warn, message);
    Some(finding.with("columns", names).blocking(Blocks::All, "the runs may be no repeats"))
}

/// Metrics of a build's pooled runs that may be settings: one reading pools these runs, the other does not.
fn pooled_over<'a>(build: &Build<'a>) -> Vec<&'a str> {
    let differs = |name: &&String| {
        let metric = Metric::of_column(name).0.name;
        let mut values = build.runs.iter().map(|run| run.metrics.get(&metric).map(|one| one.value));
        let first = values.next();
        values.any(|value| Some(value) != first)
    };
    let names = build.runs.iter().flat_map(|run| &run.info.may_be_settings);
    names.filter(differs).map(String::as_str).collect()
}
