//! The settings and the inputs as the report shows them.

use crate::metrics::Statistic;
use crate::policy::{NoiseFrom, Policy};
use crate::report::{Comparison, InputRow, LookRow, MarginRow, Settings, SkippedRow};
use crate::runs::Dataset;
use crate::stats::{Across, Method};

pub(super) fn settings(policy: &Policy, comparisons: &[Comparison]) -> Settings {
    let margins = comparisons
        .iter()
        .flat_map(|comparison| &comparison.metrics)
        .map(|row| {
            let margin = policy.margin(&policy.metric(&row.metric));
            (row.metric.clone(), MarginRow { relative: margin.relative, absolute: margin.absolute })
        })
        .collect();
    Settings {
        confidence: policy.confidence,
        method: match policy.method {
            Method::Calibrated => "calibrated",
            Method::Percentile => "percentile",
            Method::Bca => "bca",
            Method::Welch => "welch",
        },
        resamples: policy.resampling.count,
        seed: policy.resampling.seed,
        across: match policy.across {
            Across::Mean => "mean".to_owned(),
            Across::Median => "median".to_owned(),
            Across::Quantile(q) => Statistic::Quantile(q).word(),
            Across::HodgesLehmann => "hodges-lehmann".to_owned(),
        },
        noise: match policy.noise {
            NoiseFrom::Auto => "auto",
            NoiseFrom::Batch => "batch",
            NoiseFrom::Own => "own",
            NoiseFrom::Variants => "variants",
        },
        paired: policy.paired,
        look: policy.look.map(|look| LookRow {
            number: look.number,
            of: look.of,
            overall_confidence: look.overall,
        }),
        margins,
        tolerance: policy.tolerance,
        checks: policy.thresholds,
    }
}

pub(super) fn inputs(dataset: &Dataset) -> Vec<InputRow> {
    let skipped = |input: &crate::runs::Input| {
        let rows = input.skipped.iter();
        rows.map(|s| SkippedRow { place: s.place.clone(), why: s.why.clone() }).collect()
    };
    dataset
        .inputs
        .iter()
        .map(|input| InputRow {
            path: input.path.clone(),
            format: input.format,
            runs: input.runs,
            skipped: skipped(input),
        })
        .collect()
}
