//! Text of `go test -bench`, also many calls in one file or pasted under headings.
//!
//! Replicate: a call of `go test`, which prints `goos:` and `pkg:` before its results. Lines of one
//! benchmark in one call (`-count`) are iterations of that process and are summed up by their mean.

use std::collections::{BTreeMap, BTreeSet};

use crate::kit::prelude::*;
use crate::kit::varying;
use crate::text::headings::{counts_runs, is_time};
use crate::text::labels::Labels;
use beyondnoise_model::runs::{LabelHint, label_hint};

pub(crate) const TEXT: Reader = Reader {
    name: "go bench text",
    marks: Marks::Text(&["Benchmark"]),
    recognised_by: "a line such as BenchmarkX-8  690848  1726 ns/op",
    one_run: "a call of go test: the mean of its lines of a benchmark",
    metrics: &["time_per_op_ns", "mb_per_s", "bytes_per_op", "allocs_per_op"],
    recognise: |content, _| {
        content.bytes().split(|&byte| byte == b'\n').any(|line| {
            let line = line.trim_ascii();
            line.starts_with(b"Benchmark")
                && std::str::from_utf8(line).is_ok_and(|line| result(line).is_some())
        })
    },
    read: |content, options| Reading::of(content, options, read),
    ..Reader::EMPTY
};

/// A line of results: the benchmark, and values with their units.
fn result<'a>(line: &'a str) -> Option<(&'a str, Vec<(Number, &'a str)>)> {
    let mut words = line.split_whitespace();
    let name = words.next().filter(|name| name.starts_with("Benchmark"))?;
    words.next()?.parse::<u64>().ok()?;
    let words: Vec<&str> = words.collect();
    // A change behind two values is no unit: `2526  1800  -28.74%`.
    let unit = |word: &&&str| !word.starts_with(|c: char| c.is_ascii_digit() || "+-−~".contains(c));
    let value = |pair: &[&'a str]| Some((number(pair.first()?)?, *pair.get(1).filter(unit)?));
    let values: Option<Vec<(Number, &str)>> = words.chunks(2).map(value).collect();
    values.filter(|values| !values.is_empty()).map(|values| (name, values))
}

/// The fault of a line with a part of a result: output of a benchmark may come between its name and its figures, and a
/// cut text may end anywhere.
fn lost(line: &str) -> Option<String> {
    let mut words = line.split_whitespace();
    let first = words.next()?;
    let expected = "expected a result such as BenchmarkX-8 690848 1726 ns/op";
    if first.parse::<u64>().is_ok() {
        let time = number(words.next()?).is_some() && words.next()? == "ns/op";
        return time.then(|| format!("{expected}, found its figures alone: \"{}\"", short(line)));
    }
    let name = first.strip_prefix("Benchmark")?.chars().next()?;
    let named = name.is_alphanumeric() && !name.is_lowercase() || name == '_';
    let count = words.next()?.parse::<u64>().is_ok();
    (named && count).then(|| format!("{expected}, found \"{}\"", short(line)))
}

/// Metric of a unit; those of `ReportMetric` keep their name.
fn metric(unit: &str) -> &str {
    match unit {
        "ns/op" => "time_per_op_ns",
        "MB/s" => "mb_per_s",
        "B/op" => "bytes_per_op",
        "allocs/op" => "allocs_per_op",
        other => other,
    }
}

/// The lines above the results of a call.
#[derive(Clone, Default, PartialEq)]
struct Call {
    variant: String,
    package: Option<String>,
    /// Number of earlier calls for this package.
    nth: usize,
    metadata: BTreeMap<String, String>,
}

/// The lines of one benchmark in one call.
struct BenchmarkLines {
    call: Call,
    name: String,
    line: usize,
    values: Vec<(String, Vec<Number>)>,
}

fn read(file: &mut Reading) -> Result<(), Error> {
    let text = file.content.text();
    let labels = Labels::of(&text);
    let mut steps = steps(&text);
    // Headings name calls better.
    let heading = |at: &usize| !steps.contains_key(at) && labels.at(*at).is_some();
    if !steps.is_empty() && (0..text.lines().count()).any(|at| heading(&at)) {
        steps.clear();
    }
    let mut call = Call::default();
    let mut units: BTreeMap<String, String> = BTreeMap::new();
    let mut series: Vec<BenchmarkLines> = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let line = line.trim().trim_start_matches(['>', '|']).trim();
        if let Some((name, values)) = result(line) {
            let known = |one: &&mut BenchmarkLines| one.call == call && one.name == name;
            // Every line is a run of its own where the user takes iterations as such.
            let before = if file.options.iterations { None } else { series.iter_mut().find(known) };
            if let Some(one) = before {
                one.add(values);
            } else {
                let (call, name) = (call.clone(), name.to_owned());
                let mut one = BenchmarkLines { call, name, line: index + 1, values: Vec::new() };
                one.add(values);
                series.push(one);
            }
        } else if let Some(problem) = lost(line) {
            let remedy = "put the name and all its figures on one line, or remove the line";
            let error = file.error_at(index + 1, problem, remedy);
            file.refuse(format!("line {}", index + 1), error)?;
        } else if let Some(words) = line.strip_prefix("Unit ") {
            if let Some((unit, better)) = words.split_once(char::is_whitespace) {
                units.insert(unit.to_owned(), better.trim().to_owned());
            }
        } else if let Some((key, value)) = setting(line) {
            call.set(key, value, &series);
        } else if let Some(label) = steps.get(&index).cloned().or_else(|| labels.at(index)) {
            call = Call { variant: label, ..Call::default() };
        }
    }
    // Headings over different benchmarks name no variants.
    let names: BTreeSet<&str> = series.iter().map(|one| &*one.call.variant).collect();
    let sides = names.iter().any(|name| label_hint(name) != LabelHint::Neither);
    let several = names.len() > 1 && !names.contains("") && !sides;
    let headed = series.iter().map(|one| (one.name.clone(), one.call.variant.clone()));
    if several && !varying::recurs(headed) {
        for one in &mut series {
            one.call.variant.clear();
        }
    }
    let mut calls: BTreeMap<[String; 3], usize> = BTreeMap::new();
    for one in &series {
        *calls.entry(one.benchmark()).or_insert(0) += 1;
    }
    for one in series {
        let single = calls.get(&one.benchmark()) == Some(&1);
        let builder = one.run(single, &units, file);
        file.add(builder)?;
    }
    Ok(())
}

/// The words that begin paragraphs with results, `Original` above `BenchmarkParse-12 1446430 799.4 ns/op`, by their line: where all
/// differ, each names a call.
fn steps(text: &str) -> BTreeMap<usize, String> {
    let lines: Vec<&str> = text.lines().map(str::trim).collect();
    let ends = |line: &str| line.is_empty() || line.starts_with("```");
    let printed = |line: &str| {
        let first = line.split_whitespace().next().unwrap_or_default();
        let said = ["Benchmark", "---", "===", "PASS", "FAIL", "Unit"];
        result(line).is_some()
            || lost(line).is_some()
            || setting(line).is_some()
            || said.iter().any(|start| first.starts_with(start))
            || matches!(first, "ok" | "?" | "$" | "#")
            || line.contains('\t')
            || line.contains("go test")
            || counts_runs(line)
            || line.split(' ').any(is_time)
    };
    let begins = |at: &usize| {
        let below = lines[at + 1..].iter().take_while(|line| !ends(line));
        !ends(lines[*at])
            && at.checked_sub(1).is_none_or(|above| ends(lines[above]))
            && !printed(lines[*at])
            && below.clone().any(|line| result(line).is_some())
            && below.into_iter().all(|line| printed(line))
    };
    let found: BTreeMap<usize, String> = (0..lines.len())
        .filter(begins)
        .map(|at| (at, lines[at].trim_end_matches(':').to_owned()))
        .collect();
    let labels: BTreeSet<&String> = found.values().collect();
    if labels.len() == found.len() && found.len() > 1 { found } else { BTreeMap::new() }
}

/// A line `key: value` as `go test` prints them.
fn setting(line: &str) -> Option<(&str, &str)> {
    let (key, value) = line.split_once(": ")?;
    let lower = !key.is_empty() && key.chars().all(|c| c.is_ascii_lowercase() || c == '-');
    lower.then(|| (key, value.trim()))
}

impl Call {
    /// Notes a line above the results; the first of them after results starts another call.
    fn set(&mut self, key: &str, value: &str, series: &[BenchmarkLines]) {
        let started = series.iter().any(|one| one.call == *self);
        if started && matches!(key, "goos" | "goarch" | "pkg") {
            let variant = std::mem::take(&mut self.variant);
            *self = Self { variant, nth: self.nth + 1, ..Self::default() };
        }
        if key == "pkg" {
            self.package = Some(value.to_owned());
        } else {
            self.metadata.insert(key.to_owned(), value.to_owned());
        }
    }
}

impl BenchmarkLines {
    /// The run of these lines, where `single` says that the benchmark was called once.
    fn run(self, single: bool, units: &BTreeMap<String, String>, file: &Reading) -> RunBuilder {
        let BenchmarkLines { call, name, line, values } = self;
        let mut builder = file.run("go", line, "line");
        if file.options.iterations {
            builder.iteration(line);
            builder.run.source.counts = "line";
        }
        builder.run.variant = call.variant;
        builder.run.workload.label = Some(name);
        builder.load("package", call.package);
        builder.run.metadata.extend(call.metadata);
        for (unit, numbers) in values {
            let name = metric(&unit);
            let count = numbers.len() as f64;
            let value = numbers.iter().map(|number| number.value).sum::<f64>() / count;
            let resolution = numbers.iter().map(|n| n.resolution).fold(0.0, f64::max);
            if name == "time_per_op_ns" && value <= 0.0 {
                builder.note(format!("{name} is {value}, which means no data"));
                continue;
            }
            builder.put(name, Number { value, resolution });
            if let Some(better) = units.get(&unit).filter(|_| name == unit) {
                builder.note(format!("unit {unit} ({better}): give --metric {unit}:DIRECTION"));
            }
            if single && numbers.len() > 1 {
                builder.iterations_with_values(numbers.len());
            }
        }
        builder
    }

    /// Properties that calls of one benchmark share.
    fn benchmark(&self) -> [String; 3] {
        let package = self.call.package.clone().unwrap_or_default();
        [self.call.variant.clone(), package, self.name.clone()]
    }

    fn add(&mut self, values: Vec<(Number, &str)>) {
        for (number, unit) in values {
            match self.values.iter_mut().find(|(known, _)| known == unit) {
                Some((_, numbers)) => numbers.push(number),
                None => self.values.push((unit.to_owned(), vec![number])),
            }
        }
    }
}
