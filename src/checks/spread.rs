//! Checks of the spread of the values: printed digits, noise, two modes.

use crate::checks::subject::{SAME, Series, Subject};
use crate::checks::{CheckId, Context, Finding, Severity};
use crate::compare::{Measured, SideRow};
use crate::format::{also, p_value, percent, sentence};
use crate::metrics::Metric;
use crate::stats::{
    Adjustment, Modes, Variance, coarse_levels, mean, outlier_p_value, outliers, standard_deviation,
};

/// Half of a printed digit, as a fraction of the value; below it equal values count as exact.
pub(crate) const EXACT: f64 = 1e-6;

/// Fewest runs for levels: more than a fifth of the runs far from the median are then no outliers.
const MANY: usize = 8;

/// A ratio of variances; above it the digits mean nothing.
const MANY_TIMES: f64 = 1e6;

/// Level for modes and levels in one series: beyond it they are no outliers. Reporting uses the common level of all checks.
const ALONE: f64 = 0.01;

/// Most runs in which modes are looked for.
pub(crate) const MOST_FOR_MODES: usize = 1_000;

/// Equal values, or only two neighbouring printed values.
///
/// No number changes: half of the last printed digit is the least noise assumed anyway.
pub(super) fn pre_averaged(subject: &Subject) -> Option<Finding> {
    let coarse = |series: &Series| coarse_levels(&series.values, series.resolution);
    // A count of zero in every run is no sign of copies.
    let some = |series: &&Series| series.values.iter().any(|value| *value != 0.0);
    let all = subject.reported().filter(some);
    let found: Vec<(&Series, usize)> =
        all.filter_map(|series| Some((series, coarse(series)?))).collect();
    let (first, levels) = *found.first()?;
    let Series { metric, values, resolution, .. } = first;
    let (label, of) = (&metric.label, subject.of(first.build));
    let all = if values.len() == 2 { "Both".to_owned() } else { format!("All {}", values.len()) };
    let half = resolution / mean(values).abs();
    let also = subject.also(found[1..].iter().map(|(series, _)| *series));
    let message = if levels == 1 && (half < EXACT || !half.is_finite()) {
        format!(
            "{all} runs{of} have exactly the same {label}{also}: they are copies, or averages already."
        )
    } else if levels == 1 {
        format!(
            "{all} runs{of} are printed with the same {label}{also}: probably one run that was pasted {} times, or averages. \
             If not, the noise is below the last printed digit. Half a digit, {}, is the least noise assumed.",
            values.len(),
            percent(half)
        )
    } else {
        format!(
            "{all} runs{of} are printed with only two values of {label}{also}: a printed digit is as coarse as the noise. \
             Half a digit, {}, is the least noise assumed; result files hold all digits.",
            percent(half)
        )
    };
    Some(
        first
            .finding(CheckId::PreAveraged, Severity::Warn, message)
            .with("levels", levels)
            .with("resolution", *resolution),
    )
}

/// Noise of a deciding metric so large that only large changes can be found, or none.
///
/// A note if chance explains so large a CV: with few runs, or through a single run.
pub(super) fn noisy(subject: &Subject) -> Option<Finding> {
    let thresholds = &subject.policy.thresholds;
    let tests = noise_tests(subject);
    let p = |metric: &str, side: Option<usize>| {
        let of = tests.iter().zip(subject.chance(CheckId::Noisy)).filter(|(test, _)| {
            test.metric == metric && (test.side == side || test.side.is_none())
        });
        of.map(|(_, p)| *p).fold(1.0, f64::min)
    };
    // Pairs cancel common noise: the noise within the pairs counts.
    let mut found: Vec<(String, &Metric, f64, f64)> = if subject.pairs.is_some() {
        let left = subject.noise_in_pairs.iter();
        left.map(|&(metric, cv, _)| {
            (" within the pairs".to_owned(), metric, cv, p(&metric.name, None))
        })
        .collect()
    } else {
        let of = subject.reported().filter_map(|series| Some((series, cv(&series.values)?)));
        of.map(|(series, cv)| {
            let p = p(&series.metric.name, Some(series.side));
            (subject.of(series.build).replacen(" of ", " in ", 1), series.metric, cv, p)
        })
        .collect()
    };
    found.retain(|(.., cv, _)| *cv > thresholds.noisy_warn);
    let clear = found.iter().any(|(.., p)| subject.beyond_chance(*p));
    // Findings beyond chance are reported alone.
    found.retain(|(.., p)| !clear || subject.beyond_chance(*p));
    found.sort_by(|(.., a, _), (.., b, _)| b.total_cmp(a));
    let (place, metric, cv, p) = found.first()?;
    let others = found[1..]
        .iter()
        .map(|(place, metric, cv, _)| format!("{}{place} ({})", metric.label, percent(*cv)));
    let also = also(&others.collect::<Vec<_>>());
    let broken = *cv > thresholds.noisy_broken;
    let (limit, verdict) = if broken {
        (thresholds.noisy_broken, "check for mixed configurations or other jobs on the machine")
    } else {
        (thresholds.noisy_warn, "only large changes can be found")
    };
    let message = sentence(&format!(
        "{} varies by {} from run to run{place}{also}: over {}, {verdict}.{}",
        metric.label,
        percent(*cv),
        percent(limit).replace(".0 %", " %"),
        if clear { "" } else { " That can be chance." }
    ));
    Some(
        Finding::new(CheckId::Noisy, if clear { Severity::Warn } else { Severity::Note }, message)
            .with("metric", metric.name.clone())
            .with("cv", *cv)
            .with("broken", broken)
            .with("p_adjusted", *p),
    )
}

/// A test of a metric's noise: of one side, of both together, or within the pairs.
struct NoiseTest<'a> {
    metric: &'a str,
    side: Option<usize>,
    /// Probability of so large a CV if the true noise is at the limit of the warning.
    p: f64,
}

fn variance(cv: f64, df: f64) -> Variance {
    Variance { value: cv * cv, df }
}

fn noise_tests<'a>(subject: &Subject<'a>) -> Vec<NoiseTest<'a>> {
    let limit = subject.policy.thresholds.noisy_warn;
    if subject.pairs.is_some() {
        let of_pairs = |&(metric, cv, df): &(&'a Metric, f64, f64)| NoiseTest {
            metric: &metric.name,
            side: None,
            p: variance(cv, df).above_p_value(limit),
        };
        return subject.noise_in_pairs.iter().map(of_pairs).collect();
    }
    let test = |series: &[Series<'a>], side| {
        let (cv, df) = cv_without_farthest(series)?;
        let metric: &'a Metric = series[0].metric;
        Some(NoiseTest { metric: &metric.name, side, p: variance(cv, df).above_p_value(limit) })
    };
    let alone = subject.series.chunks(1).filter(|one| one[0].values.len() > 3);
    let alone = alone.filter_map(|one| test(one, Some(one[0].side)));
    alone.chain(subject.of_both().filter_map(|both| test(both, None))).collect()
}

/// CV of one metric's series without the value farthest from its median, which alone can make it large; with its degrees of
/// freedom.
fn cv_without_farthest(all: &[Series]) -> Option<(f64, f64)> {
    let relative: Vec<Vec<f64>> = all
        .iter()
        .map(|series| series.values.iter().map(|value| value / series.median() - 1.0).collect())
        .collect();
    let farthest = relative.iter().flatten().copied().max_by(|a, b| a.abs().total_cmp(&b.abs()))?;
    let (mut squares, mut df, mut left_out) = (0.0, 0.0, false);
    for values in relative {
        let mut rest: Vec<f64> = Vec::with_capacity(values.len());
        for value in values {
            if !left_out && value.total_cmp(&farthest).is_eq() {
                left_out = true;
            } else {
                rest.push(value);
            }
        }
        let Some(sd) = standard_deviation(&rest) else { continue };
        let of_rest = rest.len() as f64 - 1.0;
        (squares, df) = (squares + sd * sd * of_rest, df + of_rest);
    }
    let cv = (squares / df).sqrt();
    (df > 0.0 && cv.is_finite()).then_some((cv, df))
}

/// Probability of so much noise by chance, for each test.
pub(super) fn noisy_p_values(subject: &Subject) -> Vec<f64> {
    noise_tests(subject).iter().map(|test| test.p).collect()
}

/// CV of the plain values, without the noise of printed digits.
pub(super) fn cv(values: &[f64]) -> Option<f64> {
    let mean = mean(values);
    standard_deviation(values).map(|sd| sd / mean).filter(|cv| mean > 0.0 && cv.is_finite())
}

/// Two clusters of runs, or several: a mean that no run is near.
///
/// A note if the clusters are closer together than the margin: printing and sampling make such steps.
pub(super) fn two_modes(subject: &Subject) -> Option<Finding> {
    let clear = clearly_several(subject);
    let mut found: Vec<(&Series, Modes)> =
        clear.iter().filter_map(|series| Some((*series, modes(subject, series)?))).collect();
    found.sort_by(|(_, a), (_, b)| a.p_value.total_cmp(&b.p_value));
    let (first, modes) = found.first()?;
    let also = subject.also(found[1..].iter().map(|(series, _)| *series));
    let [low, high] = modes.centres;
    let [below, above] = modes.counts;
    let apart = Some(high / low - 1.0).filter(|part| low > 0.0 && part.is_finite());
    let small = subject.is_small(first.metric, apart);
    let severity = if small { Severity::Note } else { Severity::Warn };
    let apart = apart.map_or(String::new(), |part| format!(", {} apart", percent(part)));
    let message = sentence(&format!(
        "{}{} has two modes{apart}: {below} runs in the lower, {above} in the upper{also}. No run lies near \
         the mean: find what switches between the two modes and pin it.",
        first.metric.label,
        subject.of(first.build)
    ));
    Some(
        first
            .finding(CheckId::TwoModes, severity, message)
            .with("centres", modes.centres.to_vec())
            .with("runs", modes.counts.to_vec())
            .with("p_value", modes.p_value),
    )
}

/// More than two levels, if no series has two modes; chance is that of two modes.
pub(super) fn several_levels(subject: &Subject) -> Option<Finding> {
    let clear = clearly_several(subject);
    if clear.iter().any(|series| modes(subject, series).is_some()) {
        return None;
    }
    let (series, far) =
        clear.iter().find_map(|series| Some((*series, far_levels(subject, series)?)))?;
    let (far, all) = (far.len(), series.values.len());
    let message = sentence(&format!(
        "{}{} keeps to several levels: {far} of {all} runs lie far from the median, the others \
         close to it. Few runs lie near the mean: find what switches between the levels and pin it.",
        series.metric.label,
        subject.of(series.build)
    ));
    let finding = series.finding(CheckId::SeveralLevels, Severity::Warn, message);
    Some(finding.with("far", far).with("runs", all))
}

/// The reported series with modes or levels beyond chance.
fn clearly_several<'s, 'a>(subject: &'s Subject<'a>) -> Vec<&'s Series<'a>> {
    let looked = looked_for_modes(subject).zip(subject.chance(CheckId::TwoModes));
    let clear =
        looked.filter(|(series, p)| subject.beyond_chance(**p) && subject.reports_on(series.side));
    clear.map(|(series, _)| series).collect()
}

/// Runs of a series far from the median that are levels, not outliers: more than a fifth of all, some by more than the margin,
/// beyond chance in this series alone.
pub(super) fn far_levels(subject: &Subject, series: &Series) -> Option<Vec<usize>> {
    let far = far(subject, series);
    if series.values.len() < MANY || far.len() * 5 <= series.values.len() {
        return None;
    }
    let margin = subject.policy.margin(series.metric).relative;
    let matters = |run: &usize| series.beyond_median(*run).is_some_and(|part| part.abs() > margin);
    let clear = far.iter().any(matters) && levels_p_value(subject, series, far)? < ALONE;
    clear.then(|| far.to_vec())
}

fn levels_p_value(subject: &Subject, series: &Series, far: &[usize]) -> Option<f64> {
    let (values, least) = series.logs();
    outlier_p_value(&values, far, &subject.beside(series), least)
}

/// Probability of such modes or levels by chance, for each series.
pub(super) fn modes_p_values(subject: &Subject) -> Vec<f64> {
    let p = |series: &Series| match (modes(subject, series), far_levels(subject, series)) {
        (Some(modes), _) => Some(modes.p_value),
        (None, Some(far)) => levels_p_value(subject, series, &far),
        (None, None) => None,
    };
    looked_for_modes(subject).map(|series| p(series).unwrap_or(1.0)).collect()
}

fn looked_for_modes<'s, 'a>(subject: &'s Subject<'a>) -> impl Iterator<Item = &'s Series<'a>> {
    subject.series.iter().filter(|series| series.values.len() >= MANY)
}

/// Positions of the values far from the median.
pub(super) fn far<'s>(subject: &Subject, series: &'s Series) -> &'s [usize] {
    series.far.get_or_init(|| outliers(&series.values, subject.policy.thresholds.outlier_score))
}

/// The two modes of a series, if they are clear in this series alone.
pub(super) fn modes(subject: &Subject, series: &Series) -> Option<Modes> {
    let thresholds = &subject.policy.thresholds;
    let looked = || {
        if series.values.len() > MOST_FOR_MODES {
            return None;
        }
        let least = 2.0 * series.resolution * SAME;
        let limits = (ALONE, thresholds.two_modes_gap, least);
        Modes::clear(&series.values, subject.policy.resampling.seed, limits)
            .filter(|modes| modes.centres.iter().all(|centre| centre.is_finite()))
    };
    *series.modes.get_or_init(looked)
}

/// One variant is much noisier than the other.
///
/// Fires on the ratio of the variances alone. With few runs that is common by chance (two variants of three runs differ
/// ninefold in every fifth comparison). So the message gives the p-value of the F test, by Holm over the deciding metrics, and
/// says if chance is enough. It changes nothing: intervals allow for unequal noise.
pub(super) fn unequal_noise(context: &Context) -> Option<Finding> {
    if context.pairs.is_some() {
        return None;
    }
    let thresholds = &context.policy.thresholds;
    let noises: Vec<(&Measured, [f64; 2], (f64, f64))> = context
        .deciding_rows()
        .filter_map(|row| {
            let of = |side: &SideRow| side.cv.filter(|cv| *cv > 0.0 && cv.is_finite());
            let df = |side: &SideRow| side.values.len() as f64 - 1.0;
            let cvs = [of(&row.baseline)?, of(&row.candidate)?];
            Some((row, cvs, (df(&row.baseline), df(&row.candidate))))
        })
        .collect();
    let raw: Vec<f64> = noises
        .iter()
        .map(|(_, [a, b], dfs)| variance(*a, dfs.0).equal_p_value(variance(*b, dfs.1)))
        .collect();
    let ratio = |[a, b]: [f64; 2]| (a.max(b) / a.min(b)).powi(2);
    let (row, [a, b], ratio, p) = noises
        .iter()
        .zip(Adjustment::Holm.adjusted(&raw))
        .map(|((row, cvs, _), p)| (row, *cvs, ratio(*cvs), p))
        .filter(|(.., ratio, _)| *ratio > thresholds.unequal_variance)
        .min_by(|(.., a, p), (.., b, q)| p.total_cmp(q).then(b.total_cmp(a)))?;
    let (noisier, other) = if a > b {
        (context.baseline, context.candidate)
    } else {
        (context.candidate, context.baseline)
    };
    let by_chance = if p < thresholds.chance_level {
        p_value(p)
    } else {
        format!("p = {p:.2}: among so few runs that is common by chance")
    };
    let times =
        if ratio < MANY_TIMES { format!("{ratio:.0}") } else { "over a million".to_owned() };
    let message = format!(
        "{} is noisier than {} in {}: CV {} against {}, {times} times the variance ({by_chance}).",
        noisier.name,
        other.name,
        row.metric.label,
        percent(a.max(b)),
        percent(a.min(b))
    );
    Some(
        Finding::new(CheckId::UnequalNoise, Severity::Note, message)
            .with("metric", row.metric.name.clone())
            .with("ratio", ratio)
            .with("p_adjusted", p),
    )
}
