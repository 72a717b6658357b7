//! JSON as Python writes it: one object, several one after the other, a line each, or a list; with
//! bare NaN and Infinity; and headings of prose between the lines of a hand-made file.
//!
//! Only scalars and the numeric arrays asked for are kept; everything else (generated texts, server
//! settings) is checked and passed over, so that a file of 100 MB costs its numbers only.

use std::collections::BTreeMap;

use jiter::{Jiter, JiterError, NumberAny, NumberInt, Peek};

use crate::kit::json::malformed;
use crate::kit::lone_surrogates::repair_surrogates;
use crate::kit::numbers::{after_texts, any_numbers, numbers};
use crate::kit::printed::{HEADING, prose};
use crate::kit::short;
use beyondnoise_model::error::Error;

/// A scalar of an object.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Scalar {
    /// Also NaN and the infinities.
    Number(f64),
    Text(String),
    Null,
}

/// One object of a file.
#[derive(Clone, Debug, Default)]
pub(crate) struct Record {
    /// Number of the object in the file, from 1.
    pub(crate) index: usize,
    /// Line on which it starts, from 1.
    pub(crate) line: usize,
    /// Last line of prose before it.
    pub(crate) heading: Option<String>,
    /// Scalars by key; those of nested objects as `outer.inner`.
    pub(crate) scalars: BTreeMap<String, Scalar>,
    /// A key that comes twice with different values.
    pub(crate) twice: Option<String>,
    /// Numeric arrays asked for; nested ones flattened in order, null as NaN.
    pub(crate) arrays: BTreeMap<String, Vec<f64>>,
    /// Lengths of the inner arrays of nested ones.
    pub(crate) lengths: BTreeMap<String, Vec<usize>>,
    /// Arrays of texts asked for: whether each is empty.
    pub(crate) empty_texts: BTreeMap<String, Vec<bool>>,
    /// Keys of arrays that were passed over.
    pub(crate) lists: Vec<String>,
}

impl Record {
    fn insert(&mut self, key: String, value: Scalar) {
        if self.scalars.get(&key).is_some_and(|other| *other != value) {
            self.twice = Some(key.clone());
        }
        self.scalars.insert(key, value);
    }

    pub(crate) fn number(&self, key: &str) -> Option<f64> {
        match self.scalars.get(key) {
            Some(Scalar::Number(value)) => Some(*value),
            _ => None,
        }
    }

    pub(crate) fn text(&self, key: &str) -> Option<&str> {
        match self.scalars.get(key) {
            Some(Scalar::Text(text)) => Some(text),
            _ => None,
        }
    }
}

/// All objects of `bytes`, without their arrays.
///
/// # Errors
///
/// [`Error::Input`] with line and column for the first thing that is not JSON.
pub(crate) fn records(path: &str, bytes: &[u8]) -> Result<Vec<Record>, Error> {
    repair_surrogates(bytes, |bytes| {
        let mut found = Vec::new();
        each_record(path, bytes, Keep::default(), |record| {
            found.push(record);
            Ok(())
        })?;
        Ok(found)
    })
}

/// Which arrays of an object are kept.
#[derive(Clone, Copy, Default)]
pub(crate) struct Keep<'a> {
    /// Arrays of numbers.
    pub(crate) numeric: &'a [&'a str],
    /// Arrays of texts.
    pub(crate) textual: &'a [&'a str],
}

/// Gives the objects of `bytes` to `take`, each as soon as it is read, so that only one is held at a time.
///
/// # Errors
///
/// [`Error::Input`] with line and column for the first thing that is not JSON, or the first error of `take`.
pub(crate) fn each_record(
    path: &str,
    bytes: &[u8],
    keep: Keep,
    mut take: impl FnMut(Record) -> Result<(), Error>,
) -> Result<(), Error> {
    let (mut at, mut index, mut heading) = (0, 0, None);
    let mut lines = Lines { bytes, counted: 0, line: 1 };
    loop {
        let between = |byte: &u8| byte.is_ascii_whitespace() || *byte == b',';
        at += bytes[at..].iter().take_while(|byte| between(byte)).count();
        let Some(&first) = bytes.get(at) else { return Ok(()) };
        if first != b'{' && first != b'[' {
            // Prose between the lines of a hand-made file.
            let end = memchr::memchr(b'\n', &bytes[at..]).map_or(bytes.len(), |n| at + n);
            // A character has at most four bytes: more of the line need not be looked at.
            let line = bytes[at..end].trim_ascii();
            let near = &line[..line.len().min(4 * HEADING + 4)];
            let words = String::from_utf8_lossy(near).into_owned();
            prose(&words).map_err(|(problem, remedy)| {
                Error::at_line(path, lines.line_at(at), problem, remedy)
            })?;
            heading = Some(words);
            at = end;
            continue;
        }
        let mut cursor = Cursor::new(bytes, at);
        let mut give = |start: usize, mut record: Record| {
            index += 1;
            (record.index, record.line) = (index, lines.line_at(start));
            if let Some(key) = &record.twice {
                let key = short(key);
                let problem = format!("expected one value of \"{key}\", found two");
                return Err(Error::at_line(path, record.line, problem, "remove one of them"));
            }
            record.heading.clone_from(&heading);
            take(record)
        };
        let read = if first == b'{' {
            keep.object(&mut cursor).map(|record| give(at, record))
        } else {
            keep.list(&mut cursor, &mut give)
        };
        read.map_err(|error| cursor.malformed(path, &error))??;
        at = cursor.position();
    }
}

/// Counts lines as far as it must.
struct Lines<'a> {
    bytes: &'a [u8],
    counted: usize,
    line: usize,
}

impl Lines<'_> {
    /// The line of a position, from 1; positions do not go back.
    fn line_at(&mut self, at: usize) -> usize {
        self.line += memchr::memchr_iter(b'\n', &self.bytes[self.counted..at]).count();
        self.counted = at;
        self.line
    }
}

/// A reader of JSON that can be set forward over what was read without it.
struct Cursor<'a> {
    bytes: &'a [u8],
    /// Position at which the reader was set.
    start: usize,
    json: Jiter<'a>,
}

impl<'a> Cursor<'a> {
    fn new(bytes: &'a [u8], start: usize) -> Self {
        Self { bytes, start, json: Jiter::new(&bytes[start..]).with_allow_inf_nan() }
    }

    fn position(&self) -> usize {
        self.start + self.json.current_index()
    }

    fn malformed(&self, path: &str, error: &JiterError) -> Error {
        malformed(path, self.bytes, self.start, error)
    }
}

impl Keep<'_> {
    /// Gives the objects of a list with their positions; stops at the first error of `give`.
    fn list(
        self,
        cursor: &mut Cursor,
        give: &mut impl FnMut(usize, Record) -> Result<(), Error>,
    ) -> Result<Result<(), Error>, JiterError> {
        let mut next = cursor.json.next_array()?;
        while let Some(peek) = next {
            let start = cursor.position();
            if peek == Peek::Object {
                let record = self.object(cursor)?;
                if let Err(error) = give(start, record) {
                    return Ok(Err(error));
                }
            } else {
                cursor.json.known_skip(peek)?;
            }
            next = cursor.json.array_step()?;
        }
        Ok(Ok(()))
    }

    fn object(self, cursor: &mut Cursor) -> Result<Record, JiterError> {
        let mut record = Record::default();
        // As the header of a table is read.
        let named = |key: &str| key.trim().to_owned();
        let mut key = cursor.json.next_object()?.map(named);
        while let Some(name) = key {
            self.value(cursor, name, &mut record)?;
            key = cursor.json.next_key()?.map(named);
        }
        Ok(record)
    }

    fn value(
        self,
        cursor: &mut Cursor,
        name: String,
        record: &mut Record,
    ) -> Result<(), JiterError> {
        let peek = cursor.json.peek()?;
        let json = &mut cursor.json;
        match peek {
            Peek::Null => {
                json.known_null()?;
                record.insert(name, Scalar::Null);
            }
            Peek::True | Peek::False => {
                record.insert(name, Scalar::Text(json.known_bool(peek)?.to_string()));
            }
            Peek::String => {
                record.insert(name, Scalar::Text(json.known_str()?.to_owned()));
            }
            Peek::Array => self.array(cursor, name, record)?,
            Peek::Object if name.contains('.') => json.known_skip(peek)?,
            Peek::Object => {
                let mut inner = json.known_object()?.map(|key| format!("{name}.{key}"));
                while let Some(full) = inner {
                    self.value(cursor, full, record)?;
                    inner = cursor.json.next_key()?.map(|key| format!("{name}.{key}"));
                }
            }
            _ => {
                // Integers beyond 64 bits are numbers all the same.
                let value = match json.known_number(peek) {
                    Ok(number) => float(&number),
                    Err(_) => json.known_float(peek)?,
                };
                record.insert(name, Scalar::Number(value));
            }
        }
        Ok(())
    }

    /// Numbers and texts that are wanted; of other lists the name alone.
    fn array(
        self,
        cursor: &mut Cursor,
        name: String,
        record: &mut Record,
    ) -> Result<(), JiterError> {
        if self.numeric.contains(&name.as_str()) {
            let found = match numbers(cursor.bytes, cursor.position()) {
                Some((found, end)) => {
                    *cursor = Cursor::new(cursor.bytes, end);
                    found
                }
                None => any_numbers(&mut cursor.json)?,
            };
            record.arrays.insert(name.clone(), found.values);
            record.lengths.insert(name, found.lengths);
        } else if self.textual.contains(&name.as_str()) {
            let json = &mut cursor.json;
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
        } else {
            match after_texts(cursor.bytes, cursor.position()) {
                Some(end) => *cursor = Cursor::new(cursor.bytes, end),
                None => cursor.json.known_skip(Peek::Array)?,
            }
            record.lists.push(name);
        }
        Ok(())
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
        let keep = Keep { numeric: &["a"], textual: &["errors"] };
        let mut found = Vec::new();
        each_record("f.json", text.as_bytes(), keep, |record| {
            found.push(record);
            Ok(())
        })?;
        Ok(found)
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
    fn deep_nesting_is_an_error_and_no_overflow() {
        let deep = format!("{{\"x\": {}1{}}}", "[".repeat(100_000), "]".repeat(100_000));
        assert!(read(&deep).is_err());
    }
}
