//! Text of wrk and wrk2, also several results in one text or pasted under headings.
//!
//! Replicate: a result, which is one call. wrk keeps its connections busy for a time, so the number of requests
//! is a result and not a part of the workload.

use crate::error::Error;
use crate::read::fields::number;
use crate::read::llm::run_builder::RunBuilder;
use crate::read::runners::quantity::{megabytes, milliseconds};
use crate::read::runners::{label_of, text_with};
use crate::read::{Content, Found, Options, Reader, short};

pub(super) const TEXT: Reader = Reader {
    name: "wrk text",
    recognised_by: "lines Thread Stats and Requests/sec:",
    one_run: "a result, which is one call",
    metrics: &["request_throughput", "mb_per_s", "mean_e2el_ms", "p99_e2el_ms"],
    recognise: |content, _| text_with(content, &["Thread Stats", "Requests/sec:"]),
    read,
};

/// A result that has not ended yet.
struct Open {
    builder: RunBuilder,
    line: usize,
    requests: Option<u64>,
    bad: u64,
}

fn read(content: &Content, options: &Options) -> Result<Found, Error> {
    let mut found = Found::default();
    let text = content.text();
    let (mut variant, mut open) = (String::new(), None::<Open>);
    for (index, line) in text.lines().enumerate() {
        let line = line.trim().trim_start_matches(['>', '|']).trim();
        let cut = |open: &Open| {
            let problem = format!(
                "expected the line Requests/sec: of the result that starts at line {}, found it cut off",
                open.line
            );
            Error::at_line(content.path, index + 1, problem, "paste the whole result")
        };
        if let Some((duration, url)) = start(line) {
            if let Some(open) = &open {
                return Err(cut(open));
            }
            let mut builder = RunBuilder::new(content, "wrk", index + 1, "line");
            builder.timed();
            builder.run.variant.clone_from(&variant);
            builder.load("duration", Some(duration.to_owned()));
            // The address of the server may be what differs between variants.
            let path = url.split_once("://").map_or(url, |(_, rest)| rest);
            builder.load("path", path.split_once('/').map(|(_, path)| format!("/{path}")));
            builder.metadata("url", Some(url.to_owned()));
            open = Some(Open { builder, line: index + 1, requests: None, bad: 0 });
            continue;
        }
        let Some(result) = &mut open else {
            if part(line) {
                let problem = format!(
                    "expected the line Running ... test @ of the result before this one, found \"{}\"",
                    short(line)
                );
                let remedy = "paste the whole result, or remove its lines";
                return Err(Error::at_line(content.path, index + 1, problem, remedy));
            }
            variant = label_of(line, index + 1).unwrap_or(variant);
            continue;
        };
        let ended = result.line(content, index + 1, line)?;
        if let Some(Open { mut builder, requests, bad, .. }) = open.take_if(|_| ended) {
            builder.run.info.completed = requests.map(|all| all.saturating_sub(bad));
            builder.run.info.failed = requests.map(|_| bad);
            builder.finish(&mut found, options)?;
        }
    }
    match open {
        Some(open) => {
            let problem =
                "expected the line Transfer/sec: of the result, found the end of the file";
            Err(Error::at_line(content.path, open.line, problem, "paste the whole result"))
        }
        None => Ok(found),
    }
}

/// Duration and address of a line `Running 30s test @ http://...`.
fn start(line: &str) -> Option<(&str, &str)> {
    line.strip_prefix("Running ")?.split_once(" test @ ")
}

/// Whether a line occurs only in results.
fn part(line: &str) -> bool {
    let words: Vec<&str> = line.split_whitespace().collect();
    match words[..] {
        ["Thread", "Stats", "Avg", ..] => true,
        ["Requests/sec:", rate] => number(rate).is_some(),
        _ => false,
    }
}

impl Open {
    /// Reads a line of the result; true at its last one.
    fn line(
        &mut self,
        content: &Content,
        number_of_line: usize,
        line: &str,
    ) -> Result<bool, Error> {
        let bad = |what: &str| {
            let problem = format!("expected {what}, found \"{}\"", short(line));
            Error::at_line(content.path, number_of_line, problem, "fix the line")
        };
        let words: Vec<&str> = line.split_whitespace().collect();
        match words[..] {
            [threads, "threads", "and", connections, "connections"] => {
                self.builder.load("threads", Some(threads.to_owned()));
                self.builder.concurrency(connections.parse().ok());
            }
            ["Latency", mean, deviation, max, _] => {
                for (prefix, text) in [("mean", mean), ("std", deviation), ("max", max)] {
                    let value = milliseconds(text).ok_or_else(|| bad("times with a unit"))?;
                    self.builder.put(&format!("{prefix}_e2el_ms"), value);
                }
            }
            [percent, text] if percent.ends_with('%') => {
                let level = number(percent).map(|level| level.value);
                if let Some(level) = level.filter(|level| (50.0..100.0).contains(level)) {
                    let value = milliseconds(text).ok_or_else(|| bad("a time with a unit"))?;
                    self.builder.put(&format!("p{level}_e2el_ms"), value);
                }
            }
            [requests, "requests", "in", ..] => self.requests = requests.parse().ok(),
            ["Socket", "errors:", ..] => {
                let counts =
                    words.iter().filter_map(|word| word.trim_end_matches(',').parse::<u64>().ok());
                self.bad += counts.sum::<u64>();
            }
            ["Non-2xx", .., count] => {
                self.bad += count.parse::<u64>().map_err(|_| bad("a count"))?;
            }
            ["Requests/sec:", rate] => {
                let rate = number(rate).ok_or_else(|| bad("a number of requests"))?;
                self.builder.put("request_throughput", rate);
            }
            ["Transfer/sec:", rate] => {
                let rate = megabytes(rate).ok_or_else(|| bad("a size with a unit"))?;
                self.builder.put("mb_per_s", rate);
                return Ok(true);
            }
            _ => {}
        }
        Ok(false)
    }
}
