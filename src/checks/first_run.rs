//! Checks of the first run of a variant, and of the first of several variants: what was not warm yet.

use crate::checks::series::{Series, median, order_of, run_name, unknown_start};
use crate::checks::{Context, Finding, Severity, percent};
use crate::runs::{Order, Run, Variant};
use crate::stats::{SlowLimits, SlowStart, holm, others_p_value, slow_start_with};

/// Variants with one run each from which on the first can be told from the rest.
const FEWEST_CELLS: usize = 3;

/// The first run of a variant is worse than all its others.
///
/// The order is that of the starts, or else of the files and of the places in them, which the message then
/// says. Few later values can lie close together by chance, so that the trigger alone is a false alarm in many
/// clean comparisons of 4 or 5 runs: it stays a warning where the first run is apart beyond chance (Student's
/// test of one value against the later ones, one-sided, by Holm over all series looked at) by more than the
/// margin, or where a change claimed of a deciding metric rests on it; else it is a note.
pub(super) fn slow_first_run(context: &Context) -> Option<Finding> {
    let thresholds = &context.policy.thresholds;
    let cached: Vec<usize> = cold_caches(context).iter().map(|cold| cold.side).collect();
    let looked: Vec<&Series> = context
        .series()
        .iter()
        .filter(|series| series.runs.first() == Some(&0) && series.values.len() > 2)
        .filter(|series| !cached.contains(&series.side))
        .collect();
    let chance = |series: &Series| {
        others_p_value(&series.values, &[0], series.resolution).map_or(1.0, |p| p / 2.0)
    };
    let raw: Vec<f64> = looked.iter().map(|series| chance(series)).collect();
    let slow = |series: &Series| {
        let limits = SlowLimits {
            deviations: thresholds.slow_first_deviations,
            share: thresholds.slow_first_share,
            least: series.resolution,
        };
        slow_start_with(&series.values, series.larger_is_worse(), limits)
    };
    let mut found: Vec<(&Series, SlowStart, f64)> = looked
        .into_iter()
        .zip(holm(&raw))
        .filter_map(|(series, p)| Some((series, slow(series)?, p)))
        .collect();
    found.sort_by(|(.., a), (.., b)| a.total_cmp(b));
    let beyond = |(series, start, p): &(&Series, SlowStart, f64)| {
        *p < thresholds.chance_level
            && start.excess > context.policy.margin(&series.row.metric).relative
    };
    let clear = found.iter().any(beyond);
    // Chance shows in one series at a time: only what is beyond it is told of several.
    found = if clear {
        found.into_iter().filter(beyond).collect()
    } else {
        found.into_iter().take(1).collect()
    };
    let (first, start, p) = *found.first()?;
    let mut suspects = [Vec::new(), Vec::new()];
    for (series, ..) in &found {
        suspects[series.side].push(0);
    }
    let sides = context.sides().into_iter().filter(|(side, _)| !suspects[*side].is_empty());
    let runs: Vec<String> = sides.map(|(_, variant)| called(variant)).collect();
    let both = runs.len() > 1;
    let metrics: Vec<String> = found
        .iter()
        .map(|(series, start, _)| {
            let whose = if both { format!(" of `{}`", series.variant.name) } else { String::new() };
            format!("{}{whose} by {}", series.row.metric.label, percent(start.excess))
        })
        .collect();
    let (what, verb, all) = if both {
        ("The first runs of", "are", "all others of theirs")
    } else {
        ("The first run of", "is", "all its others")
    };
    let order = order_of(first.variant);
    let by_chance = if clear { "" } else { " That can be chance." };
    let message = format!(
        "{what} {} {verb} worse than {all}: {} of the median.{}{by_chance}",
        runs.join(" and "),
        metrics.join(", "),
        unknown_start(order)
    );
    Some(
        Finding::new("slow-first-run", Severity::Warn, message)
            .with("variant", first.variant.name.clone())
            .with("metric", first.row.metric.name.clone())
            .with("excess", start.excess)
            .with("p_adjusted", p)
            .with("order", word(order))
            .suspecting(suspects, !clear),
    )
}

/// A variant and what its first run is called.
fn called(variant: &Variant) -> String {
    format!("`{}` ({})", variant.name, run_name(variant, 0))
}

fn word(order: Order) -> &'static str {
    match order {
        Order::Started => "started",
        Order::FileNames => "file_names",
        Order::Places => "places",
    }
}

/// A variant whose first run had to fill the cache.
struct Cold<'a> {
    side: usize,
    variant: &'a Variant,
    /// Its TTFT over the median of the later runs.
    ratio: f64,
    /// The same of TPOT.
    tpot: f64,
}

/// Prompts that only the first run of a variant had to read: the later ones found them in the prefix cache.
///
/// The runs have the same number of input tokens and the same TPOT, which no cold start of another kind leaves
/// alone. `slow-first-run` is not told again of such a variant.
pub(super) fn cache_warm(context: &Context) -> Option<Finding> {
    let cold = cold_caches(context);
    let worst = cold.iter().max_by(|a, b| a.ratio.total_cmp(&b.ratio))?;
    let runs: Vec<String> = cold.iter().map(|cold| called(cold.variant)).collect();
    let what = if runs.len() > 1 { "The first runs of" } else { "The first run of" };
    let order = order_of(worst.variant);
    let message = format!(
        "{what} {} took {:.1} times the TTFT of the later ones for as many input tokens, with TPOT alike: these \
         found the prompts in a cache.{} Reset it before every run.",
        runs.join(" and "),
        worst.ratio,
        unknown_start(order)
    );
    let mut suspects = [Vec::new(), Vec::new()];
    for cold in &cold {
        suspects[cold.side].push(0);
    }
    Some(
        Finding::new("cache-warm", Severity::Warn, message)
            .with("variant", worst.variant.name.clone())
            .with("ttft_ratio", worst.ratio)
            .with("tpot_ratio", worst.tpot)
            .with("order", word(order))
            .suspecting(suspects, false),
    )
}

fn cold_caches<'a>(context: &'a Context) -> Vec<Cold<'a>> {
    let thresholds = &context.policy.thresholds;
    let cold = |(side, variant): (usize, &'a Variant)| {
        let runs: Vec<&Run> =
            context.compared(side).iter().map(|run| &variant.runs[*run]).collect();
        let first =
            *runs.first().filter(|first| std::ptr::eq(**first, &raw const variant.runs[0]))?;
        if runs.len() < 2 || runs.iter().any(|run| run.workload.input_tokens.is_none()) {
            return None;
        }
        let ratio = |metric: &str| {
            let value = |run: &&Run| run.metrics.get(metric).map(|value| value.value);
            let later: Vec<f64> = runs[1..].iter().map(value).collect::<Option<_>>()?;
            Some(value(&first)? / median(&later)).filter(|ratio| ratio.is_finite())
        };
        let of = |ttft: &str, tpot: &str| ratio(ttft).zip(ratio(tpot));
        let (ttft, tpot) = of("mean_ttft_ms", "mean_tpot_ms")
            .or_else(|| of("median_ttft_ms", "median_tpot_ms"))?;
        let alike = (tpot - 1.0).abs() <= thresholds.cache_warm_alike;
        (ttft > thresholds.cache_warm_ratio && alike).then_some(Cold {
            side,
            variant,
            ratio: ttft,
            tpot,
        })
    };
    context.sides().into_iter().filter_map(cold).collect()
}

/// The first of several variants with one run each lies apart from all others, which agree: what it has in
/// common with no other may be that it came first.
///
/// Apart is a gap to the nearest of the rest of more than `first_cell_gap` times their range, and with two
/// others of more than 10 %, as for the first of three runs. The first is that with the earliest start, or else
/// the first in the one file that holds all; runs of several files without times have no known order.
pub(super) fn first_cell_outlier(context: &Context) -> Option<Finding> {
    let cells: Vec<&Variant> = ordered_cells(&context.group.variants)?;
    let (first, rest) = cells.split_first()?;
    let ours = std::ptr::eq(*first, context.baseline) || std::ptr::eq(*first, context.candidate);
    if !ours || rest.len() + 1 < FEWEST_CELLS {
        return None;
    }
    let thresholds = &context.policy.thresholds;
    let apart = context.deciding_rows().filter_map(|row| {
        let value = |variant: &&Variant| variant.runs[0].metrics.get(&row.metric.name).copied();
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
            context.policy.margin(&row.metric).relative
        };
        let (gap_share, away) = (gap / centre.abs(), own.value / centre - 1.0);
        (gap > thresholds.first_cell_gap * range && gap_share > least && away.is_finite())
            .then_some((row, away, (high - low) / centre.abs()))
    });
    let (row, away, range) = apart.max_by(|(_, a, _), (_, b, _)| a.abs().total_cmp(&b.abs()))?;
    let side = if away > 0.0 { "above" } else { "below" };
    let message = format!(
        "`{}` was measured first and lies {} {side} the {} others in {}, which agree within {}: a cold start looks \
         the same as the change. Measure it once more, after the others.",
        first.name,
        percent(away),
        rest.len(),
        row.metric.label,
        percent(range)
    );
    Some(
        Finding::new("first-cell-outlier", Severity::Warn, message)
            .with("variant", first.name.clone())
            .with("metric", row.metric.name.clone())
            .with("away", away)
            .with("range_of_others", range)
            .with("others", rest.len()),
    )
}

/// Variants with one run each in the order of their runs, where it is known and the very first is one of them.
fn ordered_cells(variants: &[Variant]) -> Option<Vec<&Variant>> {
    let all: Vec<&Run> = variants.iter().flat_map(|variant| &variant.runs).collect();
    let mut ordered: Vec<&Variant> = variants.iter().collect();
    match Order::of(&all) {
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
