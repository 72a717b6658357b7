//! Checks of the order in which the runs were made: effects of time look like effects of the variant.

use crate::checks::spread::cv;
use crate::checks::subject::{Series, Subject};
use crate::checks::{CheckId, Context, Finding, Severity};
use crate::format::{change, p_value, sentence};
use crate::runs::{Run, Variant, numbering};
use crate::stats::{Adjustment, Autocorrelation, Trend, mean, rank_sum_p_value};

/// Times of both variants' runs in one order: their starts, or else the numbers in their names if one numbering covers both
/// variants.
fn times(subject: &Subject) -> Option<([Vec<f64>; 2], bool)> {
    let [first, second] = subject.both()?;
    let runs = || first.runs.iter().chain(&second.runs).copied();
    let starts: Option<Vec<f64>> = runs().map(Run::seconds).collect();
    let known = starts.is_some();
    let mut all = starts.or_else(|| numbering(&runs().collect::<Vec<_>>()))?;
    let candidate = all.split_off(first.runs.len());
    Some(([all, candidate], known))
}

/// Starts of the first and the last run, as written in the files.
fn written(variant: &Variant) -> Vec<String> {
    let ends = [variant.runs.first(), variant.runs.last()];
    ends.into_iter().flatten().filter_map(|run| run.info.started.clone()).collect()
}

/// How far the change is confounded with time.
struct Confounded {
    /// The share of a drift in the change, against all runs of one variant first: the rank-biserial correlation of variant and
    /// order. Positive if the candidate came later.
    leak: f64,
    /// Probability that a random order is as confounded.
    p: f64,
    by_start: bool,
}

fn confounded(subject: &Subject) -> Option<Confounded> {
    if subject.fewest_runs < 2 {
        return None;
    }
    let ([a, b], by_start) = times(subject)?;
    let later = |a: f64| -> f64 {
        b.iter().map(|b| f64::midpoint(1.0, f64::from(i8::from(*b > a) - i8::from(*b < a)))).sum()
    };
    let pairs = (a.len() * b.len()) as f64;
    let leak = 2.0 * a.iter().copied().map(later).sum::<f64>() / pairs - 1.0;
    let p = rank_sum_p_value(a.len(), b.len(), f64::midpoint(1.0, -leak.abs()));
    Some(Confounded { leak, p, by_start })
}

/// All runs of one variant before all of the other, or nearly so: a drift in between looks like the change.
///
/// With all A before all B, a linear drift is wholly in the change; here a share of `leak` is: 0 for A B B A, 1 / n for A B A
/// B. It is a warning from `order_leak` on, if a random order is not as unbalanced by chance. All of one before all of the
/// other always warns, although 10 % of the random orders of 3 + 3 runs are such: the drift is the same, however the order came
/// about.
pub(super) fn order_confounded(context: &Context) -> Option<Finding> {
    let Confounded { leak, by_start, .. } = confounded(context)?;
    let whole = leak.abs() >= 1.0 - 1e-9;
    let clear = context.chance(CheckId::OrderConfounded).iter().any(|p| context.beyond_chance(*p));
    if !whole && (leak.abs() <= context.policy.thresholds.order_leak || !clear) {
        return None;
    }
    let (first, second) = if leak > 0.0 {
        (context.baseline, context.candidate)
    } else {
        (context.candidate, context.baseline)
    };
    let whence = if by_start { "" } else { ", by the numbers in their names" };
    let what = if whole { "All runs" } else { "Nearly all runs" };
    let message = format!(
        "{what} of {} were made before {} of {}{whence}: a drift in between looks like the change. Alternate \
         them: A B B A.",
        first.name,
        if whole { "all" } else { "those" },
        second.name
    );
    Some(
        Finding::new(CheckId::OrderConfounded, Severity::Warn, message)
            .with("by_start", by_start)
            .with("leak", leak.abs())
            .with("baseline", written(context.baseline))
            .with("candidate", written(context.candidate)),
    )
}

/// Probability that a random order of the runs is as unbalanced; empty without a known order.
pub(super) fn order_p_values(subject: &Subject) -> Vec<f64> {
    confounded(subject).map(|confounded| confounded.p).into_iter().collect()
}

/// A trend of a metric over the runs of one variant, or of both.
struct Drifting<'a> {
    series: Vec<&'a Series<'a>>,
    trend: Trend,
}

impl Drifting<'_> {
    /// Change from the first third of the runs to the last, averaged over the series; `None` if a value is not positive.
    fn size(&self) -> Option<f64> {
        let of_one = |series: &&Series| {
            let third = (series.values.len() / 3).max(1);
            let mean_log = |values: &[f64]| {
                let logs: Option<Vec<f64>> =
                    values.iter().map(|v| (*v > 0.0).then(|| v.ln())).collect();
                logs.map(|logs| mean(&logs))
            };
            let last = &series.values[series.values.len() - third..];
            Some(mean_log(last)? - mean_log(&series.values[..third])?)
        };
        let sizes: Option<Vec<f64>> = self.series.iter().map(of_one).collect();
        sizes.map(|sizes| mean(&sizes).exp_m1())
    }
}

/// The trends of each deciding metric: within each variant, and within both together, which finds a common drift.
fn drifting<'s>(subject: &'s Subject) -> Vec<Drifting<'s>> {
    let trend = |series: Vec<&'s Series<'s>>| {
        let values: Vec<&[f64]> = series.iter().map(|series| &series.values[..]).collect();
        Some(Drifting { trend: Trend::of_blocks(&values)?, series })
    };
    let alone = subject.series.iter().filter_map(|series| trend(vec![series]));
    alone.chain(subject.of_both().filter_map(|both| trend(both.iter().collect()))).collect()
}

/// Probability of such an order of the values by chance, for each trend.
pub(super) fn p_values(subject: &Subject) -> Vec<f64> {
    drifting(subject).iter().map(|drifting| drifting.trend.p_value).collect()
}

/// A trend of a deciding metric over the runs of a variant, or of both.
///
/// Every deciding metric of both variants is tested, since TTFT can drift when throughput does not. Chance is allowed for
/// together with all other checks that it can set off. A drift below the margin is a note. The order comes from the starts, or
/// else from the files and the places in them; the message says which.
pub(super) fn drift(subject: &Subject) -> Option<Finding> {
    let looked = drifting(subject);
    let clear = looked.iter().zip(subject.chance(CheckId::Drift));
    let reported =
        |drifting: &Drifting| drifting.series.iter().all(|of| subject.reports_on(of.side));
    let (drifting, p) = clear
        .filter(|(drifting, p)| subject.beyond_chance(**p) && reported(drifting))
        .min_by(|(a, _), (b, _)| a.trend.p_value.total_cmp(&b.trend.p_value))?;
    let Drifting { series, trend } = drifting;
    let size = drifting.size();
    let first = series.first()?;
    let small = subject.is_small(first.metric, size);
    let builds: Vec<&str> = series.iter().map(|series| series.build.name()).collect();
    let of =
        if subject.is_alone() { String::new() } else { format!(" of {}", builds.join(" and ")) };
    let way = if trend.tau > 0.0 { "rises" } else { "falls" };
    let balanced = |order: Confounded| order.leak.abs() <= subject.policy.thresholds.order_leak;
    let balanced = !subject.is_alone() && confounded(subject).is_some_and(balanced);
    let effect = if subject.is_alone() {
        ""
    } else if balanced {
        "; the order of the runs keeps a steady drift out of the change, but not out of the noise"
    } else {
        "; part of the change may come from that"
    };
    let message = sentence(&format!(
        "{}{of} {way} from run to run{} (rank correlation {} over {} runs, {}): the machine is drifting{effect}.{}",
        first.metric.label,
        size.map_or_else(String::new, |size| format!(
            ", {} from the first third to the last",
            change(size, 1)
        )),
        correlation(trend.tau),
        series.iter().map(|series| series.values.len()).sum::<usize>(),
        p_value(*p),
        first.unknown_start()
    ));
    let severity = if small { Severity::Note } else { Severity::Warn };
    let finding = first.finding(CheckId::Drift, severity, message);
    let finding = match &builds[..] {
        [_] => finding,
        both => finding.with("variant", both.join(", ")),
    };
    // A drift that a balanced order keeps out of the change cannot reverse it.
    let finding = if balanced { finding.flipping(false) } else { finding };
    Some(
        finding
            .with("rank_correlation", trend.tau)
            .with("change", size)
            .with("p_value", trend.p_value)
            .with("p_adjusted", *p),
    )
}

/// `−0.52`
fn correlation(r: f64) -> String {
    format!("{r:+.2}").replace('-', "−")
}

/// Each run resembles the run before it, or alternates with it, and no drift explains it; by Holm over the series. A note if
/// the metric varies by less than its margin.
pub(super) fn autocorrelation(subject: &Subject) -> Option<Finding> {
    let level = subject.policy.thresholds.chance_level;
    let drifts = |values: &[f64]| Trend::of(values).is_some_and(|trend| trend.p_value < level);
    let memory = |series: &Series| {
        Autocorrelation::of(&series.values)
            .filter(|found| found.r.is_finite() && found.p_value.is_finite())
    };
    let looked: Vec<(&Series, Autocorrelation)> =
        subject.reported().filter_map(|series| Some((series, memory(series)?))).collect();
    let p_values: Vec<f64> = looked.iter().map(|(_, memory)| memory.p_value).collect();
    let clear = looked.iter().zip(Adjustment::Holm.adjusted(&p_values));
    let mut found: Vec<(&Series, Autocorrelation, f64)> = clear
        .filter(|((series, _), p)| *p < level && !drifts(&series.values))
        .map(|((series, memory), p)| (*series, *memory, p))
        .collect();
    found.sort_by(|(_, a, _), (_, b, _)| a.p_value.total_cmp(&b.p_value));
    let (series, memory, p) = *found.first()?;
    let also = subject.also(found[1..].iter().map(|(series, ..)| *series));
    let (label, n) = (&series.metric.label, series.values.len());
    let numbers =
        format!("(lag-1 autocorrelation {}, {}){also}", correlation(memory.r), p_value(p));
    let message = if memory.r > 0.0 {
        let worth = n as f64 * (1.0 - memory.r) / (1.0 + memory.r);
        format!(
            "Each run resembles the run before it in {label} {numbers}: {n} runs are worth about {:.0} independent ones.{}",
            worth.max(1.0),
            series.unknown_start()
        )
    } else {
        format!(
            "Runs alternate up and down in {label} {numbers}: find what alternates (a cache that is kept, two \
             devices, two ports).{}",
            series.unknown_start()
        )
    };
    let small = subject.is_small(series.metric, cv(&series.values));
    let severity = if small { Severity::Note } else { Severity::Warn };
    let finding = series.finding(CheckId::Autocorrelation, severity, message);
    Some(finding.with("r", memory.r).with("p_value", memory.p_value).with("p_adjusted", p))
}

/// Alternating pairs with the same variant always first: a drift from one run to the next looks like the change.
pub(super) fn one_way_pairs(context: &Context) -> Option<Finding> {
    let pairs = context.pairs.filter(|pairs| pairs.one_way)?;
    let message = "One variant came first in every pair, so that a drift from each run to the next looks like \
                   the change: run B A A B instead."
        .to_owned();
    let finding = Finding::new(CheckId::OneWayPairs, Severity::Warn, message);
    Some(finding.with("pairs", pairs.positions.len()))
}

/// The nights of a history between the runs of two builds on which several cells changed and no commit alone explains it.
/// `between` has the name and the sentence of each, `in_order` the builds, the earlier first, `nights` the number of nights.
pub(crate) fn machine_changed(
    in_order: [&str; 2],
    nights: usize,
    between: &[(&str, &str)],
) -> Finding {
    let [earlier, later] = in_order;
    let finding = if let [(_, first), rest @ ..] = between {
        let more = match rest.len() {
            0 => String::new(),
            1 => " Another such night lies between them.".to_owned(),
            n => format!(" {n} more such nights lie between them."),
        };
        let message = format!(
            "By the history the machine changed between the runs of {earlier} and those of {later}: {first}{more} Measure \
             both again, alternating."
        );
        Finding::new(CheckId::MachineChanged, Severity::Warn, message).flipping(true)
    } else {
        let message = format!(
            "The history of {nights} nights knows no change of the machine between the runs of {earlier} and {later}."
        );
        Finding::new(CheckId::MachineChanged, Severity::Note, message).flipping(false)
    };
    finding.with("nights", between.iter().map(|(name, _)| *name).collect::<Vec<&str>>())
}
