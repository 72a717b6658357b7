//! llama.cpp's `llama-bench`: `-o json`, `jsonl` and `csv`. The markdown table is in `llama_bench_md.rs`.
//!
//! Replicate: an object or row, which is one test of one process. Its `samples_ts` (`-r`, 5 by default)
//! are iterations of that process and make one run. People wrap the list into an object of their own. Prompt
//! processing (`pp`) is input throughput, generation (`tg`) is output throughput, both together are the total.

use std::borrow::Cow;
use std::sync::Arc;

use crate::kit::prelude::*;
use crate::kit::varying;

pub(crate) const JSON: Reader = Reader {
    name: "llama-bench json",
    recognised_by: "keys n_prompt, n_gen and avg_ts, also in a text that a JSON value holds",
    one_run: "an object; its samples are iterations of one process",
    metrics: THROUGHPUTS,
    recognise: |content, _| {
        json_with(content, MARKS)
            || json_with(content, &[])
                && MARKS.iter().all(|key| near(content, &format!("\\\"{key}\\\"")))
    },
    read: |content, options| Reading::of(content, options, json),
    ..Reader::EMPTY
};

pub(crate) const CSV: Reader = Reader {
    name: "llama-bench csv",
    marks: Marks::Header(&["build_commit", "n_prompt", "n_gen", "avg_ts"]),
    one_run: "a row, which is one test of one process",
    metrics: THROUGHPUTS,
    read: |content, options| Reading::of(content, options, csv),
    ..Reader::EMPTY
};

/// Keys that every test has.
const MARKS: &[&str] = &["n_prompt", "n_gen", "avg_ts"];

pub(crate) const THROUGHPUTS: &[&str] =
    &["input_throughput", "output_throughput", "total_token_throughput"];

/// Keys that are results, times, or the test itself; all others are the configuration.
const NOT_SETTINGS: &[&str] = &[
    "build_number",
    "test_time",
    "avg_ns",
    "stddev_ns",
    "avg_ts",
    "stddev_ts",
    "samples_ns",
    "samples_ts",
    "n_prompt",
    "n_gen",
    "n_depth",
    "model_type",
    "model_size",
    "model_n_params",
];

fn json(file: &mut Reading) -> Result<(), Error> {
    let tests: Vec<Node> = file.trees()?.iter().flat_map(tests_of).collect();
    runs(file, &tests, ("object", 1))
}

fn csv(file: &mut Reading) -> Result<(), Error> {
    let mut tests = Vec::new();
    for row in file.csv_rows()? {
        let row = row?;
        let cell = |(name, text): (&str, &str)| {
            let word = || Node::Str(text.to_owned().into());
            (Cow::Owned(name.to_owned()), text.parse().map_or_else(|_| word(), Node::Float))
        };
        tests.push(Node::Object(Arc::new(row.cells().map(cell).collect())));
    }
    runs(file, &tests, ("line", 2))?;
    file.needs_rows()
}

/// The tests of an object: the object itself, or the tests under any key of an object that a user made. They are a
/// list, or text of one, and each gets the texts of the object as further settings.
fn tests_of(root: &Node) -> Vec<Node> {
    if root.has("avg_ts") {
        return vec![root.clone()];
    }
    let words: Vec<_> = root
        .entries("")
        .iter()
        .filter(|(_, node)| node.text("").is_some_and(|text| !text.contains("avg_ts")))
        .collect();
    let with_words = |test: &Node| {
        let mut entries = test.entries("").to_vec();
        let more = words.iter().filter(|(key, _)| test.at(key).is_none());
        entries.extend(more.map(|entry| (*entry).clone()));
        Node::Object(Arc::new(entries))
    };
    let below = |node: &Node| match node {
        Node::Array(items) => items.to_vec(),
        Node::Str(text) => objects("", text.as_bytes()).unwrap_or_default(),
        other => vec![other.clone()],
    };
    let nodes = root.entries("").iter().flat_map(|(_, node)| below(node));
    let tests: Vec<Node> =
        nodes.filter(|node| node.has("avg_ts")).map(|test| with_words(&test)).collect();
    // Missing columns are named.
    if tests.is_empty() { vec![root.clone()] } else { tests }
}

/// The runs of tests, which are counted from `first`.
fn runs(
    file: &mut Reading,
    tests: &[Node],
    (counts, first): (&'static str, usize),
) -> Result<(), Error> {
    let settings: Vec<Vec<(String, String)>> = tests.iter().map(settings).collect();
    // Several builds or configurations in one file are variants; a single one is named by its file.
    let variants = varying::names(&settings);
    for (index, (test, settings)) in tests.iter().zip(settings).enumerate() {
        let mut builder = file.run("llama-bench", index + first, counts);
        let count = |key: &str| test.number(key).unwrap_or(0.0);
        let name = throughput(count("n_prompt"), count("n_gen"));
        builder.metric(name, test.number("avg_ts"));
        for key in ["n_prompt", "n_gen", "n_depth"] {
            builder.load(key, test.shown(key));
        }
        let samples = test.numbers("samples_ts").len();
        if samples > 0 {
            builder.iterations(samples);
        }
        builder.run.workload.model = test.word("model_type");
        builder.run.info.started = test.word("test_time");
        let renamed = settings.into_iter().map(|(key, value)| match key.as_str() {
            "build_commit" => ("build".to_owned(), value),
            _ => (key, value),
        });
        builder.configuration(variants[index].clone(), renamed);
        file.add(builder)?;
    }
    Ok(())
}

/// Which tokens a test counts per second: of the prompt, of the answer, or of both.
pub(crate) fn throughput(prompt: f64, generated: f64) -> &'static str {
    match (prompt > 0.0, generated > 0.0) {
        (true, false) => "input_throughput",
        (false, true) => "output_throughput",
        _ => "total_token_throughput",
    }
}

fn settings(test: &Node) -> Vec<(String, String)> {
    let settings = test.entries("").iter().filter(|(key, _)| !NOT_SETTINGS.contains(&&**key));
    settings.filter_map(|(key, value)| Some((key.to_string(), value.shown("")?))).collect()
}
