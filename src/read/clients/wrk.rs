//! Text of wrk and wrk2, also several results in one text or pasted under headings.
//!
//! Replicate: a result, which is one call. wrk keeps its connections busy for a time, so the number of requests
//! is a result and not a part of the workload.

use crate::kit::prelude::*;
use crate::kit::quantity::{megabytes, milliseconds};
use crate::text::headings::is_time;
use crate::text::labels::Labels;
use crate::text::notes::between::{Between, between};

pub(crate) const TEXT: Reader = Reader {
    name: "wrk text",
    marks: Marks::Text(&["Thread Stats", "Requests/sec:"]),
    one_run: "a result, which is one call",
    metrics: &["request_throughput", "mb_per_s", "mean_e2el_ms", "p99_e2el_ms"],
    read: |content, options| Reading::of(content, options, read),
    ..Reader::EMPTY
};

/// A result that has not ended yet.
struct Open {
    builder: RunBuilder,
    line: usize,
    requests: Option<u64>,
    bad: u64,
}

fn read(file: &mut Reading) -> Result<(), Error> {
    let text = file.content.text();
    let labels = Labels::of(&text);
    let (mut variant, mut open) = (String::new(), None::<Open>);
    for (index, line) in text.lines().enumerate() {
        let line = line.trim().trim_start_matches(['>', '|']).trim();
        let cut = |open: &Open| {
            let problem = format!(
                "expected the line Requests/sec: of the result that starts at line {}, found it cut off",
                open.line
            );
            file.error_at(index + 1, problem, "paste the whole result")
        };
        if let Some((duration, url)) = start(line) {
            if let Some(open) = &open {
                return Err(cut(open));
            }
            let mut builder = file.run("wrk", index + 1, "line");
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
        // People leave out the lines above the table.
        if open.is_none() && line.starts_with("Thread Stats") {
            let mut builder = file.run("wrk", index + 1, "line");
            builder.timed();
            let above = || text.lines().take(index).last().and_then(title);
            builder.run.variant = above().unwrap_or_else(|| variant.clone());
            open = Some(Open { builder, line: index + 1, requests: None, bad: 0 });
            continue;
        }
        let Some(result) = &mut open else {
            if part(line) {
                let what = "the line Running ... test @ of the result before this one";
                let remedy = "paste the whole result, or remove its lines";
                return Err(file.wrong_line(index + 1, (what, line), remedy));
            }
            variant = labels.at(index).unwrap_or(variant);
            continue;
        };
        let ended = result.line(file, index + 1, line)?;
        if let Some(Open { mut builder, requests, bad, .. }) = open.take_if(|_| ended) {
            let good = requests.map(|all| all.saturating_sub(bad));
            builder.counts(good, requests.map(|_| bad));
            file.add(builder)?;
        }
    }
    match open {
        Some(open) => {
            let problem =
                "expected the line Transfer/sec: of the result, found the end of the file";
            Err(file.error_at(open.line, problem, "paste the whole result"))
        }
        None => Ok(()),
    }
}

/// Duration and address of a line `Running 30s test @ http://...`.
fn start(line: &str) -> Option<(&str, &str)> {
    line.strip_prefix("Running ")?.split_once(" test @ ")
}

/// The words of a line above a result, without the time behind them: `pypy, Mon May 20 08:10:32 CST 2013`.
fn title(line: &str) -> Option<String> {
    let words = line.trim().trim_start_matches(['#', '>', ' ']);
    let timed = words.split_once(", ").filter(|(_, rest)| rest.split(' ').any(is_time));
    let words = timed.map_or(words, |(label, _)| label).trim_end_matches(':').trim();
    let short = words.split_whitespace().count() < 6 && between(words) == Between::Text;
    (short && words.contains(char::is_alphabetic)).then(|| words.to_owned())
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
    fn line(&mut self, file: &Reading, number_of_line: usize, line: &str) -> Result<bool, Error> {
        let bad = |what: &str| file.wrong_line(number_of_line, (what, line), "fix the line");
        let words: Vec<&str> = line.split_whitespace().collect();
        match words[..] {
            [threads, "threads", "and", connections, "connections"] => {
                self.builder.load("threads", Some(threads.to_owned()));
                self.builder.concurrency(connections.parse().ok());
            }
            ["Latency", mean, deviation, max, _] => {
                for (statistic, text) in [("mean", mean), ("std", deviation), ("max", max)] {
                    let value = milliseconds(text).ok_or_else(|| bad("times with a unit"))?;
                    self.builder.latency(statistic, "e2el", value);
                }
            }
            [percent, text] if percent.ends_with('%') && statistic(percent).is_some() => {
                let value = milliseconds(text).ok_or_else(|| bad("a time with a unit"))?;
                self.builder.latency(percent, "e2el", value);
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
