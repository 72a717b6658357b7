//! Lines that are each an object of JSON, or one as Python prints it: `{"concurrency": 8, "ttft_ms": 33.4}`.

use std::ops::Range;

use jiter::JsonValue;

use super::{Grid, Line, MAX_CELLS};
use crate::kit::fields::is_metric;
use crate::kit::figure::figure;
use beyondnoise_model::sanitize::cleaned;

/// The table whose first line is this object: a column for each of its keys with a number or a word.
pub(super) fn objects(lines: &[Line], start: usize) -> Option<Grid> {
    let first = entries(&lines[start].text)?;
    let headers: Vec<String> = first.into_iter().map(|(key, _)| key).collect();
    let row = |line: &Line| -> Option<Vec<String>> {
        let own = entries(&line.text)?;
        let value = |name: &String| own.iter().find(|(key, _)| key == name).map(|(_, v)| v.clone());
        let known = own.iter().filter(|(key, _)| headers.contains(key)).count();
        (2 * known > headers.len())
            .then(|| headers.iter().map(|name| value(name).unwrap_or_default()).collect())
    };
    let rows: Vec<(usize, Vec<String>)> = lines[start..]
        .iter()
        .map_while(row)
        .enumerate()
        .map(|(at, cells)| (start + at + 1, cells))
        .collect();
    // Settings may have fractions too.
    if !headers.iter().any(|name| is_metric(name)) {
        return None;
    }
    let measured = rows.iter().flat_map(|(_, cells)| cells).any(|cell| {
        figure(cell, false)
            .is_some_and(|found| found.number.contains('.') || !found.unit.is_empty())
    });
    let lines: Range<usize> = start..start + rows.len();
    measured.then(|| Grid { lines, headers, rows, ..Grid::default() })
}

/// The keys of an object on one line with their numbers, as they are written, and words.
fn entries(text: &str) -> Option<Vec<(String, String)>> {
    let text = text.trim().trim_end_matches(',');
    let inner = text.strip_prefix('{')?.strip_suffix('}')?;
    // Python writes other quotes and words.
    let spelled = if inner.contains('"') {
        text.to_owned()
    } else {
        text.replace('\'', "\"")
            .replace(": True", ": true")
            .replace(": False", ": false")
            .replace(": None", ": null")
    };
    let Ok(JsonValue::Object(found)) = JsonValue::parse(spelled.as_bytes(), true) else {
        return None;
    };
    let found: Vec<(String, String)> = found
        .iter()
        .filter_map(|(key, value)| Some((cleaned(key), word(value, key, &spelled)?)))
        .collect();
    (2..=MAX_CELLS).contains(&found.len()).then_some(found)
}

/// A value that is a number, with all digits that are written, a word or nothing.
fn word(value: &JsonValue, key: &str, text: &str) -> Option<String> {
    match value {
        JsonValue::Null => Some(String::new()),
        JsonValue::Bool(value) => Some(value.to_string()),
        JsonValue::Str(value) => Some(cleaned(value)),
        JsonValue::Int(value) => Some(value.to_string()),
        JsonValue::Float(value) => {
            let (_, behind) = text.split_once(&format!("\"{key}\""))?;
            let written = behind.trim_start_matches([':', ' ']);
            let end = written.find([',', '}', ' ']).unwrap_or(written.len());
            let digits = written[..end].trim();
            let same =
                digits.parse::<f64>().is_ok_and(|number| number.to_bits() == value.to_bits());
            Some(if same { digits.to_owned() } else { value.to_string() })
        }
        _ => None,
    }
}
