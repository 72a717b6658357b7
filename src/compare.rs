//! The one bridge from runs to statistics: a row per metric, each worked out on its own.

use std::collections::BTreeSet;

use rayon::prelude::*;

use crate::metrics::Metric;
use crate::metrics::rank;
use crate::policy::Policy;
use crate::runs::Value;
use crate::runs::Variant;
use crate::stats::{
    Across, Interval, Sample, Undefined, break_even_cv, deltas, detectable_with, pooled_cv,
    runs_needed,
};

/// Power at which a change counts as detectable, and runs as enough.
pub(crate) const POWER: f64 = 0.8;

/// One metric of a baseline and a candidate.
#[derive(Clone, Debug)]
pub struct Measured {
    /// The metric, with the user's direction if given.
    pub metric: Metric,
    /// The baseline's runs.
    pub baseline: Side,
    /// The candidate's runs.
    pub candidate: Side,
    /// `candidate / baseline - 1` with its interval, where ratios exist.
    pub relative: Option<Effect>,
    /// `candidate - baseline` in the unit of the metric.
    pub absolute: Effect,
    /// Interval at 1 - 2 alpha of the relative change, for the test of equivalence.
    pub equivalence: Option<Interval>,
    /// Two-sided p-value of no change, unadjusted.
    pub p_value: Option<f64>,
    /// Confidence that the candidate's value is the larger one.
    pub probability_larger: Option<f64>,
    /// Own run-to-run noise, if any variant has two runs.
    pub noise: Option<Noise>,
    /// Run-to-run CV below which the change would be beyond noise.
    pub break_even_cv: Option<f64>,
    /// Why there is no interval.
    pub undefined: Option<Undefined>,
}

/// One variant's values of a metric.
#[derive(Clone, Debug)]
pub struct Side {
    /// A value per run, in run order.
    pub values: Vec<f64>,
    /// The statistic over the runs.
    pub estimate: f64,
    /// Run-to-run CV as a fraction; `None` for one run.
    pub cv: Option<f64>,
}

/// A change with its interval.
#[derive(Clone, Copy, Debug)]
pub struct Effect {
    /// The point estimate.
    pub estimate: f64,
    /// The interval at the confidence asked for.
    pub interval: Option<Interval>,
}

/// Run-to-run noise of a metric.
#[derive(Clone, Copy, Debug)]
pub struct Noise {
    /// CV as a fraction.
    pub cv: f64,
    /// Degrees of freedom behind it.
    pub df: usize,
    /// Smallest true relative change found with 80 % power, as a fraction.
    pub detectable: Option<f64>,
}

impl Measured {
    /// Whether every run of one variant lies beyond every run of the other, with 3 runs or more each.
    pub fn separated(&self) -> bool {
        let ends = |side: &Side| {
            side.values.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), &value| {
                (low.min(value), high.max(value))
            })
        };
        let (a, b) = (ends(&self.baseline), ends(&self.candidate));
        let enough = self.baseline.values.len().min(self.candidate.values.len()) >= 3;
        enough && (a.1 < b.0 || b.1 < a.0)
    }

    /// Runs of each variant with which the change seen would be found, or under the margin shown to lie
    /// inside it, with 80 % power; `None` without noise or beyond `most`.
    ///
    /// `tested` is the number of metrics that share `alpha`.
    pub fn runs_to_settle(
        &self,
        margin: f64,
        alpha: f64,
        tested: usize,
        most: usize,
    ) -> Option<usize> {
        let noise = self.noise?;
        let (seen, margin) = (self.relative?.estimate.ln_1p().abs(), margin.ln_1p());
        let found = runs_needed(seen, noise.cv, POWER, alpha / tested.max(1) as f64);
        // Equivalence is one one-sided test at the nearer margin; the other is passed on the way.
        let equal = (seen < margin)
            .then(|| runs_needed(margin - seen, noise.cv, POWER, 2.0 * alpha))
            .flatten();
        [found, equal].into_iter().flatten().min().filter(|runs| *runs <= most)
    }
}

/// All metrics that both variants have, in the order of the registry, or of the user's choice.
///
/// Every metric is worked out on its own: adding one never changes another.
pub fn measure(baseline: &Variant, candidate: &Variant, policy: &Policy) -> Vec<Measured> {
    let names = |variant: &Variant| -> BTreeSet<String> {
        variant.runs.iter().flat_map(|run| run.metrics.keys().cloned()).collect()
    };
    let mut shared: Vec<String> = if policy.selected.is_empty() {
        names(baseline).intersection(&names(candidate)).cloned().collect()
    } else {
        let both = &names(baseline) & &names(candidate);
        let wanted = policy.selected.iter().map(|selected| selected.name.clone());
        wanted.filter(|name| both.contains(name)).collect()
    };
    if policy.selected.is_empty() {
        shared.sort_by_key(|name| (rank(name), name.clone()));
    }
    shared
        .par_iter()
        .filter_map(|name| {
            let (a, b) = (values(baseline, name)?, values(candidate, name)?);
            Some(one(policy.metric(name), &a, &b, policy))
        })
        .collect()
}

fn values(variant: &Variant, name: &str) -> Option<Vec<Value>> {
    let values: Vec<Value> =
        variant.runs.iter().filter_map(|run| run.metrics.get(name).copied()).collect();
    (!values.is_empty()).then_some(values)
}

fn one(metric: Metric, a: &[Value], b: &[Value], policy: &Policy) -> Measured {
    let (sample_a, sample_b) = (sample(a), sample(b));
    let side = |values: &[Value], sample: &Sample| Side {
        values: values.iter().map(|value| value.value).collect(),
        estimate: policy.across.of(sample.sorted()),
        cv: sample.cv(),
    };
    let (baseline, candidate) = (side(a, &sample_a), side(b, &sample_b));
    let [log, linear] =
        deltas(&sample_a, &sample_b, policy.across, policy.method, policy.resampling);
    let positive = sample_a.is_positive() && sample_b.is_positive();
    let log = positive.then_some(log);

    let log_ratio = (candidate.estimate / baseline.estimate).ln();
    let on_ratio = |confidence: f64| {
        if confidence <= 0.0 {
            return None;
        }
        let curve = log.as_ref()?.as_ref().ok()?;
        finite(curve.interval(confidence).map(f64::exp_m1))
    };
    let relative = Some(log_ratio.exp_m1()).filter(|change| positive && change.is_finite());
    let relative =
        relative.map(|estimate| Effect { estimate, interval: on_ratio(policy.confidence) });
    let equivalence = on_ratio(1.0 - 2.0 * policy.alpha());
    let absolute = Effect {
        estimate: candidate.estimate - baseline.estimate,
        interval: linear.as_ref().ok().and_then(|c| finite(c.interval(policy.confidence))),
    };
    let deciding = log.clone().unwrap_or_else(|| linear.clone()).ok();
    let noise = pooled_cv(&sample_a, &sample_b).filter(|(cv, _)| positive && *cv > 0.0);
    let noise = noise.map(|(cv, df)| Noise {
        cv,
        df,
        detectable: detectable_change(cv, a.len(), b.len(), policy),
    });
    // For an order statistic there are levels at which no end touches zero: claim no more than the
    // resamples can show.
    let least_p = match policy.across {
        Across::Mean | Across::HodgesLehmann => 0.0,
        Across::Median | Across::Quantile(_) => 1.0 / (policy.resampling.count as f64 + 1.0),
    };
    Measured {
        p_value: deciding.as_ref().map(|curve| curve.p_value(0.0).max(least_p)),
        probability_larger: deciding.as_ref().map(|curve| curve.probability_above(0.0)),
        undefined: log.unwrap_or(linear).err(),
        break_even_cv: positive
            .then(|| break_even_cv(log_ratio, a.len(), b.len(), policy.confidence))
            .filter(|cv| cv.is_finite()),
        metric,
        baseline,
        candidate,
        relative,
        absolute,
        equivalence,
        noise,
    }
}

/// The interval if both ends are numbers.
fn finite(interval: Interval) -> Option<Interval> {
    Some(interval).filter(|i| i.low.is_finite() && i.high.is_finite())
}

/// Smallest relative change found with 80 % power, with the degrees of freedom of the interval: one where
/// a variant has two runs.
fn detectable_change(cv: f64, a: usize, b: usize, policy: &Policy) -> Option<f64> {
    if a.min(b) < 2 {
        return None;
    }
    let df = if a.min(b) == 2 { 1.0 } else { (a + b - 2) as f64 };
    Some(detectable_with(cv, (a, b), df, POWER, policy.alpha()).exp_m1()).filter(|x| x.is_finite())
}

/// The values are finite: readers refuse others. The finest printed digit is what they are known to,
/// since trailing zeros are often not printed.
fn sample(values: &[Value]) -> Sample {
    let resolution = values.iter().map(|value| value.resolution).fold(f64::INFINITY, f64::min);
    let numbers = values.iter().map(|value| value.value).collect();
    Sample::rounded(numbers, if resolution.is_finite() { resolution } else { 0.0 })
        .expect("readers give finite values")
}
