//! Checks of the first run of a variant, and of the first of several variants, for a cold start.

use crate::builds::Build;
use crate::checks::subject::{Series, Subject, median, unknown_start};
use crate::checks::{CheckId, Context, Finding, Severity};
use crate::format::percent;
use crate::metrics::Metric;
use crate::runs::{Order, Run, Variant};
use crate::stats::{SlowLimits, SlowStart, deleted_t_p_value};

/// Fewest variants with one run each among which the first can be an outlier.
const FEWEST_CELLS: usize = 3;

/// The first run of a variant is worse than all its others, by more than the margin.
///
/// The order comes from the starts, or else from the files and the places in them; the message says which. Few later values can
/// be close together by chance. It is a warning if chance does not explain it (Student's test of one value against the later
/// ones, one-sided and for long tails, by Holm with all other checks that chance can set off), or if a claimed change of a
/// deciding metric depends on it; else it is a note.
pub(super) fn slow_first_run(subject: &Subject) -> Option<Finding> {
    let mut found: Vec<(&Series, SlowStart, f64)> = looked(subject)
        .into_iter()
        .zip(subject.chance(CheckId::SlowFirstRun))
        .filter(|(series, _)| subject.reports_on(series.side))
        .filter_map(|(series, p)| Some((series, slow(subject, series)?, *p)))
        .collect();
    found.sort_by(|(.., a), (.., b)| a.total_cmp(b));
    let beyond = |(.., p): &(&Series, SlowStart, f64)| subject.beyond_chance(*p);
    let clear = found.iter().any(beyond);
    // Chance sets off one series at a time; several are reported only beyond chance.
    found = if clear {
        found.into_iter().filter(beyond).collect()
    } else {
        found.into_iter().take(1).collect()
    };
    let (first, start, p) = *found.first()?;
    let is_slow = |side: usize| found.iter().any(|(series, ..)| series.side == side);
    let sides = subject.builds.iter().enumerate().filter(|(side, _)| is_slow(*side));
    let builds: Vec<&Build> = sides.map(|(_, build)| build).collect();
    let both = builds.len() > 1;
    let metrics: Vec<String> = found
        .iter()
        .map(|(series, start, _)| {
            let whose = if both { subject.of(series.build) } else { String::new() };
            format!("{}{whose} by {}", series.metric.label, percent(start.excess))
        })
        .collect();
    let (what, verb, all) = if both {
        ("The first runs", "are", "all others of theirs")
    } else {
        ("The first run", "is", "all its others")
    };
    let by_chance = if clear { "" } else { " That can be chance." };
    let message = format!(
        "{what}{} {verb} worse than {all}: {} of the median.{}{by_chance}",
        called(subject, builds.into_iter()),
        metrics.join(", "),
        first.unknown_start()
    );
    Some(
        first
            .finding(CheckId::SlowFirstRun, Severity::Warn, message)
            .with("excess", start.excess)
            .with("p_adjusted", p)
            .with("order", word(first.build.order()))
            .suspecting(found.iter().map(|(series, ..)| (series.side, 0)), !clear),
    )
}

fn looked<'s, 'a>(subject: &'s Subject<'a>) -> Vec<&'s Series<'a>> {
    let cached: Vec<usize> = cold_caches(subject).iter().map(|cold| cold.side).collect();
    let series = subject.series.iter();
    series
        .filter(|series| series.runs.first() == Some(&0) && series.values.len() > 2)
        .filter(|series| !cached.contains(&series.side))
        .collect()
}

/// How slow the first run of a series is; `None` unless that is clear and more than the margin.
fn slow(subject: &Subject, series: &Series) -> Option<SlowStart> {
    let larger_is_worse = series.metric.better?.sign() < 0.0;
    let thresholds = &subject.policy.thresholds;
    let limits = SlowLimits {
        deviations: thresholds.slow_first_deviations,
        share: thresholds.slow_first_share,
        least: series.resolution,
    };
    let margin = subject.policy.margin(series.metric).relative;
    limits.slow_start(&series.values, larger_is_worse).filter(|start| start.excess > margin)
}

/// Whether a check reports the first run of a side as slow, or as filling the cache.
pub(super) fn slow_first(subject: &Subject, side: usize) -> bool {
    let of_side = |series: &&Series| series.side == side;
    cold_caches(subject).iter().any(|cold| cold.side == side)
        || looked(subject).into_iter().filter(of_side).any(|s| slow(subject, s).is_some())
}

/// Probability of a first run so much worse by chance, for each series.
pub(super) fn p_values(subject: &Subject) -> Vec<f64> {
    let p = |series: &Series| {
        let (values, least) = series.logs();
        let beside = subject.beside(series);
        let beside = beside.get(1..).unwrap_or_default();
        slow(subject, series)
            .and_then(|_| deleted_t_p_value(&values, &[0], beside, least))
            .map_or(1.0, |p| p / 2.0)
    };
    looked(subject).into_iter().map(p).collect()
}

/// Builds and the names of their first runs: ` of main (run-1) and pr (run-2)`.
fn called<'a>(subject: &Subject, builds: impl Iterator<Item = &'a Build<'a>>) -> String {
    let name = |build: &Build| {
        if subject.is_alone() { String::new() } else { format!("{} ", build.name()) }
    };
    let runs = builds.map(|build| format!("{}({})", name(build), build.run_name(0)));
    let runs = runs.collect::<Vec<_>>().join(" and ");
    if subject.is_alone() { format!(" {runs}") } else { format!(" of {runs}") }
}

fn word(order: Order) -> &'static str {
    match order {
        Order::Started => "started",
        Order::FileNames => "file_names",
        Order::Places => "places",
    }
}

/// A build whose first run had to fill the cache.
struct Cold<'a> {
    side: usize,
    build: &'a Build<'a>,
    /// TTFT of the first run over the median of the later runs.
    ratio: f64,
    /// The same ratio for TPOT.
    tpot: f64,
    /// TTFT of all runs, the first run first.
    values: Vec<f64>,
}

/// Only the first run of a variant had to read the prompts; the later runs found them in the prefix cache.
///
/// The runs have equal input tokens and equal TPOT, and no other cold start leaves TPOT alone. It is a note if chance explains
/// the ratio; two runs of each are too few to test that. `slow-first-run` does not report such a variant again.
pub(super) fn cache_warm(subject: &Subject) -> Option<Finding> {
    let mut cold = cold_caches(subject);
    cold.retain(|cold| subject.reports_on(cold.side));
    let by_chance = !subject.chance(CheckId::CacheWarm).iter().any(|p| subject.beyond_chance(*p));
    let worst = cold.iter().max_by(|a, b| a.ratio.total_cmp(&b.ratio))?;
    let what = if cold.len() > 1 { "The first runs" } else { "The first run" };
    let order = worst.build.order();
    let message = format!(
        "{what}{} took {:.1} times the TTFT of the later ones for as many input tokens, with TPOT alike: these \
         found the prompts in a cache.{} Reset it before every run.{}",
        called(subject, cold.iter().map(|cold| cold.build)),
        worst.ratio,
        unknown_start(order),
        if by_chance { " That can be chance." } else { "" }
    );
    Some(
        Finding::new(CheckId::CacheWarm, Severity::Warn, message)
            .with("variant", worst.build.name())
            .with("ttft_ratio", worst.ratio)
            .with("tpot_ratio", worst.tpot)
            .with("order", word(order))
            .suspecting(cold.iter().map(|cold| (cold.side, 0)), by_chance),
    )
}

/// Probability of a first TTFT so much larger by chance, for the variant that shows it most; 0 with too few runs to know the
/// noise.
pub(super) fn cold_p_values(subject: &Subject) -> Vec<f64> {
    let logs = |values: &[f64]| values.iter().map(|value| value.ln()).collect::<Vec<f64>>();
    let p = |cold: &Cold| {
        let other = subject.both().and_then(|_| ttft_and_tpot(subject, 1 - cold.side));
        let beside = other.map_or_else(Vec::new, |(ttft, _)| logs(&ttft[1..]));
        deleted_t_p_value(&logs(&cold.values), &[0], &beside, 0.0).map_or(0.0, |p| p / 2.0)
    };
    cold_caches(subject).iter().map(p).reduce(f64::min).into_iter().collect()
}

fn cold_caches<'a>(subject: &Subject<'a>) -> Vec<Cold<'a>> {
    let thresholds = &subject.policy.thresholds;
    let cold = |(side, build): (usize, &'a Build<'a>)| {
        let (values, tpots) = ttft_and_tpot(subject, side)?;
        let ratio = |values: &[f64]| {
            Some(values[0] / median(&values[1..])).filter(|ratio| ratio.is_finite())
        };
        let (ttft, tpot) = (ratio(&values)?, ratio(&tpots)?);
        let alike = (tpot - 1.0).abs() <= thresholds.cache_warm_alike;
        (ttft > thresholds.cache_warm_ratio && alike).then_some(Cold {
            side,
            build,
            ratio: ttft,
            tpot,
            values,
        })
    };
    subject.builds.iter().enumerate().filter_map(cold).collect()
}

/// TTFT and TPOT of the compared runs of a side, in order. `None` without the first run, both metrics or input tokens, and for
/// values that are not positive.
fn ttft_and_tpot(subject: &Subject, side: usize) -> Option<(Vec<f64>, Vec<f64>)> {
    let positions = subject.compared(side);
    positions.first().filter(|first| **first == 0 && positions.len() > 1)?;
    let runs: Vec<&Run> = positions.iter().map(|run| subject.builds[side].runs[*run]).collect();
    if runs.iter().any(|run| run.workload.input_tokens.is_none()) {
        return None;
    }
    let values = |metric: &str| -> Option<Vec<f64>> {
        let value = |run: &&Run| run.metrics.get(metric).map(|value| value.value);
        runs.iter().map(|run| value(run).filter(|value| *value > 0.0)).collect()
    };
    let of = |ttft: &str, tpot: &str| values(ttft).zip(values(tpot));
    of("mean_ttft_ms", "mean_tpot_ms").or_else(|| of("median_ttft_ms", "median_tpot_ms"))
}

/// The first of several variants with one run each is an outlier, and the others agree: coming first may be the cause.
///
/// An outlier has a gap of more than `first_cell_gap` times the others' range, and of more than the margin (with two others 10
/// %, as for the first of three runs). The first variant has the earliest start, or else comes first in the one file of all;
/// runs of several files without times have no known order.
pub(super) fn first_cell_outlier(context: &Context) -> Option<Finding> {
    let outliers = first_cells(context).into_iter().zip(context.chance(CheckId::FirstCellOutlier));
    let outliers = outliers.filter(|(cell, _)| cell.is_outlier);
    let (FirstCell { first, others, metric, away, range, .. }, p) =
        outliers.max_by(|(a, _), (b, _)| a.away.abs().total_cmp(&b.away.abs()))?;
    let side = if away > 0.0 { "above" } else { "below" };
    let message = format!(
        "{} was measured first and lies {} {side} the {} others in {}, which agree within {}: a cold start looks \
         the same as the change. Measure it once more, after the others.{}",
        first.name,
        percent(away),
        others,
        metric.label,
        percent(range),
        if context.beyond_chance(*p) { "" } else { " That can be chance." }
    );
    let severity = if context.beyond_chance(*p) { Severity::Warn } else { Severity::Note };
    Some(
        Finding::new(CheckId::FirstCellOutlier, severity, message)
            .with("variant", first.name.clone())
            .with("metric", metric.name.clone())
            .with("away", away)
            .with("range_of_others", range)
            .with("others", others)
            .with("p_adjusted", *p),
    )
}

/// The first of several variants with one run each, against the others in a deciding metric.
struct FirstCell<'a> {
    first: &'a Variant,
    others: usize,
    metric: &'a Metric,
    /// Distance from the median of the others, as a fraction of it.
    away: f64,
    /// Range of the others, as a fraction of their median.
    range: f64,
    /// Whether it is an outlier, and the others agree.
    is_outlier: bool,
    /// Probability of such a distance by chance.
    p: f64,
}

/// The first variant in each deciding metric.
fn first_cells<'a>(subject: &Subject<'a>) -> Vec<FirstCell<'a>> {
    let Some(cells) = ordered_cells(&subject.group.variants) else { return Vec::new() };
    let Some((first, rest)) = cells.split_first() else { return Vec::new() };
    let is_first = |build: &Build| matches!(build.variants[..], [own] if std::ptr::eq(own, *first));
    if !subject.builds.iter().any(is_first) || rest.len() + 1 < FEWEST_CELLS {
        return Vec::new();
    }
    let thresholds = &subject.policy.thresholds;
    let in_metric = |metric: &&'a Metric| {
        let value = |variant: &&Variant| variant.runs[0].metrics.get(&metric.name).copied();
        let own = value(first)?;
        let others: Vec<f64> = rest.iter().map(|v| Some(value(v)?.value)).collect::<Option<_>>()?;
        let ends = |(low, high): (f64, f64), x: &f64| (low.min(*x), high.max(*x));
        let (low, high) = others.iter().fold((f64::INFINITY, f64::NEG_INFINITY), ends);
        let gap = (low - own.value).max(own.value - high);
        let range = (high - low).max(2.0 * own.resolution);
        let centre = median(&others);
        let least = if rest.len() == 2 {
            thresholds.slow_first_share
        } else {
            subject.policy.margin(metric).relative
        };
        let (gap_share, away) = (gap / centre.abs(), own.value / centre - 1.0);
        let all: Vec<f64> = std::iter::once(own.value).chain(others).collect();
        let p = deleted_t_p_value(&all, &[0], &[], own.resolution);
        Some(FirstCell {
            first,
            others: rest.len(),
            metric,
            away,
            range: (high - low) / centre.abs(),
            is_outlier: gap > thresholds.first_cell_gap * range
                && gap_share > least
                && away.is_finite(),
            p: p.unwrap_or(1.0),
        })
    };
    subject.metrics.iter().filter_map(in_metric).collect()
}

/// Probability of a first run so far out by chance, for each deciding metric.
pub(super) fn cell_p_values(subject: &Subject) -> Vec<f64> {
    first_cells(subject).iter().map(|cell| if cell.is_outlier { cell.p } else { 1.0 }).collect()
}

/// Variants with one run each, in the order of their runs; `None` unless that is known and the very first run is among them.
fn ordered_cells(variants: &[Variant]) -> Option<Vec<&Variant>> {
    let all: Vec<&Run> = variants.iter().flat_map(|variant| &variant.runs).collect();
    let mut ordered: Vec<&Variant> =
        variants.iter().filter(|variant| !variant.runs.is_empty()).collect();
    match Order::from_runs(&all) {
        Order::Started => {
            let start = |variant: &Variant| variant.runs[0].seconds().unwrap_or_default();
            ordered.sort_by(|a, b| start(a).total_cmp(&start(b)));
        }
        Order::Places => {}
        Order::FileNames => return None,
    }
    let single = |variant: &&Variant| variant.runs.len() == 1;
    ordered.first().filter(|first| single(first))?;
    ordered.retain(single);
    Some(ordered)
}
