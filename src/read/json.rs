//! JSON as Python writes it: one object, several one after the other, a line each, or a list; with
//! bare NaN and Infinity; and headings of prose between the lines of a hand-made file.
//!
//! Only scalars and the numeric arrays asked for are kept; everything else (generated texts, server
//! settings) is checked and passed over, so that a file of 100 MB costs its numbers only.

use std::borrow::Cow;
use std::collections::BTreeMap;

use jiter::{Jiter, JiterError, NumberAny, NumberInt, Peek};

use crate::error::Error;

/// A scalar of an object.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Scalar {
    /// Also NaN and the infinities.
    Number(f64),
    Text(String),
    Null,
}

/// One object of a file.
#[derive(Clone, Debug, Default)]
pub(super) struct Record {
    /// Number of the object in the file, from 1.
    pub(super) index: usize,
    /// Line on which it starts, from 1.
    pub(super) line: usize,
    /// Last line of prose before it.
    pub(super) heading: Option<String>,
    /// Scalars by key; those of nested objects as `outer.inner`. Of equal keys the last one counts.
    pub(super) scalars: BTreeMap<String, Scalar>,
    /// Numeric arrays asked for; nested ones flattened in order, null as NaN.
    pub(super) arrays: BTreeMap<String, Vec<f64>>,
    /// Lengths of the inner arrays of nested ones.
    pub(super) lengths: BTreeMap<String, Vec<usize>>,
    /// Arrays of texts asked for: whether each is empty.
    pub(super) empty_texts: BTreeMap<String, Vec<bool>>,
}

impl Record {
    pub(super) fn number(&self, key: &str) -> Option<f64> {
        match self.scalars.get(key) {
            Some(Scalar::Number(value)) => Some(*value),
            _ => None,
        }
    }

    pub(super) fn text(&self, key: &str) -> Option<&str> {
        match self.scalars.get(key) {
            Some(Scalar::Text(text)) => Some(text),
            _ => None,
        }
    }
}

/// Whether the bytes start like JSON objects, or a list of them.
pub(super) fn looks_like_json(bytes: &[u8]) -> bool {
    let mut rest = bytes.iter().filter(|byte| !byte.is_ascii_whitespace());
    match rest.next() {
        Some(b'{') => rest.next().is_some_and(|byte| matches!(byte, b'"' | b'}')),
        Some(b'[') => rest.next().is_some_and(|byte| *byte == b'{'),
        _ => false,
    }
}

/// All objects of `bytes`; `numeric` and `textual` name the arrays to keep.
///
/// # Errors
///
/// [`Error::Input`] with line and column for the first thing that is not JSON.
pub(super) fn records(
    path: &str,
    bytes: &[u8],
    numeric: &[&str],
    textual: &[&str],
) -> Result<Vec<Record>, Error> {
    let keep = Keep { numeric, textual };
    let bytes = &*without_half_characters(bytes);
    let mut found: Vec<Record> = Vec::new();
    let (mut at, mut line, mut heading) = (0, 1, None);
    loop {
        while let Some(byte) =
            bytes.get(at).filter(|byte| byte.is_ascii_whitespace() || **byte == b',')
        {
            line += usize::from(*byte == b'\n');
            at += 1;
        }
        let Some(&first) = bytes.get(at) else { break };
        if first != b'{' && first != b'[' {
            // Prose between the lines of a hand-made file.
            let end =
                bytes[at..].iter().position(|&byte| byte == b'\n').map_or(bytes.len(), |n| at + n);
            let words = String::from_utf8_lossy(&bytes[at..end]).trim().to_owned();
            if words.chars().count() > 120 {
                let problem = "expected a JSON object, found other text";
                return Err(Error::at_line(
                    path,
                    line,
                    problem,
                    "cut the file down to its results",
                ));
            }
            heading = Some(words);
            at = end;
            continue;
        }
        let mut json = Jiter::new(&bytes[at..]).with_allow_inf_nan();
        let mut objects = Vec::new();
        let read = if first == b'{' {
            keep.object(&mut json).map(|record| objects.push((0, record)))
        } else {
            keep.list(&mut json, &mut objects)
        };
        if let Err(error) = read {
            return Err(malformed(path, &json, line, &error));
        }
        let used = json.current_index();
        for (offset, mut record) in objects {
            record.line = line + newlines(&bytes[at..at + offset]);
            record.index = found.len() + 1;
            record.heading.clone_from(&heading);
            found.push(record);
        }
        line += newlines(&bytes[at..at + used]);
        at += used;
    }
    Ok(found)
}

/// Generated texts are cut between tokens, and Python writes the half of a character that is left as
/// an escape that no other reader accepts: `\ud83d` alone becomes `\ufffd`.
pub(super) fn without_half_characters(bytes: &[u8]) -> Cow<'_, [u8]> {
    let mut mended: Cow<[u8]> = Cow::Borrowed(bytes);
    let half = |at: usize| {
        let code = bytes.get(at..at + 6)?.strip_prefix(b"\\u")?;
        u16::from_str_radix(std::str::from_utf8(code).ok()?, 16).ok()
    };
    let mut whole_until = 0;
    for at in memchr::memmem::find_iter(bytes, b"\\u") {
        let backslashes = bytes[..at].iter().rev().take_while(|&&byte| byte == b'\\').count();
        let high = |code: u16| (0xd800..0xdc00).contains(&code);
        let low = |code: u16| (0xdc00..0xe000).contains(&code);
        if at < whole_until || backslashes % 2 == 1 {
            continue;
        }
        if half(at).is_some_and(high) && half(at + 6).is_some_and(low) {
            whole_until = at + 12;
        } else if half(at).is_some_and(|code| high(code) || low(code)) {
            mended.to_mut()[at..at + 6].copy_from_slice(b"\\ufffd");
        }
    }
    mended
}

fn newlines(bytes: &[u8]) -> usize {
    memchr::memchr_iter(b'\n', bytes).count()
}

pub(super) fn malformed(path: &str, json: &Jiter, line: usize, error: &JiterError) -> Error {
    let position = error.get_position(json);
    let cut_off = error.error_type.to_string().contains("EOF");
    let problem = if cut_off {
        "expected the end of the JSON object, found the end of the file".to_owned()
    } else {
        format!("expected JSON, found something else: {}", error.error_type)
    };
    let remedy = if cut_off {
        "the file was cut off: copy it again, or measure again"
    } else {
        "correct it, or leave the file out"
    };
    Error::Input {
        path: path.to_owned(),
        place: format!("line {} column {}", line + position.line - 1, position.column),
        problem,
        remedy: remedy.to_owned(),
    }
}

/// Which arrays are kept.
struct Keep<'a> {
    numeric: &'a [&'a str],
    textual: &'a [&'a str],
}

impl Keep<'_> {
    fn list(&self, json: &mut Jiter, into: &mut Vec<(usize, Record)>) -> Result<(), JiterError> {
        let mut next = json.next_array()?;
        while let Some(peek) = next {
            let start = json.current_index();
            if peek == Peek::Object {
                into.push((start, self.object(json)?));
            } else {
                json.known_skip(peek)?;
            }
            next = json.array_step()?;
        }
        Ok(())
    }

    fn object(&self, json: &mut Jiter) -> Result<Record, JiterError> {
        let mut record = Record::default();
        let mut key = json.next_object()?.map(str::to_owned);
        while let Some(name) = key {
            self.value(json, name, &mut record)?;
            key = json.next_key()?.map(str::to_owned);
        }
        Ok(record)
    }

    fn value(&self, json: &mut Jiter, name: String, record: &mut Record) -> Result<(), JiterError> {
        let peek = json.peek()?;
        match peek {
            Peek::Null => {
                json.known_null()?;
                record.scalars.insert(name, Scalar::Null);
            }
            Peek::True | Peek::False => {
                let text = json.known_bool(peek)?.to_string();
                record.scalars.insert(name, Scalar::Text(text));
            }
            Peek::String => {
                let text = json.known_str()?.to_owned();
                record.scalars.insert(name, Scalar::Text(text));
            }
            Peek::Array if self.numeric.contains(&name.as_str()) => {
                let (mut values, mut lengths) = (Vec::new(), Vec::new());
                flatten(json, &mut values, &mut lengths)?;
                record.arrays.insert(name.clone(), values);
                record.lengths.insert(name, lengths);
            }
            Peek::Array if self.textual.contains(&name.as_str()) => {
                let mut empty = Vec::new();
                let mut next = json.known_array()?;
                while let Some(peek) = next {
                    if peek == Peek::String {
                        empty.push(json.known_str()?.is_empty());
                    } else {
                        json.known_skip(peek)?;
                        empty.push(peek == Peek::Null);
                    }
                    next = json.array_step()?;
                }
                record.empty_texts.insert(name, empty);
            }
            Peek::Array => json.known_skip(peek)?,
            Peek::Object if name.contains('.') => json.known_skip(peek)?,
            Peek::Object => {
                let mut inner = json.known_object()?.map(|key| format!("{name}.{key}"));
                while let Some(full) = inner {
                    self.value(json, full, record)?;
                    inner = json.next_key()?.map(|key| format!("{name}.{key}"));
                }
            }
            _ => {
                let value = float(&json.known_number(peek)?);
                record.scalars.insert(name, Scalar::Number(value));
            }
        }
        Ok(())
    }
}

/// Reads an array of numbers, or of arrays of numbers whose lengths go to `lengths`.
fn flatten(
    json: &mut Jiter,
    values: &mut Vec<f64>,
    lengths: &mut Vec<usize>,
) -> Result<(), JiterError> {
    let mut next = json.known_array()?;
    while let Some(peek) = next {
        if peek == Peek::Array {
            let before = values.len();
            let mut inner = json.known_array()?;
            while let Some(peek) = inner {
                values.push(element(json, peek)?);
                inner = json.array_step()?;
            }
            lengths.push(values.len() - before);
        } else {
            values.push(element(json, peek)?);
        }
        next = json.array_step()?;
    }
    Ok(())
}

/// A number; anything else is no number and stays in its place as NaN.
fn element(json: &mut Jiter, peek: Peek) -> Result<f64, JiterError> {
    if peek.is_num() {
        json.known_float(peek)
    } else {
        json.known_skip(peek)?;
        Ok(f64::NAN)
    }
}

fn float(number: &NumberAny) -> f64 {
    match number {
        NumberAny::Float(value) => *value,
        NumberAny::Int(NumberInt::Int(value)) => *value as f64,
        #[allow(unreachable_patterns, reason = "a further kind exists with a feature of jiter")]
        NumberAny::Int(_) => f64::NAN,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Vec<Record>, Error> {
        records("f.json", text.as_bytes(), &["a"], &["errors"])
    }

    #[test]
    fn objects_one_after_the_other_with_bare_words_are_read() {
        let all = read("{\"x\": Infinity}\n{\"x\": NaN, \"s\": {\"deep\": 1}}{\"x\": -Infinity}")
            .unwrap();
        assert_eq!(all.len(), 3);
        assert_eq!(all[0].number("x"), Some(f64::INFINITY));
        assert!(all[1].number("x").unwrap().is_nan());
        assert_eq!(all[1].number("s.deep"), Some(1.0));
        assert_eq!((all[1].line, all[2].line), (2, 2));
    }

    #[test]
    fn arrays_asked_for_are_kept_flat_with_their_lengths() {
        let all = read(r#"[{"a": [[1, 2], [], [3]], "b": [1], "errors": ["", "x"]}]"#).unwrap();
        assert_eq!(all[0].arrays["a"], [1.0, 2.0, 3.0]);
        assert_eq!(all[0].lengths["a"], [2, 0, 1]);
        assert_eq!(all[0].empty_texts["errors"], [true, false]);
    }

    #[test]
    fn prose_between_lines_is_a_heading() {
        let all = read("torch_tp4:\n{\"x\": 1}\n").unwrap();
        assert_eq!(all[0].heading.as_deref(), Some("torch_tp4:"));
    }

    #[test]
    fn a_cut_file_is_named_with_its_place() {
        let message = read("{\"x\": 1,\n \"y\": [1, 2").unwrap_err().to_string();
        assert!(message.contains("line 2") && message.contains("end of the file"), "{message}");
    }

    #[test]
    fn half_a_character_does_not_cost_the_file() {
        let all =
            read(r#"{"t": "\ud83d", "u": "\ud83d\ude00", "v": "\\ud83d", "w": "\ude00"}"#).unwrap();
        let texts = ["t", "u", "v", "w"].map(|key| all[0].text(key).unwrap());
        assert_eq!(texts, ["\u{fffd}", "\u{1f600}", "\\ud83d", "\u{fffd}"]);
    }

    #[test]
    fn deep_nesting_is_an_error_and_no_overflow() {
        let deep = format!("{{\"x\": {}1{}}}", "[".repeat(100_000), "]".repeat(100_000));
        assert!(read(&deep).is_err());
    }
}
