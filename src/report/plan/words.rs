//! Sentences and numbers of a printed plan.

use crate::atlas::{Published, published};
use crate::format::{self, chosen, count, smallest_change, trimmed};
use crate::report::atlas::words as atlas;
use crate::report::plan::{Plan, PlanReport, Planned};
use crate::stats::PlannedTest;

/// The number of runs in one sentence.
pub(crate) fn title(report: &PlanReport) -> String {
    if let [plan] = &report.plans[..] {
        return sentence(report, plan);
    }
    let runs: Option<Vec<usize>> = report.plans.iter().map(|plan| plan.runs).collect();
    let runs = match runs.map(|runs| (runs.iter().min().copied(), runs.iter().max().copied())) {
        Some((Some(low), Some(high))) if low < high => format!("{low} to {high}"),
        Some((Some(low), _)) => format!("{low}"),
        _ => format!("more than {}", count(PlannedTest::MOST_RUNS)),
    };
    format!("{} workloads, {runs} runs of each variant", report.plans.len())
}

pub(crate) fn sentence(report: &PlanReport, plan: &Plan) -> String {
    let settings = &report.settings;
    let hard = hardest(plan);
    let noise = format!("{} run-to-run noise", cv(hard));
    let metrics = plan.metrics.len();
    let place = match &hard.noise.label {
        _ if metrics == 2 => " in both metrics".to_owned(),
        _ if metrics > 2 => format!(" in all {metrics} metrics"),
        Some(label) => format!(" in {label}"),
        None => String::new(),
    };
    let change = plan.effects.first().map(|first| chosen(first.effect));
    let Some(runs) = plan.runs else {
        let change = change.unwrap_or_default();
        let at = if metrics > 1 { noisiest(hard, &noise) } else { format!("at {noise}") };
        let most = count(PlannedTest::MOST_RUNS);
        return format!(
            "no plan: to find a change of {change}{place} takes more than {most} runs of each variant \
             {at}; a quieter machine, longer runs or a larger change would help"
        );
    };
    let subject = match (runs, plan.looks.len()) {
        (1, _) => "1 run of each variant finds".to_owned(),
        (_, 0) => format!("{runs} runs of each variant find"),
        (_, looks) => format!("at most {runs} runs of each variant in {looks} looks find"),
    };
    let wanted = chosen(settings.power);
    let achieved = hard.effects.first().and_then(|needed| needed.power);
    let achieved = achieved.map(|achieved| {
        power(achieved, if settings.runs.is_none() { settings.power } else { 0.0 })
    });
    match (change, settings.runs, achieved) {
        (Some(change), None, Some(achieved)) if metrics > 1 => format!(
            "{subject} a change of {change}{place} with {wanted} power (achieved {achieved} {})",
            noisiest(hard, &cv(hard))
        ),
        (Some(change), None, Some(achieved)) => format!(
            "{subject} a change of {change}{place} at {noise} with {wanted} power (achieved {achieved})"
        ),
        (Some(change), Some(_), Some(achieved)) if metrics > 1 => format!(
            "{subject} a change of {change}{place} with {achieved} power or more ({achieved} {})",
            noisiest(hard, &cv(hard))
        ),
        (Some(change), _, Some(achieved)) => {
            format!("{subject} a change of {change}{place} at {noise} with {achieved} power")
        }
        _ => {
            let smallest = smallest_change(hard.smallest);
            let at = if metrics > 1 {
                format!(" ({})", noisiest(hard, &cv(hard)))
            } else {
                format!(" at {noise}")
            };
            format!("{subject} a change of {smallest} or more{place} with {wanted} power{at}")
        }
    }
}

/// The metric that takes the most runs.
fn hardest(plan: &Plan) -> &Planned {
    plan.metrics
        .iter()
        .max_by(|a, b| a.noise.cv.total_cmp(&b.noise.cv))
        .expect("a plan has a metric")
}

/// `in mean TTFT, the noisiest at 1.9 %`.
fn noisiest(hard: &Planned, noise: &str) -> String {
    format!("in {}, the noisiest at {noise}", hard.noise.label.as_deref().unwrap_or("the metric"))
}

/// A noise: as given, or with the digits of an estimate.
pub(crate) fn cv(metric: &Planned) -> String {
    if metric.noise.df.is_some() {
        format::percent(metric.noise.cv)
    } else {
        chosen(metric.noise.cv)
    }
}

/// The usual noise of the planned metrics in published benchmarks, or of all where none is named.
pub(crate) fn usual(report: &PlanReport) -> Option<String> {
    let metrics = || report.plans.iter().flat_map(|plan| &plan.metrics);
    let named = |published: &&Published| {
        let mut names = metrics().map(|metric| metric.noise.metric.as_deref());
        names.any(|name| name.is_none_or(|name| Published::of(name) == Some(published)))
    };
    let each = published().iter().filter(named);
    let each: Vec<String> =
        each.map(|one| format!("{} {}", one.label(), atlas::usual(one.usual()))).collect();
    (!each.is_empty())
        .then(|| format!("Usual noise in published serving benchmarks: {}.", each.join(", ")))
}

pub(crate) fn runs(needed: Option<usize>) -> String {
    needed.map_or_else(|| format!("> {}", count(PlannedTest::MOST_RUNS)), count)
}

/// A power, never rounded up nor below a reached `wanted`: `86 %`, `99.6 %`.
pub(crate) fn power(power: f64, wanted: f64) -> String {
    if power >= 0.999 && wanted < 0.999 {
        return "over 99.9 %".to_owned();
    }
    let down = |decimals: i32| {
        let shift = 10f64.powi(decimals);
        (power * 100.0 * shift).floor() / shift
    };
    let fewest = i32::from(power >= 0.99);
    let shown = (fewest..4).map(down).find(|shown| *shown >= wanted * 100.0);
    format!("{} %", trimmed(shown.unwrap_or(power * 100.0), 3))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_power_is_not_rounded_up() {
        assert_eq!(power(0.8699, 0.8), "86 %");
        assert_eq!(power(0.9999, 0.8), "over 99.9 %");
        assert_eq!(power(0.9969, 0.8), "99.6 %");
        assert_eq!(power(0.8559, 0.855), "85.5 %");
    }
}
