//! The check of outliers: runs far from the others of their variant.

use crate::checks::first_run::slow_first;
use crate::checks::spread::{far, far_levels, modes};
use crate::checks::subject::{SAME, Series, Subject};
use crate::checks::{CheckId, Finding, Severity};
use crate::format::{change, first_few, score};
use crate::stats::{Across, modified_z, outlier_p_value};

const MOST_NAMED: usize = 3;

/// Variants of more runs are expected to have outliers; these are reported only beyond chance. Above this share of outliers the
/// runs have a long tail; no single run went wrong.
const MANY: usize = 300;
const TAIL: f64 = 0.01;

struct Outliers<'a> {
    series: &'a Series<'a>,
    /// Positions of the outliers in the series.
    runs: Vec<usize>,
    /// P-value of so many values so far out by chance, adjusted over all series.
    p: f64,
}

/// Runs far from their variant's median by the modified z-score, and by more than the margin.
///
/// Among five normal values there is one by chance in 21 % of cases. It is a warning if chance does not explain it (Grubbs'
/// test for long tails, by Holm with all other checks that chance can set off), or if a claimed change of a deciding metric
/// depends on it; else it is a note. Other checks report a slow first run, and runs of another mode or level. With hundreds of
/// runs, outliers are reported only beyond chance, and not at all if they are a long tail.
pub(super) fn outlier_run(subject: &Subject) -> Option<Finding> {
    let looked = looked(subject);
    let mut found: Vec<Outliers> = looked
        .iter()
        .zip(subject.chance(CheckId::OutlierRun))
        .filter(|(series, _)| subject.reports_on(series.side))
        .map(|(series, p)| Outliers { series, runs: outlier_runs(subject, series), p: *p })
        .filter(|outliers| !outliers.runs.is_empty())
        .collect();
    found.sort_by(|a, b| a.p.total_cmp(&b.p));
    let clear = found.iter().any(|outliers| subject.beyond_chance(outliers.p));
    found.retain(|outliers| {
        outliers.series.values.len() <= MANY || subject.beyond_chance(outliers.p)
    });
    // Chance sets off one series at a time; several are reported only beyond chance.
    if clear {
        found.retain(|outliers| subject.beyond_chance(outliers.p));
    } else {
        found.truncate(1);
    }
    let Some(Outliers { series, runs, p }) = found.first() else {
        return long_tail(subject, &looked);
    };
    let also = subject.also(found[1..].iter().map(|outliers| outliers.series));
    let what =
        if runs.len() == 1 { "an outlier".to_owned() } else { format!("{} outliers", runs.len()) };
    let who = match (subject.is_alone(), runs.len()) {
        (true, 1) => "There is".to_owned(),
        (true, _) => "There are".to_owned(),
        (false, _) => format!("{} has", series.build.name()),
    };
    let by_chance = if clear { "" } else { " That can be chance." };
    let scores = modified_z(&series.values).unwrap_or_default();
    let message = format!(
        "{who} {what} in {}: {}{also}.{by_chance}",
        series.metric.label,
        named(series, runs, &scores)
    );
    let suspects = found.iter().flat_map(|Outliers { series, runs, .. }| {
        runs.iter().map(|position| (series.side, series.runs[*position]))
    });
    let scores: Vec<f64> = runs.iter().map(|position| scores[*position]).collect();
    Some(
        series
            .finding(CheckId::OutlierRun, Severity::Warn, message)
            .with("modified_z", scores)
            .with("p_adjusted", *p)
            .suspecting(suspects, !clear),
    )
}

fn looked<'s, 'a>(subject: &'s Subject<'a>) -> Vec<&'s Series<'a>> {
    let enough = |series: &&Series| series.values.len() >= subject.policy.thresholds.outlier_runs;
    subject.series.iter().filter(enough).collect()
}

/// Probability of such outliers by chance, for each series.
pub(super) fn p_values(subject: &Subject) -> Vec<f64> {
    let p = |series: &&Series| {
        let (values, least) = series.logs();
        let runs = outlier_runs(subject, series);
        let beside = subject.beside_without_outlier(series);
        outlier_p_value(&values, &runs, &beside, least).unwrap_or(1.0)
    };
    looked(subject).iter().map(p).collect()
}

/// A long tail: many of several hundred runs are far from the median.
fn long_tail(subject: &Subject, looked: &[&Series]) -> Option<Finding> {
    let mut reported = looked.iter().filter(|series| subject.reports_on(series.side));
    let series = reported.find(|series| is_tail(series, far(subject, series)))?;
    let (far, all) = (far(subject, series).len(), series.values.len());
    let (of, label) = (subject.of(series.build), &series.metric.label);
    let of_means = subject.policy.across == Across::MEAN;
    let remedy = if of_means { " --across median is not affected by them." } else { "" };
    let message = format!(
        "{far} of {all} runs{of} lie far from the median in {label}: a long tail, not single runs that \
         went wrong.{remedy}"
    );
    Some(
        series
            .finding(CheckId::OutlierRun, Severity::Note, message)
            .with("far", far)
            .with("runs", all),
    )
}

/// Whether the values `far` from the median are a long tail.
fn is_tail(series: &Series, far: &[usize]) -> bool {
    series.values.len() > MANY && far.len() as f64 > TAIL * series.values.len() as f64
}

/// Positions of a series' outliers by more than the margin, without a slow first run and runs of another mode or level, which
/// other checks report.
fn outlier_runs(subject: &Subject, series: &Series) -> Vec<usize> {
    let all = far(subject, series);
    if all.is_empty()
        || is_tail(series, all)
        || modes(subject, series).is_some()
        || far_levels(subject, series).is_some()
    {
        return Vec::new();
    }
    let centre = series.median();
    let margin = subject.policy.margin(series.metric).relative;
    let first = slow_first(subject, series.side);
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
        let name = series.build.run_name(series.runs[position]);
        format!("{name} ({from}modified z {})", score(scores[position]))
    };
    first_few(runs, MOST_NAMED, one)
}
