//! The claim that the data of a comparison allow: one decision for the title, the next step and `may_claim`.

use crate::checks::{CheckId, Severity};
use crate::format::{self, list};
use crate::policy::Policy;
use crate::report::comparison::also_worse::also_worse;
use crate::report::comparison::next::streams;
use crate::report::comparison::words::{largest, lent, with_interval};
use crate::report::comparison::{levels, row_text};
use crate::report::plan::PATTERN;
use crate::report::{Check, Comparison, Row, WithoutRow};
use crate::runs::Workload;
use crate::verdict::{Headline, Verdict};

/// Metrics and runs that a next step names.
const MAX_NAMED: usize = 3;

/// The sentence to write, and the next step that goes with it.
#[derive(Default)]
pub(crate) struct Claim {
    /// `None` where nothing was shown or compared, and where something in doubt comes first.
    pub(crate) sentence: Option<String>,
    /// `None` if no verdict needs its own step.
    pub(crate) next: Option<String>,
}

/// The permitted claim of a comparison with known headline and checks.
///
/// Nothing may be claimed if a check blocks or could turn the headline, if some runs move a claimed change by more than its
/// margin, or if the order of the runs is confounded. The next step is then to look at that.
pub(crate) fn claim(comparison: &Comparison, policy: &Policy) -> Claim {
    if comparison.headline == Headline::WithinNoise && policy.look.is_none() {
        // A deciding metric is open, with the metrics of the same thing; another metric is not.
        let worse = comparison.metrics.iter().filter(|row| row.verdict == Verdict::Worse);
        let other = worse.into_iter().any(|row| !row.same_fact);
        return Claim { sentence: None, next: other.then(|| unchanged(&[comparison])) };
    }
    if !comparison.headline.is_change() && comparison.headline != Headline::NoChange {
        return Claim::default();
    }
    match doubt(comparison) {
        Some(step) => Claim { sentence: None, next: Some(step) },
        None => Claim {
            sentence: Some(sentence(comparison, policy)),
            next: Some(after_verdict(comparison)),
        },
    }
}

/// The step that comes before any claim; `None` where nothing is in doubt.
pub(crate) fn doubt(comparison: &Comparison) -> Option<String> {
    let checks = || comparison.checks.iter();
    let stops: Vec<&Check> = checks().filter(|check| check.severity == Severity::Block).collect();
    if !stops.is_empty() {
        let words: Vec<String> = stops.iter().map(|check| trouble(check.id)).collect();
        return Some(format!("resolve first: {}.", words.join(", ")));
    }
    let (a, b) = (&comparison.baseline.name, &comparison.candidate.name);
    if checks().any(|check| check.id == CheckId::OrderConfounded) {
        return Some(format!(
            "make the runs again in the order `{PATTERN} {PATTERN}` (A = {a}, B = {b}): in the order in which they were \
             made, a drift looks like this change."
        ));
    }
    if let Some(step) = checks().find_map(|check| suspected(check, comparison)) {
        return Some(step);
    }
    let open = checks().find(|check| check.could_flip && !OF_OTHER_METRICS.contains(&check.id))?;
    Some(match open.id {
        CheckId::Drift => format!(
            "let the machine settle, and make the runs again in the order `{PATTERN} {PATTERN}` (A = {a}, B = {b}): part \
             of the change may be its drift."
        ),
        CheckId::OneWayPairs => format!(
            "make the pairs again in the order `{PATTERN}` (A = {a}, B = {b}): a drift from run to run looks like this change."
        ),
        CheckId::IterationsAsRuns => {
            "start each program several times, and give the files of all starts: differences between processes are not \
             in this noise."
                .to_owned()
        }
        id => format!("resolve first: {}.", trouble(id)),
    })
}

/// Checks about things that a claim does not mention: smaller changes, and metrics that do not decide under such a load.
const OF_OTHER_METRICS: &[CheckId] =
    &[CheckId::LowResolution, CheckId::BurstLoad, CheckId::SaturatedOpenLoop];

/// A finding in a few words.
fn trouble(id: CheckId) -> String {
    match id {
        CheckId::OutputTokensDrift => "the outputs differ in length".to_owned(),
        CheckId::FailedRequests => "requests failed".to_owned(),
        CheckId::PreAveraged => "the printed digits are too coarse".to_owned(),
        other => other.words(),
    }
}

/// The step for suspected runs that move the claim: outliers, a cold or a slow start.
fn suspected(check: &Check, comparison: &Comparison) -> Option<String> {
    let names = format::first_few(&check.suspects, MAX_NAMED, String::clone);
    let them = if check.suspects.len() == 1 { "it" } else { "them" };
    let Some(without) = &check.without else {
        let unknown = !check.suspects.is_empty() && check.severity < Severity::Note;
        return unknown.then(|| {
            format!("look at {names}, and compare this cell alone: that shows the change without {them}.")
        });
    };
    let moved = without.metrics.iter().find_map(|other| moved(comparison, other));
    if moved.is_none() && !check.could_flip {
        return None;
    }
    let figures = moved.map_or(String::new(), |(row, other)| {
        let (with, fewer) = (row_text::change(row), row_text::change_of(other, row));
        format!(": without {them}, {} is {fewer} instead of {with}", row.label)
    });
    Some(match check.id {
        CheckId::SlowFirstRun | CheckId::CacheWarm => {
            let how = if streams(comparison) { " (reset the cache)" } else { "" };
            format!("make the first run of each a warm-up{how} and repeat {names}{figures}.")
        }
        _ => format!("look at {names}, and make {them} again if something went wrong{figures}."),
    })
}

/// A claimed change that is another by more than its margin without some runs.
fn moved<'a>(
    comparison: &'a Comparison,
    other: &'a WithoutRow,
) -> Option<(&'a Row, &'a WithoutRow)> {
    let row = comparison.deciding().find(|row| row.metric == other.metric)?;
    let by = other.relative? - row.delta.relative?;
    (is_claimed(row) && by.abs() > row.margin).then_some((row, other))
}

fn is_claimed(row: &Row) -> bool {
    !matches!(row.verdict, Verdict::WithinNoise | Verdict::NotJudged)
}

/// The next step after a verdict that nothing puts in doubt.
fn after_verdict(comparison: &Comparison) -> String {
    let moved =
        |row: Option<&Row>| row.map(|row| with_interval(comparison, row)).unwrap_or_default();
    match comparison.headline {
        Headline::Improved => {
            let better = comparison.deciding().find(|row| row.verdict == Verdict::Better);
            let (open, worse) = (unsettled(comparison), worse_too(comparison));
            format!("for the PR title: {}{open}{worse}.", moved(better))
        }
        Headline::SlightlyImproved => {
            let worse = worse_too(comparison);
            format!(
                "for the PR title: {}{worse}. It is below the margin.",
                moved(largest(comparison))
            )
        }
        Headline::SlightlyRegressed => {
            "it is slower, but by less than the margin; not an optimisation.".to_owned()
        }
        Headline::Regressed => {
            let cost = cost(comparison).map_or(String::new(), |cost| format!("; {cost}"));
            format!("it is slower; not an optimisation{cost}.")
        }
        Headline::TradeOff => {
            "decide which of the two matters to your users, and state both in the PR title."
                .to_owned()
        }
        _ => unchanged(&[comparison]),
    }
}

/// `; but P99 ITL is worse, +53 % (+50 … +56)`: the largest change for the worse beside an improvement.
fn worse_too(comparison: &Comparison) -> String {
    let worse = |row: &Row| format!("; but {} is worse, {}", row.label, figures(row));
    worst(comparison).map(worse).unwrap_or_default()
}

fn largest_of<'a>(rows: impl Iterator<Item = &'a Row>) -> Option<&'a Row> {
    let size = |row: &Row| row.delta.relative.map_or(0.0, |change| change.ln_1p().abs());
    rows.reduce(|a, b| if size(b) > size(a) { b } else { a })
}

/// The row that is shown to have become worse the most.
pub(crate) fn worst(comparison: &Comparison) -> Option<&Row> {
    largest_of(comparison.metrics.iter().filter(|row| row.verdict == Verdict::Worse))
}

/// `−57 % (−58 … −56)`
fn figures(row: &Row) -> String {
    format!("{} ({})", row_text::change(row), row_text::interval(row))
}

/// The next step where no deciding metric of these comparisons changed. That there is nothing to gain or lose needs every
/// judged interval inside its margin.
pub(crate) fn unchanged(comparisons: &[&Comparison]) -> String {
    let rows =
        || comparisons.iter().flat_map(|one| &one.metrics).filter(|row| row.better.is_some());
    let of = |verdict| move |row: &&Row| row.verdict == verdict;
    if let Some(row) = largest_of(comparisons.iter().filter_map(|one| worst(one))) {
        return format!("look at {} before you merge: it is worse, {}.", row.label, figures(row));
    }
    if let Some(row) = largest_of(rows().filter(of(Verdict::Better))) {
        return format!(
            "the metrics that decide did not change; {} is better, {}: make it decide if it matters.",
            row.label,
            figures(row)
        );
    }
    let mut open: Vec<&Row> = Vec::new();
    for row in rows().filter(of(Verdict::WithinNoise)) {
        if !open.iter().any(|known| known.metric == row.metric) {
            open.push(row);
        }
    }
    if !open.is_empty() {
        let names = format::first_few(&open, MAX_NAMED, |row| open_metric(row));
        return format!(
            "the metrics that decide did not change: decide on other grounds; not settled: {names}."
        );
    }
    let tiny = |row: &Row| matches!(row.verdict, Verdict::TinyBetter | Verdict::TinyWorse);
    if rows().any(tiny) {
        return "no change is as large as its margin: decide on other grounds.".to_owned();
    }
    "nothing to gain or lose in speed: decide on other grounds.".to_owned()
}

/// `mean TTFT (up to ±85 %)`
fn open_metric(row: &Row) -> String {
    let hidden = row.delta.relative_ci_adjusted.map(|[low, high]| low.abs().max(high.abs()));
    let hidden =
        hidden.map_or(String::new(), |size| format!(" (up to ±{})", format::percent(size)));
    format!("{}{hidden}", row.label)
}

/// The metrics that an improvement leaves open: `; not settled: mean TTFT (up to ±85 %)`.
fn unsettled(comparison: &Comparison) -> String {
    let open = comparison.deciding().filter(|row| !is_claimed(row));
    let open: Vec<String> = open.map(open_metric).collect();
    if open.is_empty() { String::new() } else { format!("; not settled: {}", open.join(", ")) }
}

/// Changes shown in the deciding metrics, and every metric that became worse: `pr against main, better: output throughput
/// +3.8 % (95 % CI +2.9 … +4.7, corrected for 3 metrics); 6 + 6 runs; load: 1000 requests`.
fn sentence(comparison: &Comparison, policy: &Policy) -> String {
    let mut parts = metrics(comparison);
    parts.extend(also_worse(comparison).map(|also| also.said));
    parts.push(levels::runs(comparison));
    parts.extend(policy.look.as_ref().map(|look| {
        let overall = format::confidence(look.overall);
        format!("look {} of {} that were planned, {overall} over all of them", look.number, look.of)
    }));
    parts.extend(lent(comparison).map(|others| format!("the noise estimate includes {others}")));
    parts.push(format!("load: {}", load(comparison)));
    let (a, b) = (&comparison.baseline.name, &comparison.candidate.name);
    format!("{b} against {a}, {}", parts.join("; "))
}

/// The metrics, grouped by verdict.
fn metrics(comparison: &Comparison) -> Vec<String> {
    let guards = comparison.metrics.iter().filter(|row| row.guard && !row.deciding);
    let worse = |row: &&Row| matches!(row.verdict, Verdict::Worse | Verdict::TinyWorse);
    let rows: Vec<&Row> = comparison.deciding().chain(guards.filter(worse)).collect();
    let mut parts: Vec<(String, Vec<String>)> = Vec::new();
    for verdict in ORDER {
        for row in rows.iter().filter(|row| row.verdict == *verdict) {
            let margin = format::chosen(row.margin);
            let head = match verdict {
                Verdict::Better => "better".to_owned(),
                Verdict::Worse => "worse".to_owned(),
                Verdict::TinyBetter => format!("better, but under the {margin} that matters"),
                Verdict::TinyWorse => format!("worse, but under the {margin} that matters"),
                Verdict::NoChange if row.exact => "unchanged".to_owned(),
                Verdict::NoChange => format!("no change (within ±{margin})"),
                Verdict::WithinNoise | Verdict::NotJudged => "not settled".to_owned(),
            };
            let text = match verdict {
                Verdict::NotJudged => row.label.clone(),
                _ => with_interval(comparison, row),
            };
            match parts.iter_mut().find(|(known, _)| *known == head) {
                Some((_, texts)) => texts.push(text),
                None => parts.push((head, vec![text])),
            }
        }
    }
    parts.into_iter().map(|(head, texts)| format!("{head}: {}", list(&texts))).collect()
}

/// The order in which verdicts are named.
const ORDER: &[Verdict] = &[
    Verdict::Better,
    Verdict::TinyBetter,
    Verdict::Worse,
    Verdict::TinyWorse,
    Verdict::NoChange,
    Verdict::WithinNoise,
    Verdict::NotJudged,
];

/// The columns of the cell and the workload.
fn load(comparison: &Comparison) -> String {
    let cell = comparison.cell.iter().filter(|(_, value)| !value.is_empty());
    let mut parts: Vec<String> = cell.map(|(name, value)| format!("{name} {value}")).collect();
    let workload = comparison.workload.describe();
    if parts.is_empty() || workload != Workload::default().describe() {
        parts.push(workload);
    }
    parts.join(", ")
}

/// Where the time went: `the cost is in decode (250 of 280 ms per request)`.
fn cost(comparison: &Comparison) -> Option<String> {
    let account = comparison.per_request.filter(|account| account.total_ms > 0.0)?;
    let (place, part) = if account.decode_ms >= account.ttft_ms {
        ("decode", account.decode_ms)
    } else {
        ("TTFT", account.ttft_ms)
    };
    let total = format::milliseconds(account.total_ms);
    let share = format::milliseconds(part);
    let total = total.trim_start_matches('+');
    let share = share.trim_start_matches('+').trim_end_matches(" ms");
    Some(format!("the cost is in {place} (≈ {share} of {total} per request)"))
}
