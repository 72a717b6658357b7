//! Marks by which readers recognise their files.

use std::ops::Range;

use jiter::Jiter;

use crate::kit::contains;
use crate::kit::json::looks_like_json;
use crate::reader::{Content, Marks, Reader};
use beyondnoise_model::format::list;

/// Bytes at either end of a file in which marks are looked for, and in which JSON may begin after lines of text.
const NEAR: usize = 1 << 16;

/// Longest header of a table that is looked at.
const LONGEST_HEADER: usize = 1 << 14;

impl Reader {
    /// Whether a file is of its format; `named`: the user named the file itself.
    pub(crate) fn recognises(&self, content: &Content, named: bool) -> bool {
        self.marks.are_in(content) && (self.recognise)(content, named)
    }

    /// How its files are recognised, in words.
    pub(crate) fn recognised_by(&self) -> String {
        let parts = [self.marks.in_words(), self.recognised_by.to_owned()];
        parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(", and ")
    }
}

impl Marks {
    fn are_in(&self, content: &Content) -> bool {
        match self {
            Self::None => true,
            Self::Json(keys) => json_with(content, keys),
            Self::JsonPart(keys) => json_part_with(content, keys),
            Self::Header(words) => header_with(content, words),
            Self::Text(words) => text_with(content, words),
            Self::Near(words) => all(words, |words| near(content, words)),
            Self::Starts(starts) => {
                starts.iter().any(|start| content.bytes().starts_with(start.as_bytes()))
            }
            Self::Any(marks) => marks.iter().any(|marks| marks.are_in(content)),
        }
    }

    fn in_words(&self) -> String {
        let keys = |keys: &[&str]| {
            let many = if keys.len() == 1 { "" } else { "s" };
            format!("the key{many} {}", in_words(keys, ""))
        };
        match self {
            Self::None => String::new(),
            Self::Json(list) => format!("JSON with {}", keys(list)),
            Self::JsonPart(list) => format!("JSON, also within text, with {}", keys(list)),
            Self::Header(words) => format!("a header with {}", in_words(words, "")),
            Self::Text(words) => format!("text with {}", in_words(words, "\"")),
            Self::Near(words) => format!("{} near the start or end", in_words(words, "\"")),
            Self::Starts(starts) => format!("the start \"{}\"", starts.join("\" or \"")),
            Self::Any(marks) => marks.iter().map(Self::in_words).collect::<Vec<_>>().join(", or "),
        }
    }
}

/// A list of marks, each word between `quotes`.
fn in_words(marks: &[&str], quotes: &str) -> String {
    let word = |word: &str| format!("{quotes}{}{quotes}", word.trim_matches([',', ' ', '\n']));
    let either = |words: &&str| words.split('|').map(word).collect::<Vec<_>>().join(" or ");
    let (without, with): (Vec<&str>, Vec<&str>) =
        marks.iter().partition(|mark| mark.starts_with('!'));
    let without = without.iter().map(|mark| format!(", without {}", word(&mark[1..])));
    list(&with.iter().map(either).collect::<Vec<_>>()) + &without.collect::<String>()
}

/// Whether the file has all of `marks`.
fn all(marks: &[&str], has: impl Fn(&str) -> bool) -> bool {
    marks.iter().all(|mark| match mark.strip_prefix('!') {
        Some(unwanted) => !has(unwanted),
        None => mark.split('|').any(&has),
    })
}

/// Whether `needle` occurs near the start or the end.
pub(crate) fn near(content: &Content, needle: &str) -> bool {
    near_ends(content.bytes(), needle)
}

fn near_ends(bytes: &[u8], needle: &str) -> bool {
    let ends = [&bytes[..bytes.len().min(NEAR)], &bytes[bytes.len().saturating_sub(NEAR)..]];
    ends.iter().any(|part| contains(part, needle.as_bytes()))
}

fn has_keys(json: &[u8], keys: &[&str]) -> bool {
    all(keys, |key| near_ends(json, &format!("\"{key}\"")))
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
    !looks_like_json(bytes) && all(words, |words| contains(bytes, words.as_bytes()))
}

/// Whether the first line is a header with all these words.
fn header_with(content: &Content, words: &[&str]) -> bool {
    let header = content.first_line(LONGEST_HEADER);
    !header.starts_with(b"{")
        && !header.starts_with(b"[")
        && all(words, |word| contains(header, word.as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_are_found_and_named() {
        let marks = [Marks::JsonPart(&["a", "b|c", "!d"]), Marks::Header(&[",x,", "y"])];
        let has = |text: &str| marks.map(|marks| marks.are_in(&Content::new("f", text.as_bytes())));
        assert_eq!(has("log\n{\"a\": 1, \"c\": 2}"), [true, false]);
        assert_eq!(has("{\"a\": 1}"), [false; 2]);
        assert_eq!(has("{\"a\": 1, \"b\": 2, \"d\": 3}"), [false; 2]);
        assert_eq!(has("k,x,y\n"), [false, true]);
        assert_eq!(
            marks.map(|marks| marks.in_words()),
            [
                "JSON, also within text, with the keys a and b or c, without d",
                "a header with x and y"
            ]
        );
    }
}
