//! A noise prior fitted to the variances of other comparisons.

use crate::noise::empirical_bayes::{Prior, PriorRefusal, PriorSource, Variance};
use crate::noise::variance_pool::VariancePool;

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
    /// use beyondnoise_stats::{Prior, Variance};
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

    /// The prior of [`Prior::fit`], used only if the rate of false alarms then holds in each comparison, not only on
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
    /// use beyondnoise_stats::{PriorSource, Prior, PriorRefusal, Variance};
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
