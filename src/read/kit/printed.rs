//! Titles of the blocks that clients print, as they stand in logs and between JSON objects.

use crate::kit::short;
use beyondnoise_model::sanitize::printable;

/// Remedy where several results stand in one file.
pub(crate) const REMEDY: &str = "put each into its own file";

/// A title line: where the prefix ends and what kind of block starts.
pub(crate) struct Title {
    pub(crate) prefix: String,
    pub(crate) kind: Kind,
    /// Names of the columns behind the ruler, two or more, or none.
    pub(crate) columns: Vec<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A serving result.
    Serving,
    /// An offline result: throughput only.
    Offline,
    /// Repeats the labels of the block before it for a part of the run.
    SteadyState,
}

/// Removes colour, carriage returns, look-alike characters and what cannot be seen from a line.
pub(crate) fn clean(line: &str) -> String {
    let mut out = String::with_capacity(line.len());
    let mut chars = line.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '\u{1b}' => {
                // An escape sequence ends with a letter.
                if chars.peek() == Some(&'[') {
                    chars.next();
                    for c in chars.by_ref() {
                        if c.is_ascii_alphabetic() {
                            break;
                        }
                    }
                }
            }
            '\u{feff}' | '\u{200b}' | '\u{2060}' => {}
            c if c.is_whitespace() && c != '\r' => out.push(' '),
            c => out.push(c),
        }
    }
    // A progress bar overwrites its line: the text after the last return was visible.
    let seen = out.trim_end_matches('\r');
    let seen = seen.rsplit('\r').find(|part| !part.trim().is_empty()).unwrap_or("").trim_end();
    printable(seen).into_owned()
}

/// Recognises a title line.
pub(crate) fn title(line: &str) -> Option<Title> {
    let start = line.find("===")?;
    // Behind the ruler the columns may have their names: `===== Result ===== │ main │ pr`.
    let end = line.rfind("===")? + 3;
    let behind = line[end..].trim_matches(['|', ' ']);
    let columns: Vec<String> = behind
        .split(['|', '│'])
        .map(|name| name.trim().to_owned())
        .filter(|name| !name.is_empty())
        .collect();
    if columns.len() == 1 {
        return None;
    }
    let inner = line[start..end].trim_start_matches('=');
    let words = inner.trim_end_matches('=');
    if inner.len() == words.len() {
        return None;
    }
    let words = words.trim();
    let kind = if words.contains("Steady-State") {
        Kind::SteadyState
    } else if words.contains("Offline") && words.ends_with("Benchmark Result") {
        Kind::Offline
    } else if words.ends_with("Benchmark Result") {
        Kind::Serving
    } else {
        return None;
    };
    Some(Title { prefix: line[..start].to_owned(), kind, columns })
}

/// Whether a text block starts here.
pub(crate) fn is_title(line: &str) -> bool {
    let title = title(&clean(line));
    title.is_some_and(|title| title.kind != Kind::SteadyState)
}

pub(crate) fn beside_block(other: &str) -> String {
    format!("expected only {other}, found also a text block (==== Serving Benchmark Result ====)")
}

/// Most characters of a heading between JSON objects.
pub(crate) const HEADING: usize = 120;

/// Problem and remedy of a line between JSON objects that is no heading.
pub(crate) fn prose(words: &str) -> Result<(), (String, &'static str)> {
    if words.chars().count() > HEADING {
        let problem = "expected a JSON object, found other text".to_owned();
        return Err((problem, "remove everything but the results"));
    }
    if words.contains("\":") || words.ends_with('}') {
        let problem = format!("expected a JSON object, found a part of one: {}", short(words));
        return Err((problem, "complete or remove the line"));
    }
    if is_title(words) {
        return Err((beside_block("JSON"), REMEDY));
    }
    Ok(())
}
