//! Lines and places in a policy file.

use std::ops::Range;

use toml::de::{DeTable, DeValue};

use crate::error::Error;

pub(super) fn at(
    path: &str,
    text: &str,
    span: Option<Range<usize>>,
    problem: String,
    remedy: &str,
) -> Error {
    match span {
        Some(span) => Error::at_line(path, line(text, span.start), problem, remedy),
        None => Error::file(path, problem, remedy),
    }
}

pub(super) fn line(text: &str, byte: usize) -> usize {
    1 + text.bytes().take(byte).filter(|&b| b == b'\n').count()
}

pub(super) fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Range of the value under these keys, in bytes.
pub(super) fn span_of(table: &DeTable, keys: &[&str]) -> Option<Range<usize>> {
    let (first, rest) = keys.split_first()?;
    let (_, value) = table.iter().find(|(key, _)| key.get_ref() == first)?;
    match (rest, value.get_ref()) {
        ([], _) => Some(value.span()),
        (_, DeValue::Table(inner)) => span_of(inner, rest),
        _ => None,
    }
}
