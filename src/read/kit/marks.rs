//! Marks by which readers recognise their files.

use std::ops::Range;

use jiter::Jiter;

use crate::kit::contains;
use crate::kit::json::looks_like_json;
use crate::reader::Content;

/// Bytes at either end of a file in which marks are looked for, and in which JSON may begin after lines of text.
const NEAR: usize = 1 << 16;

/// Longest header of a table that is looked at.
const LONGEST_HEADER: usize = 1 << 14;

/// Whether `needle` occurs near the start or the end.
pub(crate) fn near(content: &Content, needle: &str) -> bool {
    near_ends(content.bytes(), needle)
}

fn near_ends(bytes: &[u8], needle: &str) -> bool {
    let ends = [&bytes[..bytes.len().min(NEAR)], &bytes[bytes.len().saturating_sub(NEAR)..]];
    ends.iter().any(|part| contains(part, needle.as_bytes()))
}

fn has_keys(json: &[u8], keys: &[&str]) -> bool {
    keys.iter().all(|key| near_ends(json, &format!("\"{key}\"")))
}

/// Whether the file is JSON with all these keys near its start or end.
pub(crate) fn json_with(content: &Content, keys: &[&str]) -> bool {
    looks_like_json(content.bytes()) && has_keys(content.bytes(), keys)
}

/// Whether the file holds JSON with all these keys near its start or end, maybe in a fence or after lines of text.
pub(crate) fn json_part_with(content: &Content, keys: &[&str]) -> bool {
    json_part(content).is_some_and(|part| has_keys(part, keys))
}

/// The JSON of a file: all of it, or the first value in a fence or after lines of text.
pub(crate) fn json_part<'a>(content: &Content<'a>) -> Option<&'a [u8]> {
    let bytes = content.bytes();
    if looks_like_json(bytes) {
        Some(bytes)
    } else {
        json_within(bytes, NEAR).map(|part| &bytes[part])
    }
}

/// Range of the first JSON value of a text, in a fence or after lines of text; it starts within `most` bytes.
pub(crate) fn json_within(bytes: &[u8], most: usize) -> Option<Range<usize>> {
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

/// Whether the file is text, not JSON, with all these words anywhere.
pub(crate) fn text_with(content: &Content, words: &[&str]) -> bool {
    let bytes = content.bytes();
    !looks_like_json(bytes) && words.iter().all(|words| contains(bytes, words.as_bytes()))
}

/// Whether the first line is a header with all these words.
pub(crate) fn header_with(content: &Content, words: &[&str]) -> bool {
    let header = content.first_line(LONGEST_HEADER);
    !header.starts_with(b"{")
        && !header.starts_with(b"[")
        && words.iter().all(|word| contains(header, word.as_bytes()))
}
