//! The check of outliers: runs far from the others of their variant.

use crate::checks::first_run::slow_first;
use crate::checks::series::{SAME, Series, also_of, run_name};
use crate::checks::spread::{far, far_levels, modes};
use crate::checks::{CheckId, Context, Finding, Severity};
use crate::format::{change, first_few, score};
use crate::stats::{Across, modified_z, outlier_p_value};

const MOST_NAMED: usize = 3;

/// Variants of more runs are expected to have outliers, which are reported only beyond chance. Above this share of
/// outliers the runs have a long tail; no single run went wrong.
const MANY: usize = 300;
const TAIL: f64 = 0.01;

struct Outliers<'a> {
    series: &'a Series<'a>,
    /// Their positions in the series.
    runs: Vec<usize>,
    /// P-value of as many values as far out by chance, adjusted over all series.
    p: f64,
}

/// Runs far from the median of their variant by the modified z-score, and by more than the margin.
///
/// Of five normal values 21 % hold one by chance: it is a warning where chance does not explain it (Grubbs' test for
/// long tails, by Holm with all other checks that chance can set off), or where a change claimed of a deciding metric
/// rests on it; else it is a note. Other checks report a slow first run, and runs of another mode or level. Some of
/// hundreds of runs always lie far out: these are reported only beyond chance, and not at all where they are a long tail.
pub(super) fn outlier_run(context: &Context) -> Option<Finding> {
    let looked = looked(context);
    let mut found: Vec<Outliers> = looked
        .iter()
        .zip(context.chance(CheckId::OutlierRun))
        .map(|(series, p)| Outliers { series, runs: outlier_runs(context, series), p: *p })
        .filter(|outliers| !outliers.runs.is_empty())
        .collect();
    found.sort_by(|a, b| a.p.total_cmp(&b.p));
    let clear = found.iter().any(|outliers| context.beyond_chance(outliers.p));
    found.retain(|outliers| {
        outliers.series.values.len() <= MANY || context.beyond_chance(outliers.p)
    });
    // Chance sets off one series at a time: several are reported only beyond it.
    if clear {
        found.retain(|outliers| context.beyond_chance(outliers.p));
    } else {
        found.truncate(1);
    }
    let Some(Outliers { series, runs, p }) = found.first() else {
        return long_tail(context, &looked);
    };
    let also = also_of(found[1..].iter().map(|outliers| outliers.series));
    let what =
        if runs.len() == 1 { "an outlier".to_owned() } else { format!("{} outliers", runs.len()) };
    let by_chance = if clear { "" } else { " That can be chance." };
    let scores = modified_z(&series.values).unwrap_or_default();
    let message = format!(
        "{} has {what} in {}: {}{also}.{by_chance}",
        series.variant.name,
        series.row.metric.label,
        named(series, runs, &scores)
    );
    let suspects = found.iter().flat_map(|Outliers { series, runs, .. }| {
        runs.iter().map(|position| (series.side, series.runs[*position]))
    });
    let scores: Vec<f64> = runs.iter().map(|position| scores[*position]).collect();
    Some(
        Finding::new(CheckId::OutlierRun, Severity::Warn, message)
            .with("variant", series.variant.name.clone())
            .with("metric", series.row.metric.name.clone())
            .with("modified_z", scores)
            .with("p_adjusted", *p)
            .suspecting(suspects, !clear),
    )
}

fn looked<'a>(context: &'a Context) -> Vec<&'a Series<'a>> {
    let enough = |series: &&Series| series.values.len() >= context.policy.thresholds.outlier_runs;
    context.series().iter().filter(enough).collect()
}

/// Probability of such outliers by chance, for each series.
pub(super) fn p_values(context: &Context) -> Vec<f64> {
    let p = |series: &&Series| {
        let (values, least) = series.logs();
        let runs = outlier_runs(context, series);
        let beside = context.beside_without_outlier(series);
        outlier_p_value(&values, &runs, &beside, least).unwrap_or(1.0)
    };
    looked(context).iter().map(p).collect()
}

/// A long tail: many of hundreds of runs lie far from the median.
fn long_tail(context: &Context, looked: &[&Series]) -> Option<Finding> {
    let series = looked.iter().find(|series| is_tail(series, far(context, series)))?;
    let (far, all) = (far(context, series).len(), series.values.len());
    let (variant, label) = (&series.variant.name, &series.row.metric.label);
    let of_means = context.policy.across == Across::MEAN;
    let remedy = if of_means { " --across median is not affected by them." } else { "" };
    let message = format!(
        "{far} of {all} runs of {variant} lie far from the median in {label}: a long tail, not single runs that \
         went wrong.{remedy}"
    );
    Some(
        Finding::new(CheckId::OutlierRun, Severity::Note, message)
            .with("variant", variant.clone())
            .with("metric", series.row.metric.name.clone())
            .with("far", far)
            .with("runs", all),
    )
}

/// Whether the values `far` from the median are the long tail of many.
fn is_tail(series: &Series, far: &[usize]) -> bool {
    series.values.len() > MANY && far.len() as f64 > TAIL * series.values.len() as f64
}

/// Positions of the outliers of a series by more than the margin, without a slow first run and runs of another mode or
/// level, which other checks report.
fn outlier_runs(context: &Context, series: &Series) -> Vec<usize> {
    let all = far(context, series);
    if all.is_empty()
        || is_tail(series, all)
        || modes(context, series).is_some()
        || far_levels(context, series).is_some()
    {
        return Vec::new();
    }
    let centre = series.median();
    let margin = context.policy.margin(&series.row.metric).relative;
    let first = slow_first(context, series.side);
    let its_own = |position: &usize| {
        let printed = (series.values[*position] - centre).abs() > 2.0 * series.resolution * SAME;
        let matters = series.beyond_median(*position).is_none_or(|part| part.abs() > margin);
        printed && matters && !(first && series.runs[*position] == 0)
    };
    all.iter().copied().filter(its_own).collect()
}

/// `run-07 (−4.3 % from its median, modified z −5.5)`
fn named(series: &Series, runs: &[usize], scores: &[f64]) -> String {
    let one = |&position: &usize| {
        let from = series.beyond_median(position);
        let from =
            from.map_or(String::new(), |part| format!("{} from its median, ", change(part, 1)));
        let name = run_name(series.variant, series.runs[position]);
        format!("{name} ({from}modified z {})", score(scores[position]))
    };
    first_few(runs, MOST_NAMED, one)
}
