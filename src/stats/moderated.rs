//! Borrowed noise: variances of few runs, steadied by those of other comparisons.

use crate::stats::variances::Variances;

/// A variance with the degrees of freedom behind it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Variance {
    /// Square of a standard deviation of logarithms, not negative.
    pub value: f64,
    /// Degrees of freedom, greater than 0.
    pub df: f64,
}

/// What is known of a variance before its own runs are looked at: a scaled inverse chi-square law.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Prior {
    /// The variance and how many degrees of freedom it counts for.
    pub variance: Variance,
    /// Degrees of freedom of all variances that were pooled for it; no estimate made with it has more.
    pub pooled_df: f64,
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
        Variances::new(others.to_vec()).prior(&[], &[], own)
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
