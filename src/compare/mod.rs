//! From runs to statistics: one row for each metric, independent of the others.

mod by_control;
mod control;
mod in_sessions;
mod measured;
mod special;

use std::collections::BTreeSet;

use rayon::prelude::*;

use crate::atlas::{Fitness, Published};
use crate::builds::sample;
use crate::metrics::{Metric, rank};
use crate::noise_prior::NoisePrior;
use crate::policy::{NoiseFrom, Policy};
use crate::runs::{LoadShape, Run, Sessions, Value, metric_names};
use crate::stats::{
    Across, Average, BySession, Curve, Curves, Method, PlannedTest, Sample, TwoSample, Undefined,
    Variance, break_even_cv, pooled_cv,
};

pub(crate) use control::{Control, ControlSource};
pub use in_sessions::{InSessionsRow, SessionChange};
pub(crate) use measured::POWER;
pub use measured::{ControlRow, SideRow};
pub(crate) use measured::{Effect, MORE_RUNS, Measured, MoreRuns, Noise, Pairing};
use measured::{finite, in_percent};
pub(crate) use special::mixes_averages;
use special::{averages, exact_count};

/// All metrics that both variants have, in the order of the registry or of the user.
///
/// Every metric is computed independently: adding one never changes another. `prior_for` returns the noise prior of a metric;
/// pairs and statistics other than the mean use none. Two runs each without a prior use the published noise of the atlas, if
/// they are like the benchmarks of the atlas.
pub(crate) fn measure(
    runs: &Pairing,
    policy: &Policy,
    prior_for: impl Fn(&str) -> Option<NoisePrior> + Sync,
) -> Vec<Measured> {
    let (baseline, candidate) = (runs.baseline, runs.candidate);
    let uses_prior = policy.across == Across::MEAN
        && matches!(policy.method, Method::Calibrated | Method::Welch)
        && runs.pairs.is_none()
        && runs.levels.is_none()
        && runs.sessions_of(policy).is_none();
    let published = published(runs, uses_prior, policy);
    let both = &metric_names(&baseline.runs) & &metric_names(&candidate.runs);
    let both: BTreeSet<String> = both.into_iter().map(str::to_owned).collect();
    let mut shared: Vec<String> = if policy.selected.is_empty() {
        both.into_iter().collect()
    } else {
        let wanted = policy.selected.iter().map(|selected| &selected.name);
        let guards = policy.guards.iter().filter(|name| policy.selected(name).is_none());
        let limited = policy.slo.iter().map(|slo| &slo.metric);
        let mut names: Vec<String> = Vec::new();
        for name in wanted.chain(guards).chain(limited).filter(|name| both.contains(*name)) {
            if !names.contains(name) {
                names.push(name.clone());
            }
        }
        names
    };
    if policy.selected.is_empty() {
        shared.sort_by_cached_key(|name| (rank(name), name.clone()));
    }
    let rows = shared.par_iter().filter_map(|name| {
        let metric = policy.metric(name);
        if let Some(pairs) = &runs.pairs {
            let both =
                |&(a, b): &(usize, usize)| runs.value(0, a, name).zip(runs.value(1, b, name));
            let (a, b): (Vec<Value>, Vec<Value>) = pairs.positions.iter().filter_map(both).unzip();
            let known = pairs.positions.iter().filter(|pair| both(pair).is_some());
            let of_pairs: (Vec<usize>, Vec<usize>) = known.copied().unzip();
            if let Some(row) = exact_count(&metric, (&a, &of_pairs.0), (&b, &of_pairs.1)) {
                return Some(row);
            }
            return (!a.is_empty())
                .then(|| one(metric, &a, &b, &of_pairs, &How::paired(runs), policy))
                .map(|row| relative_to_control(runs, row, (&a, &b), &of_pairs, policy));
        }
        let ((a, runs_a), (b, runs_b)) = (runs.values(0, name)?, runs.values(1, name)?);
        if let Some(row) = exact_count(&metric, (&a, &runs_a), (&b, &runs_b)) {
            return Some(row);
        }
        if let Some(sessions) = runs.sessions_of(policy) {
            let kept = in_sessions::of_both(sessions, [(&a, &runs_a), (&b, &runs_b)]);
            let side = |side: usize, of| match &kept[..] {
                // No session compares the variants.
                [] => in_sessions::all(of),
                kept => in_sessions::only(kept, &sessions.of[side], of),
            };
            let (a, runs_a) = side(0, (&a, &runs_a));
            let (b, runs_b) = side(1, (&b, &runs_b));
            let how = if kept.len() > 1 { How::Sessions(sessions) } else { How::Own };
            let positions = (runs_a, runs_b);
            let row = one(metric, &a, &b, &positions, &how, policy);
            return Some(relative_to_control(runs, row, (&a, &b), &positions, policy));
        }
        if let Some(both) = averages(runs, name, policy) {
            return Some(one(metric, &a, &b, &(runs_a, runs_b), &How::Averages(both), policy));
        }
        let prior = uses_prior.then(|| prior_for(name)).flatten();
        let how = match prior {
            Some(prior) if prior.refusal.is_none() => How::Moderated(prior),
            Some(_) => How::Own,
            None => published(name).map_or(How::Own, How::Published),
        };
        let positions = (runs_a, runs_b);
        let row = one(metric, &a, &b, &positions, &how, policy);
        let row = Measured { not_lent: prior.and_then(|prior| prior.refusal), ..row };
        Some(relative_to_control(runs, row, (&a, &b), &positions, policy))
    });
    rows.collect()
}

/// The row of a metric, or its row relative to the control if that has the narrower interval; the latter uses the noise of the
/// compared runs alone.
fn relative_to_control(
    runs: &Pairing,
    row: Measured,
    (a, b): (&[Value], &[Value]),
    positions: &(Vec<usize>, Vec<usize>),
    policy: &Policy,
) -> Measured {
    let adjusted = runs.control.as_ref().and_then(|control| {
        let positions = [&*positions.0, &*positions.1];
        Some((control, by_control::adjusted(control, runs, &row.metric.name, [a, b], positions)?))
    });
    let Some((control, [x, y])) = adjusted else { return row };
    let how = match runs.sessions_of(policy).filter(|_| row.in_sessions.is_some()) {
        Some(sessions) => How::Sessions(sessions),
        None if row.in_pairs => How::paired(runs),
        None => How::Own,
    };
    let relative = one(row.metric.clone(), &x, &y, positions, &how, policy);
    by_control::narrower(control, row, relative)
}

/// The published noise of a metric, for two runs each that may use it.
fn published(
    runs: &Pairing,
    uses_prior: bool,
    policy: &Policy,
) -> impl Fn(&str) -> Option<&'static Published> + Sync + use<> {
    let (baseline, candidate) = (runs.baseline, runs.candidate);
    let two = baseline.runs.len() == 2 && candidate.runs.len() == 2;
    let asked = uses_prior && two && policy.atlas && policy.noise != NoiseFrom::Own;
    let load = (asked && Fitness::of(baseline, candidate).is_fit()).then(|| {
        let variants: [&[Run]; 2] = [&baseline.runs, &candidate.runs];
        LoadShape::classify(&baseline.runs[0].workload, &variants, policy.thresholds.keeps_up)
    });
    move |name| Published::under(load?, name)
}

/// Whether the runs are no noisier than any series in the atlas.
fn covers(published: &Published, a: &Sample, b: &Sample) -> bool {
    let known = |(cv, _): (f64, usize)| cv <= published.noise.largest_cv();
    a.runs() == 2 && b.runs() == 2 && pooled_cv(a, b).is_some_and(known)
}

/// Basis of a metric's interval.
enum How<'a> {
    Own,
    Moderated(NoisePrior),
    /// Own noise, combined with the atlas.
    Published(&'static Published),
    /// Own noise, beside the row with a noise prior.
    Alone,
    /// Pairs; of blocks A B B A with [`Levels::same_order`](crate::runs::Levels::same_order).
    Paired(Option<f64>),
    /// Averages with the standard deviations of their runs.
    Averages([Average; 2]),
    /// Several sessions with runs of both variants.
    Sessions(&'a Sessions),
}

impl How<'_> {
    fn paired(runs: &Pairing) -> Self {
        Self::Paired(runs.levels.as_ref().and_then(|levels| levels.same_order))
    }
}

/// The row of a metric; with borrowed or published noise it holds the row without it.
fn one(
    metric: Metric,
    a: &[Value],
    b: &[Value],
    runs: &(Vec<usize>, Vec<usize>),
    how: &How,
    policy: &Policy,
) -> Measured {
    let (x, y) = (sample(a), sample(b));
    let (method, resampling) = (policy.method, policy.resampling);
    let row = |metric, curves, how| row(metric, (a, &x), (b, &y), curves, how, policy);
    let beside = |curves| Some(Box::new(row(metric.clone(), curves, &How::Alone)));
    let mut row = match how {
        How::Moderated(prior) if x.is_positive() && y.is_positive() => {
            let two = TwoSample::new(&x, &y, Across::MEAN, resampling);
            let [moderated, own] = [two.moderated(method, &prior.prior), two.curves(method)];
            Measured { own: beside(own), ..row(metric.clone(), moderated, how) }
        }
        How::Published(published) if covers(published, &x, &y) => {
            let two = TwoSample::new(&x, &y, Across::MEAN, resampling);
            let curves = published.noise.curves(&x, &y);
            Measured { own: beside(two.curves(method)), ..row(metric.clone(), curves, how) }
        }
        How::Published(_) => return one(metric, a, b, runs, &How::Own, policy),
        How::Paired(of_four) => {
            let numbers = |values: &[Value]| values.iter().map(|v| v.value).collect::<Vec<f64>>();
            let resolution = x.resolution().max(y.resolution());
            let (a, b) = (numbers(a), numbers(b));
            let pairs = (&a[..], &b[..], resolution);
            let curves = match of_four {
                Some(same_order) => {
                    Curve::of_blocks(pairs, *same_order, policy.across, method, resampling)
                }
                None => Curve::of_pairs(&a, &b, resolution, policy.across, method, resampling),
            };
            row(metric, curves, how)
        }
        How::Sessions(sessions) => {
            let resolution = x.resolution().max(y.resolution());
            let sides = [(a, &runs.0[..]), (b, &runs.1[..])];
            let (found, in_sessions) = in_sessions::change(sessions, sides, resolution);
            let BySession { curves, noise, .. } = found;
            let noise = noise.and_then(|noise| inside_session(noise, (&x, &y), &curves, policy));
            Measured { noise, in_sessions: Some(in_sessions), ..row(metric, curves, how) }
        }
        How::Averages([before, after]) => row(metric, Average::deltas(*before, *after), how),
        How::Own | How::Moderated(_) | How::Alone => {
            row(metric, TwoSample::new(&x, &y, policy.across, resampling).curves(method), how)
        }
    };
    (row.baseline.runs, row.candidate.runs) = runs.clone();
    row
}

fn row(
    metric: Metric,
    (a, sample_a): (&[Value], &Sample),
    (b, sample_b): (&[Value], &Sample),
    [log, linear]: Curves,
    how: &How,
    policy: &Policy,
) -> Measured {
    let [baseline, candidate] = sides((a, sample_a), (b, sample_b), how, policy);
    let positive = sample_a.is_positive() && sample_b.is_positive();
    let log = positive.then_some(log);
    // The tested change is the shown one: within pairs or sessions, or between pairs of runs, it is not that of the centres.
    let inside = matches!(how, How::Paired(_) | How::Sessions(_));
    let centres = !(inside || policy.across.has_rank_interval());
    let log_ratio = match &log {
        Some(Ok(curve)) if !centres => curve.estimate(),
        _ => (candidate.estimate / baseline.estimate).ln(),
    };
    let relative = Some(log_ratio.exp_m1()).filter(|change| positive && in_percent(*change));
    let absolute = match &linear {
        Ok(curve) if !centres => curve.estimate(),
        // The difference of two numbers may overflow.
        _ => (candidate.estimate - baseline.estimate).clamp(f64::MIN, f64::MAX),
    };
    let known = |curve: &Result<Curve, Undefined>| curve.as_ref().ok().cloned();
    let curves = Some([log.as_ref().and_then(known), known(&linear)]);
    let curve = log.unwrap_or(linear);
    let noise = noise(sample_a, sample_b, how, curve.as_ref().ok(), policy);
    let noise = noise.filter(|noise| positive && noise.cv > 0.0);
    // For an order statistic no interval touches zero at some levels: claim no more than the resamples can show.
    let ordered = policy.across.quantile_level().is_some();
    let least_p = if ordered { 1.0 / (policy.resampling.count as f64 + 1.0) } else { 0.0 };
    // Too few runs for a rank interval at this confidence.
    let endless = policy.across.has_rank_interval()
        && curve.as_ref().is_ok_and(|curve| finite(curve.interval(policy.confidence)).is_none());
    let endless =
        endless.then(|| Undefined::RanksNeedRuns(Across::runs_for_ranks(policy.confidence)));
    let (p_value, probability_larger) = curve.as_ref().ok().map(|curve| curve.tested(0.0)).unzip();
    let mut row = Measured {
        p_value: p_value.map(|p| p.max(least_p)),
        probability_larger,
        undefined: curve.err().or(endless),
        break_even_cv: positive
            .then(|| {
                break_even_cv(log_ratio, baseline.count(), candidate.count(), policy.confidence)
            })
            .filter(|cv| cv.is_finite()),
        metric,
        baseline,
        candidate,
        relative: relative.map(|estimate| Effect { estimate, interval: None }),
        absolute: Effect { estimate: absolute, interval: None },
        equivalence: None,
        noise,
        not_lent: None,
        exact: false,
        curves,
        in_pairs: matches!(how, How::Paired(_)),
        in_sessions: None,
        wider: Vec::new(),
        control: None,
        own: None,
    };
    let [of_ratio, of_difference] = row.intervals(policy.confidence);
    if let Some(relative) = &mut row.relative {
        relative.interval = of_ratio;
    }
    row.absolute.interval = of_difference;
    // At a confidence of one half or less, equality cannot be shown.
    let both_sides =
        Some(1.0 - 2.0 * policy.equality_alpha()).filter(|confidence| *confidence > 0.0);
    row.equivalence = both_sides.and_then(|confidence| row.intervals(confidence)[0]);
    row
}

/// Both variants' runs and centres.
fn sides(
    (a, sample_a): (&[Value], &Sample),
    (b, sample_b): (&[Value], &Sample),
    how: &How,
    policy: &Policy,
) -> [SideRow; 2] {
    let side = |values: &[Value], sample: &Sample| SideRow {
        n: values.len(),
        values: values.iter().map(|value| value.value).collect(),
        runs: Vec::new(),
        resolution: sample.resolution(),
        estimate: policy.across.compute(sample.sorted()),
        cv: sample.cv(),
        averaged: None,
    };
    let mut sides = [side(a, sample_a), side(b, sample_b)];
    if let How::Averages(both) = how {
        for (side, average) in sides.iter_mut().zip(both) {
            side.cv = Some(average.cv()).filter(|cv| cv.is_finite());
            side.averaged = Some(average.runs);
        }
    }
    sides
}

/// The noise of a run inside its session; `None` without ratios.
fn inside_session(
    noise: Variance,
    (a, b): (&Sample, &Sample),
    [log, _]: &Curves,
    policy: &Policy,
) -> Option<Noise> {
    let interval_df = log.as_ref().ok()?.degrees_of_freedom();
    let noise = Noise {
        cv: noise.value.sqrt(),
        df: noise.df,
        interval_df,
        borrowed: None,
        detectable: None,
        of_averages: false,
        paired: false,
        published: None,
    };
    let detectable = noise.detectable_by((a.runs(), b.runs()), policy.alpha());
    Some(Noise { detectable, ..noise })
}

/// Run-to-run noise of a metric, with the change that it allows to detect.
fn noise(
    a: &Sample,
    b: &Sample,
    how: &How,
    curve: Option<&Curve>,
    policy: &Policy,
) -> Option<Noise> {
    let mut runs = (a.runs(), b.runs());
    let own = pooled_cv(a, b).map(|(cv, df)| (cv, df as f64));
    let (cv, df, borrowed) = match how {
        How::Alone | How::Sessions(_) => return None,
        How::Own => own.map(|(cv, df)| (cv, df, None))?,
        How::Moderated(prior) => {
            let own = own.map(|(cv, df)| Variance { value: cv * cv, df });
            let all = prior.prior.moderate(own);
            (all.value.sqrt(), all.df, Some(*prior))
        }
        How::Published(published) => {
            let (cv, df) = own?;
            let all = published.noise.given(Variance { value: cv * cv, df }).as_variance();
            (all.value.sqrt(), all.df, None)
        }
        // The noise of a run that remains once its pair is known.
        How::Paired(_) => {
            let curve = curve?;
            let of_a_run = curve.standard_error() * (runs.0 as f64 / 2.0).sqrt();
            (of_a_run, curve.degrees_of_freedom(), None)
        }
        How::Averages(both) => {
            runs = (both[0].runs, both[1].runs);
            let dfs = both.map(|average| average.runs as f64 - 1.0);
            let squares: f64 =
                both.iter().zip(dfs).map(|(average, df)| average.cv().powi(2) * df).sum();
            ((squares / (dfs[0] + dfs[1])).sqrt(), dfs[0] + dfs[1], None)
        }
    };
    let of_averages = matches!(how, How::Averages(_));
    let interval_df = if of_averages {
        curve.map_or(df, Curve::degrees_of_freedom)
    } else if matches!(how, How::Own) {
        PlannedTest::df(runs, 0.0)
    } else {
        df
    };
    let paired = matches!(how, How::Paired(_));
    let published = match how {
        How::Published(published) => Some(*published),
        _ => None,
    };
    let noise =
        Noise { cv, df, interval_df, borrowed, detectable: None, of_averages, paired, published };
    Some(Noise { detectable: noise.detectable_by(runs, policy.alpha()), ..noise })
}
