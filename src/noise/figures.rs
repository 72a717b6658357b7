//! The figures of one metric over repeated runs.

use crate::atlas::Published;
use crate::builds::Build;
use crate::checks::{EXACT, MOST_FOR_MODES};
use crate::metrics::Metric;
use crate::noise::halves::halves;
use crate::noise::levels::level_noise;
use crate::policy::Policy;
use crate::report::noise::{
    Autocorrelation, Detectable, Drift, MetricNoise, PublishedPlace, TwoModes, WhatHelps, Within,
};
use crate::runs::Run;
use crate::stats;
use crate::stats::{
    Components, Interval, Modes, PlannedTest, Sample, Trend, mean, standard_deviation,
};

/// Probability of finding the smallest change.
pub(super) const POWER: f64 = 0.8;

/// Numbers of runs with a smallest change in the report.
const SIZES: [usize; 4] = [3, 5, 10, 20];

/// Share of the variance within runs: above it longer runs help most, below it more runs do, and close to it both help about
/// the same.
const HALF: f64 = 0.5;
const BOTH: std::ops::RangeInclusive<f64> = 0.2..=0.8;

/// Fewest runs for this advice: with 3 runs the share is wrong too often even if it seems clear.
const FEWEST_FOR_HELP: usize = 5;

/// The figures of a metric; `None` if fewer than 2 runs have it.
pub(super) fn figures(
    metric: Metric,
    build: &Build,
    deciding: bool,
    policy: &Policy,
) -> Option<MetricNoise> {
    let known = build.values(&metric.name).filter(|known| known.values.len() > 1)?;
    let (values, resolution) = (&known.values, known.resolution);
    let equal = values.iter().all(|value| value.total_cmp(&values[0]).is_eq());
    let exact = |cv: f64| equal && cv < EXACT || known.is_count(&metric);
    let cv = known.log_sd().filter(|cv| *cv > 0.0 && cv.is_finite() && !exact(*cv));
    let seen = Sample::new(values.clone()).ok().as_ref().and_then(Sample::log_sd);
    let cv_from_printing = cv > seen;
    let interval = Interval::of_log_sd(values, policy.confidence).filter(|_| !cv_from_printing);
    let detectable = SIZES.map(|runs| Detectable {
        runs,
        change: cv
            .map(|cv| {
                let df = PlannedTest::df((runs, runs), 0.0);
                let test = PlannedTest { noise: cv, alpha: policy.alpha() };
                test.detectable((runs, runs), df, POWER).exp_m1()
            })
            .filter(|change| change.is_finite()),
    });
    let centre = mean(values);
    let n = values.len();
    let having: Vec<(&Run, f64)> =
        known.runs.iter().map(|run| build.runs[*run]).zip(values.iter().copied()).collect();
    Some(MetricNoise {
        margin: margin(&metric, centre, policy),
        n,
        mean: centre,
        sd: standard_deviation(values).filter(|sd| sd.is_finite()),
        cv,
        cv_from_printing,
        cv_interval: interval.map(|interval| [interval.low, interval.high]),
        published: Published::of(&metric.name)
            .zip(cv)
            .map(|(published, cv)| PublishedPlace::new(published, cv)),
        within: within(&metric, &having),
        levels: level_noise(&metric.name, centre, build),
        detectable: if cv.is_some() { detectable.to_vec() } else { Vec::new() },
        trend: drift(values),
        autocorrelation: stats::Autocorrelation::of(values)
            .filter(|found| found.r.is_finite() && found.p_value.is_finite())
            .map(|found| Autocorrelation { r: found.r, p_value: found.p_value }),
        modes: if n <= MOST_FOR_MODES { modes(values, policy.resampling.seed) } else { None },
        halves: if deciding { halves(values, resolution, policy) } else { None },
        deciding,
        resolution,
        values: known.values,
        row_label: metric.row_label(),
        unit: metric.unit.symbol(),
        better: metric.better,
        label: metric.label,
        metric: metric.name,
    })
}

fn drift(values: &[f64]) -> Option<Drift> {
    let trend = Trend::of(values)?;
    let third = (values.len() / 3).max(1);
    let (first, last) = (mean(&values[..third]), mean(&values[values.len() - third..]));
    let change =
        Some(last / first - 1.0).filter(|change| first > 0.0 && last > 0.0 && change.is_finite());
    Some(Drift { tau: trend.tau, p_value: trend.p_value, change })
}

fn modes(values: &[f64], seed: u64) -> Option<TwoModes> {
    let found = Modes::of(values, seed)?;
    found.centres.iter().all(|centre| centre.is_finite()).then_some(TwoModes {
        centres: found.centres,
        counts: found.counts,
        share: found.share,
        gap: found.gap,
        p_value: found.p_value,
    })
}

/// The share of the noise within the runs: the requests' standard errors against the spread of the runs.
fn within(metric: &Metric, having: &[(&Run, f64)]) -> Option<Within> {
    let error = |run: &Run| run.requests.as_ref()?.figures.get(&metric.name)?.standard_error;
    let errors: Vec<Option<f64>> = having.iter().map(|(run, _)| error(run)).collect();
    let known: Vec<f64> = errors.iter().flatten().copied().collect();
    if known.len() < 2 {
        return None;
    }
    // A run without request detail counts as the average of the others.
    let typical = root_mean_square(&known);
    let filled: Vec<f64> = errors.iter().map(|error| error.unwrap_or(typical)).collect();
    let values: Vec<f64> = having.iter().map(|(_, value)| *value).collect();
    let parts = Components::of(&values, &filled)?;
    let centre = mean(&values);
    let [low, share, high] = Components::within_share(&values, &filled)
        .filter(|shares| shares.iter().all(|share| share.is_finite()))?;
    Some(Within {
        runs: known.len(),
        cv: Some(parts.within / centre).filter(|cv| centre > 0.0 && cv.is_finite()),
        share,
        share_interval: [low, high],
        help: if values.len() < FEWEST_FOR_HELP {
            WhatHelps::NotKnown
        } else if BOTH.contains(&low) && BOTH.contains(&high) {
            WhatHelps::Both
        } else if low > HALF {
            WhatHelps::LongerRuns
        } else if high < HALF {
            WhatHelps::MoreRuns
        } else {
            WhatHelps::NotKnown
        },
    })
}

fn root_mean_square(values: &[f64]) -> f64 {
    let largest = values.iter().copied().fold(0.0, f64::max);
    if largest == 0.0 {
        return 0.0;
    }
    let squares: f64 = values.iter().map(|value| (value / largest).powi(2)).sum();
    largest * (squares / values.len() as f64).sqrt()
}

/// Largest change of a metric that does not matter, as a fraction of this mean.
fn margin(metric: &Metric, mean: f64, policy: &Policy) -> f64 {
    let margin = policy.margin(metric);
    let absolute = if mean > 0.0 { margin.absolute / mean } else { 0.0 };
    if absolute.is_finite() { margin.relative.max(absolute) } else { margin.relative }
}
