//! One workload at several loads: the change at each, and one statement about all of them.

use schemars::JsonSchema;
use serde::Serialize;

use crate::report::{CapacityRow, Comparison, GradesRow, Report, SharedRow};
use crate::runs::Workload;
use crate::units::Better;
use crate::verdict::Headline;

/// A baseline and a candidate under one workload at several loads.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct SweepRow {
    /// Setting in which the loads differ: `max_concurrency`, `request_rate`, or a column.
    pub along: String,
    /// The settings that all loads share.
    pub workload: Workload,
    /// Label of the baseline.
    pub baseline: String,
    /// Label of the candidate.
    pub candidate: String,
    /// The verdict on the deciding metrics of all loads.
    pub headline: Headline,
    /// The statement that holds of all loads together, at the confidence of the report.
    #[schemars(length(min = 1))]
    pub summary: String,
    /// Tests that the deciding metrics were corrected for: loads times metrics.
    pub tests: usize,
    /// The loads, the smallest first; one without limit comes last.
    #[schemars(length(min = 2))]
    pub points: Vec<PointRow>,
    /// Loads at which only one of the two was measured, the smallest first.
    pub alone: Vec<AloneRow>,
    /// The metrics that decide at any load, the leading one first.
    pub metrics: Vec<CurveRow>,
    /// The answer of published repeats for the loads with one run each; null where there is none with a metric of the atlas.
    pub atlas: Option<GradesRow>,
    /// The change that all loads share, for each deciding metric; empty for single runs.
    pub shared: Vec<SharedRow>,
    /// The throughput at which the limits of `--slo` hold, and its change; null without limits.
    pub capacity: Option<CapacityRow>,
}

/// A load of a sweep.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct PointRow {
    /// The load; null where it has no limit.
    pub load: Option<f64>,
    /// Position of its comparison in `comparisons`, from 0.
    pub comparison: usize,
}

/// A load at which only one variant was measured.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "LoadOfOne")]
#[non_exhaustive]
pub struct AloneRow {
    /// The load; null where it has no limit.
    pub load: Option<f64>,
    /// The variant that was measured.
    pub variant: String,
}

/// A metric over the loads of a sweep.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct CurveRow {
    /// Canonical name.
    pub metric: String,
    /// Name in sentences.
    pub label: String,
    /// Name in tables; holds the unit.
    #[serde(skip)]
    pub row_label: String,
    /// Unit of its values; empty for a count.
    pub unit: &'static str,
    /// Direction of improvement; null if not known.
    pub better: Option<Better>,
    /// Where it is better or worse, in words; empty where no load was judged.
    pub statement: String,
    /// The two loads between which its change turns; null unless both signs are shown.
    pub crossing: Option<[f64; 2]>,
    /// Bands of the baseline's and the candidate's curve, one interval per point. Both whole curves are inside with the
    /// confidence of the report. Null without noise to compute a band from.
    pub bands: [Vec<Option<[f64; 2]>>; 2],
}

impl SweepRow {
    /// The comparisons of its points, in their order.
    pub(crate) fn comparisons<'a>(
        &self,
        all: &'a [Comparison],
    ) -> impl Iterator<Item = &'a Comparison> {
        self.points.iter().map(|point| &all[point.comparison])
    }
}

impl Report {
    /// Positions of the comparisons that are loads of a sweep.
    pub(crate) fn swept(&self) -> impl Iterator<Item = usize> {
        let points = self.sweeps.iter().flat_map(|sweep| &sweep.points);
        points.map(|point| point.comparison)
    }
}
