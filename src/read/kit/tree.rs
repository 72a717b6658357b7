//! JSON as a tree, for clients that nest their results deeper than two levels.
//!
//! Lenient as [`crate::kit::json`]: bare NaN and Infinity, objects one after the other, a line each or in
//! a list. Of a key that comes twice the last value counts.

use std::borrow::Cow;

use jiter::{Jiter, JsonValue};
use memchr::memchr_iter;

use crate::kit::json::malformed;
use crate::kit::lone_surrogates::repair_surrogates;
use beyondnoise_model::error::Error;

/// Values of a file: a tree of so many takes some gigabytes.
const MAX_NODES: usize = 100_000_000;

/// A value of a file.
pub(crate) type Node = JsonValue<'static>;

/// A key with its value.
pub(crate) type Entry = (Cow<'static, str>, Node);

/// The values of a tree by their path: keys separated by `/`, where a number picks an element of a list, from 0. Of
/// several paths separated by `|`, the first with such a value counts. The empty path is the value itself.
pub(crate) trait Tree {
    fn root(&self) -> &Node;

    fn first<'a, T>(&'a self, paths: &str, pick: impl Fn(&'a Node) -> Option<T>) -> Option<T> {
        paths.split('|').find_map(|path| {
            let mut keys = path.split('/').filter(|key| !key.is_empty());
            let node = keys.try_fold(self.root(), |node, key| match node {
                Node::Object(entries) => {
                    entries.iter().rev().find(|(known, _)| known == key).map(|(_, value)| value)
                }
                Node::Array(items) => items.get(key.parse::<usize>().ok()?),
                _ => None,
            })?;
            pick(node)
        })
    }

    fn at(&self, paths: &str) -> Option<&Node> {
        self.first(paths, Some)
    }

    /// Whether there is a value other than null.
    fn has(&self, paths: &str) -> bool {
        self.first(paths, |node| (*node != Node::Null).then_some(())).is_some()
    }

    /// Itself as a number, also NaN and the infinities.
    fn any_number(&self) -> Option<f64> {
        match self.root() {
            Node::Int(value) => Some(*value as f64),
            Node::Float(value) => Some(*value),
            _ => None,
        }
    }

    /// A finite number.
    fn number(&self, paths: &str) -> Option<f64> {
        self.first(paths, |node| node.any_number().filter(|value| value.is_finite()))
    }

    /// A count, to the nearest whole number.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "checked to be a whole number in range"
    )]
    fn count(&self, paths: &str) -> Option<u64> {
        let value = self.number(paths)?.round();
        (0.0..9e15).contains(&value).then_some(value as u64)
    }

    fn flag(&self, paths: &str) -> Option<bool> {
        self.shown(paths)?.parse().ok()
    }

    fn text(&self, paths: &str) -> Option<&str> {
        self.first(paths, |node| match node {
            Node::Str(text) => Some(&**text),
            _ => None,
        })
    }

    fn word(&self, paths: &str) -> Option<String> {
        self.text(paths).map(str::to_owned)
    }

    /// A number or a word, as written.
    fn shown(&self, paths: &str) -> Option<String> {
        self.first(paths, |node| match node {
            Node::Str(text) => Some(text.to_string()),
            Node::Bool(value) => Some(value.to_string()),
            other => other.any_number().map(|value| value.to_string()),
        })
    }

    /// Elements of a list; none if it is no list.
    fn items(&self, paths: &str) -> &[Node] {
        let list = self.first(paths, |node| match node {
            Node::Array(items) => Some(items.as_slice()),
            _ => None,
        });
        list.unwrap_or_default()
    }

    /// Elements of a list, or the value itself.
    fn listed(&self) -> &[Node] {
        match self.root() {
            Node::Array(items) => items,
            single => std::slice::from_ref(single),
        }
    }

    /// Finite numbers of a list; none if it is no list.
    fn numbers(&self, paths: &str) -> Vec<f64> {
        self.items(paths).iter().filter_map(|item| item.number("")).collect()
    }

    /// Keys and values of an object; none if it is no object.
    fn entries(&self, paths: &str) -> &[Entry] {
        let object = self.first(paths, |node| match node {
            Node::Object(entries) => Some(entries.as_slice()),
            _ => None,
        });
        object.unwrap_or_default()
    }
}

impl Tree for Node {
    fn root(&self) -> &Node {
        self
    }
}

/// All objects of `bytes`.
///
/// # Errors
///
/// [`Error::Input`] with line and column for the first thing that is not JSON, or if there are too many values.
pub(crate) fn objects(path: &str, bytes: &[u8]) -> Result<Vec<Node>, Error> {
    if has_more(bytes, MAX_NODES) {
        let problem = format!("expected at most {MAX_NODES} values, found more");
        return Err(Error::file(path, problem, "split it, or give the summary of the same client"));
    }
    repair_surrogates(bytes, |bytes| all_objects(path, bytes))
}

/// Whether there may be more values than `most`, by the number of commas.
fn has_more(bytes: &[u8], most: usize) -> bool {
    bytes.len() / 2 > most && memchr_iter(b',', bytes).count() > most
}

fn all_objects(path: &str, bytes: &[u8]) -> Result<Vec<Node>, Error> {
    let mut found = Vec::new();
    let mut at = 0;
    loop {
        let between = |byte: &u8| byte.is_ascii_whitespace() || *byte == b',';
        at += bytes[at..].iter().take_while(|byte| between(byte)).count();
        if at >= bytes.len() {
            return Ok(found);
        }
        let mut json = Jiter::new(&bytes[at..]).with_allow_inf_nan();
        let root = json.next_value_owned().map_err(|error| malformed(path, bytes, at, &error))?;
        at += json.current_index();
        let is_object = |root: &Node| matches!(root, Node::Object(_));
        match root {
            Node::Array(items) => {
                found.extend(items.iter().filter(|root| is_object(root)).cloned());
            }
            root => found.extend(Some(root).filter(is_object)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_found_under_their_path() {
        let text = r#"[{"a": {"b.c": [1, {"d": NaN}]}, "f": true, "a2": 1, "a2": 2}, 3]{"e": "x"}"#;
        let all = objects("f", text.as_bytes()).unwrap();
        assert_eq!(all.len(), 2);
        assert_eq!(all[0].number("a/b.c/0"), Some(1.0));
        assert_eq!(all[0].number("a/b.c/1/d"), None);
        assert_eq!(all[0].number("none|a|a2"), Some(2.0));
        assert_eq!(all[0].flag("f"), Some(true));
        assert_eq!(all[1].text("e"), Some("x"));
    }

    #[test]
    fn deep_nesting_does_not_overflow_the_stack() {
        let deep = format!("{{\"x\": {}1{}}}", "[".repeat(100_000), "]".repeat(100_000));
        assert!(objects("f", deep.as_bytes()).is_err());
        let shallow = format!("{{\"x\": {}1{}}}", "[".repeat(100), "]".repeat(100));
        assert!(objects("f", shallow.as_bytes()).is_ok());
    }

    #[test]
    fn more_values_than_a_tree_may_hold_are_seen_before_it_is_built() {
        let list = |values: usize| format!("[{}]", vec!["0"; values].join(","));
        assert!(!has_more(list(101).as_bytes(), 100));
        assert!(has_more(list(102).as_bytes(), 100));
        assert!(!has_more(format!("[\"{}\"]", ".".repeat(1000)).as_bytes(), 100));
    }

    #[test]
    fn a_cut_file_names_the_place() {
        let Err(error) = objects("f.json", b"{\"a\": 1}\n{\"b\": [1,") else { panic!("cut") };
        assert!(error.to_string().contains("line 2"), "{error}");
    }
}
