//! Lines that each name a variant and give it the same few values by name: `tcmalloc 2.0 mem: 138608 duration: 3.96`.

use std::collections::BTreeSet;

use super::{Grid, Line, MAX_CELLS};
use crate::kit::figure::figure;
use beyondnoise_model::runs::{LabelHint, label_hint};

/// Fewest lines and keys.
const MIN_LINES: usize = 2;
const MIN_KEYS: usize = 2;

/// Most other lines between two.
const MAX_BETWEEN: usize = 10;

/// Longest label, in characters.
const MAX_LABEL: usize = 60;

/// The label of a line, its keys and what is behind each.
struct Keyed {
    label: String,
    keys: Vec<String>,
    values: Vec<String>,
}

/// The table whose first line is this one: every label comes once.
pub(super) fn keyed(lines: &[Line], start: usize) -> Option<Grid> {
    let first = of_line(&lines[start])?;
    // `10 users  main=95ms  pr=91ms` has the sides as keys.
    let names = |hint| first.keys.iter().any(|key| label_hint(key) == hint);
    if names(LabelHint::Baseline) && names(LabelHint::Candidate) {
        return None;
    }
    let alike = |line: &Line| of_line(line).filter(|found| found.keys == first.keys);
    // Those above were no table: a label came twice.
    if lines[start.saturating_sub(MAX_BETWEEN)..start].iter().any(|line| alike(line).is_some()) {
        return None;
    }
    let (mut rows, mut end, mut labels) = (Vec::new(), start, BTreeSet::new());
    for (at, line) in lines.iter().enumerate().skip(start) {
        if at > end + MAX_BETWEEN {
            break;
        }
        if let Some(found) = alike(line) {
            if !labels.insert(found.label.clone()) {
                return None;
            }
            rows.push((at + 1, [vec![found.label], found.values].concat()));
            end = at;
        }
    }
    if rows.len() < MIN_LINES {
        return None;
    }
    let headers = [vec!["label".to_owned()], first.keys].concat();
    Some(Grid { lines: start..end + 1, headers, rows, ..Grid::default() })
}

/// The parts of a line: words, then keys, each with a colon or an equals sign and a value behind it.
fn of_line(line: &Line) -> Option<Keyed> {
    if line.row || line.rule || line.text.len() > 1_000 {
        return None;
    }
    let text = line.text.trim();
    if text.bytes().filter(|byte| matches!(byte, b':' | b'=')).count() < MIN_KEYS {
        return None;
    }
    let word = |c: char| c.is_alphanumeric() || matches!(c, '_' | '/' | '-' | '%' | '.');
    // The start of each key, and that of what is behind it.
    let mut places: Vec<(usize, usize)> = Vec::new();
    for (at, mark) in text.match_indices([':', '=']) {
        let start = text[..at]
            .rfind(|c| !word(c))
            .map_or(0, |before| before + text[before..].chars().next().map_or(1, char::len_utf8));
        let key = &text[start..at];
        let behind = text[at + mark.len()..].trim_start();
        let number = behind.starts_with(|c: char| c.is_ascii_digit());
        if number && key.starts_with(char::is_alphabetic) {
            places.push((start, at + mark.len()));
        }
    }
    let (first, _) = *places.first()?;
    if !(MIN_KEYS..MAX_CELLS).contains(&places.len()) {
        return None;
    }
    // `(sdpa): [0.0175], time:50.36ms`
    let before = text[..first].trim();
    let label = before.split_once(": ").map_or(before, |(label, _)| label);
    let label = label.trim_matches(|c: char| c.is_whitespace() || "-*:,|>`".contains(c));
    let inner = label.strip_prefix('(').and_then(|rest| rest.strip_suffix(')'));
    let label = inner.unwrap_or(label).trim();
    let ends = places.iter().skip(1).map(|(start, _)| *start).chain([text.len()]);
    let values: Vec<String> = places
        .iter()
        .zip(ends)
        .map(|((_, from), to)| {
            let value =
                text[*from..to].trim_matches(|c: char| c.is_whitespace() || ",;|".contains(c));
            value.to_owned()
        })
        .collect();
    let keys = places
        .iter()
        .map(|(start, end)| text[*start..*end].trim_end_matches([':', '=']).to_owned());
    let read = values.iter().all(|value| figure(value, false).is_some());
    let named = label.contains(char::is_alphabetic) && label.chars().count() <= MAX_LABEL;
    (read && named).then(|| Keyed { label: label.to_owned(), keys: keys.collect(), values })
}
