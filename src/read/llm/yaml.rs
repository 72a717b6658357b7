//! The part of YAML that programs write: blocks of mappings and lists, plain and quoted scalars.
//!
//! Enough for reports dumped by a library. Anchors are skipped, an alias has no value, flow collections are kept as
//! text unless empty. Anything else is an error with its line.

use crate::error::Error;
use crate::read::llm::tree::Node;

/// Deepest nesting that is followed.
const DEEPEST: usize = 64;

struct Line<'a> {
    number: usize,
    indent: usize,
    text: &'a str,
}

struct Parser<'a> {
    path: &'a str,
    lines: Vec<Line<'a>>,
    at: usize,
}

/// The document of `text`; of several the first.
///
/// # Errors
///
/// [`Error::Input`] for the first line that fits no mapping and no list.
pub(super) fn document(path: &str, text: &str) -> Result<Node, Error> {
    let mut lines = Vec::new();
    for (index, raw) in text.lines().enumerate() {
        let line = raw.trim_end();
        let text = line.trim_start_matches(' ');
        if text == "---" && lines.is_empty() || text.is_empty() || text.starts_with('#') {
            continue;
        }
        if line == "---" || line == "..." {
            break;
        }
        lines.push(Line { number: index + 1, indent: line.len() - text.len(), text });
    }
    let mut parser = Parser { path, lines, at: 0 };
    let Some(first) = parser.lines.first() else { return Ok(Node::Null) };
    let indent = first.indent;
    let root = parser.block(indent, 0)?;
    match parser.lines.get(parser.at) {
        Some(line) => Err(parser.bad(line.number)),
        None => Ok(root),
    }
}

impl<'a> Parser<'a> {
    fn bad(&self, line: usize) -> Error {
        let text = self.lines.iter().find(|l| l.number == line).map_or("", |l| l.text);
        let problem = format!(
            "expected a line of YAML such as key: value, found \"{}\"",
            crate::read::short(text)
        );
        Error::at_line(self.path, line, problem, "fix it, or remove the file")
    }

    /// The mapping, list or scalar whose lines are indented like this.
    fn block(&mut self, indent: usize, depth: usize) -> Result<Node, Error> {
        let Some(line) = self.lines.get(self.at) else { return Ok(Node::Null) };
        let (number, text) = (line.number, line.text);
        if depth > DEEPEST {
            return Err(self.bad(number));
        }
        if is_item(text) {
            self.list(indent, depth)
        } else if key_of(text).is_some() {
            self.mapping(indent, depth)
        } else {
            self.at += 1;
            Ok(self.scalar(text, indent))
        }
    }

    fn list(&mut self, indent: usize, depth: usize) -> Result<Node, Error> {
        let mut items = Vec::new();
        while let Some(line) = self.lines.get_mut(self.at) {
            if line.indent != indent || !is_item(line.text) {
                break;
            }
            let rest = line.text[1..].trim_start_matches(' ');
            if rest.is_empty() {
                self.at += 1;
                items.push(self.below(indent, depth)?);
                continue;
            }
            // The text after the dash is a block of its own.
            let inner = indent + line.text.len() - rest.len();
            (line.indent, line.text) = (inner, rest);
            items.push(self.block(inner, depth + 1)?);
        }
        Ok(Node::List(items))
    }

    fn mapping(&mut self, indent: usize, depth: usize) -> Result<Node, Error> {
        let mut entries = Vec::new();
        while let Some(line) = self.lines.get(self.at).filter(|line| line.indent == indent) {
            if is_item(line.text) {
                break;
            }
            let Some((key, rest)) = key_of(line.text) else { return Err(self.bad(line.number)) };
            self.at += 1;
            let rest = without_anchor(rest);
            let value = if rest.is_empty() {
                self.value_below(indent, depth)?
            } else {
                self.scalar(rest, indent)
            };
            entries.push((key.to_owned(), value));
        }
        Ok(Node::Object(entries))
    }

    /// The value of a key that ends its line: deeper lines, or a list that is not indented further.
    fn value_below(&mut self, indent: usize, depth: usize) -> Result<Node, Error> {
        match self.lines.get(self.at) {
            Some(next) if next.indent == indent && is_item(next.text) => {
                self.list(indent, depth + 1)
            }
            _ => self.below(indent, depth),
        }
    }

    fn below(&mut self, indent: usize, depth: usize) -> Result<Node, Error> {
        match self.lines.get(self.at).map(|next| next.indent) {
            Some(deeper) if deeper > indent => self.block(deeper, depth + 1),
            _ => Ok(Node::Null),
        }
    }

    /// A scalar, with the lines on which it goes on.
    fn scalar(&mut self, first: &'a str, indent: usize) -> Node {
        let start = self.at;
        while self.lines.get(self.at).is_some_and(|line| line.indent > indent) {
            self.at += 1;
        }
        if start == self.at {
            return scalar(first);
        }
        let more = self.lines[start..self.at].iter().map(|line| line.text);
        Node::Text([first].into_iter().chain(more).collect::<Vec<_>>().join(" "))
    }
}

fn is_item(text: &str) -> bool {
    text == "-" || text.starts_with("- ")
}

/// Key and rest of `key: rest`.
fn key_of(text: &str) -> Option<(&str, &str)> {
    for quote in ['"', '\''] {
        if let Some(inner) = text.strip_prefix(quote) {
            let (key, rest) = inner.split_once(quote)?;
            return Some((key, uncommented(rest.strip_prefix(':')?.trim())));
        }
    }
    if let Some((key, rest)) = text.split_once(": ") {
        return Some((key.trim(), uncommented(rest.trim())));
    }
    text.strip_suffix(':').map(|key| (key.trim(), ""))
}

/// The text without a comment behind it.
fn uncommented(text: &str) -> &str {
    if text.starts_with('#') {
        return "";
    }
    if text.starts_with(['"', '\'']) {
        return text;
    }
    text.split_once(" #").map_or(text, |(before, _)| before.trim_end())
}

fn without_anchor(text: &str) -> &str {
    let Some(anchor) = text.strip_prefix('&') else { return text };
    anchor.split_once(' ').map_or("", |(_, rest)| rest.trim_start())
}

fn scalar(text: &str) -> Node {
    let text = uncommented(text);
    for quote in ['"', '\''] {
        if let Some(inner) = text.strip_prefix(quote) {
            return Node::Text(inner.split(quote).next().unwrap_or("").to_owned());
        }
    }
    match text {
        "" | "~" | "null" | "Null" => return Node::Null,
        ".inf" | "+.inf" => return Node::Number(f64::INFINITY),
        "-.inf" => return Node::Number(f64::NEG_INFINITY),
        ".nan" => return Node::Number(f64::NAN),
        "[]" => return Node::List(Vec::new()),
        "{}" => return Node::Object(Vec::new()),
        _ => {}
    }
    let numeric = text.starts_with(|c: char| c.is_ascii_digit() || matches!(c, '-' | '+' | '.'))
        && text.bytes().all(|b| b.is_ascii_digit() || b"+-.eE_".contains(&b));
    match text.replace('_', "").parse() {
        Ok(value) if numeric => Node::Number(value),
        _ if text.starts_with('*') => Node::Null,
        _ => Node::Text(text.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::document;

    #[test]
    fn blocks_as_a_library_dumps_them_are_read() {
        let text = "---\nversion: '0.1' # words\na:\n  b: &id001\n  - 1\n  -  x: 2.5e-3\n     y: [1, 2]\n  c: long\n    text\n\"--flag\": true\ninf: .inf\nnone:\nl:\n- - 1\n  - 2\n";
        let root = document("f", text).expect("a document");
        assert_eq!(root.text("version"), Some("0.1"));
        assert_eq!(root.number("a/b/0"), Some(1.0));
        assert_eq!(root.number("a/b/1/x"), Some(0.0025));
        assert_eq!(root.text("a/b/1/y"), Some("[1, 2]"));
        assert_eq!(root.text("a/c"), Some("long text"));
        assert_eq!(root.text("--flag"), Some("true"));
        assert_eq!(root.number("l/0/1"), Some(2.0));
        assert!(!root.has("none") && root.number("inf").is_none());
    }

    #[test]
    fn what_is_no_yaml_is_named_by_its_line() {
        let error = document("f.yaml", "a: 1\nnonsense\n").expect_err("no yaml").to_string();
        assert!(error.contains("line 2") && error.contains("nonsense"), "{error}");
        let deep = (0..200).fold(String::new(), |text, n| text + &" ".repeat(n) + "k:\n");
        assert!(document("f.yaml", &deep).is_err());
    }
}
