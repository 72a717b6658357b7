//! `BenchmarkDotNet`: `*-report-full.json` and its shorter forms, `*-report.csv`, and the table that it prints.
//!
//! Replicate: a launch, which is one process: the mean of its iterations. The files have one launch unless the job says
//! more. The tables hold the mean of all iterations. A benchmark with its parameters is a cell; jobs that differ are variants
//! where nothing else names them, and so are the methods that a printed table compares by a ratio.

use std::collections::BTreeMap;
use std::path::Path;

use crate::kit::fields::{Number, number};
use crate::kit::prelude::*;
use crate::kit::quantity;
use crate::kit::siblings::beside;
use crate::kit::varying;
use crate::text::grid::{Grid, grids};
use crate::text::labels::Labels;
use beyondnoise_model::runs::{Claim, ITERATIONS};

const METRICS: &[&str] = &["time_per_op_ns", "median_time_per_op_ns", "bytes_per_op"];

pub(crate) const JSON: Reader = Reader {
    name: "benchmarkdotnet json",
    marks: Marks::Json(&["HostEnvironmentInfo", "Benchmarks", "FullName"]),
    one_run: "a launch, which is one process: the mean of its iterations",
    metrics: METRICS,
    read: |content, options| Reading::of(content, options, json),
    ..Reader::EMPTY
};

pub(crate) const CSV: Reader = Reader {
    name: "benchmarkdotnet csv",
    recognised_by: "a header with Method, Job, Mean, StdDev and Error or Median",
    one_run: "a row: the mean of the iterations of a benchmark",
    metrics: METRICS,
    recognise: |content, _| {
        let line = content.first_line(1 << 14);
        let line = String::from_utf8_lossy(line);
        let names: Vec<&str> = line.trim().split([',', ';']).map(unquoted).collect();
        !content.bytes().starts_with(b"{") && is_table(&names) && names.contains(&"Job")
    },
    read: |content, options| Reading::of(content, options, csv),
    ..Reader::EMPTY
};

pub(crate) const TABLE: Reader = Reader {
    name: "benchmarkdotnet table",
    marks: Marks::Text(&["Method", "Mean", "StdDev"]),
    recognised_by: "a table with these columns and Error or Median",
    one_run: "a row: the mean of the iterations of a benchmark",
    metrics: METRICS,
    recognise: |content, _| grids(&content.text()).iter().any(is_printed),
    read: |content, options| Reading::of(content, options, printed),
    ..Reader::EMPTY
};

fn unquoted(cell: &str) -> &str {
    cell.trim().trim_matches('"')
}

fn is_table(names: &[&str]) -> bool {
    let has = |known: &str| names.iter().any(|name| stem(name) == known);
    ["Method", "Mean", "StdDev"].into_iter().all(has) && (has("Error") || has("Median"))
}

fn is_printed(grid: &Grid) -> bool {
    let names: Vec<&str> = grid.headers.iter().map(String::as_str).collect();
    grid.ruled && is_table(&names)
}

/// A name without its unit: `Mean [ns]`.
fn stem(name: &str) -> &str {
    name.split('[').next().unwrap_or(name).trim()
}

/// The job of `Type.Method: Job-ABCDEF(Runtime=.NET 8.0) [N=1000]`; its generated name tells nothing.
fn job(display: &str) -> String {
    let job = display.split_once(": ").map_or("", |(_, job)| job);
    let job = job.split(" [").next().unwrap_or(job).trim();
    match job.split_once('(') {
        Some((name, settings)) if name.starts_with("Job-") => {
            settings.trim_end_matches(')').to_owned()
        }
        _ => job.to_owned(),
    }
}

fn json(file: &mut Reading) -> Result<(), Error> {
    let mut position = 0;
    for root in file.trees()? {
        let benchmarks = root.items("Benchmarks");
        let jobs: Vec<Vec<(String, String)>> = benchmarks
            .iter()
            .map(|one| vec![("job".to_owned(), job(one.text("DisplayInfo").unwrap_or_default()))])
            .collect();
        for ((index, benchmark), (settings, differs)) in
            benchmarks.iter().enumerate().zip(jobs.iter().zip(varying::names(&jobs)))
        {
            let place = format!("Benchmarks[{index}]");
            let Some(name) = benchmark.word("FullName") else {
                let place = format!("{place}.FullName");
                return Err(file.expected(&place, "a name", benchmark.at("FullName")));
            };
            if !matches!(benchmark.at("Statistics"), Some(Node::Object(_))) {
                file.skip(place, format!("{name} was not measured"));
                continue;
            }
            let launches = launches(file, &place, benchmark)?;
            let several = launches.len() > 1;
            for values in launches {
                position += 1;
                let mut builder = file.run("benchmarkdotnet", position, "launch");
                builder.run.workload.label = Some(name.clone());
                builder.configuration(differs.clone(), settings.clone());
                let host = ["BenchmarkDotNetVersion", "RuntimeVersion", "ProcessorName"];
                builder.properties(root.at("HostEnvironmentInfo").unwrap_or(&Node::Null), &host);
                builder
                    .metric("bytes_per_op", benchmark.number("Memory/BytesAllocatedPerOperation"));
                if file.options.iterations && !values.is_empty() {
                    file.unfold(&builder, &values, |one, value| {
                        one.time("time_per_op_ns", Some(value), 1.0);
                    })?;
                    continue;
                }
                let mean = mean(&values).or_else(|| benchmark.number("Statistics/Mean"));
                let Some(mean) = mean else {
                    let place = format!("{place}.Statistics.Mean");
                    return Err(file.expected(&place, "a number", benchmark.at("Statistics/Mean")));
                };
                builder.time("time_per_op_ns", Some(mean), 1.0);
                if !several {
                    let median = benchmark.number("Statistics/Median");
                    builder.time("median_time_per_op_ns", median, 1.0);
                    match benchmark.count("Statistics/N").and_then(|n| usize::try_from(n).ok()) {
                        _ if values.len() > 1 => builder.iterations_with_values(values.len()),
                        Some(count @ 2..) => builder.iterations(count),
                        _ => {}
                    }
                }
                file.add(builder)?;
            }
        }
    }
    file.needs_runs(
        "expected a benchmark, found none",
        "run the benchmarks again, or remove the file",
    )
}

/// The times per operation of each launch, in nanoseconds; one launch without values if the file has none.
fn launches(file: &Reading, place: &str, benchmark: &Node) -> Result<Vec<Vec<f64>>, Error> {
    let mut launches: BTreeMap<u64, Vec<f64>> = BTreeMap::new();
    for one in benchmark.items("Measurements") {
        let result = one.text("IterationStage") == Some("Result")
            && one.text("IterationMode").is_none_or(|mode| mode == "Workload");
        let per_op = one.number("Nanoseconds").zip(one.number("Operations"));
        if let Some((time, operations)) = per_op.filter(|(_, count)| result && *count > 0.0) {
            launches
                .entry(one.count("LaunchIndex").unwrap_or(1))
                .or_default()
                .push(time / operations);
        }
    }
    if launches.is_empty() {
        let values = benchmark.items("Statistics/OriginalValues");
        return Ok(vec![file.numbers(&format!("{place}.Statistics.OriginalValues"), values)?]);
    }
    Ok(launches.into_values().collect())
}

/// A row of a table: its line, what heads it, and its cells by name.
struct Row {
    line: usize,
    variant: String,
    cells: Vec<(String, String)>,
}

/// The same result in a file beside this one: the JSON has the single iterations, the CSV all digits.
fn exact_beside(content: &Content) -> Option<String> {
    const ENDINGS: [&str; 6] = [
        "-report-full.json",
        "-report-full-compressed.json",
        "-report-brief.json",
        "-report-brief-compressed.json",
        "-report.json",
        "-report.csv",
    ];
    let name = Path::new(content.path).file_name()?.to_string_lossy().into_owned();
    let (stem, own) = name.rsplit_once("-report")?;
    let others = ENDINGS.iter().take_while(|ending| **ending != format!("-report{own}"));
    others.map(|ending| format!("{stem}{ending}")).find(|name| beside(content, name).is_some())
}

fn csv(file: &mut Reading) -> Result<(), Error> {
    if let Some(exact) = exact_beside(file.content) {
        return file.nothing(&format!("repeats {exact} beside it"));
    }
    let mut rows = Vec::new();
    for row in file.csv_rows()? {
        let row = row?;
        let cells = row.cells().map(|(name, cell)| (name.to_owned(), cell.to_owned())).collect();
        rows.push(Row { line: row.line, variant: String::new(), cells });
    }
    // The settings of the job are from its name to the number of warm-ups; few of them differ.
    let of_job = |row: &Row| {
        let at = |name: &str| row.cells.iter().position(|(known, _)| known == name);
        at("Job").zip(at("WarmupCount")).map(|(from, to)| from..=to)
    };
    let jobs: Vec<Vec<(String, String)>> = rows
        .iter_mut()
        .map(|row| {
            of_job(row).map(|range| row.cells.drain(range).skip(1).collect()).unwrap_or_default()
        })
        .collect();
    let differ = varying::names(&jobs);
    for (row, job) in rows.into_iter().zip(differ) {
        add(file, &row, job, None)?;
    }
    file.needs_rows()
}

fn printed(file: &mut Reading) -> Result<(), Error> {
    if let Some(exact) = exact_beside(file.content) {
        return file.nothing(&format!("repeats {exact} beside it"));
    }
    let text = file.content.text();
    let labels = Labels::of(&text);
    let mut from = 0;
    let mut variant = String::new();
    let mut rows = Vec::new();
    for grid in grids(&text) {
        variant = (from..grid.lines.start).rev().find_map(|at| labels.at(at)).unwrap_or(variant);
        from = grid.lines.end;
        if !is_printed(&grid) {
            continue;
        }
        for (line, cells) in grid.rows {
            let cells = grid.headers.iter().cloned().zip(cells).collect();
            rows.push(Row { line, variant: variant.clone(), cells });
        }
    }
    // Labels, and other files beside this one, name variants of their own.
    let own = file.content.only && rows.iter().all(|row| row.variant.is_empty());
    let base = if own { method_of_ones(&rows) } else { None };
    for row in &rows {
        add(file, row, String::new(), base.as_deref())?;
    }
    Ok(())
}

/// The method that all others are compared with: it alone has the ratio 1, in every row, and each set of parameters has one.
fn method_of_ones(rows: &[Row]) -> Option<String> {
    let ratio = |row: &Row| row.ratio().map(|(_, ratio)| ratio.value);
    let method = |row: &Row| row.cell("Method").map(|(_, method)| method.clone());
    let parameters = |row: &Row| -> Vec<String> {
        let settings = row.settings().filter(|(name, _)| name != "Method");
        settings.map(|(_, value)| value.clone()).collect()
    };
    let is_one = |row: &&Row| ratio(row).is_some_and(|ratio| (ratio - 1.0).abs() < 1e-9);
    let base = method(rows.iter().find(is_one)?)?;
    let mut groups: BTreeMap<Vec<String>, [usize; 2]> = BTreeMap::new();
    for row in rows {
        ratio(row)?;
        let counts = groups.entry(parameters(row)).or_default();
        counts[usize::from(method(row)? == base)] += 1;
    }
    let ones = rows.iter().filter(is_one).all(|row| method(row).as_ref() == Some(&base));
    (ones && groups.values().all(|[others, bases]| *others > 0 && *bases == 1)).then_some(base)
}

impl Row {
    fn cell(&self, known: &str) -> Option<&(String, String)> {
        self.cells.iter().find(|(name, _)| stem(name) == known)
    }

    /// The time in that of the method it is compared with, as written and as a number.
    fn ratio(&self) -> Option<(&str, Number)> {
        let text = self.cell("Ratio").or_else(|| self.cell("Scaled"))?.1.as_str();
        Some((text, number(text.trim_end_matches('x'))?))
    }

    /// The columns before the mean: the method, parameters, and settings of the job in which rows differ.
    fn settings(&self) -> impl Iterator<Item = &(String, String)> {
        self.cells.iter().take_while(|(name, _)| stem(name) != "Mean")
    }
}

/// Adds a row of a table; `job` is what tells its job from others of the file, `base` the method that the others are compared with.
fn add(file: &mut Reading, row: &Row, job: String, base: Option<&str>) -> Result<(), Error> {
    let cell = |known: &str| row.cell(known);
    let Some((_, method)) = cell("Method").filter(|(_, method)| !method.is_empty()) else {
        return Ok(());
    };
    let mut builder = file.run("benchmarkdotnet", row.line, "line");
    builder.run.variant.clone_from(&row.variant);
    if let Some(base) = base {
        builder.run.variant.clone_from(method);
        let stated = row.ratio().filter(|_| method != base);
        builder.run.info.claims.extend(stated.map(|(text, ratio)| Claim {
            text: format!("{text}x"),
            before: String::new(),
            size: (ratio.value - 1.0).abs(),
            resolution: ratio.resolution,
            up: Some(ratio.value > 1.0),
            values: None,
            metric: Some("time_per_op_ns".to_owned()),
            closing: false,
            doubt: None,
            source: builder.run.source.clone(),
        }));
    } else {
        builder.run.workload.label = Some(method.clone());
    }
    builder.configuration(job, []);
    for (name, value) in
        row.settings().filter(|(name, _)| !["Method", "Job"].contains(&name.as_str()))
    {
        builder.load(name, Some(value.clone()));
    }
    builder.metadata(ITERATIONS, Some("not said".to_owned()));
    let unit =
        |name: &str| name.split_once('[').map(|(_, unit)| unit.trim_end_matches(']').to_owned());
    for (known, metric) in [("Mean", "time_per_op_ns"), ("Median", "median_time_per_op_ns")] {
        let Some((name, text)) = cell(known) else { continue };
        if matches!(text.as_str(), "NA" | "?" | "") {
            file.skip(format!("line {}", row.line), format!("{method} failed: {known} is {text}"));
            return Ok(());
        }
        let found = quantity::split(text).and_then(|(value, own)| {
            let unit = unit(name).filter(|_| own.is_empty()).unwrap_or_else(|| own.to_owned());
            Some(value.times(nanoseconds(&unit)?))
        });
        let Some(found) = found else {
            let what = format!("a time such as 5.009 us in {known}");
            let error = file.wrong_line(row.line, (&what, text), "fix or remove the line");
            return file.refuse(format!("line {}", row.line), error);
        };
        builder.put(metric, found);
    }
    if let Some((_, text)) = cell("Allocated").filter(|(_, text)| !is_no_value(text)) {
        match quantity::bytes(text) {
            Some(found) => builder.put("bytes_per_op", found),
            None => builder.note(format!("Allocated is {}, which is no size", short(text))),
        }
    }
    file.add(builder)
}
