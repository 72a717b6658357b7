//! Findings about the repeated runs of one build, each with its numbers and what to do.
//!
//! Only the deciding metrics are looked at: of twenty correlated metrics one or two are always odd by chance.

mod order;
mod spread;

use crate::checks::{CheckId, Finding, Severity};
use crate::format::{also, counted, percent};
use crate::noise::repeats::Series;
use crate::noise::report::{FindingRow, MetricNoise, Repeats};
use crate::runs::ITERATIONS_AS_RUNS;
use crate::stats::{Sample, log_sd};

/// Runs or labels that a sentence names.
const MOST_NAMED: usize = 3;

pub(super) fn all(repeats: &Repeats, series: &Series) -> Vec<Finding> {
    let subject = Subject { repeats, series };
    let outliers = subject.outliers();
    // Where a single run makes the noise, it comes before the noise.
    let (cause, effect) = if outliers.as_ref().is_some_and(|finding| finding.next.is_some()) {
        (outliers, None)
    } else {
        (None, outliers)
    };
    let mut findings: Vec<Finding> = [
        subject.iterations(),
        subject.labels_differ(),
        subject.duplicates(),
        subject.printing(),
        subject.slow_first_run(),
        cause,
        subject.two_modes(),
        subject.noisy(),
        subject.drift(),
        effect,
        subject.autocorrelation(),
    ]
    .into_iter()
    .flatten()
    .collect();
    findings.sort_by_key(|finding| finding.severity);
    findings
}

/// The runs of one build and their figures.
struct Subject<'a> {
    repeats: &'a Repeats,
    series: &'a Series<'a>,
}

impl Subject<'_> {
    fn iterations(&self) -> Option<Finding> {
        let mut runs = self.series.runs.iter();
        let found = runs.any(|run| run.metadata.contains_key(ITERATIONS_AS_RUNS));
        let message = "Each run is an iteration of one process (--unit iteration): differences between processes (layout, \
                       ASLR, compilation) are not in this noise.";
        let advice = "Start the program several times to see them.";
        found.then(|| Finding::warning(CheckId::IterationsAsRuns, message.to_owned(), advice))
    }
}

impl Finding {
    fn warning(id: CheckId, message: String, advice: &str) -> Self {
        let mut finding = Self::new(id, Severity::Warn, message);
        advice.clone_into(&mut finding.advice);
        finding
    }

    fn noted(mut self) -> Self {
        self.severity = Severity::Note;
        self
    }

    fn next(mut self, step: impl Into<String>) -> Self {
        self.next = Some(step.into());
        self
    }

    /// About a metric; a note where `size` is known and under the margin that matters.
    fn about(mut self, metric: &MetricNoise, size: Option<f64>) -> Self {
        self.metric = Some(metric.metric.clone());
        if size.is_some_and(|size| size.abs() < metric.margin) {
            self.severity = Severity::Note;
        }
        self
    }
}

pub(super) fn row(finding: Finding) -> FindingRow {
    FindingRow {
        id: finding.id,
        severity: finding.severity,
        metric: finding.metric,
        message: finding.message,
        advice: finding.advice,
        evidence: finding.evidence,
    }
}

impl Subject<'_> {
    fn deciding(&self) -> impl Iterator<Item = &MetricNoise> {
        self.repeats.metrics.iter().filter(|metric| metric.deciding)
    }

    /// The deciding metric that shows something most, the least `weight` first, and the others in words.
    fn most<T: Copy>(
        &self,
        find: impl Fn(&MetricNoise) -> Option<T>,
        weight: impl Fn(T) -> f64,
        size: impl Fn(T) -> Option<String>,
    ) -> Option<(&MetricNoise, T, String)> {
        let found = self.deciding().filter_map(|metric| Some((metric, find(metric)?)));
        let mut found: Vec<(&MetricNoise, T)> = found.collect();
        found.sort_by(|(_, a), (_, b)| weight(*a).total_cmp(&weight(*b)));
        let other = |(metric, shown): &(&MetricNoise, T)| match size(*shown) {
            Some(size) => format!("{} ({size})", metric.label),
            None => metric.label.clone(),
        };
        let others: Vec<String> = found.iter().skip(1).map(other).collect();
        let (metric, shown) = *found.first()?;
        Some((metric, shown, also(&others)))
    }

    fn runs(&self, metric: &MetricNoise) -> Vec<&str> {
        let has = |run: usize| self.series.runs[run].metrics.contains_key(&metric.metric);
        let named = self.series.names.iter().enumerate().filter(|(run, _)| has(*run));
        named.map(|(_, name)| name.as_str()).collect()
    }

    fn labels_differ(&self) -> Option<Finding> {
        if !self.series.labels_differ() {
            return None;
        }
        let message = format!(
            "The labels of these {} differ in more than a number: if the builds differ too, this is not \
             noise.",
            counted(self.repeats.pooled.len(), "run")
        );
        let advice = "If they are different builds, make repeats of one of them.";
        Some(
            Finding::warning(CheckId::LabelsDiffer, message, advice)
                .with("labels", self.repeats.pooled.clone()),
        )
    }

    fn duplicates(&self) -> Option<Finding> {
        let ours = |name: &str| self.series.variants.iter().any(|variant| variant.name == name);
        let twins: Vec<_> =
            self.series.group.duplicates.iter().filter(|twin| ours(&twin.kept_variant)).collect();
        let first = twins.first()?;
        let (what, verb) = match twins.len() {
            1 => ("A run".to_owned(), "was"),
            n => (counted(n, "run"), "were"),
        };
        let message = format!(
            "{what} {verb} found twice and counted once: {} equals {}.",
            first.dropped, first.kept
        );
        let equal: Vec<String> =
            twins.iter().map(|twin| format!("{} = {}", twin.dropped, twin.kept)).collect();
        let advice = "A copy is not a repeat: run the benchmark again.";
        Some(Finding::warning(CheckId::DuplicateRun, message, advice).with("equal", equal))
    }
}

fn without(metric: &MetricNoise, positions: &[usize]) -> Option<f64> {
    let kept = metric.values.iter().enumerate().filter(|(place, _)| !positions.contains(place));
    let kept: Vec<f64> = kept.map(|(_, value)| *value).collect();
    Sample::rounded(kept, metric.resolution).ok().as_ref().and_then(log_sd)
}

/// ` Without it the noise is 0.5 % instead of 3.1 %.`
fn without_them(metric: &MetricNoise, positions: &[usize]) -> String {
    let them = if positions.len() == 1 { "it" } else { "them" };
    without(metric, positions).zip(metric.cv).map_or(String::new(), |(cv, all)| {
        format!(" Without {them} the noise is {} instead of {}.", percent(cv), percent(all))
    })
}
