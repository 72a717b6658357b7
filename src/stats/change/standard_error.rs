//! The standard error of a delta, and the degrees of freedom that it is known to.

use crate::change::across::Across;
use crate::change::terms::{Method, Scale};
use crate::noise::between_runs::pooled_cv;
use crate::noise::empirical_bayes::{Prior, Variance};
use crate::runs::sample::Sample;

#[derive(Clone, Copy, Debug)]
pub(crate) struct StandardError {
    pub(crate) value: f64,
    /// Degrees of freedom.
    pub(crate) df: f64,
    /// Share of them that the runs themselves gave, in [0, 1].
    pub(crate) own: f64,
}

/// Standard error of one variant, and its degrees of freedom.
#[derive(Clone, Copy)]
struct VariantError {
    error: f64,
    df: f64,
}

/// Standard error of the difference of two means, or of two centres, on the scale, from the runs alone; zero where
/// they do not differ.
pub(crate) fn of_means(
    baseline: &Sample,
    candidate: &Sample,
    across: Across,
    scale: Scale,
    method: Method,
) -> StandardError {
    let fewest = baseline.runs().min(candidate.runs());
    let part = |sample: &Sample| {
        let n = sample.runs() as f64;
        let error = sample.standard_deviation().map_or(0.0, |s| s / n.sqrt());
        VariantError { error: on_scale(error, sample, across, scale), df: n - 1.0 }
    };
    let (mut a, mut b) = (part(baseline), part(candidate));
    if method == Method::Calibrated && across == Across::MEAN && fewest > 2 {
        if baseline.runs() < candidate.runs() {
            a = pool_if_quieter(a, baseline.runs(), b, candidate.runs());
        } else if candidate.runs() < baseline.runs() {
            b = pool_if_quieter(b, candidate.runs(), a, baseline.runs());
        }
    }
    of_both(a, b, fewest)
}

/// Standard error of the difference of two statistics on the scale, from the standard deviations of the resampled ones;
/// at least what the printed digits leave.
pub(crate) fn of_resampled(
    baseline: &Sample,
    candidate: &Sample,
    across: Across,
    scale: Scale,
    resampled: [f64; 2],
) -> StandardError {
    let part = |sample: &Sample, spread: f64| {
        let n = sample.runs() as f64;
        let least = on_scale(sample.resolution() / n.sqrt(), sample, across, scale);
        VariantError { error: (spread * (n / (n - 1.0)).sqrt()).max(least), df: n - 1.0 }
    };
    let [a, b] = resampled;
    let fewest = baseline.runs().min(candidate.runs());
    of_both(part(baseline, a), part(candidate, b), fewest)
}

fn on_scale(error: f64, sample: &Sample, across: Across, scale: Scale) -> f64 {
    match scale {
        Scale::Log => error / across.compute(sample.sorted()),
        Scale::Linear => error,
    }
}

fn of_both(a: VariantError, b: VariantError, fewest: usize) -> StandardError {
    let value = a.error.hypot(b.error);
    // Welch and Satterthwaite's.
    let share = |part: VariantError| (part.error / value).powi(4) / part.df;
    let df = if fewest == 2 { 1.0 } else { 1.0 / (share(a) + share(b)) };
    StandardError { value, df, own: 1.0 }
}

/// The part of the variant with fewer runs, never quieter than both variants together.
///
/// Three runs often show one mode only, no slow run, no long tail; the many runs of the other variant show them.
/// Where the few are the noisier ones, their own variance stays.
fn pool_if_quieter(
    few: VariantError,
    few_runs: usize,
    many: VariantError,
    many_runs: usize,
) -> VariantError {
    let df = few.df + many.df;
    // Standard error of the few runs by the noise of each variant.
    let others = many.error * (many_runs as f64 / few_runs as f64).sqrt();
    let pooled = ((few.df * few.error.powi(2) + many.df * others.powi(2)) / df).sqrt();
    if few.error < pooled {
        VariantError { error: pooled, df }
    } else {
        // The further they differ, the less weight the many have.
        VariantError { df: few.df + many.df * (pooled / few.error).powi(2), ..few }
    }
}

/// Standard error of the means on the scale with a noise prior: the prior's variance and the own one, pooled over
/// both variants, or each variant's where their numbers of runs differ.
pub(crate) fn of_moderated_means(
    baseline: &Sample,
    candidate: &Sample,
    scale: Scale,
    prior: &Prior,
) -> StandardError {
    let unit = |sample: &Sample| match scale {
        Scale::Log => 1.0,
        Scale::Linear => sample.mean(),
    };
    if baseline.runs() != candidate.runs() {
        // Each variant's own noise: with different numbers of runs neither may replace the other.
        let part = |sample: &Sample| {
            let df = (sample.runs() - 1) as f64;
            let own = sample.log_sd().map(|sd| Variance { value: sd * sd, df });
            let Variance { value, df } = prior.moderate(own);
            VariantError { error: unit(sample) * (value / sample.runs() as f64).sqrt(), df }
        };
        let (a, b) = (part(baseline), part(candidate));
        let value = a.error.hypot(b.error);
        let share = |part: VariantError| (part.error / value).powi(4) / part.df;
        let own = (baseline.runs() + candidate.runs() - 2) as f64;
        let all = prior.variance.df + own;
        let df = (1.0 / (share(a) + share(b))).min(all).min(prior.pooled_df);
        return StandardError { value, df, own: own / all };
    }
    let own =
        pooled_cv(baseline, candidate).map(|(cv, df)| Variance { value: cv * cv, df: df as f64 });
    let variance = prior.moderate(own);
    let part = |sample: &Sample| unit(sample) * (variance.value / sample.runs() as f64).sqrt();
    StandardError {
        value: part(baseline).hypot(part(candidate)),
        df: variance.df,
        own: own.map_or(0.0, |own| own.df / (own.df + prior.variance.df)),
    }
}
