//! Judges values held in memory: no file is read.
//!
//! `cargo run --example in_memory`

#![expect(clippy::print_stdout, reason = "what an example is for")]

use beyondnoise::analysis::analyse;
use beyondnoise::error::Error;
use beyondnoise::policy::Policy;
use beyondnoise::render::markdown;
use beyondnoise::runs::{Dataset, Run};

fn main() -> Result<(), Error> {
    // One value per run: what a run measured inside itself is its own affair.
    let before =
        [24.32, 24.11, 24.29].map(|value| Run::new("before", [("request_throughput", value)]));
    let after =
        [24.52, 24.59, 24.74].map(|value| Run::new("after", [("request_throughput", value)]));
    let runs = before.into_iter().chain(after).collect();

    let dataset = Dataset::assemble(runs, Vec::new());
    let report = analyse(&dataset, Some("before"), None, &Policy::default())?;

    println!("{}", markdown(&report));
    for metric in &report.comparisons[0].metrics {
        println!("{}: {:?}", metric.metric, metric.verdict);
    }
    Ok(())
}

#[test]
fn the_example_runs() {
    main().expect("a report");
}
