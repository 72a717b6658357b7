//! How the requests of a comparison are distributed: quantiles of every run, and the change of each over the runs.

use crate::analysis::assess::Assessed;
use crate::policy::Policy;
use crate::report::{QuantileChange, QuantilesRow, RequestsRow, Row};
use crate::runs::{QUANTILE_LEVELS, Variant};
use crate::stats::{Across, Curve, Curves, Sample, TwoSample};

/// Levels at which the change is measured; runs keep all of them.
const CHANGES: [f64; 10] = [0.01, 0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99, 0.999];

/// Fewest requests of a run beyond a quantile on either side; with fewer it is one of the extremes.
const LEAST_BEYOND: f64 = 10.0;

/// Fewest runs of each variant for a band.
const LEAST_RUNS: usize = 2;

/// Adds the distribution of requests to the deciding rows, once for each latency.
pub(super) fn add(rows: &mut [Row], assessed: &Assessed, policy: &Policy) {
    if assessed.runs.levels.is_some() {
        return;
    }
    let mut done: Vec<String> = Vec::new();
    for row in rows.iter_mut().filter(|row| row.deciding) {
        let stem = row.metric.strip_suffix("_ms").and_then(|name| name.rsplit_once('_'));
        let Some((_, stem)) = stem.filter(|(_, stem)| !done.iter().any(|known| known == stem))
        else {
            continue;
        };
        row.requests = of(stem, assessed, policy).map(Box::new);
        if row.requests.is_some() {
            done.push(stem.to_owned());
        }
    }
}

/// The quantiles of a latency; `None` unless every run has them.
fn of(stem: &str, assessed: &Assessed, policy: &Policy) -> Option<RequestsRow> {
    let both = [assessed.runs.baseline, assessed.runs.candidate];
    let runs: [Vec<&[f64]>; 2] = [of_runs(both[0], stem)?, of_runs(both[1], stem)?];
    let fewest = both.iter().flat_map(|variant| &variant.runs);
    let fewest = fewest.filter_map(|run| run.requests.as_ref()?.counts.get(stem)).min()?;
    let known = |level: f64| *fewest as f64 * level.min(1.0 - level) >= LEAST_BEYOND;
    let at: Vec<usize> =
        (0..QUANTILE_LEVELS.len()).filter(|at| known(QUANTILE_LEVELS[*at])).collect();
    let values =
        |side: usize, at: usize| -> Vec<f64> { runs[side].iter().map(|run| run[at]).collect() };
    let side = |side: usize| {
        let at = || at.iter().map(|at| values(side, *at));
        let ends = |values: &[f64]| {
            let least = values.iter().copied().fold(f64::INFINITY, f64::min);
            [least, values.iter().copied().fold(f64::NEG_INFINITY, f64::max)]
        };
        let estimate = |mut values: Vec<f64>| {
            values.sort_unstable_by(f64::total_cmp);
            policy.across.compute(&values)
        };
        QuantilesRow {
            estimates: at().map(estimate).collect(),
            range: at().map(|values| ends(&values)).collect(),
        }
    };
    let change = |&at: &usize| {
        let level = QUANTILE_LEVELS[at];
        let wanted = CHANGES.iter().any(|known| known.to_bits() == level.to_bits());
        wanted.then(|| change(level, &values(0, at), &values(1, at), assessed, policy)).flatten()
    };
    let changes: Vec<QuantileChange> = at.iter().filter_map(change).collect();
    let levels: Vec<f64> = at.iter().map(|at| QUANTILE_LEVELS[*at]).collect();
    (levels.len() > 2).then(|| RequestsRow { sides: [side(0), side(1)], levels, changes })
}

/// The quantiles of every run; `None` if a run has none, or there are too few runs.
fn of_runs<'a>(variant: &'a Variant, stem: &str) -> Option<Vec<&'a [f64]>> {
    let of =
        |run: &'a crate::runs::Run| run.requests.as_ref()?.quantiles.get(stem).map(Vec::as_slice);
    let all: Option<Vec<&[f64]>> = variant.runs.iter().map(of).collect();
    all.filter(|runs| runs.len() >= LEAST_RUNS)
}

/// The change of a quantile by the report's method, with its own noise alone; `None` without a ratio.
fn change(
    level: f64,
    a: &[f64],
    b: &[f64],
    assessed: &Assessed,
    policy: &Policy,
) -> Option<QuantileChange> {
    let (method, resampling) = (policy.method, policy.resampling);
    let [log, _]: Curves = if let Some(pairs) = &assessed.runs.pairs {
        let both = pairs.positions.iter().map(|&(x, y)| Some((*a.get(x)?, *b.get(y)?)));
        let (a, b): (Vec<f64>, Vec<f64>) = both.collect::<Option<Vec<_>>>()?.into_iter().unzip();
        Curve::of_pairs(&a, &b, 0.0, policy.across, method, resampling)
    } else {
        let sample = |values: &[f64]| Sample::new(values.to_vec()).ok();
        let (x, y) = (sample(a)?, sample(b)?);
        if !(x.is_positive() && y.is_positive()) {
            return None;
        }
        TwoSample::new(&x, &y, policy.across, resampling).curves(method)
    };
    let log = log.ok()?;
    let interval = log.interval(policy.confidence).map(f64::exp_m1);
    let centre = |values: &[f64]| {
        let mut sorted = values.to_vec();
        sorted.sort_unstable_by(f64::total_cmp);
        policy.across.compute(&sorted)
    };
    let own = assessed.runs.pairs.is_some() || policy.across != Across::MEAN;
    let relative = if own { log.estimate().exp_m1() } else { centre(b) / centre(a) - 1.0 };
    let finite = [relative, interval.low, interval.high].iter().all(|value| value.is_finite());
    finite.then_some(QuantileChange { level, relative, relative_ci: [interval.low, interval.high] })
}
