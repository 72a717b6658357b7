//! JMH: `-rf json`, `-rf csv`, and what it prints.
//!
//! Replicate: a fork, which is one process: the mean of its iterations. The CSV and the printed table hold one mean over all
//! iterations of all forks. The parameters, the mode and the threads of a benchmark are part of its workload.

use crate::kit::prelude::*;
use crate::kit::siblings::{beside, twin};
use crate::text::labels::Labels;
use std::collections::{BTreeMap, BTreeSet};

pub(crate) const JSON: Reader = Reader {
    name: "jmh json",
    marks: Marks::JsonPart(&["benchmark", "mode", "primaryMetric", "scoreUnit"]),
    one_run: "a fork: the mean of its iterations",
    metrics: &["ops_per_s", "time_per_op_ns", "bytes_per_op"],
    read: |content, options| Reading::of(content, options, read),
    ..Reader::EMPTY
};

pub(crate) const CSV: Reader = Reader {
    name: "jmh csv",
    marks: Marks::Header(&["Benchmark", "Mode", "Threads", "Samples", "Score", "Unit"]),
    one_run: "a row: the mean of the iterations of all forks",
    metrics: &["ops_per_s", "time_per_op_ns", "bytes_per_op"],
    read: |content, options| Reading::of(content, options, csv),
    ..Reader::EMPTY
};

pub(crate) const TEXT: Reader = Reader {
    name: "jmh text",
    recognised_by: "lines # Benchmark:, # Fork: and Iteration 1:, a table with Benchmark, Mode, Score and Units, or its rows",
    one_run: "a fork: the mean of its iterations; of the table alone a row",
    metrics: &["ops_per_s", "time_per_op_ns", "bytes_per_op"],
    recognise: |content, _| {
        text_with(content, &["Benchmark", "Mode", "Score", "Units"])
            && content.text().lines().any(|line| parameters(line).is_some())
            || text_with(content, &["# Benchmark:", "# Fork:"])
                && content.text().lines().any(|line| iteration(line).is_some())
            || text_with(content, &["±", "/op"])
                && content.text().lines().filter(|line| is_bare_row(line)).count() > 1
            || text_with(content, &["±", "ops/"])
                && content.text().lines().filter(|line| is_bare_row(line)).count() > 1
    },
    read: |content, options| Reading::of(content, options, text),
    ..Reader::EMPTY
};

fn read(file: &mut Reading) -> Result<(), Error> {
    let mut position = 0;
    for (index, result) in file.trees()?.iter().enumerate() {
        let place = format!("[{index}]");
        let Some(name) = result.word("benchmark") else {
            let place = format!("{place}.benchmark");
            return Err(file.expected(&place, "a name", result.at("benchmark")));
        };
        let forks = forks(file, &format!("{place}.primaryMetric"), result)?;
        for (fork, values) in forks.iter().enumerate() {
            position += 1;
            let mut builder = file.run("jmh", position, "fork");
            builder.run.workload.label = Some(name.clone());
            builder.loads(result, &[("mode", "mode"), ("threads", "threads")]);
            for (parameter, value) in result.entries("params") {
                builder.load(parameter, value.shown(""));
            }
            builder.properties(result, &["jmhVersion", "jdkVersion", "vmName", "vmVersion"]);
            let score = score_of(file, &place, result)?;
            if file.options.iterations {
                file.unfold(&builder, values, |one, value| {
                    score.put(one, Some(value));
                })?;
                continue;
            }
            // Without a process of its own for each fork there are only iterations.
            if forks.len() == 1 && values.len() > 1 {
                builder.iterations_with_values(values.len());
            }
            score.put(&mut builder, mean(values));
            for (name, metric) in result.entries("secondaryMetrics") {
                // The allocation profiler marks its names with a dot.
                let bare = name.trim_start_matches('·');
                let known = bare == "gc.alloc.rate.norm";
                let values = metric.numbers(&format!("rawData/{fork}"));
                builder.metric(if known { "bytes_per_op" } else { bare }, mean(&values));
            }
            file.add(builder)?;
        }
    }
    Ok(())
}

/// The values of each fork: its iterations, or in the sampling mode their means.
fn forks(file: &Reading, place: &str, result: &Node) -> Result<Vec<Vec<f64>>, Error> {
    if let Some(Node::Array(forks)) = result.at("primaryMetric/rawData") {
        let values = |(fork, iterations): (usize, &Node)| {
            let place = format!("{place}.rawData[{fork}]");
            match iterations.items("") {
                [] => Err(file.expected(&place, "a list of numbers", Some(iterations))),
                items => file.numbers(&place, items),
            }
        };
        return forks.iter().enumerate().map(values).collect();
    }
    if let Some(Node::Array(forks)) = result.at("primaryMetric/rawDataHistogram") {
        let of_fork = |fork: &Node| fork.items("").iter().filter_map(weighted_mean).collect();
        return Ok(forks.iter().map(of_fork).filter(|fork: &Vec<f64>| !fork.is_empty()).collect());
    }
    let place = format!("{place}.rawData");
    Err(file.expected(&place, "the values of each fork", result.at("primaryMetric/rawData")))
}

/// Mean of pairs of a value and how often it was seen.
fn weighted_mean(histogram: &Node) -> Option<f64> {
    let (mut sum, mut count) = (0.0, 0.0);
    for pair in histogram.items("") {
        let (value, times) = (pair.number("0")?, pair.number("1")?);
        sum += value * times;
        count += times;
    }
    (count > 0.0).then(|| sum / count)
}

/// The score by the unit that JMH gives: `ops/ms`, `us/op`.
fn score_of(file: &Reading, place: &str, result: &Node) -> Result<Score, Error> {
    let unit = result.text("primaryMetric/scoreUnit").unwrap_or_default();
    Score::of(unit).ok_or_else(|| {
        let place = format!("{place}.primaryMetric.scoreUnit");
        let found = Node::Str(unit.to_owned().into());
        file.expected(&place, "a unit such as ops/s or ns/op", Some(&found))
    })
}

/// A row of a table of means.
struct Mean<'a> {
    line: usize,
    name: &'a str,
    mode: &'a str,
    settings: Vec<(String, String)>,
    samples: &'a str,
    score: Option<Number>,
    unit: &'a str,
}

/// Adds rows of means; those of a profiler belong to the row above.
#[derive(Default)]
struct Means {
    open: Option<(String, RunBuilder)>,
}

impl Means {
    fn add(&mut self, file: &mut Reading, row: &Mean) -> Result<(), Error> {
        // `name:·gc.alloc.rate.norm`, and `name:name·p0.50` for what a sampling benchmark adds.
        let (name, part) = row.name.split_once(':').unwrap_or((row.name, ""));
        let key = format!("{name} {} {:?}", row.mode, row.settings);
        if let Some((known, builder)) = self.open.as_mut().filter(|_| !part.is_empty()) {
            let bare = part.trim_start_matches('·');
            let alloc = bare == "gc.alloc.rate.norm";
            if let Some(score) = row.score.filter(|_| *known == key && !bare.contains("·p")) {
                builder.put(if alloc { "bytes_per_op" } else { bare }, score);
            }
            return Ok(());
        }
        let wrong = |found: &str, what: &str| {
            file.wrong_line(row.line, (what, found), "fix the row, or remove the file")
        };
        let Some(score) = row.score else {
            let error = wrong(row.name, "a score");
            return file.refuse(format!("line {}", row.line), error);
        };
        let Some(unit) = Score::of(row.unit) else {
            let error = wrong(row.unit, "a unit such as ops/s or ns/op");
            return file.refuse(format!("line {}", row.line), error);
        };
        self.finish(file)?;
        let mut builder = file.run("jmh", row.line, "line");
        builder.run.workload.label = Some(name.to_owned());
        builder.load("mode", Some(row.mode.to_owned()));
        for (setting, value) in &row.settings {
            builder.load(setting, Some(value.clone()));
        }
        if let Some(samples) = row.samples.parse().ok().filter(|samples| *samples > 1) {
            builder.iterations(samples);
        }
        unit.put_number(&mut builder, score);
        self.open = Some((key, builder));
        Ok(())
    }

    fn finish(&mut self, file: &mut Reading) -> Result<(), Error> {
        self.open.take().map_or(Ok(()), |(_, builder)| file.add(builder))
    }
}

/// Whether the JSON of the same call lies beside the file.
fn json_is_beside(content: &Content) -> bool {
    twin(content, "json").or_else(|| beside(content, "jmh-result.json")).is_some()
}

const REPEATS: &str = "repeats the JSON file beside it";

fn csv(file: &mut Reading) -> Result<(), Error> {
    if json_is_beside(file.content) {
        return file.nothing(REPEATS);
    }
    let mut means = Means::default();
    for row in file.csv_rows()? {
        let row = row?;
        let parameters = row.cells().filter_map(|(name, value)| {
            let name = name.strip_prefix("Param: ")?;
            (!value.is_empty()).then(|| (name.to_owned(), value.to_owned()))
        });
        let threads = ("threads".to_owned(), row.cell("Threads").to_owned());
        // Decimal commas of another language.
        let commas = row.cells().any(|(name, _)| name.starts_with("Score Error (99,"));
        let mean = Mean {
            line: row.line,
            name: row.cell("Benchmark"),
            mode: row.cell("Mode"),
            settings: std::iter::once(threads).chain(parameters).collect(),
            samples: row.cell("Samples"),
            score: if commas {
                number(&row.cell("Score").replace(',', "."))
            } else {
                row.number("Score")?
            },
            unit: row.cell("Unit"),
        };
        means.add(file, &mean)?;
    }
    means.finish(file)?;
    file.needs_rows()
}

/// Signs in front of lines that are quoted, or stand in a comment of source code.
const QUOTES: [char; 4] = ['>', '/', '*', ' '];

/// The parameters in the header of the printed table: `Benchmark  (size)  Mode  Cnt  Score   Error  Units`.
fn parameters(line: &str) -> Option<Vec<String>> {
    let mut words = line.trim_start_matches(QUOTES).split_whitespace();
    if words.next()? != "Benchmark" {
        return None;
    }
    let words: Vec<&str> = words.collect();
    let mode = words.iter().position(|word| *word == "Mode")?;
    let rest = &words[mode..];
    let named = rest.contains(&"Score") && rest.last() == Some(&"Units");
    let parameter = |word: &&str| {
        word.strip_prefix('(').and_then(|word| word.strip_suffix(')')).map(str::to_owned)
    };
    words[..mode].iter().map(parameter).collect::<Option<_>>().filter(|_| named)
}

/// A row of the printed table.
fn row_of<'a>(line: usize, text: &'a str, parameters: &[String]) -> Option<Mean<'a>> {
    let words: Vec<&str> = text.trim_start_matches(QUOTES).split_whitespace().collect();
    let mode = words.iter().position(|word| MODES.iter().any(|(_, mode)| mode == word))?;
    if mode != parameters.len() + 1 {
        return None;
    }
    let values = words[1..mode].iter().map(|value| (*value).to_owned());
    let settings = parameters.iter().cloned().zip(values).filter(|(_, value)| value != "N/A");
    let (unit, rest) = words[mode + 1..].split_last()?;
    let end = rest.iter().position(|word| *word == "±").unwrap_or(rest.len());
    let (score, count) = rest[..end].split_last()?;
    // Beside an error with a comma, a comma is the decimal one of another language.
    let comma = rest[end..].iter().any(|word| word.contains(','));
    let score = score.trim_start_matches('≈');
    let score = if comma { score.replace(',', ".") } else { (*score).to_owned() };
    let number = number(&score)?;
    Some(Mean {
        line,
        name: words[0],
        mode: words[mode],
        settings: settings.collect(),
        samples: count.first().copied().unwrap_or_default(),
        score: Some(number),
        unit,
    })
}

/// Whether a line is a row of the printed table without its header: `Perf.insert  thrpt  20  61.804 ± 1.022  ops/s`.
fn is_bare_row(line: &str) -> bool {
    let row = || row_of(0, line, &[]);
    line.contains('±') && row().is_some_and(|row| Score::of(row.unit).is_some())
}

/// Value and unit of a line `Iteration   1: 12.3 us/op`.
fn iteration(line: &str) -> Option<(Number, &str)> {
    let (nth, result) = line.strip_prefix("Iteration ")?.split_once(": ")?;
    nth.trim().parse::<u32>().ok()?;
    let mut words = result.split_whitespace();
    let value = number(words.next()?)?;
    // A sampling benchmark has the error of the iteration between.
    words.next_back().map(|unit| (value, unit))
}

/// Whether a line is one of the summary of a benchmark: `Result "demo.Copy":`, and figures below it.
fn printed(line: &str) -> bool {
    line.starts_with("Result ")
        || ["(min, avg, max)", "CI (", "/op [", "ops/"].iter().any(|part| line.contains(part))
}

/// How JMH prints a mode, and its name in tables.
const MODES: &[(&str, &str)] = &[
    ("Throughput", "thrpt"),
    ("Average time", "avgt"),
    ("Sampling time", "sample"),
    ("Single shot", "ss"),
];

/// A fork whose iterations are being read.
struct Fork {
    line: usize,
    variant: String,
    /// Lines `# Benchmark:`, `# Parameters:` and the like, by their key.
    about: Vec<(String, String)>,
    values: Vec<(f64, String)>,
}

impl Fork {
    fn about(&self, key: &str) -> &str {
        self.about.iter().rfind(|(known, _)| known == key).map_or("", |(_, value)| value)
    }

    fn add(self, file: &mut Reading) -> Result<(), Error> {
        let Some((_, unit)) = self.values.first() else { return Ok(()) };
        let Some(score) = Score::of(unit) else {
            let what = ("a unit such as ops/s or ns/op", unit.as_str());
            return Err(file.wrong_line(self.line, what, "remove the benchmark"));
        };
        let mut builder = file.run("jmh", self.line, "line");
        builder.run.variant.clone_from(&self.variant);
        builder.run.workload.label = Some(self.about("Benchmark").to_owned());
        let mode = self.about("Benchmark mode");
        let known = MODES.iter().find(|(words, _)| mode.starts_with(words));
        builder.load("mode", Some(known.map_or(mode, |(_, short)| short).to_owned()));
        builder.load("threads", self.about("Threads").split_whitespace().next().map(str::to_owned));
        let parameters = self.about("Parameters").trim_matches(['(', ')']);
        for (name, value) in parameters.split(", ").filter_map(|one| one.split_once(" = ")) {
            builder.load(name, Some(value.to_owned()));
        }
        builder.metadata("jmhVersion", Some(self.about("JMH version").to_owned()));
        builder.metadata("vm", Some(self.about("VM version").to_owned()));
        let values: Vec<f64> = self.values.iter().map(|(value, _)| *value).collect();
        if file.options.iterations {
            return file.unfold(&builder, &values, |one, value| score.put(one, Some(value)));
        }
        let single = self.about("Fork").ends_with("of 1") || self.about("Fork").starts_with("N/A");
        if single && values.len() > 1 {
            builder.iterations_with_values(values.len());
        }
        score.put(&mut builder, mean(&values));
        file.add(builder)
    }
}

fn text(file: &mut Reading) -> Result<(), Error> {
    if json_is_beside(file.content) {
        return file.nothing(REPEATS);
    }
    let text = file.content.text();
    let labels = Labels::of(&text);
    let forked = text.lines().any(|line| iteration(line.trim()).is_some());
    let (mut variant, mut about, mut fork) = (String::new(), Vec::new(), None::<Fork>);
    let (mut header, mut means, bare) = (None, Means::default(), Vec::new());
    let sections = sections(&text, &labels);
    let mut section = None;
    for (index, line) in text.lines().enumerate() {
        let line = line.trim_start_matches('>').trim();
        if let Some((value, unit)) = iteration(line) {
            if let Some(fork) = &mut fork {
                fork.values.push((value.value, unit.to_owned()));
            }
        } else if let Some((key, value)) =
            line.strip_prefix("# ").and_then(|line| line.split_once(": "))
        {
            if key == "JMH version" {
                about.clear();
            }
            if key == "Benchmark" {
                about.retain(|(known, _)| known != "Parameters");
            }
            about.push((key.to_owned(), value.trim().to_owned()));
            if key == "Fork" {
                fork.take().map_or(Ok(()), |fork| fork.add(file))?;
                let (variant, about) = (variant.clone(), about.clone());
                fork = Some(Fork { line: index + 1, variant, about, values: Vec::new() });
            }
        } else if let Some(parameters) = parameters(line) {
            header = Some(parameters);
            section = sections.get(&index);
        } else if let Some(parameters) = header
            .as_ref()
            .or_else(|| is_bare_row(line).then_some(&bare))
            .filter(|_| !line.is_empty())
        {
            let row = row_of(index + 1, line, parameters).filter(|_| !forked);
            if let Some(mut row) = row {
                let named = |name: &String| ("section".to_owned(), name.clone());
                row.settings.extend(section.map(named));
                means.add(file, &row)?;
                if let Some((_, builder)) = &mut means.open {
                    builder.run.variant.clone_from(&variant);
                }
            } else if let Some(label) = labels.at(index) {
                variant = label;
            }
        } else if let Some(label) = labels.at(index).filter(|_| !printed(line)) {
            variant = label;
        }
    }
    fork.take().map_or(Ok(()), |fork| fork.add(file))?;
    means.finish(file)?;
    let remedy = "give the JSON that -rf json writes, or the whole log";
    file.needs_runs("expected a score, found none", remedy)
}

/// The words above each of several printed tables, by the line of its header: the same rows below other words are no repeats.
fn sections(text: &str, labels: &Labels) -> BTreeMap<usize, String> {
    let (mut found, mut words, mut open) = (BTreeMap::new(), None, None);
    for (index, line) in text.lines().enumerate() {
        let bare = line.trim_start_matches(QUOTES).trim();
        if let Some(header) = parameters(line) {
            found.insert(index, words.take().unwrap_or_else(|| "above".to_owned()));
            open = Some(header);
        } else if open.as_ref().is_some_and(|header| row_of(index + 1, line, header).is_some()) {
            words = None;
        } else if bare.contains(char::is_alphabetic)
            && words.is_none()
            && labels.at(index).is_none()
        {
            words = Some(bare.trim_end_matches(':').to_owned());
        }
    }
    let told: BTreeSet<&String> = found.values().collect();
    if told.len() > 1 { found } else { BTreeMap::new() }
}

/// A metric, and the factor to its unit.
enum Score {
    Rate(f64),
    Time(f64),
}

impl Score {
    fn of(unit: &str) -> Option<Self> {
        match unit.split_once('/')? {
            ("ops", per) => nanoseconds(per).map(|unit| Self::Rate(1e9 / unit)),
            (of, "op") => nanoseconds(of).map(Self::Time),
            _ => None,
        }
    }

    fn put(&self, builder: &mut RunBuilder, value: Option<f64>) {
        match self {
            Self::Rate(factor) => builder.scaled("ops_per_s", value, *factor),
            Self::Time(factor) => builder.time("time_per_op_ns", value, *factor),
        }
    }

    /// A printed score with its resolution.
    fn put_number(&self, builder: &mut RunBuilder, score: Number) {
        match self {
            Self::Rate(factor) => builder.put("ops_per_s", score.times(*factor)),
            Self::Time(_) if score.value <= 0.0 => self.put(builder, Some(score.value)),
            Self::Time(factor) => builder.put("time_per_op_ns", score.times(*factor)),
        }
    }
}
