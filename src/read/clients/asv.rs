//! airspeed velocity (asv): `results/MACHINE/COMMIT-ENVIRONMENT.json`.
//!
//! Replicate: a file, which is one call of asv for one commit. Each benchmark and each combination of its parameters is
//! a cell with one value, a median over samples of that call: `stats_*` and `samples` are no noise from run to run.
//! The units are in `benchmarks.json`; here they follow from the start of the name as asv defines it.

use crate::kit::prelude::*;

pub(crate) const JSON: Reader = Reader {
    name: "asv json",
    marks: Marks::JsonPart(&["commit_hash", "results", "result_columns|env_name|requirements"]),
    one_run: "a file, which is one call for one commit; a benchmark with its parameters is a cell",
    metrics: &["time_per_op_ns", "memory_bytes"],
    read: |content, options| Reading::of(content, options, read),
    ..Reader::EMPTY
};

/// Columns of a result where the file does not name them.
const COLUMNS: &[&str] = &["result", "params"];

/// Digits of a commit that are shown.
const SHORT: usize = 8;

fn read(file: &mut Reading) -> Result<(), Error> {
    let (mut position, mut without) = (0, 0);
    for root in file.trees()? {
        if !matches!(root.at("results"), Some(Node::Object(_))) {
            return Err(file.expected("results", "a result per benchmark", root.at("results")));
        }
        for (name, result) in root.entries("results") {
            let part = |key| part(root.items("result_columns"), result, key);
            let stated = part("result");
            let values = stated.map(Tree::listed).unwrap_or_default();
            let axes = part("params").map(|axes| axes.items("")).unwrap_or_default();
            let sizes = axes.iter().map(|axis| axis.items("").len());
            let expected_values = sizes.fold(1, usize::saturating_mul);
            if values.len() > 1 && values.len() != expected_values {
                let what = format!("{expected_values} values, one per combination of params");
                return Err(file.expected(&format!("results.{name}"), &what, stated));
            }
            // A single null replaces all values if the benchmark failed before the first.
            let parameters = if values.len() == expected_values {
                combinations(axes)
            } else {
                vec![String::new()]
            };
            without += usize::from(values.is_empty());
            for (value, parameters) in values.iter().zip(&parameters) {
                let Some(value) = value.number("") else {
                    without += 1;
                    continue;
                };
                position += 1;
                let mut builder = file.run("asv", position, "result");
                builder.run.workload.label = Some(if parameters.is_empty() {
                    name.to_string()
                } else {
                    format!("{name}({parameters})")
                });
                describe(&mut builder, &root);
                let (metric, factor) = metric_of(name);
                builder.scaled(metric, Some(value), factor);
                file.add(builder)?;
            }
        }
    }
    if without > 0 && !file.found.runs.is_empty() {
        let why = format!("{without} benchmarks or parameters without a value: failed or skipped");
        file.skip("file", why);
    }
    let problem = "expected a value of at least one benchmark, found none";
    file.needs_runs(problem, "run asv again, or remove the file")
}

/// A part of a result: of a list in the order of the columns; before asv 0.4 of an object, or the bare value.
fn part<'a>(columns: &[Node], result: &'a Node, key: &str) -> Option<&'a Node> {
    match result {
        Node::Array(cells) if columns.is_empty() => {
            cells.get(COLUMNS.iter().position(|column| *column == key)?)
        }
        Node::Array(cells) => {
            cells.get(columns.iter().position(|column| column.text("") == Some(key))?)
        }
        Node::Object(_) => result.at(key),
        bare => Some(bare).filter(|_| key == "result"),
    }
}

/// The values of the parameters of each result: the last one changes fastest.
fn combinations(axes: &[Node]) -> Vec<String> {
    let mut all = vec![String::new()];
    for axis in axes {
        let join = |before: &String, value: &Node| {
            let comma = if before.is_empty() { "" } else { ", " };
            format!("{before}{comma}{}", value.shown("").unwrap_or_else(|| "?".to_owned()))
        };
        let values = axis.items("");
        all = all.iter().flat_map(|before| values.iter().map(move |v| join(before, v))).collect();
    }
    all
}

fn describe(builder: &mut RunBuilder, root: &Node) {
    builder.loads(root, &[("machine", "params/machine"), ("environment", "env_name")]);
    builder.properties(root, &["python"]);
    if let Some(commit) = root.word("commit_hash") {
        builder.run.variant = commit.chars().take(SHORT).collect();
        builder.metadata(SAVED_AS, Some(commit));
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
