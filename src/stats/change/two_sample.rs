//! Two independent samples: the interval of the change, its p-value and its confidence distribution.
//!
//! A plain bootstrap of three runs is far too narrow: it covers 80 % at a nominal 95 %. Here its
//! quantiles keep their shape but are rescaled twice: to the standard error that small samples
//! need, and by the ratio of Student's t to the normal quantile at the same level. Interval, p-value
//! and probabilities are all read from the one curve, so that they cannot disagree.

use std::borrow::Cow;
use std::cell::OnceCell;
use std::ops::RangeInclusive;
use std::sync::Arc;

use crate::change::across::Across;
use crate::change::bca::acceleration;
use crate::change::bootstrap::{BootstrapDistribution, Resamples};
use crate::change::curve::{Curve, Curves, Shape};
use crate::change::rank::RankSums;
use crate::change::resample_distribution::ResampleDistribution;
use crate::change::standard_error::{of_means, of_moderated_means, of_resampled};
use crate::change::terms::{Method, Resampling, Scale, Undefined};
use crate::noise::empirical_bayes::Prior;
use crate::runs::sample::{Sample, unit_of};

/// Largest ratio of the numbers of runs for a tail quantile of few runs.
const NEARLY_EQUAL: f64 = 1.5;

/// Runs of each variant with which the wider one of the calibrated interval and Welch's counts: where a start draws one of two
/// speeds, the calibrated one alone calls 7.8 % of equal builds different with 8 + 8 runs. Below, nothing would change; beyond, it
/// would cost more than it gains.
const SEVERAL_MODES: RangeInclusive<usize> = 7..=12;

/// Factor on the runs that a quantile needs with unequal numbers of runs. The interval then covers 0.93; without it a
/// 90th percentile of 10 against 40 runs would cover 0.87.
const UNEQUAL_QUANTILE: usize = 3;

/// The change of `candidate` against `baseline`, independent runs of each; its curves share their resamples.
///
/// The estimate is `across` of each variant's runs, on `scale`. With at most 250,000 pairs of distinct resamples (6 +
/// 6 runs) all of them are enumerated and `how` is not used; beyond, `how` gives their number and the seed. From
/// 1,000 values a variant the distribution of the means is in closed form, if their standardised third, fourth and
/// fifth cumulants are at most 0.15, 0.05 and 0.02. That of quantiles always is. Neither depends on a seed. The
/// standard error is `s^2 / (n m^2)` summed over the variants (`s^2 / n` on the linear scale). Its degrees of freedom
/// are Welch and Satterthwaite's, or the smaller number of runs less one where a variant has 2. With different
/// numbers of runs, 3 or more each, the calibrated interval never takes the variant with fewer runs as quieter than
/// both together: three runs alone often miss a mode, a slow run or a tail that ten show. Its degrees of freedom grow
/// with the agreement of both noises. With 7 to 12 runs of each the wider one of it and Welch's counts, on both sides.
///
/// For a quantile over the runs the variance of a variant is its bootstrap variance times `n / (n - 1)`;
/// with [`Method::Calibrated`] the median of 5 or more runs each and any other quantile use the percentile
/// interval. Of few runs a
/// quantile lies nearer to the middle than that of many: where one variant has over half as many runs again as the
/// other, a quantile needs three times [`Across::runs_needed`] of each. [`Across::HODGES_LEHMANN`] has the interval of the rank sum test whatever the method: the delta
/// is the median of the deltas of all pairs of runs.
///
/// # Examples
///
/// ```
/// use beyondnoise_stats::{Across, Method, Resampling, Sample, Scale, TwoSample};
///
/// let before = Sample::new(vec![24.32, 24.11, 24.29]).unwrap();
/// let after = Sample::new(vec![24.52, 24.59, 24.74]).unwrap();
/// let change = TwoSample::new(&before, &after, Across::MEAN, Resampling::default());
/// let curve = change.curve(Scale::Log, Method::Calibrated).unwrap();
/// let ratio = curve.interval(0.95).map(f64::exp_m1);
/// assert!((ratio.low - 0.00525).abs() < 5e-6 && (ratio.high - 0.02593).abs() < 5e-6);
/// // What a plain bootstrap would give:
/// let plain = change.curve(Scale::Log, Method::Percentile).unwrap();
/// assert!(curve.interval(0.95).half_width() > 1.5 * plain.interval(0.95).half_width());
/// ```
///
/// # References
///
/// T. C. Hesterberg. What teachers should know about the bootstrap. *The American Statistician* 69,
/// 2015 (small-sample corrections); B. Efron, R. J. Tibshirani. *An Introduction to the Bootstrap*,
/// 1993 (percentile, `BCa`).
pub struct TwoSample<'a> {
    baseline: Cow<'a, Sample>,
    candidate: Cow<'a, Sample>,
    across: Across,
    how: Resampling,
    /// A power of two by which extreme values were divided, so that no square over- or underflows.
    unit: f64,
    /// Computed once a curve needs it: the resamples, and their distribution on either scale.
    resamples: OnceCell<Resamples>,
    log: OnceCell<Arc<BootstrapDistribution>>,
    linear: OnceCell<Arc<BootstrapDistribution>>,
}

impl<'a> TwoSample<'a> {
    /// Compares `across` of the runs of both.
    pub fn new(
        baseline: &'a Sample,
        candidate: &'a Sample,
        across: Across,
        how: Resampling,
    ) -> Self {
        let unit = unit_of([baseline, candidate]);
        let on_unit = |sample: &'a Sample| {
            unit.map_or(Cow::Borrowed(sample), |unit| Cow::Owned(sample.over(unit)))
        };
        Self {
            baseline: on_unit(baseline),
            candidate: on_unit(candidate),
            across,
            how,
            unit: unit.unwrap_or(1.0),
            resamples: OnceCell::new(),
            log: OnceCell::new(),
            linear: OnceCell::new(),
        }
    }

    /// The confidence curve of the change on a scale.
    ///
    /// # Errors
    ///
    /// [`Undefined`], naming what is missing.
    pub fn curve(&self, scale: Scale, method: Method) -> Result<Curve, Undefined> {
        self.curve_with(scale, method, None)
    }

    /// The curves of both scales: [`Scale::Log`], then [`Scale::Linear`].
    ///
    /// # Errors
    ///
    /// As [`Self::curve`], for each of the two.
    ///
    /// # Examples
    ///
    /// ```
    /// use beyondnoise_stats::{Across, Method, Resampling, Sample, TwoSample};
    ///
    /// let sample = |values: &[f64]| Sample::new(values.to_vec()).unwrap();
    /// let (before, after) = (sample(&[2.0, 4.0]), sample(&[3.0, 9.0]));
    /// let change = TwoSample::new(&before, &after, Across::MEAN, Resampling::default());
    /// let [log, linear] = change.curves(Method::Welch);
    /// assert!((log.unwrap().estimate().exp() - 2.0).abs() < 1e-12); // 6 against 3
    /// assert_eq!(linear.unwrap().estimate(), 3.0);
    /// ```
    pub fn curves(&self, method: Method) -> Curves {
        [Scale::Log, Scale::Linear].map(|scale| self.curve(scale, method))
    }

    /// The curves of the means with a noise prior, which is pooled with the runs' own variance, so one run each is
    /// enough for an interval.
    ///
    /// The shape of the interval is the resamples' as far as the degrees of freedom are the runs' own, and
    /// normal for the rest; with one or two runs it is Student's.
    ///
    /// # Errors
    ///
    /// As [`Self::curve`]; the linear curve exists only where the logarithmic one does, since the prior is on the
    /// logarithmic scale.
    ///
    /// # Examples
    ///
    /// ```
    /// use beyondnoise_stats::{Across, Method, Prior, Resampling, Sample, TwoSample, Variance};
    ///
    /// let one = |value| Sample::new(vec![value]).unwrap();
    /// let (before, after) = (one(100.0), one(105.0));
    /// let prior = Prior { variance: Variance { value: 1e-4, df: 10.0 }, pooled_df: 40.0 };
    /// let change = TwoSample::new(&before, &after, Across::MEAN, Resampling::default());
    /// let [log, _] = change.moderated(Method::Calibrated, &prior);
    /// let interval = log.unwrap().interval(0.95); // ln 1.05 and 2.228 * 0.01 * sqrt 2
    /// assert!((interval.low - 0.01728).abs() < 1e-5 && (interval.high - 0.08030).abs() < 1e-5);
    /// ```
    pub fn moderated(&self, method: Method, prior: &Prior) -> Curves {
        [Scale::Log, Scale::Linear].map(|scale| self.curve_with(scale, method, Some(prior)))
    }

    fn resamples(&self) -> &Resamples {
        let Self { baseline, candidate, across, how, .. } = self;
        self.resamples.get_or_init(|| Resamples::new(baseline, candidate, *across, *how))
    }

    fn distribution(&self, scale: Scale) -> Arc<BootstrapDistribution> {
        let distribution = match scale {
            Scale::Log => &self.log,
            Scale::Linear => &self.linear,
        };
        Arc::clone(distribution.get_or_init(|| Arc::new(self.resamples().distribution(scale))))
    }

    /// Refuses runs that are too few, too unequal in number or not positive.
    fn refused(&self, scale: Scale, prior: Option<&Prior>) -> Result<(), Undefined> {
        let (baseline, candidate, across) = (&*self.baseline, &*self.candidate, self.across);
        let fewest = baseline.runs().min(candidate.runs());
        if fewest < across.runs_needed() {
            return Err(Undefined::QuantileNeedsRuns(across.runs_needed()));
        }
        let most = baseline.runs().max(candidate.runs()) as f64;
        let needed = across.runs_needed().saturating_mul(UNEQUAL_QUANTILE);
        if across.is_tail() && fewest < needed && most > NEARLY_EQUAL * fewest as f64 {
            return Err(Undefined::QuantileOfUnequalRuns(needed));
        }
        if fewest < 2 && prior.is_none() {
            return Err(Undefined::TooFewRuns);
        }
        let positive = baseline.is_positive() && candidate.is_positive();
        if !positive && (scale == Scale::Log || prior.is_some()) {
            return Err(Undefined::NotPositive);
        }
        Ok(())
    }

    /// The curve of a method, with a prior of its noise or without.
    fn curve_with(
        &self,
        scale: Scale,
        method: Method,
        prior: Option<&Prior>,
    ) -> Result<Curve, Undefined> {
        let (baseline, candidate, across) = (&*self.baseline, &*self.candidate, self.across);
        self.refused(scale, prior)?;
        let fewest = baseline.runs().min(candidate.runs());
        let transform = scale.transform();
        let at = |sample: &Sample| transform(across.compute(sample.sorted()));
        let ranks = across.has_rank_interval().then(|| {
            let values =
                |sample: &Sample| ResampleDistribution::values(sample.sorted()).on(transform);
            BootstrapDistribution::between(values(baseline), values(candidate))
        });
        let estimate = match &ranks {
            Some(pairs) => RankSums::centre(pairs, baseline.runs(), candidate.runs()),
            None => at(candidate) - at(baseline),
        };
        let error = match prior {
            Some(prior) => of_moderated_means(baseline, candidate, scale, prior),
            None if across.is_centre() => of_means(baseline, candidate, across, scale, method),
            None => {
                let spreads = self.resamples().spreads(scale);
                of_resampled(baseline, candidate, across, scale, spreads)
            }
        };
        if error.value == 0.0 {
            return Err(Undefined::NoVariance);
        }
        if !(estimate.is_finite() && error.value.is_finite() && error.df.is_finite()) {
            return Err(Undefined::OutOfRange);
        }
        let distribution = || self.distribution(scale);
        let shape = match (ranks, method) {
            (Some(pairs), _) => {
                let sums = RankSums::new(baseline.runs(), candidate.runs());
                Shape::Ranks { distribution: Arc::new(pairs), sums }
            }
            (_, Method::Welch) => Shape::Student,
            // One run has no shape of its own, and two show as good as none.
            _ if fewest <= 2 && prior.is_some() => Shape::Student,
            (_, Method::Percentile) => Shape::Percentile { distribution: distribution() },
            (_, Method::Bca) => {
                let samples = [(baseline, -1.0), (candidate, 1.0)];
                let acceleration = acceleration(&samples, across, transform);
                Shape::bca(distribution(), estimate, acceleration)
            }
            (_, Method::Calibrated) if across.percentile_covers(fewest) => {
                Shape::Percentile { distribution: distribution() }
            }
            (_, Method::Calibrated) => Shape::calibrated(distribution(), error),
        };
        let unit = if scale == Scale::Log { 1.0 } else { self.unit };
        let curve = Curve::new(estimate, error, shape);
        let most = baseline.runs().max(candidate.runs());
        let modes = SEVERAL_MODES.contains(&fewest) && SEVERAL_MODES.contains(&most);
        let own = prior.is_none() && across == Across::MEAN;
        let curve = if modes && own && method == Method::Calibrated {
            curve.or_student(of_means(baseline, candidate, across, scale, Method::Welch))
        } else {
            curve
        };
        Ok(curve.times(unit))
    }
}
