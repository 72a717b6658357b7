//! Findings about the spread of the values, whatever their order.

use crate::checks::{CheckId, Finding};
use crate::format::{also, chosen, counted, first_few, p_value, percent, score, step};
use crate::noise::findings::{MOST_NAMED, Subject, without, without_them};
use crate::noise::report::{MetricNoise, TwoModes};
use crate::noise::words::{sentence, signed, value};
use crate::stats::{coarse_levels, modified_z, outliers, quantile, slow_start};
use crate::units::Better;

const MODES_LEVEL: f64 = 0.01;

/// How much wider the gap between two modes is than any inside them. Of 20 exponential values 2.5 % and of 20
/// normal ones 0.4 % then have two modes; of 20 values of which half lie six standard deviations away, 84 %.
const GAP: f64 = 1.5;

/// Modified z-score beyond which a run is an outlier.
const OUTLIER: f64 = 3.5;

/// Below this number of runs an outlier must also be this far from the median: 21 % of five normal values
/// hold one beyond the score.
const FEW: usize = 10;
const FAR: f64 = 0.03;

/// Modified z-score beyond which chance does not explain an outlier among few runs.
const CLEAR: f64 = 20.0;

/// Part of the noise that is left without the outliers, below which they are worth a warning: of normal values
/// that is so for 8 % at 5, 4 % at 6 and 2 % at 8 to 12. From 8 runs on, and with fewer.
const LEFT: f64 = 0.5;
const LEFT_OF_FEW: f64 = 1.0 / 3.0;

/// Runs from which more than a fifth far from the median are levels, not outliers.
const MANY: usize = 8;

/// CV above which a metric is noisy, and above which the measurement is broken.
const NOISY: f64 = 0.05;
const BROKEN: f64 = 0.1;

/// Printed values a step apart differ by a step but for rounding.
const SAME: f64 = 1.000_001;

impl Subject<'_> {
    /// Values that all print the same, or that take two neighbouring ones only.
    pub(super) fn printing(&self) -> Option<Finding> {
        let coarse = |metric: &MetricNoise| coarse_levels(&metric.values, metric.resolution);
        let (metric, levels, others) = self.most(coarse, |_| 0.0, |_| None)?;
        let (label, n) = (&metric.label, metric.n);
        let (message, advice, next) = if metric.cv.is_none() && levels == 1 {
            (
                format!(
                    "All {n} runs have exactly the same {label}{others}: they are copies, or averages already."
                ),
                "Give the result file of each run.",
                "give the result file of each run: these are copies, or averages.",
            )
        } else {
            let what = if levels == 1 { "have the same value" } else { "have one of two values" };
            let half = metric.resolution / metric.mean;
            let half = if half > 0.0 { format!(", {},", percent(half)) } else { String::new() };
            (
                format!(
                    "{} is printed in steps of {}, and all {n} runs {what}{others}. At least half of a step{half} \
                     is taken as its noise.",
                    sentence(metric),
                    step(2.0 * metric.resolution, metric.unit)
                ),
                "Give the client's result files, which hold all digits.",
                "give the client's result files, which hold all digits (vLLM: --save-result), in place of what \
                 it prints.",
            )
        };
        let finding =
            Finding::warning(CheckId::PreAveraged, message, advice).about(metric, None).next(next);
        Some(finding.with("levels", levels).with("resolution", metric.resolution))
    }

    pub(super) fn noisy(&self) -> Option<Finding> {
        let noisy = |metric: &MetricNoise| {
            let cv = metric.cv.filter(|cv| !metric.cv_from_printing && *cv > NOISY);
            cv.filter(|_| !by_few_runs(metric))
        };
        let (metric, cv, also) = self.most(noisy, |cv| -cv, |cv| Some(percent(cv)))?;
        let broken = cv > BROKEN;
        let (limit, verdict) = if broken {
            (BROKEN, "check for mixed configurations or other jobs on the machine")
        } else {
            (NOISY, "only large changes can be found")
        };
        let message = format!(
            "{} varies by {} from run to run{also}: over {}, {verdict}.",
            sentence(metric),
            percent(cv),
            chosen(limit)
        );
        let advice =
            "Look for other work on the machine, changing clocks, a cold start, a different seed.";
        let finding = Finding::warning(CheckId::Noisy, message, advice).about(metric, None);
        let finding = finding.with("cv", cv).with("broken", broken);
        Some(if broken {
            finding.next(
                "find what disturbs the machine, and measure again, before anything is compared on it.",
            )
        } else {
            finding
        })
    }

    pub(super) fn two_modes(&self) -> Option<Finding> {
        let two = |metric: &MetricNoise| metric.modes.filter(|modes| has_modes(metric, modes));
        let (metric, modes, also) = self.most(two, |modes| modes.p_value, |_| None)?;
        let distance =
            Some(modes.centres[1] / modes.centres[0] - 1.0).filter(|_| modes.centres[0] > 0.0);
        let size = distance.map_or(String::new(), |part| format!("{} apart, ", percent(part)));
        let message = format!(
            "{} has two modes: {} near {} and {} near {} ({size}{}){also}. No run lies near the mean.",
            sentence(metric),
            counted(modes.counts[0], "run"),
            value(modes.centres[0], ""),
            modes.counts[1],
            value(modes.centres[1], metric.unit),
            p_value(modes.p_value)
        );
        let advice = "Find what switches (placement, clocks, a second process) and pin it: until then \
                      more runs help little.";
        let finding = Finding::warning(CheckId::TwoModes, message, advice).about(metric, distance);
        Some(
            finding
                .next("find what switches between the two modes and pin it, then measure again.")
                .with("centres", modes.centres.to_vec())
                .with("runs", modes.counts.to_vec())
                .with("p_value", modes.p_value),
        )
    }

    /// The outliers of each deciding metric that has some, the farthest first; a slow first run is another finding.
    fn outliers_by_metric(&self) -> Vec<(&MetricNoise, Vec<Outlier>)> {
        let first_is_slow = self.slow_first_run().is_some();
        let two_modes = |metric: &MetricNoise| metric.modes.is_some_and(|m| has_modes(metric, &m));
        let outliers = |metric| {
            let mut runs = outliers_of(metric);
            runs.retain(|run| run.position > 0 || !first_is_slow);
            (metric, runs)
        };
        let found = self.deciding().filter(|metric| !two_modes(metric)).map(outliers);
        let mut found: Vec<_> = found.filter(|(_, runs)| !runs.is_empty()).collect();
        found.sort_by(|(_, a), (_, b)| largest(b).total_cmp(&largest(a)));
        found
    }

    pub(super) fn outliers(&self) -> Option<Finding> {
        let found = self.outliers_by_metric();
        let (metric, runs) = found.first()?;
        if metric.n >= MANY && runs.len() * 5 > metric.n {
            return Some(levels_of(metric, runs));
        }
        let names = self.runs(metric);
        let others: Vec<String> = found[1..].iter().map(|(m, _)| m.label.clone()).collect();
        let verb = if runs.len() == 1 { "is an outlier" } else { "are outliers" };
        let clear = largest(runs) > CLEAR;
        let chance =
            if metric.n < FEW && !clear { " Among so few runs that can be chance." } else { "" };
        let positions: Vec<usize> = runs.iter().map(|run| run.position).collect();
        let message = format!(
            "{} {verb} in {}{}.{}{chance}",
            named(runs, &names),
            metric.label,
            also(&others),
            without_them(metric, &positions)
        );
        let size = runs.iter().filter_map(|run| run.deviation).map(f64::abs).reduce(f64::max);
        let those: Vec<&str> = positions.iter().map(|position| names[*position]).collect();
        let advice = "See what else ran on the machine then; drop a run only for a reason other than its \
                      result.";
        let finding = Finding::warning(CheckId::OutlierRun, message, advice)
            .about(metric, size)
            .with("runs", those.clone())
            .with("modified_z", runs.iter().map(|run| run.z).collect::<Vec<f64>>());
        let left = if metric.n < MANY { LEFT_OF_FEW } else { LEFT };
        let rest = without(metric, &positions).zip(metric.cv);
        let makes_it = rest.is_none_or(|(rest, all)| rest < all * left);
        let finding = if makes_it { finding } else { finding.noted() };
        let explains = makes_it && metric.cv.is_some_and(|cv| cv > NOISY);
        Some(match those[..] {
            [only] if explains => finding.next(format!(
                "find out what disturbed {only}, and whether it comes again in more runs."
            )),
            _ if explains => {
                finding.next("find out what disturbed the outliers, and measure again without it.")
            }
            _ => finding,
        })
    }
}

/// The largest modified z-score.
fn largest(runs: &[Outlier]) -> f64 {
    runs.iter().map(|run| run.z.abs()).fold(0.0, f64::max)
}

/// `run-07 (−4.3 % from the median, modified z −5.5)`, a few of them.
fn named(runs: &[Outlier], names: &[&str]) -> String {
    let one = |run: &Outlier| {
        let from = |part| format!("{} from the median, ", signed(part));
        let size = run.deviation.map_or(String::new(), from);
        format!("{} ({size}modified z {})", names[run.position], score(run.z))
    };
    first_few(runs, MOST_NAMED, one)
}

/// So many runs far from the median that they are no outliers.
fn levels_of(metric: &MetricNoise, runs: &[Outlier]) -> Finding {
    let ends = runs.iter().filter_map(|run| run.deviation).fold(None, |ends, part| {
        let (low, high) = ends.unwrap_or((part, part));
        Some((part.min(low), part.max(high)))
    });
    let size = ends.map(|(low, high): (f64, f64)| low.abs().max(high.abs()));
    let range = ends.map_or(String::new(), |(low, high)| {
        format!(", {} to {} of it", signed(low), signed(high))
    });
    let message = format!(
        "{} keeps to several levels: {} of {} lie far from the median{range}, the others close to it. Few runs lie \
         near the mean.",
        sentence(metric),
        runs.len(),
        counted(metric.n, "run")
    );
    let advice = "Find what switches (placement, clocks, a restart) and pin it: until then more runs help \
                  little.";
    Finding::warning(CheckId::SeveralLevels, message, advice)
        .about(metric, size)
        .next("find what switches between the levels and pin it, then measure again.")
        .with("far", runs.len())
        .with("runs", metric.n)
}

/// Whether a slow first run and outliers make a quiet metric noisy: other findings report them.
fn by_few_runs(metric: &MetricNoise) -> bool {
    let slow = metric
        .better
        .and_then(|better| slow_start(&metric.values, better == Better::Lower))
        .map(|_| 0);
    let mut positions: Vec<usize> = outliers_of(metric).iter().map(|run| run.position).collect();
    positions.extend(slow.filter(|first| !positions.contains(first)));
    let few = !positions.is_empty() && positions.len() * 5 <= metric.n.max(5);
    few && without(metric, &positions).is_some_and(|rest| rest <= NOISY)
}

/// Whether the best split is two modes: better than chance, wide, and more than a printed digit.
fn has_modes(metric: &MetricNoise, modes: &TwoModes) -> bool {
    modes.p_value < MODES_LEVEL
        && modes.centres[1] - modes.centres[0] > 2.0 * metric.resolution * SAME
        && modes.gap.is_none_or(|gap| gap > GAP)
}

/// A run far from the median.
struct Outlier {
    position: usize,
    z: f64,
    /// Difference from the median, as a fraction of it.
    deviation: Option<f64>,
}

fn outliers_of(metric: &MetricNoise) -> Vec<Outlier> {
    let scores = modified_z(&metric.values).unwrap_or_default();
    let mut sorted = metric.values.clone();
    sorted.sort_by(f64::total_cmp);
    let median = quantile(&sorted, 0.5);
    let outlier = |position: usize| {
        let difference = metric.values[position] - median;
        let deviation = Some(difference / median).filter(|part| median > 0.0 && part.is_finite());
        let far = metric.n >= FEW || deviation.is_none_or(|part| part.abs() > FAR);
        let printed = difference.abs() > 2.0 * metric.resolution * SAME;
        (far && printed).then_some(Outlier { position, z: scores[position], deviation })
    };
    outliers(&metric.values, OUTLIER).into_iter().filter_map(outlier).collect()
}
