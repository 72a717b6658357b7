//! Errors of the library as exceptions of Python.

use beyondnoise::error::{Error, chain};
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// The exception `beyondnoise.Error` with all that the error knows.
pub(crate) fn exception(py: Python<'_>, error: &Error) -> PyErr {
    match made(py, error) {
        Ok(exception) => PyErr::from_value(exception),
        Err(failed) => failed,
    }
}

fn made<'py>(py: Python<'py>, error: &Error) -> PyResult<Bound<'py, PyAny>> {
    let parts = Parts::of(error);
    let fields = PyDict::new(py);
    fields.set_item("path", parts.path)?;
    fields.set_item("place", parts.place)?;
    fields.set_item("expected", parts.expected)?;
    fields.set_item("found", parts.found)?;
    fields.set_item("remedy", parts.remedy)?;
    let class = py.import("beyondnoise._errors")?.getattr("Error")?;
    class.call((parts.message,), Some(&fields))
}

/// An error in its parts; those that it does not have are `None`.
struct Parts {
    message: String,
    path: Option<String>,
    place: Option<String>,
    expected: Option<String>,
    found: Option<String>,
    remedy: Option<String>,
}

impl Parts {
    fn of(error: &Error) -> Self {
        let message = as_keywords(&chain(error));
        let some = |text: &str| (!text.is_empty()).then(|| as_keywords(text));
        let (path, place, problem, remedy) = match error {
            Error::Io { path, source, .. } => {
                let found = Some(source.to_string());
                let (place, expected, remedy) = (None, None, None);
                return Self { message, path: some(path), place, expected, found, remedy };
            }
            Error::Input { path, place, problem, remedy }
            | Error::NoResult { path, place, problem, remedy } => {
                (&**path, &**place, problem, remedy)
            }
            Error::Usage { problem, remedy } => ("", "", problem, remedy),
        };
        let (expected, found) = split(problem);
        let path = (!path.is_empty()).then(|| path.to_owned());
        let (expected, found) = (expected.and_then(some), found.and_then(some));
        Self { message, path, place: some(place), expected, found, remedy: some(remedy) }
    }
}

/// The expected and the found of a problem that says both.
fn split(problem: &str) -> (Option<&str>, Option<&str>) {
    let Some((_, rest)) = problem.split_once("expected ") else { return (None, Some(problem)) };
    match rest.split_once(", found ").or_else(|| rest.split_once(" and found ")) {
        Some((expected, found)) => (Some(expected), Some(found)),
        None => (Some(rest), None),
    }
}

/// A message for Python: flags of the command line by the names of their keyword arguments.
fn as_keywords(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find("--") {
        let (before, after) = rest.split_at(at);
        let word = &after[2..];
        let end = word.find(|c: char| !c.is_ascii_lowercase() && c != '-').unwrap_or(word.len());
        let begins =
            before.chars().last().is_none_or(|c| c.is_whitespace() || "([\"'`".contains(c));
        out.push_str(before);
        if begins && end > 1 {
            let name = word[..end].trim_end_matches("-column").replace('-', "_");
            out.push_str(&name);
        } else {
            out.push_str(&after[..2 + end]);
        }
        rest = &word[end..];
    }
    out + rest
}
