//! llama.cpp's `llama-bench`: `-o json`, `jsonl` and `csv`. The markdown table is in `llama_bench_md.rs`.
//!
//! Replicate: an object or row, which is one test of one process. Its `samples_ts` (`-r`, 5 by default)
//! are iterations of that process and make one run. People wrap the list into an object of their own. Prompt processing (`pp`) is input throughput,
//! generation (`tg`) is output throughput, both together are the total.

use crate::error::Error;
use crate::read::json::looks_like_json;
use crate::read::llm::csv_error::{malformed, no_rows};
use crate::read::llm::run_builder::RunBuilder;
use crate::read::llm::tree::{Node, objects};
use crate::read::llm::{json_with, near, varying};
use crate::read::{Content, Found, Options, Reader, contains};

pub(super) const JSON: Reader = Reader {
    name: "llama-bench json",
    recognised_by: "keys n_prompt, n_gen and avg_ts",
    one_run: "an object; its samples are iterations of one process",
    metrics: THROUGHPUTS,
    recognise: |content, _| {
        json_with(content, &["n_prompt", "n_gen", "avg_ts"])
            || looks_like_json(content.bytes())
                && ["n_prompt", "n_gen", "avg_ts"]
                    .iter()
                    .all(|key| near(content, &format!("\\\"{key}\\\"")))
    },
    read: |content, options| {
        let mut tests = Vec::new();
        for tree in objects(content.path, content.bytes(), &[])? {
            if tree.root.has("avg_ts") {
                tests.push(tree.root);
            } else {
                let before = tests.len();
                wrapped(content, &tree.root, &mut tests);
                if tests.len() == before {
                    // Missing columns are named.
                    tests.push(tree.root);
                }
            }
        }
        runs(content, options, &tests, "object", 1)
    },
};

pub(super) const CSV: Reader = Reader {
    name: "llama-bench csv",
    recognised_by: "a header with build_commit, n_prompt, n_gen and avg_ts",
    one_run: "a row, which is one test of one process",
    metrics: THROUGHPUTS,
    recognise: |content, _| {
        let header = content.first_line(1 << 12);
        ["build_commit", "n_prompt", "n_gen", "avg_ts"]
            .iter()
            .all(|name| contains(header, name.as_bytes()))
            && !header.starts_with(b"{")
            && !header.starts_with(b"[")
    },
    read: csv,
};

pub(super) const THROUGHPUTS: &[&str] =
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

/// The tests that an object of a user holds under any of its keys, as a list or as text of it, each with the texts of
/// the object as further settings.
fn wrapped(content: &Content, root: &Node, tests: &mut Vec<Node>) {
    let words = root.entries().iter().filter(|(_, node)| match node {
        Node::Text(text) => !text.contains("avg_ts"),
        _ => false,
    });
    let words: Vec<(String, Node)> = words.cloned().collect();
    let mut add = |test: &Node| {
        let mut entries = test.entries().to_vec();
        let known = |key: &str| test.at(key).is_some();
        entries.extend(words.iter().filter(|(key, _)| !known(key)).cloned());
        tests.push(Node::Object(entries));
    };
    for (_, node) in root.entries() {
        match node {
            Node::List(items) => items.iter().filter(|item| item.has("avg_ts")).for_each(&mut add),
            Node::Object(_) if node.has("avg_ts") => add(node),
            Node::Text(text) if text.contains("avg_ts") => {
                let trees = objects(content.path, text.as_bytes(), &[]).unwrap_or_default();
                let roots = trees.iter().map(|tree| &tree.root);
                roots.filter(|root| root.has("avg_ts")).for_each(&mut add);
            }
            _ => {}
        }
    }
}

fn csv(content: &Content, options: &Options) -> Result<Found, Error> {
    let mut reader = csv::Reader::from_reader(content.bytes());
    let bad = |error: csv::Error| malformed(content.path, content.bytes(), &error);
    let headers = reader.headers().map_err(bad)?.clone();
    let mut rows = Vec::new();
    for row in reader.records() {
        let row = row.map_err(bad)?;
        let cell =
            |text: &str| text.parse().map_or_else(|_| Node::Text(text.to_owned()), Node::Number);
        let cells = headers.iter().zip(&row).map(|(name, text)| (name.to_owned(), cell(text)));
        rows.push(Node::Object(cells.collect()));
    }
    if rows.is_empty() {
        return Err(no_rows(content.path));
    }
    runs(content, options, &rows, "line", 2)
}

fn runs(
    content: &Content,
    options: &Options,
    tests: &[Node],
    counts: &'static str,
    first: usize,
) -> Result<Found, Error> {
    let mut found = Found::default();
    let settings: Vec<Vec<(String, String)>> = tests.iter().map(settings).collect();
    // Several builds or configurations in one file are variants; a single one is named by its file.
    let variants = varying::names(&settings);
    for (index, ((test, settings), variant)) in
        tests.iter().zip(&settings).zip(variants).enumerate()
    {
        let mut builder = RunBuilder::new(content, "llama-bench", index + first, counts);
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
        builder.run.workload.model = test.text("model_type").map(str::to_owned);
        builder.run.info.started = test.text("test_time").map(str::to_owned);
        builder.configuration(variant);
        for (key, value) in settings {
            let key = if key == "build_commit" { "build" } else { key };
            builder.metadata(key, Some(value.clone()));
        }
        builder.finish(&mut found, options)?;
    }
    Ok(found)
}

/// Which tokens a test counts per second: of the prompt, of the answer, or of both.
pub(super) fn throughput(prompt: f64, generated: f64) -> &'static str {
    match (prompt > 0.0, generated > 0.0) {
        (true, false) => "input_throughput",
        (false, true) => "output_throughput",
        _ => "total_token_throughput",
    }
}

fn settings(test: &Node) -> Vec<(String, String)> {
    let keys = test.entries().iter().map(|(key, _)| key.as_str());
    let setting = |key: &str| Some((key.to_owned(), test.shown(key)?));
    keys.filter(|key| !NOT_SETTINGS.contains(key)).filter_map(setting).collect()
}
