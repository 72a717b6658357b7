//! The rows of a comparison: adjusted p-values, verdicts, reasons.

use crate::borrow::NoiseSource;
use crate::checks::{Blocks, Finding};
use crate::compare::{Measured, Side};
use crate::metrics::{Family, Metric, Statistic};
use crate::policy::Policy;
use crate::report::{Alone, Delta, NoiseRow, PriorRow, Row, SideRow};
use crate::runs::LoadShape;
use crate::stats::{Across, Interval, Undefined, benjamini_hochberg, holm, rank_runs_needed};
use crate::verdict::{Change, Verdict, judge};

/// Runs beyond which "more runs" is no advice.
pub(super) const MOST_RUNS: usize = 100;

/// Adjusts the p-values and judges every row.
///
/// The deciding metrics are adjusted by Holm, all others by Benjamini and Hochberg. Further metrics of
/// the deciding throughput's family, and in a closed loop the mean latency, are the same fact again: they
/// take over its adjusted p-value and are counted in neither list.
pub(super) fn judge_rows(
    rows: Vec<Measured>,
    deciding: &[String],
    findings: &[Finding],
    load: LoadShape,
    policy: &Policy,
) -> Vec<Row> {
    let decides = |row: &Measured| deciding.contains(&row.metric.name);
    let counted =
        rows.iter().position(|row| decides(row) && row.metric.family == Family::Throughput);
    // What is said of the metric itself tells more than what is said of all.
    let stop = |row: &Measured| {
        let stops = || findings.iter().filter(|finding| finding.stops(&row.metric.name));
        stops().find(|finding| finding.blocks != Blocks::All).or_else(|| stops().next())
    };
    let testable =
        |row: &Measured| row.p_value.filter(|_| stop(row).is_none() && row.metric.better.is_some());
    let closed = matches!(load, LoadShape::Closed { .. });
    let same_fact = |metric: &Metric| {
        metric.family == Family::Throughput
            || closed && metric.family == Family::E2el && metric.statistic == Statistic::Mean
    };
    let again = |row: &Measured| counted.is_some() && same_fact(&row.metric) && !decides(row);
    let mut adjusted: Vec<Option<f64>> = rows.iter().map(testable).collect();
    for (adjust, wanted) in [(holm as fn(&[f64]) -> Vec<f64>, true), (benjamini_hochberg, false)] {
        let members: Vec<usize> = (0..rows.len())
            .filter(|&i| adjusted[i].is_some() && !again(&rows[i]) && decides(&rows[i]) == wanted)
            .collect();
        let raw: Vec<f64> = members.iter().filter_map(|&i| rows[i].p_value).collect();
        for (&i, value) in members.iter().zip(adjust(&raw)) {
            adjusted[i] = Some(value);
        }
    }
    let counted_elsewhere: Vec<bool> = rows.iter().map(again).collect();
    let tested = rows.iter().zip(&adjusted).filter(|(row, p)| p.is_some() && decides(row)).count();
    for i in 0..rows.len() {
        if let Some(leading) = counted.filter(|_| again(&rows[i]) && adjusted[i].is_some()) {
            adjusted[i] = adjusted[leading].or(adjusted[i]);
        }
    }
    rows.into_iter()
        .zip(adjusted)
        .zip(counted_elsewhere)
        .map(|((row, p_adjusted), counted_with_another)| {
            let stopped = stop(&row).map(|finding| finding.reason);
            let decides = decides(&row);
            let row = judged_row(row, p_adjusted, stopped, decides.then_some(tested), policy);
            Row { counted_with_another, ..row }
        })
        .collect()
}

fn judged_row(
    row: Measured,
    p_adjusted: Option<f64>,
    stopped: Option<&'static str>,
    tested: Option<usize>,
    policy: &Policy,
) -> Row {
    let margin = policy.margin(&row.metric);
    // An absolute floor counts where it is the larger of the two.
    let relative_floor = margin.absolute / row.baseline.estimate.abs();
    let margin = if relative_floor.is_finite() {
        margin.relative.max(relative_floor)
    } else {
        margin.relative
    };
    let mut judged = None;
    let (verdict, reason) = match (stopped, row.undefined, row.metric.better, p_adjusted) {
        (Some(reason), ..) => (Verdict::NotJudged, reason.to_owned()),
        _ if too_few_for_ranks(&row, tested, policy).is_some() => {
            let needed = too_few_for_ranks(&row, tested, policy).unwrap_or_default();
            (Verdict::NotJudged, Undefined::RanksNeedRuns(needed).to_string())
        }
        (_, Some(Undefined::TooFewRuns), ..) => {
            let (a, b) = (row.baseline.values.len(), row.candidate.values.len());
            (Verdict::NotJudged, format!("{a} + {b} values of it"))
        }
        (_, Some(undefined), ..) if undefined != Undefined::NotPositive => {
            (Verdict::NotJudged, undefined.to_string())
        }
        (_, _, Some(better), Some(p_adjusted)) => {
            let sign = better.sign();
            let signed =
                |interval: Interval| if sign > 0.0 { interval } else { interval.negated() };
            let change = row.relative.map_or_else(
                || without_ratio(&row, sign, p_adjusted, margin, policy),
                |effect| Change {
                    estimate: sign * effect.estimate,
                    p_adjusted,
                    equivalence: row.equivalence.map(signed),
                },
            );
            judged = Some(change);
            let verdict = judge(change, margin, policy.alpha());
            let reason = reason(verdict, row.relative.is_some(), row.p_value, policy);
            (verdict, reason.to_owned())
        }
        _ if row.metric.statistic == Statistic::Deviation => {
            (Verdict::NotJudged, "the spread inside a run".to_owned())
        }
        _ => (Verdict::NotJudged, "direction not known".to_owned()),
    };
    let unsettled = verdict == Verdict::WithinNoise;
    let runs_to_settle = if unsettled {
        row.runs_to_settle(margin, policy.alpha(), tested.unwrap_or(1), MOST_RUNS)
    } else {
        None
    };
    let ends = |interval: Option<Interval>| interval.map(|i| [i.low, i.high]);
    let probability_better = row
        .probability_larger
        .zip(row.metric.better)
        .map(|(larger, better)| if better.sign() > 0.0 { larger } else { 1.0 - larger });
    let (separated, noise) = (row.separated(), noise_row(&row));
    Row {
        row_label: row.metric.row_label(),
        unit: row.metric.unit.symbol(),
        better: row.metric.better,
        deciding: tested.is_some(),
        guard: policy.guards.contains(&row.metric.name),
        tolerance: policy.tolerance_of(&row.metric.name),
        statistic: row.metric.statistic.word(),
        baseline: side(row.baseline),
        candidate: side(row.candidate),
        delta: Delta {
            relative: row.relative.map(|effect| effect.estimate),
            relative_ci: ends(row.relative.and_then(|effect| effect.interval)),
            absolute: row.absolute.estimate,
            absolute_ci: ends(row.absolute.interval),
        },
        p_value: row.p_value,
        p_adjusted,
        probability_better,
        noise,
        separated,
        margin,
        verdict,
        reason,
        runs_to_settle,
        undefined: row.undefined,
        change: judged,
        counted_with_another: false,
        without_borrowing: None,
        metric: row.metric.name,
        label: row.metric.label,
    }
}

/// What is to be said beside a verdict.
pub(super) fn reason(
    verdict: Verdict,
    has_ratio: bool,
    p_value: Option<f64>,
    policy: &Policy,
) -> &'static str {
    if !has_ratio {
        "ratio not defined: values of 0 or below"
    } else if verdict == Verdict::WithinNoise && p_value.is_some_and(|p| p < policy.alpha()) {
        "the interval excludes no change, but not after adjusting for the number of metrics"
    } else {
        ""
    }
}

/// Runs that the rank interval needs before it can call anything once adjusted, where there are fewer.
fn too_few_for_ranks(row: &Measured, tested: Option<usize>, policy: &Policy) -> Option<usize> {
    if policy.across != Across::HodgesLehmann {
        return None;
    }
    let needed = rank_runs_needed(1.0 - policy.alpha() / tested.unwrap_or(1).max(1) as f64);
    (row.baseline.values.len().min(row.candidate.values.len()) < needed).then_some(needed)
}

fn noise_row(row: &Measured) -> NoiseRow {
    NoiseRow {
        cv: row.noise.map(|noise| noise.cv),
        df: row.noise.map(|noise| noise.df),
        source: match row.noise.map(|noise| noise.borrowed) {
            None => "none",
            Some(None) => "own",
            Some(Some(lent)) => match lent.source {
                NoiseSource::Batch => "batch",
                NoiseSource::History => "history",
                NoiseSource::Variants => "variants",
            },
        },
        prior: row.noise.and_then(|noise| noise.borrowed).map(|lent| PriorRow {
            cv: lent.prior.variance.value.sqrt(),
            df: lent.prior.variance.df,
            variances: lent.variances,
        }),
        break_even_cv: row.break_even_cv,
        detectable: row.noise.and_then(|noise| noise.detectable),
    }
}

/// Notes on every row with borrowed noise what it would be with its own alone.
pub(super) fn without_borrowing(rows: &mut [Row], alone: &[Row]) {
    for row in rows.iter_mut().filter(|row| row.noise.prior.is_some()) {
        let same = alone.iter().find(|other| other.metric == row.metric);
        row.without_borrowing = same.map(|other| Alone {
            relative_ci: other.delta.relative_ci,
            absolute_ci: other.delta.absolute_ci,
            p_value: other.p_value,
            p_adjusted: other.p_adjusted,
            verdict: other.verdict,
            change: other.change,
        });
    }
}

/// A change of which only the absolute delta exists: it matters from the absolute margin on.
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

fn side(side: Side) -> SideRow {
    SideRow {
        n: side.values.len(),
        estimate: side.estimate,
        values: side.values,
        runs: side.runs,
        cv: side.cv,
    }
}
