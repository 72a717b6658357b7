//! The change between few runs whose noise is that of published repeats.

use std::sync::Arc;

use crate::change::curve::{Curve, Curves, Shape};
use crate::change::standard_error::StandardError;
use crate::change::terms::{Scale, Undefined};
use crate::noise::between_runs::pooled_cv;
use crate::noise::empirical_bayes::Variance;
use crate::noise::noise_mixture::{NoiseMixture, of_means};
use crate::runs::sample::Sample;
use crate::runs::statistic::mean;

impl NoiseMixture {
    /// The confidence curves of the change of the means of few runs: [`Scale::Log`], then [`Scale::Linear`].
    ///
    /// The weights are those of [`Self::given`] the pooled variance of the runs; the curve is the mixture of normal
    /// distributions around the change seen. It is meant for two runs each.
    ///
    /// # Errors
    ///
    /// [`Undefined::NotPositive`] where a value is 0 or below, [`Undefined::OutOfRange`].
    ///
    /// # Examples
    ///
    /// ```
    /// use beyondnoise_stats::{NoiseMixture, Sample};
    ///
    /// let noise = NoiseMixture::new(&[1.0; 16]).unwrap();
    /// let two = |a, b| Sample::new(vec![a, b]).unwrap();
    /// let [log, _] = noise.curves(&two(100.0, 100.1), &two(105.0, 105.2));
    /// assert!(log.unwrap().p_value(0.0) < 0.05);
    /// ```
    pub fn curves(&self, baseline: &Sample, candidate: &Sample) -> Curves {
        [Scale::Log, Scale::Linear].map(|scale| {
            if !(baseline.is_positive() && candidate.is_positive()) {
                return Err(Undefined::NotPositive);
            }
            let own = pooled_cv(baseline, candidate);
            let own = own.map(|(cv, df)| Variance { value: cv * cv, df: df as f64 });
            let mixture = own.map_or(*self, |own| self.given(own));
            let means = [baseline, candidate].map(|sample| mean(sample.sorted()));
            let (estimate, unit) = match scale {
                Scale::Log => {
                    ((means[1] / means[0]).ln(), of_means((baseline.runs(), candidate.runs())))
                }
                Scale::Linear => {
                    let part = |mean: f64, runs: usize| mean / (runs as f64).sqrt();
                    let [a, b] = means;
                    (b - a, part(a, baseline.runs()).hypot(part(b, candidate.runs())))
                }
            };
            let differences = mixture.differences(unit);
            let value = differences.standard_deviation();
            if !(estimate.is_finite() && value.is_finite() && value > 0.0) {
                return Err(Undefined::OutOfRange);
            }
            let error = StandardError { value, df: f64::INFINITY, own: 0.0 };
            Ok(Curve::new(estimate, error, Shape::Mixture(Arc::new(differences))))
        })
    }
}
