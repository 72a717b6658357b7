//! Apache `JMeter`: result files `.jtl` as CSV, and `statistics.json` of its report.
//!
//! Replicate: a file, which is one test; its rows are requests, and each label is a cell of its own. Times are those of
//! successful requests, from `elapsed`; `Latency` is the time to the first byte. `bytes`, `responseCode`, `Connect`
//! and the counts of threads are no results. Where several threads made the same number of requests each,
//! the plan fixed it; elsewhere time may have ended the test.

use std::collections::BTreeMap;

use crate::kit::prelude::*;
use beyondnoise_stats::quantile;

pub(crate) const ROWS: Reader = Reader {
    name: "jmeter jtl",
    marks: Marks::Header(&["timeStamp", "elapsed", "label", "!{"]),
    one_run: "a file, which is one test; its rows are requests, each label is a cell",
    metrics: &["request_throughput", "duration", "mean_e2el_ms", "p99_e2el_ms", "mean_ttfb_ms"],
    read: |content, options| Reading::of(content, options, read),
    ..Reader::EMPTY
};

pub(crate) const STATISTICS: Reader = Reader {
    name: "jmeter statistics json",
    marks: Marks::JsonPart(&["transaction", "sampleCount", "meanResTime"]),
    one_run: "a file, which is one test; each transaction is a cell",
    metrics: &["request_throughput", "mean_e2el_ms", "median_e2el_ms"],
    read: |content, options| Reading::of(content, options, statistics),
    ..Reader::EMPTY
};

pub(crate) const XML: Reader = Reader {
    name: "jmeter xml",
    marks: Marks::Starts(&["<"]),
    recognised_by: "an element testResults near the start",
    one_run: "none: set jmeter.save.saveservice.output_format=csv",
    recognise: |content, _| {
        contains(&content.bytes()[..content.bytes().len().min(1 << 12)], b"<testResults")
    },
    read: |_, _| {
        let why = "the requests of a test as XML, which is not read; save them as CSV \
                   (jmeter.save.saveservice.output_format=csv)";
        Ok(Found::nothing(why))
    },
    ..Reader::EMPTY
};

/// The requests of one label.
#[derive(Default)]
struct Requests {
    /// Line of the first.
    line: usize,
    elapsed: Vec<f64>,
    first_byte: Vec<f64>,
    failed: u64,
    /// First start and last end, in milliseconds.
    span: Option<(f64, f64)>,
    of_thread: BTreeMap<String, u64>,
}

fn read(file: &mut Reading) -> Result<(), Error> {
    for (label, requests) in by_label(file)? {
        finish(file, label, requests)?;
    }
    let problem = if file.found.skipped.is_empty() {
        "expected a row per request under the header, found none"
    } else {
        "expected successful requests, found none of any label"
    };
    file.needs_runs(problem, "check the test, or remove the file")
}

/// The requests of each label, in the order in which labels appear.
fn by_label(file: &mut Reading) -> Result<Vec<(String, Requests)>, Error> {
    let mut place: BTreeMap<String, usize> = BTreeMap::new();
    let mut all: Vec<(String, Requests)> = Vec::new();
    for row in file.csv_rows()? {
        let row = match row {
            Ok(row) => row,
            Err(error) => {
                file.refuse("row", error)?;
                continue;
            }
        };
        let cell = row.cell("elapsed");
        let Some(Number { value: elapsed, .. }) = number(cell).filter(|n| n.value >= 0.0) else {
            return Err(row.wrong("milliseconds", "elapsed", cell));
        };
        let (label, next) = (row.cell("label"), all.len());
        let index = *place.entry(label.to_owned()).or_insert(next);
        if index == next {
            all.push((label.to_owned(), Requests { line: row.line, ..Requests::default() }));
        }
        let requests = &mut all[index].1;
        if let Some(start) = number(row.cell("timeStamp")).map(|number| number.value) {
            let (first, last) = requests.span.unwrap_or((start, start));
            requests.span = Some((first.min(start), last.max(start + elapsed)));
        }
        let thread = row.cell("threadName");
        if !thread.is_empty() {
            *requests.of_thread.entry(thread.to_owned()).or_default() += 1;
        }
        if row.cell("success").eq_ignore_ascii_case("false") {
            requests.failed += 1;
            continue;
        }
        requests.elapsed.push(elapsed);
        requests.first_byte.extend(number(row.cell("Latency")).map(|number| number.value));
    }
    Ok(all)
}

fn finish(file: &mut Reading, label: String, requests: Requests) -> Result<(), Error> {
    let Requests { line, elapsed, mut first_byte, failed, span, of_thread } = requests;
    let done = elapsed.len();
    if done == 0 {
        let why = format!("{label}: all {failed} requests failed: no value");
        file.skip(format!("line {line}"), why);
        return Ok(());
    }
    let mut builder = file.run("jmeter", line, "line");
    builder.run.workload.label = Some(label).filter(|label| !label.is_empty());
    builder.counts(Some(done as u64), Some(failed));
    if failed > 0 {
        let all = done as u64 + failed;
        builder.note(format!("{failed} of {all} requests failed; their times are not used"));
    }
    let mut counts = of_thread.values();
    let first = counts.next();
    let fixed = of_thread.len() > 1 && counts.all(|count| Some(count) == first);
    if !of_thread.is_empty() {
        builder.load("threads", Some(of_thread.len().to_string()));
    }
    if !fixed {
        builder.timed();
    }
    if let Some(seconds) = span.map(|(first, last)| (last - first) / 1e3).filter(|s| *s > 0.0) {
        builder.put("request_throughput", Number::exact(done as f64 / seconds));
        if fixed {
            builder.put("duration", Number::exact(seconds));
        }
    }
    builder.requests(Detail { e2el_ms: elapsed, ..Detail::default() });
    if first_byte.len() == done && first_byte.iter().any(|time| *time > 0.0) {
        first_byte.sort_by(f64::total_cmp);
        builder.put("mean_ttfb_ms", Number::exact(mean(&first_byte).unwrap_or(0.0)));
        for (prefix, level) in [("median", 0.5), ("p99", 0.99)] {
            builder.latency(prefix, "ttfb", Number::exact(quantile(&first_byte, level)));
        }
    }
    file.add(builder)
}

fn statistics(file: &mut Reading) -> Result<(), Error> {
    let mut position = 0;
    for root in file.trees()? {
        let parts = root.entries("").iter().filter(|(_, part)| part.has("meanResTime"));
        let single = parts.clone().count() == 1;
        for (name, part) in parts {
            position += 1;
            if name == "Total" && !single {
                let why = "Total: the sum over all transactions, which are read one by one";
                file.skip(format!("object {position}"), why);
                continue;
            }
            let failed = part.number("errorCount").map_or(0, whole);
            let all = part.number("sampleCount").map_or(0, whole);
            let mut builder = file.run("jmeter", position, "object");
            builder.timed();
            builder.run.workload.label = Some(name.to_string()).filter(|name| name != "Total");
            builder.counts(Some(all.saturating_sub(failed)), Some(failed));
            builder.metrics(part, TOTALS);
            if part.has("pct1ResTime") {
                builder.note(
                    "pct1ResTime to pct3ResTime: the file does not say which percentiles they are",
                );
            }
            file.add(builder)?;
        }
    }
    Ok(())
}

const TOTALS: &[(&str, &str)] = &[
    ("throughput", "request_throughput"),
    ("meanResTime", "mean_e2el_ms"),
    ("medianResTime", "median_e2el_ms"),
    ("maxResTime", "max_e2el_ms"),
];
