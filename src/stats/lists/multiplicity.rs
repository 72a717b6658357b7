//! Adjusted p-values, and levels of the intervals that agree with them, when several metrics are judged at once.

/// How the p-values of a list are adjusted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Adjustment {
    /// Holm's step-down adjustment: the chance of any false claim among the values.
    Holm,
    /// Benjamini and Hochberg's step-up adjustment: the share of false claims among the claims.
    FalseDiscovery,
}

impl Adjustment {
    /// Adjusted p-values, in the order of `p`, each in [0, 1] and not below its raw value.
    ///
    /// # Examples
    ///
    /// ```
    /// use beyondnoise_stats::Adjustment;
    ///
    /// assert_eq!(Adjustment::Holm.adjusted(&[0.01, 0.04, 0.03]), [0.03, 0.06, 0.06]);
    /// assert_eq!(Adjustment::FalseDiscovery.adjusted(&[0.01, 0.02, 0.5]), [0.03, 0.03, 0.5]);
    /// ```
    ///
    /// # References
    ///
    /// S. Holm. A simple sequentially rejective multiple test procedure. *Scand. J. Statistics* 6, 1979.
    ///
    /// Y. Benjamini, Y. Hochberg. Controlling the false discovery rate. *J. R. Statist. Soc. B* 57, 1995.
    pub fn adjusted(self, p: &[f64]) -> Vec<f64> {
        match self {
            Self::Holm => holm(p),
            Self::FalseDiscovery => benjamini_hochberg(p),
        }
    }

    /// Levels of intervals that agree with [`Self::adjusted`]: an interval of confidence one minus its level excludes the null
    /// if and only if the adjusted p-value is below `alpha`. In the order of `p`, each in (0, `alpha`].
    ///
    /// By Holm the kth smallest of `n` values has `alpha / (n - k + 1)` as long as the values before it are called; from the
    /// first that is not, all have the level of that one. By false discoveries the intervals of the `r` of `n` values that are
    /// called have level `alpha r / n`, so that at most the share `alpha` of them is expected to miss the truth; the others
    /// are not selected and keep `alpha`, or the level at which one more would have been called where theirs would
    /// exclude the null.
    ///
    /// # Examples
    ///
    /// ```
    /// use beyondnoise_stats::Adjustment;
    ///
    /// let levels = Adjustment::Holm.levels(&[0.01, 0.04, 0.03], 0.05);
    /// assert_eq!(levels, [0.05 / 3.0, 0.025, 0.025]);
    /// let levels = Adjustment::FalseDiscovery.levels(&[0.01, 0.04, 0.5, 0.6], 0.05);
    /// assert_eq!(levels, [0.0125, 0.025, 0.05, 0.05]);
    /// ```
    ///
    /// # References
    ///
    /// Y. Benjamini, D. Yekutieli. False discovery rate-adjusted multiple confidence intervals for selected parameters.
    /// *J. Amer. Statist. Assoc.* 100, 2005.
    pub fn levels(self, p: &[f64], alpha: f64) -> Vec<f64> {
        match self {
            Self::Holm => holm_levels(p, alpha),
            Self::FalseDiscovery => false_coverage_levels(p, alpha),
        }
    }

    /// [`Self::Holm`] with a weight above 0 for each hypothesis: its share of the level.
    ///
    /// # Examples
    ///
    /// ```
    /// use beyondnoise_stats::Adjustment;
    ///
    /// // 0.02 has a third of the level: 3 times it; then the other has all of it.
    /// assert_eq!(Adjustment::weighted_holm(&[0.02, 0.08], &[1.0, 2.0]), [0.06, 0.08]);
    /// ```
    pub fn weighted_holm(p: &[f64], weights: &[f64]) -> Vec<f64> {
        weighted_holm(p, weights)
    }
}

pub(crate) fn holm(p: &[f64]) -> Vec<f64> {
    let n = p.len();
    let mut adjusted = vec![0.0; n];
    let mut running: f64 = 0.0;
    for (rank, index) in ascending(p).into_iter().enumerate() {
        running = running.max((p[index] * (n - rank) as f64).min(1.0));
        adjusted[index] = running;
    }
    adjusted
}

fn weighted_holm(p: &[f64], weights: &[f64]) -> Vec<f64> {
    let shared: Vec<f64> = p.iter().zip(weights).map(|(p, weight)| p / weight).collect();
    let mut left: f64 = weights.iter().sum();
    let mut adjusted = vec![0.0; shared.len()];
    let mut running: f64 = 0.0;
    for index in ascending(&shared) {
        running = running.max((shared[index] * left).min(1.0));
        // Rounding must not take it below the raw value.
        adjusted[index] = running.max(p[index]);
        left -= weights[index];
    }
    adjusted
}

pub(crate) fn benjamini_hochberg(p: &[f64]) -> Vec<f64> {
    let n = p.len();
    let mut adjusted = vec![0.0; n];
    let mut running: f64 = 1.0;
    for (rank, index) in ascending(p).into_iter().enumerate().rev() {
        running = running.min(p[index] * n as f64 / (rank + 1) as f64);
        // Rounding must not take it below the raw value.
        adjusted[index] = running.max(p[index]);
    }
    adjusted
}

fn holm_levels(p: &[f64], alpha: f64) -> Vec<f64> {
    let n = p.len();
    let mut levels = vec![alpha; n];
    let mut called = 0;
    for (rank, index) in ascending(p).into_iter().enumerate() {
        levels[index] = alpha / (n - called) as f64;
        if rank == called && p[index] * ((n - rank) as f64) < alpha {
            called += 1;
        }
    }
    levels
}

fn false_coverage_levels(p: &[f64], alpha: f64) -> Vec<f64> {
    let adjusted = benjamini_hochberg(p);
    let called = adjusted.iter().filter(|adjusted| **adjusted < alpha).count();
    let level = |count: usize| alpha * count as f64 / p.len() as f64;
    p.iter()
        .zip(adjusted)
        .map(|(&p, adjusted)| match (adjusted < alpha, p < alpha) {
            (true, _) => level(called),
            (false, true) => level(called + 1),
            (false, false) => alpha,
        })
        .collect()
}

/// Positions of `p` from the smallest value to the largest, equal values in input order.
fn ascending(p: &[f64]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..p.len()).collect();
    order.sort_by(|&a, &b| p[a].total_cmp(&p[b]));
    order
}
