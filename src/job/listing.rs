//! The runs that were read, and the readable formats, as JSON documents.

use serde_json::{Value, json};

use crate::metrics::Metric;
use crate::read::{Format, formats};
use crate::runs::{Dataset, Requests, Variant};

/// The document `beyondnoise-show/1`: the inputs, and all runs with their metrics and their places in the inputs.
pub fn listing(dataset: &Dataset) -> Value {
    let inputs: Vec<Value> = dataset
        .inputs
        .iter()
        .map(|input| {
            let format = formats().find(|format| Some(format.name) == input.format);
            let tables = input.tables.iter();
            let tables: Vec<Value> =
                tables.map(|one| json!({"where": one.place, "columns": one.columns})).collect();
            json!({
                "path": input.path, "format": input.format,
                "recognised_by": format.map(|format| format.recognised_by),
                "runs": input.runs, "columns": input.columns(), "tables": tables, "skipped": input.skipped
            })
        })
        .collect();
    let groups: Vec<Value> = dataset
        .groups
        .iter()
        .map(|group| {
            let variants: Vec<Value> = group.variants.iter().map(variant).collect();
            let twins = group.duplicates.iter();
            let twins: Vec<Value> = twins
                .map(|t| json!({"kept": t.kept.to_string(), "dropped": t.dropped.to_string()}))
                .collect();
            json!({"workload": group.workload, "variants": variants, "duplicates": twins})
        })
        .collect();
    json!({"schema": "beyondnoise-show/1", "inputs": inputs, "read_as": dataset.read_as(), "repeats": dataset.said, "groups": groups})
}

fn variant(variant: &Variant) -> Value {
    let runs: Vec<Value> = variant
        .runs
        .iter()
        .map(|run| {
            let metrics: serde_json::Map<String, Value> = run
                .metrics
                .iter()
                .map(|(name, value)| {
                    let metric = Metric::named(name);
                    let entry = json!({
                        "value": value.value, "unit": metric.unit.symbol(), "better": metric.better
                    });
                    (name.to_owned(), entry)
                })
                .collect();
            let claims: Vec<&str> = run.info.claims.iter().map(|claim| claim.text.as_str()).collect();
            json!({
                "source": run.source.to_string(), "name": run.name, "started": run.info.started,
                "completed": run.info.completed, "failed": run.info.failed, "output_tokens": run.info.output_tokens,
                "requests_with_detail": run.requests.as_deref().map(Requests::count),
                "metrics": metrics, "claims": claims
            })
        })
        .collect();
    let failed = variant.failed.iter();
    let failed: Vec<Value> = failed
        .map(|run| {
            json!({
                "source": run.source.to_string(), "name": run.name, "started": run.info.started,
                "reason": run.info.failure
            })
        })
        .collect();
    json!({"name": variant.name, "runs": runs, "failed": failed})
}

/// The document `beyondnoise-formats/1`: the readable formats, in the order in which they are tried.
pub fn listing_of_formats() -> Value {
    let all: Vec<Value> = formats()
        .map(|Format { name, recognised_by, one_run, metrics, .. }| {
            let metrics: Vec<Value> = metrics
                .iter()
                .map(|metric| {
                    json!({
                        "metric": metric.name, "label": metric.label,
                        "unit": metric.unit.symbol(), "better": metric.better
                    })
                })
                .collect();
            json!({
                "name": name, "recognised_by": recognised_by, "one_run": one_run, "metrics": metrics
            })
        })
        .collect();
    json!({"schema": "beyondnoise-formats/1", "formats": all})
}
