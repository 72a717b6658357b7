//! Arrays of numbers and of texts, read straight from the bytes: nearly all of a large result file.
//!
//! Only arrays as programs write them are read here. For anything else this returns `None`, and the slower reader of
//! JSON decides.

use std::cell::Cell;

use jiter::{Jiter, JiterError, Peek};

use crate::kit::digits::decimal;

/// An array of numbers, or of arrays of numbers.
#[derive(Default)]
pub(crate) struct Numbers {
    /// The numbers, those of inner arrays in order; what is no number is NaN.
    pub(crate) values: Vec<f64>,
    /// Lengths of the inner arrays.
    pub(crate) lengths: Vec<usize>,
}

/// Reads the array of numbers that starts at `start`; also the position after it.
pub(crate) fn numbers(bytes: &[u8], start: usize) -> Option<(Numbers, usize)> {
    let mut read = Numbers::default();
    let add = |values: &mut Vec<f64>, at: usize| {
        let (value, end) = number(bytes, at)?;
        if values.len() == values.capacity() {
            grow(values, at - start, bytes.len() - at);
        }
        values.push(value);
        Some(end)
    };
    let end = elements(bytes, start, |at| {
        if bytes.get(at) != Some(&b'[') {
            return add(&mut read.values, at);
        }
        let before = read.values.len();
        let end = elements(bytes, at, |at| add(&mut read.values, at))?;
        read.lengths.push(read.values.len() - before);
        Some(end)
    })?;
    Some((read, end))
}

/// Values whose length in bytes predicts that of the next.
const TELLING: usize = 1 << 16;

/// Reserves room for the values in the remaining bytes, if they are like the `read` ones.
#[cold]
fn grow(values: &mut Vec<f64>, read: usize, left: usize) {
    let known = values.len();
    let as_many = if known < TELLING { known } else { left / (read / known).max(1) + known / 8 };
    if known >= TELLING {
        let mut spare = SPARE.take();
        // The rest of the file holds other things as well.
        if spare.capacity() >= known + as_many - as_many / 8 {
            spare.extend_from_slice(values);
            *values = spare;
            return;
        }
    }
    if values.try_reserve_exact(as_many).is_err() {
        values.reserve(1);
    }
}

thread_local! {
    /// Memory of numbers that were used up, for those of the next file.
    static SPARE: Cell<Vec<f64>> = const { Cell::new(Vec::new()) };
}

/// Most numbers whose memory is kept for the next file.
const MAX_SPARE: usize = 4 << 20;

/// Takes back what [`numbers`] gave: clearing new memory takes longer than reading numbers into it.
pub(crate) fn give_back(mut values: Vec<f64>) {
    values.clear();
    let known = SPARE.take();
    let fits = |values: &Vec<f64>| values.capacity() <= MAX_SPARE;
    SPARE.set(
        Some(values).filter(fits).filter(|v| v.capacity() > known.capacity()).unwrap_or(known),
    );
}

/// Position after the array of texts that starts at `start`.
pub(crate) fn after_texts(bytes: &[u8], start: usize) -> Option<usize> {
    elements(bytes, start, |at| text(bytes, at))
}

/// Position after the array at `start`. `element` gets the position of each element and returns the position after it.
#[inline]
fn elements(
    bytes: &[u8],
    start: usize,
    mut element: impl FnMut(usize) -> Option<usize>,
) -> Option<usize> {
    if bytes.get(start) != Some(&b'[') {
        return None;
    }
    let mut at = after_space(bytes, start + 1);
    if bytes.get(at) == Some(&b']') {
        return Some(at + 1);
    }
    loop {
        at = after_space(bytes, element(at)?);
        match bytes.get(at)? {
            b',' => at = after_space(bytes, at + 1),
            b']' => return Some(at + 1),
            _ => return None,
        }
    }
}

#[inline]
fn after_space(bytes: &[u8], mut at: usize) -> usize {
    while matches!(bytes.get(at), Some(b' ' | b'\n' | b'\r' | b'\t')) {
        at += 1;
    }
    at
}

/// The number at `at`, and the position after it.
#[inline]
fn number(bytes: &[u8], at: usize) -> Option<(f64, usize)> {
    let rest = bytes.get(at..)?;
    let (value, length) = plain(rest).or_else(|| any_number(rest))?;
    Some((value, at + length))
}

/// A number of digits with at most one point, and its length.
#[inline]
fn plain(rest: &[u8]) -> Option<(f64, usize)> {
    let read = decimal(rest)?;
    // Not valid JSON: 01 and 1.
    let whole = read.whole == 1 || rest[0] != b'0';
    let is_json = whole && (read.decimals > 0 || read.length == read.whole);
    let ends = !matches!(rest.get(read.length), Some(b'e' | b'E' | b'.'));
    Some((read.value().filter(|_| is_json && ends)?, read.length))
}

/// Any number, and its length: with an exponent, negative, NaN, null, a text.
#[cold]
fn any_number(rest: &[u8]) -> Option<(f64, usize)> {
    let digit = |at: usize| rest.get(at).is_some_and(u8::is_ascii_digit);
    let mut point = 0;
    while digit(point) {
        point += 1;
    }
    // Accepted by the fast reader, but not valid JSON: 01, 1. and 1.e5.
    let whole = point == 1 || (point > 0 && rest[0] != b'0');
    if whole && (rest.get(point) != Some(&b'.') || digit(point + 1)) {
        let (value, length): (f64, usize) = fast_float2::parse_partial(rest).ok()?;
        if value.is_finite() && !matches!(rest.get(length), Some(b'e' | b'E' | b'.')) {
            return Some((value, length));
        }
    }
    let mut json = Jiter::new(rest).with_allow_inf_nan();
    let peek = json.peek().ok()?;
    let value = element(&mut json, peek).ok()?;
    Some((value, json.current_index()))
}

/// Reads an array that [`numbers`] does not take.
pub(crate) fn any_numbers(json: &mut Jiter) -> Result<Numbers, JiterError> {
    let Numbers { mut values, mut lengths } = Numbers::default();
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
    Ok(Numbers { values, lengths })
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

/// Position after the text at `at`.
fn text(bytes: &[u8], at: usize) -> Option<usize> {
    if bytes.get(at) != Some(&b'"') {
        return None;
    }
    let mut at = at + 1;
    loop {
        let rest = bytes.get(at..)?;
        let length = memchr::memchr2(b'"', b'\\', rest)?;
        if rest[..length].iter().min().is_some_and(|least| *least < b' ') {
            return None;
        }
        at += length;
        if bytes[at] == b'"' {
            return Some(at + 1);
        }
        at += match bytes.get(at + 1)? {
            b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't' => 2,
            b'u' if bytes.get(at + 2..at + 6)?.iter().all(u8::is_ascii_hexdigit) => 6,
            _ => return None,
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Option<(Vec<f64>, Vec<usize>)> {
        let (found, end) = numbers(text.as_bytes(), 0)?;
        assert_eq!(end, text.trim_end_matches(['}', ' ']).len(), "{text}");
        Some((found.values, found.lengths))
    }

    #[test]
    fn numbers_are_those_of_the_standard_library() {
        let texts = [
            "0",
            "0.010488697474479440",
            "1e-05",
            "1.9073486328125e-06",
            "-2.5E+3",
            "9007199254740993",
            "123456789012345678901234567890.5",
            "2.2250738585072011e-308",
            "0.1000000000000000055511151231257827021181583404541015625",
        ];
        let (values, lengths) = read(&format!("[{}]}}", texts.join(",  "))).unwrap();
        let expected: Vec<f64> = texts.iter().map(|text| text.parse().unwrap()).collect();
        assert_eq!((values, lengths), (expected, vec![]));
        assert_eq!(read("[ [0.5 ,1],\n[], [2] ]").unwrap(), (vec![0.5, 1.0, 2.0], vec![2, 0, 1]));
    }

    #[test]
    fn what_is_no_number_stays_in_its_place() {
        let (values, _) = read(r#"[1, null, NaN, "x", -Infinity, {"a": [1]}, true]"#).unwrap();
        let numbers: Vec<bool> = values.iter().map(|value| value.is_nan()).collect();
        assert_eq!(numbers, [false, true, true, true, false, true, true]);
    }

    #[test]
    fn what_is_not_json_is_left_to_the_reader_of_json() {
        for text in
            ["[01]", "[1.]", "[1.e5]", "[1.5.2]", "[1e]", "[+1]", "[1 2]", "[1,]", "[,1]", "[1"]
        {
            assert!(numbers(text.as_bytes(), 0).is_none(), "{text}");
        }
        for text in [r#"["a" "b"]"#, r#"["\q"]"#, "[\"\n\"]", r#"["\u12g4"]"#, r#"["a"#, "[1]"] {
            assert!(after_texts(text.as_bytes(), 0).is_none(), "{text}");
        }
    }

    #[test]
    fn texts_are_passed_over_whatever_is_in_them() {
        let text = r#"["", "]\"[", "\ud83d", "\\", "\u4f18 优"] x"#;
        assert_eq!(after_texts(text.as_bytes(), 0), Some(text.len() - 2));
    }
}
