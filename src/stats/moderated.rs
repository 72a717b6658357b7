//! Borrowed noise: variances of few runs, steadied by those of other comparisons.

use statrs::function::gamma::digamma;

use crate::stats::bisection::smallest;

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

/// Variances from which on the spread between them can be told.
const FEWEST: usize = 3;

/// Degrees of freedom that fewer variances count for at most: how much noise differs from one comparison
/// to the next is then not known, and in practice it does.
const UNKNOWN_SPREAD_DF: f64 = 4.0;

/// Share of the degrees of freedom of the others that a prior counts for at most: with few variances the
/// fitted number is too large.
const CAP: f64 = 0.5;

/// Smallest variance that is taken as one, as a share of the median: equal values have no logarithm.
const FLOOR: f64 = 1e-5;

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
        let others_df: f64 = others.iter().map(|variance| variance.df).sum();
        let pooled_df = others_df + own.map_or(0.0, |variance| variance.df);
        let mut all: Vec<Variance> = others.iter().copied().chain(own).collect();
        // The order in which they come must not change a digit.
        all.sort_by(|a, b| a.value.total_cmp(&b.value).then(a.df.total_cmp(&b.df)));
        let variance = if all.len() < FEWEST {
            let sum: f64 = others.iter().map(|v| v.value * v.df).sum();
            let df = (CAP * others_df).min(UNKNOWN_SPREAD_DF);
            Variance { value: sum / others_df, df }
        } else {
            let fitted = by_moments(&all)?;
            Variance { df: fitted.df.min(CAP * others_df), ..fitted }
        };
        let sound = variance.df > 0.0 && variance.value > 0.0 && variance.value.is_finite();
        sound.then_some(Self { variance, pooled_df })
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

/// Scaled inverse chi-square law whose logarithm has the mean and the variance of the logarithms seen.
fn by_moments(all: &[Variance]) -> Option<Variance> {
    let mut sorted: Vec<f64> = all.iter().map(|variance| variance.value).collect();
    sorted.sort_by(f64::total_cmp);
    let floor = FLOOR * sorted[sorted.len() / 2];
    if floor <= 0.0 {
        return None;
    }
    let n = all.len() as f64;
    let logs: Vec<f64> = all
        .iter()
        .map(|v| v.value.max(floor).ln() - digamma(v.df / 2.0) + (v.df / 2.0).ln())
        .collect();
    let mean = logs.iter().sum::<f64>() / n;
    let scatter = logs.iter().map(|log| (log - mean).powi(2)).sum::<f64>() / (n - 1.0);
    let by_chance = all.iter().map(|v| trigamma(v.df / 2.0)).sum::<f64>() / n;
    let beyond = scatter - by_chance;
    if beyond <= 0.0 {
        // No more scatter than chance gives: one variance for all, and pooled is its best estimate.
        let (sum, df) =
            all.iter().fold((0.0, 0.0), |(sum, df), v| (sum + v.value * v.df, df + v.df));
        return Some(Variance { value: sum / df, df: f64::INFINITY });
    }
    let half = trigamma_inverse(beyond);
    Some(Variance { value: (mean + digamma(half) - half.ln()).exp(), df: 2.0 * half })
}

/// Second derivative of the logarithm of the gamma function at `x` > 0.
fn trigamma(x: f64) -> f64 {
    // Upwards by the recurrence until the asymptotic series holds to the last digit.
    let (mut x, mut sum) = (x, 0.0);
    while x < 15.0 {
        sum += 1.0 / (x * x);
        x += 1.0;
    }
    let s = 1.0 / (x * x);
    let series = 1.0 / 6.0
        - s * (1.0 / 30.0
            - s * (1.0 / 42.0 - s * (1.0 / 30.0 - s * (5.0 / 66.0 - s * 691.0 / 2730.0))));
    sum + 1.0 / x + s / 2.0 + s / x * series
}

/// The `x` at which [`trigamma`], which falls, is `y` > 0.
fn trigamma_inverse(y: f64) -> f64 {
    smallest(1e-8, 1e12, |x| trigamma(x) <= y)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `scipy.special.polygamma(1, x)`, scipy 1.16.
    #[test]
    fn trigamma_has_all_digits() {
        let table = [
            (0.5, 4.934_802_200_544_679),
            (1.0, 1.644_934_066_848_226_4),
            (2.5, 0.490_357_756_100_234_9),
            (30.0, 0.033_895_060_357_739_946),
        ];
        for (x, expected) in table {
            assert!((trigamma(x) / expected - 1.0).abs() < 1e-13, "{x}: {}", trigamma(x));
            assert!((trigamma_inverse(expected) / x - 1.0).abs() < 1e-12, "{x}");
        }
    }

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
