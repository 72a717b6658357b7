//! airspeed velocity (asv): `results/MACHINE/COMMIT-ENVIRONMENT.json`.
//!
//! Replicate: a file, which is one call of asv for one commit. Each benchmark and each combination of its parameters is
//! a cell with one value, a median over samples of that call: `stats_*` and `samples` are no noise from run to run.
//! The units are in `benchmarks.json`; here they follow from the start of the name as asv defines it.

use crate::error::Error;
use crate::read::llm::run_builder::RunBuilder;
use crate::read::llm::tree::Node;
use crate::read::runners::{as_number, expected, json_with, trees};
use crate::read::{Content, Found, Options, Reader, SAVED_AS};
use crate::runs::Skipped;

pub(super) const JSON: Reader = Reader {
    name: "asv json",
    recognised_by: "keys commit_hash, env_name, requirements and results",
    one_run: "a file, which is one call for one commit; a benchmark with its parameters is a cell",
    metrics: &["time_per_op_ns", "memory_bytes"],
    recognise: |content, _| {
        json_with(content, &["commit_hash", "results"])
            && ["result_columns", "env_name", "requirements"]
                .iter()
                .any(|key| json_with(content, &[key]))
    },
    read,
};

/// Columns of a result where the file does not name them.
const COLUMNS: &[&str] = &["result", "params"];

/// Digits of a commit that are shown.
const SHORT: usize = 8;

fn read(content: &Content, options: &Options) -> Result<Found, Error> {
    let mut found = Found::default();
    let (mut position, mut without) = (0, 0);
    for root in trees(content)? {
        let Some(Node::Object(results)) = root.at("results") else {
            return Err(expected(content, "results", "a result per benchmark", root.at("results")));
        };
        let named = root.items("result_columns");
        for (name, result) in results {
            let stated = part(named, result, "result");
            let values = match stated {
                Some(Node::List(values)) => values.as_slice(),
                Some(value) => std::slice::from_ref(value),
                None => &[],
            };
            let axes = match part(named, result, "params") {
                Some(Node::List(axes)) => axes.as_slice(),
                _ => &[],
            };
            let sizes = axes.iter().map(|axis| list(axis).len());
            let expected_values = sizes.fold(1, usize::saturating_mul);
            if values.len() > 1 && values.len() != expected_values {
                let what = format!("{expected_values} values, one per combination of params");
                return Err(expected(content, &format!("results.{name}"), &what, stated));
            }
            // A single null replaces all values if the benchmark failed before the first.
            let parameters = if values.len() == expected_values {
                combinations(axes)
            } else {
                vec![String::new()]
            };
            without += usize::from(values.is_empty());
            for (value, parameters) in values.iter().zip(&parameters) {
                let Some(value) = as_number(value) else {
                    without += 1;
                    continue;
                };
                position += 1;
                let mut builder = RunBuilder::new(content, "asv", position, "result");
                let cell = if parameters.is_empty() {
                    name.clone()
                } else {
                    format!("{name}({parameters})")
                };
                builder.run.workload.label = Some(cell);
                describe(&mut builder, &root);
                let (metric, factor) = metric_of(name);
                builder.scaled(metric, Some(value), factor);
                builder.finish(&mut found, options)?;
            }
        }
    }
    if without > 0 && !found.runs.is_empty() {
        let why = format!("{without} benchmarks or parameters without a value: failed or skipped");
        found.skipped.push(Skipped { place: "file".to_owned(), why });
    }
    if found.runs.is_empty() && !options.lenient {
        let problem = "expected a value of at least one benchmark, found none";
        return Err(Error::file(content.path, problem, "run asv again, or remove the file"));
    }
    Ok(found)
}

/// A part of a result: of a list in the order of the columns; before asv 0.4 of an object, or the bare value.
fn part<'a>(named: &[Node], result: &'a Node, key: &str) -> Option<&'a Node> {
    let column = || {
        let of_file = named.iter().position(|item| *item == Node::Text(key.to_owned()));
        let usual = COLUMNS.iter().position(|column| *column == key);
        if named.is_empty() { usual } else { of_file }
    };
    match result {
        Node::List(cells) => column().and_then(|at| cells.get(at)),
        Node::Object(_) => result.at(key),
        bare => Some(bare).filter(|_| key == "result"),
    }
}

fn list(node: &Node) -> &[Node] {
    match node {
        Node::List(items) => items,
        _ => &[],
    }
}

/// The values of the parameters of each result: the last one changes fastest.
fn combinations(axes: &[Node]) -> Vec<String> {
    let mut all = vec![String::new()];
    for axis in axes {
        let values = list(axis);
        let shown = |value: &Node| match value {
            Node::Text(text) => text.clone(),
            Node::Number(value) => value.to_string(),
            _ => "?".to_owned(),
        };
        let join = |before: &String, value: &Node| {
            let comma = if before.is_empty() { "" } else { ", " };
            format!("{before}{comma}{}", shown(value))
        };
        all = all.iter().flat_map(|before| values.iter().map(move |v| join(before, v))).collect();
    }
    all
}

fn describe(builder: &mut RunBuilder, root: &Node) {
    builder.load("machine", root.shown("params/machine"));
    builder.load("environment", root.shown("env_name"));
    builder.metadata("python", root.shown("python"));
    if let Some(commit) = root.text("commit_hash") {
        let short: String = commit.chars().take(SHORT).collect();
        builder.metadata(SAVED_AS, Some(commit.to_owned()));
        builder.run.variant = short;
    }
}

/// The metric in the name of a benchmark, and the conversion to its unit.
fn metric_of(name: &str) -> (&'static str, f64) {
    let last = name.rsplit('.').next().unwrap_or(name).to_lowercase();
    if last.starts_with("time_") || last.starts_with("timeraw_") {
        ("time_per_op_ns", 1e9)
    } else if last.starts_with("mem_") || last.starts_with("peakmem_") {
        ("memory_bytes", 1.0)
    } else {
        ("result", 1.0)
    }
}
