//! Sentences of a report: the summary, the next step, the words of a verdict.

use crate::checks::{CheckId, Details, Severity};
use crate::format::{self, LARGEST_CHANGE, code, counted};
use crate::policy::Require;
use crate::report::comparison::adjusted::corrected;
use crate::report::comparison::also_worse::{self, is_counted_in_summary};
use crate::report::comparison::{levels, row_text};
use crate::report::{Alone, Check, Comparison, NoiseOrigin, Report, Row};
use crate::units::Better;
use crate::verdict::{Decision, Headline, Verdict};

pub(crate) fn headline(headline: Headline) -> &'static str {
    match headline {
        Headline::Improved => "improved",
        Headline::Regressed => "regressed",
        Headline::TradeOff => "trade-off",
        Headline::SlightlyImproved => "slightly improved",
        Headline::SlightlyRegressed => "slightly regressed",
        Headline::NoChange => "no change",
        Headline::WithinNoise => "within noise",
        Headline::NoVerdict => "no verdict",
        Headline::NotComparable => "not comparable",
    }
}

/// The word for a value in JSON.
pub(crate) fn json_word(value: &impl serde::Serialize) -> String {
    let json = serde_json::to_value(value).unwrap_or_default();
    json.as_str().unwrap_or_default().to_owned()
}

/// `pr against main, concurrency 8`
pub(crate) fn pair_and_cell(comparison: &Comparison) -> String {
    let cell = comparison.cell.iter().map(|(name, value)| format!(", {name} {value}"));
    let (a, b) = (&comparison.baseline.name, &comparison.candidate.name);
    format!("{b} against {a}{}", cell.collect::<String>())
}

/// Whether the change may be kept, where it must be shown to be better; `None` where that was not asked.
pub(crate) fn decision(report: &Report) -> Option<&'static str> {
    (report.settings.require == Require::Improved).then_some(match report.decision {
        Decision::Promote => "promote",
        Decision::Reject => "reject",
        Decision::MoreData => "more data",
        Decision::Stale => "stale",
    })
}

/// The comparison in one sentence. It adds the number of worse metrics that decide nothing if no other word is for the worse.
pub(crate) fn summary(comparison: &Comparison) -> String {
    let said = verdict_and_figures(comparison);
    match also_worse::count(comparison).filter(|_| is_counted_in_summary(comparison)) {
        Some(count) => format!("{said}; {count}"),
        None => said,
    }
}

fn verdict_and_figures(comparison: &Comparison) -> String {
    let word = headline(comparison.headline);
    let runs = levels::runs(comparison);
    let with = |verdicts: &[Verdict]| {
        comparison
            .deciding()
            .find(|row| verdicts.contains(&row.verdict))
            .map(|row| with_interval(comparison, row))
    };
    match comparison.headline {
        Headline::NotComparable => match obstacle(comparison) {
            Some((_, why)) => format!("{word}: {why}"),
            None => word.to_owned(),
        },
        Headline::NoVerdict => {
            let looks = looks(comparison).map_or(String::new(), |looks| {
                format!(" ({} looks {looks})", comparison.candidate.name)
            });
            let (a, b) = (comparison.baseline.runs, comparison.candidate.runs);
            let undirected = why_not_judged(comparison) == NO_DIRECTION;
            if undirected && a.min(b) > 1 {
                format!("{word}, {runs}: {NO_DIRECTION}")
            } else if a == 1 && b == 1 {
                format!("{word}, 1 run per variant{looks}")
            } else {
                format!("{word}, {runs}{looks}")
            }
        }
        Headline::TradeOff => {
            let better = with(&[Verdict::Better]).unwrap_or_default();
            let worse = with(&[Verdict::Worse]).unwrap_or_default();
            format!("{word}, {better} is better, {worse} is worse, {runs}")
        }
        Headline::SlightlyImproved | Headline::SlightlyRegressed => {
            let row = largest(comparison);
            let moved = row.map(|row| {
                let under = format::chosen(row.margin);
                format!("{}, under the {under} that matters", with_interval(comparison, row))
            });
            format!("{word}, {}, {runs}", moved.unwrap_or_default())
        }
        Headline::Improved | Headline::Regressed | Headline::WithinNoise | Headline::NoChange => {
            let moved = with(comparison.headline.made_by());
            format!("{word}, {}, {runs}", moved.unwrap_or_default())
        }
    }
}

/// Whether a comparison has no verdict because a variant has one run: then the table shows the noise below
/// which each change would be one.
pub(crate) fn single(comparison: &Comparison) -> bool {
    comparison.headline == Headline::NoVerdict
        && comparison.baseline.runs.min(comparison.candidate.runs) == 1
        && comparison.checks.iter().any(|check| check.id == CheckId::TooFewRuns)
}

/// Whether `--unit iteration` would give runs: each variant has one process, with several iterations.
pub(crate) fn takes_iterations(comparison: &Comparison) -> bool {
    comparison.checks.iter().any(|check| check.details == Details::Unfolds)
}

/// Checks that make two variants incomparable, the most basic reason first.
const INCOMPARABLE: &[CheckId] = &[
    CheckId::ToolMismatch,
    CheckId::WorkloadMismatch,
    CheckId::EnvMismatch,
    CheckId::FailedRuns,
    CheckId::FailedRequests,
    CheckId::UnitSuspect,
];

/// The finding for which two variants cannot be compared, and why, as words after a colon.
pub(crate) fn obstacle(comparison: &Comparison) -> Option<(&Check, &str)> {
    let stops = comparison.checks.iter().filter_map(|check| match &check.details {
        Details::Incomparable(why) => Some((check, why.as_str())),
        _ => None,
    });
    stops.min_by_key(|(check, _)| INCOMPARABLE.iter().position(|id| *id == check.id))
}

/// The comparison in one line among several.
pub fn title(comparison: &Comparison) -> String {
    let (a, b) = (&comparison.baseline.name, &comparison.candidate.name);
    let load =
        comparison.workload.label.as_ref().map_or(String::new(), |label| format!(" ({label})"));
    format!("{b} against {a}{load}: {}", comparison.summary)
}

/// `output throughput −5.0 % (95 % CI −6.2 … −3.9, corrected for 3 metrics)`
pub(crate) fn with_interval(comparison: &Comparison, row: &Row) -> String {
    if row.exact {
        let (before, after) = row_text::estimates(row);
        let counts = if before == after { before } else { format!("{before} → {after}") };
        return format!("{} {} ({counts})", row.label, row_text::change(row));
    }
    let level = row_text::level_of(comparison, row);
    let (change, interval) = (row_text::change(row), row_text::interval(row));
    let corrected = match corrected(comparison, row) {
        text if text.is_empty() || row.verdict == Verdict::NoChange => String::new(),
        text => format!(", {text}"),
    };
    let factor = row_text::factor(row).map_or(String::new(), |factor| format!("{factor}; "));
    let published = row.noise.source == NoiseOrigin::Atlas;
    let published = if published { ", with published noise" } else { "" };
    let relative = row.control.as_ref().filter(|control| control.used);
    let relative =
        relative.map_or(String::new(), |control| format!(", relative to {}", control.name));
    format!("{} {change} ({factor}{level} {interval}{corrected}{published}{relative})", row.label)
}

/// Among the deciding metrics behind the headline, the metric with the largest change in margins.
pub(crate) fn largest(comparison: &Comparison) -> Option<&Row> {
    let size = |row: &Row| row.delta.relative.map_or(0.0, |change| change.abs() / row.margin);
    let rows = comparison.deciding();
    let rows = rows.filter(|row| comparison.headline.made_by().contains(&row.verdict));
    rows.reduce(|a, b| if size(b) > size(a) { b } else { a })
}

/// How the deciding metrics point where none is judged.
fn looks(comparison: &Comparison) -> Option<&'static str> {
    let signs: Vec<bool> = comparison.deciding().filter_map(gained).collect();
    match (signs.iter().any(|gain| *gain), signs.iter().any(|gain| !*gain)) {
        (true, true) => Some("mixed"),
        (true, false) => Some("faster"),
        (false, true) => Some("slower"),
        (false, false) => None,
    }
}

/// Whether the estimate of a row improved; `None` where it did not move or has no direction.
fn gained(row: &Row) -> Option<bool> {
    let change = row.delta.relative.unwrap_or(row.delta.absolute) * row.better?.sign();
    (change != 0.0).then_some(change > 0.0)
}

/// The estimate in words for a row that is not judged: `−6.1 % worse`.
pub(crate) fn change_and_way(row: &Row) -> String {
    let way = match gained(row) {
        Some(true) => " better",
        Some(false) => " worse",
        None => "",
    };
    format!("{}{way}", row_text::change_and_factor(row))
}

/// The duration, or else the first deciding metric, of both variants, and its change.
pub(crate) fn what_was_seen(comparison: &Comparison) -> Option<(String, String)> {
    let b = &comparison.candidate.name;
    if let Some(row) = comparison.metrics.iter().find(|row| row.metric == "duration") {
        let (before, after) = (row.baseline.estimate, row.candidate.estimate);
        let seen =
            format!("{b} took {} s against {} s", format::tenth(after), format::tenth(before));
        return Some((seen, row_text::change_and_factor(row)));
    }
    let row = comparison.deciding().next()?;
    let shown = |value: f64| {
        let plain = || format::plain(value);
        row_text::shown_unit(row).map_or_else(plain, |_| row_text::value(row, value))
    };
    let (before, after) = (shown(row.baseline.estimate), shown(row.candidate.estimate));
    let seen = format!("{} of {b}: {after} against {before}", row.label);
    Some((seen, row_text::change_and_factor(row)))
}

pub(crate) fn has_interval(row: &Row) -> bool {
    let of_difference = row.delta.relative.is_none() && row.delta.absolute_ci_adjusted.is_some();
    row.delta.relative_ci_adjusted.is_some() || of_difference
}

/// The last cell of a row of single runs: the break-even CV, or the reason for none.
pub(crate) fn break_even(row: &Row) -> String {
    match row.noise.break_even_cv {
        _ if row.verdict == Verdict::NotJudged && row.reason != "too few runs" => {
            word(row.verdict).to_owned()
        }
        Some(cv) => format::percent(cv),
        None => "n/a".to_owned(),
    }
}

/// The reason beside the break-even CV of a row that is not judged for another reason than its few runs.
pub(crate) fn break_even_reason(row: &Row) -> String {
    match row.reason.as_str() {
        "" | "too few runs" => String::new(),
        _ if row.verdict != Verdict::NotJudged => String::new(),
        reason => format!(": {reason}"),
    }
}

/// Where the change of a mean request comes from.
pub(crate) fn per_request(comparison: &Comparison) -> Option<String> {
    let account = comparison.per_request?;
    Some(format!(
        "Per request {}: decode {}, TTFT {}.",
        format::milliseconds(account.total_ms),
        format::milliseconds(account.decode_ms),
        format::milliseconds(account.ttft_ms)
    ))
}

/// Half the width of every deciding metric's interval: smaller changes cannot be shown.
pub(crate) fn noise_floor(comparison: &Comparison) -> Option<String> {
    let parts: Vec<String> = comparison
        .deciding()
        .filter_map(|row| {
            let [low, high] = row.delta.relative_ci_adjusted?;
            let name = if row.unit.contains("/s") { &row.row_label } else { &row.label };
            let half = (high - low) / 2.0;
            Some(if half < LARGEST_CHANGE {
                format!("±{} {name}", format::percent(half))
            } else {
                format!("over ±{} {name}", format::percent(LARGEST_CHANGE))
            })
        })
        .collect();
    (!parts.is_empty()).then(|| parts.join(" · "))
}

/// That the runs do not overlap in the metric that leads, where they do not.
pub(crate) fn separation(comparison: &Comparison) -> Option<String> {
    if comparison.headline == Headline::TradeOff {
        return None;
    }
    let moved = |row: &&Row| matches!(row.verdict, Verdict::Better | Verdict::Worse);
    let row = comparison.deciding().find(moved).filter(|row| row.separated)?;
    let word = if row.verdict == Verdict::Better { "better" } else { "worse" };
    Some(format!(
        "Every {} run is {word} than every {} run in {}.",
        code(&comparison.candidate.name),
        code(&comparison.baseline.name),
        row.label
    ))
}

/// `(higher is better)`, or nothing where the direction is not known.
pub(crate) fn direction(better: Option<Better>) -> String {
    better.map_or(String::new(), |better| format!(" ({} is better)", better.word()))
}

/// One line for a report of several comparisons: how many of each headline, the worst first.
pub(crate) fn overview(report: &Report) -> String {
    if report.comparisons.is_empty() {
        return "not comparable: no two variants share a workload".to_owned();
    }
    // A sweep counts as one.
    let swept: Vec<usize> = report.swept().collect();
    let others = report.comparisons.iter().enumerate().filter(|(at, _)| !swept.contains(at));
    let others = others.map(|(_, one)| one.headline);
    let mut counts: Vec<(Headline, usize)> = Vec::new();
    for found in report.sweeps.iter().map(|sweep| sweep.headline).chain(others) {
        match counts.iter_mut().find(|(headline, _)| *headline == found) {
            Some((_, count)) => *count += 1,
            None => counts.push((found, 1)),
        }
    }
    let all = report.comparisons.len();
    if let [(Headline::NoVerdict, _)] = counts[..] {
        let each =
            if all == 2 { "either".to_owned() } else { format!("any of the {all} comparisons") };
        let single = if report.comparisons.iter().all(takes_iterations) {
            ": one process each, whose iterations --unit iteration takes as runs"
        } else if report.comparisons.iter().all(single) {
            let one = |one: &Comparison| one.baseline.runs == 1 && one.candidate.runs == 1;
            if report.comparisons.iter().all(one) {
                ": one run each"
            } else {
                ": one run on a side"
            }
        } else {
            ""
        };
        return format!("no verdict for {each}{single}");
    }
    let parts: Vec<String> =
        counts.into_iter().map(|(kind, count)| format!("{count} {}", headline(kind))).collect();
    let subject = match (report.sweeps.len(), all - swept.len()) {
        (0, _) => format!("{all} comparisons"),
        (sweeps, 0) => counted(sweeps, "sweep"),
        (sweeps, others) => {
            format!("{} and {}", counted(sweeps, "sweep"), counted(others, "comparison"))
        }
    };
    let also = also_worse::count_among(&report.comparisons, "comparison");
    format!("{subject}: {}{also}", parts.join(", "))
}

pub(crate) use crate::report::comparison::row_text::level;

/// Where the noise of the deciding metrics came from beside their own runs.
pub(crate) fn lent(comparison: &Comparison) -> Option<&'static str> {
    let row = comparison.deciding().find(|row| row.noise.is_lent())?;
    Some(match row.noise.source {
        NoiseOrigin::Batch => "other comparisons of this job",
        NoiseOrigin::History => "earlier runs",
        NoiseOrigin::Atlas => "published noise",
        _ => "other variants",
    })
}

/// That noise came from elsewhere too, for a whole report; empty where none did.
pub(crate) fn any_lent(report: &Report) -> String {
    let lent = report.comparisons.iter().find_map(lent);
    lent.map_or(String::new(), |lent| format!(" The noise estimate includes {lent}."))
}

/// The effect of the noise prior, a line per metric: `output throughput: within noise (−7.1 … +1.9) with its own
/// noise alone, worse (−4.0 … −1.3) with borrowed noise`.
pub(crate) fn borrowing(comparison: &Comparison) -> Vec<String> {
    comparison.metrics.iter().filter_map(borrowing_of).collect()
}

/// The effect of the noise prior on one metric.
pub(crate) fn borrowing_of(row: &Row) -> Option<String> {
    let told = |alone: &Alone| row.verdict != Verdict::NotJudged || alone.verdict != row.verdict;
    let alone = row.without_borrowing.filter(told)?;
    let equal = alone.relative_ci_equivalence.filter(|_| alone.verdict == Verdict::NoChange);
    let relative = equal.or(alone.relative_ci_adjusted);
    let own = row_text::interval_of(relative, alone.absolute_ci_adjusted, &row.delta);
    let own = match equal {
        Some(_) => format!("{own}, {}", format::confidence(row.delta.equivalence_confidence)),
        None => own,
    };
    Some(format!(
        "{}: {} ({own}) with its own noise alone, {} ({}) with {} noise",
        row.label,
        word(alone.verdict),
        word(row.verdict),
        row_text::interval_cell(row),
        if row.noise.source == NoiseOrigin::Atlas { "published" } else { "borrowed" }
    ))
}

pub(crate) fn word(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Better => "better",
        Verdict::Worse => "worse",
        Verdict::TinyBetter => "better, too small to matter",
        Verdict::TinyWorse => "worse, too small to matter",
        Verdict::NoChange => "no change",
        Verdict::WithinNoise => "within noise",
        Verdict::NotJudged => "not judged",
    }
}

/// Why nothing is judged where no metric has a direction.
pub(crate) const NO_DIRECTION: &str = "no direction known";

pub(crate) fn why_not_judged(comparison: &Comparison) -> String {
    let stopped = comparison.deciding().find(|row| row.verdict == Verdict::NotJudged);
    let of_row = stopped.map(|row| row.reason.clone()).filter(|reason| !reason.is_empty());
    let block = comparison.checks.iter().find(|check| check.severity == Severity::Block);
    let block = || block.map(|check| check.id.words());
    let reason = of_row.or_else(block);
    let undirected =
        !comparison.metrics.is_empty() && comparison.metrics.iter().all(|row| row.better.is_none());
    let other = if undirected { NO_DIRECTION } else { "nothing that decides" };
    reason.unwrap_or_else(|| other.to_owned())
}

pub(crate) fn too_few_runs(comparison: &Comparison) -> Option<&Check> {
    comparison.checks.iter().find(|check| check.id == CheckId::TooFewRuns)
}

/// Whether a note is shown at a glance where each variant has one run.
pub(crate) fn is_shown_alone(check: &Check) -> bool {
    [CheckId::DependentMetrics, CheckId::RunsToPlan].contains(&check.id)
}

/// Whether a finding describes the source of the noise; such a finding is never folded.
pub(crate) fn is_of_the_noise(check: &Check) -> bool {
    [CheckId::IterationsAsRuns, CheckId::FromAverages].contains(&check.id)
}

/// Findings that stop or weaken the verdict and are not in the opening, those first that could turn it.
pub(crate) fn warnings(comparison: &Comparison, single: bool) -> Vec<&Check> {
    // The summary of a refused comparison includes it already, except for failed runs.
    let said = obstacle(comparison).map(|(check, _)| check.id);
    let mut found: Vec<&Check> = comparison
        .checks
        .iter()
        .filter(|check| check.severity < Severity::Note)
        .filter(|check| !(single && check.id == CheckId::TooFewRuns))
        .filter(|check| said != Some(check.id) || check.id == CheckId::FailedRuns)
        .collect();
    found.sort_by_key(|check| !check.must_show());
    found
}
