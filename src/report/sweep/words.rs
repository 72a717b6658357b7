//! Sentences about a sweep: at which loads a metric is better or worse.

use crate::format::{self, counted, list};
use crate::report::comparison::also_worse::count_among;
use crate::report::comparison::claim::{unchanged, worst};
use crate::report::comparison::more_runs::{MORE_AFTER_ONE, for_most};
use crate::report::comparison::words;
use crate::report::{AloneRow, Comparison, Report, Row, SweepRow};
use crate::verdict::{Headline, Verdict};

/// Loads that are named one by one; of more only their number is given.
const MAX_NAMED: usize = 4;

/// A load as a number: `16`.
pub(crate) fn number(load: Option<f64>) -> String {
    match load {
        Some(load) if load.abs() < LONG => load.to_string(),
        Some(load) => format!("{load:e}"),
        None => "no limit".to_owned(),
    }
}

/// Loads from here on have an exponent.
const LONG: f64 = 1e15;

/// A load of a setting in words: `16 in flight`.
pub(crate) fn load(along: &str, load: Option<f64>) -> String {
    match (along, number(load)) {
        (_, number) if load.is_none() => number,
        ("max_concurrency", number) => format!("{number} in flight"),
        ("request_rate", number) => format!("{number} requests/s"),
        (_, number) => format!("{along} {number}"),
    }
}

/// Several loads in words: `8 and 16 in flight`.
pub(crate) fn loads(along: &str, loads: &[Option<f64>]) -> String {
    let number = |load: &Option<f64>| number(*load);
    let (first, last) = loads.split_at(loads.len().saturating_sub(1));
    let mut all: Vec<String> = first.iter().map(number).collect();
    all.extend(last.iter().map(|last| load(along, *last)));
    match along {
        "max_concurrency" | "request_rate" => list(&all),
        _ => format!("{along} {}", list(&loads.iter().map(number).collect::<Vec<_>>())),
    }
}

/// The change of a load that was shown: its position in the sweep, and the row.
type Shown<'a> = (usize, &'a Row);

/// Whether a verdict shows a change for the better (`true`) or the worse.
fn sign(verdict: Verdict) -> Option<bool> {
    match verdict {
        Verdict::Better | Verdict::TinyBetter => Some(true),
        Verdict::Worse | Verdict::TinyWorse => Some(false),
        Verdict::NoChange | Verdict::WithinNoise | Verdict::NotJudged => None,
    }
}

/// Whether a load is above another; one without limit is above all.
fn above(load: Option<f64>, other: Option<f64>) -> bool {
    load.unwrap_or(f64::INFINITY) > other.unwrap_or(f64::INFINITY)
}

/// At which loads the metric of this number is better or worse, and the loads between which it turns.
pub(crate) fn statement(
    sweep: &SweepRow,
    metric: usize,
    all: &[Comparison],
) -> (String, Option<[f64; 2]>) {
    let rows: Vec<Shown> = deciding(sweep, metric, all);
    let judged: Vec<Shown> =
        rows.iter().filter(|(_, row)| row.verdict != Verdict::NotJudged).copied().collect();
    if judged.is_empty() {
        return (String::new(), None);
    }
    let of = |better: bool| -> Vec<Shown> {
        judged.iter().filter(|(_, row)| sign(row.verdict) == Some(better)).copied().collect()
    };
    let parts = [(false, of(false)), (true, of(true))];
    let mut parts: Vec<(bool, Vec<Shown>)> =
        parts.into_iter().filter(|(_, shown)| !shown.is_empty()).collect();
    parts.sort_by_key(|(_, shown)| shown[0].0);
    let said: Vec<String> =
        parts.iter().map(|(better, shown)| part(sweep, &judged, shown, *better)).collect();
    let crossing = match &parts[..] {
        [(_, low), (_, high)] => {
            let (end, start) = (low[low.len() - 1].0, high[0].0);
            let ends = [end, start].map(|at| sweep.points[at].load);
            (end < start).then_some(ends).and_then(|[low, high]| Some([low?, high?]))
        }
        _ => None,
    };
    let rest = match &parts[..] {
        [] => unmoved(&judged),
        [(_, shown)] if shown.len() < judged.len() => rest(&judged, shown),
        _ => String::new(),
    };
    let turns = crossing.map_or(String::new(), |[low, high]| {
        format!("; it turns between {} and {}", number(Some(low)), number(Some(high)))
    });
    let open: Vec<Option<f64>> = (0..sweep.points.len())
        .filter(|at| judged.iter().all(|(other, _)| other != at))
        .map(|at| sweep.points[at].load)
        .collect();
    let open = match open.len() {
        0 => String::new(),
        n if n > MAX_NAMED => format!("; {n} loads are not judged"),
        _ => format!("; not judged at {}", loads(&sweep.along, &open)),
    };
    (format!("{}{rest}{turns}{open}", said.join("; ")), crossing)
}

/// The rows of a metric at the loads where it decides.
fn deciding<'a>(sweep: &SweepRow, metric: usize, all: &'a [Comparison]) -> Vec<Shown<'a>> {
    let name = &sweep.metrics[metric].metric;
    let row = |one: &'a Comparison| one.deciding().find(|row| row.metric == *name);
    let rows = sweep.comparisons(all).enumerate();
    rows.filter_map(|(at, one)| Some((at, row(one)?))).collect()
}

/// `better from 16 in flight on, +2.1 % to +4.2 %`
fn part(sweep: &SweepRow, judged: &[Shown], shown: &[Shown], better: bool) -> String {
    let word = if better { "better" } else { "worse" };
    let at = |index: usize| sweep.points[index].load;
    let words = |index: usize| load(&sweep.along, at(index));
    let place = |(index, _): &Shown| judged.iter().position(|(other, _)| other == index);
    let (first, last) = (shown[0], shown[shown.len() - 1]);
    let whole = place(&last).zip(place(&first)).is_some_and(|(b, a)| b - a + 1 == shown.len());
    let beyond = |at: usize, other: &AloneRow| above(other.load, sweep.points[at].load);
    let starts = first.0 == 0 && !sweep.alone.iter().any(|other| !beyond(first.0, other));
    let ends =
        last.0 + 1 == sweep.points.len() && !sweep.alone.iter().any(|other| beyond(last.0, other));
    let place = match (whole, starts, ends) {
        (true, true, true) if shown.len() == 1 => format!("at {}", words(first.0)),
        (true, true, true) => "at every load".to_owned(),
        _ if shown.len() == 1 => format!("at {}", words(first.0)),
        (true, _, true) => format!("from {} on", words(first.0)),
        (true, true, _) => format!("up to {}", words(last.0)),
        (true, ..) => {
            let both = loads(&sweep.along, &[at(first.0), at(last.0)]);
            format!("from {}", both.replacen(" and ", " to ", 1))
        }
        _ if shown.len() > MAX_NAMED => format!("at {} loads", shown.len()),
        _ => {
            let each: Vec<Option<f64>> = shown.iter().map(|(index, _)| at(*index)).collect();
            format!("at {}", loads(&sweep.along, &each))
        }
    };
    let changes: Vec<f64> = shown.iter().filter_map(|(_, row)| row.delta.relative).collect();
    let low = changes.iter().copied().reduce(f64::min);
    let high = changes.iter().copied().reduce(f64::max);
    let range = low.zip(high).map_or(String::new(), |(low, high)| {
        let [low, high] = [low, high].map(|change| format::change(change, 1));
        if low == high { format!(", {low}") } else { format!(", {low} to {high}") }
    });
    let tiny = |(_, row): &Shown| matches!(row.verdict, Verdict::TinyBetter | Verdict::TinyWorse);
    let under = if shown.iter().all(tiny) {
        format!(", under the {} that matters", format::chosen(first.1.margin))
    } else {
        String::new()
    };
    format!("{word} {place}{range}{under}")
}

/// The sentence if no load shows a change. That all are equal is valid as a whole, since each load must show it.
fn unmoved(judged: &[Shown]) -> String {
    let loads = judged.len();
    if judged.iter().all(|(_, row)| row.verdict == Verdict::NoChange) {
        let margin = judged.iter().map(|(_, row)| row.margin).fold(0.0, f64::max);
        return format!("no change at any of {loads} loads (within ±{})", format::chosen(margin));
    }
    format!("no change is shown at any of {loads} loads")
}

/// The sentence about the loads other than those with the shown sign.
fn rest(judged: &[Shown], shown: &[Shown]) -> String {
    let (first, last) = (shown[0].0, shown[shown.len() - 1].0);
    let others = judged.iter().filter(|(at, _)| shown.iter().all(|(other, _)| other != at));
    let others: Vec<usize> = others.map(|(at, _)| *at).collect();
    let place = if others.iter().all(|at| *at < first) {
        "below"
    } else if others.iter().all(|at| *at > last) {
        "above"
    } else {
        "elsewhere"
    };
    format!("; {place}, no change is shown")
}

/// The sweep in one sentence: its changes for the better and the worse.
pub(crate) fn sweep_summary(sweep: &SweepRow, all: &[Comparison]) -> String {
    let said = |metric: usize| {
        let row = &sweep.metrics[metric];
        format!("{} {}", row.label, row.statement)
    };
    let signs = |metric: usize, better: bool| {
        let rows = deciding(sweep, metric, all);
        rows.iter().any(|(_, row)| sign(row.verdict) == Some(better))
    };
    let every = || 0..sweep.metrics.len();
    let first = |better: bool| every().find(|metric| signs(*metric, better));
    let (better, worse) = (first(true), first(false));
    let loads = counted(sweep.points.len(), "load");
    let text = match (better, worse) {
        (Some(better), Some(worse)) if better != worse => {
            let [a, b] = [better.min(worse), better.max(worse)].map(said);
            format!("{a}. But {b}")
        }
        (Some(moved), _) | (_, Some(moved)) => said(moved),
        (None, None) => still(sweep, all),
    };
    let runs = runs(sweep, all);
    let also = count_among(sweep.comparisons(all), "load").replace(" in ", " at ");
    format!("{text} ({loads}{runs}){}{also}", measured_alone(sweep))
}

/// `; pr was not measured at 128 in flight`
fn measured_alone(sweep: &SweepRow) -> String {
    let of = |lacks: &str, has: &str| {
        let of_other = sweep.alone.iter().filter(|row| row.variant == has);
        let each: Vec<Option<f64>> = of_other.map(|row| row.load).collect();
        match each.len() {
            0 => String::new(),
            n if n > MAX_NAMED => format!("; {lacks} was not measured at {n} loads"),
            _ => format!("; {lacks} was not measured at {}", loads(&sweep.along, &each)),
        }
    };
    let (a, b) = (&sweep.baseline, &sweep.candidate);
    format!("{}{}", of(b, a), of(a, b))
}

/// The sweep in one line among several.
pub(crate) fn sweep_title(sweep: &SweepRow) -> String {
    let shared = &sweep.workload;
    let of = if shared.fields().is_empty() {
        String::new()
    } else {
        format!(" ({})", shared.describe())
    };
    format!("{} against {}{of}: {}", sweep.candidate, sweep.baseline, sweep.summary)
}

/// A comparison at a load of a sweep in one line: `at 16 in flight: improved, ...`; with its variants where there are
/// several sweeps. `None` for one that belongs to no sweep.
pub(crate) fn title_at_load(report: &Report, comparison: usize) -> Option<String> {
    let point = |sweep: &SweepRow| {
        sweep.points.iter().find(|point| point.comparison == comparison).map(|point| point.load)
    };
    let (sweep, at) = report.sweeps.iter().find_map(|sweep| Some((sweep, point(sweep)?)))?;
    let one = &report.comparisons[comparison];
    let whose = if report.sweeps.len() > 1 {
        format!("{} against {}, ", one.candidate.name, one.baseline.name)
    } else {
        String::new()
    };
    Some(format!("{whose}at {}: {}", load(&sweep.along, at), one.summary))
}

/// The sentence where nothing moved.
fn still(sweep: &SweepRow, all: &[Comparison]) -> String {
    let names: Vec<String> = sweep.metrics.iter().map(|row| row.label.clone()).collect();
    let names = list(&names);
    match sweep.headline {
        Headline::NoChange => format!("no change of {names}"),
        Headline::WithinNoise => format!("within noise: no change of {names} is shown"),
        _ if sweep.comparisons(all).all(words::single) => "no verdict, 1 run per load".to_owned(),
        headline => {
            let why = sweep.comparisons(all).next().map_or_else(String::new, words::why_not_judged);
            format!("{}: {why}", words::headline(headline))
        }
    }
}

/// `, 3 + 3 runs each`; nothing where their numbers differ.
fn runs(sweep: &SweepRow, all: &[Comparison]) -> String {
    let mut each = sweep.comparisons(all).map(|one| (one.baseline.runs, one.candidate.runs));
    let first = each.next();
    match first.filter(|first| each.all(|other| other == *first)) {
        Some((a, b)) if a.max(b) > 1 => format!(", {a} + {b} runs each"),
        _ => String::new(),
    }
}

/// One concrete thing to do.
pub(crate) fn sweep_next(sweep: &SweepRow, all: &[Comparison]) -> String {
    let members: Vec<&Comparison> = sweep.comparisons(all).collect();
    if members.iter().all(|one| words::single(one)) {
        return format!(
            "{MORE_AFTER_ONE} more runs of each at the loads that matter, in the order `B A A B B A A B` (A = {}, B = {}), same seed, \
             prefix cache reset.",
            sweep.baseline, sweep.candidate
        );
    }
    let failed = members.iter().zip(&sweep.points).filter(|(one, _)| one.failed_unequally());
    let failed: Vec<Option<f64>> = failed.map(|(_, point)| point.load).collect();
    if !failed.is_empty() {
        return format!(
            "find out why runs failed at {}, before you claim anything.",
            loads(&sweep.along, &failed)
        );
    }
    // Nothing is claimed of the sweep that is in doubt at one of its loads.
    let doubted = |one: &&&Comparison| {
        let shown = one.headline.is_change() || one.headline == Headline::NoChange;
        shown && one.may_claim.is_none()
    };
    if let Some(one) = members.iter().find(doubted) {
        return one.next_step.clone();
    }
    let worse = |row: &&Row| sign(row.verdict) == Some(false) && row.verdict == Verdict::Worse;
    if members.iter().any(|one| one.deciding().any(|row| worse(&row))) {
        return "look at the loads where it is worse before merging it as an optimisation."
            .to_owned();
    }
    let claim = claim(sweep, all);
    // After a claim, only further possible claims about the leading metric.
    let leading = |row: &&Row| claim.is_empty() || sweep.metrics[0].metric == row.metric;
    let open: Vec<(usize, &Row)> = members
        .iter()
        .enumerate()
        .flat_map(|(at, one)| {
            let rows = one.deciding().filter(|row| row.verdict == Verdict::WithinNoise);
            rows.filter(leading).map(move |row| (at, row))
        })
        .collect();
    let needed: Vec<Option<usize>> = open.iter().map(|(_, row)| row.settled_by()).collect();
    let settle = for_most(&needed, needed.len()).map(|(more, settled)| {
        let reached = open.iter().filter(|(_, row)| row.settled_by().is_some_and(|n| n <= more));
        let mut at: Vec<usize> = reached.map(|(at, _)| *at).collect();
        at.dedup();
        let place = if at.len() == members.len() {
            "at every load".to_owned()
        } else {
            let each: Vec<Option<f64>> = at.iter().map(|at| sweep.points[*at].load).collect();
            format!("at {}", loads(&sweep.along, &each))
        };
        let what = if settled == open.len() {
            "the rest".to_owned()
        } else {
            format!("{settled} of the {} within noise", open.len())
        };
        format!(
            "{} of each {place} would settle {what} (80 % power), alternating `B A A B`",
            counted(more, "more run")
        )
    });
    match (claim.is_empty(), settle) {
        (true, Some(settle)) => format!("{settle}."),
        (false, Some(settle)) => format!("{claim}; {settle}."),
        (false, None) => format!("{claim}."),
        (true, None) if sweep.headline == Headline::NoChange => unchanged(&members),
        (true, None) => {
            let alike = members.iter().find(|one| one.headline == sweep.headline);
            alike.unwrap_or(&members[0]).next_step.clone()
        }
    }
}

/// `for the PR title: output throughput better from 16 in flight on, +3.1 % to +4.4 %`; empty unless it improved.
fn claim(sweep: &SweepRow, all: &[Comparison]) -> String {
    if sweep.headline != Headline::Improved {
        return String::new();
    }
    let claims = (0..sweep.metrics.len()).find_map(|metric| {
        let rows = deciding(sweep, metric, all);
        let (judged, better): (Vec<Shown>, Vec<Shown>) = (
            rows.iter().filter(|(_, row)| row.verdict != Verdict::NotJudged).copied().collect(),
            rows.iter().filter(|(_, row)| row.verdict == Verdict::Better).copied().collect(),
        );
        let label = &sweep.metrics[metric].label;
        (!better.is_empty()).then(|| format!("{label} {}", part(sweep, &judged, &better, true)))
    });
    let mut worse = sweep.comparisons(all).filter_map(worst);
    let worse = worse.next().map_or(String::new(), |row| format!("; but {} is worse", row.label));
    claims.map_or(String::new(), |claim| format!("for the PR title: {claim}{worse}"))
}
