//! Result files of LLM clients: what is recognised, how many runs, and values as they stand in the files.
//!
//! Expected numbers are those of the file in the unit of the metric, taken from it by hand or by a line of
//! Python such as
//!
//! ```text
//! python3 -c "import json; d = json.load(open(F)); print(d['time_to_first_token']['avg'])"
//! ```
//!
//! The line of each family stands above its values. `data/formats/README.md` says how each file was made.

#![expect(clippy::unreadable_literal, reason = "digits as they stand in the files")]

mod collected;
mod damage;
mod identity;
mod own;
mod refused;
mod samples;

use beyondnoise::error::chain;
use beyondnoise::read::{Options, load};
use beyondnoise::runs::{Dataset, Run};

/// A file, what it is recognised as, its runs, and values: position of the run, metric, value.
struct Expected {
    file: &'static str,
    format: &'static str,
    runs: usize,
    values: &'static [(usize, &'static str, f64)],
}

fn own(path: &str) -> String {
    format!("{}/data/formats/{path}", env!("CARGO_MANIFEST_DIR"))
}

fn read(inputs: &[&str]) -> Result<Dataset, String> {
    let inputs: Vec<String> = inputs.iter().map(|&input| input.to_owned()).collect();
    let loaded = load(&inputs, &Options::default()).map_err(|error| chain(&error))?;
    Ok(loaded.dataset)
}

fn dataset(inputs: &[&str]) -> Dataset {
    read(inputs).unwrap_or_else(|error| panic!("{error}"))
}

/// All runs in the order of the file.
fn runs(dataset: &Dataset) -> Vec<&Run> {
    let mut runs: Vec<&Run> = dataset.runs().map(|(_, _, run)| run).collect();
    runs.sort_by(|a, b| a.source.cmp(&b.source));
    runs
}

#[track_caller]
fn value(run: &Run, metric: &str) -> f64 {
    run.metrics.get(metric).unwrap_or_else(|| panic!("no {metric} in {:?}", run.metrics)).value
}

/// Reads a file and compares it with what is expected of it.
fn check(path: &str, Expected { file, format, runs: count, values }: &Expected) {
    let read = dataset(&[path]);
    assert_eq!(read.inputs[0].format, Some(*format), "{file}");
    let found = runs(&read);
    assert_eq!(found.len(), *count, "{file}");
    assert!(values.len() >= 3 || *count == 0, "{file}: too few values");
    for (run, metric, expected) in *values {
        let found = value(found[*run], metric);
        assert!(
            (found - expected).abs() <= 1e-9 * expected.abs(),
            "{file} run {run} {metric}: {found} is not {expected}"
        );
    }
}
