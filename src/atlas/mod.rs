//! The noise atlas: how much two runs of one unchanged build differ in published serving benchmarks.
//!
//! It is a prior with a name, never the user's noise. The table of set-ups is `data/atlas/atlas.csv`. The program needs its
//! part `data/atlas/fitted.csv`, which `cargo calibration --atlas` writes. [`Fitness`] decides whether a comparison may use it,
//! and gives the reason if not; [`Grade`] is the result for one run each.

mod fitness;
mod grade;
mod outside;
mod rows;

use std::sync::LazyLock;

use schemars::JsonSchema;
use serde::Serialize;

use crate::metrics::Metric;
use crate::runs::LoadShape;
use crate::stats::NoiseMixture;

pub use fitness::{Fitness, MIN_REQUESTS};
pub use grade::{Grade, PublishedRow};
pub use outside::outside;
pub use rows::rows;

/// Version of the fitted part: another version gives other numbers for the same runs.
pub const VERSION: u32 = 1;

/// The fitted part: a line for each metric and each source.
const FITTED: &str = include_str!("../../data/atlas/fitted.csv");

/// Shares of the set-ups, with equal weight for each source, at which the noise is given.
pub const SHARES: [f64; 11] = [0.1, 0.2, 0.25, 0.3, 0.4, 0.5, 0.6, 0.7, 0.75, 0.8, 0.9];

/// Positions of the quartiles and the median among [`SHARES`].
const QUARTILES: [usize; 3] = [2, 5, 8];

/// Published noise of one metric.
#[derive(Clone, Debug, PartialEq)]
pub struct Published {
    /// Name of the metric.
    pub metric: &'static str,
    /// Number of sources with repeats.
    pub sources: usize,
    /// Number of their set-ups: engine, hardware, model and load.
    pub set_ups: usize,
    /// Run-to-run CVs, fractions; at each of [`SHARES`], this share of the set-ups has a smaller CV.
    pub cvs: [f64; SHARES.len()],
    /// The fitted noise.
    pub noise: NoiseMixture,
}

/// A source of published repeats.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Source {
    /// Its name in the table.
    pub name: &'static str,
    /// Repository of the publication.
    pub repository: &'static str,
    /// Its licence; empty if it is not known.
    pub licence: &'static str,
    /// Number of its set-ups with runs of at least 100 requests.
    #[serde(rename = "setups")]
    #[schemars(range(min = 1))]
    pub set_ups: usize,
}

/// The metrics with a fit; the first deciding one is graded.
static PUBLISHED: LazyLock<Vec<Published>> = LazyLock::new(|| {
    let lines = FITTED.lines().filter_map(|line| line.strip_prefix("metric,"));
    lines.filter_map(published_line).collect()
});

static SOURCES: LazyLock<Vec<Source>> = LazyLock::new(|| {
    let lines = FITTED.lines().filter_map(|line| line.strip_prefix("source,"));
    lines.filter_map(source_line).collect()
});

/// Reads `output_throughput,11,511,0.1 0.2 ...,2358 3683 ...`: sources, set-ups, CVs in percent, weights.
fn published_line(line: &'static str) -> Option<Published> {
    let fields: Vec<&str> = line.split(',').collect();
    let &[metric, sources, set_ups, cvs, weights] = &fields[..] else { return None };
    let numbers = |text: &str| -> Option<Vec<f64>> {
        text.split(' ').map(|number| number.parse().ok()).collect()
    };
    Some(Published {
        metric,
        sources: sources.parse().ok()?,
        set_ups: set_ups.parse().ok()?,
        cvs: <[f64; SHARES.len()]>::try_from(numbers(cvs)?).ok()?.map(|percent| percent / 100.0),
        noise: NoiseMixture::new(&numbers(weights)?)?,
    })
}

/// Reads `confgpu_ispass,bearhw/...,MIT,155`.
fn source_line(line: &'static str) -> Option<Source> {
    let fields: Vec<&str> = line.split(',').collect();
    let &[name, repository, licence, set_ups] = &fields[..] else { return None };
    Some(Source { name, repository, licence, set_ups: set_ups.parse().ok()? })
}

/// The published noise of all metrics with a fit.
pub fn published() -> &'static [Published] {
    &PUBLISHED
}

/// The sources of the fit.
pub fn sources() -> &'static [Source] {
    &SOURCES
}

/// Names for each metric with a fit: the rates of one fixed workload and its duration are one metric.
const NAMES: [(&str, &[&str]); 4] = [
    ("output_throughput", &["output_throughput", "duration", "request_throughput"]),
    ("mean_ttft_ms", &["mean_ttft_ms"]),
    ("mean_tpot_ms", &["mean_tpot_ms", "mean_itl_ms"]),
    ("p99_tpot_ms", &["p99_tpot_ms"]),
];

impl Published {
    /// The published noise of the metric with this name, for any load; `None` for all but four.
    pub fn of(name: &str) -> Option<&'static Self> {
        let (fitted, _) = NAMES.iter().find(|(_, names)| names.contains(&name))?;
        published().iter().find(|published| published.metric == *fitted)
    }

    /// The published noise of a metric under a load; `None` for throughput in an open loop that keeps up, since that is the
    /// offered rate.
    pub fn under(load: LoadShape, name: &str) -> Option<&'static Self> {
        let published = Self::of(name)?;
        let offered = matches!(load, LoadShape::Open { .. }) && published.is_throughput();
        (!offered).then_some(published)
    }

    /// Whether it is the noise of throughput and duration.
    pub fn is_throughput(&self) -> bool {
        self.metric == NAMES[0].0
    }

    /// Its name in sentences: `throughput`, `mean TTFT`.
    pub fn label(&self) -> String {
        if self.is_throughput() {
            "throughput".to_owned()
        } else {
            Metric::named(self.metric).label
        }
    }

    /// The CVs, fractions, of the middle half of the set-ups.
    pub fn usual(&self) -> [f64; 2] {
        [self.cvs[QUARTILES[0]], self.cvs[QUARTILES[2]]]
    }

    /// The median CV of the set-ups, a fraction.
    pub fn median(&self) -> f64 {
        self.cvs[QUARTILES[1]]
    }

    /// How many of ten published set-ups are surely noisier than a CV, a fraction: 0 to 9, from the nine deciles.
    pub fn noisier_of_ten(&self, cv: f64) -> usize {
        let tenths = (1..10).map(|tenth| f64::from(tenth) / 10.0);
        let level = |share: f64| SHARES.iter().position(|known| (known - share).abs() < 1e-9);
        let below = tenths.filter_map(level).filter(|at| self.cvs[*at] <= cv).count();
        9 - below.min(9)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The file is embedded in every executable and page.
    #[test]
    fn the_fitted_part_is_small_and_read_in_full() {
        assert!(FITTED.len() < 2048, "{} bytes", FITTED.len());
        let version = format!("version,{VERSION}");
        assert_eq!(FITTED.lines().next(), Some(&*version));
        assert_eq!(1 + published().len() + sources().len(), FITTED.lines().count());
        assert!(published().iter().all(|one| one.cvs.is_sorted() && one.cvs[0] > 0.0));
        let fitted: Vec<&str> = published().iter().map(|one| one.metric).collect();
        assert_eq!(fitted, NAMES.map(|(name, _)| name));
    }

    /// METHODS of the rule: sources and set-ups of each metric, and the change at 5 %.
    #[test]
    fn the_fit_is_the_one_that_was_published() {
        let expected = [(11, 511, 0.089), (8, 488, 0.36), (8, 486, 0.094), (6, 164, 0.16)];
        for (one, (sources, set_ups, at_five)) in published().iter().zip(expected) {
            assert_eq!((one.sources, one.set_ups), (sources, set_ups), "{}", one.metric);
            let change = one.noise.change_at(0.05, (1, 1)).exp_m1();
            assert!((change / at_five - 1.0).abs() < 0.01, "{}: {change}", one.metric);
        }
    }

    #[test]
    fn a_cv_has_a_place_among_ten() {
        let throughput = Published::of("duration").unwrap();
        assert_eq!(throughput.noisier_of_ten(0.0), 9);
        assert_eq!(throughput.noisier_of_ten(1.0), 0);
        assert_eq!(throughput.noisier_of_ten(throughput.median()), 4);
        assert_eq!(throughput.noisier_of_ten(throughput.median() * 0.999), 5);
        let noisier: Vec<usize> =
            (0..200).map(|n| throughput.noisier_of_ten(f64::from(n) / 2000.0)).collect();
        assert!(noisier.is_sorted_by(|a, b| a >= b));
    }
}
