//! The shape of the load: it determines what a metric can show.

use schemars::JsonSchema;
use serde::Serialize;

use crate::runs::Run;
use crate::runs::workload::{Setting, Workload};

/// How requests arrive.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
#[schemars(rename = "Load")]
#[serde(tag = "shape", rename_all = "snake_case")]
pub enum LoadShape {
    /// A fixed number in flight: the next request waits for one to finish.
    Closed {
        /// Most requests in flight.
        #[schemars(extend("exclusiveMinimum" = 0))]
        cap: f64,
    },
    /// All requests at once: time to first token is time in the queue.
    Burst,
    /// Requests arrive at a rate that the server keeps up with.
    Open {
        /// Requests per second offered.
        #[schemars(extend("exclusiveMinimum" = 0))]
        offered: f64,
    },
    /// Requests arrive faster than the server finishes them: latency grows during the test.
    Saturated {
        /// Requests per second offered.
        #[schemars(extend("exclusiveMinimum" = 0))]
        offered: f64,
        /// Requests per second finished, the lowest mean over the variants.
        #[schemars(range(min = 0))]
        achieved: f64,
    },
    /// Not recorded in the files.
    Unknown,
}

impl LoadShape {
    /// The shape of `workload`, given each variant's runs.
    ///
    /// An open loop is saturated if a variant achieves less than `keeps_up` of the offered rate, a fraction.
    pub fn classify(workload: &Workload, variants: &[&[Run]], keeps_up: f64) -> Self {
        let runs = || variants.iter().flat_map(|runs| runs.iter());
        let peak_is_all = workload.requests.is_some_and(|requests| {
            requests > 1
                && runs().next().is_some()
                && runs()
                    .all(|run| run.info.peak_concurrent.is_some_and(|peak| peak >= requests as f64))
        });
        match (&workload.request_rate, &workload.max_concurrency) {
            (&Setting::Value(offered), _) => {
                let achieved = variants.iter().filter_map(|runs| achieved(runs)).reduce(f64::min);
                match achieved {
                    Some(achieved) if achieved < keeps_up * offered => {
                        Self::Saturated { offered, achieved }
                    }
                    Some(_) => Self::Open { offered },
                    None => Self::Unknown,
                }
            }
            (Setting::Unlimited | Setting::Unknown, &Setting::Value(cap)) => {
                let all_fit = workload.requests.is_some_and(|requests| cap >= requests as f64);
                if all_fit { Self::Burst } else { Self::Closed { cap } }
            }
            (Setting::Unlimited, Setting::Unlimited) => Self::Burst,
            _ if peak_is_all => Self::Burst,
            _ => Self::Unknown,
        }
    }

    /// Fraction of the requests that start together in a closed loop.
    pub fn starting_together(self, requests: u64) -> Option<f64> {
        match self {
            Self::Closed { cap } if requests > 0 => Some(cap / requests as f64),
            _ => None,
        }
    }
}

/// Mean request throughput of the runs.
fn achieved(runs: &[Run]) -> Option<f64> {
    let rates: Option<Vec<f64>> =
        runs.iter().map(|run| Some(run.metrics.get("request_throughput")?.value)).collect();
    rates
        .filter(|rates| !rates.is_empty())
        .map(|rates| rates.iter().sum::<f64>() / rates.len() as f64)
}
