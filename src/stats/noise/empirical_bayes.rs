//! Borrowed noise: variances of few runs, steadied by those of other comparisons.

use statrs::distribution::{ContinuousCDF, FisherSnedecor};

/// Largest spread of the true variances (squared CV) at which a prior is used: the estimate plus two standard errors.
const MAX_SPREAD: f64 = 0.7;

/// Share of the degrees of freedom of the others that a prior counts for at most: with few variances the
/// fitted number is too large.
pub(crate) const CAP: f64 = 0.5;

/// Standard errors of the spread that are added to it.
const CAUTION: f64 = 2.0;

/// The prior's variance is raised above the mean of all by this multiple of the spread.
const ABOVE_MEAN: f64 = 2.0;

/// Smallest p-value of the F test of a variance that is like the others, in either direction.
const MIN_P: f64 = 0.02;

/// Allowance for few degrees of freedom: noise two or three times as large as that of the others often looks the same.
/// Divided by the degrees of freedom, it is the share by which the own variance may be larger than estimated. Divided
/// by their square, it is the smallest p-value upwards.
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
pub(crate) struct VarianceSpread {
    /// Their mean, weighted by degrees of freedom.
    pub(crate) mean: f64,
    /// Degrees of freedom of all.
    pub(crate) df: f64,
    /// Square of the CV of the true variances, as estimated: below 0 where they differ less than chance makes them.
    pub(crate) spread: f64,
    /// Its standard error where all true variances are equal.
    pub(crate) error: f64,
}

impl Prior {
    /// [`Prior::guarded`] of this prior; `all` are the others and the own variance, where they are three or more.
    pub(crate) fn limited(
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
    /// use beyondnoise_stats::{Prior, Variance};
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
