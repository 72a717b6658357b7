//! Ingest as its users see it: files in, labelled runs out.

#![expect(clippy::float_cmp, reason = "what was read is what was written, to the last bit")]

mod alike;
mod around_blocks;
mod beside;
mod blocks;
mod cells;
mod clients;
mod compact;
mod compared;
mod copies;
mod evidence;
mod headings;
mod inputs;
mod layouts;
mod nested;
mod own_data;
mod pasted;
mod request_rows;
mod shapes;
mod small;
mod tables;
mod threads;
mod together;
mod units;

use beyondnoise::read::{Loaded, Options, load};
use beyondnoise::runs::{Dataset, Group, Run};

/// A path below the project.
fn own(path: &str) -> String {
    format!("{}/{path}", env!("CARGO_MANIFEST_DIR"))
}

fn fixture(path: &str) -> String {
    own(&format!("tests/fixtures/{path}"))
}

fn try_load(inputs: &[&str]) -> Result<Loaded, beyondnoise::error::Error> {
    let inputs: Vec<String> = inputs.iter().map(|&input| input.to_owned()).collect();
    load(&inputs, &Options::default())
}

fn dataset(inputs: &[&str]) -> Dataset {
    try_load(inputs).expect("readable inputs").dataset
}

/// Folder with files made for one test.
struct Files(tempfile::TempDir);

impl Files {
    fn new(files: &[(&str, &str)]) -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        for (name, content) in files {
            let path = folder.path().join(name);
            std::fs::create_dir_all(path.parent().expect("in the folder")).expect("a folder");
            std::fs::write(path, content).expect("a file");
        }
        Self(folder)
    }

    fn path(&self, name: &str) -> String {
        self.0.path().join(name).display().to_string()
    }
}

/// Text of one file, read through a file of this name.
fn read_text(name: &str, content: &str) -> Dataset {
    let files = Files::new(&[(name, content)]);
    dataset(&[&files.path(name)])
}

/// The labels of the variants, sorted.
fn labels(read: &Dataset) -> Vec<String> {
    let mut all: Vec<String> = read.variant_names().iter().map(|name| (*name).to_owned()).collect();
    all.sort();
    all
}

/// The claims of all runs: their variant, their text and the size of the change.
fn claims(read: &Dataset) -> Vec<(String, String, f64)> {
    let of = |run: &&Run| -> Vec<(String, String, f64)> {
        let own = run.info.claims.iter();
        own.map(|claim| (run.variant.clone(), claim.text.clone(), claim.size)).collect()
    };
    runs(read).iter().flat_map(of).collect()
}

fn runs(dataset: &Dataset) -> Vec<&Run> {
    dataset.runs().map(|(_, _, run)| run).collect()
}

/// Names of the variants of a group with their numbers of runs.
fn counts(group: &Group) -> Vec<(&str, usize)> {
    group.variants.iter().map(|variant| (variant.name.as_str(), variant.runs.len())).collect()
}

/// The value of a metric of a run.
fn value(run: &Run, metric: &str) -> f64 {
    run.metrics.get(metric).unwrap_or_else(|| panic!("no {metric} in {:?}", run.metrics)).value
}

/// Variant and value of the metric whose name has these letters, in the order of the text.
fn seen(read: &Dataset, metric: &str) -> Vec<(String, f64)> {
    let named = |name: &str| name.to_lowercase().contains(metric);
    let value = |run: &Run| run.metrics.iter().find(|(name, _)| named(name)).map(|(_, v)| v.value);
    let mut all: Vec<&Run> = runs(read);
    all.sort_by_key(|run| run.source.position);
    all.iter().filter_map(|run| Some((run.variant.clone(), value(run)?))).collect()
}

/// Reads a text and holds what was seen against the expected values.
#[track_caller]
fn are(text: &str, metric: &str, expected: &[(&str, f64)]) -> Dataset {
    let read = read_text("t.md", text);
    let expected: Vec<(String, f64)> =
        expected.iter().map(|(name, value)| ((*name).to_owned(), *value)).collect();
    assert_eq!(seen(&read, metric), expected, "{text}");
    read
}

#[track_caller]
fn close(a: f64, b: f64) {
    assert!((a - b).abs() <= 1e-9 * b.abs().max(1.0), "{a} is not {b}");
}

/// A block as vLLM prints it, of 10 requests with this mean TTFT.
fn block(cap: Option<u32>, duration: f64, ttft: f64) -> String {
    let cap =
        cap.map_or(String::new(), |cap| line("Maximum request concurrency:", &cap.to_string()));
    let rows = [
        line("Successful requests:", "10"),
        line("Failed requests:", "0"),
        cap,
        line("Benchmark duration (s):", &format!("{duration:.2}")),
        line("Total input tokens:", "320"),
        line("Total generated tokens:", "160"),
        line("Mean TTFT (ms):", &format!("{ttft:.2}")),
        line("P99 TTFT (ms):", &format!("{:.2}", ttft * 2.0)),
    ];
    format!("{TITLE}\n{}{}\n", rows.concat(), "=".repeat(50))
}

const TITLE: &str = "============ Serving Benchmark Result ============";

/// Label padded to 40 columns and value to 10, as the clients print them.
fn line(label: &str, value: &str) -> String {
    format!("{label:<40} {value:<10}\n")
}

/// The largest number of runs of one variant in one cell.
fn most(read: &Dataset) -> usize {
    let variants = read.groups.iter().flat_map(|group| &group.variants);
    variants.map(|variant| variant.runs.len()).max().unwrap_or_default()
}

/// Variants, cells and most runs of a text.
fn shape(text: &str) -> (Vec<String>, usize, usize) {
    let read = read_text("t.md", text);
    let names = read.variant_names().into_iter().map(str::to_owned).collect();
    (names, read.groups.len(), most(&read))
}

fn of(names: [&str; 2], groups: usize, most: usize) -> (Vec<String>, usize, usize) {
    (names.map(str::to_owned).to_vec(), groups, most)
}
