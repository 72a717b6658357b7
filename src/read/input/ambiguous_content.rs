//! Texts with results of several kinds; a reader takes one.
//!
//! The first format that recognises a file reads it, and what it does not look for would be lost without a word.

use std::collections::BTreeSet;
use std::hash::{DefaultHasher, Hash, Hasher};

use crate::clients::serving_json;
use crate::kit::json::looks_like_json;
use crate::kit::marks::json_within;
use crate::kit::printed::{REMEDY, beside_block, is_title};
use crate::reader::{Content, Reader};
use crate::registry::programs;
use crate::table::pasted;
use crate::text::notes;
use beyondnoise_model::error::Error;

/// Results in a text that `reader` does not read: those of another reader, or a second JSON value.
pub(crate) fn other_results(content: &Content, reader: &Reader) -> Option<Error> {
    let is = |known: &Reader| known.name == reader.name;
    let of_program = programs().any(is);
    let of_text = of_program || is(&notes::READER) || is(&pasted::TABLES) || is(&pasted::LINES);
    let bytes = content.bytes();
    if !of_text || looks_like_json(bytes) || memchr::memchr(0, bytes).is_some() {
        return None;
    }
    if !is(&notes::READER)
        && let Some(line) = block(content)
    {
        return Some(Error::at_line(content.path, line, beside_block(reader.name), REMEDY));
    }
    if let Some((at, other)) = json(content, reader) {
        let problem = if is(other) {
            format!("expected one JSON document in the text, found a second one of {}", other.name)
        } else {
            format!("expected only {}, found also {}", reader.name, other.name)
        };
        let line = 1 + memchr::memchr_iter(b'\n', &bytes[..at]).count();
        return Some(Error::at_line(content.path, line, problem, REMEDY));
    }
    let recognised =
        |known: &Reader, bytes| known.recognises(&Content { bytes, ..*content }, false);
    let mut others = programs().filter(|known| of_program && !is(known) && known.gives_runs());
    let other = others.find(|known| recognised(known, bytes))?;
    let problem = format!("expected only {}, found also {}", reader.name, other.name);
    // The line with which the start of the text is recognised.
    let ends: Vec<usize> = memchr::memchr_iter(b'\n', bytes).collect();
    let line = ends.partition_point(|&end| !recognised(other, &bytes[..end])) + 1;
    Some(Error::at_line(content.path, line, problem, REMEDY))
}

const SERVING: &[Reader] = &[serving_json::VLLM, serving_json::SGLANG, serving_json::TENSORRT];

/// The line of the first text block.
fn block(content: &Content) -> Option<usize> {
    if !notes::READER.recognises(content, false) {
        return None;
    }
    content.text().lines().position(is_title).map(|index| index + 1)
}

/// Start and reader of the first JSON value with results, apart from the one that `reader` reads.
fn json(content: &Content, reader: &Reader) -> Option<(usize, &'static Reader)> {
    let bytes = content.bytes();
    let (mut from, mut first) = (0, true);
    // A log may have a million values of a few shapes.
    let mut without_results = BTreeSet::new();
    while let Some(part) = json_within(&bytes[from..], usize::MAX) {
        let value = &bytes[from..][part.clone()];
        let shape = keys(value);
        if !without_results.contains(&shape) {
            let value = Content { bytes: value, ..*content };
            let its_reader =
                programs().chain(SERVING).find(|known| known.recognises(&value, false));
            match its_reader.filter(|known| known.gives_runs()) {
                Some(other) if !(first && other.name == reader.name) => {
                    return Some((from + part.start, other));
                }
                Some(_) => {}
                None => _ = without_results.insert(shape),
            }
        }
        (from, first) = (from + part.end, false);
    }
    None
}

/// A number for the keys of a JSON value, by which readers recognise what they read.
fn keys(value: &[u8]) -> u64 {
    let mut hasher = DefaultHasher::new();
    let mut at = 0;
    while let Some(open) = memchr::memchr(b'"', &value[at..]) {
        let start = at + open + 1;
        let mut end = start;
        while let Some(mark) = memchr::memchr2(b'"', b'\\', &value[end..]) {
            end += mark;
            if value[end] == b'"' {
                break;
            }
            end = value.len().min(end + 2);
        }
        let text = &value[start..end.max(start).min(value.len())];
        at = value.len().min(end + 1);
        if value[at..].trim_ascii_start().starts_with(b":") {
            text.hash(&mut hasher);
        }
    }
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_of_the_same_keys_are_of_one_shape() {
        let shape = |text: &str| keys(text.as_bytes());
        let first = shape(r#"{"a": "x:\"b\": {", "b" : [{"c": 1}]}"#);
        assert_eq!(shape(r#"{"a":"","b":[{"c":"\\"}]}"#), first);
        for other in
            [r#"{"a": 1, "b": [{"d": 1}]}"#, r#"{"a": 1, "b": 2}"#, r#"{"a\": 1, "#, "\"", ""]
        {
            assert_ne!(shape(other), first, "{other}");
        }
    }
}
