//! Texts with results of more than one kind, of which a reader takes one.
//!
//! The first format that recognises a file reads it, and what it does not look for would be lost without a word.

use crate::error::Error;
use crate::read::json::looks_like_json;
use crate::read::text_block::{self, Kind};
use crate::read::{Content, Reader, llm, markdown_table, notes, runners, serving_json, table};

const REMEDY: &str = "put each into a file of its own";

/// What the reader of a text passes over: results that another one reads, or a second JSON value.
pub(super) fn passed_over(content: &Content, reader: &Reader) -> Option<Error> {
    let is = |known: &Reader| known.name == reader.name;
    let of_program = programs().any(is);
    // They read every JSON value of a text.
    let of_records = records().any(is);
    let of_text = of_program || is(&notes::READER) || is(&markdown_table::READER);
    let bytes = content.bytes();
    if !(of_text || of_records) || memchr::memchr(0, bytes).is_some() {
        return None;
    }
    if !is(&notes::READER)
        && let Some(line) = block(content)
    {
        let problem = format!(
            "expected {} alone, found a text block (==== Serving Benchmark Result ====)",
            reader.name
        );
        return Some(Error::at_line(content.path, line, problem, REMEDY));
    }
    if !of_text || looks_like_json(bytes) {
        return None;
    }
    if let Some((at, other)) = json(content, reader) {
        let problem = if is(other) {
            format!("expected one JSON document in the text, found another one of {}", other.name)
        } else {
            format!("expected {} alone, found {}", reader.name, other.name)
        };
        let line = 1 + memchr::memchr_iter(b'\n', &bytes[..at]).count();
        return Some(Error::at_line(content.path, line, problem, REMEDY));
    }
    let other =
        programs().find(|known| of_program && !is(known) && (known.recognise)(content, false))?;
    let problem = format!("expected {} alone, found {}", reader.name, other.name);
    Some(Error::file(content.path, problem, REMEDY))
}

fn programs() -> impl Iterator<Item = &'static Reader> {
    llm::READERS.iter().chain(runners::READERS)
}

const SERVING: &[Reader] = &[serving_json::VLLM, serving_json::SGLANG, serving_json::TENSORRT];

fn records() -> impl Iterator<Item = &'static Reader> {
    const FLAT: &[Reader] = &[table::REQUESTS, table::FLAT_JSON, table::ANY_JSON];
    SERVING.iter().chain(FLAT)
}

/// The line of the first text block.
fn block(content: &Content) -> Option<usize> {
    if !(notes::READER.recognise)(content, false) {
        return None;
    }
    let text = content.text();
    let titled = |line: &str| {
        let title = text_block::title(&text_block::clean(line));
        title.is_some_and(|title| title.kind != Kind::SteadyState)
    };
    text.lines().position(titled).map(|index| index + 1)
}

/// Start and reader of the first JSON value with results that is not the one which `reader` reads.
fn json(content: &Content, reader: &Reader) -> Option<(usize, &'static Reader)> {
    let bytes = content.bytes();
    let (mut from, mut first) = (0, true);
    while let Some(part) = runners::json_within(&bytes[from..], usize::MAX) {
        let value = Content::new(content.path, &bytes[from..][part.clone()]);
        let its_reader = programs().chain(SERVING).find(|known| (known.recognise)(&value, false));
        if let Some(other) = its_reader
            && !(first && other.name == reader.name)
        {
            return Some((from + part.start, other));
        }
        (from, first) = (from + part.end, false);
    }
    None
}
