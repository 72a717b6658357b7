//! The noise that a history holds.

use std::collections::BTreeSet;

use crate::format::counted;
use crate::metrics::{Metric, rank};
use crate::noise_prior::NoisePool;
use crate::policy::NoiseFrom;
use crate::report::document::{Block, Document, Role, Table, Tone};
use crate::runs::{Dataset, Group, Skipped};

/// The noise of each metric by workload, and the noise prior that it gives for a single run: `history show`.
pub fn noise_of_each_metric(history: &Dataset) -> Document<'static> {
    let nothing = Dataset::default();
    let pool = NoisePool::collect(&nothing, Some(history), NoiseFrom::Auto);
    let runs = |group: &Group| group.variants.iter().map(|variant| variant.runs.len()).sum();
    let all: usize = history.groups.iter().map(runs).sum();
    let mut blocks = Vec::new();
    for group in &history.groups {
        let head = format!("{}: {}", group.workload.describe(), counted(runs(group), "run"));
        blocks.push(Block::heading(2, head));
        let rows = noise_rows(&pool, group);
        blocks.push(if rows.is_empty() {
            Block::text(Role::Plain, "no variant with two runs")
        } else {
            let head = ["metric", "run-to-run CV", "df", "noise prior, n = 1"].map(str::to_owned);
            Block::Table(Table::of_numbers("noise of each metric", head.into(), rows))
        });
    }
    let skipped = history.inputs.iter().flat_map(|input| {
        let line = |Skipped { place, why }: &Skipped| {
            Block::text(Role::Item, format!("skipped: {}, {place}: {why}", input.path))
        };
        input.skipped.iter().map(line)
    });
    blocks.extend(skipped);
    let workloads = counted(history.groups.len(), "workload");
    Document {
        program: "beyondnoise history",
        marker: None,
        tone: Tone::Calm,
        title: format!("{} of {workloads}", counted(all, "run")).into(),
        quiet: Vec::new(),
        blocks,
    }
}

/// A row for each metric with repeats: its CV, degrees of freedom and noise prior.
fn noise_rows(pool: &NoisePool, group: &Group) -> Vec<Vec<String>> {
    let runs = group.variants.iter().flat_map(|variant| &variant.runs);
    let names: BTreeSet<&str> = runs.flat_map(|run| run.metrics.keys()).collect();
    let mut names: Vec<&str> = names.into_iter().collect();
    names.sort_by_key(|name| (rank(name), *name));
    let percent = |variance: f64| format!("{:.2} %", variance.sqrt() * 100.0);
    let row = |name: &str| {
        let own = pool.pooled(&group.workload, name)?;
        let prior = pool.prior_for_workload(&group.workload, name);
        let prior = prior.map_or("none".to_owned(), |prior| {
            let variance = prior.prior.variance;
            format!("{} (df {:.1})", percent(variance.value), variance.df)
        });
        let label = Metric::named(name).row_label();
        Some(vec![label, percent(own.value), own.df.to_string(), prior])
    };
    names.into_iter().filter_map(row).collect()
}
