//! Numbers and sentences of a noise report.

use crate::builds::Build;
use crate::checks::{CheckId, Finding, Severity};
use crate::format::{chosen, counted, listed, percent, percents, trimmed};
use crate::metrics::Metric;
use crate::noise::report::{FindingRow, MetricNoise, Repeats};
use crate::policy::Policy;
use crate::stats::PlannedTest;

/// Runs of each build for which the first sentence says what they find.
pub(super) const USUAL_RUNS: usize = 5;

/// Runs of each build beyond which a plan is advised for a larger change.
const TOO_MANY_RUNS: usize = 30;

/// The noise of one build in one sentence.
pub(super) fn summary(repeats: &Repeats, policy: &Policy) -> String {
    let Some(first) = repeats.leading().next() else { return String::new() };
    let runs = counted(first.n, "run");
    let Some(cv) = first.cv else {
        let same = first.values.iter().all(|value| value.total_cmp(&first.values[0]).is_eq());
        if same {
            return format!("{} is equal to the last digit in all {runs}", first.label);
        }
        return format!(
            "{} has no run-to-run CV, since a value is 0 or below, {runs}",
            first.label
        );
    };
    let known = match first.cv_interval {
        Some(ends) => {
            format!("({} interval {}), {runs}", chosen(policy.confidence), percents(ends))
        }
        None if first.cv_from_printing => {
            format!("as far as its printed digits tell (half of the last one), {runs}")
        }
        None => format!("(the interval is not known), {runs}"),
    };
    let shows = usual(first).map_or(String::new(), |change| {
        format!("; {USUAL_RUNS} runs each find changes of {} or more", percent(change))
    });
    format!("{} varies by {} from run to run {known}{shows}", first.label, percent(cv))
}

/// Smallest change that the usual number of runs finds.
fn usual(metric: &MetricNoise) -> Option<f64> {
    metric.detectable.iter().find(|found| found.runs == USUAL_RUNS)?.change
}

/// All builds in one sentence.
pub(super) fn overview(repeats: &[Repeats], policy: &Policy) -> String {
    let [worst, .., least] = repeats else {
        return repeats.first().map_or_else(String::new, |only| summary(only, policy));
    };
    let n = repeats.len();
    let label = |repeats: &Repeats| repeats.leading().next().map(|first| first.label.clone());
    let cv = |repeats: &Repeats| repeats.leading().next().and_then(|first| first.cv);
    let what = label(worst).unwrap_or_default();
    let same = repeats.iter().all(|one| label(one).as_ref() == Some(&what));
    let what = if same { what } else { "the first metric of each".to_owned() };
    let most = name(worst);
    let calm = repeats.iter().rev().find_map(cv).or_else(|| cv(least));
    match cv(worst).zip(calm) {
        Some((high, low)) if percent(low) == percent(high) => {
            format!("{n} builds with repeats: {what} varies by {} from run to run", percent(high))
        }
        Some((high, low)) => format!(
            "{n} builds with repeats: {what} varies by {} from run to run, most in {most}",
            percents([low, high])
        ),
        None => format!("{n} builds with repeats, none with a run-to-run CV of {what}"),
    }
}

/// The next step of the noisiest build, which is named where there are several.
pub(super) fn first_step(repeats: &[Repeats]) -> String {
    match repeats {
        [] => String::new(),
        [only] => only.next_step.clone(),
        [worst, ..] => format!("for {}: {}", name(worst), worst.next_step),
    }
}

/// The name of a build among several: its variant, or the labels that were pooled.
pub(super) fn name(repeats: &Repeats) -> String {
    match &repeats.variant {
        Some(variant) => format!("`{variant}`"),
        None => listed(&repeats.pooled.iter().map(|l| format!("`{l}`")).collect::<Vec<_>>()),
    }
}

/// The next step: that of the first warning that has one, or else to know the noise better, or to plan with it.
pub(super) fn next_step(
    repeats: &Repeats,
    (side, found): (usize, &[Finding]),
    policy: &Policy,
) -> String {
    let mut warned = found.iter().filter(|finding| finding.severity <= Severity::Warn);
    if let Some(step) = warned.find_map(|finding| step(finding, &finding.suspects[side], repeats)) {
        return step;
    }
    let Some(first) = repeats.leading().next() else { return String::new() };
    if let Some(ends) = first.cv_interval
        && first.n < USUAL_RUNS
    {
        let more = USUAL_RUNS - first.n;
        return format!(
            "{} of the same build; {} leave its noise anywhere in {}.",
            counted(more, "more run"),
            counted(first.n, "run"),
            percents(ends)
        );
    }
    let Some(cv) = first.cv else {
        return match repeats.metrics.iter().find(|metric| metric.cv.is_some()) {
            Some(other) => format!(
                "look at a metric that has a CV, such as {}: --metric {}.",
                other.label, other.metric
            ),
            None => "compare by differences: this metric has no ratio.".to_owned(),
        };
    };
    plan(first, cv, policy)
}

/// A finding of a build as the report has it. The messages of the checks are those of a comparison; here it counts how
/// much of the noise comes from the suspected runs.
pub(super) fn row(finding: &Finding, side: usize, build: &Build) -> FindingRow {
    let metric = finding.evidence.get("metric").and_then(|name| name.as_str()).map(str::to_owned);
    let suspects = &finding.suspects[side];
    let values =
        metric.as_ref().filter(|_| !suspects.is_empty()).and_then(|name| build.values(name));
    let noise = values.and_then(|of| Some((of.log_sd_without(suspects)?, of.log_sd()?)));
    let them = if suspects.len() == 1 { "it" } else { "them" };
    let without = noise.map_or(String::new(), |(without, all)| {
        format!(" Without {them} the noise is {} instead of {}.", percent(without), percent(all))
    });
    let mut evidence = finding.evidence.clone();
    if !suspects.is_empty() {
        let names: Vec<String> = suspects.iter().map(|run| build.run_name(*run)).collect();
        evidence.insert("runs", names.into());
    }
    FindingRow {
        id: finding.id,
        severity: finding.severity.max(Severity::Warn),
        metric,
        message: format!("{}{without}", finding.message),
        advice: advice(finding.id).to_owned(),
        evidence,
    }
}

/// The remedy for what a check found.
fn advice(check: CheckId) -> &'static str {
    match check {
        CheckId::Autocorrelation => {
            "Start the server anew for each run, and alternate the builds, A B B A."
        }
        CheckId::CacheWarm => "A run that was not counted can fill it too.",
        CheckId::Drift => {
            "Find what changes with time (heat, a cache, neighbours), and alternate the builds, A B B A, or the drift \
             looks like a change."
        }
        CheckId::DoubtfulReading => "Name the columns, and the reading is no guess.",
        CheckId::DuplicateRun => "A copy is not a repeat: run the benchmark again.",
        CheckId::IterationsAsRuns => "Start the program several times to see them.",
        CheckId::LabelsDiffer => "If they are different builds, make repeats of one of them.",
        CheckId::Noisy => {
            "Look for other work on the machine, changing clocks, a cold start, a different seed."
        }
        CheckId::OutlierRun => {
            "See what else ran on the machine then; drop a run only for a reason other than its result."
        }
        CheckId::PreAveraged => "Give the client's result files, one per run.",
        CheckId::SlowFirstRun => "Make a warm-up run that is not counted.",
        CheckId::SeveralLevels | CheckId::TwoModes => {
            "Placement, clocks and a second process can do that; until it is pinned more runs help little."
        }
        _ => "",
    }
}

/// The next step after a warning, where it has one of its own.
fn step(finding: &Finding, suspects: &[usize], repeats: &Repeats) -> Option<String> {
    let step = match (finding.id, suspects) {
        (CheckId::CacheWarm, _) => "measure again, and reset the prefix cache before every run.",
        (CheckId::Noisy, _) if finding.evidence.get("broken").is_some_and(|is| *is == true) => {
            "find what disturbs the machine, and measure again, before anything is compared on it."
        }
        (CheckId::OutlierRun, [only]) => {
            let run = repeats.runs.get(*only)?;
            return Some(format!(
                "find out what disturbed {run}, and whether it comes again in more runs."
            ));
        }
        (CheckId::OutlierRun, _) => {
            "find out what disturbed the outliers, and measure again without it."
        }
        (CheckId::PreAveraged, _) => {
            "give the client's result files, one per run, which hold all digits (vLLM: --save-result)."
        }
        (CheckId::SeveralLevels, _) => {
            "find what switches between the levels and pin it, then measure again."
        }
        (CheckId::SlowFirstRun, _) => "measure again after a warm-up run that is not counted.",
        (CheckId::TwoModes, _) => {
            "find what switches between the two modes and pin it, then measure again."
        }
        _ => return None,
    };
    Some(step.to_owned())
}

/// The command that plans a comparison under this noise.
fn plan(metric: &MetricNoise, cv: f64, policy: &Policy) -> String {
    let test = PlannedTest { noise: cv, alpha: policy.alpha() };
    let needed = |effect: f64| test.runs_needed(effect.ln_1p(), 0.0, 0.8);
    let level = if (policy.confidence - 0.95).abs() < 1e-9 {
        String::new()
    } else {
        format!(" --confidence {}", policy.confidence)
    };
    let command = |effect: f64| {
        let cv = two_digits((cv * 100.0).clamp(0.001, 1000.0));
        let effect = two_digits((effect * 100.0).clamp(0.001, 1000.0));
        format!("`beyondnoise plan --effect {effect}% --cv {cv}%{level}`")
    };
    let margin = metric.margin;
    match needed(margin) {
        Some(runs) if runs <= TOO_MANY_RUNS => format!("{}.", command(margin)),
        needed => {
            let runs = needed.map_or_else(|| "more than 100,000".to_owned(), |n| n.to_string());
            let ten = metric.detectable.iter().find(|found| found.runs == 10);
            let larger = ten.and_then(|found| found.change).map_or(margin, round_up);
            format!(
                "make the measurement quieter, since a change of {} in {} takes {runs} runs of each; or plan for a \
                 larger one: {}",
                chosen(margin),
                metric.label,
                command(larger)
            )
        }
    }
}

/// The next round number of percent: 1.2, 4, 15.
fn round_up(fraction: f64) -> f64 {
    let percent = fraction * 100.0;
    let step = match percent {
        10.0.. => 5.0,
        2.0.. => 1.0,
        _ => 0.1,
    };
    (percent / step).ceil() * step / 100.0
}

/// A number with two digits, without zeros that say nothing.
fn two_digits(number: f64) -> String {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped")]
    let decimals = (1.0 - number.log10().floor()).clamp(0.0, 6.0) as usize;
    trimmed(number, decimals)
}

pub(super) fn margin(metric: &Metric, mean: f64, policy: &Policy) -> f64 {
    let margin = policy.margin(metric);
    let absolute = if mean > 0.0 { margin.absolute / mean } else { 0.0 };
    if absolute.is_finite() { margin.relative.max(absolute) } else { margin.relative }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plan_is_for_two_digits() {
        assert_eq!([0.544, 2.0, 149.0].map(two_digits), ["0.54", "2", "149"]);
    }

    #[test]
    fn a_change_to_plan_for_is_round_and_no_smaller() {
        for (percent, round) in [(0.34, 0.4), (3.2, 4.0), (4.0, 4.0), (13.0, 15.0)] {
            assert!((round_up(percent / 100.0) * 100.0 - round).abs() < 1e-9, "{percent}");
        }
    }
}
