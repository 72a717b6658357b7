//! Values of single requests, on their way to what their run keeps of them.
//!
//! A run may have millions of gaps between tokens. Only the figures of the run and their standard errors are needed
//! later, so both are computed as the run is read, and the values are dropped.

use std::collections::BTreeSet;

use crate::kit::numbers::give_back;
use beyondnoise_model::metrics::{Metric, Statistic};
use beyondnoise_model::runs::{Figure, Metrics, QUANTILE_LEVELS, Requests};
use beyondnoise_stats::{
    binned_quantiles, mean, mean_standard_error, quantile, quantile_standard_error, sort_near,
};

/// Values of the successful requests of one run, in the order of the file.
#[derive(Default)]
#[expect(clippy::struct_field_names, reason = "the unit belongs to the name")]
pub(crate) struct Detail {
    /// Time to first token in milliseconds.
    pub(crate) ttft_ms: Vec<f64>,
    /// Time per output token after the first in milliseconds, of requests with two tokens or more.
    pub(crate) tpot_ms: Vec<f64>,
    /// Gaps between chunks in milliseconds, pooled over the requests.
    pub(crate) itl_ms: Vec<f64>,
    /// End-to-end latency in milliseconds.
    pub(crate) e2el_ms: Vec<f64>,
}

/// Sums over the requests of a run that no file sums up.
#[derive(Default)]
pub(crate) struct RequestSums {
    /// Values of the successful ones.
    pub(crate) requests: Detail,
    pub(crate) completed: u64,
    pub(crate) failed: u64,
    /// Tokens of the prompts and of the answers.
    pub(crate) input: u64,
    pub(crate) output: u64,
}

impl Detail {
    /// The values of each latency, by the stem of its metrics.
    pub(crate) fn latencies(&mut self) -> [(&'static str, &mut Vec<f64>); 4] {
        [
            ("ttft", &mut self.ttft_ms),
            ("tpot", &mut self.tpot_ms),
            ("itl", &mut self.itl_ms),
            ("e2el", &mut self.e2el_ms),
        ]
    }

    /// Keeps the mean, median and P99 of each latency, and its quantiles in `metrics`.
    ///
    /// A latency with a value that is not a number is skipped.
    pub(crate) fn reduce(mut self, metrics: &Metrics) -> Requests {
        let mut requests = Requests::default();
        for (stem, values) in self.latencies() {
            if !values.is_empty() && all_finite(values) {
                requests.counts.insert(stem.to_owned(), values.len());
                requests
                    .quantiles
                    .insert(stem.to_owned(), binned_quantiles(values, &QUANTILE_LEVELS));
                requests.figures.extend(figures(stem, values, metrics));
            }
        }
        give_back(self.itl_ms);
        requests
    }
}

/// Figures of one latency by name; `values` are finite, and lose their order.
fn figures(stem: &str, values: &mut [f64], metrics: &Metrics) -> Vec<(String, Figure)> {
    let ending = format!("_{stem}_ms");
    // Not `steady_state_mean_ttft_ms`, which is of a part of the requests.
    let of_all = |name: &&str| name.strip_suffix(&ending).is_some_and(|word| !word.contains('_'));
    let printed = metrics.keys().filter(of_all).map(str::to_owned);
    let names: BTreeSet<String> = ["mean", "median", "p99"]
        .map(|word| format!("{word}{ending}"))
        .into_iter()
        .chain(printed)
        .collect();
    let asked: Vec<(String, Statistic)> = names
        .into_iter()
        .map(|name| {
            let statistic = Metric::named(&name).statistic;
            (name, statistic)
        })
        .collect();
    let level = |statistic: Statistic| match statistic {
        Statistic::Median => Some(0.5),
        Statistic::Quantile(q) => Some(q),
        _ => None,
    };
    // The mean first: its error is read from the order of time, which the quantiles undo.
    let of_mean = Figure { value: mean(values), standard_error: mean_standard_error(values) };
    let levels: Vec<f64> = asked.iter().filter_map(|(_, statistic)| level(*statistic)).collect();
    sort_near(values, &levels);
    let figure = |statistic: Statistic| match level(statistic) {
        Some(q) => {
            let standard_error = quantile_standard_error(values, q);
            Some(Figure { value: quantile(values, q), standard_error })
        }
        None => (statistic == Statistic::Mean).then_some(of_mean),
    };
    asked
        .into_iter()
        .filter_map(|(name, statistic)| {
            let Figure { value, standard_error } = figure(statistic)?;
            let standard_error = standard_error.filter(|error| error.is_finite());
            Some((name, Figure { value, standard_error }))
        })
        .collect()
}

/// Whether all values are numbers; no way out early, which is faster for the many files where they are.
pub(crate) fn all_finite(values: &[f64]) -> bool {
    values.iter().fold(true, |all, value| all & value.is_finite())
}
