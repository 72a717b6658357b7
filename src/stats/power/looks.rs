//! Planned looks: at which confidence to judge while runs are still being added.
//!
//! Looking again and again at 95 % finds a change that is not there far more often than once in twenty.
//! Looks planned in advance share one alpha. Where early ones spend almost none of it, the last is judged nearly as if
//! there had been no other; where it is spent in proportion to the runs, a large change is shown after few.

use statrs::distribution::{Continuous, ContinuousCDF, Normal};

use crate::numerics::bisection::smallest;
use crate::numerics::distribution::{normal_quantile, t_quantile};

impl Look {
    /// Most looks that are planned.
    pub const MOST: usize = 10;
}

/// Intervals of Simpson's rule over half of the continuation region; even. At 300 the boundaries agree to
/// ten digits with Gauss-Legendre quadrature.
const INTERVALS: u32 = 300;

/// One of several planned looks at the data.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Look {
    /// Part of the planned runs that have been made, in (0, 1]; 1 at the last look.
    pub fraction: f64,
    /// The z beyond which a change is called at this look, in either direction.
    pub boundary: f64,
    /// Two-sided level of this look alone, `2 (1 - Phi(boundary))`: an interval at confidence `1 - level`
    /// excludes zero exactly beyond the boundary.
    pub level: f64,
    /// Alpha spent up to and including this look.
    pub spent: f64,
}

impl Look {
    /// Alpha that both sides together have spent after the part `fraction` of the planned runs.
    ///
    /// The function of Lan and `DeMets` that resembles the boundaries of O'Brien and Fleming, half of `alpha` for
    /// each side: `4 (1 - Phi(z / sqrt(fraction)))` with z the normal quantile at `1 - alpha / 4`. Both arguments
    /// lie in (0, 1], `alpha` below 1; at 1 the whole of `alpha` is spent.
    ///
    /// # Examples
    ///
    /// ```
    /// assert!((beyondnoise_stats::Look::spent_alpha(0.05, 0.5) - 0.003051).abs() < 1e-6);
    /// assert!((beyondnoise_stats::Look::spent_alpha(0.05, 1.0) - 0.05).abs() < 1e-10);
    /// ```
    ///
    /// # References
    ///
    /// K. K. G. Lan, D. L. `DeMets`. Discrete sequential boundaries for clinical trials. *Biometrika* 70, 1983.
    pub fn spent_alpha(alpha: f64, fraction: f64) -> f64 {
        let z = -normal_quantile(alpha / 4.0);
        4.0 * Normal::standard().sf(z / fraction.sqrt())
    }

    /// `count` equally spaced looks. Together they find a change with probability `1 - confidence` if nothing changed.
    ///
    /// Two-sided, with alpha spent by [`Look::spent_alpha`]. The boundaries come from the joint distribution of the test
    /// statistics at the looks, integrated recursively. They hold for a z test; the t test of few runs uses the level of
    /// each look instead of its boundary, which keeps the rate of false findings close to alpha. A look may be skipped:
    /// that only loses its chance to stop early.
    ///
    /// # Panics
    ///
    /// If `count` is outside 1 to [`Look::MOST`], or `confidence` outside (0, 1).
    ///
    /// # Examples
    ///
    /// ```
    /// let looks = beyondnoise_stats::Look::equal(0.95, 3);
    /// let boundaries: Vec<String> = looks.iter().map(|look| format!("{:.3}", look.boundary)).collect();
    /// assert_eq!(boundaries, ["3.710", "2.511", "1.993"]);
    /// // The interval of the last look, for a total confidence of 95 %:
    /// assert_eq!(format!("{:.4}", 1.0 - looks[2].level), "0.9537");
    /// ```
    ///
    /// # References
    ///
    /// P. Armitage, C. K. `McPherson`, B. C. Rowe. Repeated significance tests on accumulating data. *Journal of the
    /// Royal Statistical Society A* 132, 1969 (the recursion); C. Jennison, B. W. Turnbull. *Group Sequential
    /// Methods with Applications to Clinical Trials*, chapter 19, 2000; D. M. Reboussin, D. L. `DeMets`, K. Kim,
    /// K. K. G. Lan. Computations for group sequential boundaries using the Lan-`DeMets` spending function method.
    /// *Controlled Clinical Trials* 21, 2000 (published boundaries).
    pub fn equal(confidence: f64, count: usize) -> Vec<Look> {
        let runs: Vec<usize> = (1..=count).collect();
        spending(confidence, &runs, Self::spent_alpha)
    }

    /// Looks after these numbers of runs. Together they find a change with probability `1 - confidence` if nothing
    /// changed.
    ///
    /// As [`Look::equal`], for ascending numbers of runs in any steps, with alpha spent linearly: after half of the runs half of it. Early
    /// looks then show a large change after few runs, for which the last one pays: its level lies well below the
    /// whole of alpha.
    ///
    /// # Panics
    ///
    /// If there are none or more than [`Look::MOST`], if they do not ascend from 1 or more, or if `confidence` lies outside
    /// (0, 1).
    ///
    /// # Examples
    ///
    /// ```
    /// let looks = beyondnoise_stats::Look::planned(0.95, &[3, 4, 6, 8, 12]);
    /// let levels: Vec<String> = looks.iter().map(|look| format!("{:.4}", look.level)).collect();
    /// assert_eq!(levels, ["0.0125", "0.0087", "0.0131", "0.0159", "0.0267"]);
    /// ```
    ///
    /// # References
    ///
    /// K. Kim, D. L. `DeMets`. Design and analysis of group sequential tests based on the type I error spending rate
    /// function. *Biometrika* 74, 1987 (alpha spent in proportion to the part of the runs).
    pub fn planned(confidence: f64, runs: &[usize]) -> Vec<Look> {
        spending(confidence, runs, |alpha, fraction| alpha * fraction)
    }
}

/// Looks after ascending numbers of runs, by the alpha that both sides have spent at a part of the runs.
fn spending(confidence: f64, runs: &[usize], spent: impl Fn(f64, f64) -> f64) -> Vec<Look> {
    let count = runs.len();
    assert!((1..=Look::MOST).contains(&count), "{count} looks are outside 1 to {}", Look::MOST);
    assert!(confidence > 0.0 && confidence < 1.0, "confidence {confidence} is outside (0, 1)");
    let ascend = runs[0] > 0 && runs.windows(2).all(|two| two[0] < two[1]);
    assert!(ascend, "numbers of runs {runs:?} do not ascend");
    let alpha = 1.0 - confidence;
    let last = runs[count - 1];
    let mut reached: Option<Region> = None;
    let (mut before, mut runs_before) = (0.0, 0);
    let mut found = Vec::with_capacity(count);
    for &runs in runs {
        let fraction = runs as f64 / last as f64;
        let step = ((runs - runs_before) as f64 / last as f64).sqrt();
        let spent = if runs == last { alpha } else { spent(alpha, fraction) };
        let each_side = (spent - before) / 2.0;
        let (edge, boundary) = match &reached {
            None => {
                let boundary = -normal_quantile(each_side);
                (boundary * step, boundary)
            }
            Some(inside) => {
                let highest = 40.0;
                let edge = smallest(0.0, highest, |edge| inside.beyond(edge, step) <= each_side);
                (edge, edge / fraction.sqrt())
            }
        };
        // Nothing follows the last look.
        let region = (runs != last).then(|| {
            Region::new(edge, |x| match &reached {
                None => Normal::standard().pdf(x / step) / step,
                Some(inside) => inside.density(x, step),
            })
        });
        // At the first look all that was spent is its own.
        let level = if runs_before == 0 { spent } else { 2.0 * Normal::standard().sf(boundary) };
        found.push(Look { fraction, boundary, level, spent });
        (reached, before, runs_before) = (region, spent, runs);
    }
    found
}

/// The last of several planned looks, seen from an earlier one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LastLook {
    /// Runs of each variant then.
    pub runs: usize,
    /// Degrees of freedom of the interval then.
    pub df: f64,
    /// Two-sided level at which a change is called then, in (0, 1).
    pub level: f64,
    /// Level of each of the two one-sided tests that show that nothing changed, in (0, 1).
    pub equality_alpha: f64,
}

impl LastLook {
    /// Probability that this look shows a change, or that the change lies between the two margins, given the runs so far.
    ///
    /// `estimate` is the log ratio now, `noise` the standard deviation of a run on that scale, positive and taken as known, `runs`
    /// those made of each variant, and `margins` the log ratios between which a change does not matter. By what the runs say, without any
    /// other knowledge, the estimate at the last look is normal about that of now, with variance `noise^2 (1/a + 1/b - 2/n)`
    /// after `a` and `b` of `n` runs.
    ///
    /// # Examples
    ///
    /// ```
    /// use beyondnoise_stats::LastLook;
    ///
    /// let last = LastLook { runs: 12, df: 20.3, level: 0.0267, equality_alpha: 0.05 };
    /// let margins = [(-0.015_f64).ln_1p(), 0.015_f64.ln_1p()];
    /// // 8 runs of each with 1 % of noise: 1 % would do, either way. With 5 % nothing will.
    /// assert!(last.chance(0.01, 0.01, [8, 8], margins) > 0.5);
    /// assert!(last.chance(0.01, 0.05, [8, 8], margins) < 0.05);
    /// ```
    ///
    /// # References
    ///
    /// D. J. Spiegelhalter, L. S. Freedman, P. R. Blackburn. Monitoring clinical trials: conditional or predictive power?
    /// *Controlled Clinical Trials* 7, 1986.
    pub fn chance(
        &self,
        estimate: f64,
        noise: f64,
        runs: [usize; 2],
        [low, high]: [f64; 2],
    ) -> f64 {
        let normal = Normal::standard();
        let at_end = 2.0 / self.runs as f64;
        let now: f64 = runs.iter().map(|runs| 1.0 / *runs as f64).sum();
        let (error, ahead) = (noise * at_end.sqrt(), noise * (now - at_end).max(0.0).sqrt());
        let below = |end: f64| {
            if ahead > 0.0 {
                normal.cdf((end - estimate) / ahead)
            } else {
                f64::from(u8::from(estimate < end))
            }
        };
        let beyond = error * -t_quantile(self.level / 2.0, self.df);
        let inside = error * -t_quantile(self.equality_alpha, self.df);
        // A change is looked for first: inside the margins is what it leaves.
        let (low, high) = ((low + inside).max(-beyond), (high - inside).min(beyond));
        let equal = if low < high { below(high) - below(low) } else { 0.0 };
        (1.0 - below(beyond)) + below(-beyond) + equal
    }
}

/// Distribution of the Brownian motion at a look, where no look so far has crossed its boundary.
///
/// Symmetric about zero, so that only the half above it is kept: points from 0 to the edge, each with its
/// weight of Simpson's rule times the density.
struct Region {
    points: Vec<(f64, f64)>,
}

impl Region {
    fn new(edge: f64, density: impl Fn(f64) -> f64) -> Self {
        let width = edge / f64::from(INTERVALS);
        let points = (0..=INTERVALS)
            .map(|index| {
                let x = width * f64::from(index);
                let ends = index == 0 || index == INTERVALS;
                let weight = if ends { 1.0 } else { f64::from(2 + 2 * (index % 2)) };
                (x, weight * width / 3.0 * density(x))
            })
            .collect();
        Self { points }
    }

    /// Probability that the next step, of standard deviation `step`, ends above `edge`.
    fn beyond(&self, edge: f64, step: f64) -> f64 {
        let normal = Normal::standard();
        let one = |x: f64| normal.sf((edge - x) / step) + normal.sf((edge + x) / step);
        self.points.iter().map(|&(x, mass)| mass * one(x)).sum()
    }

    /// Density at `y` after the next step.
    fn density(&self, y: f64, step: f64) -> f64 {
        let normal = Normal::standard();
        let one = |x: f64| (normal.pdf((y - x) / step) + normal.pdf((y + x) / step)) / step;
        self.points.iter().map(|&(x, mass)| mass * one(x)).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_look_is_the_plain_level() {
        let look = Look::equal(0.95, 1)[0];
        assert!((look.level - 0.05).abs() < 1e-15 && (look.boundary - 1.959_964).abs() < 1e-6);
    }

    #[test]
    fn boundaries_fall_and_alpha_is_spent_to_the_end() {
        for confidence in [0.6, 0.95, 0.9999] {
            let all = Look::equal(confidence, Look::MOST);
            assert!(all.windows(2).all(|pair| pair[0].boundary > pair[1].boundary));
            assert!(all.windows(2).all(|pair| pair[0].spent < pair[1].spent));
            let last = all[Look::MOST - 1];
            assert!((last.spent - (1.0 - confidence)).abs() < 1e-12);
            assert!(last.level < 1.0 - confidence);
        }
    }
}
