//! Borrowed noise: variances of few runs, steadied by those of other comparisons.

use statrs::distribution::{ContinuousCDF, FisherSnedecor};

use crate::stats::variance_pool::VariancePool;

/// Largest spread of the true variances (squared CV) at which a prior is used: the estimate plus two standard errors.
const MAX_SPREAD: f64 = 0.7;

/// Share of the degrees of freedom of the others that a prior counts for at most: with few variances the
/// fitted number is too large.
pub(super) const CAP: f64 = 0.5;

/// Standard errors of the spread that are added to it.
const CAUTION: f64 = 2.0;

/// The prior's variance is raised above the mean of all by this multiple of the spread.
const ABOVE_MEAN: f64 = 2.0;

/// Smallest p-value of the F test of a variance that is like the others, in either direction.
const MIN_P: f64 = 0.02;

/// Allowance for few degrees of freedom, at which noise that is two or three times as large often looks like that of
/// the others. Divided by them: the share by which the own variance may be larger than it looks. Divided by their
/// square: the smallest p-value upwards.
const HIDDEN: f64 = 1.2;

/// Largest such p-value, so that a single degree of freedom can use a prior too.
const MAX_P: f64 = 0.6;

/// A variance with the degrees of freedom behind it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Variance {
    /// Square of a standard deviation of logarithms, not negative.
    pub value: f64,
    /// Degrees of freedom, greater than 0.
    pub df: f64,
}

/// Prior of a variance: a scaled inverse chi-square distribution.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Prior {
    /// The variance and how many degrees of freedom it counts for.
    pub variance: Variance,
    /// Degrees of freedom of all variances that were pooled for it; no estimate made with it has more.
    pub pooled_df: f64,
}

/// Source of a noise prior.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PriorSource {
    /// The other comparisons of a job, measured side by side.
    Job,
    /// Earlier runs, perhaps of another workload: used only as far as the runs themselves agree.
    Earlier,
}

impl PriorSource {
    /// Smallest p-value of the F test of an own variance of `df` degrees of freedom at which the prior is used.
    fn least_p(self, df: f64) -> f64 {
        let of_job = (HIDDEN / (df * df)).clamp(MIN_P, MAX_P);
        match self {
            Self::Job => of_job,
            Self::Earlier => of_job.max(0.3),
        }
    }
}

/// Reason why a noise prior is not used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum PriorRefusal {
    /// There are too few variances, or all are zero.
    TooFew,
    /// The variances differ too much from one place to the next, or are too few to show that they do not.
    Elsewhere,
    /// The runs' own variance is beyond what the others would let expect.
    Own,
}

/// How much variances differ from one another.
#[derive(Clone, Copy, Debug)]
pub(super) struct VarianceSpread {
    /// Their mean, weighted by degrees of freedom.
    pub(super) mean: f64,
    /// Degrees of freedom of all.
    pub(super) df: f64,
    /// Square of the CV of the true variances, as estimated: below 0 where they differ less than chance makes them.
    pub(super) spread: f64,
    /// Its standard error where all true variances are equal.
    pub(super) error: f64,
}

impl Prior {
    /// Fits the prior to `others` and, where it has one, the comparison's `own` variance.
    ///
    /// The moments of the logarithms of the variances give the degrees of freedom and the variance of the
    /// prior. The former are capped at half of those of `others`; with fewer than three variances in all
    /// they are at most 4, and the variance is that of `others` pooled. `None` if there are no others, or
    /// all are zero.
    ///
    /// # Examples
    ///
    /// ```
    /// use beyondnoise::stats::{Prior, Variance};
    ///
    /// let others = [1.0, 2.0, 1.5, 0.8].map(|value| Variance { value, df: 4.0 });
    /// let prior = Prior::fit(&others, None).unwrap();
    /// assert_eq!(prior.variance.df, 8.0); // they differ by no more than chance: the cap
    /// ```
    ///
    /// # References
    ///
    /// G. K. Smyth. Linear models and empirical Bayes methods for assessing differential expression in
    /// microarray experiments. *Stat. Appl. Genet. Mol. Biol.* 3, 2004.
    pub fn fit(others: &[Variance], own: Option<Variance>) -> Option<Self> {
        VariancePool::new(others.to_vec()).prior(&[], &[], own)
    }

    /// The prior of [`Prior::fit`], guarded so that the rate of false alarms holds in each comparison and not only on
    /// average.
    ///
    /// A prior is the usual noise. Where noise differs from place to place, the noisiest place would be called
    /// different too often. So the prior is used only if two conditions hold. First, noise is shown to be
    /// homogeneous: the squared CV of the true variances, from the moments of those seen, plus two of its standard
    /// errors is at most 0.7. Second, the `own` variance, of d degrees of freedom, does not exceed the others' (F
    /// test, p at least 1.2 / d^2 within 0.02 and 0.6, and 0.3 for earlier runs, which may be of another workload).
    /// The variance is then at least the mean variance times one plus twice that square. It counts for the degrees of
    /// freedom of the distribution with the largest spread allowed for, capped as there, if these are more. No
    /// comparison gets less than 1 + 1.2 / d times its own variance, nor less than the others' where its own is below
    /// these (F test, 0.02): its runs may have met only one of two modes. With fewer than three variances in all only
    /// the own one is tested.
    ///
    /// That keeps the false alarms of a comparison whose noise is two or three times that of all others, which two or
    /// three runs often do not show. It has its price where noise is alike: with two runs each no rule that holds 7 %
    /// for every such comparison sees a change of 5 % under 2 % noise in more than 44 % of cases, and with three in
    /// more than 73 %, even if the noise of the others were known exactly.
    ///
    /// # Errors
    ///
    /// [`PriorRefusal`], the reason.
    ///
    /// # Examples
    ///
    /// ```
    /// use beyondnoise::stats::{PriorSource, Prior, PriorRefusal, Variance};
    ///
    /// let variance = |value| Variance { value, df: 4.0 };
    /// let alike = [1.0, 2.0, 1.5, 0.8, 1.2, 0.9, 1.1, 1.3].map(variance);
    /// assert!(Prior::guarded(&alike, Some(variance(1.0)), PriorSource::Job).is_ok());
    /// assert_eq!(Prior::guarded(&alike, Some(variance(9.0)), PriorSource::Job), Err(PriorRefusal::Own));
    /// let unlike = [1.0, 6.0].map(variance);
    /// assert_eq!(Prior::guarded(&unlike, Some(variance(1.0)), PriorSource::Job), Err(PriorRefusal::Elsewhere));
    /// ```
    pub fn guarded(
        others: &[Variance],
        own: Option<Variance>,
        source: PriorSource,
    ) -> Result<Self, PriorRefusal> {
        VariancePool::new(others.to_vec()).guarded(&[], &[], own, source)
    }

    /// [`Prior::guarded`] of this prior; `all` are the others and the own variance, where they are three or more.
    pub(super) fn limited(
        self,
        (others, all): (VarianceSpread, Option<VarianceSpread>),
        own: Option<Variance>,
        source: PriorSource,
    ) -> Result<Self, PriorRefusal> {
        let mut quiet = false;
        if let Some(own) = own {
            let distribution =
                FisherSnedecor::new(own.df, others.df).map_err(|_| PriorRefusal::TooFew)?;
            let ratio = own.value / others.mean;
            if distribution.sf(ratio) < source.least_p(own.df) {
                return Err(PriorRefusal::Own);
            }
            quiet = distribution.cdf(ratio) < MIN_P;
        }
        let Variance { mut value, mut df } = self.variance;
        if let Some(VarianceSpread { mean, spread, error, .. }) = all {
            let most = spread + CAUTION * error;
            if most.is_nan() || most > MAX_SPREAD {
                return Err(PriorRefusal::Elsewhere);
            }
            value = value.max(mean * (1.0 + ABOVE_MEAN * spread.max(0.0)));
            // The logarithms of variances that are nearly zero, of runs in one of two modes, scatter without end. An
            // inverse chi-square distribution of so many degrees of freedom has this spread.
            let by_spread = if most > 0.0 { 4.0 + 2.0 / most } else { f64::INFINITY };
            df = df.max(by_spread.min(CAP * others.df));
        }
        if let Some(own) = own {
            // The pooled variance covers the own one and what few runs may hide of it. If these runs vary so much
            // less that they may have met only one of two modes, it covers the others' variance.
            let known = own.value * (1.0 + HIDDEN / own.df);
            let least = if quiet { value } else { known };
            value = value.max(((df + own.df) * least - own.df * own.value) / df);
        }
        Ok(Self { variance: Variance { value, df }, ..self })
    }

    /// The variance of a comparison: its `own` and the prior's, each weighted by its degrees of freedom.
    ///
    /// # Examples
    ///
    /// ```
    /// use beyondnoise::stats::{Prior, Variance};
    ///
    /// let prior = Prior { variance: Variance { value: 4.0, df: 6.0 }, pooled_df: 40.0 };
    /// let moderated = prior.moderate(Some(Variance { value: 1.0, df: 2.0 }));
    /// assert_eq!(moderated, Variance { value: 3.25, df: 8.0 });
    /// assert_eq!(prior.moderate(None), prior.variance);
    /// ```
    pub fn moderate(&self, own: Option<Variance>) -> Variance {
        let Some(own) = own else { return self.variance };
        let df = self.variance.df + own.df;
        let value = (self.variance.value * self.variance.df + own.value * own.df) / df;
        Variance { value, df: df.min(self.pooled_df) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_variances_count_for_little() {
        let series = Variance { value: 1e-4, df: 19.0 };
        assert_eq!(Prior::fit(&[series], None).unwrap().variance, Variance { df: 4.0, ..series });
        assert_eq!(Prior::fit(&[], Some(series)), None);
        let short = Variance { value: 1e-4, df: 2.0 };
        assert_eq!(Prior::fit(&[short], None).unwrap().variance, Variance { df: 1.0, ..short });
    }

    #[test]
    fn equal_runs_elsewhere_give_no_prior() {
        let still = Variance { value: 0.0, df: 4.0 };
        assert_eq!(Prior::fit(&[still; 5], None), None);
        assert_eq!(Prior::fit(&[still], None), None);
    }
}
