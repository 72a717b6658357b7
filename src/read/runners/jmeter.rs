//! Apache `JMeter`: result files `.jtl` as CSV, and `statistics.json` of its report.
//!
//! Replicate: a file, which is one test; its rows are requests, and each label is a cell of its own. Times are those of
//! successful requests, from `elapsed`; `Latency` is the time to the first byte. `bytes`, `responseCode`, `Connect`
//! and the counts of threads are no results. Where several threads made the same number of requests each,
//! the plan fixed it; elsewhere time may have ended the test.

use std::collections::BTreeMap;

use crate::error::Error;
use crate::read::detail::Detail;
use crate::read::fields::{Number, number};
use crate::read::llm::csv_error::malformed;
use crate::read::llm::run_builder::{MS, RunBuilder};
use crate::read::runners::{json_with, nothing, trees, whole};
use crate::read::table::delimited::{delimiter, line_at};
use crate::read::{Content, Found, Options, Reader, contains, short};
use crate::runs::Skipped;
use crate::stats::quantile;

pub(super) const ROWS: Reader = Reader {
    name: "jmeter jtl",
    recognised_by: "a header with timeStamp, elapsed and label",
    one_run: "a file, which is one test; its rows are requests, each label is a cell",
    metrics: &["request_throughput", "duration", "mean_e2el_ms", "p99_e2el_ms", "mean_ttfb_ms"],
    recognise: |content, _| {
        let header = content.first_line(1 << 12);
        ["timeStamp", "elapsed", "label"].iter().all(|name| contains(header, name.as_bytes()))
            && !contains(header, b"{")
    },
    read,
};

pub(super) const STATISTICS: Reader = Reader {
    name: "jmeter statistics json",
    recognised_by: "keys transaction, sampleCount and meanResTime",
    one_run: "a file, which is one test; each transaction is a cell",
    metrics: &["request_throughput", "mean_e2el_ms", "median_e2el_ms"],
    recognise: |content, _| json_with(content, &["transaction", "sampleCount", "meanResTime"]),
    read: statistics,
};

pub(super) const XML: Reader = Reader {
    name: "jmeter xml",
    recognised_by: "an element testResults",
    one_run: "none: set jmeter.save.saveservice.output_format=csv",
    metrics: &[],
    recognise: |content, _| {
        let near = &content.bytes()[..content.bytes().len().min(1 << 12)];
        near.starts_with(b"<") && contains(near, b"<testResults")
    },
    read: |_, _| {
        Ok(nothing(
            "the requests of a test as XML, which is not read; save them as CSV \
             (jmeter.save.saveservice.output_format=csv)",
        ))
    },
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

fn read(content: &Content, options: &Options) -> Result<Found, Error> {
    let mut found = Found::default();
    for (label, requests) in by_label(content, options, &mut found)? {
        finish(content, options, label, requests, &mut found)?;
    }
    if found.runs.is_empty() && !options.lenient {
        let problem = if found.skipped.is_empty() {
            "expected a row per request under the header, found none"
        } else {
            "expected successful requests, found none of any label"
        };
        return Err(Error::file(content.path, problem, "check the test, or remove the file"));
    }
    Ok(found)
}

/// The requests of each label, in the order in which labels appear.
fn by_label(
    content: &Content,
    options: &Options,
    found: &mut Found,
) -> Result<Vec<(String, Requests)>, Error> {
    let header = String::from_utf8_lossy(content.first_line(1 << 12)).into_owned();
    let mut reader =
        csv::ReaderBuilder::new().delimiter(delimiter(&header)).from_reader(content.bytes());
    let at = |line: usize, problem: String| {
        Error::at_line(content.path, line, problem, "fix the row, or remove the file")
    };
    let bad = |error: csv::Error| malformed(content.path, content.bytes(), &error);
    let headers = reader.headers().map_err(bad)?.clone();
    let column = |name: &str| headers.iter().position(|header| header.trim() == name);
    let columns = ["timeStamp", "elapsed", "label", "success", "Latency", "threadName"].map(column);
    let mut place: BTreeMap<String, usize> = BTreeMap::new();
    let mut all: Vec<(String, Requests)> = Vec::new();
    for record in reader.records() {
        let record = match record.map_err(bad) {
            Err(error) if options.lenient => {
                found.skipped.push(Skipped { place: "row".to_owned(), why: error.to_string() });
                continue;
            }
            record => record?,
        };
        let line = record.position().map_or(1, |at| line_at(content.bytes(), at));
        let cell =
            |column: Option<usize>| column.and_then(|at| record.get(at)).unwrap_or("").trim();
        let [time, elapsed, label, success, latency, thread] = columns.map(cell);
        let Some(Number { value: elapsed, .. }) = number(elapsed).filter(|n| n.value >= 0.0) else {
            let problem =
                format!("expected milliseconds in \"elapsed\", found \"{}\"", short(elapsed));
            return Err(at(line, problem));
        };
        let next = all.len();
        let index = *place.entry(label.to_owned()).or_insert(next);
        if index == next {
            all.push((label.to_owned(), Requests { line, ..Requests::default() }));
        }
        let requests = &mut all[index].1;
        if let Some(start) = number(time).map(|number| number.value) {
            let (first, last) = requests.span.unwrap_or((start, start));
            requests.span = Some((first.min(start), last.max(start + elapsed)));
        }
        if !thread.is_empty() {
            *requests.of_thread.entry(thread.to_owned()).or_default() += 1;
        }
        if success.eq_ignore_ascii_case("false") {
            requests.failed += 1;
            continue;
        }
        requests.elapsed.push(elapsed);
        requests.first_byte.extend(number(latency).map(|number| number.value));
    }
    Ok(all)
}

fn finish(
    content: &Content,
    options: &Options,
    label: String,
    requests: Requests,
    found: &mut Found,
) -> Result<(), Error> {
    let Requests { line, elapsed, mut first_byte, failed, span, of_thread } = requests;
    let place = format!("line {line}");
    let done = elapsed.len();
    if done == 0 {
        let why = format!("{label}: all {failed} requests failed: no value");
        found.skipped.push(Skipped { place, why });
        return Ok(());
    }
    let mut builder = RunBuilder::new(content, "jmeter", line, "line");
    builder.run.workload.label = Some(label).filter(|label| !label.is_empty());
    (builder.run.info.completed, builder.run.info.failed) = (Some(done as u64), Some(failed));
    if failed > 0 {
        builder.note(format!(
            "{failed} of {} requests failed; their times are not used",
            done as u64 + failed
        ));
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
        let exact = |value| Number { value, resolution: 0.0 };
        builder.put("request_throughput", exact(done as f64 / seconds));
        if fixed {
            builder.put("duration", exact(seconds));
        }
    }
    builder.requests(Detail { e2el_ms: elapsed, ..Detail::default() });
    if first_byte.len() == done && first_byte.iter().any(|time| *time > 0.0) {
        first_byte.sort_by(f64::total_cmp);
        let mean = first_byte.iter().sum::<f64>() / done as f64;
        for (prefix, value) in [
            ("mean", mean),
            ("median", quantile(&first_byte, 0.5)),
            ("p99", quantile(&first_byte, 0.99)),
        ] {
            builder.put(&format!("{prefix}_ttfb_ms"), Number { value, resolution: 0.0 });
        }
    }
    builder.finish(found, options)
}

fn statistics(content: &Content, options: &Options) -> Result<Found, Error> {
    let mut found = Found::default();
    let mut position = 0;
    for root in trees(content)? {
        let parts = root.entries().iter().filter(|(_, part)| part.has("meanResTime"));
        let single = parts.clone().count() == 1;
        for (name, part) in parts {
            position += 1;
            if name == "Total" && !single {
                let why =
                    "Total: the sum over all transactions, which are read one by one".to_owned();
                found.skipped.push(Skipped { place: format!("object {position}"), why });
                continue;
            }
            let failed = part.number("errorCount").map_or(0, whole);
            let all = part.number("sampleCount").map_or(0, whole);
            let mut builder = RunBuilder::new(content, "jmeter", position, "object");
            builder.timed();
            builder.run.workload.label = Some(name.clone()).filter(|name| name != "Total");
            builder.run.info.completed = Some(all.saturating_sub(failed));
            builder.run.info.failed = Some(failed);
            builder.metric("request_throughput", part.number("throughput"));
            for (prefix, key) in
                [("mean", "meanResTime"), ("median", "medianResTime"), ("max", "maxResTime")]
            {
                builder.scaled(&format!("{prefix}_e2el_ms"), part.number(key), MS);
            }
            if part.has("pct1ResTime") {
                builder.note(
                    "pct1ResTime to pct3ResTime: the file does not say which percentiles they are",
                );
            }
            builder.finish(&mut found, options)?;
        }
    }
    Ok(found)
}
