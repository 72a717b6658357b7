//! Intervals of several means that all hold at once: the bands of curves.

use crate::noise::empirical_bayes::{Prior, PriorSource, Variance};
use crate::numerics::distribution::t_quantile;
use crate::runs::sample::{Interval, Sample};

impl Interval {
    /// Intervals of the means of independent samples. All of them cover together with `confidence`. They are in the
    /// order of `samples` and in the unit of the values.
    ///
    /// Each is symmetric on the logarithmic scale (on the linear one where a value is zero or negative): the mean times `exp(±
    /// t SE)`, `SE^2 = CV^2 / n`, where `t` is Student's quantile of the confidence `confidence^(1/m)` for `m` samples with
    /// noise. As the samples are independent, the largest studentised deviation stays below these limits with `confidence`
    /// (Sidak). A sample's variance is moderated with that of the others where [`Prior::guarded`] allows it: two
    /// degrees of freedom of its own would make the band of a sweep of 8 loads eight times as wide as thirty do.
    ///
    /// `None` for a sample of one run, or of equal ones, that has no noise to borrow either. `confidence` lies in (0, 1).
    ///
    /// # Examples
    ///
    /// ```
    /// use beyondnoise_stats::{Sample, Interval};
    ///
    /// let sample = |values: &[f64]| Sample::new(values.to_vec()).unwrap();
    /// let load = |mean: f64, cv: f64| sample(&[mean * (1.0 - cv), mean, mean * (1.0 + cv)]);
    /// // Noise that grows with the load: each point has its own.
    /// let loads = [load(100.0, 0.01), load(200.0, 0.02), load(300.0, 0.04), load(400.0, 0.08)];
    /// let bands = Interval::simultaneous(&loads.each_ref(), 0.95);
    /// // By scipy: t of 2 degrees of freedom at 0.95^(1/4) is 8.774; 100 exp(8.774 * 0.01 / sqrt 3)
    /// assert!((bands[0].unwrap().high - 105.196).abs() < 1e-3);
    /// ```
    ///
    /// # References
    ///
    /// Z. Sidak. Rectangular confidence regions for the means of multivariate normal distributions. *J. Amer. Statist.
    /// Assoc.* 62, 1967.
    pub fn simultaneous(samples: &[&Sample], confidence: f64) -> Vec<Option<Interval>> {
        let own = |sample: &&Sample| {
            let df = sample.runs() as f64 - 1.0;
            let spread = sample.standard_deviation()?;
            let value = if sample.is_positive() { spread / sample.mean() } else { spread };
            Some(Variance { value: value * value, df }).filter(|own| own.value > 0.0)
        };
        let variances: Vec<Option<Variance>> = samples.iter().map(own).collect();
        let moderated = |(at, sample): (usize, &&Sample)| {
            let positive = |other: &usize| *other != at && samples[*other].is_positive();
            let others = (0..samples.len()).filter(positive).filter_map(|other| variances[other]);
            let others: Vec<Variance> = others.collect();
            let prior = Prior::guarded(&others, variances[at], PriorSource::Job).ok();
            match prior.filter(|_| sample.is_positive()) {
                Some(prior) => Some(prior.moderate(variances[at])),
                None => variances[at],
            }
        };
        let noise: Vec<Option<Variance>> = samples.iter().enumerate().map(moderated).collect();
        let known = noise.iter().flatten().count();
        let each = confidence.powf(1.0 / known.max(1) as f64);
        let interval = |(sample, noise): (&&Sample, Option<Variance>)| {
            let Variance { value, df } = noise?;
            let half =
                t_quantile(f64::midpoint(1.0, each), df) * (value / sample.runs() as f64).sqrt();
            let mean = sample.mean();
            let interval = if sample.is_positive() {
                Interval { low: mean * (-half).exp(), high: mean * half.exp(), confidence }
            } else {
                Interval { low: mean - half, high: mean + half, confidence }
            };
            (interval.low.is_finite() && interval.high.is_finite()).then_some(interval)
        };
        samples.iter().zip(noise).map(interval).collect()
    }
}
