//! Checks of the spread of the values: how they are printed, how noisy they are, whether one run stands apart.

use crate::checks::first_run::{cache_warm, slow_first_run};
use crate::checks::series::{Series, median, run_name};
use crate::checks::{Context, Finding, Severity, percent, sentence, signed};
use crate::compare::{Measured, Side};
use crate::stats::{
    Modes, apart_p_value, coarse_levels, equal_noise_p_value, holm, mean, modified_z, outliers,
    standard_deviation, two_modes,
};

/// Runs that a sentence names.
const MOST_NAMED: usize = 3;

/// Half of a printed digit, as a fraction of the value, below which equal values are taken as exact.
const EXACT: f64 = 1e-6;

/// Printed values a step apart differ by a step but for rounding.
const SAME: f64 = 1.000_001;

/// Runs beyond which no modes are looked for.
const MOST_FOR_MODES: usize = 1_000;

/// Values that are all the same, or that printing leaves only two neighbouring ones of.
///
/// Nothing is changed: half of the last printed digit is the least noise that is assumed anyway.
pub(super) fn pre_averaged(context: &Context) -> Option<Finding> {
    let all = context.series();
    let coarse = |series: &'_ Series| coarse_levels(&series.values, series.resolution);
    let found: Vec<(&Series, usize)> =
        all.iter().filter_map(|series| Some((series, coarse(series)?))).collect();
    let (first, levels) = *found.first()?;
    let Series { variant, row, values, resolution, .. } = first;
    let (n, label) = (values.len(), &row.metric.label);
    let half = resolution / mean(values).abs();
    let also = also_of(found[1..].iter().map(|(series, _)| *series));
    let message = if levels == 1 && (half < EXACT || !half.is_finite()) {
        format!(
            "All {n} runs of `{}` have exactly the same {label}{also}: they are copies, or averages already.",
            variant.name
        )
    } else {
        let print = if levels == 1 { "print the same" } else { "print two values only" };
        format!(
            "All {n} runs of `{}` {print} in {label}{also}: a printed digit is as coarse as the noise. Half a \
             digit, {}, is the least noise assumed; result files hold all digits.",
            variant.name,
            percent(half)
        )
    };
    Some(
        Finding::new("pre-averaged", Severity::Warn, message)
            .with("variant", variant.name.clone())
            .with("metric", row.metric.name.clone())
            .with("levels", levels)
            .with("resolution", *resolution),
    )
}

/// Noise of a deciding metric above which only large changes can be found, or none.
pub(super) fn noisy(context: &Context) -> Option<Finding> {
    let thresholds = &context.policy.thresholds;
    // Pairs cancel what their two runs share: what is left of it counts.
    let mut found: Vec<(String, &Measured, f64)> = if context.pairs.is_some() {
        let left = context.deciding_rows().filter_map(|row| Some((row, row.noise?.cv)));
        left.map(|(row, cv)| ("within the pairs".to_owned(), row, cv)).collect()
    } else {
        let series = context.series().into_iter();
        let of =
            series.filter_map(|series| Some((series.variant, series.row, cv(&series.values)?)));
        of.map(|(variant, row, cv)| (format!("in `{}`", variant.name), row, cv)).collect()
    };
    found.retain(|(.., cv)| *cv > thresholds.noisy_warn);
    found.sort_by(|(.., a), (.., b)| b.total_cmp(a));
    let (place, row, cv) = found.first()?;
    let others = found[1..]
        .iter()
        .map(|(place, row, cv)| format!("{} {place} ({})", row.metric.label, percent(*cv)));
    let also = also(&others.collect::<Vec<_>>());
    let broken = *cv > thresholds.noisy_broken;
    let (limit, verdict) = if broken {
        (thresholds.noisy_broken, "the measurement is broken, not merely noisy")
    } else {
        (thresholds.noisy_warn, "only large changes can be found")
    };
    let message = sentence(&format!(
        "{} varies by {} from run to run {place}{also}: over {}, {verdict}.",
        row.metric.label,
        percent(*cv),
        percent(limit)
    ));
    Some(
        Finding::new("noisy", Severity::Warn, message)
            .with("metric", row.metric.name.clone())
            .with("cv", *cv)
            .with("broken", broken),
    )
}

/// CV of the values as they are, without what their printing adds.
fn cv(values: &[f64]) -> Option<f64> {
    let mean = mean(values);
    standard_deviation(values).map(|sd| sd / mean).filter(|cv| mean > 0.0 && cv.is_finite())
}

/// Runs far from the median of their variant by the modified z-score.
///
/// Of five normal values 21 % hold one by chance, so that most clean comparisons would warn: it stays a warning
/// where runs stand apart beyond chance (Grubbs' test, by Holm over all series looked at) by more than the
/// margin, or where the verdict is another one without them; else it is a note. A slow first run and one of two
/// modes are told by themselves.
pub(super) fn outlier_run(context: &Context) -> Option<Finding> {
    let thresholds = &context.policy.thresholds;
    let told: [Vec<usize>; 2] = [slow_first_run(context), cache_warm(context)]
        .into_iter()
        .flatten()
        .fold([Vec::new(), Vec::new()], |told, finding| {
            [0, 1].map(|side| [&told[side][..], &finding.suspects[side]].concat())
        });
    let looked: Vec<Series> = context
        .series()
        .into_iter()
        .filter(|series| series.values.len() >= thresholds.outlier_runs)
        .collect();
    let far = |series: &Series| -> Vec<usize> {
        if modes(context, series).is_some() {
            return Vec::new();
        }
        let own = |position: &usize| {
            let distance = series.values[*position] - median(&series.values);
            let printed = distance.abs() > 2.0 * series.resolution * SAME;
            printed && !told[series.side].contains(&series.runs[*position])
        };
        outliers(&series.values, thresholds.outlier_score).into_iter().filter(own).collect()
    };
    let runs: Vec<Vec<usize>> = looked.iter().map(far).collect();
    let p = |(series, far): (&Series, &Vec<usize>)| {
        apart_p_value(&series.values, far, series.resolution).unwrap_or(1.0)
    };
    let raw: Vec<f64> = looked.iter().zip(&runs).map(p).collect();
    let mut found: Vec<(&Series, Vec<usize>, f64)> = looked
        .iter()
        .zip(runs)
        .zip(holm(&raw))
        .filter(|((_, far), _)| !far.is_empty())
        .map(|((series, far), p)| (series, far, p))
        .collect();
    found.sort_by(|(.., a), (.., b)| a.total_cmp(b));
    let matters = |series: &Series, far: &[usize]| {
        let margin = context.policy.margin(&series.row.metric).relative;
        far.iter().any(|run| series.beyond_median(*run).is_none_or(|part| part.abs() > margin))
    };
    let beyond = |(series, far, p): &(&Series, Vec<usize>, f64)| {
        *p < thresholds.chance_level && matters(series, far)
    };
    // Chance shows in one series at a time: only what is beyond it is told of several.
    let clear = found.iter().any(beyond);
    if clear {
        found.retain(beyond);
    } else {
        found.truncate(1);
    }
    let (first, far, p) = found.first()?;
    let scores = modified_z(&first.values).unwrap_or_default();
    let shown: Vec<String> = far
        .iter()
        .take(MOST_NAMED)
        .map(|&position| {
            let from = first
                .beyond_median(position)
                .map_or(String::new(), |part| format!("{} from the median, ", signed(part)));
            let name = run_name(first.variant, first.runs[position]);
            format!("{name} ({from}modified z {})", score(scores[position]))
        })
        .collect();
    let more = match far.len().saturating_sub(MOST_NAMED) {
        0 => String::new(),
        n => format!(" and {n} more"),
    };
    let also = also_of(found[1..].iter().map(|(series, ..)| *series));
    let verb = if far.len() == 1 { "stands" } else { "stand" };
    let by_chance = if clear { "" } else { " Among so few runs that can be chance." };
    let message = format!(
        "{}{more} of `{}` {verb} apart in {}{also}.{by_chance}",
        sentence(&shown.join(", ")),
        first.variant.name,
        first.row.metric.label
    );
    let mut suspects = [Vec::new(), Vec::new()];
    for (series, far, _) in &found {
        let these = far.iter().map(|position| series.runs[*position]);
        suspects[series.side].extend(these);
    }
    let z: Vec<f64> = far.iter().map(|position| scores[*position]).collect();
    Some(
        Finding::new("outlier-run", Severity::Warn, message)
            .with("variant", first.variant.name.clone())
            .with("metric", first.row.metric.name.clone())
            .with("modified_z", z)
            .with("p_adjusted", *p)
            .suspecting(suspects, !clear),
    )
}

/// Two clusters of runs: a mean that no run is near.
pub(super) fn two_clusters(context: &Context) -> Option<Finding> {
    let series = context.series();
    let mut found: Vec<(&Series, Modes)> =
        series.iter().filter_map(|series| Some((series, modes(context, series)?))).collect();
    found.sort_by(|(_, a), (_, b)| a.p_value.total_cmp(&b.p_value));
    let (first, modes) = found.first()?;
    let also = also_of(found[1..].iter().map(|(series, _)| *series));
    let [low, high] = modes.centres;
    let [below, above] = modes.counts;
    let apart = Some(high / low - 1.0).filter(|part| low > 0.0 && part.is_finite());
    let apart = apart.map_or(String::new(), |part| format!(", {} apart", percent(part)));
    let message = sentence(&format!(
        "{} of `{}` has two modes{apart}: {below} runs in the lower, {above} in the upper{also}. Its mean is near \
         no run; find what switches and hold it fixed.",
        first.row.metric.label, first.variant.name
    ));
    Some(
        Finding::new("two-modes", Severity::Warn, message)
            .with("variant", first.variant.name.clone())
            .with("metric", first.row.metric.name.clone())
            .with("centres", modes.centres.to_vec())
            .with("runs", modes.counts.to_vec())
            .with("p_value", modes.p_value),
    )
}

fn modes(context: &Context, series: &Series) -> Option<Modes> {
    let thresholds = &context.policy.thresholds;
    if series.values.len() > MOST_FOR_MODES {
        return None;
    }
    let modes = two_modes(&series.values, context.policy.resampling.seed)?;
    let least = 2.0 * series.resolution * SAME;
    let clear = modes.are_clear(thresholds.two_modes_level, thresholds.two_modes_gap, least);
    (clear && modes.centres.iter().all(|centre| centre.is_finite())).then_some(modes)
}

/// One variant is much noisier than the other.
///
/// Fires from the ratio of the variances alone. With few runs that is common by chance (two of three runs each
/// differ ninefold in every fifth comparison), so the message holds the p-value of the F test, by Holm over the
/// deciding metrics, and says where chance is enough. It changes nothing: intervals allow for unequal noise.
pub(super) fn unequal_noise(context: &Context) -> Option<Finding> {
    if context.pairs.is_some() {
        return None;
    }
    let thresholds = &context.policy.thresholds;
    let noises: Vec<(&Measured, [f64; 2], (f64, f64))> = context
        .deciding_rows()
        .filter_map(|row| {
            let of = |side: &Side| side.cv.filter(|cv| *cv > 0.0 && cv.is_finite());
            let df = |side: &Side| side.values.len() as f64 - 1.0;
            let cvs = [of(&row.baseline)?, of(&row.candidate)?];
            Some((row, cvs, (df(&row.baseline), df(&row.candidate))))
        })
        .collect();
    let raw: Vec<f64> =
        noises.iter().map(|(_, [a, b], dfs)| equal_noise_p_value((*a, *b), *dfs)).collect();
    let ratio = |[a, b]: [f64; 2]| (a.max(b) / a.min(b)).powi(2);
    let (row, [a, b], ratio, p) = noises
        .iter()
        .zip(holm(&raw))
        .map(|((row, cvs, _), p)| (row, *cvs, ratio(*cvs), p))
        .filter(|(.., ratio, _)| *ratio > thresholds.unequal_variance)
        .min_by(|(.., a, p), (.., b, q)| p.total_cmp(q).then(b.total_cmp(a)))?;
    let (noisier, other) = if a > b {
        (context.baseline, context.candidate)
    } else {
        (context.candidate, context.baseline)
    };
    let by_chance = if p < thresholds.chance_level {
        format!("p = {p:.3}")
    } else {
        format!("p = {p:.2}: among so few runs that is common by chance")
    };
    let message = format!(
        "`{}` is noisier than `{}` in {}: CV {} against {}, {ratio:.0} times the variance ({by_chance}).",
        noisier.name,
        other.name,
        row.metric.label,
        percent(a.max(b)),
        percent(a.min(b))
    );
    Some(
        Finding::new("unequal-noise", Severity::Note, message)
            .with("metric", row.metric.name.clone())
            .with("ratio", ratio)
            .with("p_adjusted", p),
    )
}

/// The same for series: `; also in mean TPOT of B`.
fn also_of<'a>(others: impl Iterator<Item = &'a Series<'a>>) -> String {
    let named =
        |series: &Series| format!("{} of `{}`", series.row.metric.label, series.variant.name);
    also(&others.map(named).collect::<Vec<_>>())
}

/// `; also in mean TPOT (7.1 %)` for what other series show too.
fn also(others: &[String]) -> String {
    if others.is_empty() { String::new() } else { format!("; also in {}", others.join(", ")) }
}

/// A modified z-score: `+6.2`.
fn score(z: f64) -> String {
    let size = z.abs();
    let text = if size < 100.0 { format!("{size:.1}") } else { "over 100".to_owned() };
    format!("{}{text}", if z < 0.0 { "−" } else { "+" })
}
