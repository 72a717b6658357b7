//! Rows for the atlas from the user's runs: only figures, ready to be published.

use std::collections::BTreeSet;
use std::fmt::Write;

use crate::atlas::{Fitness, MIN_REQUESTS};
use crate::runs::{ACCELERATORS, Dataset, Group, LoadShape, Run, Value, Variant, is_key};
use crate::stats::Sample;

/// Columns of `data/atlas/atlas.csv`.
const HEADER: &str = "source,engine,hardware,model,setup,load_kind,load,requests_per_run,separation,metric,n_runs,sd_log,min_max_ratio";

/// Names of the metrics in the table.
const NAMES: [(&str, &str); 16] = [
    ("output_throughput", "out_tput"),
    ("total_token_throughput", "total_tput"),
    ("request_throughput", "req_tput"),
    ("duration", "duration"),
    ("mean_ttft_ms", "mean_ttft"),
    ("median_ttft_ms", "median_ttft"),
    ("p99_ttft_ms", "p99_ttft"),
    ("mean_tpot_ms", "mean_tpot"),
    ("median_tpot_ms", "median_tpot"),
    ("p99_tpot_ms", "p99_tpot"),
    ("mean_itl_ms", "mean_itl"),
    ("median_itl_ms", "median_itl"),
    ("p99_itl_ms", "p99_itl"),
    ("mean_e2el_ms", "mean_e2el"),
    ("median_e2el_ms", "median_e2el"),
    ("p99_e2el_ms", "p99_e2el"),
];

/// Rows of the atlas as CSV, and the skipped repeats, each with its reason.
///
/// A variant with two or more runs of one workload is a set-up. Its runs need 100 requests each, equal input tokens, the same
/// generated tokens and no failures. `source` names the rows.
pub fn rows(dataset: &Dataset, source: &str, keeps_up: f64) -> (String, Vec<String>) {
    let mut text = format!("{HEADER}\n");
    let mut left_out = Vec::new();
    let mut set_up = 0;
    for group in &dataset.groups {
        for variant in group.variants.iter().filter(|variant| variant.runs.len() > 1) {
            let fitness = Fitness::of(variant, variant);
            if !fitness.is_fit() {
                let load = group.workload.describe();
                left_out.push(format!("{} ({load}): {fitness}", variant.name));
                continue;
            }
            set_up += 1;
            add(&mut text, (source, set_up), group, variant, keeps_up);
        }
    }
    (text, left_out)
}

fn add(
    text: &mut String,
    (source, set_up): (&str, usize),
    group: &Group,
    variant: &Variant,
    keeps_up: f64,
) {
    let workload = &group.workload;
    let shape = LoadShape::classify(workload, &[&variant.runs], keeps_up);
    let (kind, load) = match shape {
        LoadShape::Closed { cap } if cap <= 1.0 => ("single", "c1".to_owned()),
        LoadShape::Closed { cap } => ("closed", format!("c{cap}")),
        LoadShape::Burst => ("burst", "inf".to_owned()),
        LoadShape::Open { offered } | LoadShape::Saturated { offered, .. } => {
            ("open", format!("{offered}rps"))
        }
        LoadShape::Unknown => ("?", "?".to_owned()),
    };
    let known = |names: &[&str]| {
        let of_run = |run: &Run| names.iter().find_map(|name| run.metadata.get(*name).cloned());
        cell(&variant.runs.iter().find_map(of_run).unwrap_or_else(|| "?".to_owned()))
    };
    let engine = known(&["engine", "backend"]);
    let device = |run: &Run| {
        let mut known = Run::known(run).filter(|(key, _)| is_key(ACCELERATORS, key));
        known.next().map(|(_, value)| value.to_owned())
    };
    let hardware = cell(&variant.runs.iter().find_map(device).unwrap_or_else(|| "?".to_owned()));
    let model = cell(workload.model.as_deref().unwrap_or("?"));
    let requests = workload.requests.unwrap_or(MIN_REQUESTS);
    let names: BTreeSet<&str> = variant.runs.iter().flat_map(|run| run.metrics.keys()).collect();
    let measured = NAMES.iter().filter(|(name, _)| names.contains(name));
    for (name, column) in measured {
        let values: Vec<Value> =
            variant.runs.iter().filter_map(|run| run.metrics.get(name).copied()).collect();
        let resolution = values.iter().map(|value| value.resolution).fold(f64::INFINITY, f64::min);
        let numbers: Vec<f64> = values.iter().map(|value| value.value).collect();
        let Ok(sample) = Sample::rounded(numbers, resolution) else { continue };
        let Some(sd) = sample.log_sd() else { continue };
        let (Some(least), Some(most)) = (sample.sorted().first(), sample.sorted().last()) else {
            continue;
        };
        let n = sample.runs();
        let _ = writeln!(
            text,
            "{},{engine},{hardware},{model},{set_up},{kind},{load},{requests},unknown,{column},{n},{sd:.6},{:.5}",
            cell(source),
            most / least
        );
    }
}

/// A text as a cell of CSV without quotes.
fn cell(text: &str) -> String {
    text.replace([',', '"', '\n', '\r'], " ").trim().to_owned()
}
