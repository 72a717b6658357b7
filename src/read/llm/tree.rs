//! JSON as a tree, for clients that nest their results deeper than two levels.
//!
//! Lenient as [`crate::read::json`]: bare NaN and Infinity, objects one after the other, a line each or in
//! a list. Values under keys that a reader does not want (prompts, outputs) are checked and passed over.

use jiter::{Jiter, JiterError, NumberAny, NumberInt, Peek};
use memchr::memchr_iter;

use crate::error::Error;
use crate::read::json::malformed;
use crate::read::lone_surrogates::repair_surrogates;

/// Deepest nesting that is followed.
const DEEPEST: usize = 64;

/// Values of a file: a tree of so many takes some gigabytes.
const MAX_NODES: usize = 100_000_000;

/// A value of a file.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::read) enum Node {
    Null,
    /// Also NaN and the infinities.
    Number(f64),
    /// Also the words `true` and `false`.
    Text(String),
    List(Vec<Node>),
    Object(Vec<(String, Node)>),
}

/// An object of a file.
pub(in crate::read) struct Tree {
    /// Its number in the file, from 1.
    pub(in crate::read) index: usize,
    pub(in crate::read) root: Node,
}

impl Node {
    /// The value under keys separated by `/`; a number picks an element of a list, from 0.
    pub(in crate::read) fn at(&self, path: &str) -> Option<&Self> {
        path.split('/').try_fold(self, |node, key| match node {
            Self::Object(entries) => entries.iter().rev().find(|(k, _)| k == key).map(|(_, v)| v),
            Self::List(items) => items.get(key.parse::<usize>().ok()?),
            _ => None,
        })
    }

    /// A finite number.
    pub(in crate::read) fn number(&self, path: &str) -> Option<f64> {
        match self.at(path)? {
            Self::Number(value) if value.is_finite() => Some(*value),
            _ => None,
        }
    }

    /// A count.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "checked to be a whole number in range"
    )]
    pub(in crate::read) fn count_at(&self, path: &str) -> Option<u64> {
        let value = self.number(path)?.round();
        (0.0..9e15).contains(&value).then_some(value as u64)
    }

    pub(in crate::read) fn text(&self, path: &str) -> Option<&str> {
        match self.at(path)? {
            Self::Text(text) => Some(text),
            _ => None,
        }
    }

    /// A number or a word, as written.
    pub(in crate::read) fn shown(&self, path: &str) -> Option<String> {
        match self.at(path)? {
            Self::Text(text) => Some(text.clone()),
            Self::Number(value) => Some(value.to_string()),
            _ => None,
        }
    }

    /// Elements of a list; none if it is no list.
    pub(in crate::read) fn items(&self, path: &str) -> &[Self] {
        match self.at(path) {
            Some(Self::List(items)) => items,
            _ => &[],
        }
    }

    /// Finite numbers of a list; none if it is no list.
    pub(in crate::read) fn numbers(&self, path: &str) -> Vec<f64> {
        let number = |item: &Self| match item {
            Self::Number(value) if value.is_finite() => Some(*value),
            _ => None,
        };
        self.items(path).iter().filter_map(number).collect()
    }

    /// Keys and values of an object; none if it is no object.
    pub(in crate::read) fn entries(&self) -> &[(String, Self)] {
        match self {
            Self::Object(entries) => entries,
            _ => &[],
        }
    }

    pub(in crate::read) fn has(&self, path: &str) -> bool {
        self.at(path).is_some_and(|node| *node != Self::Null)
    }
}

/// All objects of `bytes`, without the values of the keys `unwanted`.
///
/// # Errors
///
/// [`Error::Input`] with line and column for the first thing that is not JSON, or if there are too many values.
pub(in crate::read) fn objects(
    path: &str,
    bytes: &[u8],
    unwanted: &[&str],
) -> Result<Vec<Tree>, Error> {
    if has_more(bytes, MAX_NODES) {
        let problem = format!("expected at most {MAX_NODES} values, found more");
        return Err(Error::file(path, problem, "split it, or give the summary of the same client"));
    }
    repair_surrogates(bytes, |bytes| all_objects(path, bytes, unwanted))
}

/// Whether there may be more values than `most`, by the number of commas.
fn has_more(bytes: &[u8], most: usize) -> bool {
    bytes.len() / 2 > most && memchr_iter(b',', bytes).count() > most
}

fn all_objects(path: &str, bytes: &[u8], unwanted: &[&str]) -> Result<Vec<Tree>, Error> {
    let mut found = Vec::new();
    let mut at = 0;
    loop {
        let between = |byte: &u8| byte.is_ascii_whitespace() || *byte == b',';
        at += bytes[at..].iter().take_while(|byte| between(byte)).count();
        if at >= bytes.len() {
            return Ok(found);
        }
        let mut json = Jiter::new(&bytes[at..]).with_allow_inf_nan();
        let root = json.peek().and_then(|peek| node(&mut json, peek, unwanted, 0));
        let root = root.map_err(|error| malformed(path, bytes, at, &error))?;
        at += json.current_index();
        let roots = match root {
            Node::List(items) => items,
            other => vec![other],
        };
        for root in roots.into_iter().filter(|root| matches!(root, Node::Object(_))) {
            found.push(Tree { index: found.len() + 1, root });
        }
    }
}

fn node(json: &mut Jiter, peek: Peek, unwanted: &[&str], depth: usize) -> Result<Node, JiterError> {
    if depth > DEEPEST {
        json.known_skip(peek)?;
        return Ok(Node::Null);
    }
    Ok(match peek {
        Peek::Null => {
            json.known_null()?;
            Node::Null
        }
        Peek::True | Peek::False => Node::Text(json.known_bool(peek)?.to_string()),
        Peek::String => Node::Text(json.known_str()?.to_owned()),
        Peek::Array => {
            let mut items = Vec::new();
            let mut next = json.known_array()?;
            while let Some(peek) = next {
                items.push(node(json, peek, unwanted, depth + 1)?);
                next = json.array_step()?;
            }
            Node::List(items)
        }
        Peek::Object => {
            let mut entries = Vec::new();
            let mut key = json.known_object()?.map(str::to_owned);
            while let Some(name) = key {
                let peek = json.peek()?;
                if unwanted.contains(&name.as_str()) {
                    json.known_skip(peek)?;
                } else {
                    let value = node(json, peek, unwanted, depth + 1)?;
                    entries.push((name, value));
                }
                key = json.next_key()?.map(str::to_owned);
            }
            Node::Object(entries)
        }
        _ => Node::Number(match json.known_number(peek)? {
            NumberAny::Float(value) => value,
            NumberAny::Int(NumberInt::Int(value)) => value as f64,
            #[allow(unreachable_patterns, reason = "a further kind exists with a feature of jiter")]
            NumberAny::Int(_) => f64::NAN,
        }),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_found_under_their_path() {
        let text = r#"[{"a": {"b.c": [1, {"d": NaN}]}, "prompt": [[[1]]]}, 3]{"e": "x"}"#;
        let all = objects("f", text.as_bytes(), &["prompt"]).unwrap();
        assert_eq!(all.len(), 2);
        assert_eq!(all[0].root.number("a/b.c/0"), Some(1.0));
        assert_eq!(all[0].root.number("a/b.c/1/d"), None);
        assert!(!all[0].root.has("prompt"));
        assert_eq!((all[1].index, all[1].root.text("e")), (2, Some("x")));
    }

    #[test]
    fn deep_nesting_does_not_overflow_the_stack() {
        let deep = format!("{{\"x\": {}1{}}}", "[".repeat(100_000), "]".repeat(100_000));
        assert!(objects("f", deep.as_bytes(), &[]).is_err());
        let shallow = format!("{{\"x\": {}1{}}}", "[".repeat(100), "]".repeat(100));
        assert!(objects("f", shallow.as_bytes(), &[]).is_ok());
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
        let Err(error) = objects("f.json", b"{\"a\": 1}\n{\"b\": [1,", &[]) else { panic!("cut") };
        assert!(error.to_string().contains("line 2"), "{error}");
    }
}
