//! Result files of general benchmark runners and load generators, a file a tool.
//!
//! To add one: copy a file that is like it (`hyperfine.rs` is short), recognise the format by keys that only it has,
//! fill a [`RunBuilder`] per run in the names and units of `crate::metrics`, and add the reader to the list below.
//! The header of each file defines a replicate in that format: a process, a fork or a file. Iterations inside one
//! process are not replicates: they become one run, with their number in its metadata, unless the user counts each as
//! a run (`--unit iteration`).
//!
//! The name of a benchmark is its workload, so that benchmarks of one file are never compared with each other.

mod asv;
mod cargo_bench;
mod criterion;
mod go_bench;
mod google_benchmark;
mod hyperfine;
mod jmeter;
mod jmeter_report;
mod jmh;
mod k6;
mod k6_points;
mod locust;
mod oha;
mod pyperf;
mod pytest_benchmark;
mod quantity;
mod vegeta;
mod wrk;

use std::ops::Range;

use jiter::Jiter;

use crate::error::Error;
use crate::read::headings::{COLON, heading};
use crate::read::json::looks_like_json;
use crate::read::llm::run_builder::RunBuilder;
use crate::read::llm::tree::{Node, objects};
use crate::read::{Content, Found, Reader, contains, short};
use crate::runs::Skipped;

/// Formats of one tool each, the most telling marks first.
pub(super) const READERS: &[Reader] = &[
    hyperfine::JSON,
    hyperfine::TABLE,
    pyperf::JSON,
    google_benchmark::JSON,
    jmh::JSON,
    pytest_benchmark::JSON,
    criterion::SAMPLE,
    criterion::RAW,
    criterion::ESTIMATES,
    criterion::REST,
    k6::SUMMARY,
    k6_points::LINES,
    oha::JSON,
    vegeta::JSON,
    vegeta::TEXT,
    wrk::TEXT,
    locust::STATS,
    locust::OTHER,
    jmeter::ROWS,
    jmeter::STATISTICS,
    jmeter::XML,
    jmeter_report::TABLE,
    asv::JSON,
    go_bench::TEXT,
    cargo_bench::TEXT,
];

/// Bytes at the start of a file in which JSON may begin after some lines of text.
const BEFORE: usize = 1 << 16;

/// Bytes at either end of a file in which marks are looked for.
const NEAR: usize = 1 << 16;

/// The JSON of a file: all of it, or the first value in a fence or after lines of text.
fn json_part<'a>(content: &Content<'a>) -> Option<&'a [u8]> {
    let bytes = content.bytes();
    if looks_like_json(bytes) {
        Some(bytes)
    } else {
        json_within(bytes, BEFORE).map(|part| &bytes[part])
    }
}

/// Range of the first JSON value of a text, in a fence or after lines of text; it starts within `most` bytes.
pub(super) fn json_within(bytes: &[u8], most: usize) -> Option<Range<usize>> {
    let near = &bytes[..bytes.len().min(most)];
    let opens = |at: &usize| matches!(bytes[*at], b'{' | b'[') && looks_like_json(&bytes[*at..]);
    let starts_line = |at: &usize| {
        let before = near[..*at].trim_ascii_end();
        before.ends_with(b"`") || near[before.len()..*at].contains(&b'\n')
    };
    let start = memchr::memchr2_iter(b'{', b'[', near).filter(starts_line).find(opens)?;
    let mut json = Jiter::new(&bytes[start..]).with_allow_inf_nan();
    let whole = json.next_skip().is_ok();
    let end = if whole { start + json.current_index() } else { bytes.len() };
    Some(start..end)
}

/// Whether the file holds JSON with all these keys near its start or end.
fn json_with(content: &Content, keys: &[&str]) -> bool {
    let Some(part) = json_part(content) else { return false };
    let ends = [&part[..part.len().min(NEAR)], &part[part.len().saturating_sub(NEAR)..]];
    keys.iter().all(|key| {
        let quoted = format!("\"{key}\"");
        ends.iter().any(|end| contains(end, quoted.as_bytes()))
    })
}

/// Whether the file is text, not JSON, with all these words anywhere.
pub(super) fn text_with(content: &Content, words: &[&str]) -> bool {
    let bytes = content.bytes();
    !looks_like_json(bytes) && words.iter().all(|words| contains(bytes, words.as_bytes()))
}

/// All JSON objects of the file.
fn trees(content: &Content) -> Result<Vec<Node>, Error> {
    let part = json_part(content).unwrap_or_else(|| content.bytes());
    Ok(objects(content.path, part, &[])?.into_iter().map(|tree| tree.root).collect())
}

/// An error at a place in the file.
fn expected(content: &Content, place: &str, what: &str, found: Option<&Node>) -> Error {
    let found = match found {
        None => "nothing".to_owned(),
        Some(Node::Null) => "null".to_owned(),
        Some(Node::Number(value)) => value.to_string(),
        Some(Node::Text(text)) => format!("\"{}\"", short(text)),
        Some(Node::List(items)) => format!("a list of {}", items.len()),
        Some(Node::Object(_)) => "an object".to_owned(),
    };
    Error::Input {
        path: content.path.to_owned(),
        place: place.to_owned(),
        problem: format!("expected {what}, found {found}"),
        remedy: "fix the value, or remove the file".to_owned(),
    }
}

/// All elements of a list as numbers, or the place of the first that is not a number.
fn numbers(content: &Content, place: &str, list: &[Node]) -> Result<Vec<f64>, Error> {
    list.iter()
        .enumerate()
        .map(|(index, item)| {
            let place = || format!("{place}[{index}]");
            as_number(item).ok_or_else(|| expected(content, &place(), "a number", Some(item)))
        })
        .collect()
}

fn as_number(node: &Node) -> Option<f64> {
    match node {
        Node::Number(value) if value.is_finite() => Some(*value),
        _ => None,
    }
}

/// A count that may be written as a fraction.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "cut to the range")]
pub(super) fn whole(value: f64) -> u64 {
    value.clamp(0.0, 9e15).round() as u64
}

/// A count, 0 if missing.
fn count_of_node(node: &Node) -> u64 {
    as_number(node).map_or(0, whole)
}

fn mean(values: &[f64]) -> Option<f64> {
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}

/// A time above 0; where nothing was measured tools write 0.
fn time(builder: &mut RunBuilder, metric: &str, value: Option<f64>, factor: f64) {
    match value {
        Some(value) if value > 0.0 => builder.scaled(metric, Some(value), factor),
        Some(value) => builder.note(format!("{metric} is {value}, which means no data")),
        None => {}
    }
}

/// Nanoseconds of a unit of time.
fn nanoseconds(unit: &str) -> Option<f64> {
    Some(match unit {
        "ps" => 1e-3,
        "ns" => 1.0,
        "us" | "µs" | "μs" => 1e3,
        "ms" => 1e6,
        "s" | "sec" => 1e9,
        "m" | "min" => 6e10,
        "h" | "hour" => 3.6e12,
        _ => return None,
    })
}

/// A file without runs, with the reason.
fn nothing(why: &str) -> Found {
    let skipped = vec![Skipped { place: "file".to_owned(), why: why.to_owned() }];
    Found { skipped, ..Found::default() }
}

/// The label of the variant that a line of notes gives to the results below it.
pub(super) fn label_of(line: &str, number: usize) -> Option<String> {
    let (heading, _) = heading(line.trim(), number)?;
    (heading.level <= COLON).then_some(heading.label)
}
