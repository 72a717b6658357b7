//! Numbers and sentences of a noise report.

use crate::builds::Build;
use crate::checks::{CheckId, Finding, Severity};
use crate::format::{self, chosen, counted, listed, percent, percents, trimmed};
use crate::policy::Policy;
use crate::report::atlas::words as atlas;
use crate::report::comparison::row_text;
use crate::report::noise::{FindingRow, LevelNoise, MetricNoise, NoiseReport, Repeats, WhatHelps};
use crate::runs::Order;
use crate::stats::PlannedTest;

/// Runs of each build with a smallest change in the first sentence.
pub(crate) const USUAL_RUNS: usize = 5;

/// Runs of each build beyond which a plan is advised for a larger change.
const TOO_MANY_RUNS: usize = 30;

/// The noise of one build in one sentence.
pub(crate) fn summary(repeats: &Repeats, policy: &Policy) -> String {
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
pub(crate) fn overview(repeats: &[Repeats], policy: &Policy) -> String {
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
pub(crate) fn first_step(repeats: &[Repeats]) -> String {
    match repeats {
        [] => String::new(),
        [only] => only.next_step.clone(),
        [worst, ..] => format!("for {}: {}", name(worst), worst.next_step),
    }
}

/// The name of a build among several: its variant, or the labels that were pooled.
pub(crate) fn name(repeats: &Repeats) -> String {
    match &repeats.variant {
        Some(variant) => format!("`{variant}`"),
        None => listed(&repeats.pooled.iter().map(|l| format!("`{l}`")).collect::<Vec<_>>()),
    }
}

/// The next step: of the first warning that has one, or else to measure the noise better or to plan with it.
pub(crate) fn next_step(
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

/// A finding about a build, for the report. The messages of the checks are written for comparisons; here the noise without the
/// suspected runs is added.
pub(crate) fn row(finding: &Finding, side: usize, build: &Build) -> FindingRow {
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

/// The remedy for a finding.
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

/// The next step after a warning, if the warning has its own.
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

/// Splits from which their share is shown in percent.
const MANY_SPLITS: usize = 100;

/// The CV of a table: `0.5 %`, `≥ 0.4 %` where printing hides it, `none`.
pub(crate) fn cv(metric: &MetricNoise) -> String {
    match metric.cv {
        Some(cv) if cv < 0.000_05 => "< 0.01 %".to_owned(),
        Some(cv) if metric.cv_from_printing => format!("≥ {}", format::percent(cv)),
        Some(cv) => format::percent(cv),
        None => "none".to_owned(),
    }
}

/// How each level of nested repeats varies in the leading metric, and where one more repeat buys most.
pub(crate) fn levels(repeats: &Repeats) -> Option<String> {
    let metric = repeats.leading().next().filter(|metric| !metric.levels.is_empty())?;
    let name = |level: &LevelNoise| {
        level.column.clone().unwrap_or_else(|| "values inside a run".to_owned())
    };
    let part = |level: &LevelNoise| {
        let cv = level.cv.map_or_else(|| "not known".to_owned(), format::percent);
        format!("{} {cv} ({})", name(level), level.units)
    };
    let parts: Vec<String> = metric.levels.iter().map(part).collect();
    let largest = metric.levels.iter().filter(|level| level.share.is_some());
    let largest = largest.max_by(|a, b| a.share.unwrap_or(0.0).total_cmp(&b.share.unwrap_or(0.0)));
    let advice = largest.map_or(String::new(), |level| {
        format!(
            " One more repeat buys most at the level {}: {} % of the variance of the mean comes from it.",
            name(level),
            format::whole_percent(level.share.unwrap_or(0.0))
        )
    });
    let label = &metric.label;
    Some(format!("CV of {label} by level (number of units): {}.{advice}", parts.join(", ")))
}

/// The single runs that are taken as repeats of one build.
pub(crate) fn pooled(repeats: &Repeats) -> Option<String> {
    let n = repeats.pooled.len();
    (n > 0).then(|| row_text::taken_as_repeats(&repeats.pooled))
}

/// The name of a build in its report, with its workload where workloads differ.
pub(crate) fn full_title(repeats: &Repeats, report: &NoiseReport) -> String {
    let one = report.repeats.iter().all(|other| other.workload == repeats.workload);
    if one {
        title(repeats)
    } else {
        format!("{} ({})", title(repeats), repeats.workload.describe())
    }
}

/// The name of a build.
pub(crate) fn title(repeats: &Repeats) -> String {
    match (&repeats.variant, &repeats.pooled[..]) {
        (Some(variant), _) => variant.clone(),
        (None, [first, .., last]) => format!("{first} … {last}"),
        (None, _) => String::new(),
    }
}

/// Whether longer or more runs would lower the noise.
pub(crate) fn within(repeats: &Repeats) -> Option<String> {
    let known: Vec<_> =
        repeats.leading().filter_map(|metric| Some((metric, metric.within?))).collect();
    let (first, detail) = known.first()?;
    let parts = [
        (WhatHelps::LongerRuns, "longer runs would help"),
        (WhatHelps::Both, "longer runs and more of them would both help"),
        (WhatHelps::MoreRuns, "more runs, not longer ones, would help"),
        (WhatHelps::NotKnown, "these runs do not show it yet"),
    ]
    .map(|(help, words)| {
        let of = known.iter().filter(|(_, within)| within.help == help);
        let of: Vec<&str> = of.map(|(metric, _)| metric.label.as_str()).collect();
        (!of.is_empty()).then(|| format!("for {} {words}", of.join(" and ")))
    });
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    let of = match first.n - detail.runs {
        0 => String::new(),
        _ => format!(" of {} of them", detail.runs),
    };
    Some(format!(
        "Longer or more runs? {}. (The share within the runs, with its 90 % interval, is from the requests{of}.)",
        format::sentence(&parts.join("; "))
    ))
}

/// The rank of the leading metrics' noise among published set-ups.
pub(crate) fn published(repeats: &Repeats) -> Option<String> {
    let each = repeats.leading().filter_map(|metric| {
        let published = metric.published?;
        Some(format!(
            "{} {} (usual {})",
            metric.label,
            atlas::place(published.noisier_of_ten),
            atlas::usual(published.usual_cv)
        ))
    });
    let each: Vec<String> = each.collect();
    (!each.is_empty()).then(|| format!("Against published set-ups: {}.", each.join(", ")))
}

/// How often halves of the runs differ.
pub(crate) fn halves(repeats: &Repeats, report: &NoiseReport) -> Option<String> {
    let known: Vec<_> =
        repeats.leading().filter_map(|metric| Some((metric, metric.halves?))).collect();
    let (_, first) = known.first()?;
    let many = first.splits >= MANY_SPLITS;
    let find = if many || first.flagged > 1 { "find" } else { "finds" };
    let each: Vec<String> = known
        .iter()
        .map(|(metric, halves)| {
            let flagged = match halves.flagged {
                0 => "none".to_owned(),
                _ if many => format::percent(halves.share),
                n => n.to_string(),
            };
            (flagged, &metric.label)
        })
        .enumerate()
        .map(|(index, (flagged, label))| {
            let verb = if index == 0 { format!(" {find} a change") } else { String::new() };
            format!("{flagged}{verb} in {label}")
        })
        .collect();
    let splits = format::count(first.splits);
    let ways = if first.all { format!("the {splits}") } else { format!("{splits} random") };
    let alpha = format::chosen(1.0 - report.settings.confidence);
    Some(format!(
        "False alarms: of {ways} ways to compare one half of these runs with the other, {} ({alpha} expected; the \
         ways overlap, so this is rough).",
        each.join(", ")
    ))
}

pub(crate) fn runs(repeats: &Repeats) -> String {
    let order = match repeats.order {
        Order::Started => "their start",
        Order::FileNames => "their file names",
        Order::Places => "their places in the file",
    };
    format!("Runs in the order of {order}: {}.", row_text::code_list(&repeats.runs))
}

/// How the numbers were made.
pub(crate) fn method(report: &NoiseReport) -> String {
    let settings = &report.settings;
    format!(
        "Noise is the run-to-run CV (standard deviation of the logarithms). A smallest change is found with {} \
         power at {} confidence, in one metric alone, by that many runs of each of two builds.",
        format::chosen(settings.power),
        format::confidence(settings.confidence)
    )
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
