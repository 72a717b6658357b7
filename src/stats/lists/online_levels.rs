//! Levels for tests that come one after the other, without end: the online rule e-LORD.
//!
//! All tests share one alpha. A test takes a fixed share of what is left of it, and a rejection makes later levels larger,
//! since the false ones may be a share of more rejections.

/// Levels of tests in a row, by e-LORD with a constant share.
///
/// The level of test `t` is `share (alpha - sum over j < t of level(j) / (R(j) + 1)) (R(t) + 1)`, where `R(t)` rejections came
/// before it. Where the p-value of each test is valid given all earlier ones, whatever else they have in common, the expected
/// share of false rejections among all is at most `alpha` at any time; where nothing is true, so is the probability of any
/// rejection.
///
/// # Examples
///
/// ```
/// let mut levels = beyondnoise_stats::OnlineLevels::new(0.05, 0.1);
/// assert!((levels.level() - 0.005).abs() < 1e-15);
/// levels.spend();
/// assert!((levels.level() - 0.0045).abs() < 1e-15);
/// levels.reject();
/// assert!((levels.level() - 0.009).abs() < 1e-15);
/// ```
///
/// # References
///
/// Y. Zhang, Z. Wei, H. Ren, C. Zou. e-GAI: e-value-based generalized alpha-investing for online false discovery rate
/// control. *ICML* 2025, arXiv 2506.01452: e-LORD, and its form for p-values that are valid given the past.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OnlineLevels {
    alpha: f64,
    share: f64,
    spent: f64,
    rejections: u32,
}

impl OnlineLevels {
    /// The levels before the first test.
    ///
    /// # Panics
    ///
    /// If `alpha` or `share` is outside (0, 1).
    pub fn new(alpha: f64, share: f64) -> Self {
        assert!(alpha > 0.0 && alpha < 1.0, "alpha {alpha} is outside (0, 1)");
        assert!(share > 0.0 && share < 1.0, "share {share} is outside (0, 1)");
        Self { alpha, share, spent: 0.0, rejections: 0 }
    }

    /// Level of the next test, in (0, 1).
    pub fn level(&self) -> f64 {
        let level = self.share * (self.alpha - self.spent) * (f64::from(self.rejections) + 1.0);
        level.min(0.5)
    }

    /// The next test begins: its level is spent, whatever comes of it.
    pub fn spend(&mut self) {
        self.spent += self.level() / (f64::from(self.rejections) + 1.0);
    }

    /// A test that began is rejected.
    pub fn reject(&mut self) {
        self.rejections += 1;
    }

    /// Part of alpha that is spent, a share of it in [0, 1).
    pub fn spent(&self) -> f64 {
        self.spent / self.alpha
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Python's `fractions`, the sum of the formula written out for every test: alpha 1/20, share 1/10, tests 2, 5, 6 and 10
    /// rejected. `functions/pL.R` of the authors (sjtuwescan/e-GAI) has the same sum.
    #[test]
    fn levels_are_those_of_the_formula() {
        let expected = [
            0.005,
            0.0045,
            0.0081,
            0.00729,
            0.006_561,
            0.008_857_35,
            0.010_628_82,
            0.009_565_938,
            0.008_609_344_2,
            0.007_748_409_78,
        ];
        let mut levels = OnlineLevels::new(0.05, 0.1);
        for (at, expected) in expected.into_iter().enumerate() {
            assert!((levels.level() - expected).abs() < 1e-14, "test {}: {levels:?}", at + 1);
            levels.spend();
            if [1, 4, 5, 9].contains(&at) {
                levels.reject();
            }
        }
    }

    /// The proof of the rule: each level, shared by the rejections that it would be among, adds up to at most alpha. All
    /// orders of 12 rejections and passes.
    #[test]
    fn what_is_spent_never_exceeds_alpha() {
        for (alpha, share) in [(0.05, 0.1), (0.3, 0.9), (0.001, 0.5)] {
            for pattern in 0_u32..1 << 12 {
                let (mut levels, mut sum, mut before) = (OnlineLevels::new(alpha, share), 0.0, 0.0);
                for test in 0..12 {
                    assert!(levels.level() > 0.0 && levels.level() < 1.0);
                    sum += levels.level() / (before + 1.0);
                    levels.spend();
                    if pattern >> test & 1 == 1 {
                        levels.reject();
                        before += 1.0;
                    }
                }
                assert!(sum <= alpha * (1.0 + 1e-12), "{sum} of {alpha}");
            }
        }
    }
}
