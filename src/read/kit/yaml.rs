//! YAML as the same tree as JSON.
//!
//! An alias has no value: expanded, a small file could fill the memory.

use std::sync::Arc;

use saphyr_parser::{Event, Parser, ScalarStyle};

use crate::kit::short;
use crate::kit::tree::{Entry, Node, Tree};
use beyondnoise_model::error::Error;

/// Deepest nesting that is followed.
const DEEPEST: usize = 64;

/// A list or an object that has not ended yet.
enum Open {
    List(Vec<Node>),
    /// Its entries, and the key whose value is next.
    Object(Vec<Entry>, Option<String>),
}

/// The document of `text`; of several the first.
///
/// # Errors
///
/// [`Error::Input`] for the first line that is no YAML.
pub(crate) fn document(path: &str, text: &str) -> Result<Node, Error> {
    let mut open: Vec<Open> = Vec::new();
    for event in Parser::new_from_str(text) {
        let (event, span) = event.map_err(|error| {
            let at = error.marker();
            // A line that lacks something is known at the start of the next.
            bad(path, text, at.line().saturating_sub(usize::from(at.col() == 0)), error.info())
        })?;
        let closed = match event {
            Event::MappingStart(..) | Event::SequenceStart(..) if open.len() >= DEEPEST => {
                let what = format!("more than {DEEPEST} levels");
                return Err(bad(path, text, span.start.line(), &what));
            }
            Event::SequenceStart(..) => {
                open.push(Open::List(Vec::new()));
                None
            }
            Event::MappingStart(..) => {
                open.push(Open::Object(Vec::new(), None));
                None
            }
            Event::SequenceEnd | Event::MappingEnd => match open.pop() {
                Some(Open::List(items)) => Some(Node::Array(Arc::new(items))),
                Some(Open::Object(entries, _)) => Some(Node::Object(Arc::new(entries))),
                None => None,
            },
            Event::Scalar(text, ScalarStyle::Plain, ..) => Some(scalar(&text)),
            Event::Scalar(text, ..) => Some(Node::Str(text.into_owned().into())),
            Event::Alias(_) => Some(Node::Null),
            Event::DocumentEnd => break,
            _ => None,
        };
        let Some(value) = closed else { continue };
        match open.last_mut() {
            None => return Ok(value),
            Some(Open::List(items)) => items.push(value),
            Some(Open::Object(entries, key)) => match key.take() {
                Some(key) => entries.push((key.into(), value)),
                None => *key = Some(value.shown("").unwrap_or_default()),
            },
        }
    }
    Ok(Node::Null)
}

/// The error for a line, or the one before it that is not empty.
fn bad(path: &str, text: &str, line: usize, what: &str) -> Error {
    let written = text.lines().take(line).enumerate().filter(|(_, text)| !text.trim().is_empty());
    let (index, found) = written.last().unwrap_or_default();
    let problem = format!("expected YAML, found \"{}\": {what}", short(found.trim()));
    Error::at_line(path, index + 1, problem, "fix it, or remove the file")
}

/// A word without quotes.
fn scalar(text: &str) -> Node {
    match text {
        "" | "~" | "null" | "Null" => return Node::Null,
        "true" | "false" => return Node::Bool(text == "true"),
        ".inf" | "+.inf" => return Node::Float(f64::INFINITY),
        "-.inf" => return Node::Float(f64::NEG_INFINITY),
        ".nan" => return Node::Float(f64::NAN),
        _ => {}
    }
    let numeric = text.starts_with(|c: char| c.is_ascii_digit() || matches!(c, '-' | '+' | '.'))
        && text.bytes().all(|b| b.is_ascii_digit() || b"+-.eE_".contains(&b));
    match text.replace('_', "").parse() {
        Ok(value) if numeric => Node::Float(value),
        _ => Node::Str(text.to_owned().into()),
    }
}

#[cfg(test)]
mod tests {
    use super::document;
    use crate::kit::tree::Tree;

    #[test]
    fn documents_as_a_library_dumps_them_are_read() {
        let text = "---\nversion: '0.1' # words\na:\n  b: &id001\n  - 1\n  -  x: 2.5e-3\n     y: [1, 2]\n  c: long\n    text\n\"--flag\": true\ninf: .inf\nnone:\nl:\n- - 1\n  - 2\nagain: *id001\n";
        let root = document("f", text).expect("a document");
        assert_eq!(root.text("version"), Some("0.1"));
        assert_eq!(root.number("a/b/0"), Some(1.0));
        assert_eq!(root.number("a/b/1/x"), Some(0.0025));
        assert_eq!(root.number("a/b/1/y/1"), Some(2.0));
        assert_eq!(root.text("a/c"), Some("long text"));
        assert_eq!(root.flag("--flag"), Some(true));
        assert_eq!(root.number("l/0/1"), Some(2.0));
        assert!(!root.has("none") && root.number("inf").is_none() && !root.has("again"));
    }

    #[test]
    fn what_is_no_yaml_is_named_by_its_line() {
        let error = document("f.yaml", "a: 1\nnonsense\n").expect_err("no yaml").to_string();
        assert!(error.contains("line 2") && error.contains("nonsense"), "{error}");
        let deep = (0..200).fold(String::new(), |text, n| text + &" ".repeat(n) + "k:\n");
        assert!(document("f.yaml", &deep).is_err());
    }
}
