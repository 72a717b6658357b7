//! The verdict on each metric of a comparison, with its interval and reason.

use crate::analysis::adjust::{Adjusted, List};
use crate::analysis::assess::Assessed;
use crate::compare::Measured;
use crate::deciding;
use crate::metrics::Statistic;
use crate::noise_prior::NoiseSource;
use crate::policy::Policy;
use crate::report::{Alone, Delta, NoiseOrigin, NoiseRow, PriorRow, Row};
use crate::stats::{Across, Interval, Undefined};
use crate::verdict::{Change, Verdict, judge};

/// The smallest level of an interval; below it the confidence rounds to 1.
const LEAST_LEVEL: f64 = 1e-15;

/// Judges the rows of a comparison; both lists of adjusted p-values come in the same order, the second for own noise alone.
pub(super) fn judge_rows(
    assessed: &Assessed,
    rows: Vec<Measured>,
    (adjusted, adjusted_own): (&[Option<Adjusted>], &[Option<Adjusted>]),
    policy: &Policy,
) -> Vec<Row> {
    let tests = assessed.tests(&rows, |row| row.p_value, policy);
    let same_fact = |at: usize| tests[at].is_some_and(|(list, _)| list == List::SameFact);
    let tested = rows.iter().zip(&tests).enumerate();
    let tested =
        tested.filter(|(at, (row, p))| p.is_some() && assessed.decides(row) && !same_fact(*at));
    let tested = tested.count();
    rows.into_iter()
        .zip(adjusted.iter().zip(adjusted_own))
        .map(|(row, (adjusted, adjusted_own))| {
            let stopped = assessed.stop(&row).map(|finding| finding.reason);
            let decides = assessed.decides(&row).then_some(tested);
            let shares = assessed.shares(&row);
            let guard = assessed.guards.contains(&row.metric.name);
            let same_fact = deciding::same_fact(&row.metric, assessed.load);
            let mut judged = judged_row(row, [*adjusted, *adjusted_own], stopped, decides, policy);
            (judged.guard, judged.same_fact, judged.shares) = (guard, same_fact, shares);
            judged
        })
        .collect()
}

fn judged_row(
    row: Measured,
    [adjusted, adjusted_own]: [Option<Adjusted>; 2],
    stopped: Option<&'static str>,
    tested: Option<usize>,
    policy: &Policy,
) -> Row {
    let margin = margin_of(&row, policy);
    let (verdict, reason) = verdict_of(&row, adjusted, stopped, tested, margin, policy);
    let alphas = [policy.alpha(), policy.equality_alpha()];
    let open = verdict == Verdict::WithinNoise;
    let more_runs =
        open.then(|| row.more_runs(margin, policy.effect, alphas, tested.unwrap_or(1))).flatten();
    let probability_better = row
        .probability_larger
        .zip(row.metric.better)
        .map(|(larger, better)| if better.sign() > 0.0 { larger } else { 1.0 - larger });
    let (separated, noise, delta) =
        (row.separated(), noise_row(&row), delta_of(&row, adjusted, verdict, policy));
    let without_borrowing = row.own.as_deref().filter(|_| noise.is_lent()).map(|own| {
        let (verdict, _) = verdict_of(own, adjusted_own, stopped, tested, margin, policy);
        let delta = delta_of(own, adjusted_own, verdict, policy);
        Alone {
            relative_ci: delta.relative_ci,
            relative_ci_equivalence: delta.relative_ci_equivalence,
            absolute_ci: delta.absolute_ci,
            relative_ci_adjusted: delta.relative_ci_adjusted,
            absolute_ci_adjusted: delta.absolute_ci_adjusted,
            p_value: own.p_value,
            p_adjusted: adjusted_own.map(|adjusted| adjusted.p),
            verdict,
        }
    });
    Row {
        row_label: row.metric.row_label(),
        unit: row.metric.unit.symbol(),
        better: row.metric.better,
        deciding: tested.is_some(),
        guard: false,
        tolerance: policy.tolerance_of(&row.metric.name),
        gate: None,
        statistic: row.metric.statistic.word(),
        baseline: row.baseline,
        candidate: row.candidate,
        delta,
        p_value: row.p_value,
        p_adjusted: adjusted.map(|adjusted| adjusted.p),
        corrected_for: adjusted.map_or(1, |adjusted| adjusted.tests),
        probability_better,
        noise,
        published: None,
        separated,
        margin,
        verdict,
        reason,
        runs_to_settle: None,
        more_runs,
        exact: row.exact,
        rests_on: Vec::new(),
        without_borrowing,
        control: row.control,
        in_sessions: row.in_sessions,
        shares: true,
        same_fact: false,
        requests: None,
        metric: row.metric.name,
        label: row.metric.label,
    }
}

/// The largest change that does not matter, a fraction of the baseline.
fn margin_of(row: &Measured, policy: &Policy) -> f64 {
    let margin = policy.margin(&row.metric);
    // An absolute floor counts if it is the larger margin.
    let relative_floor = margin.absolute / row.baseline.estimate.abs();
    if relative_floor.is_finite() { margin.relative.max(relative_floor) } else { margin.relative }
}

fn verdict_of(
    row: &Measured,
    adjusted: Option<Adjusted>,
    stopped: Option<&'static str>,
    tested: Option<usize>,
    margin: f64,
    policy: &Policy,
) -> (Verdict, String) {
    match (stopped, row.undefined, row.metric.better, adjusted) {
        (Some(reason), ..) => (Verdict::NotJudged, reason.to_owned()),
        _ if row.exact => exact(row, margin),
        _ if too_few_for_ranks(row, tested, policy).is_some() => {
            let needed = too_few_for_ranks(row, tested, policy).unwrap_or_default();
            (Verdict::NotJudged, Undefined::RanksNeedRuns(needed).to_string())
        }
        (_, Some(Undefined::TooFewRuns), ..) => {
            let (a, b) = (row.baseline.count(), row.candidate.count());
            (Verdict::NotJudged, format!("{a} + {b} values of it"))
        }
        (_, Some(undefined), ..) if undefined != Undefined::NotPositive => {
            (Verdict::NotJudged, undefined.to_string())
        }
        (_, _, Some(better), Some(Adjusted { p: p_adjusted, tests, .. })) => {
            let sign = better.sign();
            let signed =
                |interval: Interval| if sign > 0.0 { interval } else { interval.negated() };
            let change = row.relative.map_or_else(
                || without_ratio(row, sign, p_adjusted, margin, policy),
                |effect| Change {
                    estimate: sign * effect.estimate,
                    p_adjusted,
                    equivalence: row.equivalence.map(signed),
                },
            );
            let verdict = judge(change, margin, policy.alpha());
            if is_change(verdict) && rests_on_two_runs_alone(row) {
                return (Verdict::NotJudged, TWO_RUNS.to_owned());
            }
            (verdict, reason(verdict, row, tests, policy))
        }
        _ if row.metric.statistic == Statistic::Deviation => {
            (Verdict::NotJudged, "spread within a run".to_owned())
        }
        _ => (Verdict::NotJudged, "direction not known".to_owned()),
    }
}

/// Whether a verdict shows a change.
fn is_change(verdict: Verdict) -> bool {
    use Verdict::{Better, TinyBetter, TinyWorse, Worse};
    matches!(verdict, Better | Worse | TinyBetter | TinyWorse)
}

/// The reason why two runs of each show no change.
const TWO_RUNS: &str = "2 + 2 runs: two modes of a start make 1 in 11 such calls false";

/// Whether a change rests on two runs of each variant alone, without noise from history, other cells or published averages. If
/// each start has one of two speeds, 2 + 2 runs are fully separated in 8.8 % of cases; no rule on variances repairs that.
fn rests_on_two_runs_alone(row: &Measured) -> bool {
    let sides = [&row.baseline, &row.candidate];
    // Pairs and blocks compare each run with its partner.
    let two = !row.in_pairs && sides.iter().all(|side| side.count() == 2);
    let elsewhere =
        |noise: crate::compare::Noise| noise.borrowed.is_some() || noise.published.is_some();
    two && !row.noise.is_some_and(elsewhere)
}

/// The verdict on a count that is constant in each variant: its change has no noise.
fn exact(row: &Measured, margin: f64) -> (Verdict, String) {
    let change = row.absolute.estimate;
    let Some(better) = row.metric.better.filter(|_| change != 0.0) else {
        let equal = change == 0.0;
        let verdict = if equal { Verdict::NoChange } else { Verdict::NotJudged };
        return (verdict, if equal { String::new() } else { "direction not known".to_owned() });
    };
    let matters = row.relative.is_none_or(|effect| effect.estimate.abs() >= margin);
    let verdict = match (change * better.sign() > 0.0, matters) {
        (true, true) => Verdict::Better,
        (false, true) => Verdict::Worse,
        (true, false) => Verdict::TinyBetter,
        (false, false) => Verdict::TinyWorse,
    };
    (verdict, String::new())
}

/// The change with its intervals: at the policy's confidence, and at the level of the judgement.
fn delta_of(
    row: &Measured,
    adjusted: Option<Adjusted>,
    verdict: Verdict,
    policy: &Policy,
) -> Delta {
    let raw = [row.relative.and_then(|effect| effect.interval), row.absolute.interval];
    let level = adjusted.map_or(policy.alpha(), |adjusted| adjusted.level);
    let judged =
        if level < policy.alpha() { row.intervals(1.0 - level.max(LEAST_LEVEL)) } else { raw };
    // If nothing is claimed the intervals contain zero: the resamples are finite in number, and only one of the two scales was
    // tested.
    let claimed = !matches!(verdict, Verdict::WithinNoise | Verdict::NoChange);
    let with_zero = |i: Interval| Interval { low: i.low.min(0.0), high: i.high.max(0.0), ..i };
    let judged = if claimed { judged } else { judged.map(|interval| interval.map(with_zero)) };
    let ends = |interval: Option<Interval>| interval.map(|i| [i.low, i.high]);
    Delta {
        relative: row.relative.map(|effect| effect.estimate),
        relative_ci: ends(raw[0]),
        relative_ci_adjusted: ends(judged[0]),
        absolute: row.absolute.estimate,
        absolute_ci: ends(raw[1]),
        absolute_ci_adjusted: ends(judged[1]),
        adjusted_confidence: (1.0 - level).clamp(0.0, 1.0),
        relative_ci_equivalence: ends(row.equivalence),
        equivalence_confidence: policy.equality_confidence(),
    }
}

fn reason(verdict: Verdict, row: &Measured, tests: usize, policy: &Policy) -> String {
    if row.relative.is_none() {
        "ratio not defined: values of 0 or below".to_owned()
    } else if verdict == Verdict::WithinNoise && row.p_value.is_some_and(|p| p < policy.alpha()) {
        format!("not beyond noise after correcting for {tests} tests")
    } else {
        String::new()
    }
}

/// Runs that the rank interval needs to call anything once adjusted; `None` if there are enough.
fn too_few_for_ranks(row: &Measured, tested: Option<usize>, policy: &Policy) -> Option<usize> {
    if !policy.across.has_rank_interval() {
        return None;
    }
    let needed = Across::runs_for_ranks(1.0 - policy.alpha() / tested.unwrap_or(1).max(1) as f64);
    (row.baseline.values.len().min(row.candidate.values.len()) < needed).then_some(needed)
}

fn noise_row(row: &Measured) -> NoiseRow {
    NoiseRow {
        cv: row.noise.map(|noise| noise.cv),
        df: row.noise.map(|noise| noise.df),
        source: row.noise.map_or(NoiseOrigin::None, |noise| match noise.borrowed {
            Some(lent) => match lent.source {
                NoiseSource::Batch => NoiseOrigin::Batch,
                NoiseSource::History => NoiseOrigin::History,
                NoiseSource::Variants => NoiseOrigin::Variants,
            },
            None if noise.of_averages => NoiseOrigin::Averages,
            None if noise.published.is_some() => NoiseOrigin::Atlas,
            None => NoiseOrigin::Own,
        }),
        prior: row.noise.and_then(|noise| noise.borrowed).map(|lent| PriorRow {
            cv: lent.prior.variance.value.sqrt(),
            df: lent.prior.variance.df,
            variances: lent.variances,
        }),
        break_even_cv: row.break_even_cv,
        detectable: row.noise.and_then(|noise| noise.detectable),
    }
}

/// The verdict of each row with the size of its change in margins.
pub(super) fn verdicts<'a>(rows: impl Iterator<Item = &'a Row>) -> Vec<(Verdict, f64)> {
    rows.map(|row| {
        let size = row.delta.relative.map_or(0.0, |change| change.abs() / row.margin);
        (row.verdict, if size.is_nan() { 0.0 } else { size })
    })
    .collect()
}

/// The verdict on a change without a ratio: it matters from the absolute margin on.
fn without_ratio(
    row: &Measured,
    sign: f64,
    p_adjusted: f64,
    margin: f64,
    policy: &Policy,
) -> Change {
    let matters = row.absolute.estimate.abs() >= policy.margin(&row.metric).absolute;
    let size = if matters { margin.max(1.0) } else { margin / 2.0 };
    let estimate = if row.absolute.estimate == 0.0 {
        0.0
    } else {
        sign * row.absolute.estimate.signum() * size
    };
    Change { estimate, p_adjusted, equivalence: None }
}
