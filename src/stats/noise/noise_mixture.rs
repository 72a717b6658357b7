//! Run-to-run noise that is known from elsewhere only, as a scale mixture of normal distributions.
//!
//! One run each has no noise of its own. Published repeats of other benchmarks say how large noise usually is: a
//! [`NoiseMixture`] has a weight for each of sixteen standard deviations, fitted so that every source of repeats counts
//! once. It says how often two runs of one unchanged build differ by a given ratio. With two runs each, the runs' own
//! differences choose among the sixteen.

use crate::noise::empirical_bayes::Variance;
use crate::numerics::bisection::smallest;
use crate::numerics::distribution::t_quantile;
use crate::numerics::normal_mixture::NormalMixture;

/// Number of standard deviations of a mixture.
const LEVELS: usize = 16;

/// Smallest standard deviation of a mixture, of the logarithm.
const SMALLEST: f64 = 0.0003;

/// How many times as large the largest is.
const SPAN: f64 = 2667.0;

/// Factor on each standard deviation: with it a source of repeats that the fit has not seen keeps its level.
const WIDENED: f64 = 1.5;

/// Steps of the fit, from equal weights.
const STEPS: usize = 400;

/// Smallest standard deviation that counts in the fit: values that are printed alike are not exact.
const LEAST_SD: f64 = 1e-5;

/// Set-ups from which on a source counts in full.
const FULL_SOURCE: f64 = 6.0;

/// Weights of sixteen standard deviations of the logarithm of a run's value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NoiseMixture {
    weights: [f64; LEVELS],
}

/// The repeats of one set-up: their variance on the logarithmic scale, and what the set-up counts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SetUp {
    /// Variance of the logarithms, with its degrees of freedom: runs less one.
    pub variance: Variance,
    /// Weight in the fit, above 0: [`SetUp::weight_of`] its source.
    pub weight: f64,
}

impl SetUp {
    /// Weight of each of the `set_ups` of one source. The source counts once; with fewer than six set-ups, each counts
    /// one sixth.
    ///
    /// # Examples
    ///
    /// ```
    /// use beyondnoise_stats::SetUp;
    ///
    /// assert_eq!([1, 3, 100].map(SetUp::weight_of), [1.0 / 6.0, 1.0 / 6.0, 0.01]);
    /// ```
    pub fn weight_of(set_ups: usize) -> f64 {
        let n = set_ups.max(1) as f64;
        (n / FULL_SOURCE).min(1.0) / n
    }
}

/// The standard deviations of a mixture, from 0.03 % to 80 %.
fn levels() -> [f64; LEVELS] {
    std::array::from_fn(|k| SMALLEST * SPAN.powf(k as f64 / (LEVELS - 1) as f64))
}

impl NoiseMixture {
    /// The mixture with these weights, whatever their sum; `None` unless there are sixteen, all finite and not negative,
    /// with a sum above 0.
    ///
    /// # Examples
    ///
    /// ```
    /// use beyondnoise_stats::NoiseMixture;
    ///
    /// let throughput = [24, 37, 7, 79, 318, 127, 150, 141, 41, 0, 22, 54, 1, 0, 0, 0].map(f64::from);
    /// let noise = NoiseMixture::new(&throughput).unwrap();
    /// // Two runs of one unchanged build differ by 6.1 % or more in 6 of 100 pairs.
    /// assert!((noise.p_value((1.0f64 - 0.0605).ln(), (1, 1)) - 0.063).abs() < 5e-4);
    /// assert_eq!(NoiseMixture::new(&[1.0]), None);
    /// ```
    pub fn new(weights: &[f64]) -> Option<Self> {
        let weights: [f64; LEVELS] = weights.try_into().ok()?;
        let sum: f64 = weights.iter().sum();
        let sound = weights.iter().all(|weight| weight.is_finite() && *weight >= 0.0);
        (sound && sum > 0.0 && sum.is_finite())
            .then(|| Self { weights: weights.map(|weight| weight / sum) })
    }

    /// Fits the weights to the repeats of set-ups by expectation and maximisation: 400 steps from equal weights, on the
    /// chi-square likelihood of each variance.
    ///
    /// `None` without set-ups, or where their weights or degrees of freedom are not above 0.
    ///
    /// # Examples
    ///
    /// ```
    /// use beyondnoise_stats::{NoiseMixture, SetUp, Variance};
    ///
    /// let set_up = |cv: f64| SetUp { variance: Variance { value: cv * cv, df: 9.0 }, weight: 0.5 };
    /// let noise = NoiseMixture::fit(&[set_up(0.004), set_up(0.04)]).unwrap();
    /// assert!((noise.typical_cv() - 0.011_910_56).abs() < 1e-7); // by numpy; the geometric mean is 0.0126
    /// ```
    ///
    /// # References
    ///
    /// N. Laird. Nonparametric maximum likelihood estimation of a mixing distribution. *JASA* 73, 1978.
    pub fn fit(set_ups: &[SetUp]) -> Option<Self> {
        let equal = Self { weights: [1.0 / LEVELS as f64; LEVELS] };
        equal.fit_with(0.0, set_ups)
    }

    /// The mixture with further set-ups: it keeps the weight of so many `sources`, 0 or more, beside theirs.
    ///
    /// `None` as [`Self::fit`].
    ///
    /// # Examples
    ///
    /// ```
    /// use beyondnoise_stats::{NoiseMixture, SetUp, Variance};
    ///
    /// let published = NoiseMixture::new(&[1.0; 16]).unwrap();
    /// let quiet = Variance { value: 1e-6, df: 20.0 };
    /// let own = [SetUp { variance: quiet, weight: 1.0 }];
    /// let both = published.with(3.0, &own).unwrap();
    /// assert!(both.typical_cv() < published.typical_cv());
    /// ```
    pub fn with(&self, sources: f64, set_ups: &[SetUp]) -> Option<Self> {
        self.fit_with(sources, set_ups)
    }

    /// Expectation and maximisation from these weights, which count as so many `sources`.
    fn fit_with(&self, sources: f64, set_ups: &[SetUp]) -> Option<Self> {
        let sound = |one: &SetUp| one.weight > 0.0 && one.variance.df > 0.0;
        if set_ups.is_empty() || !set_ups.iter().all(sound) {
            return None;
        }
        let likelihoods: Vec<[f64; LEVELS]> = set_ups
            .iter()
            .map(|one| {
                let value = one.variance.value.max(LEAST_SD * LEAST_SD);
                log_likelihoods(Variance { value, ..one.variance })
            })
            .collect();
        let mut weights = [1.0 / LEVELS as f64; LEVELS];
        for _ in 0..STEPS {
            let mut sums = self.weights.map(|weight| sources * weight);
            for (one, likelihood) in set_ups.iter().zip(&likelihoods) {
                let posterior = posterior(&weights, likelihood);
                sums.iter_mut().zip(posterior).for_each(|(sum, p)| *sum += one.weight * p);
            }
            let sum: f64 = sums.iter().sum();
            weights = sums.map(|weight| weight / sum);
        }
        Self::new(&weights)
    }

    /// The weights, which sum to 1, of the standard deviations from 0.03 % to 80 %.
    pub fn weights(&self) -> &[f64] {
        &self.weights
    }

    /// The mixture once the runs themselves show a variance: each weight times its chi-square likelihood.
    #[must_use]
    pub fn given(&self, own: Variance) -> Self {
        if own.df > 0.0 && own.value.is_finite() {
            Self { weights: posterior(&self.weights, &log_likelihoods(own)) }
        } else {
            *self
        }
    }

    /// Geometric mean of the standard deviations, a CV as a fraction.
    pub fn typical_cv(&self) -> f64 {
        let logs = levels().into_iter().zip(self.weights).map(|(sd, weight)| weight * sd.ln());
        logs.sum::<f64>().exp()
    }

    /// The largest standard deviation with a weight, as a CV: runs that are noisier than that are beyond the mixture.
    pub fn largest_cv(&self) -> f64 {
        let known = levels().into_iter().zip(self.weights).filter(|(_, weight)| *weight > 0.0);
        known.map(|(sd, _)| sd).fold(0.0, f64::max)
    }

    /// Noise of the means of two variants as one variance: the square of [`Self::typical_cv`], with the degrees of
    /// freedom at which Student's t is as wide as the mixture at 95 % confidence.
    ///
    /// # Examples
    ///
    /// ```
    /// use beyondnoise_stats::NoiseMixture;
    ///
    /// // One level, widened by 1.5: scipy.stats.t.ppf(0.975, 3.5004) is 1.5 * scipy.stats.norm.ppf(0.975)
    /// let quiet: Vec<f64> = (0..16).map(|k| f64::from(k == 0)).collect();
    /// let noise = NoiseMixture::new(&quiet).unwrap().as_variance();
    /// assert!((noise.value - 9e-8).abs() < 1e-12 && (noise.df - 3.500_364_9).abs() < 1e-6, "{noise:?}");
    /// ```
    pub fn as_variance(&self) -> Variance {
        let cv = self.typical_cv();
        let widening = self.differences(1.0).beyond(0.025) / cv;
        // Student's t gets narrower with its degrees of freedom; one of them is the widest here.
        let df = smallest(1.0, 1e6, |df| t_quantile(0.975, df) <= widening);
        Variance { value: cv * cv, df }
    }

    /// Share of pairs of equal builds whose means differ by the log ratio `log_ratio` or more, in either direction.
    /// `runs` are the runs of each variant, 1 or more.
    ///
    /// The standard deviations are widened by 1.5, the factor with which a source of repeats that the fit has not seen
    /// keeps its level.
    ///
    /// # Examples
    ///
    /// ```
    /// use beyondnoise_stats::NoiseMixture;
    ///
    /// // All of the weight at 0.03 %: 2 * scipy.stats.norm.sf(0.001 / (1.5 * 0.0003 * 2**0.5))
    /// let quiet: Vec<f64> = (0..16).map(|k| f64::from(k == 0)).collect();
    /// let p = NoiseMixture::new(&quiet).unwrap().p_value(0.001, (1, 1));
    /// assert!((p - 0.116_101_744).abs() < 1e-9);
    /// ```
    pub fn p_value(&self, log_ratio: f64, runs: (usize, usize)) -> f64 {
        2.0 * self.differences(of_means(runs)).tail(log_ratio.abs())
    }

    /// The logarithm of the ratio at which [`Self::p_value`] is `p`, in (0, 1).
    ///
    /// # Panics
    ///
    /// If `p` is outside (0, 1).
    ///
    /// # Examples
    ///
    /// ```
    /// use beyondnoise_stats::NoiseMixture;
    ///
    /// let noise = NoiseMixture::new(&[1.0; 16]).unwrap();
    /// let change = noise.change_at(0.05, (1, 1));
    /// assert!((noise.p_value(change, (1, 1)) - 0.05).abs() < 1e-9);
    /// ```
    pub fn change_at(&self, p: f64, runs: (usize, usize)) -> f64 {
        assert!(p > 0.0 && p < 1.0, "p-value {p} is outside (0, 1)");
        self.differences(of_means(runs)).beyond(p / 2.0)
    }

    /// The distribution of a difference whose standard deviation is the noise, widened, times `unit`.
    pub(crate) fn differences(&self, unit: f64) -> NormalMixture {
        let parts = levels().into_iter().zip(self.weights).filter(|(_, weight)| *weight > 0.0);
        NormalMixture::new(parts.map(|(sd, weight)| (WIDENED * unit * sd, weight)).collect())
    }
}

/// Standard deviation of the difference of two means of logarithms, in standard deviations of a run.
pub(crate) fn of_means((a, b): (usize, usize)) -> f64 {
    (1.0 / a.max(1) as f64 + 1.0 / b.max(1) as f64).sqrt()
}

/// Logarithm of the likelihood of a variance under each standard deviation.
fn log_likelihoods(own: Variance) -> [f64; LEVELS] {
    levels().map(|sd| -own.df * (sd.ln() + own.value / (2.0 * sd * sd)))
}

/// Weights times likelihoods, with a sum of 1; levels without a weight count for nothing.
fn posterior(weights: &[f64; LEVELS], log_likelihoods: &[f64; LEVELS]) -> [f64; LEVELS] {
    let both = || weights.iter().zip(log_likelihoods).filter(|(weight, _)| **weight > 0.0);
    let most = both().map(|(_, log)| *log).fold(f64::NEG_INFINITY, f64::max);
    let products: [f64; LEVELS] = std::array::from_fn(|k| {
        if weights[k] > 0.0 { weights[k] * (log_likelihoods[k] - most).exp() } else { 0.0 }
    });
    let sum: f64 = products.iter().sum();
    products.map(|product| product / sum)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::change::Undefined;
    use crate::runs::Sample;

    /// The weights of throughput, mean TTFT, mean TPOT and P99 TPOT, in parts of 100,000, as fitted by numpy 2.4.6.
    const PUBLISHED: [[u16; LEVELS]; 4] = [
        [2358, 3683, 691, 7852, 31816, 12731, 14962, 14114, 4109, 0, 2185, 5389, 110, 0, 0, 0],
        [0, 0, 0, 9521, 0, 16277, 0, 24124, 13809, 11050, 2209, 19226, 0, 3342, 443, 0],
        [1629, 1628, 5127, 18, 35338, 11260, 16983, 11293, 9797, 110, 0, 6006, 810, 0, 0, 0],
        [0, 0, 10977, 1, 198, 117, 24147, 20297, 19131, 16556, 0, 7508, 1070, 0, 0, 0],
    ];

    fn published(metric: usize) -> NoiseMixture {
        NoiseMixture::new(&PUBLISHED[metric].map(f64::from)).unwrap()
    }

    /// Changes at 50, 20, 10, 5 and 1 % as the rule prints them: to two digits.
    #[test]
    fn the_published_weights_give_the_published_changes() {
        let printed = [
            [0.6, 1.9, 3.8, 8.9, 33.0],
            [2.2, 9.4, 21.0, 36.0, 103.0],
            [0.6, 2.1, 4.4, 9.4, 38.0],
            [1.8, 5.3, 9.5, 16.0, 42.0],
        ];
        for (metric, printed) in printed.into_iter().enumerate() {
            let found = [0.5, 0.2, 0.1, 0.05, 0.01]
                .map(|p| 100.0 * published(metric).change_at(p, (1, 1)).exp_m1());
            for (found, printed) in found.into_iter().zip(printed) {
                let digits = if printed < 10.0 { 0.051 } else { 0.51 };
                assert!((found - printed).abs() <= digits, "{metric}: {found} {printed}");
            }
        }
    }

    /// `mpmath` 1.4.1 at 30 digits: the sum over the sixteen levels of `w erfc(|ln ratio| / (3 sd))`. The pairs are of
    /// public notes with one run before and one after.
    #[test]
    fn notes_with_one_run_each_have_the_shares_of_an_independent_computation() {
        let notes = [
            (0, 457.63 / 673.99, 0.003_646_836_812_141_48),
            (0, 287.36 / 305.88, 0.063_203_477_228_156_7),
            (0, 306.11 / 298.53, 0.150_757_684_625_729),
            (1, 577.30 / 532.19, 0.215_587_057_407_114),
            (1, 839.89 / 945.18, 0.160_958_510_648_779),
            (1, 14_120.81 / 14_624.41, 0.385_959_135_552_288),
            (1, 1.0 - 0.0128, 0.611_135_063_742_157),
            (2, 47.72 / 45.32, 0.082_932_754_032_114_4),
            (3, 99.34 / 94.15, 0.191_962_104_449_742),
        ];
        for (metric, ratio, expected) in notes {
            let found = published(metric).p_value(f64::ln(ratio), (1, 1));
            assert!((found / expected - 1.0).abs() < 1e-9, "{metric} {ratio}: {found}");
        }
    }

    /// `mpmath` 1.4.1 at 30 digits: weights times `sd^-2 exp(-SS / (2 sd^2))`, then the mean of the normal tails.
    #[test]
    fn two_runs_each_have_the_tails_of_an_independent_computation() {
        let two = |a, b| Sample::new(vec![a, b]).unwrap();
        let (a, b) = (two(100.0, 100.4), two(104.8, 105.3));
        let expected = [
            (0, 0.001_453_943_554_33, 0.001_456_416_465_13, [0.033_099_319_93, 0.063_933_772_07]),
            (1, 0.013_288_823_036_8, 0.013_305_101_400_6, [0.019_943_293_22, 0.077_657_222_4]),
        ];
        for (metric, on_logs, on_values, interval) in expected {
            let [log, linear] = published(metric).curves(&a, &b).map(Result::unwrap);
            assert!((log.p_value(0.0) / on_logs - 1.0).abs() < 1e-10);
            assert!((linear.p_value(0.0) / on_values - 1.0).abs() < 1e-10);
            let found = log.interval(0.95).map(f64::exp_m1);
            assert!(
                (found.low - interval[0]).abs() < 1e-9 && (found.high - interval[1]).abs() < 1e-9
            );
        }
    }

    #[test]
    fn what_is_no_mixture_is_refused() {
        let with = |first: f64| {
            let mut weights = [1.0; LEVELS];
            weights[0] = first;
            NoiseMixture::new(&weights)
        };
        assert!(with(-1.0).is_none() && with(f64::NAN).is_none() && with(f64::INFINITY).is_none());
        assert!(NoiseMixture::new(&[0.0; LEVELS]).is_none() && with(0.0).is_some());
        let none = SetUp { variance: Variance { value: 1e-4, df: 0.0 }, weight: 1.0 };
        assert!(NoiseMixture::fit(&[]).is_none() && NoiseMixture::fit(&[none]).is_none());
        let two = |a, b| Sample::new(vec![a, b]).unwrap();
        let refused = published(0).curves(&two(0.0, 1.0), &two(1.0, 2.0)).map(Result::err);
        assert_eq!(refused, [Some(Undefined::NotPositive); 2]);
    }
}
