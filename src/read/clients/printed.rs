//! Tables that `AIPerf`, genai-perf, `GuideLLM` and `EvalScope` print for people beside an exact result file.
//!
//! Replicate: a printed result, which is one call of the client; of `GuideLLM` and `EvalScope` a load of it. In a folder the
//! exact file counts, and these tables are left out.

use crate::clients::genai_perf::{LATENCIES, TOTALS};
use crate::kit::prelude::*;
use crate::kit::siblings::beside;
use crate::text::grid::{Grid, grids};
use crate::text::labels::Labels;
use crate::text::notes::between::behind_log_header;
use beyondnoise_model::runs::Run;

pub(crate) const SUMMARY: Reader = Reader {
    name: "printed summary",
    recognised_by: "a title of AIPerf, genai-perf, GuideLLM or EvalScope, in a folder or beside the result file",
    one_run: "none: the result file has the exact figures",
    recognise: |content, named| is_printed(content) && (!named || has_exact(content)),
    read: |content, _| {
        let exact = tool_of(content).map(|tool| tool.exact).unwrap_or_default().join(" or ");
        Ok(Found::nothing(&format!("rounded figures for people; the exact ones are in {exact}")))
    },
    ..Reader::EMPTY
};

pub(crate) const BOXES: Reader = Reader {
    name: "printed boxes",
    recognised_by: "a title of AIPerf, genai-perf, GuideLLM or EvalScope over its tables, in a file that is named",
    one_run: "the tables of a call of the client, or a load in them",
    metrics: SERVING,
    recognise: |content, named| {
        named
            && is_printed(content)
            && grids(&content.text()).iter().any(|grid| kind(grid).is_some())
    },
    read: |content, options| Reading::of(content, options, read),
    ..Reader::EMPTY
};

/// Whether the result file lies beside this one.
fn has_exact(content: &Content) -> bool {
    let tool = tool_of(content);
    tool.is_some_and(|tool| tool.exact.iter().any(|name| beside(content, name).is_some()))
}

fn is_printed(content: &Content) -> bool {
    tool_of(content).is_some() && !json_with(content, &[])
}

/// A client: the title of its tables, its name, and the file with the same in full.
struct Tool {
    title: &'static str,
    client: &'static str,
    exact: &'static [&'static str],
}

const TOOLS: &[Tool] = &[
    Tool { title: "NVIDIA AIPerf |", client: "aiperf", exact: &["profile_export_aiperf.json"] },
    Tool {
        title: "NVIDIA GenAI-Perf |",
        client: "genai-perf",
        exact: &["profile_export_genai_perf.json"],
    },
    Tool {
        title: "ℹ Run Summary Info",
        client: "guidellm",
        exact: &["benchmarks.json", "benchmarks.csv"],
    },
    Tool {
        title: "Performance Test Summary Report",
        client: "evalscope",
        exact: &["benchmark_summary.json"],
    },
];

fn tool_of(content: &Content) -> Option<&'static Tool> {
    TOOLS.iter().find(|tool| near(content, tool.title))
}

/// Columns of tables with a load in each row: the name, the metric, and the factor to its unit.
const COLUMNS: &[(&str, &str, f64)] = &[
    // EvalScope
    ("RPS", "request_throughput", 1.0),
    ("Gen/s", "output_throughput", 1.0),
    // GuideLLM, whose time per output token is that of a whole request.
    ("Requests Per Sec Mean", "request_throughput", 1.0),
    ("Output Tokens Per Sec Mean", "output_throughput", 1.0),
    ("Total Tokens Per Sec Mean", "total_token_throughput", 1.0),
    ("Request Latency Sec Mean", "mean_e2el_ms", S),
    ("Request Latency Sec Mdn", "median_e2el_ms", S),
    ("Request Latency Sec p95", "p95_e2el_ms", S),
    ("TTFT ms Mean", "mean_ttft_ms", MS),
    ("TTFT ms Mdn", "median_ttft_ms", MS),
    ("TTFT ms p95", "p95_ttft_ms", MS),
    ("ITL ms Mean", "mean_tpot_ms", MS),
    ("ITL ms Mdn", "median_tpot_ms", MS),
    ("ITL ms p95", "p95_tpot_ms", MS),
];

/// Rows of `EvalScope`'s table of requests, with the name of the latency and the factor to milliseconds.
const REQUESTS: &[(&str, &str, f64)] = &[
    ("Latency (s)", "e2el", S),
    ("TTFT (ms)", "ttft", MS),
    ("TPOT (ms)", "tpot", MS),
    ("ITL (ms)", "itl", MS),
];

/// Headers of the column that names the load.
const LOADS: &[&str] = &["Conc.", "Benchmark Strategy"];

/// Headers of `AIPerf`'s table of failed requests.
const ERRORS: &[&str] = &["Code", "Type", "Message", "Count"];

/// A heading that `EvalScope` prints itself.
const OWN_HEADING: &str = "Basic Information";

/// Requests that succeeded and failed, as `GuideLLM` and `EvalScope` print them for a load.
fn outcome<'a>(cell: &dyn Fn(&str) -> &'a str) -> Option<(u64, u64)> {
    let count = |name: &str| value(cell(name)).map(|found| found.value);
    let good = count("Requests Comp Tot").zip(count("Requests Err Tot"));
    let (good, bad) = good.or_else(|| {
        let (all, share) = count("Num").zip(count("Success"))?;
        let good = (all * share / 100.0).round();
        Some((good, all - good))
    })?;
    Some((whole(good), whole(bad)))
}

fn counted(run: &Run) -> bool {
    run.info.completed.is_some()
}

/// Layout of a printed table.
#[derive(Clone, Copy, PartialEq)]
enum Layout {
    /// A metric in each row, a statistic in each column.
    Metrics,
    /// A load in each row.
    Loads,
    /// A metric of a load in each row; the load is in the first row of its metrics.
    MetricsOfLoads,
}

fn kind(grid: &Grid) -> Option<Layout> {
    let first = grid.headers.first()?.as_str();
    let has = |name: &str| grid.headers.iter().any(|header| header == name);
    if LOADS.contains(&first) {
        let known = COLUMNS.iter().any(|(name, ..)| has(name)) || has("Requests Comp Tot");
        let metrics = has("Metric") && has("avg");
        return if metrics { Some(Layout::MetricsOfLoads) } else { known.then_some(Layout::Loads) };
    }
    let named = matches!(first, "Metric" | "Statistic") && has("avg");
    named.then_some(Layout::Metrics)
}

/// The runs of a text: heading, load, and the run.
#[derive(Default)]
struct Runs(Vec<(String, String, RunBuilder)>);

impl Runs {
    /// The run of a load under a heading; another one if it `has` what is to be noted already.
    fn of(
        &mut self,
        file: &Reading,
        (client, line): (&str, usize),
        (variant, load): (&str, &str),
        has: impl Fn(&Run) -> bool,
    ) -> &mut RunBuilder {
        let known = self.0.iter().rposition(|(known, of, _)| known == variant && of == load);
        let known = known.filter(|at| !has(&self.0[*at].2.run));
        let at = known.unwrap_or_else(|| {
            let mut builder = file.run(client, line, "line");
            variant.clone_into(&mut builder.run.variant);
            // `concurrent@2` of GuideLLM, a number of EvalScope.
            match load.rsplit_once('@') {
                Some(("concurrent", streams)) => builder.concurrency(streams.parse().ok()),
                _ => match load.parse() {
                    Ok(cap) => builder.concurrency(Some(cap)),
                    Err(_) => builder.load("strategy", Some(load.to_owned())),
                },
            }
            self.0.push((variant.to_owned(), load.to_owned(), builder));
            self.0.len() - 1
        });
        &mut self.0[at].2
    }
}

/// A number of a cell: `1,204.5`, `24.9 ± 2.7`, `35.4*`.
fn value(cell: &str) -> Option<Number> {
    number(cell.split('±').next().unwrap_or_default().trim().trim_end_matches('*'))
}

fn read(file: &mut Reading) -> Result<(), Error> {
    let Some(tool) = tool_of(file.content) else { return Ok(()) };
    let text = file.content.text();
    let labels = Labels::of(&text);
    let lines: Vec<&str> = text.lines().collect();
    let (mut from, mut variant, mut runs) = (0, String::new(), Runs::default());
    let mut errors = None;
    for grid in grids(&text) {
        let own = |label: &String| label != OWN_HEADING;
        // `vLLM main NVIDIA AIPerf | LLM Metrics`
        let titled = |at: usize| {
            let line = lines.get(at)?;
            let line = behind_log_header(line).unwrap_or(line);
            let (label, _) = line.split_once(tool.title)?;
            Some(label.trim().to_owned()).filter(|label| label.contains(char::is_alphanumeric))
        };
        let label = (from..grid.lines.start)
            .rev()
            .find_map(|at| titled(at).or_else(|| labels.at(at).filter(own)));
        variant = label.unwrap_or(variant);
        from = grid.lines.end;
        if grid.headers.iter().map(String::as_str).eq(ERRORS.iter().copied()) {
            let counts = grid.rows.iter().filter_map(|(_, cells)| value(cells.last()?));
            errors = Some(counts.map(|count| whole(count.value)).sum());
        }
        let Some(layout) = kind(&grid) else { continue };
        let mut load = String::new();
        for (line, cells) in &grid.rows {
            let cell = |name: &str| {
                grid.headers.iter().position(|header| header == name).map_or("", |at| &*cells[at])
            };
            let at = (tool.client, *line);
            if let Some((good, bad)) = outcome(&cell).filter(|_| layout == Layout::Loads) {
                runs.of(file, at, (&variant, &cells[0]), counted).counts(Some(good), Some(bad));
            }
            let mut put = |load: &str, metric: &str, number: Number| {
                let has = |run: &Run| run.metrics.contains_key(metric);
                runs.of(file, at, (&variant, load), has).put(metric, number);
            };
            match layout {
                Layout::Metrics => {
                    let (name, unit) = cells[0].rsplit_once('(').unwrap_or((&cells[0], ""));
                    let key = name.trim().to_lowercase().replace(' ', "_");
                    let unit = to_ms(unit.trim_end_matches(')'));
                    let stem = LATENCIES.iter().find(|(known, _)| *known == key);
                    if let Some(((_, stem), factor)) = stem.zip(unit) {
                        for (word, cell) in grid.headers.iter().zip(cells).skip(1) {
                            let Some(prefix) = statistic(word) else { continue };
                            let metric = format!("{prefix}_{stem}_ms");
                            if let Some(found) = value(cell) {
                                put("", &metric, found.times(factor));
                            }
                        }
                    }
                    let total =
                        TOTALS.iter().find(|(known, _)| known.strip_suffix("/avg") == Some(&*key));
                    if let Some(((_, metric), found)) = total.zip(value(cell("avg"))) {
                        put("", metric, found);
                    }
                    if let Some(count) = value(cell("avg")).filter(|_| key == "request_count") {
                        let run = runs.of(file, at, (&variant, ""), counted);
                        run.counts(Some(whole(count.value)), errors.take());
                    }
                }
                Layout::Loads => {
                    for (name, metric, factor) in COLUMNS {
                        if let Some(found) = value(cell(name)) {
                            put(&cells[0], metric, found.times(*factor));
                        }
                    }
                }
                Layout::MetricsOfLoads => {
                    if !cells[0].is_empty() {
                        load.clone_from(&cells[0]);
                    }
                    let known = REQUESTS.iter().find(|(name, ..)| *name == cell("Metric"));
                    let Some((_, stem, factor)) = known else { continue };
                    for (word, cell) in grid.headers.iter().zip(cells) {
                        let Some(prefix) = statistic(word) else { continue };
                        let metric = format!("{prefix}_{stem}_ms");
                        if let Some(found) = value(cell) {
                            put(&load, &metric, found.times(*factor));
                        }
                    }
                }
            }
        }
    }
    for (.., builder) in runs.0 {
        file.add(builder)?;
    }
    Ok(())
}
