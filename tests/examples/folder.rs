//! Reads a folder of result files, whatever client wrote them, and answers like a gate.
//!
//! `cargo run --example folder -- data/serving`

#![expect(clippy::print_stdout, clippy::print_stderr, reason = "what an example is for")]

use std::process::ExitCode;

use beyondnoise::analysis::analyse;
use beyondnoise::error::{Error, chain};
use beyondnoise::policy::Policy;
use beyondnoise::read::{Options, load};
use beyondnoise::verdict::Gate;

fn main() -> ExitCode {
    let inputs: Vec<String> = std::env::args().skip(1).collect();
    match passes(&inputs) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("{}", chain(&error));
            ExitCode::from(2)
        }
    }
}

/// Whether nothing became worse by more than 3 %.
fn passes(inputs: &[String]) -> Result<bool, Error> {
    let policy = Policy { tolerance: 0.03, ..Policy::default() };
    let loaded = load(inputs, &Options::default())?;
    let report = analyse(&loaded.dataset, None, loaded.assumed_base.as_deref(), &policy)?;
    for comparison in &report.comparisons {
        println!("{}", comparison.summary);
    }
    Ok(report.comparisons.iter().all(|comparison| comparison.gate == Gate::Pass))
}

#[test]
fn the_known_improvement_passes_and_the_reverse_does_not() {
    let both = |before: &str, after: &str| [format!("before={before}"), format!("after={after}")];
    let (slow, fast) = ("data/serving/before", "data/serving/after");
    assert!(passes(&both(slow, fast)).expect("a verdict"));
    assert!(!passes(&both(fast, slow)).expect("a verdict"));
}
